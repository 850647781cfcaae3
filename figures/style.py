"""How figures look: one theme as a context, one colour and marker per method or term, one line per role.

Theory is dashed, what holds for free is dotted, measurements are solid, intervals are shaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.mathtext import lines_of

Line = Mapping[str, Any]
THEORY: Line = {"linestyle": "--"}
FREE: Line = {"linestyle": ":"}
MEASURED: Line = {"linestyle": "-"}
INTERVAL: Line = {"alpha": 0.2, "linewidth": 0}

GREY = "#5f5f5f"
_PALETTE = sns.color_palette("colorblind").as_hex()


@dataclass(frozen=True)
class Mark:
    """Colour and marker of a method or of a term; an empty marker for plain lines."""

    colour: str
    marker: str = ""

    @property
    def line(self) -> dict[str, Any]:
        """Arguments of a line in this colour and marker."""
        return {"color": self.colour, "marker": self.marker}


MARKS: Mapping[str, Mark] = {
    "special": Mark(_PALETTE[0], "o"),
    "special_other_steps": Mark(_PALETTE[9], "^"),
    "bound": Mark("black"),
    "free": Mark(GREY),
    "free_other": Mark("#9a9a9a"),
    "floor": Mark(_PALETTE[2]),
    "order": Mark(_PALETTE[3]),
    "true_other": Mark(_PALETTE[4]),
    "below": Mark(_PALETTE[5]),
    "lead": Mark(_PALETTE[1], "v"),
    "psi_K_B": Mark(_PALETTE[3], "s"),
    "psi_drift_B": Mark(_PALETTE[4], "D"),
    "psi_samp_B": Mark(_PALETTE[6], "p"),
    "psi_samp_G": Mark(_PALETTE[8], "P"),
    "psi_local": Mark(_PALETTE[2], "^"),
    "psi_samp_local": Mark(_PALETTE[5], "<"),
    "psi_noise": Mark(_PALETTE[7], "X"),
    "psi_init": Mark(_PALETTE[0], "*"),
    "psi_task": Mark(_PALETTE[9], "h"),
    "psi_samp_task": Mark("#6b4c9a", ">"),
    "fedavg": Mark(_PALETTE[7], "s"),
    "fedprox": Mark(_PALETTE[1], "^"),
    "cfl": Mark(_PALETTE[0], "D"),
    "cfl_less": Mark(_PALETTE[9], "v"),
    "cfl_more": Mark(_PALETTE[3], "P"),
    "fedmes": Mark(_PALETTE[4], "o"),
    "fedmes_stuck": Mark("black", "o"),
    "fedmes_batches": Mark(_PALETTE[1], "P"),
    "fedmes_sharper": Mark(_PALETTE[3], "v"),
    "fedmes_learning": Mark(_PALETTE[2], "d"),
    "fedmes_milder": Mark(_PALETTE[0], "s"),
    "ditto": Mark(_PALETTE[1], "s"),
    "cflag": Mark(_PALETTE[2], "o"),
    "cflag_average": Mark(_PALETTE[0], "^"),
    "cflag_worst": Mark(_PALETTE[1], "D"),
    "cflag_printed": Mark(_PALETTE[3], "X"),
    "cflag_once": Mark(_PALETTE[1], "o"),
    "cflag_redrawn": Mark(_PALETTE[0], "P"),
}


@contextmanager
def theme() -> Iterator[None]:
    """Draw and save inside this context; what is set outside it stays as it is."""
    look = {
        **sns.axes_style("ticks"),
        **sns.plotting_context("paper"),
        "axes.grid": True,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 9,
        "figure.titlesize": 10,
        "font.sans-serif": ["DejaVu Sans"],
        "grid.color": "#e6e6e6",
        "grid.linewidth": 0.6,
        "legend.fontsize": 7.5,
        "legend.frameon": False,
        "lines.linewidth": 1.4,
        "lines.markersize": 4,
        "pdf.fonttype": 42,
        "savefig.dpi": 200,
    }
    with mpl.rc_context(look):
        yield


def shades(count: int) -> list[str]:
    """Colours from light to dark for the values of a quantity in increasing order."""
    return list(sns.color_palette("flare", count).as_hex())


def caption(figure: Figure, text: str) -> None:
    """Put a caption under the figure, broken into lines that fit its width."""
    characters = int(figure.get_figwidth() * 19)
    figure.supxlabel(
        lines_of(text, characters), x=0.01, ha="left", fontsize=7, color="#333333", linespacing=1.35
    )


def letter(axes: Axes, name: str, words: str = "") -> None:
    """Letter of a panel, by which the caption names it, and what it shows."""
    axes.set_title(rf"$\bf{{({name})}}$ {words}", loc="left")
