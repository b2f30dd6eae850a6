"""A model that refuses, overflows, is filtered, says nothing or is cut off has answered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.endpoint import Fault, completion, error_body

ANSWERS = {
    "glucose": (
        Fault(body=completion({}, {"content": None, "refusal": "I will not."})),
        ("refusal", "stop"),
    ),
    "A stone falls from 20 m": (
        Fault(status=400, body=error_body("too long", code="context_length_exceeded")),
        ("context_overflow", "none"),
    ),
    "molar mass of urea": (
        Fault(body=completion({}, {"content": "half a", "finish_reason": "content_filter"})),
        ("content_filter", "filter"),
    ),
    "river Nile": (Fault(body=completion({}, "")), ("empty", "stop")),
    "Machu Picchu": (
        Fault(body=completion({}, {"content": "never ending", "finish_reason": "length"})),
        (None, "length"),
    ),
}
"""A few words of a question, what the candidate says to it, and the failure and the stop that its
score must show."""


def test_a_models_own_failures_are_stored_scored_and_counted(place):
    place.behave(*(replace(fault, match=words) for words, (fault, _) in ANSWERS.items()))
    done = place.evaluate()
    assert done.code == 0
    scores = {row["sample_id"]: row for row in place.results().scores}
    for words, (_, expected) in ANSWERS.items():
        (sample,) = place.samples_with(words)
        assert (scores[sample]["failure"], scores[sample]["stop"]) == expected
        assert scores[sample]["causes"] == []
        assert expected[0] is None or not any(scores[sample]["satisfied"])
    assert answers_row(done.out) == {
        "planned": "92",
        "answered": "92",
        "truncated": "1",
        "refused": "1",
        "filtered": "1",
        "overflowed": "1",
        "empty": "1",
        "missing": "0",
    }
    place.forget()
    place.behave()
    assert place.evaluate().code == 0
    assert place.endpoint.counts()["total"] == 0


def answers_row(text: str) -> dict[str, str]:
    """The table of answers that `evaluate` prints."""
    lines = text[text.index("\nAnswers\n") :].splitlines()
    header = next(line for line in lines if "truncated" in line)
    row = lines[lines.index(header) + 2]
    return dict(zip(header.split()[1:9], row.split()[1:9], strict=True))


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        ({"content": "covered, I would say"}, "judge_unreadable"),
        pytest.param(
            {"content": '{"steps": [', "finish_reason": "length"},
            "judge_truncated",
            marks=pytest.mark.soak,
        ),
        pytest.param(
            {"content": None, "refusal": "I will not."},
            "judge_unreadable",
            marks=pytest.mark.soak,
        ),
    ],
    ids=["prose", "cut off", "refused"],
)
def test_a_judge_that_cannot_be_read_is_asked_a_few_times_and_then_left(place, reply, cause):
    place.behave(Fault(match='"model":"judge"', body=completion({}, reply)))
    done = place.evaluate("judging.attempts=2")
    assert done.code == 3
    assert done.last_line.startswith("No call is missing: raise judging.attempts")
    assert set(place.causes()) <= {cause, "extractor"}
    assert place.causes()[cause] > 0
    assert all(row["outcome"] == "undecided" for row in place.results().verdicts if row["asked"])
    place.forget()
    again = place.evaluate("judging.attempts=2")
    assert again.code == 3
    assert place.endpoint.counts()["total"] == 0
