"""Times POT's exact solver on one instance: one solve for each line on standard
input, one JSON line for each solve, after a line that says it is ready. run.py
starts it; the Go program answers the same way with -step.

    python pot_worker.py X.npy Y.npy METRIC
"""

import json
import sys
import time

import numpy as np
import ot


def peak_mb():
    """Largest resident size of this process so far, in 10⁶ bytes; 0 where the
    system does not say."""
    try:
        with open("/proc/self/status") as f:
            return next(int(line.split()[1]) * 1024 / 1e6 for line in f if line.startswith("VmHWM:"))
    except OSError:
        return 0.0


def solve(x, y, metric):
    a, b = np.full(len(x), 1 / len(x)), np.full(len(y), 1 / len(y))
    start, cpu = time.perf_counter(), time.process_time()
    c = ot.dist(x, y, metric)
    dist, dist_cpu = time.perf_counter() - start, time.process_time() - cpu
    start, cpu = time.perf_counter(), time.process_time()
    value, log = ot.emd2(a, b, c, numItermax=10**9, numThreads=1, log=True)
    return dict(case="emd", seconds=time.perf_counter() - start, cpu_seconds=time.process_time() - cpu,
                dist_seconds=dist, dist_cpu_seconds=dist_cpu, value=float(value), peak_mb=peak_mb(),
                error=log["warning"] or "")


def main():
    x, y = (np.load(path) for path in sys.argv[1:3])
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps(solve(x, y, sys.argv[3])), flush=True)


if __name__ == "__main__":
    main()
