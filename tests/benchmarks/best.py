"""Whether `best` is ever worse than the best of 10,000 random admissible points, over the whole catalogue.

Run with ``python -m tests.benchmarks.best [PATTERN ...]``. With ``--keep FILE`` each statement's searches are appended to
a file, and a later run with the same file continues after the last one. Every bound of the catalogue is minimised over each of its
quantities alone and over one pair, with the others fixed at a point that meets all conditions. Random points are even
in the logarithm over the range that `best` searches, and around the held value. Where `best` reports that the bound has no
least value, an admissible point near the named place must be lower than every random point.
"""

from __future__ import annotations

import argparse
import fnmatch
import itertools
import json
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from bounds.admissible import ConditionNotMet, values_of
from bounds.catalogue import statements
from bounds.optimum import RANGE
from bounds.poles import NoLeastValue
from bounds.statement import Statement
from bounds.symbols import domain_of
from verify.report.bound_page import first_values

POINTS = 10_000
ROUNDING = 1e-9
"""Relative difference by which a random point may be lower."""


@dataclass(frozen=True)
class Contest:
    """One search against random points.

    Attributes
    ----------
    id : str
    names : tuple of str
        Quantities over which the bound is minimised.
    found, random : float
        Smallest bound of the search and of the random points; infinity if there is none.
    no_least : bool
        Whether the search reported that the bound has no least value; `found` is the bound near the place it named.
    """

    id: str
    names: tuple[str, ...]
    found: float
    random: float
    no_least: bool = False

    @property
    def lost(self) -> bool:
        return self.random < self.found - ROUNDING * max(abs(self.found), abs(self.random), 1e-300)


def bounds() -> Iterator[Statement]:
    """Statements whose right-hand side is a formula in numbers."""
    for one in statements().values():
        if isinstance(one.relation, Relational) and not one.rhs.has(sp.Indexed, sp.Sum):
            conditions = [c for c in one.conditions if not c.has(sp.Indexed, sp.Sum)]
            if one.rhs.free_symbols and len(conditions) == len(one.conditions):
                yield one


def contests(statement: Statement) -> Iterator[Contest]:
    """Searches over each quantity of the right-hand side, and over the first two together."""
    symbols = {symbol.name: symbol for symbol in statement.symbols}
    start = first_values(statement, symbols, {})
    names = sorted(symbol.name for symbol in statement.rhs.free_symbols)
    rng = np.random.default_rng(zlib.crc32(statement.id.encode()))
    for chosen in [*((name,) for name in names), *itertools.islice(itertools.combinations(names, 2), 1)]:
        held = {name: value for name, value in start.items() if name not in chosen}
        points = {name: random_points(symbols[name], start[name], rng) for name in chosen}
        found, no_least = searched(statement, chosen, held)
        yield Contest(statement.id, chosen, found, lowest(statement, points, held), no_least)


def searched(statement: Statement, names: Sequence[str], held: Mapping[str, float]) -> tuple[float, bool]:
    """The bound where `optimum` finds it smallest; infinity if it reports that no value meets the conditions. If it reports
    that there is no least value, the lowest bound at admissible points near the place it names, and True.
    """
    try:
        return exactly(statement, {**held, **statement.optimum(*names, within=None, **held).at}), False
    except ConditionNotMet:
        return np.inf, False
    except NoLeastValue as error:
        near = [
            {**held, **error.at, name: error.at[name] * (1 + sign * 2.0**-power)}
            for name in names
            for sign in (-1, 1)
            for power in range(20, 45)
        ]
        return min(
            (exactly(statement, one) for one in near if not statement.failing(**one)), default=np.inf
        ), True


def lowest(statement: Statement, points: Mapping[str, np.ndarray], held: Mapping[str, float]) -> float:
    """The bound at the best point that meets all conditions."""
    values = {**held, **points}
    with np.errstate(all="ignore"):
        heights = np.broadcast_to(values_of(statement.rhs, values), (POINTS,))
        allowed = statement.met(**values) & ~np.isnan(heights)
    if not allowed.any():
        return np.inf
    best = int(np.argmin(np.where(allowed, heights, np.inf)))
    return exactly(statement, {**held, **{name: float(column[best]) for name, column in points.items()}})


def exactly(statement: Statement, values: Mapping[str, float]) -> float:
    """The right-hand side at a point with many digits, because differences of floats may be lower than the true value;
    infinity if undefined. Fractions would not do: their powers have up to 10^9 digits. A value that changes with the number
    of digits is nothing but rounding, and counts as 0.
    """
    few, many = (_with_digits(statement, values, digits) for digits in (60, 120))
    return few if few == many or abs(few - many) <= ROUNDING * abs(many) else 0.0


def _with_digits(statement: Statement, values: Mapping[str, float], digits: int) -> float:
    names = sorted(symbol.name for symbol in statement.rhs.free_symbols)
    with mpmath.workdps(digits):
        numbers = [int(values[n]) if float(values[n]).is_integer() else mpmath.mpf(values[n]) for n in names]
        try:
            value = mpmath.mpmathify(compiled(statement.rhs)(*numbers))
        except (ArithmeticError, ValueError):
            return np.inf
        return float(value) if isinstance(value, mpmath.mpf) and not mpmath.isnan(value) else np.inf


@lru_cache
def compiled(expression: sp.Expr) -> Callable[..., Any]:
    symbols = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    function: Callable[..., Any] = sp.lambdify(symbols, expression, "mpmath")
    return function


def random_points(symbol: sp.Symbol, start: float, rng: np.random.Generator) -> np.ndarray:
    """Points, half of them over the whole range, half within three powers of ten of the held value."""
    low, high = RANGE[domain_of(symbol)]
    least = max(low, 1e-9)
    wide = np.exp(rng.uniform(np.log(least), np.log(high), POINTS // 2))
    near = abs(start or 1.0) * 10 ** rng.uniform(-3, 3, POINTS - len(wide))
    sizes = np.concatenate([wide, near])
    if low < 0:
        sizes = np.where(rng.random(POINTS) < 0.5, -1.0, 1.0) * sizes
    return np.clip(np.round(sizes) if domain_of(symbol) == "count" else sizes, low, high)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.best", description=__doc__)
    parser.add_argument("patterns", nargs="*", default=["*"], help="ids or shell patterns; all if none")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="file to which each statement's searches are appended"
    )
    parser.add_argument("--part", default="1/1", help="which part of the statements, as 2/10")
    options = parser.parse_args()
    number, parts = map(int, options.part.split("/"))
    chosen = [one for one in bounds() if any(fnmatch.fnmatch(one.id, p) for p in options.patterns)]
    kept = dict(records(options.keep)) if options.keep else {}
    start = time.perf_counter()
    for statement in chosen[number - 1 :: parts]:
        if statement.id not in kept:
            kept[statement.id] = record(statement)
            if options.keep:
                with options.keep.open("a") as stream:
                    stream.write(json.dumps([statement.id, kept[statement.id]]) + "\n")
    asked = [kept[statement.id] for statement in chosen[number - 1 :: parts]]
    found = [Contest(**each) for one in asked if one is not None for each in one]
    for one in found:
        if one.lost:
            print(f"worse: {one.id} over {', '.join(one.names)}: {one.found:.12g}, random {one.random:.12g}")
    lost, without = sum(one.lost for one in found), sum(one is None for one in asked)
    print(
        f"{len(found)} searches, {lost} worse than the best of {POINTS} random admissible points; "
        f"{sum(one.no_least for one in found)} bounds without a least value; "
        f"{without} of {len(asked)} statements without an admissible start; {time.perf_counter() - start:.0f} s"
    )
    for statement in chosen[number - 1 :: parts]:
        if kept[statement.id] is None:
            print(f"no start: {statement.id}", file=sys.stderr)
    return int(lost > 0)


def record(statement: Statement) -> list[dict[str, Any]] | None:
    """The searches of one statement as plain data; None if no point that meets its conditions is found."""
    try:
        return [asdict(one) for one in contests(statement)]
    except ConditionNotMet:
        return None


def records(path: Path) -> Iterator[tuple[str, list[dict[str, Any]] | None]]:
    """Ids and searches that an earlier run wrote."""
    for line in path.read_text().splitlines() if path.exists() else ():
        yield tuple(json.loads(line))


if __name__ == "__main__":
    raise SystemExit(main())
