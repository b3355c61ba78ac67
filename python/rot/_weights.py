"""The weight program for training loops, on NumPy arrays and PyTorch tensors."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import is_tensor, vector
from ._errors import InputError
from ._solve import radius


def weights(scores: Any, rho: Optional[float] = None, *, gamma: Optional[float] = None, differentiable: bool = False) -> Any:
    """Weights that take from high scores what the chi-square ball allows.

    They minimize Σ scores·w over w ≥ 0 with mean 1 and (1/2n) Σ (w − 1)² ≤ rho,
    exactly. `gamma`, the share of samples that may get weight 0, stands for
    rho = gamma / (2(1 − gamma)).

    Tensors stay on their device, and keep their type. Their weights are detached
    from the graph, as losses Σ w·scores need: at the optimum a change of the
    weights does not change that sum. With `differentiable` they have a gradient,
    which exists wherever no score lies at the edge of weight 0.

    >>> import rot
    >>> rot.weights([1.0, 2.0, 1.0, 90.0], rho=0.125).round(2)
    array([1.29, 1.28, 1.29, 0.13])
    """
    r = radius(gamma, rho)
    if not r >= 0:
        raise InputError(f"rho {r} is not 0 or more")
    if is_tensor(scores):
        return _tensor_weights(scores, r, differentiable)
    s = vector(scores, "scores")
    if s is None:
        raise InputError("there are no scores")
    if not np.isfinite(s).all():
        raise InputError(f"score {int(np.argmin(np.isfinite(s)))} is not finite")
    r = min(r, len(s))  # far beyond what concentrates all mass on one score
    low = s.min()
    span = s.max() - low
    if span == 0 or r == 0:
        return np.ones_like(s)
    s = (s - low) / span  # so that squares neither vanish nor overflow
    k, cut = _active(np.sort(s), r, np)
    on = s < cut if k < len(s) else np.ones(len(s), bool)
    return _spread(s, on, k, r, np)


def _active(s: Any, rho: float, xp: Any) -> Any:
    """How many of the sorted scores have weight, and the score of the first without.

    Weights are proportional to max(0, t − s) for some t. At t = s[k] their mean
    square is n·B/A² with A = Σ (t − s) and B = Σ (t − s)², sums of terms of one
    sign, and falls in t: the first k at which it is at most 1 + 2ρ is the one.
    """
    n = len(s)
    d = s[1:] - s[:-1]
    count = xp.arange(1, n, dtype=s.dtype) if xp is np else xp.arange(1, n, dtype=s.dtype, device=s.device)
    a = xp.cumsum(count * d, 0)
    before = xp.concatenate((a[:1] * 0, a[:-1])) if xp is np else xp.cat((a[:1] * 0, a[:-1]))
    b = xp.cumsum(2 * d * before + count * d * d, 0)
    reached = (a > 0) & (n * b <= (1 + 2 * rho) * a * a)
    if not bool(reached.any()):
        return n, None
    k = int(reached.argmax() if xp is np else reached.to(xp.uint8).argmax()) + 1
    return k, s[k]


def _spread(s: Any, on: Any, k: int, rho: float, xp: Any) -> Any:
    """The weights of an active set of k scores: n/k + (mean − s)/λ inside, 0 outside."""
    n = len(s)
    mean = s[on].sum() / k
    square = ((s[on] - mean) ** 2).sum()
    room = n * (1 + 2 * rho) - n * n / k
    if not bool(square > 0) or room <= 0:
        w = xp.where(on, xp.ones_like(s) * (n / k), xp.zeros_like(s))
    else:
        w = xp.where(on, n / k + (mean - s) * xp.sqrt(room / square), xp.zeros_like(s))
    return w.clip(0) if xp is np else w.clamp(min=0)


def _tensor_weights(scores: Any, rho: float, differentiable: bool) -> Any:
    import torch

    s = scores if differentiable else scores.detach()
    if s.numel() == 0:
        raise InputError("there are no scores")
    shape, kind = s.shape, s.dtype
    s = s.reshape(-1)
    if s.device.type != "mps":  # which has no float64
        s = s.double()
    if not bool(torch.isfinite(s).all()):
        raise InputError("a score is not finite")
    rho = min(rho, s.numel())
    low = s.min().detach()
    span = (s.max() - low).detach()
    if rho == 0 or not bool(span > 0):
        return torch.ones_like(s).to(kind).reshape(shape) + 0 * scores if differentiable else torch.ones_like(s).to(kind).reshape(shape)
    s = (s - low) / span
    k, cut = _active(torch.sort(s.detach())[0], rho, torch)
    on = s.detach() < cut if k < len(s) else torch.ones_like(s, dtype=torch.bool)
    return _spread(s, on, k, rho, torch).to(kind).reshape(shape)
