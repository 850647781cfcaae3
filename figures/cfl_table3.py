"""Table 3 of CFL: printed learning rates, those of the closest variant of the model, and the range over all variants."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bounds.cfl.symbols import CFL
from figures.mathtext import math, number, symbol
from figures.results import Results
from figures.style import GREY, MARKS, caption, theme

METHODS = {"FedAvg": "fedavg", "FedProx": "fedprox", "CFL": "cfl"}
_BEST = {
    "last": "loss of the last round",
    "mean": "mean loss of all rounds",
    "best": "loss of the best round",
}
_WEIGHTS = {"equal": "equal weights", "half": "half of the weight on the current round"}
_APART = 0.22


def draw(results: Results) -> Figure:
    """A mark for each printed number, an open one for the closest variant, a line for the range of all variants.

    Parameters
    ----------
    results : mapping
        Content of ``curves/cfl_table3.json``: `settings` (8,); `printed` and ``closest.rates`` by row (8,); `rows`
        by row with `low` and `high` (8,).
    """
    with theme():
        figure = Figure(figsize=(7.6, 4.4), layout="constrained")
        axes = figure.subplots()
        for offset, (row, mark) in zip((-_APART, 0, _APART), METHODS.items(), strict=True):
            _row(axes, results, row, mark, offset)
        axes.set_xticks(
            range(len(results["settings"])), [name.replace(" ", "\n") for name in results["settings"]]
        )
        axes.set(
            yscale="log",
            xlabel=f"setting: round drift, {symbol(CFL, 'L')}, convexity",
            ylabel=f"best learning rate {symbol(CFL, 'eta_l')}",
        )
        axes.legend(handles=_legend(), loc="upper left", bbox_to_anchor=(1.0, 1.02))
        figure.suptitle("Best learning rates on the noisy quadratic model, against Table 3 of CFL")
        caption(figure, _caption(results))
    return figure


def _row(axes: Axes, results: Results, row: str, mark: str, offset: float) -> None:
    places = [i + offset for i in range(len(results["settings"]))]
    look, over = MARKS[mark], results["rows"][row]
    axes.vlines(places, over["low"], over["high"], color=look.colour, alpha=0.35, linewidth=2.5)
    axes.plot(places, results["printed"][row], label=f"{row}, printed", linestyle="", **look.line)
    axes.plot(
        places,
        results["closest"]["rates"][row],
        label=f"{row}, closest variant",
        linestyle="",
        marker="o",
        markersize=9,
        markerfacecolor="none",
        color=look.colour,
    )


def _legend() -> list[Line2D]:
    rows = [
        Line2D([], [], linestyle="", label=f"{row}, printed", **MARKS[m].line) for row, m in METHODS.items()
    ]
    ring = Line2D(
        [],
        [],
        color=GREY,
        linestyle="",
        marker="o",
        markersize=9,
        markerfacecolor="none",
        label="closest variant",
    )
    return [
        *rows,
        ring,
        Line2D([], [], color=GREY, alpha=0.35, linewidth=2.5, label="range over\nall variants"),
    ]


def _caption(results: Results) -> str:
    best, variants = results["closest"], f"{results['variants']:,}"
    variant = best["variant"]
    found = sum(word == "in no variant" for words in results["outcome"].values() for word in words)
    worst = min(results["cfl_better"])
    return " ".join(
        (
            "Without information loss, by exact recursions for mean and covariance; rates in steps of 0.01. The text leaves open the",
            f"start, the numbers of axes, clients, rounds and local steps, the weights and what best means: {variants}",
            f"variants were tried. The closest gives {best['hits']} of the {results['numbers']} numbers exactly and",
            f"{best['within_half']} within a factor of 1.5; {found} of the numbers come out in no variant at all.",
            f"Closest: {variant['axes']} axes, {math('N')} times the squared start {math(number(variant['signal']))},",
            f"{variant['rounds']} rounds of {variant['K']} local step{'s' if variant['K'] > 1 else ''},",
            f"clients that {'stay' if variant['clients'] == 'stay' else 'are new in every round'},",
            f"{_BEST[variant['measure']]}, penalty {best['pull']:g}, {_WEIGHTS[best['weights']]}. CFL with equal weights",
            f"ends below FedAvg in at least {100 * worst:.0f} % of the variants of every setting.",
        )
    )
