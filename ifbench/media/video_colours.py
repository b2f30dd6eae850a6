"""High dynamic range brought down to what a JPEG shows: PQ and HLG in BT.2020 to sRGB.

Light is taken back to candelas, its luminance bent by Reinhard's curve (white of 203 cd/m2, as
ITU-R BT.2408 has it; highlights up to 1,000 cd/m2 keep their differences), and BT.2020's colours
are brought to BT.709's, what lies outside cut off.

Importing this module imports numpy.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

WHITE = 203.0
PEAK = 1000.0
_LUMINANCE = np.array([0.2627, 0.6780, 0.0593], np.float32)  # ITU-R BT.2020, table 4
_TO_709 = np.array(  # ITU-R BT.2087, M2 of the conversion backwards
    [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]],
    np.float32,
)


def to_standard_range(
    pixels: NDArray[np.uint16], transfer: Literal["pq", "hlg", "sdr"]
) -> NDArray[np.uint8]:
    """A picture of 16-bit code values as 8-bit sRGB."""
    light = (_pq_light() if transfer == "pq" else _hlg_light())[pixels]
    luminance = light @ _LUMINANCE
    if transfer == "hlg":  # Its system gamma works on the luminance (ITU-R BT.2100, table 5).
        light *= (np.maximum(luminance, 1e-6) ** 0.2)[..., None] * (PEAK / WHITE)
        luminance = light @ _LUMINANCE
    highest = (PEAK / WHITE) ** 2
    bent = (1 + luminance / highest) / (1 + luminance)
    return _srgb(np.clip((light * bent[..., None]) @ _TO_709.T, 0, 1))


def _srgb(light: NDArray[np.float32]) -> NDArray[np.uint8]:
    return _srgb_codes()[(light * 4095 + 0.5).astype(np.uint16)]


@cache
def _srgb_codes() -> NDArray[np.uint8]:
    light = np.linspace(0, 1, 4096)
    curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return (curve * 255 + 0.5).astype(np.uint8)


@cache
def _pq_light() -> NDArray[np.float32]:
    """Light for each code value, 1 being white (SMPTE ST 2084, equation 4.1)."""
    code = np.linspace(0, 1, 65536) ** (32 / 2523)
    share = np.maximum(code - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * code)
    return (share ** (16384 / 2610) * (10_000 / WHITE)).astype(np.float32)


@cache
def _hlg_light() -> NDArray[np.float32]:
    """Light in the scene for each code value, from 0 to 1 (ITU-R BT.2100, table 5)."""
    code = np.linspace(0, 1, 65536)
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    return np.where(code <= 0.5, code**2 / 3, (np.exp((code - c) / a) + b) / 12).astype(np.float32)
