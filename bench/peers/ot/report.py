"""The limits that run.py checks, the tables that it prints, and those of what cells.py found.

    python bench/peers/ot/report.py RESULTS.jsonl                        # prints them
    python bench/peers/ot/report.py RESULTS.jsonl docs/benchmarks.md     # puts them between the marks there
"""

import json
import pathlib
import statistics
import sys

MAX_GAP = 1e-9  # certified relative gap, everywhere
MAX_DIFFERENCE = 1e-8  # of plain values from POT's, relative
MAX_TWO_ONE = 3  # two-sided over one-sided, wall time

# Wall time over POT's emd, POT's cost matrix not counted: size → limit, and
# where the limit for plain transport differs with outliers, that one too.
EXACT = {2000: (0.15, 0.3), 10000: (0.05, 0.15)}
ROBUST = {2000: 0.3, 10000: 0.1}

# Plain transport alone: (n, d) → seconds and megabytes.
ALONE = {(100000, 16): (120, 300)}


def ratio_limit(row):
    """The limit on time over POT's, None where there is none."""
    if row["case"] == "exact":
        plain, outliers = EXACT.get(row["n"], (None, None))
        return outliers if row["gamma"] else plain
    return ROBUST.get(row["n"]) if row["case"].startswith("one:") else None


def failures(row):
    """What a row breaks, in words; empty when all is well."""
    out = []
    if row["error"]:
        out.append(row["error"])
    if row.get("pot_error"):
        out.append("POT: " + row["pot_error"])
    if not abs(row["rel_gap"]) <= MAX_GAP:
        out.append("gap")
    if "ratio" in row:
        limit = ratio_limit(row)
        if limit and not row["ratio"] <= limit:
            out.append("time")
        above = row["above_pot"]  # robust values lie below plain ones
        if above > MAX_DIFFERENCE or (row["case"] == "exact" and above < -MAX_DIFFERENCE):
            out.append("value")
    elif row["case"] == "exact" and (row["n"], row["d"]) in ALONE:
        seconds, mb = ALONE[row["n"], row["d"]]
        if not row["seconds"] <= seconds:
            out.append("time")
        if not row["peak_mb"] <= mb:
            out.append("memory")
    if "two_one" in row:
        if not row["two_one"] <= MAX_TWO_ONE:
            out.append("two/one")
        if row["value"] > row["one_value"] * (1 + MAX_DIFFERENCE):
            out.append("value")
    return out


def problem(row):
    sides, _, rho = row["case"].partition(":")
    return {"exact": "Exact", "one": f"Robust ρ={rho}", "two": f"two-sided ρ={rho}"}[sides]


def number(row, key, form="{:.3g}"):
    return form.format(row[key]) if key in row else ""


def limit(row):
    found = ratio_limit(row)
    return "" if found is None else f"≤ {found}"


def with_dist(row):
    return f"{row['pot_seconds'] + row['pot_dist_seconds']:.3g}"


def verdict(row):
    return "FAIL: " + ", ".join(row["failed"]) if row["failed"] else "PASS"


INSTANCE = [("n", lambda r: str(r["n"])), ("d", lambda r: str(r["d"])), ("cost", lambda r: r["metric"]),
            ("γ", lambda r: f"{r['gamma']:g}"), ("problem", problem)]
BESIDE = INSTANCE + [
    ("POT s", lambda r: number(r, "pot_seconds")),
    ("POT + dist s", with_dist),
    ("rot s", lambda r: number(r, "seconds")),
    ("rot CPU s", lambda r: number(r, "cpu_seconds")),
    ("rot/POT", lambda r: number(r, "ratio")),
    ("limit", limit),
    ("rot/POT CPU", lambda r: number(r, "cpu_ratio")),
    ("two/one", lambda r: number(r, "two_one")),
    ("gap", lambda r: number(r, "rel_gap", "{:.0e}")),
    ("POT MB", lambda r: number(r, "pot_peak_mb", "{:.0f}")),
    ("rot MB", lambda r: number(r, "peak_mb", "{:.0f}")),
    ("", verdict)]
ALONE_COLUMNS = INSTANCE + [
    ("rot s", lambda r: number(r, "seconds")),
    ("rot CPU s", lambda r: number(r, "cpu_seconds")),
    ("MB", lambda r: number(r, "peak_mb", "{:.0f}")),
    ("time grows as", lambda r: number(r, "time_power", "n^{:.2f}")),
    ("memory grows as", lambda r: number(r, "memory_power", "n^{:.2f}")),
    ("two/one", lambda r: number(r, "two_one")),
    ("gap", lambda r: number(r, "rel_gap", "{:.0e}")),
    ("", verdict)]


def header(beside):
    columns = BESIDE if beside else ALONE_COLUMNS
    yield "| " + " | ".join(name for name, _ in columns) + " |"
    yield "|" + "---|" * len(columns)


def line(row, beside):
    return "| " + " | ".join(text(row) for _, text in (BESIDE if beside else ALONE_COLUMNS)) + " |"


def environment(env):
    return (f"{env['cpu']}, {env['cores']} cores, load {env['load']} at the start; {env['go']}, POT {env['pot']}, "
            f"NumPy {env['numpy']}, Python {env['python']}. POT uses one thread, rot all cores. "
            "Ratios are of wall time and leave out POT's cost matrix; rot computes its own costs.")


# What peers.py and cells.py found.

EXACT_PEERS = ("rot, matrix", "POT", "POT, threads", "POT, warm", "POT lazy", "POT lazy, default", "OR-tools")
APPROXIMATE = ("GeomLoss", "OTT-JAX")
BEGIN, END = "<!-- cells: written by bench/peers/ot/report.py -->", "<!-- end of cells -->"


def cell(got, optimum, base, clock="seconds"):
    """Seconds, times those of base where there is one, and how far from the optimum."""
    if "error" in got:
        return got["error"].split(":")[0]
    off = got["value"] / optimum - 1
    text = f"{got[clock]:.3g}"
    if base:
        text += f" ({got[clock] / base[clock]:.3g}×)"
    if "lower" in got:
        late = "" if got["close"] else f", no closer within {got['limit']:.0f} s" if "limit" in got else ", no closer"
        return text + f", {100 * off:+.2g} %, {100 * got['violation']:.1g} % misplaced, bound −{100 * (1 - got['lower'] / optimum):.2g} %{late}"
    if abs(off) > 1e-8:
        text += f", {100 * off:+.2g} %"
    return text


def json_lines(path):
    """The lines of a file, without the last one of a run that was stopped while it wrote."""
    for text in pathlib.Path(path).read_text().splitlines():
        try:
            yield json.loads(text)
        except json.JSONDecodeError:
            continue


def read_cells(paths):
    """Instances in order, each with what was found of its peers; of two lines of the same the later counts, and an answer before none."""
    found = {}
    for path in paths:
        for row in json_lines(path):
            peers = found.setdefault((row["points"], row["n"], row["d"], row["metric"]), {})
            if "error" not in row["got"] or "error" in peers.get(row["peer"], row)["got"]:
                peers[row["peer"]] = row
    order = {"normal": 0, "far": 1, "weights": 2, "mnist": 3}
    return sorted(found.items(), key=lambda item: (item[0][1], order[item[0][0]], item[0][2], item[0][3] != "sqeuclidean"))


def cell_table(instances, names, show, clock):
    """A row an instance that has any of the peers: rot's median beside them, and what show makes of each of theirs."""
    names = [s for s in names if any(s in peers for _, peers in instances)]
    rows = [(key, peers) for key, peers in instances if any(s in peers for s in names)]
    if not rows:
        return
    yield "| points | n | d | cost | rot | " + " | ".join(names) + " |"
    yield "|" + "---|" * (5 + len(names))
    for key, peers in rows:
        own = [r["rot"][clock] for s, r in peers.items() if s in names and not r["alone"]] or [r["rot"][clock] for s, r in peers.items() if s in names]
        cells = [show(peers[s]) if s in peers else "" for s in names]
        yield "| " + " | ".join([*map(str, key), f"{statistics.median(own):.3g}", *cells]) + " |"


def both_clocks(row):
    text = cell(row["got"], row["rot"]["value"], row["rot"])
    if "error" in row["got"]:
        return text
    return text + f"; {row['got']['processor']:.3g} s of processor ({row['got']['processor'] / row['rot']['processor']:.3g}×)"


def cell_report(paths):
    """Lines of Markdown: what was run where, then the exact peers by wall and by processor time, then the approximate ones."""
    instances = read_cells(paths)
    rows = [r for _, peers in instances for r in peers.values()]
    machines = sorted({f"{r['machine']['processor']}, Python {r['machine']['python']}, " + ", ".join(r["machine"]["versions"]) for r in rows})
    lanes, alone = ({len(r["cores"]) for r in rows if r["alone"] == a} for a in (False, True))
    revisions = ", ".join(sorted({r["machine"]["revision"] for r in rows if r["machine"]["revision"]}))
    loads = [r["load"] for r in rows]
    yield "    ROT_BINARY=bin/rot PYTHONPATH=python python bench/peers/ot/cells.py bench/peers/ot/cells.txt --cores A-B --lanes 2 --json OUT"
    yield ""
    yield (f"Each peer with rot before it on the same points, both kept to the same {' or '.join(map(str, sorted(lanes | alone)))} cores and as many threads, with a limit of time for each peer. In brackets: times rot's seconds of that pair; the column rot has the median of the row's pairs. An empty cell was not run."
           + (f" POT with threads had all {max(alone)} cores; the others ran beside another pair on cores of its own." if alone else "")
           + f" {'; '.join(machines)}; rot at {revisions or 'an unknown revision'}; load {min(loads):.1f} to {max(loads):.1f}.")
    for title, names, show, clock in (
        ("Wall seconds:", EXACT_PEERS, lambda r: cell(r["got"], r["rot"]["value"], r["rot"]), "seconds"),
        ("Processor seconds, of all threads and processes:", EXACT_PEERS, lambda r: cell(r["got"], r["rot"]["value"], r["rot"], "processor"), "processor"),
        ("Approximate solvers, wall seconds first:", APPROXIMATE, both_clocks, "seconds"),
    ):
        table = list(cell_table(instances, names, show, clock))
        if table:
            yield from ("", title, "", *table)


def put(doc, lines):
    """Replaces what is between the marks of a page."""
    text = pathlib.Path(doc).read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{doc}: it needs one line {BEGIN} and one line {END}")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    pathlib.Path(doc).write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + after)


if __name__ == "__main__":
    results = [p for p in sys.argv[1:] if not p.endswith(".md")]
    if not results:
        raise SystemExit(__doc__)
    made = list(cell_report(results))
    pages = [p for p in sys.argv[1:] if p.endswith(".md")]
    for page in pages:
        put(page, made)
    if not pages:
        print("\n".join(made))
