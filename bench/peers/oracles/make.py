"""Makes the oracle files in ot/testdata: small instances of optimal transport
and what independent solvers say about them. See README.md."""

import argparse
import json
import os
import sys

import clarabel
import cvxopt
import cvxpy as cp
import numpy as np
import ot
import scipy
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

SEED = 20201
OUTLIER = 20.0  # how far the outliers lie from the rest



# Instances. Coordinates and weights have few digits, so that the files are
# small and yet exact.


def points(rng, n, d, shift=0.0, outliers=0.0):
    x = rng.normal(size=(n, d)) + shift
    k = int(round(outliers * n))
    x[:k] += OUTLIER
    return np.round(x, 4)


def weights(rng, n, zeros=0):
    w = np.round(rng.uniform(0.2, 2.0, size=n), 2)
    w[rng.permutation(n)[:zeros]] = 0
    return w


def instances():
    rng = np.random.default_rng(SEED)
    grid = np.array([[i, j] for i in range(4) for j in range(4)], dtype=float)
    few = points(rng, 5, 2)
    out = [
        dict(name="euclidean 20x25 outliers", metric="euclidean",
             x=points(rng, 20, 2, 0, 0.05), y=points(rng, 25, 2, 0.3)),
        dict(name="sqeuclidean 30x40 outliers", metric="sqeuclidean",
             x=points(rng, 30, 3, 0, 0.05), y=points(rng, 40, 3, 0.3)),
        dict(name="cityblock 15x10 weights", metric="cityblock",
             x=points(rng, 15, 2), y=points(rng, 10, 2, 0.5), a=weights(rng, 15), b=weights(rng, 10)),
        dict(name="cosine 12x18 weights", metric="cosine",
             x=points(rng, 12, 4), y=points(rng, 18, 4, 0.5), a=weights(rng, 12), b=weights(rng, 18)),
        dict(name="euclidean grid 16x16 ties", metric="euclidean", x=grid, y=grid[::-1] + [1, 0]),
        dict(name="sqeuclidean grid 16x12 ties", metric="sqeuclidean", x=grid, y=grid[:12] + [0, 2]),
        dict(name="sqeuclidean 15x20 duplicates", metric="sqeuclidean",
             x=np.repeat(few, 3, axis=0), y=points(rng, 20, 2)),
        dict(name="sqeuclidean 20x20 outliers both sides", metric="sqeuclidean",
             x=points(rng, 20, 2, 0, 0.05), y=-points(rng, 20, 2, 0, 0.05)),
        dict(name="given 10x14 negative, zero weights", cost=np.round(rng.normal(1, 2, size=(10, 14)), 3),
             a=weights(rng, 10, 2), b=weights(rng, 14, 3)),
        dict(name="given 12x12 costs 0 1 2", cost=rng.integers(0, 3, size=(12, 12)).astype(float)),
        dict(name="euclidean 1x7", metric="euclidean", x=points(rng, 1, 2), y=points(rng, 7, 2), b=weights(rng, 7)),
        dict(name="cityblock 7x1", metric="cityblock", x=points(rng, 7, 3), y=points(rng, 1, 3)),
    ]
    return out


def cost(inst):
    if "cost" in inst:
        return inst["cost"]
    return cdist(inst["x"], inst["y"], inst["metric"])


def masses(inst):
    c = cost(inst)
    a = np.asarray(inst.get("a", np.ones(c.shape[0])))
    b = np.asarray(inst.get("b", np.ones(c.shape[1])))
    return a / a.sum(), b / b.sum()


def positive(inst):
    """Cost and weights without the points of weight zero."""
    c, (a, b) = cost(inst), masses(inst)
    return c[np.ix_(a > 0, b > 0)], a[a > 0], b[b > 0]


# Solvers.


def clarabel_solve(objective, constraints=()):
    """As tight as it goes; None where even 1e-9 is out of reach."""
    problem = cp.Problem(objective, list(constraints))
    for tol in (1e-12, 1e-11, 1e-10, 1e-9):
        try:
            problem.solve(solver=cp.CLARABEL, tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol, max_iter=500)
        except cp.SolverError:
            continue
        if problem.status == "optimal":
            return float(problem.value)
    return None


def plain_highs(c, a, b, mass=None):
    """The linear program, whole mass or the share `mass` of it."""
    m, n = c.shape
    rows = np.kron(np.eye(m), np.ones((1, n)))
    cols = np.kron(np.ones((1, m)), np.eye(n))
    opts = dict(primal_feasibility_tolerance=1e-10, dual_feasibility_tolerance=1e-10)
    if mass is None:
        r = linprog(c.ravel(), A_eq=np.vstack([rows, cols]), b_eq=np.concatenate([a, b]), method="highs", options=opts)
    else:
        r = linprog(c.ravel(), A_ub=np.vstack([rows, cols]), b_ub=np.concatenate([a, b]),
                    A_eq=np.ones((1, m * n)), b_eq=[mass], method="highs", options=opts)
    return float(r.fun)


def robust_clarabel(c, a, b, rho1, rho2):
    """The primal: plans whose marginals lie in the balls."""
    s = np.abs(c).max() or 1.0
    p = cp.Variable(c.shape, nonneg=True)
    w, v = cp.sum(p, axis=1), cp.sum(p, axis=0)
    cons = [cp.sum(p) == 1]
    cons.append(w == a if rho1 == 0 else cp.norm(cp.multiply(w - a, 1 / np.sqrt(a))) <= np.sqrt(2 * rho1))
    cons.append(v == b if rho2 == 0 else cp.norm(cp.multiply(v - b, 1 / np.sqrt(b))) <= np.sqrt(2 * rho2))
    value = clarabel_solve(cp.Minimize(cp.sum(cp.multiply(c / s, p))), cons)
    return None if value is None else value * s


def robust_cvxopt(c, a, b, rho1, rho2):
    """The dual, a small cone program in (φ, ψ, μ, t1, t2):
    max a·φ + b·ψ + μ − √(2ρ1) t1 − √(2ρ2) t2,  φ_i + ψ_j + μ ≤ C_ij,  t ≥ Std of φ, ψ."""
    s = np.abs(c).max() or 1.0
    m, n = c.shape
    k = m + n + 3
    obj = np.concatenate([-a, -b, [-1, np.sqrt(2 * rho1), np.sqrt(2 * rho2)]])
    g = np.zeros((m * n, k))
    for i in range(m):
        g[i * n:(i + 1) * n, i] = 1
    g[:, m:m + n] = np.tile(np.eye(n), (m, 1))
    g[:, m + n] = 1
    blocks, h = [g], [c.ravel() / s]
    for off, w, t in ((0, a, m + n + 1), (m, b, m + n + 2)):
        q = np.zeros((len(w) + 1, k))
        q[0, t] = -1
        q[1:, off:off + len(w)] = -np.sqrt(w)[:, None] * (np.eye(len(w)) - w[None, :])
        blocks.append(q)
        h.append(np.zeros(len(w) + 1))
    dims = {"l": m * n, "q": [m + 1, n + 1], "s": []}
    # φ and ψ are fixed up to a constant: pin their means.
    eq = np.zeros((2, k))
    eq[0, :m], eq[1, m:m + n] = a, b
    program = [cvxopt.matrix(v) for v in (obj, np.vstack(blocks), np.concatenate(h))] + [dims]
    program += [cvxopt.matrix(v) for v in (eq, np.zeros(2))]
    for tol in (1e-11, 1e-10, 1e-9):
        cvxopt.solvers.options.update(show_progress=False, abstol=tol, reltol=tol, feastol=tol, maxiters=200)
        try:
            r = cvxopt.solvers.conelp(*program)
        except (ArithmeticError, ValueError):
            continue
        if r["status"] == "optimal":
            return -float(r["primal objective"]) * s
    return None


def kl_primal(c, a, b, rho1, rho2):
    """Plans whose marginals lie in balls of KL, by exponential cones."""
    s = np.abs(c).max() or 1.0
    p = cp.Variable(c.shape, nonneg=True)
    cons = [cp.sum(p) == 1]
    for w, base, rho in ((cp.sum(p, axis=1), a, rho1), (cp.sum(p, axis=0), b, rho2)):
        cons.append(w == base if rho == 0 else cp.sum(cp.rel_entr(w, base)) <= rho)
    value = clarabel_solve(cp.Minimize(cp.sum(cp.multiply(c / s, p))), cons)
    return None if value is None else value * s


def kl_dual(c, a, b, rho1, rho2):
    """max Σ over sides of −λ log Σ a exp(−φ/λ) − λρ: with t ≥ λ log Σ a exp(−φ/λ), that is
    Σ a·λ·exp((−φ − t)/λ) ≤ λ, one exponential cone a row."""
    s = np.abs(c).max() or 1.0
    f, g = cp.Variable(len(a)), cp.Variable(len(b))
    cons, value = [f[:, None] + g[None, :] <= c / s], 0
    for phi, base, rho in ((f, a, rho1), (g, b, rho2)):
        if rho == 0:
            value = value + base @ phi
            continue
        lam, t, z = cp.Variable(nonneg=True), cp.Variable(), cp.Variable(len(base))
        cons += [cp.ExpCone(-phi - t, lam * np.ones(len(base)), z), base @ z <= lam]
        value = value - t - lam * rho
    got = clarabel_solve(cp.Maximize(value), cons)
    return None if got is None else got * s


def tv_highs(c, a, b, rho1, rho2):
    """The linear program of balls of total variation: w = a − r + s, Σr ≤ ρ."""
    m, n = c.shape
    k = m + n
    flow = np.vstack([np.kron(np.eye(m), np.ones((1, n))), np.kron(np.ones((1, m)), np.eye(n))])
    eq = np.vstack([np.hstack([flow, np.eye(k), -np.eye(k)]), np.concatenate([np.ones(m * n), np.zeros(2 * k)])[None]])
    total = np.zeros((2, m * n + 2 * k))
    total[0, m * n:m * n + m], total[1, m * n + m:m * n + k] = 1, 1
    opts = dict(primal_feasibility_tolerance=1e-10, dual_feasibility_tolerance=1e-10)
    r = linprog(np.concatenate([c.ravel(), np.zeros(2 * k)]), A_eq=eq, b_eq=np.concatenate([a, b, [1]]), A_ub=total, b_ub=[rho1, rho2], method="highs", options=opts)
    return float(r.fun) if r.status == 0 else None


def tv_clarabel(c, a, b, rho1, rho2):
    s = np.abs(c).max() or 1.0
    p = cp.Variable(c.shape, nonneg=True)
    cons = [cp.sum(p) == 1]
    for w, base, rho in ((cp.sum(p, axis=1), a, rho1), (cp.sum(p, axis=0), b, rho2)):
        cons.append(w == base if rho == 0 else cp.norm1(w - base) <= 2 * rho)
    value = clarabel_solve(cp.Minimize(cp.sum(cp.multiply(c / s, p))), cons)
    return None if value is None else value * s


def trim_highs(c, a, b, mass):
    """The source alone leaves mass behind."""
    m, n = c.shape
    opts = dict(primal_feasibility_tolerance=1e-10, dual_feasibility_tolerance=1e-10)
    r = linprog(c.ravel(), A_ub=np.kron(np.eye(m), np.ones((1, n))), b_ub=a, A_eq=np.kron(np.ones((1, m)), np.eye(n)), b_eq=mass * b, method="highs", options=opts)
    return float(r.fun)


def trim_clarabel(c, a, b, mass):
    s = np.abs(c).max() or 1.0
    p = cp.Variable(c.shape, nonneg=True)
    value = clarabel_solve(cp.Minimize(cp.sum(cp.multiply(c / s, p))), [cp.sum(p, axis=1) <= a, cp.sum(p, axis=0) == mass * b])
    return None if value is None else value * s


def unbalanced_primal(c, a, b, div, p1, p2):
    p = cp.Variable(c.shape, nonneg=True)

    def term(w, base):
        if div == "chi2":
            return cp.sum_squares(cp.multiply(w - base, 1 / np.sqrt(2 * base)))
        return cp.sum(cp.kl_div(w, base))

    return clarabel_solve(cp.Minimize(cp.sum(cp.multiply(c, p)) + p1 * term(cp.sum(p, axis=1), a) + p2 * term(cp.sum(p, axis=0), b)))


def unbalanced_dual(c, a, b, div, p1, p2):
    f, g = cp.Variable(len(a)), cp.Variable(len(b))
    cons = [f[:, None] + g[None, :] <= c]

    def term(x, w, penalty):
        if div == "chi2":
            return w @ x - cp.sum_squares(cp.multiply(np.sqrt(w / (2 * penalty)), x))
        return penalty * (w @ (1 - cp.exp(-x / penalty)))

    if div == "chi2":
        cons += [f <= p1, g <= p2]
    return clarabel_solve(cp.Maximize(term(f, a, p1) + term(g, b, p2)), cons)


def entropic_pot(c, a, b, eps):
    """Transport cost of the regularized plan, iterated to the end."""
    plan = ot.sinkhorn(a, b, c, eps, method="sinkhorn_log", numItermax=200000, stopThr=1e-14, warn=False)
    return float((plan * c).sum())


# Cases.


def case(inst, method, values, floor, **extra):
    """values: solver → value or None. The first present is the value; tol is
    relative to it and covers the solvers' disagreement."""
    values = {k: v for k, v in values.items() if v is not None}
    if not values:
        print(f"no solver could do {method} {inst['name']} {extra}", file=sys.stderr)
        return None
    value = next(iter(values.values()))
    scale = max(abs(value), 1e-3 * float(np.abs(cost(inst)).mean()), 1e-300)
    spread = (max(values.values()) - min(values.values())) / scale
    out = {k: (v.tolist() if isinstance(v, np.ndarray) else v) for k, v in inst.items()}
    out.update(method=method, value=value, tol=max(floor, 4 * spread), scale=scale, solvers=values, disagreement=spread, **extra)
    return out


def plain_cases():
    for inst in instances():
        c, (a, b) = cost(inst), masses(inst)
        yield case(inst, "exact", {"pot.emd2": float(ot.emd2(a, b, c, numItermax=10**7)), "highs": plain_highs(c, a, b)}, 1e-10)


def robust_cases():
    for inst in instances():
        c, a, b = positive(inst)
        radii = [(r, 0) for r in (1e-4, 0.005, 0.02, 0.05, 0.3, 3)]
        radii += [(0.02, 0.02), (0.05, 0.005), (1e-4, 1e-4), (3, 0.3), (0, 0.05)]
        for rho1, rho2 in radii:
            yield case(inst, "robust", {"clarabel": robust_clarabel(c, a, b, rho1, rho2),
                                        "cvxopt.conelp": robust_cvxopt(c, a, b, rho1, rho2)}, 2e-8, rho1=rho1, rho2=rho2)


def balls_cases():
    for inst in instances():
        c, a, b = positive(inst)
        for rho1, rho2 in ((1e-4, 0), (0.05, 0), (1, 0), (0, 0.1), (0.02, 0.2)):
            yield case(inst, "robust", {"clarabel primal": kl_primal(c, a, b, rho1, rho2), "clarabel dual": kl_dual(c, a, b, rho1, rho2)},
                       2e-7, divergence="kl", rho1=rho1, rho2=rho2)
        for rho1, rho2 in ((0.05, 0), (0, 0.3), (0.02, 0.1)):
            yield case(inst, "robust", {"highs": tv_highs(c, a, b, rho1, rho2), "clarabel": tv_clarabel(c, a, b, rho1, rho2)},
                       2e-8, divergence="tv", rho1=rho1, rho2=rho2)
        yield case(inst, "trim", {"highs": trim_highs(c, a, b, 0.9), "clarabel": trim_clarabel(c, a, b, 0.9)}, 2e-8, mass=0.9)


def unbalanced_cases():
    for inst in instances():
        c, a, b = positive(inst)
        for div in ("chi2", "kl"):
            for p1, p2 in ((0.1, 0.1), (1, 1), (10, 10), (100, 100), (2, 0.5)):
                yield case(inst, "unbalanced", {"clarabel primal": unbalanced_primal(c, a, b, div, p1, p2),
                                                "clarabel dual": unbalanced_dual(c, a, b, div, p1, p2)},
                           2e-8, divergence=div, penalty=p1, target_penalty=p2)


def partial_cases():
    for inst in instances():
        c, (a, b) = cost(inst), masses(inst)
        for mass in (0.05, 0.5, 0.9, 0.95, 1):
            values = {"highs": plain_highs(c, a, b, mass)}
            if c.min() >= 0 and mass < 1:  # POT adds dummies that would catch negative costs
                plan = ot.partial.partial_wasserstein(a, b, c, m=mass)
                values["pot.partial"] = float((plan * c).sum())
            yield case(inst, "partial", values, 1e-9, mass=mass)


def entropic_cases():
    for inst in instances():
        c, (a, b) = cost(inst), masses(inst)
        cc, aa, bb = positive(inst)
        spread = float(a @ c @ b - c.min())
        if spread <= 0:
            continue
        for rel in (1, 0.1, 0.05):
            eps = rel * spread
            yield case(inst, "entropic", {"pot.sinkhorn_log": entropic_pot(cc, aa, bb, eps)}, 1e-7, epsilon=eps)


def oned_cases():
    rng = np.random.default_rng(SEED + 1)
    sides = [
        ("30x40", points(rng, 30, 1, 0, 0.05), points(rng, 40, 1, 0.5), None, None),
        ("25x25 uniform", points(rng, 25, 1), points(rng, 25, 1, 1), None, None),
        ("15x10 weights with zeros", points(rng, 15, 1), points(rng, 10, 1), weights(rng, 15, 3), weights(rng, 10, 2)),
        ("12x20 duplicates", np.round(points(rng, 12, 1)), np.round(points(rng, 20, 1)), None, weights(rng, 20)),
        ("1x9", points(rng, 1, 1), points(rng, 9, 1), None, weights(rng, 9)),
        ("1x1", points(rng, 1, 1), points(rng, 1, 1), None, None),
    ]
    for name, x, y, a, b in sides:
        for metric in ("euclidean", "sqeuclidean", "cityblock"):
            inst = dict(name=f"{metric} {name}", metric=metric, x=x, y=y)
            if a is not None:
                inst["a"] = a
            if b is not None:
                inst["b"] = b
            wa, wb = masses(inst)
            yield case(inst, "oned", {"pot.emd2_1d": float(ot.emd2_1d(x, y, wa, wb, metric=metric)),
                                      "highs": plain_highs(cost(inst), wa, wb)}, 1e-10)


FILES = dict(plain=plain_cases, robust=robust_cases, balls=balls_cases, unbalanced=unbalanced_cases,
             partial=partial_cases, entropic=entropic_cases, oned=oned_cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(__file__), "..", "..", "..", "ot", "testdata"))
    parser.add_argument("--only", choices=sorted(FILES), help="make one file")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    origin = dict(command="python bench/peers/oracles/make.py", seed=SEED, python=sys.version.split()[0],
                  pot=ot.__version__, cvxpy=cp.__version__, clarabel=clarabel.__version__, cvxopt=cvxopt.__version__,
                  scipy=scipy.__version__, numpy=np.__version__)
    for name, cases in FILES.items():
        if args.only in (None, name):
            path = os.path.join(args.out, name + ".json")
            done = [c for c in cases() if c]
            with open(path, "w") as f:
                f.write('{"origin":' + json.dumps(origin) + ',\n"cases":[\n')
                f.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in done))
                f.write("\n]}\n")
            worst = max(done, key=lambda c: c["disagreement"])
            print(f"{path}: {len(done)} cases, worst disagreement {worst['disagreement']:.1e} ({worst['name']})")


if __name__ == "__main__":
    main()
