"""Stronger claims imply the bound."""

from __future__ import annotations

import sympy as sp

from tests.verify.engine.elementary.asking import question_of, require_proof
from verify.engine.elementary.stronger import stronger, with_new_functions

T = sp.Symbol("T", integer=True, positive=True)
k = sp.Symbol("k", integer=True, positive=True)


def test_a_stronger_claim_asks_for_more() -> None:
    relation = sp.Le(sp.Sum(1 / k**2, (k, 1, T)), 2)
    found = list(stronger(relation, T))
    assert any(other.lts - relation.lts == 1 / T for other in found)
    for other in found:
        assert (other.lts - relation.lts).is_positive
        assert other.gts == relation.gts


def test_the_tail_of_a_sum_of_falling_exponentials_is_its_integral() -> None:
    a = sp.Symbol("a", positive=True)
    total, grows = sp.Sum(2 * sp.exp(1 - a * k), (k, 1, T)), sp.Sum(sp.exp(a * k), (k, 1, T))
    (found,) = with_new_functions(sp.Le(total, 9, evaluate=False), T, ())
    assert found.lts - total == 2 * sp.exp(1 - a * T) / a
    assert not list(with_new_functions(sp.Le(grows, 9, evaluate=False), T, ()))


def test_the_tail_of_products_of_powers_has_no_new_roots() -> None:
    total = sp.Sum(1 / ((k + 1) * sp.sqrt(k)), (k, 1, T))
    assert next(stronger(sp.Le(total, 2, evaluate=False), T)).lts == total + 2 / sp.sqrt(T + 1)
    odd = sp.Sum(1 / (2 * k - 1) ** 2, (k, 1, T))
    assert any(sp.simplify(other.lts - odd - 1 / (4 * T)) == 0 for other in stronger(sp.Le(odd, 2), T))
    require_proof(question_of(sp.Le(total, 2, evaluate=False)))


def test_the_total_of_falling_exponentials_is_bounded() -> None:
    a = sp.Symbol("a", positive=True)
    require_proof(question_of(sp.Le(sp.Sum(sp.exp(-a * k), (k, 1, T)), 1 / a, evaluate=False)))


def test_the_next_term_adds_or_takes_away_losses() -> None:
    i, b = sp.Symbol("i", integer=True), sp.Symbol("b", positive=True)
    w, d = (sp.IndexedBase(sp.Symbol(name, positive=True)) for name in "wd")
    total = sp.Sum(w[i] * (d[i - 1] - d[i]), (i, 1, T))
    assert next(stronger(sp.Le(total, b * w[T]), T)) == sp.Le(total + w[T] * d[T], b * w[T])


def test_falling_weights_are_added_up_with_what_entries_lack_of_their_bound() -> None:
    i, t = sp.Symbol("i", integer=True), sp.Symbol("t", integer=True, positive=True)
    c = sp.Symbol("c", positive=True)
    w, d = (sp.IndexedBase(sp.Symbol(name, positive=True)) for name in "wd")
    total = sp.Sum(w[i] * (d[i] - d[i - 1]), (i, 1, T))
    stays = sp.Le(total + w[T] * (c - d[T]), c * w[1], evaluate=False)
    assert stays in list(stronger(sp.Le(total, c * w[1], evaluate=False), T, (sp.Le(d[t], c),)))
    assert stays not in list(stronger(sp.Le(total, c * w[1], evaluate=False), T, (sp.Ge(d[t], c),)))


def test_weights_that_vary_make_losses_of_one_sequence() -> None:
    i = sp.Symbol("i", integer=True)
    d = sp.IndexedBase(sp.Symbol("d", nonnegative=True))
    weighted = sp.Sum(i**2 * (d[i - 1] - d[i]), (i, 1, T))
    bound = sp.Sum((2 * i + 1) * d[i], (i, 0, T - 1))
    assert next(stronger(sp.Le(weighted, bound, evaluate=False), T)).lts == weighted + T**2 * d[T]
    require_proof(question_of(sp.Le(weighted, bound, evaluate=False)))


def test_sums_over_neighbours_leave_half_of_the_last_term_to_the_next() -> None:
    i = sp.Symbol("i", integer=True)
    x = sp.IndexedBase(sp.Symbol("x", real=True))
    squares = 4 * sp.Sum(x[i] ** 2, (i, 0, T))
    relation = sp.Le(sp.Sum((x[i] - x[i - 1]) ** 2, (i, 1, T)), squares, evaluate=False)
    assert squares - 2 * x[T] ** 2 in [other.gts for other in stronger(relation, T)]
    require_proof(question_of(relation))


def test_an_equation_has_none() -> None:
    assert not list(stronger(sp.Eq(sp.Sum(k, (k, 1, T)), T), T))


def test_bounded_entries_give_the_closed_form_of_a_sum_of_bounds() -> None:
    d, c = sp.IndexedBase(sp.Symbol("d", nonnegative=True)), sp.Symbol("c", positive=True)
    t, i = sp.Symbol("t", integer=True, positive=True), sp.Symbol("i", integer=True)
    total, bounded = sp.Sum(i * d[i], (i, 1, T)), sp.Le(d[t], c)
    (found,) = [one for one in stronger(total <= c * T**2, T, (bounded,)) if one.lhs == total]
    assert found.rhs.equals(c * T * (T + 1) / 2)
    for other in (sp.Le(d[t - 1], c), sp.Ge(d[t], c), sp.Le(c * d[t], c**2)):
        assert not [one for one in stronger(total <= c * T**2, T, (other,)) if one.lhs == total]
