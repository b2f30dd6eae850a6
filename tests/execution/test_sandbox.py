"""Checks that hang, eat memory, crash or raise are undecided, and their neighbours finish."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import planted_checks
import pytest

from ifbench.constraints.constraint import MAX_CHARACTERS, Check, Params, failed, passed
from ifbench.constraints.running import CheckCall
from ifbench.errors import PrerequisiteError
from ifbench.execution.check_frames import decode_check, encode_check, pack, unpack
from ifbench.execution.sandbox import Sandbox
from ifbench.types import Cause, Evidence, Outcome

TIME_S = 0.4
CATALOGUE = "planted_checks:constraints"


def call(name: str, text: str = "abc", params: str = "{}", **more: object) -> CheckCall:
    return CheckCall(constraint_id=f"planted:{name}", params=params, text=text, **more)


def begins(letter: str) -> CheckCall:
    return call("begins", params=f'{{"letter": "{letter}"}}')


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(time_s=TIME_S, memory_mb=256, catalogue=CATALOGUE) as shared:
        yield shared


@pytest.fixture(scope="module")
def patient() -> Iterator[Sandbox]:
    """For checks whose fault is not their time, on a machine that may be slow."""
    with Sandbox(time_s=30, memory_mb=256, catalogue=CATALOGUE) as shared:
        yield shared


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def wait_until_dead(pid: int, seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)


def pid_of(sandbox: Sandbox) -> int:
    (found,) = sandbox.run([call("process")])
    assert found is not None
    return int(found.reason)


def test_checks_come_back_in_order_with_all_that_they_found(sandbox: Sandbox) -> None:
    found = sandbox.run([begins("a"), begins("b"), call("begins", text="")])
    assert found == [passed(found={"length": 3}), failed("no"), failed("the answer is empty")]


def test_params_go_as_values_or_as_their_json(sandbox: Sandbox) -> None:
    params = planted_checks.Letter(letter="b")
    given = CheckCall(constraint_id="planted:begins", params=params, text="abc")
    assert sandbox.run([given]) == sandbox.run([begins("b")]) == [failed("no")]


def test_nothing_to_check_gives_nothing(sandbox: Sandbox) -> None:
    assert sandbox.run([]) == []


@pytest.mark.parametrize("name", ["loop", "pattern", "sleep"])
def test_hanging_check_is_killed_and_its_neighbours_finish(sandbox: Sandbox, name: str) -> None:
    before = pid_of(sandbox)
    first, hanging, last = sandbox.run([begins("a"), call(name), begins("b")])
    assert (first, last) == (passed(found={"length": 3}), failed("no"))
    assert hanging is not None
    assert (hanging.outcome, hanging.cause) == (Outcome.UNDECIDED, Cause.VERIFIER_TIMEOUT)
    assert f"planted:{name}" in hanging.reason
    assert " s" in hanging.reason
    assert wait_until_dead(before)
    assert pid_of(sandbox) != before


@pytest.mark.parametrize("name", ["eat", "tower"])
def test_check_that_eats_memory_is_undecided_and_its_neighbours_finish(
    patient: Sandbox, name: str
) -> None:
    first, eating, last = patient.run([begins("a"), call(name), begins("a")])
    assert first == last == passed(found={"length": 3})
    assert eating is not None
    assert (eating.outcome, eating.cause) == (Outcome.UNDECIDED, Cause.VERIFIER_ERROR)
    assert "memory bound of 256 MB" in eating.reason
    assert f"planted:{name}" in eating.reason


@pytest.mark.parametrize("together", [True, False])
def test_what_checks_before_keep_in_memory_is_not_held_against_the_next(
    patient: Sandbox, *, together: bool
) -> None:
    calls = [call("keep"), begins("a"), call("keep"), begins("b")]
    asked = [calls] if together else [[one] for one in calls]
    found = [check for batch in asked for check in patient.run(batch)]
    assert found == [passed(), passed(found={"length": 3}), passed(), failed("no")]


class Nested(Params):
    value: object = None


@pytest.mark.parametrize("value", ["half a pair \ud800", b"\xff"])
def test_params_without_a_json_text_leave_their_check_undecided(
    sandbox: Sandbox, value: object
) -> None:
    odd = CheckCall(constraint_id="planted:begins", params=Nested(value=value), text="abc")
    first, unsent, last = sandbox.run([begins("a"), odd, begins("b")])
    assert (first, last) == (passed(found={"length": 3}), failed("no"))
    assert unsent is not None
    assert (unsent.outcome, unsent.cause) == (Outcome.UNDECIDED, Cause.VERIFIER_ERROR)
    assert "planted:begins" in unsent.reason


@contextmanager
def no_more_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + 1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_checks_without_a_process_to_run_them_are_undecided_and_the_next_are_run() -> None:
    with Sandbox(catalogue=CATALOGUE) as own:
        with no_more_files():
            (found,) = own.run([begins("a")])
            with pytest.raises(PrerequisiteError, match="Too many open files"):
                own.start()
        assert found is not None
        assert (found.outcome, found.cause) == (Outcome.UNDECIDED, Cause.VERIFIER_ERROR)
        assert "Too many open files" in found.reason
        assert own.run([begins("a")]) == [passed(found={"length": 3})]


@pytest.mark.parametrize(("name", "word"), [("killed", "SIGKILL"), ("crash", "SIGSEGV")])
def test_check_whose_process_the_system_ends_is_undecided(
    sandbox: Sandbox, name: str, word: str
) -> None:
    first, ended, last = sandbox.run([begins("a"), call(name), begins("a")])
    assert first == last == passed(found={"length": 3})
    assert ended is not None
    assert ended.cause is Cause.VERIFIER_ERROR
    assert word in ended.reason
    assert "memory bound" in ended.reason


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (call("bug"), "planted:bug raised ZeroDivisionError: planted"),
        (call("odd"), "planted:odd raised ValueError: unmarshallable"),
        (call("none"), "planted:none raised KeyError"),
        (call("begins", params='{"word": "a"}'), "planted:begins raised ValidationError"),
    ],
)
def test_exception_is_undecided_and_names_constraint_and_type(
    sandbox: Sandbox, asked: CheckCall, words: str
) -> None:
    before = pid_of(sandbox)
    first, raised, last = sandbox.run([begins("a"), asked, begins("a")])
    assert first == last == passed(found={"length": 3})
    assert raised is not None
    assert raised.cause is Cause.VERIFIER_ERROR
    assert words in raised.reason
    assert pid_of(sandbox) == before


def test_each_of_several_faults_in_one_batch_is_laid_to_its_own_check(patient: Sandbox) -> None:
    """Results that were not told when a process ends are had again, and nobody else is blamed."""
    names = ["killed", "begins", "crash", "begins", "odd", "bug", "eat", "begins", "killed"]
    found = patient.run([begins("a"), *(call(name) for name in names), begins("b")])
    words = [check.reason.partition(" (")[0] for check in found if check is not None]
    assert words == [
        "",
        "planted:killed: the process was ended by SIGKILL in the middle of the check",
        "",
        "planted:crash: the process was ended by SIGSEGV in the middle of the check",
        "",
        "planted:odd raised ValueError: unmarshallable object",
        "planted:bug raised ZeroDivisionError: planted",
        "planted:eat ran into its memory bound of 256 MB",
        "",
        "planted:killed: the process was ended by SIGKILL in the middle of the check",
        "no",
    ]


@pytest.mark.parametrize(("name", "code"), [("deaf", 1), ("exit", 3)])
def test_process_that_ends_by_itself_is_laid_to_the_check_that_ends_it(
    patient: Sandbox, name: str, code: int
) -> None:
    """Also where it ends only as it tells what others have found."""
    found = patient.run([*[begins("a")] * 20, call(name), *[begins("b")] * 20])
    assert found[:20] == [passed(found={"length": 3})] * 20
    assert found[21:] == [failed("no")] * 20
    assert found[20] is not None
    assert found[20].cause is Cause.VERIFIER_ERROR
    assert f"planted:{name}: the process ended with exit code {code}" in found[20].reason


def test_a_batch_may_take_longer_than_one_check_may() -> None:
    """The time on the clock, 1.2 s here, runs from the last result."""
    with Sandbox(time_s=0.3, catalogue=CATALOGUE) as own:
        own.start()
        found = own.run([call("pause") for _ in range(6)])
    assert [check and check.outcome for check in found] == [Outcome.PASS] * 6


def test_check_that_prints_or_reads_disturbs_nothing(sandbox: Sandbox) -> None:
    assert sandbox.run([call("chatty"), begins("a")]) == [
        passed(found={"read": ""}),
        passed(found={"length": 3}),
    ]


def test_extracted_constraint_asks_decides_by_rule_or_by_quotation(sandbox: Sandbox) -> None:
    asked = [
        call("quoted", text="nothing to find"),
        call("quoted", text="x:abc"),
        call("quoted", text="nothing to find", quotations=("abc", "b")),
        call("quoted", text="nothing to find", quotations=()),
    ]
    unlocated, *decided = sandbox.run(asked)
    assert unlocated is None
    assert [check and check.outcome for check in decided] == [
        Outcome.PASS,
        Outcome.FAIL,
        Outcome.PASS,
    ]
    assert decided[0] is not None
    assert [place.text for place in decided[0].evidence] == ["abc"]


def test_any_text_passes_the_pipe(patient: Sandbox) -> None:
    texts = ["a\ud800", "a\0b", "a" * 1_000_000, "a日本", "a\r\n"]
    found = patient.run([call("begins", text=text) for text in texts])
    assert [check and check.found["length"] for check in found] == [len(text) for text in texts]


def test_overlong_text_is_undecided_and_never_sent(sandbox: Sandbox) -> None:
    found = sandbox.run([begins("a"), call("begins", text="a" * (2 * MAX_CHARACTERS + 1))])
    assert found[0] == passed(found={"length": 3})
    assert found[1] is not None
    assert found[1].cause is Cause.VERIFIER_ERROR
    assert f"{2 * MAX_CHARACTERS + 1:,} characters" in found[1].reason


def test_many_calls_go_through_in_several_batches(sandbox: Sandbox) -> None:
    letters = ["a", "b"] * 900
    found = sandbox.run([begins(letter) for letter in letters])
    assert [check is not None and check.outcome is Outcome.PASS for check in found] == [
        letter == "a" for letter in letters
    ]


def test_threads_get_their_own_answers(sandbox: Sandbox) -> None:
    wrong: list[object] = []

    def ask(letter: str, expected: Check) -> None:
        wrong.extend(c for _ in range(20) for c in sandbox.run([begins(letter)]) if c != expected)

    cases = [("a", passed(found={"length": 3})), ("b", failed("no"))] * 3
    threads = [threading.Thread(target=ask, args=case) for case in cases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


async def test_concurrent_rows_are_merged_and_get_their_own_answers(sandbox: Sandbox) -> None:
    rows = [[begins("a"), begins("b")], [begins("b")], [], [call("bug"), begins("a")]] * 8
    found = await asyncio.gather(*(sandbox.check(row) for row in rows))
    passes, fails = passed(found={"length": 3}), failed("no")
    assert found[:3] == [[passes, fails], [fails], []]
    assert found[3][1] == passes
    assert found[4:8] == found[:4]


async def test_hanging_row_leaves_the_other_rows_alone(sandbox: Sandbox) -> None:
    hanging, *others = await asyncio.gather(
        sandbox.check([call("loop")]), *(sandbox.check([begins("a")]) for _ in range(5))
    )
    assert hanging[0] is not None
    assert hanging[0].cause is Cause.VERIFIER_TIMEOUT
    assert others == [[passed(found={"length": 3})]] * 5


async def test_cancelled_row_does_not_disturb_the_next(sandbox: Sandbox) -> None:
    row = asyncio.create_task(sandbox.check([call("loop")]))
    await asyncio.sleep(0.05)
    row.cancel()
    assert await sandbox.check([begins("a")]) == [passed(found={"length": 3})]


def test_process_that_dies_between_calls_is_replaced_without_blame(sandbox: Sandbox) -> None:
    os.kill(pid_of(sandbox), signal.SIGKILL)
    assert sandbox.run([begins("a")]) == [passed(found={"length": 3})]


def test_process_is_deaf_to_the_terminals_interrupt(sandbox: Sandbox) -> None:
    pid = pid_of(sandbox)
    assert os.getpgid(pid) != os.getpgid(0)
    os.kill(pid, signal.SIGINT)
    assert pid_of(sandbox) == pid


def test_process_outlives_the_thread_that_asked_first() -> None:
    with Sandbox(catalogue=CATALOGUE) as own:
        pids: list[int] = []
        asking = threading.Thread(target=lambda: pids.append(pid_of(own)))
        asking.start()
        asking.join()
        time.sleep(0.1)
        assert pids == [pid_of(own)]


def test_closing_ends_the_process_and_settles_what_runs() -> None:
    own = Sandbox(time_s=60, catalogue=CATALOGUE)
    pid = pid_of(own)
    settled: list[list[Check | None]] = []
    asking = threading.Thread(target=lambda: settled.append(own.run([call("loop"), begins("a")])))
    asking.start()
    time.sleep(0.2)
    own.close()
    asking.join(10)
    assert wait_until_dead(pid)
    assert [[check and check.cause for check in row] for row in settled] == [[Cause.NOT_RUN] * 2]
    with pytest.raises(RuntimeError, match="closed"):
        own.run([begins("a")])


_PARENT = """
import sys, time
from ifbench.constraints.running import CheckCall
from ifbench.execution.sandbox import Sandbox
import threading
sandbox = Sandbox(time_s=60, catalogue="planted_checks:constraints")
[found] = sandbox.run([CheckCall(constraint_id="planted:process", params="{}", text="a")])
print(found.reason, flush=True)
hang = CheckCall(constraint_id="planted:pattern", params="{}", text="a")
threading.Thread(target=sandbox.run, args=([hang],), daemon=True).start()
time.sleep(60)
"""


def started(script: str) -> subprocess.Popen[str]:
    """A parent of its own, which finds what these tests find; it prints to its `stdout`."""
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        text=True,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_process_dies_with_its_parent_even_in_a_hanging_check() -> None:
    with started(_PARENT) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        time.sleep(0.2)
        assert is_alive(pid)
        parent.kill()
        parent.wait()
    assert wait_until_dead(pid)


_SUSPENDED = """
from ifbench.constraints.running import CheckCall
from ifbench.execution.sandbox import Sandbox
with Sandbox(time_s=0.15, catalogue="planted_checks:constraints") as sandbox:
    for name in ("process", "pause"):
        [found] = sandbox.run([CheckCall(constraint_id=f"planted:{name}", params="{}", text="a")])
        print(found.reason, found.outcome, flush=True)
"""


def test_check_is_not_blamed_for_the_time_in_which_all_was_suspended() -> None:
    with started(_SUSPENDED) as parent:
        assert parent.stdout is not None
        both = (parent.pid, int(parent.stdout.readline().split()[0]))
        time.sleep(0.05)  # It pauses for 0.3 s, and may take 0.6.
        for pid in both:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(0.7)
        for pid in both:
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.02)
        assert parent.stdout.read().strip() == "pass"


@pytest.mark.parametrize(
    ("catalogue", "words"),
    [
        ("planted_checks:broken_catalogue", "RuntimeError: no constraints today"),
        ("no_such_module:constraints", "ModuleNotFoundError"),
    ],
)
def test_process_that_cannot_start_says_why(catalogue: str, words: str) -> None:
    with Sandbox(catalogue=catalogue) as own:
        with pytest.raises(PrerequisiteError, match=words):
            own.start()
        (found,) = own.run([begins("a")])
        assert found is not None
        assert found.cause is Cause.VERIFIER_ERROR
        assert words in found.reason


def test_literal_that_memory_runs_out_over_is_undecided_and_not_called_too_deep() -> None:
    shallow = CheckCall(
        constraint_id="general:list_constraint", params="{}", text=f"[{'{1},' * 20_000}1]"
    )
    with Sandbox(memory_mb=16) as own:
        (found,) = own.run([shallow])
    assert found is not None
    assert (found.outcome, found.cause) == (Outcome.UNDECIDED, Cause.VERIFIER_ERROR)
    assert "memory bound of 16 MB" in found.reason


def test_real_constraints_are_checked_by_default() -> None:
    with Sandbox() as own:
        own.start()
        (found,) = own.run(
            [CheckCall(constraint_id="general:json_constraint", params="{}", text="{'a': 1}")]
        )
    assert found is not None
    assert found.outcome is Outcome.FAIL


@pytest.mark.parametrize("body", [Path("x"), Outcome.PASS, {"a": [Path("x")]}, print])
def test_frame_holds_no_class(body: object) -> None:
    with pytest.raises(ValueError, match="unmarshallable"):
        pack("result", body)


def test_frames_are_taken_one_by_one_from_a_stream() -> None:
    stream = bytearray()
    taken = []
    for byte in pack("result", ("x", 1)) + pack("ready", None):
        stream.append(byte)
        taken += unpack(stream)
    assert taken == [("result", ("x", 1)), ("ready", None)]
    assert not stream


def test_check_survives_the_way_through_a_frame() -> None:
    check = passed(
        "why",
        evidence=(Evidence(start=1, end=2, text="b"),),
        extracted="b",
        found={"n": 1, "parts": ["x"]},
        requirements=(True, None),
    )
    assert decode_check(encode_check(check)) == check
    assert decode_check(encode_check(None)) is None
