"""Makes metrics/testdata/peers.json: values that NumPy, SciPy and scikit-learn
find for our metrics. The data are made from a formula that the Go test has as
well, so that only results need to be stored.

    python3 -m venv v && v/bin/pip install -r bench/peers/metrics/requirements.txt
    v/bin/python bench/peers/metrics/make.py
"""

import argparse
import json
import os

import numpy as np
import scipy
import scipy.linalg
import sklearn
from sklearn.metrics import average_precision_score, pairwise_distances, roc_auc_score
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.neighbors import NearestNeighbors


def uniform(name, n):
    """n numbers in [−1, 1) of 24 bits: SplitMix64 from the FNV-1a hash of name."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    z = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(40)).astype(np.float64) / 2**23 - 1


def vectors(name, n, dim, spread, shift):
    """n vectors: each column has a spread of its own, and half of the one
    before is added to it."""
    u = uniform(name, n * dim).reshape(n, dim)
    u[:, 1:] = u[:, 1:] + 0.5 * u[:, :-1]
    x = shift + spread * (1 + np.arange(dim) % 5) * u
    return x.astype(np.float32).astype(np.float64)


def fid(x, y):
    s1, s2 = np.atleast_2d(np.cov(x, rowvar=False)), np.atleast_2d(np.cov(y, rowvar=False))
    root = scipy.linalg.sqrtm(s1 @ s2)
    d = x.mean(0) - y.mean(0)
    return float(d @ d + np.trace(s1) + np.trace(s2) - 2 * np.trace(root).real)


def kid(x, y):
    """On all vectors: the unbiased estimate of MMD²."""
    kernel = lambda a, b: polynomial_kernel(a, b, degree=3, gamma=1 / a.shape[1], coef0=1)
    n, m = len(x), len(y)
    xx, yy = kernel(x, x), kernel(y, y)
    return float(
        (xx.sum() - np.trace(xx)) / (n * (n - 1))
        + (yy.sum() - np.trace(yy)) / (m * (m - 1))
        - 2 * kernel(x, y).mean()
    )


def radii(x, k):
    return NearestNeighbors(n_neighbors=k + 1, algorithm="kd_tree").fit(x).kneighbors(x)[0][:, k]


def manifold(real, fake, k):
    d = pairwise_distances(real, fake)
    r, f = radii(real, k), radii(fake, k)
    return {
        "precision": float((d <= r[:, None]).any(0).mean()),
        "recall": float((d <= f[None, :]).any(1).mean()),
        "density": float((d <= r[:, None]).sum(0).mean() / k),
        "coverage": float((d.min(1) <= r).mean()),
    }


def inception_score(name, n, classes, splits):
    """Softmax probabilities, rounded to float32 as networks give them."""
    logits = 4 * uniform(name, n * classes).reshape(n, classes)
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    p = p.astype(np.float32).astype(np.float64)
    scores = []
    for part in np.array_split(p, splits):  # n is a multiple of splits
        kl = part * (np.log(part) - np.log(part.mean(0, keepdims=True)))
        scores.append(np.exp(kl.sum(1).mean()))
    return {"n": n, "classes": classes, "splits": splits, "name": name, "mean": float(np.mean(scores)), "sd": float(np.std(scores))}


def ranking(name, n):
    u = uniform(name, 2 * n)
    score, positive = np.round(u[:n] * 8), u[n:] > 0.6  # many ties
    return {"name": name, "n": n, "auroc": roc_auc_score(positive, score), "auprc": average_precision_score(positive, score)}


def pair(name, n, m, dim, spread, shift, k):
    x, y = vectors(name + "/x", n, dim, 1, 0), vectors(name + "/y", m, dim, spread, shift)
    values = {"fid": fid(x, y), "kid": kid(x, y), **manifold(x, y, k)}
    return {"name": name, "n": n, "m": m, "dim": dim, "spread": spread, "shift": shift, "k": k, **values}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--out", default=os.path.join(here, "../../../metrics/testdata/peers.json"))
    args = parser.parse_args()
    content = {
        "origin": {
            "command": "python3 bench/peers/metrics/make.py",
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "pairs": [
            pair("alike", 300, 250, 8, 1, 0, 3),
            pair("shifted", 300, 250, 8, 1, 0.4, 5),
            pair("narrow", 200, 400, 5, 0.3, 0, 3),
            pair("far", 90, 90, 16, 1.2, 30, 4),
            pair("line", 100, 120, 1, 0.8, 0.1, 3),
            pair("wide", 700, 600, 96, 0.9, 0.05, 5),
        ],
        "inception": [inception_score("is10", 500, 10, 10), inception_score("is3", 60, 3, 1)],
        "ranking": [ranking("auc", 400), ranking("auc2", 37)],
    }
    with open(args.out, "w") as f:
        json.dump(content, f, indent=1)
        f.write("\n")
    print(args.out, os.path.getsize(args.out))


main()
