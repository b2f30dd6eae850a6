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
    time_s: float | None = None
    """Of a video's picture: the moment it is seen, in seconds since the first frame."""
    shown_s: float | None = None
    """When the frame that is seen at that moment came onto the screen; never later than it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """What was made of one medium: one blob, or a video's pictures in the order of their times."""

    blobs: tuple[Blob, ...]
    notes: tuple[str, ...] = ()
    """What is missing or was repaired, for people: damaged parts, a file that ends early."""

    @property
    def size(self) -> int:
        """Bytes of all blobs together."""
        return sum(len(blob.data) for blob in self.blobs)
