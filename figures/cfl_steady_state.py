"""Where CFL ends with constant steps, against its bound on one round."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.cfl.symbols import CFL
from figures.mathtext import math, settings, symbol
from figures.results import Results
from figures.style import MARKS, MEASURED, THEORY, caption, letter, theme

WORDS = {
    "N": f"clients in a round {symbol(CFL, 'N')}",
    "K": f"local steps {symbol(CFL, 'K')}",
    "D": f"time drift {math('D')}",
    "R": f"information loss {math('R')}",
}
SHARPER = {**THEORY, "linestyle": ":"}
LINES = {
    "cfl_bound": ("CFL, bound as printed", "cfl", THEORY),
    "cfl_single_bound": ("CFL, sharper bound of one step", "cfl", SHARPER),
    "cfl_returning": ("CFL, the same clients", "cfl_more", MEASURED),
    "cfl": ("CFL, new clients", "cfl", MEASURED),
    "fedavg_bound": ("FedAvg, bound", "fedavg", THEORY),
    "fedavg": ("FedAvg, new clients", "fedavg", MEASURED),
}

_EXCESS, _NOISE = math(r"E[f(\omega_T)-f^*]"), math(r"\sigma = 1")


def draw(results: Results) -> Figure:
    """Exact excess loss in the last round and its bounds, a panel for each quantity that is varied.

    Parameters
    ----------
    results : mapping
        Content of ``curves/cfl_steady_state.json``: `sweeps` by quantity, each with `values` (n,) and the `LINES`.
    """
    with theme():
        figure = Figure(figsize=(7.6, 5.6), layout="constrained")
        grid = figure.subplots(2, 2, sharey=True)
        for axes, (name, sweep), mark in zip(grid.ravel(), results["sweeps"].items(), "abcd", strict=True):
            _panel(axes, sweep)
            axes.set_xlabel(WORDS[name])
            letter(axes, mark)
        for axes in grid[:, 0]:
            axes.set_ylabel(f"excess loss {_EXCESS}")
        grid[0, 1].legend(
            *grid[0, 0].get_legend_handles_labels(), loc="upper left", bbox_to_anchor=(1.0, 1.0)
        )
        figure.suptitle("Where CFL ends with constant steps, against its bound on one round (Eq. 23)")
        caption(figure, _caption(results))
    return figure


def _panel(axes: Axes, sweep: Results) -> None:
    for name, (label, mark, role) in LINES.items():
        if name not in sweep:
            continue
        marker = "" if role in (THEORY, SHARPER) else MARKS[mark].marker
        look = {"color": MARKS[mark].colour, "marker": marker, "markersize": 3, **role}
        axes.plot(sweep["values"], sweep[name], label=label, **look)
    axes.set(xscale="log", yscale="log")


def _caption(results: Results) -> str:
    given = results["parameters"]
    clients, loss = results["sweeps"]["N"], results["sweeps"]["R"]
    better = np.array(loss["values"])[np.array(loss["cfl"]) < np.array(loss["fedavg"])]
    fixed = {name: given[name] for name in ("N", "K", "eta")}
    rest = ", ".join(f"{math(f'{name} = {given[name]:g}')}" for name in ("D", "R", "G"))
    return " ".join(
        (
            f"Quadratics with curvature {min(given['curvature']):g} and {max(given['curvature']):g}, exact moments after",
            f"{given['rounds']} rounds from the minimiser; {settings(CFL, fixed)}, the largest step of the bound,",
            f"{rest}, {_NOISE} where not varied; weights of Lemma B.4. The bound counts drift as if it were",
            f"not averaged over clients: over {math('N')} it stays, while the one for one local step and FedAvg fall, FedAvg by",
            f"a factor of {clients['fedavg'][0] / clients['fedavg'][-1]:.0f}, and CFL keeps its information loss. By the bounds CFL is",
            f"the better one for {math('R')} up to {_up_to(loss, 'cfl_bound', 'fedavg_bound'):.2g}; it is for",
            f"{math('R')} up to {better.max():.2g}. The bound's term of the information loss is taken at the exact distance",
            "of new clients. With the same clients in every round the drift of the few who take part stays, which can be",
            "more than the bound.",
        )
    )


def _up_to(sweep: Results, lower: str, higher: str) -> float:
    """Largest of the first values in a row at which one line is below another."""
    below = np.array(sweep[lower]) < np.array(sweep[higher])
    return float(np.array(sweep["values"])[: int(np.argmin(below)) if not below.all() else None].max())
