"""The two ablations over Selection instructions, made from their trees (Video-IFBench, 4.3.4).

Both take the *3-condition-plus-else subset*: one level of exactly three conditions and an
*else*, one of the three conditions true. Which of these the paper left out besides is not said;
its printed shares are multiples of 1/69 (branch count) and of 1/51 (position).

What the answer is checked for stays: the true branch leads to the same instruction, whatever
stands beside it. A variant that comes to the original's tree keeps its very words, so that it
is not asked twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from ifbench.benchmarks.records import with_derived_facets
from ifbench.benchmarks.videoif.tree import (
    branch_holds,
    check_tree,
    is_same_tree,
    parse,
    render,
    words_before,
)
from ifbench.errors import DatasetError
from ifbench.types import Branch, Sample, Tree

Variant: TypeAlias = Callable[[Iterable[Sample]], Iterator[Sample]]

CONDITIONS = 3
"""Beside the else branch."""


def branch_count(samples: Iterable[Sample]) -> Iterator[Sample]:
    """Each sample of the subset three times: with two, three and four branches.

    Two are the true one and else; three have the first false one, too; four are all. The order
    of reading is kept. Ids are `ID#2`, `ID#3`, `ID#4`. Samples outside of the subset, and those
    whose branches cannot be put into words again, are left out.
    """
    for sample in samples:
        yield from _variants(sample, "branch_count", _by_count)


def branch_position(samples: Iterable[Sample]) -> Iterator[Sample]:
    """Each sample of the subset three times: the true condition in place 1, 2 and 3.

    The false ones keep their order, and else is last. Ids are `ID@1`, `ID@2`, `ID@3`. Samples
    are left out as by `branch_count`.
    """
    for sample in samples:
        yield from _variants(sample, "branch_position", _by_position)


VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {"branch_count": branch_count, "branch_position": branch_position}
)
"""By the name that `benchmark.variant` takes."""


def is_in_subset(sample: Sample) -> bool:
    """True for one level of three conditions and else, of which a condition is true."""
    if sample.tree is None:
        return False
    *conditions, last = sample.tree.branches
    return (
        len(conditions) == CONDITIONS
        and not last.condition
        and all(isinstance(branch.then, str) for branch in sample.tree.branches)
        and not branch_holds(sample.tree, CONDITIONS)
    )


# ── Which branches ───────────────────────────────────────────────────────────────────


def _by_count(tree: Tree) -> Iterator[tuple[str, tuple[Branch, ...]]]:
    *conditions, last = tree.branches
    first_false = next(branch for branch in conditions if not branch.holds)
    two = tuple(branch for branch in conditions if branch.holds)
    three = tuple(branch for branch in conditions if branch.holds or branch is first_false)
    for kept in (two, three, tuple(conditions)):
        yield f"#{len(kept) + 1}", (*kept, last)


def _by_position(tree: Tree) -> Iterator[tuple[str, tuple[Branch, ...]]]:
    *conditions, last = tree.branches
    taken = next(branch for branch in conditions if branch.holds)
    others = [branch for branch in conditions if not branch.holds]
    for place in range(CONDITIONS):
        yield f"@{place + 1}", (*others[:place], taken, *others[place:], last)


_Branches: TypeAlias = Callable[[Tree], Iterator[tuple[str, tuple[Branch, ...]]]]


def _variants(sample: Sample, name: str, branches: _Branches) -> tuple[Sample, ...]:
    if not is_in_subset(sample):
        return ()
    assert sample.tree is not None
    try:
        return tuple(
            _variant(sample, name, mark, Tree(branches=kept))
            for mark, kept in branches(sample.tree)
        )
    except DatasetError:
        return ()


def _variant(sample: Sample, name: str, mark: str, tree: Tree) -> Sample:
    key = sample.provenance.get("instruction_key", "")
    changed = replace(
        sample,
        id=f"{sample.id}{mark}",
        instruction=in_words(sample, tree),
        tree=tree,
        provenance={
            **sample.provenance,
            **({"instruction_key": f"{key}{mark}"} if key else {}),
            "variant": name,
            "variant_of": sample.id,
        },
    )
    return with_derived_facets(changed)


# ── In words ─────────────────────────────────────────────────────────────────────────


def in_words(sample: Sample, tree: Tree) -> str:
    """The sample's instruction with other branches: what stands before them stays.

    Branches stand a line each, or all on one line where the original has them so. Raises
    `DatasetError` where the words would be read as another tree.
    """
    if sample.tree is not None and is_same_tree(tree, sample.tree):
        return sample.instruction
    check_tree(tree)
    before = words_before(sample.instruction)
    lines = render(tree)
    on_one_line = "\n" not in sample.instruction[len(before) :].strip()
    spellings = (before + _joined(lines), before + lines) if on_one_line else (before + lines,)
    for words in spellings:
        if is_same_tree(parse(words), tree):
            return words
    raise DatasetError(f"sample {sample.id}: other branches cannot be put into its words")


def _joined(lines: str) -> str:
    return re.sub(r"\n(?=Else(?: if |, ))", " ", lines)
