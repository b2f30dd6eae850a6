"""LLM4Mat-Bench: properties of crystals (vertaix/LLM4Mat-Bench; Materials Project, CC-BY-4.0).

A CSV row holds a formula, a structure (a Python literal), a text of up to 19,000 characters that
Robocrystallographer wrote, and ten properties. Each row makes three seeds, each about another
property: all ten would repeat one long text ten times.
"""

from __future__ import annotations

import ast
import csv
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ifbench.benchmarks.encodings import first_flaw
from ifbench.benchmarks.scimif.sources.source import AnswerKind, Seed, Skipped, Source
from ifbench.errors import DatasetError

QUESTIONS_PER_ROW = 3

_FIELD_LIMIT = 2**31 - 1  # Cells hold whole CIF files; Python's own limit is 131,072.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Property:
    """A column to be predicted, and the question for it."""

    question: str
    answer: AnswerKind


def _number(words: str, unit: str) -> _Property:
    question = f"Predict the {words} of this material. Give one number, in {unit}."
    return _Property(question=question, answer=AnswerKind.NUMBER)


def _yes_no(question: str) -> _Property:
    return _Property(question=question, answer=AnswerKind.YES_NO)


PROPERTIES: Mapping[str, _Property] = MappingProxyType(
    {
        "formation_energy_per_atom": _number("formation energy per atom", "eV/atom"),
        "band_gap": _number("band gap", "eV"),
        "is_stable": _yes_no(
            "Is this material thermodynamically stable, that is, does it lie on the convex hull?"
        ),
        "density": _number("density", "g/cm³"),
        "energy_above_hull": _number("energy above the convex hull", "eV/atom"),
        "volume": _number("volume of the unit cell", "Å³"),
        "is_gap_direct": _yes_no("Does this material have a direct band gap?"),
        "efermi": _number("Fermi energy", "eV"),
        "energy_per_atom": _number(
            "total energy per atom, by density functional theory", "eV/atom"
        ),
        "density_atomic": _number("volume per atom", "Å³/atom"),
    }
)
"""The ten columns, in an order in which neighbours differ in kind."""

_COLUMNS = ("material_id", "formula_pretty", "structure", "description", *PROPERTIES)


def read_llm4mat_bench(path: Path, max_characters: int) -> Iterator[Seed | Skipped]:
    """The seeds of one CSV file. A text that is too long is cut, and the provenance says so."""
    names = list(PROPERTIES)
    for index, row in enumerate(_rows(path)):
        where = f"{path} record {index}"
        atoms = _count_atoms(row["structure"], where)
        for turn in range(QUESTIONS_PER_ROW):
            name = names[(index * QUESTIONS_PER_ROW + turn) % len(names)]
            yield _seed(row, name, atoms, index, path, max_characters)


def _rows(path: Path) -> Iterator[Mapping[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file, _long_cells():
            reader = csv.DictReader(file, strict=True)
            missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise DatasetError(
                    f"{path}: no CSV file of LLM4Mat-Bench: the columns {', '.join(missing)} "
                    "are missing"
                )
            index = -1
            for index, row in enumerate(reader):
                if None in row or None in row.values():
                    raise DatasetError(
                        f"{path} record {index}: the row has another number of cells than the "
                        f"header, which has {len(reader.fieldnames or ())}"
                    )
                yield row
            if index < 0:
                raise DatasetError(f"{path}: the file holds no record")
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} {first_flaw(path)}") from error
    except csv.Error as error:
        raise DatasetError(f"{path}: no readable CSV: {error}") from error


@contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(_FIELD_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _count_atoms(cell: str, where: str) -> int:
    """Atoms in the unit cell; without it a volume could not be told.

    The cell is a Python literal (single quotes, `True`), which `json` refuses.
    """
    try:
        return len(ast.literal_eval(cell)["sites"])
    except (ValueError, SyntaxError, KeyError, TypeError, RecursionError, MemoryError) as error:
        raise DatasetError(
            f"{where}: the cell `structure` is no Python literal with `sites`: "
            f"{type(error).__name__}: {str(error)[:100]}"
        ) from error


def _seed(
    row: Mapping[str, str], name: str, atoms: int, index: int, path: Path, max_characters: int
) -> Seed | Skipped:
    asked = PROPERTIES[name]
    reference = _reference(row[name], asked.answer)
    if reference is None:
        return Skipped(index=index, reason=f"the cell `{name}` holds no value")
    if not row["description"].strip():
        return Skipped(index=index, reason="the description is empty")
    head = (
        f"The following text describes the crystal structure of {row['formula_pretty']}. "
        f"The unit cell holds {atoms} atom{'' if atoms == 1 else 's'}.\n\n"
    )
    room = max_characters - len(head) - len(asked.question) - 2
    description = cut_at_sentence(row["description"].strip(), room)
    if not description:
        return Skipped(index=index, reason=f"no sentence fits into {max_characters} characters")
    provenance = {
        "file": path.name,
        "record": str(index),
        "material_id": row["material_id"],
        "property": name,
    }
    if len(description) < len(row["description"].strip()):
        provenance["cut"] = (
            f"the description was cut from {len(row['description'].strip())} "
            f"to {len(description)} characters"
        )
    return Seed(
        id=f"{path.stem}/{row['material_id']}/{name}",
        question=f"{head}{description}\n\n{asked.question}",
        reference=reference,
        answer=asked.answer,
        answer_name=name,
        task_type="material_property_prediction",
        discipline="material",
        source="LLM4Mat-Bench",
        provenance=provenance,
    )


def cut_at_sentence(text: str, limit: int) -> str:
    """The longest run of whole sentences from the start that has at most `limit` characters."""
    if len(text) <= limit:
        return text
    end = text.rfind(". ", 0, max(limit, 0))
    return text[: end + 1] if end > 0 else ""


def _reference(cell: str, answer: AnswerKind) -> float | str | None:
    if answer is AnswerKind.YES_NO:
        return {"true": "Yes", "false": "No"}.get(cell.strip().lower())
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


LLM4MAT_BENCH = Source(
    name="llm4mat_bench",
    title="LLM4Mat-Bench",
    licence="CC-BY-4.0 (Materials Project)",
    files="a CSV file of data/mp (train, validation or test)",
    read=read_llm4mat_bench,
)
