"""Which rows of a table do not belong? A scikit-learn estimator, on columns of several kinds.

    python examples/python/outliers.py
"""

import numpy as np
import pandas as pd

import rot

rng = np.random.default_rng(0)
n = 600
table = pd.DataFrame(
    {
        "age": rng.normal(45, 12, n).round(),
        "income": rng.lognormal(10, 0.4, n).round(-2),
        "town": rng.choice(["Ulm", "Bonn", "Kiel"], n, p=[0.5, 0.3, 0.2]),
        "member": rng.random(n) < 0.4,
    }
)
table.loc[10, "age"] = 450  # a slip of the finger
table.loc[20, "income"] = 90_000_000

detector = rot.OutlierDetector(fdr=0.1).fit(table)
suspects = np.flatnonzero(detector.predict(table) == -1)
print(table.assign(score=-detector.score_samples(table)).loc[suspects].sort_values("score", ascending=False))

# The next table is judged by the same model.
print(detector.predict(pd.DataFrame({"age": [44.0, 300.0], "income": [22000.0, 25000.0], "town": ["Ulm", "Bonn"], "member": [True, False]})))
