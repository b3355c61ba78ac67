"""Estimators for scikit-learn."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, check_random_state, validate_data

from ._arrays import MISSING, check_choice, put, spreads
from ._client import request
from ._frames import is_frame, named
from ._solve import radius, robust
from ._weights import weights

MIN_ROWS = 8  # of a model


def _tell(notes: Optional[List[str]]) -> None:
    """Warns of cells that an estimator cannot make use of; gaps are filled because it was asked to."""
    for note in notes or []:
        if not note.startswith("missing cells filled in"):
            warnings.warn(note, UserWarning, stacklevel=4)


class _Rows(BaseEstimator):
    """What both estimators do with their input: arrays, and frames of several kinds of columns."""

    def _ask(self, X: Any, reset: bool) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """A request with the rows X, checked as scikit-learn does."""
        least = 2 if reset else 1
        asked: Tuple[Dict[str, Any], Dict[str, Any]] = {}, {}
        if is_frame(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
            if len(X) < least:
                raise ValueError(f"Found array with {len(X)} sample(s) while a minimum of {least} is required.")
            put(asked, "X", X)
            if reset:
                self.names_ = [c["name"] for c in asked[0]["tables"]["X"]["columns"]]
            return asked
        x = validate_data(self, X, reset=reset, dtype=np.float64, ensure_min_samples=least)
        if reset:
            self.names_ = None
        if self.names_ is None:
            put(asked, "X", x)
        else:  # the columns of fit, in their order
            said, arrays = named(x, self.names_, "X")
            asked[0]["tables"] = {"X": said}
            asked[1].update(arrays)
        return asked

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1)) if not isinstance(self.random_state, int) else self.random_state


class OutlierDetector(OutlierMixin, _Rows):
    """Finds rows that do not belong, by robust optimal transport.

    Parameters
    ----------
    gamma : the share of the training rows that are outliers.
    fdr : finds that share instead, by the share of the suspects that may be good
        rows, on average: those whose p-values stand out. Clean samples may then
        have no suspects at all.
    missing : what is done about missing cells of DataFrames: indicator, median or
        error. Arrays must not have any.
    random_state : of the random cores that rows are compared with.

    Attributes
    ----------
    model_ : the model, bytes of a file that `rot clean score --model` reads.
    offset_ : decision_function is score_samples − offset_, below 0 for a suspect.
    weights_ : chi-square weights of the training rows, for a weighted fit of
        something else: mean 1, 0 for the worst.
    gamma_ : the share of the training rows that are suspects.

    Examples
    --------
    >>> import numpy as np, rot
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> X[:5] += 9
    >>> detector = rot.OutlierDetector(fdr=0.1).fit(X)
    >>> np.flatnonzero(detector.predict(X) == -1).tolist()
    [0, 1, 2, 3, 4]
    """

    def __init__(self, gamma: float = 0.05, fdr: Optional[float] = None, missing: str = "indicator", random_state: Any = 0):
        self.gamma = gamma
        self.fdr = fdr
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "OutlierDetector":
        """Learns what usual rows look like."""
        args, arrays = self._ask(X, reset=True)
        if not 0 < self.gamma < 1:
            raise ValueError(f"gamma {self.gamma} is not between 0 and 1")
        if self.fdr is not None and not 0 < self.fdr < 1:
            raise ValueError(f"fdr {self.fdr} is not between 0 and 1")
        n = len(next(iter(arrays.values())))
        if n < MIN_ROWS:
            raise ValueError(f"Found array with {n} sample(s) while a minimum of {MIN_ROWS} is required.")
        args.update(missing=check_choice("missing", self.missing, MISSING), seed=self._seed(), fdr=self.fdr)
        reply, got = request("fit", args, arrays, lambda *answer: answer, False)
        self.model_ = got["model"].tobytes()
        self.encoding_ = reply["encoding_text"]
        scores = got["score"]
        self.offset_ = -float(np.quantile(scores, 1 - self.gamma)) if self.fdr is None else -float(reply["threshold"])
        self.gamma_ = float((-scores < self.offset_).mean())
        self.weights_ = weights(scores, gamma=self.gamma_) if 0 < self.gamma_ < 1 else np.ones(n)
        return self

    def _scored(self, X: Any) -> Dict[str, np.ndarray]:
        check_is_fitted(self)
        args, arrays = self._ask(X, reset=False)
        reply, got = request("score", args, {**arrays, "model": np.frombuffer(self.model_, np.uint8)}, lambda *answer: answer, False)
        _tell(reply["notes"])
        return got

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual each row is: 0 for the middle row of fit, lower for stranger ones."""
        return -self._scored(X)["score"]

    def p_values(self, X: Any) -> np.ndarray:
        """How likely a row of the kind of those of fit would look as odd."""
        return self._scored(X)["p"]

    def save(self, path: Any) -> None:
        """Writes the model to a file, for `rot clean score NEW --model FILE`."""
        check_is_fitted(self)
        with open(path, "wb") as f:
            f.write(self.model_)

    def decision_function(self, X: Any) -> np.ndarray:
        """score_samples, shifted so that suspects are below 0."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """−1 for suspects and 1 for the others."""
        return np.where(self.decision_function(X) < 0, -1, 1)


class RobustAdapter(TransformerMixin, _Rows):
    """Carries rows of one domain to another by robust optimal transport.

    fit learns, from unlabelled rows of a new domain, where they belong among the
    rows of `reference`, leaving a share `gamma` of outliers aside; transform moves
    rows there: each by the mean displacement of its nearest rows of fit. A
    classifier that knows the reference can then judge the new domain:

        Pipeline([("adapt", RobustAdapter(reference=X_known)), ("model", FrozenEstimator(model))]).fit(X_new)

    Without a reference, rows are carried to a standard normal sample, as
    QuantileTransformer does one column at a time.

    Parameters
    ----------
    reference : rows that the new ones are carried to; arrays or DataFrames.
    gamma : the share of the rows of fit that have no counterpart.
    metric : euclidean, sqeuclidean, cityblock or cosine.
    scale : none for columns of one unit, as features have; std or robust divides
        each column by its spread in the reference.
    n_neighbors : how many rows of fit say how a row moves.
    max_rows : so many rows of either side are compared, drawn at random.
    random_state : of the rows drawn.

    Attributes
    ----------
    value_, lower_ : the cost of the transport and the bound that proves it.
    weights_ : the weights of the rows of fit that were compared, 0 for outliers.

    Examples
    --------
    >>> import numpy as np, rot
    >>> rng = np.random.default_rng(0)
    >>> known = rng.normal(size=(200, 2))
    >>> new = rng.normal(size=(200, 2)) + [5, -3]
    >>> moved = rot.RobustAdapter(reference=known).fit_transform(new)
    >>> bool(np.abs(moved.mean(0) - known.mean(0)).max() < 0.2)
    True
    """

    def __init__(
        self, reference: Any = None, gamma: float = 0.05, metric: str = "sqeuclidean", scale: str = "none", n_neighbors: int = 5,
        max_rows: int = 2000, random_state: Any = 0,
    ):  # fmt: skip
        self.reference = reference
        self.gamma = gamma
        self.metric = metric
        self.scale = scale
        self.n_neighbors = n_neighbors
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "RobustAdapter":
        """Learns how rows of the new domain move."""
        x = self._encoded(X, reset=True)
        rng = np.random.default_rng(self._seed())
        if self.reference is None:
            target = rng.standard_normal((len(x), x.shape[1]))
            source = (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1.0)
        else:
            target = self._reference()
            if target.shape[1] != x.shape[1]:
                raise ValueError(f"rows have {x.shape[1]} columns, those of the reference {target.shape[1]}")
            source = x
        some = np.sort(rng.permutation(len(x))[: self.max_rows])
        target = target[np.sort(rng.permutation(len(target))[: self.max_rows])]
        unit = np.where(self.units_, spreads(target, self.scale == "robust"), 1.0) if self.scale != "none" else 1.0
        r = robust(source[some] / unit, target / unit, rho=radius(self.gamma, None), metric=self.metric, progress=False)
        plan = r.plan.tocsr()
        mass = np.asarray(plan.sum(axis=1)).ravel()
        kept = mass > 1e-3 / len(some)  # what hardly takes part says nothing about where to go
        self.value_, self.lower_, self.weights_ = r.value, r.lower, r.source_weights
        self.rows_ = x[some][kept]
        self.shifts_ = (plan @ target)[kept] / mass[kept, None] - self.rows_
        self.spread_ = np.where(self.rows_.std(0) > 0, self.rows_.std(0), 1.0)
        return self

    def _encoded(self, X: Any, reset: bool) -> np.ndarray:
        """The rows as numbers, by the encoding of fit."""
        args, arrays = self._ask(X, reset)
        if reset:
            self.encoding_, self.components_, self.units_ = None, None, True
            if "tables" not in args:
                return arrays["X"]
            reply, got = request("encode", args, arrays, lambda *answer: answer, False)
            self.encoding_, self.components_ = reply["encoding"], reply["components"]
            fixed = {c["name"] for c in self.encoding_["columns"] if c["kind"] in ("category", "boolean")}
            self.units_ = np.array([c.split("=", 1)[0] not in fixed and c not in fixed for c in self.components_])
            return check_array(got["X"], ensure_min_samples=2)
        if self.encoding_ is None:
            return arrays["X"]
        reply, got = request("encode", {**args, "encoding": self.encoding_}, arrays, lambda *answer: answer, False)
        _tell(reply["notes"])
        return got["X"]

    def _reference(self) -> np.ndarray:
        if self.encoding_ is None:
            return check_array(self.reference, dtype=np.float64, ensure_min_samples=2)
        args, arrays = {"encoding": self.encoding_}, {}  # type: Dict[str, Any], Dict[str, Any]
        if is_frame(self.reference):
            put((args, arrays), "X", self.reference)
        else:
            said, columns = named(check_array(self.reference, dtype=np.float64), self.names_, "X")
            args["tables"] = {"X": said}
            arrays.update(columns)
        return request("encode", args, arrays, lambda _, got: got["X"], False)

    def transform(self, X: Any) -> np.ndarray:
        """The rows in the domain of the reference."""
        check_is_fitted(self)
        x = self._encoded(X, reset=False)
        from scipy.spatial.distance import cdist

        out = np.empty_like(x)
        k = max(1, min(self.n_neighbors, len(self.rows_)))
        for at in range(0, len(x), 2048):
            d = cdist(x[at : at + 2048] / self.spread_, self.rows_ / self.spread_)
            near = np.argsort(d, axis=1, kind="stable")[:, :k]
            away = np.take_along_axis(d, near, 1)
            share = 1 / np.maximum(away, 1e-12)
            share /= share.sum(1, keepdims=True)
            out[at : at + 2048] = x[at : at + 2048] + (share[:, :, None] * self.shifts_[near]).sum(1)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns of transform."""
        check_is_fitted(self)
        if self.encoding_ is not None:
            return np.array(self.components_, dtype=object)
        from sklearn.utils.validation import _check_feature_names_in

        return _check_feature_names_in(self, input_features)


sys.modules["rot"].__dict__.update(OutlierDetector=OutlierDetector, RobustAdapter=RobustAdapter)
