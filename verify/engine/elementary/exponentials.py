"""Laws of exp and log from convexity: exp lies above its tangent at every point (s, S) with S = exp(s).

For points (s, S) and (r, R) convexity gives S (1 + r - s) <= R. With the point (0, 1) these are 1 + r <= exp(r) and
log R <= R - 1. With two other points they imply that exp and log are increasing, and bound log(T + 1) - log(T) on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from itertools import product as product_of

import sympy as sp
from flint import arb, ctx
from sympy.core.relational import Relational

from verify.engine.certificates.formulas import Tree, tree
from verify.engine.certificates.recheck import replaced
from verify.engine.elementary.law import (
    CONVEX,
    EXP_SUM,
    INSIDE,
    LOG_PRODUCT,
    POSITIVE,
    POWER_ABOVE,
    POWER_BELOW,
    VALUE,
    Law,
)
from verify.engine.elementary.powers import one_quotient, rational_factors
from verify.engine.elementary.products import Split, Terms, common_units, product, terms
from verify.engine.summation.sums import exponent_growth

POINTS = 6
"""Up to this number of points, all pairs are compared; beyond it, each point is compared with (0, 1) only."""
DIGITS = 12
"""Number of digits of the enclosure of a constant."""
BITS = (53, 256, 1024)
"""Precisions with which an enclosure is tried."""

Positive = Callable[[sp.Expr], bool]
Point = tuple[sp.Expr, sp.Expr]


def exponentials(formulas: Iterable[sp.Basic]) -> list[sp.Expr]:
    """Exponentials in formulas, including the constant e."""
    return _sorted(part for formula in formulas for part in formula.atoms(sp.exp, type(sp.E)))


def logarithms(formulas: Iterable[sp.Basic]) -> list[sp.Expr]:
    """Logarithms in formulas."""
    return _sorted(part for formula in formulas for part in formula.atoms(sp.log))


def without_logarithms(formulas: Iterable[sp.Basic], unwanted: Callable[[sp.Expr], bool]) -> list[sp.Basic]:
    """Formulas in which unwanted logarithms are arbitrary numbers."""
    found = list(formulas)
    number = {one: sp.Dummy(real=True) for one in logarithms(found) if unwanted(one)}
    return [formula.xreplace(number) for formula in found] if number else found


def _sorted(found: Iterable[sp.Expr]) -> list[sp.Expr]:
    return sorted(set(found), key=sp.default_sort_key)


def exponent_of(exponential: sp.Expr) -> sp.Expr:
    """The exponent s of an exponential exp(s)."""
    return sp.S.One if exponential is sp.E else exponential.args[0]


def points_of(formulas: Sequence[sp.Basic]) -> list[Point]:
    """Pairs (s, S) with S = exp(s) for the exponentials and logarithms in formulas, and for powers and products of their arguments.

    Reciprocals (-s, 1/S) are added for logarithms of quotients, for all logarithms if an exponent is negative, and for those
    of numbers beside entropies x log x.
    """
    points: list[Point] = [(exponent_of(e), e) for e in exponentials(formulas)]
    falls = any(s.could_extract_minus_sign() for s, _ in points)
    logs = logarithms(formulas)
    products = [product.args for formula in formulas for product in formula.atoms(sp.Mul)]
    entropies = any(log in factors and log.args[0] in factors for factors in products for log in logs)
    for found in logs:
        inside = found.args[0]
        points.append((found, inside))
        wanted = entropies if inside.is_number else falls or sp.fraction(inside)[1] != 1
        if wanted:
            points.append((-found, 1 / inside))
    return [*points, *_powers(formulas, points), *_products(formulas)]


def convexity(
    formulas: Sequence[sp.Basic], positive: Positive, further: Sequence[Point] = ()
) -> Iterator[Law]:
    """Yield the tangent inequalities at all points of formulas, the signs of exponentials, and enclosures of constants.

    `further` points are compared with each other and, if there are few, with all points.
    """
    yield from signs_and_values(formulas, positive)
    points = [*points_of(formulas), *further]
    pairs = permutations(points if len(points) <= POINTS else further, 2)
    yield from (_tangent(one, other) for one, other in pairs if not (one[1].is_number and other[1].is_number))
    yield from _tangents_at_zero(points)
    products = _products_of_exponentials(formulas, points)
    if len(points) + len(products) <= POINTS:
        for one, other in product_of(points, products):
            yield from (_tangent(one, other), _tangent(other, one))
    yield from (_tangent(x, share) for x, share in product_of(_entropies(formulas), _shares(formulas)))


def _entropies(formulas: Sequence[sp.Basic]) -> list[Point]:
    """Points (log x, x) for the products x log x in formulas."""
    products = [product.args for formula in formulas for product in formula.atoms(sp.Mul)]
    logs = [log for log in logarithms(formulas) if not log.args[0].is_number]
    return [(log, log.args[0]) for log in logs if any({log, log.args[0]} <= {*found} for found in products)]


def _shares(formulas: Sequence[sp.Basic]) -> list[Point]:
    """Points (w - log S, exp(w)/S) for the terms exp(w) of sums S under a logarithm; by them an entropy is at most log S."""
    sums = [log for log in logarithms(formulas) if log.args[0].is_Add and log.has(sp.exp)]
    return [(sp.log(term) - log, term / log.args[0]) for log in sums for term in log.args[0].args]


def signs_and_values(formulas: Sequence[sp.Basic], positive: Positive) -> Iterator[Law]:
    """Yield the signs of exponentials and of the arguments of logarithms, enclosures of constants, and e^c e^(-c) = 1."""
    found = exponentials(formulas)
    for e in found:
        yield Law(["<", "0", tree(e)], POSITIVE)
        if e.is_number and exponent_of(e).is_positive and 1 / e in found:
            yield Law(["=", "1", ["*", tree(e), tree(1 / e)]], EXP_SUM)
    for inside in (found.args[0] for found in logarithms(formulas)):
        if not inside.is_number and not positive(inside):
            yield Law(["<", "0", tree(inside)], INSIDE)
    for constant in (c for c in (*exponentials(formulas), *logarithms(formulas)) if c.is_number):
        yield from enclosure(constant)


def _tangents_at_zero(points: Sequence[Point]) -> Iterator[Law]:
    """The tangent inequalities between points and (0, 1)."""
    start: Point = (sp.S.Zero, sp.S.One)
    symbolic = [point for point in points if not point[1].is_number]
    yield from (_tangent(start, point) for point in symbolic)
    yield from (_tangent(point, start) for point in symbolic)


def _tangent(one: Point, other: Point) -> Law:
    """The tangent of exp at one point lies below the other point."""
    (s, at_s), (r, at_r) = one, other
    below = ["*", tree(at_s), ["+", "1", tree(r), ["-", tree(s)]]]
    return Law(["<=", below, tree(at_r)], CONVEX)


def tangents_at_multiples(formulas: Sequence[sp.Basic]) -> Iterator[Law]:
    """The tangents of log at c x for the arguments x of logarithms and the factors c of logarithms in formulas.

    x >= 2 a log a implies x >= a log x by the tangent at 2 a, because log(2 a) = log 2 + log a.
    """
    logs = [log for log in logarithms(formulas) if not log.args[0].is_number]
    sides = {side for f in formulas if isinstance(f, Relational) for side in f.args if side.has(sp.log)}
    terms = [term for side in _sorted(sides) for term in sp.Add.make_args(sp.expand_mul(side))]
    factors = {abs(term.as_coeff_Mul()[0]) for term in terms if term.has(sp.log)} - {sp.S.One}
    for c in _sorted(c for c in factors if c.is_Rational):
        yield from enclosure(sp.log(c))
        for one, other in permutations(logs, 2):
            at: Point = (one + sp.log(c), c * one.args[0])
            point: Point = (other, other.args[0])
            yield from (_tangent(at, point), _tangent(point, at))


def tangents_to_next(formulas: Sequence[sp.Basic], letter: sp.Symbol) -> Iterator[Law]:
    """The tangent inequalities between each point at n and the same point at n + 1, and between these and (0, 1)."""
    now = [point for point in points_of(formulas) if letter in sp.Tuple(*point).free_symbols]
    later: list[Point] = [(s.subs(letter, letter + 1), at_s.subs(letter, letter + 1)) for s, at_s in now]
    for one, other in zip(now, later, strict=True):
        yield from (_tangent(one, other), _tangent(other, one))
    yield from _tangents_at_zero([*now, *later])


def _powers(formulas: Sequence[sp.Basic], points: Sequence[Point]) -> Iterator[Point]:
    """Yield points for powers and roots of numbers whose logarithms are among the points, and for such numbers times others."""
    inside = {v: s for s, v in points if isinstance(s, sp.log)}
    powers = _sorted(
        p for formula in formulas for p in formula.atoms(sp.Pow) if p.base in inside and p.exp != -1
    )
    yield from ((p.exp * inside[p.base], p) for p in powers)
    bases = {p.base for p in powers if p.base.is_Rational and p.exp.free_symbols}
    for side in (side for f in formulas if isinstance(f, Relational) and bases for side in f.args):
        number, rest = side.as_coeff_Mul()
        if number in bases and rest in inside:
            yield inside[number] + inside[rest], side


def _products(formulas: Sequence[sp.Basic]) -> Iterator[Point]:
    """Yield points for sums of several logarithms with integer factors on a side of a relation: logarithms of products."""
    sides = (side for f in formulas if isinstance(f, Relational) for side in f.args)
    # only sides with several logarithms are expanded, as expanding takes long
    for side in (side for side in sides if len(side.atoms(sp.log)) > 1):
        pairs = [term.as_coeff_Mul() for term in sp.Add.make_args(sp.expand(side))]
        logs = [(c, log) for c, log in pairs if isinstance(log, sp.log) and c.is_Integer and c > 0]
        if len(logs) > 1:
            yield sp.Add(*(c * log for c, log in logs)), sp.Mul(*(log.args[0] ** c for c, log in logs))


def _products_of_exponentials(formulas: Sequence[sp.Basic], points: Sequence[Point]) -> list[Point]:
    """Points for products of an exponential and other values of points: the sum of their exponents."""
    exponents = {value: exponent for exponent, value in points}
    products = _sorted(p for formula in formulas for p in formula.atoms(sp.Mul) if p.has(sp.exp))
    found = [[factor for factor in p.args if factor in exponents] for p in products]
    return [
        (sp.Add(*map(exponents.__getitem__, several)), sp.Mul(*several))
        for several in found
        if len(several) > 1 and any(isinstance(factor, sp.exp) for factor in several)
    ]


def sides(relation: Relational, positive: Positive) -> list[Point]:
    """The sides of a relation with exp and log as points, where logarithms with negative factors change the side.

    log(exp(x) + 1) - log(exp(y) + 1) <= x - y has the sides log(exp(x) + 1) + y and log(exp(y) + 1) + x. Their exponentials
    have no logarithm. If all logarithms have the same positive factor, the sides are divided by it. A side with a maximum or
    minimum gives a point for each of its values.
    """
    if isinstance(relation, sp.Ne) or not (relation.atoms(sp.exp) and relation.atoms(sp.log)):
        return []
    # products are multiplied out, but not inside functions, which would then have other names than in the relation
    whole = (sp.expand_mul(part, deep=False) for part in sp.Add.make_args(relation.lhs - relation.rhs))
    parts = [part.as_coeff_Mul() for one in whole for part in sp.Add.make_args(one)]
    factors = {part / log for _, part in parts for log in sp.Mul.make_args(part) if isinstance(log, sp.log)}
    if (
        len(factors) > 1
        or not (factors or relation.has(sp.Max, sp.Min, sp.Abs))
        or not all(map(positive, factors))
    ):
        return []
    parts = [(c, part / factor) for c, part in parts for factor in factors or {sp.S.One}]
    if not all(c.is_Integer for c, part in parts if isinstance(part, sp.log)):
        return []
    both = (sp.Add(*(way * c * part for c, part in parts if way * c > 0)) for way in (1, -1))
    return [(side, sp.exp(side)) for one in both for side in _values(one) if side != 0]


def _values(side: sp.Expr) -> list[sp.Expr]:
    """The values of a side if each of its maxima and minima is one of its arguments, and absolute values have either sign."""
    for extreme in sorted(side.atoms(sp.Max, sp.Min, sp.Abs), key=sp.default_sort_key):
        choices = (*extreme.args, *(-part for part in extreme.args if isinstance(extreme, sp.Abs)))
        return [value for part in choices for value in _values(side.xreplace({extreme: part}))]
    return [side]


def between_exponentials(
    formulas: Sequence[sp.Basic], nonnegative: Positive, positive: Positive
) -> Iterator[tuple[Law, sp.Expr]]:
    """exp(t (1 - 1/x)) <= x^t <= exp(t (x - 1)) for powers with a letter as exponent, and the exponentials."""
    for p in _sorted(p for formula in formulas for p in formula.atoms(sp.Pow)):
        if not (p.exp.is_integer and p.exp.free_symbols and p.base.free_symbols and nonnegative(p.exp)):
            continue
        if nonnegative(p.base):
            above = sp.exp(sp.expand(sp.simplify(p.exp * (p.base - 1))))
            yield Law(["<=", tree(p), tree(above)], POWER_BELOW), above
        if positive(p.base):
            below = sp.exp(sp.expand(sp.simplify(p.exp * (1 - 1 / p.base))))
            yield Law(["<=", tree(below), tree(p)], POWER_ABOVE), below


def enclosure(constant: sp.Expr) -> Iterator[Law]:
    """Rational bounds of exp or log of a rational number, by interval arithmetic; none for the log of 0, which a case may contain."""
    inside = constant.args[0] if isinstance(constant, sp.log) else exponent_of(constant)
    if not (isinstance(constant, sp.exp | sp.log | type(sp.E)) and inside.is_Rational):
        return
    if isinstance(constant, sp.log) and inside <= 0:
        return
    ends = _ends(arb.log if isinstance(constant, sp.log) else arb.exp, inside)
    if ends is None:
        return
    low, high = ends
    if low > 0:
        yield Law(["<", "0", tree(constant)], VALUE)
    yield Law(["<=", str(low), tree(constant)], VALUE)
    yield Law(["<=", tree(constant), str(high)], VALUE)


def _ends(function: Callable[[arb], arb], number: sp.Rational) -> tuple[Fraction, Fraction] | None:
    """Bounds of a function of a number as fractions with `DIGITS` digits; None for numbers of more than `BITS` bits."""
    scale = 10**DIGITS
    for bits in BITS:
        with ctx.workprec(bits):
            scaled = function(arb(int(number.p)) / arb(int(number.q))) * scale
            low, high = scaled.floor().unique_fmpz(), scaled.ceil().unique_fmpz()
        if low is not None and high is not None:
            return Fraction(int(low), scale), Fraction(int(high), scale)
    return None


def split_exponentials(formulas: Sequence[sp.Basic], letter: sp.Symbol | None) -> list[Split]:
    """Write exponentials of sums as products of exponentials of terms, and of multiples of a whole symbol as powers."""
    found = exponentials(formulas)
    exponents = {e: terms(exponent_of(e)) for e in found}
    units = common_units(exponents.values())
    split = ((e, _factors(of, units, letter)) for e, of in exponents.items())
    made = [
        Split(e, product((base, n) for base, n, _ in found), EXP_SUM, tuple(p for _, _, p in found))
        for e, found in split
    ]
    return [one for one in made if one.new != tree(one.old)]


def _factors(of: Terms, units: Terms, letter: sp.Symbol | None) -> list[tuple[Tree, int, sp.Expr]]:
    """The factors of an exponential of a sum: formula, exponent, and the exponential in it."""
    factors = []
    for part, coefficient in of.items():
        unit = units[part]
        if letter is not None and letter in sp.Mul.make_args(part):
            inside = sp.exp(unit * part / letter)
            base: Tree = ["^", tree(inside), letter.name]
        else:
            inside = sp.exp(unit * part)
            base = tree(inside)
        factors.append((base, int(coefficient / unit), inside))
    return factors


def growing_exponentials(
    formulas: Sequence[sp.Basic], letter: sp.Symbol, least: sp.Expr
) -> Iterator[tuple[Law, sp.Expr]]:
    """Yield the value of exp of a sum at the least value of a symbol, and its factor from n to n + 1, with the exponentials in them."""
    for e in exponentials(formulas):
        found = exponent_growth(exponent_of(e), letter, least)
        if found is not None:
            start, factor = map(sp.exp, found)
            name = tree(e)
            yield Law(["=", replaced(name, letter.name, tree(least)), tree(start)], EXP_SUM), start
            after = replaced(name, letter.name, ["+", letter.name, "1"])
            yield Law(["=", after, ["*", name, tree(factor)]], EXP_SUM, letter.name), factor


def split_logarithms(formulas: Sequence[sp.Basic], positive: Positive) -> list[Split]:
    """Write logarithms of products as sums of logarithms of their positive factors."""
    found = []
    for logarithm in logarithms(formulas):
        factors = _with_exponents(rational_factors(one_quotient(logarithm.args[0])), positive)
        if not all(map(positive, factors)):
            continue
        parts = [["*", tree(e), tree(sp.log(f))] for f, e in factors.items()]
        if len(parts) > 1 or any(e != 1 for e in factors.values()):
            found.append(Split(logarithm, ["+", *parts], LOG_PRODUCT, tuple(map(sp.log, factors))))
    return found


def _with_exponents(factors: Terms, positive: Positive) -> dict[sp.Expr, sp.Expr]:
    """Factors of a product with their exponents, where powers of positive numbers are taken apart: 2^n as 2 with n."""
    found: dict[sp.Expr, sp.Expr] = {}
    for factor, exponent in factors.items():
        power = isinstance(factor, sp.Pow) and positive(factor.base)
        base, own = factor.as_base_exp() if power else (factor, sp.S.One)
        found[base] = found.get(base, sp.S.Zero) + own * exponent
    return found
