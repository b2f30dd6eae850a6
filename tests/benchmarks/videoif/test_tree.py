"""Conditional instructions: words and tree give each other back, and one path is true."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ifbench.benchmarks.videoif.tree import (
    check_tree,
    depth,
    marked_true,
    parse,
    paths,
    render,
    tree_facets,
    tree_from_json,
    tree_to_json,
    true_path,
)
from ifbench.errors import DatasetError
from ifbench.types import Branch, Tree

SELECTION = Tree(
    branches=(
        Branch(condition="the lamp is on", then="Count the cups."),
        Branch(condition="a cat, not a dog, runs", holds=True, then="List all. If none, say so."),
        Branch(condition="", then="Name the room."),
    )
)
NESTED = Tree(
    branches=(
        Branch(
            condition="the door opens",
            holds=True,
            then=Tree(
                branches=(
                    Branch(condition="a man enters", then="Describe the man."),
                    Branch(condition="", then="Describe the door."),
                )
            ),
        ),
        Branch(condition="", then="Say nothing happens."),
    )
)


def test_a_selection_reads_as_one_line_for_each_branch() -> None:
    assert render(SELECTION) == (
        "If the lamp is on, then Count the cups.\n"
        "Else if a cat, not a dog, runs, then List all. If none, say so.\n"
        "Else, Name the room."
    )


def test_a_nested_instruction_has_a_dash_for_each_level() -> None:
    assert render(NESTED) == (
        "- If the door opens, then\n"
        "- - If a man enters, then Describe the man.\n"
        "- - Else, Describe the door.\n"
        "- Else, Say nothing happens."
    )


def test_the_true_path_is_the_one_on_which_all_holds() -> None:
    assert true_path(SELECTION).positions == (1,)
    assert true_path(NESTED).positions == (0, 1)
    assert true_path(NESTED).instruction == "Describe the door."
    assert [path.holds for path in paths(NESTED)] == [False, True, False]


def test_facets_of_trees() -> None:
    assert tree_facets(SELECTION) == {"n_branches": "3", "branch_position": "2"}
    assert tree_facets(NESTED) == {"depth": "2"}
    assert depth(SELECTION) == 1


@pytest.mark.parametrize(
    "words",
    [
        "If A, then do X. Else if B, then do Y. Else, do Z.",
        "If A, then do X.\nOtherwise if B, then do Y.\nOtherwise, do Z.",
        "if A, then do X. else if B then do Y. else: do Z.",
        "If A, then do X.\n\nElse, if B, then do Y.\n\nElse, do Z.",
    ],
)
def test_a_selection_is_read_in_each_usual_form(words: str) -> None:
    read = parse(words)
    assert [branch.condition for branch in read.branches] == ["A", "B", ""]
    assert [str(branch.then).rstrip(".") for branch in read.branches] == ["do X", "do Y", "do Z"]


def test_levels_are_read_with_and_without_blanks_between_dashes() -> None:
    words = "-If A, then\n--If B, then do X.\n--Else, do Y.\n-Else, do Z."
    assert render(parse_true(words, "do Y.")) == (
        "- If A, then\n- - If B, then do X.\n- - Else, do Y.\n- Else, do Z."
    )


def parse_true(words: str, instruction: str) -> Tree:
    return marked_true(parse(words), instruction)


def test_the_active_instruction_marks_the_true_path() -> None:
    bare = parse(render(NESTED))
    assert marked_true(bare, "describe the  door") == NESTED
    assert marked_true(parse(render(SELECTION)), "List all. If none, say so.") == SELECTION


@pytest.mark.parametrize(
    ("instruction", "found"), [("Describe the window.", "0"), ("Same.", "2 branches")]
)
def test_an_active_instruction_must_stand_on_one_branch(instruction: str, found: str) -> None:
    tree = parse("If A, then Same. Else if B, then Same. Else, Other.")
    with pytest.raises(DatasetError, match=found):
        marked_true(tree, instruction)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("Describe the door.", "no condition"),
        ("If A, describe the door. Else, do nothing.", "no `then`"),
        ("If A, then do X.", "fewer than two"),
        ("- If A, then\n- - If B, then do X.", "fewer than two"),
        ("- If A, then do X.\n- - Else, do Y.", "both words and branches"),
        ("- If A, then do X.\n- If B, then do Y.", "begins with `If`"),
        ("Else, do X. Else, do Y.", "begins with `If`"),
        ("- - If A, then do X.\n- - Else, do Y.\n- Else, do Z.", "outside of the tree"),
        ("If A, then do X. Else, do Y. Else if B, then do Z.", "before another"),
        ("- " * 70 + "If A, then do X.", "more than 64 levels"),
    ],
)
def test_words_that_are_no_tree_are_refused_with_the_reason(words: str, says: str) -> None:
    with pytest.raises(DatasetError, match=says):
        parse(words)


@pytest.mark.parametrize(
    ("tree", "says"),
    [
        (Tree(branches=()), "fewer than two"),
        (
            Tree(branches=(Branch(condition="a", then="x"), Branch(condition="b", then="y"))),
            "exactly one path of the tree must be true, found 0",
        ),
        (
            Tree(
                branches=(
                    Branch(condition="a", holds=True, then="x"),
                    Branch(condition="b", holds=True, then="y"),
                )
            ),
            "found 2",
        ),
        (
            Tree(branches=(Branch(condition="", then="x"), Branch(condition="b", then="y"))),
            "stands before another",
        ),
        (
            Tree(
                branches=(
                    Branch(condition="a", holds=True, then=" "),
                    Branch(condition="", then="y"),
                )
            ),
            "no instruction",
        ),
    ],
)
def test_a_tree_without_one_true_path_is_refused(tree: Tree, says: str) -> None:
    with pytest.raises(DatasetError, match=says):
        check_tree(tree)


@pytest.mark.parametrize(
    "branch",
    [
        Branch(condition="a, then b", holds=True, then="x"),
        Branch(condition="a", holds=True, then="do x. Else, do z."),
        Branch(condition="a", holds=True, then="do x.\nElse, do z."),
    ],
)
def test_words_that_would_be_read_as_another_tree_are_not_rendered(branch: Branch) -> None:
    tree = Tree(branches=(branch, Branch(condition="", then="do y.")))
    with pytest.raises(DatasetError, match=r"split|before another|begins with"):
        render(tree)


_WORDS = st.lists(
    st.sampled_from(
        ["red", "lamp", "opens,", "cat.", "runs;", "is", "not", "3", "and", "if", "else"]
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


def _trees(levels: int) -> st.SearchStrategy[Tree]:
    leaf = _WORDS.map(lambda words: f"say {words}")
    then = leaf if levels == 1 else st.one_of(leaf, _trees(levels - 1))
    condition = _WORDS.map(lambda words: f"the {words}")
    branches = st.lists(st.builds(Branch, condition=condition, then=then), min_size=1, max_size=3)
    last = st.builds(Branch, condition=st.just(""), then=then)
    return st.builds(lambda many, one: Tree(branches=(*many, one)), branches, last)


@given(_trees(3), st.data())
def test_words_and_json_give_the_tree_back(bare: Tree, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(list(paths(bare))))
    tree = _with_truth(bare, path.positions)
    assert tree_from_json(tree_to_json(tree)) == tree
    try:
        words = render(tree)
    except DatasetError:  # Words that split it; the cases above show which.
        assume(False)
    assert [p.instruction for p in paths(parse(words))] == [p.instruction for p in paths(tree)]
    if [p.instruction for p in paths(tree)].count(path.instruction) == 1:
        assert true_path(marked_true(parse(words), path.instruction)).positions == path.positions


def _with_truth(tree: Tree, positions: tuple[int, ...]) -> Tree:
    taken, *rest = positions
    branches = [
        Branch(
            condition=branch.condition,
            holds=bool(branch.condition) and index == taken,
            then=_with_truth(branch.then, tuple(rest))
            if index == taken and isinstance(branch.then, Tree)
            else branch.then,
        )
        for index, branch in enumerate(tree.branches)
    ]
    return Tree(branches=tuple(branches))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([], "branches"),
        ({"branches": "x"}, "branches"),
        ({"branches": [{"if": "a"}, {"else": "y"}]}, "`if`, `holds` and `then`"),
        ({"branches": [{"if": "a", "holds": 1, "then": "x"}, {"else": "y"}]}, "true or false"),
        ({"branches": [{"if": "", "holds": True, "then": "x"}, {"else": "y"}]}, "is a text"),
        ({"branches": [{"if": "a", "holds": True, "then": 3}, {"else": "y"}]}, "branches"),
    ],
)
def test_json_that_is_no_tree_is_refused_with_what_was_found(value: object, says: str) -> None:
    with pytest.raises(DatasetError, match=says):
        tree_from_json(value)
