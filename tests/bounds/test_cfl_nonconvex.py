"""Appendix B.5 of CFL as data: right-hand sides compared with numbers by hand, and lines with each other."""

from __future__ import annotations

import pytest
import sympy as sp

from bounds.catalogue import statement
from bounds.evaluate import evaluate

ONE_CLIENT = {
    "N": 1,
    "K": 2,
    "eta": 0.5,
    "L": 2,
    "sigma2": 3,
    "R2": 4,
    "P_i": [0.25],
    "cB_i": [1.5],
    "strayed_i": [6],
    "strayed_after_i": [8],
}
ONE_CLIENT |= {
    "c_pB": 1.5,
    "c_pG": 5,
    "g2_start": 7,
    "loss_now": 10,
    "true2": 2,
    "missed2": 1,
    "apart2_before": 9,
}


@pytest.mark.parametrize(
    ("id", "by_hand"),
    [
        # eta/(2NK) (9 - 2) + eta/2 * (1/4)(7 + 4) - eta/2 * 7
        ("eq26/before", 0.125 * 7 + 0.25 * 0.25 * 11 - 1.75),
        # 2 eta^2/2 * (2 + 1) + eta^2 * 3/2
        ("eq27/before", 0.75 + 0.375),
        # eta L^2/(NK) * 1.5 * 8 + eta (1.5 - 1 - 3/8) 7 + eta/2 (5 + 1)
        ("eq29", 12 + 0.4375 + 1.5),
        ("eq29/before", 9 + 0.4375 + 1.5),
        # the line before, the loss, L eta^2 R^2/16, L eta^2 3/4
        ("eq29.combined", 12 + 0.4375 + 1.5 + 10 + 0.125 + 0.375),
        # 1.5 * 7 + 5/2 + 1/8 + 3/8
        ("eq31", 10.5 + 2.5 + 0.125 + 0.375),
        # 10 + eta (5 * 1.5 - 1 - 3/8) 7 + eta/2 * 6 + 1/8 + 3/8 + eta * 4 * 3
        ("eq32", 10 + 0.5 * 6.125 * 7 + 1.5 + 0.5 + 0.5 * 4 * 3),
        # the line before (31) with its local drift, and eta times (31)
        *((f"eq32/{variant}", 10 + 0.4375 + 1.5 + 0.5 + 0.5 * 13.5) for variant in ("short", "smooth")),
    ],
)
def test_right_hand_sides(id, by_hand):
    rhs = statement(f"cfl.{id}").rhs
    assert float(evaluate(rhs, ONE_CLIENT)) == pytest.approx(by_hand)


def test_local_drift_at_numbers():
    at = {
        "k": 2,
        "eta_l": 0.1,
        "L": 1,
        "cB": 2,
        "e_before": 3,
        "g2_start": 5,
        "cG": 7,
        "P_past": 0.5,
        "R2": 4,
        "sigma2": 1,
    }
    walk = 4 * 4 * 0.01 * 2 * 5 + 2 * 4 * 0.01 * 7 + 2 * 4 * 0.01 * 0.25 * 4 + 2 * 0.01
    assert float(evaluate(statement("cfl.eq30").rhs, at)) == pytest.approx(4 * 4 * 0.01 * 2 * 3 + walk)
    assert float(evaluate(statement("cfl.eq30.iter").rhs, at)) == pytest.approx(walk / (1 - 0.32))


def test_both_readings_of_c0_agree_where_drifts_do():
    relation = statement("cfl.nc.c0").compared
    A2, B2 = (next(s for s in relation.free_symbols if s.name == name) for name in ("A2", "B2"))
    assert sp.expand((relation.lhs - relation.rhs).subs(A2, B2)) == 0
    assert sp.expand(relation.lhs - relation.rhs.subs({A2: B2, B2: A2}, simultaneous=True)) == 0
