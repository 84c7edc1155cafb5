"""Text for tiles, actions and positions, both ways, and what is said of text that means nothing."""

from __future__ import annotations

import numpy as np
import pytest
from core.random_play import RULE_SETS, every_rule_set, sample_positions, seeds

from chickenfoot_env import batch, notation
from chickenfoot_env.game import (
    GAME_OVER,
    NO_PIP,
    NO_ROUND,
    PLAYING,
    UNKNOWN,
    problems,
    tiles_of,
)
from chickenfoot_env.notation import NotationError
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import MAX_TILES, tile_id

SEED = Rules()
FOOT = "FOOT 6/2 | 2 3 5 8 | 2-9 / 1-1 | 3-5 0-6 | 0"
ARMS = "ARMS 9/4 | - | 1-2 3-3 / 2-3 5-5 0-9 1-9 | 3-4 | 1"
OPEN = "OPEN | 3 8 | 1-2 / 3-4 | - | 0"


position_of = notation.format_position


def one_line(error: pytest.ExceptionInfo[NotationError]) -> str:
    """The message, which is a single line."""
    message = str(error.value)
    assert message and "\n" not in message
    return message


# Tiles


def test_every_tile_reads_back_in_either_order() -> None:
    """All of the largest set."""
    for tile in range(MAX_TILES):
        text = notation.format_tile(tile)
        low, high = text.split("-")
        assert int(low) <= int(high)
        assert notation.parse_tile(text) == notation.parse_tile(f"{high}-{low}") == tile


def test_a_tile_is_written_with_its_smaller_pip_first() -> None:
    """Blanks around it do not matter."""
    assert notation.format_tile(tile_id(7, 5)) == "5-7"
    assert notation.parse_tile(" 7-5\t") == tile_id(5, 7)


@pytest.mark.parametrize(
    "text", ["", "5", "5-", "-7", "5-7-9", "5 7", "5-x", "5--7", "-5-7", "5.0-7", "100-1", "DRAW"]
)
def test_what_is_no_tile_is_refused(text: str) -> None:
    """The message quotes it and says how a tile is written."""
    with pytest.raises(NotationError) as caught:
        notation.parse_tile(text)
    assert one_line(caught) == f"{text!r} is no tile: wanted is a-b with pips from 0 to 18"


def test_a_tile_of_a_larger_set_is_refused() -> None:
    """The message says where the set ends."""
    assert notation.parse_tile("6-10", max_pip=10) == tile_id(6, 10)
    with pytest.raises(NotationError, match=r"'6-10' is no tile: .* pips from 0 to 9$"):
        notation.parse_tile("6-10", max_pip=9)


# Actions


@pytest.mark.parametrize("max_pip", [2, 6, 9, 12, 18])
def test_every_action_reads_back(max_pip: int) -> None:
    """All ids of a set, each with its own text."""
    rules = Rules(players=2, max_pip=max_pip, hand_size=2, starter_arms=2, toes=1)
    texts = [notation.format_action(action, rules) for action in range(rules.actions)]
    assert [notation.parse_action(text, rules) for text in texts] == list(range(rules.actions))
    assert len(set(texts)) == rules.actions
    assert texts[-2:] == ["DRAW", "PASS"]


@pytest.mark.parametrize(
    ("text", "action", "back"),
    [
        ("5-7@5", 57, "5-7@5"),
        ("5-7@7", 75, "5-7@7"),
        ("7-5@7", 75, "5-7@7"),
        ("0-0@0", 0, "0-0@0"),
        ("9-9@9", 99, "9-9@9"),
        (" DRAW ", 100, "DRAW"),
        ("PASS", 101, "PASS"),
    ],
)
def test_a_play_names_the_tile_and_the_end(text: str, action: int, back: str) -> None:
    """`5-7@5` lays the tile 5-7 on a 5: attach 5, free 7."""
    assert notation.parse_action(text, SEED) == action
    assert notation.format_action(action, SEED) == back


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no action: wanted is DRAW, PASS or a play as 5-7@5"),
        ("5-7", "'5-7' is no action: wanted is DRAW, PASS or a play as 5-7@5"),
        ("draw", "'draw' is no action: wanted is DRAW, PASS or a play as 5-7@5"),
        ("KEEP", "'KEEP' is no action: wanted is DRAW, PASS or a play as 5-7@5"),
        ("5-7@6", "'5-7@6': a 5-7 can be laid @5 or @7"),
        ("5-7@", "'5-7@': a 5-7 can be laid @5 or @7"),
        ("5-7@5@7", "'5-7@5@7': a 5-7 can be laid @5 or @7"),
        ("5-7@05", "'5-7@05': a 5-7 can be laid @5 or @7"),
        ("@5", "'' is no tile: wanted is a-b with pips from 0 to 9"),
        ("5@5", "'5' is no tile: wanted is a-b with pips from 0 to 9"),
        ("6-12@6", "'6-12' is no tile: wanted is a-b with pips from 0 to 9"),
        ("DRAW@5", "'DRAW' is no tile: wanted is a-b with pips from 0 to 9"),
    ],
)
def test_what_is_no_action_is_refused(text: str, message: str) -> None:
    """The message quotes it and says what would do."""
    with pytest.raises(NotationError) as caught:
        notation.parse_action(text, SEED)
    assert one_line(caught) == message


@pytest.mark.parametrize("action", [-1, 102, 10**12])
def test_a_number_that_is_no_action_has_no_text(action: int) -> None:
    """The message says which numbers have."""
    with pytest.raises(NotationError) as caught:
        notation.format_action(action, SEED)
    assert one_line(caught) == f"no action {action}: allowed are 0 to 101"


# Positions


@every_rule_set
def test_a_position_reads_back(rules: Rules) -> None:
    """The same tiles, ends, turn and boneyard, and so the same legal actions."""
    for game in sample_positions(rules, 3, share=0.08, seed=7):
        text = position_of(game)
        (again,) = notation.parse_position(text, rules)
        assert position_of(again) == text
        for name in ("held", "laid", "hand_count", "ends", "foot", "owed", "seat", "has_drawn"):
            assert np.array_equal(again[name], game[name]), (name, text)
        assert notation.legal_actions(again) == notation.legal_actions(game)
        assert problems(again) == []


@pytest.mark.parametrize("name", ["seed", "two seats", "no boneyard", "double-three, must"])
def test_a_position_read_back_goes_on_alike(name: str) -> None:
    """The same choices lead through the same positions to the end of the round, draws included."""
    rules = RULE_SETS[name]
    for game in sample_positions(rules, 2, share=0.03, seed=8):
        games, again = np.array([game]), notation.parse_position(position_of(game), rules)
        while games["round"][0] == game["round"] and games["over"][0] != GAME_OVER:
            assert position_of(again[0]) == position_of(games[0])
            last_legal = np.flatnonzero(batch.legal_mask(games)[0])[-1:]
            batch.step(games, last_legal)
            batch.step(again, last_legal)


def test_a_position_says_its_phase() -> None:
    """What is owed is left out of the ends, and stays among the open ends of the game."""
    (arms,), (foot,), (open_,) = map(notation.parse_position, (ARMS, FOOT, OPEN))
    assert (arms["starter"], arms["foot"], arms["owed"], arms["ends"][9]) == (9, 9, 4, 4)
    assert (foot["foot"], foot["owed"]) == (6, 2)
    assert foot["ends"].nonzero()[0].tolist() == [2, 3, 5, 6, 8]
    assert (open_["foot"], open_["owed"], open_["ends"].sum()) == (NO_PIP, 0, 2)
    for text, game in ((ARMS, arms), (FOOT, foot), (OPEN, open_)):
        assert position_of(game) == text


def test_a_position_has_no_past() -> None:
    """No evidence, no points, no rounds; all tiles not named are on the table."""
    (game,) = notation.parse_position(FOOT)
    assert (game["drawn_since"][:2, :10] == UNKNOWN).all()
    assert not game["points"].any() and not game["zero_rounds"].any()
    assert (game["best_round"][:2] == NO_ROUND).all()
    named = {tile_id(2, 9), tile_id(1, 1), tile_id(3, 5), tile_id(0, 6)}
    assert {*range(55)} - {*tiles_of(game["laid"], 9)} == named
    assert (game["over"], game["rounds"], game["players"]) == (PLAYING, 1, 2)


def test_the_boneyard_is_drawn_in_the_order_written() -> None:
    """Whoever draws."""
    games = notation.parse_position("OPEN | 3 8 | 1-2 / 4-4 | 5-5 3-4 0-9 | 0")
    drawn = []
    for word in ("DRAW", "PASS", "DRAW", "PASS", "DRAW"):
        seat, before = int(games["seat"][0]), games.copy()
        batch.step(games, np.array([notation.parse_action(word, Rules(players=2))]))
        new = games["held"][0, seat] & ~before["held"][0, seat]
        drawn += [notation.format_tile(tile) for tile in tiles_of(new, 9)]
    assert drawn == ["5-5", "3-4", "0-9"]


def test_drawn_means_that_the_seat_has_drawn_in_this_turn() -> None:
    """It may lay or keep the tile, and cannot draw again."""
    position = "OPEN | 3 8 | 1-2 3-5 / 4-4 | 5-5 | 0"
    (before,), (after,) = map(notation.parse_position, (position, f"{position} drawn"))
    assert notation.legal_actions(before) == ["3-5@3"]
    assert notation.legal_actions(after) == ["3-5@3", "PASS"]
    assert (before["has_drawn"], after["has_drawn"]) == (0, 1)
    assert position_of(after) == f"{position} drawn"
    (stuck,) = notation.parse_position("OPEN | 3 8 | 1-2 5-6 / 4-4 | 5-5 | 0 drawn")
    assert notation.legal_actions(stuck) == ["PASS"]


def test_a_blocked_position_is_over_at_once() -> None:
    """R17, Q21: the boneyard is empty and nobody has a 3; each seat is charged its hand."""
    (game,) = notation.parse_position("OPEN | 3 | 1-2 0-0 / 4-4 | - | 0")
    assert game["over"] == GAME_OVER
    assert game["points"][:2].tolist() == [53, 8]
    assert game["blocked_rounds"] == 1
    assert notation.legal_actions(game) == ["PASS"]


def test_a_foot_that_nobody_can_fill_is_blocked() -> None:
    """Q17: the open 3 does not count while the 6 is owed toes."""
    (game,) = notation.parse_position("FOOT 6/1 | 3 | 1-3 / 3-4 | - | 0")
    assert (game["over"], game["blocked_rounds"]) == (GAME_OVER, 1)


def test_rules_say_which_round_it_is() -> None:
    """The first round whose starter lies on the table; the 9-9 is still in a hand."""
    rules = Rules(players=2)
    (game,) = notation.parse_position("OPEN | 3 8 | 1-2 / 9-9 3-4 | - | 0", rules)
    assert (game["round"], game["starter"], game["rounds"]) == (1, 8, 10)
    (arms,) = notation.parse_position("ARMS 4/2 | 5 6 | 1-2 / 3-4 0-4 | 7-7 | 0", rules)
    assert (arms["round"], arms["starter"]) == (5, 4)


@pytest.mark.parametrize(
    ("text", "max_pip"),
    [
        (OPEN, 9),
        (OPEN.replace("3-4", "3-4 0-10"), 12),
        (OPEN.replace("1-2", "1-14"), 15),
        (OPEN.replace("3 8", "3 16"), 18),
    ],
)
def test_without_rules_the_smallest_published_set_is_taken(text: str, max_pip: int) -> None:
    """Double-nine, twelve, fifteen or eighteen, by the highest pip named."""
    (game,) = notation.parse_position(text)
    assert (game["max_pip"], game["players"]) == (max_pip, 2)


@pytest.mark.parametrize("players", [2, 7, 8, 12])
def test_without_rules_there_are_as_many_seats_as_hands(players: int) -> None:
    """Also more than can be dealt seven tiles each."""
    hands = " / ".join(f"{seat % 5}-{5 + seat // 5}" for seat in range(players))
    (game,) = notation.parse_position(f"OPEN | 3 8 | {hands} | 8-9 | {players - 1}")
    assert (game["players"], game["seat"]) == (players, players - 1)


MALFORMED = [
    ("", "1 parts in ''"),
    ("OPEN | 3 8 | 1-2 / 3-4 | -", "4 parts in"),
    (f"{OPEN} | 1", "6 parts in"),
    ("OPEN | 3 8 | 1-2 / 3+4 | - | 0", "'3+4' is no tile"),
    ("OPEN | 3 8 | 1-2 / 3-19 | - | 0", "'3-19' is no tile: wanted is a-b with pips from 0 to 18"),
    ("OPEN | 3 8 | 1-2 / 3-4 | 5 | 0", "'5' is no tile"),
    ("OPEN | 3 8 | 1-2 - / 3-4 | - | 0", "'-' is no tile"),
    ("OPEN | 3 8 | 1-2 / 3-4 2-1 | - | 0", "tile 1-2 is named twice"),
    ("OPEN | 3 8 | 1-2 / 3-4 | 4-3 | 0", "tile 3-4 is named twice"),
    ("OPEN | 3 8 | 1-2 / 3-4 | 5-5 5-5 | 0", "tile 5-5 is named twice"),
    ("open | 3 8 | 1-2 / 3-4 | - | 0", "phase 'open': wanted is OPEN, ARMS 9/4 or FOOT 6/2"),
    (" | 3 8 | 1-2 / 3-4 | - | 0", "phase '': wanted is"),
    ("FOOT | 3 8 | 1-2 / 3-4 | - | 0", "phase 'FOOT': wanted is"),
    ("FOOT 6 | 3 8 | 1-2 / 3-4 | - | 0", "phase 'FOOT 6': wanted is"),
    ("FOOT 6/-1 | 3 8 | 1-2 / 3-4 | - | 0", "phase 'FOOT 6/-1': wanted is"),
    ("FOOT 6/0 | 3 8 | 1-2 / 3-4 | - | 0", "phase 'FOOT 6/0': "),
    ("FOOT 6/2 | 3 8 | 6-6 / 3-4 | - | 0", "phase 'FOOT 6/2': 6-6 must be on the table"),
    ("ARMS 9/4 | - | 1-2 / 3-4 | 9-9 | 0", "phase 'ARMS 9/4': 9-9 must be on the table"),
    ("FOOT 6/4 | 3 8 | 1-2 / 3-4 | - | 0", "4 tiles owed to 6-6: at most 3 can be"),
    ("ARMS 9/5 | - | 1-2 / 3-4 | - | 0", "5 tiles owed to 9-9: at most 4 can be"),
    ("ARMS 9/3 | - | 1-2 / 3-4 | - | 0", "0 ends with 1 arms begun: wanted are 1"),
    ("ARMS 9/2 | 1 2 3 | 1-2 / 3-4 | - | 0", "3 ends with 2 arms begun: wanted are 2"),
    ("OPEN | - | 1-2 / 3-4 | - | 0", "no open ends"),
    ("OPEN | x | 1-2 / 3-4 | - | 0", "ends 'x': wanted are pips from 0 to 9, or -"),
    ("OPEN | 3,8 | 1-2 / 3-4 | - | 0", "ends '3,8': wanted are pips from 0 to 9, or -"),
    ("OPEN | -3 | 1-2 / 3-4 | - | 0", "ends '-3': wanted are pips from 0 to 9, or -"),
    ("OPEN | 3 - | 1-2 / 3-4 | - | 0", "ends '3 -': wanted are pips from 0 to 9, or -"),
    ("OPEN | 19 | 1-2 / 3-4 | - | 0", "ends '19': wanted are pips from 0 to 18, or -"),
    ("OPEN | 3 3 3 3 3 3 3 3 3 | 1-2 / 3-4 | - | 0", "9 ends show 3, but 8 tiles on the table can"),
    ("OPEN | 3 8 | 1-2 / 3-4 | - | 2", "seat '2': wanted is 0 to 1"),
    ("OPEN | 3 8 | 1-2 / 3-4 | - | -1", "seat '-1': wanted is 0 to 1"),
    ("OPEN | 3 8 | 1-2 / 3-4 | - | ", "seat '': wanted is 0 to 1"),
    ("OPEN | 3 8 | 1-2 / 3-4 | - | 0 drew", "followed by 'drawn'"),
    ("OPEN | 3 8 | 1-2 / - | - | 0", "seat 1 has no tiles: its round is over"),
    ("OPEN | 3 8 | 1-2 /  | - | 0", "seat 1 has no tiles: its round is over"),
    ("OPEN | 3 8 | 1-2 | - | 0", "1 hands"),
    (f"OPEN | 3 8 | {' / '.join(f'0-{n}' for n in range(13))} | - | 0", "13 hands"),
    (
        "OPEN | 3 | 0-0 1-1 2-2 3-3 4-4 / 5-5 6-6 7-7 8-8 9-9 | - | 0",
        "no starter on the table: at least one double",
    ),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=[text for text, _ in MALFORMED])
def test_what_is_no_position_is_refused(text: str, message: str) -> None:
    """One line that names the trouble."""
    with pytest.raises(NotationError) as caught:
        notation.parse_position(text)
    assert message in one_line(caught)


@pytest.mark.parametrize(
    ("text", "rules", "message"),
    [
        (OPEN, Rules(players=3), "2 hands for 3 players"),
        ("OPEN | 3 8 | 1-2 / 3-10 | - | 0", Rules(players=2), "'3-10' is no tile"),
        (ARMS, Rules(players=2, starter_arms=3), "4 tiles owed to 9-9: at most 3 can be"),
        (FOOT, Rules(players=2, toes=1), "2 tiles owed to 6-6: at most 1 can be"),
        (ARMS, Rules(players=2, rounds=(5, 4)), "no round of these rules has the starter 9-9"),
        (
            "OPEN | 3 8 | 1-2 / 9-9 3-4 | - | 0",
            Rules(players=2, rounds=(9,)),
            "no starter on the table",
        ),
    ],
)
def test_a_position_of_other_rules_is_refused(text: str, rules: Rules, message: str) -> None:
    """One line that names what does not agree."""
    with pytest.raises(NotationError) as caught:
        notation.parse_position(text, rules)
    assert message in one_line(caught)


# Explanations


def test_an_illegal_action_is_explained() -> None:
    """The action, the position, and everything that is legal in it."""
    (game,) = notation.parse_position(FOOT)
    assert notation.explain_illegal(game, 29) == (
        f"action 29 (2-9@2) is illegal in '{FOOT}'; legal are DRAW"
    )
    (game,) = notation.parse_position("OPEN | 3 8 | 3-8 3-3 / 3-4 | - | 0")
    assert notation.explain_illegal(game, 101).endswith("; legal are 3-3@3, 3-8@3, 3-8@8")


@pytest.mark.parametrize("action", [-1, 102, 2**40])
def test_a_number_that_is_no_action_is_explained(action: int) -> None:
    """It has no text of its own."""
    (game,) = notation.parse_position(OPEN)
    assert notation.explain_illegal(game, action) == (
        f"action {action} (no action of this set) is illegal in '{OPEN}'; legal are PASS"
    )


def test_an_action_after_the_end_is_explained() -> None:
    """A finished game has no position to quote."""
    games = batch.deal(Rules(rounds=(9,)), seeds(1))
    batch.random_playout(games, seeds(1))
    assert notation.explain_illegal(games[0], 100) == (
        "action 100 (DRAW) is illegal in a finished game; legal are PASS"
    )


@every_rule_set
def test_legal_actions_are_the_mask_in_words(rules: Rules) -> None:
    """In the order of their ids."""
    for game in sample_positions(rules, 2, share=0.2, seed=9):
        mask = batch.legal_mask(np.array([game]))[0]
        wanted = [notation.format_action(int(action), rules) for action in np.flatnonzero(mask)]
        assert notation.legal_actions(game) == wanted
