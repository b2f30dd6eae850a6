"""The pictures of the starter set, drawn with plain shapes: no photograph, no borrowed figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont

Point: TypeAlias = tuple[float, float]
SIZE = (420, 320)
INK = "black"
_FONT_SIZE = 16


class Canvas:
    """A white sheet with the few strokes that the pictures need."""

    def __init__(self, size: tuple[int, int] = SIZE, paper: str = "white") -> None:
        self.image = Image.new("RGB", size, paper)
        self._draw = ImageDraw.Draw(self.image)
        self._font = ImageFont.load_default(_FONT_SIZE)

    def line(self, *points: Point, width: int = 2, fill: str = INK) -> None:
        self._draw.line(points, width=width, fill=fill)

    def dot(self, at: Point, radius: float = 4, fill: str = INK) -> None:
        x, y = at
        self._draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill, outline=INK)

    def box(self, corner: Point, opposite: Point, fill: str | None = None, width: int = 2) -> None:
        self._draw.rectangle((corner, opposite), fill=fill, outline=INK, width=width)

    def polygon(self, points: Sequence[Point], fill: str | None = None) -> None:
        self._draw.polygon(list(points), fill=fill, outline=INK)

    def text(self, at: Point, words: str, anchor: str = "mm") -> None:
        self._draw.text(at, words, fill=INK, font=self._font, anchor=anchor)


def axes(canvas: Canvas, across: str, up: str, corner: Point = (60, 260)) -> None:
    """Two axes with their names."""
    x, y = corner
    canvas.line((x, 30), (x, y), (390, y))
    canvas.text((230, 300), across)
    canvas.text((x, 16), up)


def plot(across: str, up: str, points: Sequence[Point], ticks: Point, most: Point) -> Image.Image:
    """A line plot: `points` in data units, a tick every `ticks`, axes up to `most`."""
    canvas = Canvas()
    axes(canvas, across, up)

    def place(point: Point) -> Point:
        return 60 + point[0] / most[0] * 310, 260 - point[1] / most[1] * 215

    for i in range(1, round(most[0] / ticks[0]) + 1):
        x, y = place((i * ticks[0], 0))
        canvas.line((x, y), (x, y + 6))
        canvas.text((x, y + 16), f"{i * ticks[0]:g}")
    for i in range(1, round(most[1] / ticks[1]) + 1):
        x, y = place((0, i * ticks[1]))
        canvas.line((x - 6, y), (x, y))
        canvas.text((x - 10, y), f"{i * ticks[1]:g}", anchor="rm")
    canvas.line(*map(place, points), width=3, fill="#1f4e9c")
    for point in points:
        canvas.dot(place(point), fill="#1f4e9c")
    return canvas.image


def skeleton(atoms: Sequence[Point], bonds: Sequence[tuple[int, int, int]], labels: dict[int, str]) -> Image.Image:  # fmt: skip
    """A skeletal formula: corners are carbons, `labels` name the other atoms, bonds have orders."""
    canvas = Canvas()
    for first, second, order in bonds:
        (x1, y1), (x2, y2) = atoms[first], atoms[second]
        length = math.hypot(x2 - x1, y2 - y1)
        nx, ny = -(y2 - y1) / length * 7, (x2 - x1) / length * 7
        for k in range(order):
            shift = k - (order - 1) / 2
            canvas.line(
                (x1 + nx * shift, y1 + ny * shift), (x2 + nx * shift, y2 + ny * shift), width=3
            )
    for index, label in labels.items():
        x, y = atoms[index]
        canvas.box((x - 17, y - 12), (x + 17, y + 12), fill="white", width=0)
        canvas.text((x, y), label)
    return canvas.image


def ring(size: int, centre: Point = (200, 160), radius: float = 75) -> list[Point]:
    """Corners of a regular ring, the first at the top."""
    x, y = centre
    return [
        (
            x + radius * math.sin(2 * math.pi * k / size),
            y - radius * math.cos(2 * math.pi * k / size),
        )
        for k in range(size)
    ]


def zigzag(count: int) -> list[Point]:
    """A chain of atoms across the sheet."""
    return [(60 + 300 * k / max(1, count - 1), 140 if k % 2 else 190) for k in range(count)]


def circuit(resistors: Sequence[float], volts: float, *, parallel: bool) -> Image.Image:
    """A battery with resistors in a row or side by side."""
    canvas = Canvas()
    canvas.line((60, 110), (60, 60), (360, 60))
    canvas.line((60, 190), (60, 260), (360, 260))
    canvas.line((40, 130), (80, 130), width=4)
    canvas.line((48, 150), (72, 150), width=4)
    canvas.line((60, 110), (60, 130))
    canvas.line((60, 150), (60, 190))
    canvas.text((110, 140), f"{volts:g} V")
    if parallel:
        for k, ohms in enumerate(resistors):
            x = 360 - k * 90
            canvas.line((x, 60), (x, 130))
            canvas.line((x, 190), (x, 260))
            canvas.box((x - 12, 130), (x + 12, 190), fill="white")
            canvas.text((x - 44, 160), f"{ohms:g} ohm")
        return canvas.image
    canvas.line((360, 60), (360, 260))
    for k, ohms in enumerate(resistors):
        x = 130 + k * 90
        canvas.box((x, 48), (x + 60, 72), fill="white")
        canvas.text((x + 30, 90), f"{ohms:g} ohm")
    return canvas.image


def town_map(towns: dict[str, Point], km_per_100_px: float) -> Image.Image:
    """A map with towns, a north arrow and a scale bar of 100 pixels."""
    canvas = Canvas(paper="#eef4e6")
    canvas.line((0, 250), (120, 230), (260, 290), (420, 270), width=6, fill="#7aa7d9")
    for name, at in towns.items():
        canvas.dot(at, radius=5, fill="#c0392b")
        canvas.text((at[0], at[1] - 16), name)
    canvas.line((390, 60), (390, 25), width=3)
    canvas.polygon([(390, 12), (383, 28), (397, 28)], fill=INK)
    canvas.text((390, 74), "N")
    canvas.line((30, 300), (130, 300), width=4)
    canvas.text((80, 286), f"{km_per_100_px:g} km")
    return canvas.image


def contour_map(heights: Sequence[int]) -> Image.Image:
    """Nested contour lines, each with its height in metres, the highest inside."""
    canvas = Canvas(paper="#faf6ec")
    for k, height in enumerate(heights):
        inset = 18 + k * 30
        corners = [
            (210 + (190 - inset) * math.cos(t / 12 * math.pi), 160 + (150 - inset * 0.8) * math.sin(t / 12 * math.pi))
            for t in range(25)
        ]  # fmt: skip
        canvas.line(*corners, width=2, fill="#8b5a2b")
        canvas.text((corners[0][0] - 4, 160), f"{height}")
    return canvas.image


def punnett(top: Sequence[str], side: Sequence[str]) -> Image.Image:
    """An empty Punnett square with the gametes of both parents."""
    canvas = Canvas()
    for i in range(3):
        canvas.line((120 + i * 90, 70), (120 + i * 90, 250))
        canvas.line((120, 70 + i * 90), (300, 70 + i * 90))
    for i, gamete in enumerate(top):
        canvas.text((165 + i * 90, 50), gamete)
    for i, gamete in enumerate(side):
        canvas.text((95, 115 + i * 90), gamete)
    return canvas.image


def unit_cell(kind: str) -> Image.Image:
    """A cubic unit cell, drawn in perspective: `simple`, `body` or `face` centred."""
    canvas = Canvas()

    def place(x: float, y: float, z: float) -> Point:
        return 110 + 150 * x + 70 * y, 255 - 150 * z - 50 * y

    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    for a in corners:
        for b in corners:
            if a < b and sum(abs(p - q) for p, q in zip(a, b, strict=True)) == 1:
                canvas.line(place(*a), place(*b))
    for corner in corners:
        canvas.dot(place(*corner), radius=9, fill="#4a7fb5")
    if kind == "body":
        canvas.dot(place(0.5, 0.5, 0.5), radius=9, fill="#d98032")
    if kind == "face":
        for side in (0, 1):
            for centre in ((side, 0.5, 0.5), (0.5, side, 0.5), (0.5, 0.5, side)):
                canvas.dot(place(*centre), radius=9, fill="#d98032")
    return canvas.image


def phase_diagram(liquid: float, overall: float, solid: float) -> Image.Image:
    """A lens-shaped binary phase diagram with a tie line; compositions in mass percent B."""
    canvas = Canvas()
    axes(canvas, "mass percent B", "temperature")
    tie_y = 140.0

    def across(share: float) -> float:
        return 60 + share * 3.1

    canvas.line((60, 220), (across(liquid), tie_y), (370, 60), width=3, fill="#1f4e9c")
    canvas.line((60, 220), (across(solid), tie_y), (370, 60), width=3, fill="#b03a2e")
    canvas.line((across(liquid), tie_y), (across(solid), tie_y), width=2)
    for share in (liquid, overall, solid):
        canvas.line((across(share), tie_y), (across(share), 260), width=1)
        canvas.dot((across(share), tie_y), fill="#2c3e50" if share == overall else "#f1c40f")
        canvas.text((across(share), 274), f"{share:g}")
    canvas.text((110, 90), "liquid")
    canvas.text((330, 200), "solid")
    return canvas.image


def micrograph(count: int, seed: int) -> Image.Image:
    """A schematic micrograph: `count` dark, round particles on a grey matrix, none touching."""
    rng = Random(seed)  # noqa: S311 - a drawing
    canvas = Canvas(paper="#c9c9c9")
    placed: list[tuple[float, float, float]] = []
    while len(placed) < count:
        radius = rng.uniform(14, 26)
        x, y = rng.uniform(35, 385), rng.uniform(35, 255)
        if all(math.hypot(x - a, y - b) > radius + r + 10 for a, b, r in placed):
            placed.append((x, y, radius))
            canvas.dot((x, y), radius=radius, fill="#3b3b3b")
    canvas.line((300, 300), (380, 300), width=4)
    canvas.text((340, 286), "10 micron")
    return canvas.image


def lens(focal: float, distance: float) -> Image.Image:
    """A thin converging lens with an object in front of it."""
    canvas = Canvas()
    canvas.line((20, 160), (400, 160), width=1)
    canvas.line((230, 60), (230, 260), width=4)
    canvas.polygon([(230, 50), (222, 66), (238, 66)], fill=INK)
    canvas.polygon([(230, 270), (222, 254), (238, 254)], fill=INK)
    canvas.line((70, 160), (70, 100), width=4, fill="#1e8449")
    canvas.polygon([(70, 90), (62, 104), (78, 104)], fill="#1e8449")
    canvas.dot((165, 160), fill="#b03a2e")
    canvas.text((165, 180), f"F  (f = {focal:g} cm)")
    canvas.text((150, 215), f"object at {distance:g} cm")
    canvas.line((70, 200), (230, 200), width=1)
    return canvas.image
