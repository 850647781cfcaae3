"""Nested sums, and sums whose terms speak of their end, equal the simpler formulas that replace them."""

from __future__ import annotations

import pytest
import sympy as sp

from verify.engine.certificates.formulas import tree
from verify.engine.summation.summing import _simpler, split_sums

n, m, k = sp.symbols("n m k", integer=True, positive=True)
i, j = sp.symbols("i j", integer=True)
a = sp.Symbol("a", positive=True)
SUMS = (
    sp.Sum(n - i, (i, 1, n)),
    sp.Sum(i, (i, 1, j), (j, 1, n)),
    sp.Sum(i * j, (i, 1, n), (j, 1, m)),
    sp.Sum(a, (i, 1, n), (j, 1, m)),
    sp.Sum(a**i * j / n, (i, 0, n), (j, i, m)),
    sp.Sum((1 - a) ** (n - i), (i, 1, n)),
    sp.Sum(i, (i, 3, n)) + sp.Sum(n, (i, 3, n)),
    sp.Sum(i + j, (i, 2, j), (j, 1, n)),
)


def _nonnegative(formula: sp.Expr) -> bool:
    return bool(formula.is_nonnegative)


@pytest.mark.parametrize("formula", SUMS, ids=str)
def test_replaced_sums_have_the_same_values(formula: sp.Expr) -> None:
    for split in split_sums([formula], _nonnegative):
        simple = _simpler(split.old, _nonnegative, {})
        assert split.new == tree(simple)
        for here in ({n: p, m: q, a: sp.Rational(2, 3)} for p in range(1, 5) for q in range(1, 5)):
            assert sp.simplify(split.old.subs(here).doit() - simple.subs(here).doit()) == 0, here


def test_terms_are_not_counted_where_there_may_be_fewer_than_none() -> None:
    assert not split_sums([sp.Sum(n, (i, 3, n))], _nonnegative) or _simpler(
        sp.Sum(n, (i, 3, n)), _nonnegative, {}
    ).has(sp.Sum)


def test_sums_that_differ_in_their_index_are_one_sum() -> None:
    x = sp.IndexedBase("x")
    square, double = sp.Sum(x[i], (i, 1, n)) ** 2, sp.Sum(x[i] * x[j], (i, 1, n), (j, 1, n))
    (split,) = split_sums([square - double], _nonnegative)
    assert (split.old, split.new) == (double, tree(square))
    assert not split_sums([sp.Sum(x[i], (i, 1, n)), sp.Sum(x[j], (j, 1, m))], _nonnegative)
