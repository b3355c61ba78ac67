"""Transport between two samples, plain and robust."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._arrays import MISSING, SCALES, check_choice, matrix, put, vector
from ._client import request
from ._errors import InputError
from ._page import kept
from ._result import Curve, Result

ALL = ["plan", "marginals", "potentials"]


def _problem(X: Any, Y: Any, a: Any, b: Any, metric: str, scale: str, missing: str, cost: Any) -> Tuple[Dict[str, Any], Dict[str, Any], Tuple[int, int]]:
    """The args and arrays of a problem, and its shape."""
    weights = {"a": vector(a, "a"), "b": vector(b, "b")}
    if cost is not None:
        if X is not None or Y is not None:
            raise InputError("give X and Y or a cost, not both")
        m = matrix(cost, "cost")
        return {}, {"M": m, **weights}, m.shape  # type: ignore[return-value]
    if X is None or Y is None:
        raise InputError("X and Y, or a cost, are missing")
    args: Dict[str, Any] = {"metric": metric, "scale": check_choice("scale", scale, SCALES), "missing": check_choice("missing", missing, MISSING)}
    arrays: Dict[str, Any] = {}
    shape = (put((args, arrays), "X", X), put((args, arrays), "Y", Y))
    return args, {**arrays, **weights}, shape


DIVERGENCES = ("chi2", "kl", "tv")


def radius(gamma: Optional[float], rho: Optional[float], divergence: str = "chi2") -> float:
    """The radius that an outlier share γ needs, or rho itself.

    It is γ / (2(1 − γ)) in chi-square, −log(1 − γ) in KL, γ in total variation.

    >>> round(radius(0.05, None), 5), round(radius(0.05, None, "kl"), 5), radius(0.05, None, "tv")
    (0.02632, 0.05129, 0.05)
    """
    check_choice("divergence", divergence, DIVERGENCES)
    if gamma is not None and rho is not None:
        raise InputError("give gamma or rho, not both")
    if gamma is None:
        return 0.0 if rho is None else float(rho)
    if not 0 <= gamma < 1:
        raise InputError(f"gamma {gamma} is not in [0, 1)")
    if divergence == "kl":
        return -math.log1p(-gamma)
    return gamma if divergence == "tv" else gamma / (2 * (1 - gamma))


def robust(
    X: Any = None,
    Y: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    gamma: Optional[float] = None,
    rho: Optional[float] = None,
    target_rho: float = 0.0,
    divergence: str = "chi2",
    metric: str = "euclidean",
    truncate: Optional[float] = None,
    scale: str = "none",
    missing: str = "error",
    cost: Any = None,
    tol: Optional[float] = None,
    max_iters: Optional[int] = None,
    progress: Any = None,
) -> Result:
    """Optimal transport from X to Y that leaves outliers of X aside.

    The weights w of X, which sum to one, may move within a ball of radius `rho`
    around `a`, far enough to leave out a share `gamma` of the rows; those of Y
    within `target_rho`. With neither this is plain optimal transport. The answer
    is exact, with a lower bound that proves it. `divergence` says what the radii
    bound: chi2 is ½ Σ (w − a)²/a, kl is Σ w log(w/a), tv is ½ Σ |w − a|. No pair
    costs more than `truncate`.

    X and Y are arrays, DataFrames or tensors, one row a point; or `cost` is the
    matrix of costs. `metric` is euclidean, sqeuclidean, cityblock or cosine.
    Columns of DataFrames meet by name and become numbers as those of files do
    (`encoding` of the answer says how): categories one-hot, a difference of which
    costs 1 as between true and false; times in days. `scale` is none, std or
    robust: numbers are divided by their spread in X and Y together. `missing` is
    error, median or indicator: what is done about cells of DataFrames that are
    missing.
    `a` and `b` are weights, uniform where they are None, and are taken relative
    to their sum. `progress` is False for none, a function, or None for a bar
    (tqdm) in long solves.

    >>> import numpy as np, rot
    >>> x, y = np.array([[0.0, 0], [1, 0], [50, 50]]), np.array([[0.0, 1], [1, 1]])
    >>> round(rot.robust(x, y).value, 2), round(rot.robust(x, y, gamma=1/3).value, 2)
    (23.83, 1.0)
    """
    r = radius(gamma, rho, divergence)
    args, arrays, shape = _problem(X, Y, a, b, metric, scale, missing, cost)
    args.update(rho=r, target_rho=float(target_rho), divergence=divergence, truncate=truncate, tol=tol)
    title = "Robust optimal transport" if r or target_rho else "Optimal transport"
    asked = kept(args, arrays)

    def make(reply: Dict[str, Any], got: Dict[str, np.ndarray]) -> Result:
        out = Result(reply, got, shape, title)
        out.rho, out.target_rho, out._asked = r, float(target_rho), asked
        return out

    return request("robust", {**args, "max_iters": max_iters, "want": ALL}, arrays, make, progress)


def trimmed(
    X: Any = None,
    Y: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    trim: float,
    side: str = "both",
    metric: str = "euclidean",
    truncate: Optional[float] = None,
    scale: str = "none",
    missing: str = "error",
    cost: Any = None,
    tol: Optional[float] = None,
    max_iters: Optional[int] = None,
    progress: Any = None,
) -> Result:
    """Transport that leaves a share `trim` of the mass behind, the dearest to move.

    With `side` both, X and Y leave that much each; with source X alone, and every
    row of Y gets the share 1 − trim of its own. Other arguments are those of
    `robust`, and so is the proof.

    >>> import numpy as np, rot
    >>> x, y = np.array([[0.0, 0], [1, 0], [50, 50]]), np.array([[0.0, 1], [1, 1]])
    >>> round(rot.trimmed(x, y, trim=1/3, side="source").value, 3)
    0.667
    """
    check_choice("side", side, ("both", "source"))
    if not 0 <= trim < 1:
        raise InputError(f"trim {trim} is not in [0, 1)")
    args, arrays, shape = _problem(X, Y, a, b, metric, scale, missing, cost)
    args.update(mass=1.0 - trim, one_sided=side == "source", truncate=truncate, tol=tol)
    asked = kept(args, arrays)

    def make(reply: Dict[str, Any], got: Dict[str, np.ndarray]) -> Result:
        out = Result(reply, got, shape, "Partial optimal transport")
        out._asked = asked
        return out

    return request("partial", {**args, "max_iters": max_iters, "want": ALL}, arrays, make, progress)


def curve(
    X: Any = None,
    Y: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    rhos: Any = None,
    metric: str = "euclidean",
    scale: str = "none",
    missing: str = "error",
    cost: Any = None,
    tol: Optional[float] = None,
    progress: Any = None,
) -> Curve:
    """The robust cost for many radii; its elbow is a guess at the radius to use.

    `rhos` are the radii, by default a grid up to the one at which half of the
    rows may be garbage. Other arguments are those of `robust`.

    >>> import numpy as np, rot
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(100, 2)), rng.normal(size=(100, 2))
    >>> x[:10] += 20
    >>> c = rot.curve(x, y)
    >>> 0.03 < c.elbow < 0.09  # γ = 10 % needs ρ = 0.056
    True
    """
    args, arrays, _ = _problem(X, Y, a, b, metric, scale, missing, cost)
    args["tol"], arrays["rhos"] = tol, vector(rhos, "rhos")
    asked = kept(args, arrays)

    def make(reply: Dict[str, Any], got: Dict[str, np.ndarray]) -> Curve:
        out = Curve(reply, got)
        out._asked = asked
        return out

    return request("curve", args, arrays, make, progress)
