"""Puts rot's functions in the place of POT's while POT's tests run.

`-p plugin` loads it. What POT's tests reach by other functions of POT stays
POT's: only the names in PLACES are replaced.
"""

import functools
import os

import numpy as np
import ot
import pytest
from exceptions import EXCEPTIONS
from ot.backend import get_backend_list

import rot

np.set_printoptions(legacy="1.25")

CALLS = {}


def counted(name, function):
    """Counts the calls, so that the report can say that rot was at work."""

    def call(*args, **kwargs):
        CALLS[name] = CALLS.get(name, 0) + 1
        return function(*args, **kwargs)

    return call


PLACES = {
    "emd": [ot, ot.lp],
    "emd2": [ot, ot.lp],
    "emd2_lazy": [ot, ot.lp],
    "wasserstein_1d": [ot, ot.lp],
    "partial_wasserstein": [ot.partial],
    "partial_wasserstein2": [ot.partial],
    "sinkhorn": [ot, ot.bregman],
    "sinkhorn2": [ot, ot.bregman],
}
OURS = {name: counted(name, getattr(rot, name)) for name in PLACES}
OURS["mm_unbalanced"], OURS["mm_unbalanced2"] = counted("unbalanced", rot.unbalanced), counted("unbalanced2", rot.unbalanced2)
PLACES["mm_unbalanced"] = PLACES["mm_unbalanced2"] = [ot.unbalanced]

# What concerns these functions: tests by file and the beginning of their names.
SELECTED = {
    "test_ot.py": ("test_emd", "test_dual_variables", "test_warnings"),
    "test_1d_solver.py": ("test_wasserstein_1d",),
    "test_partial.py": ("test_raise_errors", "test_partial_wasserstein"),
    "test_bregman.py": ("test_sinkhorn", "test_convergence_warning", "test_not_implemented_method", "test_nan_warning"),
    "test_mm.py": ("test_",),
}
# These contain the words but test functions that rot does not have.
OTHERS = (
    "test_sinkhorn_lazy", "test_partial_wasserstein_1d", "test_partial_wasserstein_lagrange", "test_sinkhorn_divergence", "test_convergence_warning_barycenters",
)


@pytest.fixture(params=get_backend_list())
def nx(request):
    yield request.param


def skip_when(argument, value, reason="", getter=lambda v: v):
    """A decorator that POT's tests use: leaves a test out for one value of an argument."""
    names, values = (argument, value) if isinstance(argument, (tuple, list)) else ((argument,), (value,))
    getters = getter if isinstance(getter, (tuple, list)) else [getter] * len(names)

    def wrap(test):
        @functools.wraps(test)
        def wrapped(*args, **kwargs):
            if all(n in kwargs and g(kwargs[n]) == v for n, v, g in zip(names, values, getters)):
                pytest.skip(reason)
            return test(*args, **kwargs)

        return wrapped

    return wrap


def pytest_configure():
    pytest.skip_arg = skip_when
    pytest.skip_backend = functools.partial(skip_when, "nx", getter=str)


def pytest_collection_modifyitems(config, items):
    keep, drop = [], []
    for item in items:
        file, name = os.path.basename(str(item.fspath)), item.name
        chosen = name.startswith(SELECTED.get(file, ())) and not name.startswith(OTHERS)
        (keep if chosen else drop).append(item)
        for start, reason in EXCEPTIONS.items():
            if name.startswith(start):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    config.hook.pytest_deselected(items=drop)
    items[:] = keep


@pytest.fixture(autouse=True)
def rot_in_the_place_of_ot(monkeypatch, request):
    for name, modules in PLACES.items():
        for module in [*modules, *([request.module] if hasattr(request.module, name) else [])]:  # some import the names
            monkeypatch.setattr(module, name, OURS[name])


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("calls of rot: " + ", ".join(f"{k} {v}" for k, v in sorted(CALLS.items())))
