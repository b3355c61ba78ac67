"""Scores of rows as a function of the row, learned from a sample.

The sample is ranked by robust transport to itself (package clean of the Go
library); rows that have weight then make cores, and a row's score is its mean
distance to the nearest points of random cores: half of them means of many rows,
which a clump of outliers does not reach, and half single rows, which see the
gaps of the data.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, List, Optional, Tuple

import numpy as np

from ._client import request

MIN_ROWS = 4
_POOL = 1000
_COARSE, _COARSE_POINTS, _CORE = 16, 32, 75
_FINE, _FINE_POINTS, _FINE_NEAR = 8, 256, 3
_TRIM, _BEND = 0.005, 20.0
_BULK = (0.1, 0.8, 60, 30)  # quantiles from, to, how many of them, and the least number of rows


def fit_weights(x: np.ndarray, gamma: float, seed: int, progress: Any = False) -> np.ndarray:
    """Chi-square weights of the rows that could leave out a share gamma."""
    return request("find", {"gamma": gamma, "seed": seed}, {"X": x}, lambda _, arrays: arrays["weight"], progress)


class RowScorer:
    """What makes a row of the sample usual, learned by fit."""

    def __init__(self, x: np.ndarray, seed: int = 0, progress: Any = False):
        self.centre, self.spread = _units(x)
        rows = self._scaled(x)
        w = fit_weights(x, 0.5, seed, progress)
        rng = np.random.default_rng(seed)
        self.cores: List[Tuple[np.ndarray, int]] = []
        for k in range(_COARSE + _FINE):
            pool = rng.permutation(len(rows))[:_POOL]
            coarse = k < _COARSE
            points = min(_COARSE_POINTS if coarse else _FINE_POINTS, max(1, len(pool) // 2))
            keys = rng.exponential(size=len(pool)) / (w[pool] + 1e-6)
            drawn = pool[np.argsort(keys)[:points]]
            core = _means(rows, pool, drawn, w) if coarse else rows[drawn]
            self.cores.append((core, 1 if coarse else min(_FINE_NEAR, len(core))))
        h = self._costs(rows)
        self.units = [_middle(c) for c in h.T]
        self.last = (0.0, 1.0)
        self.last = _middle(self._combined(h))

    def score(self, x: np.ndarray) -> np.ndarray:
        """One number a row, high for a suspect; the middle row of the sample has 0."""
        middle, unit = self.last
        return (self._combined(self._costs(self._scaled(x))) - middle) / unit

    def _combined(self, h: np.ndarray) -> np.ndarray:
        z = np.stack([(c - m) / u for c, (m, u) in zip(h.T, self.units)], 1)
        return z[:, :_COARSE].mean(1) + z[:, _COARSE:].mean(1)

    def _scaled(self, x: np.ndarray) -> np.ndarray:
        z = (x - self.centre) / self.spread
        size = np.abs(z)
        far = _BEND * (1 + np.log(np.maximum(size, _BEND) / _BEND))
        return np.where(size > _BEND, np.sign(z) * far, z)

    def _costs(self, rows: np.ndarray) -> np.ndarray:
        from scipy.spatial.distance import cdist

        out = np.empty((len(rows), len(self.cores)))
        for k, (core, near) in enumerate(self.cores):
            for at in range(0, len(rows), 4096):
                d = cdist(rows[at : at + 4096], core)
                out[at : at + 4096, k] = d.min(1) if near == 1 else np.partition(d, near - 1, axis=1)[:, :near].mean(1)
        return out


def _units(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """The centre and the spread of each column, without its extremes."""
    low, high = np.quantile(x, [_TRIM, 1 - _TRIM], axis=0)
    wide = high > low
    kept = np.where(wide, np.clip(x, low, high), x)
    spread = kept.std(0)
    return kept.mean(0), np.where(spread > 0, spread, 1.0)


def _means(rows: np.ndarray, pool: np.ndarray, drawn: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Each drawn row as the weighted mean of its nearest in the pool."""
    from scipy.spatial.distance import cdist

    k = max(1, min(_CORE, len(pool) // 4))
    near = np.argsort(cdist(rows[drawn], rows[pool]), axis=1, kind="stable")[:, :k]
    share = w[pool][near] + 1e-6
    return (share[:, :, None] * rows[pool][near]).sum(1) / share.sum(1)[:, None]


def _middle(v: np.ndarray) -> Tuple[float, float]:
    """The median, and the mean distance from it."""
    m = float(np.median(v))
    return m, float(np.abs(v - m).mean()) or 1.0


def threshold(scores: np.ndarray, gamma: float, fdr: Optional[float]) -> float:
    """The score above which rows are suspects.

    A share gamma of the scores lies above it; or, with fdr, it is where suspects
    have that false discovery rate, by Benjamini and Hochberg, if the tail of the
    usual rows goes on as their bulk begins: an estimate.
    """
    s = np.sort(scores)
    n = len(s)
    if fdr is None:
        return float(np.quantile(s, 1 - gamma))
    beyond = float(s[-1] + max(s[-1] - np.median(s), 1e-9))
    first, last, steps, least = _BULK
    if n < least:
        return beyond
    levels = np.linspace(first, last, steps)
    z = np.array([NormalDist().inv_cdf(v) for v in levels])
    v = np.quantile(s, levels)
    c, b, a = np.polyfit(z, v, 2)
    if c < 0:
        (b, a), c = np.polyfit(z, v, 1), 0.0
    if b <= 0:
        return beyond
    t = s - a
    root = t / b if c < 1e-9 * b else (-b + np.sqrt(np.maximum(0, b * b + 4 * c * t))) / (2 * c)
    p = np.array([0.5 * math.erfc(r / math.sqrt(2)) for r in root])[::-1]  # rising
    found = np.flatnonzero(p <= fdr * np.arange(1, n + 1) / n)
    if not len(found):
        q = NormalDist().inv_cdf(1 - fdr / n)
        return max(float(a + b * q + c * q * q), float(np.nextafter(s[-1], np.inf)))
    k = n - 1 - found[-1]  # the least of the suspects
    return float(s[k] if k == 0 else (s[k] + s[k - 1]) / 2)
