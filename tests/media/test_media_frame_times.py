"""Which moments are picked, and which frame is on the screen at them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.media.frame_times import clock, picked_times, shown_at
from ifbench.types import FramesPolicy


@pytest.mark.parametrize(
    ("policy", "duration_s", "frames", "times"),
    [
        (FramesPolicy(), 3.0, 75, (0, 1, 2)),
        (FramesPolicy(), 3.04, 76, (0, 1, 2, 3)),
        (FramesPolicy(fps=2), 1.0, 25, (0, 0.5)),
        (FramesPolicy(fps=0.5), 5.0, 125, (0, 2, 4)),
        (FramesPolicy(), 0.04, 1, (0,)),
        (FramesPolicy(), 0.0, 1, (0,)),
        (FramesPolicy(count=2), 4.0, 100, (1, 3)),
        (FramesPolicy(count=50), 0.12, 3, (0.02, 0.06, 0.1)),
        (FramesPolicy(count=8, max_frames=2), 4.0, 100, (1, 3)),
        (FramesPolicy(max_frames=2), 3600.0, 90_000, (900, 2700)),
        (FramesPolicy(max_frames=3), 3.0, 75, (0, 1, 2)),
    ],
)
def test_moments_are_picked_by_rate_count_and_budget(policy, duration_s, frames, times):
    assert picked_times(policy, duration_s, frames) == pytest.approx(times)


@given(
    st.floats(0.01, 8000),
    st.integers(1, 100_000),
    st.floats(0.1, 60),
    st.none() | st.integers(1, 200),
    st.none() | st.integers(1, 200),
)
def test_moments_ascend_within_the_duration_and_the_budget(duration_s, frames, fps, count, budget):
    policy = FramesPolicy(fps=fps, count=count, max_frames=budget or 5000)
    times = picked_times(policy, duration_s, frames)
    assert 1 <= len(times) <= (budget or 5000)
    assert list(times) == sorted(set(times))
    assert times[0] >= 0
    assert times[-1] < duration_s


@pytest.mark.parametrize(
    ("moment", "index"), [(0, 0), (0.39, 0), (0.4, 1), (0.3999999, 1), (1 / 3, 0), (9, 2), (-1, 0)]
)
def test_the_frame_on_the_screen_is_the_last_that_began(moment, index):
    assert shown_at([0.0, 0.4, 2.0], moment) == index


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "00:00.000"),
        (12.4, "00:12.400"),
        (59.9996, "01:00.000"),
        (3599.999, "59:59.999"),
        (3723.0, "1:02:03.000"),
    ],
)
def test_a_clock_shows_hours_only_where_there_are_some(seconds, words):
    assert clock(seconds) == words
