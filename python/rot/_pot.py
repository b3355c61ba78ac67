"""Transport between weights under a given cost, under the names of POT.

The functions take and return what POT's functions of these names do, NumPy
arrays or PyTorch tensors, so that `rot` can stand where `ot` stood. Sinkhorn's
plan is rounded to its exact marginals; `log` has certified bounds besides.
"""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._arrays import matrix, numbers, put, vector
from ._client import request
from ._errors import ConvergenceError, InputError
from ._result import Result
from ._solve import ALL
from ._torch import back, first_tensor, with_gradient


class _Answer(Result):
    """A Result in the masses that were given, not relative to their sum."""

    def __init__(self, args: Dict[str, Any], arrays: Dict[str, np.ndarray], shape: Tuple[int, int], total: float):
        super().__init__(args, arrays, shape)
        self.value *= total
        self.lower *= total
        self.transport *= total
        if "mass" in arrays:
            arrays["mass"] *= total
        self.warning: Optional[str] = None

    def dense(self) -> np.ndarray:
        out = np.zeros(self.shape)
        a = self._arrays
        np.add.at(out, (a["i"], a["j"]), a["mass"])
        return out


def _weights(a: Any, b: Any, shape: Tuple[int, int], check_marginals: bool = True) -> Tuple[np.ndarray, np.ndarray, float]:
    """Both weights and the mass that moves."""
    out = []
    for name, given, n in (("a", a, shape[0]), ("b", b, shape[1])):
        w = vector(given, name)
        if w is None:
            w = np.full(n, 1.0 / n) if n else np.empty(0)
        if len(w) != n:
            raise InputError(f"{name} has {len(w)} weights for {n} {'rows' if name == 'a' else 'columns'} of M")
        out.append(w)
    sums = out[0].sum(), out[1].sum()
    if check_marginals and not abs(sums[0] - sums[1]) <= 1.5e-6 * max(1.0, abs(sums[0])):
        raise InputError(f"a and b vector must have the same sum: a has {sums[0]}, b has {sums[1]}; for other sums there are partial_wasserstein and unbalanced")
    return out[0], out[1], float(sums[0])


def _ask(op: str, args: Dict[str, Any], arrays: Dict[str, Any], shape: Tuple[int, int], total: float, limited: bool) -> _Answer:
    """The answer; when the caller set a limit, the best one found within it and a warning, as in POT."""

    def make(reply: Dict[str, Any], got: Dict[str, np.ndarray]) -> _Answer:
        return _Answer(reply, got, shape, total)

    try:
        return request(op, args, arrays, make)
    except ConvergenceError as e:
        if not limited or e.result is None:
            raise
        warnings.warn(f"numItermax reached before optimality: {e}. Try to increase numItermax.", stacklevel=4)
        e.result.warning = str(e)
        return e.result


def _center(u: np.ndarray, v: np.ndarray, a: np.ndarray, b: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Potentials with equal shares of the value on both sides."""
    shift = (np.dot(v, b) / b.sum() - np.dot(u, a) / a.sum()) / 2
    return u + shift, v - shift


def _threads(numThreads: Any) -> None:
    if numThreads not in (1, None):
        warnings.warn("numThreads is ignored: rot uses all processors", DeprecationWarning, stacklevel=3)


def _exact(a: Any, b: Any, M: Any, numItermax: Optional[int], center_dual: bool, check_marginals: bool, want: List[str]) -> Tuple[_Answer, Dict[str, Any]]:
    m = matrix(M, "M")
    wa, wb, total = _weights(a, b, m.shape, check_marginals)
    r = _ask("exact", {"max_iters": numItermax, "want": want}, {"M": m, "a": wa, "b": wb}, m.shape, total, numItermax is not None)
    log: Dict[str, Any] = {"cost": r.value, "lower": r.lower, "gap": r.gap, "warning": r.warning, "result_code": 1 if r.warning is None else 3}
    if "potentials" in want:
        u, v = r.potentials
        log["u"], log["v"] = _center(u, v, wa, wb) if center_dual else (u, v)
    return r, log


def emd(
    a: Any, b: Any, M: Any, numItermax: Optional[int] = None, log: bool = False, center_dual: bool = True,
    numThreads: Any = 1, check_marginals: bool = True, potentials_init: Any = None, *, sparse: bool = False,
) -> Any:  # fmt: skip
    """The optimal plan from weights a to weights b under the costs M.

    Empty weights are uniform. The plan is a dense array, as in POT; with `sparse`
    a COO matrix. With `log` a dict comes too: cost, the certified lower bound,
    gap, and the potentials u and v. `numItermax` limits the pivots and makes a
    warning of a plan that is not optimal yet; without it there is no limit.

    >>> import rot
    >>> rot.emd([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]])
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    _threads(numThreads)
    r, info = _exact(a, b, M, numItermax, center_dual, check_marginals, ALL if log else ["plan"])
    like = first_tensor(a, b, M)
    plan = r.plan if sparse else back(r.dense(), like)
    if not log:
        return plan
    info["u"], info["v"] = back(info["u"], like), back(info["v"], like)
    return plan, info


def emd2(
    a: Any, b: Any, M: Any, processes: int = 1, numItermax: Optional[int] = None, log: bool = False, return_matrix: bool = False,
    center_dual: bool = True, numThreads: Any = 1, check_marginals: bool = True, potentials_init: Any = None,
) -> Any:  # fmt: skip
    """The cost of the optimal plan from weights a to weights b under the costs M.

    A b of two dimensions has one problem a column, and the answer is a list. With
    tensors the cost has gradients: the plan for M, the centred potentials for a
    and b. `log` and `return_matrix` are as in POT.

    >>> import rot
    >>> rot.emd2([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]])
    0.0
    """
    _threads(numThreads)
    if _many(b):
        return [emd2(a, b[:, k], M, 1, numItermax, log, return_matrix, center_dual, 1, check_marginals) for k in range(b.shape[1])]
    like = first_tensor(a, b, M)
    wanted = ALL if like is not None else (["plan"] if return_matrix else []) + (["potentials"] if log or return_matrix else [])
    r, info = _exact(a, b, M, numItermax, center_dual, check_marginals, wanted)
    cost: Any = r.value
    if like is not None:
        u, v = info["u"], info["v"]
        cost = with_gradient(cost, like, [(a, u - u.mean()), (b, v - v.mean()), (M, r.dense())])
    if not (log or return_matrix):
        return cost
    info["cost"] = cost
    info["u"], info["v"] = back(info["u"], like), back(info["v"], like)
    if return_matrix:
        info["G"] = back(r.dense(), like)
    return [cost, info]


def emd2_lazy(
    X_a: Any, X_b: Any, a: Any = None, b: Any = None, metric: str = "sqeuclidean", numItermax: Optional[int] = None, log: bool = False,
    return_matrix: bool = True, center_dual: bool = True, check_marginals: bool = True, potentials_init: Any = None,
) -> Any:  # fmt: skip
    """The cost of optimal transport between points, whose costs are never all written down.

    >>> import rot
    >>> rot.emd2_lazy([[0.0], [1.0]], [[2.0], [5.0]])
    10.0
    """
    args: Dict[str, Any] = {"metric": metric, "max_iters": numItermax, "want": ALL if log else []}
    arrays: Dict[str, Any] = {}
    shape = (put((args, arrays), "X", X_a), put((args, arrays), "Y", X_b))
    wa, wb, total = _weights(a, b, shape, check_marginals)
    r = _ask("exact", args, {**arrays, "a": wa, "b": wb}, shape, total, numItermax is not None)
    if not log:
        return r.value
    u, v = r.potentials
    if center_dual:
        u, v = _center(u, v, wa, wb)
    info = {"cost": r.value, "lower": r.lower, "gap": r.gap, "u": u, "v": v, "warning": r.warning, "result_code": 1 if r.warning is None else 3}
    if return_matrix:
        info["G"] = r.plan
    return r.value, info


def partial_wasserstein(a: Any, b: Any, M: Any, m: Optional[float] = None, nb_dummies: int = 1, log: bool = False, numItermax: Optional[int] = None) -> Any:
    """The plan that moves only a mass m, the cheapest there is.

    Masses of a and b may differ. m is by default the smaller one. With `log` a
    dict comes too, with the cost and its certified lower bound.

    >>> import rot
    >>> rot.partial_wasserstein([0.5, 0.5], [0.5, 0.5], [[1.0, 9.0], [9.0, 9.0]], m=0.5)
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    plan, info = _partial(a, b, M, m, numItermax)
    like = first_tensor(a, b, M)
    plan = back(plan, like)
    return (plan, {**info, "cost": info["partial_w_dist"]}) if log else plan


def partial_wasserstein2(a: Any, b: Any, M: Any, m: Optional[float] = None, nb_dummies: int = 1, log: bool = False, numItermax: Optional[int] = None) -> Any:
    """The cost of partial_wasserstein, with gradients for tensors.

    >>> import rot
    >>> rot.partial_wasserstein2([0.5, 0.5], [0.5, 0.5], [[1.0, 9.0], [9.0, 9.0]], m=0.5)
    0.5
    """
    plan, info = _partial(a, b, M, m, numItermax)
    like = first_tensor(a, b, M)
    cost: Any = info["partial_w_dist"]
    if like is not None:
        cost = with_gradient(cost, like, [(M, plan)])
    return (cost, {**info, "T": back(plan, like)}) if log else cost


def _partial(a: Any, b: Any, M: Any, mass: Optional[float], numItermax: Optional[int]) -> Tuple[np.ndarray, Dict[str, Any]]:
    m = matrix(M, "M")
    wa, wb, total = _weights(a, b, m.shape, check_marginals=False)
    other = float(wb.sum())
    most = min(total, other)
    if mass is None:
        mass = most
    if mass < 0:
        raise InputError(f"the mass m = {mass} is negative")
    if mass > most * (1 + 1e-12):
        raise InputError(f"the mass m = {mass} is more than the smaller side has, {most}")
    if mass == 0:
        return np.zeros(m.shape), {"partial_w_dist": 0.0, "lower": 0.0, "gap": 0.0}
    want = {"max_iters": numItermax, "want": ["plan"]}
    if abs(total - other) <= 1e-12 * most:
        r = _ask("partial", {**want, "mass": min(mass / total, 1.0)}, {"M": m, "a": wa, "b": wb}, m.shape, total, numItermax is not None)
        return r.dense(), {"partial_w_dist": r.value, "lower": r.lower, "gap": r.gap}
    # One more row and column take what stays; a pair of them would cost more than
    # any two moves, so that exactly the mass m moves.
    low = min(float(m.min()), 0.0)
    wide = np.zeros((m.shape[0] + 1, m.shape[1] + 1))
    wide[:-1, :-1] = m - low
    wide[-1, -1] = 2 * wide.max() + 1
    wa, wb = np.append(wa, other - mass), np.append(wb, total - mass)
    r = _ask("exact", want, {"M": wide, "a": wa, "b": wb}, wide.shape, float(wa.sum()), numItermax is not None)  # type: ignore[arg-type]
    plan = r.dense()[:-1, :-1]
    return plan, {"partial_w_dist": r.value + low * mass, "lower": r.lower + low * mass, "gap": r.gap}


def unbalanced(
    a: Any, b: Any, M: Any, reg_m: Any, c: Any = None, reg: float = 0, div: str = "kl", G0: Any = None, numItermax: Optional[int] = None,
    stopThr: Optional[float] = None, verbose: bool = False, log: bool = False,
) -> Any:  # fmt: skip
    """The plan of unbalanced transport, without entropic blur.

    It minimizes ⟨M, P⟩ + reg_m·D(P1 | a) + reg_m·D(Pᵀ1 | b), where D is "kl", or
    "chi2": ½ Σ (w − a)²/a. A pair reg_m has one price a side. This is POT's
    mm_unbalanced, exactly, and takes its arguments: `reg` must be 0, and where
    to start (`G0`) and to stop makes no difference. The weights of both sides
    have the same sum.

    >>> import rot
    >>> rot.unbalanced([1.0], [1.0], [[1.0]], 1.0, div="chi2")
    array([[0.5]])
    """
    r, cost = _unbalanced(a, b, M, reg_m, reg, div, numItermax)
    like = first_tensor(a, b, M)
    plan = back(r.dense(), like)
    return (plan, {"cost": r.transport, "total_cost": cost, "lower": r.lower, "gap": r.gap, "warning": r.warning}) if log else plan


def unbalanced2(
    a: Any, b: Any, M: Any, reg_m: Any, c: Any = None, reg: float = 0, div: str = "kl", G0: Any = None, returnCost: str = "linear",
    numItermax: Optional[int] = None, stopThr: Optional[float] = None, verbose: bool = False, log: bool = False,
) -> Any:  # fmt: skip
    """The transport term ⟨M, P⟩ of unbalanced, or with returnCost="total" all terms; POT's mm_unbalanced2.

    With tensors it has the gradient for M.

    >>> import rot
    >>> rot.unbalanced2([1.0], [1.0], [[1.0]], 1.0, div="chi2")
    0.5
    """
    if returnCost not in ("linear", "total"):
        raise InputError(f"returnCost {returnCost!r} is neither linear nor total")
    r, total = _unbalanced(a, b, M, reg_m, reg, div, numItermax)
    like = first_tensor(a, b, M)
    cost: Any = r.transport if returnCost == "linear" else total
    if like is not None:
        cost = with_gradient(cost, like, [(M, r.dense())])
    return (cost, {"cost": cost, "total_cost": total, "lower": r.lower, "gap": r.gap, "warning": r.warning}) if log else cost


def _unbalanced(a: Any, b: Any, M: Any, reg_m: Any, reg: float, div: str, numItermax: Optional[int]) -> Tuple[_Answer, float]:
    m = matrix(M, "M")
    wa, wb, total = _weights(a, b, m.shape)
    price = np.ravel(numbers(reg_m, "reg_m"))
    if price.size not in (1, 2) or not (price > 0).all():
        raise InputError(f"reg_m {reg_m} is neither a price above 0 nor a pair of them")
    if reg != 0:
        raise InputError(f"reg {reg}: there is no entropy here; see sinkhorn")
    if div not in ("kl", "chi2"):
        raise InputError(f"div {div!r} is neither kl nor chi2")
    args = {"divergence": div, "penalty": float(price[0]), "target_penalty": float(price[-1]), "max_iters": numItermax, "want": ["plan"]}
    r = _ask("unbalanced", args, {"M": m, "a": wa, "b": wb}, m.shape, total, numItermax is not None)
    return r, r.value


def sinkhorn(
    a: Any, b: Any, M: Any, reg: float, method: str = "sinkhorn", numItermax: Optional[int] = None, stopThr: float = 1e-9,
    verbose: bool = False, log: bool = False, warn: bool = True, warmstart: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """The plan of transport with entropy: the minimum of ⟨M, P⟩ + reg·Σ P log P.

    It is computed in the log domain whatever `method` says, so that a small `reg`
    neither overflows nor underflows, and rounded to the exact marginals. What
    POT's methods take besides has no effect. A b of two dimensions has one problem
    a column, and the answer is their costs. Of the log, u and v are potentials.

    >>> import rot
    >>> rot.sinkhorn([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]], 1).round(8)
    array([[0.36552929, 0.13447071],
           [0.13447071, 0.36552929]])
    """
    if _many(b):
        return _sinkhorn_many(a, b, M, reg, numItermax, stopThr, log, warn)
    r = _entropic(a, b, M, reg, numItermax, stopThr, warn)
    like = first_tensor(a, b, M)
    plan = back(r.dense(), like)
    if not log:
        return plan
    u, v = r.potentials
    return plan, {"cost": r.value, "lower": r.lower, "gap": r.gap, "niter": r.iters, "warning": r.warning, "u": back(u, like), "v": back(v, like)}


def sinkhorn2(
    a: Any, b: Any, M: Any, reg: float, method: str = "sinkhorn", numItermax: Optional[int] = None, stopThr: float = 1e-9,
    verbose: bool = False, log: bool = False, warn: bool = True, warmstart: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """The cost ⟨M, P⟩ of the plan of sinkhorn, with gradients for tensors (the plan held fixed).

    >>> import rot
    >>> round(rot.sinkhorn2([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]], 1), 8)
    0.26894142
    """
    if _many(b):
        return _sinkhorn_many(a, b, M, reg, numItermax, stopThr, log, warn)
    r = _entropic(a, b, M, reg, numItermax, stopThr, warn)
    like = first_tensor(a, b, M)
    cost: Any = r.transport
    if like is not None:
        cost = with_gradient(cost, like, [(M, r.dense())])
    if not log:
        return cost
    return cost, {"cost": r.value, "lower": r.lower, "gap": r.gap, "niter": r.iters, "warning": r.warning}


def _entropic(a: Any, b: Any, M: Any, reg: float, numItermax: Optional[int], stopThr: float, warn: bool) -> _Answer:
    m = matrix(M, "M")
    wa, wb, total = _weights(a, b, m.shape)
    if not reg > 0:
        raise InputError(f"reg {reg} is not above 0")
    args = {"epsilon": float(reg), "tol": stopThr, "max_iters": numItermax, "want": ["plan", "potentials"]}
    with warnings.catch_warnings():
        if not warn:
            warnings.simplefilter("ignore")
        return _ask("entropic", args, {"M": m, "a": wa, "b": wb}, m.shape, total, numItermax is not None)


def _many(b: Any) -> bool:
    """Whether b has one problem a column."""
    return getattr(b, "ndim", 1) == 2 and 1 not in b.shape


def _sinkhorn_many(a: Any, b: Any, M: Any, reg: float, numItermax: Optional[int], stopThr: float, log: bool, warn: bool) -> Any:
    """The costs of one problem a column of b, as POT has them."""
    like = first_tensor(a, b, M)
    rs = [_entropic(a, b[:, k], M, reg, numItermax, stopThr, warn) for k in range(b.shape[1])]
    costs = back(np.array([r.transport for r in rs]), like)
    if not log:
        return costs
    u, v = (np.stack(p, 1) for p in zip(*(r.potentials for r in rs)))
    return costs, {"u": back(u, like), "v": back(v, like), "lower": np.array([r.lower for r in rs])}
