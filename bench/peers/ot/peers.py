"""Runs every solver of plain transport that installs beside rot, on the same
points in one run, and prints one Markdown row an instance. See README.md.

    ROT_BINARY=bin/rot PYTHONPATH=python python bench/peers/ot/peers.py
"""

import argparse
import gzip
import importlib.util
import json
import math
import multiprocessing
import os
import pathlib
import sys
import time
import warnings

import numpy as np

from report import APPROXIMATE, cell

SHIFT = 20.0  # how far the outliers lie from the rest, along the first axis
# Smoothing of the approximate solvers, in units of the mean cost; GeomLoss takes
# one iteration at each smoothing on its way there and the steps of that, too.
LADDER = {"OTT-JAX": [(0.05,), (0.01,), (0.002,), (0.0005,), (0.0001,)], "GeomLoss": [(0.01, 0.9), (0.01, 0.99), (0.002, 0.99), (0.002, 0.998), (0.0005, 0.998)]}
CLOSE = 0.01  # how much too much their plans, made feasible, may cost where they stop climbing down
# Rungs left out from so many points on: never close, and a large dense plan takes longer to judge than to make.
LARGE, SKIPPED = 5000, {"OTT-JAX": 1}


class Watch:
    """Wall and processor seconds, of this process and its children, since it was made; on Linux, elsewhere without children's."""

    def __init__(self):
        self.children, self.own, self.start = children(), time.process_time(), time.perf_counter()

    def stop(self):
        seconds, own = time.perf_counter() - self.start, time.process_time() - self.own
        return dict(seconds=seconds, processor=own + children() - self.children)


def children():
    """Processor seconds that the children of this process have taken."""
    return sum(cpu_of(p.parent.name) for p in pathlib.Path("/proc").glob("[0-9]*/stat") if stat(p.parent.name)[1] == os.getpid())


def stat(pid):
    """The numbers of /proc/PID/stat from the state on, which is left out; zeros of a process that has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return [0] * 50
    return [0] + [int(f) for f in fields[1:]]


def cpu_of(pid):
    """Processor seconds of a process, without its children: by the nanosecond where the system says so, else in ticks."""
    fields = stat(pid)
    ticks = (fields[11] + fields[12]) / os.sysconf("SC_CLK_TCK")
    try:
        fine = sum(int(p.read_text().split()[0]) for p in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9
    except (OSError, IndexError):  # a thread ended meanwhile
        return ticks
    return fine if fine and abs(fine - ticks) < 0.1 + 0.02 * ticks else ticks  # threads that have ended count in ticks alone


# Instances.


def images(folder, n):
    """2n images of MNIST as rows of 784 numbers in [0, 1], no image twice."""
    with gzip.open(pathlib.Path(folder) / "train-images-idx3-ubyte.gz") as f:
        f.read(16)
        x = np.frombuffer(f.read(2 * n * 784), np.uint8).reshape(2 * n, 784) / 255.0
    return x[:n], x[n:]


def make(kind, n, d, args):
    """x, y, a, b of an instance."""
    rng = np.random.default_rng([args.seed, n, d])
    a = b = None
    if kind == "mnist":
        x, y = images(args.mnist, n)
    else:
        x, y = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    if kind == "far":
        x[: n // 20, 0] += SHIFT
    if kind == "weights":
        a, b = rng.random(n) + 0.1, rng.random(n) + 0.1
        a, b = a / a.sum(), b / b.sum()
    return x, y, a, b


def cost_matrix(x, y, metric):
    c = np.maximum((x * x).sum(1)[:, None] + (y * y).sum(1)[None] - 2 * x @ y.T, 0)
    return c if metric == "sqeuclidean" else np.sqrt(c)


# Solvers: each takes an instance and options, and returns a dict with value and seconds.


def masses(x, y, a, b):
    return (np.full(len(x), 1 / len(x)) if a is None else a), (np.full(len(y), 1 / len(y)) if b is None else b)


def rot_points(x, y, a, b, metric, o):
    import rot

    rot.robust(x[:20], y[:20])  # the process is there
    watch = Watch()
    r = rot.robust(x, y, a, b, metric=metric, progress=False)
    return dict(watch.stop(), value=r.value, gap=r.gap / r.value)


def rot_matrix(x, y, a, b, metric, o):
    import rot

    rot.robust(x[:20], y[:20])
    c = cost_matrix(x, y, metric)
    watch = Watch()
    r = rot.robust(cost=c, a=a, b=b, progress=False)
    return dict(watch.stop(), value=r.value, gap=r.gap / r.value)


def pot_dense(x, y, a, b, metric, o, threads=1, init=None):
    import ot

    a, b = masses(x, y, a, b)
    c = cost_matrix(x, y, metric)
    more = {} if init is None else dict(potentials_init=init)
    watch = Watch()
    value, log = ot.emd2(a, b, c, numItermax=10**9, numThreads=threads, log=True, **more)
    return dict(watch.stop(), value=float(value), note=log["warning"] or "", init=(log["u"], log["v"]))


def pot_threads(x, y, a, b, metric, o):
    return pot_dense(x, y, a, b, metric, o, threads=o["threads"])


def pot_warm(x, y, a, b, metric, o):
    """Started from the optimal potentials: as warm as it gets. Finding them is not counted; a cold solve before it leaves them."""
    return pot_dense(x, y, a, b, metric, o, init=o.get("init") or pot_dense(x, y, a, b, metric, o)["init"])


def pot_lazy(x, y, a, b, metric, o, most=10**9):
    import ot

    watch = Watch()
    value, log = ot.emd2_lazy(x, y, a, b, metric=metric, numItermax=most, log=True)
    return dict(watch.stop(), value=float(value), note=log["warning"] or "")


def pot_lazy_default(x, y, a, b, metric, o):
    return pot_lazy(x, y, a, b, metric, o, most=100000)


def ortools_flow(x, y, a, b, metric, o):
    """Whole numbers: costs in units of 1e-6 of the largest, weights in units of 1e-7 where they are not uniform."""
    from ortools.graph.python import min_cost_flow

    m, n = len(x), len(y)
    c = cost_matrix(x, y, metric)
    unit = c.max() / 10**6
    watch = Watch()
    if a is None:
        supply, demand, scale = np.ones(m, np.int64), np.ones(n, np.int64), 1 / n
    else:
        supply, demand = (np.rint(w * 10**7).astype(np.int64) for w in (a, b))
        demand[0] += supply.sum() - demand.sum()
        scale = 1 / supply.sum()
    flow = min_cost_flow.SimpleMinCostFlow()
    tail, head = np.repeat(np.arange(m), n), m + np.tile(np.arange(n), m)
    flow.add_arcs_with_capacity_and_unit_cost(tail, head, np.minimum(supply[tail], demand[head - m]), np.rint(c / unit).astype(np.int64).ravel())
    flow.set_nodes_supplies(np.arange(m + n), np.concatenate([supply, -demand]))
    if flow.solve() != flow.OPTIMAL:
        raise RuntimeError("not solved")
    taken = watch.stop()
    moved = flow.flows(np.arange(m * n)) * scale
    return dict(taken, value=float((moved * c.ravel()).sum()))


def approximate(name, solve):
    """A solver that smooths: down the ladder until its plan is close to optimal as rot certifies it.

    Every rung is told as it is reached, so that a run out of time has the last one."""

    def run(x, y, a, b, metric, o):
        import rot

        c = cost_matrix(x, y, metric)
        wa, wb = masses(x, y, a, b)
        mean = float(wa @ c @ wb)
        solve(x, y, wa, wb, metric, 10 * mean)  # compiles what it compiles
        for part, *more in LADDER[name][SKIPPED.get(name, 0) if len(x) >= LARGE else 0 :]:
            watch = Watch()
            value, f, g, eps = solve(x, y, wa, wb, metric, part * mean, *more)
            taken = watch.stop()
            plan = wa[:, None] * wb[None] * np.exp(np.minimum((f[:, None] + g[None] - c) / eps, 50))
            plan[plan < 1e-9 / len(x)] = 0  # 1e-9 of the mass at most in each column, so that the plan travels
            k = rot.certify(plan, x, y, a, b, metric=metric, potentials=(f, g), progress=False)
            out = dict(taken, value=k.upper, plan_cost=k.value, lower=k.lower, reported=value, violation=k.violation, rung=[part, *more])
            out["close"] = k.upper / o["optimum"] - 1 <= CLOSE
            o["tell"](out)
            if out["close"]:
                break
        return out

    return run


def geomloss_sinkhorn(x, y, a, b, metric, eps, scaling=0.9):
    import torch
    from geomloss import SamplesLoss

    p = 2 if metric == "sqeuclidean" else 1
    factor = 2 if p == 2 else 1  # its cost is |x−y|²/2
    loss = SamplesLoss("sinkhorn", p=p, blur=(eps / factor) ** (1 / p), scaling=scaling, debias=False, potentials=True, backend="tensorized")
    t = [torch.from_numpy(v) for v in (a, x, b, y)]
    f, g = (v.numpy().ravel() * factor for v in loss(*t))
    return float(a @ f + b @ g), f, g, eps


def ott_sinkhorn(x, y, a, b, metric, eps):
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    from ott.geometry import costs, pointcloud
    from ott.problems.linear import linear_problem
    from ott.solvers.linear import sinkhorn

    kind = costs.SqEuclidean() if metric == "sqeuclidean" else costs.Euclidean()
    geom = pointcloud.PointCloud(jnp.asarray(x), jnp.asarray(y), cost_fn=kind, epsilon=eps)
    out = jax.block_until_ready(sinkhorn.Sinkhorn(threshold=1e-4, max_iterations=20000)(linear_problem.LinearProblem(geom, jnp.asarray(a), jnp.asarray(b))))
    f, g = np.asarray(out.f), np.asarray(out.g)
    # Its plan is exp((f + g − C)/ε); ours has the weights in front.
    return float(out.reg_ot_cost), f - eps * np.log(a), g - eps * np.log(b), eps


SOLVERS = {
    "rot": rot_points, "rot, matrix": rot_matrix, "POT": pot_dense, "POT, threads": pot_threads, "POT, warm": pot_warm, "POT lazy": pot_lazy, "POT lazy, default": pot_lazy_default,
    "OR-tools": ortools_flow, "GeomLoss": approximate("GeomLoss", geomloss_sinkhorn), "OTT-JAX": approximate("OTT-JAX", ott_sinkhorn),
}
NEEDS = {"POT": "ot", "OR-tools": "ortools", "GeomLoss": "geomloss", "OTT-JAX": "ott", "rot": "rot"}


def child(pipe, name, inst, metric, o):
    warnings.simplefilter("ignore")
    o["tell"] = pipe.send
    try:
        out = SOLVERS[name](*inst, metric, o)
    except Exception as e:  # a peer that fails is a row that says so
        out = dict(error=f"{type(e).__name__}: {e}"[:200])
    pipe.send(dict(out, done=True))
    pipe.close()


def never():
    return math.inf


def timed(name, inst, metric, o, limit, until=never, told=None):
    """Runs a solver in a process of its own, for so many seconds at most and until that time of the monotonic clock.

    The last that it told counts; told is called with what it tells on the way. Cut says that it had less than its limit. The potentials of a solve stay in o, for a warm start."""
    here, there = multiprocessing.Pipe(False)
    p = multiprocessing.get_context("spawn").Process(target=child, args=(there, name, inst, metric, o))
    p.start()
    there.close()
    out = {}
    end = limit + 5 + len(inst[0]) / 1000  # to start, and to make the matrix
    began = time.monotonic()
    late = (lambda: cpu_of(p.pid)) if o["processor"] else (lambda: time.monotonic() - began)
    dead = False
    try:
        while not out.get("done"):
            if here.poll(min(1, max(0, end - late()))):
                out = here.recv()
                if told and not out.get("done"):
                    told(out)
            elif late() >= end or time.monotonic() >= until() or not p.is_alive() and not here.poll():
                break
    except EOFError:
        dead = True
    stopped = time.monotonic() >= until()
    if not out.pop("done", False):
        if dead or stopped and late() < end:
            out["cut"] = True
            limit = min(limit, late())
        out["limit"] = limit
        if "value" not in out:
            out["error"] = "ended early" if dead and not stopped else f"over {limit:.0f} s"
    if p.is_alive():
        p.kill()
    p.join()
    if "init" in out:
        o["init"] = out.pop("init")
    return out


def installed(name):
    base = name.split(",")[0].removesuffix(" lazy")
    return importlib.util.find_spec(NEEDS[base]) is not None


def instances(args):
    for n in args.sizes:
        for d in args.dims:
            for metric in args.metrics:
                yield "normal", n, d, metric
        if args.more and n <= args.most_more:
            yield "far", n, 2, "euclidean"
            yield "weights", n, 2, "sqeuclidean"
            if args.mnist:
                yield "mnist", n, 784, "sqeuclidean"
                yield "mnist", n, 784, "euclidean"


def main():
    def numbers(kind):
        return lambda text: [kind(t) for t in text.split(",") if t]

    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sizes", type=numbers(int), default=[1000, 2000])
    p.add_argument("--dims", type=numbers(int), default=[2, 16, 64])
    p.add_argument("--metrics", type=numbers(str), default=["sqeuclidean", "euclidean"])
    p.add_argument("--solvers", type=numbers(str), help="separated by commas, without spaces after them: " + "; ".join(SOLVERS))
    p.add_argument("--mnist", help="folder with train-images-idx3-ubyte.gz")
    p.add_argument("--more", action="store_true", help="far outliers, random weights and MNIST, too")
    p.add_argument("--most-more", type=int, default=2000, help="up to this size (2000)")
    p.add_argument("--most-approximate", type=int, default=2000, help="approximate solvers up to this size, whose plans are dense (2000)")
    p.add_argument("--limit", type=float, default=60, help="seconds a solver may take (60)")
    p.add_argument("--budget", type=float, default=1e9, help="start no instance after so many seconds")
    p.add_argument("--threads", type=int, default=os.cpu_count(), help="of the solvers that have some")
    p.add_argument("--processor", action="store_true", help="count processor seconds, of all threads, for machines with other work (Linux)")
    p.add_argument("--part", help="K/N: only every N-th instance, from the K-th on, for several runs beside each other")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--json", help="write all rows here, as they come")
    args = p.parse_args()
    environment(args.threads)
    names = [s for s in SOLVERS if (args.solvers is None or s.replace(", ", ":") in args.solvers) and installed(s)]
    print(f"{args.threads} threads, load {os.getloadavg()[0]:.1f} at the start; " + ", ".join(versions(names)))
    print("\n| points | n | d | cost | " + " | ".join(names) + " |\n|" + "---|" * (4 + len(names)), flush=True)
    began = time.monotonic()
    first, count = (int(t) for t in (args.part or "1/1").split("/"))
    for kind, n, d, metric in list(instances(args))[first - 1 :: count]:
        if time.monotonic() - began > args.budget:
            print("\nout of time")
            break
        inst, row, o = make(kind, n, d, args), {}, dict(threads=args.threads, processor=args.processor)
        for name in names:
            if name in APPROXIMATE and n > args.most_approximate:
                row[name] = dict(error="–")
                continue
            row[name] = timed(name, inst, metric, o, args.limit)
            if name == "rot":
                if "error" in row[name]:
                    raise SystemExit(f"rot: {row[name]['error']}")
                o["optimum"] = row[name]["value"]
        clock = "processor" if args.processor else "seconds"
        print(f"| {kind} | {n} | {d} | {metric} | " + " | ".join(cell(row[s], o["optimum"], row["rot"] if s != "rot" else None, clock) for s in names) + " |", flush=True)
        if args.json:
            with open(args.json, "a") as f:
                f.write(json.dumps(dict(points=kind, n=n, d=d, metric=metric, load=os.getloadavg()[0], **row)) + "\n")
    print(f"\n{time.monotonic() - began:.0f} s", flush=True)


def environment(threads):
    """What the processes that are started from now on shall keep to: so many threads, and no accelerator."""
    for name in ("GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    os.environ.update(JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="")
    # POT imports every library of arrays that it finds, which takes seconds and touches accelerators.
    os.environ.update(POT_BACKEND_DISABLE_PYTORCH="1", POT_BACKEND_DISABLE_JAX="1", POT_BACKEND_DISABLE_TENSORFLOW="1", POT_BACKEND_DISABLE_CUPY="1")


def versions(names):
    import importlib.metadata as md

    for key, dist in (("POT", "pot"), ("OR-tools", "ortools"), ("GeomLoss", "geomloss"), ("OTT-JAX", "ott-jax")):
        if any(s.startswith(key) for s in names):
            try:
                yield f"{key} {md.version(dist)}"
            except md.PackageNotFoundError:
                yield key
    yield f"NumPy {np.__version__}"


if __name__ == "__main__":
    sys.exit(main())
