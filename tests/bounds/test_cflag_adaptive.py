"""C-FLAG's adaptive rates as expressions: minimisers by calculus, one client, and settings of the experiments."""

from __future__ import annotations

import pytest
import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.adaptive import (
    BEST,
    FACTORS,
    GAMMA,
    LEAST,
    MORE,
    Lam,
    Lam_i,
    a2,
    best_rate,
    client_term,
    least_term,
    p_i,
)
from bounds.cflag.symbols import L, N, alpha, beta, fd2, s2


def same(left: sp.Expr, right: sp.Expr) -> bool:
    return sp.simplify(left - right) == 0


def test_the_common_rate_is_where_the_slope_vanishes() -> None:
    (root,) = sp.solve(sp.diff(GAMMA, beta).subs(beta, sp.Symbol("b")), sp.Symbol("b"))
    assert same(root, BEST)
    assert same(GAMMA.subs(beta, root), LEAST)


@pytest.mark.parametrize("case", FACTORS)
def test_the_rate_of_a_client_is_where_its_slope_vanishes(case: str) -> None:
    b = sp.Symbol("b")
    term = client_term(FACTORS[case], alpha, b)
    (root,) = sp.solve(sp.diff(term, b), b)
    assert same(root, best_rate(FACTORS[case]))
    assert same(term.subs(b, root), least_term(FACTORS[case]))


def test_with_one_client_table_1_is_eq_16() -> None:
    alone = {Lam_i: Lam, a2: s2, p_i: 1, N: 1}
    for factor in FACTORS.values():
        assert same(best_rate(factor).subs(alone), BEST)
        assert same(client_term(factor, alpha, beta).subs(alone), GAMMA)
    assert same(best_rate(N) * N, best_rate(sp.Integer(1)))


def test_an_interfering_client_overcomes_its_own_step() -> None:
    # alpha_i f + alpha a has the inner product alpha |f|^2 with f: the client's step along f is negated
    assert same(MORE * fd2 + alpha * Lam_i, alpha * fd2)


def test_settings_of_the_experiments() -> None:
    positive = statement("cflag.eq15.positive")
    assert positive.failing(alpha=1e-4, L=5.0, m=2.0) == []
    assert positive.failing(alpha=1e-4, L=5.0, m=4000.0) == ["alpha < 2/(L*(m + 1))"]
    # one of 5 equal clients in the worst case, with a tenth of the memory's gradient at 60 degrees to it
    rate = best_rate(N).subs({N: 5, p_i: sp.Rational(1, 5), L: 5, alpha: sp.Rational(1, 10_000)})
    assert float(rate.subs({Lam_i: sp.Rational(1, 20), a2: sp.Rational(1, 100)})) == pytest.approx(
        1, rel=1e-3
    )
