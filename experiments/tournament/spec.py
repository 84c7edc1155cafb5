"""What a tournament is: its agents, rules, deals and seed, as values and as text."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from agents.specs import pieces
from chickenfoot_env.rules import Rules, RulesError
from experiments.isolation.limits import Limits
from experiments.statistics.sequential import Bounds
from experiments.tournament import formats


class TournamentError(ValueError):
    """A tournament that cannot be played; the message says what would be allowed."""


@dataclass(frozen=True)
class Until:
    """A tournament that ends as soon as it is decided which of two entries is better.

    Attributes:
        one: label of an entry.
        other: label of another one.
        bounds: of the points a game by which `one` beats `other`, see `statistics.differences`.
    """

    one: str
    other: str
    bounds: Bounds


@dataclass(frozen=True)
class TournamentSpec:
    """All that the results depend on.

    Attributes:
        agents: specs for `agents.make`; an agent that occurs twice is two entries.
        rules: of every game.
        deals: how many deals each line-up plays.
        seed: 0 to 2**64 - 1.
        format: who meets whom, a name of `formats.FORMATS`; for "self-play" every agent is listed
            as often as there are seats.
        seatings: a block is a deal under all "rotations" of a line-up, in an order that is drawn
            for the deal, or under all its "permutations", where they are few.
        until: what ends it before all deals are played, if anything does.
        limits: of the agents that are guarded.

    Raises:
        TournamentError: for fewer than two agents, no deal, a seed out of range, a format that does
            not exist or fit, too many permutations, or entries to decide between that never meet.
    """

    agents: tuple[str, ...]
    rules: Rules
    deals: int
    seed: int
    format: str = "free-for-all"
    seatings: str = "rotations"
    until: Until | None = None
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
        self._check_format()
        if self.until is not None:
            self._check_until(self.until)

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
        """Who meets whom: the entries at each table, in any order."""
        return tuple(formats.FORMATS[self.format](len(self.agents), self.rules.players))

    @property
    def games_per_block(self) -> int:
        """How many seatings of a line-up a block has; the same for all line-ups."""
        if self.seatings == "rotations":
            return self.rules.players
        return len(formats.permutations(self.line_ups()[0]))

    @property
    def blocks(self) -> int:
        """How many blocks the tournament has."""
        return self.deals * len(self.line_ups())

    @property
    def games(self) -> int:
        """How many games the tournament has."""
        return self.blocks * self.games_per_block

    def command(self) -> str:
        """The command that plays this tournament."""
        listed = dict.fromkeys(self.agents) if self.format == "self-play" else self.agents
        words = ["chickenfoot", "tournament", "--agents", ",".join(listed)]
        words += ["--players", str(self.rules.players), "--deals", str(self.deals)]
        words += ["--seed", str(self.seed)]
        if rules := format_rules(self.rules):
            words += ["--rules", rules]
        for name in ("format", "seatings"):
            if getattr(self, name) != getattr(type(self), name):
                words += [f"--{name}", getattr(self, name)]
        if self.until is not None:
            bounds = self.until.bounds
            words += ["--until-decided", f"{self.until.one},{self.until.other}"]
            words += ["--margin-bounds", f"{bounds.low:g},{bounds.high:g}"]
            words += ["--alpha", f"{bounds.alpha:g}", "--beta", f"{bounds.beta:g}"]
            words += ["--fewest-deals", str(bounds.fewest)]
        return shlex.join([*words, *self.limits.options()])

    def design(self) -> dict[str, Any]:
        """How the agents meet, when it ends and what they may take, as JSON values by name."""
        return {
            "format": self.format,
            "seatings": self.seatings,
            "until": None if self.until is None else dataclasses.asdict(self.until),
            "limits": dataclasses.asdict(self.limits),
        }

    def _check_format(self) -> None:
        if self.format not in formats.FORMATS:
            raise TournamentError(
                f"format={self.format!r}: allowed are {', '.join(formats.FORMATS)}"
            )
        seats = self.rules.players
        wrong = {spec for spec, count in Counter(self.agents).items() if count != seats}
        if self.format == "self-play" and (wrong or self.agents != by_agent(self.agents)):
            raise TournamentError(
                f"format='self-play': every agent is listed {seats} times, once for each seat"
            )
        if self.seatings not in formats.SEATINGS:
            raise TournamentError(
                f"seatings={self.seatings!r}: allowed are {', '.join(formats.SEATINGS)}"
            )
        most = formats.MOST_PERMUTATIONS
        if self.seatings == "permutations" and (seats > 8 or self.games_per_block > most):
            raise TournamentError(
                f"seatings='permutations' with {seats} seats: more than {most} games a block; "
                "allowed is rotations"
            )

    def _check_until(self, until: Until) -> None:
        places = []
        for label in (until.one, until.other):
            if label not in self.labels:
                raise TournamentError(
                    f"until-decided names {label!r}: allowed are {', '.join(self.labels)}"
                )
            places.append(self.labels.index(label))
        if places[0] == places[1] or not formats.comparable(places[0], places[1], self.line_ups()):
            raise TournamentError(
                f"until-decided {until.one},{until.other}: wanted are two agents that meet, "
                "or that face the same opponents"
            )
        if self.deals < until.bounds.fewest:
            raise TournamentError(
                f"deals={self.deals} with until-decided: nothing is decided before "
                f"{until.bounds.fewest} deals; allow more deals, or decide from fewer on"
            )


def by_agent(agents: tuple[str, ...]) -> tuple[str, ...]:
    """The same agents with the copies of each side by side."""
    return tuple(spec for spec, count in Counter(agents).items() for _ in range(count))


def copies(agents: tuple[str, ...], seats: int) -> tuple[str, ...]:
    """Each of the agents as often as there are seats, as the format "self-play" has them."""
    return tuple(spec for spec in dict.fromkeys(agents) for _ in range(seats))


def parse_pair(text: str) -> tuple[str, str]:
    """Two labels from one line, as in `parse_agents`.

    Raises:
        TournamentError: if they are not two.
    """
    labels = parse_agents(text)
    if len(labels) != 2:
        raise TournamentError(f"until-decided {text!r}: wanted are two agents, one,other")
    return labels[0], labels[1]


def parse_bounds(text: str, alpha: float, beta: float, fewest: int) -> Bounds:
    """The bounds of a sequential test from a line such as "0,2".

    Raises:
        TournamentError: if they are not two numbers.
        ValueError: if no test can have them.
    """
    try:
        low, high = (float(number) for number in text.split(","))
    except ValueError:
        raise TournamentError(
            f"margin-bounds {text!r}: wanted are two numbers, the smaller first, such as 0,2"
        ) from None
    return Bounds(low, high, alpha, beta, fewest)


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
