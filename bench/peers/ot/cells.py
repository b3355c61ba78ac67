"""Runs the peers of a list, each beside rot on the same points, on given cores,
and writes a line of JSON a peer as it comes. See README.md.

    ROT_BINARY=bin/rot PYTHONPATH=python python bench/peers/ot/cells.py bench/peers/ot/cells.txt --cores 2-5 --json OUT

A line of the list is

    [alone] POINTS N D COST EXPECTED/LIMIT PEER; PEER; ...

with seconds for each peer: none is started that is expected to outlast the
budget, and none takes longer than its limit. Those alone have all cores.
"""

import argparse
import dataclasses
import itertools
import json
import math
import os
import pathlib
import platform
import signal
import sys
import threading
import time

import peers
from report import cell, json_lines

START = 8  # seconds to start two processes and to make the points


@dataclasses.dataclass
class Cell:
    points: str
    n: int
    d: int
    metric: str
    expected: float  # seconds of a peer
    limit: float
    peers: list
    alone: bool

    @classmethod
    def parse(cls, line):
        words = line.split(None, 6 if line.startswith("alone ") else 5)
        alone = words[0] == "alone"
        points, n, d, metric, seconds, names = words[alone:]
        expected, limit = (float(t) for t in seconds.split("/"))
        found = [t.strip() for t in names.split(";")]
        for name in found:
            if name not in peers.SOLVERS or name == "rot":
                raise ValueError(f"no peer {name!r} in {line!r}")
        return cls(points, int(n), int(d), metric, expected, limit, found, alone)

    def key(self, peer):
        return [self.points, self.n, self.d, self.metric, peer]


def read(path):
    lines = (t.partition("#")[0].strip() for t in pathlib.Path(path).read_text().splitlines())
    return [Cell.parse(t) for t in lines if t]


def finished(path):
    """The keys of what the file has: answers, and peers that took longer than their limit, unless the run ended first."""
    file = pathlib.Path(path)
    if not file.exists():
        return []
    if not file.read_bytes().endswith(b"\n"):  # the run was stopped while it wrote
        with file.open("a") as f:
            f.write("\n")
    return [[r[k] for k in ("points", "n", "d", "metric", "peer")] for r in json_lines(path) if r["got"].get("error", "over").startswith("over") and "cut" not in r["got"]]


def lanes_of(text, count):
    """Cores such as 2-5,8 in so many equal lanes, threads of the same core side by side."""
    cores = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cores += range(int(first), int(last or first) + 1)
    if len(cores) % count:
        raise SystemExit(f"{len(cores)} cores do not make {count} equal lanes")
    cores.sort(key=lambda c: (*where(c), c))
    size = len(cores) // count
    return [cores[i : i + size] for i in range(0, len(cores), size)]


def where(core):
    """Socket and core of a processor that the system counts."""
    folder = pathlib.Path(f"/sys/devices/system/cpu/cpu{core}/topology")
    try:
        return tuple(int((folder / name).read_text()) for name in ("physical_package_id", "core_id"))
    except OSError:
        return 0, core


class Run:
    """One run: what is left to do, and where the answers go."""

    def __init__(self, args, machine):
        self.args, self.machine = args, machine
        self.began = time.monotonic()
        self.until = self.began + args.budget
        self.done = finished(args.json)
        self.lock = threading.Lock()

    def stop(self):
        """Ends the run within seconds, with what the peers have told so far."""
        self.until = 0

    def all(self, cells, lanes):
        """Goes down the list, with as many cells at a time as there are lanes; those alone have all cores."""
        for alone, chunk in itertools.groupby(cells, key=lambda c: c.alone):
            todo, use = list(chunk), [sum(lanes, [])] if alone else lanes
            peers.environment(len(use[0]))
            threads = [threading.Thread(target=self.lane, args=(todo, cores)) for cores in use]
            for t in threads:
                t.start()
            for t in threads:
                t.join()

    def lane(self, todo, cores):
        os.sched_setaffinity(0, cores)  # of this thread, and of the processes that it starts
        while True:
            with self.lock:
                found = next((c for c in todo if self.left(c) and self.fits(c)), None)
                if found is None:
                    return
                todo.remove(found)
            self.cell(found, cores)

    def left(self, c):
        return [p for p in c.peers if c.key(p) not in self.done and peers.installed(p)]

    def fits(self, c):
        return time.monotonic() + START + c.n / 1000 + c.expected <= self.until

    def cell(self, c, cores):
        inst = peers.make(c.points, c.n, c.d, self.args)
        o = dict(threads=len(cores), processor=False)
        for peer in self.left(c):
            if not self.fits(c):
                return
            own = peers.timed("rot", inst, c.metric, o, c.limit, lambda: self.until)
            if "error" in own:
                self.say(c, peer, cores, f"rot: {own['error']}")
                return
            o["optimum"] = own["value"]
            got = peers.timed(peer, inst, c.metric, o, c.limit, lambda: self.until, lambda rung: self.say(c, peer, cores, f"so far {cell(rung, own['value'], own)}"))
            if "error" not in got:
                got.pop("cut", None)
            elif "cut" in got and got["error"].startswith("over") and got["limit"] < c.expected:
                self.say(c, peer, cores, "out of time")
                return
            row = dict(points=c.points, n=c.n, d=c.d, metric=c.metric, peer=peer, seed=self.args.seed, cores=cores, alone=c.alone, load=load(), machine=self.machine, rot=own, got=got)
            with self.lock:
                with open(self.args.json, "a") as f:
                    f.write(json.dumps(row) + "\n")
                if "cut" not in got:
                    self.done.append(c.key(peer))
            processor = "" if "error" in got else f", {got['processor']:.3g} s of processor ({got['processor'] / own['processor']:.3g}×)"
            self.say(c, peer, cores, f"{cell(got, own['value'], own)}{processor}; rot {own['seconds']:.3g}, {own['processor']:.3g} s of processor")

    def say(self, c, peer, cores, text):
        print(f"{time.monotonic() - self.began:5.0f} s  cores {','.join(map(str, cores))}: {c.points} {c.n} {c.d} {c.metric}: {peer} {text}", flush=True)


def load():
    try:
        return os.getloadavg()[0]
    except OSError:
        return math.nan


def processor_name():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((t.partition(":")[2].strip() for t in lines if t.startswith("model name")), platform.processor())


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("list", help="cells, in order of importance")
    p.add_argument("--json", required=True, help="write answers here, as they come; what is there already is not run again")
    p.add_argument("--cores", default=f"0-{os.cpu_count() - 1}", help="such as 2-5,8 (all)")
    p.add_argument("--lanes", type=int, default=1, help="cells at a time, each on its share of the cores (1)")
    p.add_argument("--budget", type=float, default=1e9, help="seconds in all")
    p.add_argument("--mnist", help="folder with train-images-idx3-ubyte.gz")
    p.add_argument("--revision", default="", help="of rot, for the record")
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    cells, lanes = read(args.list), lanes_of(args.cores, args.lanes)
    if not args.mnist:
        cells = [c for c in cells if c.points != "mnist"]
    names = [s for s in peers.SOLVERS if peers.installed(s)]
    machine = dict(processor=processor_name(), python=platform.python_version(), versions=list(peers.versions(names)), revision=args.revision)
    physical = len({where(c) for lane in lanes for c in lane})
    print(f"{machine['processor']}, lanes {lanes} on {physical} cores, load {load():.1f}; Python {machine['python']}, {', '.join(machine['versions'])}", flush=True)
    print("not installed: " + (", ".join(sorted({s for c in cells for s in c.peers} - set(names))) or "none"), flush=True)
    run = Run(args, machine)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: run.stop())
    run.all(cells, lanes)
    left = [f"{c.points} {c.n} {c.d} {c.metric} {p}" for c in cells for p in run.left(c)]
    print(f"{time.monotonic() - run.began:.0f} s, {len(left)} left" + "".join("\n  " + t for t in left), flush=True)


if __name__ == "__main__":
    sys.exit(main())
