"""Transport of samples: values, bounds, weights, inputs of all kinds."""

import itertools

import html
import re

import numpy as np
import pytest

import rot

rng = np.random.default_rng(7)


def clouds(n=40, m=30, d=3):
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)) + 0.5


def dense(plan):
    return plan.toarray()


def check(r, x, y, cost):
    """A result certifies itself: feasible on both sides, bounds that meet."""
    p = dense(r.plan)
    assert p.min() >= 0 and p.shape == (len(x), len(y))
    np.testing.assert_allclose((p * cost).sum(), r.value, rtol=1e-9)
    f, g = r.potentials
    assert (f[:, None] + g[None, :] - cost).max() <= 1e-9 * np.abs(cost).max()
    assert r.lower <= r.value * (1 + 1e-12) and r.gap <= 1e-8 * max(r.value, 1e-300)
    np.testing.assert_allclose(p.sum(1) * len(x), r.source_weights, atol=1e-9)
    np.testing.assert_allclose(p.sum(0) * len(y), r.target_weights, atol=1e-9)


@pytest.mark.parametrize("rho,target_rho", [(0, 0), (0.05, 0), (0.05, 0.02)])
def test_robust(rho, target_rho):
    x, y = clouds()
    x[:4] += 40
    cost = np.linalg.norm(x[:, None] - y[None], axis=2)
    r = rot.robust(x, y, rho=rho, target_rho=target_rho)
    check(r, x, y, cost)
    for w, radius in ((r.source_weights, rho), (r.target_weights, target_rho)):
        assert abs(w.mean() - 1) < 1e-9
        assert ((w - 1) ** 2).mean() / 2 <= radius + 1e-9
    again = rot.robust(cost=cost, rho=rho, target_rho=target_rho)
    assert again.value == pytest.approx(r.value, rel=1e-9)


def test_gamma_is_a_radius():
    x, y = clouds()
    assert rot.robust(x, y, gamma=0.2).value == rot.robust(x, y, rho=0.125).value
    with pytest.raises(rot.InputError, match="not both"):
        rot.robust(x, y, gamma=0.1, rho=0.1)
    with pytest.raises(rot.InputError, match="gamma 1"):
        rot.robust(x, y, gamma=1)
    with pytest.raises(rot.InputError, match="Inf"):
        rot.robust(x, y, rho=np.inf)


def test_plain_by_brute_force():
    x, y = rng.normal(size=(6, 2)), rng.normal(size=(6, 2))
    for metric, order, power in (("euclidean", 2, 1), ("sqeuclidean", 2, 2), ("cityblock", 1, 1)):
        cost = np.linalg.norm(x[:, None] - y[None], ord=order, axis=2) ** power
        best = min(cost[range(6), p].mean() for p in itertools.permutations(range(6)))
        assert rot.robust(x, y, metric=metric).value == pytest.approx(best, rel=1e-9)
        assert rot.emd2([], [], cost) == pytest.approx(best, rel=1e-9)


def test_weights_are_relative():
    x, y = clouds()
    a, b = rng.random(40), rng.random(30)
    assert rot.robust(x, y, a, b).value == pytest.approx(rot.robust(x, y, 5 * a, b).value, rel=1e-12)
    twice = rot.robust(np.repeat(x, 2, 0), y, b=b)
    assert rot.robust(x, y, b=b).value == pytest.approx(twice.value, rel=1e-9)


def test_scale():
    x, y = clouds()
    unit = np.array([1.0, 1000.0, 1e-3])
    for scale in ("std", "robust"):
        assert rot.robust(x * unit, y * unit, scale=scale).value == pytest.approx(rot.robust(x, y, scale=scale).value, rel=1e-9)
    both = np.concatenate((x, y)).std(0)  # as rot dist --scale std has it
    assert rot.robust(x / both, y / both).value == pytest.approx(rot.robust(x, y, scale="std").value, rel=1e-9)
    with pytest.raises(rot.InputError, match="'mad' is none of"):
        rot.robust(x, y, scale="mad")


def test_one_dimension():
    assert rot.robust([0.0, 1.0], [2.0, 5.0]).value == pytest.approx(3)


def test_curve():
    x, y = clouds()
    x[:4] += 40
    c = rot.curve(x, y)
    assert (np.diff(c.value) <= 1e-9).all() and (c.lower <= c.value + 1e-9).all()
    assert c.plain == pytest.approx(rot.robust(x, y).value)
    assert 0.02 < c.elbow < 0.12
    assert "elbow" in c.page() and "<svg" in c._card()
    exact = rot.curve(x, y, rhos=[0.0, 0.04], tol=1e-9)
    assert exact.value[1] == pytest.approx(rot.robust(x, y, rho=0.04).value, rel=1e-6)


def test_not_converged_has_bounds():
    x, y = clouds(300, 300)
    best = rot.robust(x, y, rho=0.05).value
    with pytest.raises(rot.ConvergenceError) as e:
        rot.robust(x, y, rho=0.05, max_iters=1)
    assert e.value.lower <= best * (1 + 1e-9) and best <= e.value.value * (1 + 1e-9)
    assert e.value.gap > e.value.tol
    p = dense(e.value.result.plan)
    np.testing.assert_allclose(p.sum(0), 1 / 300)


@pytest.mark.parametrize(
    "x,y,text",
    [
        ([[1.0, np.nan]], [[1.0, 2.0]], "NaN"),
        ([[1.0, 2.0]], [[1.0]], "source has 2 columns, target has 1"),
        ([["a", "b"]], [[1.0, 2.0]], "X is not an array of numbers"),
        ([[1j]], [[1.0]], "complex"),
        (np.empty((0, 2)), [[1.0, 2.0]], "no points"),
        (None, [[1.0]], "missing"),
        (np.ma.array([[1.0], [2.0]], mask=[[True], [False]]), [[1.0]], "X has masked cells"),
    ],
)
def test_bad_input(x, y, text):
    with pytest.raises(rot.InputError, match=text):
        rot.robust(x, y)
    assert issubclass(rot.InputError, ValueError)


def test_sparse_points_are_refused_with_a_way_out():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(rot.InputError, match="X is a sparse matrix; x.toarray()"):
        rot.robust(sparse.csr_matrix(np.eye(2)), np.eye(2))


def test_array_kinds():
    x, y = clouds()
    want = rot.robust(x, y).value
    assert rot.robust(np.asfortranarray(x), y[::-1]).value == pytest.approx(want)
    assert rot.robust(x.tolist(), y.tolist()).value == want
    assert rot.robust(x.astype(">f8"), y).value == want
    f = x.astype(np.float32)
    assert rot.robust(f, y).value == rot.robust(f.astype(float), y).value
    i = rng.integers(0, 9, size=(20, 2))
    assert rot.robust(i, i + 1, metric="cityblock").value == pytest.approx(2)


def test_notebook():
    x, y = clouds()
    x[:4] += 40
    r = rot.robust(x, y, gamma=0.1, target_rho=0.01)
    text = r._repr_html_()
    page = html.unescape(re.search('srcdoc="(.*?)"', text, re.S).group(1))
    assert page == r.page() and page.startswith("<!") and "Weights of the source" in page and "Weights of the target" in page
    assert "Robust" in text and f"{r.value:.6g}" in text
    assert "0 × 0" not in repr(r) and "40 × 30" in repr(r)
    plain = rot.robust(x, y)
    assert "Weights of" not in plain.page()
    for other in (rot.curve(x, y), rot.robust(cost=np.ones((3, 2)))):
        assert "<iframe" in other._repr_html_()


def test_page_is_of_what_was_solved():
    x, y = clouds()
    r = rot.robust(x, y, gamma=0.1)
    before = r.page()
    x += 9
    assert r.page() == before


def test_card_where_there_is_no_page(monkeypatch):
    monkeypatch.setattr(rot._page, "_MOST", 10)
    x, y = clouds()
    r = rot.robust(x, y, gamma=0.1, target_rho=0.01)
    text = r._repr_html_()
    assert text.count("<svg") == 2 and "<iframe" not in text and f"{r.value:.6g}" in text
    with pytest.raises(rot.InputError, match="too large"):
        r.page()


def test_plan_without_scipy(monkeypatch):
    import builtins

    real = builtins.__import__

    def fake(name, *args, **kwargs):
        if name.startswith("scipy"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", fake)
    x, y = clouds()
    p = rot.robust(x, y).plan
    assert isinstance(p, rot.Plan)
    np.testing.assert_allclose(p.sum(1), 1 / 40)
    np.testing.assert_allclose(p.sum(0), 1 / 30)
    np.testing.assert_allclose(p @ y, p.toarray() @ y)
    assert "entries" in repr(p)


def test_divergences():
    x, y = clouds()
    x[:4] += 40
    cost = np.linalg.norm(x[:, None] - y[None], axis=2)
    for divergence in ("kl", "tv"):
        r = rot.robust(x, y, gamma=0.1, divergence=divergence)
        check(r, x, y, cost)
        w = r.source_weights
        far = (w[w > 0] * np.log(w[w > 0])).sum() / len(w) if divergence == "kl" else np.abs(w - 1).mean() / 2
        assert far <= rot.radius(0.1, None, divergence) * (1 + 1e-9)
        assert "KL" in r.page() if divergence == "kl" else "total variation" in r.page()
    near = rot.robust(x, y, truncate=1.0)
    assert near.value == pytest.approx(rot.robust(cost=np.minimum(cost, 1)).value, rel=1e-9)
    with pytest.raises(rot.InputError, match="divergence"):
        rot.robust(x, y, gamma=0.1, divergence="hellinger")
