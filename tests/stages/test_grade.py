"""Correctness: what a script settles, what a grader is asked, and how its letter is read."""

from __future__ import annotations

import asyncio

import pytest

from factories import (
    make_failure,
    make_item,
    make_media,
    make_model,
    make_response,
    make_sample,
    make_trial,
    make_verdict,
)
from factories import make_work as make_plain_work
from ifbench.constraints.constraint import Params
from ifbench.constraints.running import run_check
from ifbench.constraints.scimif.letter import LetterCase
from ifbench.constraints.scimif.number import AtomCountParams
from ifbench.constraints.scimif.selection import ChooseFrom
from ifbench.parsing.replies import Unreadable
from ifbench.stages import rows
from ifbench.stages.grade import (
    ask_grader,
    correctness_call,
    grade_by_script,
    graded_by_counts,
    grading_params,
    read_grade,
    read_grader,
    settled_correctness,
)
from ifbench.stages.roles import Roles
from ifbench.types import (
    Blame,
    Cause,
    ChecklistItem,
    Failure,
    FailureKind,
    Outcome,
    Purpose,
    Sampling,
    Stop,
    Text,
    View,
)

GRADER = make_model("grader", sampling=Sampling(temperature=0.0, max_tokens=50, seed=3))
CARBONS = ChecklistItem(
    constraint_id="chemistry:atom_count_constraint", params=AtomCountParams(atoms={"C": 2, "O": 1})
)
DESIGN = make_sample(reference=None, checklist=(CARBONS,))


def make_work(**fields):
    return make_plain_work(make_sample(**fields))


def words(prompt):
    return "".join(part.text for part in prompt.parts if isinstance(part, Text))


# ── By script ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("answer", "grade"),
    [
        ("6", "A"),
        (r"\boxed{6}", "A"),
        ("9", "B"),
        ("six", None),
        ("I do not know.", None),
        ("", "C"),
    ],
)
def test_a_script_grades_where_it_can_and_else_says_nothing(answer, grade):
    found = grade_by_script(make_sample(), answer)
    assert (found and found[0]) == grade


def test_correctness_is_asked_of_the_original_question():
    sample = make_sample(instruction="In eV?", original_instruction="In hartree?")
    assert grading_params(sample).question == "In hartree?"
    assert grading_params(make_sample(original_instruction="")).question == sample_question()


def sample_question():
    return make_sample().instruction


def test_options_of_the_checklist_help_to_read_the_answer():
    item = make_item("general:choose_from", params=ChooseFrom(options=("phenol", "aniline")))
    sample = make_sample(reference="phenol", checklist=(item,))
    assert grade_by_script(sample, "The answer is aniline.")[0] == "B"
    assert grade_by_script(make_sample(reference="phenol"), "The answer is aniline.") is None


def test_the_call_to_the_sandbox_survives_the_way_there_as_text():
    call = correctness_call(make_sample(reference={"a": [1, "x"], "b": "yes"}), "a: 1, x\nb: no")
    assert isinstance(call.params, Params)
    there = type(call)(constraint_id=call.constraint_id, params=call.params_json, text=call.text)
    assert run_check(there) == run_check(call)
    assert run_check(there).outcome is Outcome.FAIL


@pytest.mark.parametrize(("answer", "grade"), [("CCO", "A"), ("CCN", "B"), ("", "C")])
def test_a_molecule_without_reference_is_graded_by_its_counts(answer, grade):
    assert grade_by_script(DESIGN, answer)[0] == grade


def test_a_sample_with_neither_reference_nor_counts_is_undecided():
    check = settled_correctness(make_work(reference=None), make_response())
    assert (check.outcome, check.cause) == (Outcome.UNDECIDED, Cause.NO_REFERENCE)
    assert grade_by_script(make_sample(reference=None), "CCO") is None


@pytest.mark.parametrize(
    ("outcomes", "outcome"),
    [
        ([Outcome.PASS, Outcome.PASS], Outcome.PASS),
        ([Outcome.PASS, Outcome.FAIL], Outcome.FAIL),
        ([Outcome.UNDECIDED, Outcome.FAIL], Outcome.FAIL),
        ([Outcome.PASS, Outcome.UNDECIDED], Outcome.UNDECIDED),
        ([Outcome.PASS], Outcome.UNDECIDED),
    ],
)
def test_all_counts_of_the_source_must_be_met(outcomes, outcome):
    sample = make_sample(reference=None, checklist=(CARBONS, CARBONS, make_item()))
    verdicts = [make_verdict(one, item=index) for index, one in enumerate(outcomes)]
    # What a formatting constraint says does not count.
    verdicts.append(make_verdict(Outcome.FAIL, item=2))
    assert graded_by_counts(sample, verdicts).outcome is outcome


@pytest.mark.parametrize("kind", FailureKind)
def test_an_answer_that_is_not_there_is_invalid_or_owed(kind):
    check = settled_correctness(make_work(), make_failure(kind))
    if Failure(kind=kind).blame is Blame.MODEL:
        assert (check.outcome, check.found["grade"]) == (Outcome.FAIL, "C")
    else:
        assert check.outcome is Outcome.UNDECIDED
        assert check.cause not in {None, Cause.NO_GRADER}


# ── Asking ───────────────────────────────────────────────────────────────────────────


def test_the_grader_reads_question_reference_and_answer_and_is_told_no_constraint():
    item = make_work(instruction="How many? Answer in JSON.", original_instruction="How many?")
    prompt = ask_grader(item, make_response("<think>5?</think>It is seven."), GRADER)
    assert prompt.purpose is Purpose.CORRECTNESS
    text = words(prompt)
    assert "How many?" in text
    assert "\n6\n" in text
    assert "It is seven." in text
    assert "JSON" not in text
    assert "5?" not in text


def test_a_reference_that_is_no_text_is_shown_as_json():
    prompt = ask_grader(make_work(reference={"land": "Perú"}), make_response("x"), GRADER)
    assert '{"land": "Perú"}' in words(prompt)


def test_pictures_are_shown_only_to_a_grader_that_takes_them():
    item = make_work(original_instruction="<image>\nHow many?", media=(make_media(),))
    blind = ask_grader(item, make_response("6"), GRADER)
    seeing = ask_grader(item, make_response("6 <image>"), GRADER, with_media=True)
    assert not any(isinstance(part, View) for part in blind.parts)
    assert [type(part) for part in seeing.parts] == [View, Text]


def test_pictures_without_their_place_are_a_failure_and_no_prompt():
    item = make_work(original_instruction="<image><image>", media=(make_media(),))
    refused = ask_grader(item, make_response("6"), GRADER, with_media=True)
    assert refused.kind is FailureKind.MEDIA


def test_a_later_attempt_has_another_seed_and_more_room():
    prompt = ask_grader(make_work(), make_response("6"), GRADER, attempt=2, larger=True)
    assert (prompt.attempt, prompt.sampling.seed, prompt.sampling.max_tokens) == (2, 5, 100)


# ── Reading ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("A", "A"),
        (" B\n", "B"),
        ("**C**", "C"),
        ("(A)", "A"),
        ("[B]", "B"),
        ("A.", "A"),
        ("B: INCORRECT", "B"),
        ("A (correct)", "A"),
        (r"\boxed{C}", "C"),
        (r"They agree, so \boxed{A}.", "A"),
        (r"First \boxed{A}. Once more, \boxed{\text{A}}", "A"),
        ("Both say 6.\n\nFinal Judgment: A", "A"),
        ("Both say 6.\nThe verdict is **B**.", "B"),
        ("The values differ.\nB", "B"),
    ],
)
def test_the_letter_of_a_reply(text, grade):
    assert read_grade(text) == grade


@pytest.mark.parametrize(
    "text",
    [
        "",
        "D",
        "a",
        "AB",
        "A or B",
        "A, B",
        "A: incorrect",
        "B: correct",
        "The answer is correct.",
        "A good answer, I would say",
        "correct",
        r"\boxed{6}",
        r"First \boxed{B}. On reflection, \boxed{\text{A}}",
        "The answer ends with \\boxed{A}, which counts for nothing.\nB",
        "Final judgment: A or C",
        "A\n\nB or A?",
    ],
)
def test_a_reply_without_exactly_one_letter_is_unreadable(text):
    assert isinstance(read_grade(text), Unreadable)


def test_c_is_a_failure_of_its_own_kind():
    check = read_grader(make_response("C"))
    assert (check.outcome, check.found["grade"]) == (Outcome.FAIL, "C")


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (make_response("well"), Cause.GRADER_UNREADABLE),
        (make_response("The answer", stop=Stop.LENGTH), Cause.GRADER_TRUNCATED),
        (make_failure(FailureKind.EMPTY), Cause.GRADER_UNREADABLE),
        (make_failure(FailureKind.REFUSAL), Cause.GRADER_UNREADABLE),
        (make_failure(FailureKind.TRANSPORT), Cause.TRANSPORT),
        (make_failure(FailureKind.SPENDING_CAP), Cause.SPENDING_CAP),
    ],
)
def test_a_grader_that_cannot_be_read_is_never_held_against_the_answer(reply, cause):
    check = read_grader(reply)
    assert (check.outcome, check.cause) == (Outcome.UNDECIDED, cause)


# ── One trial ────────────────────────────────────────────────────────────────────────


async def check_here(calls):
    return [run_check(call) for call in calls]


def graded(answer, roles, *letters, sample=None, response=None):
    """The score of one trial, and the prompts that the grader got."""
    asked = []

    async def ask(prompt):
        asked.append(prompt)
        return make_response(letters[min(len(asked), len(letters)) - 1], key=f"k{len(asked)}")

    async def run():
        response_ = response or make_response(answer)
        trial = make_trial(sample or make_sample(), response=response_)
        trial = await rows.verify(trial, ask, check_here, roles)
        trial = await rows.grade_by_script(trial, check_here, roles)
        return await rows.judge(await rows.grade(trial, ask, roles), ask, roles)

    return asyncio.run(run()), asked


SCRIPT = Roles(correctness="script")
BOTH = Roles(correctness="script", grader=GRADER)
MODEL = Roles(correctness="model", grader=GRADER)


def test_what_the_script_decides_costs_no_call():
    trial, asked = graded("6", BOTH, "B")
    score = trial.score
    assert (score.correct, score.grade, score.graded_by, score.ungraded) == (
        True,
        "A",
        "script",
        None,
    )
    assert asked == []
    assert trial.verdicts[-1].grader == "script:correctness@2"


def test_what_it_leaves_is_asked_of_the_grader():
    trial, asked = graded("half a dozen", BOTH, "C")
    score = trial.score
    assert (score.correct, score.grade, score.graded_by) == (False, "C", "model")
    assert len(asked) == 1
    assert trial.verdicts[-1].asked == ("k1",)
    assert trial.verdicts[-1].grader.startswith("grade:correctness grade/answer@")


def test_without_a_grader_what_is_left_is_undecided_and_not_owed():
    score = graded("half a dozen", SCRIPT)[0].score
    assert (score.correct, score.grade, score.graded_by) == (None, None, None)
    assert score.ungraded is Cause.NO_GRADER
    assert not score.is_owed
    assert score.causes == ()


def test_the_grader_alone_decides_where_the_run_says_so():
    trial, asked = graded("6", MODEL, "B")
    assert (trial.score.correct, trial.score.graded_by, len(asked)) == (False, "model", 1)


def test_nobody_grades_where_the_run_says_so():
    trial, asked = graded("6", Roles(grader=GRADER), "A")
    assert (trial.score.correct, trial.score.ungraded, trial.verdicts, asked) == (
        None,
        None,
        (),
        [],
    )


def test_an_unreadable_grader_is_asked_again_and_then_owed():
    mended, asked = graded("half a dozen", BOTH, "hm", "A")
    assert (mended.score.correct, len(asked)) == (True, 2)
    assert [prompt.attempt for prompt in asked] == [0, 1]
    given_up, asked = graded("half a dozen", BOTH, "hm")
    assert (given_up.score.ungraded, len(asked)) == (Cause.GRADER_UNREADABLE, 3)
    assert given_up.score.is_owed
    assert given_up.score.owed_causes == (Cause.GRADER_UNREADABLE,)


@pytest.mark.parametrize("roles", [SCRIPT, BOTH, MODEL])
def test_a_refusal_is_invalid_and_asks_nobody(roles):
    trial, asked = graded("", roles, "A", response=make_failure(FailureKind.REFUSAL))
    assert (trial.score.correct, trial.score.grade, asked) == (False, "C", [])


def test_a_missing_answer_leaves_correctness_owed():
    trial, _ = graded("", BOTH, "A", response=make_failure(FailureKind.TIMEOUT))
    assert (trial.score.correct, trial.score.ungraded) == (None, Cause.TIMEOUT)
    assert trial.score.is_owed


def test_counts_decide_a_sample_without_reference_whoever_grades():
    for roles in (SCRIPT, BOTH, MODEL):
        trial, asked = graded("CCO", roles, "B", sample=DESIGN)
        assert (trial.score.correct, trial.score.graded_by, asked) == (True, "script", [])


def test_adherence_is_scored_as_if_nobody_graded():
    sample = make_sample(checklist=(make_item(params=LetterCase()),))
    with_grade, without = (
        graded("six", BOTH, "A", sample=sample),
        graded("six", Roles(), sample=sample),
    )
    assert with_grade[0].score.satisfied == without[0].score.satisfied == (True,)
    assert with_grade[0].score.is_complete
    assert [verdict.aspect for verdict in with_grade[0].verdicts] == ["constraint", "correctness"]
