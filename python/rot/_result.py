"""What solvers return."""

from __future__ import annotations

import html
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from ._client import plain
from ._errors import InputError
from ._html import bars, card, line
from ._page import Asked, Paged, draw
from ._plan import make_plan


class Potentials(NamedTuple):
    """Dual potentials: source[i] + target[j] is at most the cost from i to j."""

    source: np.ndarray
    target: np.ndarray


class Result(Paged):
    """A feasible plan with a proof of how good it is.

    `value` is what the plan costs, and no plan costs less than `lower`. Weights
    are relative to those given: mean 1, and 0 for a row that the plan leaves out.

    >>> import rot
    >>> r = rot.robust([[0.0], [1.0], [90.0]], [[0.0], [1.0], [2.0]], gamma=0.3)
    >>> round(r.value, 2), r.gap < 1e-6, r.source_weights.round(2).tolist()
    (2.64, True, [1.45, 1.47, 0.07])
    """

    def __init__(self, args: Dict[str, Any], arrays: Dict[str, np.ndarray], shape: Tuple[int, int], title: str = "Optimal transport"):
        self.value = float(args["value"])
        self.lower = float(args["lower"])
        self.transport = float(args["transport"])
        self.iters = int(args["iters"])
        self.lambdas = (float(args["source_lambda"]), float(args["target_lambda"]))
        self.shape = shape
        self.title = title
        self.rho: float = 0.0
        self.target_rho: float = 0.0
        encoded = args.get("encoded") or {}
        self.encoding: str = encoded.get("encoding_text", "")  # how columns of DataFrames became numbers, in words
        self.notes: List[str] = encoded.get("notes") or []
        self._arrays = arrays
        self._plan: Any = None
        self._asked: Asked = None

    @property
    def gap(self) -> float:
        """value − lower: how far from optimal the plan can be at most."""
        return self.value - self.lower

    @property
    def plan(self) -> Any:
        """The masses that move: a scipy.sparse.coo_array, or a rot.Plan without SciPy."""
        if self._plan is None and "mass" in self._arrays:
            self._plan = make_plan(self._arrays["i"], self._arrays["j"], self._arrays["mass"], self.shape)
        return self._plan

    @property
    def source_weights(self) -> Optional[np.ndarray]:
        """The weight of each source row in the plan, relative to what it had."""
        return self._weights("A", "base_a")

    @property
    def target_weights(self) -> Optional[np.ndarray]:
        """The weight of each target row in the plan, relative to what it had."""
        return self._weights("B", "base_b")

    def _weights(self, marginal: str, base: str) -> Optional[np.ndarray]:
        if marginal not in self._arrays:
            return None
        a, b = self._arrays[marginal], self._arrays[base]
        return np.divide(a, b, out=np.zeros_like(a), where=b > 0)

    @property
    def potentials(self) -> Potentials:
        """The dual potentials that prove `lower`."""
        return Potentials(self._arrays["F"], self._arrays["G"])

    def __repr__(self) -> str:
        return f"<rot.Result value={self.value:.6g} lower={self.lower:.6g} gap={self.gap:.2g}, {self.shape[0]} × {self.shape[1]}>"

    def page(self) -> str:
        """The page of `rot dist`, as HTML: a map of the rows, weights, radii, and who goes where."""
        if self._asked is None:
            raise InputError("the problem was too large to be kept for a page")
        args, arrays = self._asked
        answer = {"value": self.value, "lower": self.lower, "transport": self.transport, "source_lambda": self.lambdas[0], "target_lambda": self.lambdas[1], "iters": self.iters}
        return draw("page", {**args, "kept": {k: plain(v) for k, v in answer.items()}}, {**arrays, **self._arrays})

    def _title(self) -> str:
        return self.title

    def _summary(self) -> str:
        return f"costs {self.value:.6g}, at least {self.lower:.6g}; {self.shape[0]} × {self.shape[1]} rows"

    def _card(self) -> str:
        rows = [("value", f"{self.value:.6g}"), ("at least", f"{self.lower:.6g}"), ("gap", f"{max(self.gap, 0):.2g}"), ("rows", f"{self.shape[0]} × {self.shape[1]}")]
        if self.rho:
            rows.append(("ρ", f"{self.rho:.4g} (γ = {200 * self.rho / (1 + 2 * self.rho):.3g} %)"))
        if self.target_rho:
            rows.append(("target ρ", f"{self.target_rho:.4g}"))
        pictures = []
        w = self.source_weights
        if w is not None and self.rho:
            out = np.flatnonzero(w == 0)
            rows.append(("left out", f"{len(out)} source rows" + (": " + ", ".join(map(str, out[:12])) + (" …" if len(out) > 12 else "") if len(out) else "")))
            pictures.append(bars(w, "weights of source rows"))
        v = self.target_weights
        if v is not None and self.target_rho:
            pictures.append(bars(v, "weights of target rows"))
        return card(html.escape(self.title), rows, pictures)


class Curve(Paged):
    """The robust cost as a function of the radius, with certified bounds.

    >>> import rot
    >>> c = rot.curve([[0.0], [1.0], [90.0]], [[0.0], [1.0], [2.0]], rhos=[0, 0.1, 0.5])
    >>> c.value.round(2).tolist(), round(c.plain, 2)
    ([29.33, 11.1, 0.33], 29.33)
    """

    def __init__(self, args: Dict[str, Any], arrays: Dict[str, np.ndarray]):
        self.rho, self.value, self.lower, self.slope = arrays["rho"], arrays["value"], arrays["lower"], -arrays["lambda"]
        self.plain = float(args["plain"])
        self.elbow = float(args["elbow"])
        self.rho_max = float(args["rho_max"])
        self.sharpness = float(args["sharpness"])
        self.encoding: str = (args.get("encoded") or {}).get("encoding_text", "")
        self._asked: Asked = None

    @property
    def gap(self) -> np.ndarray:
        """value − lower at each radius."""
        return self.value - self.lower

    def __repr__(self) -> str:
        return f"<rot.Curve of {len(self.rho)} radii, plain={self.plain:.6g} elbow={self.elbow:.4g} sharpness={self.sharpness:.3g}>"

    def page(self) -> str:
        """The page of `rot curve`, as HTML. Solves again."""
        if self._asked is None:
            raise InputError("the problem was too large to be kept for a page")
        return draw("curve_page", *self._asked)

    def _title(self) -> str:
        return "Cost as the radius grows"

    def _summary(self) -> str:
        return f"from {self.plain:.6g}; elbow at ρ = {self.elbow:.4g}"

    def _card(self) -> str:
        rows = [("plain transport", f"{self.plain:.6g}"), ("elbow", f"ρ = {self.elbow:.4g} (γ = {200 * self.elbow / (1 + 2 * self.elbow):.3g} %)"), ("sharpness", f"{self.sharpness:.3g}")]
        return card(self._title(), rows, [line(np.sqrt(self.rho), self.value, "√ρ", "cost", mark=float(np.sqrt(self.elbow)))])
