"""Theorem 4.10 and Corollary 4.12: does the gradient of all tasks fall with the rounds?"""

from __future__ import annotations

import numpy as np
import sympy as sp
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.special import RATE
from bounds.special_symbols import SPECIAL, B, E, K, N, T
from figures.mathtext import formula, settings, symbol
from figures.results import Results
from figures.style import FREE, MARKS, MEASURED, THEORY, caption, theme

ORDER = sp.sqrt(E / (N * T))
"""The order that Corollary 4.12 claims."""


def draw(results: Results) -> Figure:
    """Exact left side at two choices of steps, bound, free bounds, and a line of the claimed slope, against T.

    Parameters
    ----------
    results : mapping
        Content of ``curves/rate.json``: `series` by choice of steps with `rounds`, `measured`, `bound`, `lead`,
        `floor` (n,), `free` by name (n,), and the fitted `slope`.
    """
    with theme():
        figure = Figure(figsize=(7.4, 4.8), layout="constrained")
        axes = figure.subplots()
        _theory(axes, results)
        _measured(axes, results)
        axes.set(
            xscale="log",
            yscale="log",
            xlabel=f"rounds {symbol(SPECIAL, 'T')}",
            ylabel=f"squared gradient of all tasks\n{symbol(SPECIAL, 'min_grad2')}",
            title=f"SPECIAL against {RATE.source.place} and Corollary 4.12",
        )
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        caption(figure, _caption(results))
    return figure


def _theory(axes: Axes, results: Results) -> None:
    series = results["series"]["corollary"]
    rounds = np.array(series["rounds"])
    axes.plot(rounds, series["bound"], label="bound", **MARKS["bound"].line, **THEORY)
    always = f"for free at every point, {formula(SPECIAL, K**2 * B**2)}"
    axes.plot(rounds, series["free"]["always"], label=always, **MARKS["free_other"].line, **FREE)
    axes.plot(rounds, series["free"]["first"], label="for free in round 1", **MARKS["free"].line, **FREE)
    axes.plot(rounds, series["lead"], label="part of the bound that falls", **MARKS["lead"].line, **THEORY)


def _measured(axes: Axes, results: Results) -> None:
    pass


def _caption(results: Results) -> str:
    return settings(SPECIAL, results["parameters"])
