"""What kind of file some bytes are, told by how they begin; by the name only where that fails."""

from __future__ import annotations

import mimetypes

from ifbench.media.errors import MediaError
from ifbench.types import Media

_ISO_BRANDS = {  # ISO base media: bytes 8 to 12 name the brand.
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"qt  ": "video/quicktime",
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heif",
    b"msf1": "image/heif",
}
_RIFF_FORMS = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\xba", "video/mpeg"),
    (b"\x00\x00\x01\xb3", "video/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
)


def mime_of(data: bytes, media: Media) -> str:
    """The MIME type of a medium's bytes.

    Raises `MediaError` when it cannot be told, or when a picture turns out to be a film and the
    like. MP4, WebM and Ogg hold either sound or film: there the medium's own kind decides.
    """
    if media.kind == "subtitles":
        return "text/plain"
    mime = _by_content(data, media) or mimetypes.guess_type(media.uri)[0]
    if mime is None:
        raise MediaError(f"{media.uri} is of an unknown kind; expected {media.kind}")
    if mime.partition("/")[0] != media.kind:
        raise MediaError(f"{media.uri} is {mime}; the record calls it {media.kind}")
    return mime


def _by_content(data: bytes, media: Media) -> str | None:
    head = data[:64]
    if head[4:8] == b"ftyp":
        return _ISO_BRANDS.get(head[8:12]) or f"{_time_based(media)}/mp4"
    if head[:4] == b"RIFF":
        return _RIFF_FORMS.get(head[8:12])
    if head[:4] == b"\x1aE\xdf\xa3":
        return f"{_time_based(media)}/{'webm' if b'webm' in head else 'x-matroska'}"
    if head[:4] == b"OggS" and media.kind == "video":
        return "video/ogg"
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xE6 == 0xE2:  # MPEG audio, layer III
        return "audio/mpeg"
    return next((mime for start, mime in _BEGINNINGS if head.startswith(start)), None)


def _time_based(media: Media) -> str:
    return "audio" if media.kind == "audio" else "video"
