"""Whole small games printed for a person to read: every state, every seat's view, every choice.

`python -m core.playthrough`, run in the folder tests, writes them to golden/playthroughs;
test_playthroughs.py compares. A game is played at random, with preference for what is rare.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from core.played_games import unsettled
from numpy.typing import NDArray

from chickenfoot_env import batch, notation, view
from chickenfoot_env.game import BONEYARD, GAME_OVER, NO_PIP, PLAYING, UNKNOWN, tiles_of
from chickenfoot_env.rules import Rules

FOLDER = Path(__file__).parents[1] / "golden" / "playthroughs"


@dataclass(frozen=True)
class Play:
    """One game to print.

    Attributes:
        about: what to look out for.
        preset: the published rules that these are made from.
        changes: fields that make the game small enough to read.
        seed: of the deal and of the choices.
        draw_stride: as for `batch.deal`.
    """

    about: str
    preset: str
    changes: dict[str, object]
    seed: int
    draw_stride: int = 0

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return Rules.preset(self.preset, **self.changes)


PLAYS: dict[str, Play] = {
    "seed": Play(
        "the hunt for the starter, arms, a foot that nobody can fill, a drawn tile kept",
        "seed",
        {"players": 2, "max_pip": 4, "hand_size": 4, "rounds": (4, 3)},
        seed=1305,
    ),
    "starter_set_aside": Play(
        "starter on the table before the deal, rotating lead, the first stuck seat ends the round",
        "nathanlong",
        {"players": 3, "max_pip": 4, "hand_size": 3, "toes": 2, "rounds": (4, 3)},
        seed=107,
    ),
    "reserve": Play(
        "starter set aside, random lead, the last tile of the boneyard is never drawn",
        "gamerules",
        {"players": 3, "max_pip": 4, "hand_size": 3, "rounds": (4, 3)},
        seed=419,
    ),
    "draw_until_playable": Play(
        "the next lower double held opens, a seat draws until it can play and then must",
        "htfbw_until",
        {"players": 2, "max_pip": 4, "hand_size": 3, "rounds": (4, 2)},
        seed=303,
        draw_stride=4,
    ),
    "highest_held": Play(
        "the highest double held opens, a drawn tile waits for the next turn",
        "ourpastimes_pass",
        {"players": 3, "max_pip": 4, "hand_size": 3, "rounds": (4, 3)},
        seed=228,
    ),
    "unplayed_and_penalty": Play(
        "the highest double held that opened no round yet opens, going out on a double costs 50",
        "hcherndon_house",
        {"players": 2, "max_pip": 4, "hand_size": 4, "rounds": (4, 3, 2)},
        seed=624,
    ),
    "optional_draw": Play(
        "drawing is optional, a lap of refusals blocks, blanks cost 25, down and up again",
        "mindshare_1999",
        {"players": 2, "max_pip": 2, "hand_size": 2, "starter_arms": 2, "toes": 1},
        seed=1133,
    ),
    "draw_together": Play(
        "all draw together in the hunt, the double-blank costs 25, a dead foot ends the round, "
        "no going out with a double, a target reached",
        "docslib",
        {
            "players": 3,
            "max_pip": 4,
            "hand_size": 3,
            "starter_arms": 3,
            "hunt_first": "highest_tile",
            "block_rule": "dead_foot_too",
            "last_double": "forbidden",
            "rounds": (4, 0, 2),
            "target_points": 30,
        },
        seed=707,
    ),
}


def playthrough(name: str) -> str:
    """The text of one whole game."""
    play = PLAYS[name]
    lines = [f"{name}: {play.about}", f"Made from the preset {play.preset}."]
    lines += ["", *fields(play.rules)]
    for event in events(play):
        lines += event
    return "\n".join(lines) + "\n"


def fields(rules: Rules) -> list[str]:
    """The rules, those that differ from the preset `seed` alone."""
    return [f"{name:<20} {value}" for name, value in rules.differences().items()]


def events(play: Play) -> Iterator[list[str]]:
    """The deals, actions and ends of rounds in turn, some lines each."""
    rules, chance = play.rules, random.Random(play.seed)
    games = batch.deal(rules, np.array([play.seed], np.uint64), play.draw_stride)
    if games["round"][0] > 0 or games["over"][0] == GAME_OVER:
        raise ValueError("a round that ends with its deal is not shown: take another seed")
    yield dealt(games[0], rules)
    ply = 0
    while games["over"][0] != GAME_OVER:
        ply += 1
        before = games[0].copy()
        action = choose(before, chance)
        yield state(before, rules, ply, action)
        batch.step(games, np.array([notation.parse_action(action, rules)]))
        after = games[0]
        if after["round"] == before["round"] and after["over"] != GAME_OVER:
            continue
        yield round_end(before, action, games, rules)
        if after["over"] != GAME_OVER:
            if after["round"] != before["round"] + 1:
                raise ValueError("a round that ends with its deal is not shown: take another seed")
            yield dealt(after, rules)
    ranks = batch.standings(games)[0].tolist()
    margins = batch.margins(games)[0].tolist()
    yield ["", "standings", *by_seat("rank", ranks), *by_seat("margin", margins)]


def choose(game: np.void, chance: random.Random) -> str:
    """A legal action; doubles, then plays, are taken more often than others."""
    words = notation.legal_actions(game)
    doubles = [word for word in words if "@" in word and word[0] == word[2]]
    return chance.choice([*words, *doubles, *doubles])


def dealt(game: np.void, rules: Rules) -> list[str]:
    """How the round began, from the shuffled order."""
    order = [notation.format_tile(tile) for tile in game["order"][: rules.tiles].tolist()]
    first = 1 if rules.starter_source == "set_aside" else 0
    lines = ["", f"ROUND {game['round'] + 1}"]
    if first:
        lines.append(f"set aside    {order[0]}")
    for seat in range(rules.players):
        at = first + seat * rules.hand_size
        lines.append(f"seat {seat} gets  {' '.join(order[at : at + rules.hand_size])}")
    yard = order[first + rules.players * rules.hand_size :]
    lines.append(f"boneyard     {' '.join(yard) or '-'}")
    starter = f"{game['starter']}-{game['starter']}"
    if first:
        lines.append(f"starter      {starter}, set aside; lead seat {game['finder']}")
    else:
        lines.append(
            f"starter      {starter}, laid by seat {game['finder']} "
            f"after {game['hunted']} tiles drawn in the hunt"
        )
    opened = [pip for pip in range(rules.pips) if int(game["opened"]) >> pip & 1]
    lines.append(f"opened       {' '.join(f'{pip}-{pip}' for pip in opened)}")
    return lines


def state(game: np.void, rules: Rules, ply: int, action: str) -> list[str]:
    """One position as its seats see it, and what is done in it."""
    lines = ["", f"{ply}. {notation.format_position(game)}"]
    games = np.asarray(game).reshape(1)
    for seat in range(rules.players):
        views = view.observe(games, np.array([seat]))
        lines.append(f"   seat {seat} sees  {seen(views[0], rules)}")
        if seat == game["seat"]:
            legal = [notation.format_action(int(a), rules) for a in actions_of(views)]
            assert legal == notation.legal_actions(game)
            lines.append(f"   seat {seat} may   {' '.join(legal)}")
            lines.append(f"   seat {seat} does  {action}")
        else:
            assert not len(actions_of(views))
    return lines


def actions_of(views: NDArray[np.void]) -> NDArray[np.int64]:
    """The legal actions of the one view."""
    return np.flatnonzero(view.legal_mask(views)[0])


def seen(v: np.void, rules: Rules) -> str:
    """All of a view that changes during a round; seats count clockwise from the observer."""
    hand = " ".join(map(notation.format_tile, tiles_of(v["hand"], rules.max_pip)))
    laid = " ".join(map(notation.format_tile, tiles_of(v["laid"], rules.max_pip)))
    ends = np.repeat(np.arange(rules.pips), v["ends"][: rules.pips]).tolist()
    owed = f", {v['owed']} owed to {v['foot']}" if v["foot"] != NO_PIP else ""
    counts = " ".join(str(count) for count in v["hand_count"][: rules.players])
    turn = "own turn" if v["turn"] == 0 else f"turn of +{v['turn']}"
    turn += ", has drawn" if v["has_drawn"] else ""
    turn += f", {v['passes']} passes" if v["passes"] else ""
    lacks = []
    for relative in range(rules.players):
        bounds = v["drawn_since"][relative, : rules.pips]
        known = [f"{pip}<={bounds[pip]}" for pip in range(rules.pips) if bounds[pip] != UNKNOWN]
        if known:
            lacks.append(f"+{relative} {' '.join(known)}")
    return (
        f"hand {hand} | counts {counts}, boneyard {v['boneyard']} | table {laid} | "
        f"ends {' '.join(map(str, ends))}{owed} | {turn} | evidence {'; '.join(lacks) or '-'}"
    )


def round_end(before: np.void, action: str, games: NDArray[np.void], rules: Rules) -> list[str]:
    """How the round ended, what was left and what it cost."""
    end = unsettled(before, notation.parse_action(action, rules))
    after = games[0]
    blocked = after["blocked_rounds"] != before["blocked_rounds"]
    hands = []
    for holder in (*range(rules.players), BONEYARD):
        tiles = tiles_of(end["held"][holder], rules.max_pip)
        name = "boneyard" if holder == BONEYARD else f"seat {holder}"
        hands.append(f"{name} {' '.join(map(notation.format_tile, tiles)) or 'nothing'}")
    assert blocked == (end["over"] == PLAYING)
    players = slice(rules.players)
    points = (after["points"] - before["points"])[players].tolist()
    return [
        "",
        f"END OF ROUND {before['round'] + 1}: {'blocked' if blocked else 'a seat went out'}",
        f"left         {'; '.join(hands)}",
        *by_seat("points", points),
        *by_seat("total", after["points"][players].tolist()),
        *by_seat("zero rounds", after["zero_rounds"][players].tolist()),
        f"winner       seat {after['winner']}",
    ]


def by_seat(name: str, values: list[float]) -> list[str]:
    """One line with a value for each seat."""
    return [f"{name:<12} {' '.join(f'{value:g}' for value in values)}"]


def path_of(name: str) -> Path:
    """Where the text of this game is kept."""
    return FOLDER / f"{name}.txt"


def main() -> int:
    """Write all texts anew, and remove those of games that are no longer there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        if path.stem not in PLAYS:
            path.unlink()
    for name in PLAYS:
        path_of(name).write_text(playthrough(name), encoding="utf-8")
    print(f"{len(PLAYS)} playthroughs in {FOLDER.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
