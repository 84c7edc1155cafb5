"""The published rule sets: each is what was published, can be played, and names its source."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import pytest
from core.random_play import seeds

from chickenfoot_env import batch
from chickenfoot_env.game import GAME_OVER, problems
from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import MAX_PLAYERS, REFUSED, Rules, RulesError
from chickenfoot_env.rules_text import seat_counts

TABLE_42 = {2: 21, 3: 14, 4: 11, 5: 8, 6: 7, 7: 6, 8: 5}  # 42 tiles shared out, rounded
ASIDE = {"starter_source": "set_aside", "starter_uses_turn": False}  # the leader lays an arm

# The matrix of published variants, written down from it by hand: how each differs from seed. Not in
# it, as no field says it: several plays a turn, a hunt of so many laps, and the sibling games.
PUBLISHED: dict[str, dict[str, Any]] = {
    "seed": {},
    "seed_large": {"max_pip": 12},
    "wikipedia": {**ASIDE, "lead_rule": "lot", "drawn_tile": "must"},
    "pagat_d9": {"hand_size": {2: 12, 3: 11, 4: 10}},
    "pagat_d6": {"max_pip": 6, "hand_size": {2: 5, 3: 5}},
    "puremco": {
        "hand_size": {**TABLE_42, 2: 20, 8: 6},
        "starter_arms": 6,
        "starter_missing": "next_lower_held",
        "draw_when_stuck": "may",
    },
    "puremco_42": {"hand_size": {**TABLE_42, 9: 5, 10: 4}, "starter_arms": 6},
    "docslib": {
        "hand_size": {**TABLE_42, 9: 5, 10: 4},
        "starter_arms": 6,
        "starter_missing": "draw_together",
        "drawn_tile": "must",
        "double_blank_points": 25,
    },
    "mindshare_1999": {
        "hand_size": {**TABLE_42, 2: 20, 8: 6},
        "starter_arms": 6,
        "draw_when_stuck": "may",
        "blank_half_points": 25,
        "rounds": "down_and_up",
    },
    "ymimports": {
        "hand_size": TABLE_42,
        "starter_missing": "draw_together",
        "starter_arms": 8,
        "drawn_tile": "must",
    },
    "gamerules": {
        **ASIDE,
        "hand_size": TABLE_42,
        "lead_rule": "random",
        "drawn_tile": "must",
        "boneyard_reserve": {2: 2, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1},
    },
    "onlinedominogames": {
        "max_pip": 6,
        "hand_size": 5,
        "hunt_first": "highest_tile",
        "drawn_tile": "must",
        "double_blank_points": 0,
    },
    "cardsdice": {"hand_size": {2: 22, 3: 15, 4: 7, 5: 7, 6: 7, 7: 6, 8: 5, 9: 5, 10: 4}},
    "htfbw_until": {
        "starter_missing": "next_lower_held",
        "draw_count": "until_playable",
        "drawn_tile": "must",
    },
    "ourpastimes_pass": {
        "max_pip": 6,
        "hand_size": 5,
        "starter_rule": "highest_held",
        "drawn_tile": "no",
    },
    "reference_d6": {
        "max_pip": 6,
        "hand_size": 5,
        "starter_rule": "highest_held",
        "drawn_tile": "must",
    },
    "domino_duel": {**ASIDE, "max_pip": 12, "lead_rule": "random"},
    "nathanlong": {
        **ASIDE,
        "hand_size": {2: 14, 3: 10, 4: 7, 5: 6, 6: 5},
        "lead_rule": "rotate",
        "drawn_tile": "must",
        "block_rule": "first_stuck",
    },
    "hcherndon_house": {"starter_rule": "highest_unplayed_held", "last_double": "penalty"},
}

TABLES = [(name, players) for name in PRESETS for players in seat_counts(name)]
every_preset = pytest.mark.parametrize("name", PRESETS)


def test_every_published_rule_set_is_there() -> None:
    assert list(PRESETS) == list(PUBLISHED)
    assert all(preset.name == name for name, preset in PRESETS.items())


@every_preset
def test_a_preset_is_what_was_published(name: str) -> None:
    assert PRESETS[name].fields == PUBLISHED[name]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_a_preset_differs_from_seed_in_its_fields_alone(name: str, players: int) -> None:
    """Those whose value at this table happens to be the default are no difference."""
    wanted = {"players": players}
    for field, value in PUBLISHED[name].items():
        wanted[field] = value[players] if isinstance(value, Mapping) else value
    seed = dataclasses.asdict(Rules())
    assert Rules.preset(name, players=players).differences() == {
        field: value for field, value in wanted.items() if value != seed[field]
    }


@every_preset
def test_a_preset_covers_every_table_of_its_source(name: str) -> None:
    """Those that its mapping names; without one, those whose tiles the set has, up to twelve."""
    mappings = [value for value in PUBLISHED[name].values() if isinstance(value, Mapping)]
    for mapping in mappings:
        assert seat_counts(name) == tuple(mapping)
    if not mappings:
        fields = {"max_pip": 9, "hand_size": 7, **PUBLISHED[name]}
        tiles = (fields["max_pip"] + 1) * (fields["max_pip"] + 2) // 2
        tiles -= "starter_source" in fields
        most = min(tiles // fields["hand_size"], MAX_PLAYERS)
        assert seat_counts(name) == tuple(range(2, most + 1))


@every_preset
def test_other_tables_are_refused_with_those_there_are(name: str) -> None:
    counts = seat_counts(name)
    if (players := counts[-1] + 1) > MAX_PLAYERS:
        return
    with pytest.raises(RulesError) as caught:
        Rules.preset(name, players=players)
    listed = f"{name} is not for {players} players; it covers {', '.join(map(str, counts))}"
    assert str(caught.value) == listed or f"at most {counts[-1]} players" in str(caught.value)


@every_preset
def test_games_of_every_table_end(name: str) -> None:
    """Random games, with all that a record promises at their end."""
    for players in seat_counts(name):
        rules = Rules.preset(name, players=players)
        for stride in {0, rules.private_stride}:
            games = batch.deal(rules, seeds(20), stride)
            batch.random_playout(games, seeds(20, 100))
            assert (games["over"] == GAME_OVER).all()
            assert (games["round"] + 1 == len(rules.starters)).all()
            assert [fault for game in games for fault in problems(game)] == []


@every_preset
def test_a_preset_names_its_source_and_has_a_title(name: str) -> None:
    preset = PRESETS[name]
    assert re.match(r"[a-z0-9-]+(\.[a-z0-9-]+)+/", preset.source)
    assert preset.title and "\n" not in preset.title and not preset.title.endswith(".")
    assert all(preset.assumed) and isinstance(preset.assumed, tuple)


@pytest.mark.parametrize("name", REFUSED)
def test_a_published_rule_that_is_not_supported_is_refused_by_name(name: str) -> None:
    with pytest.raises(RulesError, match=f"^{name}: .*not supported") as caught:
        Rules.preset("seed", **{name: 2})
    assert str(caught.value) == f"{name}: {REFUSED[name]}"
