import time

import pytest

from ifbench.parsing.fields import fields_in

NAMES = ("weather", "view_direction")


def values(text, names=NAMES):
    return [[field.value for field in found] for found in fields_in(text, names).values()]


@pytest.mark.parametrize(
    "text",
    [
        '{"weather": "clear", "view_direction": "front/back"}',
        "{'weather': 'clear', 'view_direction': 'front/back'}",
        '```json\n{\n  "weather": "clear",\n  "view_direction": "front/back"\n}\n```',
        "weather: clear\nview_direction: front/back",
        "weather = clear\nview direction = front/back",
        "**Weather:** clear\n**View direction:** front/back",
        "- **Weather**: clear\n- **View-Direction**: front/back",
        "1. Weather: clear\n2. View direction: front/back",
        "Weather: clear, view direction: front/back",
        "weather: clear; view_direction: front/back.",
        "Weather: `clear` and view direction: `front/back`",
        "<scene><weather>clear</weather><view_direction>front/back</view_direction></scene>",
        "<li>weather: clear</li><li>view_direction: front/back</li>",
        "<tr><td>weather</td><td>clear</td></tr><tr><td>view_direction</td><td>front/back</td></tr>",
        "| field | value |\n|---|---|\n| weather | clear |\n| view_direction | front/back |",
        "| weather | view_direction |\n|---|---|\n| clear | front/back |",
        "weather,view_direction\nclear,front/back",
        "weather,clear\nview_direction,front/back",
        "天气\nweather：clear\nview_direction：front/back",
    ],
)
def test_fields_are_read_in_any_markup(text):
    assert values(text) == [["clear"], ["front/back"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("clear, front/back", [[], []]),
        ("The weather is clear.", [[], []]),
        ("weather: clear", [["clear"], []]),
        ("subweather: clear", [[], []]),
        ("weather:\nview_direction: side", [[""], ["side"]]),
        ("weather: clear\nweather: rainy", [["clear", "rainy"], []]),
        ('{"weather": ["clear"]}', [['["clear"'], []]),
        ("{weather: clear}", [["clear"], []]),
        ("", [[], []]),
    ],
)
def test_what_is_missing_has_no_value_and_what_is_repeated_has_several(text, expected):
    assert values(text) == expected


def test_a_longer_name_is_not_its_shorter_neighbour():
    assert values("view_direction: side", ("direction", "view_direction")) == [[], ["side"]]


def test_the_place_is_that_of_the_value():
    text = '{"weather": "clear"}'
    (field,) = fields_in(text, ("weather",))["weather"]
    assert text[field.start : field.end] == "clear"


@pytest.mark.parametrize(
    "text",
    [
        "weather:" * 30_000,
        "weather " * 30_000,
        "<a>" * 30_000,
        "a,b\n" * 30_000,
        'weather: "' * 30_000,
    ],
)
def test_time_is_linear(text):
    begun = time.process_time()
    fields_in(text, NAMES)
    assert time.process_time() - begun < 3
