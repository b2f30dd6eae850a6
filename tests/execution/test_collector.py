"""The collector of cycles in a process of its own, for it is a setting of the whole process."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

SCRIPT = """
import gc, weakref
from ifbench.execution.collector import spare_what_is_there

class Node:
    pass

def ring():
    one = Node()
    one.itself = one
    return weakref.ref(one)

before = ring()
spare_what_is_there()
assert before() is None, "cycles that are garbage are collected first"
spared = gc.get_freeze_count()
assert spared > 1000 and gc.get_threshold()[0] > 10_000
kept = [Node() for _ in range(1000)]
spare_what_is_there()
assert gc.get_freeze_count() == spared, "once is enough"
after = ring()
gc.collect()
assert after() is None, "later cycles are collected"
print("fine")
"""


FREED = """
import resource
from pathlib import Path
from ifbench.execution.collector import give_back_memory

import pyarrow  # What it takes by itself is not counted.

def megabytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6

few = megabytes()
whole = [bytes(1000) for _ in range(90_000)]
kept = whole[::500]  # So that no stretch of memory is free to its end.
most = megabytes()
del whole
freed = megabytes()
give_back_memory()
print(most - few, freed - few, megabytes() - few)
"""


def test_what_is_there_is_spared_once_and_later_cycles_are_collected():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.stdout == "fine\n", done.stderr


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="no glibc")
def test_memory_that_was_freed_goes_back_to_the_system():
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    most, freed, left = map(float, done.stdout.split())
    assert most > 80
    assert freed > 60
    assert left < 20
