"""Constants bound the values at all points of their region, and are attained if they are called exact."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from scipy.optimize import minimize

from nqm import fields as f
from nqm.arguments import map_parameters
from nqm.bounded import Linear, LogCosh, PseudoHuber
from nqm.constants import constants, infimum
from nqm.federation import task_grad, total_grad, total_loss
from nqm.infimum import certified_infimum, huber_near_minimiser
from nqm.known import Ball, Constant, Unbounded
from nqm.noise import Gaussian, Rademacher, Sphere
from nqm.quadratic import AnyQuadratic, DiagonalQuadratic
from tests.nqm.cases import BOUNDED, EQUAL, FAMILIES, QUADRATIC, cases
from tests.nqm.families import linear_worlds, shared_quadratics, varied_quadratics

RNG = np.random.default_rng(0)
NAMES = ("L", "mu", "B", "sigma_L2", "sigma_G2", "sigma_T2")
ROUNDING = 1 + 1e-9


def available(world, region):
    found = {}
    for name in NAMES:
        try:
            found[name] = constants(world, region)[name]
        except Unbounded:
            assert region is None
            assert isinstance(world, AnyQuadratic)
            assert name in ("B", "sigma_G2", "sigma_T2")
    return found


def ball_for(case):
    batch, dim = case.world.batch_shape, case.world.dim
    return Ball(case.rng.normal(size=(*batch, dim)), case.rng.uniform(0, 2, size=batch))


def points(case, region, n_points):
    """Points (world..., n_points, d) of the region; of many sizes if it is all of R^d."""
    batch, dim = case.world.batch_shape, case.world.dim
    directions = case.rng.normal(size=(*batch, n_points, dim))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    if region is None:
        return directions * 10 ** case.rng.uniform(-2, 2, size=(*batch, n_points, 1))
    lengths = region.radius[..., None, None] * case.rng.uniform(0, 1, size=(*batch, n_points, 1)) ** 0.3
    return region.centre[..., None, :] + lengths * directions


def seen(world, x):
    """Largest value of each quantity over points (world..., n_points, d), (world...)."""
    everybody = np.broadcast_to(x[..., None, :], (*x.shape[:-1], world.n_clients, world.dim))
    of_clients = np.stack([world.grad(everybody, i) for i in range(world.n_tasks)])
    of_tasks = of_clients.mean(axis=-2)
    pairs = ((of_tasks[:, None] - of_tasks[None]) ** 2).sum(-1)
    spread = ((of_clients - of_tasks[..., None, :]) ** 2).sum(-1)
    noise = np.moveaxis(world.noise.bound, -2, 0)[..., None, :]
    return {
        "B": (np.sqrt((of_clients**2).sum(-1)) + noise).max(axis=(0, -1, -2)),
        "sigma_G2": spread.max(axis=(0, -1, -2)),
        "sigma_T2": pairs.max(axis=(0, 1, -1)),
    }


@given(cases())
@settings(max_examples=80)
def test_constants_dominate_what_points_of_the_region_show(case):
    for region in (None, ball_for(case)):
        found, x = available(case.world, region), points(case, region, 200)
        for name, value in seen(case.world, x).items():
            if name in found:
                assert found[name].value.shape == case.world.batch_shape
                assert (value <= found[name].value * ROUNDING + 1e-12).all(), name


@given(cases())
@settings(max_examples=60)
def test_curvature_lies_between_mu_and_L(case):
    for region in (None, ball_for(case)):
        found, x = available(case.world, region), points(case, region, 100)
        world, y = case.world, x[..., ::-1, :]
        for task in range(world.n_tasks):
            every = [
                np.broadcast_to(p[..., None, :], (*p.shape[:-1], world.n_clients, world.dim)) for p in (x, y)
            ]
            rise = ((world.grad(every[0], task) - world.grad(every[1], task)) * (every[0] - every[1])).sum(-1)
            squared = ((every[0] - every[1]) ** 2).sum(-1)
            low, high = (found[name].value[..., None, None] * squared for name in ("mu", "L"))
            assert (rise >= low / ROUNDING - 1e-9).all()
            assert (rise <= high * ROUNDING + 1e-9).all()


@given(cases(QUADRATIC))
@settings(max_examples=25)
def test_exact_constants_of_quadratics_on_a_ball_are_attained(case):
    """The gradient differences are affine: power iterations from many starts find their largest norm."""
    world, region = case.world, ball_for(case)
    found = available(world, region)
    assert found["sigma_G2"].known == found["sigma_T2"].known == "exact"
    centre, radius = region.centre, region.radius[..., None, None]
    corners = centre[..., None, :] + np.eye(world.dim)
    best = []
    for i, j in np.ndindex(world.n_tasks, world.n_tasks):
        at_centre = task_grad(world, centre[..., None, :], i) - task_grad(world, centre[..., None, :], j)
        linear = task_grad(world, corners, i) - task_grad(world, corners, j) - at_centre
        y = case.rng.normal(size=(*world.batch_shape, 50, world.dim))
        for _ in range(300):
            ascent = y + (y @ linear + at_centre) @ linear.swapaxes(-1, -2)
            y = radius * ascent / np.linalg.norm(ascent, axis=-1, keepdims=True)
        best.append(f.sq(y @ linear + at_centre).max(axis=-1))
    np.testing.assert_allclose(np.max(best, axis=0), found["sigma_T2"].value, rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("family", EQUAL)
@pytest.mark.parametrize("dim", [1, 3])
def test_spreads_of_equal_bounded_losses_are_attained_halfway(family, dim):
    clients = family(np.random.default_rng(1), (), 1, 2, dim)
    spread = constants(clients)["sigma_G2"]
    halfway = clients.centre[0].mean(axis=0)
    gap = clients.grad(np.broadcast_to(halfway, (2, dim)), 0)[0] - task_grad(clients, halfway, 0)
    assert spread.known == "exact"
    assert spread.value == pytest.approx((gap**2).sum(), rel=1e-12)
    assert constants(family(np.random.default_rng(1), (), 1, 3, dim))["sigma_G2"].known == "certified"
    tasks = family(np.random.default_rng(1), (), 2, 1, dim)
    halfway = tasks.centre[:, 0].mean(axis=0)
    gap = task_grad(tasks, halfway, 0) - task_grad(tasks, halfway, 1)
    assert constants(tasks)["sigma_T2"].known == "exact"
    assert constants(tasks)["sigma_T2"].value == pytest.approx((gap**2).sum(), rel=1e-12)


@pytest.mark.parametrize("family", BOUNDED)
@pytest.mark.parametrize("dim", [1, 2])
def test_bounds_of_bounded_losses_are_approached(family, dim):
    world = replace(family(np.random.default_rng(2), (), 2, 2, dim), noise=Sphere(0.0))
    far = np.full((2, dim), 1e9)
    largest = max(np.sqrt((world.grad(far, i) ** 2).sum(-1)).max() for i in range(2))
    assert constants(world)["B"].known == "exact"
    assert constants(world)["B"].value == pytest.approx(largest, rel=1e-9)
    task, client = np.unravel_index((world.height / world.width).argmax(), (2, 2))
    centre, step = world.centre[task, client], 1e-6 * np.eye(dim)[0]
    rise = world.grad((centre + step)[None], task, np.array([client]))[0, 0] / 1e-6
    assert constants(world)["L"].value == pytest.approx(rise, rel=1e-9)


@given(cases(max_dim=2))
@settings(max_examples=12)
def test_exact_and_interval_constants_agree_with_floats(case):
    for region in (None, ball_for(case)):
        found = available(case.world, region)
        for convert in (f.to_exact, f.to_interval, f.to_torch):
            world = map_parameters(case.world, convert)
            where = None if region is None else map_parameters(region, convert)
            for name, constant in found.items():
                same = constants(world, where)[name]
                np.testing.assert_allclose(f.to_float(same.value), constant.value, rtol=1e-5, atol=1e-9)
                if convert is f.to_exact:
                    assert f.kind(same.value) == "exact"


def test_irrational_constants_of_exact_worlds_are_rounded_up():
    world = LogCosh(1, 1, f.to_exact(np.zeros((1, 1, 2))))
    bound = constants(world)["B"]
    assert bound.known == "certified"
    assert f.kind(bound.value) == "exact"
    assert bound.value**2 > 2
    assert bound.value**2 - 2 < 1e-60
    assert constants(world)["L"] == Constant(
        constants(world)["L"].value, "exact", note=constants(world)["L"].note
    )


def test_constants_can_be_climbed():
    """Each constant of a tensor world has a finite gradient, also at equal parameters, so ascent can use it."""
    for family in FAMILIES:
        world = map_parameters(
            family(np.random.default_rng(0), (2,), 2, 3, 2), lambda p: f.to_torch(p).clone()
        )
        leaves = [p.requires_grad_() for name, p in vars(world).items() if name != "noise"]
        for constant in available(world, Ball(torch.zeros(2, 2), torch.ones(2))).values():
            if constant.value.requires_grad:
                gradients = torch.autograd.grad(
                    constant.value.sum(), leaves, allow_unused=True, retain_graph=True
                )
                assert all(g is None or bool(torch.isfinite(g).all()) for g in gradients)


@given(cases((*QUADRATIC, *BOUNDED)))
@settings(max_examples=40)
def test_the_infimum_is_below_every_loss_and_sharp(case):
    lowest = infimum(case.world).value
    assert (lowest[..., None] <= total_loss(case.world, points(case, None, 100)) + 1e-12).all()
    for index in np.ndindex(case.world.batch_shape):
        one = map_parameters(case.world, lambda p, index=index: p[index] if p.ndim else p)
        found = minimize(
            lambda x, one=one: total_loss(one, x),
            np.zeros(one.dim),
            jac=lambda x, one=one: total_grad(one, x),
            tol=1e-12,
        )
        assert lowest[index] == pytest.approx(found.fun, abs=1e-7)


@given(cases((*QUADRATIC, *BOUNDED)))
@settings(max_examples=15)
def test_the_infimum_is_certified_in_every_kind(case):
    lowest = infimum(case.world, [0]).value
    for convert in (f.to_exact, f.to_interval, f.to_torch):
        same = infimum(map_parameters(case.world, convert), [0]).value
        np.testing.assert_allclose(f.to_float(same), lowest, rtol=1e-7, atol=1e-10)


@given(cases(BOUNDED))
@settings(max_examples=30)
def test_the_infimum_stays_below_when_the_near_minimiser_is_poor(case):
    world, tasks = case.world, list(range(case.world.n_tasks))
    sharp = infimum(world).value
    poor = certified_infimum(
        world, world.height, world.width, world.centre, tasks, lambda h, w, c: c[..., 0, :]
    )
    assert (poor.value <= sharp + 1e-12).all()


def test_the_infimum_of_linear_losses_is_minus_infinity_unless_they_cancel():
    slope = np.array([[[[1.0]], [[-1.0]]], [[[1.0]], [[2.0]]]])  # two worlds of two tasks
    assert infimum(Linear(slope)).value.tolist() == [0, -np.inf]
    assert infimum(Linear(torch.tensor(slope))).value.tolist() == [0, -np.inf]
    assert infimum(Linear(f.to_exact(slope[0]))).value == 0
    assert infimum(Linear(slope), []).value.tolist() == [0, 0]
    with pytest.raises(Unbounded, match="slopes do not cancel"):
        infimum(Linear(f.to_exact(slope)))


def test_steps_of_newton_that_do_not_shrink_the_gradient_are_not_taken():
    """Between a centre and one with twice the weight, Newton's steps jump between kinks if the losses are narrow."""
    heights, centres = np.array([2.0, 1.0, 1.0]), np.array([[-1.0], [0.0], [1.0]])
    for width in (0.1, 0.01, 0.001):
        point = huber_near_minimiser(heights, np.full(3, width), centres)
        away = point[0] - centres[:, 0]
        assert (heights * away / np.sqrt(width**2 + away**2)).sum() == pytest.approx(0, abs=1e-12)


def test_losses_of_height_zero_have_the_infimum_zero():
    for family in (LogCosh, PseudoHuber):
        assert infimum(family(0.0, 1.0, RNG.normal(size=(2, 2, 2)))).value == 0


def test_what_is_infinite_says_why_and_what_to_do():
    varied, shared = (make(RNG, (), 2, 2, 2) for make in (varied_quadratics, shared_quadratics))
    with pytest.raises(Unbounded, match=r"`B` is infinite.*distance from its centre.*Ball"):
        constants(shared)["B"]
    with pytest.raises(Unbounded, match=r"`sigma_G2` is infinite.*differs between clients.*Ball"):
        constants(varied)["sigma_G2"]
    with pytest.raises(Unbounded, match=r"`sigma_T2` is infinite.*differs between tasks.*Ball"):
        constants(varied)["sigma_T2"]
    with pytest.raises(Unbounded, match="no almost sure bound"):
        constants(linear_worlds(RNG, (), 1, 1, 1, noise=Gaussian(1.0)))["B"]
    assert constants(linear_worlds(RNG, (), 1, 1, 1, noise=Gaussian(2.0)))["sigma_L2"].value == 4


def test_flat_quadratics_have_bounded_gradients():
    flat = DiagonalQuadratic(np.zeros(2), RNG.normal(size=(1, 2, 2)), Rademacher(0.5))
    assert constants(flat)["B"].value == 0.5


def test_constants_are_a_mapping_computed_on_demand():
    found = constants(varied_quadratics(RNG, (), 1, 2, 2))
    assert tuple(found) == NAMES
    assert found["L"] is found["L"]
    with pytest.raises(KeyError):
        found["G"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ball(np.zeros(2), -1.0), "`radius` must be >= 0, got -1.0"),
        (lambda: Ball(np.zeros(2), np.nan), "`radius` must be finite, got nan"),
        (lambda: Ball(0.0, 1.0), "`centre` must have axes"),
        (lambda: Constant(1.0, "guessed"), "`known` must be one of exact, certified, sampled, got 'guessed'"),
    ],
)
def test_bad_records_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_ball_knows_its_points():
    ball = Ball(np.zeros((2, 2)), np.array([1.0, 5.0]))
    assert ball.contains(np.array([[3.0, 4.0], [3.0, 4.0]])).tolist() == [False, True]
    assert Ball(f.to_exact([0, 0]), 5).contains(f.to_exact([3, 4]))


@pytest.mark.parametrize("family", [LogCosh, PseudoHuber])
@pytest.mark.parametrize("offset", [0.5, 1.5])
def test_the_curvature_of_bounded_losses_is_met_on_a_ball(family, offset):
    """At the nearest and farthest points from the centre, which lie on an axis."""
    one = np.ones((1, 1))
    for dim in (1, 2):
        centre = np.eye(1, dim)[None] * offset
        world, ball = family(1.3 * one, 0.7 * one, centre), Ball(np.zeros(dim), 1.0)
        tensors = map_parameters(world, f.to_torch)

        def loss(x, tensors=tensors):
            return tensors.loss(x[None, None], 0)[0, 0]

        axis = torch.linspace(-1, 1, 41, dtype=torch.float64)
        grid = torch.cartesian_prod(*[axis] * dim).reshape(-1, dim)
        inside = grid[grid.norm(dim=-1) <= 1 + 1e-12]
        seen = torch.linalg.eigvalsh(torch.func.vmap(torch.func.jacrev(torch.func.grad(loss)))(inside))
        lowest, highest = (found.value[0, 0] for found in world.curvature_range(ball))
        assert float(seen.min()) == pytest.approx(lowest)
        assert float(seen.max()) == pytest.approx(highest)
