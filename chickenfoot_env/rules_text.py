"""A rule set in plain sentences, generated from its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chickenfoot_env.rules import ALL_DOUBLES, DOWN_AND_UP, MAX_PLAYERS, Rules, RulesError

_SENTENCES: Final[Mapping[str, Mapping[object, str]]] = {
    "starter_rule": {
        "descending": "",
        "highest_held": "The highest double in any hand opens each round.",
        "highest_unplayed_held": (
            "The highest double in any hand that has opened no round of the game yet opens each "
            "round."
        ),
    },
    "starter_missing": {
        "draw_in_turn": (
            "If nobody holds {it}, the seats draw one tile each in turn until somebody does."
        ),
        "draw_together": "If nobody holds {it}, all seats draw one tile each until somebody does.",
        "next_lower_held": (
            "If nobody holds it, the next lower double in any hand opens the round, or the highest "
            "if none is lower; if there is none, the seats draw one tile each in turn until there "
            "is."
        ),
        "redeal": "If nobody holds {it}, the tiles are shuffled and dealt again.",
    },
    "hunt_first": {
        "lead_seat": "The lead seat draws first{lead}.",
        "previous_winner": "The last round's winner draws first, in round one {first}.",
        "highest_tile": "The seat that was dealt the heaviest tile draws first.",
        "random": "A random seat draws first.",
    },
    "lead_rule": {
        "starter_holder": "Whoever holds or finds the double lays it and begins.",
        "lot": "A random seat leads round one, the next seat the next round, and so on.",
        "rotate": "Seat 0 leads round one, the next seat the next round, and so on.",
        "random": "A random seat leads each round.",
    },
    "starter_uses_turn": {
        True: "Laying the starter is a turn: the next seat lays the first arm.",
        False: "The starter uses up no turn: the seat that begins lays the first arm.",
    },
    "draw_count": {
        "one": "one tile from the boneyard",
        "until_playable": "from the boneyard until it can",
    },
    "draw_when_stuck": {
        "must": "",
        "may": "If all seats in turn decline to draw, the round ends.",
    },
    "drawn_tile": {
        "may": "A drawn tile that fits may be laid at once or kept.",
        "must": "A drawn tile that fits must be laid at once.",
        "no": "A drawn tile waits for a later turn.",
    },
    "block_rule": {
        "all_stuck": "nobody can play and there is nothing left to draw",
        "first_stuck": "a seat cannot play in its turn and there is nothing left to draw",
        "dead_foot_too": (
            "nobody can play and there is nothing left to draw, or every tile that could be the "
            "next arm or toe is on the table"
        ),
    },
    "last_double": {
        "free": "Going out with a double is free.",
        "penalty": "Going out with a double costs {last_double_points} points.",
        "forbidden": "Nobody may go out with a double.",
    },
}


def seat_counts(preset: str, changes: Mapping[str, Any] | None = None) -> tuple[int, ...]:
    """The numbers of players for which there is this preset, with these changes."""
    return tuple(n for n in range(2, MAX_PLAYERS + 1) if _fits(preset, n, changes or {}))


def describe(rules: Rules) -> list[str]:
    """The rules as sentences, in the order of play."""
    say = {name: texts[getattr(rules, name)] for name, texts in _SENTENCES.items()}
    say["last_double"] = say["last_double"].format(last_double_points=rules.last_double_points)
    sentences = [
        f"{rules.players} players with a double-{rules.max_pip} set of {rules.tiles} tiles.",
        f"Each is dealt {_count(rules.hand_size, 'tile')}; {rules.boneyard} lie in the boneyard.",
        _rounds(rules),
        say["starter_rule"],
        *_opening(rules, say),
        say["starter_uses_turn"],
        f"The starter's {_owed(rules.starter_arms, 'arm')}.",
        "Then a tile may be laid on any open end that it matches.",
        f"A double laid on an end is a foot: its {_owed(rules.toes, 'toe')}.",
        "A seat that can play must; one tile is a turn.",
        f"A seat that cannot play {rules.draw_when_stuck} draw {say['draw_count']}; with nothing "
        "left to draw it passes.",
        say["drawn_tile"],
        _reserve(rules),
        f"The round ends when a hand is empty, or when {say['block_rule']}.",
        say["draw_when_stuck"],
        say["last_double"],
        _points(rules),
        _end(rules),
    ]
    return [sentence for sentence in sentences if sentence]


def _fits(preset: str, players: int, changes: Mapping[str, Any]) -> bool:
    try:
        Rules.preset(preset, players=players, **changes)
    except RulesError:
        return False
    return True


def _rounds(rules: Rules) -> str:
    count = _count(len(rules.starters), "round")
    if rules.starter_rule != "descending":
        return f"The game has {count}."
    if rules.rounds == ALL_DOUBLES:
        doubles = f"{_double(rules.max_pip)}, then the next lower double, down to the 0-0"
    elif rules.rounds == DOWN_AND_UP:
        doubles = f"{_double(rules.max_pip)}, then the next lower double, to the 0-0 and up again"
    else:
        doubles = ", ".join(map(_double, rules.starters))
    return f"The game has {count}, opened by the {doubles}."


def _opening(rules: Rules, say: Mapping[str, str]) -> list[str]:
    """How the starter is found, and who begins."""
    if rules.starter_source == "set_aside":
        aside = "The starter is taken out before the deal and lies on the table."
        return [aside, say["lead_rule"], "The lead seat begins."]
    missing = rules.starter_missing
    if rules.starter_rule != "descending" and missing == "next_lower_held":
        missing = "draw_in_turn"  # there is no next lower one: the highest held was looked for
    held_leads = rules.lead_rule == "starter_holder"
    words = {
        "it": "it" if rules.starter_rule == "descending" else "one",
        "lead": ": seat 0 in round one, then the next seat each round" if held_leads else "",
        "first": "seat 0" if held_leads else "the lead seat",
    }
    search = [_SENTENCES["starter_missing"][missing].format(**words)]
    if missing != "redeal":
        search.append(say["hunt_first"].format(**words))
    found = [say["lead_rule"]]
    if not held_leads:
        found.append("Whoever holds or finds the double lays it, but the lead seat begins.")
    return [*(search if rules.boneyard > 0 else []), *found]


def _reserve(rules: Rules) -> str:
    kept = rules.boneyard_reserve
    if kept == 0:
        return ""
    tiles = "The last tile" if kept == 1 else f"The last {kept} tiles"
    hunted = rules.starter_source == "hands" and rules.starter_missing != "redeal"
    but = ", except to find the starter" if hunted else ""
    return f"{tiles} of the boneyard may not be drawn{but}."


def _points(rules: Rules) -> str:
    text = "Every seat gets the pips left in its hand as points"
    if rules.double_blank_points > 0:
        text += f", {rules.double_blank_points} for the double-blank"
    if rules.blank_half_points > 0:
        text += f", {rules.blank_half_points} for the blank half of any other tile"
    return text + "."


def _end(rules: Rules) -> str:
    last = "After the last round"
    if rules.target_points is not None:
        last += f", or the one in which a seat reaches {_count(rules.target_points, 'point')},"
    return (
        f"{last} the fewest points win; ties go to more rounds of zero points, then to the lowest "
        "other round."
    )


def _owed(number: int, noun: str) -> str:
    return f"{_count(number, noun)} {'comes' if number == 1 else 'come'} before anything else"


def _double(pip: int) -> str:
    return f"{pip}-{pip}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
