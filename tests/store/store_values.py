"""Values and places for the tests of the store."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyarrow import fs

from factories import make_response
from ifbench.store.location import Location
from ifbench.types import Response, Score, Stop, Usage


def key_of(number: object) -> str:
    """A key such as prompts have."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def answer(number: object, text: str = "", **fields: Any) -> Response:
    """The answer under the key of a number."""
    return make_response(text or f"answer {number}", **{"key": key_of(number), **fields})


def answers(*numbers: object) -> list[Response]:
    return [answer(number) for number in numbers]


def objects(folder: Path) -> Location:
    """A local folder behind a file system that the store takes for an object store."""
    folder.mkdir(parents=True, exist_ok=True)
    inner = fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())
    return Location(inner, "store", "objects://store")


def make_score(sample_id: str = "s1", **fields: Any) -> Score:
    """A complete score of one item."""
    plain = Score(
        sample_id=sample_id,
        benchmark="scimif",
        candidate="tester",
        judge="judge",
        extractor="judge",
        grader="",
        constraints=("general:all_lowercase",),
        satisfied=(True,),
        requirements=((True,),),
        stop=Stop.STOP,
        usage=Usage(input_tokens=10, output_tokens=2),
        facets={"discipline": "chemistry"},
    )
    return replace(plain, **fields)
