"""The endpoint of the video tests: candidates that know the answers, and judges that know the facts.

`python tests/engines/endpoint.py --reply tests/integration/video_replies.py:reply`. The name of the
model says what it does:

    right     each sample of the video starter set, answered as its draft answers it
    broken    one wrong answer for each sample, of its own in turn; `broken-3` the third, where it has
              so many, else the right one
    half      right on every second sample, on the others as `broken`
    oracle    judge and extractor: decides over the drawn facts (`starter.checker`)
    yes       judge: every task is attempted, every requirement met

Each answer is noted as a line of JSON in the file that `IFBENCH_TEST_LOG` names.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ifbench.benchmarks.datasets import data_path
from ifbench.benchmarks.records import load_records
from ifbench.benchmarks.videoif.starter.checker import Findings, drafts_by_id, find
from ifbench.benchmarks.videoif.starter.draft import Broken, broken
from ifbench.benchmarks.videoif.starter.predicates import denotations
from ifbench.types import Sample

Body = Mapping[str, Any]
WORDS = 10
"""How many words of a passage the extractor quotes at either end."""


def reply(body: Body) -> str:
    """What the model that the body names says."""
    text, wanted = _text(body), _wanted(body)
    kind = "preflight" if text == "Hello" else wanted or "candidate"
    _note({"digest": _digest(body), "model": body["model"], "kind": kind, "at": time.time()})
    if kind == "preflight":
        return "Hello."
    if wanted is None:
        return answer(body["model"], asked_sample(text).id)
    return json.dumps({wanted: _STRUCTURED[wanted](body["model"], text)})


# ── Candidates ───────────────────────────────────────────────────────────────────────


@cache
def samples() -> tuple[Sample, ...]:
    """The starter set, the longest instructions first: a shorter one can be a part of another."""
    found = load_records(data_path("builtin:videoif_starter"))
    return tuple(sorted(found, key=lambda sample: -len(sample.instruction)))


def asked_sample(text: str) -> Sample:
    """The sample whose instruction stands in a prompt. Raises `StopIteration` where none does."""
    return next(sample for sample in samples() if sample.instruction in text)


def answer(model: str, sample_id: str) -> str:
    """A candidate's answer to a sample."""
    wrong = chosen_wrong(model, sample_id)
    return drafts_by_id()[sample_id].request.answer if wrong is None else wrong.answer


def chosen_wrong(model: str, sample_id: str) -> Broken | None:
    """The wrong answer that a candidate gives to a sample; `None` where it gives the right one."""
    if model == "right":
        return None
    every = broken(drafts_by_id()[sample_id])
    place = list(drafts_by_id()).index(sample_id)
    if model == "half" and place % 2 == 0:
        return None
    if model in {"half", "broken"}:
        return every[place % len(every)]
    number = int(model.removeprefix("broken-"))
    return every[number] if number < len(every) else None


# ── Judges and the extractor ─────────────────────────────────────────────────────────


def _tasks(model: str, text: str) -> Mapping[str, Any]:
    found, _ = _findings(text)
    return {
        str(number): {
            "attempted": model == "yes" or task.is_addressed,
            "quote": " ".join(task.quote.split()[:WORDS]),
        }
        for number, task in enumerate(found.tasks, 1)
    }


def _items(model: str, text: str) -> Mapping[str, Any]:
    found, _ = _findings(text)
    (listed,) = re.findall(r"exactly one entry for each of these numbers: ([\d, ]+)\.", text)
    return {
        number: {
            "reason": "so the drawn facts have it",
            "quote": "",
            "satisfied": model == "yes" or found.items[int(number) - 1] is True,
        }
        for number in listed.split(", ")
    }


def _spans(model: str, text: str) -> Mapping[str, Any]:
    del model
    found, _ = _findings(text)
    (listed,) = re.findall(r"exactly one entry for each of these numbers: ([\d, ]+)\.", text)
    passages = {number: found.tasks[int(number) - 1].quote for number in listed.split(", ")}
    return {number: {"first": _ends(p)[0], "last": _ends(p)[1]} for number, p in passages.items()}


def _ends(passage: str) -> tuple[str, str]:
    words = list(re.finditer(r"\S+", passage))
    if not words:
        return "", ""
    last = words[max(len(words) - WORDS, 0)].start()
    return passage[: words[min(len(words), WORDS) - 1].end()], passage[last:].rstrip()


def _mentions(model: str, text: str) -> list[str]:
    """How an answer calls things: by a letter alone, or by a name or description of a thing."""
    del model
    _, given = _findings(text)
    video = drafts_by_id()[_judged_sample(text)].request.video
    names = {word for words in denotations(video).values() for word in words}
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    found = re.findall(rf"(?<!\w)(?:[A-Z]|(?i:{pattern}))(?!\w)", given)
    return list(dict.fromkeys(found))


_STRUCTURED = {"tasks": _tasks, "items": _items, "spans": _spans, "mentions": _mentions}
"""By the one property of the reply's schema."""


def _findings(text: str) -> tuple[Findings, str]:
    """What the oracle says of the answer in a prompt, and the answer."""
    given = _fenced(text, "ANSWER")
    return find(_judged_sample(text), given), given


def _judged_sample(text: str) -> str:
    """The first sample with the instruction of a prompt. Others that lead to the very same request
    have the same oracle.
    """
    words = _fenced(text, "INSTRUCTION")
    return next(s.id for s in samples() if words == (s.active_instruction or s.instruction))


def _fenced(text: str, name: str) -> str:
    found = re.search(rf"<<<{name} (\w+)>>>\n(.*)\n<<<END {name} \1>>>", text, re.DOTALL)
    assert found is not None, f"no {name} in {text[:200]}"
    return found[2]


# ── The request ──────────────────────────────────────────────────────────────────────


def _wanted(body: Body) -> str | None:
    form = body.get("response_format")
    if form is None:
        return None
    (name,) = form["json_schema"]["schema"]["properties"]
    return str(name)


def _text(body: Body) -> str:
    return "\n".join(_pieces(body["messages"][-1]["content"]))


def _pieces(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    yield from (part["text"] for part in content if "text" in part)


def _digest(body: Body) -> str:
    """As `digest` of the endpoint, which this file cannot import by name."""
    asked = json.dumps([body.get("model"), body.get("messages")], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


def _note(line: Mapping[str, Any]) -> None:
    name = os.environ.get("IFBENCH_TEST_LOG")
    if name:
        with Path(name).open("a") as log:
            log.write(json.dumps(line) + "\n")
