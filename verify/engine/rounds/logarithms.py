"""Bounds of logarithms of entries by bounds of the entries, whose recursions need no logarithm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from verify.engine.certificates.formulas import tree
from verify.engine.certificates.question import Question
from verify.engine.elementary.law import CONVEX, POSITIVE, Law
from verify.engine.elementary.laws import Laws
from verify.engine.elementary.questions import Extended, least_given, least_of, letters_of, of_conditions
from verify.engine.model.scene import Condition


def without_logarithms(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    """The question with w[n] <= w[0] exp(B) as an intermediate relation for log(w[n]/w[0]) <= B, or the contrary."""
    for letter in letters_of(question.relation):
        low = sp.Integer(least_of(letter))
        if least_given(letter, laws.conditions) != low:
            continue
        for other, tangent in exponentiated(question.relation, letter, laws):
            more = Laws(other, laws.conditions, laws.follows, every=every)
            found = (*more.of_letter(letter, low), *of_conditions(every, letter, low), *tangent)
            through = (*question.through, other)
            yield Extended(question.relation, question.given, None, through, found, letter.name)


def exponentiated(
    relation: Condition, letter: sp.Symbol, laws: Laws
) -> Iterator[tuple[Condition, tuple[Law, ...]]]:
    """Relations without the logarithm of an entry at a symbol, and the tangent by which the given one follows."""
    if isinstance(relation, sp.Eq | sp.Ne):
        return
    place = sp.Dummy(real=True)
    for log in sorted(relation.atoms(sp.log), key=str):
        inside = log.args[0]
        excess = sp.expand(relation.lts - relation.gts, log=False).xreplace({log: place})
        factor = excess.diff(place)
        bases = log.atoms(sp.IndexedBase)
        ends = any(e.indices == (letter,) for e in log.atoms(sp.Indexed))
        later = (e for e in excess.atoms(sp.Indexed) if not e.indices[0].is_Integer)
        others = any(e.base in bases or e.indices == (letter,) for e in later)
        if not ends or others or place in factor.free_symbols or not laws.positive(inside):
            continue
        bound = sp.expand(place - excess / factor, log=False)
        power, (above, below) = sp.exp(bound), sp.fraction(inside)
        point, limit = (log, inside), (bound, power)
        sign = Law(["<", "0", tree(power)], POSITIVE)
        if laws.positive(factor):
            yield sp.Le(above, below * power, evaluate=False), (sign, _tangent(limit, point))
        elif laws.positive(-factor):
            yield sp.Le(below * power, above, evaluate=False), (sign, _tangent(point, limit))


def _tangent(one: tuple[sp.Expr, sp.Expr], other: tuple[sp.Expr, sp.Expr]) -> Law:
    """The tangent of exp at one number, below exp at another one."""
    (s, at_s), (r, at_r) = one, other
    return Law(["<=", ["*", tree(at_s), ["+", "1", tree(r), ["-", tree(s)]]], tree(at_r)], CONVEX)
