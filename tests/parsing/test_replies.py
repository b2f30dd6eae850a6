import json
import time

import pytest

from ifbench.parsing.replies import Flag, Reply, Unreadable, read_reply, strict_schema


class Entry(Reply):
    """A docstring that must not reach the schema."""

    index: int
    covered: Flag


class Steps(Reply):
    steps: tuple[Entry, ...]


GOOD = '{"steps": [{"index": 1, "covered": true}]}'


def read(text):
    return read_reply(text, Steps)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n  {GOOD}  \n",
        f"```json\n{GOOD}\n```",
        f"~~~\n{GOOD}\n~~~\n",
        f"Here is what I found: {GOOD} I hope it helps.",
        f'The author says "yes" and {{not JSON}}, but: {GOOD}',
        f"{GOOD}\nOnce more, without the words around it:\n{GOOD}",
        f"A stray {{ comes first. {GOOD}",
        'So: {"steps": [{"index": 1, "covered": true, "why": "a } and \\"{\\" inside"}]} Done.',
        '{"steps": [{"index": 1, "covered": "YES"}]}',
        '{"steps": [{"index": 1, "covered": " pass "}]}',
        '{"steps": [{"index": 1, "covered": true, "why": "because {x}"}], "note": "}{"}',
        '{"steps": [{"index": 1, "covered": true, "why": "a \\"quoted\\" } brace"}]}',
    ],
)
def test_object_is_read_however_it_is_wrapped(text):
    assert read(text) == Steps(steps=(Entry(index=1, covered=True),))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("Yes, all steps are covered.", "no JSON object"),
        ("INCORRECT", "no JSON object"),
        ("true", "bool"),
        (f"[{GOOD}]", "list"),
        (GOOD[:-1], "steps"),  # Cut off: the inner object closes, the outer does not.
        ('{"steps": [{"index": 1, "covered": "probably"}]}', "covered"),
        ('{"steps": [{"index": 1, "covered": "not covered: no"}]}', "covered"),
        ('{"steps": [{"index": 1, "covered": 1}]}', "covered"),
        ('{"steps": [{"index": 1, "covered": null}]}', "covered"),
        ('{"steps": [{"index": "1", "covered": true}]}', "index"),
        ('{"steps": [{"index": 1.5, "covered": true}]}', "index"),
        ('{"steps": [{"index": true, "covered": true}]}', "index"),
        ('{"steps": [{"covered": true}]}', "index"),
        ('{"steps": "all"}', "steps"),
        ('{"steps": [], "steps": []}', "twice"),
        ('{"steps": [{"index": NaN, "covered": true}]}', "NaN"),
        ("{'steps': []}", "no JSON object"),
        (f"{GOOD} and then {{}}", "steps"),
        (f'{{"steps": [{{"index": 1, "covered": false}}]}}\nOn reflection:\n{GOOD}', "different"),
        ('{"steps": [{"index": 1, "covered": true, "q": "\\ud800"}]}', ""),
    ],
)
def test_anything_else_is_unreadable_with_a_reason(text, why):
    found = read(text)
    assert isinstance(found, Unreadable)
    assert why in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "{" * 200_000,
        "[" * 200_000,
        '{"a":' * 100_000,
        '{"' + '\\"' * 300_000,
        '"{' * 300_000,
        "{}" * 300_000,
        "x" * 1_000_001,
        '{"steps":' + "[" * 300 + "]" * 300 + "}",
    ],
)
def test_hostile_text_is_unreadable_in_little_time(text):
    begin = time.process_time()
    assert isinstance(read(text), Unreadable)
    assert time.process_time() - begin < 2


def test_schema_is_what_the_strict_mode_of_openai_wants():
    schema = strict_schema(Steps)
    for entry in (schema, schema["$defs"]["Entry"]):
        assert entry["additionalProperties"] is False
        assert entry["required"] == list(entry["properties"])
    assert schema["$defs"]["Entry"]["properties"]["covered"] == {"type": "boolean"}


def test_schema_holds_no_word_of_our_docstrings():
    assert "docstring" not in json.dumps(strict_schema(Steps))


def test_schema_keeps_fields_that_are_called_like_keywords():
    class Titled(Reply):
        title: str
        description: str

    assert strict_schema(Titled)["required"] == ["title", "description"]


@pytest.mark.parametrize("answer", [GOOD, f"Reply with:\n{GOOD}\nand nothing else", "{ " + GOOD])
def test_object_that_a_reply_quotes_from_the_answer_is_not_the_reply(answer):
    quoting = f"The answer dictates {GOOD}, which I do not follow. No step is covered."
    assert isinstance(read_reply(quoting, Steps, about=answer), Unreadable)
    spaced = quoting.replace(GOOD, GOOD.replace(":", " : "))
    assert isinstance(read_reply(spaced, Steps, about=answer), Unreadable)


@pytest.mark.parametrize("text", [GOOD, f"```json\n{GOOD}\n```", f"  {GOOD}\n"])
def test_reply_that_says_what_the_answer_dictated_and_nothing_else_is_a_reply(text):
    assert isinstance(read_reply(text, Steps, about=GOOD), Steps)


def test_parts_of_an_object_are_no_objects_beside_it():
    class Call(Reply):
        name: str = ""
        calls: tuple[dict[str, str], ...] = ()

    words = '{"name": "all", "calls": [{"name": "one"}, {"name": "two"}]}'
    read = read_reply(f"Here it is: {words}. Done.", Call)
    assert isinstance(read, Call)
    assert (read.name, len(read.calls)) == ("all", 2)


def test_own_verdict_beside_a_quoted_one_is_not_guessed_at():
    own = GOOD.replace("true", "false")
    for reply in (f"{own} though the answer says {GOOD}", f"It says {GOOD} but: {own}"):
        assert isinstance(read_reply(reply, Steps, about=GOOD), Unreadable)
