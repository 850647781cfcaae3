"""Theorem 2 of FedMeS: the error of personal models against the rate of the global model."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bounds.fedmes.personal import E, error2, g_r, r
from bounds.fedmes.symbols import FEDMES
from figures.mathtext import setting, settings, symbol
from figures.results import Results
from figures.style import FREE, GREY, MARKS, MEASURED, THEORY, caption, letter, shades, theme


def draw(results: Results) -> Figure:
    """Squared error to the personal optimum over rounds, and over the rate of the downloaded global model.

    Parameters
    ----------
    results : mapping
        Content of ``curves/fedmes_personal.json``: `rounds` (R,); `rate` and `error` (R,) and `floor` by number of
        local steps; `ditto`.
    """
    with theme():
        figure = Figure(figsize=(7.6, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        colours = dict(zip(results["local_steps"], shades(len(results["local_steps"])), strict=True))
        for steps, colour in colours.items():
            rate, error = results["rate"][str(steps)], results["error"][str(steps)]
            left.plot(results["rounds"], rate, color=colour, label=f"rate {steps}", **THEORY)
            left.plot(results["rounds"], error, color=colour, label=f"error {steps}", **MEASURED)
            right.plot(rate, error, color=colour, label=f"error {steps}", **MEASURED)
            for axes in (left, right):
                axes.axhline(results["floor"][str(steps)], color=colour, **FREE)
        ditto, mark = results["ditto"], MARKS["ditto"].colour
        left.plot(results["rounds"], ditto["error"], color=mark, label="Ditto", **MEASURED)
        right.plot(ditto["rate"], ditto["error"], color=mark, label="Ditto", **MEASURED)
        ends = [results["rate"][str(max(results["local_steps"]))][i] for i in (0, -1)]
        right.plot(ends, ends, color=MARKS["order"].colour, label="claimed", **THEORY)
        _axes(left, right)
        roles = [
            *(
                Line2D([], [], color=c, label=f"FedMeS, {setting(FEDMES, E.name, e)}")
                for e, c in colours.items()
            ),
            Line2D([], [], color=mark, label=f"Ditto, {setting(FEDMES, E.name, ditto['local_steps'])}"),
            Line2D([], [], color=GREY, label="error of personal models", **MEASURED),
            Line2D(
                [], [], color=GREY, label=f"rate {symbol(FEDMES, g_r.name)} of the global model", **THEORY
            ),
            Line2D([], [], color=MARKS["order"].colour, label="(b) slope 1, as claimed", **THEORY),
            Line2D([], [], color=GREY, label="error with the best global model", **FREE),
        ]
        figure.legend(handles=roles, loc="outside right upper")
        figure.suptitle("Theorem 2 of FedMeS: personal models")
        caption(figure, _caption(results))
    return figure


def _axes(left: Axes, right: Axes) -> None:
    left.set(xlabel=f"round {symbol(FEDMES, r.name)}", yscale="log", ylim=(1e-12, 1e2))
    left.set_ylabel(f"squared error {symbol(FEDMES, error2.name)}")
    right.set(xlabel=f"rate of the global model {symbol(FEDMES, g_r.name)}", xscale="log", xlim=(1e2, 1e-12))
    letter(left, "a")
    letter(right, "b")


def _caption(results: Results) -> str:
    given = {name: results["parameters"][name] for name in ("n", "eta_1", "lam")}
    return " ".join(
        (
            f"Quadratic losses in {results['parameters']['d']} dimensions whose curvature is the same for all clients, so",
            f"that the global model converges; {settings(FEDMES, given)}, gradients without noise, mean over the clients.",
            "Theorem 2 says that the error is at most a constant times the rate.",
            "FedMeS starts local work from the global model in every round, and keeps the error of its local steps",
            "(dotted, from the global optimum itself). Personal models of Ditto go on where they were.",
        )
    )
