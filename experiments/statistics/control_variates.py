"""Control variates: what is known to be luck of the deal is taken out of a mean, without bias.

A feature x of a deal has a mean that is known exactly. If a margin y goes up and down with it, then
y - b (x - mean x) has the mean of y and varies less, whatever the number b, if only it does not
depend on the same deal. So b is fitted by least squares to the other folds of deals
(cross-fitting), which leaves no bias at all: E[b (x - mean x)] = E[b] E[x - mean x] = 0.

Source: Owen, Monte Carlo theory, methods and examples, chapter 8, 2013; the folds: Avramidis and
Wilson, A splitting scheme for control variates, 1993.

D deals, F features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.statistics.intervals import Estimate, estimate

FOLDS: Final = 10
FEWEST: Final = 200  # deals; with less, what b costs is more than it gains


@dataclass(frozen=True)
class Adjusted:
    """A mean with luck taken out.

    Attributes:
        value: the adjusted mean.
        gain: variance of a deal's figure before over after; as many times fewer deals give the same
            interval. Below 1 it has lost a little.
    """

    value: Estimate
    gain: float


def adjusted(
    observations: NDArray[np.float64], centred: NDArray[np.float64], seed: int = 0
) -> Adjusted | None:
    """The mean of observations, less what the features explain.

    Args:
        observations: (D,), one a deal.
        centred: (D, F), features less their known means.
        seed: of the resamples.

    Returns:
        None with fewer than FEWEST deals, no feature that varies, or nothing to explain.
    """
    varying = centred[:, np.ptp(centred, axis=0) > 0]
    before = observations.var()
    if len(observations) < FEWEST or varying.shape[1] == 0 or before == 0:
        return None
    left = observations - explained(observations, varying)
    return Adjusted(estimate(left, seed), float(before / left.var()) if left.var() else np.inf)


def explained(
    observations: NDArray[np.float64], centred: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What each deal's features explain of it, by what the other folds show: (D,)."""
    fold = np.arange(len(observations)) % FOLDS
    found = np.empty(len(observations))
    for number in range(FOLDS):
        here, others = fold == number, fold != number
        with_mean = np.column_stack([np.ones(others.sum()), centred[others]])
        slopes = np.linalg.lstsq(with_mean, observations[others], rcond=None)[0][1:]
        found[here] = centred[here] @ slopes
    return found
