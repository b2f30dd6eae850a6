"""Makes views: the bytes of a medium as a policy asks for them, on demand, once per content.

What is kept is known by the source's hash and by what of the policy changes the bytes
(`keys.policy_identity`); a medium whose view is kept already is not read again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path

from ifbench.keys import content_key, policy_identity
from ifbench.media.blobs import Blob, Rendering
from ifbench.media.errors import MediaError
from ifbench.media.frame_times import clock
from ifbench.media.mime_types import mime_of
from ifbench.media.sources import read_source, source_file
from ifbench.media.subtitles import parse_subtitles, print_subtitles
from ifbench.media.view_cache import MemoryCache, alone, load_rendering, save_rendering
from ifbench.types import (
    FramesPolicy,
    ImagePolicy,
    Media,
    NativePolicy,
    Policy,
    SubtitlesPolicy,
    View,
    WavePolicy,
)

MEMORY_BYTES = 64 * 2**20  # About a thousand pictures of 512 px.
MAX_SOURCE_BYTES = 512 * 2**20
"""A picture's file larger than this is not read."""
MAX_SUBTITLES_BYTES = 16 * 2**20

_ENCODING = 1  # Changes when the same policy comes to mean other bytes.
_log = logging.getLogger(__name__)


class ViewLoader:
    """From a view to its bytes; raises `MediaError` for one that cannot be made.

    A video's frames are several blobs, each after its time as `text/plain` where the policy wants
    labels; every other view is one. Safe to call from several threads: the same view is made by
    one of them while the others wait. `cache_dir` may be shared by processes; `None` keeps views
    in memory only.
    """

    def __init__(self, cache_dir: Path | None = None, memory_bytes: int = MEMORY_BYTES) -> None:
        self._folder = cache_dir
        self.memory = MemoryCache(memory_bytes)
        self._making: dict[str, tuple[threading.Lock, int]] = {}
        self._lock = threading.Lock()
        self._told: set[str] = set()

    def __call__(self, view: View) -> Blob | tuple[Blob, ...]:
        media = view.media
        match media.kind, view.policy:
            case "image", ImagePolicy() as policy:
                return self._image(media, policy)
            case "video", FramesPolicy() as policy:
                return self._frames(media, policy)
            case "audio" | "video", WavePolicy() as policy:
                return self._sound(media, policy)
            case "subtitles", SubtitlesPolicy() as policy:
                return self._subtitles(media, policy)
            case _, NativePolicy(max_bytes=max_bytes):
                data = read_source(media, max_bytes)
                with _named(media):
                    _check_native(media, data)
                return Blob(data=data, mime=mime_of(data, media))
            case _, policy:
                raise MediaError(
                    f"{media.uri} is {media.kind}; {_FOR[type(policy)]} cannot show it"
                )

    def _image(self, media: Media, policy: ImagePolicy) -> Blob:
        from ifbench.media.images import check_cap

        # The cap is no part of what is kept: it is checked at each use.
        uncapped = replace(policy, max_bytes=None)
        (blob,) = self._rendering(media, uncapped, lambda: _make_image(media, uncapped)).blobs
        with _named(media):
            check_cap(blob, policy)
        return blob

    def _frames(self, media: Media, policy: FramesPolicy) -> tuple[Blob, ...]:
        bare = replace(policy, max_bytes=None, labels=False)  # Labels go on what is kept.
        rendering = self._rendering(media, bare, lambda: _make_frames(media, bare))
        pictures = rendering.blobs
        if policy.max_bytes is not None and rendering.size > policy.max_bytes:
            raise MediaError(
                f"{media.uri}: its {len(pictures)} pictures have {rendering.size:,} bytes as "
                f"{policy.format}; the model's policy allows {policy.max_bytes:,}"
            )
        return _labelled(pictures) if policy.labels else pictures

    def _sound(self, media: Media, policy: WavePolicy) -> Blob:
        uncapped = replace(policy, max_bytes=None, max_seconds=None)
        rendering = self._rendering(media, uncapped, lambda: _make_sound(media, uncapped))
        (blob,) = rendering.blobs
        seconds = len(blob.data) / (2 * policy.rate_hz)
        if policy.max_seconds is not None and seconds > policy.max_seconds:
            raise MediaError(
                f"{media.uri}: its sound lasts {seconds:.1f} s; the model's policy allows "
                f"{policy.max_seconds:g}"
            )
        _check_bytes(media, blob, policy.max_bytes)
        return blob

    def _subtitles(self, media: Media, policy: SubtitlesPolicy) -> Blob:
        data = read_source(media, MAX_SUBTITLES_BYTES)
        with _named(media):
            read = parse_subtitles(data)
        self._tell(media, media.sha256, read.notes)
        blob = Blob(data=print_subtitles(read.cues).encode(), mime="text/plain")
        _check_bytes(media, blob, policy.max_bytes)
        return blob

    def _rendering(self, media: Media, policy: Policy, make: Callable[[], Rendering]) -> Rendering:
        key = _key(media, policy)
        with self._alone(key):
            rendering = self._kept(key)
            if rendering is None:
                with self._alone_on_disk(key, policy):
                    rendering = self._kept(key)  # Another process may have been at it.
                    if rendering is None:
                        with _named(media):
                            rendering = make()
                        self._keep(key, rendering)
        self._tell(media, key, rendering.notes)
        return rendering

    def _kept(self, key: str) -> Rendering | None:
        rendering = self.memory.get(key)
        if rendering is None and self._folder is not None:
            rendering = load_rendering(self._folder, key)
            if rendering is not None:
                self.memory.put(key, rendering)
        return rendering

    def _keep(self, key: str, rendering: Rendering) -> None:
        self.memory.put(key, rendering)
        if self._folder is not None:
            save_rendering(self._folder, key, rendering)

    def _tell(self, media: Media, key: str, notes: tuple[str, ...]) -> None:
        """Say once what is amiss with a medium that can be shown all the same."""
        with self._lock:
            is_told = key in self._told
            self._told.add(key)
        if notes and not is_told:
            _log.warning("%s: %s", media.uri, "; ".join(notes))

    def _alone_on_disk(self, key: str, policy: Policy) -> AbstractContextManager[None]:
        """Pictures take milliseconds to make, less than waiting for another process may."""
        if self._folder is None or isinstance(policy, ImagePolicy):
            return nullcontext()
        return alone(self._folder, key)

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Hold the key's own lock, which exists only while somebody wants it."""
        with self._lock:
            lock, users = self._making.get(key, (threading.Lock(), 0))
            self._making[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, users = self._making.pop(key)
                if users > 1:
                    self._making[key] = (lock, users - 1)


_FOR: dict[type, str] = {
    ImagePolicy: "a policy for pictures",
    FramesPolicy: "a policy for video",
    WavePolicy: "a policy for sound",
    SubtitlesPolicy: "a policy for subtitles",
}


def _key(media: Media, policy: Policy) -> str:
    return content_key(
        {
            "encoding": _ENCODING,
            "sha256": media.sha256.lower(),
            "policy": policy_identity(policy),
        }
    )


def _check_native(media: Media, data: bytes) -> None:
    """Refuse what no model can be shown: an endpoint may answer about a broken file as if it had
    seen one. Without PyAV only an empty file is told. Raises `MediaError`.
    """
    if media.kind not in {"video", "audio"}:
        return
    if not data:
        raise MediaError("the file is empty")
    with suppress(ImportError):
        from ifbench.media.video_probe import check_stream  # PyAV comes with it

        check_stream(data, media.kind)


def _make_image(media: Media, policy: ImagePolicy) -> Rendering:
    from ifbench.media.images import encode_image  # Pillow comes with it

    return Rendering(blobs=(encode_image(read_source(media, MAX_SOURCE_BYTES), policy),))


def _make_frames(media: Media, policy: FramesPolicy) -> Rendering:
    from ifbench.media.video import video_frames

    with source_file(media) as path:
        return video_frames(path, policy)


def _make_sound(media: Media, policy: WavePolicy) -> Rendering:
    try:
        from ifbench.media.audio import has_sound, wave_sound  # PyAV comes with it
    except ImportError as error:
        raise MediaError("sound as WAV needs PyAV: install `ifbench[video]`") from error

    with source_file(media) as path:
        if media.kind == "video" and not has_sound(path):
            said = Blob(data=b"The video has no sound.", mime="text/plain")
            return Rendering(blobs=(said,), notes=("it has no sound",))
        sound = wave_sound(path, policy.rate_hz)
        return Rendering(blobs=(Blob(data=sound.data, mime="audio/wav"),), notes=sound.notes)


def _labelled(pictures: tuple[Blob, ...]) -> tuple[Blob, ...]:
    """Each picture after its time."""
    return tuple(blob for picture in pictures for blob in (_label(picture), picture))


def _label(picture: Blob) -> Blob:
    assert picture.time_s is not None, "a video's pictures have times"
    return Blob(data=f"[{clock(picture.time_s)}]".encode(), mime="text/plain")


def _check_bytes(media: Media, blob: Blob, max_bytes: int | None) -> None:
    if max_bytes is not None and len(blob.data) > max_bytes:
        raise MediaError(
            f"{media.uri} has {len(blob.data):,} bytes as {blob.mime}; the model's policy allows "
            f"{max_bytes:,}"
        )


@contextmanager
def _named(media: Media) -> Iterator[None]:
    try:
        yield
    except MediaError as error:
        if media.uri in str(error):
            raise
        raise MediaError(f"{media.uri}: {error}") from error
