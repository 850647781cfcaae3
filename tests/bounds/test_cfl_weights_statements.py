"""Formulas of CFL about weights of past rounds, against numbers from other code or by hand."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import minimize

from bounds.catalogue import statement
from bounds.cfl import correlated, matrix, weights_statements, weights_text
from bounds.cfl.uncorrelated import overlap_value, uncorrelated_value, uncorrelated_weights
from bounds.cfl.weights import optimal_weights
from bounds.evaluate import evaluate

MODULES = (correlated, matrix, weights_statements, weights_text)
STATEMENTS = [s for module in MODULES for s in module.STATEMENTS]
CASES = [(1, 2.0, 1.0), (2, 0.5, 0.0), (3, 1.5, 2.5), (6, 0.25, 4.0)]


def side(id, which, **values):
    return float(evaluate(getattr(statement(id).relation, which), values))


def smallest(objective, t):
    """Minimum over weights with sum one, by a general optimiser over the first t - 1 weights."""
    full = lambda past: np.append(past, 1 - past.sum())  # noqa: E731
    if t == 1:
        return objective(np.ones(1))
    return minimize(lambda past: objective(full(past)), np.full(t - 1, 1 / t), tol=1e-13).fun


def noise(p, D2, R2, G2=0.3):
    return (1 - p[-1]) ** 2 * R2 + G2 + D2 * p @ p


@pytest.mark.parametrize(("t", "D2", "R2"), CASES)
def test_least_noise_is_what_an_optimiser_finds(t, D2, R2):
    found = smallest(lambda p: noise(p, D2, R2), t)
    for id, which in (("cfl.min-value", "lhs"), ("cfl.min-value", "rhs"), ("cfl.min-value.split", "rhs")):
        assert side(id, which, t=t, D2=D2, R2=R2, G2=0.3) == pytest.approx(found)
    assert uncorrelated_value(t, D2, R2, 0.3) == pytest.approx(found)


@pytest.mark.parametrize(
    ("t", "D2", "R2", "F2"),
    # elsewhere every weight is optimal
    [(*case, F2) for case in CASES for F2 in (0.0, 0.2, 3.0) if case[1] > F2 or (case[0] > 1 and case[2])],
)
def test_least_noise_with_overlap_is_what_an_optimiser_finds(t, D2, R2, F2):
    M2, shared = max(0.0, D2 - F2), min(F2, D2)
    found = smallest(lambda p: noise(p, D2, R2) + shared * (p.sum() ** 2 - p @ p), t)
    value = side("cfl.thm4.7.variance/corrected", "rhs", t=t, M2=M2, R2=R2, G2=0.3, D2=D2, F2=F2)
    assert value == pytest.approx(found, rel=1e-6)
    assert overlap_value(t, D2, R2, F2, 0.3) == pytest.approx(value)


@pytest.mark.parametrize(("t", "D2", "R2"), CASES)
def test_printed_weights_are_those_of_the_library(t, D2, R2):
    past = float(evaluate(weights_statements.PAST, {"t": t, "D2": D2, "R2": R2}))
    now = float(evaluate(weights_statements.NOW, {"t": t, "D2": D2, "R2": R2}))
    assert uncorrelated_weights(t, D2, R2) == pytest.approx([past] * (t - 1) + [now])


@pytest.mark.parametrize(("t", "D2", "R2"), CASES[1:])
@pytest.mark.parametrize("alpha", [0.0, 0.4, 0.95])
def test_current_weight_in_closed_form_is_that_of_the_library(t, D2, R2, alpha):
    value = float(evaluate(weights_statements.CURRENT, {"t": t, "D2": D2, "R2": R2, "alpha": alpha}))
    assert value == pytest.approx(optimal_weights(t, alpha, D2, R2)[-1])


def test_constants_of_one_round_by_hand():
    # Two rounds, weights (1/4, 3/4): c_pG = 1 + 2 * 10/16, c_R = 3/16
    values = {"G2": 1, "D2": 2, "R2": 3, "sigma2": 4, "N": 2, "K": 5, "L": 6.0, "eta_g": 0.5}
    c_pG, c_R = 2.25, 3 / 16
    at = {"q_now": 0.75, "q_square": 0.625, **values}
    assert side("cfl.lemB.4.c1", "rhs", **at) == pytest.approx(2 * c_pG + 0.4 + 2 * c_R)
    assert side("cfl.lemB.4.c2", "rhs", **at) == pytest.approx(8 * c_pG + 24 / 7.5 + 8 * c_R)
    c_1, c_2, c_3 = 2 * c_pG + 0.4 + 2 * c_R, 8 * c_pG + 24 / 7.5 + 8 * c_R, 2 * 0.25 * 3**0.5
    added = 0.01 * c_1 + 0.001 * c_2 + c_3 * 0.1 * 7
    assert side("cfl.lemB.4.convergence", "rhs", eta=0.1, to_star=7, **at) == pytest.approx(added)


def test_terms_of_the_lemmas_by_hand():
    # Three equal rounds of weight 1/3: sum p^2 = 1/3, products of different rounds 2/3
    values = {
        "g2": 2,
        "A2": 3,
        "B2": 0.5,
        "C2": 6,
        "G2": 1,
        "D2": 9,
        "F2": 12,
        "p_square": 1 / 3,
        "p_cross": 2 / 3,
    }
    assert side("cfl.lemB.7", "rhs", **values) == pytest.approx((1 + 0.5 + 1 + 4) * 2 + 1 + 3 + 6)
    assert side("cfl.lemB.7/corrected", "rhs", **{**values, "C2": 1}) == pytest.approx((2.5 + 2) * 2 + 10)
    pairs = {**values, "p_C": 0.7, "p_FD": 0.9}
    assert side("cfl.lemB.10", "rhs", **pairs) == pytest.approx((1 + 0.5 + 1 + 0.7) * 2 + 1 + 3 + 0.9)
    J = {"p_now": 0.25, "R2": 16, "p_decay": 0.5}
    assert side("cfl.opt-case2", "rhs", **values, **J) == pytest.approx((1.5 + 1.5) * 2 + 9 + 1 + 4.5)


def test_rates_by_hand():
    values = {
        "L": 2,
        "A2": 1,
        "B2": 3,
        "C2": 5,
        "mu": 0.5,
        "sigma2": 6,
        "N": 2,
        "K": 3,
        "eps": 0.1,
        "G2": 1,
        "M2": 3,
        "R2": 1,
    }
    strongly = 2 * (1 + 1 + 5) / 0.5 + 6 / (0.5 * 2 * 3 * 0.1) + (1 + 0.75) / 0.05
    assert side("cfl.thmB.8.strongly", "lhs", **values) == pytest.approx(strongly)
    convex = 7 * 4 / 0.1 + 6 * 4 / (6 * 0.01) + 4 / 0.01 * 1.75
    assert side("cfl.thmB.8.convex", "lhs", H=4, **values) == pytest.approx(convex)
    nonconvex = 4 * 9 / (6 * 4 * 0.01) + (6**0.5 / 16 / 2 + 6 / 6**0.5) ** 2 / 0.01
    assert side("cfl.thmB.8.nonconvex", "lhs", f0=5, fs=2, c_m=2, **values) == pytest.approx(nonconvex)
    step = ((3 + 28) ** 0.5 - 28**0.5) / (6 * 3 * 2 * 7**0.5)
    assert side("cfl.thmB.8.step", "lhs", **values) == pytest.approx(step)


def test_stateless_clients_by_hand():
    values = {"G2": 1, "D2": 3, "R2": 4}
    assert side("cfl.prop4.3", "lhs", **values) == 2
    assert side("cfl.prop4.3", "rhs", **values) == pytest.approx(1 + 12 / 7)
    many = side("cfl.prop4.3.limit", "lhs", t=10**9, **values)
    assert many == pytest.approx(2)


@pytest.mark.parametrize(
    "entries", weights_text.TABLE_2, ids=lambda row: f"{row['alpha']}, {row['D']}, {row['R']}"
)
def test_rows_of_table_2_sum_to_one(entries):
    assert sum(map(float, entries["printed"])) == pytest.approx(1, abs=2.1e-4)


def test_squared_constants_are_not_squared_again():
    assert sp.Symbol("D2", nonnegative=True) in statement("cfl.lemB.4").symbols
    assert not any(symbol.name in ("D", "R", "F", "G") for s in STATEMENTS for symbol in s.symbols)
