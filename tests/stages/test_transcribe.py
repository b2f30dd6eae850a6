"""Subtitles from a video's sound: for whom, how they are read, and where they stand."""

import asyncio
import json
from dataclasses import replace

import pytest

from ifbench.keys import prompt_key
from ifbench.stages import rows
from ifbench.stages.roles import Roles
from ifbench.stages.transcribe import ask_transcript, films_to_transcribe, read_transcript
from ifbench.types import (
    Failure,
    FailureKind,
    FramesPolicy,
    MediaPolicy,
    NativePolicy,
    Purpose,
    Stop,
    Text,
    View,
    WavePolicy,
)
from tests.factories import (
    make_failure,
    make_media,
    make_model,
    make_response,
    make_sample,
    make_trial,
    make_work,
)

FILM = make_media(kind="video", uri="film.mp4", sha256="a" * 64)
WORDS = make_media(kind="subtitles", uri="film.srt", sha256="b" * 64)


def work(*media, **policy):
    model = make_model(media=MediaPolicy(**policy))
    return make_work(make_sample(media=media, instruction="What is said?"), candidate=model)


@pytest.mark.parametrize(
    ("media", "policy", "is_wanted"),
    [
        ((FILM,), {}, True),
        ((FILM, FILM), {}, True),
        ((FILM, WORDS), {}, False),
        ((FILM,), {"sound": "with"}, False),
        ((FILM,), {"subtitles": "without"}, False),
        ((FILM,), {"video": NativePolicy()}, False),
        ((FILM,), {"video": FramesPolicy(count=50)}, True),
        ((make_media(),), {}, False),
        ((), {}, False),
    ],
)
def test_who_misses_the_sound_gets_it_in_writing(media, policy, is_wanted):
    assert films_to_transcribe(work(*media, **policy)) == ((FILM,) if is_wanted else ())


def test_the_transcriber_hears_the_sound_and_nothing_of_the_sample():
    prompt = ask_transcript(FILM, make_model("ears"))
    assert prompt.purpose is Purpose.TRANSCRIBE
    assert prompt.parts[0] == View(media=FILM, policy=WavePolicy())
    again = ask_transcript(replace(FILM, uri="elsewhere.mp4"), make_model("ears"))
    assert prompt_key(prompt) == prompt_key(again)


def reply(*cues, **changed):
    entries = [dict(zip(("start", "end", "text"), cue, strict=True)) for cue in cues]
    return make_response(json.dumps({"cues": entries}), **changed)


def test_cues_become_lines_in_the_order_of_time():
    written = read_transcript(reply((3, 4.5, "Mia: two\nlines"), (0.5, 2, "[bell]"), (5, 6, " ")))
    assert written == (
        "Subtitles:\n[00:00.500 - 00:02.000] [bell]\n[00:03.000 - 00:04.500] Mia: two lines"
    )


def test_silence_is_said():
    assert read_transcript(reply()) == "Subtitles: none."


@pytest.mark.parametrize(
    "text",
    [
        "Somebody speaks.",
        '{"cues": [{"start": 2, "end": 1, "text": "x"}]}',
        '{"cues": [{"start": -1, "end": 1, "text": "x"}]}',
        '{"cues": [{"start": "0:01", "end": 1, "text": "x"}]}',
        '{"cues": [{"start": 0, "text": "x"}]}',
        "",
    ],
)
def test_what_is_no_list_of_cues_is_a_failure(text):
    found = read_transcript(make_response(text))
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.MEDIA


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        (FailureKind.TIMEOUT, FailureKind.TIMEOUT),
        (FailureKind.NOT_RUN, FailureKind.NOT_RUN),
        (FailureKind.REFUSAL, FailureKind.MEDIA),  # Not the candidate's refusal.
        (FailureKind.EMPTY, FailureKind.MEDIA),
    ],
)
def test_a_transcriber_s_failure_is_never_held_against_the_candidate(kind, kept):
    found = read_transcript(make_failure(kind))
    assert found.kind is kept
    assert found.blame == "infrastructure"


# ── As part of a row ─────────────────────────────────────────────────────────────────

HEARD = reply((0, 1, "Good morning."))


def generated(*replies, sample_media=(FILM,), roles=None):
    asked = []
    waiting = list(replies)

    async def ask(prompt):
        asked.append(prompt)
        return waiting.pop(0)

    trial = make_trial(make_sample(media=sample_media, instruction="What is said?"))
    ears = Roles(transcriber=make_model("ears"), attempts=2)
    return asyncio.run(rows.generate(trial, ask, roles or ears)), asked


def test_subtitles_stand_behind_the_video_and_before_the_question():
    done, asked = generated(HEARD, make_response("Good morning."))
    film, words, question = asked[1].parts
    assert film.media == FILM
    assert words == Text(text="Subtitles:\n[00:00.000 - 00:01.000] Good morning.\n\n")
    assert question == Text(text="What is said?")
    assert done.response.text == "Good morning."


def test_a_reply_that_cannot_be_read_is_asked_for_once_more():
    _, asked = generated(make_response("?", stop=Stop.LENGTH), HEARD, make_response("Hello."))
    assert [prompt.purpose for prompt in asked] == ["transcribe", "transcribe", "candidate"]
    assert [prompt.attempt for prompt in asked] == [0, 1, 0]


def test_without_subtitles_the_candidate_is_not_asked_and_the_row_is_owed():
    done, asked = generated(make_response("?"), make_response("?"))
    assert [prompt.purpose for prompt in asked] == ["transcribe", "transcribe"]
    assert done.response.failure.kind is FailureKind.MEDIA
    assert "no subtitles could be made" in done.response.failure.message
    assert not done.response.is_answered


def test_an_outage_is_not_asked_again_at_once():
    done, asked = generated(make_failure(FailureKind.TRANSPORT))
    assert len(asked) == 1
    assert done.response.failure.kind is FailureKind.TRANSPORT


@pytest.mark.parametrize("media", [(FILM, WORDS), ()])
def test_where_nothing_is_to_be_written_nobody_is_asked(media):
    _, asked = generated(make_response("Hello."), sample_media=media)
    assert [prompt.purpose for prompt in asked] == ["candidate"]


def test_without_a_transcriber_the_candidate_sees_the_pictures_alone():
    _, asked = generated(make_response("Hello."), roles=Roles())
    assert [prompt.purpose for prompt in asked] == ["candidate"]
    assert len(asked[0].parts) == 2
