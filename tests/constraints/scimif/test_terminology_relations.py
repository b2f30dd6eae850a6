import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide
from ifbench.constraints.scimif.terminology_relations import RelationParams, entity_relationships
from ifbench.types import Outcome

TWO = ("chemical", "disease")


def check(text, **params):
    return decide(entity_relationships, text, RelationParams(**params))


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("(aspirin, inhibits, COX-1)", {}, Outcome.PASS),
        ("(aspirin, COX-1)", {}, Outcome.FAIL),
        ("(lithium, polyuria)", {"slots": TWO}, Outcome.PASS),
        ("(lithium, polyuria), (midazolam, )", {"slots": TWO}, Outcome.FAIL),
        ("(lithium, polyuria, tremor)", {"slots": TWO}, Outcome.FAIL),
        ("lithium, polyuria", {"slots": TWO}, Outcome.FAIL),
        ("(chemical, disease)", {"slots": TWO}, Outcome.FAIL),
        ("a -> b -> c", {"form": "arrow"}, Outcome.PASS),
        ("(a, b, c)", {"form": "arrow"}, Outcome.FAIL),
        ('[{"head": "a", "relation": "r", "tail": "b"}]', {"form": "json"}, Outcome.PASS),
        ('[{"head": "a", "tail": "b"}]', {"form": "json"}, Outcome.FAIL),
        ("(a, INHIBITOR, b)", {"allowed": {"relation": ["inhibitor"]}}, Outcome.PASS),
        ("(a, direct_regulator, b)", {"allowed": {"relation": ["direct regulator"]}}, Outcome.PASS),
        ("(a, inhibits, b)", {"allowed": {"relation": ["inhibitor"]}}, Outcome.FAIL),
        ("(a, b)", {"slots": TWO, "min_count": 2}, Outcome.FAIL),
        ("(a, b), (A, B)", {"slots": TWO, "min_count": 2}, Outcome.FAIL),
        ("(a, b), (c, d)", {"slots": TWO, "min_count": 2}, Outcome.PASS),
        ("(a, b), (c, d)", {"slots": TWO, "max_count": 1}, Outcome.FAIL),
        ("(a, b), (a, b)", {"slots": TWO, "max_count": 1}, Outcome.PASS),
    ],
)
def test_relations_stand_in_the_asked_form(text, params, expected):
    assert check(text, **params).outcome is expected


def test_a_verdict_shows_the_first_flaw_and_where_it_is():
    found = check("(lithium, polyuria), (midazolam, )", slots=TWO)
    assert found.reason == "1 of 2 relations wrong, the first: `(midazolam, )` has an empty disease"
    assert [place.text for place in found.evidence] == ["(midazolam, )"]
    assert found.found == {"relations": 2, "different": 2}


@pytest.mark.parametrize(
    "params",
    [
        {"slots": ["a"]},
        {"slots": ["a", "A"]},
        {"slots": ["a", " "]},
        {"allowed": {"kind": ["x"]}},
        {"allowed": {"relation": []}},
        {"min_count": 3, "max_count": 2},
        {"form": "prose"},
    ],
)
def test_params_that_no_answer_could_meet_are_refused(params):
    with pytest.raises(ValidationError):
        RelationParams(**params)
