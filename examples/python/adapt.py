"""A classifier meets a new, dirty domain: its rows are carried to where the classifier knows its way.

    python examples/python/adapt.py
"""

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import rot

rng = np.random.default_rng(0)
known = np.concatenate((rng.normal(size=(300, 2)) + [3, 0], rng.normal(size=(300, 2)) - [3, 0]))
label = np.repeat([0, 1], 300)
model = LogisticRegression().fit(known, label)

new = known @ np.array([[0.9, 0.3], [-0.3, 0.9]]) + [6, 4] + 0.1 * rng.normal(size=known.shape)
garbage = rng.normal(size=(30, 2)) + 60
print(f"as it is: {model.score(new, label):.1%} right")

# No labels of the new domain are used, and 5 % of it may be garbage.
adapted = make_pipeline(rot.RobustAdapter(reference=known, gamma=0.05), FrozenEstimator(model))
adapted.fit(np.concatenate((new, garbage)))
print(f"adapted:  {(adapted.predict(new) == label).mean():.1%} right")
print(f"weight of the garbage: {adapted[0].weights_[-30:].mean():.2f}")
