"""Lemma 4.9: how far the model moves within a task."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bounds.special import DRIFT
from bounds.special_symbols import SPECIAL
from figures.mathtext import formula, setting, settings, symbol
from figures.results import Results
from figures.style import GREY, INTERVAL, MARKS, MEASURED, THEORY, caption, shades, theme


def draw(results: Results) -> Figure:
    """Bound, exact value and simulated interval of the squared drift over rounds, a colour for each lambda.

    Parameters
    ----------
    results : mapping
        Content of ``curves/drift.json``: `bound` (n_lam,); `exact`, `simulated`, `low`, `high` (n_lam, n_rounds).
    """
    with theme():
        figure = Figure(figsize=(6.0, 4.6), layout="constrained")
        axes = figure.subplots()
        for i, colour in enumerate(shades(len(results["lam"]))):
            _one_lambda(axes, results, i, colour)
        axes.set(
            xscale="log",
            yscale="log",
            xlabel=f"round {symbol(SPECIAL, 't')}",
            ylabel=f"squared drift {symbol(SPECIAL, 'drift2')}",
            title=f"Drift of SPECIAL within a task, against {DRIFT.source.place}",
        )
        _legends(axes, results)
        caption(figure, _caption(results))
    return figure


def _one_lambda(axes: Axes, results: Results, i: int, colour: str) -> None:
    rounds = np.array(results["rounds"])
    shown = np.unique(np.geomspace(1, len(rounds), 15).round().astype(int)) - 1
    ends = rounds[[0, -1]]
    axes.plot(ends, [results["bound"][i]] * 2, color=colour, label="bound", **THEORY)
    axes.fill_between(rounds, results["low"][i], results["high"][i], color=colour, label="interval", **INTERVAL)
    axes.plot(rounds, results["exact"][i], color=colour, label="exact", **MEASURED)
    simulated = np.array(results["simulated"][i])[shown]
    axes.plot(
        rounds[shown], simulated, color=colour, marker=MARKS["special"].marker, linestyle="", label="simulated"
    )


def _legends(axes: Axes, results: Results) -> None:
    colours = shades(len(results["lam"]))
    by_lambda = [
        Patch(color=colour, label=setting(SPECIAL, "lam", value))
        for colour, value in zip(colours, results["lam"], strict=True)
    ]
    axes.add_artist(axes.legend(handles=by_lambda, loc="upper left", bbox_to_anchor=(1.0, 1.0)))
    roles = [
        Line2D([], [], color=GREY, label=f"bound {formula(SPECIAL, DRIFT.rhs)}", **THEORY),
        Line2D([], [], color=GREY, label="exact expectation", **MEASURED),
        Line2D([], [], color=GREY, marker=MARKS["special"].marker, linestyle="", label="mean of runs"),
        Patch(facecolor=GREY, label="its interval", **INTERVAL),
    ]
    axes.legend(handles=roles, loc="lower left", bbox_to_anchor=(1.0, 0.0))


def _caption(results: Results) -> str:
    given = {name: value for name, value in results["parameters"].items() if name in ("M", "N", "E", "gamma_G", "gamma_L")}
    given["B"] = results["constants"]["B"]["value"]
    tightest = np.max(np.array(results["exact"]) / np.array(results["bound"])[:, None])
    return (
        f"Linear losses of different clients in {results['parameters']['d']} dimensions, noise of random signs; "
        f"{settings(SPECIAL, given)}. Exact: mean and covariance recursions. "
        f"Means of {results['runs']} runs (seed {results['seed']}); the shaded intervals hold for all rounds and all "
        f"{symbol(SPECIAL, 'lam')} together, up to an error probability of {results['error']:g} (empirical Bernstein). "
        f"The exact value is at most {tightest:.2f} of the bound here."
    )
