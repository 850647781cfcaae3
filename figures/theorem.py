"""A headline theorem: exact run, printed bound and true bound in one picture, and where lhs/rhs peaks over a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.mathtext import lines_of, math, number
from figures.results import Results
from figures.style import FREE, MARKS, MEASURED, THEORY, Line, Mark, caption, letter, theme

BOUNDS: dict[str, tuple[Mark, Line]] = {
    "printed": (MARKS["bound"], THEORY),
    "true instead": (MARKS["floor"], THEORY),
    "another, true": (MARKS["true_other"], THEORY),
    "for free": (MARKS["free"], FREE),
    "floor": (MARKS["below"], FREE),
}
RUNS = (MARKS["special"], MARKS["special_other_steps"], MARKS["lead"])
NARROW = 20.0
"""Ratio of largest and smallest value up to which an axis is linear."""


def draw(results: Results) -> Figure:
    """A row for each left side: both sides in one world; beside it lhs/rhs over random worlds.

    Parameters
    ----------
    results : mapping
        Content of ``curves/ID.json``: `place`, `batch`, and `lines`, each with `id`, `role`, `left`, `axis`, `values` (n,),
        and either `order` (n,), or `exact`, `bound`, `met`, `largest`, `median` (n,) and `peak`.
    """
    rows = list(_rows(results["lines"]))
    with theme():
        figure = Figure(figsize=(8.8, 0.9 + 2.5 * len(rows)), layout="constrained")
        panels = figure.subplots(len(rows), 2, squeeze=False)
        for place, (row, lines) in enumerate(zip(panels, rows, strict=True)):
            row[1].sharex(row[0])
            _both_sides(row[0], lines)
            _ratios(row[1], [line for line in lines if line.get("peak")])
            letter(row[0], "acegi"[place], "both sides in one world")
            letter(row[1], "bdfhj"[place], f"lhs/rhs of {results['batch']:,} worlds")
            row[1].legend(
                handles=row[0].get_legend_handles_labels()[0], loc="upper left", bbox_to_anchor=(1.02, 1.0)
            )
        figure.suptitle(f"{results['place']} as printed, and what is true")
        caption(figure, _caption(results))
    return figure


def _rows(lines: Sequence[Results]) -> Iterator[list[Results]]:
    """Lines with the same left side along the same axis; a claimed order stands with the next line."""
    groups: dict[tuple[str, str], list[Results]] = {}
    orders: list[Results] = []
    for line in lines:
        if "order" in line:
            orders.append(line)
            continue
        groups.setdefault((line["left"], line["axis"]["name"]), []).extend([*orders, line])
        orders = []
    yield from groups.values()


def _both_sides(axes: Axes, lines: Sequence[Results]) -> None:
    runs = [line for line in lines if "exact" in line]
    distinct = [line for n, line in enumerate(runs) if not any(_same(line, other) for other in runs[:n])]
    for line, mark in zip(distinct, RUNS, strict=False):
        label = "exact" if len(distinct) == 1 else f"exact, {_short(line['id'])}"
        axes.plot(line["values"], _numbers(line["exact"]), label=label, **mark.line, **MEASURED)
    for line, (mark, style) in _with_marks(lines):
        values = np.array(line["values"], dtype=float)
        if "order" in line:
            start = next(x for x in _numbers(runs[0]["exact"]) if np.isfinite(x))
            label = f"order of {_short(line['id'])},\nfrom the first value"
            axes.plot(values, start * _numbers(line["order"]), label=label, **MARKS["order"].line, **THEORY)
        else:
            bound = np.where(line["met"], _numbers(line["bound"]), np.nan)
            axes.plot(values, bound, label=_label(line), color=mark.colour, **style)
    axes.set(xlabel=_axis(lines[-1]), ylabel=f"both sides\n{math(runs[0]['left'])}")
    _scale(axes, runs[0])
    drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in axes.lines])
    drawn = drawn[np.isfinite(drawn)]
    if drawn.min() > 0:
        if drawn.max() / drawn.min() > NARROW:
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
    elif np.abs(drawn).max() > NARROW * np.median(np.abs(drawn)):
        axes.set_yscale("symlog", linthresh=max(np.median(np.abs(drawn)), 1e-12), linscale=0.5)


def _ratios(axes: Axes, lines: Sequence[Results]) -> None:
    axes.axhline(1, color="black", linewidth=0.6, label="_one")
    if not lines:
        axes.text(0.5, 0.5, "no side is positive", ha="center", transform=axes.transAxes)
        return
    for line, (mark, _) in _with_marks(lines):
        axes.plot(line["values"], _numbers(line["largest"]), label="_largest", color=mark.colour, **MEASURED)
        axes.plot(line["values"], _numbers(line["median"]), label="_median", color=mark.colour, **FREE)
        axes.plot(
            line["peak"]["at"],
            line["peak"]["ratio"],
            label="_peak",
            **mark.line | {"marker": "*"},
            markersize=8,
        )
    _scale(axes, lines[-1])
    shown = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in axes.lines])
    shown = shown[np.isfinite(shown) & (shown > 0)]
    if shown.max() / shown.min() > NARROW:
        axes.set_yscale("log")
        axes.set_ylim(bottom=max(shown.min() / 2, 1e-5))
    axes.set(xlabel=_axis(lines[-1]), ylabel="left side over right")


def _with_marks(lines: Sequence[Results]) -> Iterator[tuple[Results, tuple[Mark, Line]]]:
    """Lines with how they are drawn; a second true statement in a look of its own."""
    seen: set[str] = set()
    for line in lines:
        role = "another, true" if line["role"] == "true instead" and "true instead" in seen else line["role"]
        seen.add(role)
        yield line, BOUNDS[role]


def _scale(axes: Axes, line: Results) -> None:
    values = np.array(line["values"], dtype=float)
    if values.min() > 0 and values.max() / values.min() > NARROW:
        axes.set_xscale("log")


def _axis(line: Results) -> str:
    axis = line["axis"]
    if line.get("share"):
        return f"share of the largest step {math(axis['latex'])}"
    if "latex" not in axis:
        return f"parameter {math(axis['name'])}"
    return lines_of(f"{axis['meaning'].partition(' (')[0]} {math(axis['latex'])}", 36)


def _label(line: Results) -> str:
    name = _short(line["id"])
    return f"{line['role']}: {name}" if line["role"] != "printed" else f"bound as printed, {name}"


def _short(id: str) -> str:
    return id.partition(".")[2]


def _same(line: Results, other: Results) -> bool:
    return bool(
        line["values"] == other["values"]
        and np.allclose(_numbers(line["exact"]), _numbers(other["exact"]), rtol=1e-9, equal_nan=True)
    )


def _numbers(values: Sequence[float | None]) -> np.ndarray:
    return np.array(values, dtype=float)


def _caption(results: Results) -> str:
    lines = [line for line in results["lines"] if "exact" in line]
    peaks = ", ".join(
        f"{_short(line['id'])} {math(number(line['peak']['ratio']))} at {math(line['axis'].get('latex', line['axis']['name']))} = "
        f"{math(number(line['peak']['at']))}"
        for line in lines
        if line["peak"]
    )
    own = [_short(line["id"]) for line in lines[1:] if line["own_world"]]
    sizes = ", ".join(f"{name} = {size}" for name, size in lines[0]["sizes"].items())
    return " ".join(
        (
            f"Left: the world, of {results['batch']:,} at random, that breaks the first statement most or comes closest; sizes {sizes};",
            "step sizes as a share of what the conditions of each statement allow; bounds are drawn where these are met.",
            f"In a world of its own, as its conditions ask: {', '.join(own)}." if own else "",
            "Right: the largest lhs/rhs of random worlds (solid, its peak a star) and the median (dotted).",
            f"Largest: {peaks}.",
        )
    )
