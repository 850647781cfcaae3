"""Products over an index lie between 1 plus the sum of f - 1 and its exponential, where signs of f and f - 1 are known."""

from __future__ import annotations

import random

import pytest
import sympy as sp

from tests.verify.engine.elementary.asking import question_of, require_proof
from verify.engine.proof.prover import follows_by_laws
from verify.engine.summation.factors import added_logarithms, sums_of_factors
from verify.engine.tactics.prove import implied

n, N, k = sp.symbols("n N k", integer=True, positive=True)
a, b = sp.symbols("a b", positive=True)
x = sp.IndexedBase("x")
CONDITIONS = (sp.Le(n, N), sp.Le(a, 1))


def _nonnegative(formula: sp.Expr) -> bool:
    return bool(formula.is_nonnegative) or implied(sp.Ge(formula, 0, evaluate=False), CONDITIONS)


def _positive(formula: sp.Expr) -> bool:
    return bool(formula.is_positive)


def _found(factors: sp.Product) -> list[sp.Rel]:
    return [r for r, _ in sums_of_factors(factors, _positive, _nonnegative, exponentials=True)]


PRODUCTS = {
    "linear": (sp.Product(1 - k / N, (k, 1, n - 1)), 2),
    "falling": (sp.Product(1 - a / (k + 1), (k, 1, n)), 4),
    "growing": (sp.Product(1 + b / k, (k, 1, n)), 4),
    "powers": (sp.Product(1 - a**k, (k, 1, n)), 2),
    "squares": (sp.Product(1 + b / (k + 1) ** 2, (k, 2, n + 1)), 4),
}


@pytest.mark.parametrize(("factors", "least"), PRODUCTS.values(), ids=PRODUCTS)
def test_bounds_of_products_are_true(factors: sp.Product, least: int) -> None:
    chance = random.Random(5)
    found = _found(factors)
    assert len(found) >= least
    for _ in range(5):
        size = chance.randint(1, 6)
        here = {
            n: size,
            N: size + chance.randint(0, 2),
            a: sp.Rational(chance.randint(1, 9), 10),
            b: chance.randint(1, 3),
        }
        for relation in found:
            small, large = (sp.N(side.subs(here).doit()) for side in (relation.lts, relation.gts))
            assert small <= large + 1e-9, (relation, here)


def test_factors_need_known_signs() -> None:
    for factors in (
        sp.Product(1 - k / N, (k, 1, n + 1)),
        sp.Product(1 - b / k, (k, 1, n)),
        sp.Product(1 - x[k], (k, 1, n)),
        sp.Product(k * (n - k), (k, 1, n)),
    ):
        assert not _found(factors)
    (mixed,) = [r for r in _found(sp.Product(k * b, (k, 1, n))) if r.has(sp.exp)]
    assert mixed.lhs == sp.Product(k * b, (k, 1, n))


def test_logarithms_of_positive_numbers_are_added_up_to_that_of_their_product() -> None:
    d = sp.IndexedBase(sp.Symbol("d", nonnegative=True))
    total = sp.Sum(sp.log(1 + d[k]), (k, 1, n))
    ((equation, _),) = added_logarithms(total)
    assert equation.rhs == sp.log(sp.Product(1 + d[k], (k, 1, n)))
    for term in (sp.log(x[k]), sp.log(1 - d[k]), a * sp.log(k), sp.log(k) / k):
        assert not list(added_logarithms(sp.Sum(term, (k, 1, n))))
    whole = sp.log(1 + sp.Sum(d[k], (k, 1, n)))
    require_proof(question_of(sp.Ge(total, whole, evaluate=False)))


def test_birthdays_of_few_people_differ_with_a_chance_between_two_bounds() -> None:
    differ = sp.Product(1 - k / N, (k, 1, n - 1))
    pairs = n * (n - 1) / (2 * N)
    for claim in (sp.Le(differ, sp.exp(-pairs), evaluate=False), sp.Ge(differ, 1 - pairs, evaluate=False)):
        require_proof(question_of(claim, sp.Le(n, N)))
    false = sp.Le(differ, sp.exp(-(n**2) / (2 * N)), evaluate=False)
    assert follows_by_laws(question_of(false, sp.Le(n, N)), 100) is None
