"""Nested sums, and sums whose terms speak of their end, equal the simpler formulas that replace them."""

from __future__ import annotations

import pytest
import sympy as sp

from bounds.relations import le
from tests.verify.engine.elementary.asking import question_of, require_proof
from verify.engine.certificates.formulas import tree
from verify.engine.proof.prover import follows_by_laws
from verify.engine.summation.summing import _simpler, split_sums, with_simpler_sums

n, m, k = sp.symbols("n m k", integer=True, positive=True)
i, j = sp.symbols("i j", integer=True)
a = sp.Symbol("a", positive=True)
x = sp.IndexedBase("x")
SUMS = (
    sp.Sum(n - i, (i, 1, n)),
    sp.Sum(i, (i, 1, j), (j, 1, n)),
    sp.Sum(i * j, (i, 1, n), (j, 1, m)),
    sp.Sum(a, (i, 1, n), (j, 1, m)),
    sp.Sum(a**i * j / n, (i, 0, n), (j, i, m)),
    sp.Sum((1 - a) ** (n - i), (i, 1, n)),
    sp.Sum(i, (i, 3, n)) + sp.Sum(n, (i, 3, n)),
    sp.Sum(i + j, (i, 2, j), (j, 1, n)),
    sp.Sum(x[j], (j, 1, i), (i, 1, n)),
    sp.Sum(i * x[j], (j, 0, i - 1), (i, 1, n)),
    sp.Sum(x[j] ** 2, (j, i + 1, n), (i, 1, n)),
    sp.Sum((1 - a) ** (i - j) * x[j], (j, i, n + 1), (i, 1, n + 1)),
    sp.Sum((1 - a) ** (i - j) * x[j], (j, 2, i + 1), (i, 1, n)),
    sp.Sum(x[j] + i, (j, 3, i), (i, 1, n)),
    sp.Sum(x[k], (k, 1, j), (j, 1, i), (i, 1, n)),
    sp.Sum((i - n * a) ** 2 * sp.binomial(n, i) * a**i * (1 - a) ** (n - i), (i, 0, n)),
    sp.Sum(i**3 * sp.binomial(n, i) * 2**i, (i, 0, n)),
    sp.Sum(i * sp.binomial(n, i) * m ** (n - i) * (-1) ** i, (i, 0, n)),
    sp.Sum(sp.binomial(n, i) * a**i * (1 - a) ** (n - i), (i, 1, n)),
    sp.Sum((i + 1) * sp.binomial(n, i) * m ** (n - i), (i, 2, n)),
    sp.Sum(m * sp.binomial(n, i) * a**i * (1 - a) ** (n - i) / (i + 1), (i, 0, n)),
    sp.Sum(sp.binomial(n, i) ** 2, (i, 0, n)),
    sp.Sum(m * sp.binomial(n, i) * sp.binomial(m + 1, n - i), (i, 0, n)),
    sp.Sum(sp.binomial(n, i) * sp.binomial(m + 1, i + 1), (i, 0, n)).subs(m, m + 6),
    sp.Sum(1 / (n - i + 1) ** 2, (i, 1, n)),
    sp.Sum(m * x[n - i], (i, 0, n - 1)),
    sp.Sum(1 / ((i + a) * (n + 1 - i)), (i, 1, n)),
)


def _written_out(formula: sp.Expr) -> sp.Expr:
    """A formula in which the ends of sums are numbers, with all their terms."""
    if not isinstance(formula, sp.Sum):
        return formula.func(*map(_written_out, formula.args)) if formula.has(sp.Sum) else formula
    *inner, (index, low, high) = formula.limits
    each = sp.Sum(formula.function, *inner) if inner else formula.function
    return sp.Add(*(_written_out(each.subs(index, at)) for at in range(int(low), int(high) + 1)))


def _nonnegative(formula: sp.Expr) -> bool:
    return bool(formula.is_nonnegative)


@pytest.mark.parametrize("formula", SUMS, ids=str)
def test_replaced_sums_have_the_same_values(formula: sp.Expr) -> None:
    for split in split_sums([formula], _nonnegative):
        simple = _simpler(split.old, _nonnegative, {})
        assert split.new == tree(simple)
        for here in ({n: p, m: q, i: 0, a: sp.Rational(2, 3)} for p in range(1, 5) for q in (1, 3)):
            one, other = (_written_out(formula.subs(here)) for formula in (split.old, simple))
            assert sp.simplify(sp.expand(one - other)) == 0, here


def test_terms_are_not_counted_where_there_may_be_fewer_than_none() -> None:
    assert not split_sums([sp.Sum(n, (i, 3, n))], _nonnegative) or _simpler(
        sp.Sum(n, (i, 3, n)), _nonnegative, {}
    ).has(sp.Sum)


def test_sums_over_triangles_are_exchanged_only_where_no_term_is_lost() -> None:
    total = sp.Sum(x[j], (j, 1, i), (i, 1, n))
    assert _simpler(total, _nonnegative, {}) == sp.expand(
        (n + 1) * sp.Sum(x[j], (j, 1, n)) - sp.Sum(j * x[j], (j, 1, n))
    )
    for other in (
        sp.Sum(x[j], (j, 3, i), (i, 1, n)),
        sp.Sum(x[j], (j, 1, i), (i, 3, n)),
        sp.Sum(x[j], (j, i, m), (i, 1, n)),
    ):
        assert _simpler(other, _nonnegative, {}) == other


def test_a_row_of_binomials_is_added_up_only_where_it_is_whole() -> None:
    for other in (
        sp.Sum(sp.binomial(n, i), (i, 3, n)),
        sp.Sum(sp.binomial(n, i), (i, 0, m)),
        sp.Sum(sp.binomial(n, i) / (i + 2), (i, 0, n)),
        sp.Sum(sp.binomial(n, i) ** 2, (i, 0, m)),
        sp.Sum(sp.binomial(n, i) * sp.binomial(m, i), (i, 1, n)),
        sp.Sum(sp.binomial(n, i) ** 3, (i, 0, n)),
        sp.Sum(sp.binomial(n, i) * x[i], (i, 0, n)),
        sp.Sum(sp.binomial(n, i) * sp.floor(i / 2), (i, 0, n)),
        sp.Sum(sp.binomial(n, i) * sp.factorial(i), (i, 0, n)),
    ):
        assert _simpler(other, _nonnegative, {}) == other


def test_a_row_of_binomials_without_its_first_terms_is_the_whole_row_less_these() -> None:
    total = sp.Sum(sp.binomial(n, i) * a**i * (1 - a) ** (n - i), (i, 1, n))
    (split,) = split_sums([total], _nonnegative)
    assert not split.functions
    require_proof(question_of(sp.Eq(total, 1 - (1 - a) ** n, evaluate=False), sp.Lt(a, 1)))


def test_the_power_in_a_geometric_sum_with_ratio_close_to_one_is_bounded() -> None:
    total = sp.Sum((1 + 1 / n) ** i, (i, 0, n - 1))
    require_proof(question_of(sp.Le(total, 2 * n, evaluate=False)))
    assert follows_by_laws(question_of(sp.Le(total, sp.Rational(3, 2) * n, evaluate=False)), 40) is None


def test_terms_in_the_reverse_order_no_longer_speak_of_the_end() -> None:
    assert _simpler(sp.Sum(1 / sp.sqrt(n - k), (k, 0, n - 1)), _nonnegative, {}) == sp.Sum(
        1 / sp.sqrt(k + 1), (k, 0, n - 1)
    )
    assert _simpler(sp.Sum(x[n - i], (i, 0, n - 1)), _nonnegative, {}) == sp.Sum(x[i], (i, 1, n))
    mixed = sp.Sum(x[n - i] * x[i], (i, 0, n))
    assert _simpler(mixed, _nonnegative, {}) == mixed
    harmonic = sp.Sum(1 / (n - k + 1), (k, 1, n))
    require_proof(question_of(sp.Le(harmonic, 1 + sp.log(n), evaluate=False)))
    assert follows_by_laws(question_of(sp.Le(harmonic, sp.log(n + 1), evaluate=False)), 40) is None


def test_a_nested_sum_has_the_closed_forms_of_the_simpler_sums() -> None:
    double = sp.Sum(a**i, (i, k, n), (k, 1, n))
    require_proof(question_of(sp.Le(double, a / (1 - a) ** 2, evaluate=False), sp.Lt(a, 1)))


def test_sums_that_differ_in_their_index_are_one_sum() -> None:
    square, double = sp.Sum(x[i], (i, 1, n)) ** 2, sp.Sum(x[i] * x[j], (i, 1, n), (j, 1, n))
    (split,) = split_sums([square - double], _nonnegative)
    assert (split.old, split.new) == (double, tree(square))
    assert not split_sums([sp.Sum(x[i], (i, 1, n)), sp.Sum(x[j], (j, 1, m))], _nonnegative)


def test_a_bound_of_a_nested_sum_has_the_stronger_claims_of_the_simpler_sum() -> None:
    claim = le(sp.Sum(2 / k**3, (i, 1, k), (k, 1, n)), 4)
    assert with_simpler_sums(claim) == le(2 * sp.Sum(1 / k**2, (k, 1, n)), 4)
    require_proof(question_of(claim))
