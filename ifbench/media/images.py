"""Makes a picture ready to be sent: turned upright, brought to eight bits, shrunk, encoded.

As in SciMIF's release, shrinking is Pillow's `thumbnail` and colour profiles are dropped. The
same bytes and policy give the same bytes (under one version of Pillow), and a file that
cannot be decoded gives a `MediaError`, whatever it was made to do to the decoder.

Importing this module imports Pillow.
"""

from __future__ import annotations

import math
import struct
import warnings
from io import BytesIO
from typing import Literal

from PIL import Image, ImageOps

from ifbench.media.blobs import Blob
from ifbench.media.errors import MediaError
from ifbench.types import ImagePolicy

# Left out are formats that start another program (EPS) or that no endpoint's user sends.
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "JPEG2000", "PPM")

MAX_PIXELS = 89_478_485  # Pillow's own bound for warnings: 256 MiB as RGB.
# Ours is an error, with the picture's name; Pillow's warning beside it would say it twice.
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)

# What Pillow 13's decoders raise on damaged files. A warning is here for those who turn
# warnings into errors; `struct.error` and the look-up errors come from broken headers.
_DECODER_ERRORS = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    EOFError,
    LookupError,
    ArithmeticError,
    AttributeError,
    NotImplementedError,
    MemoryError,
    struct.error,
    Warning,
    Image.DecompressionBombError,
)


def encode_image(data: bytes, policy: ImagePolicy) -> Blob:
    """The picture as `policy` asks; of an animation, its first frame.

    Transparent parts become white in JPEG and stay in PNG and WebP. Raises `MediaError` for a
    damaged file, more than `MAX_PIXELS` pixels, or a result over the policy's byte cap.
    """
    upright = _decode(data)
    picture = _eight_bits(upright, keep_alpha=policy.format != "jpeg")
    if policy.long_side_px is not None:
        picture.thumbnail((policy.long_side_px, policy.long_side_px))
    blob = Blob(
        data=encoded(picture, policy.format, policy.quality),
        mime=f"image/{policy.format}",
        width=picture.width,
        height=picture.height,
        source_width=upright.width,
        source_height=upright.height,
    )
    check_cap(blob, policy)
    return blob


def check_cap(blob: Blob, policy: ImagePolicy) -> None:
    """Raise `MediaError` when the encoded picture is over the policy's byte cap."""
    if policy.max_bytes is not None and len(blob.data) > policy.max_bytes:
        raise MediaError(
            f"the picture has {len(blob.data):,} bytes as {policy.format} of "
            f"{blob.width}x{blob.height} px; the model's policy allows {policy.max_bytes:,}"
        )


def _decode(data: bytes) -> Image.Image:
    try:
        image = Image.open(BytesIO(data), formats=FORMATS)
        if image.width * image.height > MAX_PIXELS:
            raise MediaError(
                f"the picture has {image.width}x{image.height} px; at most {MAX_PIXELS:,} "
                "pixels are decoded"
            )
        image.load()
        return ImageOps.exif_transpose(image)
    except _DECODER_ERRORS as error:
        # Pillow names the stream that it was given; that it is in memory helps nobody.
        words = str(error).partition(" <_io.")[0]
        raise MediaError(f"the picture cannot be decoded: {words}") from error


def _eight_bits(image: Image.Image, *, keep_alpha: bool) -> Image.Image:
    """The picture as L, RGB or RGBA."""
    try:
        if image.mode.startswith("I;16"):
            return _scaled(image.convert("I"), 0, 65535)
        if image.mode in {"I", "F"}:
            return _scaled(image, *_range(image))
        if image.has_transparency_data:
            return image.convert("RGBA") if keep_alpha else _on_white(image.convert("RGBA"))
        return image.convert("L" if image.mode in {"1", "L"} else "RGB")
    except _DECODER_ERRORS as error:
        raise MediaError(f"colour mode {image.mode} cannot be shown: {error}") from error


def _on_white(image: Image.Image) -> Image.Image:
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image).convert("RGB")


def _range(image: Image.Image) -> tuple[float, float]:
    """Black and white of a picture whose numbers have no fixed scale (TIFF of 32 bits).

    Whole numbers within 8 or 16 bits keep that scale; all else is stretched to its extremes.
    """
    extremes = image.getextrema()
    low, high = float(extremes[0]), float(extremes[1])  # type: ignore[arg-type]  # one band
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"its values reach from {low} to {high}")
    if image.mode == "I" and low >= 0:
        for limit in (255, 65535):
            if high <= limit:
                return 0, limit
    return low, high


def _scaled(image: Image.Image, black: float, white: float) -> Image.Image:
    scale = 255 / (white - black) if white > black else 0.0
    # Pillow applies scale and offset to 32-bit modes; half a step makes its cut a rounding.
    numbers = image.convert("F").point(lambda value: value * scale + (0.5 - black * scale))
    return numbers.convert("L")


def encoded(image: Image.Image, form: Literal["jpeg", "png", "webp"], quality: int) -> bytes:
    """A picture's file; of PNG the quality is not used. Raises `MediaError`."""
    image.info = {}  # nothing of the source's profiles, comments and dates goes out
    buffer = BytesIO()
    try:
        match form:
            case "jpeg" | "webp":
                image.save(buffer, form, quality=quality)
            case "png":
                image.save(buffer, "png")
    except (OSError, ValueError) as error:
        raise MediaError(
            f"a picture of {image.width}x{image.height} px cannot be {form}: {error}"
        ) from error
    return buffer.getvalue()
