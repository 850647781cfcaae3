"""Functions of one symbol and their Taylor polynomials: a law for claims that are tight at one point.

If the k-th derivative of f is nonnegative between c and x, then f(x) is at least the Taylor polynomial of degree k - 1 at c, where
x >= c or k is even; where x <= c and k is odd, it is at most that. Here f is the difference of the sides of a claim, or of their
logarithms. The sign of the derivative is proved for every real number of an interval that contains c and all values of the symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import sympy as sp

from bounds.symbols import domain_of
from verify.engine.certificates.formulas import tree
from verify.engine.certificates.question import Question, Undecided
from verify.engine.elementary import forms
from verify.engine.elementary.extended import extensions
from verify.engine.elementary.law import DERIVATIVE, Law
from verify.engine.elementary.laws import Laws
from verify.engine.elementary.questions import Extended
from verify.engine.elementary.search import elementary
from verify.engine.model.scene import Condition
from verify.engine.tactics.prove import implied

SYMBOLS, ORDER = 2, 3
"""Limits on symbols of a claim, and on the order of a derivative."""
SIZE = 60
"""Limit on the number of operations in a difference of sides."""
STEPS = 200
"""Limit on polynomials of a search for the sign of a derivative."""
_LEAST = {"positive": sp.S.Zero, "nonnegative": sp.S.Zero, "count": sp.S.One}
SMOOTH = (sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, sp.Symbol, sp.Number, sp.NumberSymbol)


@dataclass(frozen=True)
class Interval:
    """An interval by a symbol for its numbers and conditions on it; `end` is one of its ends, if the interval contains it."""

    symbol: sp.Symbol
    conditions: tuple[Condition, ...]
    end: sp.Expr | None = None

    def positive(self, formula: sp.Expr) -> bool:
        """Whether a formula is proved to be positive at every number of the interval."""
        numbers = {e: sp.Dummy(positive=True) for e in formula.atoms(sp.exp)}
        laws, here = Laws(sp.true, self.conditions, self._follows), formula.xreplace(numbers)
        bases = [factor.as_base_exp()[0] for factor in sp.Mul.make_args(here)]
        return laws.positive(here) or (bases != [here] and all(map(laws.positive, bases)))

    def has(self, number: sp.Expr) -> bool:
        """Whether a number belongs to an open interval."""
        inside = number.is_positive if self.symbol.is_positive else True
        return bool(inside) and all(
            bool(r.subs(self.symbol, number)) for r in self.conditions if self.symbol in r.free_symbols
        )

    def _follows(self, relation: Condition) -> bool:
        return implied(relation, self.conditions)


@dataclass(frozen=True)
class Range:
    """The values of a symbol that linear conditions allow, with the least and the largest if these are known."""

    interval: Interval
    low: sp.Expr | None
    high: sp.Expr | None

    @property
    def symbol(self) -> sp.Symbol:
        return self.interval.symbol


def by_derivatives(question: Question) -> Iterator[Extended]:
    """Yield a question with bounds of its difference of sides, or of their logarithms, by Taylor polynomials in one symbol.

    The sides may be multiplied by positive divisors before. If there are two symbols, an exponential or logarithm must hold the one and not the other.
    """
    relation = question.relation
    if not isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt) or not relation.atoms(sp.exp, sp.log):
        return
    symbols = relation.free_symbols
    if not all(isinstance(part, SMOOTH) for s in relation.args for part in sp.preorder_traversal(s)):
        return
    functions = relation.atoms(sp.exp, sp.log)
    alone = [x for x in symbols if any(part.free_symbols == {x} for part in functions)]
    if len(symbols) > SYMBOLS or len(alone) != 1:
        return
    (x,) = alone
    given = tuple(r for r, by in question.given if by == "condition" and r.free_symbols <= symbols)
    laws = Laws(relation, given, lambda r: implied(r, given))
    sides = [relation.gts, relation.lts]
    logs = [sp.expand_log(sp.log(side)) for side in sides] if all(map(laws.positive, sides)) else []
    whole = forms.simple(relation, laws)
    pairs = [logs, sides, *([[whole.gts, whole.lts]] if whole != relation else [])]
    for above, below in filter(None, pairs):
        f = above - below
        if f.count_ops() > SIZE:
            continue
        more = [sp.log(side) for side in sides] if [above, below] == logs else []
        bounds = list(_bounds(f, x, given))
        if bounds:
            known = Laws(relation, given, laws.follows, more).of_functions()
            yield Extended(relation, question.given, None, question.through, (*bounds, *known))


def _bounds(f: sp.Expr, x: sp.Symbol, given: tuple[Condition, ...]) -> Iterator[Law]:
    """Taylor polynomials below f at points where it is tight."""
    for interval in _intervals(x, given):
        g = f.xreplace({x: interval.symbol})
        if not is_smooth(g, interval):
            continue
        inner = filter(interval.has, (sp.S.Zero, sp.S.One, sp.S.Half, sp.E, sp.exp(-1)))
        for c in inner if interval.end is None else (interval.end,):
            polynomial = _polynomial_below(g, interval, c)
            if polynomial is not None:
                below = polynomial.xreplace({interval.symbol: x})
                yield Law(["<=", tree(below), tree(f)], DERIVATIVE)


def _intervals(x: sp.Symbol, given: tuple[Condition, ...]) -> Iterator[Interval]:
    """Intervals that contain all values of a symbol: one that contains its least end, and one that may lack it."""
    own = [r for r in given if r.free_symbols == {x}]
    others = [r for r in given if x not in r.free_symbols]
    linear = [r for r in own if isinstance(r, sp.Le | sp.Lt | sp.Ge | sp.Gt) and _is_linear(r, x)]
    lows = [low for r in linear if (low := _low(r, x)) is not None]
    least = _LEAST.get(domain_of(x))
    lows += [] if least is None else [least]
    if lows:
        low = max(lows)
        y = sp.Symbol("any number", **({"nonnegative": True} if low == 0 else {"real": True}))
        closed = [sp.Ge(y, low)] if low != 0 else []
        rest = [r.xreplace({x: y}) for r in linear if _low(r, x) is None]
        yield Interval(y, (*closed, *rest, *others), low)
    y = sp.Symbol("any number", **({"positive": True} if least is not None else {"real": True}))
    rest = [r.xreplace({x: y}) for r in linear]
    yield Interval(y, (*(r for r in rest if r not in (sp.true, sp.false)), *others))


def linear_ends(
    x: sp.Symbol, given: Iterable[Condition]
) -> Iterator[tuple[Condition, sp.Expr | None, sp.Expr | None]]:
    """Linear conditions on a symbol alone, each with the lower or the upper end that it sets."""
    for relation in given:
        ordered = isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt) and relation.free_symbols == {x}
        if ordered and _is_linear(relation, x):
            low, slack = _low(relation, x), relation.gts - relation.lts
            yield relation, low, sp.solve(slack, x)[0] if low is None else None


def _is_linear(relation: Condition, x: sp.Symbol) -> bool:
    difference = relation.lhs - relation.rhs
    return bool(difference.is_polynomial(x)) and sp.degree(difference, x) == 1


def _low(relation: Condition, x: sp.Symbol) -> sp.Expr | None:
    """The lower end that a linear condition sets; None if it sets an upper end."""
    slack = relation.gts - relation.lts
    slope = sp.expand(slack).coeff(x)
    return sp.simplify(x - slack / slope) if slope > 0 else None


def range_under(x: sp.Symbol, given: Sequence[Condition], without: Sequence[str]) -> Range:
    """The values of a symbol under linear conditions, without an end at 0 or the ends of strict conditions."""
    domain = _LEAST.get(domain_of(x))
    if domain is None:
        y = sp.Symbol("any number", real=True)
    else:
        y = sp.Symbol(
            "any number", **{"nonnegative" if "zero" not in without and domain == 0 else "positive": True}
        )
    low, high, kept = domain, None, [r for r in given if x not in r.free_symbols]
    kept += [sp.Ge(y, domain)] if domain == 1 else []
    for relation in given:
        slack = (
            sp.expand(relation.gts - relation.lts)
            if isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt)
            else x**2
        )
        if not slack.is_polynomial(x) or sp.degree(slack, x) != 1:
            continue
        slope = slack.coeff(x)
        end = sp.cancel(x - slack / slope)
        if slope.is_positive:
            low = end
        elif slope.is_negative:
            high = end
        else:
            continue
        strict = isinstance(relation, sp.Lt | sp.Gt) and "ends" in without
        kept.append((sp.Gt if strict else sp.Ge)(slack.subs(x, y), 0, evaluate=False))
    return Range(Interval(y, tuple(kept)), low, high)


def is_smooth(g: sp.Expr, interval: Interval) -> bool:
    """Whether all logarithms, quotients and powers are defined, with all derivatives, in an interval."""
    insides = [one.args[0] for one in g.atoms(sp.log)]
    insides += [
        p.base for p in g.atoms(sp.Pow) if not (p.exp.is_Integer and p.exp.is_positive) and p.base is not sp.E
    ]
    return all(map(interval.positive, insides))


def _polynomial_below(g: sp.Expr, interval: Interval, c: sp.Expr) -> sp.Expr | None:
    """The Taylor polynomial at c of the least degree that the sign of the next derivative allows."""
    y, polynomial, derivative = interval.symbol, sp.S.Zero, g
    for k in range(1, ORDER + 1):
        value = sp.simplify(derivative.subs(y, c))
        tight = k > 1 or value == 0 or (interval.end is not None and value.is_positive)
        if not (value.is_real and tight):
            return None
        polynomial += value / sp.factorial(k - 1) * (y - c) ** (k - 1)
        derivative = sp.simplify(derivative.diff(y))
        if (interval.end is not None or k % 2 == 0) and is_nonnegative(derivative, interval):
            return polynomial
    return None


def is_nonnegative(formula: sp.Expr, interval: Interval) -> bool:
    """Whether a formula is proved to be nonnegative in an interval."""
    above, below = sp.fraction(sp.factor(sp.together(formula)))
    if interval.positive(-below):
        above, below = -above, -below
    elif not interval.positive(below):
        return False
    return bool(above.is_nonnegative) or _is_implied(sp.Ge(above, 0, evaluate=False), interval.conditions)


@cache
def _is_implied(relation: Condition, conditions: tuple[Condition, ...]) -> bool:
    if implied(relation, conditions):
        return True
    question = Question(relation, tuple((condition, "condition") for condition in conditions))
    return any(not isinstance(elementary(asked, STEPS), Undecided) for asked in extensions(question))
