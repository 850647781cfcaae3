"""A bound at given numbers: its value, its terms, the conditions that fail, and values that would meet them.

All results are plain data, so the terminal, files and figures show the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from bounds.admissible import ConditionNotMet, Limit, applicable, values_of
from bounds.checked_values import numbers, require_single
from bounds.evaluate import evaluate
from bounds.optimum import RANGE, optimum
from bounds.statement import Scaling, Statement
from bounds.symbols import domain_of

Floats = NDArray[np.float64]


class MissingValues(ValueError):
    """Raised when quantities of a bound have no value; the message names them with their meanings."""


@dataclass(frozen=True)
class Failing:
    """A condition that fails at the given numbers.

    Attributes
    ----------
    text : str
        The condition as printed.
    mended_by : mapping of str to float
        For each quantity of the condition: the nearest value that meets it while the other quantities stay fixed. A
        quantity without such a value has no entry.
    """

    text: str
    mended_by: Mapping[str, float]


@dataclass(frozen=True)
class Evaluation:
    """The right-hand side of a statement at given numbers.

    Attributes
    ----------
    values : mapping of str to float
        All quantities, including those computed from an equation among the conditions.
    filled : mapping of str to str
        Quantity that was not given -> the equation from which it was computed.
    bound : float
        NaN where the right-hand side has no value.
    terms : mapping of str to float
        The terms of the bound, in printed order; their sum is the bound.
    failing : sequence of Failing
    """

    values: Mapping[str, float]
    filled: Mapping[str, str]
    bound: float
    terms: Mapping[str, float]
    failing: Sequence[Failing]

    @property
    def shares(self) -> dict[str, float]:
        """Absolute value of each term, divided by the sum of all absolute values; NaN if a term has no value."""
        whole = sum(abs(value) for value in self.terms.values())
        if not np.isfinite(whole):
            return dict.fromkeys(self.terms, np.nan)
        return {name: abs(value) / whole if whole else 0.0 for name, value in self.terms.items()}


@dataclass(frozen=True)
class Sweep:
    """A bound along one quantity.

    Attributes
    ----------
    name : str
        The quantity that changes.
    points, bound : (n,) arrays
    met : (n,) array of bool
        Where all conditions hold.
    terms : mapping of str to (n,) array
    """

    name: str
    points: Floats
    bound: Floats
    met: NDArray[np.bool_]
    terms: Mapping[str, Floats]


def terms_of(statement: Statement) -> dict[str, sp.Expr]:
    """The named terms of a statement; the summands of its right-hand side, under their own text, if none are named."""
    if isinstance(statement.relation, Scaling):
        return dict(statement.relation.terms)
    if statement.terms:
        return dict(statement.terms)
    parts = statement.rhs.args if isinstance(statement.rhs, sp.Add) else (statement.rhs,)
    return {str(part): part for part in sorted(parts, key=sp.default_sort_key)}


def evaluation(statement: Statement, **values: Any) -> Evaluation:
    """A statement's bound at numbers, whether or not its conditions are met.

    Raises
    ------
    MissingValues
        If a quantity of the bound has no value; the message names each with its meaning.
    """
    require_single(statement.id, numbers(statement.id, values), "`sweep` takes a list of points")
    known, filled = completed(statement, values)
    require(statement, known)
    parts = {name: float(values_of(term, known)) for name, term in terms_of(statement).items()}
    failing = [
        Failing(limit.text, _nearest_admissible(statement, limit, known))
        for limit in applicable(statement.limits, known)
        if not np.all(limit.met(known))
    ]
    return Evaluation(known, filled, float(values_of(statement.bound, known)), parts, failing)


def sweep(statement: Statement, name: str, points: Sequence[float], **values: Any) -> Sweep:
    """The bound of a statement along one quantity, with the others fixed. Points that break a condition are marked,
    not refused.
    """
    require_single(statement.id, numbers(statement.id, values), "sweep once for each entry")
    grid = np.asarray(numbers(statement.id, {name: points})[name], dtype=float)
    if grid.ndim != 1 or not grid.size:
        raise ValueError(f"`{name}` needs a list of points, got {points!r}; write [1, 10, 100]")
    known, _ = completed(statement, {**values, name: float(grid[0])})
    known = {key: value for key, value in known.items() if key != name} | {name: grid}
    require(statement, known)
    met = np.logical_and.reduce(
        [np.broadcast_to(limit.met(known), grid.shape) for limit in applicable(statement.limits, known)]
        or [np.ones(grid.shape, dtype=bool)]
    )
    terms = {
        key: np.broadcast_to(values_of(term, known), grid.shape) for key, term in terms_of(statement).items()
    }
    return Sweep(name, grid, np.broadcast_to(values_of(statement.bound, known), grid.shape), met, terms)


def along(statement: Statement, name: str, points: Sequence[float], **values: Any) -> Sweep:
    """As `sweep`, but constant where the quantity does not occur in the statement."""
    if name in {symbol.name for symbol in statement.symbols}:
        return sweep(statement, name, points, **values)
    there = evaluation(statement, **values)
    flat = np.ones(len(points))
    terms = {term: value * flat for term, value in there.terms.items()}
    return Sweep(name, np.asarray(points, float), there.bound * flat, flat * (not there.failing) > 0, terms)


def crossings(one: Sweep, other: Sweep) -> list[tuple[float, float, str]]:
    """Intervals (from, to, "first", "second" or "equal") of the points, which say where which of two bounds is
    smaller.
    """
    found: list[tuple[float, float, str]] = []
    for x, a, b in zip(one.points, one.bound, other.bound, strict=True):
        if not (np.isfinite(a) and np.isfinite(b)):
            continue
        which = "equal" if abs(a - b) <= 1e-12 * max(abs(a), abs(b)) else "first" if a < b else "second"
        if found and found[-1][2] == which:
            found[-1] = (found[-1][0], float(x), which)
        else:
            found.append((float(x), float(x), which))
    return found


def completed(statement: Statement, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The given values with those that follow from equations among the conditions, and the text of each equation
    used.
    """
    known = numbers(statement.id, values)
    filled: dict[str, str] = {}
    equations = [c for c in statement.conditions if isinstance(c, sp.Eq)]
    progress = True
    while progress:
        progress = False
        for equation in equations:
            unknown = [s for s in equation.free_symbols if isinstance(s, sp.Symbol) and s.name not in known]
            if len(unknown) == 1 and (value := _solution(statement, equation, unknown[0], known)) is not None:
                known[unknown[0].name] = value
                filled[unknown[0].name] = str(equation)
                progress = True
    return known, filled


def _solution(
    statement: Statement, equation: sp.Eq, unknown: sp.Symbol, known: Mapping[str, Any]
) -> float | None:
    """The value of a quantity that solves an equation at numbers: by a formula, or the only root of a polynomial that lies
    in the quantity's domain and meets the conditions; None if there is no such value or more than one.
    """
    rule = solved(equation, unknown)
    if rule is not None:
        return float(evaluate(rule, known))
    difference = sp.numer(sp.together(equation.lhs - equation.rhs))
    if not difference.is_polynomial(unknown):
        return None
    coefficients = [float(evaluate(c, known)) for c in sp.Poly(difference, unknown).all_coeffs()]
    roots = [float(root.real) for root in np.roots(coefficients) if abs(root.imag) <= 1e-12 * abs(root)]
    own = {name: value for name, value in known.items() if name in map(str, statement.symbols)}
    met = [root for root in roots if not statement.failing(**own, **{unknown.name: root})]
    return met[0] if len(met) == 1 else None


def require(statement: Statement, values: Mapping[str, Any]) -> None:
    """Raise a ValueError for a value that belongs to no quantity, or for quantities of the right-hand side without a
    value.
    """
    require_names(statement, values)
    missing = sorted(
        s.name for s in statement.bound.free_symbols if isinstance(s, sp.Symbol) and s.name not in values
    )
    if missing:
        glossary = statement.glossary
        lines = [
            f"  {name:<12}{glossary[name].meaning}" if name in glossary else f"  {name}" for name in missing
        ]
        raise MissingValues("\n".join([f"{statement.id} needs a value for", *lines]))


def require_names(statement: Statement, names: Iterable[str]) -> None:
    """Raise a ValueError for a name that belongs to no quantity; the message has the closest name, or all names."""
    known = [symbol.name for symbol in statement.symbols]
    if unknown := [name for name in names if name not in known]:
        close = get_close_matches(unknown[0], known, n=1)
        hint = f"; did you mean `{close[0]}`?" if close else f"; it has {', '.join(known)}"
        raise ValueError(f"`{unknown[0]}` is no quantity of {statement.id}{hint}")


def solved(equation: sp.Eq, unknown: sp.Symbol) -> sp.Expr | None:
    """The value of a quantity that solves an equation which is linear in it; None if the equation is not linear."""
    difference = sp.expand(equation.lhs - equation.rhs)
    slope = difference.coeff(unknown, 1)
    rest = sp.expand(difference - slope * unknown)
    if slope == 0 or unknown in slope.free_symbols | rest.free_symbols:
        return None
    return -rest / slope


def _nearest_admissible(statement: Statement, limit: Limit, values: Mapping[str, Any]) -> dict[str, float]:
    """For each quantity of a condition: the nearest value in its domain that meets the condition."""
    conditions = [c for c in statement.conditions if str(c) == limit.text]
    found = {}
    for symbol in (s for s in statement.symbols if s.name in limit.names):
        low, high = RANGE[domain_of(symbol)]
        try:
            nearest = optimum(
                sp.Abs(symbol - sp.Float(float(values[symbol.name]))),
                conditions,
                [symbol],
                values,
                {symbol.name: (low, high)},
            )
        except ConditionNotMet:
            continue
        found[symbol.name] = nearest.at[symbol.name]
    return found
