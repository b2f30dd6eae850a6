"""The functions by which the release decides eleven types, and the parameters that they take.

A model writes the parameters anew for each answer. What is unknown is dropped, what is missing or
of a wrong type stands at its default: two answers to one instruction may be held to two bounds.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ifbench.parsing.brackets import balanced_spans, nests_too_deeply

MAX_ANSWER = 200_000
"""Characters that a function reads; more is no answer of a model."""


class Given(BaseModel):
    """Parameters as the model wrote them, bent to their types."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


G = TypeVar("G", bound=Given)


def read_given(shape: type[G], text: str) -> G:
    """The parameters out of their JSON text; a field that cannot be bent falls to its default."""
    try:
        value = {} if nests_too_deeply(text) else json.loads(text or "{}")
    except (ValueError, RecursionError):
        value = {}
    kept = dict(value) if isinstance(value, dict) else {}
    while True:
        try:
            return shape.model_validate(kept)
        except ValidationError as error:
            wrong = {entry["loc"][0] for entry in error.errors() if entry["loc"]}
            if not wrong & kept.keys():
                return shape()
            kept = {name: given for name, given in kept.items() if name not in wrong}


def _unfenced(text: str) -> str:
    return "\n".join(
        line for line in text.split("\n") if not line.lstrip().startswith(("```", "~~~"))
    ).strip()


# ── Values ───────────────────────────────────────────────────────────────────────────


class ValueGiven(Given):
    """Of `judge_normalized_value_format`."""

    allowed_patterns: tuple[str, ...] = ()
    allowed_values: tuple[str, ...] = ()
    require_full_match: bool = True
    ignore_case: bool = False
    allow_multiple: bool = False
    separator_pattern: str = r"[\n;]"


def normalized_value_format(text: str, given: ValueGiven) -> bool:
    """Each value matches a pattern or is an allowed one; without either nothing passes."""
    body = _unfenced(text)
    try:
        parts = re.split(given.separator_pattern, body) if given.allow_multiple else [body]
    except re.error:
        return False
    values = [part.strip() for part in parts if part and part.strip()]
    return bool(values) and all(_is_allowed(value, given) for value in values)


def _is_allowed(value: str, given: ValueGiven) -> bool:
    flags = re.IGNORECASE if given.ignore_case else 0
    fold: Callable[[str], str] = str.casefold if given.ignore_case else str
    if fold(value) in {fold(allowed) for allowed in given.allowed_values}:
        return True
    for pattern in given.allowed_patterns:
        try:
            compiled = re.compile(pattern, flags)
        except re.error:
            continue
        if (compiled.fullmatch if given.require_full_match else compiled.search)(value):
            return True
    return False


class OptionGiven(Given):
    """Of `judge_closed_set_option_output`."""

    allowed_options: tuple[str, ...] = ()
    allow_explanation: bool = False
    ignore_case: bool = True


def closed_set_option_output(text: str, given: OptionGiven) -> bool:
    """The answer is an option, or with an explanation begins with one."""
    fold: Callable[[str], str] = str.casefold if given.ignore_case else str
    words = fold(_unfenced(text).strip(" \t\r\n\"'`*.。"))
    options = [fold(option.strip()) for option in given.allowed_options if option.strip()]
    if words in options:
        return True
    return given.allow_explanation and any(
        words.startswith(option) and not words[len(option) : len(option) + 1].isalnum()
        for option in options
    )


# ── Layout ───────────────────────────────────────────────────────────────────────────


class JsonGiven(Given):
    """Of `judge_structured_json_output`."""

    top_level: str = "object"
    required_keys: tuple[str, ...] = ()
    forbidden_keys: tuple[str, ...] = ()
    schema_skeleton: Any = None

    def __init__(self, **given: Any) -> None:
        """The release calls the skeleton `schema`, which pydantic keeps for itself."""
        super().__init__(schema_skeleton=given.pop("schema", None), **given)


def structured_json_output(text: str, given: JsonGiven) -> bool:
    """The answer, or the first balanced construct in it, parses; prose around it does not matter."""
    read = _loaded(_unfenced(text))
    if read is None:
        return False
    value = read[0]
    if not isinstance(value, list if given.top_level == "array" else dict):
        return False
    objects = value if isinstance(value, list) else [value]
    for entry in objects if given.required_keys or given.forbidden_keys else ():
        if not isinstance(entry, dict) or any(key not in entry for key in given.required_keys):
            return False
        if any(key in entry for key in given.forbidden_keys):
            return False
    return given.schema_skeleton is None or _fits(value, given.schema_skeleton)


def _loaded(text: str) -> tuple[Any] | None:
    """Python's own reader: NaN and repeated keys are let pass."""
    spans = [
        (0, len(text)),
        *(span for span, _ in zip(balanced_spans(text, "{["), [0], strict=False)),
    ]
    for start, end in spans:
        if nests_too_deeply(text[start:end]):
            continue
        try:
            return (json.loads(text[start:end]),)
        except (ValueError, RecursionError):
            continue
    return None


def _fits(value: Any, skeleton: Any) -> bool:
    if isinstance(skeleton, dict):
        if not isinstance(value, dict) or set(value) != set(skeleton):
            return False
        return all(_fits(value[name], inner) for name, inner in skeleton.items())
    if isinstance(skeleton, list):
        if not isinstance(value, list):
            return False
        return not skeleton or all(_fits(entry, skeleton[0]) for entry in value)
    return True


class TableGiven(Given):
    """Of `judge_table_output`."""

    allowed_formats: tuple[str, ...] = ("markdown", "csv")
    min_rows: int = 1
    require_header: bool = True
    columns: tuple[str, ...] = ()

    def __init__(self, **given: Any) -> None:
        """The release's `schema` is read as the names of the columns."""
        names = given.pop("schema", None)
        listed = list(names) if isinstance(names, list | dict) else given.pop("columns", ())
        super().__init__(columns=listed, **given)


_DELIMITER = re.compile(r"\s*\|?(?:\s*:?-{3,}:?\s*\|?)+\s*\Z")


def table_output(text: str, given: TableGiven) -> bool:
    """A Markdown table with three dashes or more a column, or comma-separated lines of one width."""
    body = _unfenced(text)
    tables = []
    if "markdown" in given.allowed_formats:
        tables.append(_markdown_rows(body, given))
    if "csv" in given.allowed_formats:
        tables.append(_csv_rows(body, given))
    return any(rows is not None and len(rows) >= given.min_rows for rows in tables)


def _markdown_rows(body: str, given: TableGiven) -> list[list[str]] | None:
    lines = [line for line in body.split("\n") if "|" in line]
    for head, rule in pairwise(lines):
        if "-" in rule and set(rule) <= set("|:- \t\r") and _DELIMITER.match(rule[:2_000]):
            header = _cells(head)
            if given.columns and [cell.lower() for cell in header] != [
                c.lower() for c in given.columns
            ]:
                return None
            below = lines[lines.index(rule) + 1 :]
            # Cells are cut at `|` even where it is escaped, and rows of another width are dropped.
            return [cells for cells in map(_cells, below) if len(cells) == len(header)]
    return None if given.require_header else [_cells(line) for line in lines]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _csv_rows(body: str, given: TableGiven) -> list[list[str]] | None:
    try:
        rows = [row for row in csv.reader(io.StringIO(body)) if row]
    except csv.Error:
        return None
    if not rows or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return None
    if given.columns and [c.strip().lower() for c in rows[0]] != [c.lower() for c in given.columns]:
        return None
    return rows[1:] if given.require_header else rows


class ListGiven(Given):
    """Of `judge_ordered_list_output`."""

    min_items: int = 1
    allow_numbered: bool = True
    allow_bullets: bool = True


_NUMBERED = re.compile(r"\s{0,20}\d{1,4}[.)、]\s*\S")
_BULLET = re.compile(r"\s{0,20}[-*+•]\s+\S")


def ordered_list_output(text: str, given: ListGiven) -> bool:
    """So many lines begin with a number or a bullet; one will do, and the numbers do not matter."""
    return _marked(
        _unfenced(text), numbered=given.allow_numbered, bullets=given.allow_bullets
    ) >= max(given.min_items, 1)


def _marked(body: str, *, numbered: bool = True, bullets: bool = True) -> int:
    return sum(
        bool((numbered and _NUMBERED.match(line)) or (bullets and _BULLET.match(line)))
        for line in body.split("\n")
    )


class CountGiven(Given):
    """Of the functions that count paragraphs and list items."""

    min_count: int | None = None
    max_count: int | None = None

    def admits(self, count: int) -> bool:
        """Between the bounds; without any bound, any number."""
        return (self.min_count is None or count >= self.min_count) and (
            self.max_count is None or count <= self.max_count
        )


class LengthGiven(CountGiven):
    """Of `judge_response_length_constraint`."""

    unit: str = "word"


_ZH = re.compile(r"[\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+|\d+|[^\w\s]")


def response_length_constraint(text: str, given: LengthGiven) -> bool:
    """Words are parted by blanks; `zh_length` counts ideographs, words, numbers and marks."""
    body = _unfenced(text)
    count = len(_ZH.findall(body)) if given.unit == "zh_length" else len(body.split())
    return given.admits(count)


def paragraph_count_constraint(text: str, given: CountGiven) -> bool:
    """Blocks between blank lines, headings and rules among them."""
    return given.admits(
        sum(bool(part.strip()) for part in re.split(r"\n[ \t\r]*\n", _unfenced(text)))
    )


def list_item_count_constraint(text: str, given: CountGiven) -> bool:
    """Items of a JSON list, else marked lines, "1. 2." in a line, commas, lines; a number is itself."""
    return given.admits(_item_count(_unfenced(text)))


def _item_count(body: str) -> int:
    if re.fullmatch(r"\d{1,6}", body, re.ASCII):
        return int(body)
    read = _loaded(body) if body.startswith("[") else None
    if read is not None and isinstance(read[0], list):
        return len(read[0])
    if (marked := _marked(body)) and (marked > 1 or "\n" in body):
        return marked
    if inline := len(re.findall(r"(?:^|\s)\d{1,3}[.)]\s", body)):
        return inline
    lines = [line for line in body.split("\n") if line.strip()]
    if len(lines) == 1 and re.search("[,，]", lines[0]):
        return sum(bool(part.strip()) for part in re.split("[,，]", lines[0]))
    return len(lines)


# ── Wording ──────────────────────────────────────────────────────────────────────────


class RequiredGiven(Given):
    """Of `judge_required_keyword_inclusion`."""

    keywords: tuple[str, ...] = ()
    match_all: bool = True
    min_occurrences: int = 1
    max_occurrences: int | None = None
    ignore_case: bool = True


class ForbiddenGiven(Given):
    """Of `judge_forbidden_keyword_exclusion`."""

    keywords: tuple[str, ...] = ()
    ignore_case: bool = True


def required_keyword_inclusion(text: str, given: RequiredGiven) -> bool:
    """Each keyword, or any, stands there so often; without keywords nothing passes."""
    met = [
        given.min_occurrences <= count
        and (given.max_occurrences is None or count <= given.max_occurrences)
        for count in _keyword_counts(text, given.keywords, ignore_case=given.ignore_case)
    ]
    return bool(met) and (all(met) if given.match_all else any(met))


def forbidden_keyword_exclusion(text: str, given: ForbiddenGiven) -> bool:
    """No keyword stands there; without keywords the answer passes."""
    return not any(_keyword_counts(text, given.keywords, ignore_case=given.ignore_case))


def _keyword_counts(text: str, keywords: Sequence[str], *, ignore_case: bool) -> list[int]:
    r"""By `\b`, as the release does: `_he_` hides "he". Chinese and Kana are substrings."""
    body = _unfenced(text)
    flags = re.IGNORECASE if ignore_case else 0
    counts = []
    for keyword in filter(None, (word.strip() for word in keywords)):
        pattern = re.escape(keyword)
        if not re.search(r"[\u3040-\u9fff]", keyword):
            pattern = rf"\b{pattern}\b"
        counts.append(sum(1 for _ in re.finditer(pattern, body, flags)))
    return counts


class VerbatimGiven(Given):
    """Of `judge_verbatim_speech_constraint`."""

    expected_utterance: str = ""
    normalize_whitespace: bool = True
    normalize_quotes: bool = True
    ignore_case: bool = False
    allow_wrapping_quotes: bool = True


_QUOTES = str.maketrans("“”„«»‘’‚", '"""""\'\'\'')


def verbatim_speech_constraint(text: str, given: VerbatimGiven) -> bool:
    """The answer equals the utterance, blanks, quotes and case normalized as the parameters say."""
    wanted, found = (_plain(words, given) for words in (given.expected_utterance, text))
    return bool(wanted) and wanted == found


def _plain(words: str, given: VerbatimGiven) -> str:
    words = words.strip()
    if given.normalize_quotes:
        words = words.translate(_QUOTES)
    if (
        given.allow_wrapping_quotes
        and len(words) > 1
        and words[0] == words[-1]
        and words[0] in "\"'"
    ):
        words = words[1:-1].strip()
    if given.normalize_whitespace:
        words = " ".join(words.split())
    return words.casefold() if given.ignore_case else words
