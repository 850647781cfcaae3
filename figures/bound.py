"""A bound along one quantity with a second one, the shares of its terms, and where its conditions fail."""

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
"""Ratio of largest and smallest value from which on the axis of the quantity is logarithmic."""
STEEP = 20.0
"""The same for the axis of the bounds."""


def draw(results: Results) -> Figure:
    """A bound along a sweep, above the shares of its terms, stacked.

    Parameters
    ----------
    results : mapping
        What `python -m verify bound ID ... --sweep NAME=LOW:HIGH --json FILE` writes: `id`, `sweep` with `name`,
        `points` (n,), `bound` (n,), `met` (n,), `terms` (mapping from name to (n,)), and `against` if there is one.
    """
    sweep, other = results["sweep"], results.get("against")
    points, bound = np.array(sweep["points"]), _finite(sweep["bound"])
    with theme():
        figure = Figure(figsize=(7.2, 5.4), layout="constrained")
        above, below = figure.subplots(2, sharex=True)
        lines = [bound, *([_finite(other["sweep"]["bound"])] if other else [])]
        above.plot(points, bound, color="black", linewidth=2, label=results["id"], **THEORY)
        if other:
            above.plot(points, lines[1], color=GREY, linewidth=2, label=other["id"], **FREE)
        _stack(below, points, sweep)
        for axes in (above, below):
            _shade(axes, points, np.array(sweep["met"], dtype=bool))
            axes.set_xlim(points.min(), points.max())
            handles, labels = axes.get_legend_handles_labels()
            axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.02))
        if _ratio(points) > WIDE:
            below.set_xscale("log")
        if _ratio(np.concatenate(lines)) > STEEP:
            above.set_yscale("log")
        above.set(ylabel="bound", title=f"{results['id']} along {sweep['name']}")
        below.set(xlabel=sweep["name"], ylabel="share of each term", ylim=(0, 1))
    return figure


def _ratio(values: np.ndarray) -> float:
    """The largest value divided by the smallest; 0 where one is not positive or none is finite."""
    finite = values[np.isfinite(values)]
    return float(finite.max() / finite.min()) if len(finite) and finite.min() > 0 else 0.0


def _finite(values: Sequence[float]) -> np.ndarray:
    """Values as an array; NaN, which is not drawn, where there is no finite value."""
    numbers = np.array(values, dtype=float)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _stack(axes: Axes, points: np.ndarray, sweep: Results) -> None:
    """Absolute values of the terms, divided by their sum, on top of each other, the largest at the bottom."""
    sizes = {name: np.nan_to_num(np.abs(_finite(term))) for name, term in sweep["terms"].items()}
    whole = np.maximum(sum(sizes.values()), np.finfo(float).tiny)
    terms = {name: size / whole for name, size in sizes.items()}
    large = {name: term for name, term in terms.items() if np.any(term > SMALL)}
    rest = np.sum([term for name, term in terms.items() if name not in large], axis=0)
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
