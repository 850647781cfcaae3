"""A bound along one quantity: its terms stacked, where its conditions fail shaded, and a second bound beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.results import Results
from figures.style import FREE, GREY, THEORY, theme

SMALL = 0.01
"""Terms that never reach this part of the bound are drawn as one."""
WIDE = 100.0
"""Ratio of largest and smallest value from which on an axis is logarithmic."""


def draw(results: Results) -> Figure:
    """The terms of a bound stacked along a sweep.

    Parameters
    ----------
    results : mapping
        What `python -m verify bound ID ... --sweep NAME=LOW:HIGH --json FILE` writes: `id`, `sweep` with `name`,
        `points` (n,), `bound` (n,), `met` (n,), `terms` (mapping from name to (n,)), and `against` if there is one.
    """
    sweep, other = results["sweep"], results.get("against")
    points, bound = np.array(sweep["points"]), _finite(sweep["bound"])
    with theme():
        figure = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes = figure.subplots()
        _stack(axes, points, sweep)
        axes.plot(points, bound, color="black", linewidth=2, label=results["id"], **THEORY)
        if other:
            axes.plot(points, _finite(other["sweep"]["bound"]), color=GREY, label=other["id"], **FREE)
        _shade(axes, points, np.array(sweep["met"], dtype=bool))
        if points.min() > 0 and points.max() / points.min() > WIDE:
            axes.set_xscale("log")
        axes.set(xlabel=sweep["name"], ylabel="bound", title=f"{results['id']}: terms of the bound")
        axes.set_xlim(points.min(), points.max())
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.02))
    return figure


def _finite(values: Sequence[float]) -> np.ndarray:
    """Values as an array; NaN, which is not drawn, where there is no finite value."""
    numbers = np.array(values, dtype=float)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _stack(axes: Axes, points: np.ndarray, sweep: Results) -> None:
    """Terms as areas on top of each other, the largest at the bottom; terms below 0 are left to the line of the bound."""
    terms = {name: np.nan_to_num(np.clip(_finite(term), 0, None)) for name, term in sweep["terms"].items()}
    whole = sum(terms.values())
    large = {name: t for name, t in terms.items() if np.any(t > SMALL * whole)}
    rest = whole - sum(large.values())
    ordered = sorted(large, key=lambda name: -float(large[name].sum()))
    areas = [large[name] for name in ordered] + ([rest] if np.any(rest > 0) else [])
    labels = ordered + (["all other terms"] if np.any(rest > 0) else [])
    palette = sns.color_palette("colorblind")
    colours = [palette[i % len(palette)] for i in range(len(areas))]
    drawn = axes.stackplot(points, areas, labels=labels, colors=colours, alpha=0.75, linewidth=0)
    for i, area in enumerate(drawn):  # terms beyond the number of colours take the colours again, hatched
        area.set_hatch("/" * (3 * (i // len(palette))))


def _shade(axes: Axes, points: np.ndarray, met: np.ndarray) -> None:
    """Grey where a condition fails, up to the middle between a point and its neighbour."""
    middles = np.concatenate([points[:1], (points[1:] + points[:-1]) / 2, points[-1:]])
    label = "a condition fails"
    for i in np.flatnonzero(~met):
        axes.axvspan(
            middles[i], middles[i + 1], color="#bbbbbb", alpha=0.6, linewidth=0, zorder=3, label=label
        )
        label = "_again"
