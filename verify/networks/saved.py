"""Output files of a comparison: tables for pandas, curves for TensorBoard, models for PyTorch."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from verify.engine.records.files import in_one_piece
from verify.engine.work.errors import UsageError

Content = Mapping[str, Any]
"""Content of the file that `--json` writes: `settings`, and `methods` by name."""


def write_curves(folder: Path, content: Content) -> None:
    """Write curves.csv, a line for each run, round and test set, and runs.csv, a line for each run, with all settings."""
    _write(folder / "curves.csv", _curves(content))
    _write(folder / "runs.csv", _runs(content))


def _curves(content: Content) -> Iterator[dict[str, Any]]:
    first = content["settings"]["first"]
    for method, row in content["methods"].items():
        curves = np.array(row["curves"])
        for run, task, played, test in np.ndindex(curves.shape):
            if played < row["rounds"][task]:
                yield {
                    "method": method,
                    "run": first + run,
                    "task": task + 1,
                    "round": played + 1,
                    "tested_on": test + 1,
                    "accuracy": curves[run, task, played, test],
                    **{name: steps[task][played] for name, steps in row["steps"].items()},
                }


def _runs(content: Content) -> Iterator[dict[str, Any]]:
    settings = {name: value for name, value in content["settings"].items() if not isinstance(value, dict)}
    settings |= content["settings"]["versions"]
    for method, row in content["methods"].items():
        for run in range(len(row["curves"])):
            yield {
                "method": method,
                "run": content["settings"]["first"] + run,
                **{name: values[run] for name, values in row["runs"].items()},
                **{f"number_{name}": value for name, value in row["numbers"].items()},
                **{f"setting_{name}": value for name, value in settings.items()},
            }


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    with in_one_piece(path) as stream:
        table = csv.DictWriter(stream, names, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def write_models(folder: Path, text: str, trained: Any, model: Any) -> Path:
    """Write the models of all runs to a file that PyTorch loads with ``weights_only=True``.

    The entry ``runs`` holds one ``state_dict`` for each run, or one for each client if clients have their own models. For a
    method whose clients combine several networks, the file holds parameter vectors instead: ``parameters`` (run, client, number).
    """
    import torch

    from verify.networks.training.modules import state_dicts

    models = trained.models.detach().cpu()
    content: dict[str, Any] = {
        "network": model.name,
        "image": list(model.image),
        "n_classes": model.n_classes,
    }
    if models.shape[-1] == model.dim:
        runs = [list(state_dicts(model, of_run)) for of_run in models]
        content["runs"] = [each[0] if len(each) == 1 else each for each in runs]
    else:
        content["parameters"] = models.clone()
    path = folder / f"{file_name(text)}.pt"
    with in_one_piece(path, "wb") as stream:
        torch.save(content, stream)
    return path


def file_name(text: str) -> str:
    """The text of a method with its numbers, made usable in a file name."""
    return text.replace(":", "-").replace("/", "-")


def require_tensorboard() -> None:
    """Raise UsageError unless TensorBoard is installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: F401
    except ImportError:
        raise UsageError(
            "`--tensorboard` needs the extra tensorboard: pip install 'fcl-theory[tensorboard]'"
        ) from None


def write_events(folder: Path, methods: Mapping[str, Any]) -> None:
    """Write means over runs of the accuracy on each test set, and on the tasks so far, by round of all tasks."""
    from torch.utils.tensorboard import SummaryWriter

    for method, row in methods.items():
        mean = np.array(row["curves"]).mean(axis=0)
        writer = SummaryWriter(str(folder / file_name(method)))  # type: ignore[no-untyped-call]
        step = 0
        for task, n_rounds in enumerate(row["rounds"]):
            for played in range(n_rounds):
                step += 1
                for test, value in enumerate(mean[task, played]):
                    writer.add_scalar(f"accuracy/task {test + 1}", value, step)  # type: ignore[no-untyped-call]
                so_far = mean[task, played, : task + 1].mean()
                writer.add_scalar("accuracy/tasks so far", so_far, step)  # type: ignore[no-untyped-call]
        writer.close()  # type: ignore[no-untyped-call]
