"""What in a data set would make a score meaningless, though every line of it can be read.

A loader refuses what cannot be read. Here are the quiet defects, each seen in public data:
constraints that no answer can obey together, options that the reference is none of, questions
whose input was lost, parameters that no parser could read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from ifbench.benchmarks.contradictions import against_words, contradiction
from ifbench.benchmarks.videoif.conditions import read_tree
from ifbench.benchmarks.videoif.taxonomy import CONDITIONAL, DOMAIN
from ifbench.constraints import all_constraints
from ifbench.constraints.running import CheckCall, run_check
from ifbench.errors import DatasetError
from ifbench.parsing.numbers import quantities_in
from ifbench.types import ChecklistItem, Outcome, Sample, UnboundParams

Kind: TypeAlias = Literal[
    "parameters", "reference", "contradiction", "input", "media", "checklist", "conditions"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One defect of one sample."""

    sample_id: str
    kind: Kind
    message: str


Found: TypeAlias = Iterator[tuple[Kind, str]]


def findings(sample: Sample) -> Iterator[Finding]:
    """Every quiet defect of a sample, in the order of its parts."""
    for look in _LOOKS:
        for kind, message in look(sample):
            yield Finding(sample_id=sample.id, kind=kind, message=message)


# ── The question ─────────────────────────────────────────────────────────────────────

_EMPTY_FIELD = re.compile(
    r"\b(?P<name>(?:structure |crystal |protein |amino acid |molecular )?"
    r"(?:description|structure|sequence|input|smiles|selfies|passage|text))"
    r"[ \t]*:[ \t]*[.\"'`]{0,2}[ \t]*(?:\n[ \t]*\n|\n?\Z|\.\s)",
    re.IGNORECASE,
)
_CHAT_MARKS = ("<s>[INST]", "<<SYS>>", "<|im_start|>", "<|begin_of_text|>", "### Instruction:")


def _question(sample: Sample) -> Found:
    for words in dict.fromkeys((sample.instruction, sample.original_instruction)):
        empty = _EMPTY_FIELD.search(words)
        if empty is not None:
            yield (
                "input",
                f"`{empty['name']}:` is followed by nothing, so there is nothing to go by",
            )
        if "[REDACTED]" in words:
            yield (
                "input",
                "`[REDACTED]` stands in the question: a rewriting took out what was asked",
            )
        mark = next((mark for mark in _CHAT_MARKS if mark in words), None)
        if mark is not None:
            yield "input", f"`{mark}` stands in the question: another model's chat template"


def _pictures(sample: Sample) -> Found:
    """Pictures that are there and cannot be shown: no model could be asked. Reads the files."""
    from ifbench.media.errors import MediaError
    from ifbench.media.images import check_picture
    from ifbench.media.sources import read_source

    for index, media in enumerate(sample.media):
        if media.kind != "image":
            continue
        try:
            check_picture(read_source(media))
        except MediaError as error:
            yield "media", f"media[{index}]: {media.uri}: {error}"


# ── The checklist ────────────────────────────────────────────────────────────────────


def _parameters(sample: Sample) -> Found:
    for index, item in enumerate(sample.checklist):
        if isinstance(item.params, UnboundParams):
            raw = item.params.raw if len(item.params.raw) <= 120 else f"{item.params.raw[:119]}…"
            yield (
                "parameters",
                f"checklist[{index}] {item.constraint_id}: {item.params.reason} (found {raw!r})",
            )


def _checklist(sample: Sample) -> Found:
    known = all_constraints()
    if not sample.checklist:
        counts = "" if sample.benchmark == DOMAIN else ", so that the sample counts in no metric"
        yield "checklist", f"no constraint is checked{counts}"
    for index, item in enumerate(sample.checklist):
        if item.constraint_id not in known:
            yield "checklist", f"checklist[{index}]: unknown constraint `{item.constraint_id}`"
    damage = sample.provenance.get("chosen_instructions")
    if damage:
        yield "checklist", f"the constraints chosen are not those checked: chosen {damage}"


def _contradictions(sample: Sample) -> Found:
    bound = [item for item in sample.checklist if not isinstance(item.params, UnboundParams)]
    for one, two in combinations(bound, 2):
        reason = contradiction(one, two) or contradiction(two, one)
        if reason:
            yield "contradiction", f"{one.constraint_id} and {two.constraint_id}: {reason}"
    for item in bound:
        if reason := against_words(item, sample.instruction):
            yield "contradiction", f"{item.constraint_id}: {reason}"


# ── Conditions ───────────────────────────────────────────────────────────────────────


def _conditions(sample: Sample) -> Found:
    kind = sample.facets.get("instruction_type", "")
    if kind not in CONDITIONAL or sample.tree is not None:
        return
    try:
        read_tree(sample.instruction, sample.active_instruction, kind)
    except DatasetError as error:
        yield "conditions", str(error)
    else:
        yield "conditions", "the words say them, and the record has no `tree`"


# ── The reference ────────────────────────────────────────────────────────────────────

CONTENT = (
    "general:choose_from", "general:judge", "chemistry:molecular_validity",
    "chemistry:atom_count_constraint", "chemistry:atom_bond_constraint", "chemistry:atom_group_constraint",
    "geography:address_hierarchy", "geography:scene_option_constraint",
    "biology:entity_relationship_format_validity", "biology:protein_length",
    "material:characterization_technique", "material:property_type",
)  # fmt: skip
"""Constraints on what an answer says; the others are about its dress, which a reference lacks."""


def _reference(sample: Sample) -> Found:
    if sample.reference is None:
        open_ended = sample.facets.get("task_type", "").startswith("chemistry_molcustom")
        if sample.benchmark != DOMAIN and not open_ended:  # Of video no correctness is graded.
            yield "reference", "there is none, so that correctness cannot be graded"
        return
    text = reference_text(sample.reference)
    if text.strip().casefold() in {"", "null", "none", "nan", "n/a"}:
        yield "reference", f"it is {text!r}, which says nothing"
        return
    for index, item in enumerate(sample.checklist):
        if reason := _fault(item, text):
            yield "reference", f"checklist[{index}] {item.constraint_id} fails it: {reason}"


def reference_text(reference: Any) -> str:
    """A reference as an answer would give it."""
    if isinstance(reference, str):
        return reference
    if isinstance(reference, Mapping | list):
        return json.dumps(reference, ensure_ascii=False)
    return str(reference)


def _fault(item: ChecklistItem, text: str) -> str:
    """Why a right answer, given as the reference gives it, would break the constraint."""
    known = all_constraints()
    if isinstance(item.params, UnboundParams) or item.constraint_id not in known:
        return ""
    if item.constraint_id == "general:decimal_number":
        return _lost_by_rounding(text, getattr(item.params, "places", 0))
    is_cased = item.constraint_id in {"general:all_uppercase", "general:all_lowercase"}
    has_unit = item.constraint_id.endswith(":unit_consistency") and _has_unit(text)
    if item.constraint_id not in CONTENT and not is_cased and not has_unit:
        return ""
    if is_cased:
        return _lost_by_case(text, upper=item.constraint_id.endswith("uppercase"))
    if getattr(item.params, "unit", None) and not has_unit and not _has_unit(text):
        return ""  # The unit is dress.
    check = run_check(
        CheckCall(constraint_id=item.constraint_id, params=item.params, text=text)
    ) or run_check(
        CheckCall(
            constraint_id=item.constraint_id, params=item.params, text=text, quotations=(text,)
        )
    )
    return check.reason if check is not None and check.outcome is Outcome.FAIL else ""


_MIXED = re.compile(r"\b(?=\w*[a-z])\w+[A-Z]\w*|\b[A-Z][a-z]?\d\w*")
_ACRONYM = re.compile(r"\b[A-Z]{2,}\b")


def _lost_by_case(text: str, *, upper: bool) -> str:
    """A name whose case has a meaning (NaCl, pH, CO2, TEM); "No" may be written "NO"."""
    name = _MIXED.search(text) or (None if upper else _ACRONYM.search(text))
    if name is None or (name[0].isupper() if upper else name[0].islower()):
        return ""
    return f"`{name[0]}` is not itself in {'upper' if upper else 'lower'} case"


def _has_unit(text: str) -> bool:
    quantities = quantities_in(text)
    return bool(quantities) and bool(re.search(r"[^\W\d_]", quantities[-1].unit_text(text)))


_LOST = 0.05
"""Relative; a grader's tolerance is not wider."""


def _lost_by_rounding(text: str, places: int) -> str:
    quantities = quantities_in(text)
    if len(quantities) != 1 or text.strip() != text[quantities[0].start : quantities[0].end]:
        return ""
    try:
        value = float(text.replace("\u2212", "-").replace(",", ""))
    except ValueError:
        return ""
    rounded = round(value, places)
    if value and abs(rounded - value) > _LOST * abs(value):
        return f"rounded to {places} decimal places, {text.strip()} becomes {rounded:g}"
    return ""


_LOOKS: tuple[Callable[[Sample], Found], ...] = (
    _question,
    _pictures,
    _parameters,
    _checklist,
    _contradictions,
    _conditions,
    _reference,
)

KINDS: Mapping[Kind, str] = MappingProxyType(
    {
        "input": "the question lacks what it is about",
        "parameters": "parameters that no parser could read; the item stays undecided, or a judge decides on its question",
        "media": "pictures that cannot be read, so that nobody can be asked",
        "checklist": "constraints that are missing, unknown or not those chosen",
        "contradiction": "constraints that no answer can obey together",
        "conditions": "conditional instructions that no table by depth or branch can count",
        "reference": "references that are missing, or break the sample's own constraints",
    }
)
"""What each kind means, in the order in which a report lists them."""
