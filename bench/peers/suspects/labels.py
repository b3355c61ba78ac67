"""Noised labels found by rot clean and by cleanlab, on three sets.

    python3 -m venv v && v/bin/pip install numpy scikit-learn cleanlab
    v/bin/python bench/peers/suspects/labels.py path/to/rot [seeds]

One label in ten is changed to another class at random in scikit-learn's digits,
wine and breast cancer. cleanlab gets the probabilities of a random forest and of
a logistic regression, both by 5-fold cross-validation. Means over the seeds, of
which each changes other labels; 5 unless told otherwise.
"""

import csv
import json
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def ours(rot, x, y):
    with tempfile.TemporaryDirectory() as t:
        with open(t + "/x.csv", "w", newline="") as f:
            w = csv.writer(f)
            w.writerow([f"c{j}" for j in range(x.shape[1])] + ["label"])
            for row, label in zip(x, y):
                w.writerow([*row, f"k{label}"])
        p = subprocess.run([rot, "clean", t + "/x.csv", "--label-column", "label", "--out", t + "/o", "--json"], check=True, capture_output=True, text=True)
    found = np.zeros(len(y), bool)
    found[[r["row"] for r in json.loads(p.stdout)["labels"]]] = True
    return found


def main():
    try:
        from cleanlab.filter import find_label_issues
    except ImportError:
        find_label_issues = None
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print("| set | rule | found | precision | recall | F1 |\n|---|---|---|---|---|---|")
    for name, load in (("digits", load_digits), ("wine", load_wine), ("breast cancer", load_breast_cancer)):
        x, y = load(return_X_y=True)
        figures = {}
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            wrong = rng.random(len(y)) < 0.1
            k = y.max() + 1
            noisy = np.where(wrong, (y + rng.integers(1, k, len(y))) % k, y)
            rules = {"rot clean": ours(sys.argv[1], x, noisy)}
            if find_label_issues:
                for title, model in (("cleanlab, forest", RandomForestClassifier(200, random_state=seed)), ("cleanlab, logistic", make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)))):
                    rules[title] = find_label_issues(noisy, cross_val_predict(model, x, noisy, cv=5, method="predict_proba"))
            for title, found in rules.items():
                hit = (found & wrong).sum()
                p, r = hit / max(1, found.sum()), hit / wrong.sum()
                figures.setdefault(title, []).append((found.sum(), p, r, 2 * p * r / max(1e-9, p + r)))
        for title, rows in figures.items():
            found, p, r, f = np.mean(rows, axis=0)
            print(f"| {name} | {title} | {found:.0f} | {p:.3f} | {r:.3f} | {f:.3f} |", flush=True)


main()
