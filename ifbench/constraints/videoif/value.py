"""Three types on values: their order, their form, and the set that they come from (Table 6)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.constraints.videoif.judging import judged_type
from ifbench.parsing.embedded_json import json_values_in
from ifbench.parsing.flaws import counted, excerpt, listed
from ifbench.parsing.list_items import lines_outside_fences, list_items
from ifbench.parsing.markdown_tables import markdown_tables
from ifbench.parsing.option_words import Options
from ifbench.parsing.options import read_choice
from ifbench.parsing.patterns import check_pattern
from ifbench.parsing.text_forms import bare_span, comparable
from ifbench.parsing.time_spans import time_points, time_spans
from ifbench.parsing.value_forms import (
    TIME_FORMATS,
    ValueKind,
    is_date,
    is_of_kind,
    is_time,
    values_in,
)
from ifbench.parsing.visible_text import visible_line

# ── Order ────────────────────────────────────────────────────────────────────────────


class OrderParams(Params):
    """By what, and in which direction, the parts of the answer are ordered."""

    key: Literal["time", "number", "alpha", "judge"] = "judge"
    """`time`, `number` and `alpha` are read off each part by a script; an order of appearance, of
    distance or of turns needs the facts, and a judge."""
    direction: Literal["ascending", "descending"] = "ascending"
    ties: bool = True
    """Whether neighbours may be equal."""


MAX_PARTS = 5_000


def _order_settled(text: str, params: OrderParams) -> Check | None:
    """Whether the keys run one way; without a key in two parts the judge has to look."""
    if params.key == "judge":
        return None
    keys = list(_keys(text, params.key))
    if len(keys) < max(2, min(len(_parts(text)), MAX_PARTS)):
        return None  # A part without a key may stand anywhere.
    for (before, shown_before), (after, shown_after) in pairwise(keys):
        low, high = (before, after) if params.direction == "ascending" else (after, before)
        if low > high or (low == high and not params.ties):
            return failed(
                f"“{excerpt(shown_after)}” stands after “{excerpt(shown_before)}”, against the "
                f"{params.direction} order",
                found={"keys": len(keys)},
            )
    return passed(f"{len(keys)} parts stand in {params.direction} order", found={"keys": len(keys)})


def _keys(text: str, key: str) -> Iterator[tuple[Any, str]]:
    """The key of each part that has one, with the words that show it."""
    for part in _parts(text)[:MAX_PARTS]:
        if key == "alpha":
            words = visible_line(part).strip(" \t\"'“”‘’([")
            if words:
                yield _letters(words), words
        elif key == "time":
            if (found := _time_key(part)) is not None:
                yield found
        else:
            number = _NUMBER.search(part)
            if number is not None:
                yield float(number[0].replace(",", "").replace("−", "-")), number[0]


def _letters(words: str) -> tuple[str, str]:
    """As dictionaries order words: accents count only where letters are the same."""
    form = comparable(words)
    apart = unicodedata.normalize("NFKD", form)
    return "".join(c for c in apart if not unicodedata.combining(c)), form


def _time_key(part: str) -> tuple[float, str] | None:
    """When a part is: its first span or clock time, or a time that opens it. "For 5 s" is none."""
    places = [(span.start, span.end, span.begin_s) for span in time_spans(part)[:1]]
    for point in time_points(part):
        opens = not any(map(str.isalnum, part[: point.start])) or part[: point.start] == "At "
        if point.seconds is not None and (point.form == "clock" or opens):
            places.append((point.start, point.end, point.seconds))
            break
    if not places:
        return None
    start, end, seconds = min(places)
    return seconds, part[start:end]


_NUMBER = re.compile(
    r"(?<![\w.])[-−]?\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,12})?|(?<![\w.])[-−]?\d{1,15}(?:\.\d{1,12})?"
)


def _parts(text: str) -> Sequence[str]:
    """List items, else the rows of a table, the elements of a JSON array, or lines."""
    items = list_items(text)
    if items:
        depth = min(item.depth for item in items)
        return [item.words for item in items if item.depth == depth]
    if tables := markdown_tables(text):
        return [" ".join(row) for row in tables[0].rows]
    if text.lstrip()[:1] in {"[", "{", "`"}:
        for found in json_values_in(text):
            if isinstance(found.value, list):
                return [_flat(entry) for entry in found.value]
    lines = [line for _, line in lines_outside_fences(text) if any(map(str.isalnum, line))]
    if len(lines) == 1 and "," in lines[0]:
        return [part for part in lines[0].split(",") if part.strip()]
    return lines


def _flat(entry: Any) -> str:
    if isinstance(entry, dict):
        return " ".join(
            str(value) for value in entry.values() if not isinstance(value, dict | list)
        )
    return str(entry)


def _seen_order(text: str, params: OrderParams) -> Mapping[str, Any]:
    del params
    parts = _parts(text)
    shown = "; ".join(f"{number}. {excerpt(part)}" for number, part in enumerate(parts[:12], 1))
    return {"seen": f"its {counted(len(parts), 'part')} in order: {shown}."} if parts else {}


output_ordering = judged_type(
    "output_ordering",
    group="value",
    description="The parts of the answer stand in a stated order: by time, number, alphabet, place.",
    rubric=(
        "order of the output. The parts of the answer stand in the asked order (of time, of "
        "reading, of appearance, of distance, of speaking turns), by the facts. One pair the wrong "
        "way round breaks it."
    ),
    params=OrderParams,
    prepare=_seen_order,
    settle=_order_settled,
    example=Example(
        params={"key": "time"},
        instruction="Give the events in chronological order.",
        passing="- 9:58 the lamp goes on\n- 10:02 the door opens",
        failing="- 10:02 the door opens\n- 9:58 the lamp goes on",
    ),
)

# ── Form ─────────────────────────────────────────────────────────────────────────────

Pattern: TypeAlias = Annotated[str, AfterValidator(check_pattern)]


class NormalizedValue(Params):
    """The form that values are written in; one of `format`, `pattern`, `values` and `kind`."""

    kind: ValueKind | None = None
    format: str | None = None
    """With `date` such as `YYYY-MM-DD`; with `time` such as `MM:SS`."""
    pattern: Pattern | None = None
    """A regular expression for the whole value; its digits are ASCII."""
    values: tuple[str, ...] = ()
    """The values that are allowed, letter by letter."""
    open: str = ""
    close: str = ""
    """Marks that stand around each value, such as brackets."""
    multiple: bool = False
    """Whether several values may be given, parted by `separator`."""
    separator: str = "\n;,"
    """Each of these characters parts values."""
    scope: Literal["whole", "all"] = "whole"
    """`whole`: the answer is the value, or the values. `all`: whatever in the answer looks like a
    value of the kind is in the form."""

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if self.kind in {"date", "time"} and self.format is None:
            raise ValueError(f"`{self.kind}` needs `format`")
        if self.kind == "time" and self.format not in TIME_FORMATS:
            raise ValueError(f"the time format is one of {', '.join(sorted(TIME_FORMATS))}")
        if not (self.kind or self.pattern or self.values):
            raise ValueError("one of `kind`, `pattern` and `values` must be set")
        if self.scope == "all" and self.kind not in _IN_TEXT:
            raise ValueError(f"scope `all` needs a kind of {', '.join(sorted(_IN_TEXT))}")
        return self


_IN_TEXT = frozenset({"date", "time", "integer", "decimal", "percent"})
MAX_VALUE_CHARACTERS = 400


@scripted(
    "videoif:normalized_value_format",
    group="value",
    params=NormalizedValue,
    category="normalized_value_format",
    example=Example(
        params={"kind": "date", "format": "YYYY-MM-DD"},
        instruction="Return the date in the form YYYY-MM-DD.",
        passing="2024-02-29",
        failing="2023-02-29",
    ),
)
def normalized_value_format(text: str, params: NormalizedValue) -> Check:
    """Values are written in the asked normalized form."""
    places = list(_values(text, params))
    if not places:
        return failed("the answer gives no such value")
    if len(places) > 1 and params.scope == "whole" and not params.multiple:
        return failed(f"one value is asked for, {len(places)} are given")
    wrong = [place for place in places if not _is_in_form(text[slice(*place)], params)]
    if wrong:
        shown = listed([text[slice(*place)] for place in wrong])
        return failed(
            f"not in the asked form: {shown}",
            evidence=tuple(quote(text, *place) for place in wrong[:8]),
            found={"values": len(places), "wrong": len(wrong)},
        )
    return passed(
        f"{counted(len(places), 'value')} in the asked form", found={"values": len(places)}
    )


def _values(text: str, params: NormalizedValue) -> Iterator[tuple[int, int]]:
    if params.scope == "all":
        assert params.kind is not None, "the validator sees to it"
        for start, end in values_in(text, params.kind):
            left, right = len(params.open), len(params.close)
            yield max(start - left, 0), min(end + right, len(text))
        return
    if not params.multiple:
        yield _trimmed(text, 0, len(text))
        return
    position = 0
    for part in re.split(f"([{re.escape(params.separator)}])", text):
        start, end = _trimmed(text, position, position + len(part))
        if end > start and not (len(part) == 1 and part in params.separator):
            yield start, end
        position += len(part)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    if end - start > MAX_VALUE_CHARACTERS:
        piece = text[start:end]
        left = len(piece) - len(piece.lstrip())
        return start + left, start + left + len(piece.strip())
    return bare_span(text, start, end)


def _is_in_form(value: str, params: NormalizedValue) -> bool:
    if len(value) > MAX_VALUE_CHARACTERS:
        return False
    if params.open or params.close:
        if not (value.startswith(params.open) and value.endswith(params.close)):
            return False
        value = value[len(params.open) : len(value) - len(params.close)].strip()
    if params.values and value not in params.values:
        return False
    if params.pattern is not None and not re.fullmatch(params.pattern, value, re.ASCII):
        return False
    match params.kind:
        case None:
            return True
        case "date":
            return is_date(value, params.format or "")
        case "time":
            return is_time(value, params.format or "")
        case kind:
            return is_of_kind(value, kind)


# ── Closed sets ──────────────────────────────────────────────────────────────────────


class ClosedSet(Params):
    """The options of which the answer is one."""

    options: tuple[Annotated[str, Field(min_length=1, pattern=r"\S")], ...] = Field(min_length=2)
    allow_explanation: bool = False
    """Whether text may stand beside the choice."""
    ignore_case: bool = True

    @model_validator(mode="after")
    def _options_differ(self) -> Self:
        forms = {comparable(option, ignore_case=self.ignore_case) for option in self.options}
        if len(forms) < len(self.options):
            raise ValueError("`options` must differ")
        return self


@scripted(
    "videoif:closed_set_option_output",
    group="value",
    params=ClosedSet,
    category="closed_set_option_output",
    example=Example(
        params={"options": ["yes", "no", "unknown"]},
        instruction="Answer with exactly one of: yes, no, unknown.",
        passing="**Unknown.**",
        failing="No, it is unknown.",
    ),
)
def closed_set_option_output(text: str, params: ClosedSet) -> Check:
    """The answer is exactly one option of a closed set."""
    options = Options(texts=params.options, ignore_case=params.ignore_case)
    choice = read_choice(text, options, "exact", allow_explanation=params.allow_explanation)
    evidence = tuple(quote(text, mention.start, mention.end) for mention in choice.mentions)
    if choice.option is None:
        return failed(
            f"{choice.problem}; the options are {listed(params.options)}"[:500], evidence=evidence
        )
    name = options.name(choice.option)
    return passed(f"the answer is `{name}`", evidence=evidence, extracted=name)
