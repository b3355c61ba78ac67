"""The weight program, beside that of the Go library."""

import numpy as np
import pytest

import rot
from rot._client import request

rng = np.random.default_rng(5)


def reference(scores, rho):
    return request("weights", {"rho": rho}, {"scores": np.asarray(scores, float)}, lambda _, arrays: arrays["weights"])


CASES = [
    rng.normal(size=100),
    rng.integers(0, 4, size=200).astype(float),
    np.array([5.0]),
    np.full(7, 3.0),
    np.concatenate((rng.normal(size=50), [1e12, -1e9])),
    1e8 + rng.normal(size=64),
    1e-200 * rng.normal(size=64),
]


@pytest.mark.parametrize("rho", [0, 1e-6, 0.026, 0.5, 3, 40, np.inf])
@pytest.mark.parametrize("k", range(len(CASES)))
def test_numpy(k, rho):
    s = CASES[k]
    w = rot.weights(s, rho)
    np.testing.assert_allclose(w, reference(s, rho), atol=1e-6 if k in (4, 5) else 1e-9)
    assert w.min() >= 0 and w.mean() == pytest.approx(1)
    assert ((w - 1) ** 2).mean() / 2 <= rho * (1 + 1e-9) + 1e-12


def test_gamma_and_errors():
    s = CASES[0]
    np.testing.assert_array_equal(rot.weights(s, gamma=0.2), rot.weights(s, 0.125))
    for bad in ([], [np.nan], [np.inf, 1]):
        with pytest.raises(rot.InputError):
            rot.weights(bad, 0.1)
    with pytest.raises(rot.InputError, match="-1"):
        rot.weights(s, -1)


@pytest.mark.parametrize("rho", [0, 0.026, 0.5, 40])
@pytest.mark.parametrize("k", range(4))
def test_tensors(k, rho):
    torch = pytest.importorskip("torch")
    s = torch.tensor(CASES[k], dtype=torch.float32, requires_grad=True)
    w = rot.weights(s, rho)
    assert w.dtype == s.dtype and w.device == s.device and not w.requires_grad
    np.testing.assert_allclose(w.numpy(), rot.weights(s.detach().numpy(), rho), atol=1e-5)
    assert rot.weights(s.reshape(-1, 1), rho).shape == (len(s), 1)


def test_gradient():
    torch = pytest.importorskip("torch")
    s = torch.tensor(rng.normal(size=12), requires_grad=True)
    for rho in (0.01, 0.3):
        assert torch.autograd.gradcheck(lambda s: rot.weights(s, rho, differentiable=True), (s,))
    # Where the weights are a minimum, the loss does not feel them move.
    rot.weights(s, 0.1, differentiable=True).mul(s).sum().backward()
    torch.testing.assert_close(s.grad, rot.weights(s, 0.1))
