from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from ifbench.benchmarks.scimif.sources.compatibility import (
    Offer,
    clash,
    clashes,
    compatible,
    select,
)
from ifbench.benchmarks.scimif.sources.source import AnswerKind, Seed
from ifbench.benchmarks.scimif.taxonomy import CATEGORIES, category_of

GENERAL = [name.removeprefix("general:") for members in CATEGORIES.values() for name in members]


def make_seed(answer, reference, answer_name="answer"):
    return Seed(
        id="1",
        question="?",
        reference=reference,
        answer=answer,
        answer_name=answer_name,
        task_type="t",
        discipline="biology",
        source="s",
    )


def names(seed):
    return {offer.constraint_id.removeprefix("general:") for offer in compatible(seed)}


YES = make_seed(AnswerKind.YES_NO, "Yes")
GAP = make_seed(AnswerKind.NUMBER, 1.0727, "band_gap")
ZERO = make_seed(AnswerKind.NUMBER, 0.0, "band_gap")
ONE_NAME = make_seed(AnswerKind.NAMES, ["BPA"], "entities")
THREE_NAMES = make_seed(AnswerKind.NAMES, ["arsenic", "urea", "tin"], "entities")
RELATION = make_seed(AnswerKind.RELATIONS, ["(NO, hypertension)"], "relations")
SEEDS = [YES, GAP, ZERO, ONE_NAME, THREE_NAMES, RELATION]


@pytest.mark.parametrize(
    ("seed", "fits", "fits_not"),
    [
        (YES, "judge choose_from all_uppercase all_lowercase wrap_up response_structure",
         "decimal_number scientific_annotation number_response csv_constraint tuple_constraint"),
        (GAP, "decimal_number scientific_annotation csv_constraint wrap_up response_structure",
         "judge choose_from all_uppercase all_lowercase number_response tuple_constraint"),
        (ZERO, "decimal_number", "scientific_annotation"),
        (ONE_NAME, "list_constraint", "tuple_constraint all_lowercase number_response judge"),
        (THREE_NAMES, "number_response all_lowercase tuple_constraint", "csv_constraint judge"),
        (RELATION, "list_constraint", "all_lowercase all_uppercase csv_constraint"),
    ],
)  # fmt: skip
def test_a_constraint_is_offered_where_the_reference_stays_sufficient(seed, fits, fits_not):
    assert set(fits.split()) <= names(seed)
    assert not set(fits_not.split()) & names(seed)


@pytest.mark.parametrize(
    ("value", "places"),
    [
        (1.0727, [1, 2, 3, 4]),
        (0.0026, [4]),
        (0.0, [1, 2, 3, 4]),
        (0.00002, []),
        (-2.375, [1, 2, 3, 4]),
    ],
)
def test_decimal_places_keep_the_reference_within_five_percent(value, places):
    offers = compatible(make_seed(AnswerKind.NUMBER, value))
    found = [o.params["places"] for o in offers if o.constraint_id == "general:decimal_number"]
    assert found == places


def test_the_number_of_responses_is_that_of_the_reference():
    (offer,) = [o for o in compatible(THREE_NAMES) if o.constraint_id == "general:number_response"]
    assert offer.params == {"n": 3}


@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_too_few_or_too_many_items_are_not_counted(count):
    seed = make_seed(AnswerKind.NAMES, [f"n{i}" for i in range(count)])
    assert "number_response" not in names(seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", range(40))
def test_a_selection_has_one_of_a_category_and_no_clash(seed, number):
    chosen = select(compatible(seed), 3, Random(number))
    ids = [offer.constraint_id for offer in chosen]
    categories = [category_of(name) for name in ids]
    assert 1 <= len(ids) <= 3
    assert len(set(categories)) == len(categories)
    assert not [clash(a, b) for a in ids for b in ids if clash(a, b)]


def test_a_selection_repeats_under_one_seed_and_not_under_all():
    offers = compatible(GAP)
    assert select(offers, 3, Random(1)) == select(offers, 3, Random(1))
    assert len({select(offers, 3, Random(n))[0].constraint_id for n in range(30)}) > 3


def test_many_parameter_sets_give_a_constraint_no_more_weight():
    offers = [Offer(constraint_id="general:judge")] + [
        Offer(constraint_id="general:choose_from", params={"options": [str(i), "x"]})
        for i in range(50)
    ]
    counts = Counter(select(offers, 1, Random(n))[0].constraint_id for n in range(400))
    assert 140 < counts["general:judge"] < 260


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("json_constraint", "wrap_up"),
        ("json_constraint", "response_structure"),
        ("judge", "response_structure"),
        ("judge", "markdown_constraint"),
        ("choose_from", "all_uppercase"),
        ("all_lowercase", "response_structure"),
        ("number_response", "response_structure"),
    ],
)
def test_contradictions_clash_both_ways(one, other):
    assert clash(f"general:{one}", f"general:{other}")
    assert clash(f"general:{other}", f"general:{one}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("decimal_number", "json_constraint"),
        ("decimal_number", "wrap_up"),
        ("all_lowercase", "json_constraint"),
        ("judge", "all_uppercase"),
        ("all_uppercase", "wrap_up"),  # The check reads a LaTeX command as markup.
        ("number_response", "list_constraint"),
        ("markdown_constraint", "wrap_up"),
    ],
)
def test_what_one_answer_can_obey_does_not_clash(one, other):
    assert not clash(f"general:{one}", f"general:{other}")


def test_the_table_names_constraints_that_exist_and_gives_reasons():
    for one, other, reason in clashes():
        assert one in GENERAL
        assert other in GENERAL
        assert reason
