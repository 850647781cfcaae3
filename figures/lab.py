"""Runs of the quadratic lab: every quantity over all tasks, Monte Carlo bands, and a bound over the last task."""

from __future__ import annotations

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from figures.mathtext import lines_of
from figures.results import Results
from figures.style import GREY, INTERVAL, MEASURED, THEORY, theme

WIDE = 50.0
"""Ratio of largest and smallest value from which on an axis is logarithmic."""
WIDTH = 48
"""Characters in a line of a title."""


def draw(results: Results) -> Figure:
    """One panel a quantity; one more for the bound, if there is one.

    Parameters
    ----------
    results : mapping
        What `python -m nqm --json FILE` writes: `tasks`, `plan`, `quantities` (quantity to its meaning), `methods`, each
        with `name`, `curves` (quantity to (tasks, rounds + 1)), and perhaps `sampled` and `bound`.
    """
    methods = results["methods"]
    names = list(methods[0]["curves"])
    laid = [method for method in methods if "bound" in method]
    panels = len(names) + bool(laid)
    columns = min(3, panels)
    with theme():
        figure = Figure(
            figsize=(3.7 * columns, 3.1 * -(-panels // columns)),
            layout=ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.08),
        )
        axes = figure.subplots(-(-panels // columns), columns, squeeze=False).ravel()
        for panel, name in zip(axes, names, strict=False):
            _quantity(panel, name, methods, results["tasks"])
            meaning = lines_of(f"{name}: {results['quantities'][name]}", WIDTH)
            panel.set_title(meaning, fontsize="small", loc="left")
        if laid:
            _bound(axes[len(names)], laid)
        for empty in axes[panels:]:
            empty.set_axis_off()
        axes[0].legend(fontsize="small")
    return figure


def _quantity(axes: Axes, name: str, methods: list[Results], tasks: int) -> None:
    colours = sns.color_palette("colorblind", len(methods))
    rounds = len(methods[0]["curves"][name][0]) - 1
    times = np.concatenate([task * rounds + np.arange(rounds + 1) for task in range(tasks)])
    seen = []
    for method, colour in zip(methods, colours, strict=True):
        curve = np.array(method["curves"][name], dtype=float).ravel()
        axes.plot(times, curve, color=colour, label=method["name"].partition(":")[0], **MEASURED)
        seen.append(curve[np.isfinite(curve) & (curve > 0)])
        if name in method.get("sampled", {}):
            mean, error = (np.array(method["sampled"][name][key]).ravel() for key in ("mean", "error"))
            axes.fill_between(times, mean - 2 * error, mean + 2 * error, color=colour, **INTERVAL)
    for task in range(1, tasks):
        axes.axvline(task * rounds, color=GREY, linewidth=0.6)
    positive = np.concatenate(seen)
    if name != "earlier" and positive.size and positive.max() > WIDE * positive.min():
        axes.set_yscale("log")
    axes.set_xlabel("rounds")


def _bound(axes: Axes, laid: list[Results]) -> None:
    colours = sns.color_palette("colorblind", len(laid))
    for method, colour in zip(laid, colours, strict=True):
        over, name = method["bound"], method["name"].partition(":")[0]
        rounds, met = np.array(over["rounds"]), np.array(over["met"], dtype=bool)
        axes.plot(rounds, over["exact"], color=colour, label=f"exact, {name}", **MEASURED)
        bound = np.array(over["bound"], dtype=float)
        axes.plot(rounds, np.where(met, bound, np.nan), color=colour, label=f"bound, {name}", **THEORY)
        if not met.all():
            axes.plot(
                rounds, np.where(met, np.nan, bound), color=GREY, label="bound, a condition fails", **THEORY
            )
    axes.set_title(f"both sides of {laid[0]['bound']['id']}", fontsize="small", loc="left")
    axes.set(xlabel="rounds of the last task", xscale="log", yscale="log")
    axes.legend(fontsize="small")
