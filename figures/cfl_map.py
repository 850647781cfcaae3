"""Where CFL is better than FedAvg on its noisy quadratic model."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bounds.cfl_symbols import CFL
from figures.mathtext import math, setting
from figures.results import Results
from figures.style import THEORY, caption, theme

WEIGHTS = {"equal": "equal weights", "theorem": "weights of Theorem 4.1"}
_CLIENT, _NOISE = math(r"E\|\delta\|^2"), math(r"E\|\nu\|^2")
SPAN = 8.0
"""Ratios from 1/SPAN to SPAN have colours of their own."""


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
                mesh = _panel(axes, results, results["ratio"][str(n)][name])
                axes.set_title(f"{words}, {setting(CFL, 'N', n)}", loc="left")
        for axes in grid[:, 0]:
            axes.set_ylabel(f"information loss {math('R')}")
        for axes in grid[-1]:
            axes.set_xlabel(f"time drift {math('D')}")
        bar = figure.colorbar(mesh, ax=grid, extend="both", label="", shrink=0.8)
        bar.set_label(f"loss of CFL / loss of FedAvg at round {math('T')}")
        handles = [
            Line2D([], [], color="black", label="both alike"),
            Line2D([], [], color="black", label=f"{math('R = D')}", **THEORY),
        ]
        grid[0, 0].legend(handles=handles, loc="lower right", frameon=True, framealpha=0.9)
        figure.suptitle("Where CFL beats FedAvg on the noisy quadratic model")
        caption(figure, _caption(results))
    return figure


def _panel(axes: Axes, results: Results, ratio: Any) -> Any:
    drift, loss = np.array(results["D"]), np.array(results["R"])
    mesh = axes.pcolormesh(
        drift, loss, np.array(ratio), norm=LogNorm(1 / SPAN, SPAN), cmap="RdBu_r", rasterized=True
    )
    axes.contour(drift, loss, np.log(np.array(ratio)), levels=[0.0], colors="black", linewidths=1.4)
    shared = [max(drift[0], loss[0]), min(drift[-1], loss[-1])]
    axes.plot(shared, shared, color="black", label="R = D", **THEORY)
    axes.set(xscale="log", yscale="log")
    axes.grid(visible=False)
    return mesh


def _caption(results: Results) -> str:
    reading, world = results["reading"], results["world"]
    return " ".join(
        (
            f"Eigenvalues from {world['mu']} to {world['L']} ({world['name']}), {reading['axes']} axes,",
            f"{math('T')} = {reading['rounds']}, {math('K')} = {reading['K']}, root mean square of the loss at the start",
            f"{reading['start_loss']:.3g}; {_CLIENT} and {_NOISE} as printed. Each method at its",
            "own best rate in every point; exact moments. Only past gradients lose information.",
            "Blue: CFL is better. In the bounds, the drift term of CFL is never above that of FedAvg with the weights",
            f"of Theorem 4.1, and with equal weights not for {math('R < D')}; both ignore that the mean over clients",
            f"divides the time drift by {math('N')}, but not the information loss.",
        )
    )
