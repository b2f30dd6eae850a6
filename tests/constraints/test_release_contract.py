"""What holds for every rule of the release's scorer."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from test_contract import HARD_TEXTS, MEGA, MESSY, ODD_TEXTS, assert_well_formed

from ifbench.benchmarks.scimif.aliases import RELEASE_ONLY
from ifbench.benchmarks.scimif.taxonomy import CONSTRAINTS
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Extracted,
    Judged,
    Scripted,
    decide,
    decide_extracted,
    locate,
)
from ifbench.constraints.rule_sets import CATALOGUES, rule_set
from ifbench.constraints.scimif_release import release_rules
from ifbench.constraints.scimif_release.rule import NO_TEXT, ReleaseParams
from ifbench.types import Outcome

RULES = {rule.id: rule for rule in release_rules().values()}
SCRIPTS = {name: rule for name, rule in RULES.items() if not isinstance(rule.method, Judged)}
by_rule = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
by_script = pytest.mark.parametrize("rule", SCRIPTS.values(), ids=list(SCRIPTS))


def example_params(rule: Constraint) -> ReleaseParams:
    return ReleaseParams.model_validate(rule.example.params)


def run(rule: Constraint, text: str, params: ReleaseParams) -> Check:
    if isinstance(rule.method, Scripted):
        return decide(rule, text, params)
    found = locate(rule, text, params)
    return decide_extracted(rule, (), params, text=text) if found is None else found


def test_every_constraint_of_the_paper_has_a_rule_and_so_has_the_releases_own():
    assert set(release_rules()) == {*CONSTRAINTS, RELEASE_ONLY}
    assert len(RULES) == 30


def test_rules_are_no_constraints_of_their_own():
    assert not [name for name in all_constraints() if name.startswith("release:")]


def test_a_sandbox_finds_each_rule_set_by_its_name():
    for rules, name in CATALOGUES.items():
        module, _, function = name.partition(":")
        assert getattr(__import__(module, fromlist=[function]), function)() == rule_set(rules)


@by_rule
def test_says_what_it_is_and_that_it_is_the_releases(rule):
    assert ":release:" in rule.grader
    assert rule.group
    assert len(rule.description) > 40
    assert rule.params is ReleaseParams
    assert rule.params.model_validate_json(
        example_params(rule).model_dump_json()
    ) == example_params(rule)


@by_script
def test_its_example_passes_and_its_counterexample_fails(rule):
    params = example_params(rule)
    assert run(rule, rule.example.passing, params).outcome is Outcome.PASS
    assert run(rule, rule.example.failing, params).outcome is Outcome.FAIL


@by_script
@pytest.mark.parametrize("name", HARD_TEXTS)
def test_never_raises_and_stays_linear(rule, name):
    text = HARD_TEXTS[name]
    seconds = 10 * max(len(text) / MEGA, 0.2)
    begun = time.process_time()
    check = run(rule, text, example_params(rule))
    assert time.process_time() - begun < seconds
    assert_well_formed(check, text)


# Parameters as models wrote them, and worse.
PARAMETERS = (
    "",
    " ",
    "N = ",
    "[",
    "{'a': ",
    "\ud800",
    "9" * 500,
    "((((",
    "\\",
    "x, y | z",
    "two\n",
)


@by_script
def test_never_raises_on_odd_texts_and_parameters_and_says_the_same_twice(rule):
    for text in ODD_TEXTS:
        check = run(rule, text, example_params(rule))
        assert_well_formed(check, text)
        assert run(rule, text, example_params(rule)) == check
    for words in (*PARAMETERS, *ODD_TEXTS[:40], "[" * 30_000, "1 " * 30_000, "a, " * 30_000):
        params = ReleaseParams(raw=words, question=words)
        assert_well_formed(run(rule, rule.example.passing, params), rule.example.passing)


@by_script
@given(text=MESSY)
@settings(
    max_examples=30, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
def test_random_text_gets_a_well_formed_verdict(rule, text):
    assert_well_formed(run(rule, text, ReleaseParams(raw=text, question=text)), text)


@pytest.mark.parametrize("words", ["\ud800", "a\udfffb", "\ud83d\ude00 µm", "é\x00"])
def test_any_words_can_be_sent_to_another_process(words):
    params = ReleaseParams(raw=words, question=words)
    assert ReleaseParams.model_validate_json(params.model_dump_json()) == params


READS_TEXT = {
    "release:unit_consistency", "release:decimal_annotation", "release:choose_from",
    "release:response_structure", "release:method_constraint", "release:atom_count",
    "release:molecular_format_validity", "release:atom_bond", "release:atom_group",
    "release:address_format", "release:scene_option", "release:property_prediction",
}  # fmt: skip


@by_script
def test_a_missing_parameter_is_said_where_it_would_have_been_read(rule):
    check = run(rule, "The answer is 4.50 m, [a], or yes.", ReleaseParams())
    assert (NO_TEXT in check.reason) == (rule.id in READS_TEXT)
    assert check.outcome is not Outcome.UNDECIDED


def test_the_documentation_has_a_row_for_each_rule():
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    first_cells = [line.split("|")[1] for line in lines if line.startswith("| `")]
    named = {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}
    both = {rule.id for rule in rule_set("release").values()}
    assert named == {name.removeprefix("release:") for name in both}


def test_found_values_are_plain_json():
    for rule in SCRIPTS.values():
        json.dumps(dict(run(rule, rule.example.failing, example_params(rule)).found))


def test_extraction_asks_only_where_the_parameter_does_not_stand_in_the_answer():
    rule = RULES["release:method_constraint"]
    assert isinstance(rule.method, Extracted)
    assert locate(rule, "By Snell's law.", ReleaseParams(raw="Snell's law")) is not None
    assert locate(rule, "By the law of Snell.", ReleaseParams(raw="Snell's law")) is None
