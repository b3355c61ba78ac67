"""Runs other methods of domain adaptation on the tasks of table 2, on feature
vectors, and prints the table of docs/experiments.md.

    python3 -m venv v && v/bin/pip install -r bench/peers/da/requirements.txt
    go run ./bench/peers/da -data DATA -out tasks
    v/bin/python bench/peers/da/run.py tasks --out peers.jsonl

A result is a line of the file --out, which later runs go on with. Nothing is
tuned, and the labels of a target are used for the score only. Each domain is
standardized by its own mean and deviation, garbage and all.
"""

import argparse
import glob
import json
import multiprocessing
import os
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

warnings.filterwarnings("ignore")


class Task:
    def __init__(self, folder):
        array = lambda name: np.load(os.path.join(folder, name + ".npy"))
        units = array("units").astype("f8")
        self.xs = standard(array("source") * units[2] + units[0])
        self.xt = standard(array("target") * units[3] + units[1])
        self.ys, self.known = array("source-labels"), array("target-labels")
        self.classes = self.ys.max() + 1

    def accuracy(self, predicted):
        some = self.known >= 0
        return float((predicted[some] == self.known[some]).mean())


def standard(x):
    sd = x.std(0)
    return ((x - x.mean(0)) / np.where(sd > 1e-12, sd, 1)).astype("f4")


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)


def neighbour(t):
    """The nearest source row by the angle between standardized rows."""
    return t.ys[(unit(t.xt) @ unit(t.xs).T).argmax(1)]


def fit(x, y, c):
    return LogisticRegression(C=c, tol=1e-3).fit(x, y)


def logistic(c):
    return lambda t: fit(t.xs, t.ys, c).predict(t.xt)


def self_training(c, rounds=10):
    """Refits on the source and, of each class, equally many target rows that the
    last fit is surest about: more in each round, in the last as many as an even
    share."""

    def predict(t):
        p = fit(t.xs, t.ys, c).predict_proba(t.xt)
        for r in range(1, rounds + 1):
            labels = p.argmax(1)
            most = int(np.ceil(len(p) / t.classes * r / rounds))
            sure = [i for k in range(t.classes) for i in np.argsort(-p[:, k])[:most] if labels[i] == k]
            p = fit(np.concatenate([t.xs, t.xt[sure]]), np.concatenate([t.ys, labels[sure]]), c).predict_proba(t.xt)
        return p.argmax(1)

    return predict


def kmeans(c, rounds=50):
    """Spherical k-means on the target, from the classes that logistic regression
    predicts."""

    def predict(t):
        labels, x = logistic(c)(t), unit(t.xt)
        for _ in range(rounds):
            centres = [x[labels == k].sum(0) if (labels == k).any() else x.mean(0) for k in range(t.classes)]
            now = (x @ unit(np.stack(centres)).T).argmax(1)
            if (now == labels).all():
                break
            labels = now
        return labels

    return predict


def group_lasso(t):
    """Courty et al. (2017): the source, moved onto the target by entropic
    transport that keeps classes apart, and the nearest of its rows. Unit rows
    and this entropy were the best of ten settings on SURF."""
    import ot

    xs, xt = unit(t.xs).astype("f8"), unit(t.xt).astype("f8")
    moved = ot.da.SinkhornLpl1Transport(reg_e=0.1, reg_cl=0.1, norm="median", max_iter=5, max_inner_iter=100)
    moved.fit(Xs=xs, ys=t.ys, Xt=xt)
    return KNeighborsClassifier(1).fit(moved.transform(Xs=xs), t.ys).predict(xt)


def skada(name, **options):
    """A method of skada, with logistic regression."""

    def predict(t):
        import skada as package

        method = getattr(package, name)(base_estimator=LogisticRegression(tol=1e-3), **options)
        x = np.concatenate([t.xs, t.xt])
        y = np.concatenate([t.ys, -np.ones(len(t.xt), int)])
        domain = np.concatenate([np.ones(len(t.xs), int), -2 * np.ones(len(t.xt), int)])
        method.fit(x, y, sample_domain=domain)
        return method.predict(t.xt, sample_domain=-2 * np.ones(len(t.xt), int))

    return predict


METHODS = {
    "nearest neighbour, unit rows": neighbour,
    "logistic regression": logistic(1),
    "transport with group lasso + 1-NN (POT)": group_lasso,
    "self-training, C = 1": self_training(1),
    "self-training, C = 0.001": self_training(0.001),
    "spherical k-means, C = 1": kmeans(1),
    "spherical k-means, C = 0.001": kmeans(0.001),
    "CORAL (skada)": skada("CORAL"),
    "subspace alignment (skada)": skada("SubspaceAlignment", n_components=50),
}


def run(job):
    folder, method = job
    t = Task(folder)
    start = time.process_time()
    accuracy = t.accuracy(METHODS[method](t))
    return {"task": os.path.basename(folder), "method": method, "accuracy": accuracy, "seconds": round(time.process_time() - start, 2)}


def table(results):
    """Means over pairs and seeds, in percent."""
    columns = sorted({(r["task"].split(",")[0], r["task"].split(",")[3]) for r in results}, key=lambda c: (["pacs", "efficientnet", "surf"].index(c[0]), c[1]))
    print("| | " + " | ".join(f"{s}, {form.replace('-', ' ')}" for s, form in columns) + " | seconds a task |")
    print("|---|" + "---|" * (len(columns) + 1))
    for method in METHODS:
        some = [r for r in results if r["method"] == method]
        cells = []
        for s, form in columns:
            of = [r["accuracy"] for r in some if r["task"].split(",")[0] == s and r["task"].split(",")[3] == form]
            cells.append(f"{100 * np.mean(of):.1f}" if of else "–")
        if some:
            print(f"| {method} | " + " | ".join(cells) + f" | {np.mean([r['seconds'] for r in some]):.1f} |")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tasks", help="folder that `go run ./bench/peers/da` wrote")
    p.add_argument("--out", default="peers.jsonl")
    p.add_argument("--workers", type=int, default=1)
    p.add_argument("--match", default="*", help="which tasks, as a pattern: pacs,*,clean,0")
    p.add_argument("--method", default="", help="part of the names of methods to run")
    p.add_argument("--show", action="store_true", help="run nothing, print the table")
    o = p.parse_args()
    results = []
    if os.path.exists(o.out):
        with open(o.out) as f:
            results = [json.loads(line) for line in f]
    done = {(r["task"], r["method"]) for r in results}
    jobs = [(f, m) for m in METHODS for f in sorted(glob.glob(os.path.join(o.tasks, o.match))) if o.method in m and (os.path.basename(f), m) not in done]
    if jobs and not o.show:
        with open(o.out, "a") as f, multiprocessing.Pool(o.workers) as pool:
            for r in pool.imap_unordered(run, jobs):
                results.append(r)
                f.write(json.dumps(r) + "\n")
                f.flush()
    table(results)


if __name__ == "__main__":
    main()
