"""How good is somebody's plan?"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._arrays import check_choice, matrix, vector
from ._client import request
from ._errors import InputError
from ._result import Potentials
from ._solve import _problem, radius


class Certificate:
    """What is known about a plan, whoever made it.

    `feasible` says whether it moves the mass that it should, up to `slack`;
    `violation` is the part of the mass in the wrong place, and `worst` says where.
    `value` is what the plan costs as it is, `upper` what it costs once it is made
    feasible, and no plan costs less than `lower`.
    """

    def __init__(self, args: Dict[str, Any], arrays: Dict[str, np.ndarray]):
        self.feasible = bool(args["feasible"])
        self.violation = float(args["violation"])
        self.worst: str = args["worst"]
        self.value = float(args["value"])
        self.upper = float(args["upper"])
        self.lower = float(args["lower"])
        self.sweeps = int(args["sweeps"])
        self.solved = bool(args["solved"])
        self.potentials = Potentials(arrays["F"], arrays["G"])

    @property
    def gap(self) -> float:
        """upper − lower: how far from optimal the plan, made feasible, can be at most."""
        return self.upper - self.lower

    def __repr__(self) -> str:
        state = "feasible" if self.feasible else f"not feasible ({self.worst})"
        return f"<rot.Certificate: {state}, costs {self.value:.6g}, at most {self.gap:.3g} above the optimum>"


def _entries(plan: Any) -> Tuple[np.ndarray, np.ndarray, np.ndarray, Tuple[int, int]]:
    """Rows, columns and masses of a dense or a sparse plan, and its shape."""
    if hasattr(plan, "tocoo"):
        plan = plan.tocoo()
    if hasattr(plan, "row") and hasattr(plan, "col") and hasattr(plan, "data"):
        m, n = plan.shape
        return np.asarray(plan.row, float), np.asarray(plan.col, float), np.asarray(plan.data, float), (int(m), int(n))
    dense = matrix(plan, "plan")
    i, j = np.nonzero(dense)
    return i.astype(float), j.astype(float), dense[i, j], (dense.shape[0], dense.shape[1])


def certify(
    plan: Any,
    X: Any = None,
    Y: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    potentials: Any = None,
    gamma: Optional[float] = None,
    rho: Optional[float] = None,
    target_rho: float = 0.0,
    divergence: str = "chi2",
    trim: float = 0.0,
    side: str = "both",
    penalty: Optional[float] = None,
    metric: str = "euclidean",
    truncate: Optional[float] = None,
    scale: str = "none",
    missing: str = "error",
    cost: Any = None,
    slack: Optional[float] = None,
    tol: Optional[float] = None,
    sweeps: Optional[int] = None,
    progress: Any = None,
) -> Certificate:
    """Is a plan feasible, what does it cost, how far from optimal can it be at most?

    `plan` is a matrix, dense or of scipy.sparse, of anybody's making; masses sum
    to one, or to the total of the weights. The lower bound comes from
    `potentials`, a pair (f, g) of which one may be None and which need not be
    feasible; without any, from a solve of the problem if it has at most 10¹⁰
    pairs, else from a few passes over all of them, or as many as `sweeps` says.
    `slack` is the part of the mass that may be in the wrong place, by default
    1e-6. With `trim` the plan should leave that share behind, on the `side` both
    or source, as that of `trimmed`. With `penalty` it is a plan of unbalanced
    transport: any mass may move, in units in which the weights sum to one, and
    weights that are not those of the rows cost `penalty` times their
    `divergence`, "chi2" or "kl". Other arguments are those of `robust`.

    >>> import numpy as np, rot
    >>> M = np.array([[1.0, 3.0], [2.0, 1.0]])
    >>> c = rot.certify(np.array([[0.0, 0.5], [0.5, 0.0]]), cost=M)
    >>> c.feasible, c.value, round(c.gap, 6)
    (True, 2.5, 1.5)
    """
    i, j, mass, size = _entries(plan)
    args, arrays, shape = _problem(X, Y, a, b, metric, scale, missing, cost)
    if tuple(shape) != size:
        raise InputError(f"the plan has shape {size}, and the problem {tuple(shape)}")
    f, g = (None, None) if potentials is None else potentials
    check_choice("side", side, ("both", "source"))
    if not 0 <= trim < 1:
        raise InputError(f"trim {trim} is not in [0, 1)")
    args.update(rho=radius(gamma, rho, divergence), target_rho=float(target_rho), divergence=divergence, mass=1.0 - trim, one_sided=side == "source")
    args.update(truncate=truncate, tol=tol, slack=slack, sweeps=sweeps)
    if penalty is not None:
        if not 0 < penalty < np.inf:
            raise InputError(f"penalty {penalty} is not positive")
        args.update(penalty=float(penalty))
    arrays.update(i=i, j=j, mass=mass, F=vector(f, "f"), G=vector(g, "g"))
    return request("certify", args, arrays, Certificate, progress)
