import pytest

from ifbench.parsing.embedded_json import json_values_in


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('Here: {"a": 1}, and [2].', [{"a": 1}, [2]]),
        ('{"a": {"b": 2}}', [{"a": {"b": 2}}]),
        ('{"a": 1}\n{"a": 2}', [{"a": 1}, {"a": 2}]),
        ('{"a": 1}\n```json\n{"a": 2}\n```\n[3]', [{"a": 2}]),
        ("{'a': 1} [1]", [[1]]),
        ("{a} and (b)", []),
        ('{"a": 1', []),
        ("5", []),
        ("", []),
    ],
)
def test_objects_and_arrays_that_can_be_read_are_found(text, values):
    assert [found.value for found in json_values_in(text)] == values


def test_a_place_is_that_of_the_value():
    text = 'So:\n```json\n {"a": 1}\n```\n'
    (found,) = json_values_in(text)
    assert text[found.start : found.end] == '{"a": 1}'
