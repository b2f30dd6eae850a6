"""The one type that only the public release knows; it stands outside the paper's 39."""

from __future__ import annotations

import re
import unicodedata

from pydantic import Field

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.flaws import excerpt
from ifbench.parsing.text_forms import fold


class VerbatimSpeech(Params):
    """The utterance that the answer is to give letter by letter."""

    expected_utterance: str = Field(min_length=1, pattern=r"\S")
    ignore_case: bool = False
    embedded: bool = False
    """Whether other text may stand around it."""


_MARKS = "\"'“”‘’„«»「」『』 \t\r\n"


@scripted(
    "videoif:verbatim_speech_constraint",
    group="speech",
    params=VerbatimSpeech,
    category="verbatim_speech_constraint",
    example=Example(
        params={"expected_utterance": "Mind the step."},
        instruction="Give what the guide says, word for word.",
        passing="“Mind  the step.”",
        failing="Mind your step.",
    ),
)
def verbatim_speech_constraint(text: str, params: VerbatimSpeech) -> Check:
    """The answer is an utterance of the video, letter by letter; blanks and quotes may differ."""
    wanted = _form(params.expected_utterance, params)
    given = _form(text, params)
    is_met = bool(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", given)) if params.embedded else (
        given == wanted
    )  # fmt: skip
    if is_met:
        return passed("the utterance stands there letter by letter")
    start = len(text) - len(text.lstrip())
    end = min(start + 200, len(text))
    return failed(
        f"expected “{excerpt(params.expected_utterance, 80)}”, found “{excerpt(text, 80)}”",
        evidence=(quote(text, start, end),),
    )


def _form(words: str, params: VerbatimSpeech) -> str:
    plain = fold(unicodedata.normalize("NFC", words.strip(_MARKS)))
    plain = " ".join(plain.split())
    return plain.casefold() if params.ignore_case else plain
