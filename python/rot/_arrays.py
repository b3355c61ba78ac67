"""Whatever people hold their numbers in, as arrays of float64."""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._errors import InputError
from ._frames import frame, is_frame


def is_tensor(x: Any) -> bool:
    """Whether x is a PyTorch tensor, without importing PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def numbers(x: Any, name: str) -> np.ndarray:
    """x as an array of finite or infinite numbers, whatever its shape."""
    if is_tensor(x):
        x = x.detach().cpu().numpy()
    if np.ma.is_masked(x):
        raise InputError(f"{name} has masked cells; fill them in first, as x.filled(…) does")
    if hasattr(x, "toarray"):
        raise InputError(f"{name} is a sparse matrix; x.toarray() makes an array of it")
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


def rows(x: Any, name: str) -> np.ndarray:
    """x as a matrix of one row a point."""
    out = numbers(x, name)
    if out.ndim == 1:
        out = out.reshape(-1, 1)
    if out.ndim != 2:
        out = out.reshape(len(out), -1)
    return out


def put(request: Tuple[Dict[str, Any], Dict[str, Any]], name: str, x: Any) -> int:
    """Adds x to the args and arrays of a request, as a table or as rows, and returns how many rows it has.

    >>> args, arrays = {}, {}
    >>> put((args, arrays), "X", [[0.0], [1.0]]), list(arrays)
    (2, ['X'])
    """
    args, arrays = request
    if not is_frame(x):
        arrays[name] = rows(x, name)
        return len(arrays[name])
    said, columns = frame(x, name)
    args.setdefault("tables", {})[name] = said
    arrays.update(columns)
    return len(x)


def check_choice(name: str, value: str, choices: Tuple[str, ...]) -> str:
    """value, which must be one of the choices."""
    if value not in choices:
        raise InputError(f"{name} {value!r} is none of {', '.join(choices)}")
    return value


SCALES = ("none", "std", "robust")
MISSING = ("error", "median", "indicator")


def spreads(y: np.ndarray, robust: bool) -> np.ndarray:
    """The spread of each column, 1 where it has none."""
    std = y.std(axis=0)
    out = std
    if robust:
        low, high = np.percentile(y, [25, 75], axis=0)
        iqr = (high - low) / 1.349
        out = np.where(iqr > 0, iqr, std)  # more than half of the values are equal
    return np.where(out > 0, out, 1.0)
