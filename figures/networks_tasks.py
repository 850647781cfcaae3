"""How accuracies on all tasks change while a network learns one after another."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.mathtext import math
from figures.results import Results
from figures.style import FREE, GREY, INTERVAL, MEASURED, caption, letter, shades, theme

METHODS = {"fedavg": "FedAvg", "special": "SPECIAL", "ewc": "EWC", "er": "ER"}


def draw(results: Results) -> Figure:
    """Above, accuracy on each task by round; below, the accuracy matrix after each task; a column for each method.

    Parameters
    ----------
    results : mapping
        Content of ``curves/networks_tasks.json``: `curves` by method, each with `mean` and `error` (task, round, test).
    """
    with theme():
        figure = Figure(figsize=(10.4, 5.4), layout="constrained")
        grid = figure.subplots(2, len(METHODS), height_ratios=(1.0, 1.1))
        for column, (name, label) in enumerate(METHODS.items()):
            mean, error = (np.array(results["curves"][name][part]) for part in ("mean", "error"))
            rounds_panel(grid[0, column], mean, error)
            matrix(grid[1, column], mean[:, -1])
            letter(grid[0, column], "abcd"[column], label)
            letter(grid[1, column], "efgh"[column], label)
        grid[0, 0].set_ylabel(f"test accuracy {math('a_{i,j}')}")
        grid[1, 0].set_ylabel(f"after task {math('i')}")
        grid[0, -1].legend(title="tested on task", loc="upper left", bbox_to_anchor=(1.0, 1.02))
        setting = results["setting"]
        figure.suptitle("Learning one look of the digits after another (sampled)")
        caption(
            figure,
            f"{setting['tasks']} looks of the embedded digits, {setting['clients']} clients of which "
            f"{setting['sampled']} are sampled, {setting['rounds']} rounds per "
            f"task; mean of {setting['seeds']} seeds, shaded: standard error. Below, the share of right predictions in "
            "per cent at the ends of the tasks; the diagonal is what was learnt, what is left of it stands beneath.",
        )
    return figure


def rounds_panel(axes: Axes, mean: np.ndarray, error: np.ndarray) -> None:
    """Draw accuracies (task, round, test) by round, each test set as a line in a band of half width `error`."""
    tasks, rounds, tests = mean.shape
    played = np.arange(1, tasks * rounds + 1)
    for test, colour in zip(range(tests), shades(tests), strict=True):
        middle, half = mean[..., test].ravel(), error[..., test].ravel()
        axes.plot(played, middle, color=colour, label=str(test + 1), **MEASURED)
        axes.fill_between(played, middle - half, middle + half, color=colour, **INTERVAL)
    for task in range(1, tasks):
        axes.axvline(task * rounds + 0.5, color=GREY, linewidth=0.8, **FREE)
    axes.set(xlabel=f"round {math('t')} of all tasks", ylim=(0, 1))


def matrix(axes: Axes, accuracy: np.ndarray) -> None:
    """Draw accuracies (task, test) at the ends of the tasks, in per cent."""
    axes.imshow(accuracy, vmin=0, vmax=1, cmap="flare")
    for (i, j), value in np.ndenumerate(accuracy):
        axes.text(
            j, i, f"{100 * value:.0f}", ha="center", va="center", color="white" if value > 0.5 else "black"
        )
    for ticks, number in ((axes.set_yticks, len(accuracy)), (axes.set_xticks, accuracy.shape[1])):
        ticks(range(number), [str(task + 1) for task in range(number)])
    axes.set_xlabel(f"tested on task {math('j')}")
    axes.grid(visible=False)
