"""The two algorithms, lambda, the assumptions and the metrics of SPECIAL as data: formulas against numbers by hand."""

from fractions import Fraction

import pytest
import sympy as sp

from bounds.catalogue import statement
from bounds.evaluate import evaluate
from bounds.special.algorithms import client_pull, lam_many, lam_one
from bounds.special.theorems import DRIFT, RATE

AT = {"lam": 0.25, "gamma_G": 0.5, "gamma_L": 0.125, "E": 3}


def value(expression, **more):
    return float(evaluate(expression, {**AT, **more}))


def test_the_equivalence_is_quoted_from_version_1_and_the_surrogate_from_version_2():
    assert statement("special.eq3.v1").source.record()["version"].endswith("v1")
    assert statement("special.eq3").source.record()["version"].endswith("v2")


def test_weights_of_the_anchor():
    # (x + 2 lam a)/(1 + 2 lam) at lam = 1/4: 2/3 and 1/3; Eq. (6): 4/5 and 1/5
    assert value(statement("special.alg2.prox").rhs, prox_from=3.0, anchor=0.0) == pytest.approx(2.0)
    assert value(statement("special.eq6").rhs, thbar=5.0, anchor=0.0) == pytest.approx(4.0)
    left, right = (value(side) for side in statement("special.alg2.weight").relation.args)
    assert (left, right) == (pytest.approx(1 / 3), pytest.approx(1 / 5))


def test_pull_of_a_round_of_the_client_side_variant():
    # three proximal maps keep (2/3)^3 of the distance; the step covers half of it
    assert value(client_pull) == pytest.approx(1 - (1 - 8 / 27) / 2)


def test_matching_strength_agrees_for_one_step():
    assert value(lam_one) == pytest.approx(value(lam_many, E=1))
    # gamma_G = 1 doubles lambda
    assert value(lam_one, gamma_G=1.0) == pytest.approx(0.5)


@pytest.mark.parametrize(("id", "strength"), [("special.eq4", 0.25), ("special.eq4/effective", 2.0)])
def test_strength_with_which_a_rest_point_balances_the_loss(id, strength):
    right = value(statement(id).rhs, rest_m=3.0, anchor=1.0)
    assert right == pytest.approx(-2 * strength * 2)


def test_effective_strength_of_the_server():
    right = value(statement("special.alg1.surrogate/effective").rhs, rest=3.0, anchor=1.0)
    assert right == pytest.approx(-2 * (0.25 / (2 * 0.5 * 0.125)) * 2)
    right = value(statement("special.alg1.surrogate/several").rhs, rest=3.0, anchor=1.0)
    assert right == pytest.approx(-2 * (0.25 / (2 * 0.5 * 0.125 * 3)) * 2)


def test_corrected_update_of_the_client_side_variant():
    # x0 = 1, a = 0, two steps of gradient 1 with gamma_L = 1/8, lam = 1/4: x1 = 7/12, x2 = 11/36
    right = statement("special.alg2.update/corrected").rhs
    found = float(evaluate(right, {**AT, "E": 2, "th": 1.0, "anchor": 0.0, "g_c": [1.0, 1.0]}))
    assert found == pytest.approx(11 / 36 - 1)


def test_derivatives_are_those_of_the_bounds():
    at = {"gamma_G": 0.5, "gamma_L": 0.1, "E": 3, "B": 2.0}
    slope = (DRIFT.at(lam=0.5 + 1e-6, **at) - DRIFT.at(lam=0.5 - 1e-6, **at)) / 2e-6
    assert float(evaluate(statement("special.lem4.9.anchor").lhs, {**at, "lam": 0.5})) == pytest.approx(slope)
    rest = {"L": 2.0, "B": 1.5, "sigma_L2": 0.3, "sigma_G2": 0.2, "G0": 0.4, "f0": 3.0, "fstar": 0.5}
    run = {"K": 5, "M": 8, "N": 3, "E": 4, "T": 50, "lam": 0.5, "gamma_G": 0.2, "gamma_L": 0.01}
    rise = RATE.at(sigma_T2=2.0, **rest, **run) - RATE.at(sigma_T2=1.0, **rest, **run)
    drift = statement("special.ass4.6.monotone").lhs
    assert float(evaluate(drift, {**rest, **run, "sigma_T2": 1.5})) == pytest.approx(rise)


def test_the_uniform_cap_knows_neither_round_nor_task():
    cap = statement("special.lem4.9.uniform").rhs
    assert sp.simplify(cap - DRIFT.rhs) == 0
    assert not {s.name for s in cap.free_symbols} & {"t", "T", "K"}


def test_bwt_and_acc_by_hand():
    # A = [[.8, .], [.5, .9]]: ACC .7, BWT -.3, learnt 1.7
    eq10 = statement("special.eq10")
    at = {"K": 2, "ACC": Fraction(7, 10), "BWT": Fraction(-3, 10), "learnt": Fraction(17, 10)}
    assert float(evaluate(eq10.lhs, at)) == pytest.approx(float(evaluate(eq10.rhs, at)))
