"""The limits that run.py checks and the tables that it prints."""

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
