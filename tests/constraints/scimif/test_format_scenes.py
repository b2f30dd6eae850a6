import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide
from ifbench.constraints.scimif.format_scenes import SceneOptions, scene_option
from ifbench.types import Outcome

FIELDS = {
    "weather": ["clear", "cloudy"],
    "platform": ["driving_surface", "tunnel"],
    "lighting_condition": ["day", "dusk/dawn"],
}
RIGHT = '{"weather": "clear", "platform": "driving surface", "lighting_condition": "dusk/dawn"}'


def check(text, fields=FIELDS, **params):
    return decide(scene_option, text, SceneOptions(fields=fields, **params))


@pytest.mark.parametrize(
    "text",
    [
        RIGHT,
        f"The scene:\n```json\n{RIGHT}\n```",
        "weather: Clear\nplatform: driving_surface\nlighting condition: dusk/dawn",
        "- **Weather**: clear\n- **Platform**: tunnel\n- **Lighting Condition**: day",
        "<s><weather>clear</weather><platform>tunnel</platform><lighting_condition>day</lighting_condition></s>",
        "weather,platform,lighting_condition\nclear,tunnel,day",
        "['clear', 'tunnel', 'day']",
        "clear, tunnel, day",
        "\\boxed{clear, tunnel, day}",
        "weather: clear\nplatform: tunnel\nlighting_condition: day\nweather: CLEAR",
    ],
)
def test_one_option_for_each_field_passes(text):
    assert check(text).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (RIGHT.replace("clear", "sunny"), "`weather` is `sunny`"),
        (RIGHT.replace("clear", "clear or cloudy"), "`weather` is `clear or cloudy`"),
        (RIGHT.replace("clear", "unclear"), "`weather` is `unclear`"),
        (RIGHT.replace("clear", "day"), "`weather` is `day`"),
        (RIGHT.replace("dusk/dawn", "dusk"), "`lighting_condition` is `dusk`"),
        (RIGHT.replace('"clear"', '["clear"]'), "`weather` is"),
        ('{"weather": "clear", "platform": "tunnel"}', "`lighting_condition` has no value"),
        (RIGHT + "\nweather: cloudy", "`weather` has 2 values"),
        ("['tunnel', 'clear', 'day']", "`weather` is `tunnel`"),
        ("['clear', 'tunnel']", "`weather` has no value"),
        ("It is a clear day in a tunnel.", "`weather` has no value"),
    ],
)
def test_any_other_value_fails(text, reason):
    found = check(text)
    assert found.outcome is Outcome.FAIL
    assert reason in found.reason


@pytest.mark.parametrize(
    ("text", "allow", "expected"),
    [
        ("tunnel", False, Outcome.PASS),
        ("**Driving surface.**", False, Outcome.PASS),
        ("The answer is tunnel, since it is dark.", False, Outcome.FAIL),
        ("The answer is tunnel, since it is dark.", True, Outcome.PASS),
        ("bridge", False, Outcome.FAIL),
        ("tunnel or driving surface", True, Outcome.FAIL),
    ],
)
def test_a_field_without_a_name_is_a_choice(text, allow, expected):
    fields = {"": ["driving_surface", "tunnel"]}
    assert check(text, fields, allow_explanation=allow).outcome is expected


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"a": ["x"]},
        {"a": ["x_y", "x y"]},
        {"a": ["x", " "]},
        {"": ["x", "y"], "a": ["x", "y"]},
    ],
)
def test_options_that_cannot_be_told_apart_are_refused(fields):
    with pytest.raises(ValidationError):
        SceneOptions(fields=fields)
