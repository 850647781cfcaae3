"""Radii of certified balls and their error messages, compared with the formulas of `nqm.invariance` by client."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from nqm.arguments import map_parameters
from nqm.fields import to_exact
from nqm.invariance import NotInvariant, invariant_ball, reachable_ball
from nqm.noise import Rademacher, Sphere
from nqm.quadratic import DiagonalQuadratic, Quadratic

TASKS, CLIENTS, DIM = 2, 2, 2
RNG = np.random.default_rng(0)
CURVATURE = RNG.uniform(0.4, 1.6, (TASKS, CLIENTS, DIM))
WORLD = DiagonalQuadratic(
    CURVATURE, RNG.normal(size=CURVATURE.shape), Sphere(RNG.uniform(0.1, 0.5, (TASKS, CLIENTS)))
)
CENTRE, START = np.array([0.3, -0.2]), np.array([1.5, 2.5])


def one_round(task: int, client: int, gamma_L: float, gamma_G: float, E: int) -> tuple[float, ...]:
    """Rate and push of the server and of local steps: the growth of distances from the centre is at most this."""
    h, bound = CURVATURE[task, client], WORLD.noise.sigma[task, client]
    a = gamma_L * (np.linalg.norm(h * (CENTRE - WORLD.centre[task, client])) + bound)
    q = max(abs(1 - gamma_L * h))
    push = a * sum(q**e for e in range(E))
    if (gamma_L * h <= 1).all():
        rate = max(abs(1 - gamma_G * (1 - (1 - gamma_L * h) ** E)))
    else:
        rate = abs(1 - gamma_G) + gamma_G * q**E
    return rate, gamma_G * push, q**E, push


SETTINGS = list(product([0.5, 0.9], [0.7, 1.0], [1, 3]))


@pytest.mark.parametrize(("gamma_L", "gamma_G", "E"), SETTINGS)
@pytest.mark.parametrize("start", [None, START])
def test_the_radius_of_an_invariant_ball(gamma_L: float, gamma_G: float, E: int, start: Any) -> None:
    found = invariant_ball(
        WORLD, CENTRE, gamma_L=gamma_L, gamma_G=gamma_G, lam=0.3, local_steps=E, start=start
    )
    each = [one_round(task, client, gamma_L, gamma_G, E) for task, client in np.ndindex(TASKS, CLIENTS)]
    distance = 0.0 if start is None else np.linalg.norm(START - CENTRE)
    radius = max(distance, *(push / (1 - rate) for rate, push, *_ in each))
    assert found.server.radius == pytest.approx(radius, rel=1e-12)
    farthest = max(radius, *(rate * radius + push for *_, rate, push in each))
    assert found.everything.radius == pytest.approx(farthest, rel=1e-12)
    assert (found.server.centre == CENTRE).all()
    assert (found.everything.centre == CENTRE).all()


@pytest.mark.parametrize(("gamma_L", "gamma_G", "E"), SETTINGS)
@pytest.mark.parametrize("start", [None, START])
def test_the_radius_of_a_run_of_some_rounds(gamma_L: float, gamma_G: float, E: int, start: Any) -> None:
    """Task by task and round by round, with the anchor at the start of the task."""
    lam, order, rounds = 0.3, [1, 0, 1], 2
    found = reachable_ball(
        WORLD,
        CENTRE,
        gamma_L=gamma_L,
        gamma_G=gamma_G,
        lam=lam,
        local_steps=E,
        rounds=rounds,
        tasks=order,
        start=start,
    )
    radius = 0.0 if start is None else np.linalg.norm(START - CENTRE)
    servers, local = [radius], [radius]
    for task in order:
        anchor = radius
        each = [one_round(task, client, gamma_L, gamma_G, E) for client in range(CLIENTS)]
        for _ in range(rounds):
            local += [radius, *(rate * radius + push for *_, rate, push in each)]
            radius = (max(rate * radius + push for rate, push, *_ in each) + lam * anchor) / (1 + lam)
            servers.append(radius)
    assert found.server.radius == pytest.approx(max(servers), rel=1e-12)
    assert found.everything.radius == pytest.approx(max(servers + local), rel=1e-12)


def test_tasks_that_do_not_occur_do_not_count() -> None:
    steps = {"gamma_L": 0.5, "gamma_G": 1.0, "lam": 0.0, "local_steps": 2}
    only = [invariant_ball(WORLD, CENTRE, tasks=[task], **steps).server.radius for task in range(TASKS)]
    assert invariant_ball(WORLD, CENTRE, **steps).server.radius == max(only)
    assert only[0] != only[1]


def test_full_curvature_has_the_ball_of_its_eigenvalues() -> None:
    """Rotated worlds have rotated balls."""
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    hessian = turn @ (CURVATURE[..., None] * np.eye(DIM)) @ turn.T
    world = Quadratic((hessian + hessian.swapaxes(-1, -2)) / 2, WORLD.centre @ turn.T, WORLD.noise)
    steps = {"gamma_L": 0.9, "gamma_G": 0.8, "lam": 0.0, "local_steps": 3}
    found, expected = (invariant_ball(w, c, **steps) for w, c in ((world, turn @ CENTRE), (WORLD, CENTRE)))
    assert found.everything.radius == pytest.approx(expected.everything.radius)


def test_what_stands_still_needs_no_contraction() -> None:
    """Without a push, a rate of 1 is enough; with a push, it is not."""
    flat = DiagonalQuadratic(np.zeros(1), np.zeros((1, 1, 1)))
    steps = {"gamma_L": 0.5, "gamma_G": 1.0, "lam": 0.0, "local_steps": 1}
    assert invariant_ball(flat, np.zeros(1), start=np.ones(1), **steps).server.radius == 1
    with pytest.raises(NotInvariant):
        invariant_ball(
            DiagonalQuadratic(np.zeros(1), np.zeros((1, 1, 1)), Rademacher(0.1)), np.zeros(1), **steps
        )
    bowl = DiagonalQuadratic(np.ones(1), np.zeros((1, 1, 1)))
    with pytest.raises(NotInvariant):
        invariant_ball(bowl, np.zeros(1), **{**steps, "gamma_L": 2.5})
    assert invariant_ball(bowl, np.zeros(1), **{**steps, "gamma_L": 2.0}).server.radius == 0


def test_the_step_size_that_a_refusal_names_is_the_border() -> None:
    """The server's step expands beyond 2/(1 - (1 - gamma_L L)^E); the number is rounded to six digits."""
    steps: dict[str, Any] = {"gamma_L": 0.5, "lam": 0.0, "local_steps": 2}
    bowl = DiagonalQuadratic(np.array([[[0.5], [1.0]]]), np.zeros((1, 2, 1)), Rademacher(0.1))
    with pytest.raises(NotInvariant) as refused:
        invariant_ball(bowl, np.zeros(1), gamma_G=4.0, **steps)
    said = str(refused.value)
    assert "client 1 on task 0" in said
    assert f"distances by up to {4 * (1 - 0.5**2) - 1:.6g}." in said
    assert "at most 1/L = 1," in said
    border = float(re.search(r"`gamma_G` below ([\d.]+)", said)[1])
    assert border == pytest.approx(2 / (1 - 0.5**2), rel=1e-5)
    invariant_ball(bowl, np.zeros(1), gamma_G=border * 0.999, **steps)
    with pytest.raises(NotInvariant):
        invariant_ball(bowl, np.zeros(1), gamma_G=border * 1.001, **steps)


def test_a_step_beyond_two_over_the_curvature_is_named() -> None:
    bowl = DiagonalQuadratic(np.array([[[1.0], [4.0]]]), np.zeros((1, 2, 1)), Rademacher(0.1))
    steps: dict[str, Any] = {"gamma_G": 1.0, "lam": 0.0, "local_steps": 1}
    with pytest.raises(
        NotInvariant, match=r"Local steps of client 1 on task 0 .* 2/L = 0.5, .* where L = 4 is"
    ):
        invariant_ball(bowl, np.zeros(1), gamma_L=0.51, **steps)
    with pytest.raises(NotInvariant, match="The server's step expands for client 1"):
        invariant_ball(bowl, np.zeros(1), gamma_L=0.5, **steps)
    invariant_ball(bowl, np.zeros(1), gamma_L=0.49, **steps)


def test_irrational_radii_of_exact_worlds_are_rounded_up_a_little() -> None:
    steps: dict[str, Any] = {"gamma_L": 0.5, "gamma_G": 1.0, "lam": 0.0, "local_steps": 2}
    start = np.array([1.0, 1.0])  # at distance sqrt(2)
    flat = DiagonalQuadratic(np.ones(2), np.zeros((1, 1, 2)))
    ball = invariant_ball(
        map_parameters(flat, to_exact), to_exact([0, 0]), start=to_exact(start), **steps
    ).server
    assert 0 < ball.radius**2 - 2 < Fraction(1, 10**60)


@pytest.mark.parametrize("rounds", [0, -1, 1.5])
def test_rounds_are_counted(rounds: Any) -> None:
    steps: dict[str, Any] = {"gamma_L": 0.5, "gamma_G": 1.0, "lam": 0.0}
    with pytest.raises(ValueError, match=f"`rounds` must be an integer >= 1, got {rounds}"):
        reachable_ball(WORLD, CENTRE, local_steps=1, rounds=rounds, **steps)
    with pytest.raises(ValueError, match="`centre` must have shape"):
        reachable_ball(WORLD, 0.0, local_steps=1, rounds=1, **steps)


def test_who_takes_too_long_a_step_is_named_in_whatever_world() -> None:
    curvature = np.ones((2, 3, 2, 1))
    curvature[1, 2, 0] = 4.0
    worlds = DiagonalQuadratic(curvature, np.zeros(curvature.shape), Rademacher(0.1))
    with pytest.raises(NotInvariant, match="Local steps of client 0 on task 2 expand"):
        invariant_ball(worlds, np.zeros(1), gamma_L=0.6, gamma_G=1.0, lam=0.0, local_steps=1)
