"""Published rule sets, each with its source and what we assumed where the source is silent.

A preset says how it differs from `seed`. What depends on the number of players is a mapping from
it, and then those are the numbers of players that the preset covers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_42: Final = {2: 21, 3: 14, 4: 11, 5: 8, 6: 7, 7: 6, 8: 5}  # about 42 tiles in all hands
_20_TO_6: Final = {2: 20, 3: 14, 4: 11, 5: 8, 6: 7, 7: 6, 8: 6}


@dataclass(frozen=True)
class Preset:
    """One published rule set.

    Attributes:
        name: what it is asked for by.
        title: one line for a list.
        source: where it was published.
        fields: the fields of Rules that differ from the defaults; a value may be a mapping from
            the number of players.
        assumed: what we decided where the source is silent or garbled.
    """

    name: str
    title: str
    source: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()


_ALL: Final = (
    Preset(
        "seed",
        "the default: double-nine, seven tiles, four arms, draw one",
        "www.reference.com/hobbies-games/play-chicken-foot-dominoes-6e6db69b65d1aec3",
        assumed=("what the first page of chickenfoot_env/rules.py lists below its source",),
    ),
    Preset(
        "seed_large",
        "the default with a double-twelve set, for up to twelve players",
        "www.reference.com/hobbies-games/play-chicken-foot-dominoes-6e6db69b65d1aec3",
        {"max_pip": 12},
        ("seven tiles as with the double-nine set; max_pip=15 or 18 gives the larger sets",),
    ),
    Preset(
        "wikipedia",
        "starter placed before the deal, a lot decides who lays the first arm",
        "hmong.es/wiki/Chicken_foot_(game), a copy of Wikipedia's Chickenfoot",
        {
            "starter_source": "set_aside",
            "lead_rule": "lot",
            "starter_uses_turn": False,
            "drawn_tile": "must",
        },
        (
            "the lot is drawn for round one and the lead then moves on by one seat",
            "double-nine with seven tiles; the double-blank costs 50 as in seed",
            "tapping the last tile is not modelled",
        ),
    ),
    Preset(
        "pagat_d9",
        "double-nine with ten to twelve tiles for two to four players",
        "www.pagat.com/domino/tree/chickenfoot.html",
        {"hand_size": {2: 12, 3: 11, 4: 10}},
        ("what the visible part of the page does not say is as in seed",),
    ),
    Preset(
        "pagat_d6",
        "double-six with five tiles for two or three players",
        "www.pagat.com/domino/tree/chickenfoot.html",
        {"max_pip": 6, "hand_size": {2: 5, 3: 5}},
        ("what the visible part of the page does not say is as in seed",),
    ),
    Preset(
        "puremco",
        "large hands, six arms, the next lower double opens, drawing is optional",
        "heyreviewfood.com/chicken-feet-domino-rules-1647358645",
        {
            "hand_size": _20_TO_6,
            "starter_arms": 6,
            "starter_missing": "next_lower_held",
            "draw_when_stuck": "may",
        },
        (
            "hands for three to seven players are those of about 42 tiles in all",
            "the players may also agree to deal again: starter_missing=redeal",
        ),
    ),
    Preset(
        "puremco_42",
        "about 42 tiles in all hands, six arms",
        "zpag.net/Jeux/Dominos/pied_de_poulet.html",
        {"hand_size": {**_42, 9: 5, 10: 4}, "starter_arms": 6},
        ("what the visible part of the page does not say is as in seed",),
    ),
    Preset(
        "docslib",
        "about 42 tiles in all hands, six arms, all draw together, the double-blank costs 25",
        "docslib.org/doc/4134077/mexican-train-2-8-players",
        {
            "hand_size": {**_42, 9: 5, 10: 4},
            "starter_arms": 6,
            "starter_missing": "draw_together",
            "drawn_tile": "must",
            "double_blank_points": 25,
        },
        ("tapping the last tile is not modelled",),
    ),
    Preset(
        "mindshare_1999",
        "large hands, six arms, optional drawing, blanks cost 25, down to 0 and up again",
        "www.flash.net/~russellr/mindshare/humor/chknfoot.htm (archived 2002-01-03)",
        {
            "hand_size": _20_TO_6,
            "starter_arms": 6,
            "draw_when_stuck": "may",
            "blank_half_points": 25,
            "rounds": "down_and_up",
        },
        (
            "hands for three to seven players are those of about 42 tiles in all",
            "19 rounds; the page also offers ten: rounds=all_doubles",
        ),
    ),
    Preset(
        "ymimports",
        "about 42 tiles in all hands, eight arms, all draw together, a drawn tile must be laid",
        "www.ymimports.com/pages/how-to-play-chickenfoot-dominoes",
        {
            "hand_size": _42,
            "starter_arms": 8,
            "starter_missing": "draw_together",
            "drawn_tile": "must",
        },
        (
            "all sides of the centrepiece are eight arms; six or four are a matter of preference",
            "the optional 50 for the double-blank is charged",
        ),
    ),
    Preset(
        "gamerules",
        "starter set aside, the last one or two tiles stay in the boneyard",
        "browardyr.com/fr/chicken-foot-apprendre-a-jouer-avec-gamerules-com",
        {
            "hand_size": _42,
            "boneyard_reserve": {2: 2, **dict.fromkeys(range(3, 9), 1)},
            "starter_source": "set_aside",
            "lead_rule": "random",
            "starter_uses_turn": False,
            "drawn_tile": "must",
        },
        ("whoever found the starter before the deal begins, which is a random seat",),
    ),
    Preset(
        "onlinedominogames",
        "double-six, five tiles, the highest tile draws first, the double-blank costs nothing",
        "onlinedominogames.com/chickenfoot-dominoes",
        {
            "max_pip": 6,
            "hand_size": 5,
            "hunt_first": "highest_tile",
            "drawn_tile": "must",
            "double_blank_points": 0,
        },
    ),
    Preset(
        "cardsdice",
        "seven tiles for four or five players, else ten to twenty left in the boneyard",
        "www.cardsdicedominoes.com/chickenfoot-domino-rules.htm",
        {"hand_size": {2: 22, 3: 15, 4: 7, 5: 7, 6: 7, 7: 6, 8: 5, 9: 5, 10: 4}},
        ("the largest equal hands that leave at least ten tiles",),
    ),
    Preset(
        "htfbw_until",
        "the next lower double opens, a seat draws until it can play",
        "htfbw.com/games-cards/Games/76108.shtml",
        {
            "starter_missing": "next_lower_held",
            "draw_count": "until_playable",
            "drawn_tile": "must",
        },
        ("seven tiles for any number of players",),
    ),
    Preset(
        "ourpastimes_pass",
        "double-six, the highest double held opens, a drawn tile waits for the next turn",
        "ourpastimes.com/play-chicken-foot-dominoes-4530953.html",
        {"max_pip": 6, "hand_size": 5, "starter_rule": "highest_held", "drawn_tile": "no"},
    ),
    Preset(
        "reference_d6",
        "double-six, the highest double held opens, a drawn tile must be laid",
        "www.reference.com/hobbies-games/basic-rules-chickenfoot-dominoes-c109a193ebab8747",
        {"max_pip": 6, "hand_size": 5, "starter_rule": "highest_held", "drawn_tile": "must"},
    ),
    Preset(
        "domino_duel",
        "double-twelve, starter placed before the deal",
        "domino-duel.com/blog/chickenfoot",
        {
            "max_pip": 12,
            "starter_source": "set_aside",
            "lead_rule": "random",
            "starter_uses_turn": False,
        },
        ("a random seat begins each round",),
    ),
    Preset(
        "nathanlong",
        "starter set aside, the lead rotates, the first stuck seat ends the round",
        "github.com/nathanlong/rules (content/games/chickenfoot.md)",
        {
            "hand_size": {2: 14, 3: 10, 4: 7, 5: 6, 6: 5},
            "starter_source": "set_aside",
            "lead_rule": "rotate",
            "starter_uses_turn": False,
            "drawn_tile": "must",
            "block_rule": "first_stuck",
        },
        ("seat 0 begins; the call of the last tile is not modelled",),
    ),
    Preset(
        "hcherndon_house",
        "the highest double held that is still to open does, going out on a double costs 50",
        "github.com/hcherndon/chicken-foot-scoring",
        {"starter_rule": "highest_unplayed_held", "last_double": "penalty"},
        ("seven tiles, and the rest as in seed: the source is a score sheet",),
    ),
)
PRESETS: Final[Mapping[str, Preset]] = {preset.name: preset for preset in _ALL}
