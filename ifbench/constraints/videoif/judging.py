"""How a judged type of Video-IFBench is decided, and what scripts show the judge beside the answer.

The question and the facts belong to the checklist item (`question`, `evidence`); a type adds a
rubric, and where a script can see something, its findings. A script never passes an item here;
it may fail one where the parameters make the breach plain (`settle`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import Field

from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Example,
    Judged,
    Params,
)
from ifbench.constraints.listed import TEMPLATE, ListedEntry, decide_entry, one_part
from ifbench.parsing.keywords import keyword_places
from ifbench.parsing.time_spans import TimePoint, TimeSpan, time_points

SHOWN = 12
"""Findings that a judge is told of; it is told of more in number only."""


P = TypeVar("P", bound=Params)


def judged_type(
    name: str,
    *,
    group: str,
    description: str,
    rubric: str,
    params: type[P],
    example: Example,
    prepare: Callable[[str, P], Mapping[str, Any]] | None = None,
    settle: Callable[[str, P], Check | None] | None = None,
    version: int = 1,
) -> Constraint:
    """A type of Table 6 that a judge decides, one item a question."""
    return Constraint(
        id=f"videoif:{name}",
        group=group,
        description=description,
        example=example,
        category=name,  # One instruction may carry any number of types (section 3.2).
        method=Judged(
            params=params,
            template=TEMPLATE,
            reply=ListedEntry,
            decide=decide_entry,
            parts=one_part,
            prepare=prepare,
            settle=settle,
            is_listed=True,
            rubric=rubric,
            version=version,
        ),
    )


# ── What a script sees ───────────────────────────────────────────────────────────────


class SoughtWords(Params):
    """Words whose places are shown to the judge."""

    terms: tuple[str, ...] = ()
    """What a script looks for in the answer, as whole words and in any inflection."""


def seen_words(text: str, params: SoughtWords) -> Mapping[str, Any]:
    """How often each sought word stands in the answer."""
    counts = {
        term: len(keyword_places(text, term, inflections=True))
        for term in params.terms
        if term.strip()
    }
    if not counts:
        return {}
    listed = ", ".join(f"“{term}” {count} times" for term, count in list(counts.items())[:SHOWN])
    return {"seen": f"{listed}."}


class TimeWindow(Params):
    """The window that the times of the answer have to lie in, where the item names one."""

    start_s: float | None = Field(default=None, ge=0)
    end_s: float | None = Field(default=None, ge=0)
    tolerance_s: float = Field(default=1.0, ge=0)
    """Times so far outside still lie in it: frames are a second apart in most runs."""


def seen_times(text: str, params: TimeWindow) -> Mapping[str, Any]:
    """The times that the answer names, and those outside the window."""
    points = [point for point in time_points(text) if point.seconds is not None]
    if not points:
        return {"seen": "it names no time."}
    words = f"it names the times {_listed(text, points)}."
    outside = [point for point in points if _is_outside(point, params)]
    if params.start_s is None and params.end_s is None:
        return {"seen": words}
    if not outside:
        return {"seen": f"{words} All of them lie in the window."}
    return {"seen": f"{words} Outside the window: {_listed(text, outside)}."}


def _is_outside(point: TimePoint, params: TimeWindow) -> bool:
    assert point.seconds is not None, "shots are left out"
    early = params.start_s is not None and point.seconds < params.start_s - params.tolerance_s
    late = params.end_s is not None and point.seconds > params.end_s + params.tolerance_s
    return early or late


def _listed(text: str, points: list[TimePoint]) -> str:
    shown = ", ".join(text[point.start : point.end] for point in points[:SHOWN])
    return shown + (f" and {len(points) - SHOWN} more" if len(points) > SHOWN else "")


def shown_spans(spans: tuple[TimeSpan, ...]) -> str:
    """Spans with their lengths, for a judge to read."""
    shown = ", ".join(
        f"{span.begin_s:g} s to {span.end_s:g} s ({span.length_s:g} s)" for span in spans[:SHOWN]
    )
    return shown + (f" and {len(spans) - SHOWN} more" if len(spans) > SHOWN else "")
