"""DataFrames with columns of several kinds, as the worker reads them.

How columns meet and become numbers is decided there, by the Go package table,
as for the files of the command line.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

from ._errors import InputError

_MOST_WORDS = 100_000  # beyond, a column is text whose words nobody needs to know


def is_frame(x: Any) -> bool:
    """Whether x has named columns: pandas, polars, pyarrow and their like."""
    return hasattr(x, "columns") and hasattr(x, "shape") and not isinstance(x, np.ndarray) or _is_series(x)


def _is_series(x: Any) -> bool:
    return type(x).__name__ == "Series"


def frame(x: Any, name: str) -> Tuple[Dict[str, Any], Dict[str, np.ndarray]]:
    """What a request says about a frame, and the arrays of its columns.

    >>> class Frame(dict):
    ...     columns, shape = property(lambda s: list(s)), (2, 2)
    >>> f = Frame(age=np.array([31.0, 57.0]), town=np.array(["Ulm", None], object))
    >>> said, arrays = frame(f, "X")
    >>> [(c["name"], c["kind"]) for c in said["columns"]]
    [('age', 'number'), ('town', 'text')]
    >>> arrays["X.0"].tolist(), arrays["X.1"].tolist()
    ([31.0, 57.0], [0, -1])
    """
    said: List[Dict[str, Any]] = []
    arrays: Dict[str, np.ndarray] = {}
    for k, (key, column) in enumerate(_columns(x)):
        try:
            kind, cells, levels = _cells(column)
        except (TypeError, ValueError, OverflowError) as e:
            raise InputError(f"{name}, column {key!r}: {e}") from e
        said.append({"name": key, "kind": kind, "levels": levels})
        arrays[f"{name}.{k}"] = cells
    return {"columns": said}, arrays


def row_names(x: Any) -> Any:
    """What the rows of a frame are called: by its one column id, or by its index; None where they have numbers only."""
    if not is_frame(x):
        return None
    ids = [column for key, column in _columns(x) if key.lower() == "id"]
    if len(ids) == 1:
        return ids[0].to_list() if hasattr(ids[0], "to_list") else ids[0].to_pylist() if hasattr(ids[0], "to_pylist") else list(ids[0])
    index = getattr(x, "index", None)
    return index if hasattr(index, "__getitem__") else None


def named(x: np.ndarray, names: Any, name: str) -> Tuple[Dict[str, Any], Dict[str, np.ndarray]]:
    """An array as a frame with columns of these names."""
    said = [{"name": str(k), "kind": "number"} for k in names]
    return {"columns": said}, {f"{name}.{k}": np.ascontiguousarray(x[:, k]) for k in range(x.shape[1])}


def _columns(x: Any) -> Iterator[Tuple[str, Any]]:
    """The columns of a frame with their names, which may repeat."""
    if _is_series(x):
        yield str(getattr(x, "name", None) or "value"), x
    elif hasattr(x, "column_names"):  # pyarrow, whose columns have no names
        yield from zip(map(str, x.column_names), x.columns)
    elif hasattr(x, "iloc"):
        for k, key in enumerate(x.columns):
            yield str(key), x.iloc[:, k]
    else:
        for key in x.columns:
            yield str(key), x[key]


def _cells(v: Any) -> Tuple[str, np.ndarray, List[str]]:
    """The kind of a column, its cells as the worker takes them, and its words."""
    dtype = getattr(v, "dtype", None)
    if type(dtype).__name__ == "CategoricalDtype":
        return "category", np.asarray(v.cat.codes, "<i4"), [str(c) for c in v.cat.categories]
    kind = getattr(dtype, "kind", "")
    if hasattr(v, "iloc") and kind in "biuf" and kind:  # pandas, whose own types know missing cells
        return ("boolean" if kind == "b" else "number"), v.to_numpy(dtype=float, na_value=np.nan), []
    if hasattr(v, "iloc") and kind == "M":
        return _array(v.to_numpy("datetime64[ns]"))
    return _array(np.asarray(v.to_numpy() if hasattr(v, "to_numpy") else v))


def _array(v: np.ndarray) -> Tuple[str, np.ndarray, List[str]]:
    if v.ndim == 2 and v.dtype.kind in "biuf":
        return "vector", v.astype(float), []
    if v.ndim != 1:
        raise ValueError(f"cells of the shape {v.shape[1:]} are no numbers")
    if v.dtype.kind == "b":
        return "boolean", v.astype(float), []
    if v.dtype.kind in "iuf":
        return "number", v.astype(float), []
    if v.dtype.kind in "mM":
        seconds = v.astype(f"{v.dtype.kind}8[us]").astype(np.int64) / 1e6
        return ("time" if v.dtype.kind == "M" else "number"), np.where(np.isnat(v), np.nan, seconds), []
    if v.dtype.kind in "US":
        return _words(v.tolist(), np.zeros(len(v), bool))
    if v.dtype.kind not in "OT":
        raise ValueError(f"values of type {v.dtype} are neither numbers, words nor times")
    return _objects(v.tolist())


def _objects(cells: List[Any]) -> Tuple[str, np.ndarray, List[str]]:
    """A column of Python's own objects, by what they are."""
    gone = np.array([_is_missing(a) for a in cells], bool)
    there = [a for a, g in zip(cells, gone) if not g]
    out = np.full(len(cells), np.nan)
    if there and all(isinstance(a, (bool, np.bool_)) for a in there):
        out[~gone] = [float(a) for a in there]
        return "boolean", out, []
    if all(isinstance(a, (numbers.Real, decimal.Decimal)) for a in there):
        out[~gone] = [float(a) for a in there]
        return "number", out, []
    if all(isinstance(a, datetime.date) for a in there):
        out[~gone] = [_seconds(a) for a in there]
        return "time", out, []
    if all(isinstance(a, (list, tuple, np.ndarray)) for a in there) and len({len(a) for a in there}) == 1:
        rows = np.full((len(cells), len(there[0])), np.nan)
        rows[~gone] = np.array(there, float)
        return "vector", rows, []
    return _words(cells, gone)


def _is_missing(a: Any) -> bool:
    if a is None:
        return True
    if isinstance(a, (str, list, tuple, np.ndarray)):
        return False
    try:
        return bool(a != a)
    except TypeError:  # pandas.NA, which is neither equal nor unequal
        return True


def _seconds(a: datetime.date) -> float:
    """Seconds since 1970, as if in UTC where there is no time zone."""
    if not isinstance(a, datetime.datetime):
        a = datetime.datetime(a.year, a.month, a.day)
    if a.tzinfo is None:
        a = a.replace(tzinfo=datetime.timezone.utc)
    return a.timestamp()


def _words(cells: List[Any], gone: np.ndarray) -> Tuple[str, np.ndarray, List[str]]:
    places: Dict[str, int] = {}
    codes = np.array([-1 if g else places.setdefault(str(a), len(places)) for a, g in zip(cells, gone)], "<i4")
    levels = list(places)
    if len(levels) > _MOST_WORDS:
        return "text", np.minimum(codes, 0), levels[:1]
    return "text", codes, levels
