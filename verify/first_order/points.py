"""Rational points of the parameters at which a claim is decided, and the sides of the claim at these points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from math import floor
from typing import Any

import sympy as sp

from bounds.evaluate import Arithmetic, evaluate
from bounds.relations import COMPARE
from nqm.kinds import Irrational
from verify.engine.model.box import UNBOUNDED as UNBOUNDED
from verify.engine.model.scene import Box, Condition, Shape
from verify.first_order.forms import Form, form
from verify.first_order.problem import Problem

Point = Mapping[str, Fraction]
NICE = tuple(
    Fraction(text)
    for text in [
        "1",
        "1/2",
        "1/4",
        "3/2",
        "2",
        "1/10",
        "1/9",
        "3/4",
        "9/5",
        "19/10",
        "1/3",
        "1/16",
        "4",
        "1/100",
        "1/25",
        "2/3",
        "1/5",
        "3",
        "5/4",
        "7/4",
        "1/1000",
        "10",
        "1/20",
        "9/10",
    ]
)
"""Values of a parameter in the order in which they are tried."""
NONNEGATIVE, COUNTS, SHARE = Box(0, UNBOUNDED), Box(1, UNBOUNDED), Box(0, 1)
"""Ranges without an end: of constants that are not negative, and of numbers of things; and of shares of a whole."""
LARGER, LARGEST = Box(0, 2 * UNBOUNDED), Box(0, 4 * UNBOUNDED)
"""The same as `NONNEGATIVE`, for a constant that exceeds one or two others: the search starts in the middle of each range."""
FEW, WIDE = 3, (Fraction(10), Fraction(1, 100))
"""Where a range begins at 0 or has no end, these values come after the first few: claims often fail where constants differ much."""
TRIED = 400
"""Largest number of combinations of values."""


def parameter_points(
    conditions: Sequence[Condition], shape: Shape, boxes: Mapping[str, Box], most: int
) -> list[Point]:
    """At most `most` rational points in the ranges of the parameters that meet all conditions on parameters only.

    Equations are solved for a parameter. The other parameters get values from `_values`, and points on the boundaries of
    the conditions are added, as claims are often tight there.
    """
    given = [c.subs({s: shape[s.name] for s in c.free_symbols if s.name in shape}) for c in conditions]
    own = [c for c in given if isinstance(c, sp.Rel) and {s.name for s in c.free_symbols} <= boxes.keys()]
    if any(c == sp.false for c in given):
        return []
    settled, own = _solved_equations(own, boxes)
    free = [name for name in boxes if name not in settled]
    found: dict[tuple[Fraction, ...], Point] = {}
    each = max(3, int(TRIED ** (1 / max(len(free), 1))))
    for values in islice(product(*(_values(name, boxes[name], own)[:each] for name in free)), TRIED):
        for point in _completed(dict(zip(free, values, strict=True)), settled, own, boxes):
            found.setdefault(tuple(point[name] for name in boxes), point)
    return _spread(list(found.values()), most)


def reduced(
    conditions: Sequence[Condition], shape: Shape, boxes: Mapping[str, Box]
) -> tuple[dict[str, sp.Expr], list[Condition], list[str]]:
    """Eliminate the parameters that equations or one-point ranges determine.

    Returns
    -------
    (dict, list, list)
        Determined parameter -> formula in the others; the conditions on the other parameters; the names of the others.
    """
    given = [c.subs({s: shape[s.name] for s in c.free_symbols if s.name in shape}) for c in conditions]
    own = [c for c in given if isinstance(c, sp.Rel) and {s.name for s in c.free_symbols} <= boxes.keys()]
    settled, left = _solved_equations(own, boxes)
    single = {
        n: sp.Rational(str(b.ends[0])) for n, b in boxes.items() if n not in settled and b.low == b.high
    }
    settled = {**{n: e.subs(_by_symbol(e, single)) for n, e in settled.items()}, **single}
    rewritten = [
        c.func(*(side.subs(_by_symbol(side, settled)) for side in c.args), evaluate=False) for c in left
    ]
    return settled, [c for c in rewritten if c.free_symbols], [n for n in boxes if n not in settled]


def without_roots(
    expressions: Sequence[sp.Expr], boxes: Mapping[str, Box]
) -> dict[sp.Symbol, tuple[sp.Symbol, sp.Expr]]:
    """Parameters whose square roots occur in expressions: each with a new parameter, and the formula in it.

    The new parameter is sqrt(p/q) if only quotients of two parameters have roots, as in sqrt(mu/L), and sqrt(p) otherwise. Only
    positive parameters without limits are replaced. Returns an empty mapping if roots would be left.
    """
    roots = (a for e in expressions for a in e.atoms(sp.Pow) if a.exp.is_Rational and a.exp.q == 2)
    found = sorted({a.base for a in roots if a.base.is_Symbol and a.base.name in boxes}, key=str)
    limited = (boxes[s.name].low > 0 or boxes[s.name].high < UNBOUNDED for s in found)
    if not found or any(limited) or not all(s.is_positive for s in found):
        return {}
    new = {s: sp.Symbol(f"root_{s.name}", positive=True) for s in found}
    choices = [{p: (new[p], new[p] ** 2 * q)} for p in found[::-1] for q in found if p != q]
    choices.append({p: (new[p], new[p] ** 2) for p in found})
    for choice in choices:
        put = {p: formula for p, (_, formula) in choice.items()}
        if all(sp.powsimp(e.subs(put)).is_rational_function() for e in expressions):
            return choice
    return {}


def fixed(conditions: Sequence[Condition], shape: Shape, boxes: Mapping[str, Box]) -> bool:
    """Whether the conditions and the ranges determine every parameter."""
    given = [c.subs({s: shape[s.name] for s in c.free_symbols if s.name in shape}) for c in conditions]
    own = [c for c in given if isinstance(c, sp.Rel) and {s.name for s in c.free_symbols} <= boxes.keys()]
    settled, _ = _solved_equations(own, boxes)
    return all(name in settled or boxes[name].low == boxes[name].high for name in boxes)


def _solved_equations(
    conditions: Sequence[Condition], boxes: Mapping[str, Box]
) -> tuple[dict[str, sp.Expr], list[Condition]]:
    """Solve equations for parameters; returns parameter -> formula in the others, and the remaining conditions.

    Only an equation with exactly one root is used: several roots would need a case distinction.
    """
    settled: dict[str, sp.Expr] = {}
    left = list(conditions)
    for equation in [c for c in conditions if isinstance(c, sp.Eq)]:
        explicit = _explicit(equation, settled)
        if explicit is not None:
            formula = equation.rhs.subs(_by_symbol(equation.rhs, settled))
            settled = {**{n: e.subs(explicit, formula) for n, e in settled.items()}, explicit.name: formula}
            left.remove(equation)
            continue
        now = equation.lhs.subs(_by_symbol(equation, settled)) - equation.rhs.subs(
            _by_symbol(equation, settled)
        )
        for symbol in sorted(
            now.free_symbols, key=lambda s: (boxes[s.name].low == boxes[s.name].high, s.name)
        ):
            roots = sp.solve(now, symbol)
            if len(roots) == 1:
                settled = {n: e.subs(symbol, roots[0]) for n, e in settled.items()}
                settled[symbol.name] = roots[0]
                left.remove(equation)
                break
    return settled, left


def _explicit(equation: sp.Eq, settled: Mapping[str, sp.Expr]) -> sp.Symbol | None:
    """The left side of an equation ``parameter = formula with roots``, which takes minutes to solve for other parameters."""
    left, right = equation.args
    if not left.is_Symbol or left.name in settled or left in right.free_symbols:
        return None
    depends = any(
        left in e.free_symbols for n, e in settled.items() if n in {s.name for s in right.free_symbols}
    )
    return None if depends or right.is_rational_function() else left


def _by_symbol(relation: Any, values: Mapping[str, Any]) -> dict[sp.Basic, Any]:
    """The substitution of values (by name) for the symbols of an expression."""
    return {s: values[s.name] for s in relation.free_symbols if s.name in values}


def _values(name: str, box: Box, conditions: Sequence[Condition]) -> list[Fraction]:
    """Values of a parameter in its range: constants of its conditions, ends of its range, then `NICE` values."""
    low, high = box.ends
    if box.levels:
        return [Fraction(str(level)) for level in box.levels]
    if low == high:
        return [low]
    named = [
        Fraction(int(x.p), int(x.q))
        for c in conditions
        if {s.name for s in c.free_symbols} == {name}
        for x in c.atoms(sp.Rational)
    ]
    ends = [end for end in (high, low) if 0 < end < UNBOUNDED]
    wide = [] if len(ends) == 2 else WIDE
    return [x for x in dict.fromkeys([*named, *ends, *NICE[:FEW], *wide, *NICE]) if low <= x <= high]


def _completed(
    point: dict[str, Fraction],
    settled: Mapping[str, sp.Expr],
    conditions: Sequence[Condition],
    boxes: Mapping[str, Box],
) -> Iterator[Point]:
    """Yield the admissible points among the point and its neighbours on boundaries, with determined parameters added."""
    for one in (*_on_boundaries(point, conditions), point):
        try:
            whole = {**one, **{name: _rational(e.subs(_by_symbol(e, one))) for name, e in settled.items()}}
        except (Irrational, ZeroDivisionError):
            continue
        if all(whole[n] in boxes[n] and (n not in settled or whole[n] > 0) for n in boxes) and all(
            holds_at(c, whole) for c in conditions
        ):
            yield whole


def _on_boundaries(
    point: Mapping[str, Fraction], conditions: Sequence[Condition]
) -> Iterator[dict[str, Fraction]]:
    """Yield the point with one parameter changed so that a condition holds with equality."""
    for condition in conditions:
        for name, constant, slope in _lines(condition):
            spoken = {s.name for e in (constant, slope) for s in e.free_symbols}
            if name in point and spoken <= point.keys() and (spoken or len(point) == 1):
                below = value_at(slope, point)
                if below:
                    yield {**point, name: -value_at(constant, point) / below}


@lru_cache(maxsize=256)
def _lines(condition: Condition) -> tuple[tuple[str, sp.Expr, sp.Expr], ...]:
    """(name, constant, slope) for each parameter in which a condition is linear.

    The condition holds with equality where constant + slope * parameter = 0.
    """
    top = sp.expand(sp.numer(sp.together(condition.lhs - condition.rhs)))
    found = []
    for symbol in sorted(condition.free_symbols, key=str):
        if top.is_polynomial(symbol) and sp.degree(top, symbol) == 1:
            slope = sp.diff(top, symbol)
            found.append((symbol.name, sp.expand(top - slope * symbol), slope))
    return tuple(found)


def _spread(points: Sequence[Point], most: int) -> list[Point]:
    """At most `most` points: the first half from the start of the list, the others evenly from the rest."""
    if len(points) <= most:
        return list(points)
    head, tail = points[: most // 2], points[most // 2 :]
    rest = most - len(head)
    return [*head, *(tail[(k * len(tail)) // rest] for k in range(rest))]


def _rational(value: sp.Expr) -> Fraction:
    """A SymPy number as a fraction; raises `Irrational` if it is none."""
    value = sp.nsimplify(sp.simplify(value)) if not value.is_Rational else value
    if not value.is_Rational:
        raise Irrational(f"{value} is irrational")
    return Fraction(int(value.p), int(value.q))


def _sympy(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)


# -------------------------------------------------------------------------------------------------- sides


def side(expression: sp.Expr, values: Mapping[str, Any], problem: Problem | None = None) -> Form:
    """A side of a relation as a form. A minimum of several forms becomes a new scalar of the problem.

    Parameters
    ----------
    values : mapping of str to number or Form
        Values of all symbols.
    problem : Problem, optional
        Where the minimum is allowed: it is bounded by each of its parts, which is correct on the smaller side only.

    Raises
    ------
    Irrational
        If a coefficient is irrational.
    ValueError
        If the side is not linear in the quantities of a run, or has a minimum or maximum that is not allowed.
    """

    def least(a: Any, b: Any) -> Any:
        one, other = form(a), form(b)
        if one.constant is not None and other.constant is not None:
            return min(one.constant, other.constant)
        if problem is None:
            raise ValueError(
                f"a minimum must stand on the smaller side of a claim, got {expression}; state a claim for each quantity"
            )
        return problem.smallest(*(part for each in (one, other) for part in problem.parts(each)))

    def most(a: Any, b: Any) -> Any:
        one, other = form(a).constant, form(b).constant
        if one is None or other is None:
            raise ValueError(
                f"a maximum of quantities is not supported, got {expression}; state a claim for each quantity"
            )
        return max(one, other)

    arithmetic = Arithmetic(
        number=lambda number: _rational(number),
        power=_power,
        maximum=most,
        minimum=least,
        absolute=lambda a: abs(_constant(a)),
        exp=_never,
        log=_never,
        floor=lambda a: Fraction(floor(_constant(a))),
    )
    return form(evaluate(expression, values, arithmetic))


def _constant(value: Any) -> Fraction:
    """The value of a constant; anything else makes a claim nonlinear."""
    found = form(value).constant
    if found is None:
        raise ValueError(
            "a claim must be linear in the quantities of a run, got a power, absolute value or floor of one; multiply it out"
        )
    return Fraction(found)


def _power(base: Any, exponent: sp.Rational) -> Fraction:
    found = _sympy(_constant(base)) ** exponent
    return _rational(found)


def _never(value: Any) -> Any:
    raise Irrational(f"an exponential or logarithm of {value} is irrational")


def value_at(formula: sp.Expr, point: Mapping[str, Any]) -> Any:
    """Value of a formula of parameters at numbers or at rational functions."""
    return side(formula, point).constant


def holds_at(condition: Condition, point: Point) -> bool:
    """Whether a point meets a condition; False where the condition is undefined or irrational."""
    try:
        left, right = (value_at(part, point) for part in condition.args)
    except (Irrational, ZeroDivisionError):
        return False
    return bool(COMPARE[type(condition)](left, right))
