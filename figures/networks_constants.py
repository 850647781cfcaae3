"""Constants of the theories as seen while a network trains, and what the bounds are worth at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.cflag.symbols import CFLAG
from bounds.special.symbols import SPECIAL
from figures.mathtext import math, number, settings, symbol
from figures.results import Results
from figures.style import FREE, GREY, INTERVAL, MARKS, MEASURED, THEORY, caption, letter, theme

Line = tuple[str, str, str]
"""Name of a constant, its label, and the mark in which it is drawn."""

SMOOTHNESS: tuple[Line, ...] = (
    ("L_hessian", "largest curvature", "psi_drift_B"),
    ("L_secant", "largest secant", "psi_local"),
)
GRADIENTS: tuple[Line, ...] = (
    ("B", math("B"), "psi_K_B"),
    ("sigma_G2", math(r"\sigma_G"), "psi_samp_G"),
    ("sigma_T2", math(r"\sigma_T"), "psi_task"),
    ("sigma_L2", math(r"\sigma_L"), "psi_noise"),
)
ALIGNMENT: tuple[Line, ...] = (("align", "smallest cosine", "special"),)
LOST: tuple[Line, ...] = (
    ("D2", math("D"), "psi_task"),
    ("G2", math("G"), "psi_samp_G"),
    ("R_fisher", f"{math('R')}, second order", "cfl_more"),
    ("R_coreset", f"{math('R')}, core set", "psi_drift_B"),
)
MEMORY: tuple[Line, ...] = (
    ("r_i", f"{math('r_i')}, largest", "psi_samp_local"),
    ("r", math("r"), "psi_samp_task"),
    ("m_i", f"{math('m_i')}, largest", "psi_samp_B"),
    ("m", math("m"), "psi_init"),
)
NOTHING = 1e-5
"""Size of a constant that is zero up to rounding, such as what an expansion loses at its own point; it is not drawn."""
STATEMENTS = {
    "special.lem4.9": "SPECIAL, Lemma 4.9",
    "special.thm4.7": "SPECIAL, Theorem 4.7",
    "special.thm4.10": "SPECIAL, Theorem 4.10",
    "cfl.eq32/convergent": "CFL, Eq. (32)",
    "cflag.thm2/path": "C-FLAG, Theorem 2",
    "cflag.lem3": "C-FLAG, Lemma 3",
    "cflag.eq157/small": "C-FLAG, Eq. (157)",
}
"""Statements in words, from top to bottom."""


def draw(results: Results) -> Figure:
    """Constants of three methods along training, and the bounds at them relative to what was measured.

    Parameters
    ----------
    results : mapping
        Content of ``curves/networks_constants.json``: for each method in `methods` its `rounds` (visit,), `constants`
        by name (visit, seed), and `comparisons`, each with `id`, `ratio` and `conditions`.
    """
    with theme():
        figure = Figure(figsize=(11.4, 7.2), layout="constrained")
        grid = figure.subplots(2, 3)
        special, cfl, cflag = (results["methods"][name] for name in ("special", "cfl", "cflag"))
        panels = (
            (
                grid[0, 0],
                "a",
                "SPECIAL: smoothness",
                special,
                SMOOTHNESS,
                f"smoothness {symbol(SPECIAL, 'L')}",
            ),
            (grid[0, 1], "b", "SPECIAL: gradients", special, GRADIENTS, f"gradient norms {math(_GRAD)}"),
            (
                grid[0, 2],
                "c",
                "SPECIAL: alignment",
                special,
                ALIGNMENT,
                f"alignment {symbol(SPECIAL, 'eps')}",
            ),
            (grid[1, 0], "d", "CFL: drifts and losses", cfl, LOST, f"gradient norms {math(_GRAD)}"),
            (grid[1, 1], "e", "C-FLAG: memory", cflag, MEMORY, f"ratios {math('m, r')}"),
        )
        for axes, name, words, found, lines, label in panels:
            _panel(axes, found, lines, results["parameters"]["T"], results["parameters"]["K"])
            axes.set_ylabel(label)
            letter(axes, name, words)
        _limits(grid, special)
        _bounds(grid[1, 2], results["methods"])
        for axes in grid.ravel():
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02))
        figure.suptitle("Constants seen while a network trains, and the bounds at them (sampled)")
        caption(figure, _caption(results))
    return figure


_GRAD = r"\|\nabla f\|"


def _panel(axes: Axes, found: Results, lines: tuple[Line, ...], rounds_of_task: int, tasks: int) -> None:
    """Median over the seeds of each constant, and their range; squared constants as their roots."""
    rounds = np.array(found["rounds"]) + 1
    for name, label, mark in lines:
        values = np.array(found["constants"][name], dtype=float)
        values = values**0.5 if name.endswith("2") else values
        seen = (np.abs(values) > NOTHING).all(axis=1)
        low, middle, high = (of(values[seen], axis=1) for of in (np.min, np.median, np.max))
        axes.plot(rounds[seen], middle, label=label, **MARKS[mark].line, **MEASURED)
        axes.fill_between(rounds[seen], low, high, color=MARKS[mark].colour, **INTERVAL)
    for task in range(1, tasks):
        axes.axvline(task * rounds_of_task + 0.5, color=GREY, linewidth=0.8, **FREE)
    axes.set(xlabel=f"round {symbol(SPECIAL, 't')} of all tasks", xlim=(0, tasks * rounds_of_task + 1))
    if lines is not ALIGNMENT:
        axes.set_yscale("log")


def _limits(grid: np.ndarray, special: Results) -> None:
    """What the theorems ask of the constants."""
    allowed = {"color": MARKS["bound"].colour, **THEORY}
    admitted = math(r"1/(8E\gamma_L)")
    grid[0, 0].axhline(special["admitted_L"], label=f"largest admitted,\n{admitted}", **allowed)
    grid[0, 2].axhline(0, label="must be above", **allowed)
    grid[1, 1].axhline(1, label=f"limit of {math('m_i')}", **allowed)


def _bounds(axes: Axes, methods: Mapping[str, Any]) -> None:
    """Bound relative to measurement, and the farthest that a step size is beyond its limit."""
    ratio, excess = MARKS["special"], MARKS["psi_K_B"]
    for place, id in enumerate(STATEMENTS):
        compared = _compared(methods, id)
        values = np.ravel(np.array(compared["ratio"], dtype=float))
        values = values[values > 0]
        axes.plot([values.min(), values.max()], [place, place], color=ratio.colour, linewidth=3, alpha=0.35)
        axes.plot(np.median(values), place, color=ratio.colour, marker=ratio.marker, linestyle="")
        beyond = _beyond(compared)
        if beyond > 1:
            axes.plot(beyond, place, color=excess.colour, marker=excess.marker, linestyle="")
    axes.plot([], [], color=ratio.colour, marker=ratio.marker, label="bound /\nmeasured")
    axes.plot([], [], color=excess.colour, marker=excess.marker, linestyle="", label="step size /\nits limit")
    axes.axvline(1, color=MARKS["bound"].colour, **THEORY)
    axes.set(xscale="log", ylim=(len(STATEMENTS) - 0.5, -0.5), xlabel="ratio in the last task")
    axes.set_yticks(range(len(STATEMENTS)), list(STATEMENTS.values()))
    letter(axes, "f", "the bounds")


def _beyond(comparison: Results) -> float:
    """Median over seeds of the factor by which the farthest condition is violated that a finite factor would meet."""
    factors = [each["factor"] for each in comparison["conditions"] if not np.all(each["met"])]
    found = [np.median(np.array(f, dtype=float)) for f in factors]
    return max((f for f in found if np.isfinite(f)), default=0.0)


def _caption(results: Results) -> str:
    methods, parameters, data = results["methods"], results["parameters"], results["data"]
    sizes = {name: parameters[name] for name in ("K", "M", "N", "E", "T", "lam")}
    free = np.median(np.array(_compared(methods, "special.thm4.10")["bound"]) / methods["special"]["free"])
    aligned = np.array(methods["special"]["constants"]["align"], dtype=float)
    below = np.mean(np.array(_compared(methods, "cflag.lem1/all-steps")["bound"]) < 0)
    steps = ", ".join(f"{step:g} in {_NAMES[name]}" for name, step in results["steps"].items())
    return " ".join(
        (
            f"A network of {data['d']:,} parameters on {data['stream']} in three looks; {settings(SPECIAL, sizes)},",
            f"C-FLAG with all clients; step size of the clients {steps}. Median and range of {results['seeds']} seeds.",
            "Constants are the largest seen in the rounds marked (alignment: the smallest), over the tasks seen so far",
            "and all clients. They are not suprema, so nothing is guaranteed.",
            f"(c) The smallest cosine of a round was between {np.nanmin(aligned):.2f} and {np.nanmax(aligned):.2f}, where",
            f"Theorem 4.7 needs {symbol(SPECIAL, 'eps')} above 0. (f) At the constants of the last task, in single runs;",
            "a square is the step size that is farthest beyond its limit. Suprema would make the limits smaller still, so",
            f"that the statement says nothing about these runs. The bound of Theorem 4.10 is {math(number(float(f'{free:.0e}')))} times",
            f"{math('K^2B^2')}, which {symbol(SPECIAL, 'B')} alone gives. C-FLAG's Lemma 1 is not drawn: its bound is",
            f"negative in {100 * below:.0f} % of the rounds, since {symbol(CFLAG, 'alpha')} exceeds",
            f"{math('2/(L(1+m))')}.",
        )
    )


def _compared(methods: Mapping[str, Any], id: str) -> Results:
    """The comparison of a statement."""
    return next(each for method in methods.values() for each in method["comparisons"] if each["id"] == id)


_NAMES = {"special": "SPECIAL", "cfl": "CFL", "cflag": "C-FLAG"}
