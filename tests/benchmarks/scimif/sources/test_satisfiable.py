"""What is put into one instruction can be obeyed by one answer, and is checked as it is said."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from random import Random

import pytest

from ifbench.benchmarks.scimif.sources import SOURCES, augment, from_source
from ifbench.benchmarks.scimif.sources.source import AnswerKind, Seed
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Scripted, decide
from ifbench.types import Outcome

SHARED = Path(os.environ.get("IFBENCH_SHARED") or Path(__file__).parents[5] / "shared")
REAL = SHARED / "data" / "sources"


def make_seed(answer, reference, answer_name):
    return Seed(
        id=answer.value,
        question="?",
        reference=reference,
        answer=answer,
        answer_name=answer_name,
        task_type="t",
        discipline="biology",
        source="s",
    )


SEEDS = [
    make_seed(AnswerKind.YES_NO, "No", "answer"),
    make_seed(AnswerKind.NUMBER, 1.0727, "band_gap"),
    make_seed(AnswerKind.NUMBER, -0.0002, "energy"),
    make_seed(AnswerKind.NUMBER, 0.0, "band_gap"),
    make_seed(AnswerKind.NAMES, ["BPA"], "entities"),
    make_seed(AnswerKind.NAMES, ["1,2-dmh", "urea", "[2h]-tin"], "entities"),
    make_seed(AnswerKind.RELATIONS, ["(no, 'pain')", "(li, a & b)", "(x(2), c)"], "relations"),
]


def satisfying(sample) -> str:
    """The reference, written as every constraint of the sample asks."""
    params = {item.constraint_id.removeprefix("general:"): item.params for item in sample.checklist}
    parts = reference_parts(sample, params)
    text = structured(parts, params) or explained(", ".join(parts), params)
    if "all_uppercase" in params:
        return text.upper().replace("\\BOXED", "\\boxed")
    return text.lower() if "all_lowercase" in params else text


def reference_parts(sample, params) -> list[str]:
    """The parts of the answer as text; a number is written as the precision asks."""
    value = sample.reference
    if not isinstance(value, float):
        return [value] if isinstance(value, str) else list(value)
    if "decimal_number" in params:
        return [f"{value:.{params['decimal_number'].places}f}"]
    return [f"{value:.3e}" if "scientific_annotation" in params else str(value)]


def structured(parts, params) -> str:
    """The answer as the one structure that a format asks for; empty where none does."""
    is_number = len(parts) == 1 and parts[0].lstrip("-")[:1].isdigit() and "," not in parts[0]
    literal = parts[0] if is_number else ""
    plain = html.escape("; ".join(parts))
    if "json_constraint" in params:
        (key,) = params["json_constraint"].required_keys
        return f"{{{json.dumps(key)}: {literal or json.dumps(parts)}}}"
    if "dictionary_constraint" in params:
        return f"{{'answer': {literal or repr(parts)}}}"
    if "list_constraint" in params:
        return f"[{literal}]" if literal else repr(parts)
    if "tuple_constraint" in params:
        return repr(tuple(parts))
    if "csv_constraint" in params:
        return f"{','.join(params['csv_constraint'].header)}\nthis,{literal}"
    if "html_constraint" in params:
        return f"<p>{plain}</p>"
    if "xml_constraint" in params:
        return f"<answer>{plain}</answer>"
    return ""


def explained(answer, params) -> str:
    """The answer in running text, boxed, marked and placed as asked."""
    if "wrap_up" in params:
        answer = f"$\\boxed{{{answer}}}$"
    if "response_structure" not in params:
        return f"- {answer}" if "markdown_constraint" in params else answer
    talk = "The text **says** so." if "markdown_constraint" in params else "The text says so."
    line = f"Final answer: {answer}"
    blocks = {
        "beginning": [line, talk],
        "middle": [talk, line, "That is all."],
        "end": [talk, line],
    }
    return "\n\n".join(blocks[params["response_structure"].position])


def complaints(sample) -> list[str]:
    text = satisfying(sample)
    checks = [
        (item, decide(all_constraints()[item.constraint_id], text, item.params))
        for item in sample.checklist
        if isinstance(all_constraints()[item.constraint_id].method, Scripted)
    ]
    return [
        f"{item.constraint_id}: {check.reason} in {text!r}"
        for item, check in checks
        if check.outcome is not Outcome.PASS
    ]


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.answer}-{seed.reference}")
def test_one_answer_obeys_all_that_is_asked(seed):
    source = SOURCES["mol_instructions"]
    for number in range(150):
        sample = augment(seed, source, Random(number), number, per_sample=6)
        assert not complaints(sample), sample.instruction


@pytest.mark.skipif(not REAL.is_dir(), reason=f"the real files are not at {REAL}")
@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("mol_instructions", "mol_instructions/chemical_protein_interaction_extraction.json"),
        ("mol_instructions", "mol_instructions/chemical_entity_recognition.json"),
        ("mol_instructions", "mol_instructions/true_or_false_question.json"),
        ("llm4mat_bench", "llm4mat_bench/train.csv"),
    ],
)
def test_the_reference_of_a_real_record_can_obey_all_that_is_asked(name, file):
    for sample in from_source(name, REAL / file):
        assert not complaints(sample), sample.instruction
