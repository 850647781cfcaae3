"""Certified balls hold on runs that try to leave them, and are attained if no slack is added."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from nqm import fields as f
from nqm.arguments import map_parameters
from nqm.constants import constants
from nqm.invariance import NotInvariant, invariant_ball, reachable_ball
from nqm.known import Ball, Unbounded
from nqm.noise import Gaussian, Sphere
from nqm.quadratic import DiagonalQuadratic
from tests.nqm.cases import QUADRATIC
from tests.nqm.families import linear_worlds, varied_quadratics

WORLD = varied_quadratics(np.random.default_rng(5), (), 2, 3, 2, noise=Sphere(0.3))
STEPS = {"gamma_L": 0.5, "gamma_G": 1.0, "lam": 0.1, "local_steps": 3}


def outward(x, centre, rng):
    """Unit noise that mostly points away from the centre."""
    direction = x - centre + 0.1 * rng.normal(size=x.shape)
    return -direction / np.linalg.norm(direction, axis=-1, keepdims=True)  # steps go against the gradient


def farthest(world, centre, start, tasks, rounds, rng, *, gamma_L, gamma_G, lam, local_steps, n_runs=20):
    """Largest distances of the server and of local iterates from the centre in runs with hostile noise."""
    n_sampled = rng.integers(1, world.n_clients + 1)
    theta = np.broadcast_to(start, (n_runs, world.dim))
    server = local = np.linalg.norm(theta - centre, axis=-1).max()
    for task in tasks:
        anchor = theta
        for _ in range(rounds):
            clients = np.stack([rng.permutation(world.n_clients)[:n_sampled] for _ in range(n_runs)])
            x = np.broadcast_to(theta[:, None], (n_runs, n_sampled, world.dim))
            for _ in range(local_steps):
                x = x - gamma_L * world.stochastic_grad(x, task, clients, outward(x, centre, rng))
                local = max(local, np.linalg.norm(x - centre, axis=-1).max())
            theta = (theta + gamma_G * (x.mean(axis=1) - theta) + lam * anchor) / (1 + lam)
            server = max(server, np.linalg.norm(theta - centre, axis=-1).max())
    return server, local


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(QUADRATIC),
    st.floats(0.01, 1.9),
    st.floats(0.1, 2.0),
    st.floats(0, 2),
    st.integers(1, 4),
    st.integers(1, 2),
)
@settings(max_examples=60)
def test_hostile_runs_stay_in_the_ball(seed, family, gamma_L, gamma_G, lam, local_steps, dim):
    rng = np.random.default_rng(seed)
    world = replace(family(rng, (), 2, 3, dim), noise=Sphere(rng.uniform(0, 1, size=(2, 3))))
    centre, start = rng.normal(size=(2, dim))
    steps = {"gamma_L": gamma_L, "gamma_G": gamma_G, "lam": lam, "local_steps": local_steps}
    reachable = reachable_ball(world, centre, start=start, rounds=8, **steps)
    server, local = farthest(world, centre, start, (0, 1), 8, rng, **steps)
    assert server <= reachable.server.radius * (1 + 1e-12)
    assert local <= reachable.everything.radius * (1 + 1e-12)
    try:
        found = invariant_ball(world, centre, start=start, **steps)
    except NotInvariant:
        reject()
    assert reachable.server.radius <= found.server.radius * (1 + 1e-12)
    on_the_edge = centre + found.server.radius * np.eye(dim)[0]
    server, local = farthest(world, centre, on_the_edge, (1, 0, 1), 8, rng, **steps)
    assert server <= found.server.radius * (1 + 1e-12)
    assert local <= found.everything.radius * (1 + 1e-12)


def test_the_ball_is_reached_in_one_dimension():
    """One client, noise always outward: the distances converge to the radius."""
    world = DiagonalQuadratic(np.ones((1, 1, 1)), np.zeros((1, 1, 1)), Sphere(1.0))
    steps = {"gamma_L": 0.5, "gamma_G": 0.8, "lam": 0.0, "local_steps": 2}
    found = invariant_ball(world, np.zeros(1), **steps)
    theta = 0.0
    for _ in range(200):
        x = theta
        for _ in range(2):
            x = x - 0.5 * (x - 1)
        theta = theta + 0.8 * (x - theta)
    assert found.server.radius == pytest.approx(theta, rel=1e-12)
    finite = reachable_ball(world, np.zeros(1), rounds=1, **steps)
    assert finite.server.radius == pytest.approx(0.8 * 0.75)
    assert finite.everything.radius == pytest.approx(0.75)


def test_the_anchor_keeps_runs_together_where_nothing_else_does():
    world = DiagonalQuadratic(np.zeros(1), np.zeros((2, 1, 1)), Sphere(1.0))
    steps = {"gamma_L": 1.0, "gamma_G": 1.0, "local_steps": 1}
    with pytest.raises(NotInvariant, match=r"client 0 on task 0 has no curvature.*reachable_ball"):
        invariant_ball(world, np.zeros(1), lam=1.0, **steps)
    held = reachable_ball(world, np.zeros(1), lam=1.0, rounds=1000, **steps)
    free = reachable_ball(world, np.zeros(1), lam=0.0, rounds=1000, **steps)
    assert held.server.radius == pytest.approx(2.0)  # 1/lam for each of two tasks
    assert free.server.radius == pytest.approx(2000.0)


def test_steps_beyond_1_over_L_may_expand_in_the_middle_of_the_spectrum():
    """With E = 2 and curvatures 1/2, 1, 3/2 the server's step is 1 - gamma_G u with u = 3/4, 1, 3/4."""
    world = DiagonalQuadratic(np.array([0.5, 1.0, 1.5]), np.zeros((1, 1, 3)), Sphere(0.1))
    with pytest.raises(NotInvariant, match="The server's step expands"):
        invariant_ball(world, np.zeros(3), gamma_L=1.0, gamma_G=2.1, lam=0.0, local_steps=2)


@pytest.mark.parametrize(("local_steps", "rate", "enough"), [(1, "1.5", "4"), (2, "2.75", "2.66667")])
def test_a_step_that_expands_tells_which_would_not(local_steps, rate, enough):
    """With gamma_L H = 1/2 the server's step is 1 - gamma_G (1 - 2^-E), here with gamma_G = 5."""
    world = DiagonalQuadratic(np.array([2.0]), np.zeros((1, 1, 1)), Sphere(0.1))
    steps = {"gamma_L": 0.25, "gamma_G": 5.0, "lam": 0.0, "local_steps": local_steps}
    told = f"by up to {rate}. With `gamma_L` at most 1/L = 0.5, `gamma_G` below {enough} suffices"
    with pytest.raises(NotInvariant, match=re.escape(told)):
        invariant_ball(world, np.zeros(1), **steps)


def test_a_point_that_nothing_moves_is_a_ball_of_radius_zero():
    world = DiagonalQuadratic(np.zeros(2), np.zeros((1, 2, 2)))
    assert invariant_ball(world, np.ones(2), **STEPS).everything.radius == 0


@pytest.mark.parametrize("find", [invariant_ball, lambda *a, **k: reachable_ball(*a, rounds=3, **k)])
def test_a_batch_and_sweeps_of_steps_give_one_ball_each(find):
    worlds = varied_quadratics(np.random.default_rng(6), (3,), 2, 2, 2, noise=Sphere(0.1))
    steps = STEPS | {"gamma_L": np.array([0.2, 0.5, 0.9])}
    found = find(worlds, np.zeros(2), **steps)
    for index in range(3):
        one = map_parameters(worlds, lambda p, index=index: p[index] if p.ndim else p)
        alone = find(one, np.zeros(2), **STEPS | {"gamma_L": steps["gamma_L"][index]})
        assert found.everything.radius[index] == pytest.approx(alone.everything.radius)


@pytest.mark.parametrize("find", [invariant_ball, lambda *a, **k: reachable_ball(*a, rounds=3, **k)])
def test_every_kind_of_array_gives_the_same_ball(find):
    expected = find(WORLD, np.zeros(2), **STEPS).everything.radius
    for convert in (f.to_torch, f.to_exact, f.to_interval):
        ball = find(map_parameters(WORLD, convert), convert(np.zeros(2)), **STEPS).everything
        assert f.kind(ball.radius) == f.kind(convert(0.5))
        assert f.to_float(ball.radius) == pytest.approx(expected, rel=1e-8)


def test_the_ball_is_a_region_for_constants():
    ball = invariant_ball(WORLD, np.zeros(2), **STEPS).everything
    assert isinstance(ball, Ball)
    assert constants(WORLD, ball)["B"].where is ball


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gamma_L": 5.0}, r"Local steps of client \d on task \d expand: `gamma_L` = 5 must be at most 2/L"),
        (
            {"gamma_L": 5.0},
            f"must be at most 2/L = {2 / WORLD.curvature_range(None)[1].value[0, 0]:.6g}, better",
        ),
        ({"gamma_G": 50.0}, r"The server's step expands for client \d on task \d.*`gamma_G` below"),
        ({"gamma_L": -1.0}, "`gamma_L` must be > 0, got -1.0"),
        ({"gamma_G": np.nan}, "`gamma_G` must be finite"),
        ({"lam": -0.1}, "`lam` must be >= 0, got -0.1"),
        ({"local_steps": 0}, "`local_steps` must be an integer >= 1, got 0"),
        ({"tasks": [7]}, r"`task` must be in 0..1, got 7"),
        ({"start": np.zeros(3)}, r"`start` must have shape \(..., 2\), got \(3,\)"),
    ],
)
def test_what_prevents_a_certificate_is_named(changed, message):
    with pytest.raises(ValueError, match=message):
        invariant_ball(WORLD, np.zeros(2), **STEPS | changed)


def test_only_quadratics_with_bounded_noise_are_certified():
    with pytest.raises(TypeError, match=r"Only quadratic worlds.*got Linear"):
        invariant_ball(linear_worlds(np.random.default_rng(0), (), 1, 1, 2), np.zeros(2), **STEPS)
    with pytest.raises(Unbounded, match="no almost sure bound"):
        invariant_ball(replace(WORLD, noise=Gaussian(1.0)), np.zeros(2), **STEPS)
