"""Whether `best` is ever worse than the best of 10,000 random admissible points, over the whole catalogue.

Run with ``python -m tests.benchmarks.best [PATTERN ...]``. Every bound of the catalogue is minimised over each of its
quantities alone and over one pair, with the others fixed at a point that meets all conditions. Random points are even
in the logarithm over the range that `best` searches, and around the held value.
"""

from __future__ import annotations

import argparse
import fnmatch
import itertools
import sys
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from bounds.admissible import ConditionNotMet, values_of
from bounds.catalogue import statements
from bounds.optimum import RANGE
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
    """

    id: str
    names: tuple[str, ...]
    found: float
    random: float

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
        yield Contest(
            statement.id, chosen, searched(statement, chosen, held), lowest(statement, points, held)
        )


def searched(statement: Statement, names: Sequence[str], held: Mapping[str, float]) -> float:
    """The result of `optimum`; infinity if it reports that no value meets the conditions."""
    try:
        found = statement.optimum(*names, within=None, **held)
        return exactly(statement, {**held, **found.at})
    except ConditionNotMet:
        return np.inf


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
    """The right-hand side at a point with 30 digits, because differences of floats may be lower than the true value;
    infinity if undefined.
    """
    point = {s: sp.Rational(values[s.name]) for s in statement.rhs.free_symbols}
    try:
        value = sp.N(statement.rhs.subs(point), 30)
    except ValueError:  # raised by SymPy for a maximum or minimum of 1/0
        return np.inf
    return float(value) if value.is_extended_real else np.inf


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
    parser.add_argument("--part", default="1/1", help="which part of the statements, as 2/10")
    options = parser.parse_args()
    number, parts = map(int, options.part.split("/"))
    chosen = [one for one in bounds() if any(fnmatch.fnmatch(one.id, p) for p in options.patterns)]
    counted, lost, without, start = 0, [], [], time.perf_counter()
    for statement in chosen[number - 1 :: parts]:
        try:
            found = list(contests(statement))
        except ConditionNotMet:
            without.append(statement.id)
            continue
        counted += len(found)
        lost += [one for one in found if one.lost]
    for one in lost:
        print(f"worse: {one.id} over {', '.join(one.names)}: {one.found:.12g}, random {one.random:.12g}")
    print(
        f"{counted} searches, {len(lost)} worse than the best of {POINTS} random admissible points; "
        f"{len(without)} statements without an admissible start; {time.perf_counter() - start:.0f} s"
    )
    if without:
        print("no start: " + " ".join(without), file=sys.stderr)
    return int(bool(lost))


if __name__ == "__main__":
    raise SystemExit(main())
