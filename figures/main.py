"""The command line of `python -m figures`: read saved results, write figures, print their paths."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from figures.results import Results, UsageError, read_curves, read_json, remedy, saved

if TYPE_CHECKING:
    from matplotlib.figure import Figure


RUN = "run"
"""The word before results of a comparison of methods on networks."""
NEEDED = ("matplotlib", "seaborn")
"""Packages of the extra `figures`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; exit status 0: drawn, 2: wrong usage or results missing, 130 or 143: stopped."""
    options = _parser().parse_args(argv)
    try:
        _heed_termination()
        if options.names[:1] == [RUN]:
            for file in options.names[1:]:
                path = options.out / f"{Path(file).stem}.{options.format}"
                write(drawn_run(Path(file)), path)
                print(path, flush=True)
            return 0
        names = chosen_curves(options.names, saved(options.results), options.results)
        for name, results in read_curves(options.results, names).items():
            path = options.out / f"{name}.{options.format}"
            write(draw(results), path)
            print(path, flush=True)
    except UsageError as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    except ImportError as error:
        if error.name not in NEEDED:
            raise
        needed = f"drawing needs the package {error.name}; install it by: pip install 'fcl-theory[figures]'"
        print(f"figures: {needed}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stopped:
        print("figures: interrupted; what is drawn is whole", file=sys.stderr)
        return 128 + next(iter(stopped.args), signal.SIGINT)
    return 0


def _heed_termination() -> None:
    """End on SIGTERM as on Ctrl-C."""

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt(number)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m figures", description="Draw figures from saved results.")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="curves that `python -m verify curves` has saved (default: all). Or `run FILE ...`: results of `python -m "
        "verify.networks --json FILE`",
    )
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


def chosen_curves(names: Sequence[str], known: Sequence[str], folder: Path) -> list[str]:
    """The named curves in the order given, each once; all that are saved if none are named.

    Raises
    ------
    UsageError
        If a curve is not saved, or none is.
    """
    if missing := [name for name in names if name not in known]:
        close = get_close_matches(missing[0], known, n=1)
        hint = f"did you mean {close[0]}? Or else " if close else ""
        raise UsageError(
            f"no curve {missing[0]!r} is saved in {folder / 'curves'}; {hint}{remedy(folder, missing)}"
        )
    if not known:
        raise UsageError(f"no curves are saved in {folder / 'curves'}; {remedy(folder, [])}")
    return list(dict.fromkeys(names or known))


def drawn_run(path: Path) -> Figure:
    """The figure of the results of a comparison of methods on networks.

    Raises
    ------
    UsageError
        If the file cannot be read, or is no such file.
    """
    from figures import run

    content = read_json(path, f"`python -m verify.networks --json {path}` makes it")
    try:
        return run.draw(content)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path} must be written by `python -m verify.networks --json {path}`, got a file without what the figure "
            f"shows ({error!r})"
        ) from error


def draw(results: Results) -> Figure:
    """The figure of a curve, by the file of this folder that the curve names as its `figure`.

    Raises
    ------
    UsageError
        If there is no such file, or the results lack what the figure shows.
    """
    again = f"`python -m verify curves {results['name']}` makes them again"
    artist = str(results.get("figure"))
    if not artist.isidentifier() or find_spec(f"figures.{artist}") is None:
        raise UsageError(
            f"the results of {results['name']} name no figure that there is, got {artist!r}; {again}"
        )
    try:
        return import_module(f"figures.{artist}").draw(results)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise UsageError(
            f"the results of {results['name']} do not hold what the figure shows ({error!r}); {again}"
        ) from error


def write(figure: Figure, path: Path) -> None:
    """Save a figure in one piece; raises UsageError if that is not possible."""
    from figures.style import theme

    made = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with theme():
            figure.savefig(made, format=path.suffix[1:])
        made.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    except ValueError as error:  # an ending that Matplotlib does not know
        raise UsageError(f"cannot write {path}: {error}") from error
