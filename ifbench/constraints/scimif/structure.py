"""SciMIF's group *structure* (Table 11): where the final answer stands, and in what frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, Self, TypeAlias

from pydantic import model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.answers import (
    Region,
    final_answer,
    regions_after,
    sentence_around,
    stated_answers,
    what_stands_last,
)
from ifbench.parsing.numbers import quantities_in
from ifbench.parsing.sections import Section, content_lines, sections_in
from ifbench.parsing.text_forms import comparable, lowered

Position: TypeAlias = Literal["beginning", "middle", "end"]
Span: TypeAlias = tuple[int, int]


class ResponseStructure(Params):
    """Parameters of `response_structure`; at least one of them asks for something."""

    position: Position | None = None
    """Where the final answer stands: first content, between other content, last content."""
    sections: tuple[str, ...] = ()
    """Labels or headings that the answer must have, each with content."""
    order: bool = True
    """Whether the sections stand in the order given."""
    answer_last: bool = False
    """Nothing follows the final answer, or the last section asked for."""
    answer_marker: str = ""
    """Words right before the final answer ("Final answer:"); they must then be there."""
    starts_with: str = ""
    ends_with: str = ""

    @model_validator(mode="after")
    def _something_is_asked_for(self) -> Self:
        texts = (self.answer_marker, self.starts_with, self.ends_with)
        if not (
            self.position or self.sections or self.answer_last or any(t.strip() for t in texts)
        ):
            raise ValueError(
                "one of `position`, `sections`, `answer_last`, `answer_marker`, `starts_with` and "
                "`ends_with` must be set"
            )
        forms = {comparable(label).strip(" :") for label in self.sections}
        if len(forms) < len(self.sections) or "" in forms:
            raise ValueError("`sections` must differ and not be blank")
        if self.answer_last and self.position in {"beginning", "middle"}:
            raise ValueError(f"`answer_last` contradicts position `{self.position}`")
        return self


@scripted(
    "general:response_structure",
    group="structure",
    category="C6",
    params=ResponseStructure,
    example=Example(
        params={"position": "end"},
        instruction="Explain first and put the final answer at the very end.",
        passing="Force is mass times acceleration, 2 kg times 3 m/s².\n\nFinal answer: 6 N",
        failing="Final answer: 6 N\n\nForce is mass times acceleration, 2 kg times 3 m/s².",
    ),
    version=2,
)
def response_structure(text: str, params: ResponseStructure) -> Check:
    """The answer follows the asked structure, with the final answer at its place."""
    # Table 11 leaves open what marks the final answer; `_statements` says how we find it.
    problems = [
        *_marker_problems(text, params),
        *_position_problems(text, params),
        *_section_problems(text, params),
        *_edge_problems(text, params),
    ]
    if not problems:
        return passed("the structure is as asked")
    places = (span for _, span in problems if span is not None and span[0] < span[1])
    return failed(
        "; ".join(words for words, _ in problems),
        evidence=tuple(quote(text, *place) for place in places),
        found={"problems": len(problems)},
    )


Problem: TypeAlias = tuple[str, Span | None]


# ── The final answer and its place ───────────────────────────────────────────────────

_CONCLUSION = re.compile(
    r"(?<![^\W_])(?:therefore|thus|hence|in conclusion|in summary|consequently)(?![^\W_])|∴"
    r"|(?<![^\W_])conclusion[*_]{0,3} ?[:：][*_ ]{0,4}(?![\s*_])|因此|所以|综上|结论[*_]{0,3}[:：][*_ ]{0,4}(?![\s*_])"
)
_CONCLUDING = (
    "therefore", "thus", "hence", "conclusion", "in conclusion", "in summary", "consequently",
    "∴", "因此", "所以", "综上", "结论",
)  # fmt: skip
"""How the matches of `_CONCLUSION` begin."""
_NO_ANSWER = re.compile(
    r"[^\w]*(?:(?:sure|okay|ok|certainly|of course|absolutely|great|good|let|here|hello|hi|first"
    r"|firstly|given|known|knowns|data|solution|explanation|analysis|introduction|overview|background"
    r"|reasoning|approach|method|step|part|task|question|problem|formula)(?![^\W_])"
    r"|\(?\d{1,2}[.)、]\s|解|分析|步骤|第|已知|首先|好的)"
)
"""Beginnings that greet, restate or start to work, and so give no answer."""
_BARE_WORDS = 8  # A first line of so few words can be an answer that stands on its own.


def _marker_problems(text: str, params: ResponseStructure) -> Iterator[Problem]:
    if params.answer_marker.strip() and not regions_after(text, params.answer_marker.strip()):
        yield f"nothing follows the marker `{params.answer_marker.strip()}`", None


def _position_problems(text: str, params: ResponseStructure) -> Iterator[Problem]:
    position = params.position
    if params.answer_last and not params.sections:
        position = "end"
    if position is None:
        return
    statements = _statements(text, params.answer_marker.strip(), position)
    if any(_stands_at(position, text, statement) for statement in statements):
        return
    match position:
        case "beginning":
            before = _content_before(text, statements[0])
            yield "the final answer is not at the beginning: other content stands before it", before
        case "end":
            after = _content_after(text, statements[-1])
            yield "the final answer is not at the end: other content follows it", after
        case "middle":
            words = "the final answer is not in the middle: nothing stands on one side of it"
            yield words, statements[-1]


def _stands_at(position: Position, text: str, statement: Span) -> bool:
    match position:
        case "beginning":
            return _content_before(text, statement) is None
        case "end":
            return _content_after(text, statement) is None
        case "middle":
            before, after = _content_before(text, statement), _content_after(text, statement)
            return before is not None and after is not None


def _content_before(text: str, statement: Span) -> Span | None:
    start = len(text) - len(text.lstrip())
    return next(content_lines(text, start, statement[0]), None)


def _content_after(text: str, statement: Span) -> Span | None:
    return next(content_lines(text, statement[1], len(text.rstrip())), None)


def _statements(text: str, marker: str, position: Position) -> list[Span]:
    """The sentences that give the final answer; any one at the asked place will do.

    They are those with the marker that the parameters name, or else those with a box, an
    answer marker or an answer key. Without any, the answer is the last sentence that draws a
    conclusion, or else the one with the last quantity, or else the last line; where nothing
    concludes, a first line of a few words is an answer too.
    """
    regions = regions_after(text, marker) if marker else stated_answers(text)
    if regions:
        return [
            sentence_around(text, region.outer_start, max(region.end, region.outer_end))
            for region in regions
        ]
    if (conclusion := _last_conclusion(lowered(text))) is not None:
        return [sentence_around(text, conclusion, conclusion)]
    last = _unstated(text, marker)
    found = [sentence_around(text, last.start, last.end) if last else sentence_around(text, 0, 0)]
    if position == "beginning" and (first := _bare_first_line(text)):
        return [first, *found]
    return found


def _unstated(text: str, marker: str) -> Region | None:
    """The final answer where no region was found: without a marker it is known to be unstated."""
    return final_answer(text) if marker else what_stands_last(text)


def _last_conclusion(plain: str) -> int | None:
    """Where the last word begins that draws a conclusion, in a text in lower case."""
    last = -1
    for word in _CONCLUDING:  # Ten searches for words are quicker than one for their pattern.
        place = plain.rfind(word)
        while place > last and not _CONCLUSION.match(plain, place):
            place = plain.rfind(word, 0, place + len(word) - 1)
        last = max(last, place)
    if last >= 3 and plain.startswith("in conclusion", last - 3):
        last -= 3 if _CONCLUSION.match(plain, last - 3) else 0
    return last if last >= 0 else None


def _bare_first_line(text: str) -> Span | None:
    """A first line that can be an answer on its own: a word or two, or a short one with a value.

    A first sentence of a word or two ("Yes. For …") is one as well.
    """
    line = next(content_lines(text, 0, len(text)), None)
    if line is None or text[slice(*line)].rstrip().endswith((":", "：")):
        return None
    if _NO_ANSWER.match(lowered(text[slice(*line)])):
        return None
    sentence = sentence_around(text, line[0], line[0])
    if sentence[1] < line[1] and len(text[slice(*sentence)].split()) <= 2:
        return sentence
    words = len(text[slice(*line)].split())
    is_value = not quantities_in(text) or bool(quantities_in(text, *line))
    return line if words <= 2 or (words <= _BARE_WORDS and is_value) else None


def _section_problems(text: str, params: ResponseStructure) -> Iterator[Problem]:
    if not params.sections:
        return
    found = sections_in(text, params.sections)
    by_label = {section.label: section for section in found}
    for label in params.sections:
        section = by_label.get(label)
        if section is None:
            yield f"there is no section `{label}`", None
        elif not _has_content(text, section):
            yield f"the section `{label}` has no content", (section.start, section.content_start)
    asked = [label for label in params.sections if label in by_label]
    given = [section.label for section in found]
    if params.order and asked != given:
        yield f"the sections stand in the order {', '.join(given)}", None
    if params.answer_last and found and found[-1].label != params.sections[-1]:
        yield f"the last section is `{found[-1].label}`, not `{params.sections[-1]}`", None
    elif params.answer_last and found and (other := _section_behind(text, found[-1])):
        yield f"another section follows `{found[-1].label}`", other


_OTHER_LABEL = re.compile(
    r"[ \t*_#]{0,8}[A-Za-z][A-Za-z ]{0,30}[*_]{0,3}[:：][*_]{0,3}[ \t]{1,4}\S"
)


def _section_behind(text: str, last: Section) -> Span | None:
    """A line with a label of its own, behind a section that is one line: `answer: 4`, `note: …`.

    Below a label that stands alone such lines are the section's content.
    """
    line_end = text.find("\n", last.content_start)
    if line_end < 0 or not re.search(r"[^\W_]", text[last.content_start : line_end]):
        return None
    lines = content_lines(text, line_end, last.end)
    return next((line for line in lines if _OTHER_LABEL.match(text, *line)), None)


def _has_content(text: str, section: Section) -> bool:
    return any(character.isalnum() for character in text[section.content_start : section.end])


# ── First and last words ─────────────────────────────────────────────────────────────

_DRESS_BEFORE = " \t\n\r*_#>\"'“‘«`"
_DRESS_BEHIND = " \t\n\r*_\"'”’»`"


def _edge_problems(text: str, params: ResponseStructure) -> Iterator[Problem]:
    if wanted := params.starts_with.strip():
        begin = len(text) - len(text.lstrip(_DRESS_BEFORE))
        head = text[begin : begin + 2 * len(wanted) + 100].replace("*", "")
        if not comparable(head).startswith(
            comparable(wanted.lstrip(_DRESS_BEFORE).replace("*", ""))
        ):
            yield (
                f"the answer does not start with `{wanted}`",
                (begin, min(begin + len(wanted), len(text))),
            )
    if wanted := params.ends_with.strip():
        words = text.rstrip(_DRESS_BEHIND)
        tail = comparable(words[-2 * len(wanted) - 100 :])
        form = comparable(wanted.rstrip(_DRESS_BEHIND))
        if not (tail.endswith(form) or tail.rstrip(".! ").endswith(form)):
            start = max(len(words) - len(wanted), 0)
            yield f"the answer does not end with `{wanted}`", (start, len(words))
