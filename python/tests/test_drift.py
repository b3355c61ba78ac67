"""rot.drift: the answers of the command line, for arrays and DataFrames."""

import json
import subprocess

import numpy as np
import pytest

import rot

rng = np.random.default_rng(5)


def command(*args, cwd):
    out = subprocess.run([rot.binary(), *map(str, args), "--json"], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


def same_answer(d, want):
    for name in ("verdict", "p_moved", "p_dirty", "effect", "distance", "noise", "suspects", "set_aside", "tested", "permutations", "n", "m", "dim", "statistics", "columns"):
        assert getattr(d, name) == want[name], name
    assert d.encoding == want.get("encoding", "")
    assert [r["row"] for r in d.rows] == [r["row"] for r in want["rows"]]
    assert [(r["suspect"], r["nearest"], r["score"], r["p"]) for r in d.rows] == [(r["suspect"], r["nearest"], r["score"], r["p"]) for r in want["rows"]]


def test_arrays(tmp_path):
    x, y = rng.normal(size=(200, 3)), rng.normal(size=(150, 3))
    y[:6] += 12
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    d = rot.drift(x, y, permutations=59)
    same_answer(d, command("drift", "x.npy", "y.npy", "--permutations", 59, cwd=tmp_path))
    assert d.verdict == "dirty" and set(d.suspect_rows) >= set(range(6)) and d.suspects == len(d.suspect_rows)
    assert "dirty" in repr(d) and d.sentence in d._repr_html_() and "<iframe" in d._repr_html_()


def table(pd, n, shift=0.0):
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n) + shift,
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "id": [f"row-{k}" for k in range(n)],
        }
    )
    frame.loc[3, "age"] = np.nan
    frame.loc[4, "town"] = None
    return frame


def test_frames(tmp_path):
    pd = pytest.importorskip("pandas")
    x, y = table(pd, 150), table(pd, 120, shift=9.0)
    y = y[list(y.columns)[::-1]]  # columns meet by name
    x.to_csv(tmp_path / "x.csv", index=False)
    y.to_csv(tmp_path / "y.csv", index=False)
    d = rot.drift(x, y, permutations=59)
    want = command("drift", "x.csv", "y.csv", "--permutations", 59, cwd=tmp_path)
    same_answer(d, want)
    assert [r["id"] for r in d.rows] == [r["id"] for r in want["rows"]]
    assert d.verdict == "moved" and d.columns[0]["name"] == "age" and d.columns[0]["direction"] == "up"
    assert any("missing" in n for n in d.notes)
    same_answer(rot.drift(x, y, permutations=59, ignore=["age*"]), command("drift", "x.csv", "y.csv", "--permutations", 59, "--ignore", "age", cwd=tmp_path))
    pl = pytest.importorskip("polars")
    for kind in (pl.from_pandas, lambda f: pl.from_pandas(f).to_arrow()):
        same_answer(rot.drift(kind(x), kind(y), permutations=59), want)


def test_bad_input():
    x = rng.normal(size=(20, 2))
    for args, text in (
        ((x, x[:3]), "3 rows of the new sample are too few"),
        ((x, x[:, :1]), "X has 2 columns, Y has 1"),
        ((x, np.full((20, 2), np.inf)), "not a finite number"),
    ):
        with pytest.raises(rot.InputError, match=text):
            rot.drift(*args)
    for option, text in (({"missing": "drop"}, "none of error"), ({"scale": "big"}, "none of none"), ({"alpha": 2}, "alpha 2"), ({"columns": ["z"]}, "z")):
        with pytest.raises(rot.InputError, match=text):
            rot.drift(x, x, **option)


def test_columns_of_two_kinds():
    pd = pytest.importorskip("pandas")
    x = table(pd, 30)
    with pytest.raises(rot.InputError, match="(?s)town.*numbers"):
        rot.drift(x, x.assign(town=1.5))
    x["note"] = [f"text {k}" for k in range(30)]
    with pytest.raises(rot.InputError, match="note"):
        rot.drift(x, x.assign(note=[f"other text {k}" for k in range(30)]))
    assert rot.drift(x, x, ignore=["note"], permutations=19).verdict == "same"
