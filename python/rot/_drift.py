"""Has a sample moved away from a reference?"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np

from ._arrays import MISSING, SCALES, check_choice, put
from ._client import request
from ._errors import InputError
from ._frames import row_names
from ._html import card
from ._page import Asked, Paged, draw, kept

_NUMBERS = ("effect", "distance", "noise")


class Drift(Paged):
    """What `rot.drift` concludes. The names are those of `rot drift --json`.

    `verdict` is same, dirty or moved. `p_moved` is how likely bulks that are the
    same would look as different, `p_dirty` how likely samples without foreign rows
    would have as many that stand out. `effect` is the transport distance of the
    bulks in units of noise: 1 is what two random halves of the reference are apart.
    `suspects` is how many rows of the new sample do not belong, and `suspect_rows`
    which, the worst first. `columns` are what moved, the surest first: dicts of
    name, p, p_adjusted, effect, direction and text. `rows` are the rows to blame,
    as dicts of row, id, score, p, suspect and nearest, a row of the reference.
    """

    def __init__(self, args: Dict[str, Any], arrays: Dict[str, np.ndarray], n: int, m: int, index: Any, asked: Asked):
        self.verdict: str = args["verdict"]
        self.sentence: str = args["sentence"]
        self.p_moved: float = args["p_moved"]
        self.p_dirty: float = args["p_dirty"]
        self.effect, self.distance, self.noise = (float(args[k]) for k in _NUMBERS)
        self.suspect_rows = np.array(args["suspects"], int)
        self.suspects = len(self.suspect_rows)
        self.columns: List[Dict[str, Any]] = [{**c, "effect": float(c["effect"])} for c in args["columns"] or []]
        self.statistics: List[Dict[str, Any]] = [{"name": c["name"], "p": c["p"]} for c in args["statistics"] or []]
        suspect = set(self.suspect_rows.tolist())
        self.rows: List[Dict[str, Any]] = [
            {"row": i, "id": i if index is None else index[i], "score": s, "p": p, "suspect": i in suspect, "nearest": near}
            for i, s, p, near in zip(arrays["row"].tolist(), arrays["score"].tolist(), arrays["p"].tolist(), arrays["nearest"].tolist())
        ]
        self.set_aside: List[int] = args["set_aside"]
        self.tested: List[int] = args["tested"]
        self.permutations: int = args["permutations"]
        self.n, self.m, self.dim = n, m, int(args["dim"])
        self.encoding: str = args["encoding_text"]
        self.notes: List[str] = args["notes"] or []
        self._asked, self._result = asked, arrays["result"]

    def __repr__(self) -> str:
        return f"<rot.Drift verdict={self.verdict!r} p_moved={self.p_moved:.3g} p_dirty={self.p_dirty:.3g} effect={self.effect:.3g} suspects={self.suspects}, {self.n} and {self.m} rows>"

    def page(self) -> str:
        """The page of `rot drift`, as HTML."""
        if self._asked is None:
            raise InputError("the samples were too large to be kept for a page")
        args, arrays = self._asked
        return draw("drift_page", args, {**arrays, "result": self._result})

    def _title(self) -> str:
        return self.sentence

    def _summary(self) -> str:
        return f"p that it moved {self.p_moved:.3g}, effect {self.effect:.3g}, {self.suspects} rows that do not belong"

    def _card(self) -> str:
        rows = [("p that it moved", f"{self.p_moved:.3g}"), ("p that it is dirty", f"{self.p_dirty:.3g}"), ("effect", f"{self.effect:.3g}"), ("rows that do not belong", str(self.suspects))]
        return card(self.sentence, rows, [])


def drift(
    REF: Any,
    NEW: Any,
    *,
    alpha: Optional[float] = None,
    fdr: Optional[float] = None,
    permutations: Optional[int] = None,
    rows: Optional[int] = None,
    columns: Optional[List[str]] = None,
    ignore: Optional[List[str]] = None,
    missing: str = "indicator",
    scale: str = "none",
    unscaled: bool = False,
    seed: int = 0,
    progress: Any = None,
) -> Drift:
    """Whether NEW has moved away from REF, or only holds rows that do not belong, or neither.

    REF and NEW are arrays or DataFrames; columns of DataFrames meet by name.
    `alpha` is the p-value that counts as evidence (0.05), `fdr` the share of the
    suspects that may be good rows (0.1), `permutations` how often the rows are
    dealt out anew (199), `rows` how many of each sample are in the test at most
    (2000). `columns` and `ignore` choose columns by name or pattern, as in
    ["price", "x*"]. `missing` is indicator, median or error: what is done about
    missing cells. `scale` is as in `robust`; the comparison scales columns
    anyway unless `unscaled` says that they share a unit, as features do. The
    answer is that of `rot drift`.

    >>> import numpy as np, rot
    >>> rng = np.random.default_rng(0)
    >>> reference, today = rng.normal(size=(300, 3)), rng.normal(size=(300, 3))
    >>> rot.drift(reference, today).verdict
    'same'
    >>> today[:, 1] += 0.7
    >>> d = rot.drift(reference, today)
    >>> d.verdict, d.columns[0]["name"], d.columns[0]["direction"], d.p_moved <= 0.01
    ('moved', '2', 'up', True)
    """
    args: Dict[str, Any] = {
        "alpha": alpha, "fdr": fdr, "permutations": permutations, "rows": rows, "columns": columns, "ignore": ignore,
        "missing": check_choice("missing", missing, MISSING), "scale": check_choice("scale", scale, SCALES), "unscaled": unscaled, "seed": seed,
        "names": ["the reference", "the new sample"],
    }  # fmt: skip
    arrays: Dict[str, Any] = {}
    n, m = put((args, arrays), "X", REF), put((args, arrays), "Y", NEW)
    index = row_names(NEW)
    asked = kept(args, arrays)
    return request("drift", args, arrays, lambda reply, got: Drift(reply, got, n, m, index, asked), progress)
