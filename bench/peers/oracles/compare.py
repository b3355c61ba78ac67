"""Compares answers of the campaign with HiGHS, Clarabel and POT. See README.md.

    go run ./bench/peers/oracles/campaign -n 460 -export instances.jsonl
    python bench/peers/oracles/compare.py instances.jsonl

The other solvers work in float64 with tolerances of their own, so they are asked
only where they hold: costs and weights within six decades, radii from 1e-6,
penalties within three decades of the costs, at most 1500 pairs; POT only on costs
that are not negative (it calls others infeasible), scaled to at most 1. Each value
must lie between `lower` and `value`, give or take what that solver is known to be off."""

import argparse
import collections
import json
import sys

import numpy as np
import ot
from scipy.optimize import linprog
from scipy.sparse import kron, eye, csr_matrix, vstack

from make import kl_primal, robust_clarabel, trim_highs, tv_highs, unbalanced_primal

# How far a solver's value may be off, relative to the size of the value and of a typical cost.
TOL = {"highs": 1e-8, "pot": 1e-9, "clarabel": 2e-7, "clarabel kl": 1e-6}


def decades(values):
    """How many decades apart the sizes of the values are, zeros left out."""
    v = np.abs(np.asarray(values, dtype=float))
    v = v[(v > 0) & np.isfinite(v)]
    return 0.0 if v.size == 0 else float(np.log10(v.max() / v.min()))


def positive(line):
    """Cost and normalized weights without rows of weight zero; inf is a forbidden pair."""
    m, n = line["m"], line["n"]
    c = np.array([np.inf if v is None else v for v in line["cost"]], dtype=float).reshape(m, n)
    a = np.ones(m) if line["a"] is None else np.array(line["a"], dtype=float)
    b = np.ones(n) if line["b"] is None else np.array(line["b"], dtype=float)
    a, b = a / a.max(), b / b.max()
    c, a, b = c[np.ix_(a > 0, b > 0)], a[a > 0], b[b > 0]
    return c, a / a.sum(), b / b.sum()


def highs(c, a, b, mass=None):
    """The linear program of plain transport, or of a share `mass` of it."""
    m, n = c.shape
    both = vstack([kron(eye(m), np.ones((1, n))), kron(np.ones((1, m)), eye(n))])
    masses = np.concatenate([a, b])
    closed = ~np.isfinite(c).ravel()
    bounds = np.column_stack([np.zeros(m * n), np.where(closed, 0.0, np.inf)])
    price = np.where(closed, 0.0, np.where(np.isfinite(c), c, 0.0).ravel())
    scale = np.abs(price).max() or 1.0
    opts = dict(primal_feasibility_tolerance=1e-10, dual_feasibility_tolerance=1e-10)
    if mass is None:
        r = linprog(price / scale, A_eq=both, b_eq=masses, bounds=bounds, method="highs", options=opts)
    else:
        r = linprog(price / scale, A_ub=both, b_ub=masses, A_eq=csr_matrix(np.ones((1, m * n))), b_eq=[mass],
                    bounds=bounds, method="highs", options=opts)
    return float(r.fun) * scale if r.status == 0 else None


def peers(line):
    """Solver → value, for those that hold on this instance."""
    c, a, b = positive(line)
    finite = c[np.isfinite(c)]
    if c.size > 1500 or decades(finite) > 6 or decades(a) > 6 or decades(b) > 6:
        return {}
    method, closed = line["method"], finite.size < c.size
    scale = np.abs(finite).max() or 1.0
    for_pot = not closed and c.min() >= 0
    if method in ("exact", "oned", "entropic"):  # entropic bounds plain transport
        out = {"highs": highs(c, a, b)}
        if for_pot:
            out["pot"] = float(ot.emd2(a, b, c / scale, numItermax=10**6)) * scale
        return out
    if method == "partial":
        if line["mass"] < 1e-6:
            return {}
        if line["one_sided"]:
            return {} if closed else {"highs": trim_highs(c / scale, a, b, line["mass"]) * scale}
        out = {"highs": highs(c, a, b, line["mass"])}
        if for_pot and line["mass"] <= 1 - 1e-9:
            plan = ot.partial.partial_wasserstein(a, b, c / scale, m=line["mass"])
            out["pot"] = float((plan * c).sum())
        return out
    if closed or c.size > 600:
        return {}
    if method == "robust":
        radii = [r for r in (line["rho"], line["target_rho"]) if r > 0]
        if any(not 1e-6 <= r <= 1e3 for r in radii):
            return {}
        if line["divergence"] == "tv":
            value = tv_highs(c / scale, a, b, min(1, line["rho"]), min(1, line["target_rho"]))
            return {"highs": None if value is None else value * scale}
        if line["divergence"] == "kl":
            if any(r < 1e-4 for r in radii) or decades(finite) > 4:
                return {}
            return {"clarabel kl": kl_primal(c, a, b, line["rho"], line["target_rho"])}
        return {"clarabel": robust_clarabel(c, a, b, line["rho"], line["target_rho"])}
    if method == "unbalanced":
        p1, p2 = line["penalty"], line["target_penalty"]
        middle = float(np.median(np.abs(c))) or 1.0
        if max(abs(np.log10(p1 / middle)), abs(np.log10(p2 / middle))) > 3 or decades(finite) > 4:
            return {}
        value = unbalanced_primal(c / middle, a, b, line["divergence"], p1 / middle, p2 / middle)
        return {"clarabel": None if value is None else value * middle}
    return {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="instances that the campaign exported")
    args = parser.parse_args()
    counts, wrong, total = collections.Counter(), [], 0
    with open(args.file) as f:
        for text in f:
            line = json.loads(text)
            total += 1
            try:
                values = peers(line)
            except Exception as e:  # a peer that fails says nothing about the answer
                counts[line["method"], "failed: " + type(e).__name__] += 1
                continue
            c, a, b = positive(line)
            middle = float(np.median(np.abs(c[np.isfinite(c)]))) if np.isfinite(c).any() else 0.0
            if line["method"] == "unbalanced":
                middle = max(middle, min(line["penalty"], line["target_penalty"]))
            for name, value in values.items():
                if value is None or not np.isfinite(value):
                    counts[line["method"], name + ": no answer"] += 1
                    continue
                tol = TOL[name] * (abs(value) + middle)
                if name == "highs":  # its tolerance of 1e-10 is one of prices, in units of the largest cost
                    tol += 1e-9 * float(np.abs(c[np.isfinite(c)]).max(initial=0.0))
                ok = line["lower"] - tol <= value <= line["value"] + tol
                if line["method"] != "entropic" and not line["error"]:
                    ok = ok and line["value"] <= value + tol
                counts[line["method"], name + (": agree" if ok else ": DISAGREE")] += 1
                if not ok:
                    wrong.append(f"{line['family']} {line['seed']} {line['method']}: between {line['lower']!r} and "
                                 f"{line['value']!r}, {name} says {value!r} (give or take {tol:.1g})")
    for (method, what), n in sorted(counts.items()):
        print(f"{method:11s} {what:28s} {n}")
    print(f"{total} instances")
    for text in wrong:
        print(text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
