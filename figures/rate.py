"""Theorem 4.10 and Corollary 4.12: does the gradient of all tasks fall with the rounds?"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.special.symbols import SPECIAL
from bounds.special.theorems import RATE
from figures.mathtext import displayed, inline, math, setting, settings, symbol
from figures.results import Results
from figures.style import FREE, MARKS, MEASURED, THEORY, caption, theme


def draw(results: Results) -> Figure:
    """Exact left side at two choices of steps, bound, free bounds, and the claimed slope, against T.

    Parameters
    ----------
    results : mapping
        Content of ``curves/rate.json``: `series` by choice of steps with `rounds`, `measured`, `bound`,
        `lead`, `floor`, `free_always`, `free_first` (n,), and the fitted `slope`; `claimed` with `order` and
        `slope`.
    """
    with theme():
        figure = Figure(figsize=(7.6, 5.0), layout="constrained")
        axes = figure.subplots()
        _bounds(axes, results["series"]["corollary"])
        _measured(axes, results)
        axes.set(
            xscale="log",
            yscale="log",
            xlabel=f"rounds {symbol(SPECIAL, 'T')}",
            ylabel=f"squared gradient of all tasks {symbol(SPECIAL, 'min_grad2')}",
        )
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), labelspacing=0.9)
        figure.suptitle(f"SPECIAL against {RATE.source.place} and the order of Corollary 4.12")
        caption(figure, _caption(results))
    return figure


def _bounds(axes: Axes, series: Results) -> None:
    rounds = np.array(series["rounds"])
    axes.plot(rounds, series["bound"], label="bound", **MARKS["bound"].line, **THEORY)
    axes.plot(
        rounds, series["free_always"], label="for free at every point", **MARKS["free_other"].line, **FREE
    )
    axes.plot(rounds, series["free_first"], label="for free in round 1", **MARKS["free"].line, **FREE)
    axes.plot(rounds, series["lead"], label="part of the bound that falls", **MARKS["lead"].line, **THEORY)


def _measured(axes: Axes, results: Results) -> None:
    words = {
        "corollary": ("special", "exact, steps of Corollary 4.12"),
        "largest": ("special_other_steps", "exact, largest steps admitted"),
    }
    for name, (mark, label) in words.items():
        series = results["series"][name]
        label = f"{label},\nslope {_signed(series['slope'])}"
        axes.plot(series["rounds"], series["measured"], label=label, **MARKS[mark].line, **MEASURED)
    series, claimed = results["series"]["corollary"], results["claimed"]
    rounds = np.array(series["rounds"])
    guide = series["measured"][0] * (rounds / rounds[0]) ** claimed["slope"]
    label = (
        f"order claimed by Corollary 4.12,\n{displayed(claimed['order'])}, slope {_signed(claimed['slope'])}"
    )
    axes.plot(rounds, guide, label=label, **MARKS["order"].line, **THEORY)
    label = "no run falls below (Lemma 4.9),\nsteps of Corollary 4.12"
    axes.plot(rounds, series["floor"], label=label, **MARKS["floor"].line, **FREE)


def _signed(value: float) -> str:
    return math(f"{value:+.2f}")


_ROUNDS = math(r"t = 1, \ldots, T")


def _caption(results: Results) -> str:
    series, constants = results["series"], results["constants"]
    sizes = {name: results["parameters"][name] for name in ("K", "M", "N", "E", "lam")}
    known = {name: constants[name]["value"] for name in ("B", "L", "sigma_L2", "sigma_G2", "sigma_T2")}
    steps = {
        name: ", ".join(inline(f"{step} = {value}") for step, value in line["steps"].items())
        for name, line in series.items()
    }
    T, first = symbol(SPECIAL, "T"), setting(SPECIAL, "T", series["corollary"]["rounds"][0])
    free = {name: inline(bound) for name, bound in results["free"].items()}
    return " ".join(
        (
            f"Quadratic losses on a ball that no run leaves; {settings(SPECIAL, {**sizes, **known})}.",
            "The task starts at the optimum of the earlier tasks.",
            f"Exact: mean and covariance recursions; minimum over {_ROUNDS}.",
            f"Steps of Corollary 4.12: {steps['corollary']}, which meet the conditions of Theorem 4.10 from",
            f"{first} on; the bounds are drawn for them. Largest steps: {steps['largest']}.",
            f"Slopes: least squares in both logarithms, over the {T} that are drawn; the line of the claimed",
            "order starts at the first exact value.",
            f"For free: {free['always']} at every point, {free['first']} in round 1.",
        )
    )
