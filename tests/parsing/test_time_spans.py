from __future__ import annotations

import pytest

from ifbench.parsing.time_spans import seconds_of, time_points, time_spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 00:05", [(5, "clock")]),
        ("at 1:02:03", [(3723, "clock")]),
        ("at 01:05.250", [(65.25, "clock")]),
        ("9:75", []),
        ("1:02:03:04", []),
        ("5 s, 6 seconds, 7sec", [(5, "seconds"), (6, "seconds"), (7, "seconds")]),
        ("2 minutes 5 seconds", [(125, "minutes")]),
        ("1m30s", [(90, "minutes")]),
        ("5 m away", []),
        ("1.5 hours", [(5400, "hours")]),
        ("at second 12", [(12, "seconds")]),
        ("第3秒，1分20秒", [(3, "seconds"), (80, "minutes")]),
        ("shot 4 and 第5镜头", [(None, "shot"), (None, "shot")]),
        ("5 people, 3 stars", []),
        ("the ratio 16:9", []),
    ],
)
def test_points_are_read_in_seconds_with_their_form(text, expected):
    assert [(point.seconds, point.form) for point in time_points(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[00:05 - 00:09]", [(5, 9)]),
        ("00:05–00:09", [(5, 9)]),
        ("00:05 ~ 00:09", [(5, 9)]),
        ("from 5 s to 9 s", [(5, 9)]),
        ("between 0:05 and 0:09", [(5, 9)]),
        ("at 0:05 and 0:09", []),
        ("[0:05, 0:09]", [(5, 9)]),
        ("at 0:05, 0:09", []),
        ("3-7 s", [(3, 7)]),
        ("从5秒到9秒", [(5, 9)]),
        ("0:09 - 0:05", [(9, 5)]),
        ('{"start": 5, "end": 9.5}', [(5, 9.5)]),
        ('{"start_time": "0:05", "end_time": "0:09"}', [(5, 9)]),
        ("0:01 - 0:02, 0:03 - 0:04", [(1, 2), (3, 4)]),
    ],
)
def test_spans_are_two_times_joined(text, expected):
    assert [(span.begin_s, span.end_s) for span in time_spans(text)] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [("75", 75), ("75.5s", 75.5), ("1:15", 75), ("0:01:15", 75), ("1:75", None), ("soon", None)],
)
def test_a_time_alone_is_read_in_seconds(words, expected):
    assert seconds_of(words) == expected
