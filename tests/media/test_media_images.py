"""Encoding pictures under a policy; every picture is drawn here."""

import subprocess
import sys
import warnings
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from ifbench.media.errors import MediaError
from ifbench.media.images import MAX_PIXELS, encode_image
from ifbench.types import ImagePolicy

JPEG = ImagePolicy()
PNG = ImagePolicy(format="png")
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def saved(image, kind="png", **options):
    buffer = BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def shown(data, policy=PNG):
    """The picture as the model gets it."""
    return Image.open(BytesIO(encode_image(data, policy).data))


def near(colour, expected, by=3):
    return all(abs(a - b) <= by for a, b in zip(colour, expected, strict=True))


@pytest.mark.parametrize(
    ("size", "long_side", "expected"),
    [
        ((1000, 500), 512, (512, 256)),
        ((500, 1000), 512, (256, 512)),
        ((512, 512), 512, (512, 512)),
        ((100, 50), 512, (100, 50)),
        ((2000, 1), 512, (512, 1)),
        ((1000, 500), None, (1000, 500)),
        ((1, 1), 512, (1, 1)),
    ],
)
def test_the_longest_side_shrinks_and_never_grows(size, long_side, expected):
    blob = encode_image(saved(Image.new("RGB", size, RED)), ImagePolicy(long_side_px=long_side))
    assert (blob.width, blob.height) == expected
    assert (blob.source_width, blob.source_height) == size
    assert Image.open(BytesIO(blob.data)).size == expected


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
def test_each_format_is_written_with_its_mime_type(kind):
    blob = encode_image(saved(Image.new("RGB", (8, 8), RED)), ImagePolicy(format=kind))
    assert blob.mime == f"image/{kind}"
    assert Image.open(BytesIO(blob.data)).format == kind.upper()


def test_a_lower_quality_gives_fewer_bytes():
    noise = saved(Image.effect_noise((64, 64), 90))
    sizes = [len(encode_image(noise, ImagePolicy(quality=q)).data) for q in (20, 60, 95)]
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize(
    ("orientation", "corner"),
    [(1, (0, 0)), (2, (39, 0)), (3, (39, 19)), (4, (0, 19)), (6, (19, 0)), (8, (0, 39))],
)
def test_the_orientation_of_a_photograph_is_applied(orientation, corner):
    image = Image.new("RGB", (40, 20), WHITE)
    image.paste(RED, (0, 0, 4, 4))
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(image, "jpeg", exif=exif, quality=100, subsampling=0)
    blob = encode_image(data, PNG)
    upright = Image.open(BytesIO(blob.data))
    assert upright.size == ((20, 40) if orientation > 4 else (40, 20))
    assert (blob.source_width, blob.source_height) == upright.size
    assert near(upright.getpixel(corner), RED, 20)
    assert not upright.getexif()


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("1", (0, 255)),
        ("L", (76,)),
        ("P", RED),
        ("RGB", RED),
        ("CMYK", RED),
        ("YCbCr", (254, 0, 0)),
        ("LAB", WHITE),
    ],
)
def test_every_colour_mode_becomes_grey_or_rgb(mode, expected):
    image = Image.new("LAB", (8, 8), (255, 128, 128)) if mode == "LAB" else None
    picture = image or Image.new("RGB", (8, 8), RED).convert(mode)
    result = shown(saved(picture, "tiff"))
    assert result.mode == ("L" if mode in {"1", "L"} else "RGB")
    colour = result.getpixel((4, 4))
    assert colour in expected if result.mode == "L" else near(colour, expected, 8)


def half_clear(mode):
    image = Image.new("RGBA", (8, 8), (0, 0, 0, 0))
    image.paste((*BLUE, 255), (0, 0, 4, 8))
    return image.convert(mode)


@pytest.mark.parametrize(
    "data",
    [
        saved(half_clear("RGBA")),
        saved(half_clear("LA")),
        saved(half_clear("RGBA").quantize(4)),
        saved(half_clear("RGBA"), "gif"),
        saved(half_clear("RGBA"), "webp", lossless=True),
        saved(Image.new("RGB", (8, 8), RED), transparency=RED),
    ],
)
def test_what_is_transparent_becomes_white_in_jpeg(data):
    assert near(shown(data, JPEG).convert("RGB").getpixel((7, 4)), WHITE, 40)


@pytest.mark.parametrize("kind", ["png", "webp"])
def test_transparency_stays_in_png_and_webp(kind):
    result = shown(saved(half_clear("RGBA")), ImagePolicy(format=kind))
    assert result.mode == "RGBA"
    assert result.getpixel((7, 4))[3] == 0
    assert result.getpixel((0, 4))[3] == 255


def test_sixteen_bits_are_scaled_to_eight_and_not_cut():
    image = Image.new("I;16", (3, 1))
    for x, value in enumerate((0, 32768, 65535)):
        image.putpixel((x, 0), value)
    assert [shown(saved(image)).getpixel((x, 0)) for x in range(3)] == [0, 128, 255]


@pytest.mark.parametrize(
    ("mode", "values", "expected"),
    [
        ("I", (0, 100, 255), [0, 100, 255]),
        ("I", (0, 257, 65535), [0, 1, 255]),
        ("I", (-10, 0, 10), [0, 128, 255]),
        ("I", (7, 7, 7), [7, 7, 7]),
        ("F", (0.0, 0.5, 1.0), [0, 128, 255]),
        ("F", (-1e6, 0.0, 1e6), [0, 128, 255]),
        ("F", (2.5, 2.5, 2.5), [0, 0, 0]),
    ],
)
def test_numbers_of_32_bits_are_brought_to_a_scale(mode, values, expected):
    image = Image.new(mode, (3, 1))
    for x, value in enumerate(values):
        image.putpixel((x, 0), value)
    assert [shown(saved(image, "tiff")).getpixel((x, 0)) for x in range(3)] == expected


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(MediaError, match="values"):
        encode_image(saved(Image.new("F", (2, 2), float("inf")), "tiff"), JPEG)


@pytest.mark.parametrize("kind", ["gif", "png", "webp", "tiff"])
def test_of_an_animation_the_first_frame_is_sent(kind):
    frames = [Image.new("RGB", (8, 8), colour) for colour in (RED, GREEN, BLUE)]
    data = saved(frames[0], kind, save_all=True, append_images=frames[1:])
    assert near(shown(data).convert("RGB").getpixel((4, 4)), RED, 12)


def test_equal_input_gives_equal_bytes():
    image = Image.effect_noise((300, 200), 80).convert("RGB")
    for policy in (JPEG, PNG, ImagePolicy(format="webp", long_side_px=99)):
        assert encode_image(saved(image), policy) == encode_image(saved(image), policy)


def test_nothing_of_the_metadata_goes_out():
    exif = Image.Exif()
    exif[0x010E] = "secret place"
    for kind in ("jpeg", "png", "webp"):
        data = saved(Image.new("RGB", (8, 8)), kind, exif=exif, icc_profile=b"secret profile")
        assert b"secret" in data
        for target in ("jpeg", "png", "webp"):
            assert b"secret" not in encode_image(data, ImagePolicy(format=target)).data


def test_over_the_byte_cap_is_an_error_that_names_both_sizes_and_nothing_is_shrunk():
    noise = saved(Image.effect_noise((64, 64), 90))
    size = len(encode_image(noise, JPEG).data)
    assert len(encode_image(noise, ImagePolicy(max_bytes=size)).data) == size
    with pytest.raises(MediaError, match=rf"{size:,} bytes.*allows {size - 1:,}"):
        encode_image(noise, ImagePolicy(max_bytes=size - 1))


def png_of_claimed_size(width, height):
    """A small PNG whose header claims another size."""
    import struct
    import zlib

    data = bytearray(saved(Image.new("L", (4, 4))))
    data[16:24] = struct.pack(">II", width, height)
    data[29:33] = struct.pack(">I", zlib.crc32(bytes(data[12:29])))
    return bytes(data)


@pytest.mark.parametrize("side", [9_500, 20_000, 60_000, 2**31 - 1])
def test_a_decompression_bomb_is_refused_before_it_is_decoded(side):
    assert side * side > MAX_PIXELS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(MediaError):
            encode_image(png_of_claimed_size(side, side), JPEG)


def test_of_a_bomb_only_our_own_words_are_said(tmp_path):
    (tmp_path / "bomb.png").write_bytes(png_of_claimed_size(9_500, 9_500))
    script = (
        "import sys\nfrom pathlib import Path\nfrom ifbench.media.errors import MediaError\n"
        "from ifbench.media.images import encode_image\nfrom ifbench.types import ImagePolicy\n"
        "try:\n    encode_image(Path(sys.argv[1]).read_bytes(), ImagePolicy())\n"
        "except MediaError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "bomb.png")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("the picture has 9500x9500 px; at most")
    assert done.stderr == ""


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp", "tiff", "bmp", "avif", "jpeg2000"])
def test_every_cut_of_a_picture_is_refused_or_decoded(kind):
    data = saved(Image.effect_noise((24, 24), 60).convert("RGB"), kind)
    encode_image(data, JPEG)
    for end in range(0, len(data), max(1, len(data) // 40)):
        try:
            encode_image(data[:end], JPEG)
        except MediaError:
            continue


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif"])
def test_a_truncated_picture_is_refused(kind):
    data = saved(Image.effect_noise((64, 64), 60).convert("RGB"), kind)
    with pytest.raises(MediaError, match="decoded"):
        encode_image(data[: len(data) // 2], JPEG)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        b"no picture",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n",  # would start Ghostscript
    ],
)
def test_what_is_no_picture_is_refused(data):
    with pytest.raises(MediaError):
        encode_image(data, JPEG)


SEEDS = [
    saved(Image.effect_noise((16, 16), 60).convert(mode), kind)
    for mode, kind in [("RGB", "png"), ("P", "gif"), ("RGB", "jpeg"), ("L", "tiff"), ("P", "bmp")]
]


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow's remarks on damaged files
@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SEEDS), st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=3))))
def test_damaged_bytes_are_refused_or_decoded_and_nothing_else(seed, damages):
    data = bytearray(seed)
    for place, change in damages:
        start = place % len(data)
        data[start : start + len(change)] = change
    try:
        encode_image(bytes(data), JPEG)
    except MediaError:
        return
