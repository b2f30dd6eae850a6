"""The starter set: it can be rebuilt, covers what it promises, and contradicts itself nowhere."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from PIL import Image, ImageChops

from ifbench.benchmarks.datasets import data_path
from ifbench.benchmarks.records import load_records
from ifbench.benchmarks.scimif.parameters import bind_release_params
from ifbench.benchmarks.scimif.sources.compatibility import clash
from ifbench.benchmarks.scimif.starter.build import RECORDS, build, drafts
from ifbench.benchmarks.scimif.taxonomy import CONSTRAINTS, DISCIPLINES, TASKS
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Judged, Scripted
from ifbench.constraints.running import CheckCall, run_check
from ifbench.constraints.scimif_release import release_rules
from ifbench.constraints.scimif_release.rule import NO_TEXT, ReleaseParams
from ifbench.types import Outcome, UnboundParams

SHIPPED = data_path("builtin:scimif_starter")
SAMPLES = {sample.id: sample for sample in load_records(SHIPPED)}
DRAFTS = {draft.id: draft for draft in drafts()}
GENERAL = {name for name in all_constraints() if name.startswith("general:")}
CHEMISTRY = {
    "chemistry:molecular_validity",
    "chemistry:atom_count_constraint",
    "chemistry:method_constraint",
    "chemistry:reaction_steps",
    "chemistry:unit_consistency",
    "chemistry:atom_bond_constraint",
    "chemistry:atom_group_constraint",
}
OTHERS = {
    "geography:unit_consistency",
    "biology:unit_consistency",
    "material:unit_consistency",
    "physics:unit_consistency",
    "geography:address_hierarchy",
    "geography:scene_option_constraint",
    "geography:method_constraint",
    "geography:analysis_steps_constraint",
    "biology:entity_relationship_format_validity",
    "biology:protein_length",
    "biology:method_constraint",
    "biology:analysis_steps_constraint",
    "material:characterization_technique",
    "material:property_type",
    "material:method_constraint",
    "material:analysis_steps_constraint",
    "physics:method_constraint",
    "physics:analysis_steps",
}


def outcomes(sample_id: str, answer: str) -> dict[str, Outcome | None]:
    """What each script says; `None` where an extractor would have to be asked."""
    found = {}
    for item in SAMPLES[sample_id].checklist:
        if isinstance(all_constraints()[item.constraint_id].method, Judged):
            continue
        check = run_check(
            CheckCall(constraint_id=item.constraint_id, params=item.params, text=answer)
        )
        found[item.constraint_id] = check and check.outcome
    return found


@pytest.mark.parametrize("sample_id", DRAFTS)
def test_an_answer_that_obeys_passes_every_script(sample_id):
    found = outcomes(sample_id, DRAFTS[sample_id].good)
    assert found, "a sample without a script tests nothing"
    assert set(found.values()) == {Outcome.PASS}, found


@pytest.mark.parametrize("sample_id", DRAFTS)
def test_an_answer_that_does_not_obey_fails(sample_id):
    assert Outcome.FAIL in outcomes(sample_id, DRAFTS[sample_id].bad).values()


def test_there_are_enough_samples_of_every_discipline():
    counts = Counter(sample.facets["discipline"] for sample in SAMPLES.values())
    assert list(counts) == list(DISCIPLINES)
    assert sum(counts.values()) >= 60
    assert min(counts.values()) >= 10


def test_every_general_constraint_and_those_of_the_disciplines_are_asked_for():
    asked = {item.constraint_id for sample in SAMPLES.values() for item in sample.checklist}
    assert len(GENERAL) == 17
    assert asked == GENERAL | CHEMISTRY | OTHERS == set(CONSTRAINTS)


def test_a_quarter_of_the_samples_have_a_picture():
    pictured = [sample for sample in SAMPLES.values() if sample.media]
    assert len(pictured) * 4 >= len(SAMPLES)
    assert {sample.facets["discipline"] for sample in pictured} == set(DISCIPLINES)
    for sample in pictured:
        assert sample.instruction.count("<image>") == len(sample.media) == 1


def test_each_sample_has_provenance_a_known_task_and_a_reference():
    for sample in SAMPLES.values():
        assert sample.provenance["licence"] == "Apache-2.0"
        assert TASKS[sample.facets["task_type"]].discipline == sample.facets["discipline"]
        free = sample.facets["task_type"].startswith("chemistry_molcustom_")  # graded by counts
        assert sample.reference is not None or free


def test_no_sample_holds_two_constraints_that_clash():
    for sample in SAMPLES.values():
        names = [item.constraint_id for item in sample.checklist]
        for one in names:
            for other in names:
                if one < other:
                    assert not clash(one, other), f"{sample.id}: {one}, {other}"


def test_the_set_is_small_enough_to_ship():
    size = sum(path.stat().st_size for path in SHIPPED.parent.rglob("*") if path.is_file())
    assert size < 3 * 2**20


def test_building_again_gives_the_same_records_and_pictures(tmp_path):
    build(tmp_path)
    rebuilt = {sample.id: sample for sample in load_records(tmp_path / RECORDS)}
    assert list(rebuilt) == list(SAMPLES)
    for sample_id, sample in rebuilt.items():
        shipped = SAMPLES[sample_id]
        assert replace(sample, media=()) == replace(shipped, media=())
        for one, other in zip(sample.media, shipped.media, strict=True):
            assert _differ(one.uri, other.uri) < 0.02, sample_id


def _differ(one: str, other: str) -> float:
    """The share of pixels that differ; a font may be set by another version of FreeType."""
    with Image.open(one) as a, Image.open(other) as b:
        assert a.size == b.size
        difference = ImageChops.difference(a.convert("L"), b.convert("L"))
    histogram = difference.histogram()
    return 1 - sum(histogram[:32]) / sum(histogram)


def test_every_line_names_its_form():
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["format"] for line in lines} == {"ifbench/1"}


# ── The parameters in the release's words ────────────────────────────────────────────

UNSAID = {
    "general:decimal_number": {"scope"},
    "general:list_constraint": {"length"},
    "general:tuple_constraint": {"length"},
    "general:csv_constraint": {"header"},
    "general:xml_constraint": {"root"},
    "chemistry:molecular_validity": {"key", "reference"},
    "biology:protein_length": {"strict"},
}
"""Parameters that the release's words never speak of."""


def read_back(sample, item):
    """The typed parameters of an item, and those that its words are read as, without defaults."""
    read = bind_release_params(item.constraint_id, item.raw, sample.instruction)
    assert not isinstance(read, UnboundParams), f"{sample.id}: {read}"
    typed, words = (params.model_dump(exclude_defaults=True) for params in (item.params, read))
    typed = {k: v for k, v in typed.items() if k not in UNSAID.get(item.constraint_id, ())}
    for methods in (typed.get("methods", ()), words.get("methods", ())):
        for method in methods:  # The words are a name; aliases and formulas are ours.
            method.pop("aliases", None)
            method.pop("formula_patterns", None)
    return typed, words


@pytest.mark.parametrize("sample_id", SAMPLES)
def test_the_releases_words_are_read_as_the_typed_parameters(sample_id):
    sample = SAMPLES[sample_id]
    for item in sample.checklist:
        typed, words = read_back(sample, item)
        assert words == typed, f"{item.constraint_id}: {item.raw!r}"


@pytest.mark.parametrize("sample_id", DRAFTS)
def test_the_releases_scorer_finds_the_words_that_it_reads(sample_id):
    for item in SAMPLES[sample_id].checklist:
        rule = release_rules()[item.constraint_id]
        if not isinstance(rule.method, Scripted):
            continue
        params = ReleaseParams(raw=item.raw, question=SAMPLES[sample_id].instruction)
        check = rule.method.check(DRAFTS[sample_id].good, params)
        assert NO_TEXT not in check.reason
        assert "skipped" not in check.reason or item.constraint_id in SKIPPED, check.reason


SKIPPED = {"general:all_uppercase", "general:all_lowercase"}
"""Their rules look for a scope in the question, and the release has none for some wordings."""
