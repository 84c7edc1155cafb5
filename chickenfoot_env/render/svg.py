"""A picture as SVG: one text that needs no other file and no font but the reader's own."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from chickenfoot_env.render.picture import Picture
from chickenfoot_env.render.pips import COLOURS, EDGE, IVORY, pip_places, pip_radius
from chickenfoot_env.render.scene import HEIGHT, WIDTH, Box, Disc, Face, Label, Shape, shapes

_FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"


def svg(picture: Picture) -> str:
    """The picture as the text of an SVG file.

    It holds no tile that the picture does not show.
    """
    drawn = shapes(picture)
    faces = [shape for shape in drawn if isinstance(shape, Face)]
    pips = {pip for face in faces for pip in (face.one, face.other)}
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" font-family="{_FONT}" role="img">',
            f"<title>{html.escape(f'{picture.heading}; {picture.status}')}</title>",
            "<defs>",
            *definitions(sorted(pips)),
            "</defs>",
            *(line for shape in drawn for line in _lines(shape)),
            "</svg>",
            "",
        ]
    )


def definitions(pips: Iterable[int]) -> Iterator[str]:
    """What tiles are drawn with: the blank tile `#tile`, 2 by 1, and `#half3` for three pips."""
    yield (
        f'<g id="tile"><rect x="-1" y="-.5" width="2" height="1" rx=".12" fill="{IVORY}" '
        f'stroke="{EDGE}" stroke-width=".05"/><path d="M0-.4V.4" stroke="{EDGE}" '
        'stroke-width=".04"/></g>'
    )
    yield from (_half(pip) for pip in pips)


def _half(pip: int) -> str:
    """The definition of half a tile, its middle at (0, 0)."""
    radius = _number(pip_radius(pip), 3)
    dots = "".join(
        f'<circle cx="{_number(x, 3)}" cy="{_number(y, 3)}" r="{radius}"/>'
        for x, y in pip_places(pip)
    )
    return f'<g id="half{pip}" fill="{COLOURS[pip]}">{dots}</g>'


def _lines(shape: Shape) -> Iterator[str]:
    if isinstance(shape, Face):
        yield from _face(shape)
    elif isinstance(shape, Disc):
        x, y, radius = map(_number, (shape.x, shape.y, shape.radius))
        yield f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{shape.fill}"/>'
    elif isinstance(shape, Label):
        yield _label(shape)
    else:
        yield _box(shape)


def _face(face: Face) -> Iterator[str]:
    x, y, unit, angle = map(_number, (face.x, face.y, face.unit, face.angle))
    yield f'<g transform="translate({x} {y}) rotate({angle}) scale({unit})">'
    yield f"<title>{min(face.one, face.other)}-{max(face.one, face.other)}</title>"
    yield '<use href="#tile"/>'
    yield f'<use href="#half{face.one}" x="-.5"/><use href="#half{face.other}" x=".5"/></g>'


def _label(label: Label) -> str:
    x, y, size = map(_number, (label.x, label.y, label.size))
    weight = ' font-weight="bold"' if label.bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{label.fill}"{weight} '
        f'text-anchor="{label.anchor}" dy=".35em">{html.escape(label.text)}</text>'
    )


def _box(box: Box) -> str:
    x, y, width, height, radius = map(
        _number,
        (box.x - box.width / 2, box.y - box.height / 2, box.width, box.height, box.radius),
    )
    turn = f"rotate({_number(box.angle)} {_number(box.x)} {_number(box.y)})"
    parts = [
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"',
        f'fill="{box.fill or "none"}"',
    ]
    if box.line:
        parts.append(f'stroke="{box.line}" stroke-width="{_number(box.line_width)}"')
    if box.dashed:
        parts.append(f'stroke-dasharray="{_number(3 * box.line_width)}"')
    if box.angle:
        parts.append(f'transform="{turn}"')
    return " ".join(parts) + "/>"


def _number(value: float, digits: int = 2) -> str:
    """The number in as few characters as it needs."""
    return f"{round(value, digits) + 0.0:g}" if abs(value) < 1e5 else f"{value:.{digits}f}"
