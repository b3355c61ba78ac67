"""Threshold rules of pythresh on the scores of rot clean.

    python3 -m venv v && v/bin/pip install numpy pythresh pyod
    v/bin/python bench/peers/suspects/run.py path/to/rot ../shared/data/adbench [RULE ...]

Each set is scored by rot clean without a reference (at most 3000 rows, seed 0).
Precision is the mean over the sets where a rule takes any row for an outlier,
F1 the mean over all sets that it did not fail on. Left out are GAMGMM and MIXMOD,
which take minutes a set, and VAE, META, CLUST and CPD, which need more packages.
The last column is the part of the rows that a rule takes for outliers where there
are none: the normal rows alone. go run ./bench/suspects has our own rule on the same
sets.
"""

import csv
import glob
import importlib
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def scores(rot, x):
    with tempfile.TemporaryDirectory() as t:
        np.save(t + "/x.npy", x)
        subprocess.run([rot, "clean", t + "/x.npy", "--out", t + "/o", "--json"], check=True, capture_output=True)
        rows = list(csv.DictReader(open(t + "/o/weights.csv")))
    return np.array([float(r["score"]) for r in rows]), np.array([r["dropped"] == "1" for r in rows])


def rule_class(name):
    return getattr(importlib.import_module("pythresh.thresholds." + name.lower()), name)


def cuts(rot, x, names, place):
    s, own = scores(rot, x)
    out = {"rot clean": own, "worst 10 %": s >= np.quantile(s, 0.9)}
    for name in names:
        try:
            out[name] = np.asarray(rule_class(name)().eval((s - s.min()) / np.ptp(s))).astype(bool)
        except Exception as err:  # the rule has no figure for this set
            print(f"{name}, {place}: {err}", file=sys.stderr)
    return out


def main():
    rot, folder, *names = sys.argv[1:]
    names = names or ["FILTER", "KARCH", "IQR", "MAD", "DSN", "YJ", "CLF", "MTT", "OCSVM", "AUCP", "BOOT", "CHAU", "DECOMP", "EB", "FGD", "GESD", "HIST", "MCST", "MOLL", "QMCD", "REGR", "WIND", "ZSCORE", "FWFM"]
    results, normal = {}, {}
    for path in sorted(glob.glob(os.path.join(folder, "*.npz"))):
        z = np.load(path)
        x, y = z["X"].astype(float), z["y"].astype(int)
        pick = np.random.default_rng(0).permutation(len(x))[:3000]
        x, y = x[pick], y[pick]
        for name, cut in cuts(rot, x, names, path).items():
            hit = (cut & (y == 1)).sum()
            results.setdefault(name, []).append((hit / cut.sum() if cut.any() else np.nan, 2 * hit / max(1, cut.sum() + y.sum())))
        for name, cut in cuts(rot, x[y == 0], names, path + ", normal rows").items():
            normal.setdefault(name, []).append(cut.mean())
    print("| rule | sets | with any | precision | F1 | of normal rows |\n|---|---|---|---|---|---|")
    for name, r in sorted(results.items(), key=lambda e: -np.mean([f for _, f in e[1]])):
        p = np.array([a for a, _ in r])
        print(f"| {name} | {len(r)} | {np.isfinite(p).sum()} | {np.nanmean(p):.3f} | {np.mean([f for _, f in r]):.3f} | {np.mean(normal.get(name, [np.nan])):.3f} |")


main()
