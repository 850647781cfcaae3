"""Powers of sums, such as the norm (x^p + y^p)^(1/p): Hoelder's and Minkowski's inequalities, power means, and powers of terms.

For a sum S = s_1 + .. + s_n of positive terms, S^(1/p) is the norm with exponent p of the numbers s_i^(1/p).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product

import sympy as sp

from verify.engine.certificates.formulas import relation_tree
from verify.engine.certificates.question import Question
from verify.engine.classical.monomials import Independent
from verify.engine.elementary.law import HOELDER, MEAN_OF_POWERS, MINKOWSKI, POWER_OF_SUM, Law
from verify.engine.elementary.laws import Laws, equation_of
from verify.engine.elementary.questions import Extended, laws_of
from verify.engine.model.scene import Condition

TERMS, NORMS = 3, 6
"""Limits on terms of a sum and on powers of sums."""


@dataclass(frozen=True)
class Norm:
    """A power of a sum of positive terms with a positive exponent."""

    terms: tuple[sp.Expr, ...]
    exponent: sp.Expr
    products: Independent

    @property
    def value(self) -> sp.Expr:
        return sp.Pow(sp.Add(*self.terms), self.exponent)

    @property
    def numbers(self) -> tuple[sp.Expr, ...]:
        """The terms with this exponent."""
        return tuple(map(self.power, self.terms))

    def power(self, term: sp.Expr) -> sp.Expr:
        """A number with this exponent, as one product of powers."""
        return self.products.simple(sp.Pow(term, self.exponent, evaluate=False))


def by_norms(question: Question) -> Iterator[Extended]:
    """Yield a question with laws of the powers of sums in it, if there are any."""
    relation = question.relation
    if isinstance(relation, sp.Eq | sp.Ne) or relation.has(sp.Sum, sp.Product, sp.Indexed):
        return
    laws = laws_of(question)
    found = list(dict.fromkeys(of_norms(norms_of(relation, laws), laws)))
    if found:
        each = tuple(Law(relation_tree(one), name) for one, name in found)
        yield Extended(relation, question.given, None, question.through, each)
        more = Laws(relation, laws.conditions, laws.follows, [one for one, _ in found])
        splits = tuple(map(equation_of, more.splits(None)))
        if splits:
            yield Extended(relation, question.given, None, question.through, (*each, *splits))


def norms_of(relation: Condition, laws: Laws) -> list[Norm]:
    """The powers of sums of positive terms in a relation, with exponents that are not whole."""
    powers = sorted(
        (p for p in relation.atoms(sp.Pow) if p.base.is_Add and not p.exp.is_Integer), key=sp.default_sort_key
    )
    products, found = Independent(laws, {}), []
    for p in powers:
        terms = p.base.args
        if len(terms) <= TERMS and laws.positive(p.exp) and all(map(products.factors, terms)):
            found.append(Norm(terms, p.exp, products))
    return found[:NORMS]


def of_norms(norms: Sequence[Norm], laws: Laws) -> Iterator[tuple[Condition, str]]:
    """Relations between powers of sums and of their terms, each with the name of its law."""
    for norm in norms:
        small, large = laws.nonnegative(1 - norm.exponent), laws.nonnegative(norm.exponent - 1)
        if not (small or large):
            continue
        kind = sp.Le if small else sp.Ge
        yield kind(norm.value, sp.Add(*norm.numbers), evaluate=False), POWER_OF_SUM
        for weights in (w for w in _weights(norm.terms) if all(map(laws.positive, w))):
            terms = [w * norm.power(term / w) for w, term in zip(weights, norm.terms, strict=True)]
            yield kind(sp.Add(*terms), norm.value, evaluate=False), MEAN_OF_POWERS
        n = len(norm.terms)
        scaled = sp.Integer(n) ** (norm.exponent - 1) * sp.Add(*norm.numbers)
        yield kind(scaled, norm.value, evaluate=False), MEAN_OF_POWERS
    for one, other in permutations(norms, 2):
        if len(one.terms) == len(other.terms) and laws.follows(
            sp.Eq(one.exponent + other.exponent, 1, evaluate=False)
        ):
            for order in permutations(other.numbers):
                pairs = zip(one.numbers, order, strict=True)
                total = sp.Add(*(x * y for x, y in pairs))
                yield sp.Le(total, one.value * other.value, evaluate=False), HOELDER
    yield from _of_three(norms, laws)


def _of_three(norms: Sequence[Norm], laws: Laws) -> Iterator[tuple[Condition, str]]:
    """Minkowski's inequality for three norms with one exponent, where the numbers of one are sums of those of the others."""
    for whole, one, other in permutations(norms, 3):
        same = one.exponent == other.exponent == whole.exponent and laws.nonnegative(1 - one.exponent)
        if same and len(whole.terms) == len(one.terms) == len(other.terms):
            for order in permutations(other.numbers):
                sums = [x + y for x, y in zip(one.numbers, order, strict=True)]
                if Counter(sums) == Counter(whole.numbers):
                    yield sp.Le(whole.value, one.value + other.value, evaluate=False), MINKOWSKI


def _weights(terms: Sequence[sp.Expr]) -> Iterator[tuple[sp.Expr, ...]]:
    """Factors of the terms of a sum, one of each term, that add up to 1."""
    choices = [[f for f in sp.Mul.make_args(term) if not f.is_Pow] for term in terms]
    for weights in product(*choices):
        if sp.expand(sp.Add(*weights) - 1) == 0:
            yield weights
