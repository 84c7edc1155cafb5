"""Deals dealt anew: the features' exact means, and deals that came twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chickenfoot_env import batch
from chickenfoot_env.game import rows_of
from chickenfoot_env.rules import Rules
from experiments import figures
from experiments.tournament import deals
from experiments.tournament.runner import run
from experiments.tournament.spec import TournamentSpec

ASIDE = Rules(
    players=3, max_pip=5, hand_size=4, rounds=(5, 0), starter_source="set_aside", lead_rule="lot"
)
TWO = Rules(players=4, max_pip=6, hand_size=4, rounds=(6, 5), blank_half_points=7)


@pytest.mark.parametrize(
    "rules", [TWO, ASIDE, Rules(players=2, max_pip=3, hand_size=2, starter_arms=2, toes=1)]
)
def test_centred_features_have_a_mean_of_zero(rules: Rules) -> None:
    """Within four standard errors, over 20,000 deals."""
    centred = deals.of(rules, 1, 20_000).centred
    error = centred.std(axis=0) / 20_000**0.5
    assert (np.abs(centred.mean(axis=0)) < 4 * error).all()
    assert (error > 0).all()


def test_a_wrong_mean_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the spread, without the correction for a finite population."""
    right = deals.mean(TWO, 0)
    wrong = right * [1, 1, (28 - 1) / 28]
    centred = deals.of(TWO, 1, 20_000).centred + 2 * (right - wrong)
    assert abs(centred[:, 2].mean()) > 4 * centred[:, 2].std() / 20_000**0.5


def test_features_are_those_of_the_hands_that_were_dealt() -> None:
    """Against the hands of games of one round, with the starter put back; points by R18."""
    rules = Rules(players=3, max_pip=4, hand_size=3, rounds=(4,), starter_missing="redeal")
    free = Rules(players=3, max_pip=4, hand_size=3, rounds=(4,))
    games = batch.deal(free, deals.seeds(3, np.arange(50)))
    found = deals.of(free, 3, 50).centred + deals.mean(free, 0)
    for game, row in zip(games, found, strict=True):
        if game["hunted"]:
            continue
        hands = [
            [(a, b) for a in range(5) for b in range(a, 5) if rows[a] >> b & 1]
            for rows in rows_of(game["held"])[:3]
        ]
        hands[int(game["finder"])].append((4, 4))
        points = [sum(50 if tile == (0, 0) else sum(tile) for tile in hand) for hand in hands]
        doubles = sum(a == b for hand in hands for a, b in hand)
        spread = sum((own - sum(points) / 3) ** 2 for own in points)
        np.testing.assert_allclose(row, [sum(points), doubles, spread])
    assert deals.of(rules, 3, 50).centred.shape == (50, 0)


def test_deals_of_a_tournament_are_distinct() -> None:
    assert deals.of(Rules(rounds=(9,)), 5, 5000).same_as.tolist() == [*range(5000)]


def test_a_set_with_few_deals_repeats_them() -> None:
    """Double-two has six tiles: 720 orders."""
    same_as = deals.of(
        Rules(players=2, max_pip=2, hand_size=2, rounds=(2,), starter_arms=1, toes=1), 1, 3000
    ).same_as
    originals = np.unique(same_as)
    assert 650 < len(originals) <= 720
    assert (same_as[originals] == originals).all() and (same_as <= np.arange(3000)).all()


def test_one_deal_over_and_over_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two agents that decide by the view alone then play the same games again and again."""
    real = deals.seeds
    same: Any = lambda seed, numbers: real(seed, 0 * numbers)  # noqa: E731
    monkeypatch.setattr(deals, "seeds", same)
    rules = Rules(players=2, max_pip=4, hand_size=3, rounds=(4,))
    run(TournamentSpec(("greedy", "heuristic"), rules, 12, 1), tmp_path / "r")
    found = figures.summary(tmp_path / "r")
    assert (found["distinct_deals"], found["repeated_games"]) == (1, 2 * 11)
    (warning,) = [text for text in found["warnings"] if "distinct" in text]
    assert "only 1 of 12 deals are distinct, and 22 games repeat another one" in warning


def test_distinct_deals_are_no_repeated_games(tmp_path: Path) -> None:
    """Not even where copies play the same game in all rotations of one deal."""
    rules = Rules(players=2, max_pip=4, hand_size=3, rounds=(4,))
    run(TournamentSpec(("greedy", "greedy"), rules, 12, 1), tmp_path / "r")
    found = figures.summary(tmp_path / "r")
    assert (found["distinct_deals"], found["repeated_games"], found["warnings"]) == (12, 0, [])
