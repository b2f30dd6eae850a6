"""Subtitles as a model reads them: SRT and WebVTT, a cue a line, each after its times.

What real files have is read as it is meant: any of five encodings, any line ends, counters from
any number, short times such as `00:00:5,000`. A cue that cannot be read is passed over and told.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ifbench.media.errors import MediaError
from ifbench.media.frame_times import clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A text and when it is on the screen, in seconds."""

    start_s: float
    end_s: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtitles:
    """The cues of a file in the order of their times."""

    cues: tuple[Cue, ...]
    notes: tuple[str, ...] = ()
    """Cues that could not be read, each with its line, for people."""


_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?"
_TIMES = re.compile(rf"^\s*{_TIME}\s*-{{1,2}}>\s*{_TIME}(?:\s.*)?$")
_MARKUP = re.compile(  # Tags of HTML and WebVTT, times among them; SSA's overrides.
    r"</?(?:[A-Za-z][^<>\n]{0,200}|[\d:.]{1,20})?>|\{\\[^{}\n]{0,200}\}"
)
_BLOCK = re.compile(r"^(?:NOTE|STYLE|REGION)(?:\s|$)")
_BREAKS = re.compile(r"\r\n|\r|\n")
_MOST_NOTES = 5


def parse_subtitles(data: bytes) -> Subtitles:
    """The cues of a file. Raises `MediaError` where it holds none that can be read."""
    lines = _BREAKS.split(_text(data))
    cues: list[Cue] = []
    bad: list[str] = []
    for number, cue in _cues(lines):
        if cue is None:
            bad.append(f"line {number}: {lines[number - 1].strip()[:60]!r} is no cue's time")
        elif cue.text:
            cues.append(cue)
    if not cues and (bad or not _is_empty(lines)):
        raise MediaError(
            f"it holds no subtitles that can be read{': ' if bad else ''}{bad[:1] and bad[0]}"
        )
    more = [f"{len(bad) - _MOST_NOTES} more cues"] if len(bad) > _MOST_NOTES else []
    ordered = sorted(cues, key=lambda cue: cue.start_s)  # Stable: as in the file where they tie.
    return Subtitles(cues=tuple(ordered), notes=(*bad[:_MOST_NOTES], *more))


def print_subtitles(cues: tuple[Cue, ...]) -> str:
    """`[00:01.000 - 00:02.500] text`, a cue a line, under a heading; none is said, too."""
    if not cues:
        return "Subtitles: none."
    lines = (f"[{clock(cue.start_s)} - {clock(cue.end_s)}] {cue.text}" for cue in cues)
    return "\n".join(("Subtitles:", *lines))


def _text(data: bytes) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\x00" in data[:200]:  # UTF-16 without its mark: every other byte of digits is zero.
        little = data[1:200:2].count(0) > data[0:200:2].count(0)
        return data.decode("utf-16-le" if little else "utf-16-be", errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("gbk" if _is_chinese(data) else "cp1252", errors="replace")


_HIGH_RUN = re.compile(rb"[\x80-\xff]+")


def _is_chinese(data: bytes) -> bool:
    """Whether bytes that are no UTF-8 are GBK: each run beyond ASCII is of whole characters of
    GB 2312, and runs are long. Accents of Windows-1252 stand alone between letters.
    """
    runs = _HIGH_RUN.findall(data)
    if 2 * len(runs) >= len(b"".join(runs)):
        return False
    try:
        return all(len(run) % 2 == 0 and bool(run.decode("gb2312")) for run in runs)
    except UnicodeDecodeError:
        return False


def _is_empty(lines: list[str]) -> bool:
    return all(not line.strip() or line.startswith("WEBVTT") for line in lines)


def _cues(lines: list[str]) -> Iterator[tuple[int, Cue | None]]:
    """Each cue with the number of its line of times; `None` for one that cannot be read."""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if _BLOCK.match(line):
            while at < len(lines) and lines[at].strip():
                at += 1
        elif "->" in line:
            number = at
            times = _TIMES.match(line)
            text: list[str] = []
            while at < len(lines) and lines[at].strip() and not _TIMES.match(lines[at]):
                text.append(lines[at])
                at += 1
            if at < len(lines) and _TIMES.match(lines[at]) and text and text[-1].strip().isdigit():
                text.pop()  # The next cue's counter: the blank line between them is missing.
            yield number, _cue(times, text) if times else None


def _cue(times: re.Match[str], lines: list[str]) -> Cue | None:
    parts = times.groups()
    start, end = _seconds(parts[:4]), _seconds(parts[4:])
    if end < start:
        return None
    plain = html.unescape(_MARKUP.sub("", " ".join(lines)))
    return Cue(start_s=start, end_s=end, text=" ".join(plain.split()))


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(f"{seconds}.{fraction or 0}")
