"""The distribution over legal actions, beside MaskablePPO's own."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch  # these are not installed everywhere
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from scipy import stats

from agents.ppo.policy import LegalActions

ROWS, ACTIONS = 64, 102


def logits_and_masks() -> tuple[torch.Tensor, np.ndarray]:
    """Logits that grow from row to row, up to where all but one action have probability 0."""
    rng = np.random.default_rng(1)
    spread = np.geomspace(0.1, 200.0, ROWS)[:, None]
    masks = rng.random((ROWS, ACTIONS)) < 0.06
    masks[np.arange(ROWS), rng.integers(0, ACTIONS, ROWS)] = True
    logits = torch.tensor(spread * rng.normal(size=(ROWS, ACTIONS)), dtype=torch.float32)
    return logits.requires_grad_(), masks


@pytest.mark.parametrize("is_masked", [True, False])
def test_it_is_maskable_ppos(is_masked: bool) -> None:
    """Probabilities, entropy, mode, and the gradients of both."""
    found, gradients = [], []
    for kind in (LegalActions, MaskableCategoricalDistribution):
        logits, masks = logits_and_masks()
        distribution = kind(ACTIONS).proba_distribution(logits)
        if is_masked:
            distribution.apply_masking(masks)
        likeliest = distribution.mode()
        values = torch.stack([distribution.log_prob(likeliest), distribution.entropy()])
        weights = torch.linspace(-1.0, 1.0, 2 * ROWS).view(2, ROWS)
        (weights * values).sum().backward()
        assert logits.grad is not None
        gradients.append(logits.grad.numpy())
        found.append((likeliest.numpy(), values.detach().numpy()))
    (likeliest, ours), (theirs_likeliest, theirs) = found
    assert (likeliest == theirs_likeliest).all()
    assert ours == pytest.approx(theirs, abs=1e-5)
    assert gradients[0] == pytest.approx(gradients[1], abs=1e-5)
    assert np.ptp(ours[1]) > 1.0  # from sure to undecided
    if is_masked:
        assert (gradients[0][~masks] == 0.0).all()


def test_samples_follow_the_probabilities() -> None:
    """By a chi-square over one row, and none of them is illegal."""
    torch.manual_seed(1)
    logits, masks = logits_and_masks()
    row, draws = 20, 20_000
    distribution = LegalActions(ACTIONS).proba_distribution(
        logits[row].detach().expand(draws, ACTIONS)
    )
    distribution.apply_masking(np.tile(masks[row], (draws, 1)))
    counts = np.bincount(distribution.sample().numpy(), minlength=ACTIONS)
    legal = np.flatnonzero(masks[row])
    shares = logits[row].detach()[legal].softmax(0).double().numpy()
    assert counts[legal].sum() == draws and len(legal) > 3
    expected = draws * shares / shares.sum()
    assert stats.chisquare(counts[legal], expected).pvalue > 0.001
    assert stats.chisquare(counts[legal], expected[::-1]).pvalue < 1e-9  # it can fail


@pytest.mark.parametrize("number", [0.0, 1.0 - 2.0**-24, 1.0])
def test_no_random_number_leads_to_an_illegal_action(
    number: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least and the greatest that torch.rand gives, and 1, to which another may round."""
    monkeypatch.setattr(torch, "rand", lambda *shape, device: torch.full(shape, number))
    logits, masks = logits_and_masks()
    masks[:, [0, -1]] = False
    masks[:, 50] = True
    distribution = LegalActions(ACTIONS).proba_distribution(logits.detach())
    distribution.apply_masking(masks)
    sampled = distribution.sample()
    assert masks[np.arange(ROWS), sampled.numpy()].all()
    assert (distribution.log_prob(sampled) > -200.0).all()
