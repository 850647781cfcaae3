"""Lemmas of CFL and its Section 3 as data: right-hand sides compared with numbers by hand and with each other."""

from __future__ import annotations

import pytest
import sympy as sp

from bounds.catalogue import statement
from bounds.cfl.problem import limit
from bounds.cfl.symbols import C2, F2, L


def value(id, **numbers):
    relation = statement(f"cfl.{id}").compared
    return float(relation.rhs.subs({s: numbers[s.name] for s in relation.rhs.free_symbols}))


@pytest.mark.parametrize(
    ("id", "numbers", "by_hand"),
    [
        # 4 / (2 * 4) + 2 * sqrt(4) / 2 + 2 * 1^(2/3) * 8^(1/3)
        ("lemA.2", {"d0": 4, "T": 3, "eta_max": 2, "c1": 1, "c2": 8}, 6.5),
        ("lemA.4", {"tau": 2, "M_var": 3, "sum_means2": 5, "sigma2": 7}, 39),
        ("lemA.4/dependent", {"tau": 2, "M_var": 3, "sum_means2": 5, "sigma2": 7}, 68),
        ("lemA.5", {"h_z": 1, "h_y": 2, "mu": 4, "yz2": 3, "L": 5, "xz2": 2}, -8),
        ("lemB.1", {"A_1": 2, "g2": 3, "B_1": 4}, 31),
        ("lemB.1.last", {"A_1": 2, "g2": 3, "B_1": 4}, 13),
        ("lemB.2.1", {"A2": 1, "B2": 2, "g2": 3, "G2": 4, "D2": 5}, 21),
        ("lemB.2.2", {"A2": 1, "B2": 2, "g2": 3, "G2": 4, "D2": 6, "p_square": 0.5}, 17.5),
        ("lemB.2.3", {"A2": 1, "B2": 2, "g2": 3, "G2": 4, "D2": 6, "p_square": 0.5}, 12.5),
        ("lemB.3", {"eps_H": 2, "from_point": 3}, 6),
    ],
)
def test_right_hand_sides(id, numbers, by_hand):
    assert value(id, **numbers) == pytest.approx(by_hand)


def test_linear_approximations_stand_at_the_points_they_name():
    """One loss h(u) = u^2 at x = 3, y = 1: slopes 6 and 2, L = 2, squared change of the gradient 16."""
    at = {"h_x": 9, "h_y": 1, "x_to_y": 6 * (1 - 3), "y_to_x": 2 * (3 - 1), "turn2": 16, "L": 2}
    printed, corrected = (statement(f"cfl.ass1.corollary{part}").compared for part in ("", "/corrected"))
    put = lambda side: side.subs({s: at[s.name] for s in side.free_symbols})  # noqa: E731
    assert put(printed.lhs) == put(corrected.lhs) == 4
    assert put(printed.rhs) == 9 - 1 - 6 * (3 - 1)
    assert put(corrected.rhs) == 9 - 1 - 2 * (3 - 1)


def test_remark_32_compares_the_bounds_of_both_lemmas():
    relation = statement("cfl.rem3.2").compared
    assert sp.expand(relation.lhs - statement("cfl.lemB.7").rhs) == 0
    assert sp.expand(relation.rhs - statement("cfl.lemB.2.2").rhs) == 0
    assert {C2, F2} <= relation.lhs.free_symbols


def test_bounds_of_the_sequence_lemma_vanish_at_zero():
    assert (
        statement("cfl.lemA.2").rhs.subs(sp.Symbol("d0", nonnegative=True), 0)
        == statement("cfl.lemA.2.start").rhs
    )


def test_step_limit_at_one():
    assert float(limit(sp.Integer(1), 6).subs(L, 2)) == pytest.approx((7**0.5 - 2) / 12)
