"""`python -m verify bound`: a bound at your own numbers, along a quantity, at its optimum, or beside another bound."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.engine.work.arguments import number_in
from verify.engine.work.errors import UsageError

if TYPE_CHECKING:
    from bounds.statement import Statement

EPILOG = """examples, each after `python -m verify bound special.thm4.10`:
                             the formula, its quantities and conditions
  K=4 E=5 L=2 ...            its value, its terms, and conditions that fail
  K=4 ... --best gamma_L lam
  K=4 ... --sweep T=1:1e4 --plot bound.png
  K=4 ... --sweep T=1:1e4 --against special.thm4.10/free.start"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("id", help="id of a statement, e.g. special.thm4.10")
    parser.add_argument(
        "values", nargs="*", metavar="NAME=VALUE", help="numbers for its quantities: 5, 0.01, 1/8, 1e4"
    )
    parser.add_argument(
        "--sweep", metavar="NAME=LOW:HIGH[:N]", help="the bound along one quantity, at N points (default 25)"
    )
    parser.add_argument(
        "--best",
        nargs="+",
        metavar="NAME",
        help="the values of these quantities at which the bound is smallest",
    )
    parser.add_argument(
        "--within",
        nargs="+",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="range in which --best searches a quantity",
    )
    parser.add_argument(
        "--against", metavar="ID", help="a second bound, to compare: which of the two is smaller, and where"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that is printed as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the sweep as CSV")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write an HTML page with sliders, which works offline"
    )
    parser.add_argument(
        "--run",
        type=Path,
        metavar="FILE",
        help="with --page: draw the exact run that `python -m nqm --bound ID --json FILE` wrote as dots",
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the sweep as PNG, PDF or SVG")


def run(options: argparse.Namespace) -> int:
    from verify.report import calculator as shown

    statement = _statement(options.id)
    if options.run and not options.page:
        raise UsageError("--run needs --page FILE, which shows the run as dots")
    if (options.csv or options.plot) and not options.sweep:
        raise UsageError("--csv and --plot need --sweep NAME=LOW:HIGH")
    values = dict(_assignment(text) for text in options.values)
    if options.page:
        _write_page(options, statement, values)
    if not any((options.values, options.sweep, options.best)):
        print(shown.described(statement))
        return 0
    from bounds.calculator import MissingValues

    try:
        content = _computed(options, statement, values)
    except MissingValues as error:
        if options.page and not (options.sweep or options.best or options.json):
            return 0  # the page chooses the values that were not given
        raise UsageError(str(error)) from error
    except ValueError as error:
        raise UsageError(str(error)) from error
    print(shown.rendered(statement, content))
    _write(options, content)
    return 0


def _computed(options: argparse.Namespace, statement: Statement, values: dict[str, Any]) -> dict[str, Any]:
    """All requested results, as plain JSON."""
    from bounds.calculator import along, completed, crossings, evaluation, require_names

    other = _statement(options.against) if options.against else None
    second_alone = {} if other is None else _of(other, values)
    second_alone = {
        name: second_alone[name] for name in second_alone if name not in map(str, statement.symbols)
    }
    values = {name: value for name, value in values.items() if name not in second_alone}
    content: dict[str, Any] = {"id": statement.id, "values": values}
    if options.within and not {_range(text)[0] for text in options.within} <= set(options.best or ()):
        raise UsageError(f"--within needs quantities of --best, got {' '.join(options.within)}")
    if options.best:
        require_names(statement, [*options.best, *values])
        known, _ = completed(statement, values)
        within = dict(_range(text)[:2] for text in options.within)
        found = statement.optimum(*options.best, within=within, **known)
        values = {**values, **found.at}
        content["best"] = {
            "at": dict(found.at),
            "bound": found.bound,
            "limits": list(found.limits),
            "ties": dict(found.ties),
        }
    if options.sweep:
        name, (low, high), number = _range(options.sweep)
        points = _points((statement, *([other] if other else [])), name, low, high, number)
        first = along(statement, name, points, **values)
        content["sweep"] = _sweep_record(first)
        if other is not None:
            second = along(other, name, points, **_of(other, values | second_alone))
            content["against"] = {
                "id": other.id,
                "sweep": _sweep_record(second),
                "smaller": crossings(first, second),
            }
    else:
        content |= _evaluation_record(evaluation(statement, **values))
        if other is not None:
            content["against"] = {
                "id": other.id,
                **_evaluation_record(evaluation(other, **_of(other, values | second_alone))),
            }
    return content


def _evaluation_record(found: Any) -> dict[str, Any]:
    return {
        "values": dict(found.values),
        "filled": dict(found.filled),
        "bound": found.bound,
        "terms": dict(found.terms),
        "shares": found.shares,
        "failing": [{"condition": one.text, "mended_by": dict(one.mended_by)} for one in found.failing],
    }


def _sweep_record(found: Any) -> dict[str, Any]:
    return {
        "name": found.name,
        "points": found.points.tolist(),
        "bound": found.bound.tolist(),
        "met": found.met.tolist(),
        "terms": {name: term.tolist() for name, term in found.terms.items()},
    }


def _write(options: argparse.Namespace, content: dict[str, Any]) -> None:
    if options.json:
        from verify.engine.records.files import finite, write_json

        with _file(options.json) as path:
            write_json(path, finite(content))
    if options.csv:
        from verify.report.calculator import sweep_csv

        _write_text(options.csv, sweep_csv(content))
    if options.plot:
        from figures.bound import draw
        from figures.main import write
        from figures.results import UsageError as NotDrawn

        try:
            with _file(options.plot) as path:
                write(draw(content), path)
        except NotDrawn as error:
            raise UsageError(str(error)) from error


def _write_text(file: Path, content: str) -> None:
    from verify.engine.records.files import in_one_piece

    with _file(file) as path, in_one_piece(path) as stream:
        stream.write(content)


@contextmanager
def _file(path: Path) -> Iterator[Path]:
    """A file to be written: its path is printed afterwards, and named if it cannot be written."""
    try:
        yield path
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    print(path, file=sys.stderr)


def _write_page(options: argparse.Namespace, statement: Statement, values: dict[str, Any]) -> None:
    from verify.report.bound_page import page
    from verify.report.bound_pages import read_run

    known, runs = read_run(options.run, statement) if options.run else ({}, [])
    try:
        content = page(
            statement, {**known, **values}, _statement(options.against) if options.against else None, runs
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    _write_text(options.page, content)


def _statement(id: str) -> Statement:
    from bounds.catalogue import statement

    try:
        return statement(id)
    except KeyError as error:
        raise UsageError(str(error.args[0])) from error


def _of(statement: Statement, values: dict[str, Any]) -> dict[str, Any]:
    """The values of quantities that occur in a second statement."""
    names = {symbol.name for symbol in statement.symbols}
    return {name: value for name, value in values.items() if name in names}


def _assignment(text: str) -> tuple[str, float | int]:
    name, sign, value = text.partition("=")
    if not (sign and name.isidentifier()):
        raise UsageError(f"values must be given as NAME=NUMBER, got {text!r}")
    return name, number_in(value, text)


def _range(text: str) -> tuple[str, tuple[float, float], int]:
    name, sign, ends = text.partition("=")
    parts = ends.split(":")
    if not sign or len(parts) not in (2, 3):
        raise UsageError(f"a range must be NAME=LOW:HIGH or NAME=LOW:HIGH:N, got {text!r}")
    low, high = (number_in(part, text) for part in parts[:2])
    number = number_in(parts[2], text) if len(parts) == 3 else 25
    if not low < high or number < 2 or number != int(number):
        raise UsageError(f"a range needs LOW < HIGH and a whole number N >= 2, got {text!r}")
    return name, (low, high), int(number)


def _points(statements: Sequence[Statement], name: str, low: float, high: float, number: int) -> list[float]:
    """Points of a sweep: whole numbers for a count, even in the logarithm over more than two decades."""
    import numpy as np

    from bounds.symbols import domain_of

    symbols = {symbol.name: symbol for statement in statements for symbol in statement.symbols}
    if name not in symbols:
        ids = " or ".join(statement.id for statement in statements)
        raise UsageError(f"`{name}` is no quantity of {ids}; choose from {', '.join(symbols)}")
    wide = low > 0 and high / low > 100
    points = np.geomspace(low, high, number) if wide else np.linspace(low, high, number)
    points = np.unique(np.round(points)) if domain_of(symbols[name]) == "count" else points
    return [float(point) for point in points]
