"""Six types on layout: JSON, tables, lists, paragraphs, titles (Table 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from ifbench.constraints.constraint import (
    Check,
    Example,
    Params,
    failed,
    passed,
    quote,
    scripted,
)
from ifbench.constraints.json_output import JsonParams, check_json
from ifbench.constraints.videoif.bounds import Bounds
from ifbench.parsing.fences import fence_around
from ifbench.parsing.flaws import Flaw, counted, excerpt, listed
from ifbench.parsing.lengths import count_words
from ifbench.parsing.list_items import (
    ListItem,
    inline_items,
    lines_outside_fences,
    list_items,
)
from ifbench.parsing.markdown_tables import MarkdownTable, markdown_tables
from ifbench.parsing.paragraphs import Title, TitleStyle, is_title_line, paragraphs_in, titles_in
from ifbench.parsing.tables import parse_csv
from ifbench.parsing.text_forms import comparable
from ifbench.types import Evidence, Json

# ── JSON ─────────────────────────────────────────────────────────────────────────────


class StructuredJson(JsonParams):
    """What the JSON has to be."""

    top_level: Literal["object", "array", "any"] = "any"
    """`any` is an object or an array; a bare number or string is neither."""
    forbidden_keys: tuple[str, ...] = ()
    """Names that stand nowhere in it."""
    skeleton: Any = None
    """Names and nesting to be found: an object's names, and of an array its one element's, which
    every element has. Names beside them break it where `extra_keys` is false."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if not self.extra_keys and not self.required_keys and self.skeleton is None:
            raise ValueError("extra_keys: false needs required_keys or a skeleton")
        return self


@scripted(
    "videoif:structured_json_output",
    group="layout",
    params=StructuredJson,
    category="structured_json_output",
    example=Example(
        params={"top_level": "object", "required_keys": ["reason", "segments"]},
        instruction="Return a JSON object with the keys reason and segments.",
        passing='{"reason": "the lamp goes out", "segments": ["00:04 - 00:09"]}',
        failing='Here it is: {"reason": "the lamp goes out", "segments": ["00:04 - 00:09"]}',
    ),
)
def structured_json_output(text: str, params: StructuredJson) -> Check:
    """The answer is a JSON object or array, with the asked names and nesting."""

    def further(value: Json) -> str:
        if not isinstance(value, dict | list):
            return "a bare value is neither a JSON object nor an array"
        names = [name for name in params.forbidden_keys if name in _all_keys(value)]
        if names:
            return f"these keys were forbidden: {listed(names)}"
        if params.skeleton is None:
            return ""
        return _against_skeleton(value, params.skeleton, extra=params.extra_keys, where="the top")

    return check_json(text, params, further)


def _all_keys(value: Json) -> set[str]:
    found: set[str] = set()
    waiting: list[Json] = [value]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, dict):
            found.update(entry)
            waiting.extend(entry.values())
        elif isinstance(entry, list):
            waiting.extend(entry)
    return found


def _against_skeleton(value: Json, skeleton: Any, *, extra: bool, where: str) -> str:
    if isinstance(skeleton, dict):
        if not isinstance(value, dict):
            return f"at {where} an object is expected"
        missing = [name for name in skeleton if name not in value]
        if missing:
            return f"these keys are missing at {where}: {listed(missing)}"
        surplus = [name for name in value if name not in skeleton]
        if surplus and skeleton and not extra:
            return f"these keys were not asked for at {where}: {listed(surplus)}"
        problems = (
            _against_skeleton(value[name], inner, extra=extra, where=f"“{excerpt(name)}”")
            for name, inner in skeleton.items()
        )
        return next(filter(None, problems), "")
    if isinstance(skeleton, list):
        if not isinstance(value, list):
            return f"at {where} an array is expected"
        if len(skeleton) != 1:
            return ""
        problems = (
            _against_skeleton(entry, skeleton[0], extra=extra, where=f"{where}, element {number}")
            for number, entry in enumerate(value, start=1)
        )
        return next(filter(None, problems), "")
    return ""


# ── Tables ───────────────────────────────────────────────────────────────────────────


class TableParams(Params):
    """What the table has to be."""

    format: Literal["markdown", "csv", "any"] = "any"
    columns: tuple[str, ...] = ()
    """The header's cells, compared without marks and case."""
    columns_count: int | None = Field(default=None, ge=1)
    rows: int | None = Field(default=None, ge=1)
    """Exact number of rows below the header."""
    min_rows: int = Field(default=1, ge=0)
    scope: Literal["whole", "embedded"] = "whole"
    """`whole`: one table, and beside it nothing but a title. `embedded`: one at least."""


@scripted(
    "videoif:table_output",
    group="layout",
    params=TableParams,
    category="table_output",
    example=Example(
        params={"columns_count": 2},
        instruction="Summarize each stage in a table of two columns.",
        passing="| stage | what happens |\n|---|---|\n| 1 | the lamp goes on |",
        failing="Stage 1: the lamp goes on\nStage 2: it goes off",
    ),
)
def table_output(text: str, params: TableParams) -> Check:
    """The answer is a table, in Markdown or as comma-separated values."""
    tables = markdown_tables(text) if params.format != "csv" else ()
    if not tables and params.format != "markdown":
        table = _csv_table(text)
        if isinstance(table, Flaw):
            wanted = "CSV" if params.format == "csv" else "a Markdown table or CSV"
            return failed(f"the answer is not {wanted}: {table.reason}")
        tables = (table,)
    elif not tables:
        return failed("no Markdown table stands in the answer")
    elif params.scope == "whole" and (problem := _beside_tables(text, tables)):
        return problem
    problems = [_table_problem(table, params) for table in tables]
    found = {"tables": len(tables), "columns": tables[0].columns, "rows": len(tables[0].rows)}
    if all(problems):
        return failed(problems[0], found=found)
    table = tables[problems.index("")]
    return passed(
        f"a table of {counted(table.columns, 'column')} and {counted(len(table.rows), 'row')}",
        found=found,
    )


def _csv_table(text: str) -> MarkdownTable | Flaw:
    fence = fence_around(text)
    body = text[fence.body_start : fence.body_end] if fence else text
    table = parse_csv(body.strip("\r\n"))
    if isinstance(table, Flaw):
        return table
    if table.columns < 2 or len(table.rows) < 2:
        return Flaw(reason="fewer than two rows of two columns")
    uneven = next((i for i, row in enumerate(table.rows) if len(row) != table.columns), None)
    if uneven is not None:
        width = counted(len(table.rows[uneven]), "field")
        return Flaw(reason=f"row {uneven + 1} has {width}, the first {table.columns}")
    # A sentence with a comma is no table, nor are two of them.
    if any(field.rstrip().endswith((".", "!", "?")) for field in table.rows[0]):
        return Flaw(reason="its first line is a sentence, not a header")
    return MarkdownTable(header=table.rows[0], rows=table.rows[1:], start_line=0, end_line=0)


def _beside_tables(text: str, tables: Sequence[MarkdownTable]) -> Check | None:
    if len(tables) > 1:
        return failed(f"one table is asked for, {len(tables)} stand in the answer")
    table = tables[0]
    for number, (start, line) in enumerate(_lines(text)):
        inside = table.start_line <= number < table.end_line
        if inside or not any(map(str.isalnum, line)) or is_title_line(line):
            continue
        return failed(
            f"text stands beside the table: “{excerpt(line)}”",
            evidence=(quote(text, start, start + len(line)),),
        )
    return None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    position = 0
    for line in text.split("\n"):
        yield position, line
        position += len(line) + 1


def _table_problem(table: MarkdownTable, params: TableParams) -> str:
    if params.columns:
        wanted = [comparable(name.replace("|", "/")) for name in params.columns]
        if [comparable(cell) for cell in table.header] != wanted:
            return f"the header is {listed(table.header)}, not {listed(params.columns)}"
    if params.columns_count is not None and table.columns != params.columns_count:
        return f"the table has {counted(table.columns, 'column')}, not {params.columns_count}"
    filled = [row for row in table.rows if any(cell.strip() for cell in row)]
    if params.rows is not None and len(filled) != params.rows:
        return f"the table has {counted(len(filled), 'row')}, not {params.rows}"
    if len(filled) < params.min_rows:
        return f"the table has {counted(len(filled), 'row')}, fewer than {params.min_rows}"
    return ""


# ── Lists ────────────────────────────────────────────────────────────────────────────

Markers: TypeAlias = Literal["bullet", "numbered", "lettered", "any"]


class ListParams(Params):
    """What the list has to be."""

    markers: Markers = "any"
    start: int | None = None
    """The first number; without it a list may begin anywhere."""
    consecutive: bool = True
    """Numbers and letters go up by one, as they are written."""
    min_items: int = Field(default=2, ge=1)
    lead_in: bool = True
    """One line that ends in a colon may stand before the list."""
    inline: bool = False
    """Let "1. … 2. …" in running text pass."""
    scope: Literal["whole", "embedded"] = "whole"
    """`embedded` lets other text stand beside the list."""


@scripted(
    "videoif:ordered_list_output",
    group="layout",
    params=ListParams,
    category="ordered_list_output",
    example=Example(
        params={"markers": "numbered", "start": 1},
        instruction="List the key events as an ordered list.",
        passing="1. The lamp goes on.\n2. The door opens.",
        failing="1. The lamp goes on.\n3. The door opens.",
    ),
)
def ordered_list_output(text: str, params: ListParams) -> Check:
    """The answer is an ordered list or a bullet list, and no running text."""
    items = list_items(text)
    if not items and params.inline:
        items = inline_items(text)
    wanted = [item for item in items if params.markers in {"any", item.marker}]
    if len(wanted) < params.min_items:
        kind = "list items" if params.markers == "any" else f"{params.markers} items"
        hint = f" among {len(items)} of any kind" if len(items) > len(wanted) else ""
        return failed(
            f"{len(wanted)} {kind}{hint}, at least {params.min_items} are asked for",
            found={"items": len(wanted)},
        )
    outer = [item for item in wanted if item.depth == min(one.depth for one in wanted)]
    if params.markers != "any" and any(i.marker != params.markers for i in items if i.depth == 0):
        return failed(f"not every item is {params.markers}", evidence=_places(text, items))
    problem = _wrong_numbers(outer, params)
    if problem:
        return failed(problem, evidence=_places(text, outer), found={"items": len(wanted)})
    if params.scope == "whole" and not params.inline and (stray := _stray_line(text, params)):
        return failed(f"text stands outside the list: “{excerpt(stray.text)}”", evidence=(stray,))
    return passed(f"a list of {counted(len(wanted), 'item')}", found={"items": len(wanted)})


def _wrong_numbers(items: Sequence[ListItem], params: ListParams) -> str:
    numbers = [item.number for item in items if item.number is not None]
    if not numbers:
        return ""
    if params.start is not None and numbers[0] != params.start:
        return f"the list begins with {numbers[0]}, not with {params.start}"
    if params.consecutive:
        for before, after in pairwise(numbers):
            if after != before + 1:
                return f"{after} follows {before}: the items are not numbered one by one"
    return ""


def _stray_line(text: str, params: ListParams) -> Evidence | None:
    """The first line of prose outside the items: titles, and one lead-in, are none."""
    starts = {item.start for item in list_items(text)}
    is_inside = seen_blank = False
    may_lead = params.lead_in
    for start, line in lines_outside_fences(text):
        words = line.strip()
        if not words:
            seen_blank = True
            continue
        if start in starts:
            is_inside, may_lead, seen_blank = True, False, False
        elif not any(map(str.isalnum, words)) or is_title_line(line):
            is_inside = False
        elif is_inside and (not seen_blank or line[:1] in {" ", "\t"}):
            continue  # A continuation line of the item above.
        elif may_lead and words.rstrip("*_ ").endswith((":", "：")):
            may_lead = False
        else:
            return quote(text, start, start + len(line.rstrip("\r")))
    return None


def _places(text: str, items: Sequence[ListItem]) -> tuple[Evidence, ...]:
    return tuple(quote(text, item.start, item.end) for item in items[:8])


class ItemCount(Bounds):
    """How many items the list has."""

    markers: Markers = "any"
    nested: Literal["all", "top_level"] = "all"
    """The paper marks nested bullets as a breach of "exactly five" (Figure 11)."""
    inline: bool = False
    """Count "1. … 2. …" in running text where no line is an item."""


@scripted(
    "videoif:list_item_count_constraint",
    group="layout",
    params=ItemCount,
    category="list_item_count_constraint",
    example=Example(
        params={"min": 2, "max": 2, "markers": "bullet"},
        instruction="Give exactly two bullet points.",
        passing="- The lamp goes on.\n- The door opens.",
        failing="- The lamp goes on.\n  - It is red.\n- The door opens.",
    ),
)
def list_item_count_constraint(text: str, params: ItemCount) -> Check:
    """The list has the asked number of items, nested ones counted."""
    items = list_items(text)
    if not items and params.inline:
        items = inline_items(text)
    counted_items = [
        item
        for item in items
        if params.markers in {"any", item.marker} and (params.nested == "all" or item.depth == 0)
    ]
    count = len(counted_items)
    found = {"items": count, "nested": sum(item.depth > 0 for item in counted_items)}
    if not items:
        return failed("no list stands in the answer", found=found)
    reason = f"{counted(count, 'list item')}, {found['nested']} of them nested"
    if params.admits(count):
        return passed(reason, found=found)
    return failed(
        f"{reason}; asked for {params.words}", evidence=_places(text, counted_items), found=found
    )


# ── Paragraphs ───────────────────────────────────────────────────────────────────────


class ParagraphCount(Bounds):
    """How many paragraphs the answer has."""

    separator: str = ""
    """A line that parts paragraphs (`***`); without it blank lines do."""
    count_headings: bool = False
    lists_as_one: bool = True
    """A list whose items stand apart is one block."""


@scripted(
    "videoif:paragraph_count_constraint",
    group="layout",
    params=ParagraphCount,
    category="paragraph_count_constraint",
    example=Example(
        params={"min": 2, "max": 2},
        instruction="Write exactly two paragraphs.",
        passing="The lamp goes on.\n\nThen the door opens.",
        failing="The lamp goes on.\nThen the door opens.",
    ),
)
def paragraph_count_constraint(text: str, params: ParagraphCount) -> Check:
    """The answer has the asked number of paragraphs, parted by blank lines."""
    blocks = paragraphs_in(
        text,
        separator=params.separator,
        count_headings=params.count_headings,
        lists_as_one=params.lists_as_one,
    )
    count = len(blocks)
    reason = counted(count, "paragraph")
    if params.admits(count):
        return passed(reason, found={"paragraphs": count})
    return failed(
        f"{reason}; asked for {params.words}",
        evidence=tuple(quote(text, block.start, block.end) for block in blocks[:8]),
        found={"paragraphs": count},
    )


# ── Titles ───────────────────────────────────────────────────────────────────────────


class TitleParams(Params):
    """What the title has to be."""

    style: TitleStyle = "any"
    """A heading, a bold line alone, a line `Title: …`, or words between marks."""
    open: str = Field(default="<<", min_length=1)
    close: str = Field(default=">>", min_length=1)
    placement: Literal["first", "last", "anywhere"] = "first"
    max_words: int | None = Field(default=None, ge=1)


@scripted(
    "videoif:title_requirement",
    group="layout",
    params=TitleParams,
    category="title_requirement",
    example=Example(
        params={"placement": "first", "max_words": 5},
        instruction="Add a title of at most five words before the summary.",
        passing="# The red lamp\n\nA lamp goes on and off.",
        failing="#Lamp\n\nA lamp goes on and off.",
    ),
)
def title_requirement(text: str, params: TitleParams) -> Check:
    """The answer has a title in the asked style and place."""
    titles = [
        title
        for title in titles_in(text, opening=params.open, closing=params.close)
        if params.style in {"any", title.style}
    ]
    if not titles:
        return failed("the answer has no title" + _style_words(params))
    placed = [title for title in titles if _is_placed(text, title, params.placement)]
    if not placed:
        first = titles[0]
        return failed(
            f"the title does not stand {params.placement}",
            evidence=(quote(text, first.start, first.end),),
        )
    title = placed[0]
    count = count_words(title.words)
    evidence = (quote(text, title.start, title.end),)
    if params.max_words is not None and count > params.max_words:
        reason = f"the title has {counted(count, 'word')}, more than {params.max_words}"
        return failed(reason, evidence=evidence)
    return passed(f"the title is “{excerpt(title.words)}”", evidence=evidence)


def _style_words(params: TitleParams) -> str:
    match params.style:
        case "wrapped":
            return f" between `{params.open}` and `{params.close}`"
        case "any":
            return ""
        case _:
            return f" of the style {params.style}"


def _is_placed(text: str, title: Title, placement: str) -> bool:
    match placement:
        case "first":
            return not any(map(str.isalnum, text[: title.start]))
        case "last":
            return not any(map(str.isalnum, text[title.end :]))
        case _:
            return True
