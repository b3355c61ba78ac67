"""The functions with POT's names, beside POT where it is installed."""

import warnings

import numpy as np
import pytest

import rot

rng = np.random.default_rng(3)


def problem(n=25, m=20):
    a, b = rng.random(n), rng.random(m)
    return a / a.sum(), b / b.sum(), rng.random((n, m))


def test_emd():
    a, b, M = problem()
    G, log = rot.emd(a, b, M, log=True)
    np.testing.assert_allclose(G.sum(1), a, atol=1e-12)
    np.testing.assert_allclose(G.sum(0), b, atol=1e-12)
    assert (G * M).sum() == pytest.approx(log["cost"]) == pytest.approx(rot.emd2(a, b, M))
    assert log["u"] @ a + log["v"] @ b == pytest.approx(log["cost"])
    assert log["u"] @ a == pytest.approx(log["v"] @ b)  # centred
    assert (log["u"][:, None] + log["v"] - M).max() < 1e-9
    np.testing.assert_allclose(rot.emd(7 * a, 7 * b, M).sum(), 7)
    assert rot.emd2(7 * a, 7 * b, M) == pytest.approx(7 * log["cost"])
    s = rot.emd(a, b, M, sparse=True)
    np.testing.assert_allclose(s.toarray(), G)


def test_emd_refuses():
    a, b, M = problem()
    for bad in ((a[:-1], b), (a, b * 2), (-a, b), (a * np.nan, b)):
        with pytest.raises(rot.InputError):
            rot.emd(*bad, M)
    with pytest.raises(rot.InputError, match="not that of a matrix"):
        rot.emd2(a, b, M[0])


def test_limit_warns():
    n = 200
    M = rng.random((n, n))
    a = rng.random(n)
    with pytest.warns(UserWarning, match="numItermax"):
        G, log = rot.emd(a / a.sum(), [], M, numItermax=1, log=True)
    assert log["warning"] and log["result_code"] != 1
    np.testing.assert_allclose(G.sum(0), 1 / n)
    assert log["lower"] <= rot.emd2(a / a.sum(), [], M) * (1 + 1e-9)


def test_many_targets():
    a, b, M = problem()
    bs = np.stack([b, b[::-1]], 1)
    assert rot.emd2(a, bs, M) == [rot.emd2(a, b, M), rot.emd2(a, b[::-1], M)]


@pytest.mark.parametrize("scale", [1.0, 3.0])
@pytest.mark.parametrize("m", [None, 0.3, 0.0])
def test_partial(scale, m):
    a, b, M = problem()
    b = b * scale
    G, log = rot.partial_wasserstein(a, b, M - 0.5, m=m, log=True)
    assert G.sum() == pytest.approx(1.0 if m is None else m)
    assert (G.sum(1) <= a + 1e-9).all() and (G.sum(0) <= b + 1e-9).all()
    assert (G * (M - 0.5)).sum() == pytest.approx(log["cost"])
    assert log["gap"] < 1e-7
    for bad in (-1, 2):
        with pytest.raises(ValueError):
            rot.partial_wasserstein(a, b, M, m=bad)


@pytest.mark.parametrize("div", ["kl", "chi2"])
def test_unbalanced_is_a_minimum(div):
    a, b, M = problem(6, 5)
    G, log = rot.unbalanced(a, b, M, (0.5, 0.8), div=div, log=True)

    def objective(p):
        out = (p * M).sum()
        for w, base, price in ((p.sum(1), a, 0.5), (p.sum(0), b, 0.8)):
            if div == "kl":
                out += price * (w * np.log(np.maximum(w, 1e-300) / base) - w + base).sum()
            else:
                out += price * ((w - base) ** 2 / base).sum() / 2
        return out

    assert objective(G) == pytest.approx(log["total_cost"])
    for _ in range(200):
        assert objective(np.maximum(G + 1e-3 * rng.normal(size=G.shape), 0)) >= log["lower"] - 1e-9
    assert rot.unbalanced2(a, b, M, (0.5, 0.8), div=div) == pytest.approx((G * M).sum())


def test_sinkhorn():
    a, b, M = problem()
    for reg in (1.0, 0.1, 1e-3):
        G, log = rot.sinkhorn(a, b, M, reg, log=True)
        np.testing.assert_allclose(G.sum(1), a, atol=1e-9)
        np.testing.assert_allclose(G.sum(0), b, atol=1e-9)
        assert log["lower"] <= rot.emd2(a, b, M) + 1e-9 <= log["cost"] + 1e-8
    # The plan is exp of a sum of potentials and costs.
    L = np.log(rot.sinkhorn(a, b, M, 0.5)) + M / 0.5
    assert np.abs(L - L[:1] - L[:, :1] + L[0, 0]).max() < 1e-5
    with pytest.raises(rot.InputError, match="reg"):
        rot.sinkhorn(a, b, M, 0)


def test_line():
    u, v, wu = rng.normal(size=(30, 4)), rng.normal(size=(20, 4)), rng.random(30)
    for p in (1, 2, 3.5):
        got = rot.wasserstein_1d(u, v, wu, p=p)
        want = [rot.emd2(wu / wu.sum(), [], np.abs(u[:, k, None] - v[None, :, k]) ** p) for k in range(4)]
        np.testing.assert_allclose(got, want, rtol=1e-9)
    with pytest.raises(rot.InputError, match="below 1"):
        rot.wasserstein_1d(u, v, p=0.5)
    with pytest.raises(rot.InputError, match="u_weights"):
        rot.wasserstein_1d(u, v, wu[:3])


def test_lazy():
    x, y = rng.normal(size=(30, 3)), rng.normal(size=(20, 3))
    M = ((x[:, None] - y[None]) ** 2).sum(2)
    cost, log = rot.emd2_lazy(x, y, log=True)
    assert cost == pytest.approx(rot.emd2([], [], M)) == pytest.approx(rot.emd2_lazy(x, y))
    assert (log["G"].toarray() * M).sum() == pytest.approx(cost)


def test_beside_pot():
    ot = pytest.importorskip("ot")
    a, b, M = problem(60, 50)
    assert rot.emd2(a, b, M) == pytest.approx(ot.emd2(a, b, M), rel=1e-9)
    np.testing.assert_allclose(rot.emd(a, b, M), ot.emd(a, b, M), atol=1e-9)
    assert rot.partial_wasserstein2(a, 2 * b, M, m=0.4) == pytest.approx(ot.partial.partial_wasserstein2(a, 2 * b, M, m=0.4), rel=1e-9)
    np.testing.assert_allclose(rot.sinkhorn(a, b, M, 0.1), ot.sinkhorn(a, b, M, 0.1, stopThr=1e-12, numItermax=100000), atol=1e-7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        near, about = ot.unbalanced.mm_unbalanced(a, b, M, 0.7, div="kl", numItermax=5000, log=True)
    exact, log = rot.unbalanced(a, b, M, 0.7, log=True)
    np.testing.assert_allclose(exact, near, atol=3e-3)  # POT's iteration is slow to end
    assert log["lower"] <= about["total_cost"] and log["total_cost"] == pytest.approx(about["total_cost"], rel=1e-4)
    x, y = rng.normal(size=50), rng.normal(size=40)
    assert rot.wasserstein_1d(x, y, p=2) == pytest.approx(ot.wasserstein_1d(x, y, p=2))


def test_tensors():
    torch = pytest.importorskip("torch")
    a, b, M = (torch.tensor(v, dtype=torch.float32, requires_grad=True) for v in problem())
    value = rot.emd2(a, b, M)
    assert value.dtype == torch.float32
    (3 * value).backward()
    G, log = rot.emd(a, b, M, log=True)
    torch.testing.assert_close(M.grad, 3 * G)
    torch.testing.assert_close(a.grad, 3 * (log["u"] - log["u"].mean()))
    x, y = torch.randn(20, 3, dtype=torch.float64, requires_grad=True), torch.randn(15, 3, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: rot.wasserstein_1d(x, y, p=2), (x,))
