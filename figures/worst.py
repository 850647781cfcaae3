"""Worst functions: for each refuted claim about a first-order method, a function that breaks it and the points of the run."""

from __future__ import annotations

from matplotlib.figure import Figure

from figures.results import Results
from figures.style import letter, theme


def draw(results: Results) -> Figure:
    """One panel for each claim: the function, and the points of its run in their order.

    Parameters
    ----------
    results : mapping
        Content of ``curves/worst.json``: `claims`, each with `id`, `position`, `value` (n,), `points`, `values` (m,), `names`.
    """
    claims = results["claims"]
    columns = min(3, len(claims))
    rows = -(-len(claims) // columns)
    with theme():
        figure = Figure(figsize=(3.6 * columns, 2.9 * rows), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for number, (axes, claim) in enumerate(zip(panels, claims, strict=False)):
            axes.plot(claim["position"], claim["value"], label="worst function")
            iterates = [k for k, name in enumerate(claim["names"]) if name != "*"]
            at = [claim["points"][k] for k in iterates], [claim["values"][k] for k in iterates]
            axes.plot(*at, "o:", markersize=5, label="points of the run")
            for k in [k for k in range(len(claim["names"])) if claim["names"][k] == "*"]:
                axes.plot(
                    claim["points"][k], claim["values"][k], "*", markersize=9, color="0.2", label="minimiser"
                )
            axes.set(title=claim["id"], xlabel="x", ylabel="f(x)")
            letter(axes, chr(ord("a") + number))
        for axes in panels[len(claims) :]:
            axes.set_axis_off()
        panels[0].legend()
    return figure
