"""What a tournament is: its agents, rules, deals and seed, as values and as text."""

from __future__ import annotations

import itertools
import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from agents.specs import pieces
from chickenfoot_env.rules import Rules, RulesError
from experiments.limits import Limits


class TournamentError(ValueError):
    """A tournament that cannot be played; the message says what would be allowed."""


@dataclass(frozen=True)
class TournamentSpec:
    """All that the results depend on.

    Attributes:
        agents: specs for `agents.make`; an agent that occurs twice is two entries.
        rules: of every game.
        deals: how many deals each line-up plays.
        seed: 0 to 2**64 - 1.
        limits: of the agents that are guarded.

    Raises:
        TournamentError: for fewer than two agents, no deal, or a seed out of range.
    """

    agents: tuple[str, ...]
    rules: Rules
    deals: int
    seed: int
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            only = self.agents[0] if self.agents else "greedy"
            raise TournamentError(
                "a tournament needs at least two agents; to play one against itself, "
                f"repeat it: {only},{only}"
            )
        if self.deals < 1:
            raise TournamentError(f"deals={self.deals}: allowed are whole numbers from 1")
        if not 0 <= self.seed < 2**64:
            raise TournamentError(f"seed={self.seed}: allowed are 0 to 2**64 - 1")

    @property
    def labels(self) -> tuple[str, ...]:
        """One name for each entry: its spec, and "#2", "#3" behind the copies of an agent."""
        seen: Counter[str] = Counter()
        labels = []
        for spec in self.agents:
            seen[spec] += 1
            labels.append(spec if seen[spec] == 1 else f"{spec}#{seen[spec]}")
        return tuple(labels)

    def line_ups(self) -> tuple[tuple[int, ...], ...]:
        """The entries at the table, in any order; every entry has equally many seats in all.

        With more entries than seats, every choice of entries is one line-up. With fewer, they are
        repeated in turn until the table is full; if that favours some, there is one line-up
        starting from each.
        """
        entries, seats = len(self.agents), self.rules.players
        if entries >= seats:
            return tuple(itertools.combinations(range(entries), seats))
        starts = 1 if seats % entries == 0 else entries
        return tuple(tuple((i + s) % entries for s in range(seats)) for i in range(starts))

    @property
    def blocks(self) -> int:
        """How many blocks the tournament has."""
        return self.deals * len(self.line_ups())

    @property
    def games(self) -> int:
        """How many games the tournament has."""
        return self.blocks * self.rules.players

    def command(self) -> str:
        """The command that plays this tournament."""
        words = ["chickenfoot", "tournament", "--agents", ",".join(self.agents)]
        words += ["--players", str(self.rules.players), "--deals", str(self.deals)]
        words += ["--seed", str(self.seed)]
        rules = format_rules(self.rules)
        if rules:
            words += ["--rules", rules]
        return shlex.join([*words, *self.limits.options()])


def parse_agents(text: str) -> tuple[str, ...]:
    """Agent specs from one line: commas part agents, and the options within one agent.

    A piece "name=value" belongs to the agent before it, as in
    "random,flat_mc:worlds=64,rollout=heuristic,greedy", which names three. Commas within double
    quotes part nothing.

    Raises:
        TournamentError: for an empty piece.
        AgentError: for a quote that is not closed.
    """
    specs: list[str] = []
    for piece in pieces(text):
        if not piece.strip():
            raise TournamentError(f"agents {text!r}: wanted are names separated by single commas")
        if specs and ":" in specs[-1] and re.match(r"\s*\w+=", piece):
            specs[-1] += f",{piece.strip()}"
        else:
            specs.append(piece.strip())
    return tuple(specs)


def parse_rules(text: str, players: int) -> Rules:
    """Rules from a line such as "puremco", "max_pip=12,hand_size=7" or "seed,rounds=9/8".

    Raises:
        RulesError: for an unknown preset or field, a value that is not allowed, or a number of
            players that the preset is not for.
    """
    preset, changes = split_rules(text)
    return Rules.preset(preset, players=players, **changes)


def split_rules(text: str) -> tuple[str, dict[str, Any]]:
    """The preset that such a line names, and its changes to single fields.

    Raises:
        RulesError: for a piece that is no change, or a change that is made twice.
    """
    pieces = [piece.strip() for piece in text.split(",")] if text.strip() else []
    preset = pieces.pop(0) if pieces and "=" not in pieces[0] else "seed"
    changes: dict[str, Any] = {}
    for piece in pieces:
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise RulesError(f"rules {text!r}: {piece!r} is not of the form field=value")
        if name == "players":
            raise RulesError(f"rules {text!r}: the number of players has an option of its own")
        if name in changes:
            raise RulesError(f"rules {text!r}: {name} is given twice")
        changes[name] = _rule_value(name, value)
    return preset, changes


def format_rules(rules: Rules) -> str:
    """What `parse_rules` reads, or "" for the preset "seed"; players are left out."""
    changes = rules.differences()
    changes.pop("players", None)
    if not isinstance(rules.rounds, str):
        changes["rounds"] = "/".join(map(str, rules.rounds))
    return ",".join(f"{name}={value}" for name, value in changes.items())


def _rule_value(name: str, value: str) -> Any:
    if name == "rounds" and re.fullmatch(r"\d+(/\d+)*", value):
        return tuple(int(pip) for pip in value.split("/"))
    constants = {"True": True, "False": False, "None": None}
    return int(value) if re.fullmatch(r"-?\d+", value) else constants.get(value, value)
