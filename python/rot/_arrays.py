"""Whatever people hold their numbers in, as arrays of float64."""

from __future__ import annotations

import sys
from typing import Any, Optional, Tuple

import numpy as np

from ._errors import InputError
from ._frames import Encoding, is_frame


def is_tensor(x: Any) -> bool:
    """Whether x is a PyTorch tensor, without importing PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def numbers(x: Any, name: str) -> np.ndarray:
    """x as an array of finite or infinite numbers, whatever its shape."""
    if is_tensor(x):
        x = x.detach().cpu().numpy()
    elif is_frame(x):
        x = Encoding.of(x, name).apply(x, name)
    try:
        out = np.asarray(x)
        if out.dtype.kind == "c":
            raise TypeError("complex numbers")
        return out.astype(np.float64, copy=False)
    except (TypeError, ValueError) as e:
        raise InputError(f"{name} is not an array of numbers: {e}") from e


def vector(x: Any, name: str) -> Optional[np.ndarray]:
    """x as a vector; None where x is None or empty, which means uniform weights."""
    if x is None:
        return None
    out = numbers(x, name)
    if out.size == 0:
        return None
    if out.ndim == 2 and 1 in out.shape:
        out = out.reshape(-1)
    if out.ndim != 1:
        raise InputError(f"{name} has the shape {out.shape}, not that of a vector")
    return out


def matrix(x: Any, name: str) -> np.ndarray:
    """x as a matrix."""
    out = numbers(x, name)
    if out.ndim != 2:
        raise InputError(f"{name} has the shape {out.shape}, not that of a matrix")
    return out


def _rows(x: Any, name: str) -> np.ndarray:
    out = numbers(x, name)
    if out.ndim == 1:
        out = out.reshape(-1, 1)
    if out.ndim != 2:
        out = out.reshape(len(out), -1)
    return out


def points(x: Any, y: Any, scale: str = "none") -> Tuple[np.ndarray, np.ndarray]:
    """The rows of both sides, in the same columns and units.

    DataFrames meet by the names of their columns. `scale` divides each column by
    its spread in y: "std" by its standard deviation, "robust" by its
    interquartile range over 1.349, which is the same for a normal column.
    """
    if scale not in ("none", "std", "robust"):
        raise InputError(f"scale {scale!r} is none of none, std and robust")
    if is_frame(x) and is_frame(y):
        encoding = Encoding.of(y, "Y", x)
        xs, ys, fixed = encoding.apply(x, "X"), encoding.apply(y, "Y"), encoding.fixed
    else:
        xs, ys = _rows(x, "X"), _rows(y, "Y")
        fixed = np.zeros(ys.shape[1], bool)
    if xs.shape[1] != ys.shape[1]:
        raise InputError(f"rows of X have {xs.shape[1]} columns, those of Y {ys.shape[1]}")
    if scale != "none" and len(ys):
        spread = np.where(fixed, 1.0, spreads(ys, scale == "robust"))
        xs, ys = xs / spread, ys / spread
    return xs, ys


def spreads(y: np.ndarray, robust: bool) -> np.ndarray:
    """The spread of each column, 1 where it has none."""
    std = y.std(axis=0)
    out = std
    if robust:
        low, high = np.percentile(y, [25, 75], axis=0)
        iqr = (high - low) / 1.349
        out = np.where(iqr > 0, iqr, std)  # more than half of the values are equal
    return np.where(out > 0, out, 1.0)
