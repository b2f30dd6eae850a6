import time

import pytest

from ifbench.parsing.relations import find_relations

PAIR = ("head", "tail")
TRIPLE = ("head", "relation", "tail")


def slots(text, form="tuple", names=PAIR):
    return [relation.slots for relation in find_relations(text, form, names)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a, b)", [("a", "b")]),
        ("(a,b)", [("a", "b")]),
        ("(a, b), (c, d)", [("a", "b"), ("c", "d")]),
        ("(a, b); (c, d) and (e, f)", [("a", "b"), ("c", "d"), ("e", "f")]),
        ("1. (a, b)\n2. (c, d)", [("a", "b"), ("c", "d")]),
        ("- **(a, b)**\n- `(c, d)`", [("a", "b"), ("c", "d")]),
        ("[('a', 'b'), (\"c\", 'd')]", [("a", "b"), ("c", "d")]),
        ('{"relations": ["(a, b)"]}', [("a", "b")]),
        ("Relations: (a, b)", [("a", "b")]),
        ("The answer is (a, b).", [("a", "b")]),
        ("\\boxed{(a, b)}", [("a", "b")]),
        ("| (a, b) | (c, d) |", [("a", "b"), ("c", "d")]),
        ("关系：（a，b）", [("a", "b")]),
        ("(2,4-D, neuropathy)", [("2,4-D", "neuropathy")]),
        ("(1,2-DMH,cancer)", [("1,2-DMH", "cancer")]),
        ("(N,N-dimethylaniline,tumour)", [("N,N-dimethylaniline", "tumour")]),
        ("(benzo[a,c]pyrene, x)", [("benzo[a,c]pyrene", "x")]),
        ("(mitiglinide, K(ATP) channel)", [("mitiglinide", "K(ATP) channel")]),
        ("(Ca(2+), kinase)", [("Ca(2+)", "kinase")]),
        ('("lead, inorganic", anaemia)', [("lead, inorganic", "anaemia")]),
        ("(5'-AMP, kinase)", [("5'-AMP", "kinase")]),
        ("(2,2(')-x-(3-ethyl, y), (c, d)", [("2,2(')-x-(3-ethyl", "y"), ("c", "d")]),
        ("(a, )", [("a", "")]),
        ("(, b)", [("", "b")]),
        ("(a, '-')", [("a", "")]),
        ("(a, b, c)", [("a", "b", "c")]),
        ("(a)", [("a",)]),
        ("(head, tail)\n(a, b)", [("a", "b")]),
        ("Insulin (a hormone, secreted) acts.", []),
        ("(R)-warfarin binds", []),
        ("as shown (see above, below) here", []),
        ("a, b", []),
        ("(a, b", []),
        ("(a,\nb)", []),
    ],
)
def test_tuples_that_stand_by_themselves_are_relations(text, expected):
    assert slots(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a -> r -> b", [("a", "r", "b")]),
        ("a → r → b", [("a", "r", "b")]),
        ("- a --> r --> b\n- c => r => d", [("a", "r", "b"), ("c", "r", "d")]),
        ("1. **a** -> r -> `b`", [("a", "r", "b")]),
        ("$a \\rightarrow r \\rightarrow b$", [("a", "r", "b")]),
        ("a -> r -> b; c -> r -> d", [("a", "r", "b"), ("c", "r", "d")]),
        ('["a -> r -> b", "c -> r -> d"]', [("a", "r", "b"), ("c", "r", "d")]),
        ("Relation: a -> r -> b.", [("a", "r", "b")]),
        ("2,4-D -> causes -> x", [("2,4-D", "causes", "x")]),
        ("a -> b", [("a", "b")]),
        ("a -> -> b", [("a", "", "b")]),
        ("head -> relation -> tail\na -> r -> b", [("a", "r", "b")]),
        ("a - r - b", []),
        ("p < 0.05 and a >> b", []),
    ],
)
def test_arrows_part_the_slots(text, expected):
    found = [tuple(s.strip() for s in one) for one in slots(text, "arrow", TRIPLE)]
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"head": "a", "tail": "b"}', [("a", "b")]),
        ('[{"head": "a", "tail": "b"}, {"tail": "d", "head": "c"}]', [("a", "b"), ("c", "d")]),
        ('{"relations": [{"Head": "a", "TAIL": "b", "note": "x"}]}', [("a", "b")]),
        ('Here:\n```json\n[{"head": "a", "tail": "b"}]\n```\nDone.', [("a", "b")]),
        ('{"head": "a", "tail": "b"}\n{"head": "c", "tail": "d"}', [("a", "b"), ("c", "d")]),
        ('{"head": "a"}', [("a", "")]),
        ('{"head": "a", "tail": null}', [("a", "")]),
        ('{"head": "a", "tail": ["b"]}', [("a", "")]),
        ('[["a", "b"]]', [()]),
        ('{"x": 1}', []),
        ("{'head': 'a', 'tail': 'b'}", []),
        ("(a, b)", []),
    ],
)
def test_json_objects_hold_the_slots_as_keys(text, expected):
    assert slots(text, "json") == expected


def test_a_place_is_that_of_the_relation():
    text = "Found: (a, b), (c, d)."
    places = [(r.start, r.end) for r in find_relations(text, "tuple", PAIR)]
    assert [text[start:end] for start, end in places] == ["(a, b)", "(c, d)"]


@pytest.mark.parametrize("form", ["tuple", "arrow", "json"])
@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "(a, b), " * 50_000,
        "(a, ('" * 50_000,
        "('" * 50_000,
        "a -> " * 50_000,
        " " * 500_000,
        '{"head": ' * 10_000,
        "(" * 50_000 + ")" * 50_000,
        "(a" + "," * 500_000 + ")",
    ],
)
def test_time_is_linear(form, text):
    begun = time.process_time()
    find_relations(text, form, TRIPLE)
    assert time.process_time() - begun < 4


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("aspirin --treats--> headache", ("aspirin", "treats", "headache")),
        ("aspirin -[may treat]-> headache", ("aspirin", "may treat", "headache")),
        ("- aspirin -- treats --> headache", ("aspirin", "treats", "headache")),
        ("beta-blocker -> heart", ("beta-blocker", "heart")),
        ("a --> b --> c", ("a", "b", "c")),
    ],
)
def test_a_label_on_an_arrow_is_a_slot(text, slots):
    (found,) = find_relations(text, "arrow", PAIR)
    assert found.slots == slots
