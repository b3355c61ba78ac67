"""rot.certify on plans of our own and of others'."""

import numpy as np
import pytest

import rot


def problem(n=40, m=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), rng.normal(size=(m, 2)) + 1


def test_own_plan_is_optimal():
    x, y = problem()
    r = rot.robust(x, y, gamma=0.1)
    for potentials in (None, r.potentials, (r.potentials[0], None)):
        c = rot.certify(r.plan, x, y, gamma=0.1, potentials=potentials)
        assert c.feasible and c.violation < 1e-9
        assert c.value == pytest.approx(r.value, rel=1e-12)
        assert 0 <= c.gap <= 1e-8 * c.value
    assert not rot.certify(r.plan, x, y).feasible


def test_poor_plan():
    x, y = problem()
    outer = np.full((40, 30), 1 / 1200)
    best = rot.robust(x, y).value
    c = rot.certify(outer, x, y)
    assert c.feasible and c.gap == pytest.approx(c.value - best, rel=1e-6)
    few = rot.certify(outer, x, y, sweeps=2)
    assert few.sweeps <= 2 and few.lower <= best * (1 + 1e-12)


def test_faults():
    x, y = problem()
    plan = np.full((40, 30), 1 / 1200)
    plan[3] = 0
    c = rot.certify(plan, x, y)
    assert not c.feasible and c.violation == pytest.approx(1 / 40)
    assert "source row 3" in c.worst and "source row 3" in repr(c)
    with pytest.raises(rot.InputError):
        rot.certify(plan[:-1], x, y)
    with pytest.raises(rot.InputError):
        rot.certify(plan, x, y, potentials=([1.0], None))


@pytest.mark.parametrize("divergence", ["chi2", "kl", "tv"])
@pytest.mark.parametrize("target_rho", [0.0, 0.02])
def test_balls(divergence, target_rho):
    x, y = problem()
    x[0] += 50
    ask = dict(gamma=0.1, target_rho=target_rho, divergence=divergence)
    r = rot.robust(x, y, **ask)
    c = rot.certify(r.plan, x, y, **ask)
    assert c.feasible and c.violation < 1e-9 and 0 <= c.gap <= 1e-8 * c.value
    outside = rot.certify(r.plan, x, y, gamma=0.05, target_rho=target_rho, divergence=divergence)
    assert not outside.feasible and "divergence" in outside.worst


@pytest.mark.parametrize("side", ["both", "source"])
def test_trimmed(side):
    x, y = problem()
    x[:2] += 50
    r = rot.trimmed(x, y, trim=0.05, side=side)
    assert abs(r.plan.sum() - 0.95) < 1e-9 and (r.source_weights[:2] < 1e-9).all()
    c = rot.certify(r.plan, x, y, trim=0.05, side=side)
    assert c.feasible and 0 <= c.gap <= 1e-8 * c.value
    assert not rot.certify(r.plan, x, y, trim=0.04, side=side).feasible
    assert rot.trimmed(x, y, trim=0.05, side=side, truncate=0.5).value <= r.value
    with pytest.raises(rot.InputError, match="trim"):
        rot.trimmed(x, y, trim=1)
    with pytest.raises(rot.InputError, match="side"):
        rot.certify(r.plan, x, y, trim=0.05, side="target")


@pytest.mark.parametrize("div", ["chi2", "kl"])
def test_unbalanced(div):
    x, y = problem()
    x[:2] += 50
    M = np.sqrt(((x[:, None] - y[None]) ** 2).sum(-1))
    a, b = np.full(len(x), 1 / len(x)), np.full(len(y), 1 / len(y))
    plan = rot.unbalanced(a, b, M, 2.0, div=div)
    c = rot.certify(plan, cost=M, penalty=2.0, divergence=div)
    assert c.feasible and 0 <= c.gap <= 1e-8 * c.value
    value = (plan * M).sum()
    for w, base in ((plan.sum(1), a), (plan.sum(0), b)):
        value += 2.0 * ((w - base) ** 2 / (2 * base) if div == "chi2" else w * np.log(w / base) - w + base).sum()
    assert c.value == pytest.approx(value, rel=1e-9)
    assert rot.certify(0.5 * plan, cost=M, penalty=2.0, divergence=div).gap > 1e-3 * c.value
    with pytest.raises(rot.InputError):
        rot.certify(plan, cost=M, penalty=-1.0)
    with pytest.raises(rot.InputError):
        rot.certify(plan, cost=M, penalty=1.0, divergence="tv")
