"""The contract of every world: gradients of its losses, on every kind of array, for any clients and batch."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import given, settings

from nqm import fields as f
from nqm.arguments import map_parameters
from nqm.bounded import Linear, LogCosh, PseudoHuber
from nqm.federation import task_grad, task_loss, total_grad, total_loss
from nqm.noise import Axis, Gaussian, Rademacher
from nqm.quadratic import DiagonalQuadratic, Quadratic
from tests.nqm.cases import FAMILIES, QUADRATIC, cases
from tests.nqm.families import aligned_tasks, opposed_tasks, varied_quadratics
from tests.records import changeable

RNG = np.random.default_rng(0)
CENTRE = np.zeros((1, 2, 2))


@given(cases())
@settings(deadline=None, max_examples=60)
def test_gradients_are_the_derivatives_of_the_losses(case):
    task = case.world.n_tasks - 1
    world, x = map_parameters(case.world, f.to_torch), torch.tensor(case.x, requires_grad=True)
    loss = world.loss(x, task, case.clients)
    assert loss.shape == x.shape[:-1]
    loss.sum().backward()
    gradient = world.grad(x, task, case.clients).detach()
    torch.testing.assert_close(x.grad, gradient)
    np.testing.assert_allclose(case.world.grad(case.x, task, case.clients), gradient, rtol=1e-12, atol=1e-13)


@given(cases(QUADRATIC))
@settings(deadline=None, max_examples=20)
def test_gradients_of_quadratics_are_exactly_their_central_differences(case):
    world, x = map_parameters(case.world, f.to_exact), f.to_exact(case.x[:1])
    difference = f.to_exact(np.eye(world.dim)[0])
    rise = world.loss(x + difference, 0, case.clients) - world.loss(x - difference, 0, case.clients)
    if isinstance(world, Quadratic):  # exact up to the rounding of the float Hessians, which are symmetric
        assert (world.curvature == world.curvature.swapaxes(-1, -2)).all()
    assert (rise / 2 == world.grad(x, 0, case.clients)[..., 0]).all()


@given(cases())
@settings(deadline=None, max_examples=30)
def test_intervals_enclose_the_float_results(case):
    world, x = map_parameters(case.world, f.to_interval), f.to_interval(case.x[:1])
    for method in ("loss", "grad"):
        enclosed = getattr(world, method)(x, 0, case.clients)
        assert f.kind(enclosed) == "interval"
        expected = getattr(case.world, method)(case.x[:1], 0, case.clients)
        np.testing.assert_allclose(f.to_float(enclosed), expected, rtol=1e-10, atol=1e-12)


@given(cases())
@settings(deadline=None, max_examples=40)
def test_sampled_clients_get_the_gradients_that_they_get_among_all(case):
    """Compared with selecting from all clients: the sorting by client must not mix up runs or slots."""
    world, x = case.world, np.broadcast_to(case.x[..., :1, :], case.x.shape)
    everybody = np.broadcast_to(case.x[..., :1, :], (*case.x.shape[:-2], world.n_clients, world.dim))
    u = case.rng.normal(size=case.x.shape)
    among_all, losses = world.grad(everybody, 0), world.loss(everybody, 0)
    index = np.broadcast_to(case.clients[..., None], (*case.x.shape[:-1], 1))
    picked = np.take_along_axis(among_all, index, -2)
    np.testing.assert_allclose(world.grad(x, 0, case.clients), picked, atol=1e-13)
    picked = np.take_along_axis(losses, index[..., 0], -1)
    np.testing.assert_allclose(world.loss(x, 0, case.clients), picked, atol=1e-13)
    one_for_all_runs = case.clients[0]
    repeated = np.broadcast_to(one_for_all_runs, case.clients.shape)
    np.testing.assert_allclose(
        world.stochastic_grad(x, 0, one_for_all_runs, u), world.stochastic_grad(x, 0, repeated, u), atol=1e-13
    )


@given(cases())
@settings(deadline=None, max_examples=30)
def test_a_batch_of_worlds_is_worlds_side_by_side(case):
    shape = case.world.batch_shape
    for index in np.ndindex(shape):
        one = map_parameters(case.world, lambda p, index=index: p[index] if p.ndim else p)
        result = one.grad(case.x[(slice(None), *index)], 0, case.clients)
        np.testing.assert_allclose(
            case.world.grad(case.x, 0, case.clients)[(slice(None), *index)], result, atol=1e-13
        )


@given(cases())
@settings(deadline=None, max_examples=30)
def test_totals_are_sums_over_tasks_of_means_over_clients(case):
    world, x = case.world, case.x[..., 0, :]
    everybody = np.broadcast_to(x[..., None, :], (*x.shape[:-1], world.n_clients, world.dim))
    by_hand = sum(world.grad(everybody, i).sum(axis=-2) / world.n_clients for i in range(world.n_tasks))
    np.testing.assert_allclose(total_grad(world, x), by_hand, atol=1e-12)
    losses = sum(world.loss(everybody, i).sum(axis=-1) / world.n_clients for i in range(world.n_tasks))
    np.testing.assert_allclose(total_loss(world, x), losses, atol=1e-12)
    split = task_loss(world, x, 0) + total_loss(world, x, range(1, world.n_tasks))
    np.testing.assert_allclose(total_loss(world, x), split, atol=1e-12)
    assert task_grad(world, x, 0).shape == x.shape
    assert (total_loss(world, x, []) == 0).all()


@given(cases(QUADRATIC))
@settings(deadline=None, max_examples=30)
def test_the_gradient_vanishes_at_the_minimiser(case):
    for kind in (f.to_float, f.to_torch, f.to_exact):
        world = map_parameters(case.world, kind)
        total = total_grad(world, world.minimiser()[..., None, :])
        np.testing.assert_allclose(f.to_float(total), 0, atol=0 if kind is f.to_exact else 1e-10)
        one = world.minimiser([0], [world.n_clients - 1])[..., None, None, :]
        alone = f.to_float(world.grad(one, 0, np.array([world.n_clients - 1])))
        np.testing.assert_allclose(alone, 0, atol=0 if kind is f.to_exact else 1e-10)


@pytest.mark.parametrize("convert", [f.to_float, f.to_torch, f.to_exact])
def test_singular_curvature_has_a_minimiser_too(convert):
    direction = np.array([[1.0, 2.0], [2.0, 4.0]])
    world = Quadratic(convert(direction[None, None]), convert([[[3.0, 1.0], [0.0, 2.0]]]))
    gradient = total_grad(world, world.minimiser()[None])
    np.testing.assert_allclose(f.to_float(gradient), 0, atol=1e-12)
    flat = DiagonalQuadratic(convert([[[1.0, 0.0]]]), convert([[[3.0, 1.0]]]))
    assert f.to_float(flat.minimiser()).tolist() == [3, 0]


def test_symbolic_worlds_give_formulas():
    x, c, h = (np.array([sp.Symbol(name)], dtype=object) for name in "xch")
    world = DiagonalQuadratic(h[None, None], c[None, None], Rademacher(0))
    assert sp.simplify(world.grad(x[None], 0)[0, 0] - h[0] * (x[0] - c[0])) == 0
    bounded = LogCosh(1, 2, c[None, None])
    loss, gradient = bounded.loss(x[None], 0)[0], bounded.grad(x[None], 0)[0, 0]
    assert sp.simplify(sp.diff(loss, x[0]) - gradient) == 0


def test_a_huber_loss_keeps_its_digits_near_its_centre():
    world = PseudoHuber(1.0, 1.0, np.zeros((1, 1, 1)))
    assert world.loss(np.full((1, 1), 1e-9), 0) == pytest.approx(5e-19, rel=1e-12)


def test_tasks_of_named_families_help_or_undo_each_other():
    at_zero = np.zeros(3)
    for family, sign in ((aligned_tasks, 1), (opposed_tasks, -1)):
        world = family(2, 2, 3)
        assert np.sign(task_grad(world, at_zero, 0) @ task_grad(world, at_zero, 1)) == sign


@pytest.mark.parametrize("family", FAMILIES)
def test_parameters_stay_what_they_were(family):
    world = family(np.random.default_rng(1), (), 2, 2, 2)
    before = map_parameters(world, np.copy)
    world.grad(np.ones((3, 2, 2)), 1, np.array([[0, 1], [1, 0], [0, 1]]))
    for name in vars(before):
        if name != "noise":
            np.testing.assert_array_equal(getattr(world, name), getattr(before, name))


def test_a_float_beside_fractions_becomes_a_fraction():
    world = LogCosh(0.5, Fraction(1, 3), f.to_exact(CENTRE), Axis(0.25))
    assert {f.kind(p) for p in (world.height, world.width, world.centre, world.noise.sigma)} == {"exact"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quadratic(-np.eye(2)[None, None], CENTRE), r"`curvature` must be positive semidefinite.*-1"),
        (
            lambda: Quadratic(f.to_exact([[[[1, 2], [2, 1]]]]), f.to_exact(CENTRE)),
            r"`curvature` must be positive semidefinite.*Fraction\(2, 1\)",
        ),
        (lambda: Quadratic(np.array([[[[1, 1.0], [0, 1]]]]), CENTRE), r"`curvature` must be symmetric.*by 1"),
        (
            lambda: Quadratic(f.to_exact([[[[1, 1], [0, 1]]]]), f.to_exact(CENTRE)),
            r"`curvature` must be symmetric",
        ),
        (
            lambda: Quadratic(torch.full((1, 1, 2, 2), torch.nan), CENTRE),
            "`curvature` must be finite, got nan",
        ),
        (lambda: Quadratic(np.ones((1, 1, 2)), CENTRE), r"`curvature` must have shape.*\(1, 1, 2\)"),
        (lambda: Quadratic(np.ones((1, 1, 1, 1)), np.zeros((1, 3, 2))), r"`centre` must have dim 1.*got 2\."),
        (
            lambda: Quadratic(np.ones((1, 3, 1, 1)), CENTRE[..., :1]),
            r"must broadcast.*\(1, 3, 1\).*\(1, 2, 1",
        ),
        (lambda: DiagonalQuadratic(-np.ones(2), CENTRE), "`curvature` must be >= 0, got -1.0"),
        (lambda: DiagonalQuadratic(np.ones(2), np.ones(2)), "must broadcast to .*task, client, dim"),
        (lambda: DiagonalQuadratic(np.ones(2), CENTRE + np.nan), "`centre` must be finite, got nan"),
        (lambda: Linear(np.ones(3)), r"`slope` must have axes.*\(3,\)"),
        (lambda: Linear(CENTRE + np.inf), "`slope` must be finite, got inf"),
        (lambda: LogCosh(-1, 1, CENTRE), "`height` must be >= 0, got -1.0"),
        (lambda: LogCosh(1, 0, CENTRE), "`width` must be > 0, got 0.0"),
        (lambda: PseudoHuber(np.ones(3), 1, CENTRE), r"`height` must broadcast.*\(1, 2\), got shape \(3,\)"),
        (lambda: PseudoHuber(1, np.nan, CENTRE), "`width` must be finite, got nan"),
        (lambda: PseudoHuber(1, 1, np.ones(2)), r"`centre` must have axes.*\(2,\)"),
        (lambda: LogCosh(torch.ones(1), Fraction(1), CENTRE), "Tensors cannot be combined with exact"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("task", "clients", "message"),
    [
        (2, None, r"`task` must be in 0..1, got 2"),
        (-1, None, r"`task` must be in 0..1, got -1"),
        (0, [[0, 3]], r"`clients` must be in 0..2, got 0..3"),
        (0, [[0.5]], "`clients` must hold integers"),
        (0, 1, r"`clients` must have axes"),
        (0, np.zeros((1, 1, 1), int), r"`clients` must have axes \(run, slot\)"),
    ],
)
@pytest.mark.parametrize("family", [varied_quadratics, FAMILIES[-1]])
def test_bad_tasks_and_clients_are_named(family, task, clients, message):
    world = family(np.random.default_rng(0), (4,), 2, 3, 1)
    with pytest.raises(ValueError, match=message):
        world.at(task, clients)


def test_noise_can_be_replaced():
    world = replace(aligned_tasks(1, 1, 1), noise=Gaussian(2.0))
    assert world.noise.sigma == 2


def test_records_of_worlds_cannot_be_changed():
    assert changeable("nqm") == []
