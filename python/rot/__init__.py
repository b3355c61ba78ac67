"""Optimal transport that ignores outliers.

Functions of the names that POT's users know take weights and a cost matrix:
`emd`, `emd2`, `wasserstein_1d`, `partial_wasserstein`, `unbalanced`, `sinkhorn`.
Our own take two samples: `robust`, `curve`, `drift` and `certify`.
`OutlierDetector` and `RobustAdapter` are scikit-learn estimators, `weights` is for training loops, and
`Run` reads what `rot gan train` and `rot da train` leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._certify import Certificate, certify
from ._client import binary, close
from ._drift import Drift, drift
from ._errors import ConvergenceError, InputError, RotError, WorkerError
from ._plan import Plan
from ._pot import emd, emd2, emd2_lazy, partial_wasserstein, partial_wasserstein2, sinkhorn, sinkhorn2, unbalanced, unbalanced2
from ._line import wasserstein_1d
from ._result import Curve, Potentials, Result
from ._run import Run
from ._solve import curve, radius, robust, trimmed
from ._version import __version__
from ._weights import weights

if TYPE_CHECKING:
    from ._estimators import OutlierDetector, RobustAdapter

__all__ = [
    "Certificate", "ConvergenceError", "Curve", "Drift", "InputError", "OutlierDetector", "Plan", "Potentials", "Result", "RobustAdapter", "RotError", "Run",
    "WorkerError", "__version__", "binary", "certify", "close", "curve", "drift", "emd", "emd2", "emd2_lazy", "partial_wasserstein", "partial_wasserstein2",
    "radius", "robust", "sinkhorn", "sinkhorn2", "trimmed", "unbalanced", "unbalanced2", "wasserstein_1d", "weights",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The estimators, which need scikit-learn and are loaded on first use."""
    if name in ("OutlierDetector", "RobustAdapter"):
        try:
            from . import _estimators
        except ImportError as e:
            raise ImportError(f"rot.{name} needs scikit-learn: pip install scikit-learn") from e
        return getattr(_estimators, name)
    raise AttributeError(f"module 'rot' has no attribute {name!r}")
