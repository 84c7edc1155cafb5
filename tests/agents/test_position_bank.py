"""The positions of `positions.json`: who finds the right play, and the proof that it is right.

The proof is by the mean margin of each action over the worlds that the seat may be in.

- Where no tile can be drawn they are all listed, and equally likely, for evidence without draws
  only excludes worlds. Each is valued by its whole tree with all tiles known, every seat looking
  for its own margin. With more than two seats equally good actions leave a choice: the right play
  is best whether the first or the last of them is taken. Two hands of seven tiles hide nothing and
  are solved by `agents.endgame`.
- Elsewhere `WORLDS` are sampled and played out by three policies, random, greedy and heuristic. By
  each of them the right play is better than every other by the gap and four standard errors.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import agents
from agents import endgame
from chickenfoot_env import batch, kernels, notation, view, worlds
from chickenfoot_env.game import GAME_OVER, UNKNOWN, bit_matrix, tiles_of
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import HIGH, LOW, set_size
from experiments import match

Games = NDArray[np.void]
Values = NDArray[np.float64]  # (A,) margins of the seat to act, in the order of its legal actions

SIMPLE: Final = ("greedy", "heuristic")
AGENTS: Final = {
    "greedy": "greedy",
    "heuristic": "heuristic",
    "flat_mc": "flat_mc:worlds=256",
    "mcts own": "mcts:iterations=2000,tree=own",
    "mcts all": "mcts:iterations=2000,tree=all",
    "oracle": "oracle",
}
SEEDS: Final = np.arange(5, dtype=np.uint64)
WORLDS: Final = 20_000
BY_TREE: Final = 13  # tiles in all hands; with more the tree is too large to be searched whole


@dataclass(frozen=True)
class Position:
    """An entry of `positions.json`, which says what its fields mean."""

    theme: str
    position: str
    right: list[str]
    gap: float
    missed_by: list[str]
    why: str
    rules: dict[str, Any] = field(default_factory=dict)
    then: list[str] = field(default_factory=list)
    in_truth: list[str] = field(default_factory=list)
    without_evidence: str = ""

    @property
    def can_draw(self) -> bool:
        """Whether there are tiles in the boneyard."""
        return self.position.split("|")[3].strip() != "-"

    def games(self) -> Games:
        """The one game in which the question is asked; no other round follows."""
        rules = Rules(**{"players": self.position.split("|")[2].count("/") + 1, **self.rules})
        games = notation.parse_position(self.position, rules)
        games["rounds"] = games["round"] + 1
        for word in self.then:
            batch.step(games, np.array([notation.parse_action(word, rules)]))
        return games


BANK: Final = [
    Position(**entry)
    for entry in json.loads(Path(__file__).with_name("positions.json").read_text())["positions"]
]


def each(positions: list[Position]) -> pytest.MarkDecorator:
    """Run a test for each of these positions."""
    names = [" ".join([one.position, *one.then]) for one in positions]
    return pytest.mark.parametrize("position", positions, ids=names)


def views_of(games: Games) -> NDArray[np.void]:
    """What the seat to act sees."""
    return view.observe(games, games["seat"].astype(np.int64))


def answers(name: str, games: Games, views: NDArray[np.void]) -> list[str]:
    """What the agent does with each seed, asked by these views unless it is shown the games."""
    agent = agents.make(AGENTS[name])
    asked = games if getattr(agent, "cheats", False) else views
    legal = np.flatnonzero(batch.legal_mask(games)[0]).tolist()
    words = dict(zip(legal, notation.legal_actions(games[0]), strict=True))
    return [words[int(action)] for action in agent.act(np.repeat(asked, len(SEEDS)), SEEDS)]


@each(BANK)
def test_who_finds_the_right_play(position: Position) -> None:
    """All but those who are said to miss it, with every seed."""
    games = position.games()
    right = dict.fromkeys(AGENTS, position.right)
    right["oracle"] = position.in_truth or position.right
    found = {name: answers(name, games, views_of(games)) for name in AGENTS}
    missed = {name for name in AGENTS if set(found[name]) - set(right[name])}
    assert missed == set(position.missed_by), f"{position.why} They said {found}"


@pytest.mark.parametrize("name", ["flat_mc", "mcts own", "mcts all"])
@each([one for one in BANK if one.without_evidence])
def test_with_the_evidence_taken_away_they_choose_otherwise(position: Position, name: str) -> None:
    games = position.games()
    views = views_of(games)
    views["drawn_since"][:, : games["players"][0]] = UNKNOWN
    assert set(answers(name, games, views)) == {position.without_evidence}


def test_the_bank_is_large_and_too_hard_for_simple_agents() -> None:
    missed = Counter(name for one in BANK for name in one.missed_by)
    assert len(BANK) >= 40 and missed["greedy"] >= 30 and missed["heuristic"] >= 25
    assert {one.position.split("|")[2].count("/") + 1 for one in BANK} == {2, 3, 4}
    themes = Counter(one.theme for one in BANK)
    hard = Counter(one.theme for one in BANK if set(SIMPLE) <= set(one.missed_by))
    assert len(themes) == 10 and min(themes.values()) >= 4
    assert all(hard[theme] >= 1 for theme in themes), hard


@each(BANK)
def test_a_position_says_what_it_has_to(position: Position) -> None:
    legal = set(notation.legal_actions(position.games()[0]))
    assert set(position.right) < legal and set(position.in_truth) < legal
    assert position.gap >= 1 and set(position.missed_by) <= set(AGENTS)
    assert position.why.endswith(".") and "\n" not in position.why


# The proof


def after_each_action(games: Games) -> list[Games]:
    """The one game after each legal action, in ascending order."""
    actions = np.flatnonzero(batch.legal_mask(games)[0])
    after = np.repeat(games, len(actions))
    batch.step(after, actions)
    return np.split(after, len(actions))


def by_tree(games: Games, ties: str, known: dict[bytes, Values]) -> Values:
    """The seats' margins at the end if each looks for its own, all tiles known and as they lie.

    Of actions that are equally good for the mover it takes the first or the last one.
    """
    if games["over"][0] == GAME_OVER:
        margins: Values = batch.margins(games)[0]
        return margins
    games["drawn_since"] = 0  # what was seen makes no difference
    key = games.tobytes()
    if key not in known:
        values = [by_tree(after, ties, known) for after in after_each_action(games)]
        mine = np.round([value[games["seat"][0]] for value in values], 6)
        best = np.flatnonzero(mine == mine.max())
        known[key] = values[best[0] if ties == "first" else best[-1]]
    return known[key]


def by_endgame(games: Games) -> Values:
    """The same by `agents.endgame`."""
    values, room = np.full(int(games["players"][0]), np.nan), endgame.make_room(14, 2**16)
    game = records(games)[0]
    assert endgame.solve(game, game, room, 10**9, values) != endgame.UNSOLVED
    return values


def as_it_lies(games: Games, ties: str) -> Values:
    """What each legal action is worth in this world."""
    seat, known = int(games["seat"][0]), dict[bytes, Values]()
    is_small = games["hand_count"][0, : games["players"][0]].sum() <= BY_TREE
    after = after_each_action(games)
    return np.array(
        [by_tree(one, ties, known)[seat] if is_small else by_endgame(one)[seat] for one in after]
    )


def every_world(games: Games) -> Iterator[Games]:
    """Each way to deal what the seat to act does not see, if no tile can be drawn."""
    seat, max_pip = int(games["seat"][0]), int(games["max_pip"][0])
    assert set(np.unique(games["drawn_since"][0, :, : max_pip + 1])) <= {0, UNKNOWN}
    others = [holder for holder in range(games["players"][0]) if holder != seat]
    hidden = [
        tile
        for tile in range(set_size(max_pip))
        if any(holds(games, other, tile) for other in others)
    ]
    for hands in every_deal(games, others, hidden):
        world = games.copy()
        for other, hand in zip(others, hands, strict=True):
            world["held"][0, other] = bit_matrix(hand)
        if not kernels.is_blocked(records(world)[0]):  # else the round would be over
            yield world


def holds(games: Games, holder: int, tile: int) -> bool:
    """Whether the holder has the tile."""
    return tile in tiles_of(games["held"][0, holder], int(games["max_pip"][0]))


def every_deal(games: Games, seats: list[int], tiles: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """Each way to give these tiles to these seats that fits their hand counts and evidence."""
    if not seats:
        yield []
        return
    shown = games["drawn_since"][0, seats[0]]
    possible = [tile for tile in tiles if shown[LOW[tile]] and shown[HIGH[tile]]]
    for hand in itertools.combinations(possible, int(games["hand_count"][0, seats[0]])):
        left = [tile for tile in tiles if tile not in hand]
        for others in every_deal(games, seats[1:], left):
            yield [hand, *others]


def over_all_worlds(games: Games, ties: str) -> Values:
    """What each legal action is worth in the mean."""
    values = np.array([as_it_lies(world, ties) for world in every_world(games)])
    mean: Values = values.mean(axis=0)
    return mean


def over_sampled_worlds(games: Games, policy: str) -> NDArray[np.float64]:
    """(A, WORLDS), the seat's margin after each legal action if all play on by the policy."""
    sampled = worlds.sample_worlds(views_of(games), np.zeros(1, np.uint64), WORLDS)[0]
    sampled["rounds"] = sampled["round"] + 1
    margins = []
    for action in np.flatnonzero(batch.legal_mask(games)[0]):
        played = sampled.copy()
        batch.step(played, np.full(WORLDS, action))
        line_up = [agents.make(policy)] * int(games["players"][0])
        match.play(line_up, played, np.arange(WORLDS, dtype=np.uint64))
        margins.append(batch.margins(played)[:, 0])
    return np.array(margins)


def is_right(games: Games, right: list[str]) -> NDArray[np.bool_]:
    """(A,), which of the legal actions are these."""
    return np.array([word in right for word in notation.legal_actions(games[0])])


def both_ties(games: Games) -> tuple[str, ...]:
    """The ways to break ties that can make a difference."""
    return ("first", "last") if games["players"][0] > 2 else ("first",)


@pytest.mark.slow
@each([one for one in BANK if not one.can_draw])
def test_the_right_play_is_best_over_all_worlds(position: Position) -> None:
    games = position.games()
    right = is_right(games, position.right)
    values = [over_all_worlds(games, ties) for ties in both_ties(games)]
    assert min(value[right].min() - value[~right].max() for value in values) == pytest.approx(
        position.gap, abs=0.006
    )


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["random", "greedy", "heuristic"])
@each([one for one in BANK if one.can_draw])
def test_the_right_play_is_best_over_sampled_worlds(position: Position, policy: str) -> None:
    games = position.games()
    right = is_right(games, position.right)
    margins = over_sampled_worlds(games, policy)
    for good, bad in itertools.product(margins[right], margins[~right]):
        better = good - bad
        assert better.mean() - 4 * better.std() / WORLDS**0.5 > position.gap


@pytest.mark.slow
@each(BANK)
def test_what_is_best_as_the_tiles_really_lie(position: Position) -> None:
    """By the whole tree, draws in the order in which they will come."""
    games = position.games()
    right = is_right(games, position.in_truth or position.right)
    for ties in both_ties(games):
        values = as_it_lies(games, ties)
        assert values[right].min() > values[~right].max() + 0.4


@pytest.mark.slow
@each([one for one in BANK if one.without_evidence])
def test_without_the_evidence_another_play_is_best(position: Position) -> None:
    games = position.games()
    games["drawn_since"][:, : games["players"][0]] = UNKNOWN
    words = notation.legal_actions(games[0])
    for ties in both_ties(games):
        assert words[int(over_all_worlds(games, ties).argmax())] == position.without_evidence
    assert position.without_evidence not in position.right
