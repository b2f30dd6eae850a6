"""Which servers stand side by side, and who waits for whom."""

from __future__ import annotations

import pytest

from ifbench.errors import PrerequisiteError
from ifbench.execution.placement import candidate_groups

GROUPS = [
    # candidates, standing, needs, gpus, groups
    ("ab", "", {}, 0, ["ab"]),
    ("ab", "", {"a": 1, "b": 1}, 2, ["ab"]),
    ("ab", "", {"a": 1, "b": 1}, 1, ["a", "b"]),
    ("abc", "", {"a": 1, "c": 1}, 1, ["ab", "c"]),
    ("abc", "", {"b": 2, "c": 2}, 2, ["ab", "c"]),
    ("bac", "", {"b": 2, "c": 2}, 2, ["ba", "c"]),
    # Nobody overtakes: `c` would fit beside `a`.
    ("abc", "", {"a": 3, "b": 2, "c": 1}, 4, ["a", "bc"]),
    ("abcdefghij", "", dict.fromkeys("abcdefghij", 1), 8, ["abcdefgh", "ij"]),
    ("ab", "j", {"a": 4, "b": 4, "j": 4}, 8, ["a", "b"]),
    ("ab", "j", {"a": 2, "b": 2, "j": 4}, 8, ["ab"]),
    # A judge that is a candidate as well stands to the end.
    ("ab", "a", {"a": 4, "b": 4}, 8, ["ab"]),
    ("ab", "aa", {"a": 4, "b": 4}, 8, ["ab"]),
    ("a", "j", {"j": 0}, 0, ["a"]),
]


@pytest.mark.parametrize(("candidates", "standing", "needs", "gpus", "groups"), GROUPS)
def test_candidates_are_grouped_by_the_gpus_there_are(candidates, standing, needs, gpus, groups):
    found = candidate_groups(candidates, standing, needs, gpus)
    assert ["".join(group) for group in found] == groups


IMPOSSIBLE = [
    ("a", "", {"a": 2}, 1, "server of a takes 2 GPUs; there are 1"),
    ("a", "j", {"a": 8, "j": 8}, 8, r"of which j keeps 8 to the end.*judge=null"),
    ("a", "jg", {"j": 4, "g": 8}, 8, "servers of j, g take 12 GPUs together; there are 8"),
]


@pytest.mark.parametrize(("candidates", "standing", "needs", "gpus", "message"), IMPOSSIBLE)
def test_a_server_that_can_never_be_placed_is_named(candidates, standing, needs, gpus, message):
    with pytest.raises(PrerequisiteError, match=message):
        candidate_groups(candidates, standing, needs, gpus)
