"""Signs of sums with quotients of counts agree with their values."""

from __future__ import annotations

from itertools import product

import pytest
import sympy as sp

import bounds as bounds

m, n = sp.symbols("m n", integer=True, positive=True)
QUOTIENTS = (
    1 / (m * n),
    2 / (m * n),
    1 / (m * (n + 1)),
    m / n,
    1 / m + 1 / n,
    1 / (m * n) ** 2,
    -3 / (m * n),
)
NUMBERS = (sp.S.One, -sp.S.One, sp.Integer(3), sp.Rational(-1, 2), sp.Rational(1, 2))


@pytest.mark.parametrize("formula", [q + c for q in QUOTIENTS for c in NUMBERS], ids=str)
def test_a_sign_that_is_known_is_that_of_all_values(formula: sp.Expr) -> None:
    values = [formula.subs({m: j, n: k}) for j, k in product(range(1, 9), repeat=2)]
    for sign in ("is_positive", "is_nonnegative", "is_negative", "is_nonpositive"):
        known = getattr(formula, sign)
        assert known is None or {bool(getattr(value, sign)) for value in values} == {known}


def test_a_maximum_with_a_quotient_stays() -> None:
    assert sp.Max(1, 1 / (m * n)).subs({m: 2, n: 3}) == 1
    assert (1 / (m * n) >= 1) not in (True, False)
