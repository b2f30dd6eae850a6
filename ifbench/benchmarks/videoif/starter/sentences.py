"""From facts to the words of answers, and the ways to break such words in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from ifbench.benchmarks.videoif.starter.scenes import Fact, Kind, Video, facts

Spoil: TypeAlias = Callable[[str], str]

NUMBER_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")


# ── Choosing facts ───────────────────────────────────────────────────────────────────


def of_kind(video: Video, *kinds: Kind, subject: str = "") -> tuple[Fact, ...]:
    """The facts of some kinds, about one subject where it is named."""
    return tuple(f for f in facts(video) if f.kind in kinds and subject in {"", f.subject})


def within(found: Iterable[Fact], start_s: int, end_s: int) -> tuple[Fact, ...]:
    """Those that begin in a window."""
    return tuple(fact for fact in found if start_s <= fact.start_s < end_s)


def the_fact(video: Video, words: str) -> Fact:
    """The first fact that reads so. Raises `KeyError` where the scene has none."""
    for fact in facts(video):
        if fact.text == words:
            return fact
    raise KeyError(words)


# ── Words ────────────────────────────────────────────────────────────────────────────


def clock(second: int) -> str:
    """MM:SS."""
    return f"{second // 60:02d}:{second % 60:02d}"


def span(fact: Fact) -> str:
    """`[MM:SS - MM:SS]`."""
    return f"[{clock(fact.start_s)} - {clock(fact.end_s)}]"


def sentence(words: str) -> str:
    """With a capital and a stop."""
    stop = "" if words.endswith((".”", "?”", "!”", ".")) else "."
    return words[:1].upper() + words[1:] + stop


def prose(found: Iterable[str]) -> str:
    """Sentences in a row."""
    return " ".join(map(sentence, found))


def rows(found: Iterable[Fact]) -> list[str]:
    """A line a fact, its span first."""
    return [f"{span(fact)} {sentence(fact.text)}" for fact in found]


def texts(found: Iterable[Fact]) -> list[str]:
    """The sentences of facts, without stops."""
    return [fact.text for fact in found]


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def numbers(lines: Iterable[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def table(header: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def evidence(found: Iterable[Fact]) -> str:
    """Facts with their spans, as a judge reads them."""
    return "; ".join(f"{span(fact)} {fact.text}" for fact in found)


# ── Breaking an answer ───────────────────────────────────────────────────────────────


def adding(words: str) -> Spoil:
    """One more sentence on the last line."""
    return lambda text: f"{text} {sentence(words)}"


def replacing(old: str, new: str) -> Spoil:
    """Other words in one place, which has to be there."""

    def spoil(text: str) -> str:
        assert old in text, f"{old!r} does not stand in {text!r}"
        return text.replace(old, new, 1)

    return spoil


def replacing_all(old: str, new: str) -> Spoil:
    """Other words in every place."""

    def spoil(text: str) -> str:
        assert old in text, f"{old!r} does not stand in {text!r}"
        return text.replace(old, new)

    return spoil


def without_line(text: str) -> str:
    """The first line gone, and the blank lines below it."""
    return text.partition("\n")[2].lstrip("\n")


def swapping_lines(first: int, second: int) -> Spoil:
    """Two lines in each other's place; what marks a list item stays where it is."""

    def spoil(text: str) -> str:
        lines = text.split("\n")
        marks = [
            line.partition(" ")[0] + " " if line[:1] in "-0123456789" else "" for line in lines
        ]
        words = [line.removeprefix(mark) for line, mark in zip(lines, marks, strict=True)]
        words[first], words[second] = words[second], words[first]
        return "\n".join(mark + word for mark, word in zip(marks, words, strict=True))

    return spoil
