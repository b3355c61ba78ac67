"""Transport on a line, in closed form."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import is_tensor, numbers
from ._errors import InputError


def wasserstein_1d(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None, p: float = 1, require_sort: bool = True) -> Any:
    """The p-th power of the p-Wasserstein distance between samples on a line.

    Further dimensions are problems of their own, as in POT, and the answer has
    their shape. Tensors stay tensors, with gradients. Weights are taken relative
    to their sum.

    >>> import rot
    >>> float(rot.wasserstein_1d([0.0, 1.0], [2.0, 5.0])), float(rot.wasserstein_1d([0.0, 1.0], [2.0, 5.0], p=2))
    (3.0, 10.0)
    """
    if not p >= 1:
        raise InputError(f"order p = {p} is below 1")
    if is_tensor(u_values):
        import torch

        return _cost(u_values, torch.as_tensor(v_values), u_weights, v_weights, p, require_sort, torch)
    u, v = numbers(u_values, "u_values"), numbers(v_values, "v_values")
    wu = None if u_weights is None else numbers(u_weights, "u_weights")
    wv = None if v_weights is None else numbers(v_weights, "v_weights")
    for name, x in (("u_values", u), ("v_values", v)):
        if not x.shape or not len(x):
            raise InputError(f"{name} has no entries")
        if not np.isfinite(x).all():
            raise InputError(f"{name}, entry {int(np.argmin(np.isfinite(x)))}: not a finite number")
    return _cost(u, v, wu, wv, p, require_sort, np)


def _cost(u: Any, v: Any, wu: Optional[Any], wv: Optional[Any], p: float, require_sort: bool, xp: Any) -> Any:
    """∫ |U(q) − V(q)|^p dq of the quantile functions U and V."""
    if u.shape[1:] != v.shape[1:]:
        raise InputError(f"values of the shapes {tuple(u.shape)} and {tuple(v.shape)} are not of as many problems")
    u, cu = _sorted(u, wu, "u_weights", require_sort, xp)
    v, cv = _sorted(v, wv, "v_weights", require_sort, xp)
    q = xp.sort(xp.concatenate((cu, cv)), 0)
    q = q if xp is np else q.values
    steps = xp.concatenate((q[:1], q[1:] - q[:-1]))
    diff = abs(_quantiles(q, cu, u, xp) - _quantiles(q, cv, v, xp))
    return (steps * (diff if p == 1 else diff**p)).sum(0)


def _sorted(x: Any, w: Optional[Any], name: str, sort: bool, xp: Any) -> Any:
    """The values in order, and their cumulated weights, which end at 1."""
    if w is None:
        w = xp.ones_like(x)
    else:
        if len(w) != len(x):
            raise InputError(f"{name} has {len(w)} weights for {len(x)} values")
        if w.ndim < x.ndim:
            w = w.reshape(tuple(w.shape) + (1,) * (x.ndim - w.ndim)) * xp.ones_like(x)
        if not bool((w >= 0).all()) or not bool((w.sum(0) > 0).all()):
            raise InputError(f"{name} has an entry below 0, or none above")
    if sort:
        order = xp.argsort(x, 0)
        take = np.take_along_axis if xp is np else xp.take_along_dim
        x, w = take(x, order, 0), take(w, order, 0)
    c = xp.cumsum(w, 0)
    return x, c / c[-1:]


def _quantiles(q: Any, c: Any, x: Any, xp: Any) -> Any:
    """The first of the sorted values whose cumulated weight reaches q."""
    n = len(x)
    if xp is np:
        flat = [np.searchsorted(a, b) for a, b in zip(c.reshape(n, -1).T, q.reshape(len(q), -1).T)]
        index = np.minimum(np.stack(flat, 1).reshape(q.shape), n - 1)
        return np.take_along_axis(x, index, 0)
    index = xp.searchsorted(c.detach().movedim(0, -1).contiguous(), q.detach().movedim(0, -1).contiguous()).movedim(-1, 0)
    return xp.take_along_dim(x, index.clamp(max=n - 1), 0)
