"""Lemma 13 and Corollary 14 of C-FLAG: drift of the clients, and error of their delayed gradients."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.cflag.symbols import CFLAG
from figures.mathtext import math, settings, symbol
from figures.results import Results
from figures.style import FREE, MARKS, MEASURED, THEORY, caption, letter, theme

PANELS = {
    "drift": (
        r"\|\mathbf{x}_{t,k}^i-\mathbf{x}_t\| / (\beta_t\|\nabla g(\mathbf{x}_t)\|)",
        "drift",
        "Lemma 13",
    ),
    "error": (
        r"\|\mathbf{e}_{t,k}^i\| / (\beta_tL\|\nabla g(\mathbf{x}_t)\|)",
        "gradient error",
        "Corollary 14",
    ),
}
"""Quantity, its name, and where its bound stands."""


def draw(results: Results) -> Figure:
    """Printed bound, sharp bound, worst run and random runs over the local steps, a panel for each quantity.

    Parameters
    ----------
    results : mapping
        Content of ``curves/cflag_drift.json``: `k` (E,); in each of `panels` `bound`, `sharp`, `worst`, `median`,
        `largest` (E,).
    """
    with theme():
        figure = Figure(figsize=(7.6, 3.7), layout="constrained")
        for axes, (name, mark) in zip(figure.subplots(1, 2), zip(PANELS, "ab", strict=True), strict=True):
            _panel(axes, results, name)
            letter(axes, mark, f"{PANELS[name][1]}, against {PANELS[name][2]}")
        figure.axes[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        figure.suptitle("Local steps of C-FLAG along delayed gradients")
        caption(figure, _caption(results))
    return figure


def _panel(axes: Axes, results: Results, name: str) -> None:
    k, curve = results["k"], results["panels"][name]
    axes.plot(k, curve["bound"], color=MARKS["bound"].colour, label="bound as printed", **THEORY)
    axes.plot(k, curve["sharp"], color=MARKS["floor"].colour, label="sharper bound", **THEORY)
    axes.plot(
        k, curve["worst"], MARKS["special"].marker, color=MARKS["floor"].colour, label="concave quadratics"
    )
    axes.plot(k, curve["largest"], color=MARKS["special"].colour, label="random samples,\nlargest", **FREE)
    axes.plot(k, curve["median"], color=MARKS["special"].colour, label="random samples,\nmedian", **MEASURED)
    axes.set(
        xlabel=f"local step {symbol(CFLAG, 'k')}",
        ylabel=f"{PANELS[name][1]} {math(PANELS[name][0])}",
        ylim=(0, 1.05 * max(curve["bound"])),
    )


def _caption(results: Results) -> str:
    given = {name: results["parameters"][name] for name in ("E", "S", "L")}
    quarter, twelfth = (math(rf"\beta_t = 1/({n}LE)") for n in (4, 12))
    share = {
        name: max(worst / bound for worst, bound in zip(curve["worst"], curve["bound"], strict=True) if bound)
        for name, curve in results["panels"].items()
    }
    return " ".join(
        (
            f"{settings(CFLAG, given)}; the step size is the largest that the printed bound allows,",
            f"{quarter} in (a) and {twelfth} in (b). The worst run",
            f"reaches {share['drift']:.2f} of the bound in (a) and {share['error']:.2f} in (b). In (a) it has a single",
            "sample and attains the sharper bound; in (b) one of the samples is drawn at every step.",
            f"Random samples: {results['worlds']:,} sets of quadratics of either curvature in {results['parameters']['d']}",
            f"dimensions, drawn in random order (seed {results['seed']}).",
        )
    )
