"""A user of the embedded model, as a process of its own: one answer for each line that it reads.

Prints, for each: the server's URL, the kind of failure (or `-`) and the text, as JSON.
"""

import asyncio
import json
import sys

from ifbench.engines.engine import no_media
from ifbench.engines.llama_cpp import build_llama_cpp
from ifbench.types import ModelConfig, Prompt, Purpose, Sampling, Text

CONFIG = ModelConfig(
    name="smollm2",
    engine="llama_cpp",
    model="smollm2-135m-instruct-q4_1",
    sampling=Sampling(temperature=0, max_tokens=12),
    options={"context": 512},
)


def make_prompt(text, **changes):
    given = {"purpose": Purpose.CANDIDATE, "model": CONFIG, "sampling": CONFIG.sampling}
    return Prompt(**{**given, "parts": (Text(text=text),), **changes})


async def main():
    engine = build_llama_cpp(CONFIG, no_media)
    while line := await asyncio.to_thread(sys.stdin.readline):
        response = (await engine.generate(make_prompt(line.strip()))).response
        kind = response.failure.kind if response.failure else "-"
        print(json.dumps([response.endpoint, kind, response.text]), flush=True)
    await engine.aclose()


if __name__ == "__main__":
    asyncio.run(main())
