"""SPECIAL: facts behind the proofs of Theorem 4.7 and Corollary 4.12, and relations near them that are none."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.special.bkt_limits import GAINED, gentle
from bounds.special.bkt_sums import CORRECTED, PRINTED, T1_c, T1_g, T1_n, first_factor, move
from bounds.special.symbols import G0, B, M, N, drift2, gamma_G, gamma_L, lam
from verify.engine.facts import conditions_at, shown_of
from verify.scenes.special import bkt_facts as facts
from verify.scenes.special import bkt_noise_facts as noise
from verify.scenes.special.bkt import TRAINING
from verify.scenes.special.lemmas import SMOOTH, WEIGHTED
from verify.scenes.special.rate import TASK
from verify.scenes.special.rate_run_facts import EACH
from verify.scenes.special.terms import OF_LENGTH

SHAPE = {"K": 3, "t": 2, "M": 2, "N": 1, "E": 1, "d": 1}


def fact(relation, scene=TRAINING):
    return next(f for f in scene.compute.facts if f.relation == relation)


@pytest.mark.parametrize(
    ("relation", "rests_on"),
    [
        (gentle(PRINTED), set(OF_LENGTH)),
        (gentle(CORRECTED), set(OF_LENGTH)),
        (facts.SPREAD, {*OF_LENGTH, facts.DEFINED[1]}),
        (facts.PUSHED, set(OF_LENGTH)),
        (noise.DIFFUSED, {facts.DEFINED[1]}),
        (facts.MOVED, set()),
        (facts.STRAYED, set()),
        (GAINED, set()),
    ],
)
def test_facts_of_the_sums_rest_on_their_assumptions(relation, rests_on):
    assert conditions_at(fact(relation), SHAPE) == rests_on


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (gentle(CORRECTED), sp.Le((1 + lam) ** 2 * CORRECTED.X, B * CORRECTED.Y)),
        (facts.SPREAD, sp.Le(M * T1_c, facts.SPREAD.rhs / 2)),
        (facts.PUSHED, sp.Le(M * T1_g, facts.PUSHED.rhs / 2)),
        (noise.DIFFUSED, sp.Le(N**2 * T1_n, noise.DIFFUSED.rhs * sp.Rational(3, 2))),
        (facts.MOVED, sp.Eq(move, -first_factor * PRINTED.first)),
        (facts.STRAYED, sp.Eq(drift2, gamma_G**2 * gamma_L * T1_c)),
    ],
)
def test_relations_near_them_are_no_facts(true, false):
    assert conditions_at(replace(fact(true), relation=false), SHAPE) is None


def test_noise_of_more_clients_is_less():
    both = {**SHAPE, "N": 2}
    assert conditions_at(fact(noise.DIFFUSED), both) == {facts.DEFINED[1]}
    less = replace(fact(noise.DIFFUSED), relation=sp.Le(N * T1_n, noise.DIFFUSED.rhs * sp.Rational(99, 100)))
    assert conditions_at(less, both) is None


def test_gradients_and_noise_apart_count_twice():
    assert shown_of(noise.APART).needed == frozenset()
    assert shown_of(replace(noise.APART, relation=sp.Le(T1_c, T1_g + 2 * T1_n))) is None


def test_a_way_is_no_longer_in_the_mean_than_its_root_mean_square():
    shape = {"n": 2, "d": 2}
    assert conditions_at(fact(facts.ALONG), shape) == set()
    assert (
        conditions_at(replace(fact(facts.ALONG), relation=sp.Le(2 * move**2, G0**2 * drift2)), shape) is None
    )


@pytest.mark.parametrize(
    ("relation", "scene", "shape"),
    [
        (EACH, TASK, {"T": 2, "n": 1, "K": 2, "M": 1, "d": 1}),
        (SMOOTH.compute.facts[0].relation, SMOOTH, {"K": 3, "d": 1}),
        (WEIGHTED.compute.facts[0].relation, WEIGHTED, {"n": 3, "d": 1}),
    ],
)
def test_bounds_are_facts_and_smaller_ones_are_not(relation, scene, shape):
    found = fact(relation, scene)
    assert conditions_at(found, shape) is not None
    smaller = replace(found, relation=sp.Le(relation.lhs, relation.rhs * sp.Rational(99, 100)))
    assert conditions_at(smaller, shape) is None


def test_the_gain_is_what_its_formula_says():
    values = dict.fromkeys(("gamma_G", "gamma_L", "eps", "G0", "lam", "L", "sigma_L2"), 0.5) | {"E_Y_c": 3.0}
    found = facts.letters({"K": 3, "M": 2, "E": 2, "t": 3}, values)
    assert found["gained"] == pytest.approx(0.5**4 * 3 / 2)
    assert found["weighed"] == pytest.approx(sum(1.5 ** -(tau + 1) for tau in range(3)))
    # Two earlier tasks, 3 rounds: 2/2 * .5 * (.5 * .5)^2 * 4 * .5 * 3 / (.25 + 1)
    assert found["endless"] == pytest.approx(0.5 * 0.25**2 * 4 * 0.5 * 3 / 1.25)
