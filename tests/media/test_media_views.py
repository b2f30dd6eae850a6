"""Making views on demand, once per content."""

import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from ifbench.media.errors import MediaError
from ifbench.media.sources import sha256_of
from ifbench.media.views import ViewLoader
from ifbench.types import ImagePolicy, Media, View

SMALL = ImagePolicy(long_side_px=32)


@pytest.fixture
def picture(tmp_path):
    return draw(tmp_path / "noise.png")


def draw(path):
    Image.effect_noise((200, 100), 90).save(path)
    return Media(kind="image", uri=str(path), sha256=sha256_of(path))


def test_a_view_carries_its_bytes_type_and_sizes(picture):
    blob = ViewLoader()(View(media=picture, policy=SMALL))
    assert (blob.mime, blob.width, blob.height) == ("image/jpeg", 32, 16)
    assert (blob.source_width, blob.source_height) == (200, 100)
    assert Image.open(BytesIO(blob.data)).size == (32, 16)


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_view_that_was_made_is_not_made_again(picture, tmp_path, on_disk):
    folder = tmp_path / "views" if on_disk else None
    first = ViewLoader(folder)
    blob = first(View(media=picture, policy=SMALL))
    Path(picture.uri).unlink()  # so that making it again would fail
    again = ViewLoader(folder) if on_disk else first
    assert again(View(media=picture, policy=SMALL)) == blob


def test_another_policy_is_another_view(picture, tmp_path):
    load = ViewLoader(tmp_path / "views")
    sizes = {load(View(media=picture, policy=ImagePolicy(long_side_px=n))).width for n in (9, 32)}
    kinds = {load(View(media=picture, policy=ImagePolicy(format=k))).mime for k in ("png", "webp")}
    assert sizes == {9, 32}
    assert kinds == {"image/png", "image/webp"}


def test_the_same_content_under_another_name_is_the_same_view(picture, tmp_path):
    load = ViewLoader()
    blob = load(View(media=picture, policy=SMALL))
    moved = Media(kind="image", uri="no/longer/there.png", sha256=picture.sha256)
    assert load(View(media=moved, policy=SMALL)) is blob


def test_the_byte_cap_holds_for_what_is_kept_and_the_message_names_the_file(picture, tmp_path):
    load = ViewLoader(tmp_path / "views")
    size = len(load(View(media=picture, policy=SMALL)).data)
    capped = ImagePolicy(long_side_px=32, max_bytes=size - 1)
    for loader in (load, ViewLoader(tmp_path / "views"), ViewLoader()):
        with pytest.raises(MediaError, match=rf"noise\.png.*{size:,} bytes"):
            loader(View(media=picture, policy=capped))


def entry(folder):
    (path,) = (path for path in folder.rglob("*") if path.is_file())
    return path


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: data.index(b"\n")],
        lambda data: b"[1]\n" + data,
        lambda data: b"{}\n" + data,
        lambda data: b"\xff\xfe" + data,
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    ],
)
def test_a_damaged_entry_on_disk_is_made_again(picture, tmp_path, damage):
    folder = tmp_path / "views"
    blob = ViewLoader(folder)(View(media=picture, policy=SMALL))
    path = entry(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert ViewLoader(folder)(View(media=picture, policy=SMALL)) == blob
    assert entry(folder).read_bytes() == whole


def test_a_folder_that_cannot_be_written_costs_nothing_but_speed(picture, tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    blob = ViewLoader(blocked / "views")(View(media=picture, policy=SMALL))
    assert blob.mime == "image/jpeg"


def test_memory_is_bounded_by_bytes(tmp_path):
    load = ViewLoader(memory_bytes=3_000)
    views = [View(media=draw(tmp_path / f"{n}.png"), policy=SMALL) for n in range(12)]
    sizes = [len(load(view).data) for view in views]
    assert sum(sizes) > 3_000
    assert 0 < load.memory.bytes_held <= 3_000


def test_many_threads_get_the_same_view_made_once(picture):
    load = ViewLoader()
    barrier = threading.Barrier(8)

    def ask(_):
        barrier.wait()
        return load(View(media=picture, policy=SMALL))

    with ThreadPoolExecutor(8) as pool:
        blobs = list(pool.map(ask, range(8)))
    assert len({id(blob) for blob in blobs}) == 1


def test_a_film_under_a_policy_for_pictures_is_an_error(picture):
    film = Media(kind="video", uri=picture.uri, sha256=picture.sha256)
    with pytest.raises(MediaError, match="is video"):
        ViewLoader()(View(media=film, policy=SMALL))


def test_a_file_that_was_exchanged_is_an_error(picture):
    Image.new("RGB", (9, 9)).save(picture.uri)
    with pytest.raises(MediaError, match="not the file that the record names"):
        ViewLoader()(View(media=picture, policy=SMALL))


def test_a_broken_picture_is_named(tmp_path):
    path = tmp_path / "broken.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    media = Media(kind="image", uri=str(path), sha256=sha256_of(path))
    with pytest.raises(MediaError, match=r"broken\.png: the picture cannot be decoded"):
        ViewLoader()(View(media=media, policy=SMALL))
