"""C-FLAG: its forgetting and overfitting terms along a run, and Theorem 2 against T."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.cflag.rate import least_gf2
from bounds.cflag.symbols import CFLAG
from figures.mathtext import inline, math, setting, settings, symbol
from figures.results import Results
from figures.style import FREE, INTERVAL, MARKS, MEASURED, THEORY, caption, letter, theme

MODES = {
    "once": ("cflag_once", "memories drawn once"),
    "redrawn": ("cflag_redrawn", "memories drawn in every round"),
}

_ORDER, _RATE = math(r"1/\sqrt{T}"), math(r"c/\sqrt{T}")


def draw(results: Results) -> Figure:
    """Both terms with memories drawn once and in every round, and both sides of Theorem 2.

    Parameters
    ----------
    results : mapping
        Content of ``curves/cflag_forgetting.json``: `series` by mode ("once", "redrawn") with `forgetting` and
        `overfitting`, each `mean`, `low`, `high` (n,); `bound` with `proof` and `gap` (n,); `theorem` by mode with
        `measured` and `bound` (k,), `horizons` (k,), `floor`.
    """
    with theme():
        figure = Figure(figsize=(8.0, 6.2), layout="constrained")
        panels = figure.subplot_mosaic([["a", "b"], ["c", "c"]])
        _term(panels["a"], results, "forgetting", math(r"\mathbb{E}\,\Gamma(t)"))
        _bounds(panels["a"], results)
        marked = [
            *panels["a"].collections[:1],
            *(line for line in panels["a"].lines if line.get_label() != "_zero"),
        ]
        panels["b"].legend(handles=marked, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        _term(panels["b"], results, "overfitting", math(r"\mathbb{E}\,B(t)"))
        _theorem(panels["c"], results)
        letter(panels["a"], "a", "forgetting term")
        letter(panels["b"], "b", "overfitting term")
        letter(panels["c"], "c", "Theorem 2 where memories of two clients may cancel")
        figure.suptitle("C-FLAG: the terms of Lemma 1, and what Theorem 2 leaves out")
        caption(figure, _caption(results))
    return figure


def _term(axes: Axes, results: Results, name: str, words: str) -> None:
    rounds = np.array(results["rounds"])
    for mode, (mark, label) in MODES.items():
        series = results["series"][mode][name]
        if mode == "once":
            band = (series["low"], series["high"])
            axes.fill_between(
                rounds, *band, color=MARKS[mark].colour, label="range over the draws", **INTERVAL
            )
        axes.plot(rounds, series["mean"], color=MARKS[mark].colour, label=label, **MEASURED)
    axes.axhline(0, color="black", linewidth=0.6, label="_zero")
    axes.set(xlabel=f"round {math('t')}", ylabel=words)
    axes.set_yscale("symlog", linthresh=1e-4)


def _bounds(axes: Axes, results: Results) -> None:
    rounds = np.array(results["rounds"])
    axes.plot(rounds, results["bound"]["proof"], label="bound of Eq. (158)", **MARKS["bound"].line, **THEORY)
    axes.plot(
        rounds, results["bound"]["gap"], label="by the gradients' difference", **MARKS["floor"].line, **THEORY
    )


def _theorem(axes: Axes, results: Results) -> None:
    horizons = np.array(results["horizons"])
    for mode, (mark, label) in MODES.items():
        sides = results["theorem"][mode]
        axes.plot(horizons, sides["measured"], label=f"left side, {label}", **MARKS[mark].line, **MEASURED)
        axes.plot(horizons, sides["bound"], label=f"right side, {label}", color=MARKS[mark].colour, **THEORY)
    axes.axhline(results["floor"], label="floor, memories drawn once", **MARKS["floor"].line, **FREE)
    guide = results["theorem"]["once"]["bound"][0] / np.sqrt(horizons)
    axes.plot(horizons, guide, label=f"order of Theorem 5, {_ORDER}", **MARKS["order"].line, **THEORY)
    axes.set(
        xscale="log",
        yscale="log",
        ylim=(1e-5, 2),
        xlabel=f"rounds {symbol(CFLAG, 'T')}",
        ylabel=math(CFLAG.latex(least_gf2)),
    )
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _caption(results: Results) -> str:
    given = {name: results["parameters"][name] for name in ("N", "E", "L", "m", "alpha", "c")}
    return " ".join(
        (
            f"Quadratic losses; {settings(CFLAG, given)}, {inline(CFLAG.latex(CFLAG['beta'].symbol))} =",
            f"{_RATE}; expectations over the memories are exact.",
            f"(a), (b) {setting(CFLAG, 'T', results['parameters']['T'])}, one of two past samples kept at each client,",
            f"{results['draws']} draws; past losses have one minimiser, the current ones pull away from it; axes linear below 0.0001. Sums from",
            f"{math('k=0')}. Theorem 2 needs the mean in (b) to be zero; it is if memories are redrawn.",
            "(c) With memories drawn once, the left side stays above the floor and crosses the right side.",
        )
    )
