"""Transfer against accuracy over lambda, for the anchor at the server and at the clients, on networks."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bounds.special.symbols import SPECIAL
from figures.mathtext import math, symbol
from figures.results import Results
from figures.style import INTERVAL, MARKS, MEASURED, caption, letter, theme

METHODS = {"special": ("SPECIAL", "special"), "special-c": ("SPECIAL-C", "cfl_more")}
"""Method -> label and mark."""
ACCURACY, TRANSFER = f"mean accuracy {math('ACC')}", f"backward transfer {math('BWT')}"


def draw(results: Results) -> Figure:
    """The plane of ACC and BWT, and both over lambda, with means and standard errors over seeds.

    Parameters
    ----------
    results : mapping
        Content of ``curves/networks_lambda.json``: `lam` (value,) and the metrics `acc`, `bwt` (value, seed) by method.
    """
    with theme():
        figure = Figure(figsize=(9.6, 3.6), layout="constrained")
        plane, accuracy, transfer = figure.subplots(1, 3)
        for name, (label, mark) in METHODS.items():
            acc, bwt = (np.array(results[metric][name]) for metric in ("acc", "bwt"))
            plane.plot(bwt.mean(axis=1), acc.mean(axis=1), label=label, **MARKS[mark].line, **MEASURED)
            _over_lambda(accuracy, results["lam"][name], acc, mark)
            _over_lambda(transfer, results["lam"][name], bwt, mark)
        zero = [np.array(results[metric]["special"])[0].mean() for metric in ("bwt", "acc")]
        plane.plot(*zero, label="FedAvg", linestyle="", markersize=8, **MARKS["fedavg"].line)
        plane.set(xlabel=TRANSFER, ylabel=ACCURACY)
        accuracy.set_ylabel(ACCURACY)
        transfer.set_ylabel(TRANSFER)
        transfer.legend(*plane.get_legend_handles_labels(), loc="upper left", bbox_to_anchor=(1.0, 1.02))
        letter(plane, "a", "both")
        letter(accuracy, "b", "accuracy")
        letter(transfer, "c", "transfer")
        setting = results["setting"]
        figure.suptitle("The anchor at the server and at the clients (sampled)")
        caption(
            figure,
            f"{setting['tasks']} tasks of the embedded digits, {setting['clients']} clients of which "
            f"{setting['sampled']} are sampled, {setting['rounds']} rounds per task; mean and standard error of "
            f"{setting['seeds']} seeds. {symbol(SPECIAL, 'lam')} grows along the lines of (a) from FedAvg, where it is 0; "
            "it weighs different penalties in the two methods.",
        )
    return figure


def _over_lambda(axes: Axes, lam: list[float], values: np.ndarray, mark: str) -> None:
    mean, error = values.mean(axis=1), values.std(axis=1, ddof=1) / values.shape[1] ** 0.5
    axes.plot(lam, mean, **MARKS[mark].line, **MEASURED)
    axes.fill_between(lam, mean - error, mean + error, color=MARKS[mark].colour, **INTERVAL)
    smallest = min(value for value in lam if value > 0)
    if "symlog" not in axes.get_xscale():
        axes.set_xscale("symlog", linthresh=smallest)
    axes.set_xlabel(f"strength {symbol(SPECIAL, 'lam')}")
