"""The semantic types: what the judge is told, and what its reply becomes."""

from __future__ import annotations

import pytest
from deciding import constraint_of, passes, seen, settled

from ifbench.benchmarks.videoif.constraint_types import TYPES
from ifbench.constraints.constraint import Extracted, Judged, Scripted
from ifbench.stages.judge import ask_judge, read_judge
from ifbench.types import Cause, Outcome
from tests.factories import make_item, make_model, make_response, make_sample, make_work

SEMANTIC = [row.id for row in TYPES.values() if row.kind == "semantic"]


def test_the_22_semantic_types_are_judged_and_12_of_17_format_types_scripted_one_extracted():
    assert len(SEMANTIC) == 22
    kinds = {name: type(constraint_of(name.partition(":")[2]).method) for name in TYPES}
    assert {kinds[name] for name in SEMANTIC} == {Judged}
    others = {name.partition(":")[2]: kind for name, kind in kinds.items() if name not in SEMANTIC}
    assert [name for name, kind in others.items() if kind is Extracted] == [
        "entity_label_set_restriction"
    ]
    assert {name for name, kind in others.items() if kind is Judged} == {
        "output_ordering",
        "text_type_restriction",
        "first_person_perspective",
        "temporal_tense_constraint",
    }
    assert sum(kind is Scripted for kind in others.values()) == 12


@pytest.mark.parametrize("name", SEMANTIC)
def test_each_rubric_says_what_breaks_the_rule(name):
    method = constraint_of(name.partition(":")[2]).method
    assert 80 < len(method.rubric) < 500
    assert method.rubric.endswith(".")
    assert method.template == "checklist"
    assert method.is_listed


def asked(**entry):
    params = constraint_of("temporal_anchor").params()
    item = make_item("videoif:temporal_anchor", **{"params": params, **entry})
    return make_work(make_sample(checklist=(item,), instruction="Tell what is before the door."))


def test_the_judge_gets_the_items_question_its_facts_and_the_rubric_of_the_type():
    work = asked(question="Is it all before 00:41?", evidence="The door opens at 00:41.")
    prompts = ask_judge(work, make_response("At 00:39 a lamp goes on."), make_model("judge"))
    words = prompts[0].parts[0].text
    for part in (
        "Is it all before 00:41?",
        "The door opens at 00:41.",
        "temporal anchor. The answer keeps to",
        "it names the times 00:39.",
        "At 00:39 a lamp goes on.",
    ):
        assert part in words


def test_without_a_question_the_judge_goes_by_the_instruction():
    prompts = ask_judge(asked(), make_response("A lamp."), make_model("judge"))
    assert "requirement of the kind below that the instruction states" in prompts[0].parts[0].text


@pytest.mark.parametrize(
    ("entries", "outcome"),
    [
        ('"1": {"reason": "Before.", "quote": "a lamp", "satisfied": "yes"}', Outcome.PASS),
        ('"1": {"reason": "After it.", "quote": "", "satisfied": false}', Outcome.FAIL),
        ('"1": {"reason": "", "quote": "", "satisfied": "maybe"}', Outcome.UNDECIDED),
        ('"1": {"reason": "", "quote": ""}', Outcome.UNDECIDED),
        ('"2": {"reason": "", "quote": "", "satisfied": true}', Outcome.UNDECIDED),
        ("", Outcome.UNDECIDED),
    ],
)
def test_a_reply_is_yes_or_no_or_unreadable(entries, outcome):
    reply = make_response(f'{{"items": {{{entries}}}}}')
    check = read_judge(asked(), make_response("a lamp"), {0: reply})[0]
    assert check.outcome is outcome
    if outcome is Outcome.UNDECIDED:
        assert check.cause is Cause.JUDGE_UNREADABLE
    if outcome is Outcome.PASS:
        assert check.evidence[0].text == "a lamp"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Shot 3, then shot 4.", None),
        ("Shot 3, then at 00:12.", False),
        ("Shot 3 lasts 5 seconds.", False),
        ("It turns.", None),
    ],
)
def test_a_foreign_unit_of_time_fails_without_a_judge_and_nothing_passes_so(text, expected):
    assert settled("temporal_granularity", text, unit="shot") is expected
    assert settled("temporal_granularity", text) is None


def test_scripts_show_times_spans_and_items():
    assert "Outside the window: 00:12" in seen(
        "temporal_scope", "At 00:12 and 00:58.", start_s=50, end_s=60
    )
    assert "All of them lie in the window" in seen("temporal_scope", "At 00:49.", start_s=50)
    spans = seen("segment_localization", '[00:05 - 00:07] "a" [00:09 - 00:08] "b"')
    assert "2 spans" in spans
    assert "1 spans end before they begin" in spans
    assert "1 of them go back" in seen("temporal_order_relation", "0:05, 0:09, 0:07")
    assert seen("counting_scope", "- a\n  - b") == "it holds 2 list items, 1 of them outermost."
    assert seen("attribute_avoidance", "Two women.", terms=["woman", "old"]) == (
        "“woman” 0 times, “old” 0 times."
    )
    assert seen("attribute_avoidance", "x") == ""


@pytest.mark.parametrize("name", SEMANTIC)
def test_a_semantic_type_needs_no_params(name):
    constraint = constraint_of(name.partition(":")[2])
    assert constraint.params() == constraint.params.model_validate_json("{}")


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("“Mind the  step.”", {}, True),
        ("mind the step.", {}, False),
        ("mind the step.", {"ignore_case": True}, True),
        ("Mind the step", {}, False),
        ('He says "Mind the step." twice', {}, False),
        ('He says "Mind the step." twice', {"embedded": True}, True),
    ],
)
def test_the_releases_own_type_compares_letter_by_letter(text, params, expected):
    params = {"expected_utterance": "Mind the step.", **params}
    assert passes("verbatim_speech_constraint", text, **params) is expected
