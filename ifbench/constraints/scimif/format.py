"""SciMIF's Format group, marks around and inside the answer: boxes, Markdown, HTML, XML (Table 11).

Its other half, data formats, is in `format_data`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from pydantic import Field, field_validator

from ifbench.constraints.constraint import (
    Check,
    Example,
    Params,
    failed,
    passed,
    quote,
    scripted,
)
from ifbench.constraints.enclosure import Enclosure, Form, take
from ifbench.parsing.boxes import Box, Wrapper, boxes_in
from ifbench.parsing.fences import fence_around
from ifbench.parsing.flaws import excerpt, offset_of
from ifbench.parsing.markup import (
    HTML_ELEMENTS,
    MAX_MARKDOWN_CHARACTERS,
    MarkdownConstruct,
    MarkdownMark,
    element_spans,
    find_markdown,
    parse_html,
    parse_xml,
)
from ifbench.parsing.text_forms import without_unseen
from ifbench.types import Evidence

# ── Boxes ────────────────────────────────────────────────────────────────────────────

_CLOSING_MARKS = re.compile(r"\\[\])]|\\end\{\w+\*?\}|[$`]")
_LATEX_BLANKS = re.compile(
    r"(?:\\(?:[,;:! ]|(?:q?quad|en(?:space|skip)|thinspace|space|[lc]?dots)(?![A-Za-z])|[hv]space\*?\{[^{}]{0,40}\}"
    r"|(?:text|math)[a-z]{0,8}\s?(?=\{))|[~${}.…\u200b-\u200f\u2060\ufeff]|\s)*+"
)
"""What fills a box with nothing: blanks, empty groups, and the dots of a mention (`\\boxed{...}`)."""


class BoxParams(Params):
    """The wrapper, and where its last one stands."""

    wrapper: str | tuple[str, str] = r"\boxed{}"
    r"""A LaTeX command with its braces, or an opening and a closing mark."""
    last: bool = False
    """Nothing but white space, punctuation and closing marks of formulas follows."""
    count: int | None = Field(default=None, ge=1)
    """Exact number of wrappers with content."""

    @field_validator("wrapper")
    @classmethod
    def _is_a_pair(cls, wrapper: str | tuple[str, str]) -> str | tuple[str, str]:
        if isinstance(wrapper, str):
            if len(wrapper) < 3 or not wrapper.endswith("{}"):
                raise ValueError(f"“{wrapper}” is no wrapper: write \\command{{}} or [open, close]")
        elif not all(mark.strip() for mark in wrapper):
            raise ValueError("both marks of a wrapper are needed")
        return wrapper

    @property
    def marks(self) -> Wrapper:
        """The opening and the closing mark."""
        return (self.wrapper[:-1], "}") if isinstance(self.wrapper, str) else self.wrapper

    @property
    def shown(self) -> str:
        """The wrapper as reasons name it."""
        return self.wrapper if isinstance(self.wrapper, str) else "…".join(self.wrapper)


@scripted(
    "general:wrap_up",
    group="format",
    category="C4",
    params=BoxParams,
    example=Example(
        params={},
        instruction="Enclose the final answer in \\boxed{}.",
        passing="The mass is $\\boxed{4.50\\ \\text{kg}}$.",
        failing="The mass is 4.50 kg, to be put into \\boxed{}.",
    ),
    version=3,
)
def wrap_up(text: str, params: BoxParams) -> Check:
    """Enclose the final output answer within a specified box format."""
    # Most answers without a box do not even name it, and a text full of braces takes long.
    is_named = params.marks[0].removesuffix("{") in text
    boxes = boxes_in(text, (params.marks,)) if is_named else ()
    filled = [box for box in boxes if box.is_closed and not _is_empty(text, box)]
    if not filled:
        return _no_box(text, boxes, params)
    evidence = tuple(quote(text, box.start, box.end) for box in filled[-4:])
    if params.count is not None and len(filled) != params.count:
        return failed(
            f"{len(filled)} {params.shown} stand in the answer, not {params.count}",
            evidence=evidence,
        )
    final = max(filled, key=lambda box: box.end)
    answer = final.content(text).strip()
    after = _words_after(text, final.end)
    if params.last and after:
        return failed(
            f"more follows after the last {params.shown}: “{excerpt(after)}”",
            evidence=(quote(text, final.end, len(text)),),
            extracted=answer,
        )
    return passed(
        f"{params.shown} encloses “{excerpt(answer)}”", evidence=evidence, extracted=answer
    )


def _no_box(text: str, boxes: Sequence[Box], params: BoxParams) -> Check:
    for box in boxes:
        if not box.is_closed:
            return failed(
                f"{params.shown} is opened and never closed",
                evidence=(quote(text, box.start, box.end),),
            )
    if boxes:
        box = boxes[-1]
        return failed(f"{params.shown} is empty", evidence=(quote(text, box.start, box.end),))
    return failed(f"no {params.shown} stands in the answer")


def _is_empty(text: str, box: Box) -> bool:
    # Matched from its start: a box holds all boxes inside it, and reading each whole is quadratic.
    blank = _LATEX_BLANKS.match(text, box.inner_start, box.inner_end)
    return blank is not None and blank.end() == box.inner_end


def _words_after(text: str, position: int) -> str:
    """What follows, when it is more than punctuation and marks that nobody sees; empty otherwise."""
    rest = without_unseen(_CLOSING_MARKS.sub("", text[position:])).strip()
    return rest if any(not _is_punctuation(character) for character in rest) else ""


def _is_punctuation(character: str) -> bool:
    return character.isspace() or unicodedata.category(character).startswith("P")


# ── Markdown ─────────────────────────────────────────────────────────────────────────


class MarkdownParams(Params):
    """Constructs that have to be there."""

    require: tuple[MarkdownConstruct, ...] = ()
    """Each of them at least once; empty: any one of them."""


@scripted(
    "general:markdown_constraint",
    group="format",
    category="C2",
    params=MarkdownParams,
    example=Example(
        params={},
        instruction="Format the output answer strictly using Markdown syntax.",
        passing="## Answer\n\n- mass: **4.5 kg**",
        failing="The answer is 2 * 3 * 4, see snake_case_name and #hashtag.",
    ),
    version=3,
)
def markdown_constraint(text: str, params: MarkdownParams) -> Check:
    """Format the output answer strictly using Markdown syntax."""
    offset, words = _unwrapped(text)
    marks = find_markdown(words, frozenset(params.require))
    evidence = tuple(_quoted_line(text, offset, words, mark) for mark in marks)
    found = [mark.construct for mark in marks]
    if missing := [construct for construct in params.require if construct not in found]:
        words_missing = f"no {' and no '.join(missing)} stands in the Markdown"
        return failed(words_missing + _read_so_far(words), evidence=evidence)
    if not found:
        construct = "no heading, list, table, emphasis or other Markdown construct"
        return failed(f"plain text: {construct}{_read_so_far(words)}")
    return passed(f"Markdown with {' and '.join(found)}", evidence=evidence)


def _read_so_far(words: str) -> str:
    if len(words) <= MAX_MARKDOWN_CHARACTERS:
        return ""
    return f" (the first {MAX_MARKDOWN_CHARACTERS:,} characters were read)"


def _unwrapped(text: str) -> tuple[int, str]:
    """The text inside a fence that says it holds Markdown, and where that begins."""
    fence = fence_around(text)
    if fence is None or fence.language not in {"markdown", "md"}:
        return 0, text
    return fence.body_start, text[fence.body_start : fence.body_end]


def _quoted_line(text: str, offset: int, words: str, mark: MarkdownMark) -> Evidence:
    start = offset_of(words, mark.line + 1, 0)
    end = offset_of(words, mark.line + 2, 0)
    return quote(text, offset + start, offset + start + len(words[start:end].rstrip()))


# ── HTML and XML ─────────────────────────────────────────────────────────────────────


class HtmlParams(Enclosure):
    """What the HTML has to be."""

    require: tuple[str, ...] = ()
    """Names of elements that have to be there."""
    document: bool | None = None
    """True: a page with its document type. False: a fragment. Without it either will do."""

    @field_validator("require")
    @classmethod
    def _are_elements(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        names = tuple(name.lower() for name in names)
        if unknown := [name for name in names if name not in HTML_ELEMENTS]:
            raise ValueError(f"not elements of HTML: {', '.join(unknown)}")
        return names


@scripted(
    "general:html_constraint",
    group="format",
    category="C2",
    params=HtmlParams,
    example=Example(
        params={},
        instruction="Format the output answer strictly using HTML tags.",
        passing="<p>The mass is <b>4.5 kg</b>.</p>",
        failing="Here it is: <p>The mass is <b>4.5 kg</p>",
    ),
)
def html_constraint(text: str, params: HtmlParams) -> Check:
    """Format the output answer strictly using HTML tags."""
    taken = take(text, params, _HTML)
    if isinstance(taken, Check):
        return taken
    page = taken.value
    evidence = (quote(text, taken.start, taken.end),)
    known = sorted(page.elements & HTML_ELEMENTS)
    if not known:
        return failed("no tag in it is one of HTML's", evidence=evidence)
    if params.document is True and not (page.is_document and page.has_doctype):
        return failed("a page with <!DOCTYPE html> is wanted, this is not one", evidence=evidence)
    if params.document is False and page.is_document:
        return failed("a fragment is wanted, this is a whole page", evidence=evidence)
    if missing := [name for name in params.require if name not in page.elements]:
        return failed(f"these elements are missing: {', '.join(missing)}", evidence=evidence)
    return passed(f"HTML with {_named(known)}{_noted(taken.note)}", evidence=evidence)


_HTML = Form(
    name="HTML",
    languages=frozenset({"html", "html5", "htm", "xhtml"}),
    read=parse_html,
    spans=element_spans,
    stands_alone=False,
)

_XML_NAME = re.compile(r"[^\W\d][\w.-]*")


class XmlParams(Enclosure):
    """What the XML has to hold; names are compared without their namespace prefix."""

    root: str | None = None
    """Name of the root element, case and all; `None` lets any name pass."""
    require: tuple[str, ...] = ()
    """Names of elements that have to be there, at any depth."""

    @field_validator("root", "require")
    @classmethod
    def _are_names(cls, value: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        names = (value,) if isinstance(value, str) else value or ()
        if wrong := [name for name in names if not _XML_NAME.fullmatch(name)]:
            raise ValueError(f"not names of XML elements: {', '.join(map(repr, wrong))}")
        return value


@scripted(
    "general:xml_constraint",
    group="format",
    category="C2",
    params=XmlParams,
    example=Example(
        params={"root": "answer"},
        instruction="Format the output answer strictly using XML tags, with the root <answer>.",
        passing="<answer><mass unit='kg'>4.5</mass></answer>",
        failing="<answer><mass unit=kg>4.5</mass></answer>",
    ),
)
def xml_constraint(text: str, params: XmlParams) -> Check:
    """Format the output answer strictly using XML tags."""
    taken = take(text, params, _XML)
    if isinstance(taken, Check):
        return taken
    document = taken.value
    evidence = (quote(text, taken.start, taken.end),)
    if params.root is not None and document.root != params.root:
        return failed(f"the root is <{document.root}>, not <{params.root}>", evidence=evidence)
    if missing := [name for name in params.require if name not in document.elements]:
        return failed(f"these elements are missing: {', '.join(missing)}", evidence=evidence)
    return passed(
        f"XML with {_named(sorted(document.elements))}{_noted(taken.note)}", evidence=evidence
    )


_XML = Form(
    name="XML",
    languages=frozenset({"xml", "svg", "mathml", "xhtml"}),
    read=parse_xml,
    spans=element_spans,
)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _noted(note: str) -> str:
    return f" ({note})" if note else ""
