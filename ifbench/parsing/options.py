"""Which option an answer chooses.

Substrings decide nothing here: "A" stands in "Answer", and "stable" in "unstable".
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from ifbench.parsing.answers import Region, stated_answers
from ifbench.parsing.denials import is_denied
from ifbench.parsing.option_words import Mention, Options, options_in, searched_words
from ifbench.parsing.text_forms import bare_span, comparable, fold, lowered

Mode: TypeAlias = Literal["label", "exact", "contains"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the answer chooses: `option` where it is one, else `problem` says why it is none."""

    option: int | None = None
    problem: str = ""
    mentions: tuple[Mention, ...] = ()
    """The places that decided."""


def read_choice(text: str, options: Options, mode: Mode, *, allow_explanation: bool) -> Choice:
    """Map an answer to exactly one option.

    `exact`: the bare answer equals an option's label, its text, or both ("B. copper"). With an
    explanation it is the stated answer that does, or that begins so ("The answer is copper,
    for …"), the last one if there are several, or else the first or last line.
    `label`: the same with labels ("answer is B because …", "(B) is correct"), and without a
    statement all labels that stand apart ("(B)", "**B**", "B.") must be one. Where neither says
    anything, a sentence that says so ("It is a metal") chooses the only option that is named.
    `contains`: the options' texts are looked for, longest first, as whole words; all that are
    found must be one option, and explanations do not matter. What is denied ("not a metal") is
    not named.
    """
    if mode == "contains":
        return _one_of(_first_affirmed(text, options), options)
    whole = _whole_option(text, 0, len(text), options)
    if whole is not None:
        return Choice(option=whole.option, mentions=(whole,))
    stated = _stated(text, options, mode)
    if stated and (allow_explanation or (mode == "label" and _is_one_line_of_words(text))):
        return _one_of([stated[-1], *_joined_to(text, stated[-1], options)], options)
    if not allow_explanation:
        return Choice(problem="the answer is not one of the options alone")
    lines = _line_options(text, options)
    if mode == "label" and (alone := _lines_alone(text, options)):
        return _one_of(alone, options)
    labels = _labels_apart(text, options) if mode == "label" else []
    choice = _one_of(labels or lines, options)
    if choice.option is not None or choice.mentions:
        return choice
    named = _affirmed(text, options) if mode == "exact" and options.texts else []
    if any(_SAYS_SO.search(text[max(one.start - 40, 0) : one.start]) for one in named):
        return _one_of(named, options)
    return Choice(problem="the answer states none of the options as its choice")


def _one_of(mentions: Sequence[Mention], options: Options) -> Choice:
    firsts = {mention.option: mention for mention in reversed(mentions)}
    if len(firsts) == 1:
        return Choice(option=mentions[0].option, mentions=(mentions[0],))
    if not firsts:
        return Choice(problem="the answer names none of the options")
    several = sorted(firsts.values(), key=lambda mention: mention.start)[:5]
    names = ", ".join(f"`{options.name(mention.option)}`" for mention in several)
    problem = f"the answer names {len(firsts)} options where one is asked for: {names}"
    return Choice(problem=problem, mentions=tuple(several))


# ── A piece of text that is an option, or begins with one ────────────────────────────


def _whole_option(text: str, start: int, end: int, options: Options) -> Mention | None:
    start, end = bare_item(text, start, end)
    if start == end or end - start > _longest(options):
        return None
    piece = _form(text[start:end], options)
    for index, pattern in enumerate(_patterns(options)):
        if pattern.fullmatch(piece):
            return Mention(option=index, start=start, end=end)
    return None


def bare_item(text: str, start: int, end: int) -> tuple[int, int]:
    """The bare words, without the bullet of a list of one."""
    start, end = bare_span(text, start, end)
    bullet = _BULLET.match(text, start, end)
    return bare_span(text, bullet.end(), end) if bullet else (start, end)


def _form(words: str, options: Options) -> str:
    """Comparable, without the emphasis that may stand in the middle ("**B.** copper").

    An en dash between figures is a hyphen, and a mark of joy says nothing.
    """
    words = _RANGE_DASH.sub("-", words.replace("*", ""))
    return comparable(words, ignore_case=options.ignore_case).rstrip("! ").strip()


_BULLET = re.compile(r"(?:[*•]|-(?![ \t]\d))[ \t]")  # "- 5" may be a minus.
_RANGE_DASH = re.compile(r"(?<=\d)\s?[–—]\s?(?=\d)")


@lru_cache(maxsize=256)
def _longest(options: Options) -> int:
    longest = max(map(len, options.texts), default=0) + max(map(len, options.labels), default=0)
    return 2 * longest + 40


@lru_cache(maxsize=256)
def _patterns(options: Options) -> tuple[re.Pattern[str], ...]:
    """For each option its spellings in comparable form: label, text, label and text."""
    count = max(len(options.texts), len(options.labels))
    return tuple(re.compile(_spellings(options, index)) for index in range(count))


def _spellings(options: Options, index: int) -> str:
    text = re.escape(_form(options.texts[index], options)) if options.texts else ""
    if not options.labels:
        return rf"[\"'(\[]?{text}[\"')\]]?"
    label = re.escape(_form(options.labels[index], options).strip("()[]{}.:"))
    labelled = rf"(?:(?:[oO]ption|[cC]hoice|选项)[:：]? ?)?[(\[]?{label}[)\]]?"
    if not text:
        return rf"{labelled}[.:]?"
    return (
        rf"{labelled}[.:]?(?:,? ?(?:[-–—=]? ?)[(\"']?{text}[)\"']?)?"
        rf"|[\"']?{text}[\"']?(?: [(\[]{label}[)\]])?"
    )


# ── Stated answers ───────────────────────────────────────────────────────────────────

_CORRECT_OPTION = re.compile(
    r"(?:correct|right|best) (?:option|choice)(?: is)?[:\s*_]{1,4}"
    r"|(?:正确选项(?:是|为)?|(?<![不勿误可])选择?(?!项|擇|择))[:：\s*_]{0,4}"
)
_MOST_STATEMENTS = 1000
"""The last statement counts, so of more than so many the first ones are not read."""
_GOES_ON = re.compile(r"\s*(?:[.,;:()\[\]–—*\"'!\n]|-\s|\Z)")
_LEADING_DRESS = re.compile(r"[\s*_\"'“‘#>]{0,8}")
_REASON_FOLLOWS = re.compile(r"\s+(?:because|since|as|for|due|which|where|with|given|and|is)\b")


def _stated(text: str, options: Options, mode: Mode) -> list[Mention]:
    mentions = []
    for region in (*stated_answers(text), *_correct_options(text)):
        mention = _whole_option(text, region.start, region.end, options)
        mention = mention or _leading_text(text, region.start, region.end, options)
        if mention is None and mode == "label":
            mention = _leading_label(text, region.start, region.end, options)
        if mention is not None:
            mentions.append(mention)
    if options.labels:
        mentions += _called_correct(text, options)
    return sorted(mentions, key=lambda mention: mention.start)


def _correct_options(text: str) -> Iterator[Region]:
    plain = lowered(text)
    if "option" in plain or "choice" in plain or "选" in plain:
        found = deque(_CORRECT_OPTION.finditer(plain), maxlen=_MOST_STATEMENTS)
        for match in found:
            stop = min(match.end() + 200, len(text))
            line_end = text.find("\n", match.end(), stop)
            yield Region(
                start=match.end(),
                end=stop if line_end < 0 else line_end,
                outer_start=match.start(),
                outer_end=stop,
                found_by="marker",
            )


_JOINS = re.compile(
    r"[)\]}*_$.:]{0,3}(?:\s?[,;/&]|\s(?=and|or)|\s?(?=[和与及或]))"
    r"(?:\s?(?:and|or)(?![^\W_])|[和与及或])?[\s*_$(\[]{0,4}"
)
_JOIN_ENDS = re.compile(
    r"[)\]}*_$]{0,4}\s?(?:[.,;:!?()\[\]\n\\/&–—]|(?:and|or)(?![^\W_])|[和与及或]|\Z)"
)
_FROM_LABEL_TO_TEXT = " .:)]*-–"


def _joined_to(text: str, stated: Mention, options: Options) -> Iterator[Mention]:
    """What is chosen along with an option: "A, B and C", "stable or unstable".

    Of "A, B being wrong" nothing is: what is joined ends the statement, or the list goes on.
    """
    window = fold(text[stated.end : stated.end + 2 * _longest(options)])
    words = lowered(window) if options.ignore_case else window
    at = _behind_text(words, 0, stated.option, options)
    while join := _JOINS.match(window, at):
        found = _option_at(window, words, join.end(), options)
        if found is None:
            break
        index, at = found
        yield Mention(option=index, start=stated.end + join.end(), end=stated.end + at)
        at = _behind_text(words, at, index, options)


def _behind_text(words: str, at: int, index: int, options: Options) -> int:
    """Behind the option's text where that stands behind its label: "A. iron"."""
    if not (options.labels and options.texts):
        return at
    begin = len(words) - len(words[at:].lstrip(_FROM_LABEL_TO_TEXT))
    match = searched_words(options).match(words, begin)
    return match.end() if match and match.lastgroup == f"o{index}" else at


def _option_at(window: str, words: str, at: int, options: Options) -> tuple[int, int] | None:
    """The option whose label, in its own case, or text stands here and ends a statement."""
    label = _any_label(options).match(window, at)
    if label and _JOIN_ENDS.match(window, label.end()):
        index = _label_index(label[0], options)
        return None if index is None else (index, label.end())
    text = searched_words(options).match(words, at) if options.texts else None
    if text and _JOIN_ENDS.match(window, text.end()):
        return int((text.lastgroup or "o0")[1:]), text.end()
    return None


def _called_correct(text: str, options: Options) -> Iterator[Mention]:
    """`(B) is correct`, `option C is the best`."""
    if "correct" in text or "right" in text or "best" in text:
        for match in _correct(options).finditer(fold(text)):
            option = _label_index(match["label"], options)
            if option is not None:
                yield Mention(option=option, start=match.start("label"), end=match.end("label"))


@lru_cache(maxsize=256)
def _correct(options: Options) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![^\W_])(?P<label>{_label_names(options)})[)\]*]{{0,3}} is (?:the )?"
        r"(?:correct|right|best)(?![^\W_])"
    )


def _leading_text(text: str, start: int, end: int, options: Options) -> Mention | None:
    """An option's text at the beginning, if a stop, a bracket or a reason follows it."""
    if not options.texts:
        return None
    begin = _LEADING_DRESS.match(text, start, end)
    place = begin.end() if begin else start
    plain = fold(text[place : min(end, place + _longest(options))])
    plain = lowered(plain) if options.ignore_case else plain
    match = searched_words(options).match(plain)
    if match is None:
        return None
    after = place + match.end()
    if after < end and not (_GOES_ON.match(text, after) or _REASON_FOLLOWS.match(text, after)):
        return None
    return Mention(option=int((match.lastgroup or "o0")[1:]), start=place, end=after)


def _leading_label(text: str, start: int, end: int, options: Options) -> Mention | None:
    """A label at the beginning; "a catalyst" begins with an article, not with a label."""
    for match in _label_pattern(options).finditer(fold(text[start : min(end, start + 60)])):
        place = start + match.start("label")
        after = start + match.end()
        label = match["label"]
        is_sure = match["dress"] or _GOES_ON.match(text, after, end) or after == end
        is_sure = is_sure or match[0].rstrip("*_").endswith((")", "]", "}"))
        if not is_sure and not (label.isupper() or label.isdigit()):
            return None
        is_article = label in {"A", "I"} and not _joined_label(options).match(text, after)
        if not is_sure and is_article and not _REASON_FOLLOWS.match(text, after, end):
            return None
        option = _label_index(label, options)
        if option is None:
            return None
        return Mention(option=option, start=place, end=place + len(label))
    return None


@lru_cache(maxsize=256)
def _label_pattern(options: Options) -> re.Pattern[str]:
    return re.compile(
        rf"\A[\s*_$\"']{{0,6}}(?P<dress>[(\[]|(?:option|choice) |\\text\{{)?[*_]{{0,3}}"
        rf"(?P<label>{_label_names(options)})(?![^\W_])[)\]}}*_]{{0,3}}",
        re.IGNORECASE if options.ignore_case else 0,
    )


@lru_cache(maxsize=256)
def _any_label(options: Options) -> re.Pattern[str]:
    return re.compile(_label_names(options))


def _label_names(options: Options) -> str:
    labels = sorted((label.strip("()[]{}.: ") for label in options.labels), key=len, reverse=True)
    return "|".join(map(re.escape, labels)) or r"(?!)"


def _label_index(label: str, options: Options) -> int | None:
    wanted = label.casefold() if options.ignore_case else label
    for index, known in enumerate(options.labels):
        form = known.strip("()[]{}.: ")
        if (form.casefold() if options.ignore_case else form) == wanted:
            return index
    return None


def _is_one_line_of_words(text: str) -> bool:
    """True for a statement and nothing else, such as "The answer is (B)."."""
    words = text.strip()
    return "\n" not in words and len(words.split()) <= 8


# ── Options found in running text ────────────────────────────────────────────────────


def _labels_apart(text: str, options: Options) -> list[Mention]:
    """Labels that stand apart from the words: (B), **B**, "B." on a new line, option B, bare B.

    Case counts here, and a bare "A" or "I" is a word unless another label stands beside it.
    "Not B" names no choice.
    """
    plain = fold(text)
    mentions = []
    for match in _any_label(options).finditer(plain):
        start, end = match.span()
        if _stands_apart(plain, start, end, options):
            option = _label_index(match[0], options)
            mentions.append(Mention(option=option or 0, start=start, end=end))
    return mentions


_BOLD_END = re.compile(r"[.:)]?\*\*")
_LINE_START = re.compile(r"[ \t>*•-]{0,8}")
_LINE_LABEL_END = re.compile(r"[.:)](?=[\s*]|\Z)|[ \t]*(?=\n|\Z)")
_WORD_GOES_ON = re.compile(r"[\w']|-\w|\.\w")
_NO_SUBJECT = re.compile(r" (?!(?:are|is|can|may|both|were)\b)[a-z]")


def _stands_apart(plain: str, start: int, end: int, options: Options) -> bool:
    before, after = plain[max(start - 8, 0) : start], plain[end : end + 1]
    if before[-1:].isalnum() or after.isalnum() or before.endswith(("not ", "nor ", "not (")):
        return False
    if before.endswith(("(", "[")) and after in {")", "]"}:
        return True
    if before.endswith("**") and _BOLD_END.match(plain, end):
        return True
    if before.lower().endswith(("option ", "choice ")):
        return True
    line = plain.rfind("\n", max(start - 9, 0), start) + 1
    opens_line = (line or start < 9) and _LINE_START.fullmatch(plain, line, start)
    if opens_line and _LINE_LABEL_END.match(plain, end):
        return True
    if before.endswith(("'", ".", "-", "_")) or _WORD_GOES_ON.match(plain, end):
        return False
    label = plain[start:end]
    if label not in {"A", "I"}:
        return label[0].isupper()
    if _joined_label(options).match(plain, end):
        return True
    return before.endswith((" and ", " or ")) and not _NO_SUBJECT.match(plain, end)


@lru_cache(maxsize=256)
def _joined_label(options: Options) -> re.Pattern[str]:
    return re.compile(rf"(?: ?[,&/]| and| or) ?[(\[]?(?:{_label_names(options)})(?![^\W_])")


def _line_options(text: str, options: Options) -> list[Mention]:
    """The first and the last line, where they are options."""
    body_start = len(text) - len(text.lstrip())
    body_end = len(text.rstrip())
    first_end = text.find("\n", body_start, body_end)
    last_start = text.rfind("\n", body_start, body_end) + 1
    lines = [(body_start, first_end if first_end >= 0 else body_end), (last_start, body_end)]
    found = (
        _whole_option(text, *line, options) or _leading_text(text, *line, options) for line in lines
    )
    return [mention for mention in found if mention is not None]


def _lines_alone(text: str, options: Options) -> list[Mention]:
    """Lines that are options and nothing else, where the first or last line is one of them.

    Such a line declares: labels that the explanation mentions do not speak against it.
    """
    mentions, position = [], 0
    lines = text.strip().split("\n")
    if not any(_whole_option(line, 0, len(line), options) for line in (lines[0], lines[-1])):
        return []
    for line in text.splitlines(keepends=True):
        mention = _whole_option(text, position, position + len(line), options)
        if mention is not None:
            mentions.append(mention)
        position += len(line)
    return mentions


_SAYS_SO = re.compile(
    r"(?:\b(?:is|are|was|be|as|choose|chose|select|pick)|['’]s|[:：=]|是|为)"
    r"(?:\s{1,3}(?:an?|the))?[\s*_\"'“‘`]{0,4}\Z",
    re.IGNORECASE,
)


def _affirmed(text: str, options: Options) -> list[Mention]:
    """The options' texts in the text, but for those that it denies."""
    return [mention for mention in options_in(text, options) if not _is_denied(text, mention)]


def _first_affirmed(text: str, options: Options) -> list[Mention]:
    """Of each option the first mention that is not denied; what follows decides nothing."""
    firsts: dict[int, Mention] = {}
    for mention in options_in(text, options):
        if mention.option not in firsts and not _is_denied(text, mention):
            firsts[mention.option] = mention
            if len(firsts) == len(options.texts):
                break
    return list(firsts.values())


def _is_denied(text: str, mention: Mention) -> bool:
    return is_denied(text, mention.start, mention.end)
