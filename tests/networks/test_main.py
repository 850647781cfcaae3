"""The command line: a table, JSON, runs that go on, and clear refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from verify.networks.main import main
from verify.networks.report import interval, metrics, rounds_to_best, table
from verify.networks.training.train import Trained

SMALL = [
    "--jobs",
    "1",
    "--tasks",
    "2",
    "--limit",
    "200",
    "--clients",
    "4",
    "--sampled",
    "2",
    "--seeds",
    "2",
    "--rounds",
    "2",
    "--epochs",
    "1",
    "--compile",
    "never",
]


def test_a_comparison(tmp_path, capsys) -> None:
    arguments = [*SMALL, "--algorithms", "fedavg", "special:lam=0.5", "--out", str(tmp_path / "runs")]
    file = tmp_path / "results.json"
    assert main([*arguments, "--json", str(file)]) == 0
    first = capsys.readouterr()
    assert "FedAvg: task 2 of 2" in first.err
    heading, _, *rows = first.out.splitlines()
    assert heading.split()[:4] == ["method", "ACC", "BWT", "forgetting"]
    assert [row.split()[0] for row in rows] == ["fedavg", "special:lam=0.5"]

    content = json.loads(file.read_text())
    found = content["methods"]["fedavg"]
    assert np.shape(found["accuracy"]) == (2, 2, 2)
    low, mean, high = (found["metrics"]["acc"][name] for name in ("low", "mean", "high"))
    assert low <= mean <= high
    assert mean == pytest.approx(np.mean(found["runs"]["acc"]))
    assert content["settings"]["data"] == "digits"

    assert main([*arguments, "--json", str(file)]) == 0  # now from the files of the first time
    second = capsys.readouterr()
    assert "task" not in second.err.partition("\n")[2].partition("\n")[2]
    assert json.loads(file.read_text())["methods"]["fedavg"]["accuracy"] == found["accuracy"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--algorithms", "nothing"], "knows fedavg"),
        (["--data", "nothing"], "`--data` must be one of digits"),
        (["--model", "nothing"], "`--model` must be one of linear, mlp"),
        (["--clients", "2", "--sampled", "3"], "`sampled` must be at most `clients`"),
        (["--device", "abacus"], "`device` must be cpu"),
        (["--epochs", "-1"], "`epochs` must be above 0 and finite"),
        (
            ["--periods", "3"],
            "`--periods`, `--subsets` and `--overlap` need `--deal` revisited, windowed, fresh",
        ),
        (["--algorithms", "special:lam=-1"], "`lam` must be finite and >= 0"),
        (["--algorithms", "fedavg", "fedtrack", "--decay", "1"], "`decay` must be 0 for fedtrack"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(arguments: list[str], message: str, tmp_path, capsys) -> None:
    assert main([*SMALL, *arguments, "--out", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_less_memory_than_pytorch_is_loaded_in_is_told(monkeypatch, capsys) -> None:
    resource = pytest.importorskip("resource", reason="this system limits no memory")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (2**29, 2**29))
    assert main(["--list"]) == 2
    assert "must be at least 786432 KiB for PyTorch, got 524288" in capsys.readouterr().err


def test_methods_streams_and_models_are_listed(capsys) -> None:
    assert main(["--list"]) == 0
    shown = capsys.readouterr().out
    assert "special-c" in shown
    assert "streams: digits" in shown


def trained(by_round: np.ndarray, models: torch.Tensor) -> Trained:
    return Trained(by_round[..., -1, :], by_round, models, 1.0)


def test_rounds_to_best_are_summed_over_tasks() -> None:
    own = np.array([[0.1, 0.5, 0.5], [0.9, 0.2, 0.3]])  # on the task being learnt: best in rounds 2 and 1
    by_round = np.zeros((1, 2, 3, 2))
    by_round[0, 0, :, 0], by_round[0, 1, :, 1] = own
    assert rounds_to_best(by_round).tolist() == [3]
    found = metrics(trained(by_round, torch.zeros(1, 1, 2)))
    assert found["acc"].tolist() == [(0 + 0.3) / 2]
    assert found["bwt"].tolist() == [0 - 0.5]


def test_one_task_without_rounds_has_an_accuracy_only() -> None:
    assert list(metrics(trained(np.zeros((3, 1, 1, 1)), torch.zeros(3, 1, 2)))) == ["acc"]


def test_an_interval_is_students() -> None:
    found = interval(np.array([1.0, 2.0, 3.0]))
    assert found["mean"] == 2
    assert found["high"] == pytest.approx(2 + 4.302652729911275 / np.sqrt(3))
    assert interval(np.array([1.0]))["high"] is None


def test_divergence_is_told() -> None:
    row = {"metrics": {"acc": interval(np.zeros(1))}, "seconds": 1.0, "memory": 2**20, "diverged": 1}
    assert "diverged: x in 1 runs" in table({"x": row})
