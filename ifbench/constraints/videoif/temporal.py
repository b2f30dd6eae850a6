"""Seven types on time: which part of the video counts, in which order and unit (Table 6)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from pydantic import Field

from ifbench.constraints.constraint import Check, Example, NoParams, Params, failed, quote
from ifbench.constraints.videoif.judging import (
    TimeWindow,
    judged_type,
    seen_times,
    shown_spans,
)
from ifbench.parsing.time_spans import TimeForm, time_points, time_spans

temporal_scope = judged_type(
    "temporal_scope",
    group="temporal",
    description="Only what lies in a stated time window of the video counts.",
    rubric=(
        "temporal scope. Every event, entity and judgment in the answer has to come from the "
        "stated window of the video (a range of times, its beginning, middle or end, its last "
        "seconds). Content from outside the window breaks it, even where it is right."
    ),
    params=TimeWindow,
    prepare=seen_times,
    example=Example(
        params={"start_s": 50, "end_s": 60},
        instruction="Use only what happens in the last 10 seconds of the one-minute video.",
        passing="At 00:53 the lamp goes out, and at 00:58 the door closes.",
        failing="At 00:12 the lamp goes on, and at 00:58 the door closes.",
    ),
)

temporal_anchor = judged_type(
    "temporal_anchor",
    group="temporal",
    description="The content stands in a stated relation to one reference event or moment.",
    rubric=(
        "temporal anchor. The answer keeps to what happens before, after, during or at the moment "
        "of one reference event. Find that event among the facts, and test each thing that the "
        "answer says against it."
    ),
    params=TimeWindow,
    prepare=seen_times,
    example=Example(
        params={"end_s": 41},
        instruction="Mention only what happens before the door opens.",
        passing="A woman waters the plants and looks at the clock.",
        failing="A woman waters the plants; then the door opens and a dog runs in.",
    ),
)


def _seen_order(text: str, params: Params) -> Mapping[str, Any]:
    del params
    points = [point for point in time_points(text) if point.seconds is not None]
    if len(points) < 2:
        return {}
    backwards = sum((a.seconds or 0) > (b.seconds or 0) for a, b in pairwise(points))
    shown = ", ".join(text[point.start : point.end] for point in points[:12])
    return {"seen": f"its times in the order of mention: {shown}; {backwards} of them go back."}


temporal_order_relation = judged_type(
    "temporal_order_relation",
    group="temporal",
    description="The answer states, or keeps to, the temporal order of stated events.",
    rubric=(
        "temporal order. The answer has to say or keep the order in time of two or more events "
        "that the instruction names: before, after, between, right next to each other. A wrong "
        "order, or none where one is asked for, breaks it."
    ),
    params=NoParams,
    prepare=_seen_order,
    example=Example(
        params={},
        instruction="Say in which order the events that you mention happen.",
        passing="First the ball rolls in, then the cube falls, and last the light goes off.",
        failing="A ball, a cube and a light are to be seen.",
    ),
)

event_stage = judged_type(
    "event_stage",
    group="temporal",
    description="Only a stated phase of one continuous event counts.",
    rubric=(
        "event stage. The answer keeps to one phase of a single event or process (its onset, peak, "
        "hold, completion, recovery). What belongs to another phase breaks it."
    ),
    params=TimeWindow,
    prepare=seen_times,
    example=Example(
        params={},
        instruction="Describe only how the pouring begins.",
        passing="The jug tips, and the first drops meet the rim of the glass.",
        failing="The jug tips, the glass fills to the brim, and the jug is put down.",
    ),
)


class DurationBounds(Params):
    """How long what is mentioned lasts in the video, where the item says so in numbers."""

    min_s: float | None = Field(default=None, ge=0)
    max_s: float | None = Field(default=None, ge=0)


def _seen_durations(text: str, params: DurationBounds) -> Mapping[str, Any]:
    spans = time_spans(text)
    if not spans:
        return {}
    outside = tuple(
        span
        for span in spans
        if (params.min_s is not None and span.length_s < params.min_s)
        or (params.max_s is not None and span.length_s > params.max_s)
    )
    words = f"the spans that it names: {shown_spans(spans)}."
    return {"seen": f"{words} Against the bounds: {shown_spans(outside)}." if outside else words}


duration_constraint = judged_type(
    "duration_constraint",
    group="temporal",
    description="What the answer mentions meets a condition on how long it lasts.",
    rubric=(
        "duration. Each event, state or occurrence in the answer has to meet the stated condition "
        "on its length in the video: a least or greatest length, the longest, the shortest, brief, "
        "sustained. The facts say how long things last; the answer's own times do not count."
    ),
    params=DurationBounds,
    prepare=_seen_durations,
    example=Example(
        params={"min_s": 2},
        instruction="Mention only actions that last more than 2 seconds.",
        passing="She stirs the soup (00:05 - 00:19).",
        failing="She stirs the soup (00:05 - 00:19) and sneezes (00:20 - 00:21).",
    ),
)

Granularity: TypeAlias = Literal["clock", "seconds", "minutes", "shot"]


class TimeUnit(Params):
    """The one unit of time that the answer may use, where the item names one."""

    unit: Granularity | None = None
    """`clock` is MM:SS. Without a unit the judge decides alone."""


_NAMES: Mapping[TimeForm, str] = {
    "clock": "clock times",
    "seconds": "seconds",
    "minutes": "minutes",
    "hours": "hours",
    "shot": "shot numbers",
}


def _seen_units(text: str, params: TimeUnit) -> Mapping[str, Any]:
    del params
    points = time_points(text)
    counts = {form: sum(point.form == form for point in points) for form in _NAMES}
    listed = ", ".join(f"{count} {_NAMES[form]}" for form, count in counts.items() if count)
    return {"seen": f"times by their unit: {listed or 'none'}."}


def _foreign_unit(text: str, params: TimeUnit) -> Check | None:
    """A time in another unit breaks the rule whatever a judge would say."""
    if params.unit is None:
        return None
    wrong = [point for point in time_points(text) if point.form != params.unit]
    if not wrong:
        return None
    place = wrong[0]
    return failed(
        f"{_NAMES[params.unit]} are asked for, and `{text[place.start : place.end]}` is given in "
        f"{_NAMES[place.form]}",
        evidence=tuple(quote(text, point.start, point.end) for point in wrong[:8]),
        found={"foreign": len(wrong)},
    )


temporal_granularity = judged_type(
    "temporal_granularity",
    group="temporal",
    description="Times are given in a stated unit alone: seconds, minutes, shot numbers.",
    rubric=(
        "temporal granularity. Every time in the answer is given in the asked unit (seconds, "
        "minutes, shot numbers) and in no other, and where the instruction wants a time with each "
        "thing, none is without."
    ),
    params=TimeUnit,
    prepare=_seen_units,
    settle=_foreign_unit,
    example=Example(
        params={"unit": "shot"},
        instruction="Use shot numbers for every segment, and no other times.",
        passing="Shot 3 shows the square; it turns in shot 4.",
        failing="Shot 3 shows the square; it turns at 00:12.",
    ),
)

transition_boundary = judged_type(
    "transition_boundary",
    group="temporal",
    description="The answer gives the moments at which a presence, state or scene changes.",
    rubric=(
        "transition boundary. The answer has to give the moments at which something appears, "
        "disappears, switches, enters, leaves or becomes another state, all of those that the "
        "instruction asks for, and not the time between them."
    ),
    params=TimeWindow,
    prepare=seen_times,
    example=Example(
        params={},
        instruction="Give every moment at which the blue circle enters or leaves the frame.",
        passing="It enters at 00:03, leaves at 00:09, and enters again at 00:15.",
        failing="It is to be seen for most of the video.",
    ),
)
