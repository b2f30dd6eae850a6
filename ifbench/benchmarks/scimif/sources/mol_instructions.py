"""Mol-Instructions: biomolecular text tasks (zjunlp/Mol-Instructions, data CC-BY-4.0).

A file is a JSON array of `{instruction, input, output, metadata: {task}}`. Four of its tasks
make seeds. Names of substances hold commas and brackets ("1,2-DMH", "benzo[a]-pyrene"), so an
output is taken apart only where its own form is certain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict, ValidationError

from ifbench.benchmarks.binding import describe, unknown_name
from ifbench.benchmarks.encodings import first_flaw
from ifbench.benchmarks.json_lines import has_escaped_surrogates, refuse_surrogates
from ifbench.benchmarks.scimif.sources.source import AnswerKind, Seed, Skipped, Source
from ifbench.errors import DatasetError
from ifbench.types import Json


class _MetadataForm(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")  # Protein files carry more keys.

    task: str


class _RecordForm(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    instruction: str
    input: str
    output: str
    metadata: _MetadataForm


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """How one of the data set's tasks becomes seeds."""

    task_type: str
    answer: AnswerKind
    answer_name: str
    parse: Callable[[str], Json]
    """From an output to a reference; `None` where the output gives no usable one."""


def read_mol_instructions(path: Path, max_characters: int) -> Iterator[Seed | Skipped]:
    """The seeds of one file. A text that is too long is left out: a cut could lose the answer."""
    for index, entry in enumerate(_load_array(path)):
        try:
            record = _RecordForm.model_validate(entry)
        except ValidationError as error:
            problems = "; ".join(describe(error, _RecordForm))
            raise DatasetError(f"{path} record {index}: {problems}") from error
        task = _TASKS.get(record.metadata.task.strip().lower())
        if task is None:
            unknown = unknown_name("task", record.metadata.task, list(_TASKS))
            raise DatasetError(
                f"{path} record {index}: {unknown}; tasks that make samples: {', '.join(_TASKS)}"
            )
        yield _seed(record, task, index, path, max_characters)


def _load_array(path: Path) -> list[object]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        entries = json.loads(text)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} {first_flaw(path)}") from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(
            f"{path}: a JSON array of Mol-Instructions records is expected: {error}"
        ) from error
    if not isinstance(entries, list):
        raise DatasetError(
            f"{path}: a JSON array of Mol-Instructions records is expected, "
            f"found {type(entries).__name__}"
        )
    if not entries:
        raise DatasetError(f"{path}: the array holds no record")
    if has_escaped_surrogates(text):
        for index, entry in enumerate(entries):
            try:
                refuse_surrogates(entry)
            except ValueError as error:
                raise DatasetError(f"{path} record {index}: {error}") from error
    return entries


def _seed(
    record: _RecordForm, task: _Task, index: int, path: Path, max_characters: int
) -> Seed | Skipped:
    question = join_question(record.instruction, record.input)
    if not question:
        return Skipped(index=index, reason="the question is empty")
    if len(question) > max_characters:
        return Skipped(index=index, reason=f"the question has over {max_characters} characters")
    reference = task.parse(record.output)
    if not reference:
        return Skipped(index=index, reason=f"the output is no clear answer to {task.task_type}")
    return Seed(
        id=f"{path.stem}/{index}",
        question=question,
        reference=reference,
        answer=task.answer,
        answer_name=task.answer_name,
        task_type=task.task_type,
        discipline="biology",
        source="Mol-Instructions",
        provenance={
            "file": path.name,
            "record": str(index),
            "task": record.metadata.task,
            "output": record.output,
        },
    )


def join_question(instruction: str, text: str) -> str:
    """Instruction and input as two paragraphs; the release runs them into each other."""
    return "\n\n".join(part.strip() for part in (instruction, text) if part.strip())


# ── Outputs ──────────────────────────────────────────────────────────────────────────


def parse_relations(output: str) -> list[str]:
    """The relations of `(a, b), (c, d)`, each as it stands, without repeats.

    Brackets may nest. A relation with an empty slot (`(midazolam, )`) is left out; an output
    whose brackets do not match gives none.
    """
    relations: list[str] = []
    depth = start = 0
    for position, character in enumerate(output):
        if character == "(":
            if depth == 0:
                if output[start:position].strip(" ,\n"):
                    return []  # Text between relations: the form is not the one we know.
                start = position
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return []
            if depth == 0:
                relations.append(output[start : position + 1])
                start = position + 1
    if depth or output[start:].strip(" ,.\n"):
        return []
    whole = [relation for relation in relations if not re.search(r"[(,]\s*[,)]", relation)]
    return list(dict.fromkeys(whole))


def parse_names(output: str) -> list[str]:
    """The names of a joined list, without repeats.

    The joining comma follows a name at once and is followed by a blank. The texts are split
    into tokens, so a comma inside a name has blanks on both sides ("1 , 25 dihydroxy").
    """
    names = [name.strip() for name in re.split(r"(?<=\S), ", output.strip())]
    return list(dict.fromkeys(name for name in names if name))


def parse_yes_no(output: str) -> str | None:
    """`Yes` or `No`, the word that an explanation follows; a "Maybe" is neither."""
    found = re.match(r"\s*(yes|no)\b", output, re.IGNORECASE)
    return found[1].capitalize() if found else None


def _relations_task(answer_name: str) -> _Task:
    return _Task(
        task_type="biology_entity_relationship",
        answer=AnswerKind.RELATIONS,
        answer_name=answer_name,
        parse=parse_relations,
    )


_TASKS: Mapping[str, _Task] = MappingProxyType(
    {
        "chemical-disease interaction extraction": _relations_task("relations"),
        "chemical-protein interaction extraction": _relations_task("relations"),
        # The two below are not among the 22 task types of Table 12; the names are ours.
        "chemical entity recognition": _Task(
            task_type="biology_entity_recognition",
            answer=AnswerKind.NAMES,
            answer_name="entities",
            parse=parse_names,
        ),
        "true or false question": _Task(
            task_type="biology_true_or_false",
            answer=AnswerKind.YES_NO,
            answer_name="answer",
            parse=parse_yes_no,
        ),
    }
)

MOL_INSTRUCTIONS = Source(
    name="mol_instructions",
    title="Mol-Instructions",
    licence="CC-BY-4.0",
    files="a JSON array of the tasks " + ", ".join(_TASKS),
    read=read_mol_instructions,
)
