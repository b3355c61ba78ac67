"""Alarms of other drift tests on the samples that bench/drift makes.

    go run ./bench/drift -data ../shared/data -splits 500 -write /tmp/samples null dirty power
    python3 -m venv v && v/bin/pip install numpy scipy scikit-learn
    v/bin/python bench/peers/drift/run.py /tmp/samples peers.jsonl

Each pair of samples is tested at 0.05 by Kolmogorov-Smirnov on every column with
Bonferroni's correction, by MMD with a Gaussian kernel of the median width and
199 permutations, and by a random forest told to separate the two (trained on
half of the rows, binomial test on the other half). Columns are standardized by
both samples together first. Each trial is added to the second argument as a line
of JSON, and those that it has already are not made again.
"""

import collections
import glob
import json
import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
from scipy.stats import binomtest, ks_2samp
from sklearn.ensemble import RandomForestClassifier

ALPHA = 0.05


def ks(x, y, rng):
    # The smallest of the p-values is that of the largest gap: all columns have as many values.
    z = np.r_[x, y]
    order = np.argsort(z, axis=0, kind="stable")
    steps = np.where(order < len(x), 1 / len(x), -1 / len(y)).cumsum(0)
    v = np.take_along_axis(z, order, 0)
    ends = np.r_[v[1:] != v[:-1], np.ones((1, z.shape[1]), bool)]  # the last of equal values
    j = np.argmax(np.where(ends, abs(steps), 0).max(0))
    return min(1, x.shape[1] * ks_2samp(x[:, j], y[:, j]).pvalue)


def mmd(x, y, rng, times=199):
    z = np.r_[x, y]
    n, m = len(x), len(y)
    g = (z**2).sum(1)
    d2 = np.maximum(g[:, None] + g[None] - 2 * z @ z.T, 0)
    k = np.exp(-d2 / np.median(d2[d2 > 0]))
    labels = np.r_[np.full(n, 1 / n), np.full(m, -1 / m)]
    a = np.array([labels] + [rng.permutation(labels) for _ in range(times)])
    t = np.einsum("bi,bi->b", a @ k, a)
    return (t >= t[0] - 1e-15).mean()


def classifier(x, y, rng):
    z, t = np.r_[x, y], np.r_[np.zeros(len(x)), np.ones(len(y))]
    p = rng.permutation(len(z))
    train, test = p[: len(z) // 2], p[len(z) // 2 :]
    f = RandomForestClassifier(100, random_state=0).fit(z[train], t[train])
    right = int((f.predict(z[test]) == t[test]).sum())
    base = max(t[test].mean(), 1 - t[test].mean())
    return binomtest(right, len(test), base, alternative="greater").pvalue


def main():
    tests = {"KS, Bonferroni": ks, "MMD": mmd, "classifier": classifier}
    folder, log = sys.argv[1:]
    made = {}
    if os.path.exists(log):
        with open(log) as f:
            for r in map(json.loads, f):
                made[r["sample"]] = r
    with open(log, "a", buffering=1) as f:
        for path in sorted(glob.glob(os.path.join(folder, "*old.npy"))):
            sample = os.path.basename(path).removesuffix("|old.npy")
            if sample in made:
                continue
            number, kind, source = sample.split("|")
            x, y = np.load(path).astype(float), np.load(path.replace("old.npy", "new.npy")).astype(float)
            z = np.r_[x, y]
            sd = z.std(0)
            keep = sd > 1e-12
            x, y = ((v[:, keep] - z[:, keep].mean(0)) / sd[keep] for v in (x, y))
            p = {name: float(test(x, y, np.random.default_rng(int(number)))) for name, test in tests.items()}
            made[sample] = {"sample": sample, "kind": kind, "source": source, "p": p}
            f.write(json.dumps(made[sample]) + "\n")
    alarms, count = collections.defaultdict(collections.Counter), collections.Counter()
    for r in made.values():
        count[r["kind"]] += 1
        for name, p in r["p"].items():
            alarms[r["kind"]][name] += p <= ALPHA
    print("| kind | splits |", " | ".join(tests), "|\n|---|---|" + "---|" * len(tests))
    for kind, n in count.items():
        print(f"| {kind} | {n} |", " | ".join(f"{alarms[kind][t] / n:.3f}" for t in tests), "|")


main()
