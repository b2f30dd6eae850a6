"""Conditional instructions as trees: built, put into words, and read back from words.

A Selection has one level of conditions, a Nested instruction several (Video-IFBench, section
3.1). Exactly one path is true: the one on which every condition holds. Words and tree stand for
each other: `render` refuses a tree that its own words would not give back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ifbench.errors import DatasetError
from ifbench.types import Branch, Tree

MAX_DEPTH = 64
"""Levels that are read; the deepest instruction of the paper has 15."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """From the root to one instruction."""

    positions: tuple[int, ...]
    """Which branch is taken on each level, from 0."""
    holds: bool
    """Whether every condition on the way is true."""
    instruction: str


# ── What a tree says ─────────────────────────────────────────────────────────────────


def paths(tree: Tree) -> Iterator[Path]:
    """Every path from the root to an instruction, in the order of reading."""
    yield from _paths(tree, (), holds=True)


def _paths(tree: Tree, before: tuple[int, ...], *, holds: bool) -> Iterator[Path]:
    for position, branch in enumerate(tree.branches):
        positions = (*before, position)
        is_true = holds and branch_holds(tree, position)
        if isinstance(branch.then, Tree):
            yield from _paths(branch.then, positions, holds=is_true)
        else:
            yield Path(positions=positions, holds=is_true, instruction=branch.then)


def branch_holds(tree: Tree, position: int) -> bool:
    """Whether a branch is the one to take; *else* is, where no condition beside it holds."""
    branch = tree.branches[position]
    if branch.condition:
        return branch.holds
    return not any(other.holds for other in tree.branches if other.condition)


def true_path(tree: Tree) -> Path:
    """The one path to be followed. Raises `DatasetError` unless there is exactly one."""
    found = [path for path in paths(tree) if path.holds]
    if len(found) != 1:
        raise DatasetError(f"exactly one path of the tree must be true, found {len(found)}")
    return found[0]


def depth(tree: Tree) -> int:
    """Levels of conditions on the longest path; 1 for a Selection."""
    return 1 + max(
        depth(branch.then) if isinstance(branch.then, Tree) else 0 for branch in tree.branches
    )


def tree_facets(tree: Tree) -> Mapping[str, str]:
    """What tables group conditional instructions by: the depth of a Nested one; of a Selection
    how many branches it has, and which of them, from 1, is to be taken.
    """
    levels = depth(tree)
    if levels > 1:
        return {"depth": str(levels)}
    taken = true_path(tree).positions[0]
    return {"n_branches": str(len(tree.branches)), "branch_position": str(taken + 1)}


def check_tree(tree: Tree) -> None:
    """Raise `DatasetError` for a tree that is no instruction, or has no one true path."""
    _check_shape(tree, level=1)
    true_path(tree)


def _check_shape(tree: Tree, level: int) -> None:
    if level > MAX_DEPTH:
        raise DatasetError(f"the tree has more than {MAX_DEPTH} levels")
    if len(tree.branches) < 2:
        raise DatasetError("a place in the tree has fewer than two branches")
    for position, branch in enumerate(tree.branches):
        is_else = not branch.condition
        if is_else and position != len(tree.branches) - 1:
            raise DatasetError("a branch without a condition (else) stands before another")
        if is_else and branch.holds:
            raise DatasetError("whether else holds follows from the conditions beside it")
        if isinstance(branch.then, Tree):
            _check_shape(branch.then, level + 1)
        elif not branch.then.strip():
            raise DatasetError("a branch leads to no instruction")


# ── In words ─────────────────────────────────────────────────────────────────────────


def render(tree: Tree) -> str:
    """The instruction in words, a branch a line.

    One level reads "If A, then X" / "Else if B, then Y" / "Else, Z"; deeper trees begin each
    line with a dash for each level. Raises `DatasetError` for a tree whose words would be read
    as another one.
    """
    check_tree(tree)
    nested = depth(tree) > 1
    words = "\n".join(_lines(tree, 1 if nested else 0))
    if not is_same_tree(parse(words), tree):
        raise DatasetError(f"a condition or an instruction has words that split it: {words!r}")
    return words


def _lines(tree: Tree, level: int) -> Iterator[str]:
    dashes = "- " * level
    for position, branch in enumerate(tree.branches):
        opening = "If" if position == 0 else "Else if"
        head = f"{opening} {branch.condition}, then" if branch.condition else "Else,"
        if isinstance(branch.then, Tree):
            yield f"{dashes}{head}"
            yield from _lines(branch.then, level + 1)
        else:
            yield f"{dashes}{head} {branch.then}"


def is_same_tree(one: Tree, other: Tree) -> bool:
    """Whether two trees read alike, whatever is true in them."""
    return _bare(one) == _bare(other)


def _bare(tree: Tree) -> Tree:
    """The tree as far as its words say it: truth is not among them."""
    return Tree(
        branches=tuple(
            replace(
                branch,
                holds=False,
                then=_bare(branch.then) if isinstance(branch.then, Tree) else branch.then,
            )
            for branch in tree.branches
        )
    )


# ── From words ───────────────────────────────────────────────────────────────────────

_OPENING = re.compile(
    r"(?:^[ \t]*(?P<dashes>(?:-[ \t]*)*)|(?<=[.!?;])[ \t]+)"
    r"(?:(?P<if>(?:else|otherwise),?[ \t]+if|if)[ \t]+|(?P<else>(?:else|otherwise)[ \t]*[,:][ \t]*))",
    re.IGNORECASE | re.MULTILINE,
)
_THEN = re.compile(r",?[ \t]*\bthen\b[ \t]*[,:]?[ \t]*", re.IGNORECASE)
_COMMA_THEN = re.compile(r",[ \t]*then\b[ \t]*[,:]?[ \t]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    level: int
    is_first: bool
    """Opens a set of branches ("If"); the others go on with one."""
    condition: str
    words: str


def parse(text: str) -> Tree:
    """The tree behind an instruction in words; no condition is taken to hold.

    Reads one branch a line or a sentence, and a dash for each level. Raises `DatasetError`
    for words that are no conditional instruction.
    """
    clauses = list(_clauses(text))
    if not clauses:
        raise DatasetError("no condition is found in the instruction")
    if clauses[0].level > MAX_DEPTH:
        raise DatasetError(f"the instruction has more than {MAX_DEPTH} levels")
    tree, end = _tree(clauses, 0, clauses[0].level)
    if end != len(clauses):
        raise DatasetError(f"a branch stands outside of the tree: {clauses[end].words[:80]!r}")
    _check_shape(tree, level=1)
    return tree


def _clauses(text: str) -> Iterator[_Clause]:
    found = _openings(text)
    for index, match in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(text)
        body = text[match.end() : end].strip()
        level = (match["dashes"] or "").count("-")
        if match["else"] is not None:
            yield _Clause(level=level, is_first=False, condition="", words=body)
            continue
        then = _COMMA_THEN.search(body) or _THEN.search(body)
        if then is None:
            raise DatasetError(f"a condition has no `then`: {body[:80]!r}")
        yield _Clause(
            level=level,
            is_first=match["if"].lower() == "if",
            condition=body[: then.start()].strip(),
            words=body[then.end() :].strip(),
        )


def words_before(text: str) -> str:
    """What stands before the first branch, its blanks included; empty where there is none."""
    found = _openings(text)
    if not found:
        return ""
    start = found[0].start()
    while start < len(text) and text[start] in " \t":
        start += 1
    return text[:start]


def _openings(text: str) -> list[re.Match[str]]:
    """Where branches begin. Without dashes there is one level, and a further "If" in the midst
    of it is part of an instruction.
    """
    found = list(_OPENING.finditer(text))
    has_levels = any(match["dashes"] for match in found)
    if has_levels:
        return [match for match in found if match["dashes"]]
    return [m for i, m in enumerate(found) if i == 0 or m["else"] or m["if"].lower() != "if"]


def _tree(clauses: list[_Clause], start: int, level: int) -> tuple[Tree, int]:
    branches: list[Branch] = []
    at = start
    while at < len(clauses) and clauses[at].level == level:
        clause = clauses[at]
        if clause.is_first != (not branches):
            raise DatasetError(
                f"a set of branches begins with `If` and goes on with `Else`: "
                f"{(clause.condition or clause.words)[:80]!r}"
            )
        at += 1
        then: Tree | str = clause.words
        if at < len(clauses) and clauses[at].level > level:
            if clause.words:
                raise DatasetError(f"a branch has both words and branches: {clause.words[:80]!r}")
            if level + 1 > MAX_DEPTH:
                raise DatasetError(f"the instruction has more than {MAX_DEPTH} levels")
            then, at = _tree(clauses, at, clauses[at].level)
        branches.append(Branch(condition=clause.condition, then=then))
    return Tree(branches=tuple(branches)), at


def marked_true(tree: Tree, instruction: str) -> Tree:
    """The tree with the one path made true that leads to an instruction.

    The release names the instruction that is to be carried out, not the conditions that hold.
    Raises `DatasetError` unless exactly one path leads to it (`is_same_instruction`).
    """
    found = [path for path in paths(tree) if is_same_instruction(path.instruction, instruction)]
    if len(found) != 1:
        raise DatasetError(
            f"the active instruction stands on {len(found)} branches of the tree, 1 is expected"
        )
    return _made_true(tree, found[0].positions)


def _made_true(tree: Tree, positions: tuple[int, ...]) -> Tree:
    taken, *rest = positions
    branches = list(tree.branches)
    branch = branches[taken]
    then = _made_true(branch.then, tuple(rest)) if isinstance(branch.then, Tree) else branch.then
    branches[taken] = replace(branch, holds=bool(branch.condition), then=then)
    return Tree(branches=tuple(branches))


def is_same_instruction(one: str, other: str) -> bool:
    """Whether two texts ask for one thing in one way: case, blanks and the last full stop aside."""
    return _plain(one) == _plain(other)


def _plain(words: str) -> str:
    return " ".join(words.split()).rstrip(".").casefold()


# ── As JSON ──────────────────────────────────────────────────────────────────────────


def tree_to_json(tree: Tree) -> dict[str, Any]:
    """A tree as it stands in a record: a list of branches, each with `if` or `else`."""
    return {"branches": [_branch_to_json(branch) for branch in tree.branches]}


def _branch_to_json(branch: Branch) -> dict[str, Any]:
    then = tree_to_json(branch.then) if isinstance(branch.then, Tree) else branch.then
    if not branch.condition:
        return {"else": then}
    return {"if": branch.condition, "holds": branch.holds, "then": then}


def tree_from_json(value: Any, level: int = 1) -> Tree:
    """The tree in a record. Raises `DatasetError` that says what was found and expected."""
    if level > MAX_DEPTH:
        raise DatasetError(f"the tree has more than {MAX_DEPTH} levels")
    branches = value.get("branches") if isinstance(value, Mapping) else None
    if not isinstance(branches, list) or set(value) != {"branches"}:
        raise DatasetError(f'`{{"branches": […]}}` is expected, found {str(value)[:80]}')
    tree = Tree(branches=tuple(_branch_from_json(branch, level) for branch in branches))
    if level == 1:
        check_tree(tree)
    return tree


def _branch_from_json(value: Any, level: int) -> Branch:
    keys = set(value) if isinstance(value, Mapping) else set()
    if keys == {"else"}:
        return Branch(condition="", then=_then_from_json(value["else"], level))
    if keys != {"if", "holds", "then"}:
        raise DatasetError(
            f"a branch has `if`, `holds` and `then`, or `else` alone; found {str(value)[:80]}"
        )
    condition, holds = value["if"], value["holds"]
    if not isinstance(condition, str) or not condition.strip() or not isinstance(holds, bool):
        raise DatasetError(f"`if` is a text and `holds` is true or false; found {str(value)[:80]}")
    return Branch(condition=condition, holds=holds, then=_then_from_json(value["then"], level))


def _then_from_json(value: Any, level: int) -> Tree | str:
    return value if isinstance(value, str) else tree_from_json(value, level + 1)
