"""Which option an answer chooses, and whether it says yes or no.

Substrings decide nothing here: "no" stands in "know", "A" in "Answer", "stable" in "unstable".
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from ifbench.parsing.answers import Region, stated_answers
from ifbench.parsing.denials import is_denied
from ifbench.parsing.text_forms import bare_span, comparable, fold, lowered

Mode: TypeAlias = Literal["label", "exact", "contains"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What may be chosen. Of labels and texts one may be empty, else they stand side by side."""

    texts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    ignore_case: bool = True

    def name(self, index: int) -> str:
        """How a message calls an option."""
        return self.texts[index] if self.texts else self.labels[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An option named at a place of the text; an empty place could not be told."""

    option: int
    start: int
    end: int


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
        return Choice(option=stated[-1].option, mentions=(stated[-1],))
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
    start, end = _bare_item(text, start, end)
    if start == end or end - start > _longest(options):
        return None
    piece = _form(text[start:end], options)
    for index, pattern in enumerate(_patterns(options)):
        if pattern.fullmatch(piece):
            return Mention(option=index, start=start, end=end)
    return None


def _bare_item(text: str, start: int, end: int) -> tuple[int, int]:
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
    match = _searched(options).match(plain)
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
        if not is_sure and not (label.isupper() or label.isdigit()):
            return None
        if not is_sure and label in {"A", "I"} and not _REASON_FOLLOWS.match(text, after, end):
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
    return re.compile(rf"(?:,| and| or| &|/) ?[(\[]?(?:{_label_names(options)})(?![^\W_])")


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
    return [mention for mention in _contained(text, options) if not _is_denied(text, mention)]


def _first_affirmed(text: str, options: Options) -> list[Mention]:
    """Of each option the first mention that is not denied; what follows decides nothing."""
    firsts: dict[int, Mention] = {}
    for mention in _contained(text, options):
        if mention.option not in firsts and not _is_denied(text, mention):
            firsts[mention.option] = mention
            if len(firsts) == len(options.texts):
                break
    return list(firsts.values())


def _is_denied(text: str, mention: Mention) -> bool:
    return mention.end > mention.start and is_denied(text, mention.start, mention.end)


def _contained(text: str, options: Options) -> Iterator[Mention]:
    plain = fold(text if unicodedata.is_normalized("NFC", text) else _nfc(text))
    plain = lowered(plain) if options.ignore_case else plain
    is_placed = len(plain) == len(text)
    for match in _whole_words(plain, options):
        start, end = match.span() if is_placed else (0, 0)
        yield Mention(option=int((match.lastgroup or "o0")[1:]), start=start, end=end)


def _whole_words(plain: str, options: Options) -> Iterator[re.Match[str]]:
    """Options that begin as words do, from left to right; where one does not, the next letter.

    The look at what stands before is taken apart from the search, which it would slow tenfold.
    """
    search, position = _searched(options).search, 0
    while match := search(plain, position):
        start = match.start()
        if not _needs_boundary(plain[start]) or _WORD_BEGINS.match(plain, start):
            yield match
            position = match.end()
        else:
            position = start + 1


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=256)
def _searched(options: Options) -> re.Pattern[str]:
    """Options as whole words, the longest first, so that "stable" is not found in "not stable"."""
    texts = options.texts or options.labels
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]), reverse=True)
    plain = [_plain(text, options) for text in texts]
    if any(not words or words[0].isspace() or words[0] == "_" for words in plain):
        return re.compile("|".join(f"(?P<o{index}>{_word(plain[index])})" for index in order))
    # The set of first letters stands in front, for which a search skips ahead.
    letters = "".join(sorted({re.escape(words[0]) for words in plain}))
    names = "|".join(
        f"(?<={re.escape(plain[index][0])})(?P<o{index}>{_word(plain[index], start=1)})"
        for index in order
    )
    return re.compile(f"[{letters}](?:{names})")


def _plain(option: str, options: Options) -> str:
    words = fold(_nfc(option)).strip()
    return lowered(words) if options.ignore_case else words


def _word(plain: str, start: int = 0) -> str:
    words = r"[\s_]+".join(map(re.escape, re.split(r"[\s_]+", plain[start:])))
    return words + (r"(?![^\W_])" if _needs_boundary(plain[-1:]) else "")


# "non-metal" names no metal.
_WORD_BEGINS = re.compile(
    r"(?<![^\W_])"
    + "".join(
        rf"(?<!\b{prefix}-)"
        for prefix in ("non", "un", "in", "anti", "semi", "quasi", "half", "pseudo")
    )
)


def _needs_boundary(character: str) -> bool:
    """Chinese and Japanese words stand without blanks."""
    return character.isalnum() and not "\u2e80" <= character <= "\u9fff"


# ── Yes or no ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo:
    """Index of the label that the answer gives, else the problem; and the place that decided."""

    index: int | None = None
    problem: str = ""
    start: int = 0
    end: int = 0


def read_yes_no(text: str, labels: tuple[str, str], *, explanation: bool) -> YesNo:
    """Read an answer that is "yes" or "no" (or the same in other words, `labels`).

    Alone, it equals a label once emphasis, quotes, a bracket around it and the stop are gone. With an
    explanation its first word decides, and the other word must not be asserted later: as a
    sentence or clause of its own, or as the stated answer. "No" in "no other gas" asserts nothing.
    """
    start, end = _word_span(text)
    wanted = [comparable(label) for label in labels]
    if end - start <= 2 * max(map(len, labels)) and comparable(text[start:end]) in wanted:
        return YesNo(index=wanted.index(comparable(text[start:end])), start=start, end=end)
    first = _FIRST_WORD.match(text)
    begin = first.end() if first else 0
    index = next((i for i, label in enumerate(labels) if _begins(text, begin, label)), None)
    if index is None:
        shown = " or ".join(f"`{label}`" for label in labels)
        where = "does not begin with" if explanation else "is not"
        return YesNo(problem=f"the answer {where} {shown}", start=start, end=min(end, start + 60))
    if not explanation:
        problem = f"there is more than `{labels[index]}`"
        after = begin + len(labels[index])
        return YesNo(problem=problem, start=after if after < end else start, end=end)
    other = _asserted(text, begin + len(labels[index]), labels[1 - index])
    if other is not None:
        problem = f"it begins with `{labels[index]}` and then asserts `{labels[1 - index]}`"
        return YesNo(problem=problem, start=other[0], end=other[1])
    return YesNo(index=index, start=begin, end=begin + len(labels[index]))


def _word_span(text: str) -> tuple[int, int]:
    """The bare answer without an exclamation mark, a bracket or the bullet of a list of one."""
    start, end = _bare_item(text, 0, len(text))
    while end > start and text[end - 1] in "!！":
        end -= 1
    if end - start > 2 and text[start] + text[end - 1] in {"()", "[]", "（）"}:
        start, end = start + 1, end - 1
    return bare_span(text, start, end)


_FIRST_WORD = re.compile(r"(?:[^\w\\]|_|\\[A-Za-z]{1,8}\s?\{|\\\()*+")


def _begins(text: str, start: int, word: str) -> bool:
    found = comparable(text[start : start + len(word)]) == comparable(word)
    after = text[start + len(word) : start + len(word) + 1]
    return found and not (after.isalnum() and _needs_boundary(word[-1:]))


def _asserted(text: str, start: int, word: str) -> tuple[int, int] | None:
    plain, wanted = lowered(fold(text)), re.escape(lowered(fold(word)))
    clause = re.compile(
        rf"(?:[.!?;:\n。！？；]|\bis|\bbut|\bso|\bthus|\btherefore,?)[\s*_\"']{{1,4}}"
        rf"(?P<word>{wanted})(?=[\s*_\"']{{0,4}}(?:[.,!;:。，！\n]|\Z))"
    )
    joined = re.compile(
        rf"[\s*_]{{0,4}}(?:and|or|/|&)[\s*_]{{0,4}}(?P<word>{wanted})(?=\s*(?:[.,!;:\n]|\Z))"
    )
    found = joined.match(plain, start) or clause.search(plain, max(start - 1, 0))
    return found.span("word") if found else None
