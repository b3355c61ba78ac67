"""For those who know POT: the same names, exact, with certified bounds.

    python examples/python/pot_user.py
"""

import numpy as np

import rot as ot  # was: import ot

rng = np.random.default_rng(0)
x, y = rng.normal(size=(200, 2)), rng.normal(size=(300, 2)) + 1
M = ((x[:, None] - y[None]) ** 2).sum(2)
a, b = np.full(200, 1 / 200), np.full(300, 1 / 300)

print("emd2               ", ot.emd2(a, b, M))
plan, log = ot.emd(a, b, M, log=True)
print("emd                ", plan.shape, "cost", log["cost"], "at least", log["lower"])
print("sinkhorn           ", (ot.sinkhorn(a, b, M, reg=0.1) * M).sum())
print("partial, half      ", (ot.partial_wasserstein(a, b, M, m=0.5) * M).sum())
print("unbalanced, KL     ", ot.unbalanced(a, b, M, reg_m=1.0).sum(), "of the mass moves")
print("on a line          ", ot.wasserstein_1d(x[:, 0], y[:, 0], p=2))
print("without a matrix   ", ot.emd2_lazy(x, y))
