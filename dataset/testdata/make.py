"""Writes the NumPy and Parquet fixtures into the current folder."""
import datetime
import decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

base = np.arange(6).reshape(2, 3)
arrays = {}
for kind in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]:
    values = base - 3 if kind[0] in "fi" else base
    values = values / 2 if kind[0] == "f" else values
    arrays[kind + "_little"] = values.astype("<" + kind)
    arrays[kind + "_big"] = values.astype(">" + kind)
arrays["bool"] = base % 2 == 1
arrays["fortran"] = np.asfortranarray(base.astype("f8"))
arrays["fortran3"] = np.asfortranarray(np.arange(24).reshape(2, 3, 4).astype("f4"))
arrays["cube"] = np.arange(24).reshape(2, 3, 4).astype("i2")
arrays["line"] = np.arange(4.0)
np.savez_compressed("dtypes.npz", **arrays)
np.savez("one.npz", X=base.astype("f8"))
np.savez("labelled.npz", X=base.astype("f4"), y=np.array([7, -1]), name=np.array(["müller", "ann"]),
         raw=np.array([b"ab", b"c"]), big=np.array(["xy", "z"], dtype=">U2"),
         good=np.array([True, False]), w=np.array([0.5, 2]))
for version in [(1, 0), (2, 0), (3, 0)]:
    with open(f"v{version[0]}.npy", "wb") as f:
        np.lib.format.write_array(f, base.astype("f8"), version=version)
np.save("structured.npy", np.zeros(2, dtype=[("x", "f8"), ("y", "i4")]))
np.save("object.npy", np.array([1, "a"], dtype=object), allow_pickle=True)
np.save("complex.npy", np.zeros((2, 2), complex))
np.save("dates.npy", np.array(["2024-01-01"], dtype="M8[D]"))
np.save("text.npy", np.array(["a", "b"]))

pq.write_table(pa.table({
    "f16": pa.array(np.array([0.5, -1, 2], "f2")),
    "f32": pa.array([0.5, -1, 2], pa.float32()),
    "f64": pa.array([0.5, -1, 2], pa.float64()),
    "i8": pa.array([-1, 0, 1], pa.int8()),
    "i16": pa.array([-1, 0, 1], pa.int16()),
    "i32": pa.array([-1, 0, 1], pa.int32()),
    "i64": pa.array([-1, 0, 1], pa.int64()),
    "u8": pa.array([0, 1, 255], pa.uint8()),
    "u16": pa.array([0, 1, 65535], pa.uint16()),
    "u32": pa.array([0, 1, 2**32 - 1], pa.uint32()),
    "u64": pa.array([0, 1, 2**63], pa.uint64()),
    "b": pa.array([True, False, True]),
}), "types.parquet")
i = np.arange(2500)
named = pa.table({"name": [f"r{k}" for k in i], "x": i / 4, "k": i % 7,
                  "class": pa.array(["ab"[k % 2] for k in i]).dictionary_encode()})
pq.write_table(named, "named.parquet", row_group_size=1000, compression="zstd", data_page_version="2.0")
pq.write_table(named.select(["x", "k"]), "encoded.parquet", compression="gzip", use_dictionary=False,
               column_encoding={"x": "BYTE_STREAM_SPLIT", "k": "DELTA_BINARY_PACKED"}, row_group_size=1000)
for name, columns in {
    "null": {"x": [1.0, None, 3.0], "y": [1, 2, 3]},
    "nan": {"x": [1.0, float("nan")], "y": [1, 2]},
    "nested": {"x": [[1.0], [2.0]]},
    "date": {"x": [1.0], "when": [datetime.date(2024, 1, 1)]},
    "decimal": {"x": [decimal.Decimal("1.5")]},
    "void": {"x": pa.array([None, None], pa.null())},
    "empty": {"x": pa.array([], pa.float64())},
    "index": {"x": [1.5, 2.5], "__index_level_0__": [4, 9]},
}.items():
    pq.write_table(pa.table(columns), name + ".parquet")
