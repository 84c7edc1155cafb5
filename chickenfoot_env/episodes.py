"""Many episodes at once: dealt, played to the next decision of a learning seat, and paid for.

The vector environments keep their own books around this one. B games, N seats of the largest table
among them, F features, A actions. A game waits for a learning seat, or its episode is over; all
that needs no such seat is played on the way: forced actions, and everything of the opponents.
Row i depends on row i of the arguments alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, books, chance, encode, kernels, rewards
from chickenfoot_env import view as views
from chickenfoot_env.bits import has_bit, row_of
from chickenfoot_env.books import BOOK, NO_ACTION, NOBODY
from chickenfoot_env.episode_seeds import GivenSeed, seeds_of_games
from chickenfoot_env.game import BONEYARD, GAME, GAME_OVER, RULE_FIELDS, check_records, problems
from chickenfoot_env.jit import compiled, records, whole
from chickenfoot_env.opponents import FIRST_AGENT, LEARNER, Opponents
from chickenfoot_env.prefetch import AHEAD, fetch_game, fetch_hand
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import HIGH, LOW, MAX_TILES

MOST_SKIPPED: Final = 10_000  # episodes in a row without a decision; rules with more have none


class Episodes:
    """B games with their books.

    Attributes:
        games: (B,) GAME.
        books: (B,) BOOK.
        rules: those of each game, B of them.
        seats: N.
    """

    def __init__(
        self,
        rules: Sequence[Rules],
        opponents: Opponents,
        learners: NDArray[np.int64],
        *,
        episode: str,
        reward: str,
        play_forced: bool,
        hold_first: bool,
        note_plays: bool = False,
    ) -> None:
        """Make the books; nothing is dealt.

        Args:
            rules: of each game, B of them; of one max_pip.
            opponents: who plays the seats that do not learn.
            learners: (B,) int64, the seat that learns, or EVERY_SEAT, ROTATING or RANDOM_SEAT.
            episode: "game" or "round".
            reward: "points" or "win".
            play_forced: whether forced actions of learning seats are played for them.
            hold_first: whether what a seat earns before its first decision is held back until its
                second one.
            note_plays: whether `plays` is to be asked.
        """
        self.rules = tuple(rules)
        self.games = np.zeros(len(rules), GAME)
        self.books = np.zeros(len(rules), BOOK)
        self.seats = max(each.players for each in rules)
        self.max_pip = rules[0].max_pip
        self._opponents, self._learners = opponents, learners
        self._reward, self._one_round = reward, episode == "round"
        self._plays = np.zeros((len(rules), MAX_TILES), np.int16) if note_plays else None
        self._modes = (play_forced, reward == "win", hold_first, self._plays)
        kinds = {each: index for index, each in enumerate(dict.fromkeys(rules))}
        self._kind = np.array([kinds[each] for each in rules], np.int64)
        self._is_seeded = np.zeros(len(rules), np.bool_)
        self._blanks = np.concatenate([batch.undealt(each, 1) for each in kinds])

    def seed(self, given: GivenSeed, rows: NDArray[np.bool_]) -> None:
        """Let the next episodes of these rows, (B,) bool, follow from the seeds given.

        Raises:
            ValueError: for seeds that are not allowed, see `seeds_of_games`.
        """
        seeds, is_given = seeds_of_games(given, self._is_seeded)
        is_given &= rows
        self.books["given"][is_given] = seeds[is_given]
        self.books["number"][is_given] = -1
        self._is_seeded |= is_given

    def restore(self, state: Mapping[str, NDArray[np.void]]) -> None:
        """Put copies of `games` and `books` in place of those that are here.

        Raises:
            ValueError: if they are not of as many games under the same rules, or cannot be played.
        """
        saved = check_records(state["games"], GAME, "games")
        entries = check_records(state["books"], BOOK, "books")
        if not len(saved) == len(entries) == len(self.games):
            raise ValueError(f"a state of {len(saved)} games: wanted are {len(self.games)}")
        blanks = self._blanks[self._kind]
        for name, _ in RULE_FIELDS:
            if name != "rounds" and (saved[name] != blanks[name]).any():
                raise ValueError(f"a state under other rules: {name} differs")
        for row, each in enumerate(saved):
            if found := problems(each):
                raise ValueError(f"game {row} of the state cannot be: {found[0]}")
        if (entries["waits_for"] != LEARNER).any():
            raise ValueError("a state in which a game does not wait for a learning seat")
        self.games[:], self.books[:] = saved, entries
        self._is_seeded[:] = True

    def deal(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Begin new episodes, and play up to their first decisions.

        An episode in which no learning seat comes to a decision is skipped.

        Returns:
            (len(rows),) int64, the episodes skipped in each row.

        Raises:
            RuntimeError: if there are too many of them.
        """
        skipped = np.zeros(len(self.games), np.int64)
        left = rows
        for _ in range(MOST_SKIPPED):
            books.begin(
                records(self.games),
                records(self.books),
                left,
                records(self._blanks),
                self._kind,
                self._learners,
                self._opponents.line,
                self._one_round,
            )
            self.advance(left, np.full(len(left), NO_ACTION))
            left = left[self.books["waits_for"][left] == NOBODY]
            if len(left) == 0:
                return skipped[rows]
            skipped[left] += 1
        raise RuntimeError(
            f"game {left[0]}: no decision in {MOST_SKIPPED} episodes in a row; with these rules "
            "there may be none, and play_forced=False shows the forced ones"
        )

    def advance(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Take legal actions, and play on to the next decision of a learning seat or the end.

        Args:
            rows: the games, ascending.
            actions: (len(rows),) int64, one for each of them, or NO_ACTION.
        """
        while self._advance(rows, actions):
            rows = np.flatnonzero(self.books["waits_for"] >= FIRST_AGENT)
            book = self.books[rows]
            seeds = chance.derive(book["stream"].copy(), book["cycles"])
            actions = self._opponents.answers(self.games[rows], book["waits_for"], seeds)

    def _advance(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
        """As `books.advance`."""
        return books.advance(records(self.games), records(self.books), rows, actions, *self._modes)

    def illegal(self, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these actions, (B,) int64, are not legal: (B,) bool."""
        wrong = np.zeros(len(self.games), np.bool_)
        _find_illegal(records(self.games), actions, wrong)
        return wrong

    def due(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """What each seat has earned since its last decision, or since the deal if it had none.

        Args:
            rows: games that are over, or that end as they stand.

        Returns:
            (len(rows), N) float64.
        """
        if self._reward == "win" or (self.games["over"][rows] != GAME_OVER).any():
            result = rewards.so_far(self.games[rows], self._reward)
            self.books["due"][rows, : result.shape[1]] = result
            self.books["due"][rows] -= self.books["paid"][rows]
        return self.books["due"][rows, : self.seats]

    def plays(self, row: int) -> list[tuple[int, int]]:
        """(attach, free) of a round's plays in the order they were made, the starter's first.

        Raises:
            ValueError: if they were not noted.
        """
        if self._plays is None:
            raise ValueError("no plays were noted for a picture: give render_mode when making env")
        game, rules = self.games[row], self.rules[row]
        laid = rules.tiles - int(game["hand_count"].sum())
        starter = int(game["starter"])
        made = self._plays[row, : laid - 1].tolist()
        return [(starter, starter), *(divmod(action, rules.pips) for action in made)]

    def observe(
        self,
        seats: NDArray[np.int64],
        done: NDArray[np.bool_],
        features: NDArray[np.float32],
        masks: NDArray[np.bool_],
        rows: NDArray[np.int64] | None = None,
    ) -> None:
        """Fill in what one seat of each game sees and may do.

        Args:
            seats: (B,) int64.
            done: (B,) bool, whose episode is over: PASS alone is in their masks.
            features: (B, F) float32, to be filled.
            masks: (B, A) bool, to be filled.
            rows: of these games alone, with as many of everything else; None: of all.
        """
        games = self.games if rows is None else self.games[rows]
        scratch = np.zeros(1, views.VIEW)
        _observe(records(games), seats, done, records(scratch), features, masks)

    def everything(self) -> NDArray[np.float32]:
        """All seats' features from the seat to act on, then the boneyard: (B, N * F + T) float32.

        Zero for seats that are not there. T tiles; 1 for each that is in the boneyard.
        """
        size = encode.size(self.max_pip)
        out = np.zeros((len(self.games), self.seats * size + self.rules[0].tiles), np.float32)
        scratch = np.zeros(1, views.VIEW)
        _everything(records(self.games), size, records(scratch), out)
        return out


@compiled
def _find_illegal(
    games: NDArray[np.void], actions: NDArray[np.int64], wrong: NDArray[np.bool_]
) -> None:
    for i in range(len(games)):
        fetch_hand(games, i)
        g = games[i]
        wrong[i] = not kernels.is_legal(g, g.held[g.seat], g.hand_count[BONEYARD], actions[i])


@compiled
def _observe(
    games: NDArray[np.void],
    seats: NDArray[np.int64],
    done: NDArray[np.bool_],
    scratch: NDArray[np.void],
    features: NDArray[np.float32],
    masks: NDArray[np.bool_],
) -> None:
    """Fill both arrays; `scratch` is (1,) VIEW, of whose older seats nothing is read."""
    for i in range(len(games)):
        fetch_game(games, i + AHEAD)
        g, mask = games[i], masks[i]
        views.write_view(g, seats[i], scratch[0])
        encode.write_features(scratch[0], features[i])
        mask[:] = False
        if done[i]:
            mask[len(mask) - 1] = True  # PASS
        else:
            kernels.write_legal_mask(g, g.held[g.seat], g.hand_count[BONEYARD], mask)


@compiled
def _everything(
    games: NDArray[np.void], size: int, scratch: NDArray[np.void], out: NDArray[np.float32]
) -> None:
    """Fill the zeroed `out`; `size` is F, `scratch` is as in _observe."""
    for i in range(len(games)):
        g = games[i]
        players, pips = whole(g.players), whole(g.max_pip) + 1
        for relative in range(players):
            views.write_view(g, (g.seat + relative) % players, scratch[0])
            encode.write_features(scratch[0], out[i, relative * size : (relative + 1) * size])
        tiles = pips * (pips + 1) // 2
        boneyard = out[i, out.shape[1] - tiles :]
        for tile in range(tiles):
            seen = has_bit(row_of(g.laid, LOW[tile]), HIGH[tile])
            for seat in range(players):
                seen = seen or has_bit(row_of(g.held[seat], LOW[tile]), HIGH[tile])
            boneyard[tile] = 0.0 if seen else 1.0
