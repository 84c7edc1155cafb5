"""What holds in every state of every game, whatever the rules: random games by hypothesis.

The numbers are those of the invariants I1 to I14 and of the scoring cases M9 to M11 in
docs/rules.md.
"""

from __future__ import annotations

import dataclasses
import random

import numpy as np
from core.dealing import deal_order
from core.played_games import (
    PIPS,
    Played,
    any_game,
    bits,
    deterministic,
    pips_of,
    play_randomly,
    played_games,
    scores,
    seats_with_a_play,
    some_rules,
)
from hypothesis import given
from hypothesis import strategies as st

from chickenfoot_env import batch, notation, view
from chickenfoot_env.game import BONEYARD, NO_PIP, PLAYING, UNKNOWN, WENT_OUT, problems
from chickenfoot_env.rules import Rules


@deterministic
@any_game
def test_i1_every_tile_is_in_one_place(played: Played) -> None:
    """I1, S11: hands, boneyard and table are the full set in every state."""
    pips = played.rules.pips
    owners = bits(played.states["held"]).sum(axis=1) + bits(played.states["laid"])
    assert (owners[:, :pips, :pips] == 1).all()
    assert owners.sum() == len(owners) * pips * pips
    counts = bits(played.states["held"])
    doubles = np.diagonal(counts, axis1=-2, axis2=-1).sum(axis=-1)
    assert ((counts.sum(axis=(-2, -1)) + doubles) // 2 == played.states["hand_count"]).all()


@deterministic
@any_game
def test_states_have_no_problems(played: Played) -> None:
    """`problems` is silent about states that were played to; a few of each game are asked."""
    for state in played.states[:: max(1, len(played.states) // 8)]:
        assert problems(state) == []


@deterministic
@any_game
def test_i2_only_the_pip_that_is_owed_fits_and_no_double(played: Played) -> None:
    """I2: while arms or toes are owed."""
    pips = played.rules.pips
    mask = batch.legal_mask(played.states)[:, : pips * pips].reshape(-1, pips, pips)
    owing = (played.states["owed"] > 0) & (played.states["over"] == PLAYING)
    foot = played.states["foot"]
    for plays, pip in zip(mask[owing], foot[owing], strict=True):
        assert not np.delete(plays, pip, axis=0).any()
        assert not plays[pip, pip]


@deterministic
@any_game
def test_i3_one_foot_is_filled_before_the_next_is_laid(played: Played) -> None:
    """I3: a play takes one of what is owed, or lays a double that is owed all its toes."""
    pips = played.rules.pips
    for before, action, after in played.transitions():
        if after["round"] != before["round"]:
            assert (after["foot"], after["owed"]) == (after["starter"], played.rules.starter_arms)
            continue
        foot, owed = int(before["foot"]), int(before["owed"])
        attach, free = divmod(action, pips)
        if action < pips * pips and owed > 0:
            foot, owed = (foot if owed > 1 else NO_PIP), owed - 1
        elif action < pips * pips and attach == free:
            foot, owed = attach, played.rules.toes
        assert (after["foot"], after["owed"]) == (foot, owed)


@deterministic
@any_game
def test_i4_i5_number_of_ends(played: Played) -> None:
    """I4, I5: ends, those owed included = arms + (toes - 1) for every double after the starter."""
    rules = played.rules
    doubles = np.diagonal(bits(played.states["laid"]), axis1=-2, axis2=-1).sum(axis=-1) - 1
    ends = played.states["ends"].sum(axis=1)
    assert (ends == rules.starter_arms + (rules.toes - 1) * doubles).all()


@deterministic
@any_game
def test_i6_draw_or_pass_only_without_a_play(played: Played) -> None:
    """I6: before a draw there are plays, or DRAW alone, or PASS alone with an empty boneyard."""
    rules = played.rules
    running = played.states[(played.states["over"] == PLAYING) & (played.states["has_drawn"] == 0)]
    mask = batch.legal_mask(running)
    able = mask[:, : rules.draw].any(axis=1)
    left = running["hand_count"][:, BONEYARD] > 0
    assert (mask[:, rules.draw] == (~able & left)).all()
    assert (mask[:, rules.pass_] == (~able & ~left)).all()
    assert all(bool(seats_with_a_play(game)[game["seat"]]) for game in running[able])


@deterministic
@any_game
def test_a_drawn_tile_is_the_only_one_that_fits(played: Played) -> None:
    """Q13, Q16: after a draw the plays are those of one tile; PASS is as the rules say."""
    rules = played.rules
    drawn = played.states[(played.states["over"] == PLAYING) & (played.states["has_drawn"] == 1)]
    assert rules.drawn_tile != "no" or len(drawn) == 0
    for mask in batch.legal_mask(drawn):
        tiles = {tuple(sorted(divmod(int(a), rules.pips))) for a in np.flatnonzero(mask[:-2])}
        assert len(tiles) <= 1
        assert not mask[rules.draw]
        assert mask[rules.pass_] == (rules.drawn_tile == "may" or not tiles)


@deterministic
@any_game
def test_i7_asking_changes_nothing(played: Played) -> None:
    """I7: not one byte of a game."""
    games, before = played.states, played.states.tobytes()
    batch.legal_mask(games)
    view.legal_mask(view.observe(games, games["seat"].astype(np.int64)))
    batch.margins(games)
    batch.standings(games)
    notation.format_position(games[0])
    problems(games[0])
    assert games.tobytes() == before


@deterministic
@given(played_games(), st.randoms(use_true_random=False))
def test_i8_equal_ends_are_interchangeable(played: Played, chance: random.Random) -> None:
    """I8: the ends of a position may be written in any order."""
    rules = played.rules
    game = played.states[chance.randrange(len(played.states) - 1)]
    if not game["hand_count"][: rules.players].all():
        return
    phase, ends, *rest = notation.format_position(game).split(" | ")
    words = ends.split()
    chance.shuffle(words)
    first = notation.parse_position(" | ".join([phase, ends, *rest]), rules)
    other = notation.parse_position(" | ".join([phase, " ".join(words), *rest]), rules)
    assert first.tobytes() == other.tobytes()


@deterministic
@any_game
def test_i10_rounds_are_short(played: Played) -> None:
    """I10: actions of a round stay within the bound of section 6.4."""
    rules = played.rules
    plays = rules.tiles - (rules.players - 1)
    draws = rules.boneyard
    turns = plays + draws + (rules.players - 1) * plays
    indices = played.states["round"][:-1]
    assert np.bincount(indices).max() <= turns + draws
    assert (played.states["hunted"] <= draws).all()


@deterministic
@any_game
def test_i11_a_round_is_over_when_out_or_blocked(played: Played) -> None:
    """I11: in both directions."""
    players = played.rules.players
    for game in played.states[played.states["over"] == PLAYING]:
        assert (game["hand_count"][:players] > 0).all()
        assert game["hand_count"][BONEYARD] > 0 or seats_with_a_play(game).any()
    for before, end, after in played.round_ends():
        out = (end["hand_count"][:players] == 0).any()
        stuck = end["hand_count"][BONEYARD] == 0 and not seats_with_a_play(end).any()
        assert out or stuck
        assert out == (end["over"] == WENT_OUT)
        assert after["blocked_rounds"] - before["blocked_rounds"] == (not out)


@deterministic
@any_game
def test_i12_no_pip_is_lost(played: Played) -> None:
    """I12, M11: points, table and boneyard add up to the set; no 50 after a 0-0 starter."""
    rules = played.rules
    total = rules.max_pip * rules.pips * (rules.pips + 1) // 2
    for before, end, after in played.round_ends():
        elsewhere = pips_of(end["laid"]) + pips_of(end["held"][BONEYARD])
        held_blank = bool((end["held"][: rules.players, 0, 0] & 1).any())
        charged = rules.double_blank_points * held_blank
        assert sum(scores(before, after)) + elsewhere == total + charged
        assert not (held_blank and end["starter"] == 0)


@deterministic
@any_game
def test_m9_m10_zero_points_only_by_going_out(played: Played) -> None:
    """M9, M10, Q26: one seat at most, nobody in a blocked round, unless the 0-0 is free."""
    rules = played.rules
    for before, end, after in played.round_ends():
        points = scores(before, after)
        for seat, score in enumerate(points):
            free = rules.double_blank_points == 0 and end["hand_count"][seat] == 1
            assert score == 0 or end["hand_count"][seat] > 0
            assert score > 0 or end["hand_count"][seat] == 0 or free
        if rules.double_blank_points:
            assert points.count(0) == (end["over"] == WENT_OUT)


@deterministic
@given(some_rules(most_rounds=1), st.randoms(use_true_random=False))
def test_i13_renaming_the_seats_rotates_the_game(rules: Rules, chance: random.Random) -> None:
    """I13: hands and lead one seat on, the same actions, everything one seat on."""
    order = chance.sample(range(rules.tiles), rules.tiles)
    dealt, hand = rules.players * rules.hand_size, rules.hand_size
    moved = order[dealt - hand : dealt] + order[: dealt - hand] + order[dealt:]
    played = play_randomly(rules, deal_order(rules, order), chance)
    later = dataclasses.replace(rules, rounds=rules.starters * 2)
    twin = deal_order(later, moved, round_index=1)
    for action, state in zip([*played.actions.tolist(), later.pass_], played.states, strict=True):
        assert comparable(twin[0], shift=1) == comparable(state)
        batch.step(twin, np.array([action]))


def comparable(game: np.void, shift: int = 0) -> list[list[int] | int]:
    """The state with the seats renamed: seat `shift` becomes seat 0, and so on."""
    players = int(game["players"])
    seats = [(seat + shift) % players for seat in range(players)]
    by_seat = ("held", "hand_count", "drawn_since", "points", "zero_rounds", "best_round")
    common = ("laid", "ends", "foot", "owed", "has_drawn", "over", "hunted", "blocked_rounds")
    renamed = [(int(game[name]) - shift) % players for name in ("seat", "finder")]
    return [
        *(game[name][seats].tolist() for name in by_seat),
        *(game[name].tolist() for name in common),
        game["held"][BONEYARD].tolist(),
        *renamed,
    ]


@deterministic
@any_game
def test_i14_nobody_goes_out_with_a_tile_just_drawn(played: Played) -> None:
    """I14, Q30: before the draw the hand held a tile that did not fit."""
    drawn = played.states[played.states["has_drawn"] == 1]
    assert (drawn["hand_count"][np.arange(len(drawn)), drawn["seat"]] >= 2).all()


@deterministic
@any_game
def test_evidence_never_excludes_the_truth(played: Played) -> None:
    """For every c at most c tiles of a hand show a pip whose bound is at most c."""
    for game in played.states[:: max(1, len(played.states) // 30)]:
        for seat in range(played.rules.players):
            bounds, tiles = game["drawn_since"][seat], bits(game["held"][seat])
            for bound in set(bounds[: played.rules.pips].tolist()) - {UNKNOWN}:
                shown = (bounds != UNKNOWN) & (bounds <= bound) & (PIPS < played.rules.pips)
                touched = np.tril(tiles & (shown[:, None] | shown[None, :]))
                assert touched.sum() <= bound
