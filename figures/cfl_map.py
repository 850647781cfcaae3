"""Where CFL is better than FedAvg on its noisy quadratic model."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bounds.cfl.symbols import CFL
from figures.mathtext import math, setting
from figures.results import Results
from figures.style import THEORY, caption, theme

WEIGHTS = {"equal": "equal weights", "theorem": "weights of Theorem 4.1"}
_CLIENT, _NOISE = math(r"E\|\delta\|^2"), math(r"E\|\nu\|^2")
EDGES = (0.0, 0.5, 0.8, 0.99, 1.01, 1.25, 2.0, 8.0, np.inf)
"""Ratios at which the colour changes."""
COLOURS = sns.color_palette("RdBu_r", 9).as_hex()[1:]


def draw(results: Results) -> Figure:
    """Loss of CFL relative to FedAvg over D and R, a row for each number of clients, a column for each weights.

    Parameters
    ----------
    results : mapping
        Content of ``curves/cfl_map.json``: `D` (n_D,), `R` (n_R,); `ratio` by clients and weights (n_R, n_D).
    """
    with theme():
        figure = Figure(figsize=(7.2, 6.2), layout="constrained")
        grid = figure.subplots(len(results["clients"]), len(WEIGHTS), sharex=True, sharey=True)
        for line, n in zip(grid, results["clients"], strict=True):
            for axes, (name, words) in zip(line, WEIGHTS.items(), strict=True):
                _panel(axes, results, results["ratio"][str(n)][name])
                axes.set_title(f"{words}, {setting(CFL, 'N', n)}", loc="left")
        for axes in grid[:, 0]:
            axes.set_ylabel(f"information loss {math('R')}")
        for axes in grid[-1]:
            axes.set_xlabel(f"time drift {math('D')}")
        grid[0, -1].legend(handles=_legend(), loc="upper left", bbox_to_anchor=(1.0, 1.02))
        figure.suptitle("Where CFL beats FedAvg on the noisy quadratic model")
        caption(figure, _caption(results))
    return figure


def _legend() -> list[Any]:
    between = [f"{low:g} to {high:g}" for low, high in pairwise(EDGES)]
    words = [f"below {EDGES[1]:g}", *between[1:-1], f"above {EDGES[-2]:g}"]
    colours = [Patch(color=colour, label=word) for colour, word in zip(COLOURS, words, strict=True)]
    return [
        Patch(alpha=0, label="loss of CFL\n/ loss of FedAvg"),
        *reversed(colours),
        Line2D([], [], color="black", label="both alike"),
        Line2D([], [], color="black", label=math("R = D"), **THEORY),
    ]


def _panel(axes: Axes, results: Results, ratio: Any) -> None:
    drift, loss = np.array(results["D"]), np.array(results["R"])
    axes.pcolormesh(
        drift,
        loss,
        np.array(ratio),
        cmap=ListedColormap(COLOURS),
        norm=BoundaryNorm(EDGES, len(COLOURS)),
        rasterized=True,
    )
    axes.contour(drift, loss, np.log(np.array(ratio)), levels=[0.0], colors="black", linewidths=1.4)
    shared = [max(drift[0], loss[0]), min(drift[-1], loss[-1])]
    axes.plot(shared, shared, color="black", label="R = D", **THEORY)
    axes.set(xscale="log", yscale="log")
    axes.grid(visible=False)


def _caption(results: Results) -> str:
    variant, world = results["variant"], results["world"]
    return " ".join(
        (
            f"Eigenvalues from {world['mu']} to {world['L']} ({world['name']}), {variant['axes']} axes,",
            f"{math('T')} = {variant['rounds']}, {math('K')} = {variant['K']}, root mean square of the loss at the start",
            f"{variant['start_loss']:.3g}; {_CLIENT} and {_NOISE} as printed. Each method at its",
            "own best rate in every point; exact moments. Only past gradients lose information.",
            "Blue: CFL is better. In the bounds, the drift term of CFL is never above that of FedAvg with the weights",
            f"of Theorem 4.1, and with equal weights not for {math('R < D')}; they count as if the time",
            "drift were not averaged out over clients and rounds, which it is, while the information loss is not.",
        )
    )
