"""Chicken Foot for OpenSpiel: importing this module registers the game `python_chicken_foot`.

    import pyspiel
    import chickenfoot_env.doors.openspiel

    game = pyspiel.load_game("python_chicken_foot(players=3,preset=wikipedia)")
    state = game.new_initial_state()

**Parameters.** `preset` and `players` choose a published rule set, and every field of
`chickenfoot_env.Rules` but `rounds` can be given by its name; "preset" or -1 leaves it as the
preset has it. Booleans are 0 and 1, and target_points=0 is no target. A whole game of ten rounds is
long for most algorithms, so `rounds` is the number of rounds to be played, by default 1, and 0 for
all; `starter` is the pip of the first one's starter, by default the first in the preset's list.

**Chance.** Everything random is a chance node with its true probability: the lot for the lead seat
where the rules draw one (outcome: the seat), the tiles dealt, seat by seat (outcome: the tile's id;
a hand's tiles come in ascending order, so that a deal is one path: see `openspiel_deal`), the seat
that hunts first where that is random, and every tile drawn, uniform over the boneyard. A state
follows from its history; the seed of the core plays no part.

**Actions** are those of the core: `attach * P + free`, DRAW and PASS, the same in every state. DRAW
is followed by the chance node that says which tile it was. The rules are applied by the core's
kernels alone.

**Returns** are the others' mean points less one's own, in pips; they sum to zero.

**Information states** hold the seat's own tiles in the order in which it got them (its hand as
dealt is a set) and all that everybody has seen since the beginning of the game: perfect recall. The
observation is one-hot `player` and the features of `chickenfoot_env.encode`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        "chickenfoot_env.doors.openspiel needs OpenSpiel: pip install 'open_spiel>=1.3'"
    ) from error

from chickenfoot_env import batch, notation
from chickenfoot_env.doors import (
    openspiel_bounds,
    openspiel_core,
    openspiel_deal,
    openspiel_log,
    openspiel_resample,
)
from chickenfoot_env.doors.openspiel_observer import ChickenFootObserver
from chickenfoot_env.doors.openspiel_parameters import PARAMETERS, choose_rules
from chickenfoot_env.game import BONEYARD, GAME, GAME_OVER, PLAYING, rows_of
from chickenfoot_env.jit import records
from chickenfoot_env.rules import MAX_PLAYERS, Rules
from chickenfoot_env.tiles import HIGH, LOW, tile_id

NAME: Final = "python_chicken_foot"
_CHANCE: Final = int(pyspiel.PlayerId.CHANCE)
_TERMINAL: Final = int(pyspiel.PlayerId.TERMINAL)

GAME_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Chicken Foot",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MAX_PLAYERS,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=False,
    parameter_specification=PARAMETERS,
)

LEAD, DEAL, HUNTER, HUNT, DRAW, ACT, OVER = "lead", "deal", "hunter", "hunt", "draw", "act", "over"


class ChickenFootGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no annotations
    """The game under one set of rules.

    Attributes:
        rules: what the parameters ask for.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Choose the rules; see the module for the parameters."""
        given = {name: value for name, value in (params or {}).items() if value != PARAMETERS[name]}
        self.rules = choose_rules(given)
        self._undealt = batch.undealt(self.rules, 1).tobytes()
        lowest, highest = openspiel_bounds.utilities(self.rules)
        rounds = len(self.rules.starters)
        self._most_chance = rounds * openspiel_bounds.chance_in_round(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.actions,
            max_chance_outcomes=self.rules.tiles,  # never fewer than seats
            num_players=self.rules.players,
            min_utility=lowest,
            max_utility=highest,
            utility_sum=0.0,
            max_game_length=rounds * openspiel_bounds.actions_in_round(self.rules),
        )
        super().__init__(GAME_TYPE, info, given)

    def new_initial_state(self) -> ChickenFootState:
        """The state before the first deal."""
        return ChickenFootState(self)

    def max_chance_nodes_in_history(self) -> int:
        """A bound on the chance nodes of one game."""
        return self._most_chance

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> ChickenFootObserver | None:
        """What turns states into observations or, with perfect recall, into information states.

        None, as OpenSpiel wants it, for other than public information with that of one seat.
        """
        if params:
            raise ValueError(f"observation parameters {params}: there are none")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return ChickenFootObserver(self.rules, kind.perfect_recall)


class ChickenFootState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no annotations
    """One game, driven by chance outcomes and actions.

    All attributes are immutable, so that OpenSpiel's copying and pickling of them is cheap.

    Attributes:
        phase: what is next: LEAD, DEAL, HUNTER, HUNT or DRAW by chance, ACT by a seat; or OVER.
        log: all that has happened in the rounds that have been opened, see `openspiel_log`.
    """

    def __init__(self, game: ChickenFootGame) -> None:
        """Only `ChickenFootGame.new_initial_state` should do so."""
        super().__init__(game)
        self._record: bytes = game._undealt  # the GAME record; as of the last round between two
        self.log = b""
        self._dealt = b""  # tile ids of this round: dealt, then drawn in the hunt
        self._player = _CHANCE
        self.phase = DEAL
        self._begin_round(game.rules, 0)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        rules: Rules = self.get_game().rules
        return rules

    def game_record(self) -> NDArray[np.void]:
        """A copy of the core's record, (1,) GAME, hidden tiles included.

        Before a round is opened it is that of the end of the round before.
        """
        return np.frombuffer(bytearray(self._record), GAME)

    # What OpenSpiel asks.

    def current_player(self) -> int:
        """The seat to act, or that it is chance's turn, or that the game is over."""
        return self._player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.phase == OVER

    def returns(self) -> list[float]:
        """The others' mean points less one's own, for each seat; zeros before the end."""
        if self.phase != OVER:
            return [0.0] * int(self.num_players())
        margins: list[float] = batch.margins(self.game_record())[0].tolist()
        return margins

    def _legal_actions(self, player: int) -> list[int]:
        mask = np.zeros(self.rules.actions, np.bool_)
        openspiel_core.write_legal(records(self.game_record()), mask)
        legal: list[int] = np.flatnonzero(mask).tolist()
        return legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node and their probabilities, ascending."""
        rules = self.rules
        if self.phase == DEAL:
            return self._deal_odds(rules)
        if self.phase in (LEAD, HUNTER):
            outcomes = list(range(rules.players))
        elif self.phase == HUNT:
            outcomes = self._unseen(rules)
        elif self.phase == DRAW:
            outcomes = self._boneyard(rules)
        else:
            raise ValueError(
                f"chance_outcomes() where it is seat {self._player}'s turn, or nobody's"
            )
        return [(outcome, 1.0 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        if self.phase == ACT:
            self._apply_play(action)
        elif self.phase == OVER:
            raise ValueError(f"action {action}: the game is over")
        else:
            self._apply_chance(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player >= 0:
            return notation.format_action(action, self.rules)
        if self.phase in (LEAD, HUNTER):
            return f"{self.phase} {action}"
        return f"{self.phase} {notation.format_tile(action)}"

    def __str__(self) -> str:
        if self.phase in (LEAD, DEAL, HUNTER, HUNT):
            dealt = " ".join(map(notation.format_tile, self._dealt))
            position = f"{self.phase.upper()} {dealt}".rstrip()
        else:
            position = notation.format_position(self.game_record()[0])
            if self.phase != ACT:
                position = f"{position} | {self.phase}"
        points = self.game_record()["points"][0, : self.num_players()]
        return f"{position} | points {' '.join(map(str, points))}"

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> ChickenFootState:
        """A state that `player_id` cannot tell from this one; see `openspiel_resample`.

        Args:
            player_id: the seat whose information is kept.
            probability_sampler: gives a number in [0, 1), all that is random about the result.

        Raises:
            ValueError: at a chance node.
        """
        if self.phase == OVER:  # the hands have been shown
            same: ChickenFootState = self.clone()
            return same
        if self.phase != ACT:
            raise ValueError("resample_from_infostate at a chance node: a seat must be to act")
        state: ChickenFootState = self.get_game().new_initial_state()
        history = self.history()
        while state._round() != self._round():
            state.apply_action(history[state.move_number()])
        tiles = openspiel_resample.tiles_in_order(
            state.game_record(), self.game_record(), self.log, player_id, probability_sampler
        )
        for action in history[state.move_number() :]:
            is_tile = state.phase in (DEAL, HUNT, DRAW)
            state.apply_action(next(tiles) if is_tile else action)
        return state

    # Chance nodes.

    def _begin_round(self, rules: Rules, index: int) -> None:
        by_lot = rules.lead_rule == "lot" and index == 0
        self.phase = LEAD if by_lot or rules.lead_rule == "random" else DEAL
        self._player, self._dealt = _CHANCE, b""

    def _round(self) -> int:
        """The index of the round that is played or about to be dealt."""
        return int(self.game_record()["round"][0])

    def _aside(self, rules: Rules) -> list[int]:
        """The starter of this round, where it is taken out before the deal."""
        if rules.starter_source != "set_aside":
            return []
        pip = rules.starters[self._round()]
        return [tile_id(pip, pip)]

    def _unseen(self, rules: Rules) -> list[int]:
        """The tiles that have not been dealt in this round, before it is opened; ascending."""
        aside = self._aside(rules)
        return [
            tile for tile in range(rules.tiles) if tile not in self._dealt and tile not in aside
        ]

    def _boneyard(self, rules: Rules) -> list[int]:
        """The tiles in the boneyard of an open round, ascending."""
        game = self.game_record()[0]
        left = int(game["hand_count"][BONEYARD])
        tiles: list[int] = sorted(game["order"][rules.tiles - left : rules.tiles].tolist())
        return tiles

    def _deal_odds(self, rules: Rules) -> openspiel_deal.Odds:
        wanted: list[int] = []
        if rules.starter_missing == "redeal" and rules.starter_source == "hands":
            mask = np.zeros(rules.pips, np.bool_)
            openspiel_core.wanted_doubles(records(self.game_record()), mask)
            wanted = [tile_id(pip, pip) for pip in np.flatnonzero(mask).tolist()]
        unseen = self._unseen(rules)
        return openspiel_deal.next_tile(self._dealt, unseen, rules.hand_size, rules.players, wanted)

    def _apply_chance(self, outcome: int) -> None:
        rules = self.rules
        if outcome not in [possible for possible, _ in self.chance_outcomes()]:
            raise ValueError(f"outcome {outcome} of the chance node {self}: it cannot come out")
        if self.phase in (LEAD, HUNTER):
            self._apply_lot(outcome)
        elif self.phase == DRAW:
            self._apply_draw(outcome)
        else:
            self._dealt += bytes([outcome])
            if len(self._dealt) >= rules.players * rules.hand_size:
                self._try_to_open(rules)

    def _apply_lot(self, seat: int) -> None:
        games = self.game_record()
        lots = (seat, openspiel_core.ANY) if self.phase == LEAD else (openspiel_core.ANY, seat)
        openspiel_core.set_lots(records(games), *lots)
        self._record = games.tobytes()
        self.phase = DEAL if self.phase == LEAD else HUNT

    def _try_to_open(self, rules: Rules) -> None:
        """Open the round, unless the core draws more tiles for that than chance has given."""
        games = self.game_record()
        order = [*self._aside(rules), *self._dealt, *self._unseen(rules)]
        games["order"][0, : rules.tiles] = order
        points = games["points"].copy()
        openspiel_core.open_round(records(games))
        hunted = len(self._dealt) - rules.players * rules.hand_size
        if games["hunted"][0] > hunted:
            by_lot = rules.hunt_first == "random" and hunted == 0
            self.phase = HUNTER if by_lot else HUNT
            return
        self.log += self._opening(games[0], rules)
        self._go_on(games, points)

    def _opening(self, game: np.void, rules: Rules) -> bytes:
        """The log of a round that has just been opened."""
        entries = []
        finder = int(game["finder"])
        for place, tile in enumerate(self._dealt):
            low, high = int(LOW[tile]), int(HIGH[tile])
            seat, kind = place // rules.hand_size, openspiel_log.DEAL
            if seat >= rules.players:
                owners = rows_of(game["held"])[: rules.players, low] >> high & 1
                seat, kind = int(owners.argmax()) if owners.any() else finder, openspiel_log.HUNT
            entries.append(openspiel_log.event(kind, seat, low, high))
        starter, begins = int(game["starter"]), int(game["seat"])
        entries.append(openspiel_log.event(openspiel_log.OPEN, finder, starter, begins))
        return b"".join(entries)

    def _apply_draw(self, tile: int) -> None:
        games = self.game_record()
        points = games["points"].copy()
        seat = int(games["seat"][0])
        openspiel_core.draw(records(games), tile)
        unknown = self._draw_entry(seat)
        drawn = openspiel_log.event(openspiel_log.DRAW, seat, int(LOW[tile]), int(HIGH[tile]))
        self.log = self.log[: -len(unknown)] + drawn
        self._go_on(games, points)

    # A seat's turn.

    def _apply_play(self, action: int) -> None:
        rules, seat = self.rules, self._player
        games = self.game_record()
        points = games["points"].copy()
        if action == rules.draw and action in self._legal_actions(seat):
            self.log += self._draw_entry(seat)
            self._player, self.phase = _CHANCE, DRAW
            return
        if not openspiel_core.act(records(games), action):
            raise ValueError(notation.explain_illegal(games[0], action))
        if action == rules.pass_:
            self.log += openspiel_log.event(openspiel_log.PASS, seat)
        else:
            halves = divmod(action, rules.pips)
            self.log += openspiel_log.event(openspiel_log.PLAY, seat, *halves)
        self._go_on(games, points)

    def _draw_entry(self, seat: int) -> bytes:
        """The log of a draw whose tile is not yet known."""
        unseen = openspiel_log.UNSEEN
        return openspiel_log.event(openspiel_log.DRAW, seat, unseen, unseen)

    def _go_on(self, games: NDArray[np.void], before: NDArray[np.int32]) -> None:
        """Take over what the core has made of a step; `before`, (1, 12), are the points so far."""
        self._record = games.tobytes()
        over = int(games["over"][0])
        if over == PLAYING:
            self._player, self.phase = int(games["seat"][0]), ACT
            return
        charged = (games["points"] - before)[0]
        for seat in range(int(self.num_players())):
            self.log += openspiel_log.score(seat, int(charged[seat]))
        if over == GAME_OVER:
            self._player, self.phase = _TERMINAL, OVER
        else:
            self._begin_round(self.rules, int(games["round"][0]))


if NAME not in pyspiel.registered_names():
    pyspiel.register_game(GAME_TYPE, ChickenFootGame)
