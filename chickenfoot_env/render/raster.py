"""A picture as an array of pixels, drawn by Matplotlib without a display."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from chickenfoot_env.render.picture import Picture
from chickenfoot_env.render.pips import COLOURS, EDGE, IVORY, pip_places, pip_radius
from chickenfoot_env.render.scene import HEIGHT, WIDTH, Box, Disc, Face, Label, Shape, shapes

_DPI: Final = 100
_PAGE: Final = "#ffffff"  # behind the round corners
_CLEAR: Final = "none"
_ALIGN: Final = {"start": "left", "middle": "center", "end": "right"}
_CIRCLE: Final = np.exp(2j * np.pi * np.arange(90) / 90)  # points of a plane as complex numbers
_PIP: Final = _CIRCLE[::5]
_CORNER: Final = np.exp(0.5j * np.pi * np.arange(6) / 5)  # a quarter of a circle


def rgb_array(picture: Picture, width: int = WIDTH) -> NDArray[np.uint8]:
    """The picture in pixels.

    Args:
        picture: what to draw.
        width: of the result; the height is three quarters of it.

    Returns:
        (H, W, 3) uint8, red, green and blue. All pictures of one width have the same shape.

    Raises:
        ValueError: if the width is no whole number from 160 to 8000.
    """
    if not isinstance(width, int) or isinstance(width, bool) or not 160 <= width <= 8000:
        raise ValueError(f"width={width!r}: allowed are whole numbers from 160 to 8000")
    height = round(width * HEIGHT / WIDTH)
    # Half a pixel more, as Matplotlib rounds down.
    size = (width + 0.5) / _DPI, (height + 0.5) / _DPI
    figure = Figure(figsize=size, dpi=_DPI, facecolor=_PAGE)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(HEIGHT, 0)
    axes.set_axis_off()
    drawn = shapes(picture)
    point = 72 / _DPI * width / WIDTH  # of a printer, in a pixel of the canvas
    axes.add_collection(_collection([a for shape in drawn for a in _areas(shape)], point))
    for label in drawn:
        if isinstance(label, Label):
            axes.text(
                label.x,
                label.y,
                label.text,
                color=label.fill,
                fontsize=label.size * point,
                fontweight="bold" if label.bold else "normal",
                ha=_ALIGN[label.anchor],
                va="center_baseline",
                parse_math=False,
            )
    canvas.draw()  # type: ignore[no-untyped-call] # as is the next: Matplotlib has stubs in part
    pixels = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
    return np.array(pixels, np.uint8)[:, :, :3].copy()


class _Area(NamedTuple):
    outline: NDArray[np.complex128]
    fill: str
    line: str = _CLEAR
    width: float = 0.0  # of the line, in pixels of the canvas
    dashed: bool = False


def _collection(areas: list[_Area], point: float) -> PolyCollection:
    """All areas, one above the other."""
    return PolyCollection(
        [np.column_stack([area.outline.real, area.outline.imag]) for area in areas],
        facecolors=[area.fill for area in areas],
        edgecolors=[area.line for area in areas],
        linewidths=[area.width * point for area in areas],
        linestyles=[(0, (3, 3)) if area.dashed else "solid" for area in areas],
    )


def _areas(shape: Shape) -> Iterable[_Area]:
    if isinstance(shape, Face):
        return _face(shape)
    if isinstance(shape, Disc):
        return [_Area(complex(shape.x, shape.y) + shape.radius * _CIRCLE, shape.fill)]
    if isinstance(shape, Box):
        return [_box(shape)]
    return []


def _box(box: Box) -> _Area:
    """The outline of a box: four quarters of circles, joined."""
    radius = min(box.radius, box.width / 2, box.height / 2)
    across, down = box.width / 2 - radius, box.height / 2 - radius
    middles = complex(across, down), complex(-across, down)
    quarters = [
        middle + radius * _CORNER * 1j**quarter
        for quarter, middle in enumerate((*middles, -middles[0], -middles[1]))
    ]
    turn = np.exp(1j * np.radians(box.angle))
    outline = complex(box.x, box.y) + turn * np.concatenate(quarters)
    return _Area(outline, box.fill or _CLEAR, box.line or _CLEAR, box.line_width, box.dashed)


def _face(face: Face) -> Iterator[_Area]:
    unit, line = face.unit, 0.05 * face.unit
    yield _box(Box(face.x, face.y, 2 * unit, unit, face.angle, 0.12 * unit, IVORY, EDGE, line))
    middle, turn = complex(face.x, face.y), unit * np.exp(1j * np.radians(face.angle))
    yield _Area(middle + turn * np.array([-0.4j, 0.4j]), _CLEAR, EDGE, 0.04 * unit)
    for pip, half in ((face.one, -0.5), (face.other, 0.5)):
        dot = unit * pip_radius(pip) * _PIP
        for x, y in pip_places(pip):
            yield _Area(middle + turn * complex(half + x, y) + dot, COLOURS[pip])
