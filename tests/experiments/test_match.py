"""Games between agents: what agents are asked, and what happens when they fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agents
from chickenfoot_env import batch, chance, notation, view
from chickenfoot_env.game import GAME, GAME_OVER
from chickenfoot_env.rules import Rules
from experiments import match
from experiments.match import Fault

RULES = Rules(players=3, max_pip=6, hand_size=5, rounds=(6, 5))
Act = Callable[[Any, Any], Any]


class Scripted:
    """An agent made of one function; keeps what it was handed."""

    def __init__(self, act: Act, *, cheats: bool = False) -> None:
        self.name = "scripted"
        self.cheats = cheats
        self.views: list[Any] = []
        self.seeds: list[Any] = []
        self._act = act

    def act(self, views: Any, seeds: Any) -> Any:
        self.views.append(views.copy())
        self.seeds.append(seeds.copy())
        return self._act(views, seeds)


def first_legal(views: Any, _: Any) -> Any:
    return view.legal_mask(views).argmax(axis=1)


def fails(_: Any, __: Any) -> Any:
    raise OSError("no such\nfile")


def deal(count: int, rules: Rules = RULES) -> Any:
    return batch.deal(rules, np.arange(count, dtype=np.uint64), rules.private_stride)


def play(line_up: list[Any], games: Any, faults: list[Fault] | None = None) -> Any:
    match.play(line_up, games, np.arange(len(games), dtype=np.uint64) + 50, faults)
    return games


def three(*spoilers: Any) -> list[Any]:
    """Random agents, the last seats taken by `spoilers`."""
    return [*(agents.make("random") for _ in range(3 - len(spoilers))), *spoilers]


def test_every_game_is_played_to_its_end() -> None:
    games = play(three(), deal(8))
    assert (games["over"] == GAME_OVER).all()
    assert (games["points"][:, :3].sum(axis=1) > 0).all()


def test_a_game_is_the_same_alone_and_in_a_batch() -> None:
    games = play([agents.make(name) for name in ("random", "greedy", "random")], deal(8))
    for row in range(8):
        alone = deal(8)[row : row + 1]
        line_up = [agents.make(name) for name in ("random", "greedy", "random")]
        match.play(line_up, alone, np.array([50 + row], np.uint64))
        assert alone.tobytes() == games[row : row + 1].tobytes()


def test_agents_are_asked_at_real_choices_only() -> None:
    agent = Scripted(first_legal)
    play(three(agent), deal(4))
    assert agent.views
    for views in agent.views:
        assert (view.legal_mask(views).sum(axis=1) >= 2).all()
        assert (views["turn"] == 0).all()


def test_decision_seeds_are_hashes_of_round_seat_and_ply() -> None:
    """Replayed step by step on one game, with forced steps counted as plies."""
    agent = Scripted(first_legal)
    play([agent, agent, agent], deal(1))
    game, ply, expected = deal(1), np.zeros(1, np.int64), []
    while True:
        ply += batch.play_forced(game)
        if game["over"][0] == GAME_OVER:
            break
        parts = game["round"].astype(np.int64), game["seat"].astype(np.int64), ply
        expected.append(int(chance.derive(np.array([50], np.uint64), *parts)[0]))
        batch.step(game, batch.legal_mask(game).argmax(axis=1))
        ply += 1
    assert [int(seeds[0]) for seeds in agent.seeds] == expected
    assert len(set(expected)) == len(expected)


def test_an_agent_in_several_seats_is_asked_once_for_all() -> None:
    one, apart = Scripted(first_legal), [Scripted(first_legal) for _ in range(3)]
    together, separate = play([one, one, one], deal(9)), play(apart, deal(9))
    assert together.tobytes() == separate.tobytes()
    assert len(one.views) < sum(len(agent.views) for agent in apart)
    assert len(one.views[0]) == 9


def test_cheats_are_handed_copies_of_the_games() -> None:
    def spoil(games: Any, _: Any) -> Any:
        actions = batch.legal_mask(games).argmax(axis=1)
        games["points"] = 999
        return actions

    agent = Scripted(spoil, cheats=True)
    games = play(three(agent), deal(4))
    assert agent.views[0].dtype == GAME
    assert (games["points"] < 999).all()


def test_what_agents_write_on_does_not_reach_the_games() -> None:
    def spoil(views: Any, seeds: Any) -> Any:
        actions = first_legal(views, seeds)
        views["hand"] = 0
        seeds[:] = 0
        return actions

    spoilt, clean = (
        play(three(Scripted(spoil)), deal(4)),
        play(three(Scripted(first_legal)), deal(4)),
    )
    assert spoilt.tobytes() == clean.tobytes()


WRONG = {
    "raises": (fails, "raised OSError: no such file"),
    "exits": (lambda v, s: exit(3), "raised SystemExit: 3"),
    "nothing": (lambda v, s: None, "returned NoneType, not an array"),
    "list": (lambda v, s: [0] * len(v), "returned list, not an array"),
    "float": (lambda v, s: np.zeros(len(v)), "returned float64 of shape (1,)"),
    "bool": (lambda v, s: np.zeros(len(v), bool), "returned bool of shape (1,)"),
    "shape": (lambda v, s: np.zeros((len(v), 1), int), "returned int64 of shape (1, 1)"),
    "negative": (lambda v, s: np.full(len(v), -1), "chose the illegal action -1"),
    "huge": (lambda v, s: np.full(len(v), 2**64 - 1, np.uint64), "illegal action 1844674407370955"),
    "illegal": (lambda v, s: first_illegal(v), "chose the illegal action"),
}


def first_illegal(views: Any) -> Any:
    return view.legal_mask(views).argmin(axis=1)


@pytest.mark.parametrize("name", WRONG)
def test_a_seat_at_fault_forfeits_and_the_game_goes_on(name: str) -> None:
    act, message = WRONG[name]
    faults: list[Fault] = []
    games = play(three(Scripted(act)), deal(5), faults)
    assert (games["over"] == GAME_OVER).all()
    assert sorted((fault.game, fault.seat) for fault in faults) == [(game, 2) for game in range(5)]
    assert all(message in fault.message and "\n" not in fault.message for fault in faults)


def test_a_seat_that_forfeited_is_not_asked_again() -> None:
    agent = Scripted(lambda v, s: first_illegal(v))
    play(three(agent), deal(1), [])
    assert len(agent.views) == 1


def test_only_the_game_at_fault_is_forfeited() -> None:
    """The agent fails where its first hand holds a certain tile; other rows go on as they were."""
    clean = play(three(Scripted(first_legal)), deal(8))

    def picky(views: Any, seeds: Any) -> Any:
        if (views["hand"][:, 0] & 2).any():  # the 0-1
            raise ValueError("not this tile")
        return first_legal(views, seeds)

    faults: list[Fault] = []
    games = play(three(Scripted(picky)), deal(8), faults)
    lost = {fault.game for fault in faults}
    assert 0 < len(lost) < 8
    for row in range(8):
        assert (games[row].tobytes() == clean[row].tobytes()) is (row not in lost)


def test_forfeited_games_are_the_same_alone_and_in_a_batch() -> None:
    games = play(three(Scripted(fails)), deal(4), [])
    for row in range(4):
        alone = deal(4)[row : row + 1]
        match.play(three(Scripted(fails)), alone, np.array([50 + row], np.uint64), [])
        assert alone.tobytes() == games[row : row + 1].tobytes()


def test_fault_says_when_it_happened() -> None:
    def late(views: Any, seeds: Any) -> Any:
        if views["round"][0] == 1:
            raise ValueError
        return first_legal(views, seeds)

    faults: list[Fault] = []
    agent = Scripted(late)
    play(three(agent), deal(1), faults)
    assert (faults[0].round, faults[0].seat) == (1, 2)
    assert faults[0].ply > len(agent.views)


def test_messages_are_the_same_in_every_process() -> None:
    def raise_address(*_: Any) -> Any:
        raise ValueError(f"{object()} " + "x" * 999)

    faults: list[Fault] = []
    play(three(Scripted(raise_address)), deal(1), faults)
    assert faults[0].message.startswith("raised ValueError: <object object at 0x...> xxx")
    assert len(faults[0].message) == match.MAX_MESSAGE


def test_without_a_list_a_fault_raises_with_the_position() -> None:
    games = deal(1)
    with pytest.raises(ValueError) as raised:
        play(three(Scripted(fails)), games)
    assert "agent 'scripted' in seat 2 raised OSError" in str(raised.value)
    assert notation.format_position(games[0]) in str(raised.value)


def test_interrupt_passes_through() -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(three(Scripted(interrupt)), deal(2), [])


def test_line_up_must_fill_the_table() -> None:
    with pytest.raises(ValueError, match="line-up of 2 agents for game 0, which has 3 seats"):
        play(three()[:2], deal(2))


def test_seating_puts_agents_into_seats_game_by_game() -> None:
    line_up = [agents.make("random"), agents.make("greedy"), Scripted(first_legal)]
    seating = np.array([[0, 1, 2], [2, 0, 1], [1, 1, 1], [2, 2, 0]])
    games, seeds = deal(4), np.arange(4, dtype=np.uint64)
    match.play(line_up, games, seeds, seating=seating)
    for row, entries in enumerate(seating):
        alone = deal(4)[row : row + 1]
        match.play([line_up[entry] for entry in entries], alone, seeds[row : row + 1])
        assert alone.tobytes() == games[row : row + 1].tobytes()


@pytest.mark.parametrize(
    ("seating", "message"),
    [
        ([[0, 1, 3], [0, 1, 2]], "outside 0 to 2"),
        ([[0, 1, 2]], "one row for each of 2 games"),
        ([[0.0, 1.0, 2.0]] * 2, "float64"),
        ([[0, 1], [1, 2]], "a line-up of 2 agents for game 0"),
    ],
)
def test_seating_that_fits_no_table(seating: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        match.play(three(), deal(2), np.arange(2, dtype=np.uint64), seating=np.array(seating))


def test_no_games_is_nothing_to_do() -> None:
    assert len(play(three(), deal(0))) == 0
