"""How far apart are two samples when some of the rows are garbage?

    python examples/python/distance.py
"""

import numpy as np

import rot

rng = np.random.default_rng(0)
reference = rng.normal(size=(500, 4))
today = rng.normal(size=(500, 4)) + 0.1
today[:25] = rng.normal(size=(25, 4)) + 20  # 5 % of garbage

print("plain ", rot.robust(today, reference))
r = rot.robust(today, reference, gamma=0.05)
print("robust", r)
print("rows that the plan leaves out:", np.flatnonzero(r.source_weights < 0.1).tolist())

# Which radius? Look at the curve: its elbow is where garbage ends.
c = rot.curve(today, reference)
print(f"elbow at ρ = {c.elbow:.3f}, which is γ = {2 * c.elbow / (1 + 2 * c.elbow):.1%} of the rows; it stands out {c.sharpness:.0f} times")

# The optimum lies between lower and value, whoever asks.
print(f"proof: no plan costs less than {r.lower:.9f}; this one costs {r.value:.9f}")
