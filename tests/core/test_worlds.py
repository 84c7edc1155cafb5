"""Worlds: consistent with the view in every respect; how likely is in test_worlds_law."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from core.played_games import Played, any_game, deterministic
from core.possible_worlds import tight_view, ways
from core.random_play import RULE_SETS, every_rule_set, sample_positions, seeds
from core.replay import History
from core.test_fairness import TABLES
from core.test_view import dealt_otherwise
from numpy.typing import NDArray

from chickenfoot_env import batch, chance, kernels, notation, placing, view, worlds
from chickenfoot_env.game import BONEYARD, GAME, GAME_OVER, PLAYING, problems, rows_of, tiles_of
from chickenfoot_env.jit import compiled, records
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import LOW, tile_id
from chickenfoot_env.view import observe
from chickenfoot_env.worlds import sample_worlds


def views_of(games: NDArray[np.void]) -> NDArray[np.void]:
    """What a seat sees of each game, a different one from game to game."""
    return observe(games, np.arange(len(games)) % games["players"])


def is_over(world: np.void) -> bool:
    """Whether nobody could play on in this running game."""
    return bool(kernels.is_blocked(records(np.array([world], GAME))[0]))


def check_worlds(games: NDArray[np.void], views: NDArray[np.void], count: int = 3) -> None:
    """Sample worlds of the views and look at all that can be wrong with one."""
    found = sample_worlds(views, seeds(len(views)), count)
    assert found.shape == (len(views), count) and found.dtype == GAME
    flat = found.reshape(-1)
    back = observe(flat, np.zeros(len(flat), np.int64))
    assert back.tobytes() == np.repeat(views, count).tobytes()
    assert (flat["draw_stride"] == 0).all()
    players, max_pip = int(games["players"][0]), int(games["max_pip"][0])
    for world in flat[:: max(1, len(flat) // 12)]:
        assert problems(world) == []
        for seat in range(players):
            hand = tuple(tiles_of(world["held"][seat], max_pip))
            assert ways(hand, world["drawn_since"][seat].tolist()) > 0
        if world["over"] == PLAYING:
            assert not is_over(world)


# Every world agrees with the view.


@every_rule_set
def test_every_world_gives_the_view_back(rules: Rules) -> None:
    """In positions of random games, from all seats, byte for byte."""
    games = sample_positions(rules, 6, 0.3, draw_stride=rules.private_stride)
    check_worlds(games, views_of(games))


def test_every_world_gives_the_view_back_in_every_preset() -> None:
    """With the fewest and the most players that each covers."""
    for rules in TABLES:
        games = sample_positions(rules, 3, 0.3, seed=3)
        check_worlds(games, views_of(games), count=2)


@deterministic
@any_game
def test_every_world_gives_the_view_back_whatever_the_rules(played: Played) -> None:
    """Of random rules and seat counts, at any draw stride, the finished game included."""
    states = np.concatenate([played.states[:: max(1, len(played.states) // 8)], played.states[-1:]])
    check_worlds(states.astype(GAME), views_of(states.astype(GAME)), count=2)


def test_views_of_several_tables_may_stand_in_one_batch() -> None:
    """Each with its own set, seats and number of hidden tiles."""
    games = np.concatenate([sample_positions(rules, 1, 0.2) for rules in RULE_SETS.values()])
    views = views_of(games)
    found = sample_worlds(views, seeds(len(views)), 2)
    for row in range(0, len(views), 7):
        alone = sample_worlds(views[row : row + 1], seeds(1, first=row), 2)
        assert alone.tobytes() == found[row].tobytes()


def test_a_world_can_be_played_to_the_end_of_the_game() -> None:
    """With the rounds behind this one, and without any draw out of order."""
    for rules in (Rules(), Rules(players=2, rounds="down_and_up"), Rules.preset("mindshare_1999")):
        games = sample_positions(rules, 2, 0.02)[:12]
        flat = sample_worlds(views_of(games), seeds(len(games)), 2).reshape(-1)
        assert [*flat["starters"][0, : len(rules.starters)]] == [*rules.starters]
        batch.random_playout(flat, chance.derive(seeds(len(flat)), 5))
        assert (flat["over"] == GAME_OVER).all()
        assert all(problems(world) == [] for world in flat[::9])


def test_worlds_of_one_view_differ_in_hands_boneyard_and_later_rounds() -> None:
    """Also in the order in which the boneyard will be drawn."""
    games = batch.deal(Rules(), seeds(1))
    found = sample_worlds(observe(games, np.array([1])), seeds(1), 50)[0]
    for name in ("held", "order", "seed"):
        assert len({world[name].tobytes() for world in found}) == 50
    assert len({world["order"][:55][-1] for world in found}) > 15


# A world is a function of view, seed and number, and of nothing else.


def test_worlds_depend_on_nothing_but_view_seed_and_number() -> None:
    """Not on what stands beside, how many are asked for, or what was sampled before."""
    games = sample_positions(Rules(rounds=(9,)), 6, 0.1)
    views, many = views_of(games), chance.derive(seeds(len(games)), 3)
    found = sample_worlds(views, many, 7)
    assert found.tobytes() == sample_worlds(views, many, 7).tobytes()
    assert found[:, :3].tobytes() == sample_worlds(views, many, 3).tobytes()
    shuffled = np.random.default_rng(1).permutation(len(views))
    assert found[shuffled].tobytes() == sample_worlds(views[shuffled], many[shuffled], 7).tobytes()
    other = sample_worlds(views, chance.derive(many, 1), 7)
    assert (found["held"] != other["held"]).any(axis=(2, 3, 4)).mean() > 0.9


def test_hidden_tiles_change_no_world() -> None:
    """Two games that look the same to a seat have the same worlds."""
    rng = np.random.default_rng(2)
    for rules in (Rules(rounds=(9,)), Rules(players=7, drawn_tile="must", rounds=(9,))):
        games = sample_positions(rules, 6, 0.2, draw_stride=rules.private_stride)
        others = np.array([dealt_otherwise(game, 0, rng) for game in games], GAME)
        assert (games["held"] != others["held"]).any()
        first = np.zeros(len(games), np.int64)
        one, two = (
            sample_worlds(observe(each, first), seeds(len(games)), 3) for each in (games, others)
        )
        assert one.tobytes() == two.tobytes()


def test_sampling_changes_no_view() -> None:
    """Nor the seeds."""
    views = views_of(sample_positions(Rules(rounds=(9,)), 2, 0.1))
    many = seeds(len(views))
    before = views.tobytes(), many.tobytes()
    sample_worlds(views, many, 2)
    assert (views.tobytes(), many.tobytes()) == before


# Every world explains the history.


def histories(rules: Rules, number: int) -> Iterator[tuple[History, int]]:
    """Random first rounds with an observer, at every point of the round.

    Left out are deals of which everybody saw what a view does not tell: that nobody held a double
    above the starter, and who was dealt the heaviest tile.
    """
    by_hands = rules.starter_rule != "descending" or rules.starter_missing == "next_lower_held"
    seed = 0
    while number > 0:
        seed += 1
        deal = batch.deal(rules, seeds(1, first=seed))
        if by_hands and deal["starter"][0] != rules.max_pip:
            continue
        if rules.hunt_first == "highest_tile" and deal["hunted"][0] > 0:
            continue
        number -= 1
        history, rng = History(rules, deal), np.random.default_rng(seed)
        while history.states[-1]["over"][0] == PLAYING and history.states[-1]["round"][0] == 0:
            yield history, seed % rules.players
            legal = np.flatnonzero(batch.legal_mask(history.states[-1])[0])
            history.step(int(legal[-1] if rng.random() < 0.5 else rng.choice(legal)))


def check_histories(tables: list[Rules], number: int, every: int) -> int:
    """Replay one world at every so many positions; the number of worlds replayed."""
    replayed = 0
    for rules in tables:
        for n, (history, observer) in enumerate(histories(rules, number)):
            if n % every == 0:
                seen = observe(history.states[-1], np.array([observer]))
                history.replay(sample_worlds(seen, seeds(1, first=n), 1)[0, 0], observer)
                replayed += 1
    return replayed


def test_every_world_replays_the_public_history() -> None:
    """From a deal that leads to it, the same actions are legal and show the same at every step."""
    assert check_histories(TABLES[::3], number=1, every=12) > 50


@pytest.mark.slow
def test_every_world_replays_the_public_history_in_every_preset() -> None:
    """The same in more games."""
    assert check_histories(TABLES, number=3, every=3) > 1500


@pytest.mark.slow
def test_every_world_replays_the_public_history_in_small_games() -> None:
    """With every way to draw, and sets so small that everything counts."""
    tables = [
        Rules(players=3, max_pip=4, hand_size=2, starter_arms=2, toes=1, **changes)
        for changes in (
            {},
            {"drawn_tile": "must"},
            {"drawn_tile": "no"},
            {"drawn_tile": "must", "draw_count": "until_playable"},
            {"draw_when_stuck": "may"},
            {"boneyard_reserve": 2},
            {"boneyard_reserve": 1, "block_rule": "first_stuck", "drawn_tile": "must"},
        )
    ]
    assert check_histories(tables, number=40, every=2) > 1200


# It never fails.


def test_a_world_is_found_however_much_evidence_there_is() -> None:
    """Also where there is one only; no round is that hard."""
    rng = np.random.default_rng(8)
    views = np.array([tight_view(rng, *shape) for shape in [(7, 3, 2), (9, 3, 0)] * 200])
    found = sample_worlds(views, seeds(len(views)), 2).reshape(-1)
    back = observe(found, np.zeros(len(found), np.int64))
    assert back.tobytes() == np.repeat(views, 2).tobytes()
    for world in found[::5]:
        for seat in range(1, int(world["players"])):
            hand = tuple(tiles_of(world["held"][seat], 6))
            assert ways(hand, world["drawn_since"][seat].tolist()) > 0


def test_the_seat_to_act_can_play_where_the_round_would_be_over_otherwise() -> None:
    """It has one tile, which is the one of 44 hidden ones that fits: too rare to wait for."""
    rules = Rules(
        players=3,
        hand_size=2,
        boneyard_reserve=40,
        rounds=(0,),
        block_rule="first_stuck",
        drawn_tile="must",
    )
    hands = "8-8 1-8 / 0-9 / 7-7 6-7 5-5"
    named = {*map(notation.parse_tile, hands.replace("/", "").split())}
    left = [tile for tile in range(55) if LOW[tile] > 0 and tile not in named]
    boneyard = " ".join(map(notation.format_tile, left))
    games = notation.parse_position(f"OPEN | 0 | {hands} | {boneyard} | 1", rules)
    found = sample_worlds(observe(games, np.array([0])), seeds(1), 300)[0]
    assert (rows_of(found["held"])[:, 1, 0] == 1 << 9).all()
    assert len({world["held"].tobytes() for world in found}) > 280


def test_no_seat_was_dealt_a_double_above_the_highest_one_held() -> None:
    """Until somebody draws, such a double is in the boneyard; then it may be in a hand."""
    rules = Rules(players=3, max_pip=6, hand_size=5, starter_rule="highest_held", rounds=(6,))
    games = batch.deal(rules, seeds(200))
    games = games[(games["starter"] < 6) & (games["hunted"] == 0)]
    assert len(games) > 50
    found = sample_worlds(observe(games, np.zeros(len(games), np.int64)), seeds(len(games)), 3)
    for world in found.reshape(-1):
        for pip in range(int(world["starter"]) + 1, 7):
            assert tile_id(pip, pip) in tiles_of(world["held"][BONEYARD], 6)
    later = sample_positions(rules, 60, 0.2)
    later = later[(later["starter"] == 5) & (later["hand_count"][:, BONEYARD] < 9)]
    found = sample_worlds(observe(later, np.zeros(len(later), np.int64)), seeds(len(later)), 20)
    assert (rows_of(found["held"])[:, :, 1:3, 6] >> np.uint32(6) & 1).any()


def fits(game: np.void, observer: int) -> bool:
    """Whether the plan of the observer's view lets the other seats have what they have."""
    plans = np.zeros(1, placing.PLAN)
    (plan,) = plans
    seen = observe(np.array([game], GAME), np.array([observer]))
    assert placing.make_plan(records(seen)[0], records(plans)[0])
    number = {int(tile): n for n, tile in enumerate(plan["tile"][: plan["hidden"]])}
    for n in range(1, int(game["players"])):
        hand = tiles_of(game["held"][(observer + n) % game["players"]], int(game["max_pip"]))
        reach = sorted(int(plan["room"][n, plan["reach"][number[tile], n]]) for tile in hand)
        if any(slots <= k for k, slots in enumerate(reach)):
            return False
    return True


def test_the_truth_is_always_among_the_worlds() -> None:
    """In every preset, from every seat."""
    for rules in TABLES:
        for n, game in enumerate(sample_positions(rules, 2, 0.1, seed=5)):
            assert fits(game, n % rules.players), rules


# What is refused.

SEEN = observe(batch.deal(Rules(), seeds(2)), np.zeros(2, np.int64))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((batch.deal(Rules(), seeds(2)), seeds(2), 3), "wanted is an array of VIEW records"),
        ((SEEN, [1, 2], 3), "seeds are list: wanted is"),
        ((SEEN, np.arange(2), 3), "seeds are int64 of shape (2,): wanted is"),
        ((SEEN, seeds(3), 3), "3 seeds for 2 records"),
        ((SEEN, seeds(2), 0), "count=0: allowed are whole numbers from 1"),
        ((SEEN, seeds(2), 1.5), "count=1.5: allowed are whole numbers from 1"),
        ((SEEN, seeds(2), True), "count=True: allowed are whole numbers from 1"),
        ((SEEN[::-1], seeds(2), 1), "views are a strided array"),
        ((np.zeros(1, view.VIEW), seeds(1), 1), "view 0 is of no game: "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_sampled_is_refused_in_one_line(
    arguments: tuple[object, object, object], message: str
) -> None:
    """Naming what was given and what is wanted."""
    with pytest.raises(ValueError) as caught:
        sample_worlds(*arguments)  # type: ignore[arg-type]
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_view_that_no_game_can_give_is_refused() -> None:
    """Tiles that do not add up, or evidence that leaves no room for them."""
    wrong = {"boneyard": 30, "players": 13, "max_pip": 19, "rounds": 38, "turn": 4, "showing": 1024}
    for name, value in (*wrong.items(), ("boneyard", -1)):
        views = SEEN.copy()
        views[name][1] = value
        with pytest.raises(ValueError, match="view 1 is of no game"):
            sample_worlds(views, seeds(2), 1)
    views = SEEN.copy()
    views["drawn_since"][1, 1:4, :9] = 0
    with pytest.raises(ValueError, match=r"view 1 is of no game: its \d+ hidden tiles do not fit"):
        sample_worlds(views, seeds(2), 1)


def test_no_views_have_no_worlds() -> None:
    """An empty batch is answered by an empty one."""
    assert sample_worlds(SEEN[:0], seeds(0), 4).shape == (0, 4)


@compiled
def sample_in_a_loop(
    views: NDArray[np.void],
    plans: NDArray[np.void],
    games: NDArray[np.void],
    count: int,
    out: NDArray[np.void],
) -> None:
    """What a search does: games[0] holds the public part, games[1] one world at a time."""
    for i in range(len(views)):
        placing.make_plan(views[i], plans[0])
        games[0] = games[2]
        worlds.write_public(views[i], games[0])
        for j in range(count):
            games[1] = games[0]
            worlds.deal_hidden(plans[0], games[1], chance.fold(np.uint64(i), j))
            out[i * count + j] = games[1]


@pytest.mark.slow
def test_a_search_samples_in_its_own_compiled_loop() -> None:
    """With the three functions made for that it gets the same worlds."""
    views = views_of(sample_positions(Rules(rounds=(9,)), 3, 0.2))
    plans, games, out = np.zeros(1, placing.PLAN), np.zeros(3, GAME), np.zeros(2 * len(views), GAME)
    sample_in_a_loop(*map(records, (views, plans, games)), 2, records(out))
    assert out.tobytes() == sample_worlds(views, seeds(len(views)), 2).tobytes()


def short_sampling() -> str:
    """A hash of worlds of all kinds."""
    digest = hashlib.sha256()
    for rules in RULE_SETS.values():
        views = views_of(sample_positions(rules, 2, 0.1, seed=6))
        digest.update(sample_worlds(views, seeds(len(views)), 1).tobytes())
    rng = np.random.default_rng(8)
    tight = np.array([tight_view(rng, *shape) for shape in [(7, 3, 2), (9, 3, 0)] * 10])
    digest.update(sample_worlds(tight, seeds(len(tight)), 1).tobytes())
    return digest.hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_worlds_are_the_same_uncompiled_and_with_bounds_checks(
    setting: str, tmp_path: Path
) -> None:
    """Compiled integers behave as Python's, and nothing is read or written outside an array."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [
            *(sys.executable, "-W", "error", "-c"),
            "from core.test_worlds import short_sampling; print(short_sampling())",
        ],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(root), str(root / "tests")]),
            "NUMBA_CACHE_DIR": str(tmp_path),
            setting: "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == short_sampling()
