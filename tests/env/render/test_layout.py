"""Where the tiles lie: nothing overlaps, each touches its parent, and the ends are the game's."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from random_rounds import Plays, axes, corners, gaps, last_position, positions, random_rules

from chickenfoot_env import Rules
from chickenfoot_env.render import layout as layouts
from chickenfoot_env.render.layout import (
    ARM,
    STARTER,
    TOE,
    LaidTile,
    Layout,
    LayoutError,
    OpenEnd,
    lay_out,
    lay_out_each,
)

ROUNDING = 1e-6
APART = 0.1  # between tiles of which neither lies on the other

QUICK, SLOW = 24, 2_500  # rounds

CROWDED = {
    "12 seats, double-eighteen": Rules(players=12, max_pip=18, hand_size=15, rounds=(18,)),
    "2 seats, double-eighteen": Rules(players=2, max_pip=18, hand_size=20, rounds=(9,)),
    "8 arms": Rules(players=8, max_pip=12, hand_size=11, starter_arms=8, rounds=(12,)),
    "18 arms": Rules(players=4, max_pip=18, starter_arms=18, toes=2, rounds=(0,)),
    "one toe": Rules(players=4, max_pip=18, toes=1, rounds=(3,)),
    "double-two": Rules(players=2, max_pip=2, hand_size=3, starter_arms=2, toes=1, rounds=(1,)),
}


def of_rules(plays: Plays, rules: Rules) -> Layout:
    return lay_out(plays, rules.starter_arms, rules.toes, rules.max_pip)


def touching_points(tile: LaidTile) -> list[np.ndarray]:
    """Where it may touch its parent: the middle of its first short side, or of a long one."""
    along, across = axes(tile)
    middle = np.array([tile.x, tile.y])
    if tile.is_double:
        return [middle - 0.5 * across, middle + 0.5 * across]
    return [middle - along]


def is_on_rim(point: np.ndarray, tile: LaidTile) -> bool:
    """Whether a point is on the rim of the tile's free half, or of the whole tile if a double."""
    along, across = axes(tile)
    offset = point - (tile.x, tile.y)
    x, y = offset @ along, offset @ across
    low = -1.0 if tile.is_double else 0.0
    is_inside = low - ROUNDING <= x <= 1 + ROUNDING and abs(y) <= 0.5 + ROUNDING
    rims = (1 - x, 0.5 - abs(y), *([x + 1] if tile.is_double else []))
    return is_inside and min(map(abs, rims)) <= ROUNDING


def touches(tile: LaidTile, layout: Layout) -> bool:
    assert tile.parent is not None
    parent = layout.tiles[tile.parent]
    points = touching_points(tile)
    if layout.hub and parent.kind == STARTER:
        return any(abs(math.hypot(*point) - layout.hub) < ROUNDING for point in points)
    return any(is_on_rim(point, parent) for point in points)


def check_tiles(layout: Layout, plays: Plays) -> None:
    """Everything that must hold of the tiles of any round."""
    tiles = layout.tiles
    assert [(tile.attach, tile.free) for tile in tiles] == plays
    assert tiles[0].kind == STARTER and tiles[0].parent is None
    between = gaps(tiles)
    for index, tile in enumerate(tiles[1:], start=1):
        assert tile.parent is not None and tile.parent < index
        parent = tiles[tile.parent]
        assert tile.attach == parent.free
        assert (tile.kind == TOE) == (parent.is_double and parent.kind != STARTER)
        assert touches(tile, layout), f"{plays}: tile {index}"
        between[index, tile.parent] = between[tile.parent, index] = max(
            APART, between[index, tile.parent] + APART
        )
    np.fill_diagonal(between, APART)
    assert between.min() > APART - ROUNDING, f"{plays}: {np.argwhere(between < APART - ROUNDING)}"


def check_ends(layout: Layout, game: np.void) -> None:
    """The ends are those of the game, and no tile has two of them unless it is a foot."""
    ends = Counter(end.pip for end in layout.ends)
    assert ends == {pip: count for pip, count in enumerate(game["ends"].tolist()) if count}
    owed = [end for end in layout.ends if end.owed]
    assert len(owed) == game["owed"] and {end.pip for end in owed} <= {game["foot"]}
    for end in layout.ends:
        assert end.pip == layout.tiles[end.tile].free
    children = Counter(tile.parent for tile in layout.tiles)
    for end in layout.ends:
        children[end.tile] += 1
    arms, toes = int(game["starter_arms"]), int(game["toes"])
    for index, tile in enumerate(layout.tiles):
        assert children[index] == (arms if index == 0 else toes if tile.is_double else 1)


def check_owed_places(layout: Layout, game: np.void) -> None:
    """The places of owed toes are free of tiles, and are where a toe lies when it is laid."""
    owed = [end for end in layout.ends if end.owed]
    ghosts = tuple(ghost(end) for end in owed)
    between = gaps((*layout.tiles, *ghosts))
    for index, end in enumerate(owed, start=len(layout.tiles)):
        others = [j for j in range(len(between)) if j not in (index, end.tile)]
        assert (between[index, others] > APART - ROUNDING).all()
        assert between[index, end.tile] > -ROUNDING


def ghost(end: OpenEnd) -> LaidTile:
    x, y = end.x + math.cos(math.radians(end.angle)), end.y + math.sin(math.radians(end.angle))
    return LaidTile(end.pip, end.pip + 1, x, y, end.angle, end.tile, TOE)


def check_random_rounds(rng: np.random.Generator, rounds: int) -> None:
    for number in range(rounds):
        rules = random_rules(rng)
        game, plays = last_position(rules, rng, doubles_first=number % 3 == 0)
        layout = of_rules(plays, rules)
        check_tiles(layout, plays)
        check_ends(layout, game)
        check_owed_places(layout, game)


def test_random_rounds(rng: np.random.Generator) -> None:
    check_random_rounds(rng, QUICK)


@pytest.mark.slow
def test_thousands_of_random_rounds() -> None:
    check_random_rounds(np.random.default_rng(18), SLOW)


@pytest.mark.parametrize("name", CROWDED)
def test_crowded_rounds_stay_compact(name: str, rng: np.random.Generator) -> None:
    """A table is never so wide that half a tile is less than 12 pixels on 1256 x 620 of them."""
    rules = CROWDED[name]
    for doubles_first in (False, True):
        game, plays = last_position(rules, rng, doubles_first)
        layout = of_rules(plays, rules)
        check_tiles(layout, plays)
        check_ends(layout, game)
        points = np.concatenate([corners(tile) for tile in layout.tiles])
        width, height = points.max(axis=0) - points.min(axis=0)
        assert width <= 1256 / 12 and height <= 620 / 12


def test_every_position_of_a_round(rng: np.random.Generator) -> None:
    """Owed toes included, from the starter on; and what lies stays where it is."""
    rules = Rules(players=4, rounds=(9,))
    before: tuple[LaidTile, ...] = ()
    for game, plays in positions(rules, rng):
        layout = of_rules(plays, rules)
        check_tiles(layout, plays)
        check_ends(layout, game)
        check_owed_places(layout, game)
        assert layout.tiles[: len(before)] == before
        before = layout.tiles


def feet_upon_feet(feet: int) -> Plays:
    """The first arms begin with a double, and so do all their toes, as long as tiles are left."""
    plays = [(0, 0), *((0, arm) for arm in range(1, 5))]
    waiting, unused = list(range(1, 1 + feet)), list(range(5, 19))
    while waiting:
        pip = waiting.pop(0)
        new, unused = unused[:3], unused[3:]
        waiting += new
        old = (p for p in range(18, 0, -1) if p != pip and not {(p, pip), (pip, p)} & {*plays})
        toes = [*new, *(p for p in old if p not in new)][:3]
        plays += [(pip, pip), *((pip, toe) for toe in toes)]
    return plays


@pytest.mark.parametrize("arms", [1, 4])
def test_feet_upon_feet(arms: int) -> None:
    plays = feet_upon_feet(arms)
    assert sum(one == other for one, other in plays) == 15 + arms
    check_tiles(lay_out(plays), plays)


def test_the_same_plays_give_the_same_table(rng: np.random.Generator) -> None:
    rules = CROWDED["12 seats, double-eighteen"]
    _, plays = last_position(rules, rng)
    assert of_rules(plays, rules) == of_rules([*plays], rules)


def test_a_foot_has_a_toe_straight_on_and_two_splayed() -> None:
    layout = lay_out([(9, 9), (9, 4), (9, 2), (9, 0), (9, 7), (4, 4), (4, 1), (4, 2), (4, 3)])
    double, *toes = layout.tiles[5:]
    arm = layout.tiles[1]
    assert double.parent == 1 and double.kind == ARM
    assert (double.angle - arm.angle) % 180 == 90
    turns = sorted((toe.angle - arm.angle + 180) % 360 - 180 for toe in toes)
    assert turns == [-45, 0, 45]
    assert [toe.kind for toe in toes] == [TOE] * 3


@pytest.mark.parametrize("arms", range(1, 19))
def test_arms_point_away_from_the_starter(arms: int) -> None:
    layout = lay_out([(0, 0), *((0, pip) for pip in range(1, arms + 1))], arms)
    for tile in layout.tiles[1:]:
        assert np.dot(axes(tile)[0], (tile.x, tile.y)) > 0
    assert (layout.hub > 0) == (arms > 6)
    assert {tile.kind for tile in layout.tiles[1:]} == {ARM}


NEEDS_ANOTHER_ARRANGEMENT: Plays = [
    *((18, 18), (18, 14), (18, 15), (18, 10), (18, 16), (16, 12), (12, 17)),
    *((15, 15), (15, 3), (15, 6), (15, 5), (6, 6), (6, 2), (6, 16), (6, 17), (5, 5)),
]


def test_a_play_without_room_lays_tiles_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    plays = NEEDS_ANOTHER_ARRANGEMENT
    layout = lay_out(plays)
    check_tiles(layout, plays)
    assert layout.hub == 0
    monkeypatch.setattr(layouts, "_ATTEMPTS", 1)
    assert lay_out(plays[:-1]).hub == 0
    assert lay_out(plays).hub > 0
    monkeypatch.setattr(layouts, "_LARGE_HUBS", ())
    with pytest.raises(LayoutError, match=f"no room for the {len(plays)} tiles"):
        lay_out(plays)


@pytest.mark.parametrize(
    ("plays", "message"),
    [
        ([], r"plays begin with \[\]: wanted is the starter"),
        ([(9, 8)], r"plays begin with \[\(9, 8\)\]: wanted is the starter"),
        ([(9, 9), (8, 9)], "play 1 lays 8-9 on a 8, but first 9 is owed a tile"),
        ([(9, 9), (9, 9)], "play 1 lays 9-9 on a 9, but first 9 is owed a tile"),
        ([(2, 2), (2, 0), (2, 1), (0, 3)], "play 3 lays 0-3 on a 0, but first 2 is owed a tile"),
        (
            [(9, 9), (9, 0), (9, 1), (9, 2), (9, 3), (4, 5)],
            "play 5 lays 4-5 on a 4, but no end shows 4",
        ),
    ],
)
def test_plays_that_no_round_has(plays: Plays, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lay_out(plays)


@pytest.mark.parametrize(("arms", "toes"), [(0, 3), (19, 3), (4, 0), (4, 4)])
def test_arms_and_toes_out_of_range(arms: int, toes: int) -> None:
    with pytest.raises(ValueError, match=f"{arms} arms and {toes} toes: allowed are 1 to 18 arms"):
        lay_out([(9, 9)], arms, toes)


@pytest.mark.parametrize("name", ["2 seats, double-eighteen", "8 arms", "one toe", "double-two"])
def test_a_round_can_be_laid_so_that_nothing_is_moved(name: str, rng: np.random.Generator) -> None:
    """Each table is the beginning of the last one, with the ends that its plays leave."""
    rules = CROWDED[name]
    plays = last_position(rules, rng).plays
    tables = lay_out_each(plays, rules.starter_arms, rules.toes, rules.max_pip)
    assert len(tables) == len(plays) and tables[-1] == of_rules(plays, rules)
    for count, table in enumerate(tables, start=1):
        assert table.tiles == tables[-1].tiles[:count]
        if count % 5 == 0:
            alone = of_rules(plays[:count], rules)
            assert Counter((end.pip, end.owed) for end in table.ends) == Counter(
                (end.pip, end.owed) for end in alone.ends
            )
