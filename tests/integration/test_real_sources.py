"""The main job on real records: from a source's own files, by a real model, killed once, complete.

Reads the sources' files below `$IFBENCH_SHARED` (by default `shared` beside the checkout).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ifbench.cli import main
from ifbench.store import Store, read_scores

SHARED = Path(os.environ.get("IFBENCH_SHARED") or Path(__file__).parents[3] / "shared")
SOURCES = SHARED / "data" / "sources"
FILES = {
    "mol_instructions": SOURCES / "mol_instructions" / "true_or_false_question.json",
    "llm4mat_bench": SOURCES / "llm4mat_bench" / "validation.csv",
}
EACH = 3
START_S = 240.0

pytestmark = [
    pytest.mark.ray,
    pytest.mark.model,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not SOURCES.is_dir(),
        reason=f"the sources' files are not at {SOURCES} (IFBENCH_SHARED names their place)",
    ),
]


@pytest.fixture
def data(tmp_path, monkeypatch) -> Path:
    """A few samples of both sources in one file."""
    monkeypatch.chdir(tmp_path)
    lines: list[str] = []
    for name, file in FILES.items():
        out = tmp_path / f"{name}.jsonl"
        few = ["--limit", str(EACH), "--max-characters", "600"]
        assert main(["data", "from-source", name, str(file), "-o", str(out), *few]) == 0
        lines += out.read_text(encoding="utf-8").splitlines()
    both = tmp_path / "both.jsonl"
    both.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return both


def test_real_records_are_evaluated_by_a_real_model_through_a_kill(data, tmp_path):
    command = [
        *(sys.executable, "-m", "ifbench.cli", "evaluate", "execution=ray"),
        *("candidates=[smollm2]", "judge=smollm2", f"benchmark.data={data}"),
        *("candidates.smollm2.sampling.max_tokens=24", "judge.sampling.max_tokens=96"),
        *("judging.attempts=1", "max_owed=2"),  # so small a judge is not always readable
    ]
    first = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        before = _wait_for_answers(tmp_path, 2)
    finally:
        os.kill(first.pid, signal.SIGKILL)
        first.wait()

    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    scores = read_scores(str(tmp_path / "store"))
    assert scores.num_rows == 2 * EACH
    assert {json.loads(line)["id"] for line in data.read_text().splitlines()} == set(
        scores["sample_id"].to_pylist()
    )
    (manifest,) = Store(str(tmp_path / "store")).list_runs()
    candidate = next(c for c in manifest.invocations[-1].calls if c.purpose == "candidate")
    assert candidate.stored >= before, "what was answered before the kill is not asked again"
    assert candidate.stored + candidate.answered == 2 * EACH


def _wait_for_answers(folder: Path, count: int) -> int:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if (folder / "store").is_dir():
            stored = len(Store(str(folder / "store")).journal)
            if stored >= count:
                return min(stored, count)
        time.sleep(0.5)
    raise AssertionError(f"no {count} answers within {START_S:.0f} s")
