"""Optimal weights of past rounds in CFL, against correlation and age."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bounds.cfl.symbols import CFL
from figures.mathtext import math, setting, settings, symbol
from figures.results import Results
from figures.style import FREE, GREY, MARKS, MEASURED, THEORY, caption, letter, shades, theme

_WEIGHT, _AGE = math(r"p_\tau"), math(r"t-\tau")


def draw(results: Results) -> Figure:
    """Weights of the four rounds of Table 2 against alpha, and of twenty against their age for some alphas.

    Parameters
    ----------
    results : mapping
        Content of ``curves/cfl_weights.json``: `alpha` (n,), `best` and `nonnegative` (n, t); `printed`, rows of
        Table 2; `shown` (m,), `age` (T,), `by_age` (m, T), `independent` (T,).
    """
    with theme():
        figure = Figure(figsize=(8.8, 4.3), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
        _by_correlation(left, results)
        _by_age(right, results)
        figure.suptitle("Optimal weights of past rounds where the time drift is correlated (Theorem 4.9)")
        caption(figure, _caption(results))
    return figure


def _by_correlation(axes: Axes, results: Results) -> None:
    few = results["parameters"]["few"]
    best, nonnegative = np.array(results["best"]), np.array(results["nonnegative"])
    for tau, colour in enumerate(shades(few)):
        axes.plot(results["alpha"], best[:, tau], color=colour, label=math(f"p_{tau + 1}"), **MEASURED)
        axes.plot(results["alpha"], nonnegative[:, tau], color=colour, label="_nonnegative", **THEORY)
        for printed in results["printed"]:
            place = printed["alpha"], printed["weights"][tau]
            axes.plot(*place, "o", color=colour, markersize=5, markeredgecolor="white", label="_printed")
    axes.axhline(0, color=GREY, linewidth=0.8, label="_zero")
    axes.set(xlabel=f"correlation {symbol(CFL, 'alpha')} from round to round", ylabel=f"weight {_WEIGHT}")
    roles = [
        Line2D([], [], color=GREY, label="at least 0", **THEORY),
        Line2D([], [], color=GREY, marker="o", linestyle="", label="Table 2"),
    ]
    rounds = axes.get_legend_handles_labels()[0]
    axes.legend(handles=[*rounds[::-1], *roles], loc="upper left", bbox_to_anchor=(1.0, 1.0))
    letter(axes, "a", f"{few} rounds")


def _by_age(axes: Axes, results: Results) -> None:
    for alpha, weights, colour in zip(
        results["shown"], results["by_age"], shades(len(results["shown"])), strict=True
    ):
        label = setting(CFL, "alpha", alpha)
        axes.plot(results["age"], weights, marker="o", markersize=3, color=colour, label=label, **MEASURED)
    axes.plot(results["age"], results["independent"], label="Lemma B.4", color=MARKS["bound"].colour, **FREE)
    axes.axhline(0, color=GREY, linewidth=0.8, label="_zero")
    axes.set_yscale("symlog", linthresh=0.1, linscale=1.2)
    ticks = (-0.5, -0.2, -0.1, -0.05, 0, 0.05, 0.1, 0.2, 0.5, 1)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set(xlabel=f"age {_AGE} (rounds)", ylabel=f"weight {_WEIGHT}")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    letter(axes, "b", f"{results['parameters']['many']} rounds")


def _caption(results: Results) -> str:
    given = {name: results["parameters"][name] for name in ("D2", "R2")}
    alpha, best = np.array(results["alpha"]), np.array(results["best"])
    first = alpha[(best < -1e-12).any(axis=-1)][0]
    return " ".join(
        (
            f"{settings(CFL, given)}; the columns D and R of Table 2 are taken for squares, the variant under which all its",
            "rows are right. From",
            f"{setting(CFL, 'alpha', float(first))} on the best weight of the round before the current one is negative:",
            "what two neighbouring rounds share is taken out. With weights that must not be negative it is 0, and rounds",
            f"before it follow. The oldest round has no older neighbour and weighs more. (b) is linear up to 0.1 and logarithmic beyond; {setting(CFL, 'alpha', 0)} is Lemma B.4.",
        )
    )
