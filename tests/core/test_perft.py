"""Perft: both engines count as many ways to play on from fixed deals of the presets.

The numbers are pinned, so that they also tell that a later version plays by the same rules.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import pytest
from core.lockstep import Table
from core.perft import kernel_counts, reference_counts

from chickenfoot_env.rules import Rules


class Deal(NamedTuple):
    """A deal of a preset with small hands, and how many action sequences of each length follow."""

    preset: str
    players: int
    hand_size: int
    seed: int
    counts: tuple[int, ...]  # of the lengths 1, 2, ...

    def table(self) -> Table:
        """The game in both engines."""
        rules = Rules.preset(self.preset, players=self.players, hand_size=self.hand_size)
        return Table(rules, self.seed, 0)

    def within(self, most: int) -> int:
        """The depth down to which there are at most so many sequences of all lengths."""
        return sum(count <= most for count in accumulate(self.counts))


# fmt: off
DEALS = [
    Deal("seed", 2, 3, 1, (
        3, 12, 24, 72, 1020, 11328, 116748,
    )),
    Deal("pagat_d6", 3, 4, 2, (
        2, 2, 4, 4, 14, 20, 32, 46, 46, 66, 82, 152, 180, 320, 330, 448, 640, 694, 802, 916, 1390,
        3970, 13296, 24632, 35016, 73986, 145500,
    )),
    Deal("puremco", 3, 4, 1, (
        1, 2, 2, 3, 5, 8, 13, 21, 35, 58, 93, 146, 230, 365, 577, 909, 1432, 2254, 3556, 5661, 9134,
        14954, 24776, 41259, 68500, 112686,
    )),
    Deal("docslib", 3, 4, 1, (
        2, 2, 8, 8, 8, 8, 24, 24, 24, 24, 24, 192, 2396, 30944, 170852,
    )),
    Deal("mindshare_1999", 3, 4, 1, (
        2, 2, 8, 8, 16, 32, 72, 120, 192, 1068, 13680, 107460,
    )),
    Deal("ymimports", 3, 4, 1, (
        2, 2, 8, 8, 8, 8, 24, 24, 24, 24, 24, 48, 48, 48, 48, 48, 48, 1200, 25104, 200304,
    )),
    Deal("gamerules", 3, 4, 2, (
        1, 1, 1, 3, 3, 3, 3, 3, 6, 6, 6, 6, 6, 6, 24, 114, 126, 126, 168, 330, 342, 462, 978, 1134,
        1200, 1542, 1974, 2148, 2292, 2292, 2292, 2388, 2874, 5274, 8196, 18738, 56760, 85266,
        155436,
    )),
    Deal("onlinedominogames", 2, 3, 1, (
        1, 2, 2, 2, 2, 18, 82, 410, 1410, 4970, 12556, 30708, 54240, 103078,
    )),
    Deal("htfbw_until", 3, 4, 2, (
        2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 10, 98, 170, 204, 970, 1220, 1356, 1398, 1464,
        1788, 2438, 3076, 3556, 3820, 4884, 8040, 9538, 18400, 25752, 51536, 130846,
    )),
    Deal("ourpastimes_pass", 3, 4, 1, (
        1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 12, 94, 180, 706, 3388, 3934, 5884, 13192,
        20264, 53566, 180378,
    )),
    Deal("nathanlong", 3, 4, 2, (
        1, 1, 3, 3, 3, 3, 6, 6, 6, 6, 6, 6, 18, 84, 90, 90, 120, 246, 306, 336, 510, 672, 726, 750,
        786, 1248, 1296, 1326, 1368, 1404, 1596, 2322, 4098, 8982, 22680, 53130, 106626,
    )),
    Deal("hcherndon_house", 3, 4, 2, (
        2, 4, 4, 4, 4, 4, 20, 52, 72, 180, 212, 228, 244, 300, 468, 508, 560, 676, 820, 884, 920,
        920, 1244, 2060, 2768, 6076, 12568, 31160, 67520, 118112,
    )),
]
# fmt: on

every_deal = pytest.mark.parametrize("deal", DEALS, ids=lambda deal: deal.preset)


@every_deal
def test_kernels_count_the_pinned_numbers(
    deal: Deal, record_property: pytest.RecordProperty
) -> None:
    """Down to about 100,000 sequences of the greatest length."""
    counts = kernel_counts(deal.table().dealt(), len(deal.counts))
    record_property("sequences", sum(counts))
    assert tuple(counts) == deal.counts
    assert counts[-1] >= 90_000


@every_deal
def test_the_reference_counts_the_pinned_numbers(deal: Deal) -> None:
    """Down to about 2500 sequences."""
    depth = deal.within(2_500)
    assert depth >= 5
    assert tuple(reference_counts(deal.table().game, depth)) == deal.counts[:depth]


@pytest.mark.slow
@every_deal
def test_the_reference_counts_more_of_the_pinned_numbers(deal: Deal) -> None:
    """Down to about 60,000 sequences."""
    depth = deal.within(60_000)
    assert tuple(reference_counts(deal.table().game, depth)) == deal.counts[:depth]


def test_a_finished_game_has_no_way_on() -> None:
    """One round of hands of one tile: some ways end early, and none goes on behind the end."""
    rules = Rules(players=2, max_pip=2, hand_size=1, starter_arms=1, toes=1, rounds=(2,))
    counts = set()
    for seed in range(40):
        table = Table(rules, seed, 0)
        ways = kernel_counts(table.dealt(), 50)
        assert ways == reference_counts(table.game, 50)
        counts.add(tuple(ways))
    assert () in counts, "hands that are empty with the deal"
    assert any(len(ways) > 3 and ways[-1] < max(ways) for ways in counts)
