"""The command line: a table, JSON, resumed runs, and clear errors."""

from __future__ import annotations

import csv
import json
import sys
from importlib import import_module

import numpy as np
import pytest
import torch

from verify.networks.main import main
from verify.networks.options import QUICK, parsed_options, parser
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
    assert max(map(len, first.err.splitlines())) <= 80
    assert "\nspecial:lam=0.5: task 2 of 2" in first.err
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

    assert main([*arguments, "--json", str(file)]) == 0  # now from the files of the first run
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
    own = np.array([[0.1, 0.5, 0.5], [0.9, 0.2, 0.3]])  # on the current task: best in rounds 2 and 1
    by_round = np.zeros((1, 2, 3, 2))
    by_round[0, 0, :, 0], by_round[0, 1, :, 1] = own
    assert rounds_to_best(by_round).tolist() == [3]
    found = metrics(trained(by_round, torch.zeros(1, 1, 2)))
    assert found["acc"].tolist() == [(0 + 0.3) / 2]
    assert found["bwt"].tolist() == [0 - 0.5]


def test_accuracies_on_a_task_before_it_was_learnt_are_not_forgotten() -> None:
    """Chaudhry et al. (2018) take the best accuracy on task j after tasks j, j + 1, .."""
    accuracy = np.array([[[0.9, 0.8, 0.2], [0.7, 0.5, 0.9], [0.6, 0.4, 0.8]]])  # [after task, on task]
    found = metrics(trained(accuracy[:, :, None], torch.zeros(1, 1, 2)))
    assert found["forgetting"] == pytest.approx([((0.9 - 0.6) + (0.5 - 0.4)) / 2])


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


def compared(tmp_path, *arguments: str) -> dict:
    file = tmp_path / "found.json"
    assert main([*SMALL, "--out", str(tmp_path / "runs"), "--json", str(file), *arguments]) == 0
    return json.loads(file.read_text())


def test_quick_overrides_nothing_that_is_given(tmp_path) -> None:
    found = compared(tmp_path, "--quick", "--algorithms", "fedavg")["settings"]
    assert (found["seeds"], found["rounds"], found["tasks"]) == (2, 2, 2)  # as in SMALL, not QUICK
    options = parsed_options(parser(), ["--quick", "--rounds", "3"])
    assert (options.seeds, options.rounds, options.tasks) == (QUICK["seeds"], 3, QUICK["tasks"])


def test_a_grid_is_swept(tmp_path, capsys) -> None:
    grid = ["--grid", "local_lr=0.1,0.2", "lam=0.5"]
    found = compared(tmp_path, "--algorithms", "fedavg", "special:lam=1", "special", *grid)["methods"]
    assert list(found) == [
        *("fedavg:local_lr=0.1", "fedavg:local_lr=0.2", "special:lam=1,local_lr=0.1"),
        *("special:lam=1,local_lr=0.2", "special:local_lr=0.1,lam=0.5", "special:local_lr=0.2,lam=0.5"),
    ]
    for wrong, message in (
        ("lam", "must be NUMBER=VALUE,VALUE"),
        ("what=1", "must sweep a number of a method"),
    ):
        assert main([*SMALL, "--algorithms", "fedavg", "--out", str(tmp_path), "--grid", wrong]) == 2
        assert message in capsys.readouterr().err


def test_curves_step_sizes_and_settings_for_pandas(tmp_path) -> None:
    folder = tmp_path / "tables"
    arguments = ["--algorithms", "fedavg", "ewc", "--fading", "0.5", "--decay", "1", "--csv", str(folder)]
    found = compared(tmp_path, *arguments)
    with (folder / "curves.csv").open() as stream:
        curves = list(csv.DictReader(stream))
    assert len(curves) == 2 * 2 * 2 * 2 * 2  # methods, runs, tasks, rounds, test sets
    for row in curves:
        place = (int(row[name]) - 1 for name in ("task", "round", "tested_on"))
        task, played, test = place
        values = found["methods"][row["method"]]
        assert float(row["accuracy"]) == values["curves"][int(row["run"])][task][played][test]
        assert float(row["local_lr"]) == values["numbers"]["local_lr"] * 0.5**played
        assert float(row["global_lr"]) == 1 / (task + 1)
    with (folder / "runs.csv").open() as stream:
        runs = list(csv.DictReader(stream))
    assert [row["acc"] for row in runs if row["method"] == "ewc"] == [
        str(value) for value in found["methods"]["ewc"]["runs"]["acc"]
    ]
    assert {row["setting_fading"] for row in runs} == {"0.5"}
    assert {row["number_lam"] for row in runs} == {"", str(found["methods"]["ewc"]["numbers"]["lam"])}


def test_curves_for_tensorboard(tmp_path) -> None:
    accumulator = import_module("tensorboard.backend.event_processing.event_accumulator")
    folder = tmp_path / "events"
    found = compared(tmp_path, "--algorithms", "fedavg", "--tensorboard", str(folder))["methods"]["fedavg"]
    events = accumulator.EventAccumulator(str(folder / "fedavg"))
    events.Reload()
    mean = np.mean(found["curves"], axis=0)
    for test in range(2):
        values = [event.value for event in events.Scalars(f"accuracy/task {test + 1}")]
        assert values == pytest.approx(mean[..., test].ravel())


def test_without_tensorboard_the_extra_is_named(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    assert main([*SMALL, "--out", str(tmp_path), "--tensorboard", str(tmp_path)]) == 2
    assert "pip install 'fcl-theory[tensorboard]'" in capsys.readouterr().err


def test_personal_accuracy_says_how_many_clients_it_is_of(tmp_path, capsys) -> None:
    arguments = ["--clients", "8", "--sampled", "1", "--personal", "--algorithms", "ditto"]
    found = compared(tmp_path, *arguments)["methods"]["ditto"]
    assert all(1 <= number <= 4 for number in found["participated"])
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("personal: means over the clients that took part, ")
    assert f"{np.mean(found['participated']):.1f} of 8" in line
