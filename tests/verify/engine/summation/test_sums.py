"""First value and growth of sums, compared with their laws."""

from __future__ import annotations

import pytest
import sympy as sp

from tests.verify.engine.elementary.values import true
from verify.engine.certificates.formulas import tree
from verify.engine.summation.sums import closed_form, growing, nonnegative

a, q = sp.symbols("a q", positive=True)
T, n = sp.symbols("T n", integer=True, positive=True)
i = sp.Symbol("i", integer=True)
k = sp.Symbol("k", integer=True, positive=True)
SUMS = (
    sp.Sum(1 / k, (k, 1, T)),
    sp.Sum(q**i, (i, 0, T - 1)),
    sp.Sum((a + 1) ** (T - i) / 2, (i, 1, T)),
    sp.Sum(1 / k**2, (k, T + 1, 2 * T)),
    sp.Sum(2 * i / (T * (T + 1)), (i, 1, T)),
    sp.Sum(q * i, (i, 3, T + 2)),
)


@pytest.mark.parametrize("total", SUMS, ids=str)
def test_a_sum_begins_and_grows_as_its_laws_say(total: sp.Sum) -> None:
    sums = {tree(total)[1]: total}
    laws = list(growing(total, T, sp.S.One))
    assert len(laws) == 2
    for law in laws:
        for t in range(1, 6):
            assert true(law.relation, {"T": t, "q": 0.75, "a": 0.5}, sums), (law, t)


def test_nothing_is_said_of_a_sum_whose_terms_change_otherwise() -> None:
    assert not list(growing(sp.Sum(1 / (k + T), (k, 1, T)), T, sp.S.One))
    assert not list(growing(sp.Sum(1 / k, (k, 5, T)), T, sp.S.One))


def test_only_sums_of_nonnegative_terms_are_called_so() -> None:
    x = sp.IndexedBase("x")
    assert list(nonnegative(sp.Sum(x[i] ** 2, (i, 1, n))))
    assert not list(nonnegative(sp.Sum(x[i], (i, 1, n))))
    assert not list(nonnegative(sp.Sum(i, (i, -3, n))))
    assert list(nonnegative(sp.Sum(i, (i, 0, n))))


def test_closed_forms_are_guessed() -> None:
    assert sp.simplify(closed_form(sp.Sum(i, (i, 1, n))) - n * (n + 1) / 2) == 0
    assert closed_form(sp.Sum(1 / k, (k, 1, n))) is None


@pytest.mark.parametrize("low", [0, 1, 3])
@pytest.mark.parametrize("term", [k**3 * 4 ** (-k), (k + 2) / 3**k, k**2 * 2 ** (2 * k + 1), 5 * (-2) ** k])
def test_polynomials_times_powers_have_the_values_of_their_sums(term: sp.Expr, low: int) -> None:
    form = closed_form(sp.Sum(term, (k, low, n)))
    assert form is not None
    for last in (low, low + 1, 6):
        total = sum(term.subs(k, number) for number in range(low, last + 1))
        assert sp.simplify(form.subs(n, last) - total) == 0
