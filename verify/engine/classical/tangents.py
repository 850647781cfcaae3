"""Tangents of the logarithm at one argument, times the factors of logarithms: Jensen's, Gibbs' and the log-sum inequality.

A difference of sides is written as c_1 log(y_1) + c_2 log(y_2) + .. with positive factors, where a term with a negative factor has
the reciprocal of its argument. One term stays, or none, and all others are at least their tangents at the reciprocal Y of its
argument, or at 1: c log y >= c (log Y + 1 - Y/y). If the claim has square roots, log y is twice the logarithm of a root, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from verify.engine.certificates.formulas import relation_tree
from verify.engine.certificates.question import Question
from verify.engine.classical.monomials import Independent
from verify.engine.elementary.law import SUMMED_TANGENTS, Law
from verify.engine.elementary.laws import Laws, equation_of
from verify.engine.elementary.powers import split_roots
from verify.engine.elementary.questions import Extended, laws_of
from verify.engine.model.question import ask
from verify.engine.model.scene import Condition
from verify.engine.proof.facts import unbroken

TERMS = 6
"""Limit on logarithms of a claim."""
_ROUNDING = sp.Rational(1, 10**9)


@dataclass(frozen=True)
class Term:
    """A positive factor times a logarithm, with the argument of the logarithm."""

    factor: sp.Expr
    logarithm: sp.Expr
    argument: sp.Expr


UNIT = Term(sp.S.One, sp.S.Zero, sp.S.One)


def by_tangents(question: Question) -> Iterator[Extended]:
    """Yield a question with the tangents of all logarithms but one at its argument, for each of them in turn."""
    relation = question.relation
    logs = relation.atoms(sp.log)
    ordered = isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt)
    if not ordered or relation.has(sp.Sum, sp.Product, sp.Indexed) or not 0 < len(logs) <= TERMS:
        return
    laws = laws_of(question)
    products = Independent(laws, {})
    terms = _terms(relation, laws)
    if not terms or not all(products.factors(term.argument) for term in terms):
        return
    rooted = any(p.exp.is_Rational and p.exp.q == 2 for p in relation.atoms(sp.Pow))
    for root in (2, 1) if rooted else (1,):
        for kept in (UNIT, *terms):
            others = [term for term in terms if term != kept]
            times = _times(kept, others)
            found = [_tangent(term, kept, times, root, products) for term in others]
            if found and _suffice(found, relation, laws.conditions):
                whole = sp.Ge(
                    *(sp.Add(*sides) for sides in zip(*(one.args for one in found), strict=True)),
                    evaluate=False,
                )
                law = Law(relation_tree(whole), SUMMED_TANGENTS)
                roots = map(equation_of, split_roots((relation, whole), laws.positive))
                yield Extended(relation, question.given, None, question.through, (law, *roots))


def _suffice(found: Sequence[Condition], relation: Condition, given: tuple[Condition, ...]) -> bool:
    """Whether a relation seems to follow from bounds of terms in its difference of sides."""
    lost = sp.Add(*(one.lhs - one.rhs for one in found))
    left = sp.expand(relation.gts - relation.lts - lost)
    asked = ask("a sum of tangents", sp.Ge(left, -_ROUNDING, evaluate=False), given, None)
    return unbroken(asked.relation, asked.scene, asked.conditions)


def _times(kept: Term, others: Sequence[Term]) -> sp.Rational:
    """The power of the argument of a term with which logarithms cancel: 2 log(y) beside factors with the sum 1 as log(y^2)."""
    times = sp.simplify(kept.factor / sp.Add(*(term.factor for term in others))) if others else sp.S.One
    return times if times.is_Rational else sp.S.One


def _tangent(term: Term, kept: Term, times: sp.Rational, root: int, products: Independent) -> Condition:
    """The bound of a term by the tangent at the reciprocal of a power of the argument of another."""
    at = kept.argument ** (-times / root)
    rest = products.simple(term.factor * term.argument ** sp.Rational(-1, root))
    # a sum of positive terms stays one, because its sign is hidden after it is multiplied out
    share = at * rest if kept.argument.is_Add and times == root else products.simple(at * rest)
    below = term.factor * (root - times * kept.logarithm) - root * share
    return sp.Ge(term.factor * term.logarithm, below, evaluate=False)


def _terms(relation: Condition, laws: Laws) -> list[Term]:
    """The terms with logarithms in the difference of sides; those with equal factors and different signs are joined."""
    factors: dict[sp.log, sp.Expr] = {}
    for part in sp.Add.make_args(sp.expand_mul(relation.gts - relation.lts, deep=False)):
        for term in sp.Add.make_args(sp.expand_mul(part, deep=False)):
            logs = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)]
            if len(logs) == 1:
                factors[logs[0]] = factors.get(logs[0], sp.S.Zero) + term / logs[0]
            elif term.has(sp.log):
                return []
    found = list[Term]()
    for log, c in sorted(factors.items(), key=lambda entry: sp.default_sort_key(entry[0])):
        c = sp.factor(c)
        if c == 0:
            continue
        if laws.positive(c):
            term = Term(c, log, log.args[0])
        elif laws.positive(-c):
            term = Term(-c, -log, 1 / log.args[0])
        else:
            return []
        found = _joined(found, term)
    return found


def _joined(terms: Sequence[Term], new: Term) -> list[Term]:
    """The terms with a new one, which is joined to one with the same factor and the other sign."""
    for k, term in enumerate(terms):
        signs = {term.logarithm.could_extract_minus_sign(), new.logarithm.could_extract_minus_sign()}
        single = len(sp.Add.make_args(term.logarithm)) == 1
        if term.factor == new.factor and single and len(signs) == 2:
            both = Term(new.factor, term.logarithm + new.logarithm, term.argument * new.argument)
            return [*terms[:k], both, *terms[k + 1 :]]
    return [*terms, new]
