"""Least values of functions of one of several symbols: laws for claims that are tight where one symbol has a certain value.

Let f be the difference of the sides of a claim, or of their logarithms, as a function of one symbol x with the others fixed. Where
(x - c) f'(x) >= 0, f falls up to c and grows from there, so f(x) >= f(c). Where f'' <= 0, f lies above its chord. The sign of the
derivative is proved for every real number of an interval and all values of the other symbols that the conditions allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from random import Random

import sympy as sp

from bounds.symbols import is_visibly
from verify.engine.certificates.formulas import tree
from verify.engine.certificates.question import Question, Undecided
from verify.engine.elementary import forms
from verify.engine.elementary.derivatives import SIZE, SMOOTH, Interval, Range, is_smooth, range_under
from verify.engine.elementary.law import CHORD, LEAST, MEAN_VALUE, Law
from verify.engine.elementary.laws import Laws
from verify.engine.elementary.parts import parts_of
from verify.engine.elementary.questions import Extended
from verify.engine.model.scene import Condition
from verify.engine.tactics.prove import implied, prove

PLACES = 3
"""Limit on places at which a function of one symbol may be least."""
_DRAWN, _TRIED = 400, 30
_ROUNDING = 1e-9

SIGN_STEPS = 200
"""Limit on polynomials of a search for the sign of a derivative."""

Signed = Callable[[sp.Expr, Interval], bool]


def polynomially(formula: sp.Expr, interval: Interval) -> bool:
    """Whether a formula is nonnegative in an interval, where functions may have any positive values."""
    functions = formula.atoms(sp.exp) | {p for p in formula.atoms(sp.Pow) if p.exp.free_symbols}
    values = {part: sp.Dummy(f"value {k}", positive=True) for k, part in enumerate(sp.ordered(functions))}
    relation = sp.Ge(formula.xreplace(values), 0, evaluate=False)
    given = tuple((r, "condition") for r in interval.conditions)
    return is_visibly(relation.lhs, positive=False) or not isinstance(
        prove(Question(relation, given), SIGN_STEPS), Undecided
    )


def by_minima(question: Question, signed: Signed = polynomially) -> Iterator[Extended]:
    """Yield a question with a lower bound of its difference of sides, or of their logarithms, for each symbol in turn.

    Equations among the conditions are solved for a symbol first, if they are linear in it.
    """
    relation = question.relation
    if not isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt) or _is_long(relation):
        return
    given = tuple(r for r, by in question.given if by == "condition" and not r.has(sp.Indexed))
    values, kept = solved(given, relation)
    kept = (*kept, *(part for r in kept for part in parts_of(r) if part != r))
    shifts = {s: low + new for s, low, new in _lower_ends(kept)}
    back = {new: s - low for s, low, new in _lower_ends(kept)}
    setting = Setting(
        _with_values(_with_values(relation, values), shifts),
        tuple(_with_values(r, shifts) for r in kept),
        signed,
        back,
    )
    for above, below in _pairs(relation, setting):
        f = above - below
        here = f.subs(values).subs(shifts)
        symbols = sorted((s for s in here.free_symbols if _in_functions(here, s)), key=lambda s: s.name)
        for x in symbols if here.count_ops() <= SIZE else ():
            for law, value in setting.bounds(f, here, x):
                if value == 0 and f.has(sp.log) and not relation.has(sp.log):
                    law = Law(["<=", tree(relation.lts), tree(relation.gts)], law.name)
                more = (value, *f.atoms(sp.log))
                known = Laws(relation, given, setting.laws.follows, more).of_functions()
                yield Extended(relation, question.given, None, question.through, (law, *known))


def _is_long(relation: Condition) -> bool:
    """Whether a relation is too long, or holds sums or entries of sequences, which have laws of their own."""
    return bool(relation.count_ops() > SIZE) or relation.has(sp.Indexed, sp.Sum, sp.Product)


def by_chords(question: Question) -> Iterator[Extended]:
    """Yield the question with the chord of a concave difference of sides with roots that is 0 at both ends of a range."""
    relation = question.relation
    given = tuple(r for r, by in question.given if by == "condition" and not r.has(sp.Indexed))
    if not given or not isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt) or _is_long(relation):
        return
    f, setting = relation.gts - relation.lts, Setting(relation, given, polynomially, {})
    for x in sorted((s for s in f.free_symbols if _in_functions(f, s)), key=lambda s: s.name):
        for law, values in setting.chord(f, f, x):
            if all(value == 0 for value in values):
                yield Extended(relation, question.given, None, question.through, (law,))


def by_mean_values(question: Question) -> Iterator[Extended]:
    """Yield the question with its claim as a law, if it bounds a function by L |x - c| or L max(x - c, 0) and the mean value theorem does.

    The function is 0 at c, and its derivative is between -L, or 0, and L.
    """
    relation = question.relation
    if not isinstance(relation, sp.Le | sp.Ge) or _is_long(relation):
        return
    given = tuple(r for r, by in question.given if by == "condition" and not r.has(sp.Indexed))
    size, factor = _factored(relation.gts)
    if not isinstance(size, sp.Abs | sp.Max):
        return
    inner, scale = _factored(relation.lts)
    f, w = (
        (scale * inner.args[0], size.args[0]) if isinstance(inner, sp.Abs) else (relation.lts, size.args[0])
    )
    setting = Setting(relation, given, polynomially, {})
    if isinstance(size, sp.Max):
        if isinstance(inner, sp.Abs) or len(size.args) != 2 or sp.S.Zero not in size.args:
            return
        w = next(part for part in size.args if part != 0)
    for x in sorted((s for s in f.free_symbols if _in_functions(f, s)), key=lambda s: s.name):
        if not w.is_polynomial(x) or sp.degree(w, x) != 1 or x in factor.free_symbols:
            continue
        rate = w.coeff(x)
        most = factor * rate * sp.sign(rate)
        low, high = (
            (-most, most) if isinstance(size, sp.Abs) else (0, most) if rate.is_positive else (-most, 0)
        )
        if rate.is_number and setting.changes(f, x, sp.expand(x - w / rate), low, high):
            law = Law(["<=", tree(relation.lts), tree(relation.gts)], MEAN_VALUE)
            yield Extended(relation, question.given, None, question.through, (law,))
            return


def _factored(side: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The absolute value or maximum in a product, and its factor; the side itself if there is none."""
    extremes = (part for part in sp.Mul.make_args(side) if isinstance(part, sp.Abs | sp.Max))
    return next(((part, side / part) for part in extremes if (side / part).is_positive), (side, sp.S.One))


def solved(
    given: tuple[Condition, ...], relation: Condition
) -> tuple[dict[sp.Symbol, sp.Expr], tuple[Condition, ...]]:
    """Values of symbols by equations that are linear in them, and the other conditions with these values."""
    values: dict[sp.Symbol, sp.Expr] = {}
    kept = list(given)
    for equation in (r for r in given if isinstance(r, sp.Eq)):
        top = sp.expand(sp.numer(sp.together((equation.lhs - equation.rhs).subs(values))))
        for s in sorted(top.free_symbols & relation.free_symbols, key=lambda s: s.name, reverse=True):
            if not top.is_polynomial(s) or sp.degree(top, s) != 1:
                continue
            factor = top.coeff(s)
            sign = next((n for n in (1, -1) if Interval(sp.Dummy(), given).positive(n * factor)), 0)
            if sign:
                value = sp.cancel(s - top / factor)
                values = {t: v.subs(s, value) for t, v in values.items()} | {s: value}
                kept.remove(equation)
                kept += [sp.Gt(sign * factor, 0, evaluate=False)] if factor.free_symbols else []
                kept += [sp.Gt(s, 0, evaluate=False)] if s.is_positive else []
                break
    return values, tuple(_with_values(r, values) for r in kept) if values else given


def _with_values(relation: Condition, values: Mapping[sp.Symbol, sp.Expr]) -> Condition:
    """A relation with values put into its sides. SymPy does not evaluate it: a side need not be real then."""
    return relation.func(*(side.subs(values) for side in relation.args), evaluate=False)


def _lower_ends(given: Sequence[Condition]) -> list[tuple[sp.Symbol, sp.Rational, sp.Symbol]]:
    """Symbols above a positive number, with this number and a positive symbol for the distance to it."""
    found: dict[sp.Symbol, sp.Rational] = {}
    for relation in given:
        if isinstance(relation, sp.Lt | sp.Gt) and len(relation.free_symbols) == 1:
            (s,), slack = relation.free_symbols, sp.expand(relation.gts - relation.lts)
            if slack.is_polynomial(s) and sp.degree(slack, s) == 1 and slack.coeff(s) > 0:
                low = s - slack / slack.coeff(s)
                if low.is_positive and not s.is_integer and low > found.get(s, 0):
                    found[s] = sp.expand(low)
    return [(s, low, sp.Symbol(f"{s.name} above {low}", positive=True)) for s, low in found.items()]


def _in_functions(f: sp.Expr, x: sp.Symbol) -> bool:
    """Whether a symbol is in an exponential, a logarithm or a power that is not whole, and in nothing without derivatives."""
    parts = [part for part in sp.preorder_traversal(f) if x in part.free_symbols]
    functions = [p for p in parts if isinstance(p, sp.exp | sp.log) or (p.is_Pow and not p.exp.is_Integer)]
    return bool(functions) and all(isinstance(part, SMOOTH) for part in parts)


def _pairs(relation: Condition, setting: Setting) -> Iterator[tuple[sp.Expr, sp.Expr]]:
    """The sides of a relation, their logarithms, and the sides after multiplication by divisors."""
    above, below = relation.gts, relation.lts
    powers = [part for part in relation.atoms(sp.exp, sp.Pow) if part.exp.free_symbols]
    if powers and setting.positive(above) and setting.positive(below):
        yield sp.expand_log(sp.log(above)), sp.expand_log(sp.log(below))
    yield above, below
    whole = forms.simple(relation, setting.laws)
    if whole not in (relation, relation.reversed):
        yield whole.gts, whole.lts


@dataclass(frozen=True)
class Setting:
    """A relation with its conditions."""

    relation: Condition
    given: tuple[Condition, ...]
    signed: Signed
    back: Mapping[sp.Symbol, sp.Expr]

    @cached_property
    def laws(self) -> Laws:
        return Laws(self.relation, self.given, lambda r: implied(r, self.given))

    def positive(self, formula: sp.Expr) -> bool:
        """Whether a formula is positive under the conditions."""
        return Interval(sp.Dummy(), self.given).positive(formula)

    def bounds(self, name: sp.Expr, f: sp.Expr, x: sp.Symbol) -> Iterator[tuple[Law, sp.Expr]]:
        """Bounds of a function by its least value or by its chord, with these values; laws write the function as `name`."""
        yield from self.chord(name, f, x)
        for without in ((), ("ends",), ("zero",), ("zero", "ends")):
            inside = range_under(x, self.given, without)
            if is_smooth(f.xreplace({x: inside.symbol}), inside.interval):
                yield from self._least(name, f, x, inside)
                return

    def changes(self, f: sp.Expr, x: sp.Symbol, c: sp.Expr, low: sp.Expr, high: sp.Expr) -> bool:
        """Whether a function is 0 at a number of its range, and its derivative is between two numbers."""
        if x in c.free_symbols or _value(f, x, c) != 0:
            return False
        inside = range_under(x, self.given, ())
        smooth = is_smooth(f.xreplace({x: inside.symbol}), inside.interval)
        slope = f.diff(x)
        return (
            smooth
            and self._belongs(c, inside)
            and all(self._has_sign(one, x, inside) for one in (high - slope, slope - low))
        )

    def chord(self, name: sp.Expr, f: sp.Expr, x: sp.Symbol) -> Iterator[tuple[Law, sp.Expr]]:
        """The bound of a concave function by its chord, with its values at the ends of the range of a symbol."""
        inside = range_under(x, self.given, ("zero", "ends"))
        low, high = inside.low, inside.high
        if low is None or high is None:
            return
        second = f.diff(x, 2)
        if any(value > _ROUNDING for value in self._values(second)):
            return
        if not is_smooth(f.xreplace({x: inside.symbol}), inside.interval):
            return
        # inside the range f has derivatives; at the ends it is continuous, because the arguments of its parts are positive there
        if not all(is_smooth(f.subs(x, end), Interval(sp.Dummy(), self.given)) for end in (low, high)):
            return
        at_low, at_high = _value(f, x, low), _value(f, x, high)
        if at_low is None or at_high is None or not self._has_sign(-second, x, inside):
            return
        chord = (high - x) * at_low + (x - low) * at_high
        law = Law(["<=", tree(chord.subs(self.back)), tree((high - low).subs(self.back) * name)], CHORD)
        yield law, sp.Tuple(at_low, at_high).subs(self.back)

    def _least(self, name: sp.Expr, f: sp.Expr, x: sp.Symbol, inside: Range) -> Iterator[tuple[Law, sp.Expr]]:
        slope = f.diff(x)
        for c in islice(self._places(f, slope, x, inside), PLACES):
            value = _value(f, x, c) if self._belongs(c, inside) else None
            if value is None:
                continue
            convex = _value(slope, x, c) == 0 and self._has_sign(slope.diff(x), x, inside)
            if convex or self._has_sign((x - c) * slope, x, inside):
                found = value.subs(self.back)
                yield Law(["<=", tree(found), tree(name)], LEAST), found
                return

    def _places(self, f: sp.Expr, slope: sp.Expr, x: sp.Symbol, inside: Range) -> Iterator[sp.Expr]:
        """Stationary points, other symbols and ends of a range away from which a function grows at random numbers."""
        others = sorted(f.free_symbols - {x}, key=lambda s: s.name)
        ends = [end for end in (inside.low, inside.high) if end is not None]
        found = [*zeros(slope, x), *ends]
        for c in dict.fromkeys([*found, *others, sp.S.Zero, sp.S.One]):
            tight = c in found or all(abs(value) <= _ROUNDING for value in self._values(f.subs(x, c)))
            if tight and all(value >= -_ROUNDING for value in self._values((x - c) * slope)):
                yield c

    def _belongs(self, c: sp.Expr, inside: Range) -> bool:
        """Whether a number lies in a range for all values of the other symbols."""
        y = inside.symbol
        if not c.is_real:
            return False
        known = (
            self.laws.positive(c) if y.is_positive else self.laws.nonnegative(c) if y.is_nonnegative else True
        )
        here = [r.subs(y, c) for r in inside.interval.conditions if y in r.free_symbols]
        return bool(known) and all(r == sp.true or self.laws.follows(r) for r in here)

    def _has_sign(self, formula: sp.Expr, x: sp.Symbol, inside: Range) -> bool:
        """Whether a formula is proved to be nonnegative in a range; its factors are taken one by one."""
        here = sp.expand_log(formula.xreplace({x: inside.symbol}))
        top, below = sp.fraction(sp.factor(sp.together(here)))
        sign, rest = 1, sp.S.One
        for part in (*sp.Mul.make_args(top), *sp.Mul.make_args(below)):
            if is_visibly(part, positive=True) or inside.interval.positive(part):
                continue
            if inside.interval.positive(-part):
                sign = -sign
            elif part in sp.Mul.make_args(below):
                return False
            else:
                rest *= part
        return self.signed(sign * rest, inside.interval)

    def _values(self, formula: sp.Expr) -> Iterator[float]:
        """Values of a formula at random numbers, where it has one."""
        function = sp.lambdify(self.symbols, formula, "math")
        for numbers in self.instances:
            with suppress(ArithmeticError, ValueError, TypeError):
                yield float(function(*numbers))

    @cached_property
    def symbols(self) -> list[sp.Symbol]:
        return sorted(
            self.relation.free_symbols.union(*(r.free_symbols for r in self.given)), key=lambda s: s.name
        )

    @cached_property
    def instances(self) -> list[list[float]]:
        """Random numbers that meet the conditions."""
        random, found = Random(0), list[list[float]]()
        meets = [sp.lambdify(self.symbols, r, "math") for r in self.given]
        for _ in range(_DRAWN):
            drawn = [_number(s, random) for s in self.symbols]
            with suppress(ArithmeticError, ValueError, TypeError):
                if all(meet(*drawn) for meet in meets):
                    found.append(drawn)
            if len(found) == _TRIED:
                break
        return found


def _number(symbol: sp.Symbol, random: Random) -> float:
    if symbol.is_integer:
        return random.randint(1, 20)
    size = random.random() if random.random() < 0.5 else 20 ** random.uniform(-1, 1)
    return size if symbol.is_nonnegative or random.random() < 0.5 else -size


def zeros(formula: sp.Expr, x: sp.Symbol) -> Iterator[sp.Expr]:
    """Zeros of a formula: of linear factors, and of differences of two powers or exponentials."""
    top = sp.factor(sp.numer(sp.together(formula)))
    for factor in (part.as_base_exp()[0] for part in sp.Mul.make_args(top)):
        if x not in factor.free_symbols:
            continue
        terms = sp.Add.make_args(sp.expand(factor))
        if factor.is_polynomial(x) and sp.degree(factor, x) == 1:
            yield sp.cancel(x - factor / sp.expand(factor).coeff(x))
        elif len(terms) == 2:
            quotient = sp.powsimp(-terms[0] / terms[1])
            growth = sp.simplify(quotient.diff(x) / quotient)
            rate = sp.simplify(x * growth)
            if rate != 0 and x not in rate.free_symbols:
                yield sp.powsimp(sp.simplify(quotient / x**rate) ** (-1 / rate))
            elif growth != 0 and x not in growth.free_symbols:
                yield -sp.expand_log(sp.log(sp.simplify(quotient.subs(x, 0)))) / growth


def _simplified(formula: sp.Expr) -> sp.Expr:
    """A simpler formula with the same value; each term has one power of each positive base."""
    real = any(p.exp.free_symbols for p in formula.atoms(sp.Pow) if p.base is not sp.E)
    terms = sp.Add.make_args(sp.expand_mul(formula)) if real else ()
    one = sp.Add(*(sp.Mul(*(b ** sp.cancel(e) for b, e in _exponents(term).items())) for term in terms))
    return sp.simplify(sp.expand_log(sp.powdenest(one if real else formula)))


def _exponents(term: sp.Expr) -> dict[sp.Expr, sp.Expr]:
    """The bases of a product of powers with their exponents, where powers of positive products are taken apart."""
    found: dict[sp.Expr, sp.Expr] = {}
    for factor in sp.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        inner = {base: sp.S.One} if base == factor or not base.is_positive else _exponents(base)
        for b, e in inner.items():
            found[b] = found.get(b, sp.S.Zero) + e * exponent
    return found


def _value(f: sp.Expr, x: sp.Symbol, c: sp.Expr) -> sp.Expr | None:
    """The value of a function at a number; None if it has none."""
    value = _simplified(f.subs(x, c))
    return None if value.has(sp.nan, sp.zoo, sp.oo) or not value.is_real else value
