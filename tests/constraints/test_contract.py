"""What holds for every constraint, whoever wrote it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from ifbench.benchmarks.scimif.taxonomy import CONSTRAINTS as SCIMIF
from ifbench.benchmarks.videoif.constraint_types import CATEGORIES, RELEASE_ONLY, TYPES
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Extracted,
    Judged,
    Params,
    Scripted,
    decide,
    decide_extracted,
    locate,
)
from ifbench.types import Outcome

CONSTRAINTS = tuple(all_constraints().values())
by_id = pytest.mark.parametrize("constraint", CONSTRAINTS, ids=lambda c: c.id)

# SciMIF, Table 11.
GENERAL = {
    "precision": {"decimal_number", "scientific_annotation"},
    "letter": {"all_uppercase", "all_lowercase"},
    "format": {
        "wrap_up",
        "json_constraint",
        "list_constraint",
        "tuple_constraint",
        "dictionary_constraint",
        "markdown_constraint",
        "html_constraint",
        "xml_constraint",
        "csv_constraint",
    },
    "selection": {"choose_from", "judge"},
    "structure": {"response_structure"},
    "number": {"number_response"},
}
SCIMIF_GROUPS = {
    "format", "number", "precision", "letter", "selection", "structure",
    "unit", "method", "procedure", "terminology",
}  # fmt: skip


def example_params(constraint: Constraint) -> Params:
    return constraint.params.model_validate(constraint.example.params)


def run(constraint: Constraint, text: str | None, params: Params) -> Check:
    """The check as far as scripts decide it; a quotation is the text itself where one is needed."""
    match constraint.method:
        case Scripted():
            return decide(constraint, text, params)
        case Extracted():
            found = locate(constraint, text, params)
            return decide_extracted(constraint, (text or "",), params) if found is None else found
        case Judged():
            raise AssertionError("a judged constraint is decided on a reply")


decided_by_script = pytest.mark.parametrize(
    "constraint",
    [c for c in CONSTRAINTS if not isinstance(c.method, Judged)],
    ids=lambda c: c.id,
)
judged = pytest.mark.parametrize(
    "constraint", [c for c in CONSTRAINTS if isinstance(c.method, Judged)], ids=lambda c: c.id
)


def test_the_general_constraints_are_those_of_table_11() -> None:
    found: dict[str, set[str]] = {}
    for constraint in CONSTRAINTS:
        if constraint.domain == "general":
            found.setdefault(constraint.group, set()).add(constraint.id.partition(":")[2])
    assert found == GENERAL
    assert sum(map(len, GENERAL.values())) == 17


def test_both_papers_are_whole_and_one_type_is_the_releases_own() -> None:
    assert {constraint.id for constraint in CONSTRAINTS} == {*SCIMIF, *TYPES, RELEASE_ONLY}
    assert (len(SCIMIF), len(TYPES), len(CONSTRAINTS)) == (42, 39, 82)
    assert {c.benchmark for c in CONSTRAINTS if c.id in SCIMIF} == {"scimif"}
    assert {c.benchmark for c in CONSTRAINTS if c.id in TYPES} == {"videoif"}


@by_id
def test_says_what_it_is(constraint: Constraint) -> None:
    assert constraint.id == constraint.id.lower().strip()
    domain, _, name = constraint.id.partition(":")
    assert domain
    assert name
    assert constraint.description.endswith(".")
    assert "\n" not in constraint.description
    assert constraint.category
    groups = CATEGORIES if domain == "videoif" else SCIMIF_GROUPS
    assert constraint.group in groups
    example = constraint.example
    assert example.instruction.strip()
    assert example.passing.strip()
    assert example.failing.strip()


@by_id
def test_grader_names_method_id_and_version(constraint: Constraint) -> None:
    kind, rest = constraint.grader.split(":", 1)
    assert kind in {"script", "extract", "judge"}
    assert rest == f"{constraint.id}@{constraint.method.version}"
    assert constraint.method.version >= 1


@by_id
def test_params_survive_json(constraint: Constraint) -> None:
    params = example_params(constraint)
    again = constraint.params.model_validate_json(params.model_dump_json())
    assert again == params
    assert json.loads(params.model_dump_json()) == params.model_dump(mode="json")
    assert constraint.params.model_json_schema()


@by_id
def test_unknown_params_are_refused(constraint: Constraint) -> None:
    with pytest.raises(ValidationError):
        constraint.params.model_validate({**constraint.example.params, "unheard_of": 1})


@by_id
def test_params_are_frozen(constraint: Constraint) -> None:
    params = example_params(constraint)
    for name in constraint.params.model_fields:
        with pytest.raises(ValidationError):
            setattr(params, name, None)


@decided_by_script
def test_example_passes_and_fails(constraint: Constraint) -> None:
    params, example = example_params(constraint), constraint.example
    right = run(constraint, example.passing, params)
    assert right.outcome is Outcome.PASS, right.reason
    wrong = run(constraint, example.failing, params)
    assert wrong.outcome is Outcome.FAIL, wrong.reason
    assert wrong.reason


@decided_by_script
@pytest.mark.parametrize("text", [None, "", "   ", "\n\t\u00a0\u3000\n"])
def test_empty_answers_fail(constraint: Constraint, text: str | None) -> None:
    check = run(constraint, text, example_params(constraint))
    assert check.outcome is Outcome.FAIL
    assert check.reason


def assert_well_formed(check: Check, text: str) -> None:
    assert check.outcome in set(Outcome)
    assert (check.cause is not None) == (check.outcome is Outcome.UNDECIDED)
    assert check.reason or check.outcome is Outcome.PASS
    assert len(check.reason) < 2000
    json.dumps(dict(check.found))
    for piece in check.evidence:
        assert 0 <= piece.start <= piece.end <= len(text)
        words = text[piece.start : piece.end]
        assert piece.text == words or (piece.text.endswith("…") and words[:-1] != piece.text)
        assert piece.text.removesuffix("…") in words or piece.text == words


MEGA = 1_000_000
LONG = 50_000
HARD_TEXTS: Mapping[str, str] = {
    "letters": "a" * LONG,
    "words": "word " * (LONG // 5),
    "digits": "7" * LONG,
    "numbers": "1.5 " * 8_000,
    "newlines": "x" + "\n" * LONG,
    "blanks": "x" + " " * LONG + "y",
    "one long line of sentences": "The answer is 5. " * 4_000,
    "braces": "{" * 10_000,
    "brackets": "[" * 10_000,
    "parentheses": "(" * 10_000,
    "angles": "<" * 10_000,
    "closed braces": "{" * 10_000 + "}" * 10_000,
    "closed brackets": "[" * 10_000 + "]" * 10_000,
    "closed parentheses": "(" * 10_000 + ")" * 10_000,
    "mixed brackets": "([{<" * 5_000,
    "objects": '{"a":' * 4_000,
    "boxes": "\\boxed{" * 2_000,
    "closed boxes": "\\boxed{" * 1_000 + "1" + "}" * 1_000,
    "backslashes": "\\" * LONG,
    "quotes": '"' * 10_000,
    "apostrophes": "'" * 10_000,
    "deep xml": "<a>" * 4_000 + "</a>" * 4_000,
    "deep html": "<div>" * 4_000,
    "html": "<p>x</p>" * 4_000,
    "fences": "```\n" * 4_000,
    "growing fences": "".join("`" * (3 + n % 50) + "\n" for n in range(1_000)),
    "stars": "*" * 10_000,
    "emphasis": "**a** _b_ " * 2_000,
    "underscores": "_" * 10_000,
    "exponents": "^{" * 10_000,
    "powers": "10^" * 4_000,
    "products": "1 × 10^{" * 2_000,
    "list": "- 1. a\n" * 4_000,
    "pipes": "|" * 10_000,
    "table": "|a|b|\n" * 4_000,
    "commas": "," * LONG,
    "chained numbers": "1-" * 8_000,
    "grouped numbers": "1,234" * 4_000,
    "locants": "1," * 8_000,
    "versions": "1." * 10_000,
    "think opened": "<think>" * 4_000,
    "think closed": "</think>" * 4_000,
    "answer keys": '{"answer": ' * 4_000,
    "answer markers": "answer: " * 10_000,
    "labels": "(A) (B) " * 10_000,
    "yes": "yes " * 10_000,
    "smiles": "C1=CC=CC=C1" * 1_000,
    "molecule": "C" * 10_000,
    "right to left": "שלום مرحبا " * 2_000,
}


@decided_by_script
@pytest.mark.parametrize("name", HARD_TEXTS)
def test_never_raises_and_stays_linear(constraint: Constraint, name: str) -> None:
    text = HARD_TEXTS[name]
    # CPU time, so that a busy machine matters little; quadratic work takes minutes here.
    seconds = 20 * max(len(text) / MEGA, 0.1)
    begun = time.process_time()
    check = run(constraint, text, example_params(constraint))
    assert time.process_time() - begun < seconds
    assert_well_formed(check, text)


ODD_TEXTS = (
    "\ud800", "a\udfffb 1.50", "\x00", "{\x00}", "\u202e1.50\u202c", "e\u0301\u0327 yes",
    "\u200b", "\ufeff{}", "👩‍👩‍👧 1️⃣ yes", "<think>never closed", "<think>a</think>", "a</think>",
    "</think>", "<think></think>", "\\", "\\boxed{", "\\boxed{}", "\\boxed", "$$", "```", "```json",
    "```json\n{", "{", "}", "[", "]", "(", ")", "<", ">", "</", "<a", "<a>", "<!DOCTYPE x>", "<?xml?>",
    "&", "&amp;", "'", '"', "'''", '"""', "|", "|-|", "-", "--", "#", "*", "**", "***", "_", "^", "^{",
    ".", "..", "-.", "1e", "1e999999999", "10^", "10^{", "1 ×", "1 × 10^{", "٣٫١٤", "²", "½", "Ⅷ",
    "NaN", "Infinity", "None", "null", "true", "0", "-0", ",", ",,", "a,b", "\r", "\r\n", "a\rb",
    "ß", "İ", "ǅ", "ﬁ", "A", "a", "I", "no", "know", "Answer", "答案：5", "是",
    "9" * 5000, "1e" + "9" * 5000, "[" + "9" * 5000 + "]", "1." * 50, "C" * 50,
)  # fmt: skip


@decided_by_script
def test_never_raises_on_odd_texts_and_says_the_same_twice(constraint: Constraint) -> None:
    params = example_params(constraint)
    for text in ODD_TEXTS:
        check = run(constraint, text, params)
        assert_well_formed(check, text)
        assert run(constraint, text, params) == check


PIECES = st.sampled_from(
    ["\\boxed{", "}", "{", "[", "]", "(", ")", "<think>", "</think>", "```", "\n", " ", "1.50",
     "1e5", "× 10^{3}", "-", ",", ":", '"', "'", "**", "#", "|", "<p>", "</p>", "answer is", "A", "b",
     "yes", "No", "Step 2", "\\frac", "$", "C=C", "é", "温度", "\u202e", "\ud83d", "."]
)  # fmt: skip
MESSY = st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join)


@decided_by_script
@given(text=MESSY)
@settings(
    max_examples=40, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
def test_random_text_gets_a_well_formed_verdict(constraint: Constraint, text: str) -> None:
    assert_well_formed(run(constraint, text, example_params(constraint)), text)


def verdicts() -> str:
    """All verdicts on examples and odd texts, as one line; also run by child processes."""
    lines = []
    for constraint in CONSTRAINTS:
        if isinstance(constraint.method, Judged):
            continue
        params, example = example_params(constraint), constraint.example
        for text in (example.passing, example.failing, *ODD_TEXTS):
            check = run(constraint, text, params)
            found = json.dumps(dict(check.found), sort_keys=True)
            lines.append(repr((constraint.id, check.outcome, check.reason, check.evidence, found)))
    return ascii("\n".join(lines))


def test_verdicts_do_not_hang_on_the_hash_seed() -> None:
    program = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent)]!r}; import test_contract as c"
    )
    program += "; sys.stdout.write(c.verdicts())"
    here = verdicts()
    for seed in ("1", "4711"):
        child = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert child.stdout == here


# ── Judged constraints ───────────────────────────────────────────────────────────────


def synthetic_reply(schema: type[BaseModel], seed: int) -> Any:
    """A reply that the schema allows, filled by chance; `None` where none can be made."""
    rng = random.Random(seed)
    description = schema.model_json_schema()
    try:
        return schema.model_validate(_value(description, description.get("$defs", {}), rng))
    except ValidationError:
        return None


def _value(schema: Mapping[str, Any], defs: Mapping[str, Any], rng: random.Random) -> Any:
    if "$ref" in schema:
        return _value(defs[schema["$ref"].rpartition("/")[2]], defs, rng)
    if "const" in schema or "enum" in schema:
        return schema.get("const", rng.choice(schema.get("enum", [None])))
    if "anyOf" in schema:
        return _value(rng.choice(schema["anyOf"]), defs, rng)
    match schema.get("type"):
        case "object":
            parts = schema.get("properties", {})
            return {name: _value(part, defs, rng) for name, part in parts.items()}
        case "array":
            low = schema.get("minItems", 0)
            count = rng.randint(low, schema.get("maxItems", low + 4))
            return [_value(schema.get("items", {}), defs, rng) for _ in range(count)]
        case "integer" | "number":
            low = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
            return rng.randint(int(low), int(schema.get("maximum", low + 5)))
        case "boolean":
            return rng.random() < 0.5
        case "null":
            return None
        case _:
            return rng.choice(["yes", "a step", "x"])


@judged
def test_judged_constraint_asks_for_parts_known_before_any_reply(constraint: Constraint) -> None:
    assert isinstance(constraint.method, Judged)
    params = example_params(constraint)
    assert constraint.method.parts(params) >= 1
    assert constraint.method.template
    assert constraint.method.reply.model_json_schema()


@judged
def test_a_reply_is_decided_or_unreadable(constraint: Constraint) -> None:
    method = constraint.method
    assert isinstance(method, Judged)
    params = example_params(constraint)
    replies = [reply for n in range(200) if (reply := synthetic_reply(method.reply, n)) is not None]
    assert replies
    checks = []
    for reply in replies:
        try:
            checks.append(method.decide(reply, params))
        except ValueError:
            continue  # Then the reply is unreadable, which is the judge's failure.
    for check in checks:
        assert len(check.requirements) in {0, method.parts(params)}
        assert_well_formed(check, "")


@judged
@pytest.mark.parametrize("text", ["", "x", "\ud800", "[" * 1000, "- a\n- b\n", "1. a\n2. b"])
def test_script_evidence_for_a_judge_never_raises(constraint: Constraint, text: str) -> None:
    method = constraint.method
    assert isinstance(method, Judged)
    params = example_params(constraint)
    if method.prepare is not None:
        json.dumps(dict(method.prepare(text, params)))
        example = constraint.example
        assert method.prepare(example.passing, params) == method.prepare(example.passing, params)


settled = pytest.mark.parametrize(
    "constraint",
    [c for c in CONSTRAINTS if isinstance(c.method, Judged) and c.method.settle is not None],
    ids=lambda c: c.id,
)


def settle(constraint: Constraint, text: str, params: Params) -> Check | None:
    assert isinstance(constraint.method, Judged)
    assert constraint.method.settle is not None
    return constraint.method.settle(text, params)


@settled
def test_a_script_before_the_judge_fails_what_breaks_the_rule(constraint: Constraint) -> None:
    params, example = example_params(constraint), constraint.example
    wrong = settle(constraint, example.failing, params)
    assert wrong is not None
    assert wrong.outcome is Outcome.FAIL
    right = settle(constraint, example.passing, params)
    assert right is None or right.outcome is Outcome.PASS


@settled
def test_a_script_before_the_judge_leaves_plain_params_to_the_judge(constraint: Constraint) -> None:
    assert settle(constraint, constraint.example.failing, constraint.params()) is None


@judged
@pytest.mark.parametrize("name", HARD_TEXTS)
def test_scripts_around_a_judge_never_raise_and_stay_linear(
    constraint: Constraint, name: str
) -> None:
    text, method, params = HARD_TEXTS[name], constraint.method, example_params(constraint)
    assert isinstance(method, Judged)
    seconds = 10 * max(len(text) / MEGA, 0.2)
    begun = time.process_time()
    if method.prepare is not None:
        json.dumps(dict(method.prepare(text, params)))
    if method.settle is not None and (check := method.settle(text, params)) is not None:
        assert_well_formed(check, text)
    assert time.process_time() - begun < seconds


@settled
def test_scripts_before_a_judge_never_raise_on_odd_texts(constraint: Constraint) -> None:
    params = example_params(constraint)
    for text in ODD_TEXTS:
        check = settle(constraint, text, params)
        assert check == settle(constraint, text, params)
        if check is not None:
            assert_well_formed(check, text)
