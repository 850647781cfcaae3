"""Facts about numbers: powers, sums and recursions, in the given symbols."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal

import sympy as sp

from bounds.relations import eq, ge, gt, le, lt
from bounds.symbols import renamed
from verify.engine.model.scene import Condition, Follows, Rounds, Textbook
from verify.facts.known import Known

POWER = "power"
"""The name of a power in a proof by induction."""
RUDIN = "Rudin, Principles of Mathematical Analysis, 1976, Theorem 8.6"
_TIMES = sp.Symbol("t", integer=True, nonnegative=True)
_PART, _COUNT = sp.Symbol("x", nonnegative=True), sp.Symbol("n", integer=True, positive=True)


def _about(numbers: bool) -> Literal["numbers", "quantities"]:  # noqa: FBT001
    """The subject of a fact: numbers alone, if its functions occur in the fact itself."""
    return "numbers" if numbers else "quantities"


def bernoulli(x: sp.Expr, t: sp.Expr) -> Textbook:
    """(1 + x)^t >= 1 + t x for x >= -1 and whole t >= 1."""
    given = () if x.is_nonnegative else (x >= -1,)
    relation = ge((1 + x) ** t, 1 + t * x)
    power, number = sp.Symbol(POWER, real=True), sp.Symbol("number", nonnegative=True)
    proof = Rounds(
        relation,
        t,
        {power: (1 + x) ** t, number: t},
        {power: (1 + x) * power, number: number + 1},
        given=given,
    )
    source = "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 42"
    return Known("Bernoulli's inequality", relation, source, given, proof)


def discounted(x: sp.Expr, t: sp.Expr) -> Textbook:
    """The same for a discount: (1 + x)^-t (1 + t x) <= 1 for x >= 0 and whole t."""
    given = () if x.is_nonnegative else (x >= 0,)
    relation = le((1 + x) ** (-t) * (1 + t * x), 1)
    power, number = sp.Symbol(POWER, nonnegative=True), sp.Symbol("number", nonnegative=True)
    proof = Rounds(
        relation,
        t,
        {power: (1 + x) ** (-t), number: t},
        {power: power / (1 + x), number: number + 1},
        given=given,
    )
    source = "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 42"
    return Known("Bernoulli's inequality", relation, source, given, proof)


def shrinking(x: sp.Expr, t: sp.Expr) -> Textbook:
    """The same for a decreasing power: (1 - x)^t (1 + t x) <= 1 for 0 <= x <= 1 and whole t >= 1."""
    given = (*(() if x.is_nonnegative else (x >= 0,)), x <= 1)
    relation = le((1 - x) ** t * (1 + t * x), 1)
    power, number = sp.Symbol(POWER, nonnegative=True), sp.Symbol("number", nonnegative=True)
    proof = Rounds(
        relation,
        t,
        {power: (1 - x) ** t, number: t},
        {power: (1 - x) * power, number: number + 1},
        given=given,
    )
    source = "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 42"
    return Known("Bernoulli's inequality", relation, source, given, proof)


def forgetting(x: sp.Expr, t: sp.Expr, z: sp.Expr) -> tuple[Textbook, Textbook]:
    """(1 - x)^t (1 + z) <= 1 for t >= 0, x <= 1 and t x >= ln(1 + z), where z >= 0."""
    logarithm = sp.log(1 + z)
    falls = le((1 - x) ** t * (1 + z), 1)
    given = (*(() if t.is_nonnegative else (t >= 0,)), x <= 1, ge(t * x, logarithm))
    positive = () if z.is_nonnegative else (z >= 0,)
    return (
        Known("ln(1 + z) >= 0", ge(logarithm, 0), RUDIN, positive, about="numbers"),
        Known("1 - x <= exp(-x)", falls, RUDIN, given, about="numbers"),
    )


def _terms(x: sp.Expr, t: sp.Expr, pairs: sp.Expr, triples: sp.Expr) -> sp.Expr:
    """The first terms of the binomial series of (1 - x)^t."""
    return 1 - t * x + pairs * x**2 - triples * x**3


def _four_terms() -> Rounds:
    """(1 - x)^t is at least the first four terms of its binomial series."""
    power, number, pairs, triples = sp.symbols(f"{POWER} number pairs triples", nonnegative=True)
    chosen = {number: _TIMES, pairs: sp.binomial(_TIMES, 2), triples: sp.binomial(_TIMES, 3)}
    once_more = (1 - _PART) * _terms(_PART, number, pairs, triples)
    return Rounds(
        ge((1 - _PART) ** _TIMES, _terms(_PART, *chosen.values())),
        _TIMES,
        {power: (1 - _PART) ** _TIMES, **chosen},
        {power: (1 - _PART) * power, number: number + 1, pairs: pairs + number, triples: triples + pairs},
        given=(_PART <= 1,),
        through=(ge(triples * _PART**4, 0), ge((1 - _PART) * power, once_more)),
    )


def _undone() -> Rounds:
    """(1 + 1/n)^t (1 - 1/(n + 1))^t is 1."""
    rises, falls = 1 + 1 / _COUNT, 1 - 1 / (_COUNT + 1)
    risen, fallen = sp.symbols("risen fallen", positive=True)
    return Rounds(
        eq(rises**_TIMES * falls**_TIMES, 1),
        _TIMES,
        {risen: rises**_TIMES, fallen: falls**_TIMES},
        {risen: rises * risen, fallen: falls * fallen},
    )


@cache
def _estimated(times: sp.Expr, compare: Callable[[sp.Expr, int], Condition], limit: int) -> Follows:
    """(1 + 1/n)^times compared with a number, by four terms of the series of its inverse."""
    of = (_four_terms(), {_PART: 1 / (_COUNT + 1), _TIMES: times}), (_undone(), {_TIMES: times})
    return Follows(compare((1 + 1 / _COUNT) ** times, limit), of)


def below_three(n: sp.Expr) -> Textbook:
    """(1 + 1/n)^n < 3 for whole n >= 1."""
    relation = lt((1 + 1 / n) ** n, 3)
    source = "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 140"
    proof = Follows(relation, ((_estimated(_COUNT, lt, 3), {_COUNT: n}),))
    return Known("(1 + 1/n)^n < 3", relation, source, proof=proof)


def falling_to_e(n: sp.Expr) -> Textbook:
    """(1 + 1/n)^(n + 1) decreases in n, so it is at most 4 for whole n > 0."""
    given = () if n.is_positive else (n > 0,)
    relation = le((1 + 1 / n) ** (n + 1), 4)
    source = "Polya, Szego, Problems and Theorems in Analysis I, 1972, Part One, 168"
    proof = Follows(relation, ((_estimated(_COUNT + 1, le, 4), {_COUNT: n}),), given)
    return Known("(1 + 1/n)^(n + 1) falls", relation, source, given, proof)


def beyond(a: sp.Expr, b: sp.Expr) -> Textbook:
    """max(a - b, 0) and min(a, b) add up to a."""
    relation = eq(sp.Max(0, a - b) + sp.Min(b, a), a)
    return Known("max(0, a - b) + min(a, b) = a", relation, "by the cases a <= b and a > b", about="numbers")


def exponential(low: sp.Expr, at_low: sp.Expr, high: sp.Expr, at_high: sp.Expr) -> Textbook:
    """exp(y) >= exp(x) (1 + y - x), where `at_low` is exp(x) and `at_high` is exp(y)."""
    about = _about(at_low == sp.exp(low) and at_high == sp.exp(high))
    return Known("exp(x) >= 1 + x", le(at_low * (1 + high - low), at_high), RUDIN, about=about)


def positive_exponential(at: sp.Expr) -> Textbook:
    """exp(x) > 0, where `at` is exp(x)."""
    return Known("the exponential is positive", gt(at, 0), RUDIN, about=_about(isinstance(at, sp.exp)))


def half_fallen(at: sp.Expr, beyond: Condition) -> Textbook:
    """exp(-x) <= 0.607 for x >= 1/2, the condition `beyond`; `at` is exp(-x)."""
    x = beyond.gts
    about = _about(at == sp.exp(-x) and beyond.lts == sp.Rational(1, 2))
    return Known(
        "exp(-x) <= 0.607 for x >= 1/2", le(at, sp.Rational(607, 1000)), RUDIN, (beyond,), about=about
    )


def fallen(kept: sp.Expr, start: sp.Expr, more: sp.Expr, part: sp.Expr, *given: Condition) -> Textbook:
    """(1 - x)^t <= exp(-t x): a quantity that loses the share x in each of t rounds with t x >= ln(1 + more/part) ends
    at start/(1 + more/part) or less.
    """
    return Known("(1 - x)^t <= exp(-t x)", le(kept * (part + more), part * start), RUDIN, given)


def logarithm(x: sp.Expr) -> Textbook:
    """ln x <= x - 1 for x > 0."""
    source = "NIST Digital Library of Mathematical Functions, (4.5.4)"
    given = () if x.is_positive else (gt(x, 0),)
    return Known("ln x <= x - 1", le(sp.log(x), x - 1), source, given, about="numbers")


def tangent(x: sp.Expr, y: sp.Expr) -> Textbook:
    """ln y <= ln x + (y - x)/x for positive x and y: a concave function lies below its tangents."""
    given = tuple(gt(number, 0) for number in (x, y) if not number.is_positive)
    source = "Boyd, Vandenberghe, Convex Optimization, 2004, (3.2) and 3.1.5"
    relation = le(sp.log(y), sp.log(x) + (y - x) / x)
    return Known("the logarithm is concave", relation, source, given, about="numbers")


def geometric_sum(q: sp.Expr, t: sp.Expr, index: sp.Symbol) -> Textbook:
    """1 + q + .. + q^(t-1) is (1 - q^t)/(1 - q) for q < 1."""
    total = sp.Sum(q**index, (index, 0, t - 1))
    relation = eq((1 - q) * total, 1 - q**t)
    power, added = sp.Symbol(POWER, real=True), sp.Symbol("added", real=True)
    proof = Rounds(relation, t, {added: total, power: q**t}, {added: added + power, power: q * power})
    return Known("geometric sum", relation, "Euclid, Elements, IX.35", (q < 1,), proof)


def counting(t: sp.Expr, index: sp.Symbol) -> Textbook:
    """0 + 1 + .. + (t - 1) is t (t - 1)/2."""
    total = sp.Sum(index, (index, 0, t - 1))
    relation = eq(2 * total, t * (t - 1))
    number, added = sp.Symbol("number", nonnegative=True), sp.Symbol("added", real=True)
    proof = Rounds(relation, t, {added: total, number: t}, {added: added + number, number: number + 1})
    source = "Graham, Knuth, Patashnik, Concrete Mathematics, 1994, (2.5)"
    return Known("sum of the first whole numbers", relation, source, proof=proof)


def geometric_recursion(after: sp.Expr, start: sp.Expr, q: sp.Expr, more: sp.Expr, t: sp.Expr) -> Textbook:
    """x_t <= q^t x_0 + b/(1 - q) for b >= 0, where x_(k+1) <= q x_k + b comes to x_t <= q^t x_0 + b (1 - q^t)/(1 - q) in t rounds.

    The second bound is proved by induction (`verify.Induction`), as for gradient descent in `verify.facts.iterated`.
    """
    unrolled = after <= q**t * start + more * (1 - q**t) / (1 - q)
    signs = (*(() if q.is_positive else (q > 0,)), *(() if more.is_nonnegative else (more >= 0,)))
    source = "Polyak, Introduction to Optimization, 1987, Lemma 2.2.1"
    relation = after <= q**t * start + more / (1 - q)
    return Known("geometric recursion", relation, source, (*signs, q < 1, unrolled), about="numbers")


def harmonic_sum(total: sp.Expr, logarithm: sp.Expr) -> Textbook:
    """1 + 1/2 + .. + 1/n <= 1 + ln n, where `logarithm` is ln n."""
    source = "Graham, Knuth, Patashnik, Concrete Mathematics, 1994, (6.60)"
    n = logarithm.args[0] if isinstance(logarithm, sp.log) else None
    index = total.limits[0][0] if isinstance(total, sp.Sum) else None
    about = _about(n is not None and index is not None and total == sp.Sum(1 / index, (index, 1, n)))
    return Known("harmonic sum", total <= 1 + logarithm, source, about=about)


def root_sum(t: sp.Expr, index: sp.Symbol) -> Textbook:
    """1 + 1/sqrt(2) + .. + 1/sqrt(t) <= 2 sqrt(t)."""
    total = sp.Sum(1 / sp.sqrt(index), (index, 1, t))
    relation = le(total, 2 * sp.sqrt(t))
    root, added = sp.Symbol("root", nonnegative=True), sp.Symbol("added", real=True)
    later = sp.sqrt(root**2 + 1)
    proof = Rounds(
        relation,
        t,
        {added: total, root: sp.sqrt(t)},
        {added: added + 1 / later, root: later},
        through=(2 * root * later + 1 <= 2 * later**2, 1 / later <= 2 * later - 2 * root),
    )
    source = "Zinkevich, Online convex programming, 2003, proof of Theorem 1"
    return Known("sum of reciprocal roots", relation, source, proof=proof)


def logarithm_of_two(logarithm: sp.Expr, n: sp.Expr) -> Textbook:
    """ln n >= ln 2 > 0.69 for n >= 2, where `logarithm` is ln n."""
    source = "Rudin, Principles of Mathematical Analysis, 1976, 8.20"
    about = _about(logarithm == sp.log(n))
    return Known("ln 2 > 0.69", ge(logarithm, sp.Rational(69, 100)), source, (ge(n, 2),), about=about)


def division(multiple: sp.Expr, rest: sp.Expr, number: sp.Expr) -> Textbook:
    """A number is the largest multiple of the divisor below it plus a remainder."""
    source = "Knuth, The Art of Computer Programming 1, 1.2.4, (1)"
    return Known("division with remainder", eq(multiple + rest, number), source)


def rounding_up(multiple: sp.Expr, rest: sp.Expr, divisor: sp.Expr, number: sp.Expr) -> Textbook:
    """The least multiple above a number is the largest multiple below it plus the divisor, unless the remainder is 0."""
    source = "Graham, Knuth, Patashnik, Concrete Mathematics, 1994, (3.2)"
    relation = eq(multiple, number - rest + divisor * sp.Min(1, rest))
    return Known("rounding up", relation, source)


def rising_max(a: sp.Expr, b: sp.Expr, c: sp.Expr) -> Textbook:
    """max(c, a) >= max(c, b) if a >= b."""
    relation = ge(sp.Max(c, a), sp.Max(c, b))
    return Known("the larger of two grows with each", relation, "by definition", (ge(a, b),), about="numbers")


def smaller(a: sp.Expr, b: sp.Expr) -> Textbook:
    """min(a, b) = a if a <= b."""
    relation = eq(sp.Min(a, b), a)
    return Known("the smaller of two", relation, "by definition", (le(a, b),), about="numbers")


def telescoping(total: sp.Symbol, first: sp.Expr, last: sp.Symbol) -> Textbook:
    """The decreases of all rounds add up to the first value minus the last one."""
    so_far, before = (renamed(name, f"{name} before") for name in (total, last))
    relation, source = eq(total, first - last), "Knuth, The Art of Computer Programming 1, 1.2.3"
    lost = Known("a round loses what it has less", eq(total, so_far + before - last), "by definition")
    proof = Rounds(relation, _TIMES, {}, {}, {total: (so_far, sp.S.Zero), last: (before, first)}, (lost,))
    return Known("telescoping", relation, source, proof=proof)
