"""Times rot beside POT from Python: both called as functions on the same arrays.

    pip install ./python POT==0.9.7.post1
    python bench/peers/python/run.py [10 100 1000 …]

Points are normal in two dimensions, costs squared distances, weights random. The
calls alternate, so that a busy machine is busy for both; the best of all rounds is
printed, and the median of the rounds' ratios. Both answers are compared.
"""

import math
import multiprocessing
import statistics
import sys
import time
import warnings

import numpy as np
import ot

import rot

ROUNDS = {10: 200, 100: 50, 1000: 7, 5000: 1, 10000: 1}
LARGE, LIMIT = 5000, 900


def timed(f):
    start = time.perf_counter()
    value = f()
    return time.perf_counter() - start, float(value[0] if isinstance(value, tuple) else value)


def bounded(f):
    """What timed returns, from a child; infinite after LIMIT."""
    fork = multiprocessing.get_context("fork")
    answers = fork.SimpleQueue()
    child = fork.Process(target=lambda: answers.put(timed(f)), daemon=True)
    child.start()
    child.join(LIMIT)
    if child.is_alive():
        child.kill()
        return math.inf, math.nan
    return answers.get()


def compare(name, n, ours, theirs):
    rounds = ROUNDS.get(n, 3)
    pairs = []
    for _ in range(rounds + (n <= 1000)):
        a, b = timed(ours), bounded(theirs) if n >= LARGE else timed(theirs)
        if abs(a[1] - b[1]) > 1e-6 * abs(b[1]):
            print(f"{name} n = {n}: rot {a[1]}, POT {b[1]}", flush=True)
        pairs.append((a[0], b[0]))
    pairs = pairs[-rounds:]  # the first warms up
    x, y = (min(p) for p in zip(*pairs))
    ratio = statistics.median(b / a for a, b in pairs)
    theirs_text = f"{1e3 * y:.2f} ms | {ratio:.2f}" if math.isfinite(y) else f"over {LIMIT} s | over {LIMIT / x:.0f}"
    print(f"| {name} | {n} | {1e3 * x:.2f} ms | {theirs_text} |", flush=True)


def main():
    warnings.simplefilter("ignore")
    print("| function | n | rot | POT | POT / rot |\n|---|---|---|---|---|", flush=True)
    for n in [int(v) for v in sys.argv[1:]] or list(ROUNDS):
        rng = np.random.default_rng(n)
        x, y = rng.normal(size=(n, 2)), rng.normal(size=(n, 2)) + 0.5
        a, b = rng.random(n) + 0.5, rng.random(n) + 0.5
        a, b = a / a.sum(), b / b.sum()
        M = ot.dist(x, y)
        many = 10_000_000
        compare("emd2", n, lambda: rot.emd2(a, b, M), lambda: ot.emd2(a, b, M, numItermax=many))
        compare("emd2_lazy", n, lambda: rot.emd2_lazy(x, y, a, b), lambda: ot.emd2_lazy(x, y, a, b, numItermax=many, return_matrix=False))


if __name__ == "__main__":
    main()
