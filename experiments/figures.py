"""All figures of a results file as JSON values; a pure function of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.rules import Rules
from experiments import results, statistics
from experiments.results import Results
from experiments.statistics import Estimate, Pair, control_variates, cycles, ratings, sequential
from experiments.statistics.entries import margins, skill_index
from experiments.tournament import deals

MOST_FAULTS: Final = 0.01  # above this share of forfeited games an agent's figures are invalid


@dataclass(frozen=True)
class _Facts:
    """What several figures are made of.

    Attributes:
        held: the results.
        seed: of all resamples: that of the tournament.
        dealt: its deals.
        margins: (D, E).
        valid: of each entry, whether its faults are few.
    """

    held: Results
    seed: int
    dealt: deals.Deals
    margins: NDArray[np.float64]
    valid: list[bool]


def summary(path: Path) -> dict[str, Any]:
    """The figures of a results file; agents are listed best first, behind them those that cheat.

    Returns:
        JSON values. Intervals of 95 % are in `..._low` and `..._high`, None after a single deal.
        "decisions" are all those that an agent was asked, "simulations_per_decision" and
        "ms_per_decision" means over them, None if there was none; milliseconds are measured and
        differ from run to run. "digest" is that of `Results`.
        "cheats" says that an agent was handed hidden tiles: a yardstick, no competitor. "valid" is
        false if it forfeited more than MOST_FAULTS of its games.
        "rating" is that of `statistics.ratings`, "skill" of `skill_index`, from random play to the
        oracle, None unless both played.
        "..._adjusted" figures are those with luck of the deal taken out, "..._gain" how many times
        fewer deals these need; None below `control_variates.FEWEST` deals.
        "pairs" holds each pair that can be compared once, the agent listed first in front: points a
        game by which it is better, in the games that both sit in ("together") or else against the
        same opponents on the same deals, with its p-value, alone and corrected for the number of
        pairs ("holm"); "significant" judges by the latter.
        "decision" is None unless the tournament was to end when decided; its "llr" is None where
        all deals were alike.

    Raises:
        StoreError: if the file is no results file, or holds no complete deal.
    """
    held = results.load(path)
    meta, tally = held.meta, held.tally
    facts = _facts(held)
    shown = statistics.entries(tally, facts.seed)
    order = sorted(range(len(shown)), key=lambda e: (held.cheats[e], -shown[e].margin.mean))
    rated = ratings.ratings(
        ratings.choices(held.finishes, len(tally.games), len(shown)), facts.seed
    )
    pairs = statistics.pairs(tally, order, facts.seed)
    circles = cycles.cycles(_beats(facts, pairs), len(shown))
    deal_count, per_deal = len(tally.games), held.games // len(tally.games)
    figures = {
        "rules": meta["rules"],
        "seed": meta["seed"],
        "players": tally.players,
        "format": meta.get("format", "free-for-all"),
        "seatings": meta.get("seatings", "rotations"),
        "deals": deal_count,
        "deals_planned": meta["deals"],
        "line_ups": held.line_ups,
        "blocks": deal_count * held.line_ups,
        "games": held.games,
        "rounds": held.rounds,
        "blocked_share": held.blocked_rounds / held.rounds,
        "agents": [_agent(facts, e, shown[e], rated[e]) for e in order],
        "pairs": [_pair(facts, pair) for pair in pairs],
        "seats": [
            {"seat": seat, **interval("margin", found)}
            for seat, found in enumerate(statistics.seats(held.seat_points, per_deal, facts.seed))
        ],
        "cycles": [[held.labels[e] for e in group] for group in circles],
        "decision": _decision(held),
        "distinct_deals": len(np.unique(facts.dealt.same_as)),
        "repeated_games": results.repeated_games(path, facts.dealt.same_as),
        "faults": [
            {"agent": label, "message": message, "count": count}
            for label, message, count in held.messages
        ],
        "versions": {"chickenfoot": meta["chickenfoot"], "numpy": meta["numpy"]},
        "command": meta["command"],
        "digest": held.digest,
        "results": str(path),
    }
    return {**figures, "warnings": warnings(figures)}


def with_alpha_rank(figures: dict[str, Any]) -> dict[str, Any]:
    """A summary with "alpha_rank" for every agent, from the significant differences.

    Raises:
        ValueError: if OpenSpiel is not installed.
    """
    shares = cycles.alpha_rank(payoffs(figures)).tolist()
    ranked = zip(figures["agents"], shares, strict=True)
    return {**figures, "agents": [{**agent, "alpha_rank": share} for agent, share in ranked]}


def interval(name: str, value: Estimate | None, stem: str | None = None) -> dict[str, Any]:
    """A figure and its interval as JSON values; None for all three if there is none."""
    stem = name if stem is None else stem
    low, high = (f"{stem}_{end}" if stem else end for end in ("low", "high"))
    if value is None:
        return {name: None, low: None, high: None}
    return {name: value.mean, low: value.low, high: value.high}


def payoffs(figures: dict[str, Any]) -> NDArray[np.float64]:
    """Points by which the agent of the row beats that of the column; 0 unless significant: (E, E).

    Args:
        figures: a summary; the agents are in its order.
    """
    place = {agent["name"]: i for i, agent in enumerate(figures["agents"])}
    table = np.zeros((len(place), len(place)))
    for pair in figures["pairs"]:
        if pair["significant"]:
            row, column = place[pair["agent"]], place[pair["other"]]
            table[row, column], table[column, row] = pair["difference"], -pair["difference"]
    return table


def warnings(figures: dict[str, Any]) -> list[str]:
    """What whoever reads the figures should know first, a line each."""
    found = [
        f"{agent['name']} forfeited {agent['faults']:,} of its {agent['games']:,} games, more than "
        f"{100 * MOST_FAULTS:g} %: its figures are invalid, and no difference from it counts as "
        "significant"
        for agent in figures["agents"]
        if not agent["valid"]
    ]
    for group in figures["cycles"]:
        found.append(
            f"{', '.join(group)} beat one another in a circle: no order from best to worst tells "
            "the whole truth; look at the pairs"
        )
    if figures["distinct_deals"] < figures["deals"]:
        found.append(
            f"only {figures['distinct_deals']} of {figures['deals']} deals are distinct, and "
            f"{figures['repeated_games']} games repeat another one: intervals are too narrow"
        )
    if figures["format"] == "self-play":
        found += [
            f"{agent['name']} does not tie with its copies: its decisions do not follow from view "
            "and seed alone"
            for agent in figures["agents"]
            if (agent["margin"], agent["margin_low"] or 0.0) != (0.0, 0.0)
        ]
    return found


def _facts(held: Results) -> _Facts:
    tally = held.tally
    rules = held.meta["rules"]
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in rules.items()}
    games = tally.games.sum(axis=(0, 1)).tolist()
    return _Facts(
        held,
        held.meta["seed"],
        deals.of(Rules(**fields), held.meta["seed"], len(tally.games)),
        margins(tally),
        [wrong <= MOST_FAULTS * sat for wrong, sat in zip(held.faults, games, strict=True)],
    )


def _agent(
    facts: _Facts, entry: int, shown: statistics.EntryStatistics, rating: Estimate
) -> dict[str, Any]:
    held, spent = facts.held, facts.held.spent[entry]
    asked = spent.decisions
    return {
        "name": held.labels[entry],
        "cheats": held.cheats[entry],
        "valid": facts.valid[entry],
        "games": shown.games,
        "mean_points": shown.mean_points,
        **interval("margin", shown.margin),
        **interval("win_share", shown.win_share, "win"),
        **interval("rating", rating),
        **interval("skill", _skill(facts, entry)),
        **_adjusted(facts, "margin", facts.margins[:, entry]),
        "faults": held.faults[entry],
        "decisions": asked,
        "simulations_per_decision": spent.simulations / asked if asked else None,
        "ms_per_decision": 1000 * spent.seconds / asked if asked else None,
    }


def _pair(facts: _Facts, pair: Pair) -> dict[str, Any]:
    found = statistics.differences(facts.held.tally, pair.one, pair.other)
    assert found is not None  # a pair is one that met
    return {
        "agent": facts.held.labels[pair.one],
        "other": facts.held.labels[pair.other],
        **interval("difference", pair.difference, ""),
        "together": pair.together,
        "p": pair.p,
        "holm": pair.holm,
        "significant": _counts(facts, pair),
        **_adjusted(facts, "difference", found),
    }


def _counts(facts: _Facts, pair: Pair) -> bool:
    return pair.significant and facts.valid[pair.one] and facts.valid[pair.other]


def _beats(facts: _Facts, pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    return [
        (pair.one, pair.other) if pair.difference.mean > 0 else (pair.other, pair.one)
        for pair in pairs
        if _counts(facts, pair)
    ]


def _skill(facts: _Facts, entry: int) -> Estimate | None:
    """From the first random agent to the first oracle, where both play."""
    names = [label.partition("#")[0].partition(":")[0] for label in facts.held.labels]
    if "random" not in names or "oracle" not in names:
        return None
    low, high = (facts.margins[:, names.index(name)] for name in ("random", "oracle"))
    return skill_index(facts.margins[:, entry], low, high, facts.seed)


def _adjusted(
    facts: _Facts, name: str, observations: NDArray[np.float64]
) -> dict[str, float | None]:
    found = control_variates.adjusted(observations, facts.dealt.centred, facts.seed)
    value = None if found is None else found.value
    return {
        **interval(f"{name}_adjusted", value),
        f"{name}_gain": None if found is None else found.gain,
    }


def _decision(held: Results) -> dict[str, Any] | None:
    until = held.meta.get("until")
    if until is None:
        return None
    bounds = sequential.Bounds(**until["bounds"])
    one, other = (held.labels.index(until[name]) for name in ("one", "other"))
    found = statistics.differences(held.tally, one, other)
    assert found is not None  # the tournament had them meet
    state = sequential.run(bounds, found)
    told = {
        "agent": until["one"],
        "other": until["other"],
        **until["bounds"],
        "accept_low": bounds.accept_low,
        "accept_high": bounds.accept_high,
        "deals": state.deals,
        "llr": state.llr if np.isfinite(state.llr) else None,
        "decision": state.decision,
    }
    return {**told, "verdict": _verdict(told)}


def _verdict(told: dict[str, Any]) -> str:
    """A decision as a sentence."""
    llr = "infinite" if told["llr"] is None else f"{told['llr']:+.2f}"
    reasons = f"LLR {llr}, bounds {told['accept_low']:+.2f} and {told['accept_high']:+.2f}"
    pair, after = f"{told['agent']} beats {told['other']} by", f"after {told['deals']:,} deals"
    low, high = f"{told['low']:g}", f"{told['high']:g}"
    if told["decision"] is None:
        return f"Not decided {after} whether {pair} {low} or {high} points a game: {reasons}."
    right, wrong = (high, low) if told["decision"] == "high" else (low, high)
    return f"Decided {after}: {pair} {right} points a game rather than {wrong}: {reasons}."
