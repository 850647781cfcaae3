"""Lemma 4.9: how far the model moves within a task."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bounds.special.symbols import SPECIAL
from bounds.special.theorems import DRIFT
from figures.mathtext import displayed, math, number, setting, settings, symbol
from figures.results import Results
from figures.style import GREY, INTERVAL, MARKS, MEASURED, THEORY, caption, letter, shades, theme


def draw(results: Results) -> Figure:
    """Bound, exact value and simulated interval of the squared drift over rounds, a colour for each lambda.

    Parameters
    ----------
    results : mapping
        Content of ``curves/drift.json``: `bound` (n_lam,); `exact`, `simulated`, `low`, `high`
        (n_lam, n_rounds).
    """
    with theme():
        figure = Figure(figsize=(6.4, 6.0), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.2))
        # The intervals are widest for the largest lambda; the others are drawn over it.
        for i, colour in reversed(list(enumerate(shades(len(results["lam"]))))):
            _against_bound(upper, results, i, colour)
            _against_exact(lower, results, i, colour)
        upper.set(xscale="log", yscale="log", ylabel=f"squared drift {symbol(SPECIAL, 'drift2')}")
        lower.set(xlabel=f"round {symbol(SPECIAL, 't')}", ylabel="mean of runs\n/ exact value")
        letter(upper, "a")
        letter(lower, "b")
        _legends(upper, lower, results)
        figure.suptitle(f"Drift of SPECIAL within a task, against {DRIFT.source.place}")
        caption(figure, _caption(results))
    return figure


def _shown_rounds(results: Results) -> np.ndarray:
    """Indices of about 15 rounds, evenly spread on a logarithmic axis."""
    count = len(results["rounds"])
    return np.unique(np.geomspace(1, count, 15).round().astype(int)) - 1


def _against_bound(axes: Axes, results: Results, i: int, colour: str) -> None:
    rounds, shown = np.array(results["rounds"]), _shown_rounds(results)
    axes.plot(rounds[[0, -1]], [results["bound"][i]] * 2, color=colour, label="bound", **THEORY)
    axes.plot(rounds, results["exact"][i], color=colour, label="exact", **MEASURED)
    means = np.array(results["simulated"][i])[shown]
    axes.plot(rounds[shown], means, MARKS["special"].marker, color=colour, label="simulated")


def _against_exact(axes: Axes, results: Results, i: int, colour: str) -> None:
    rounds, exact = np.array(results["rounds"]), np.array(results["exact"][i])
    low, mean, high = (np.array(results[name][i]) / exact for name in ("low", "simulated", "high"))
    axes.fill_between(rounds, low, high, color=colour, label="interval", **INTERVAL)
    for edge in (low, high):
        axes.plot(rounds, edge, color=colour, linewidth=0.8)
    shown = _shown_rounds(results)
    axes.plot(rounds[shown], mean[shown], MARKS["special"].marker, color=colour, label="simulated")


def _legends(upper: Axes, lower: Axes, results: Results) -> None:
    colours = shades(len(results["lam"]))
    by_lambda = [
        Patch(color=colour, label=setting(SPECIAL, "lam", value))
        for colour, value in zip(colours, results["lam"], strict=True)
    ]
    roles = [
        Line2D([], [], color=GREY, label=f"bound {displayed(SPECIAL.latex(DRIFT.rhs))}", **THEORY),
        Line2D([], [], color=GREY, label="exact expectation", **MEASURED),
        Line2D([], [], color=GREY, marker=MARKS["special"].marker, linestyle="", label="mean of runs"),
    ]
    upper.legend(handles=[*by_lambda, *roles], loc="upper left", bbox_to_anchor=(1.0, 1.0))
    interval = Patch(facecolor=GREY, label="its interval", **INTERVAL)
    lower.legend(handles=[roles[-1], interval], loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _caption(results: Results) -> str:
    shown = ("M", "N", "E", "gamma_L", "gamma_G")
    given = {**{name: results["parameters"][name] for name in shown}, "B": results["constants"]["B"]["value"]}
    tightest = np.max(np.array(results["exact"]) / np.array(results["bound"])[:, None])
    return " ".join(
        (
            f"Linear losses that differ between clients, in {results['parameters']['d']} dimensions,",
            f"with noise of random signs; {settings(SPECIAL, given)}.",
            "(a) Exact value by recursions for mean and covariance; it is at most",
            f"{tightest:.2f} of the bound here.",
            f"(b) Means of {results['runs']:,} runs (seed {results['seed']}). The intervals hold for",
            f"all rounds and all {symbol(SPECIAL, 'lam')} together, with error probability",
            f"{math(number(results['error']))} (empirical Bernstein).",
        )
    )
