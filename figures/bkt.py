"""Theorem 4.7: is the correction worth more than what its conditions give for free?"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.special.symbols import SPECIAL
from bounds.special.theorems import BKT
from figures.mathtext import displayed, inline, math, setting, settings, symbol
from figures.results import Results
from figures.style import FREE, MARKS, MEASURED, THEORY, caption, letter, theme

WORLDS = {
    "noise": "current task has no gradient, only noise",
    "aligned": "gradients of the current task aligned",
}


def draw(results: Results) -> Figure:
    """Correction, free bounds and exact change of the earlier tasks' loss against t, a panel for each world.

    Parameters
    ----------
    results : mapping
        Content of ``curves/bkt.json``: `t` (n,); `worlds` by name, each with `correction`, `free_drift`,
        `free_aligned`, `exact` (n,).
    """
    with theme():
        figure = Figure(figsize=(8.6, 5.2), layout="constrained")
        panels = figure.subplots(1, len(WORLDS), sharey=True)
        for axes, name, (world, words) in zip(panels, "ab", WORLDS.items(), strict=True):
            _panel(axes, np.array(results["t"]), results["worlds"][world])
            axes.set(xscale="log", yscale="log", xlabel=f"rounds {symbol(SPECIAL, 't')}")
            letter(axes, name, words)
        panels[0].set_ylabel("change of the earlier tasks' loss " + math(_CHANGE))
        panels[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), labelspacing=0.9)
        figure.suptitle(f"Backward transfer of SPECIAL against {BKT.source.place}")
        caption(figure, _caption(results))
    return figure


_CHANGE = rf"|{SPECIAL['F_t'].latex} - {SPECIAL['F_0'].latex}|"


def _panel(axes: Axes, t: np.ndarray, lines: Results) -> None:
    correction = f"correction of the theorem\n{displayed(SPECIAL.latex(BKT.terms['correction']))}"
    axes.plot(t, lines["correction"], label=correction, **MARKS["bound"].line, **THEORY)
    axes.plot(
        t, lines["free_drift"], label="for free: smoothness, Lemma 4.9", **MARKS["free_other"].line, **FREE
    )
    axes.plot(
        t, lines["free_aligned"], label="for free: the same, and alignment", **MARKS["free"].line, **FREE
    )
    exact = np.array(lines["exact"])
    grows, falls = np.where(exact > 0, exact, np.nan), np.where(exact < 0, -exact, np.nan)
    axes.plot(t, grows, label="exact, loss grows", **MARKS["special"].line, **MEASURED)
    axes.plot(
        t, falls, label="exact, loss falls", markerfacecolor="white", **MARKS["special"].line, **MEASURED
    )


def _caption(results: Results) -> str:
    sizes = {name: results["parameters"][name] for name in ("K", "M", "N", "E", "lam", "eps")}
    known = {name: results["constants"][name]["value"][0] for name in ("L", "sigma_L2")}
    at_start = {"G0": results["start"]["G0"][0]}
    steps = ", ".join(inline(f"{step} = {largest}") for step, largest in results["steps"].items())
    place = {world: list(results["worlds"]).index(world) for world in WORLDS}
    bounds = ", ".join(
        f"{setting(SPECIAL, 'B', results['constants']['B']['value'][place[world]])} in ({name})"
        for name, world in zip("ab", WORLDS, strict=True)
    )
    crossing = inline(rf"{SPECIAL['t'].latex} = {results['crossing']['formula']}")
    crossings = " and ".join(f"{results['crossing']['t'][place[world]]:.0f}" for world in WORLDS)
    return " ".join(
        (
            f"For every {symbol(SPECIAL, 't')} the steps are the largest that the theorem admits, {steps},",
            "so each point is a run of its own. Quadratic losses on a ball that no run leaves;",
            f"{settings(SPECIAL, {**sizes, **known, **at_start})}, {bounds}.",
            "Exact: mean and covariance recursions, nothing sampled.",
            f"For free: {inline(results['free']['drift'])}; alignment removes the part with",
            f"{symbol(SPECIAL, 'G0')}, and the rest is less than the correction from {crossing} on, here",
            f"{crossings}.",
        )
    )
