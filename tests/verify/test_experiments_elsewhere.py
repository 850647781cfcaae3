"""Sentences on experiments are judged on another network or stream by the same laws."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import verify.networks.experiments as experiments
from verify.commands.main import main
from verify.networks.setting import SHARED, beside
from verify.scenes.networks import cfl, cflag


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "FOLDER", tmp_path / "runs")


def test_a_place_reaches_every_setting_of_a_sentence() -> None:
    here = replace(cfl.MILD, seeds=3, seed=5, model="lenet", data="mnist", folder="f", precision="bf16")
    here = replace(here, optimiser="adam", step=0.001)
    found = beside(here, cfl.STRONG)
    assert all(getattr(found, name) == getattr(here, name) for name in SHARED)
    assert found.alpha == cfl.STRONG.alpha


def test_a_sentence_is_judged_elsewhere(tmp_path, monkeypatch, capsys) -> None:
    small = replace(cflag.IID, tasks=2, images=40, rounds=1, epochs=1)
    monkeypatch.setattr(experiments, "SEEDS", {"quick": 2})
    monkeypatch.setattr("verify.networks.sentences.SEEDS", {"quick": 2})
    seen = []
    trained = experiments._trained

    def shorter(setting, *rest):
        seen.append((setting.model, setting.optimiser, setting.step))
        how = {"model": setting.model, "optimiser": setting.optimiser, "step": setting.step}
        return trained(replace(small, seeds=2, **how), *rest)

    monkeypatch.setattr(experiments, "_trained", shorter)
    file = tmp_path / "found.json"
    words = [
        "experiments",
        "cflag.emp.forget.iid/fedavg",
        "--model",
        "linear",
        "--optimiser",
        "adam",
        "--local-lr",
        "0.002",
        "--device",
        "cpu",
        "--budget",
        "quick",
    ]
    words += ["--out", str(tmp_path / "verdicts"), "--json", str(file)]
    assert main(words) == 0
    (record,) = json.loads(file.read_text())
    assert record["evidence"][0]["details"]["measured"]["setting"]["model"] == "linear"
    assert set(seen) == {("linear", "adam", 0.002)}
    assert "cflag.emp.forget.iid/fedavg" in capsys.readouterr().out
    seen.clear()
    assert main(words) == 0
    assert not seen
    assert json.loads(file.read_text()) == [record]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["special.eq27"], "`patterns` must match sentences on experiments"),
        (["networks_cfl", "--model", "nothing"], "`--model` must be one of"),
        (["networks_cfl", "--data", "nothing"], "`--data` must be one of"),
        (["networks_cfl", "--optimiser", "magic"], "`--optimiser` must be one of sgd, adam"),
        (["networks_cfl", "--optimiser", "adam"], "`--local-lr` must be given with adam"),
        (["networks_cfl", "--local-lr", "0"], "`--local-lr` must be above 0 and finite, got 0.0"),
        (["networks_cfl", "--device", "abacus"], "`--device`: `device` must be cpu"),
    ],
)
def test_wrong_usage(words, message, capsys) -> None:
    assert main(["experiments", *words]) == 2
    assert message in capsys.readouterr().err
