"""The 17 format constraints (Table 6). Most are decided by scripts; the oracle does the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ifbench.benchmarks.videoif.starter.draft import Demand
from ifbench.benchmarks.videoif.starter.predicates import (
    in_first_person,
    in_past_tense,
    labelled,
    names_in_order,
    quotes_in_capitals,
    times_rise,
)
from ifbench.benchmarks.videoif.starter.scenes import PAST, Video
from ifbench.benchmarks.videoif.starter.sentences import (
    Spoil,
    adding,
    replacing,
    replacing_all,
    swapping_lines,
    without_line,
)

# ── Layout ───────────────────────────────────────────────────────────────────────────


def bullet_list() -> Demand:
    return Demand(
        name="ordered_list_output",
        sentence="Answer as a list of bullet points.",
        question="Is the answer a list of bullet points?",
        params={"markers": "bullet"},
        spoil=_numbered,
    )


def numbered_list() -> Demand:
    return Demand(
        name="ordered_list_output",
        sentence="Answer as a numbered list that begins with 1.",
        question="Is the answer a numbered list that begins with 1?",
        params={"markers": "numbered", "start": 1},
        spoil=lambda text: re.sub(r"(?m)^\d+\. ", "- ", text),
    )


def _numbered(text: str) -> str:
    lines = text.split("\n")
    count = 0
    for place, line in enumerate(lines):
        if line.startswith("- "):
            count += 1
            lines[place] = f"{count}. {line[2:]}"
    return "\n".join(lines)


def list_item_count(count: int) -> Demand:
    """Broken by saying the last item twice."""

    def spoil(text: str) -> str:
        last = text.rsplit("\n", maxsplit=1)[-1]
        return f"{text}\n{last.replace(f'{count}.', f'{count + 1}.', 1)}"

    return Demand(
        name="list_item_count_constraint",
        sentence=f"Give exactly {count} list items.",
        question=f"Has the list exactly {count} items?",
        params={"min": count, "max": count},
        spoil=spoil,
    )


def json_object(*keys: str) -> Demand:
    return Demand(
        name="structured_json_output",
        sentence=f"Return only a JSON object with the keys {', '.join(keys)}.",
        question=f"Is the answer a JSON object with the keys {', '.join(keys)}?",
        params={"top_level": "object", "required_keys": list(keys)},
        spoil=replacing(f'"{keys[-1]}":', f'"{keys[-1]}_":'),
    )


def markdown_table(columns: Sequence[str]) -> Demand:
    return Demand(
        name="table_output",
        sentence=f"Answer with only a Markdown table with the columns {', '.join(columns)}.",
        question=f"Is the answer a Markdown table with the columns {', '.join(columns)}?",
        params={"format": "markdown", "columns": list(columns)},
        spoil=replacing(f"| {columns[0]} |", f"| {columns[0]} of it |"),
    )


def paragraphs(count: int) -> Demand:
    return Demand(
        name="paragraph_count_constraint",
        sentence=f"Write exactly {count} paragraph{'s' if count > 1 else ''}.",
        question=f"Has the answer exactly {count} paragraph{'s' if count > 1 else ''}?",
        params={"min": count, "max": count},
        spoil=lambda text: f"{text}\n\nThat is all.",
    )


def title(max_words: int = 5) -> Demand:
    return Demand(
        name="title_requirement",
        sentence=f"Begin with a title of at most {max_words} words, as a Markdown heading.",
        question=f"Does the answer begin with a heading of at most {max_words} words?",
        params={"style": "heading", "placement": "first", "max_words": max_words},
        spoil=without_line,
    )


# ── Values ───────────────────────────────────────────────────────────────────────────


def in_order_of_time(first: int, second: int) -> Demand:
    """Broken by two lines that change places."""
    return Demand(
        name="output_ordering",
        sentence="Put the parts of the answer in chronological order.",
        question="Do the parts of the answer stand in chronological order?",
        params={"key": "time"},
        holds=times_rise,
        spoil=swapping_lines(first, second),
    )


def in_order_of_names(video: Video, nouns: Sequence[str], by: str, spoil: Spoil) -> Demand:
    """An order that only the facts tell: of appearance, of distance."""
    return Demand(
        name="output_ordering",
        sentence=f"Order the shapes {by}.",
        question=f"Are the shapes ordered {by}?",
        params={"key": "judge"},
        holds=names_in_order(video, nouns),
        spoil=spoil,
        evidence=f"The right order: {', '.join(nouns)}.",
    )


def value_form(sentence: str, pattern: str, spoil: Spoil) -> Demand:
    return Demand(
        name="normalized_value_format",
        sentence=sentence,
        question="Is the answer in the asked form?",
        params={"pattern": pattern},
        spoil=spoil,
    )


def times_as_clock(spoil: Spoil) -> Demand:
    return Demand(
        name="normalized_value_format",
        sentence="Write every time as MM:SS, with two digits each.",
        question="Is every time written as MM:SS?",
        params={"kind": "time", "format": "MM:SS", "scope": "all"},
        spoil=spoil,
    )


def one_of(*options: str) -> Demand:
    return Demand(
        name="closed_set_option_output",
        sentence=f"Answer with exactly one of: {', '.join(options)}.",
        question=f"Is the answer exactly one of {', '.join(options)}?",
        params={"options": list(options)},
        spoil=lambda text: f"I would say {text}, all in all",
    )


# ── Language ─────────────────────────────────────────────────────────────────────────


def language(name: str, foreign: str, allow: Sequence[str] = ()) -> Demand:
    """Broken by one more sentence, in another language."""
    return Demand(
        name="response_language",
        sentence=f"Answer entirely in {name}.",
        question=f"Is the whole answer in {name}?",
        params={"languages": [name], "allow_terms": list(allow)},
        spoil=adding(foreign),
    )


def first_person(name: str) -> Demand:
    def spoil(text: str) -> str:
        return re.sub(r"(?<!\w)I(?!\w)", name, re.sub(r"(?<!\w)my(?!\w)", "her", text))

    return Demand(
        name="first_person_perspective",
        sentence=f"Answer in the first person, as {name}.",
        question=f"Is the answer told in the first person by {name}?",
        params={"entity": name},
        holds=in_first_person,
        spoil=spoil,
    )


def past_tense(verb: str) -> Demand:
    """Broken by one verb in the present."""
    return Demand(
        name="temporal_tense_constraint",
        sentence="Use the past tense throughout.",
        question="Are all verbs outside of quotations in the past tense?",
        params={"rules": [{"which": "all", "tense": "past"}]},
        holds=in_past_tense,
        spoil=replacing(f" {PAST[verb]}", f" {verb}"),
    )


def quotations_in_capitals() -> Demand:
    def spoil(text: str) -> str:
        return re.sub("“[^”]*”", lambda found: found[0].lower(), text, count=1)

    return Demand(
        name="text_type_restriction",
        sentence="Write all text that you quote from the picture in capital letters.",
        question="Is all quoted text in capital letters?",
        params={"target": "quoted", "case": "upper"},
        holds=quotes_in_capitals,
        spoil=spoil,
    )


# ── Wording ──────────────────────────────────────────────────────────────────────────


def must_have(keyword: str, other: str) -> Demand:
    """Broken by another word in its place."""
    return Demand(
        name="required_keyword_inclusion",
        sentence=f"Use the word “{keyword}”.",
        question=f"Does the answer hold the word {keyword}?",
        params={"keywords": [keyword]},
        spoil=replacing_all(keyword, other),
    )


def must_not_have(*keywords: str) -> Demand:
    words = " or ".join(f"“{word}”" for word in keywords)
    noun = "word" if len(keywords) == 1 else "words"
    return Demand(
        name="forbidden_keyword_exclusion",
        sentence=f"Do not use the {noun} {words}.",
        question=f"Is the answer free of the {noun} {words}?",
        params={"keywords": list(keywords)},
        spoil=lambda text: f"{text} ({keywords[0]})",
    )


def only_labels(video: Video, labels: dict[str, str], spoil: Spoil) -> Demand:
    """`labels`: what each thing is to be called."""
    legend = ", ".join(f"{label} for {noun}" for noun, label in labels.items())
    return Demand(
        name="entity_label_set_restriction",
        sentence=f"Refer to the shapes only by these labels: {legend}.",
        question="Are the shapes called by the given labels alone?",
        params={"labels": list(labels.values())},
        holds=labelled(video, labels.values()),
        spoil=spoil,
    )


def at_most_words(count: int) -> Demand:
    return Demand(
        name="response_length_constraint",
        sentence=f"Use at most {count} words.",
        question=f"Has the answer at most {count} words?",
        params={"max": count},
        spoil=lambda text: f"{text} So much for that, {'and so on ' * (count // 3)}to the end.",
    )
