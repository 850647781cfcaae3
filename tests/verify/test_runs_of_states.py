"""Runs with quantities of the state, formulas as step sizes, more families of losses, and ready parts."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch

from algorithms.fedavg import fedavg
from nqm.fields import sq
from verify import Notes, parts, run, worlds, worst_case
from verify.engine.model.claim import BUDGETS
from verify.engine.search.sampling import sample
from verify.engine.verdict import Finding, Verdict
from verify.first_order import (
    NONNEGATIVE,
    SHARE,
    compressed,
    losses,
    smooth,
    smooth_strongly_convex,
    unbiased,
)
from verify.first_order import lipschitz_convex as lipschitz
from verify.first_order.forms import sq as form_sq
from verify.first_order.recording import NotAffine, recorded
from verify.quantities import (
    L,
    distance2,
    distance2_before,
    eta,
    gap_before,
    loss,
    loss_before,
    move2,
    mu,
    zeta2,
)

NOTES = Notes("own")
memory2 = NOTES.nonnegative("memory2")
ERRORS = {
    "memory2": lambda state, oracle: sq(state["controls"] - oracle.grad(0 * state["controls"])).mean(axis=-1)
}
"""Mean squared distance of SCAFFOLD's control variates from the gradients at the optimum."""
ALL = losses(smooth_strongly_convex, clients=(2,), mu="1/10")


def judged(scene, relation, *conditions: sp.Rel) -> Finding:
    claim = Notes("own").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def scaffold(family):
    return run("scaffold", family, rounds=(1,), local_lr="eta", global_lr=1, entries=ERRORS)


def test_entries_of_the_state_are_quantities() -> None:
    assert judged(scaffold(ALL), memory2 <= distance2_before).verdict is Verdict.PROVED
    assert judged(scaffold(ALL), 2 * memory2 <= distance2_before).verdict is Verdict.REFUTED
    two = scaffold(worlds.strongly_convex(clients=(2,)))
    assert judged(two, 2 * memory2 <= L**2 * distance2_before).verdict is Verdict.REFUTED


def test_a_step_size_is_a_formula() -> None:
    far = distance2 <= (1 - mu) ** 2 * distance2_before
    one = run("fedavg", losses(smooth_strongly_convex, clients=(1,), mu=SHARE), rounds=(1,), local_lr=1 / L)
    assert judged(one, far, mu < 1).verdict is Verdict.PROVED
    run_of_family = run("fedavg", worlds.strongly_convex(dim=(1,)), rounds=(1,), local_lr=1 / L)
    assert judged(run_of_family, distance2 <= (1 - mu / L) ** 3 * distance2_before).verdict is Verdict.REFUTED


def test_a_proof_for_the_class_proves_a_claim_about_a_family() -> None:
    sampled = run("fedavg", worlds.common_minimiser(), rounds=(1,), sampled=(1,), local_lr="eta")
    rate = (1 - eta * mu) ** 2 * distance2_before
    found = judged(sampled, distance2 <= rate, eta <= 1 / L)
    assert (found.verdict, found.proof["ranges"]) == (Verdict.PROVED, ["mu < L"])
    assert judged(sampled, 2 * distance2 <= rate, eta <= 1 / L).verdict is Verdict.REFUTED


def test_clients_with_a_common_minimiser() -> None:
    common = losses(smooth_strongly_convex, clients=(2,), heterogeneity="none", mu="1/10")
    scene = run("fedavg", common, rounds=(1,), sampled=(1,), local_lr="eta")
    assert judged(scene, 100 * distance2 <= 81 * distance2_before, sp.Eq(eta, 1)).verdict is Verdict.PROVED
    with pytest.raises(ValueError, match="convex functions"):
        losses(smooth, heterogeneity="none")


def test_losses_that_are_not_smooth() -> None:
    scene = run(
        "fedavg",
        losses(lipschitz, clients=(1,)),
        rounds=(1,),
        local_lr="eta",
        measured=("distance2", "distance2_before", "gap_before"),
    )
    bound = distance2_before - 2 * eta * gap_before
    assert judged(scene, distance2 <= bound + eta**2).verdict is Verdict.PROVED
    assert judged(scene, distance2 <= bound + eta**2 / 2).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "family", [worlds.turned(clients=(2,)), worlds.lipschitz(clients=(2,)), worlds.common_minimiser()]
)
def test_families_have_their_optimum_at_the_origin(family) -> None:
    shape = family.shapes[-1]
    drawn = sample(family.space(shape), np.random.default_rng(0), 16)
    values = {name: torch.as_tensor(x, dtype=torch.float64) for name, x in drawn.items()}
    oracle = family.build(shape, values).at(0)
    x = torch.as_tensor(np.random.default_rng(1).normal(size=(16, 20, 1, shape["d"]))).expand(-1, -1, 2, -1)
    x = x.clone().requires_grad_()
    assert (oracle.loss(x).mean(axis=-1) >= -1e-12).all()
    (slope,) = torch.autograd.grad(oracle.loss(x).sum(), x)
    np.testing.assert_allclose(oracle.grad(x).detach(), slope, atol=1e-12)
    constants = family.constants(shape, values)
    if "G2" in constants:
        assert (sq(slope) <= constants["G2"][:, None, None] + 1e-9).all()


def test_skewed_noise_has_mean_0_and_variance_1() -> None:
    for dim in (1, 2, 3):
        outcomes, chances = worlds.skewed_atoms(dim)
        assert chances.sum() == 1
        assert not (chances[:, None] * outcomes).sum(axis=0).any()
        assert (chances * (outcomes**2).sum(axis=-1)).sum() == 1


def test_signs_of_gradients_fail_under_skewed_noise() -> None:
    d = sp.Symbol("d", integer=True, positive=True)
    claim = loss <= loss_before + eta**2 * L * d / 2
    scene = run(
        parts.of_gradients(fedavg, parts.sign),
        worlds.convex(dim=(1,), noisy=(2,)),
        rounds=(1,),
        local_lr="eta",
    )
    found = NOTES.claim("sign", claim, scene=scene)
    assert found.checks[0](found, BUDGETS["default"], 0).verdict is Verdict.REFUTED


COMPRESSORS = [
    lambda g: parts.top(g, 1),
    lambda g: parts.top(g, 2),
    parts.scaled_sign,
    lambda g: parts.clip(g, 1),
    lambda g: parts.clip_entries(g, 1),
    lambda g: g / g.shape[-1],
    lambda g: g + g.mean(axis=-1)[..., None],
]


@pytest.mark.parametrize("change", COMPRESSORS)
def test_methods_that_depend_on_coordinates_are_not_recorded(change) -> None:
    """In one dimension, most of them are plain gradient descent."""
    step = sp.Symbol("eta", positive=True)
    with pytest.raises(NotAffine):
        recorded(lambda: parts.of_gradients(fedavg, change)(local_lr=step), 1, 1, 1, 1, noisy=False)


def test_parts_compute_what_they_say() -> None:
    x = np.array([[Fraction(3), Fraction(-4), Fraction(1)]], dtype=object)
    assert parts.top(x, 1).tolist() == [[0, -4, 0]]
    assert parts.top(x, 2).tolist() == [[3, -4, 0]]
    assert parts.sign(x).tolist() == [[1, -1, 1]]
    assert parts.scaled_sign(x).tolist() == [[Fraction(8, 3), Fraction(-8, 3), Fraction(8, 3)]]
    assert parts.clip_entries(x, 2).tolist() == [[2, -2, 1]]
    np.testing.assert_allclose(parts.clip(np.array([3.0, 4.0]), 1), [0.6, 0.8])


def test_clients_make_unequal_numbers_of_steps() -> None:
    uneven = parts.unequal(fedavg, (1, 2))
    scene = run(uneven, ALL, rounds=(1,), local_steps=(2,), local_lr="eta")
    half = sp.Eq(eta, sp.Rational(1, 2))
    assert judged(scene, distance2 <= distance2_before, half).verdict is Verdict.REFUTED
    assert judged(scene, distance2 <= distance2_before + 10 * zeta2, half).verdict is Verdict.PROVED


def parts_of(problem, delta, omega):
    v = problem.point("v")
    near, random = compressed(problem, v, delta), unbiased(problem, v, omega)
    return {"distance2": form_sq(v - near), "distance2_before": form_sq(v), "move2": form_sq(random)}


def test_compressors_of_formal_vectors() -> None:
    delta, omega = NOTES.positive("delta omega")
    scene = worst_case(parts_of, delta=SHARE, omega=NONNEGATIVE)
    assert judged(scene, distance2 <= (1 - delta) * distance2_before).verdict is Verdict.PROVED
    assert judged(scene, move2 <= (1 + omega) * distance2_before).verdict is Verdict.PROVED
    small = delta <= sp.Rational(1, 2)
    assert judged(scene, 2 * distance2 <= (1 - delta) * distance2_before, small).verdict is Verdict.REFUTED
