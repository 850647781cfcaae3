"""Standardised noise: its moments by exact enumeration, its bound, and errors."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from nqm.arguments import map_parameters
from nqm.fields import Irrational, kind, to_exact
from nqm.known import Unbounded
from nqm.noise import Axis, Gaussian, Rademacher, Sphere, atoms
from tests.nqm.families import linear_worlds

LAWS = (Gaussian, Rademacher, Sphere, Axis)


@pytest.mark.parametrize(
    ("law", "dim"),
    [("rademacher", 1), ("rademacher", 4), ("sphere", 1), ("axis", 1), ("axis", 2), ("axis", 5)],
)
def test_atoms_have_mean_zero_unit_norm_and_covariance_identity_over_d(law, dim):
    outcomes, probabilities = atoms(law, dim)
    assert outcomes.shape == (len(probabilities), dim)
    assert kind(outcomes) == kind(probabilities) == "exact"
    assert sum(probabilities) == 1
    assert (probabilities @ outcomes == 0).all()
    assert ((outcomes**2).sum(axis=-1) == 1).all()
    covariance = (probabilities[:, None] * outcomes).T @ outcomes
    assert (covariance == Fraction(1, dim) * to_exact(np.eye(dim))).all()


def test_signs_in_a_dimension_that_is_no_square_are_irrational():
    with pytest.raises(Irrational, match="2"):
        atoms("rademacher", 2)


@pytest.mark.parametrize(("law", "dim"), [("gaussian", 1), ("sphere", 2)])
def test_continuous_laws_cannot_be_enumerated(law, dim):
    with pytest.raises(ValueError, match=f"finitely many outcomes.*'{law}' in dimension {dim}.*'axis'"):
        atoms(law, dim)


def test_gaussian_noise_has_no_bound_unless_it_is_zero():
    with pytest.raises(Unbounded, match=r"no almost sure bound.*Rademacher"):
        Gaussian(np.array([[0.0, 1.0]])).bound  # noqa: B018
    assert Gaussian(0).bound == 0


@pytest.mark.parametrize("law", [Rademacher, Sphere, Axis])
def test_other_noise_is_bounded_by_sigma(law):
    assert law(1.5).bound == 1.5


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("sigma", [-1, np.nan, np.inf, np.array([[1.0, -0.5]]), torch.tensor(-1.0)])
def test_sigma_must_be_finite_and_nonnegative(law, sigma):
    with pytest.raises(ValueError, match=r"`sigma` must be (>= 0|finite), got"):
        law(sigma)


@pytest.mark.parametrize("sigma", [np.ones(3), np.ones((3, 2)), np.ones((5, 2, 3))])
def test_sigma_must_fit_the_tasks_and_clients(sigma):
    with pytest.raises(ValueError, match=r"`sigma` must.*task, client"):
        linear_worlds(np.random.default_rng(0), (), 2, 3, 1, noise=Rademacher(sigma))


def test_each_client_has_its_own_noise():
    sigma = np.arange(6.0).reshape(2, 3)
    world = linear_worlds(np.random.default_rng(0), (), 2, 3, 4, noise=Rademacher(sigma))
    clients, u = np.array([[2, 0], [1, 2]]), np.full((2, 2, 4), 0.5)
    x = np.zeros((2, 2, 4))
    added = world.stochastic_grad(x, 1, clients, u) - world.grad(x, 1, clients)
    np.testing.assert_allclose((added**2).sum(-1), [[25, 9], [16, 25]])


def test_sigma_follows_its_world_into_exact_arithmetic():
    world = map_parameters(
        linear_worlds(np.random.default_rng(0), (), 1, 2, 1, noise=Rademacher(0.5)), to_exact
    )
    x = to_exact(np.zeros((2, 1)))
    assert kind(world.stochastic_grad(x, 0, None, to_exact(np.ones((2, 1))))) == "exact"
