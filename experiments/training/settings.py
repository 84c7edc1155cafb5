"""What a training run is made of, checked before its first step.

The help of the command line lists the fields, so that importing this module is quick.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from chickenfoot_env.rules import Rules

SCRIPTED: Final = ("heuristic", "greedy", "random")  # members of the pool besides snapshots
MOST: Final = {"value_width": 8192, "games": 2**16, "ticks": 2**16, "worlds": 1000}


def setting(default: Any, meaning: str) -> Any:
    """A field with what help texts say of it."""
    return dataclasses.field(default=default, metadata={"help": meaning})


@dataclass(frozen=True)
class Settings:
    """A run of PPO by self-play.

    The defaults learn fast on one core; docs/training.md tells what larger networks, more passes
    and the pool give.

    Raises:
        ValueError: for a value that is not allowed, in one line.
    """

    players: str = setting(
        "4", 'Seats at a table; "2-7" or "2,4,4" mixes tables, evenly as listed.'
    )
    rules: str = setting("seed", "Preset and changes, as of tournaments: hand_size=6.")
    seed: int = setting(1, "Everything random follows from it.")
    minutes: float = setting(10.0, "Stop after so long, unless --steps is given.")
    steps: int = setting(0, "Stop after so many decisions; 0: by the clock.")
    start: str = setting("", 'File of weights to begin with, or "shipped"; none: from scratch.')
    width: int = setting(32, "Length of a pip's vector in the policy network.")
    rounds: int = setting(1, "How often these vectors look at one another.")
    value_width: int = setting(128, "Units of each hidden layer of the critic.")
    games: int = setting(512, "Games at once.")
    ticks: int = setting(96, "Decisions of each game in an update.")
    batch: int = setting(1024, "Decisions in a gradient step.")
    epochs: int = setting(1, "Passes over the decisions of an update.")
    learning_rate: float = setting(2e-3, "Of Adam at the start; it falls to a hundredth.")
    clip: float = setting(0.2, "How far the ratio of new to old probability counts.")
    entropy: float = setting(0.01, "Weight of the entropy at the start; it falls to 0.")
    trace: float = setting(0.95, "Lambda of the advantages; there is no discount.")
    warm_up: float = setting(0.6, "Share of the run that learns from the heuristic's playouts.")
    worlds: int = setting(1, "Worlds in which each action is tried there.")
    sees_all: bool = setting(True, "Whether the critic sees hidden hands and playouts.")
    horizon: str = setting("round", '"round": for points; "game": to win games of all rounds.')
    pool: float = setting(0.0, "Share of the games against snapshots and scripted agents.")
    snapshots: int = setting(8, "Snapshots that the pool holds at most; the oldest goes.")

    def __post_init__(self) -> None:
        from agents.ppo.policy_file import MAX_ROUNDS, MAX_WIDTH

        for table in self.tables():
            if table.max_pip != self.tables()[0].max_pip:
                raise ValueError("tables of different sets: one network plays one set")
        at_least = {
            **dict.fromkeys(("rounds", "value_width", "games", "ticks", "epochs", "worlds"), 1),
            **dict.fromkeys(("seed", "steps", "snapshots"), 0),
            **dict.fromkeys(("width", "batch"), 2),
        }
        at_most = {"width": MAX_WIDTH, "rounds": MAX_ROUNDS, "seed": 2**32 - 1, **MOST}
        for name, least in at_least.items():
            value, limit = getattr(self, name), at_most.get(name)
            if type(value) is not int or value < least or (limit is not None and value > limit):
                allowed = f"from {least}" if limit is None else f"from {least} to {limit}"
                raise ValueError(f"{name}={value!r}: allowed are whole numbers {allowed}")
        self._check_size()
        if self.steps == 0 and not 0.0 < self.minutes < 1e6:
            raise ValueError(f"minutes={self.minutes:g}: wanted is more than 0, or steps")
        if self.ticks < 2 * max(table.players for table in self.tables()):
            raise ValueError(
                f"ticks={self.ticks}: wanted are twice as many as there are seats, or nobody comes "
                "to a second decision"
            )
        if self.horizon not in ("round", "game"):
            raise ValueError(f"horizon={self.horizon!r}: allowed are 'round' and 'game'")
        for name in ("trace", "warm_up", "pool"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"{name}={value:g}: allowed are 0 to 1")
        for name, most in (("learning_rate", 1.0), ("clip", 1.0), ("entropy", 10.0)):
            value = getattr(self, name)
            if not 0.0 <= value <= most or (value == 0.0 and name != "entropy"):
                raise ValueError(f"{name}={value:g}: allowed is more than 0, up to {most:g}")

    def _check_size(self) -> None:
        """The policy must fit into a file, or it is trained and cannot be read."""
        from agents.ppo.policy_file import MAX_BYTES, fits
        from agents.ppo.shape import Shape

        asked = Shape(self.tables()[0].max_pip, self.width, self.rounds, self.whole_games)
        widths = range(self.width, 1, -1)
        widest = next(w for w in widths if fits(dataclasses.replace(asked, width=w)))
        if widest < self.width:
            raise ValueError(
                f"width={self.width}, rounds={self.rounds}: a file of weights holds {MAX_BYTES:,} "
                f"bytes; allowed with {self.rounds} rounds are widths of 2 to {widest}"
            )

    @property
    def whole_games(self) -> bool:
        """Whether it learns to win games, not to score in single rounds."""
        return self.horizon == "game"

    def tables(self) -> list[Rules]:
        """The rules of the tables that take turns, one an entry of `players`."""
        from chickenfoot_env.rules import MAX_PLAYERS, RulesError
        from experiments.tournament.spec import parse_rules

        seats: list[int] = []
        for part in self.players.split(","):
            first, dash, last = part.partition("-")
            try:
                low, high = int(first), int(last if dash else first)
            except ValueError:
                low, high = 0, 0
            if not 2 <= low <= high <= MAX_PLAYERS:
                raise ValueError(
                    f"players={self.players!r}: allowed are 2 to {MAX_PLAYERS}, a range such as "
                    "2-7, or several of them after commas"
                )
            seats += range(low, high + 1)
        try:
            return [parse_rules(self.rules, players) for players in seats]
        except RulesError as error:
            raise RulesError(f"{error}{self._instead(seats)}") from None

    def _instead(self, seats: list[int]) -> str:
        """What to write where there are not all of these tables; nothing if that is not known."""
        from chickenfoot_env.rules_text import seat_counts
        from chickenfoot_env.tiles import MAX_TILES
        from experiments.tournament.spec import split_rules

        preset, changes = split_rules(self.rules)
        options = []
        if fit := sorted({*seats} & {*seat_counts(preset, changes)}):
            is_range = len(fit) > 2 and fit[-1] - fit[0] == len(fit) - 1
            shown = f"{fit[0]}-{fit[-1]}" if is_range else ",".join(map(str, fit))
            options.append(f"--players {shown}")
        for hand_size in range(MAX_TILES // max(seats), 0, -1):
            if {*seats} <= {*seat_counts(preset, {**changes, "hand_size": hand_size})}:
                kept = [one for one in self.rules.split(",") if "hand_size" not in one]
                options.append(f"--rules {','.join([*kept, f'hand_size={hand_size}'])}")
                break
        return f"; write {' or '.join(options)}" if options else ""

    def command(self) -> str:
        """The command line that makes this run again."""
        words = []
        for field in dataclasses.fields(self):
            value, name = getattr(self, field.name), field.name.replace("_", "-")
            if value == field.default or (field.name == "minutes" and self.steps):
                continue
            if isinstance(value, bool):
                words.append(f"--{name}" if value else f"--no-{name}")
            else:
                words.append(
                    f"--{name} {value:.15g}" if isinstance(value, float) else f"--{name} {value}"
                )
        return " ".join(["chickenfoot train ppo", *words])
