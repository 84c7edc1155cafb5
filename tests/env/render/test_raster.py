"""Pictures as pixels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_rounds import positions

from chickenfoot_env import Rules, view
from chickenfoot_env.render.picture import Picture, picture_of_game, picture_of_view
from chickenfoot_env.render.pips import COLOURS, IVORY
from chickenfoot_env.render.raster import rgb_array
from chickenfoot_env.render.scene import HEIGHT, LAST, TABLE, WIDTH, Face, shapes


def pixel(colour: str) -> np.ndarray:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], np.uint8)


def has(picture: np.ndarray, colour: str) -> bool:
    return bool((picture == pixel(colour)).all(axis=2).any())


@pytest.fixture
def pictures(rng: np.random.Generator) -> list[Picture]:
    """Some positions of one round."""
    rules = Rules(players=4, rounds=(9,))
    return [picture_of_game(*position) for position in positions(rules, rng)][::15]


def test_all_pictures_have_one_shape(pictures: list[Picture]) -> None:
    for picture in pictures:
        pixels = rgb_array(picture)
        assert pixels.shape == (HEIGHT, WIDTH, 3) and pixels.dtype == np.uint8
        assert pixels.flags.c_contiguous and pixels.flags.owndata


@pytest.mark.parametrize("width", [160, 333, 1000])
def test_any_width(width: int, pictures: list[Picture]) -> None:
    assert rgb_array(pictures[1], width).shape == (round(width * 0.75), width, 3)


def test_tiles_are_where_the_scene_has_them(pictures: list[Picture]) -> None:
    """The middle of a half is as the half says: a pip if their number is odd."""
    picture = pictures[-1]
    pixels = rgb_array(picture, 2 * WIDTH)
    assert has(pixels, TABLE) and has(pixels, LAST)
    checked = 0
    for face in shapes(picture):
        if isinstance(face, Face) and face.unit > 20:
            turn = np.exp(1j * np.radians(face.angle)) * face.unit
            for pip, half in ((face.one, -0.5), (face.other, 0.5)):
                at = 2 * (complex(face.x, face.y) + half * turn)
                wanted = COLOURS[pip] if pip % 2 else IVORY
                assert (pixels[int(at.imag), int(at.real)] == pixel(wanted)).all(), (pip, face)
                checked += 1
    assert checked > 30


def test_the_same_picture_gives_the_same_pixels(pictures: list[Picture]) -> None:
    assert np.array_equal(rgb_array(pictures[2], 640), rgb_array(pictures[2], 640))
    assert not np.array_equal(rgb_array(pictures[2], 640), rgb_array(pictures[3], 640))


def test_a_view_hides_hands_in_pixels_too(rng: np.random.Generator) -> None:
    rules = Rules(players=2, max_pip=6, hand_size=5, rounds=(6,))
    game, plays = next(positions(rules, rng))
    views = view.observe(np.array([game, game]), np.array([0, 1]))
    ivory = [
        (rgb_array(each) == pixel(IVORY)).all(axis=2).sum()
        for each in (picture_of_view(views[0], plays), picture_of_game(game, plays))
    ]
    assert 0 < ivory[0] < 0.75 * ivory[1]


@pytest.mark.parametrize("width", [159, 8001, 640.0, True, None])
def test_widths_that_are_refused(width: object, pictures: list[Picture]) -> None:
    with pytest.raises(ValueError, match=r"allowed are whole numbers from 160 to 8000"):
        rgb_array(pictures[0], width)  # type: ignore[arg-type]


def test_no_display_and_no_plot_of_the_user_is_touched() -> None:
    code = (
        "import sys, numpy as np\n"
        "from chickenfoot_env import Rules, batch\n"
        "import chickenfoot_env.render.svg, chickenfoot_env.render.picture as p\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from chickenfoot_env.render.raster import rgb_array\n"
        "game = batch.deal(Rules(), np.array([1], np.uint64))[0]\n"
        "pixels = rgb_array(p.picture_of_game(game, [(9, 9)]))\n"
        "print(pixels.shape, 'matplotlib.pyplot' in sys.modules)"
    )
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
        env={**environment, "MPLBACKEND": "TkAgg"},
    )
    assert run.stdout.split("\n")[0] == "(960, 1280, 3) False"
