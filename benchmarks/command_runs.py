"""Runs `ifbench` as a user does, against local endpoints that note when they answer what."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
LOG = "IFBENCH_BENCHMARK_LOG"
TEXT = "the work is 12.50 j, as force times way gives it. " * 12


def prepare_environment(log: Path) -> None:
    """What every child inherits: where our modules are, and where endpoints note their answers."""
    os.environ["PYTHONPATH"] = f"{ROOT}:{ROOT / 'benchmarks'}"
    os.environ[LOG] = str(log)
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))  # For the tests' endpoint.


def reply(body: Mapping[str, object]) -> str:
    """What an endpoint says: JSON where a schema is asked for, else 600 characters."""
    now = time.monotonic()
    with Path(os.environ[LOG]).open("a") as log:
        is_probe = "'Hello'" in str(body["messages"])[:200]
        log.write(json.dumps([now, body.get("model"), is_probe]) + "\n")
    if "response_format" in body:
        from ifbench.engines.scripted import example_of

        return json.dumps(example_of(body["response_format"]["json_schema"]["schema"]))
    return f"{TEXT} At {now:.6f}."  # No two answers are alike.


REPLY = f"{__file__}:reply"


class Answered(NamedTuple):
    """An answer of an endpoint."""

    moment: float
    model: str


def answered(log: Path) -> list[Answered]:
    """What the endpoints have answered so far, probes left out, in order."""
    if not log.exists():
        return []
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return sorted(Answered(moment, model) for moment, model, is_probe in lines if not is_probe)


def write_model(folder: Path, name: str, **fields: object) -> None:
    """A file of `conf/model/`; YAML reads JSON."""
    path = folder / "conf" / "model" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"model": name, **fields}))


def start(folder: Path, command: str, overrides: Sequence[str]) -> subprocess.Popen:
    """`ifbench COMMAND OVERRIDES`, in a process group of its own; it talks to `folder/out`."""
    with (folder / "out").open("w") as out:
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "ifbench.cli", command),
                *("--config-dir", str(folder / "conf"), *overrides),
            ],
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def said(folder: Path) -> str:
    """The end of what the command said."""
    return (folder / "out").read_text()[-2000:]
