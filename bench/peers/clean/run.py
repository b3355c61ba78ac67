"""Compares rot clean with Isolation Forest, nearest neighbours and the local
outlier factor of scikit-learn on labelled tables, in one run, and prints
Markdown tables for docs/benchmarks.md.

    python3 -m venv v && v/bin/pip install -r bench/peers/clean/requirements.txt
    v/bin/python bench/peers/clean/run.py DIR

DIR holds .npz files with arrays X and y, 1 for an anomaly, as ADBench has them
(github.com/Minqi824/ADBench, adbench/datasets/Classical). Labels are used for
scoring only. The neighbour methods get standardized columns, Isolation Forest
does not care. With --reference half of the normal rows are a clean reference:
the peers are fitted to it and score the rest, rot clean gets --against, and a
random forest that learns to tell the rest from the reference joins them.
"""

import argparse
import glob
import json
import os
import subprocess
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "2")

import numpy as np
import sklearn
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def standard(x, like):
    sd = like.std(0)
    keep = sd > 1e-12
    return (x[:, keep] - like[:, keep].mean(0)) / sd[keep]


def forest(x, ref, seed):
    f = IsolationForest(random_state=seed, n_jobs=2).fit(x if ref is None else ref)
    return -f.score_samples(x)


def knn(k):
    """Mean distance to the k nearest other rows, or rows of the reference."""

    def score(x, ref, seed):
        like = x if ref is None else ref
        n = NearestNeighbors(n_neighbors=min(k, len(like) - 1), n_jobs=2).fit(standard(like, like))
        found = n.kneighbors() if ref is None else n.kneighbors(standard(x, ref))
        return found[0].mean(1)

    return score


def lof(x, ref, seed):
    if ref is None:
        return -LocalOutlierFactor(20, n_jobs=2).fit(standard(x, x)).negative_outlier_factor_
    return -LocalOutlierFactor(20, novelty=True, n_jobs=2).fit(standard(ref, ref)).score_samples(standard(x, ref))


def classifier(x, ref, seed):
    """A random forest told to tell the batch from the reference, out of bag: it
    sees the whole batch, as rot clean does."""
    f = RandomForestClassifier(300, min_samples_leaf=5, oob_score=True, class_weight="balanced", random_state=seed, n_jobs=2)
    f.fit(np.concatenate([x, ref]), np.arange(len(x) + len(ref)) < len(x))
    return np.nan_to_num(f.oob_decision_function_[: len(x), 1], nan=0.5)


class Rot:
    """The command line, timed from start to finish, files included."""

    def __init__(self, folder, core):
        self.folder, self.core = folder, core
        self.guess = 0.0  # of the part of anomalies, the last
        self.program = os.path.join(folder, "rot")
        subprocess.run(["go", "build", "-o", self.program, "./cmd/rot"], cwd=ROOT, check=True)

    def score(self, x, ref, seed):
        out = os.path.join(self.folder, "out")
        np.save(os.path.join(self.folder, "x.npy"), x)
        command = [self.program, "clean", os.path.join(self.folder, "x.npy"), "--seed", str(seed), "--out", out, "--json"]
        if ref is not None:
            np.save(os.path.join(self.folder, "ref.npy"), ref)
            command += ["--against", os.path.join(self.folder, "ref.npy")]
        elif self.core:
            command += ["--core", str(self.core)]
        self.guess = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["gamma"]
        return np.loadtxt(os.path.join(out, "weights.csv"), delimiter=",", skiprows=1)[:, 1]


def load(folder, cap):
    for path in sorted(glob.glob(os.path.join(folder, "*.npz")), key=lambda p: os.path.basename(p).split("_", 1)[-1].lower()):
        with np.load(path) as f:
            x, y = f["X"].astype(float), f["y"].astype(int).ravel()
        if cap and len(x) > cap:
            rows = np.random.default_rng(0).permutation(len(x))[:cap]
            x, y = x[rows], y[rows]
        yield os.path.basename(path)[:-4].split("_", 1)[-1], x, y


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data")
    ap.add_argument("--cap", type=int, default=0, help="take at most so many rows of a set, at random (default all)")
    ap.add_argument("--seeds", type=int, default=3, help="of rot and Isolation Forest, and of the halves; scores are means")
    ap.add_argument("--core", type=int, default=0, help="of rot clean")
    ap.add_argument("--reference", action="store_true", help="half of the normal rows are known to be so")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rot = Rot(folder, a.core)
        methods = {
            "rot clean": rot.score,
            "Isolation Forest": forest,
            "kNN 5": knn(5),
            "kNN 20": knn(20),
            "kNN 50": knn(50),
            "LOF 20": lof,
        }
        if a.reference:
            methods["random forest"] = classifier
        report(a, rot, methods)


def report(a, rot, methods):
    print(f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}\n")
    print("| set | n | d | anomalies | " + " | ".join(methods) + " | rot s |")
    print("|---" * (len(methods) + 5) + "|", flush=True)
    table, seconds = [], {m: 0.0 for m in methods}
    guessed, constant = [], []
    for name, x, y in load(a.data, a.cap):
        auroc = {m: [] for m in methods}
        took = []
        for seed in range(a.seeds):
            rows, ref = np.ones(len(x), bool), None
            if a.reference:
                normal = np.random.default_rng(seed).permutation(np.flatnonzero(y == 0))
                rows[normal[: len(normal) // 2]] = False
                ref = x[~rows]
            for m, score in methods.items():
                if seed > 0 and not a.reference and m not in ("rot clean", "Isolation Forest"):
                    continue  # It has no seed.
                start = time.time()
                s = score(x[rows], ref, seed)
                if seed == 0:
                    seconds[m] += time.time() - start
                if m == "rot clean":
                    took.append(time.time() - start)
                    guessed.append(abs(rot.guess - y[rows].mean()))
                    constant.append(abs(0.1 - y[rows].mean()))
                auroc[m].append(roc_auc_score(y[rows], s))
        mean = [np.mean(auroc[m]) for m in methods]
        table.append(mean)
        best = max(f"{v:.3f}" for v in mean)
        cells = [f"**{v:.3f}**" if f"{v:.3f}" == best else f"{v:.3f}" for v in mean]
        print(f"| {name} | {len(x)} | {x.shape[1]} | {y.mean():.3f} | " + " | ".join(cells) + f" | {min(took):.2f} |", flush=True)
    print("| **mean** | | | | " + " | ".join(f"**{v:.4f}**" for v in np.mean(table, 0)) + " | |")
    print("| all sets, s | | | | " + " | ".join(f"{v:.1f}" for v in seconds.values()) + " | |\n")
    table = np.array(table)
    print("| rot clean against | better by more than 0.01 | worse by more than 0.01 |\n|---|---|---|")
    for k, m in enumerate(methods):
        if k > 0:
            print(f"| {m} | {np.sum(table[:, 0] > table[:, k] + 0.01)} | {np.sum(table[:, 0] < table[:, k] - 0.01)} |")
    print(f"\nerror of the guessed part of anomalies: mean {np.mean(guessed):.3f}, median {np.median(guessed):.3f}; of 10 %: mean {np.mean(constant):.3f}, median {np.median(constant):.3f}")


if __name__ == "__main__":
    main()
