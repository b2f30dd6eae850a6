"""Writers die and disks fill up; what was acknowledged is found all the same."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from store_values import answer, answers, key_of

from ifbench.errors import StoreError
from ifbench.store import open_store
from ifbench.store.compaction import compact
from ifbench.store.journal import Journal

SET_UP = f"""
import sys
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(Path(__file__).parents[1])!r}]
from store_values import answer, answers, key_of, make_score
from ifbench.errors import StoreError
from ifbench.store import open_store, read_scores
from ifbench.store.compaction import compact
from ifbench.store.journal import Journal
"""


def start(store: Path, code: str, *arguments: str) -> subprocess.Popen[str]:
    """A child that runs `code` with a journal of the store; `argv` begins with the store."""
    return subprocess.Popen(
        [sys.executable, "-c", SET_UP + textwrap.dedent(code), str(store), *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )


WRITE_FOR_EVER = """
    from concurrent.futures import ThreadPoolExecutor
    import itertools, os
    journal = Journal(sys.argv[1])
    numbers = itertools.count()
    def work(_):
        while True:
            number = f"{sys.argv[2]}-{next(numbers)}"
            journal.append([answer(number, "x" * 500)])
            os.write(1, f"{number}\\n".encode())
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
"""


def test_what_was_acknowledged_before_a_kill_is_found(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    for turn in range(4):
        with start(tmp_path, WRITE_FOR_EVER, str(turn)) as child:
            assert child.stdout is not None
            lines = [child.stdout.readline() for _ in range(20 + 37 * turn)]
            child.send_signal(signal.SIGKILL)
            lines += child.stdout.readlines()
        # The last line may be cut off by the kill.
        acknowledged += [line.strip() for line in lines if line.endswith("\n")]
    found = Journal(str(tmp_path)).lookup(map(key_of, acknowledged))
    assert found == {key_of(n): answer(n, "x" * 500) for n in acknowledged}
    assert len(acknowledged) > 200


def test_four_processes_write_at_once_while_another_reads(tmp_path: Path) -> None:
    code = """
        with Journal(sys.argv[1]) as journal:
            for number in range(30):
                journal.append(answers(f"{sys.argv[2]}-{number}", f"shared-{number}"))
    """
    children = [start(tmp_path, code, str(writer)) for writer in range(4)]
    reader = Journal(str(tmp_path))
    seen = 0
    while any(child.poll() is None for child in children):
        reader.refresh()
        assert len(reader) >= seen
        seen = len(reader)
        time.sleep(0.05)
    for child in children:
        with child:
            assert child.wait() == 0
    reader.refresh()
    own = [f"{writer}-{number}" for writer in range(4) for number in range(30)]
    names = own + [f"shared-{number}" for number in range(30)]
    assert reader.lookup(map(key_of, names)) == {key_of(n): answer(n) for n in names}
    assert len(reader) == 240


def test_what_is_queued_at_the_end_of_the_interpreter_is_written(tmp_path: Path) -> None:
    code = """
        journal = Journal(sys.argv[1])
        for number in range(100):
            journal.append_soon(answer(number))
    """
    with start(tmp_path, code) as child:
        assert child.wait(60) == 0
    assert len(Journal(str(tmp_path))) == 100


def test_a_full_disk_fails_that_append_and_all_later_ones(tmp_path: Path) -> None:
    code = """
        import resource, signal
        from ifbench.errors import StoreError
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        journal = Journal(sys.argv[1])
        journal.append(answers(1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        for number in (2, 3):
            try:
                journal.append([answer(number, "x" * 200_000)])
            except StoreError as error:
                print(error)
        futures = []
        try:
            journal.append_soon(answer(4)).result()
        except StoreError as error:
            print(error)
        print(sorted(journal.lookup([key_of(n) for n in range(9)])) == [key_of(1)])
    """
    with start(tmp_path, code) as child:
        lines, _ = child.communicate(timeout=60)
    *errors, last = lines.splitlines()
    assert len(errors) == 3
    assert all("can no longer be stored" in error and "mend the disk" in error for error in errors)
    assert last == "True"
    assert set(Journal(str(tmp_path)).lookup(map(key_of, range(9)))) == {key_of(1)}


def test_what_a_full_disk_did_not_take_is_set_aside_and_taken_in_at_the_next_start(
    tmp_path: Path,
) -> None:
    code = """
        import resource
        from ifbench.store import open_store
        journal = open_store(sys.argv[1]).journal
        journal.append([answer(1, "x" * 90_000)])
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        for number in (2, 3):
            try:
                journal.append([answer(number, "x" * 20_000)])
            except StoreError as error:
                print(error)
    """
    with start(tmp_path, code) as child:
        lines, _ = child.communicate(timeout=60)
    assert lines.count("are kept in") == 2
    wanted = {key_of(number) for number in (1, 2, 3)}
    assert Journal(str(tmp_path)).stored(wanted) == {key_of(1)}
    assert set(open_store(str(tmp_path)).journal.lookup(wanted)) == wanted
    assert compact(str(tmp_path)).rows == 3
    assert open_store(str(tmp_path)).journal.stored(wanted) == wanted


def test_a_forked_child_writes_a_file_of_its_own(tmp_path: Path) -> None:
    code = """
        import os
        journal = Journal(sys.argv[1])
        journal.append(answers("parent"))
        if os.fork() == 0:
            found = journal.lookup([key_of("parent")])
            journal.append(answers("child"))
            journal.close()
            os._exit(len(found) - 1)
        assert os.wait()[1] == 0
        journal.append(answers("parent again"))
        journal.refresh()
        assert len(journal) == 3
        journal.close()
    """
    with start(tmp_path, code) as child:
        assert child.wait(60) == 0
    assert len(list((tmp_path / "responses" / "journal").iterdir())) == 2
    assert len(Journal(str(tmp_path))) == 3


def test_a_store_that_cannot_be_read_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "responses").mkdir()
    (tmp_path / "responses" / "journal").write_text("in the way")
    with pytest.raises(StoreError, match="the store cannot be read"):
        Journal(str(tmp_path))


def test_a_store_works_without_pandas_which_takes_long_to_import(tmp_path: Path) -> None:
    with Journal(str(tmp_path)) as journal:
        journal.append(answers("in a part"))
    compact(str(tmp_path))
    code = """
        with Journal(sys.argv[1]) as journal:
            journal.append(answers(1, 2, 3))
            found = journal.lookup(map(key_of, (1, 3, "in a part")))
        with open_store(sys.argv[1]).results("run", "sha") as results:
            results.add(make_score(), ())
            results.commit()
        assert len(read_scores(sys.argv[1], "run")) == 1
        sys.exit(len(found) != 3 or "pandas" in sys.modules)
    """
    with start(tmp_path, code) as child:
        assert child.wait(60) == 0
