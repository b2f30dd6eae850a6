"""Whether an answer is right: what a script is told, what a grader is asked, what it replies.

Pure on all sides. Correctness is asked of the original question, before constraints were added
(SciMIF, D.2). The protocol is CompassVerifier's: A correct, B incorrect, C invalid, which counts
as incorrect and is shown apart. The prompt is ours. Samples without a reference are graded by
their source's counts: a molecule that was asked for by its atoms, bonds or groups is right when
it has them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ifbench.constraints.constraint import Check, failed, passed, undecided
from ifbench.constraints.grading import (
    CORRECTNESS,
    GRADING_VERSION,
    GradingParams,
    check_correctness,
)
from ifbench.constraints.running import CheckCall, run_check
from ifbench.media.errors import MediaError
from ifbench.media.places import split_markers
from ifbench.parsing.boxes import boxes_in
from ifbench.parsing.replies import Unreadable
from ifbench.parsing.text_forms import bare
from ifbench.prompts import render, system_text, template_hash
from ifbench.stages.judge import budgeted
from ifbench.stages.verify import answer_of
from ifbench.types import (
    CAUSE_OF_FAILURE,
    Blame,
    Cause,
    ChecklistItem,
    Failure,
    FailureKind,
    Grade,
    ModelConfig,
    Outcome,
    Part,
    Prompt,
    Purpose,
    Response,
    Rules,
    Sample,
    Stop,
    Text,
    UnboundParams,
    Verdict,
    View,
    WorkItem,
)

TEMPLATE = "answer"
SCRIPT = f"script:{CORRECTNESS}@{GRADING_VERSION}"
"""How verdicts call the script."""

COUNTS = frozenset({
    "chemistry:atom_count_constraint",
    "chemistry:atom_bond_constraint",
    "chemistry:atom_group_constraint",
})  # fmt: skip
"""The constraints that hold the counts of S2-TOMG-Bench, the source without references."""


# ── By script ────────────────────────────────────────────────────────────────────────


def question_of(sample: Sample) -> str:
    """What correctness is asked of."""
    return sample.original_instruction or sample.instruction


def grading_params(sample: Sample) -> GradingParams | None:
    """What the script is told of a sample; `None` without a reference."""
    if sample.reference is None:
        return None
    told: dict[str, Any] = {"reference": sample.reference, "question": question_of(sample)}
    for entry in sample.checklist:
        told |= _told_by(entry)
    return GradingParams(**told)


def _told_by(entry: ChecklistItem) -> Mapping[str, Any]:
    """What a constraint of the sample says of the answer's kind."""
    params = entry.params
    if isinstance(params, UnboundParams):
        return {}
    given = params.model_dump()
    if entry.constraint_id == "general:choose_from":
        return {name: given[name] for name in ("options", "labels", "mode", "ignore_case")}
    if entry.constraint_id == "chemistry:molecular_validity" and given["system"] != "iupac":
        return {"system": given["system"]}
    return {}


def correctness_call(sample: Sample, answer: str) -> CheckCall | None:
    """The script to run on an answer; `None` where there is nothing to compare it with."""
    params = grading_params(sample)
    if params is None:
        return None
    return CheckCall(constraint_id=CORRECTNESS, params=params, text=answer)


def settled_correctness(item: WorkItem, response: Response) -> Check | None:
    """The check of an answer that is not there (grade C, or owed); `None` of any other."""
    failure = response.failure
    if failure is not None and failure.blame is Blame.INFRASTRUCTURE:
        return undecided(CAUSE_OF_FAILURE[failure.kind], f"no answer: {failure.message}")
    if failure is not None:
        words = f"no answer ({failure.kind.value}): {failure.message}".rstrip(": ")
        return failed(words, found={"grade": "C"})
    if not answer_of(response).strip():
        return failed("the answer is empty", found={"grade": "C"})
    if item.sample.reference is None and not count_items(item.sample):
        return undecided(Cause.NO_REFERENCE, "the sample has no reference and no counts")
    return None


def count_items(sample: Sample) -> tuple[int, ...]:
    """The checklist items that decide a sample without reference: its source's counts."""
    if sample.reference is not None:
        return ()
    return tuple(i for i, e in enumerate(sample.checklist) if e.constraint_id in COUNTS)


def graded_by_counts(sample: Sample, verdicts: Sequence[Verdict]) -> Check:
    """Right when every count is met, wrong when one is not; what is undecided stays so."""
    counts = set(count_items(sample))
    own = [v for v in verdicts if v.aspect == "constraint" and v.item in counts]
    missed = next((v for v in own if v.outcome is Outcome.FAIL), None)
    if missed is not None:
        return failed(f"by its source's counts: {missed.reason}", extracted=missed.extracted)
    open_one = next((v for v in own if v.outcome is Outcome.UNDECIDED), None)
    if open_one is not None or len(own) < len(counts):
        cause = (open_one.cause if open_one else None) or Cause.NOT_RUN
        return undecided(cause, f"a count is undecided: {open_one.reason if open_one else ''}")
    return passed("every count of its source is met", extracted=own[-1].extracted)


def grade_by_script(sample: Sample, answer_text: str) -> tuple[Grade, str] | None:
    """Grade and reason in this process, for who has no sandbox; `None` where rules cannot tell."""
    checks: list[Check | None]
    params = grading_params(sample)
    if params is not None:
        checks = [check_correctness(answer_text, params)]
    else:
        entries = [sample.checklist[index] for index in count_items(sample)]
        checks = [
            run_check(CheckCall(constraint_id=e.constraint_id, params=e.params, text=answer_text))
            for e in entries
            if not isinstance(e.params, UnboundParams)
        ]
        if len(checks) < max(1, len(entries)):
            return None
    wrong = next((c for c in checks if c is not None and c.outcome is Outcome.FAIL), None)
    if wrong is not None:
        return ("B" if answer_text.strip() else "C"), wrong.reason
    if any(check is None or check.outcome is not Outcome.PASS for check in checks):
        return None
    last = checks[-1]
    assert last is not None, "every check has passed"
    return "A", last.reason


# ── By a model ───────────────────────────────────────────────────────────────────────


def ask_grader(
    item: WorkItem,
    response: Response,
    grader: ModelConfig,
    *,
    with_media: bool = False,
    attempt: int = 0,
    larger: bool = False,
) -> Prompt | Failure:
    """The grader's prompt, or why it cannot be built; the caller has settled what needs none."""
    sample = item.sample
    views: tuple[Part, ...] = ()
    if with_media:
        try:
            parts = split_markers(question_of(sample), sample.media, grader.media)
        except MediaError as error:
            return Failure(kind=FailureKind.MEDIA, message=f"sample {sample.id}: {error}")
        views = tuple(part for part in parts if isinstance(part, View))
    words = render(
        "grade",
        TEMPLATE,
        instruction=question_of(sample),
        reference=_shown(sample.reference),
        answer=answer_of(response),
        pictures=bool(views),
        attempt=attempt,
    )
    return Prompt(
        purpose=Purpose.CORRECTNESS,
        model=grader,
        parts=(*views, Text(text=words)),
        system=system_text(),
        sampling=budgeted(grader.sampling, attempt=attempt, larger=larger),
        attempt=attempt,
    )


def _shown(reference: object) -> str:
    if isinstance(reference, str):
        return reference
    return json.dumps(reference, ensure_ascii=False)


def read_grader(reply: Response) -> Check:
    """The grader's letter as a check; a reply without exactly one letter is undecided."""
    if reply.failure is not None and reply.failure.kind is not FailureKind.EMPTY:
        cause = CAUSE_OF_FAILURE.get(reply.failure.kind, Cause.GRADER_UNREADABLE)
        failure = f"{reply.failure.kind.value}: {reply.failure.message}".rstrip(": ")
        return undecided(cause, f"the grader gave no reply ({failure})")
    grade = read_grade(answer_of(reply))
    if isinstance(grade, Unreadable):
        is_cut = reply.stop is Stop.LENGTH
        cause = Cause.GRADER_TRUNCATED if is_cut else Cause.GRADER_UNREADABLE
        where = "was cut off" if is_cut else "cannot be read"
        return undecided(cause, f"the grader's reply {where}: {grade.reason}")
    found = {"grade": grade}
    if grade == "A":
        return passed("the grader says A, correct", found=found)
    words = "B, incorrect" if grade == "B" else "C, invalid"
    return failed(f"the grader says {words}", found=found)


_WORDS: Mapping[str, Grade] = {"correct": "A", "incorrect": "B", "invalid": "C"}
_LETTER = re.compile(
    r"[\s*_`\"'(\[]*(?P<letter>[ABC])[\s*_`\"')\]]*[.:]?[\s*_(]*(?P<word>[a-z]*)\W*",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"(?:(?:final|my|the)\s+)*(?:grade|judge?ment|verdict|answer|label)\s*(?:is|[:：=])\s*",
    re.IGNORECASE,
)


def read_grade(text: str) -> Grade | Unreadable:
    r"""The one letter of a reply: alone, in the last `\boxed{}`, or on the last line.

    A word beside it must agree (`B: incorrect`). Letters in prose are never looked for: "A" is an
    article.
    """
    if not text.strip():
        return Unreadable(reason="the reply is empty")
    whole = _grade_of(text)
    if whole is not None:
        return whole
    boxes = [box for box in boxes_in(text) if box.is_closed]
    if boxes:
        grades = {grade for box in boxes if (grade := _grade_of(box.content(text)))}
        if len(grades) > 1:  # One may be quoted from the answer, which wants to be an A.
            return Unreadable(reason=f"boxes with several grades: {', '.join(sorted(grades))}")
        grade = _grade_of(boxes[-1].content(text))
        after = _grade_of(_VERDICT.sub("", _last_line(text), count=1))
        if grade and after and after != grade:
            return Unreadable(reason=f"the box says {grade}, the last line {after}")
        return grade or Unreadable(reason="the last box holds none of A, B and C")
    last = _last_line(text)
    grade = _grade_of(_VERDICT.sub("", last, count=1))
    return grade or Unreadable(reason=f"no letter stands alone in {last[:80]!r}")


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1].strip(" *_#>")


def _grade_of(text: str) -> Grade | None:
    if len(text) > 80:
        return None
    words = bare(text)
    match = _LETTER.fullmatch(words)
    if match is None:
        return None
    letter, word = match["letter"], match["word"].casefold()
    if not letter.isupper() or (word and _WORDS.get(word) != letter):
        return None
    return letter  # type: ignore[return-value]  # One of the three, by the pattern.


# ── Verdicts ─────────────────────────────────────────────────────────────────────────


def correctness_verdict(
    item: WorkItem,
    check: Check,
    *,
    grader: str = SCRIPT,
    rules: Rules = "paper",
    asked: tuple[str, ...] = (),
) -> Verdict:
    """A check as the verdict on a trial's correctness."""
    is_right = None if check.outcome is Outcome.UNDECIDED else check.outcome is Outcome.PASS
    grade: Grade | None = check.found.get("grade")
    if grade is None and is_right is not None:
        grade = "A" if is_right else "B"
    return Verdict(
        sample_id=item.sample.id,
        candidate=item.candidate.name,
        attempt=item.attempt,
        aspect="correctness",
        item=0,
        constraint_id=CORRECTNESS,
        outcome=check.outcome,
        cause=check.cause,
        requirements=(is_right,),
        grader=grader,
        rules=rules,
        reason=check.reason,
        evidence=check.evidence,
        extracted=check.extracted,
        asked=asked,
        grade=grade,
    )


def model_grader(grader: ModelConfig) -> str:
    """How verdicts call a model that grades: the prompt, its hash, the model."""
    return f"grade:{CORRECTNESS} grade/{TEMPLATE}@{template_hash('grade', TEMPLATE)} {grader.name}"
