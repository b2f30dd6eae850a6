"""Which moments of a video are shown, and which frame is on the screen at each of them.

Times are seconds since the first frame that is shown, whatever clock the file keeps.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

from ifbench.types import FramesPolicy

SLACK_S = 1e-6  # A frame at 1/3 s is on the screen at 1/3 s, however the two were rounded.


def picked_times(policy: FramesPolicy, duration_s: float, frames: int) -> tuple[float, ...]:
    """The moments to be shown, in order; at least one, none at or past the end.

    A rate gives 0, 1/fps, 2/fps, …; a count cuts the duration into as many equal spans and takes
    the middle of each, as does a rate that gives more than `max_frames`. No count is above the
    number of frames, so that a video of three frames is not sent fifty times over.
    """
    budget = min(frames, policy.max_frames or frames)
    if policy.count is not None:
        return _spread(min(policy.count, budget), duration_s)
    count = max(1, math.ceil(duration_s * policy.fps - SLACK_S))
    if policy.max_frames is not None and count > policy.max_frames:
        return _spread(budget, duration_s)
    return tuple(index / policy.fps for index in range(count))


def _spread(count: int, duration_s: float) -> tuple[float, ...]:
    return tuple((index + 0.5) * duration_s / count for index in range(count))


def shown_at(times: Sequence[float], moment: float) -> int:
    """Index of the frame on the screen at a moment: the last that began by then."""
    return max(0, bisect_right(times, moment + SLACK_S) - 1)


def clock(seconds: float) -> str:
    """`00:12.400`, with hours only where there are some: `1:02:03.000`."""
    thousandths = round(seconds * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    hours, minutes = divmod(minutes, 60)
    short = f"{minutes:02d}:{rest // 1000:02d}.{rest % 1000:03d}"
    return f"{hours}:{short}" if hours else short
