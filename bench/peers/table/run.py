"""Times rot's table reader beside pandas, polars and pyarrow on the same files.

    python run.py [--rows 1000000] [--columns 20] [--reps 3]
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet


def best(read, reps):
    times = []
    for _ in range(reps):
        begin = time.perf_counter()
        read()
        times.append(time.perf_counter() - begin)
    return min(times)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--rows", type=int, default=1_000_000)
    a.add_argument("--columns", type=int, default=20)
    a.add_argument("--reps", type=int, default=3)
    a.add_argument("--dir", help="where the files are made; a temporary folder by default")
    o = a.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory(dir=o.dir) as d:
        d = pathlib.Path(d)
        binary = d / "table"
        subprocess.run(["go", "build", "-trimpath", "-o", binary, "."], cwd=here, check=True)
        x = np.random.default_rng(1).normal(size=(o.rows, o.columns))
        full = pl.DataFrame({f"c{j}": x[:, j] for j in range(o.columns)})
        short = pl.DataFrame({f"c{j}": x[:, j].round(4) for j in range(o.columns)})
        full.write_csv(d / "full.csv")
        short.write_csv(d / "short.csv")
        full.write_parquet(d / "full.parquet")
        full.write_ipc(d / "full.arrow", compression="lz4")
        short.write_ndjson(d / "short.jsonl")
        np.save(d / "full.npy", x)
        peers = {
            "full.csv": {"pandas": pd.read_csv, "polars": pl.read_csv, "pyarrow": pyarrow.csv.read_csv},
            "short.csv": {"pandas": pd.read_csv, "polars": pl.read_csv, "pyarrow": pyarrow.csv.read_csv},
            "full.parquet": {"polars": pl.read_parquet, "pyarrow": pyarrow.parquet.read_table},
            "full.arrow": {"polars": lambda f: pl.read_ipc(open(f, "rb").read()), "pyarrow": pyarrow.feather.read_table},
            "short.jsonl": {"polars": pl.read_ndjson},
            "full.npy": {"numpy": np.load},
        }
        print("| file | MB | reader | seconds | beside rot |\n|---|---|---|---|---|")
        for name, readers in peers.items():
            f = d / name
            size = f.stat().st_size / 1e6
            seconds = {}
            for label, flags in (("rot", []), ("rot, in blocks", ["-stream"]), ("rot, to vectors", ["-vectors"])):
                out = subprocess.run([binary, "-reps", str(o.reps), *flags, f], check=True, capture_output=True, text=True)
                seconds[label] = json.loads(out.stdout)["seconds"]
            for label, read in readers.items():
                seconds[label] = best(lambda: read(f), o.reps)
            for label, s in seconds.items():
                print(f"| {name} | {size:.0f} | {label} | {s:.2f} | {s / seconds['rot']:.2f} |", flush=True)


main()
