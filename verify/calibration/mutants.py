"""Derivations changed on purpose, and whether a change made them false: asked of plain random numbers, not of the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import sympy as sp

from bounds.symbols import DOMAINS, domain_of
from verify.calibration.corpus import SQUARE, SQUARES, Known
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Condition

KINDS = (
    "premise dropped",
    "premise weakened",
    "symbols swapped",
    "index shifted",
    "domain changed",
    "E|x|^2 for |E x|^2",
    "a factor of 1.01",
)
POINTS = 40_000
"""Random points at which a mutant is tried."""
ROUNDING = 1e-10
"""Of numbers between 1/8 and 8, and their products."""
CLEAR = 1e-6
"""Relative gap that is no rounding."""
FACTOR = sp.Rational(101, 100)


@dataclass(frozen=True)
class Mutant:
    """A changed derivation."""

    kind: str
    change: str
    claim: Claim


def mutants(known: Known) -> Iterator[Mutant]:
    """Every change of a true statement, each of one kind."""
    claim, relation = known.claim, known.claim.relation
    conditions = known.claim.conditions

    def mutant_of(kind: str, change: str, changed: sp.Basic, *given: sp.Basic) -> Iterator[Mutant]:
        """Nothing, where SymPy decides the changed relation or one of its conditions, or nothing has changed."""
        fine = all(isinstance(part, sp.core.relational.Relational) for part in (changed, *given))
        if fine and (changed, given) != (relation, conditions):
            statement = replace(claim.statement, relation=changed, conditions=given, terms={})
            yield Mutant(kind, change, replace(claim, statement=statement))

    for place, condition in enumerate(conditions):
        rest = (*conditions[:place], *conditions[place + 1 :])
        yield from mutant_of("premise dropped", f"without {condition}", relation, *rest)
        weak = _weaker(condition)
        yield from mutant_of("premise weakened", f"{weak}", relation, *rest[:place], weak, *rest[place:])
    for first, second in _pairs(relation):
        swap = {first: second, second: first}
        right = relation.rhs.xreplace(swap)
        changed = relation.func(relation.lhs, right, evaluate=False)
        yield from mutant_of("symbols swapped", f"{first} and {second} on the right", changed, *conditions)
    for symbol in sorted(relation.free_symbols, key=str):
        if symbol.is_integer:
            changed = relation.func(relation.lhs, relation.rhs.xreplace({symbol: symbol + 1}), evaluate=False)
            yield from mutant_of("index shifted", f"{symbol} + 1 on the right", changed, *conditions)
        elif symbol.is_nonnegative:
            free = {symbol: sp.Symbol(symbol.name, real=True)}
            given = tuple(condition.xreplace(free) for condition in conditions)
            yield from mutant_of(
                "domain changed", f"{symbol} any real number", relation.xreplace(free), *given
            )
    if known.moments is not None:
        yield from mutant_of("E|x|^2 for |E x|^2", "exchanged", known.moments(SQUARE, SQUARES), *conditions)
    for side in (0, 1):
        args = [FACTOR * part if place == side else part for place, part in enumerate(relation.args)]
        changed = relation.func(*args, evaluate=False)
        yield from mutant_of("a factor of 1.01", f"on side {side + 1}", changed, *conditions)


def _weaker(condition: Condition) -> sp.Basic:
    """A condition with twice of its right side; with one more, where that is zero."""
    left, right = condition.args
    more = sp.Abs(right) + 1 if right.is_number else sp.Abs(right)
    beyond = right - more / 2 if isinstance(condition, sp.Ge | sp.Gt) else right + more
    return condition.func(left, beyond, evaluate=False)


def _pairs(relation: Condition) -> Iterator[tuple[sp.Symbol, sp.Symbol]]:
    """Symbols of one domain on the right side, neighbours by name."""
    names = sorted(relation.rhs.free_symbols, key=str)
    yield from ((a, b) for a, b in pairwise(names) if domain_of(a) == domain_of(b))


def false_somewhere(claim: Claim, seed: int) -> bool:
    """Whether one of many random points meets all conditions with slack and breaks the relation clearly."""
    relations = (claim.relation, *claim.conditions)
    symbols = sorted(set().union(*(relation.free_symbols for relation in relations)), key=str)
    rng = np.random.default_rng(seed)
    values = [_numbers(symbol, rng) for symbol in symbols]
    with np.errstate(all="ignore"):
        broken, *gaps = (_gap(relation, symbols, values) for relation in relations)
    met = np.ones(POINTS, bool)
    for condition, gap in zip(claim.conditions, gaps, strict=True):
        met &= gap < -CLEAR if isinstance(condition, sp.Lt | sp.Gt) else gap <= 0
    return bool(np.any(met & (broken > CLEAR)))


def _numbers(symbol: sp.Symbol, rng: np.random.Generator) -> np.ndarray:
    """Half of them round, so that equality occurs."""
    domain = domain_of(symbol)
    assert domain in DOMAINS
    if domain == "count":
        return rng.integers(1, 9, POINTS).astype(float)
    size = np.exp(rng.uniform(-2, 2, POINTS))
    plain = rng.choice([0.25, 0.5, 1.0, 2.0, 4.0], POINTS)
    found = np.where(rng.random(POINTS) < 0.5, size, plain)
    if domain == "real":
        found = found * rng.choice([-1.0, 1.0], POINTS)
    return found if domain == "positive" else np.where(rng.random(POINTS) < 0.1, 0.0, found)


def _gap(relation: Condition, symbols: Sequence[sp.Symbol], values: Sequence[np.ndarray]) -> np.ndarray:
    """By how much a relation is broken, relative to its sides; NaN where it is not defined, 0 where it may be rounding."""
    left, right = (
        np.broadcast_to(np.asarray(sp.lambdify(symbols, side, "numpy")(*values), dtype=complex), POINTS)
        for side in relation.args
    )
    size = np.abs(left) + np.abs(right)
    gap = np.abs(left - right) if isinstance(relation, sp.Eq) else (left - right).real
    gap = -gap if isinstance(relation, sp.Ge | sp.Gt) else gap
    found = np.where(np.abs(gap) > ROUNDING, gap / np.where(size > 0, size, 1), 0.0)
    real = np.isfinite(size) & (np.abs(left.imag) + np.abs(right.imag) == 0)
    return np.where(real, found, np.nan)
