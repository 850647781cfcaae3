"""Equations between a measured quantity of a run and constants are met by construction."""

import numpy as np
import sympy as sp

from verify import Notes, judge, run, worlds
from verify.engine.search.adversary import random_batch
from verify.engine.verdict import Verdict
from verify.first_order import LARGER, NONNEGATIVE, losses, smooth_strongly_convex
from verify.quantities import L, distance2, distance2_0, distance2_before, eta, mu, sigma2, zeta2

LONG = sp.Eq(eta, 1 / (2 * L))
RATE = (1 - eta * mu) ** 4 * (distance2_before + zeta2 / (50 * L**2))


def clients(noisy=(0,), numbers=(2,)):
    family = worlds.strongly_convex(clients=numbers, dim=(1,), noisy=noisy)
    return run("fedavg", family, rounds=(1,), local_steps=(2,), local_lr="eta")


def claimed(scene, relation, *conditions):
    return Notes("scaled").claim("one", relation, *conditions, scene=scene)


def met(claim):
    shape = claim.scene.shapes[-1]
    _, _, values, allowed = random_batch(claim.scene, claim.conditions, tuple(shape.items()), 64, 0)
    return values, allowed


def test_instances_meet_equations_of_measured_quantities():
    given = (sp.Eq(zeta2, L), sp.Eq(distance2_0, 4), sp.Eq(sigma2, eta * L), LONG, mu <= L / 2)
    values, allowed = met(claimed(clients(noisy=(1,)), distance2 <= RATE, *given))
    assert allowed.sum() >= 4  # the others draw 0 for a number that is scaled
    assert np.allclose(values["zeta2"][allowed], values["L"][allowed])
    assert np.allclose(values["distance2_0"][allowed], 4)
    assert np.allclose(values["sigma2"][allowed], (values["eta"] * values["L"])[allowed])


def test_a_quantity_that_is_zero_is_not_scaled():
    alone = claimed(clients(numbers=(1, 2)), distance2 <= RATE, sp.Eq(zeta2, L), LONG)
    shape = alone.scene.shapes[0]
    assert shape["M"] == 1
    assert not random_batch(alone.scene, alone.conditions, tuple(shape.items()), 64, 0)[3].any()


def test_other_conditions_leave_the_scene_as_it_is():
    scene = clients()
    for condition in (zeta2 <= L, sp.Eq(zeta2, 0), sp.Eq(mu, L / 10), sp.Eq(zeta2, distance2)):
        assert claimed(scene, distance2 <= RATE, condition).scene is scene


def test_a_false_bound_under_an_equation_is_refuted_in_worlds():
    found = judge(claimed(clients(), distance2 <= RATE, sp.Eq(zeta2, L), LONG, mu < L), "default", 0)
    assert found["verdict"] == Verdict.REFUTED


def test_a_false_bound_under_equations_is_refuted_for_a_class():
    every = losses(smooth_strongly_convex, clients=(2,), L=LARGER, mu=NONNEGATIVE)
    scene = run("fedavg", every, rounds=(1,), local_steps=(2,), local_lr="eta")
    for given in ((sp.Eq(zeta2, L),), (sp.Eq(distance2_before, 1), sp.Eq(zeta2, L**2))):
        found = judge(claimed(scene, distance2 <= RATE, *given, LONG, mu < L), "default", 0)
        assert found["verdict"] == Verdict.REFUTED
