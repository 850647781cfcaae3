"""The command line of `python -m figures`: read saved results, write figures, print their paths."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from matplotlib.figure import Figure

from figures.results import Results, UsageError, read_curves

FIGURES = (
    "drift",
    "psi",
    "rate",
    "bkt",
    "cfl_table3",
    "cfl_figure2",
    "cfl_map",
    "cfl_weights",
    "cfl_steady_state",
    "cflag_drift",
    "cflag_adaptive",
    "fedmes_correction",
    "fedmes_personal",
    "cflag_forgetting",
    "networks_constants",
    "networks_lambda",
    "networks_tasks",
)
"""Each is a module with ``draw(results)`` that draws the curve of its name; a new one is one more name."""
OWN = ("along",)
"""Figures of a user's own theorems (`python -m verify check --plot`): drawn only if they are named."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; exit status 0: drawn, 2: wrong usage or results missing."""
    options = _parser().parse_args(argv)
    try:
        names = chosen(options.names)
        for name, results in read_curves(options.results, names).items():
            path = options.out / f"{name}.{options.format}"
            write(draw(name, results), path)
            print(path, flush=True)
    except UsageError as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m figures", description="Draw figures from saved results.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(FIGURES)}; all if none")
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="folder of results (default %(default)s)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("results/figures"), help="folder (default %(default)s)"
    )
    parser.add_argument(
        "--format", default="png", choices=("png", "pdf"), help="file format (default %(default)s)"
    )
    return parser


def chosen(names: Sequence[str]) -> list[str]:
    """The named figures in the order given, each once; all if none are named.

    Raises
    ------
    UsageError
        If there is no figure of a name.
    """
    for name in names:
        if name not in (*FIGURES, *OWN):
            close = get_close_matches(name, FIGURES, n=1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(FIGURES)}"
            raise UsageError(f"no figure has the name {name!r}{hint}")
    return list(dict.fromkeys(names or FIGURES))


def draw(name: str, results: Results) -> Figure:
    """One figure of its results.

    Raises
    ------
    UsageError
        If the results lack what the figure shows.
    """
    try:
        return import_module(f"figures.{name}").draw(results)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        again = f"`python -m verify curves {name}` makes them anew"
        raise UsageError(
            f"the results of {name} do not hold what the figure shows ({error!r}); {again}"
        ) from error


def write(figure: Figure, path: Path) -> None:
    """Save a figure; raises UsageError if that is not possible."""
    from figures.style import theme

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with theme():
            figure.savefig(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
