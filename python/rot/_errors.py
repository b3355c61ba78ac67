"""What can go wrong."""

from __future__ import annotations

from typing import Any, Optional


class RotError(Exception):
    """The base of all errors of this package."""


class InputError(RotError, ValueError):
    """Arrays or options that no answer belongs to.

    >>> import rot
    >>> rot.emd2([], [], [[0.0, float("nan")]])
    Traceback (most recent call last):
    rot._errors.InputError: ...
    """


class ConvergenceError(RotError):
    """A solver that stopped short of its tolerance.

    Its bounds hold all the same: the optimum lies between `lower` and `value`,
    and `result` is the best answer found, with a feasible plan.
    """

    def __init__(self, text: str, *, result: Any = None, gap: float = float("nan"), tol: float = float("nan"), iters: int = 0):
        super().__init__(text)
        self.result = result
        self.gap = gap
        self.tol = tol
        self.iters = iters

    @property
    def value(self) -> Optional[float]:
        """The upper bound."""
        return getattr(self.result, "value", None)

    @property
    def lower(self) -> Optional[float]:
        """The lower bound."""
        return getattr(self.result, "lower", None)


class WorkerError(RotError, RuntimeError):
    """The program that solves has failed or ended. The next call starts a new one."""
