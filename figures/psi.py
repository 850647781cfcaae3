"""Theorem 4.10: which term of the bound dominates, and what holds without any theorem."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bounds.special.symbols import SPECIAL
from bounds.special.theorems import LEAD, PSI, RATE, pref
from figures.mathtext import displayed, inline, settings, symbol
from figures.results import Results
from figures.style import FREE, MARKS, THEORY, caption, letter, theme

TERMS = {
    "lead": "lead: loss to gain",
    "psi_K_B": "K_B: gradients of all tasks",
    "psi_drift_B": "drift_B: drift within the task",
    "psi_init": "init: start of the task",
    "psi_local": "local: drift of clients",
    "psi_noise": "noise: stochastic gradients",
    "psi_task": "task: difference of tasks",
    "psi_samp_B": "samp_B: sampling, gradients",
    "psi_samp_G": "samp_G: sampling, client difference",
    "psi_samp_local": "samp_local: sampling, drift of clients",
    "psi_samp_task": "samp_task: sampling, task difference",
}
"""The named terms in words, in the order of the legend."""
AXES = {"K": "tasks", "N": "sampled clients", "T": "rounds"}


def draw(results: Results) -> Figure:
    """Every named term, the bound and two free bounds against tasks, sampled clients and rounds.

    Parameters
    ----------
    results : mapping
        Content of ``curves/psi.json``: for each sweep `values` (n,), `bound` (n,), `terms` and `free`, each a
        mapping from name to (n,).
    """
    with theme():
        figure = Figure(figsize=(10.5, 6.3), layout="constrained")
        panels = figure.subplots(1, len(AXES), sharey=True)
        for axes, name, (quantity, word) in zip(panels, "abc", AXES.items(), strict=True):
            _panel(axes, results["sweeps"][quantity])
            axes.set(xlabel=f"{word} {symbol(SPECIAL, quantity)}", yscale="log")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            letter(axes, name)
        panels[-1].set_xscale("log")
        panels[0].set_ylabel(f"bound on {symbol(SPECIAL, 'min_grad2')}")
        panels[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.03), labelspacing=0.6)
        figure.suptitle(f"Terms of the bound of {RATE.source.place}")
        caption(figure, _caption(results))
    return figure


def _panel(axes: Axes, sweep: Results) -> None:
    values = np.array(sweep["values"])
    axes.plot(values, sweep["bound"], label="sum: the bound", linewidth=2.4, **MARKS["bound"].line, **THEORY)
    for name, words in TERMS.items():
        term = np.array(sweep["terms"][name])
        axes.plot(
            values,
            np.where(term > 0, term, np.nan),
            label=f"{words}  {displayed(_inner(name))}",
            **MARKS[name].line,
            **THEORY,
        )
    free = {"always": ("free_other", "for free at every point"), "first": ("free", "for free in round 1")}
    for name, (mark, words) in free.items():
        axes.plot(values, sweep["free"][name], label=words, linewidth=2.4, **MARKS[mark].line, **FREE)


def _inner(name: str) -> str:
    """LaTeX of a term as Eq. (9) prints it, inside the brackets of Psi."""
    return SPECIAL.latex(PSI.get(name.removeprefix("psi_"), LEAD))


def _caption(results: Results) -> str:
    chosen = ", ".join(inline(f"{name} = {value}") for name, value in results["choices"].items())
    least = min(
        np.min(np.array(sweep["bound"]) / np.array(sweep["free"]["first"]))
        for sweep in results["sweeps"].values()
    )
    free = {name: inline(bound) for name, bound in results["free"].items()}
    return " ".join(
        (
            f"{results['note']} {settings(SPECIAL, results['parameters'])}; {chosen}.",
            "One quantity changes per panel. All terms but the lead are drawn with their common factor",
            f"{inline(SPECIAL.latex(pref))}; those of sampling vanish when all clients take part, and are",
            f"then not drawn. For free: at every point {free['always']}, and in round 1, since one round",
            f"moves the model little, {free['first']}. The bound is at least {least:.1f} times the latter.",
        )
    )
