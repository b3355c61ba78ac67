"""The estimators: scikit-learn's own checks, and what they are for."""

import subprocess
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.frozen import FrozenEstimator  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import rot  # noqa: E402

rng = np.random.default_rng(11)


@parametrize_with_checks([rot.OutlierDetector(), rot.RobustAdapter(), rot.OutlierDetector(gamma=0.2, random_state=None)])
def test_scikit_learn(estimator, check):
    check(estimator)


def dirty(n=400, d=4, k=20):
    x = rng.normal(size=(n, d))
    x[:k] = rng.normal(size=(k, d)) * 0.5 + 6
    return x, np.arange(n) < k


def test_detector_ranks():
    x, bad = dirty()
    detector = rot.OutlierDetector(gamma=0.05)
    labels = detector.fit_predict(x)
    assert roc_auc_score(bad, -detector.score_samples(x)) > 0.999
    assert (labels == -1).sum() == 20 and (labels[:20] == -1).all()
    assert (detector.weights_[:20] < 0.2).all() and detector.weights_.mean() == pytest.approx(1)
    new, _ = dirty()
    assert roc_auc_score(bad, -detector.decision_function(new)) > 0.999


def test_detector_rate():
    few, found = 0, 0
    for seed in range(5):
        r = np.random.default_rng(seed)
        clean = r.normal(size=(500, 3))
        few += (rot.OutlierDetector(fdr=0.1).fit_predict(clean) == -1).mean()
        clean[:25] += 7
        found += (rot.OutlierDetector(fdr=0.1).fit_predict(clean)[:25] == -1).mean()
    assert few / 5 <= 0.01 and found / 5 > 0.95


def test_detector_small_and_constant():
    assert (rot.OutlierDetector(fdr=0.1).fit_predict(rng.normal(size=(10, 2))) == 1).all()
    assert (rot.OutlierDetector(fdr=0.1).fit_predict(np.ones((50, 2))) == 1).all()
    assert np.isfinite(rot.OutlierDetector().fit(np.ones((50, 2))).score_samples(np.eye(2))).all()
    with pytest.raises(ValueError, match="minimum of 8"):
        rot.OutlierDetector().fit(np.ones((7, 2)))
    for bad in ({"gamma": 1}, {"fdr": 0}):
        with pytest.raises(ValueError, match="between 0 and 1"):
            rot.OutlierDetector(**bad).fit(rng.normal(size=(10, 2)))


def mixed(pd, n=200, shift=0.0):
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n) + shift,
            "income": rng.lognormal(10, 0.3, n),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        }
    )
    return frame


def test_mixed_frames():
    pd = pytest.importorskip("pandas")
    frame = mixed(pd)
    frame.loc[3, "age"] = 900.0
    frame.loc[7, "income"] = -1e9
    detector = rot.OutlierDetector(gamma=0.02).fit(frame)
    assert {3, 7} <= set(np.flatnonzero(detector.predict(frame) == -1))
    assert list(detector.feature_names_in_) == list(frame.columns)
    assert len(detector.predict(mixed(pd, 10))) == 10
    with pytest.raises(ValueError, match="feature names"):
        detector.predict(frame.rename(columns={"age": "years"}))
    frame.loc[4, "town"] = None
    frame.loc[5, "age"] = np.nan
    assert len(rot.OutlierDetector().fit(frame).predict(frame)) == len(frame)
    with pytest.raises(rot.InputError, match="(?s)age.*missing.*town.*missing"):
        rot.OutlierDetector(missing="error").fit(frame)


def test_unknown_categories_are_told():
    pd = pytest.importorskip("pandas")
    frame = mixed(pd)
    new = frame.assign(town=["Rom"] * 5 + list(frame["town"][5:]))
    detector, adapter = rot.OutlierDetector().fit(frame), rot.RobustAdapter(reference=frame).fit(frame)
    for score in (detector.predict, adapter.transform):
        with pytest.warns(UserWarning, match="categories that the encoding does not know: town 5"):
            score(new)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            score(frame)


def test_mixed_frames_of_other_libraries():
    pd = pytest.importorskip("pandas")
    frame = mixed(pd)
    want = rot.OutlierDetector().fit(frame).score_samples(frame)
    pl = pytest.importorskip("polars")
    got = pl.from_pandas(frame)
    np.testing.assert_allclose(rot.OutlierDetector().fit(got).score_samples(got), want)
    pytest.importorskip("pyarrow")
    table = got.to_arrow()
    x, y = mixed(pd), mixed(pd, shift=5.0)
    by_name = rot.robust(x, y[list(y.columns)[::-1]], scale="std").value
    assert by_name == pytest.approx(rot.robust(x, y, scale="std").value, rel=1e-9)
    same = rot.robust(table, table)
    assert same.value == pytest.approx(0, abs=1e-9) and "town (3)" in same.encoding


def test_detector_is_the_model_of_the_command_line(tmp_path):
    """fit and score are those of rot clean: the same model, and the same scores and p-values."""
    pd = pytest.importorskip("pandas")
    frame, new = mixed(pd), mixed(pd, 50)
    for f, name in ((frame, "good.csv"), (new, "new.csv")):
        f.to_csv(tmp_path / name, index=False)
    detector = rot.OutlierDetector().fit(frame)
    detector.save(tmp_path / "python.model")
    for command in ("clean fit good.csv --model go.model", "clean score new.csv --model go.model --out go.csv", "clean score new.csv --model python.model --out python.csv"):
        subprocess.run([rot.binary(), *command.split()], cwd=tmp_path, check=True, capture_output=True)
    go, python = pd.read_csv(tmp_path / "go.csv"), pd.read_csv(tmp_path / "python.csv")
    np.testing.assert_allclose(python["score"], go["score"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(-detector.score_samples(new), go["score"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(detector.p_values(new), go["p"])


def test_columns_meet_by_name():
    pd = pytest.importorskip("pandas")
    x = mixed(pd)
    with pytest.raises(rot.InputError, match="only in X: income; only in Y: town"):
        rot.robust(x.drop(columns="town"), x.drop(columns="income"))


def test_adapter_carries_a_classifier():
    known = np.concatenate((rng.normal(size=(150, 2)) + [3, 0], rng.normal(size=(150, 2)) - [3, 0]))
    label = np.repeat([0, 1], 150)
    model = LogisticRegression().fit(known, label)
    new = known @ np.array([[0.9, 0.3], [-0.3, 0.9]]) + [6, 4]
    dirt = rng.normal(size=(15, 2)) + 60
    assert model.score(new, label) < 0.8
    pipe = Pipeline([("adapt", rot.RobustAdapter(reference=known, gamma=0.05)), ("model", FrozenEstimator(model))])
    pipe.fit(np.concatenate((new, dirt)))
    assert (pipe.predict(new) == label).mean() > 0.95
    weights = pipe["adapt"].weights_
    assert (weights[-15:] < 0.2).all()
    assert pipe["adapt"].lower_ <= pipe["adapt"].value_ * (1 + 1e-9)
    # Another draw of the new domain moves the same way.
    other = new + 0.1 * rng.normal(size=new.shape)
    assert (pipe.predict(other) == label).mean() > 0.95


def test_pipelines():
    x, bad = dirty()
    labels = make_pipeline(StandardScaler(), rot.OutlierDetector(gamma=0.05)).fit(x).predict(x)
    assert (labels[bad] == -1).all()
    y = (x[:, 0] > 0).astype(int)
    assert make_pipeline(rot.RobustAdapter(), LogisticRegression()).fit(x, y).score(x, y) > 0.8


def test_adapter_frames():
    pd = pytest.importorskip("pandas")
    a, b = mixed(pd, shift=30.0), mixed(pd)
    moved = rot.RobustAdapter(reference=b, scale="std").set_output(transform="pandas").fit_transform(a)
    assert list(moved.columns) == ["age", "income", "member", "since", "town=Bonn", "town=Kiel", "town=Ulm"]
    assert abs(moved["age"].mean() - b["age"].mean()) < 5
