"""Threshold rules of pythresh on the scores of rot clean.

    python3 -m venv v && v/bin/pip install numpy pythresh pyod
    v/bin/python bench/peers/suspects/run.py path/to/rot ../shared/data/adbench

Each set is scored by rot clean without a reference (at most 3000 rows, seed 0).
Precision is the mean over the sets where a rule takes any row for an outlier,
F1 the mean over all sets that it did not fail on. Left out are GAMGMM and MIXMOD,
which take minutes a set, and VAE, META, CLUST and CPD, which need more packages. go run ./bench/suspects has our own rule on the same
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


def main():
    names = ["FILTER", "KARCH", "IQR", "MAD", "DSN", "YJ", "CLF", "MTT", "OCSVM", "AUCP", "BOOT", "CHAU", "DECOMP", "EB", "FGD", "GESD", "HIST", "MCST", "MOLL", "QMCD", "REGR", "WIND", "ZSCORE", "FWFM"]
    results = {}
    for path in sorted(glob.glob(os.path.join(sys.argv[2], "*.npz"))):
        z = np.load(path)
        x, y = z["X"].astype(float), z["y"].astype(int)
        pick = np.random.default_rng(0).permutation(len(x))[:3000]
        x, y = x[pick], y[pick]
        s, own = scores(sys.argv[1], x)
        cuts = {"rot clean": own, "worst 10 %": s >= np.quantile(s, 0.9)}
        for name in names:
            try:
                cuts[name] = np.asarray(rule_class(name)().eval((s - s.min()) / np.ptp(s))).astype(bool)
            except Exception as err:  # the rule has no figure for this set
                print(f"{name}, {os.path.basename(path)}: {err}", file=sys.stderr)
        for name, cut in cuts.items():
            hit = (cut & (y == 1)).sum()
            results.setdefault(name, []).append((hit / cut.sum() if cut.any() else np.nan, 2 * hit / max(1, cut.sum() + y.sum())))
    print("| rule | sets | with any | precision | F1 |\n|---|---|---|---|---|")
    for name, r in sorted(results.items(), key=lambda e: -np.mean([f for _, f in e[1]])):
        p = np.array([a for a, _ in r])
        print(f"| {name} | {len(r)} | {np.isfinite(p).sum()} | {np.nanmean(p):.3f} | {np.mean([f for _, f in r]):.3f} |")


main()
