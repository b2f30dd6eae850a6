"""The conditions of a released instruction, read from its words and its active instruction."""

from __future__ import annotations

from ifbench.benchmarks.videoif.taxonomy import CONDITIONAL
from ifbench.benchmarks.videoif.tree import depth, marked_true, parse
from ifbench.errors import DatasetError
from ifbench.types import Tree


def read_tree(instruction: str, active: str, kind: str) -> Tree:
    """The conditions in the words of an instruction, its active one's path made true.

    Raises `DatasetError` with the reason why the words do not say them.
    """
    if not active.strip():
        raise DatasetError("no active instruction tells which branch is to be followed")
    tree = marked_true(parse(instruction), active)
    levels = depth(tree)
    if (kind == "selection") != (levels == 1):
        raise DatasetError(f"{kind} by its type, but {levels} level(s) of conditions by its words")
    return tree


def tree_or_none(instruction: str, active: str, kind: str) -> Tree | None:
    """The conditions, or nothing where there are none or the words do not say them.

    Such a sample is asked and scored like any other; only tables by depth or branch lack it.
    """
    if kind not in CONDITIONAL:
        return None
    try:
        return read_tree(instruction, active, kind)
    except DatasetError:  # `ifbench data check` says it again, with the reason.
        return None
