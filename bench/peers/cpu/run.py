"""rot's cpu backend beside PyTorch and OpenBLAS, in one run.

    go test -c -o step ./bench/peers/cpu
    python3 bench/peers/cpu/run.py ./step

Both sides of a workload take turns, a few seconds each, and the best of each
counts, so that other work on the machine meets both. Prints a table: rates,
time of a step on all cores together, memory, and the ratios of both. On a
machine with other work, believe the second one at --threads 1: threads that
wait for each other lose more time to it than others. python3 must have torch
and numpy.
"""
import argparse, json, os, re, subprocess, sys

p = argparse.ArgumentParser()
p.add_argument("step", help="the test binary of this folder")
p.add_argument("--rounds", type=int, default=3)
p.add_argument("--seconds", type=float, default=4)
p.add_argument("--threads", type=int, default=2)
p.add_argument("--workloads", default="gemm512,gemm1024,gemm2048,dcgan,tiny,lenet,resnet18")
p.add_argument("--json", default=os.devnull, help="add every measurement to this file, a line of JSON each, as they come")
a = p.parse_args()
here = os.path.dirname(os.path.abspath(__file__))
env = dict(os.environ, GOMAXPROCS=str(a.threads), OPENBLAS_NUM_THREADS=str(a.threads), OMP_NUM_THREADS=str(a.threads))


def run(*command):
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout


def ours(workload):
    out = run(a.step, "-test.run", "^$", "-test.bench", f"^BenchmarkStep$/^{workload}$", "-test.benchtime", f"{a.seconds}s")
    def metric(unit):
        return float(re.search(r"([\d.e+]+) " + re.escape(unit), out).group(1))
    return dict(rate=metric("GFLOP/s" if workload.startswith("gemm") else "images/s"), cpu_ms=metric("cpu-ms"), rss_mb=metric("rss-MB"))


def theirs(workload):
    return json.loads(run(sys.executable, os.path.join(here, "twin.py"), "--threads", str(a.threads), "--seconds", str(a.seconds), workload))


def best(results):
    return dict(rate=max(r["rate"] for r in results), cpu_ms=min(r["cpu_ms"] for r in results), rss_mb=min(r["rss_mb"] for r in results),
                who=results[0].get("who"))


print("| workload | rot | peer | ratio | CPU time of a step, ms | peer's | ratio | memory, MB | peer's |\n|---|---|---|---|---|---|---|---|---|")
for w in a.workloads.split(","):
    mine, other = [], []
    for _ in range(a.rounds):
        for side, results, measure in (("rot", mine, ours), ("peer", other, theirs)):
            results.append(measure(w))
            with open(a.json, "a") as f:
                f.write(json.dumps(dict(results[-1], workload=w, side=side, threads=a.threads)) + "\n")
    m, o = best(mine), best(other)
    unit = "GFLOP/s" if w.startswith("gemm") else "img/s"
    print(f"| {w} | {m['rate']:.0f} {unit} | {o['rate']:.0f} {unit}, {o['who']} | **{m['rate'] / o['rate']:.2f}** | {m['cpu_ms']:.1f} | {o['cpu_ms']:.1f} | **{o['cpu_ms'] / m['cpu_ms']:.2f}** | {m['rss_mb']:.0f} | {o['rss_mb']} |", flush=True)
