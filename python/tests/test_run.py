"""Reading a training run."""

import subprocess

import numpy as np
import pytest

import rot


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    at = tmp_path_factory.mktemp("runs")
    command = [rot.binary(), "gan", "train", "--data", "synth:ring,n=300", "--preset", "mlp", "--steps", "40", "--ema", "0.9", "--rho", "0.05"]
    subprocess.run([*command, "--runs", str(at), "--name", "small"], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return at / "small"


def test_run(folder):
    run = rot.Run(folder)
    assert run.name == "small" and run.config["steps"] == 40
    assert run.records[-1]["step"] == 40
    metrics = run.metrics
    assert "critic_loss" in metrics
    assert len(run.samples) > 0 and run.samples[-1].suffix == ".png"
    w = run.weights
    assert len(w["weight"]) == 300 and np.mean(w["weight"]) == pytest.approx(1)
    assert run.steps[-1] == 40
    layers = run.generator()
    assert layers["out/w"].shape[1] == 2
    assert not np.array_equal(layers["out/w"], run.generator(ema=False)["out/w"])
    with pytest.raises(rot.InputError, match="no checkpoint of step 7"):
        run.arrays(7)


def test_half_a_line_is_passed_over(folder):
    with open(folder / "metrics.jsonl", "a") as f:
        f.write('{"step": 41, "crit')
    assert rot.Run(folder).records[-1]["step"] == 40


def test_not_a_run(tmp_path):
    with pytest.raises(rot.InputError, match="not a run"):
        rot.Run(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    run = rot.Run(tmp_path)
    assert run.records == [] and run.samples == [] and run.steps == []
    for f in (run.arrays, run.generator):
        with pytest.raises(rot.InputError, match="no checkpoint yet"):
            f()
    with pytest.raises(rot.InputError, match=r"weights\.csv"):
        run.weights
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "step-00000001.safetensors").write_bytes(b"broken")
    with pytest.raises(rot.InputError, match="not a safetensors file"):
        run.arrays()
