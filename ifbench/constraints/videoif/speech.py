"""Four types on speech and sources: whose words, from where, and when (Table 6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ifbench.constraints.constraint import Example, NoParams, Params
from ifbench.constraints.videoif.judging import SoughtWords, judged_type, seen_words, shown_spans
from ifbench.parsing.quoted_passages import quoted_passages
from ifbench.parsing.time_spans import time_points, time_spans

source_restriction = judged_type(
    "source_restriction",
    group="speech",
    description="Only stated sources are cited: speakers, visible text, graphics, documents.",
    rubric=(
        "source. What the answer cites or rests on has to come from the allowed sources alone (a "
        "speaker, text on screen, a graphic, a document). Content of another source, or a quotation "
        "whose source is another one by the facts, breaks it."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={},
        instruction="Cite only text of the scoreboard, and nothing that is said.",
        passing="The scoreboard reads 2:1.",
        failing='The scoreboard reads 2:1, and the speaker says "what a game".',
    ),
)

_LABELLED = re.compile(
    r"[\w)\]*] ?[:：,，][\s*_]{0,4}$|(?:says?|said|asks?|asked|说|道)[\s:,*_]{0,4}$"
)


def _seen_quotes(text: str, params: Params) -> Mapping[str, Any]:
    del params
    quotes = quoted_passages(text)
    bound = sum(
        _LABELLED.search(text[max(quote.start - 30, 0) : quote.start - 1]) is not None
        for quote in quotes
    )
    if not quotes:
        return {"seen": "nothing in it stands in quotation marks."}
    return {"seen": f"{len(quotes)} passages stand in quotation marks; a label or a verb of "
                    f"saying stands right before {bound} of them."}  # fmt: skip


speaker_speech_binding = judged_type(
    "speaker_speech_binding",
    group="speech",
    description="Every piece of speech is bound to a speaker.",
    rubric=(
        "speaker of speech. Each thing said that the answer quotes or reports is bound to one "
        "definite speaker, the right one by the facts. 'Someone says' binds nothing."
    ),
    params=NoParams,
    prepare=_seen_quotes,
    example=Example(
        params={},
        instruction="Bind every piece of speech to its speaker.",
        passing='The guide: "Mind the step." The boy: "Which step?"',
        failing='One hears "Mind the step" and "Which step?".',
    ),
)

_PLACE = re.compile(
    r"(?<!\w)(?:left|right|cent(?:er|re)|middle|foreground|background|top|bottom)(?!\w)"
    r"|左|右|中间|中央|前景|背景",
    re.IGNORECASE,
)


def _seen_places(text: str, params: Params) -> Mapping[str, Any]:
    quotes = _seen_quotes(text, params)["seen"]
    count = sum(1 for _ in _PLACE.finditer(text))
    return {"seen": f"{quotes} Words for a place on screen: {count}."}


speaker_localization_constraint = judged_type(
    "speaker_localization_constraint",
    group="speech",
    description="Each speaker is located on screen by a coarse position.",
    rubric=(
        "place of speakers. Each speaker that the answer refers to is given a coarse place on "
        "screen or relative to something seen (left, centre, right, beside …), the right one by "
        "the facts."
    ),
    params=NoParams,
    prepare=_seen_places,
    example=Example(
        params={},
        instruction="Say of each piece of speech whether its speaker is left, centre or right.",
        passing='The guide, left: "Mind the step." The boy, right: "Which step?"',
        failing='The guide: "Mind the step." The boy: "Which step?"',
    ),
)


def _seen_spans(text: str, params: Params) -> Mapping[str, Any]:
    del params
    spans = time_spans(text)
    backwards = sum(span.end_s < span.begin_s for span in spans)
    lone = sum(point.seconds is not None for point in time_points(text)) - 2 * len(spans)
    if not spans:
        return {"seen": f"it names no span of time, and {max(lone, 0)} single times."}
    words = f"{len(spans)} spans: {shown_spans(spans)}; {max(lone, 0)} single times beside them."
    return {"seen": f"{words} {backwards} spans end before they begin." if backwards else words}


segment_localization = judged_type(
    "segment_localization",
    group="speech",
    description="Each piece of speech or segment has its start and end time in the video.",
    rubric=(
        "segment times. Each piece of speech or segment that the answer refers to has both a start "
        "and an end time; each lies within a second or two of the facts, and no end comes before "
        "its start."
    ),
    params=NoParams,
    prepare=_seen_spans,
    example=Example(
        params={},
        instruction="Give the start and end time of every piece of speech.",
        passing='[00:05 - 00:07] "Mind the step." [00:08 - 00:09] "Which step?"',
        failing='At 00:05: "Mind the step." Then: "Which step?"',
    ),
)
