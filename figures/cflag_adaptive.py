"""C-FLAG's adaptive rates: how often they lower the forgetting term and the past loss, and what is learned with them."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.cflag.symbols import CFLAG
from figures.mathtext import math, settings, symbol
from figures.results import Results
from figures.style import INTERVAL, MARKS, MEASURED, caption, letter, theme

VARIANTS = {
    "fixed": ("fixed rates", "cflag"),
    "average": ("Table 1, average case", "cflag_average"),
    "worst": ("Table 1, worst case", "cflag_worst"),
    "printed": ("Algorithm 3 as printed", "cflag_printed"),
}
LARGEST = 30.0
"""Largest excess loss that is shown; what diverges leaves the panel."""
_GAMMA, _PAST, _NOW = math(r"\Gamma(t)"), math(r"f"), math(r"g")


def draw(results: Results) -> Figure:
    """Shares of rounds in which adapting helps, and losses after a task, over the common rate.

    Parameters
    ----------
    results : mapping
        Content of ``curves/cflag_adaptive.json``: `fraction` (n,); `lower_Gamma` and `lower_loss` by variant, each
        `share`, `low`, `high` (n,); `past`, `current` by variant (n,).
    """
    with theme():
        figure = Figure(figsize=(7.6, 5.6), layout="constrained")
        (often_Gamma, often_loss), (past, now) = figure.subplots(2, 2, sharex=True)
        _often(often_Gamma, results, "lower_Gamma", f"share of rounds with smaller {_GAMMA}")
        _often(often_loss, results, "lower_loss", f"share with smaller past loss {_PAST}")
        _losses(past, results, "past", f"past loss {_PAST} above its least")
        _losses(now, results, "current", f"current loss {_NOW} above its least")
        for axes, name in zip((often_Gamma, often_loss, past, now), "abcd", strict=True):
            letter(axes, name)
        for axes in (past, now):
            rate = symbol(CFLAG, "alpha").strip("$")
            axes.set_xlabel(f"common rate times smoothness ${symbol(CFLAG, 'L').strip('$')}{rate}$")
        now.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        figure.suptitle("Adaptive rates of C-FLAG on random quadratics, against Lemma 7")
        caption(figure, _caption(results))
    return figure


def _often(axes: Axes, results: Results, name: str, label: str) -> None:
    x = results["fraction"]
    for variant, found in results[name].items():
        words, mark = VARIANTS[variant]
        axes.fill_between(x, found["low"], found["high"], color=MARKS[mark].colour, **INTERVAL)
        axes.plot(x, found["share"], label=words, **MARKS[mark].line, **MEASURED)
    axes.set(xscale="log", ylabel=label, ylim=(0, 1.03))


def _losses(axes: Axes, results: Results, name: str, label: str) -> None:
    for variant, (words, mark) in VARIANTS.items():
        loss = np.array(results[name][variant], dtype=float)
        shown = np.where(loss <= LARGEST, loss, np.nan)
        axes.plot(results["fraction"], shown, label=words, **MARKS[mark].line, **MEASURED)
    axes.set(xscale="log", yscale="log", ylabel=label)


def _caption(results: Results) -> str:
    given = {name: results["parameters"][name] for name in ("N", "E")}
    sizes = results["parameters"]
    return " ".join(
        (
            f"{results['worlds']} random worlds of quadratic samples, {settings(CFLAG, given)}, in {sizes['d']} dimensions;",
            f"{sizes['S']} samples per client and task, of which {sizes['kept']} past ones are kept. Runs start where the past",
            f"loss is least. (a), (b) One round after {sizes['before']} at fixed rates, against one more at fixed rates:",
            "share of worlds with 95% intervals. Lemma 7 says always for (a).",
            f"(c), (d) Median loss after {sizes['rounds']} rounds; what exceeds {LARGEST:.0f} is not shown.",
        )
    )
