"""What a picture of a game shows, and that a picture of a view shows nothing more than the view."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest
from random_rounds import Plays, play, positions

from chickenfoot_env import Rules, view
from chickenfoot_env.game import BONEYARD, bit_matrix, tiles_of
from chickenfoot_env.notation import format_tile
from chickenfoot_env.render.picture import Picture, picture_of_game, picture_of_view
from chickenfoot_env.render.pips import COLOURS, IVORY, pip_places, pip_radius
from chickenfoot_env.render.play_log import PlayLog
from chickenfoot_env.render.scene import GOLD, HEIGHT, LAST, WIDTH, Box, Label, shapes
from chickenfoot_env.render.svg import svg
from chickenfoot_env.tiles import tile_id

SVG = "{http://www.w3.org/2000/svg}"
TILE = re.compile(r"\d+-\d+")
PLAYS: Plays = [(9, 9), (9, 4), (9, 2), (9, 0), (9, 7), (4, 4), (4, 1)]
NAMES = ["Ann & Bob", "<Cleo>"]


@pytest.fixture
def game() -> np.void:
    """A foot on the 4 with two toes owed; all hands and the boneyard are known."""
    rules = Rules(players=2, rounds=(9,))
    boneyard = [
        f"{low}-{high}"
        for high in range(10)
        for low in range(high + 1)
        if (high, low) not in PLAYS and (low, high) not in PLAYS
    ]
    hands = ["3-4", "5-6", "4-8"]
    rest = " ".join(tile for tile in boneyard if tile not in hands)
    return play(rules, f"FOOT 4/2 | 0 1 2 7 | 3-4 5-6 / 4-8 | {rest} | 1")


def faces(text: str) -> list[str]:
    """The tiles that an SVG shows face up, by the title of each."""
    root = ElementTree.fromstring(text)
    return [title.text or "" for title in root.iterfind(f"{SVG}g/{SVG}title")]


def labels(picture: Picture) -> list[str]:
    return [shape.text for shape in shapes(picture) if isinstance(shape, Label)]


def names_of(rows: np.ndarray, max_pip: int) -> list[str]:
    return [format_tile(tile) for tile in tiles_of(rows, max_pip)]


def test_a_game_is_shown_whole(game: np.void) -> None:
    picture = picture_of_game(game, PLAYS, NAMES)
    shown = labels(picture)
    for text in ("Round 1 of 1, starter 9-9", "chicken foot: 2 more toes on the 4"):
        assert text in shown
    for text in ("boneyard: 45 tiles", "<Cleo> to act", "0 points · 2 tiles", "0 points · 1 tile"):
        assert text in shown
    on_table = [f"{min(play)}-{max(play)}" for play in PLAYS]
    assert faces(svg(picture)) == [*on_table, "3-4", "5-6", "4-8"]


def test_names_are_text_and_not_markup(game: np.void) -> None:
    root = ElementTree.fromstring(svg(picture_of_game(game, PLAYS, NAMES)))
    assert {*NAMES} <= {element.text for element in root.iterfind(f"{SVG}text")}


def test_the_last_play_owed_toes_and_ends_are_marked(game: np.void) -> None:
    picture = picture_of_game(game, PLAYS)
    drawn = shapes(picture)
    ghosts = [shape for shape in drawn if isinstance(shape, Box) and shape.dashed]
    (last,) = [shape for shape in drawn if isinstance(shape, Box) and shape.line == LAST]
    toe = picture.layout.tiles[-1]
    assert len(ghosts) == 2 and last.angle == toe.angle
    faces_drawn = [shape for shape in drawn if type(shape).__name__ == "Face"]
    assert (last.x, last.y) == (faces_drawn[6].x, faces_drawn[6].y)
    badges = Counter(text for text in labels(picture) if text.isdecimal())
    assert badges == {"0": 1, "1": 1, "2": 1, "7": 1, "4": 2}


def test_the_seat_to_act_is_marked(game: np.void) -> None:
    (cell,) = [
        shape
        for shape in shapes(picture_of_game(game, PLAYS))
        if isinstance(shape, Box) and shape.line == GOLD and not shape.dashed
    ]
    assert cell.x > WIDTH / 2


def test_phases(rng: np.random.Generator) -> None:
    """What is said before and after the four arms, after a double, and at the end."""
    said = {}
    for game, plays in positions(Rules(players=2, rounds=(9,)), rng):
        picture = picture_of_game(game, plays)
        said[picture.phase] = game
    assert {
        *(f"starter: {owed} more arm{'s' * (owed > 1)} on the 9" for owed in (4, 3, 2, 1)),
        "any open end",
        "",
    } < {*said}
    assert any(phase.startswith("chicken foot: 3 more toes on the") for phase in said)
    assert (picture.phase, picture.to_act, picture.status) == ("", None, "the game is over")
    assert picture_of_game(game, plays, status="blocked").status == "blocked"


def test_a_view_shows_its_own_hand_alone(rng: np.random.Generator) -> None:
    """No hidden tile is anywhere in the text of the picture, at any time and for any seat."""
    rules = Rules(players=3, hand_size=5, max_pip=6, rounds=(6, 5))
    for game, plays in positions(rules, rng):
        for seat in range(rules.players):
            seen = view.observe(np.array([game]), np.array([seat]))[0]
            text = svg(picture_of_view(seen, plays))
            shown = [*names_of(game["laid"], 6), *names_of(game["held"][seat], 6)]
            assert sorted(faces(text)) == sorted(shown)
            starter = f"{game['starter']}-{game['starter']}"
            assert {*TILE.findall(text)} <= {*shown, starter}


def test_a_view_is_drawn_the_same_whatever_is_hidden(game: np.void) -> None:
    other = game.copy()
    for pips in ((4, 8), (0, 5)):  # the one in seat 1's hand, the other in the boneyard
        for holder in (1, BONEYARD):
            other["held"][holder] ^= bit_matrix([tile_id(*pips)])
    pictures = [
        svg(picture_of_view(view.observe(np.array([each]), np.array([0]))[0], PLAYS))
        for each in (game, other)
    ]
    assert pictures[0] == pictures[1]
    assert svg(picture_of_game(game, PLAYS)) != svg(picture_of_game(other, PLAYS))


def test_a_view_begins_with_its_seat(game: np.void) -> None:
    seen = view.observe(np.array([game]), np.array([1]))[0]
    picture = picture_of_view(seen, PLAYS)
    assert [hand.name for hand in picture.hands] == ["you", "seat +1"]
    assert [hand.count for hand in picture.hands] == [1, 2]
    assert picture.hands[1].tiles is None
    assert picture.to_act == 0 and picture.status == "you to act"


def test_wrong_names_and_plays_are_refused(game: np.void) -> None:
    with pytest.raises(ValueError, match=r"1 names \['a'\]: wanted is one for each of 2 seats"):
        picture_of_game(game, PLAYS, ["a"])
    with pytest.raises(ValueError, match="6 plays do not lay the 7 tiles on the table"):
        picture_of_game(game, PLAYS[:-1])


def test_the_log_follows_a_game_through_its_rounds(rng: np.random.Generator) -> None:
    rules = Rules(players=2, max_pip=4, hand_size=3, rounds=(4, 3, 2))
    starters = set()
    for game, plays in positions(rules, rng):
        laid = sorted(format_tile(tile) for tile in tiles_of(game["laid"], 4))
        assert sorted(f"{min(each)}-{max(each)}" for each in plays) == laid
        actions = [attach * rules.pips + free for attach, free in plays[1:]]
        assert PlayLog(game, [rules.draw, *actions, rules.pass_]).plays == plays
        starters.add(plays[0])
    assert starters == {(4, 4), (3, 3), (2, 2)}


def test_the_text_needs_nothing_from_elsewhere(game: np.void) -> None:
    text = svg(picture_of_game(game, PLAYS))
    assert not re.search(r"url\(|@import|<image|<script|<style", text)
    assert text.count("http") == 1  # the name of the language
    root = ElementTree.fromstring(text)
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    used = {(element.get("href") or "")[1:] for element in root.iter(f"{SVG}use")}
    assert used == ids


def test_everything_is_on_the_canvas(rng: np.random.Generator) -> None:
    rules = Rules(players=12, max_pip=18, hand_size=15, rounds=(18,))
    for number, (game, plays) in enumerate(positions(rules, rng)):
        if number % 40:
            continue
        for shape in shapes(picture_of_game(game, plays)):
            if type(shape).__name__ != "Label":
                assert 0 <= shape.x <= WIDTH and 0 <= shape.y <= HEIGHT
            if type(shape).__name__ == "Face":
                assert shape.unit >= 12 and shape.y + shape.unit / 2 <= HEIGHT


@pytest.mark.parametrize("pips", range(19))
def test_halves_have_their_pips(pips: int) -> None:
    """As many as their number, inside the half, none upon another."""
    places, radius = pip_places(pips), pip_radius(pips)
    assert len(places) == pips
    for index, (x, y) in enumerate(places):
        assert max(abs(x), abs(y)) + radius < 0.46
        for other_x, other_y in places[:index]:
            assert np.hypot(x - other_x, y - other_y) > 2 * radius
    turned = {(round(-x, 9), round(-y, 9)) for x, y in places}
    assert turned == {(round(x, 9), round(y, 9)) for x, y in places}


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


@pytest.mark.parametrize("pips", range(19))
def test_colours_stand_out(pips: int) -> None:
    assert (luminance(IVORY) + 0.05) / (luminance(COLOURS[pips]) + 0.05) >= 4.5
    assert COLOURS.count(COLOURS[pips]) == 1
