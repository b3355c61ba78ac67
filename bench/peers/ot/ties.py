"""Plain transport whose costs are few numbers, rot beside POT in one run:

    ROT_BINARY=bin/rot PYTHONPATH=python python bench/peers/ot/ties.py 1000 3000

Both get the same matrix of costs and equal weights. Each takes its best of three
turns; rot's time includes handing the matrix to the other process.
"""

import sys
import time

import numpy as np
import ot
import rot


def matrices(n):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3, (2, n))
    yield "rows of three kinds", (x[:, None] != y[None]).astype(float)
    yield "zeros and ones without order", rng.integers(0, 2, (n, n)).astype(float)
    yield "0 to 9 without order", rng.integers(0, 10, (n, n)).astype(float)
    x, y = rng.integers(0, 10, (2, n, 2))
    yield "squared distances on a 10×10 grid", ((x[:, None] - y[None]) ** 2).sum(-1).astype(float)
    x, y = rng.integers(0, 32, (2, n, 2))
    yield "city blocks on a 32×32 grid", np.abs(x[:, None] - y[None]).sum(-1).astype(float)
    for d in (8, 30):
        x, y = rng.integers(0, 2, (2, n, d))
        yield f"{d} binary columns", (x[:, None] != y[None]).sum(-1).astype(float)


def main():
    print("| costs | n | rot, s | POT, s | ratio |\n|---|---|---|---|---|")
    for n in map(int, sys.argv[1:] or ["1000"]):
        weights = np.full(n, 1 / n)
        for name, costs in matrices(n):
            best = {}
            for _ in range(3):
                for who, solve in (
                    ("rot", lambda: rot.emd2([], [], costs)),
                    ("POT", lambda: ot.emd2(weights, weights, costs, numItermax=10**8)),
                ):
                    start = time.perf_counter()
                    value = solve()
                    best[who] = min(best.get(who, (np.inf, 0)), (time.perf_counter() - start, value))
            (mine, a), (theirs, b) = best["rot"], best["POT"]
            if abs(a - b) > 1e-9:
                sys.exit(f"{name}, n = {n}: rot says {a}, POT {b}")
            print(f"| {name} | {n} | {mine:.3f} | {theirs:.3f} | {mine / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
