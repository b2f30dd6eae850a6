"""Bytes that are ready to be sent, with what was done to them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """One medium under one policy. The sizes, in pixels, are `None` where nobody looked: a file
    that goes out as it is is not decoded.
    """

    data: bytes
    mime: str
    width: int | None = None
    height: int | None = None
    source_width: int | None = None
    """Before shrinking, as a viewer shows the picture (EXIF orientation applied)."""
    source_height: int | None = None
