"""Theorem 4.10: which term of the bound dominates, and what holds without any theorem."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.special import RATE
from bounds.special_symbols import SPECIAL
from figures.mathtext import settings, symbol
from figures.results import Results
from figures.style import FREE, MARKS, THEORY, caption, letters, theme

TERMS = {
    "lead": "lead: loss to gain, falls with rounds",
    "psi_K_B": "K_B: gradient bound of every task",
    "psi_drift_B": "drift_B: drift within the task",
    "psi_init": "init: earlier tasks' gradient at the start",
    "psi_local": "local: drift of clients",
    "psi_noise": "noise of gradients",
    "psi_task": "task: difference of tasks",
    "psi_samp_B": "samp_B: sampling, gradient bound",
    "psi_samp_G": "samp_G: sampling, client difference",
    "psi_samp_local": "samp_local: sampling, drift of clients",
    "psi_samp_task": "samp_task: sampling, difference of tasks",
}
AXES = {"K": "tasks", "N": "sampled clients", "T": "rounds"}


def draw(results: Results) -> Figure:
    """Every named term, the bound and two free bounds against tasks, sampled clients and rounds.

    Parameters
    ----------
    results : mapping
        Content of ``curves/psi.json``: for each sweep `values` (n,), `bound` (n,), `terms` and `free`, each a mapping
        from name to (n,).
    """
    with theme():
        figure = Figure(figsize=(9.0, 5.4), layout="constrained")
        panels = figure.subplots(1, len(AXES), sharey=True)
        for axes, letter, (name, word) in zip(panels, "abc", AXES.items(), strict=True):
            _panel(axes, results["sweeps"][name])
            axes.set(xlabel=f"{word} {symbol(SPECIAL, name)}", yscale="log")
            letters(axes, letter)
        panels[-1].set_xscale("log")
        panels[0].set_ylabel(f"bound on {symbol(SPECIAL, 'min_grad2')}")
        figure.suptitle(f"Terms of the bound of {RATE.source.place}")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        caption(figure, _caption(results))
    return figure


def _panel(axes: Axes, sweep: Results) -> None:
    values = np.array(sweep["values"])
    axes.plot(values, sweep["bound"], label="whole bound", linewidth=2.4, **MARKS["bound"].line, **THEORY)
    for name, word in TERMS.items():
        term = np.array(sweep["terms"][name])
        axes.plot(values, np.where(term > 0, term, np.nan), label=word, **MARKS[name].line, **THEORY)
    for name, mark, word in (("always", "free_other", "for free at every point"), ("first", "free", "for free in round 1")):
        axes.plot(values, sweep["free"][name], label=word, linewidth=2.4, **MARKS[mark].line, **FREE)


def _caption(results: Results) -> str:
    return f"{settings(SPECIAL, results['parameters'])}."
