"""Answers from elsewhere into the store, and ours into the forms of the public releases.

An imported answer lies in the journal under the key of the prompt that it answers, as if the
candidate had been asked: `evaluate` with the same candidate finds it and asks nobody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ifbench.benchmarks.json_lines import Defects, json_lines
from ifbench.benchmarks.scimif.release import fit_places, subject_of
from ifbench.benchmarks.scimif.taxonomy import DISCIPLINES
from ifbench.benchmarks.videoif.annotations import fit_places as fit_marks
from ifbench.benchmarks.videoif.responses import (
    is_released_answer,
    raise_all,
    read_answers,
    response_files,
)
from ifbench.errors import ConfigError, DatasetError
from ifbench.keys import prompt_key
from ifbench.stages.prepare import prepare
from ifbench.store import Journal
from ifbench.types import (
    ChecklistItem,
    Failure,
    Json,
    ModelConfig,
    Purpose,
    Response,
    Sample,
    Score,
    Stop,
    UnboundParams,
    WorkItem,
)

ORIGIN = "import:"
"""How the endpoint of an imported answer begins; the file's name follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of an import."""

    stored: int
    already: int
    """Answers that the store had for the same prompts; they stay."""
    others: tuple[str, ...] = ()
    """Samples of which it had another text than the file's."""
    empty: int
    """Lines without an answer; `evaluate` will ask for those."""
    missing: int
    """Samples (and attempts at them) that the file does not answer."""


def import_answers(
    path: Path,
    samples: Iterable[Sample],
    candidate: ModelConfig,
    journal: Journal,
    *,
    attempts: int = 1,
) -> Imported:
    """Store the answers of a file of JSON lines with `id` and `response`, or of a folder of
    Video-IFBench's `*.response.json` (or one of these files).

    Ids are ours, or SciMIF's own, in a file (or folder) named for the subject. Where an
    answer says what was asked, it must be the sample's instruction. Nothing is stored unless
    everything is good. Raises `DatasetError` with every defect, and `StoreError`.
    """
    known = {sample.id: sample for sample in samples}
    reads_files = is_released_answer(path)
    answers, empty = _read_files(path, known) if reads_files else _read(path, known, attempts)
    responses: dict[str, Response] = {}
    owners: dict[str, str] = {}
    for (name, attempt), text in answers.items():
        key = _key(known[name], candidate, attempt)
        if key in responses and responses[key].text != text:
            raise DatasetError(
                f"{path}: samples {owners[key]} and {name} ask the same thing in the same words, "
                "and the file answers it in two ways; one prompt has one answer in a store"
            )
        owners[key] = name
        responses[key] = _response(key, text, candidate, path)
    before = journal.lookup(responses)
    new = [response for key, response in responses.items() if key not in before]
    journal.append(new)
    return Imported(
        stored=len(new),
        already=len(before),
        others=tuple(owners[key] for key, one in before.items() if one.text != responses[key].text),
        empty=empty,
        missing=len(known) * attempts - len(answers),
    )


def _response(key: str, text: str, candidate: ModelConfig, path: Path) -> Response:
    return Response(
        key=key,
        purpose=Purpose.CANDIDATE,
        model=candidate.model,
        text=text,
        stop=Stop.STOP,
        returned_model=candidate.model,
        endpoint=f"{ORIGIN}{path.name}",
    )


def _key(sample: Sample, candidate: ModelConfig, attempt: int) -> str:
    prompt = prepare(WorkItem(sample=sample, candidate=candidate, attempt=attempt))
    if isinstance(prompt, Failure):
        raise DatasetError(prompt.message)
    return prompt_key(prompt)


def _read(
    path: Path, known: Mapping[str, Sample], attempts: int
) -> tuple[Mapping[tuple[str, int], str], int]:
    """The answers by sample and attempt, and how many lines hold none."""
    defects = Defects(path)
    answers: dict[tuple[str, int], str] = {}
    lines: dict[tuple[str, int], int] = {}
    empty = 0
    for line in json_lines(path, defects):
        try:
            sample = _sample_of(line.fields, path, known)
            attempt = _attempt_of(line.fields, attempts)
            text = _text_of(line.fields, sample)
        except DatasetError as error:
            defects.add(line.number, str(error))
            continue
        place = (sample.id, attempt)
        first = lines.setdefault(place, line.number)
        if first != line.number:
            defects.add(line.number, f"sample {sample.id} is answered on line {first} already")
        elif text is None:
            empty += 1
        else:
            answers[place] = text
    defects.raise_any()
    return answers, empty


def _read_files(
    path: Path, known: Mapping[str, Sample]
) -> tuple[Mapping[tuple[str, int], str], int]:
    """As `_read`, of the files of Video-IFBench's runner, which asks once."""
    defects: list[str] = []
    answers: dict[tuple[str, int], str] = {}
    files: dict[str, Path] = {}
    empty = 0
    for answer in read_answers(path):
        sample = known.get(answer.case_id)
        first = files.setdefault(answer.case_id, answer.file)
        if sample is None:
            defects.append(f"{answer.file}: no sample `{answer.case_id}` in the data")
        elif first != answer.file:
            defects.append(f"{answer.file}: sample {sample.id} is answered in {first} already")
        elif not _asks(answer.instruction, sample):
            defects.append(
                f"{answer.file}: `_meta.instruction` is not the instruction of sample {sample.id}: "
                "the answer is to another question"
            )
        elif answer.text is None:
            empty += 1
        else:
            answers[(sample.id, 0)] = answer.text
    raise_all(defects)
    return answers, empty


def _asks(instruction: str | None, sample: Sample) -> bool:
    return instruction is None or fit_marks(instruction, sample.media) == sample.instruction


def _sample_of(fields: Mapping[str, Any], path: Path, known: Mapping[str, Sample]) -> Sample:
    name = fields.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = f"{subject_of(path)}/{name}"
    if not isinstance(name, str):
        raise DatasetError(f"`id` must be a sample's id, found {name!r}")
    if name not in known and (own := _in_subject(name, path, known)) is not None:
        return own
    if name not in known:
        raise DatasetError(f"no sample `{name}` in the data (benchmark.data)")
    return known[name]


def _in_subject(name: str, path: Path, known: Mapping[str, Sample]) -> Sample | None:
    """The sample that a release calls by this text, in a file that is named for its subject."""
    try:
        return known.get(f"{subject_of(path)}/{name}")
    except DatasetError:
        return None


def _attempt_of(fields: Mapping[str, Any], attempts: int) -> int:
    attempt = fields.get("attempt", 0)
    if type(attempt) is not int or not 0 <= attempt < attempts:
        raise DatasetError(
            f"`attempt` must be 0 or more, and below {attempts} (`attempts`), found {attempt!r}"
        )
    return attempt


def _text_of(fields: Mapping[str, Any], sample: Sample) -> str | None:
    if "response" not in fields:
        raise DatasetError("the key `response` is missing (null stands for no answer)")
    text = fields["response"]
    if text is not None and not isinstance(text, str):
        raise DatasetError(f"`response` must be text or null, found {text!r}")
    question = fields.get("edit_question")
    if isinstance(question, str) and fit_places(question, sample.media) != sample.instruction:
        raise DatasetError(
            f"`edit_question` is not the instruction of sample {sample.id}: the answer is to "
            "another question"
        )
    return text if text and text.strip() else None


# ── Export ───────────────────────────────────────────────────────────────────────────


def release_lines(
    samples: Mapping[str, Sample], scores: Sequence[Score], journal: Journal
) -> Iterator[tuple[str, str]]:
    """File names and lines in the form of the release's generator, for its own scorer.

    SciMIF has one file a discipline with a line an answer, Video-IFBench a file an answer. Like
    there, what was not answered is left out; of several attempts the first counts. Raises
    `ConfigError` for a score whose sample is not among `samples`.
    """
    answered = list(_answered(samples, scores, journal))
    video = [(sample, answer) for sample, answer in answered if sample.benchmark == "videoif"]
    yield from response_files(video)
    for sample, answer in answered:
        if sample.benchmark == "scimif":
            # A facet is the data's own word: only known ones may name a file.
            discipline = sample.facets.get("discipline", "")
            name = f"{discipline if discipline in DISCIPLINES else 'other'}.jsonl"
            yield name, json.dumps(_release_form(sample, answer.text), ensure_ascii=False)


def _answered(
    samples: Mapping[str, Sample], scores: Sequence[Score], journal: Journal
) -> Iterator[tuple[Sample, Response]]:
    answers = journal.lookup(score.response_key for score in scores if not score.attempt)
    for score in scores:
        if score.attempt:
            continue
        if score.sample_id not in samples:
            raise ConfigError(f"sample {score.sample_id} is not in the data that the run names")
        answer = answers.get(score.response_key)
        if answer is not None and answer.failure is None and answer.text:
            yield samples[score.sample_id], answer


_NUMBER = re.compile(r"0|-?[1-9][0-9]*")
"""As JSON writes it; `007` is a text."""


def _release_form(sample: Sample, text: str) -> dict[str, Json]:
    number = sample.provenance.get("release_id", "")
    return {
        "id": int(number) if _NUMBER.fullmatch(number) else number or sample.id,
        "edit_question": sample.instruction,
        "answer": sample.reference,
        "response": text,
        "instruction_list": [
            {
                "instruction_name": item.constraint_id.replace(":", "_"),
                "source": _SOURCES.get(item.origin, "added_general"),
                "required_parameters": _parameters(item, is_release=bool(number)),
            }
            for item in sample.checklist
        ],
    }


def _parameters(item: ChecklistItem, *, is_release: bool) -> str | None:
    """The source's own words, letter by letter; ours where the source is not the release."""
    if item.parameter_text:
        return item.parameter_text
    if is_release or isinstance(item.params, UnboundParams):
        return None
    return json.dumps(item.params.model_dump(mode="json", exclude_defaults=True))


_SOURCES = {"original": "original", "scientific": "core_task", "general": "added_general"}
