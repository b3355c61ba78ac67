"""Writes table/testdata: small files as pandas, polars, DuckDB, NumPy, R and
spreadsheets write them, each beside FILE.json, which says what must be read:
the columns with their kinds and cells, or the exact message."""

import datetime as dt
import gzip
import json
import math
import pathlib
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

LIMIT = "FILE: unfolds to more than LIMIT, the memory limit for a file of its size (raise the limit if the file is to be trusted)"
OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "table/testdata")


def text(v):
    """The cell as the reader must show it."""
    if v is None or v is pd.NaT or v is pd.NA or (isinstance(v, float) and math.isnan(v)):
        return ""
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, (list, tuple, np.ndarray)):
        return "[" + ", ".join(text(x) for x in v) + "]"
    if isinstance(v, (pd.Timestamp, dt.datetime)):
        v = pd.Timestamp(v)
        if v.tzinfo is not None:
            v = v.tz_convert("UTC").tz_localize(None)
        if v == v.normalize():
            return v.strftime("%Y-%m-%d")
        s = v.strftime("%Y-%m-%dT%H:%M:%S")
        if v.microsecond:
            s += f".{v.microsecond:06d}".rstrip("0")
        return s + "Z"
    if isinstance(v, dt.date):
        return v.isoformat()
    if isinstance(v, (int, np.integer)):
        return str(int(v))
    if isinstance(v, (float, np.floating)):
        v = float(v)
        return str(int(v)) if v == int(v) and abs(v) < 1e15 else repr(v)
    return str(v)


def want(name, columns, named=True, notes=None):
    """columns: (name, kind, values[, more])"""
    out = []
    for c in columns:
        values = list(c[2])
        cells = [text(v) for v in values]
        col = {"name": c[0], "kind": c[1], "missing": sum(x == "" for x in cells), "cells": cells[:6]}
        if len(c) > 3:
            col.update(c[3])
        out.append(col)
    w = {"rows": len(list(columns[0][2])), "named": named, "columns": out}
    if notes:
        w["notes"] = notes
    (OUT / (name + ".json")).write_text(json.dumps(w, indent=1, ensure_ascii=False) + "\n")


def error(name, message):
    (OUT / (name + ".json")).write_text(json.dumps({"error": message}, ensure_ascii=False) + "\n")


def write(name, data):
    (OUT / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def customers(n=40):
    r = np.random.default_rng(7)
    df = pd.DataFrame({
        "age": r.integers(18, 90, n).astype(float),
        "income": r.normal(40000, 9000, n).round(2),
        "country": r.choice(["France", "Deutschland", "España"], n),
        "member": r.random(n) < 0.5,
        "joined": pd.Timestamp("2021-03-04") + pd.to_timedelta(r.integers(0, 10**8, n), unit="s"),
    })
    df.loc[[1, 5], "age"] = np.nan
    df.loc[3, "income"] = np.nan
    df.loc[[0, 7], "country"] = None
    df.loc[4, "joined"] = pd.NaT
    return df


KINDS = {"age": "number", "income": "number", "country": "category", "member": "boolean", "joined": "time"}


def customer_columns(df):
    return [(c, KINDS[c], df[c]) for c in df.columns]


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    df = customers()
    n = len(df)

    # pandas
    df.to_csv(OUT / "pandas.csv", index=False)
    want("pandas.csv", customer_columns(df))
    df.to_csv(OUT / "pandas_index.csv")
    want("pandas_index.csv", [("index", "text", range(n), {"index": True})] + customer_columns(df))
    df.to_csv(OUT / "pandas.csv.gz", index=False)
    want("pandas.csv.gz", customer_columns(df))
    df.to_csv(OUT / "pandas.tsv", index=False, sep="\t")
    want("pandas.tsv", customer_columns(df))
    pd.DataFrame(np.arange(12).reshape(4, 3) / 8).to_csv(OUT / "pandas_numbered.csv", index=False)
    want("pandas_numbered.csv", [(str(k), "number", [k / 8, (k + 3) / 8, (k + 6) / 8, (k + 9) / 8]) for k in range(3)],
         notes=["the first line counts 0, 1, 2, … and is read as names"])
    d = df.copy()
    d["country"] = d["country"].astype("category")
    d["age"] = d["age"].astype("Int64")
    d.index = pd.Index([f"r{i}" for i in range(n)])
    d.to_parquet(OUT / "pandas.parquet")
    want("pandas.parquet", customer_columns(df) + [("__index_level_0__", "text", d.index, {"index": True})])
    d.reset_index(drop=True).to_feather(OUT / "pandas.feather")
    want("pandas.feather", customer_columns(df))
    df.to_json(OUT / "pandas.jsonl", orient="records", lines=True, date_format="iso")
    want("pandas.jsonl", customer_columns(df))
    df.to_json(OUT / "pandas_list.jsonl", orient="records", date_format="iso")
    error("pandas_list.jsonl", 'FILE:1: begins with a list; one object a line is read (pandas: orient="records", lines=True)')
    twice = pd.DataFrame([[1.5, 2, 3], [4.5, 5, 6]], columns=["x", "x", "y"])
    twice.to_csv(OUT / "duplicate_names.csv", index=False)
    want("duplicate_names.csv", [("x", "number", [1.5, 4.5]), ("x.1", "number", [2, 5]), ("y", "number", [3, 6])],
         notes=["names that occur again are numbered: x"])

    # polars
    p = pl.DataFrame({
        "id": [9007199254740993 + i for i in range(30)],
        "when": [dt.datetime(2024, 1, 1) + dt.timedelta(hours=7 * i) for i in range(30)],
        "day": [dt.date(2024, 2, 27) + dt.timedelta(days=i) for i in range(30)],
        "color": pl.Series(["red", "green", None] * 10, dtype=pl.Categorical),
        "size": [None if i % 7 == 3 else i / 4 for i in range(30)],
        "xyz": pl.Series([[i, i + 1, i + 2] for i in range(30)], dtype=pl.List(pl.Float64)),
        "pair": pl.Series([[i, -i] for i in range(30)], dtype=pl.Array(pl.Float32, 2)),
        "note": [f"a rather long remark, number {i}" for i in range(30)],
        "spot": [{"lat": 1.0, "lon": float(i)} for i in range(30)],
    })
    cols = [
        ("id", "text", p["id"].to_list()),
        ("when", "time", p["when"].to_list()), ("day", "time", p["day"].to_list()),
        ("color", "category", p["color"].to_list()), ("size", "number", p["size"].to_list()),
        ("xyz", "vector", p["xyz"].to_list()), ("pair", "vector", p["pair"].to_list()),
        ("note", "text", p["note"].to_list()), ("spot", "other", [None] * 30, {"cells": [], "missing": 0}),
    ]
    p.write_parquet(OUT / "polars.parquet")
    want("polars.parquet", cols)
    for compression in ("uncompressed", "lz4", "zstd"):
        p.write_ipc(OUT / f"polars_{compression}.arrow", compression=compression)
        want(f"polars_{compression}.arrow", cols)
    flat = p.drop("xyz", "pair", "spot")
    flat.write_csv(OUT / "polars.csv")
    want("polars.csv", [c for c in cols if c[0] not in ("xyz", "pair", "spot")])
    p.write_ndjson(OUT / "polars.ndjson")
    want("polars.ndjson", cols)

    # pyarrow
    t = pa.table({
        "money": pa.array([None, "1.50", "-20.25"], pa.string()).cast(pa.decimal128(12, 2)),
        "half": pa.array(np.array([0.5, 1.5, -2], np.float16)),
        "u64": pa.array([1, 2**63, 3], pa.uint64()),
        "ms": pa.array([0, 1500, None], pa.timestamp("ms", tz="Europe/Paris")),
        "ok": pa.array([True, None, False]),
        "word": pa.array(["a", "b", "a"]).dictionary_encode(),
        "none": pa.nulls(3),
    })
    tc = [("money", "number", [None, 1.5, -20.25]), ("half", "number", [0.5, 1.5, -2]), ("u64", "number", [1, float(2**63), 3]),
          ("ms", "time", [dt.datetime(1970, 1, 1), dt.datetime(1970, 1, 1, 0, 0, 1, 500000), None]), ("ok", "boolean", [True, None, False]),
          ("word", "category", ["a", "b", "a"]), ("none", "number", [None] * 3)]
    feather.write_feather(t, OUT / "pyarrow.feather")
    want("pyarrow.feather", tc)
    with pa.ipc.new_stream(OUT / "pyarrow_stream.arrows", t.schema) as w:
        w.write_table(t, max_chunksize=2)
    want("pyarrow_stream.arrows", tc)
    for codec in ("none", "gzip", "brotli", "zstd", "lz4"):
        pq.write_table(t, OUT / f"pyarrow_{codec}.parquet", compression=codec, data_page_version="2.0" if codec in ("zstd", "none") else "1.0",
                       use_dictionary=codec != "none", column_encoding={"u64": "DELTA_BINARY_PACKED", "half": "BYTE_STREAM_SPLIT"} if codec == "none" else None)
        want(f"pyarrow_{codec}.parquet", tc)

    # DuckDB
    con = duckdb.connect()
    q = """select i as n, i / 7 as ratio, case when i % 5 = 0 then null else 'k' || (i % 3) end as kind, i % 2 = 0 as even,
           date '2020-02-28' + i::int as day, timestamp '2020-01-01' + i * interval 90 minute as at, (i * 1.25)::decimal(9,2) as price
           from range(50) t(i)"""
    rows = con.sql(q).fetchall()
    names = ["n", "ratio", "kind", "even", "day", "at", "price"]
    kinds = ["number", "number", "category", "boolean", "time", "time", "number"]
    dc = [(names[k], kinds[k], [float(r[k]) if names[k] == "price" else r[k] for r in rows]) for k in range(7)]
    con.sql(q).write_csv(str(OUT / "duckdb.csv"))
    want("duckdb.csv", dc)
    con.sql(q).write_parquet(str(OUT / "duckdb.parquet"))
    want("duckdb.parquet", dc)
    con.sql(f"copy ({q}) to '{OUT / 'duckdb_v2.parquet'}' (format parquet, parquet_version v2, compression zstd)")
    want("duckdb_v2.parquet", dc)

    # NumPy
    a = np.array([[1, 2], [np.nan, 4], [5, 6]], np.float64)
    np.save(OUT / "plain.npy", a)
    ac = [("1", "number", a[:, 0]), ("2", "number", a[:, 1])]
    want("plain.npy", ac, named=False)
    np.save(OUT / "fortran.npy", np.asfortranarray(a.astype(">f4")))
    want("fortran.npy", ac, named=False)
    rec = np.array([(1, 0.5, "ab", "2024-01-01"), (2, 1.5, "c", "NaT")], [("n", "<i4"), ("x", "<f8"), ("w", "<U3"), ("t", "<M8[D]")])
    np.save(OUT / "records.npy", rec)
    want("records.npy", [("n", "number", [1, 2]), ("x", "number", [0.5, 1.5]), ("w", "category", ["ab", "c"]), ("t", "time", [dt.date(2024, 1, 1), None])])
    np.savez_compressed(OUT / "several.npz", X=a, y=np.array([1, 0, 1]), names=np.array(["p", "q", "r"]), other=np.zeros(5))
    want("several.npz", [("X", "vector", [[1, 2], None, [5, 6]]), ("y", "number", [1, 0, 1]), ("names", "category", ["p", "q", "r"]),
                         ("other", "other", [None] * 3, {"cells": [], "missing": 0})])
    np.save(OUT / "objects.npy", np.array([{}, 1], object), allow_pickle=True)
    error("objects.npy", "FILE: holds Python objects; save it with a numeric type")

    # spreadsheets and other programs
    write("excel_de.csv", "\ufeffName;Größe;Datum;Preis\r\nÄpfel;1,5;02.01.2024;1.234,50 €\r\nBirnen;-2,25;31.12.2023;7,00 €\r\nKirschen;;01.02.2024;\r\n")
    want("excel_de.csv", [("Name", "category", ["Äpfel", "Birnen", "Kirschen"]), ("Größe", "number", [1.5, -2.25, None]),
                          ("Datum", "time", [dt.date(2024, 1, 2), dt.date(2023, 12, 31), dt.date(2024, 2, 1)]),
                          ("Preis", "category", ["1.234,50 €", "7,00 €", None])], notes=["commas are decimal marks"])
    write("excel_unicode.csv", "city\tvalue\r\nKöln\t1\r\n東京\t2.5\r\n🙂\t3\r\n".encode("utf-16"))
    want("excel_unicode.csv", [("city", "category", ["Köln", "東京", "🙂"]), ("value", "number", [1, 2.5, 3])], notes=["read as UTF-16"])
    write("excel_sep.csv", 'sep=;\r\na;b\r\n1;"x;y"\r\n2;"say ""hi"""\r\n')
    want("excel_sep.csv", [("a", "number", [1, 2]), ("b", "category", ["x;y", 'say "hi"'])])
    write("us.csv", 'when,price,share,sold\n03/04/2024,"$61,078.97",5%,"1,200"\n12/31/2024,"$1,000.00",7.5%,"3,400,000"\n')
    want("us.csv", [("when", "category", ["03/04/2024", "12/31/2024"]), ("price", "category", ["$61,078.97", "$1,000.00"]),
                    ("share", "category", ["5%", "7.5%"]), ("sold", "category", ["1,200", "3,400,000"])])
    write("crlf.csv", "x,y\r\n1,2\r\n3,4\r\n\r\n\r\n")
    want("crlf.csv", [("x", "number", [1, 3]), ("y", "number", [2, 4])])
    write("mac.csv", "x,y\r1,2\r3,4\r")
    want("mac.csv", [("x", "number", [1, 3]), ("y", "number", [2, 4])], notes=["lines end in carriage returns"])
    write("blank_lines.csv", "x,y\n1,2\n\n3,4\n\n\n")
    want("blank_lines.csv", [("x", "number", [1, 3]), ("y", "number", [2, 4])], notes=["1 blank line skipped"])
    write("quoted_newlines.csv", 'id,text,n\na,"one\ntwo",1\nb,"three, four",2\n')
    want("quoted_newlines.csv", [("id", "text", ["a", "b"]), ("text", "category", ["one\ntwo", "three, four"]), ("n", "number", [1, 2])])
    write("no_header.csv", "1,2.5\n3,4.5\n")
    want("no_header.csv", [("1", "number", [1, 3]), ("2", "number", [2.5, 4.5])], named=False)
    write("r_table.csv", '"mpg","cyl"\n"Mazda RX4",21,6\n"Datsun 710",22.8,4\n')
    want("r_table.csv", [("index", "text", ["Mazda RX4", "Datsun 710"], {"index": True}), ("mpg", "number", [21, 22.8]), ("cyl", "number", [6, 4])])
    write("trailing.csv", "x,y,\n1,2,\n3,4,\n")
    want("trailing.csv", [("x", "number", [1, 3]), ("y", "number", [2, 4])])
    mixed = ["x"] + [str(i / 2) for i in range(30)]
    mixed[12] = "oops"
    mixed[20] = "n/a"
    write("mixed.csv", "\n".join(mixed) + "\n")
    want("mixed.csv", [("x", "number", [None if s in ("oops", "n/a") else float(s) for s in mixed[1:]], {"bad": {"count": 1, "row": 11, "line": 13, "text": "oops"}})])
    late = ["k,v"] + [f"{i},{i}" for i in range(2500)] + [f"{i},word{i % 5}" for i in range(2500)]
    write("late_words.csv.gz", gzip.compress("\n".join(late).encode(), mtime=0))
    want("late_words.csv.gz", [("k", "number", [*range(2500)] * 2), ("v", "text", [str(i) for i in range(2500)] + [f"word{i % 5}" for i in range(2500)])])
    wide = [",".join(f"c{j}" for j in range(10000)), ",".join(str(j / 2) for j in range(10000))]
    write("wide.csv", "\n".join(wide) + "\n")
    (OUT / "wide.csv.json").write_text(json.dumps({"rows": 1, "named": True, "count": 10000, "columns": [{"name": "c0", "kind": "number", "missing": 0, "cells": ["0"]}]}) + "\n")
    write("latin1.csv", "city,n\nMünchen,1\n".encode("latin-1"))
    error("latin1.csv", 'FILE:2: column "city": is not UTF-8 text (save the file as UTF-8; from Windows: iconv -f WINDOWS-1252 -t UTF-8)')
    write("ragged.csv", "a,b\n1,2\n3,4,5\n")
    error("ragged.csv", "FILE:3: the line has 3 fields, line 2 has 2 (quote cells that contain commas)")
    write("open_quote.csv", 'a,b\n1,"2\n3,4\n')
    error("open_quote.csv", "FILE:2: a quote opens here and is never closed")
    write("empty.csv", "")
    error("empty.csv", "FILE: the file is empty")
    write("header_only.csv", "a,b\n")
    error("header_only.csv", "FILE: no rows follow the header")
    write("sheet.csv", b"PK\x03\x04rest of a spreadsheet")
    error("sheet.csv", "FILE: is a zip archive or a spreadsheet, not text; save the sheet as CSV")
    write("cut.parquet", (OUT / "duckdb.parquet").read_bytes()[:-100])
    error("cut.parquet", "FILE: the Parquet file is cut short: it does not end with PAR1")
    write("cut.csv.gz", (OUT / "pandas.csv.gz").read_bytes()[:-20])
    error("cut.csv.gz", "FILE: the file is cut short")
    write("bad.jsonl", '{"a": 1}\n{"a": 2,}\n')
    error("bad.jsonl", 'FILE:2: is not JSON: a quoted text expected before "}"')

    # small files that unfold to gigabytes
    zeros = pa.table({"x": pa.array(np.zeros(2 * 10**7))})
    pq.write_table(zeros, OUT / "bomb.parquet", row_group_size=10**8, data_page_size=1 << 30)
    error("bomb.parquet", LIMIT)
    feather.write_feather(zeros, OUT / "bomb.feather", compression="zstd", chunksize=10**8)
    error("bomb.feather", LIMIT)
    np.savez_compressed(OUT / "bomb.npz", x=np.zeros(12 * 10**6))
    error("bomb.npz", LIMIT)
    write("bomb.csv.gz", gzip.compress(b"x" * (1 << 27), mtime=0))
    error("bomb.csv.gz", LIMIT)
    write("bomb_rows.csv.gz", gzip.compress(b"a,b\n" + b"0,0\n" * (1 << 24), mtime=0))
    error("bomb_rows.csv.gz", LIMIT)
    write("bomb.jsonl.gz", gzip.compress(b'{"a":1}\n' * (1 << 24), mtime=0))
    error("bomb.jsonl.gz", LIMIT)


main()
