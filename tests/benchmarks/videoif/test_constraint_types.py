from __future__ import annotations

from collections import Counter

from ifbench.benchmarks.videoif.constraint_types import (
    CATEGORIES,
    RELEASE_ONLY,
    SCRIPTED_BY_RELEASE,
    TYPES,
)
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Scripted


def test_there_are_39_types_of_two_kinds_as_in_table_6():
    assert len(TYPES) == 39
    assert Counter(row.kind for row in TYPES.values()) == {"semantic": 22, "format": 17}


def test_our_nine_categories_part_the_types_and_never_mix_kinds():
    assert Counter(row.category for row in TYPES.values()) == {
        "temporal": 7,
        "spatial": 3,
        "entity": 5,
        "action": 3,
        "speech": 4,
        "layout": 6,
        "value": 3,
        "wording": 4,
        "language": 4,
    }
    assert tuple(dict.fromkeys(row.category for row in TYPES.values())) == CATEGORIES
    assert len({(row.category, row.kind) for row in TYPES.values()}) == 9


def test_each_type_has_a_constraint_in_the_module_of_its_category():
    for row in TYPES.values():
        assert all_constraints()[row.id].group == row.category


def test_what_the_release_scripts_is_scripted():
    assert len(SCRIPTED_BY_RELEASE) == 10
    assert set(TYPES) > SCRIPTED_BY_RELEASE
    for name in (*SCRIPTED_BY_RELEASE, RELEASE_ONLY):
        assert isinstance(all_constraints()[name].method, Scripted)
