"""DataFrames with columns of several kinds, as rows of numbers."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._errors import InputError


def is_frame(x: Any) -> bool:
    """Whether x has named columns: pandas, polars, pyarrow and their like."""
    return hasattr(x, "columns") and hasattr(x, "shape") and not isinstance(x, np.ndarray) or type(x).__name__ == "Series"


def _columns(frame: Any) -> Dict[str, np.ndarray]:
    """The columns of a frame by name."""
    if type(frame).__name__ == "Series":
        return {str(getattr(frame, "name", None) or "value"): np.asarray(frame)}
    if hasattr(frame, "column_names"):  # pyarrow, whose columns have no names
        return {str(k): frame.column(k).to_pandas().to_numpy() if _has_pandas() else np.asarray(frame.column(k).to_pylist()) for k in frame.column_names}
    return {str(k): np.asarray(frame[k]) for k in frame.columns}


def _has_pandas() -> bool:
    try:
        import pandas  # noqa: F401
    except ImportError:
        return False
    return True


class Encoding:
    """How the columns of a frame become numbers.

    Numbers stay as they are, booleans become 0 and 1, times days, and a column of
    categories one column each, 1 for the rows that have it: two rows of other
    categories are then √2 apart, as two rows are on average in a number of
    standard deviation 1. Categories that the encoding has not seen become zeros.

    >>> import numpy as np
    >>> class Frame(dict):
    ...     columns, shape = property(lambda s: list(s)), (2, 2)
    >>> f = Frame(age=np.array([31.0, 57.0]), town=np.array(["Ulm", "Bonn"]))
    >>> e = Encoding.of(f, "X")
    >>> e.apply(f, "X")
    array([[31.,  0.,  1.],
           [57.,  1.,  0.]])
    >>> e.names
    ['age', 'town=Bonn', 'town=Ulm']
    """

    def __init__(self, kinds: List[Tuple[str, str, List[Any]]]):
        self.kinds = kinds
        self.names: List[str] = []
        fixed: List[bool] = []
        for name, kind, levels in kinds:
            self.names += [f"{name}={v}" for v in levels] if kind == "category" else [name]
            fixed += [kind in ("category", "flag")] * (len(levels) if kind == "category" else 1)
        self.fixed = np.array(fixed, bool)  # columns whose unit means something

    @classmethod
    def of(cls, frame: Any, name: str, other: Any = None) -> "Encoding":
        """The encoding of a frame, and of another with the same columns."""
        columns = _columns(frame)
        others = _columns(other) if other is not None else columns
        if set(columns) != set(others):
            lost = [f"only one side has {k!r}" for k in sorted(set(columns) ^ set(others))]
            raise InputError("the columns of both sides do not meet: " + ", ".join(lost))
        kinds: List[Tuple[str, str, List[Any]]] = []
        for key, v in columns.items():
            kind = _kind(v, f"{name}, column {key!r}")
            if kind != _kind(others[key], f"column {key!r}") and {kind, _kind(others[key], "")} != {"number", "flag"}:
                raise InputError(f"column {key!r} is a {kind} on one side and a {_kind(others[key], '')} on the other")
            levels: List[Any] = []
            if kind == "category":
                levels = sorted({str(a) for a in v} | {str(a) for a in others[key]})
            kinds.append((key, kind, levels))
        return cls(kinds)

    def apply(self, frame: Any, name: str) -> np.ndarray:
        """The rows of a frame as numbers."""
        columns = _columns(frame)
        out: List[np.ndarray] = []
        for key, kind, levels in self.kinds:
            if key not in columns:
                raise InputError(f"{name} has no column {key!r}")
            v = columns[key]
            _check_missing(v, f"{name}, column {key!r}")
            if kind == "category":
                words = np.array([str(a) for a in v], dtype=object)
                out += [(words == level).astype(float) for level in levels]
            elif kind == "time":
                out.append(v.astype("datetime64[us]").astype(np.int64) / 86400e6)
            else:
                try:
                    out.append(v.astype(float))
                except (TypeError, ValueError) as e:
                    raise InputError(f"{name}, column {key!r}: {e}") from e
        return np.column_stack(out) if out else np.empty((len(frame), 0))


def _kind(v: np.ndarray, where: str) -> str:
    if v.dtype.kind == "b":
        return "flag"
    if v.dtype.kind in "iuf":
        return "number"
    if v.dtype.kind == "M":
        return "time"
    if v.dtype.kind in "OUST":
        if all(isinstance(a, (bool, np.bool_)) for a in v):
            return "flag"
        if all(isinstance(a, (int, float, np.number)) or a is None for a in v):
            return "number"
        return "category"
    raise InputError(f"{where}: values of type {v.dtype} are neither numbers, categories nor times")


def _check_missing(v: np.ndarray, where: str) -> None:
    missing: Optional[np.ndarray] = None
    if v.dtype.kind == "f":
        missing = np.isnan(v)
    elif v.dtype.kind == "M":
        missing = np.isnat(v)
    elif v.dtype.kind == "O":
        missing = np.array([a is None or a != a for a in v], bool)
    if missing is not None and missing.any():
        raise InputError(f"{where}: {int(missing.sum())} values are missing, the first in row {int(missing.argmax())}; fill them in or drop these rows")
