"""A run over models that it serves itself: a stand-in takes the place of `vllm serve`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ifbench.config import load_points
from ifbench.errors import PrerequisiteError
from ifbench.execution.local import LocalExecutor
from ifbench.pipeline import Evaluation, evaluate
from ifbench.runs import ready

STAND_IN = Path(__file__).parent / "execution" / "stand_in_server.py"
SAMPLES = 6


@dataclass(frozen=True)
class Place:
    """A user's folder, in which each model is a stand-in with flags of its own."""

    folder: Path
    execution: str = "local"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def write_model(self, name: str, *flags: str, **options) -> None:
        served = {
            "command": [sys.executable, str(STAND_IN)],
            "speed_args": ["--log", str(self.log), *flags],
            "start_s": 60,
            **options,
        }
        path = self.folder / "conf" / "model" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        limits = {"concurrency": 2, "timeout_s": 30}
        model = {"engine": "vllm", "model": f"org/{name}", "options": served, "limits": limits}
        path.write_text(yaml.safe_dump(model))

    def evaluate(self, *overrides: str) -> Evaluation:
        (evaluation,) = self._evaluate(overrides, is_sweep=False)
        return evaluation

    def sweep(self, *overrides: str) -> tuple[Evaluation, ...]:
        return self._evaluate(overrides, is_sweep=True)

    def _evaluate(self, overrides: tuple[str, ...], *, is_sweep: bool) -> tuple[Evaluation, ...]:
        points = load_points(
            [
                f"execution={self.execution}",
                f"store.uri={self.folder / 'store'}",
                "judge=null",
                "correctness=none",
                f"benchmark.limit={SAMPLES}",
                "benchmark.where.modality=text",
                "execution.gpus=1",
                *overrides,
            ],
            is_sweep=is_sweep,
            config_dir=self.folder / "conf",
        )
        return evaluate(ready(points), self._executor(), lambda *_: nullcontext())

    def _executor(self):
        if self.execution == "local":
            return LocalExecutor()
        from ifbench.execution.ray_data import RayExecutor

        return RayExecutor()

    def lines(self, event: str) -> list[dict]:
        text = self.log.read_text() if self.log.exists() else ""
        lines = map(json.loads, text.splitlines())
        return [line for line in lines if line["event"] == event]

    def asked(self, model: str) -> Counter[str]:
        """How often each prompt was answered, preflight apart."""
        return Counter(
            line["text"]
            for line in self.lines("answer")
            if line["model"] == f"org/{model}" and line["text"] != "Hello"
        )


@pytest.fixture
def place(tmp_path) -> Place:
    return Place(tmp_path)


def answered(evaluation: Evaluation) -> dict[str, int]:
    return {calls.model: calls.answered for calls in evaluation.manifest.invocations[-1].calls}


def is_running(pid: int) -> bool:
    """False for a process that is gone, or that only its parent has not noticed to be."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def assert_nothing_is_left(place: Place) -> None:
    """Every server has ended, however it ended."""
    for line in place.lines("start"):
        assert not is_running(line["pid"])


def assert_one_after_the_other(place: Place) -> None:
    """Two models on one GPU: the second began once the first had answered all."""
    starts = {line["model"]: line for line in place.lines("start")}
    last = max(line["at"] for line in place.lines("answer") if line["model"] == "org/a")
    assert last < starts["org/b"]["at"]
    assert {line["gpus"] for line in starts.values()} == {"0"}
    for name in "ab":
        assert len(place.asked(name)) == SAMPLES
        assert set(place.asked(name).values()) == {1}


def test_a_crash_costs_no_answer_and_asks_nothing_twice(place):
    place.write_model("a", "--crash-after", "3")
    done = place.evaluate("candidates=[a]")
    assert answered(done) == {"a": SAMPLES}
    assert len(place.lines("start")) == 2
    assert len(place.asked("a")) == SAMPLES
    assert set(place.asked("a").values()) == {1}

    assert_nothing_is_left(place)

    again = place.evaluate("candidates=[a]")
    assert answered(again) == {"a": 0}
    assert len(place.lines("start")) == 2, "a run whose answers are stored starts no server"


def test_two_models_take_turns_on_one_gpu(place):
    place.write_model("a")
    place.write_model("b")
    done = place.evaluate("candidates=[a,b]")
    assert answered(done) == {"a": SAMPLES, "b": SAMPLES}
    assert_one_after_the_other(place)
    assert_nothing_is_left(place)


def test_the_points_of_a_sweep_share_servers_that_are_let_go_after_the_last_row_of_all(place):
    place.write_model("a")
    place.write_model("b")
    done = place.sweep("candidates=[a],[a,b]", f"benchmark.limit=3,{SAMPLES}")
    assert len(done) == 4
    assert {one.ending for one in done} == {"complete"}
    assert len(place.lines("start")) == 2
    assert_one_after_the_other(place)
    assert_nothing_is_left(place)


def test_one_name_with_two_ways_of_serving_is_two_servers_that_take_turns(place):
    place.write_model("a")
    done = place.sweep("candidates=[a]", "model.a.options.dtype=float16,bfloat16")
    assert [answered(one) for one in done] == [{"a": SAMPLES}] * 2
    starts = [line["at"] for line in place.lines("start")]
    assert len(starts) == 2
    answers = sorted(line["at"] for line in place.lines("answer") if line["text"] != "Hello")
    assert sum(at < starts[1] for at in answers) == SAMPLES
    assert_nothing_is_left(place)


def test_a_later_model_that_does_not_start_costs_only_its_own_rows(place):
    place.write_model("a")
    place.write_model("b", "--fail", "no such architecture")
    done = place.evaluate("candidates=[a,b]")
    calls = {calls.model: calls for calls in done.manifest.invocations[-1].calls}
    assert calls["a"].answered == SAMPLES
    assert sum(calls["b"].failed.values()) == SAMPLES
    assert set(calls["b"].failed) <= {"rejected", "not_run"}
    assert done.ending == "owed"


def test_a_server_that_does_not_start_is_told_before_anything_is_asked(place):
    place.write_model("a", "--fail", "CUDA out of memory")
    with pytest.raises(PrerequisiteError) as caught:
        place.evaluate("candidates=[a]")
    for words in ("nothing was asked", "model a ended with code 3", "org/a --served-model-name"):
        assert words in str(caught.value)
    assert "loading weights\nCUDA out of memory" in str(caught.value)
    assert not place.log.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gpus": 2}, "the server of a takes 2 GPUs; there are 1"),
        ({"command": ["no-such-vllm"]}, "model a: `no-such-vllm` is not found"),
    ],
)
def test_what_can_never_run_is_told_at_once(place, options, words):
    place.write_model("a", **options)
    with pytest.raises(PrerequisiteError, match=words):
        place.evaluate("candidates=[a]")


@pytest.fixture
def _no_cluster_is_left() -> Iterator[None]:
    yield
    ray = sys.modules.get("ray")
    if ray is not None and ray.is_initialized():
        ray.shutdown()


@pytest.mark.usefixtures("_no_cluster_is_left")
@pytest.mark.ray
@pytest.mark.soak
@pytest.mark.timeout(600)
def test_ray_places_one_model_after_the_other_and_a_crash_costs_nothing(tmp_path):
    place = Place(tmp_path, execution="ray")
    place.write_model("a", "--crash-after", "3")
    place.write_model("b")
    done = place.evaluate("candidates=[a,b]")
    assert answered(done) == {"a": SAMPLES, "b": SAMPLES}
    assert len(place.lines("start")) == 3
    assert_one_after_the_other(place)
    assert_nothing_is_left(place)


DRIVER = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from test_serving import Place
Place(Path({folder!r}), execution={execution!r}).evaluate("candidates=[a]")
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "execution", ["local", pytest.param("ray", marks=[pytest.mark.ray, pytest.mark.soak])]
)
def test_a_driver_that_is_killed_leaves_no_server(tmp_path, execution):
    place = Place(tmp_path, execution)
    place.write_model("a", "--latency", "600", "--child")
    here = Path(__file__).parent
    code = DRIVER.format(path=[str(here)], folder=str(tmp_path), execution=execution)
    driver = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    try:
        wait_until(lambda: [len(group(line["pid"])) for line in place.lines("start")] == [2])
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait(10)
    wait_until(lambda: not group(place.lines("start")[0]["pid"]))


def group(pid: int) -> list[str]:
    """The living processes of a group."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, pgrp = path.read_text().rpartition(")")[2].split()[:3]
            if int(pgrp) == pid and state != "Z":
                found.append(path.parent.name)
    return found


def wait_until(holds: Callable[[], bool], seconds: float = 200) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)
