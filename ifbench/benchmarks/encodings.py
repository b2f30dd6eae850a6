"""Whether the bytes of a text file are UTF-8, and what to say where they are not."""

from __future__ import annotations

import codecs
from pathlib import Path

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),  # Before UTF-16: its mark begins with that one's.
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def other_encoding(first_line: bytes) -> str:
    """What the first line of a file shows to be no UTF-8 as a whole; empty where nothing does."""
    for mark, name in _MARKS:
        if first_line.startswith(mark):
            return f"line 1, byte 1: the file is {name}; save it as UTF-8"
    place = first_line[:8].find(b"\0")
    if place >= 0:
        return f"line 1, byte {place + 1} is 0: UTF-8 is expected; the file may be UTF-16"
    return ""


def not_utf8(error: UnicodeDecodeError) -> str:
    """The words for a line that cannot be decoded, with the place of the byte, from 1."""
    byte = error.object[error.start]
    return (
        f"byte {error.start + 1} is no UTF-8 (0x{byte:02x}); save the file as UTF-8, "
        "which Latin-1 and Windows-1252 are not"
    )


def first_flaw(path: Path) -> str:
    """The first line of a file that is no UTF-8, and its byte. Raises `OSError`."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if number == 1 and (other := other_encoding(line)):
                return other
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                return f"line {number}: {not_utf8(error)}"
    return "the file is no UTF-8 text"
