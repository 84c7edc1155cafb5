"""The OpenSpiel door: games, chance nodes, bounds, information, and OpenSpiel's algorithms."""

from __future__ import annotations

import copy
import math
import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from doors.openspiel_games import (  # noqa: E402  # they need pyspiel
    GAMES,
    TINY,
    all_states,
    load,
    parameters_of,
    random_states,
)
from open_spiel.integration_tests import api_test  # noqa: E402
from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough, ismcts, mcts  # noqa: E402

from chickenfoot_env import batch  # noqa: E402
from chickenfoot_env.doors import openspiel, openspiel_bounds  # noqa: E402
from chickenfoot_env.game import rows_of  # noqa: E402
from chickenfoot_env.presets import PRESETS  # noqa: E402
from chickenfoot_env.rules import Rules, RulesError  # noqa: E402

every_game = pytest.mark.parametrize("parameters", GAMES.values(), ids=GAMES.keys())
HALF_TREES = {  # trees of some hundred nodes
    "three tiles": f"{TINY},hand_size=3,starter_arms=2",
    "set aside": f"{TINY},hand_size=2,starter_source=set_aside,lead_rule=lot,starter_arms=1",
    "redeal": f"{TINY},hand_size=2,starter_missing=redeal,starter_arms=1",
}
every_tree = pytest.mark.parametrize("parameters", HALF_TREES.values(), ids=HALF_TREES.keys())


# The game and its parameters.


def test_the_game_is_registered_under_its_name() -> None:
    assert "python_chicken_foot" in pyspiel.registered_names()
    game = pyspiel.load_game("python_chicken_foot")
    assert game.rules == Rules(rounds=(9,))
    assert game.num_distinct_actions() == 102


def test_parameters_choose_the_rules() -> None:
    game = load("preset=wikipedia,players=3,hand_size=5,starter=4,rounds=2,starter_uses_turn=1")
    wanted = Rules.preset(
        "wikipedia", players=3, hand_size=5, rounds=(4, 3), starter_uses_turn=True
    )
    assert game.rules == wanted
    assert load("preset=mindshare_1999,rounds=0").rules == Rules.preset("mindshare_1999")
    assert load("target_points=100").rules.target_points == 100
    assert load("target_points=0").rules.target_points is None


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("players=40", "players=40: allowed are whole numbers from 2 to 12"),
        ("preset=nobody", "no rules called 'nobody'"),
        ("toes=9", "toes=9: allowed are whole numbers from 1 to 3"),
        ("drawn_tile=maybe", "drawn_tile='maybe': allowed are may, must, no"),
        ("rounds=11", "rounds=11: allowed are 1 to 10, or 0 for all of them"),
        ("starter=10", "starter=10: allowed are 9, 8, 7"),
        ("starter_uses_turn=2", "starter_uses_turn=2: allowed are 0, 1, or -1"),
        ("preset=reference_d6,players=2,starter=3", "starter=3 with starter_rule='highest_held'"),
    ],
)
def test_wrong_parameters_are_refused_in_one_line(parameters: str, message: str) -> None:
    with pytest.raises(RulesError) as caught:
        load(parameters)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_game_says_the_parameters_that_are_not_the_default() -> None:
    game = load("preset=wikipedia,players=3")
    assert str(game) == "python_chicken_foot(players=3,preset=wikipedia)"
    assert str(pyspiel.load_game(str(game))) == str(game)


@every_game
def test_openspiels_simulation_finds_nothing(parameters: str) -> None:
    """Bounds, masks, clones, serialization, observables and zero sums, in random games."""
    pyspiel.random_sim_test(load(parameters), num_sims=1, serialize=True, verbose=False)


def test_openspiels_api_properties_hold(capfd: pytest.CaptureFixture[str]) -> None:
    """Those that OpenSpiel asks of every game, in states of many random games."""

    class Properties(api_test.EnforceAPIOnPartialTreeBase):  # type: ignore[misc]
        game_name = "python_chicken_foot"
        game = load("players=3")

    suite = api_test.unittest.defaultTestLoader.loadTestsFromTestCase(Properties)
    result = api_test.unittest.TestResult()
    suite.run(result)
    assert result.testsRun >= 3
    assert not result.failures and not result.errors
    assert "OpenSpiel exception" in capfd.readouterr().err  # it tries seats that there are not


# Chance.


@every_tree
def test_all_deals_are_equally_likely_and_each_is_one_path(parameters: str) -> None:
    """Or, under redeal, all deals in which somebody holds the starter."""
    game = load(parameters)
    rules = game.rules
    deals: dict[tuple[int, ...], float] = {}

    def follow(state: Any, odds: float) -> None:
        if state.phase not in (openspiel.DEAL, openspiel.LEAD):
            dealt = tuple(action for action in state.history()[-rules.players * rules.hand_size :])
            deals[dealt] = deals.get(dealt, 0) + odds
            return
        for outcome, chance in state.chance_outcomes():
            follow(state.child(outcome), odds * chance)

    follow(game.new_initial_state(), 1.0)
    left = rules.tiles - (rules.starter_source == "set_aside")
    size, starter = rules.hand_size, rules.tiles - 1
    count = math.comb(left, size) * math.comb(left - size, size)
    if rules.starter_missing == "redeal":
        count -= math.comb(left - 1, size) * math.comb(left - 1 - size, size)
        assert all(starter in dealt for dealt in deals)
    assert len(deals) == count
    for dealt, odds in deals.items():
        hands = (dealt[:size], dealt[size:])
        assert all(tuple(sorted({*hand})) == hand for hand in hands)
        assert odds == pytest.approx(1 / count)


@pytest.mark.parametrize("rule", ["descending", "highest_held", "highest_unplayed_held"])
def test_a_redeal_leaves_the_law_of_the_deals_that_are_kept(rule: str) -> None:
    """Compared with deals of the core, which shuffles again: how often each tile is in a hand."""
    tiny = "max_pip=3,players=2,hand_size=2,starter_arms=2,toes=1"
    game = load(f"{tiny},starter_missing=redeal,starter_rule={rule}")
    tiles, hands = game.rules.tiles, 4
    games = batch.deal(game.rules, np.arange(20_000, dtype=np.uint64))
    expected = np.bincount(games["order"][:, :hands].ravel(), minlength=tiles)[:tiles] / 20_000
    found: Counter[int] = Counter()
    chance = random.Random(0)
    for _ in range(2000):
        for state in random_states(game, chance):
            if state.phase != openspiel.DEAL:
                found.update(state.history()[:hands])
                break
    for tile in range(tiles):
        assert found[tile] / 2000 == pytest.approx(expected[tile], abs=0.05)


@every_game
def test_chance_outcomes_have_the_probabilities_of_their_law(parameters: str) -> None:
    """They are sorted, sum to one, and are all alike but for tiles of a hand."""
    chance = random.Random(1)
    seen = set()
    for _ in range(3):
        for state in random_states(load(parameters), chance):
            if state.is_chance_node():
                outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                assert list(outcomes) == sorted({*outcomes}) == state.legal_actions()
                assert sum(odds) == pytest.approx(1) and min(odds) > 0
                if state.phase != openspiel.DEAL:
                    assert max(odds) == min(odds)
                seen.add(state.phase)
    assert openspiel.DEAL in seen


def test_a_draw_is_any_tile_that_nobody_holds() -> None:
    for state in random_states(load("players=3"), random.Random(2)):
        if state.phase == openspiel.DRAW:
            game = state.game_record()[0]
            owned = rows_of(game["held"])[:3].sum(axis=0) | rows_of(game["laid"])
            free = [
                high * (high + 1) // 2 + low
                for high in range(10)
                for low in range(high + 1)
                if not owned[low] >> high & 1
            ]
            assert [tile for tile, _ in state.chance_outcomes()] == free


@pytest.mark.parametrize("parameters", ["", "players=2,hunt_first=random", "preset=gamerules"])
def test_what_cannot_happen_is_refused_and_changes_nothing(parameters: str) -> None:
    """Actions and outcomes that are not legal, in every phase."""
    phases = set()
    for state in random_states(load(parameters), random.Random(3)):
        before = str(state), state.history()
        allowed = state.legal_actions()
        for action in {*range(-1, 104)} - {*allowed}:
            with pytest.raises((ValueError, pyspiel.SpielError)):
                state.apply_action(action)
        assert (str(state), state.history()) == before
        phases.add(state.phase)
        if len(state.history()) > 60:
            break
    assert {openspiel.DEAL, openspiel.ACT, openspiel.DRAW} <= phases


# Bounds.


def test_no_random_game_of_any_preset_leaves_the_bounds() -> None:
    """Length and utilities, in games of the core; the door's own are checked by the simulation."""
    longest: dict[str, float] = {}
    for name in PRESETS:
        for players in (2, 3, 4, 8):
            try:
                rules = Rules.preset(name, players=players)
            except RulesError:
                continue
            rules = Rules.preset(name, players=players, rounds=rules.starters[:2])
            games = batch.deal(rules, np.arange(100, dtype=np.uint64))
            steps = batch.random_playout(games, np.arange(100, dtype=np.uint64))
            limit = 2 * openspiel_bounds.actions_in_round(rules)
            low, high = openspiel_bounds.utilities(rules)
            margins = batch.margins(games)
            assert steps.max() <= limit
            assert low <= margins.min() and margins.max() <= high
            longest[name] = max(longest.get(name, 0), steps.max() / limit)
    assert len(longest) == len(PRESETS)
    assert max(longest.values()) > 0.4  # and the bound says something


def test_the_longest_line_of_a_small_tree_keeps_the_bound() -> None:
    """In every line, not only in random ones."""
    for parameters in HALF_TREES.values():
        game = load(parameters)
        for state in all_states(game.new_initial_state()):
            entries = state.full_history()
            by_chance = sum(entry.player == pyspiel.PlayerId.CHANCE for entry in entries)
            assert by_chance <= game.max_chance_nodes_in_history()
            assert len(entries) - by_chance <= game.max_game_length()
            if state.is_terminal():
                assert game.min_utility() <= min(state.returns())
                assert max(state.returns()) <= game.max_utility()


# What a seat knows.


@every_game
def test_information_as_text_and_as_numbers_tell_the_same(parameters: str) -> None:
    """Two states have the same text if and only if they have the same tensor."""
    game, chance = load(parameters), random.Random(4)
    texts = defaultdict(set)
    tensors = defaultdict(set)
    for _ in range(2):
        for number, state in enumerate(random_states(game, chance)):
            if state.is_chance_node() or (number % 5 and number > 60):
                continue
            for seat in {0, state.num_players() - 1}:
                text = state.information_state_string(seat)
                tensor = np.array(state.information_state_tensor(seat), np.float32).tobytes()
                texts[text].add(tensor)
                tensors[tensor].add(text)
    assert all(len(same) == 1 for same in (*texts.values(), *tensors.values()))
    assert len(texts) > 5


@every_tree
def test_recall_is_perfect_and_text_and_numbers_agree_in_a_whole_tree(parameters: str) -> None:
    """By OpenSpiel's own walk through every history."""
    game = load(parameters)
    assert len(api_test._assert_is_perfect_recall(game)) > 50
    texts = defaultdict(set)
    tensors = defaultdict(set)
    legal = defaultdict(set)
    for state in all_states(game.new_initial_state()):
        if state.is_chance_node():
            continue
        for seat in range(2):
            text = state.information_state_string(seat)
            tensor = tuple(state.information_state_tensor(seat))
            texts[text].add(tensor)
            tensors[tensor].add(text)
            legal[text].add(tuple(state.legal_actions(seat)))
    assert all(len(same) == 1 for each in (texts, tensors, legal) for same in each.values())


def test_information_names_no_tile_that_others_hold() -> None:
    """What is hidden from a seat is not in its text, though it is in the other's."""
    for state in random_states(load("players=2"), random.Random(5)):
        if state.phase != openspiel.ACT:
            continue
        game = state.game_record()[0]
        text = state.information_state_string(0).replace("@", " ").split()
        hand = rows_of(game["held"][1])
        for high in range(10):
            for low in range(high + 1):
                if hand[low] >> high & 1:
                    assert f"{low}-{high}" not in text
                    assert f"{low}-{high}" in state.information_state_string(1).split()


def test_a_pending_draw_is_known_to_all_and_its_tile_to_one() -> None:
    for state in random_states(load("players=2"), random.Random(6)):
        if state.phase == openspiel.DRAW:
            seat = state.full_history()[-1].player
            assert state.information_state_string(1 - seat).endswith(f"| {seat} draws")
            tile = state.legal_actions()[0]
            after = state.child(tile)
            name = state.action_to_string(pyspiel.PlayerId.CHANCE, tile).split()[1]
            assert f"| {seat} draws {name}" in after.information_state_string(seat)
            assert f"| {seat} draws {name}" not in after.information_state_string(1 - seat)
            break
    else:
        pytest.fail("nobody drew")


def test_observations_are_the_features_of_the_core() -> None:
    from chickenfoot_env import encode, view

    game = load("players=3,rounds=2")
    observer = game.make_py_observer()
    for state in random_states(game, random.Random(7)):
        if not state.is_chance_node():
            for seat in range(3):
                observer.set_from(state, seat)
                seen = view.observe(state.game_record(), np.array([seat]))
                assert (observer.dict["features"] == encode.features(seen)[0]).all()
                assert observer.dict["player"].tolist() == np.eye(3)[seat].tolist()
                flat = state.observation_tensor(seat)
                assert (np.array(flat, np.float32) == observer.tensor).all()
                assert f"p{seat} " in state.observation_string(seat)


def test_kinds_of_observation_that_there_are_not() -> None:
    """OpenSpiel's protocol for them is None."""
    game = load("")
    everything = pyspiel.PrivateInfoType.ALL_PLAYERS
    kind = pyspiel.IIGObservationType(perfect_recall=True, private_info=everything)
    assert game.make_py_observer(kind) is None
    with pytest.raises(ValueError, match="there are none"):
        game.make_py_observer(None, {"size": 3})


# Copies.


@pytest.mark.parametrize("parameters", ["", "preset=wikipedia,players=2,rounds=2"])
def test_copies_of_a_state_go_their_own_ways(parameters: str) -> None:
    """Clone, deep copy and serialization, in every phase."""
    game, chance = load(parameters), random.Random(8)
    for state in random_states(game, chance):
        if state.is_terminal() or chance.random() < 0.7:
            continue
        text = pyspiel.serialize_game_and_state(game, state)
        restored_game, restored = pyspiel.deserialize_game_and_state(text)
        assert str(restored_game) == str(game)
        before = str(state), state.history()
        for twin in (state.clone(), copy.deepcopy(state), restored):
            assert isinstance(twin, openspiel.ChickenFootState)
            assert (str(twin), twin.history()) == before
            assert twin.legal_actions() == state.legal_actions()
            seat = max(0, state.current_player())
            assert twin.information_state_string(seat) == state.information_state_string(seat)
            twin.apply_action(twin.legal_actions()[-1])
            assert (str(state), state.history()) == before


# OpenSpiel's algorithms.


def test_the_code_of_the_page_on_doors_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The blocks under OpenSpiel, in order."""
    page = (Path(__file__).parents[2] / "docs" / "doors.md").read_text(encoding="utf-8")
    section = page.partition("\n## OpenSpiel\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "docs/doors.md", "exec"), names)
    assert sum(names["state"].returns()) == pytest.approx(0)
    assert capsys.readouterr().out.endswith(" pips a round\n")
    assert f"({load('').information_state_tensor_size():,} numbers" in page.replace("\n", " ")


def test_openspiel_prints_a_playthrough() -> None:
    """Its own report of one game, with every view of every state."""
    told = generate_playthrough.playthrough(
        f"{openspiel.NAME}({TINY},hand_size=2,starter_arms=1)", None, 3
    )
    assert 'InformationStateString(0) = "p0' in told
    assert "IsTerminal() = True" in told


@pytest.mark.parametrize("parameters", ["players=3", "preset=wikipedia,players=2"])
@pytest.mark.parametrize("search", ["MCTS", "IS-MCTS"])
def test_openspiels_searches_play(parameters: str, search: str) -> None:
    """A few decisions with few simulations; every action they choose is legal."""
    game, rng = load(parameters), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    if search == "MCTS":
        bot = mcts.MCTSBot(game, 50.0, 8, evaluator, random_state=rng)
    else:
        bot = ismcts.ISMCTSBot(game, evaluator, 50.0, 8, random_state=rng)
    searched = 0
    for state in random_states(game, random.Random(9)):
        if state.phase == openspiel.ACT and len(state.legal_actions()) > 1:
            assert bot.step(state.clone()) in state.legal_actions()
            searched += 1
            if searched == 6:
                break
    assert searched == 6


def test_cfr_learns_a_tiny_game() -> None:
    """Double-two, two seats with three tiles: exploitability falls to a tenth in ten iterations."""
    game = load(f"{TINY},hand_size=3,starter_arms=2")
    solver = cfr.CFRSolver(game)
    before = exploitability.exploitability(game, solver.average_policy())
    for _ in range(10):
        solver.evaluate_and_update_policy()
    after = exploitability.exploitability(game, solver.average_policy())
    assert 0 <= after < before / 5
    assert before > 1  # pips: there is something to learn


def test_random_rules_are_simulated_by_openspiel() -> None:
    """Rules with every field random, as the core's own tests make them."""
    from core.tables import some_rules

    chance = random.Random(10)
    for max_pip in (2, 3, 4, 6, 9):
        for players in (2, 3, 5):
            rules = some_rules(chance, max_pip, players)
            game = load(parameters_of(rules, 1 + (max_pip < 6)))
            pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)
