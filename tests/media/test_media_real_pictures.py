"""Real pictures, sound and damaged: each is encoded or refused, and nothing else happens."""

import os
from pathlib import Path

import pytest

from ifbench.media.errors import MediaError
from ifbench.media.sources import sha256_of
from ifbench.media.views import ViewLoader
from ifbench.types import ImagePolicy, Media, View

FOLDER = Path(os.environ.get("IFBENCH_SHARED", "../shared")) / "data" / "media"
ENDINGS = {".png", ".jpg", ".webp", ".gif", ".avif", ".heic"}
PICTURES = sorted(path for path in FOLDER.rglob("*") if path.suffix in ENDINGS)
BROKEN = {"corrupt.jpg", "sigsegv.png", "heapbof.png"}
NOT_READ = {".heic"}  # Pillow itself has no decoder for it.

pytestmark = pytest.mark.skipif(
    not PICTURES, reason=f"the real pictures are not at {FOLDER} (set IFBENCH_SHARED)"
)


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_real_picture_is_encoded_or_refused(path, kind):
    media = Media(kind="image", uri=str(path), sha256=sha256_of(path))
    view = View(media=media, policy=ImagePolicy(format=kind))
    if path.name in BROKEN or path.suffix in NOT_READ:
        with pytest.raises(MediaError, match=path.name):
            ViewLoader()(view)
        return
    blob = ViewLoader()(view)
    assert max(blob.width, blob.height) == min(512, max(blob.source_width, blob.source_height))
