"""Sparse plans, with SciPy or without."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np


class Plan:
    """A sparse matrix of the masses that move, where SciPy is not installed.

    It has the parts of `scipy.sparse.coo_array` that a plan needs.

    >>> p = Plan(np.array([0, 1]), np.array([1, 0]), np.array([0.5, 0.5]), (2, 2))
    >>> p.toarray()
    array([[0. , 0.5],
           [0.5, 0. ]])
    >>> float(p.sum()), p.nnz
    (1.0, 2)
    """

    def __init__(self, row: np.ndarray, col: np.ndarray, data: np.ndarray, shape: Tuple[int, int]):
        self.row, self.col, self.data, self.shape = row, col, data, shape

    @property
    def nnz(self) -> int:
        """The number of entries."""
        return len(self.data)

    def toarray(self) -> np.ndarray:
        """The plan as a dense matrix."""
        out = np.zeros(self.shape)
        np.add.at(out, (self.row, self.col), self.data)
        return out

    def sum(self, axis: Optional[int] = None) -> Any:
        """The sum of all masses, of those of each column (axis=0) or of each row (axis=1)."""
        if axis is None:
            return self.data.sum()
        index, n = (self.col, self.shape[1]) if axis == 0 else (self.row, self.shape[0])
        return np.bincount(index, self.data, minlength=n)

    def __matmul__(self, other: Any) -> np.ndarray:
        other = np.asarray(other, float)
        out = np.zeros((self.shape[0],) + other.shape[1:])
        np.add.at(out, self.row, self.data.reshape((-1,) + (1,) * (other.ndim - 1)) * other[self.col])
        return out

    def __repr__(self) -> str:
        return f"<rot.Plan of shape {self.shape} with {self.nnz} entries>"


def make_plan(row: np.ndarray, col: np.ndarray, data: np.ndarray, shape: Tuple[int, int]) -> Any:
    """A scipy.sparse.coo_array, or a Plan where SciPy is not installed."""
    try:
        from scipy.sparse import coo_array
    except ImportError:
        return Plan(row, col, data, shape)
    return coo_array((data, (row, col)), shape=shape)
