"""Render modes that are pictures."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.render.picture import Picture
from chickenfoot_env.render.svg import svg

PICTURES: Final = ("svg", "rgb_array", "human")  # that show pictures


def drawn(picture: Picture, mode: str) -> str | NDArray[np.uint8]:
    """The picture as the text of an SVG file, or as (H, W, 3) uint8 pixels.

    Args:
        picture: what to draw.
        mode: "svg" or "rgb_array".
    """
    if mode == "svg":
        return svg(picture)
    # Matplotlib takes a second to import, which only those who want pixels should wait for.
    from chickenfoot_env.render.raster import rgb_array

    return rgb_array(picture)
