"""Curves and accuracy matrices of a comparison of methods on networks."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.mathtext import math
from figures.networks_tasks import matrix, rounds_panel
from figures.results import Results
from figures.style import caption, theme

COLUMNS = 4
"""Methods beside each other."""


def draw(results: Results) -> Figure:
    """For each method, accuracy on each test set by round, and below it the accuracy matrix after each task.

    Parameters
    ----------
    results : mapping
        What `python -m verify.networks --json` writes: `settings`, and `methods` with `curves` (run, task, round, test).
    """
    methods, settings = results["methods"], results["settings"]
    columns = min(len(methods), COLUMNS)
    rows = -(-len(methods) // columns)
    with theme():
        figure = Figure(figsize=(2.6 * columns + 1.2, 5.2 * rows + 0.6), layout="constrained")
        grid = figure.subplots(2 * rows, columns, squeeze=False)
        for axes in grid.flat[:]:
            axes.set_visible(False)
        for place, (name, row) in enumerate(methods.items()):
            above, below = (grid[2 * (place // columns) + part, place % columns] for part in (0, 1))
            _method(above, below, name, row)
            if place % columns == 0:
                above.set_ylabel(f"test accuracy {math('a_{i,j}')}")
                below.set_ylabel(f"after task {math('i')}")
        grid[0, columns - 1].legend(title="tested on task", loc="upper left", bbox_to_anchor=(1.0, 1.02))
        figure.suptitle(f"{settings['data']}: {settings['kind'] or 'default'} tasks, {settings['model']}")
        caption(
            figure,
            f"{settings['clients']} clients of which {settings['sampled']} are sampled, up to {settings['rounds']} rounds per "
            f"task; mean of {settings['seeds']} runs, shaded: standard error. Below, the share of right "
            "predictions in per cent at the ends of the tasks.",
        )
    return figure


def _method(above: Axes, below: Axes, name: str, row: dict[str, Any]) -> None:
    curves = np.array(row["curves"])
    n_runs = len(curves)
    mean = curves.mean(axis=0)
    error = curves.std(axis=0, ddof=1) / np.sqrt(n_runs) if n_runs > 1 else 0 * mean
    for axes in (above, below):
        axes.set_visible(True)
    rounds_panel(above, mean, error)
    matrix(below, mean[:, -1])
    above.set_title(name, fontsize="small")
