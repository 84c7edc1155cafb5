"""Two results files side by side: has an agent become better since?

Where both are of one tournament seed and the same rules, they have their deals in common, and the
difference of an agent's margins is taken deal by deal: what is luck of the deal cancels. Else it is
the difference of two means, by Welch's t-test, and much less certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from experiments import results, statistics
from experiments.figures import MOST_FAULTS, interval
from experiments.report.names import MARK, YARDSTICK, marked
from experiments.results import Results
from experiments.statistics import CONFIDENCE, Estimate
from experiments.statistics.paired import ALPHA, sign_flip
from experiments.store import StoreError

if TYPE_CHECKING:
    from rich.table import Table


def comparison(before: Path, after: Path) -> dict[str, Any]:
    """What became of the agents that are in both files.

    Args:
        before: a results file.
        after: another one.

    Returns:
        JSON values, as in `figures.summary`. "paired" says whether differences are deal by deal,
        "deals" of how many deals that both have; None if they are not. Of each agent "difference"
        is the margin in `after` minus that in `before`, with its p-value, alone and corrected for
        the number of agents ("holm"), both None for a single deal; "significant" judges by the
        latter. Agents that see hidden tiles ("cheats") come last. "warnings" say what else is not
        the same.

    Raises:
        StoreError: as `summary`, or if no agent is in both files.
    """
    old, new = (results.load(path) for path in (before, after))
    names = [label for label in old.labels if label in new.labels]
    if not names:
        raise StoreError(
            f"nothing to compare, no agent is in both files: {before} has "
            f"{', '.join(old.labels)}, and {after} has {', '.join(new.labels)}"
        )
    common = _common_deals(old, new)
    rows = [_agent(old, new, name, common) for name in names]
    known = [row for row in rows if row["p"] is not None]
    wrong = _invalid(old, new)
    corrected = statistics.holm([row["p"] for row in known])
    for row, chance in zip(known, corrected, strict=True):
        row["holm"] = chance
        row["significant"] = chance < ALPHA and row["name"] not in wrong
    return {
        "before": str(before),
        "after": str(after),
        "paired": common is not None,
        "deals": common,
        "agents": sorted(rows, key=lambda row: (row["cheats"], -row["after"])),
        "warnings": [*wrong.values(), *_different(old, new)],
    }


def table(compared: dict[str, Any]) -> Table:
    """A comparison, for a terminal."""
    from rich import box
    from rich.table import Table

    deals = "deal" if compared["deals"] == 1 else "deals"
    how = f"on {compared['deals']:,} common {deals}" if compared["paired"] else "of other deals"
    yardsticks = any(row["cheats"] for row in compared["agents"])
    board = Table(
        title=f"before: {compared['before']}\nafter: {compared['after']}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        caption=f"{MARK} {YARDSTICK}" if yardsticks else None,
        caption_justify="left",
    )
    board.add_column("agent", overflow="fold")
    for name in ("margin before", "margin after", f"difference\n{how}", "p,\ncorrected"):
        board.add_column(name, justify="right")
    for row in compared["agents"]:
        board.add_row(
            marked(row),
            *(_shown(row, name) for name in ("before", "after", "difference")),
            "-" if row["holm"] is None else f"{row['holm']:.2g}{'*' if row['significant'] else ''}",
        )
    return board


def _shown(row: dict[str, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    between = "-" if low is None else f"{low:+.1f} to {high:+.1f}"
    return f"{row[name]:+.1f} ({between})"


def _common_deals(old: Results, new: Results) -> int | None:
    """How many deals are the same in both; None if they are of another seed or other rules."""
    if any(old.meta[key] != new.meta[key] for key in ("seed", "rules")):
        return None
    return min(len(old.tally.games), len(new.tally.games))


def _agent(old: Results, new: Results, name: str, common: int | None) -> dict[str, Any]:
    margins = [
        statistics.margins(held.tally)[:, held.labels.index(name)] for held in (old, new)
    ]  # each (D,)
    seeds = (old.meta["seed"], new.meta["seed"])
    earlier, later = (
        statistics.estimate(one, seed) for one, seed in zip(margins, seeds, strict=True)
    )
    if common is not None:
        found = margins[1][:common] - margins[0][:common]
        difference = statistics.estimate(found, seeds[0])
        chance = sign_flip(found, seeds[0]) if common > 1 else None
    else:
        difference, chance = _welch(*margins)
    return {
        "name": name,
        "cheats": any(held.cheats[held.labels.index(name)] for held in (old, new)),
        **interval("before", earlier),
        **interval("after", later),
        **interval("difference", difference),
        "p": chance,
        "holm": None,
        "significant": False,
    }


def _welch(
    before: NDArray[np.float64], after: NDArray[np.float64]
) -> tuple[Estimate, float | None]:
    """The difference of two means with its interval, and its p-value."""
    mean = float(after.mean() - before.mean())
    if min(len(before), len(after)) < 2:
        return Estimate(mean, None, None), None
    if np.ptp(before) == 0 == np.ptp(after):
        return Estimate(mean, mean, mean, "constant"), float(mean == 0)
    found = stats.ttest_ind(after, before, equal_var=False)
    ends = found.confidence_interval(CONFIDENCE)
    return Estimate(mean, float(ends.low), float(ends.high), "t"), float(found.pvalue)


def _invalid(old: Results, new: Results) -> dict[str, str]:
    """Of each agent in both files that forfeited too many games in one, what is to be said."""
    found = {}
    for when, held in (("before", old), ("after", new)):
        games = held.tally.games.sum(axis=(0, 1)).tolist()
        for name, faults, played in zip(held.labels, held.faults, games, strict=True):
            if name in _both(old, new) and faults > MOST_FAULTS * played:
                found[name] = (
                    f"{name} forfeited {faults:,} of its {played:,} games {when}, more than "
                    f"{100 * MOST_FAULTS:g} %: no difference of it counts as significant"
                )
    return found


def _different(old: Results, new: Results) -> Iterator[str]:
    """What the two files do not have in common, a line each."""
    one, other = old.meta, new.meta
    changed = [
        f"{name} {one['rules'].get(name)} before and {other['rules'].get(name)} after"
        for name in sorted({*one["rules"], *other["rules"]})
        if one["rules"].get(name) != other["rules"].get(name)
    ]
    if changed:
        yield f"the rules differ: {', '.join(changed)}: margins of other games are not alike"
    if one["seed"] != other["seed"]:
        yield f"the seeds differ, {one['seed']} and {other['seed']}: the deals are not the same"
    for name in ("chickenfoot", "numpy"):
        if one.get(name) != other.get(name):
            yield f"{name} was {one.get(name)} before and is {other.get(name)} after"
    installed = [meta.get("installed", {}) for meta in (one, other)]
    for name in sorted({*installed[0], *installed[1]}):
        was, is_ = (versions.get(name, "none") for versions in installed)
        if was != is_ and name in {label.partition(":")[0] for label in _both(old, new)}:
            yield f"{name} was {was} before and is {is_} after"
    alone = sorted({*old.labels} ^ {*new.labels})
    if alone:
        yield f"not in both files: {', '.join(alone)}: margins are against other opponents"
    for name in ("format", "seatings"):
        formats = [meta.get(name) for meta in (one, other)]
        if formats[0] != formats[1]:
            yield f"the {name} was {formats[0]} before and {formats[1]} after"


def _both(old: Results, new: Results) -> set[str]:
    return {*old.labels} & {*new.labels}
