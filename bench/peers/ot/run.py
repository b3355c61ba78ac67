"""Times rot beside POT on the same data in one run and checks the limits that
rot promises. See README.md.

    python run.py --quick
"""

import argparse
import csv
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np
import ot

import report

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SHIFT = 20.0  # how far the outliers lie from the rest, along the first axis


class Solver:
    """A process that solves one case of one instance, once for each line it is
    sent. All cases of an instance stay alive and take turns, so that whatever
    else the machine does slows all of them, and each has its own peak memory."""

    def __init__(self, command):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.runs = []
        self.done = False

    def answer(self):
        line = self.child.stdout.readline()
        if not line:
            raise SystemExit(f"{' '.join(map(str, self.child.args))} ended early")
        return line

    def solve(self, reps, budget):
        self.child.stdin.write("\n")
        self.child.stdin.flush()
        self.runs.append(json.loads(self.answer()))
        self.done = (len(self.runs) >= reps or self.runs[-1].get("error")
                     or sum(r["seconds"] for r in self.runs) > budget)

    def best(self):
        """Least time, and the memory of the first solve in a fresh process."""
        out = dict(self.runs[0], reps=len(self.runs), error=self.runs[-1].get("error", ""))
        for key in out:
            if key.endswith("seconds"):
                out[key] = min(r[key] for r in self.runs)
        return out

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def write_points(folder, n, d, gamma, seed):
    """Two standard normal samples; a share gamma of the sources is shifted."""
    rng = np.random.default_rng([seed, n, d])
    x, y = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    x[:int(gamma * n), 0] += SHIFT
    paths = folder / "x.npy", folder / "y.npy"
    for path, points in zip(paths, (x, y)):
        np.save(path, points)
    return paths


def measure(binary, folder, inst, cases, args, beside):
    """The best run of every case by name, POT's under "emd"."""
    n, d, metric, gamma = inst
    x, y = write_points(folder, n, d, gamma, args.seed)
    rot = [binary, "solve", "-step", "-x", x, "-y", y, "-metric", metric, "-timeout", f"{args.timeout}s"]
    solvers = {}
    try:
        if beside:
            solvers["emd"] = Solver([sys.executable, HERE / "pot_worker.py", x, y, metric])
        for case in cases:
            solvers[case] = Solver(rot + [case])
        for s in solvers.values():
            s.answer()  # ready: nobody loads while another is timed
        while not all(s.done for s in solvers.values()):
            for s in solvers.values():
                if not s.done:
                    s.solve(args.reps if beside else args.alone_reps, args.budget)
        return {case: s.best() for case, s in solvers.items()}
    finally:
        for s in solvers.values():
            s.close()


def case_names(rhos, two):
    return ["exact"] + [f"one:{r}" for r in rhos] + [f"two:{r}" for r in rhos if two]


def rows_of(inst, found):
    """One row per case of rot: what it took, what POT took, what was checked."""
    n, d, metric, gamma = inst
    pot = found.get("emd")
    for case, got in found.items():
        if case == "emd":
            continue
        row = dict(n=n, d=d, metric=metric, gamma=gamma, **got)
        if pot:
            row.update({"pot_" + k: v for k, v in pot.items() if k != "case"})
            row.update(ratio=got["seconds"] / pot["seconds"],
                       ratio_with_dist=got["seconds"] / (pot["seconds"] + pot["dist_seconds"]),
                       cpu_ratio=got["cpu_seconds"] / pot["cpu_seconds"],
                       above_pot=(got["value"] - pot["value"]) / abs(pot["value"]))
        if case.startswith("two:"):
            one = found["one:" + case[4:]]
            row.update(two_one=got["seconds"] / one["seconds"], one_value=one["value"])
        row["failed"] = report.failures(row)
        yield row


def grow(row, before):
    """How time and memory grew since the last size, as powers of n."""
    key = row["d"], row["metric"], row["gamma"], row["case"]
    if old := before.get(key):
        step = math.log(row["n"] / old["n"])
        row["time_power"] = math.log(row["seconds"] / old["seconds"]) / step
        if old["peak_mb"] > 0:
            row["memory_power"] = math.log(row["peak_mb"] / old["peak_mb"]) / step
    before[key] = row


def environment():
    cpu = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as f:
            cpu = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), cpu)
    go = subprocess.run(["go", "env", "GOVERSION"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    return dict(cpu=cpu, cores=os.cpu_count(), load=round(os.getloadavg()[0], 2), go=go, pot=ot.__version__,
                numpy=np.__version__, python=platform.python_version())


def parse_args():
    def numbers(kind):
        return lambda text: [kind(t) for t in text.split(",") if t]

    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sizes", type=numbers(int), help="sizes beside POT; empty for none (1000,2000,5000,10000)")
    p.add_argument("--alone", type=numbers(int), default=[], help="sizes without POT, such as 20000,50000,100000")
    p.add_argument("--dims", type=numbers(int), help="(2,16,64)")
    p.add_argument("--metrics", type=numbers(str), help="(sqeuclidean,euclidean)")
    p.add_argument("--gammas", type=numbers(float), default=[0, 0.05], help="shares of outliers (0,0.05)")
    p.add_argument("--rhos", type=numbers(str), help="radii of the robust cases (0.005,0.02,0.05)")
    p.add_argument("--no-two", action="store_true", help="leave out the two-sided cases")
    p.add_argument("--quick", action="store_true", help="two sizes, two dimensions, one radius")
    p.add_argument("--reps", type=int, default=3, help="solves of a case beside POT; the best counts (3)")
    p.add_argument("--alone-reps", type=int, default=1, help="solves of a case alone (1)")
    p.add_argument("--budget", type=float, default=8, help="no further solves of a case after so many seconds (8)")
    p.add_argument("--timeout", type=float, default=600, help="rot gives up on a solve after so many seconds (600)")
    p.add_argument("--seed", type=int, default=1, help="seed of the points (1)")
    p.add_argument("--csv", help="write all rows here")
    p.add_argument("--json", help="write all rows and the environment here")
    args = p.parse_args()
    usual = dict(sizes=[1000, 2000, 5000, 10000], dims=[2, 16, 64], metrics=["sqeuclidean", "euclidean"],
                 rhos=["0.005", "0.02", "0.05"])
    if args.quick:
        usual.update(sizes=[1000, 2000], dims=[2, 16], rhos=["0.02"])
    for key, value in usual.items():
        if getattr(args, key) is None:
            setattr(args, key, value)
    return args


def run_grid(binary, folder, sizes, args, beside):
    """Measures all instances of these sizes and prints a row as soon as it is
    known."""
    cases, rows, before = case_names(args.rhos, not args.no_two), [], {}
    print("\n" + "\n".join(report.header(beside)), flush=True)
    for n in sizes:
        for inst in ((n, d, m, g) for d in args.dims for m in args.metrics for g in args.gammas):
            for row in rows_of(inst, measure(binary, folder, inst, cases, args, beside)):
                grow(row, before)
                rows.append(row)
                print(report.line(row, beside), flush=True)
    return rows


def main():
    args, env = parse_args(), environment()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        binary = folder / "rot-bench"
        subprocess.run(["go", "build", "-o", binary, "./bench/peers/ot"], cwd=ROOT, check=True)
        print(report.environment(env))
        rows = []
        for sizes, beside in ((args.sizes, True), (args.alone, False)):
            if sizes:
                rows += run_grid(binary, folder, sizes, args, beside)
    failed = sum(bool(r["failed"]) for r in rows)
    print(f"\n{len(rows) - failed} of {len(rows)} rows pass, {time.monotonic() - start:.0f} s.")
    if args.json:
        with open(args.json, "w") as f:
            json.dump(dict(environment=env, arguments=vars(args), rows=rows), f, indent=1)
    if args.csv:
        with open(args.csv, "w", newline="") as f:
            w = csv.DictWriter(f, sorted({k for r in rows for k in r}))
            w.writeheader()
            w.writerows(rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
