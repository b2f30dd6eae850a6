"""Makes views: the bytes of a medium as a policy asks for them, on demand, once per content.

What is kept is known by the source's hash and by what of the policy changes the bytes
(`keys.policy_identity`); a picture that is kept already is not read again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ifbench.keys import content_key, policy_identity
from ifbench.media.blobs import Blob
from ifbench.media.errors import MediaError
from ifbench.media.mime_types import mime_of
from ifbench.media.sources import read_source
from ifbench.media.view_cache import MemoryCache, load_blob, save_blob
from ifbench.types import ImagePolicy, Media, NativePolicy, View

MEMORY_BYTES = 64 * 2**20  # About a thousand pictures of 512 px.
MAX_SOURCE_BYTES = 512 * 2**20
"""A picture's file larger than this is not read."""

_ENCODING = 1  # Changes when the same policy comes to mean other bytes.


class ViewLoader:
    """From a view to its bytes; raises `MediaError` for one that cannot be made.

    Safe to call from several threads: the same view is made by one of them while the others
    wait. `cache_dir` may be shared by processes; `None` keeps views in memory only.
    """

    def __init__(self, cache_dir: Path | None = None, memory_bytes: int = MEMORY_BYTES) -> None:
        self._folder = cache_dir
        self.memory = MemoryCache(memory_bytes)
        self._making: dict[str, tuple[threading.Lock, int]] = {}
        self._lock = threading.Lock()

    def __call__(self, view: View) -> Blob:
        match view.policy:
            case ImagePolicy() as policy if view.media.kind == "image":
                return self._image(view.media, policy)
            case NativePolicy(max_bytes=max_bytes):
                data = read_source(view.media, max_bytes)
                return Blob(data=data, mime=mime_of(data, view.media))
            case ImagePolicy():
                raise MediaError(
                    f"{view.media.uri} is {view.media.kind}; a policy for pictures cannot show it"
                )

    def _image(self, media: Media, policy: ImagePolicy) -> Blob:
        from ifbench.media.images import check_cap

        key = _key(media, policy)
        with self._alone(key):
            blob = self._kept(key)
            if blob is None:
                blob = _make_image(media, policy)
                self._keep(key, blob)
        with _named(media):
            check_cap(blob, policy)
        return blob

    def _kept(self, key: str) -> Blob | None:
        blob = self.memory.get(key)
        if blob is None and self._folder is not None:
            blob = load_blob(self._folder, key)
            if blob is not None:
                self.memory.put(key, blob)
        return blob

    def _keep(self, key: str, blob: Blob) -> None:
        self.memory.put(key, blob)
        if self._folder is not None:
            save_blob(self._folder, key, blob)

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


def _key(media: Media, policy: ImagePolicy) -> str:
    return content_key(
        {
            "encoding": _ENCODING,
            "sha256": media.sha256.lower(),
            "policy": policy_identity(policy),
        }
    )


def _make_image(media: Media, policy: ImagePolicy) -> Blob:
    from ifbench.media.images import encode_image  # Pillow comes with it

    data = read_source(media, MAX_SOURCE_BYTES)
    with _named(media):  # The cap is no part of what is kept: it is checked at each use.
        return encode_image(data, replace(policy, max_bytes=None))


@contextmanager
def _named(media: Media) -> Iterator[None]:
    try:
        yield
    except MediaError as error:
        raise MediaError(f"{media.uri}: {error}") from error
