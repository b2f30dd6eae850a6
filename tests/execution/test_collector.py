"""The collector of cycles in a process of its own, for it is a setting of the whole process."""

from __future__ import annotations

import subprocess
import sys

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


def test_what_is_there_is_spared_once_and_later_cycles_are_collected():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.stdout == "fine\n", done.stderr
