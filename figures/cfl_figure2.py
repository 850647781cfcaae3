"""Figure 2 of CFL again: loss over rounds on the noisy quadratic model, by exact moments."""

from __future__ import annotations

from matplotlib.figure import Figure

from bounds.cfl.symbols import CFL
from figures.mathtext import math, symbol
from figures.results import Results
from figures.style import MARKS, MEASURED, caption, theme

METHODS = {
    "FedAvg": "fedavg",
    "FedProx": "fedprox",
    "CFL": "cfl",
    "CFL-0.001": "cfl_less",
    "CFL-0.01": "cfl_more",
}


_LOSS = math(r"\|A\omega+B\|")


def draw(results: Results) -> Figure:
    """Root mean square of |Aw + B| over rounds, a panel for each setting of Table 3.

    Parameters
    ----------
    results : mapping
        Content of ``curves/cfl_figure2.json``: `rounds` (T + 1,); `curves` by setting and method (T + 1,).
    """
    with theme():
        figure = Figure(figsize=(8.4, 5.0), layout="constrained")
        grid = figure.subplots(2, 4, sharex=True, sharey=True)
        shown = max(1, len(results["rounds"]) // 6)
        for axes, (setting, curves) in zip(grid.ravel(), results["curves"].items(), strict=True):
            for place, (method, mark) in enumerate(METHODS.items()):
                # Marks of lines that coincide stand side by side.
                look = {**MARKS[mark].line, "markevery": (place * shown // len(METHODS), shown)}
                axes.plot(results["rounds"], curves[method], label=method, **look, **MEASURED)
            axes.set_yscale("log")
            axes.set_title(setting, loc="left")
        for axes in grid[:, 0]:
            axes.set_ylabel(f"loss {_LOSS}")
        for axes in grid[-1]:
            axes.set_xlabel(f"round {symbol(CFL, 't')}")
        grid[0, -1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        figure.suptitle("Loss on the noisy quadratic model: Figure 2 of CFL by exact moments")
        caption(figure, _caption(results))
    return figure


def _caption(results: Results) -> str:
    variant, curves = results["variant"], results["curves"]
    worse = [name for name, lines in curves.items() if lines["CFL-0.01"][-1] > lines["FedAvg"][-1]]
    lossless = [name for name, lines in curves.items() if lines["CFL"][-1] > lines["FedAvg"][-1]]
    return " ".join(
        (
            "Root mean square over drifts and noise, exact. The variant of the text that is closest to Table 3:",
            f"{variant['axes']} axes, a start of 1 in each, {variant['clients_in_round']:.0f} clients,",
            f"{variant['K']} local step{'s' if variant['K'] > 1 else ''}, equal weights; each method at its best rate of",
            "this variant, CFL with information loss at that of CFL without. The loss is on every gradient, as",
            "Section 5.1.1 says it. At the end",
            f"CFL is above FedAvg in {len(lossless)} of {len(curves)} settings, CFL-0.01 in {len(worse)}",
            f"({', '.join(worse)})." if worse else "of them.",
        )
    )
