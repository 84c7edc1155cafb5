"""Measurements of other libraries' games, each played at random.

Each one imports its library when it is prepared, so what is not installed says so with
ImportError. A step is one action of a seat; chance events (deals, draws) are part of the step that
they follow. Nobody else's game is Chicken Foot: the figures compare libraries, not games.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from experiments.benchmark.measurement import Measurement, Ratio, Run, Scale, clock
from experiments.benchmark.tables import play_at_random

_OPEN_SPIEL, _RLCARD, _PETTINGZOO = "open-spiel", "rlcard", "pettingzoo"
_FAST, _SLOW = "peers, compiled", "peers, through Python"


def whole_games(play: Callable[[random.Random], int], scale: Scale) -> Run:
    """Games one after the other until the time is over; `play` plays one and counts its steps."""
    dice = random.Random(0)

    def run() -> tuple[int, float]:
        steps, began = 0, clock()
        while steps == 0 or clock() - began < scale.seconds:
            steps += play(dice)
        return steps, clock() - began

    return run


def open_spiel_state(game: Any, dice: random.Random) -> Any:
    """A state of the game in which a seat is to act for the first time."""
    state = game.new_initial_state()
    while state.is_chance_node():
        _chance(state, dice)
    return state


def play_open_spiel(state: Any, dice: random.Random) -> int:
    """Play on to the end through the Python API; the actions that seats took."""
    steps = 0
    while not state.is_terminal():
        if state.is_chance_node():
            _chance(state, dice)
        else:
            state.apply_action(dice.choice(state.legal_actions()))
            steps += 1
    return steps


def _chance(state: Any, dice: random.Random) -> None:
    outcomes, odds = zip(*state.chance_outcomes(), strict=True)
    state.apply_action(dice.choices(outcomes, odds)[0])


def open_spiel_python(name: str, scale: Scale) -> Run:
    """A game of OpenSpiel through its Python API, deals included."""
    pyspiel = importlib.import_module("pyspiel")
    importlib.import_module("open_spiel.python.games.team_dominoes")  # registers itself
    game = pyspiel.load_game(name)
    return whole_games(lambda dice: play_open_spiel(game.new_initial_state(), dice), scale)


def open_spiel_compiled(name: str, scale: Scale) -> Run:
    """OpenSpiel's own random rollouts in C++ from just behind the deal, without any Python.

    They do not count their steps. The mean length of a rollout comes from rollouts through Python
    from the same eight deals, 100 of each, which is good to about 2 %.
    """
    pyspiel = importlib.import_module("pyspiel")
    game, dice = pyspiel.load_game(name), random.Random(0)
    states = [open_spiel_state(game, dice) for _ in range(1 if scale.quick else 8)]
    lengths = [
        np.mean([play_open_spiel(state.clone(), dice) for _ in range(3 if scale.quick else 100)])
        for state in states
    ]
    rollouts = 5 if scale.quick else 1500
    # A search of one simulation does nothing but its evaluator's rollouts from the root.
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    search = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, 1, False)

    def run() -> tuple[int, float]:
        began = clock()
        for state in states:
            search.mcts_search(state)
        return round(rollouts * sum(lengths)), clock() - began

    return run


def rlcard_uno(scale: Scale) -> Run:
    """RLCard's Uno through its environment."""
    game = importlib.import_module("rlcard").make("uno", config={"seed": 1})

    def play(dice: random.Random) -> int:
        steps, (state, _) = 0, game.reset()
        while not game.is_over():
            state, _ = game.step(dice.choice(list(state["legal_actions"])))
            steps += 1
        return steps

    return whole_games(play, scale)


def pettingzoo_classic(stem: str, scale: Scale) -> Run:
    """One of PettingZoo's classic games, whatever its version, in the loop of `aec_loop`.

    Raises:
        ImportError: if this PettingZoo does not have it, or not what it needs.
    """
    package = importlib.import_module("pettingzoo.classic")
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    found = [name for name in names if name.startswith(f"{stem}_v")]
    if not found:
        raise ImportError(f"this PettingZoo has no {stem}")
    return play_at_random(importlib.import_module(f"pettingzoo.classic.{found[-1]}").env, scale)


def dominoes(scale: Scale) -> Run:
    """The game of the package `dominoes`: double-six, four seats in two teams."""
    library = importlib.import_module("dominoes")

    def play(dice: random.Random) -> int:
        game, steps = library.Game.new(starting_player=0), 0
        while game.result is None:
            game.make_move(*dice.choice(game.valid_moves))
            steps += 1
        return steps

    return whole_games(play, scale)


def pgx_backgammon(scale: Scale) -> Run:
    """Pgx's backgammon, a compiled batch of 1,024 games; steps of games that are over not counted.

    It may use more than one core: JAX decides.
    """
    jax = importlib.import_module("jax")
    env = importlib.import_module("pgx").make("backgammon")
    games, ticks = scale.games(1024), 2 if scale.quick else 16

    def tick(state: Any, key: Any) -> tuple[Any, Any]:
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(key, logits, axis=-1)
        keys = jax.random.split(key, games)
        return jax.vmap(env.step)(state, actions, keys), (~state.terminated).sum()

    start = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games))
    play = jax.jit(lambda state, keys: jax.lax.scan(tick, state, keys)[1].sum())
    keys = jax.random.split(jax.random.PRNGKey(1), ticks)

    def run() -> tuple[int, float]:
        began = clock()
        steps = int(play(start, keys))
        return steps, clock() - began

    return run


MEASUREMENTS: Final = (
    *(
        Measurement(
            f"open_spiel_{name}_compiled",
            _FAST,
            f"OpenSpiel {name}, C++ random rollouts",
            partial(open_spiel_compiled, game),
            package=_OPEN_SPIEL,
        )
        for name, game in (
            ("crazy_eights", "crazy_eights(players=4)"),
            ("hearts", "hearts"),
            ("euchre", "euchre"),
        )
    ),
    Measurement(
        "pgx_backgammon", _FAST, "Pgx backgammon, 1,024 games", pgx_backgammon, package="pgx"
    ),
    *(
        Measurement(
            f"open_spiel_{name}",
            _SLOW,
            f"OpenSpiel {name}, {told}",
            partial(open_spiel_python, game),
            package=_OPEN_SPIEL,
        )
        for name, game, told in (
            ("team_dominoes", "python_team_dominoes", "written in Python"),
            ("crazy_eights", "crazy_eights(players=4)", "written in C++"),
            ("hearts", "hearts", "written in C++"),
            ("euchre", "euchre", "written in C++"),
            ("backgammon", "backgammon", "written in C++"),
        )
    ),
    Measurement("rlcard_uno", _SLOW, "RLCard uno", rlcard_uno, package=_RLCARD),
    *(
        Measurement(
            f"pettingzoo_{stem}",
            _SLOW,
            f"PettingZoo {stem}, agent_iter and a random legal action",
            partial(pettingzoo_classic, stem),
            package=_PETTINGZOO,
        )
        for stem in ("connect_four", "tictactoe", "leduc_holdem", "hanabi")
    ),
    Measurement("dominoes", _SLOW, "the package dominoes", dominoes, package="dominoes"),
)
RATIOS: Final = (
    Ratio(
        "playout_to_crazy_eights",
        "playout to OpenSpiel crazy_eights, C++ random rollouts",
        ["playout"],
        ["open_spiel_crazy_eights_compiled"],
        4.0,
    ),
    Ratio(
        "playout_to_team_dominoes",
        "playout to OpenSpiel team_dominoes, written in Python",
        ["playout"],
        ["open_spiel_team_dominoes"],
        500.0,
    ),
)
