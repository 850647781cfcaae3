"""A user's own claims: both sides along the direction in which each is broken fastest."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from figures.results import Results
from figures.style import letter, theme


def draw(results: Results) -> Figure:
    """One panel for each claim: the small side solid, the large one dashed, shaded where a condition is broken.

    Parameters
    ----------
    results : mapping
        Content of ``curves/along.json``: `claims`, each with `id`, `verdict`, `position`, `small`, `large` (n,) and
        `admissible` (n,).
    """
    claims = results["claims"]
    columns = min(3, len(claims))
    rows = -(-len(claims) // columns)
    with theme():
        figure = Figure(figsize=(3.6 * columns, 2.9 * rows), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for number, (axes, claim) in enumerate(zip(panels, claims, strict=False)):
            position = np.array(claim["position"])
            small, large = (np.array(claim[side], dtype=float) for side in ("small", "large"))
            axes.plot(position, small, label="claimed to be small")
            axes.plot(position, large, "--", label="bound")
            axes.axvline(0, color="0.6", linewidth=0.8)
            outside = ~np.array(claim["admissible"])
            axes.fill_between(
                position,
                0,
                1,
                where=outside,
                transform=axes.get_xaxis_transform(),
                color="0.9",
                label="a condition fails",
            )
            axes.set(
                title=f"{claim['id']}: {claim['verdict']}",
                xlabel="along the worst direction",
                ylabel="both sides",
            )
            letter(axes, chr(ord("a") + number))
        for axes in panels[len(claims) :]:
            axes.set_axis_off()
        panels[0].legend()
    return figure
