"""The environment's page, the docstring of its module, tells the truth."""

from __future__ import annotations

import doctest
import re

import numpy as np
from playing import turns

from chickenfoot_env import chickenfoot_v0, encode, env
from chickenfoot_env.rewards import FORFEIT_PIPS
from chickenfoot_env.rules import Rules

PAGE = env.__doc__ or ""


def test_the_example_runs() -> None:
    result = doctest.testmod(env)
    assert result.attempted > 4
    assert result.failed == 0


def test_the_observation_table_is_that_of_the_features() -> None:
    rows = re.findall(r"^    (\w+) +(\d+):(\d+) +(\S.*)$", PAGE, re.MULTILINE)
    found = [(name, slice(int(start), int(stop)), text) for name, start, stop, text in rows]
    assert found == [(block.name, block.slice, block.meaning) for block in encode.FEATURES]


def test_the_action_table_names_the_ids_of_a_double_nine_set() -> None:
    rules = Rules()
    assert f"{rules.draw}; legal if nothing" in PAGE
    assert f"{rules.pass_}; legal if nothing else" in PAGE
    assert f"``Discrete(A)``, {rules.actions} with" in PAGE
    attach, free = divmod(57, rules.pips)
    assert f"57 lays the tile 5-7 on a {attach}" in PAGE
    assert free == 7


def test_every_keyword_is_on_the_page() -> None:
    with_defaults = chickenfoot_v0.raw_env()
    for owner in (with_defaults.rules, with_defaults.settings):
        for name in owner.__dataclass_fields__:
            assert re.search(rf"\b{name}\b", PAGE), name
    assert f"pays {FORFEIT_PIPS:.0f} pips" in PAGE
    assert all(f'"{mode}"' in PAGE for mode in with_defaults.metadata["render_modes"])


def test_every_key_of_an_info_is_on_the_page(rng: np.random.Generator) -> None:
    table = chickenfoot_v0.raw_env(on_illegal="forfeit", rounds=(9, 8))
    table.reset(seed=1)
    keys = {key for turn in turns(table, rng) for key in turn.info}
    assert keys == {"action_mask", "illegal_actions", "outcome", "round_outcome"}
    assert all(f'"{key}"' in PAGE for key in keys)
