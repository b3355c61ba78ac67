"""Reads what a training run has left on disk."""

from __future__ import annotations

import csv
import json
import os
import re
import struct
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

import numpy as np

from ._errors import InputError

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"}


class Run:
    """A folder of `rot gan train` or `rot da train`.

    Everything is read when it is asked for, also while the run is training.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]):
        self.path = Path(path)
        if not (self.path / "config.json").is_file():
            raise InputError(f"{self.path} is not a run: it has no config.json")

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.path.resolve().name

    @property
    def config(self) -> Dict[str, Any]:
        """All that determines the run."""
        return json.loads((self.path / "config.json").read_text("utf-8"))

    @property
    def records(self) -> List[Dict[str, Any]]:
        """The lines of metrics.jsonl. Half a line at the end of a run in progress is passed over."""
        try:
            text = (self.path / "metrics.jsonl").read_text("utf-8")
        except FileNotFoundError:
            return []
        lines = text.split("\n")
        return [json.loads(line) for line in lines[:-1] if line.strip()]

    @property
    def metrics(self) -> Any:
        """The metrics: a pandas DataFrame by step, or a dict of arrays without pandas."""
        records = self.records
        try:
            import pandas
        except ImportError:
            keys = list(dict.fromkeys(k for r in records for k in r))
            return {k: np.array([r.get(k, np.nan) for r in records]) for k in keys}
        frame = pandas.DataFrame(records)
        return frame.set_index("step") if "step" in frame else frame

    @property
    def samples(self) -> List[Path]:
        """The pictures that the run has made, in the order of their steps."""
        return sorted(p for p in (self.path / "samples").glob("*") if p.is_file())

    @property
    def weights(self) -> Any:
        """The weight of each training sample: a pandas DataFrame, or a dict of arrays without pandas."""
        try:
            with open(self.path / "weights.csv", newline="", encoding="utf-8") as f:
                rows = list(csv.DictReader(f))
        except FileNotFoundError:
            raise InputError(f"{self.path} has no weights.csv: the run has not ended, or has no weights") from None
        out: Dict[str, Any] = {}
        for k in rows[0] if rows else ():
            column = [r[k] for r in rows]
            kind: Any = {"index": int, "weight": float, "outlier": int, "score": float}.get(k, str)
            out[k] = np.array([kind(v) for v in column]) if kind is not str else np.array(column, dtype=object)
        try:
            import pandas
        except ImportError:
            return out
        return pandas.DataFrame(out)

    @property
    def steps(self) -> List[int]:
        """The steps that have a checkpoint."""
        found = (re.fullmatch(r"step-(\d+)\.safetensors", p.name) for p in (self.path / "checkpoints").glob("*"))
        return sorted(int(m.group(1)) for m in found if m)

    def arrays(self, step: Optional[int] = None) -> Dict[str, np.ndarray]:
        """All arrays of a checkpoint, by default of the newest."""
        steps = self.steps
        if not steps:
            raise InputError(f"{self.path} has no checkpoint yet")
        if step is None:
            step = steps[-1]
        if step not in steps:
            raise InputError(f"{self.path} has no checkpoint of step {step}, but of {', '.join(map(str, steps))}")
        return read_safetensors(self.path / "checkpoints" / f"step-{step:08d}.safetensors")

    def generator(self, step: Optional[int] = None, *, ema: bool = True) -> Dict[str, np.ndarray]:
        """The arrays of the generator of a GAN, by default those of its running mean where there is one."""
        arrays = self.arrays(step)
        for prefix in (("ema/G/", "G/") if ema else ("G/",)):
            found = {k[len(prefix) :]: v for k, v in arrays.items() if k.startswith(prefix)}
            if found:
                return found
        raise InputError(f"{self.path} has no generator")

    def __repr__(self) -> str:
        return f"<rot.Run {str(self.path)!r}, checkpoints {self.steps}>"


def read_safetensors(path: Union[str, "os.PathLike[str]"]) -> Dict[str, np.ndarray]:
    """The arrays of a safetensors file. bfloat16 becomes float32."""
    data = Path(path).read_bytes()
    try:
        (size,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + size])
        out = {}
        for name, about in header.items():
            if name == "__metadata__":
                continue
            first, last = about["data_offsets"]
            raw = data[8 + size + first : 8 + size + last]
            if about["dtype"] == "BF16":
                v = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
            else:
                v = np.frombuffer(raw, _DTYPES[about["dtype"]])
            out[name] = v.reshape(about["shape"])
        return out
    except (struct.error, ValueError, KeyError, TypeError) as e:
        raise InputError(f"{path} is not a safetensors file: {e}") from e
