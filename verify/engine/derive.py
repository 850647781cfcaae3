"""Machine proofs by insertion: bounds are put in for symbols, then the signs of coefficients decide.

The way in which most lines of a convergence proof follow from the line before: a premise ``v <= bound`` may be put
in for v wherever the slack of the claim falls with v, and what remains is a sum of products of quantities that are
not negative. An SMT solver gives up on such claims, because they have a dozen symbols; here nothing is searched but
the order of insertion. All arithmetic is exact, so an answer of True is a proof; False says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from time import process_time
from typing import Literal

import sympy as sp

from verify.engine.scene import Condition

SLACKS = (6, 120)
"""Largest number of slacks that an attempt looks at: first briefly, then at length."""
FEW = 60
"""Largest number of terms of a polynomial that is tried as a quadratic form."""
LONG = 6
"""Number of terms from which on a sum is not brought to one denominator at once."""
DEPTH = 2
"""How many bounds may be put in to settle the sign of a slope."""


@dataclass(frozen=True)
class Rule:
    """A premise solved for one symbol: ``symbol = bound``, or bounded by it from above or below."""

    symbol: sp.Symbol
    kind: Literal["equal", "above", "below"]
    bound: sp.Expr


def follows(relation: Condition, premises: Iterable[Condition] = (), milliseconds: int = 5000) -> bool:
    """Whether `relation` (=, <= or >=) could be derived from the premises and the domains of the symbols.

    A derivation holds wherever all expressions are defined: denominators are taken to differ from zero.
    """
    if isinstance(relation, sp.Lt | sp.Gt) or _long_with_roots(relation):
        return False
    premises = tuple(premises)
    small, large = _ordered(relation)
    attempt = _Attempt(rules(premises), relation.free_symbols)
    slack = attempt.inserted(large - small)
    if isinstance(relation, sp.Eq):
        return bool(_fraction(slack)[0] == 0)
    # What cannot be solved for a symbol can still be taken off as it is
    whole = [p for p in premises if not isinstance(p, sp.Eq) and not rules([p])]
    less = [attempt.inserted(large - small) for small, large in map(_ordered, whole)]
    candidates = sorted([slack, *(slack - other for other in less)], key=_length)
    share = milliseconds / len(candidates)
    return any(attempt.succeeds(candidate, share, most) for most in SLACKS for candidate in candidates)


def _length(slack: sp.Expr) -> int:
    """Number of terms once everything that cancels has gone."""
    return len(sp.Add.make_args(sp.expand(_with_plain_denominators(slack))))


def hopeless(relation: Condition, premises: Iterable[Condition] = ()) -> bool:
    """Whether a symbol that no premise speaks of can make the slack of an inequality as small as it likes."""
    if isinstance(relation, sp.Eq):
        return False
    premises = tuple(premises)
    small, large = _ordered(relation)
    spoken = frozenset().union(*(premise.free_symbols for premise in premises))
    return _unbounded(large - small, spoken, _Attempt(rules(premises)).floor)


def _unbounded(slack: sp.Expr, held: frozenset[sp.Basic], floor: Floor) -> bool:
    """Whether the slack falls without limit in a symbol that is not `held`."""
    for symbol in sorted(slack.free_symbols - held, key=str):
        if not isinstance(symbol, sp.Symbol) or symbol.is_integer:
            continue
        slope = sp.diff(slack, symbol)
        if slope == 0 or symbol in slope.free_symbols:
            continue
        if _harmless(-slope, floor) or (not symbol.is_nonnegative and _harmless(slope, floor)):
            return True
    return False


def _long_with_roots(relation: Condition) -> bool:
    """Whether a relation has roots in many terms: bringing those to one denominator takes minutes."""
    roots = any(power.exp.is_Rational and not power.exp.is_Integer for power in relation.atoms(sp.Pow))
    return roots and sum(len(sp.Add.make_args(part)) for part in relation.args) > LONG


def rules(premises: Iterable[Condition]) -> tuple[Rule, ...]:
    """Premises as rules; a premise about a product of positive symbols gives a rule for each."""
    found: list[Rule] = []
    for premise in premises:
        small, large = _ordered(premise)
        if isinstance(premise, sp.Eq):
            found += _solved(small, large, "equal")
        else:
            found += [*_solved(small, large, "above"), *_solved(large, small, "below")]
    # What was given last is nearest to the claim, and bounds of whole numbers seldom help
    found.reverse()
    return tuple(sorted(found, key=lambda rule: bool(rule.symbol.is_integer)))


def _ordered(relation: Condition) -> tuple[sp.Expr, sp.Expr]:
    """The side that is claimed to be small, and the other."""
    small, large = relation.args[::-1] if isinstance(relation, sp.Ge | sp.Gt) else relation.args
    return small, large


def _solved(side: sp.Expr, other: sp.Expr, kind: Literal["equal", "above", "below"]) -> list[Rule]:
    factors = sp.Mul.make_args(side)
    single = len(factors) == 1
    if not all(factor.is_Symbol and (single or factor.is_positive) for factor in factors):
        return []
    solved = [Rule(factor, kind, other * factor / side) for factor in factors]
    return [rule for rule in solved if rule.symbol not in rule.bound.free_symbols]


Floor = tuple[tuple[sp.Symbol, sp.Expr], ...]
"""Symbols with least values of theirs, which are numbers or other symbols."""


class _Attempt:
    """One attempt at a proof: its rules, and how many slacks were looked at."""

    def __init__(self, found: tuple[Rule, ...], claimed: Iterable[sp.Basic] = ()) -> None:
        self.claimed = frozenset(claimed)
        self.equations = [rule for rule in found if rule.kind == "equal"]
        self.bounds = tuple(rule for rule in found if rule.kind != "equal")
        self.floor = tuple((r.symbol, r.bound) for r in self.bounds if r.kind == "below" and _simple(r.bound))

    def succeeds(self, slack: sp.Expr, milliseconds: float, most: int) -> bool:
        """Whether the slack was found to be nonnegative, within some time and by a look at so many slacks."""
        self.looked_at, self.most = 0, most
        self.deadline = process_time() + milliseconds / 1000
        return self.nonnegative(slack, self.bounds, len(self.bounds), self.floor)

    def inserted(self, slack: sp.Expr) -> sp.Expr:
        """The slack with every equation put in, and again for what the equations brought in."""
        for _ in self.equations:
            before = slack
            for rule in self.equations:
                slack = slack.subs(rule.symbol, rule.bound)
            if slack == before:
                break
        return slack

    def nonnegative(self, slack: sp.Expr, left: tuple[Rule, ...], depth: int, floor: Floor) -> bool:
        """Whether the slack cannot be negative: by its signs, or after up to `depth` of the rules `left`."""
        self.looked_at += 1
        if self.looked_at > self.most or process_time() > self.deadline:
            return False
        slack = _with_plain_denominators(slack)
        expanded = sp.expand(slack)
        n_terms = len(sp.Add.make_args(expanded))
        if n_terms < len(sp.Add.make_args(slack)):
            slack = expanded
        if expanded == 0:
            return True
        # What an insertion brought in has to go again
        held = self.claimed.union(*({rule.symbol, *rule.bound.free_symbols} for rule in left))
        if _unbounded(slack, held, floor):
            return False
        if _trimmed(slack, floor):
            return True
        # In a long sum, what stands in no denominator is put in before everything is brought to one
        plain = [rule for rule in left if n_terms > LONG and _plain(rule.symbol, slack)]
        if depth and any(self._put_in(rule, slack, left, depth, floor) for rule in plain):
            return True
        top, bottom = _fraction(slack)
        if not _has_sign(_above(bottom, floor)):
            return False
        top = _without_positive_factor(top)
        if _settled(top, floor):
            return True
        if not depth:
            return False
        usable = [rule for rule in left if rule.symbol in top.free_symbols and rule not in plain]
        return any(self._put_in(rule, top, left, depth, floor) for rule in usable)

    def _put_in(self, rule: Rule, slack: sp.Expr, left: tuple[Rule, ...], depth: int, floor: Floor) -> bool:
        """Put in a bound; the symbol must stand in no denominator, so that none vanishes on the way to its bound."""
        if rule.kind == "below" and rule.symbol.is_nonnegative and not _harmless(rule.bound, floor):
            return False
        if rule.kind == "below" and rule.bound.is_Symbol and rule.bound not in slack.free_symbols:
            return False  # one symbol for another gains nothing
        slope = sp.diff(slack, rule.symbol)
        rest = tuple(other for other in left if other != rule)
        # On the way to the bound only what does not speak of this symbol stays true for certain
        sure = tuple(r for r in rest if rule.symbol not in {r.symbol, *r.bound.free_symbols})
        falls, way = (-slope if rule.kind == "above" else slope), _on_the_way(rule, floor)
        return self.nonnegative(falls, sure, min(depth - 1, DEPTH), way) and self.nonnegative(
            self.inserted(slack.subs(rule.symbol, rule.bound)), rest, depth - 1, floor
        )


def _with_plain_denominators(slack: sp.Expr) -> sp.Expr:
    """Numbers taken out of denominators: 1/(2*x + 2) and 1/(x + 1) would not cancel."""
    return slack.replace(
        lambda part: part.is_Pow and part.base.is_Add and part.exp.is_Integer and part.exp.is_negative,
        lambda part: sp.factor_terms(part.base) ** part.exp,
    )


def _plain(symbol: sp.Symbol, slack: sp.Expr) -> bool:
    """Whether a symbol occurs in a sum, but in no denominator and not as a whole number."""
    if symbol.is_integer or symbol not in slack.free_symbols:
        return False
    return all(symbol not in sp.fraction(power)[1].free_symbols for power in slack.atoms(sp.Pow))


def _on_the_way(rule: Rule, floor: Floor) -> Floor:
    """Least values that stay true while the symbol of a rule moves to its bound."""
    if rule.kind == "above":
        return tuple((s, least) for s, least in floor if least != rule.symbol or s == rule.bound)
    least = rule.bound if _simple(rule.bound) else sp.S.Zero
    return (*((s, other) for s, other in floor if s != rule.symbol), (rule.symbol, least))


def _simple(bound: sp.Expr) -> bool:
    return bool(bound.is_number or bound.is_Symbol)


def _trimmed(slack: sp.Expr, floor: Floor) -> bool:
    """Whether the slack stays nonnegative without those harmless terms that look unrelated to the others."""
    terms = sp.Add.make_args(slack)
    doubtful = [term for term in terms if not _harmless(term, floor)]
    if not doubtful:
        return True
    related = {s for term in doubtful for s in term.free_symbols} | {
        s for s in slack.free_symbols if s.is_integer
    }
    kept = [term for term in terms if term in doubtful or term.free_symbols <= related]
    if len(kept) == len(terms):
        return False
    top, bottom = _fraction(sp.Add(*kept))
    return _has_sign(_above(bottom, floor)) and _settled(top, floor)


def _harmless(slack: sp.Expr, floor: Floor) -> bool:
    return all(_has_sign(_above(part, floor)) for part in _fraction(slack))


def _settled(polynomial: sp.Expr, floor: Floor) -> bool:
    polynomial = _above(polynomial, floor)
    return _has_sign(polynomial) or (len(polynomial.args) <= FEW and _is_square_sum(polynomial))


def _above(polynomial: sp.Expr, floor: Floor) -> sp.Expr:
    """Each symbol with a known least value as that value plus something that is not negative."""
    if _has_sign(polynomial):
        return polynomial
    there = polynomial.free_symbols
    shift = {symbol: _shifted(symbol, floor, frozenset(there)) for symbol in there}
    return sp.expand(polynomial.subs(shift, simultaneous=True))


def _shifted(symbol: sp.Symbol, floor: Floor, there: frozenset[sp.Symbol]) -> sp.Expr:
    """A symbol as a sum: above another symbol that is `there`, else above a number, else as it is."""
    own = [least for s, least in floor if s == symbol]
    numbers = [least for least in own if least.is_number]
    if symbol.is_integer and symbol.is_positive and not any(s == symbol and least == 0 for s, least in floor):
        numbers.append(sp.S.One)
    rest = sp.Symbol(f"{symbol.name}_rest", nonnegative=True)
    for least in own:
        if least in there:
            return rest + _shifted(least, floor, there - {symbol})
    return rest + max(numbers) if numbers else symbol


def _fraction(expression: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Expanded numerator and denominator; the denominator has a positive leading sign where it has one sign."""
    top, bottom = (sp.expand(part) for part in sp.fraction(sp.together(expression)))
    return (-top, -bottom) if _has_sign(-bottom) else (top, bottom)


def _without_positive_factor(polynomial: sp.Expr) -> sp.Expr:
    """A polynomial divided by the powers of positive symbols that all of its terms share."""
    terms = [term.as_powers_dict() for term in sp.Add.make_args(polynomial)]
    shared = {s for s in terms[0] if s.is_Symbol and s.is_positive}.intersection(*terms[1:])
    return sp.expand(polynomial / sp.Mul(*(s ** min(term[s] for term in terms) for s in shared)))


def _has_sign(polynomial: sp.Expr) -> bool:
    """Whether no term of an expanded polynomial can be negative."""
    return all(term.is_nonnegative for term in sp.Add.make_args(polynomial))


def _is_square_sum(polynomial: sp.Expr) -> bool:
    """Whether the terms that may be negative belong to a quadratic form that is positive semidefinite.

    The form is taken in the symbols that have an odd power in such a term; its coefficients are polynomials in the
    others. It is semidefinite if none of its principal minors can be negative.
    """
    terms = sp.Add.make_args(polynomial)
    doubtful = [term for term in terms if not term.is_nonnegative]
    odd = sorted(
        {s for t in doubtful for s, power in t.as_powers_dict().items() if s.is_Symbol and power == 1},
        key=str,
    )
    if len(odd) > 6:
        return False
    return any(_semidefinite(polynomial, list(mixed)) for n in (2, 3, 4) for mixed in combinations(odd, n))


def _semidefinite(polynomial: sp.Expr, mixed: list[sp.Symbol]) -> bool:
    try:
        form = sp.Poly(polynomial, *mixed)
    except sp.PolynomialError:  # one of them stands in an exponent or under a root, too
        return False
    if any(sum(powers) not in (0, 2) for powers in form.monoms()):
        return False
    if not _has_sign(sp.expand(form.coeff_monomial(1))):
        return False
    matrix = sp.hessian(form.as_expr(), mixed)
    places = range(len(mixed))
    chosen = (list(rows) for n in range(1, len(mixed) + 1) for rows in combinations(places, n))
    return all(_has_sign(sp.expand(matrix[rows, rows].det())) for rows in chosen)
