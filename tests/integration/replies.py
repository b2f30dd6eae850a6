"""What the endpoint of the integration tests says: the same text for the same prompt, always.

`python tests/engines/endpoint.py --reply tests/integration/replies.py:reply`. Each answer is
noted as a line of JSON in the file that `IFBENCH_TEST_LOG` names, so that a test can tell the
candidate's prompts from the judge's: the endpoint itself counts by digest alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Body = Mapping[str, Any]


def reply(body: Body) -> str:
    """JSON for judges and extractors, else a text that some constraints hold and some do not."""
    identity = _digest(body)
    wanted = _wanted(body)
    kind = "candidate" if wanted is None else next(iter(wanted))
    if _text(body) == "Hello":
        kind = "preflight"
    _note({"digest": identity, "model": body["model"], "kind": kind, "at": time.time()})
    if wanted is None:  # By the prompt alone: two models then answer alike.
        return _answer(_digest({"messages": body["messages"]}))
    return json.dumps(_STRUCTURED[kind](_text(body)))


def _answer(identity: str) -> str:
    number = int(identity[:8], 16)
    texts = (
        f"The result is {number % 1000 / 100:.2f} J/mol.",
        f"answer: {number % 97}\n\n1. first, we read the question.\n2. then, we answer it.",
        json.dumps({"answer": str(number % 50), "unit": "m/s"}),
        f"### Result\n\nSTEP ONE. THE VALUE IS {number % 13}E-3.",
        f"Ethanol is CCO; it has {number % 7} isomers worth naming, as ${number % 9}^2$ shows.",
    )
    return f"{texts[number % len(texts)]}\n\nnote {identity[:12]}"


def _steps(text: str) -> Any:
    count = int(re.search(r"each number from 1 to (\d+)", text)[1])
    return {"steps": {str(i + 1): {"covered": i % 2 == 0, "quote": ""} for i in range(count)}}


_STRUCTURED = {
    "steps": _steps,
    "categories": lambda text: {"categories": ["a", "b", "c"][: 1 + len(text) % 3]},
    "molecule": lambda text: {"molecule": ""},
    "found": lambda text: {"found": []},
}


def _wanted(body: Body) -> Mapping[str, Any] | None:
    form = body.get("response_format")
    return None if form is None else form["json_schema"]["schema"]["properties"]


def _text(body: Body) -> str:
    content = body["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if "text" in part)


def _digest(body: Body) -> str:
    """As `digest` of the endpoint, which this file cannot import by name."""
    asked = json.dumps([body.get("model"), body.get("messages")], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


def _note(line: Mapping[str, Any]) -> None:
    name = os.environ.get("IFBENCH_TEST_LOG")
    if name:
        with Path(name).open("a") as log:
            log.write(json.dumps(line) + "\n")
