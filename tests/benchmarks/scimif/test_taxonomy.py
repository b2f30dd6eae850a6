from __future__ import annotations

from collections import Counter

from ifbench.benchmarks.scimif.taxonomy import (
    CATEGORIES,
    CONSTRAINTS,
    DISCIPLINES,
    DOMAINS,
    GROUPS,
    TASKS,
    category_of,
)
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Judged


def test_there_are_42_constraints_in_ten_groups_and_six_domains():
    assert len(CONSTRAINTS) == 42
    assert len(GROUPS) == 10
    assert {row.group for row in CONSTRAINTS.values()} == set(GROUPS)
    assert Counter(row.domain for row in CONSTRAINTS.values()) == {
        "general": 17,
        "chemistry": 7,
        "geography": 5,
        "biology": 5,
        "material": 5,
        "physics": 3,
    }
    assert tuple(dict.fromkeys(row.domain for row in CONSTRAINTS.values())) == DOMAINS


def test_the_groups_have_the_papers_sizes():
    # Counted over Tables 6 to 11.
    assert Counter(row.group for row in CONSTRAINTS.values()) == {
        "unit": 5,
        "method": 5,
        "procedure": 5,
        "terminology": 4,
        "number": 5,
        "format": 11,
        "precision": 2,
        "letter": 2,
        "selection": 2,
        "structure": 1,
    }


def test_six_constraints_are_judged_by_a_model():
    judged = [row.id for row in CONSTRAINTS.values() if row.metric == "judge"]
    assert len(judged) == 6
    assert {CONSTRAINTS[name].group for name in judged} == {"procedure", "number"}


def test_there_are_22_task_types_of_13_sources_with_2527_samples():
    assert len(TASKS) == 22
    assert len({row.source for row in TASKS.values()}) == 13
    assert sum(row.count for row in TASKS.values()) == 2527
    totals = Counter[str]()
    for row in TASKS.values():
        totals[row.discipline] += row.count
    # Table 2.
    assert totals == {
        "chemistry": 518,
        "geography": 523,
        "biology": 493,
        "material": 497,
        "physics": 496,
    }
    assert tuple(totals) == DISCIPLINES
    counts = Counter(row.discipline for row in TASKS.values())
    assert [counts[name] for name in DISCIPLINES] == [8, 4, 3, 4, 3]


def test_the_general_constraints_fall_into_six_categories():
    general = [name for name in CONSTRAINTS if name.startswith("general:")]
    assert sorted(name for members in CATEGORIES.values() for name in members) == sorted(general)
    assert list(CATEGORIES) == ["C1", "C2", "C3", "C4", "C5", "C6"]
    assert category_of("general:judge") == "C3"


def test_the_registered_constraints_agree_with_the_paper():
    ours = {name: c for name, c in all_constraints().items() if c.domain in DOMAINS}
    assert ours, "no SciMIF constraint is registered"
    for name, constraint in ours.items():
        row = CONSTRAINTS[name]
        assert constraint.group == row.group, name
        assert isinstance(constraint.method, Judged) == (row.metric == "judge"), name
        if constraint.domain == "general":
            assert constraint.category == category_of(name), name
