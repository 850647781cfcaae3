"""The displays of CFL's convex analysis, compared with formulas transcribed a second time from the text."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
import sympy as sp

from bounds.cfl import convex, rates, steps, theorems
from bounds.cfl.symbols import CFL
from bounds.evaluate import evaluate

BY_ID = {
    statement.id: statement
    for statement in (*convex.STATEMENTS, *steps.STATEMENTS, *rates.STATEMENTS, *theorems.STATEMENTS)
}
V = {
    "N": 2, "K": 3, "eta_l": 0.02, "eta_g": 0.5, "eta": 0.03, "L": 2.0, "mu": 0.4, "sigma2": 0.7, "R2": 1.69,
    "G2": 0.6, "D2": 1.1, "A2": 0.2, "B2": 0.3, "dist_star": 1.5, "dist2_star": 2.25, "gap": 0.8, "gap_round": 0.9,
    "moved2": 0.1, "true2": 3.0, "missed2": 1.0, "strayed": 0.4, "c_pB": 1.5, "c_pG": 1.2, "c_max": 1.7, "cB": 1.4,
    "cG": 1.3, "P_past": 0.6, "k": 2, "e_before": 0.05, "g2_start": 2.0, "along": 0.2, "slope_before": -1.0,
    "slope_after": -0.9, "cB_i": [1.4, 1.6], "cG_i": [1.3, 1.1], "P_i": [0.6, 0.2], "grad2_i": [5.0, 4.0],
    "change2_i": [0.3, 0.2], "strayed_i": [0.3, 0.1], "H": 2.0, "T": 7, "t": 3, "eps": 0.1,
}  # fmt: skip


def value(expression: sp.Expr) -> float:
    return float(evaluate(expression, V))


def rhs(id: str) -> float:
    return value(BY_ID[id].rhs)


def X(c: float) -> float:
    return (1 + 4 * V["eta"] * V["L"] * c) / (1 - 4 * V["K"] ** 2 * V["eta_l"] ** 2 * V["L"] ** 2 * c)


def test_sums_over_clients() -> None:
    eta, R = 0.03, 1.3
    assert rhs("cfl.eq11/corrected") == pytest.approx(2 * eta / 6 * -1.0 + 2 * eta / 2 * 0.8 * R * 1.5)
    tail = 2 * eta**2 / 2 * (0.36 + 0.04) * 1.69 + eta**2 * 0.7 / 6
    assert rhs("cfl.eq14") == pytest.approx(2 * eta**2 / 6 * 4 + eta**2 * 0.7 / 6)
    assert rhs("cfl.eq15.mid1") == pytest.approx(
        2 * eta**2 / 6 * (1.4 * 5 + 3 * 1.3 + 1.6 * 4 + 3 * 1.1) + tail
    )
    mid2 = 4 * eta**2 / 6 * (1.4 * (0.3 + 6) + 1.6 * (0.2 + 6)) + 2 * eta**2 * 1.2 + tail
    assert rhs("cfl.eq15.mid2") == pytest.approx(mid2)
    last = (
        16 * eta**2 * 2 * 1.5 * 0.8 + 8 * eta**2 * 4 / 6 * (1.4 * 0.3 + 1.6 * 0.1) + 2 * eta**2 * 1.2 + tail
    )
    assert rhs("cfl.eq15") == pytest.approx(last)


def test_local_drift() -> None:
    l2 = 0.02**2
    assert rhs("cfl.eq18") == pytest.approx(
        4 * 4 * 1.4 * 0.05 + 8 * 2 * 1.4 * 0.8 + 2 * 1.3 + 2 * 0.36 * 1.69
    )
    by_step = (
        4 * 4 * l2 * 4 * 1.4 * 0.05
        + 8 * 4 * l2 * 2 * 1.4 * 0.8
        + 2 * 4 * l2 * 1.3
        + 2 * 4 * l2 * 0.36 * 1.69
        + 2 * l2 * 0.7
    )
    assert rhs("cfl.eq19") == pytest.approx(by_step)
    top = 8 * 9 * l2 * 2 * 1.4 * 0.8 + 2 * 9 * l2 * 1.3 + 2 * 9 * l2 * 0.36 * 1.69 + 3 * l2 * 0.7
    assert rhs("cfl.eq20") == pytest.approx(top / (1 - 4 * 9 * l2 * 4 * 1.4))


@pytest.mark.parametrize(
    ("id", "strength", "drift"), [("cfl.eq21", 2.0, 2.0), ("cfl.eq21/corrected", 0.03 * 4, 0.03 * 2)]
)
def test_one_round(id: str, strength: float, drift: float) -> None:
    eta, l2, clients = 0.03, 0.02**2, list(zip(V["cB_i"], V["cG_i"], V["P_i"], strict=True))
    expected = (
        (1 - 0.4 * eta / 2) * 2.25
        + (
            -2 * eta
            + 16 * eta**2 * 2 * 1.5
            + np.mean([16 * 9 * l2 * strength * c * X(c) for c, _, _ in clients])
        )
        * 0.8
        + 2 * eta**2 * 1.2
        + eta**2 * 0.7 / 6
        + np.mean([2 * eta**2 * P**2 + 4 * 9 * l2 * drift * P**2 * X(c) for c, _, P in clients]) * 1.69
        + np.mean([2 * 3 * l2 * drift * (2 * 3 * g + 0.7) * X(c) for c, g, _ in clients])
        + 2 * eta / 2 * 0.8 * 1.3 * 1.5
    )
    assert rhs(id) == pytest.approx(expected)


def test_step_limits() -> None:
    for statement, factor in ((BY_ID["cfl.eq22"], 12), (BY_ID["cfl.step"], 6)):
        limit = value(statement.conditions[0].rhs)
        root = sqrt(3 * 0.25 + 4 * 1.7 * 0.0625) - sqrt(4 * 1.7 * 0.0625)
        assert limit == pytest.approx(root / (factor * 2 * sqrt(1.7)))
    plain = convex.step_limit(sp.Integer(1), 12).subs({CFL["eta_g"].symbol: 1, CFL["L"].symbol: 1})
    assert float(plain) == pytest.approx((sqrt(7) - 2) / 12)


def test_the_first_condition_is_a_quadratic_equation() -> None:
    # At the limit 12 eta^2 L^2 c/eta_g^2 + 8 eta L c = 1, with which the corrected Eq. (22) follows from X <= 3/2.
    c, L, g = 1.7, 2.0, 0.5
    eta = value(BY_ID["cfl.step"].conditions[0].rhs)
    assert 12 * eta**2 * L**2 * c / g**2 + 8 * eta * L * c == pytest.approx(1)


def test_constants_of_the_round() -> None:
    c_R = (0.36 + 0.04) / 2 * 1.69
    assert value(steps.c_1) == pytest.approx(2 * 1.2 + 0.7 / 6 + 2 * c_R)
    assert value(steps.c_2) == pytest.approx(2 * 1.2 / 0.75 + 2 * 0.7 / (6 * 0.25 * 3) + 2 * c_R / 0.75)
    assert value(steps.c_3) == pytest.approx(0.8 * 1.3)


def test_fedavg_is_one_round_without_memory() -> None:
    without = {**V, "P_i": [0.0, 0.0], "c_pG": 0.6 + 1.1}
    round_ = evaluate(BY_ID["cfl.onestep"].rhs, without)
    fedavg = evaluate(BY_ID["cfl.eq24"].rhs, {**V, "after2": 0.0})
    # onestep: after2 <= rhs with -eta*gap in it; eq24 solved for the gap.
    assert (round_ + 0.03 * 0.8) / 0.03 == pytest.approx(float(fedavg))


def test_numbers_of_rounds() -> None:
    c_A, c_B = 0.6 + 1.1 * 1.69 / 2.79, 1.1**3 / 2.79**2
    assert value(rates.rounds_sc(rates.c_A)) == pytest.approx(
        2 * 1.5 / 0.4 + 0.7 / (0.4 * 6 * 0.1) + c_A / 0.04
    )
    assert value(rates.rounds_gc(rates.fed_A)) == pytest.approx(
        1.5 * 2 / 0.1 + 0.7 * 2 / 0.06 + 1.7 * 2 / 0.01
    )
    assert value(theorems.FULL_SC["c_B"]) == pytest.approx(sqrt(c_B / 0.04))
    c_C = 2 * 0.7 / (0.25 * 3) + 2 * c_A / 0.25
    assert value(theorems.FULL_GC["c_C"]) == pytest.approx(sqrt(c_C * 4 / 0.001))
    assert value(rates.RATE_SC["c_D"]) == pytest.approx(2 * c_B / 0.25 / (0.16 * 343))


def test_ids_and_proofs_are_of_one_paper() -> None:
    for statement in BY_ID.values():
        assert statement.id.startswith("cfl.")
        assert all(used.startswith("cfl.") for used in statement.uses)
        assert statement.latex()
