"""Exact moments against every outcome of a small world, against samples, and against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
import torch

from algorithms.affine import NotAffine
from algorithms.algorithm import Algorithm
from algorithms.draws import Draws, enumerate_draws, expectation, monte_carlo
from algorithms.fedavg import fedavg
from algorithms.simulate import states, trajectory
from algorithms.special import special
from algorithms.special_c import special_c
from nqm.arguments import map_parameters
from nqm.bounded import LogCosh
from nqm.federation import total_grad, total_loss
from nqm.fields import kind, sq, to_exact, to_float, to_symbolic, to_torch
from nqm.moments import Path
from nqm.noise import Axis, Gaussian, Rademacher, atoms
from nqm.quadratic import Quadratic
from tests.algorithms import cases
from tests.nqm.families import bounded_worlds, linear_worlds
from verify.lab.moments import (
    Moments,
    _Belief,
    _Task,
    expected_loss,
    expected_sq_distance,
    expected_sq_grad,
    moments,
)

METHODS = [method for method in cases.methods(names=cases.AFFINE) if cases.has_moments(method)]


def small_world(sigma: object = Fraction(1, 2)) -> Quadratic:
    """Two tasks of three clients in two dimensions, with noise of four outcomes, in fractions."""
    rng = np.random.default_rng(0)
    root = rng.integers(-2, 3, (2, 3, 2, 2))
    curvature = to_exact(root @ root.swapaxes(-1, -2)) / 2
    return Quadratic(curvature, to_exact(rng.integers(-2, 3, (2, 3, 2))), Axis(to_exact(sigma)))


OF_THREE_CLIENTS = [
    method for method in cases.methods(n_clients=3, names=cases.AFFINE) if cases.has_moments(method)
]
Make = Callable[..., Algorithm]
Convert = Callable[[Any], Any]
SMALL = {"rounds": 1, "n_sampled": 2, "local_steps": 1}
START = to_exact([1, Fraction(-1, 2)])


def test_starts_and_numbers_are_named():
    """Rounds, clients and steps are all integers, so they are keyword-only: their order could be confused."""
    with pytest.raises(TypeError, match="positional"):
        moments(small_world(), OF_THREE_CLIENTS[0], START, **SMALL)


def enumerated(
    world: Quadratic, method: Algorithm, start: np.ndarray = START, tasks: int = 2
) -> tuple[np.ndarray, Draws]:
    """Models of all runs, (tasks, rounds + 1, run, d), and their draws."""
    draws = enumerate_draws(3, 2, 1, 2, *atoms("axis", 2), rounds=1, tasks=tasks)
    return trajectory(world, method, draws, start, 1, tasks), draws


def mean_and_cov(draws: Draws, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance over the runs of (..., run, D) vectors."""
    mean = expectation(draws, vectors, axis=-2)
    centred = vectors - mean[..., None, :]
    return mean, expectation(draws, centred[..., :, None] * centred[..., None, :], axis=-3)


@pytest.mark.parametrize("make", [special, special_c])
def test_moments_in_fractions_are_those_of_all_outcomes(make: Make) -> None:
    world, method = small_world(), make(Fraction(1, 8), Fraction(3, 2), Fraction(1, 4))
    path, draws = enumerated(world, method)
    mean, cov = mean_and_cov(draws, path)
    found = moments(world, method, theta0=START, tasks=2, **SMALL)
    assert (found.mean == mean).all()
    assert (found.cov == cov).all()


@pytest.mark.parametrize("method", OF_THREE_CLIENTS, ids=lambda method: method.name)
@pytest.mark.parametrize("convert", [to_float, to_torch])
def test_moments_of_every_method_are_those_of_all_outcomes(method: Algorithm, convert: Convert) -> None:
    world, start = map_parameters(small_world(), convert), convert(START)
    path, draws = enumerated(world, method, start)
    mean, cov = mean_and_cov(draws, path)
    found = moments(world, method, theta0=start, tasks=2, **SMALL)
    np.testing.assert_allclose(to_float(found.mean), to_float(mean), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(to_float(found.cov), to_float(cov), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("make", [special, special_c])
def test_moments_of_model_and_anchor(make: Make) -> None:
    world, method = small_world(), make(Fraction(1, 8), Fraction(3, 2), Fraction(1, 4))
    draws = enumerate_draws(3, 2, 1, 2, *atoms("axis", 2), rounds=1, tasks=2)
    both = [
        np.concatenate([state["theta"], state["anchor"]], -1)
        for _, _, state in states(world, method, draws, START, 1, 2)
    ]
    found = moments(world, method, theta0=START, tasks=2, of=("theta", "anchor"), **SMALL)
    for at, vectors in zip([(0, 0), (0, 1), (1, 0), (1, 1)], both, strict=True):
        mean, cov = mean_and_cov(draws, vectors)
        assert (found.mean[at] == mean).all()
        assert (found.cov[at] == cov).all()
    with pytest.raises(ValueError, match="`of` must name vectors of the state, theta, anchor, got 'memory'"):
        moments(world, method, theta0=START, of=("memory",), **SMALL)


def test_expectations_of_losses_are_those_of_all_outcomes() -> None:
    world, method = small_world(), special(Fraction(1, 8), Fraction(3, 2), Fraction(1, 4))
    path, draws = enumerated(world, method, tasks=1)
    found = moments(world, method, theta0=START, **SMALL)
    point = to_exact([2, Fraction(1, 3)])
    mean = lambda values: expectation(draws, values, axis=-1)  # noqa: E731
    assert (expected_sq_distance(found, point) == mean(sq(path - point))).all()
    for tasks in (None, [0], [1], [0, 1]):
        assert (expected_loss(world, found, tasks) == mean(total_loss(world, path, tasks))).all()
        assert (expected_sq_grad(world, found, tasks) == mean(sq(total_grad(world, path, tasks)))).all()


def test_linear_losses_have_moments_too() -> None:
    world = replace(linear_worlds(np.random.default_rng(0), (), 1, 4, 3), noise=Rademacher(0.5))
    found = moments(world, fedavg(0.1), theta0=np.zeros(3), rounds=4, n_sampled=2, local_steps=3)
    drift = 0.3 * world.slope[0].mean(0)
    np.testing.assert_allclose(found.mean[0], -drift * np.arange(5)[:, None], atol=1e-15)
    np.testing.assert_allclose(expected_loss(world, found), found.mean @ world.slope[0].mean(0), atol=1e-15)
    np.testing.assert_allclose(expected_sq_grad(world, found), np.full((1, 5), sq(world.slope[0].mean(0))))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_samples_meet_the_moments(method: Algorithm) -> None:
    world = replace(cases.world(), noise=Gaussian(np.array([[0.5, 1.0, 0.25, 2.0], [1.0, 0.5, 0.75, 0.0]])))
    n_runs, rounds = 1500, 4
    draws = monte_carlo(11, n_runs, cases.N_CLIENTS, cases.N_SAMPLED, cases.LOCAL_STEPS, cases.DIM)
    path = trajectory(world, method, draws, cases.start(), rounds, 2)
    found = moments(
        world,
        method,
        theta0=cases.start(),
        rounds=rounds,
        n_sampled=cases.N_SAMPLED,
        local_steps=cases.LOCAL_STEPS,
        tasks=2,
    )
    centred = path - found.mean[..., None, :]
    products = centred[..., :, None] * centred[..., None, :] - found.cov[..., None, :, :]
    for deviation, axis in ((centred, -2), (products, -3)):
        error = deviation.std(axis) / np.sqrt(n_runs)
        assert (np.abs(deviation.mean(axis)) <= 4 * error + 1e-13).all()


def test_symbols_give_formulas() -> None:
    h, c, sigma, x = sp.symbols("h c sigma x", real=True)
    g, lam = sp.symbols("gamma lambda", positive=True)
    world = Quadratic(
        to_symbolic([[[[h]], [[2 * h]]]]), to_symbolic([[[c], [c]]]), Rademacher(to_symbolic(sigma))
    )
    found = moments(world, special(g, 1, lam), theta0=to_symbolic([x]), rounds=1, n_sampled=1, local_steps=1)
    assert kind(found.cov) == "symbolic"
    variance = ((g * h * (x - c) / 2) ** 2 + g**2 * sigma**2) / (1 + lam) ** 2
    assert (
        sp.simplify(found.mean[0, 1, 0] - (x - sp.Rational(3, 2) * g * h * (x - c) + lam * x) / (1 + lam))
        == 0
    )
    assert sp.simplify(found.cov[0, 1, 0, 0] - variance) == 0


def pushed(gamma: Any, weight: Any, share: Any) -> Algorithm:
    """FedAvg with a velocity that is added to the model in each round and changes at the start of a task."""
    plain, share = fedavg(gamma), np.asarray(share)[..., None]

    def aggregate(state, local, clients):
        theta = plain.aggregate(state, local, clients)["theta"] + weight * state["velocity"]
        return {**state, "theta": theta}

    return replace(
        plain,
        init=lambda x: {"theta": x, "velocity": 0 * x},
        begin_task=lambda state, task: {**state, "velocity": state["velocity"] / 4 - share * state["theta"]},
        aggregate=aggregate,
    )


def settings(**changes: int) -> dict[str, int]:
    return {"rounds": 3, "n_sampled": 3, "local_steps": 2, "tasks": 2, **changes}


@pytest.mark.parametrize("make", [special, special_c, pushed])
def test_a_sweep_over_a_batch_of_worlds_is_a_loop(make: Make) -> None:
    worlds, lam = cases.world(batch=(3,)), np.array([0.0, 0.25, 1.0])
    together = moments(worlds, make(0.125, 1.5, lam[:, None, None]), theta0=cases.start(), **settings())
    assert together.mean.shape == (3, 3, 2, 4, 2)
    assert together.cov.shape == (3, 3, 2, 4, 2, 2)
    losses, grads = expected_loss(worlds, together), expected_sq_grad(worlds, together)
    for i in range(3):
        for j in range(3):
            world = replace(worlds, curvature=worlds.curvature[j], centre=worlds.centre[j])
            single = moments(world, make(0.125, 1.5, lam[i]), theta0=cases.start(), **settings())
            np.testing.assert_allclose(together.mean[i, j], single.mean, atol=1e-13)
            np.testing.assert_allclose(together.cov[i, j], single.cov, atol=1e-13)
            np.testing.assert_allclose(losses[i, j], expected_loss(world, single), rtol=1e-12)
            np.testing.assert_allclose(grads[i, j], expected_sq_grad(world, single), rtol=1e-12)


def test_every_world_may_have_a_start_of_its_own() -> None:
    worlds, starts = cases.world(batch=(3,)), np.arange(6.0).reshape(3, 2)
    together = moments(worlds, special(0.125, 1.5, 0.25), theta0=starts, **settings())
    for j in range(3):
        world = replace(worlds, curvature=worlds.curvature[j], centre=worlds.centre[j])
        single = moments(world, special(0.125, 1.5, 0.25), theta0=starts[j], **settings())
        np.testing.assert_allclose(together.cov[j], single.cov, atol=1e-13)


def test_gradients_are_those_of_finite_differences() -> None:
    world = cases.in_arithmetic(cases.world(), torch.tensor)
    start = torch.tensor(cases.start())

    def final_loss(
        lam: torch.Tensor, local_lr: torch.Tensor, centre: torch.Tensor, curvature: torch.Tensor
    ) -> torch.Tensor:
        there = replace(world, centre=centre, curvature=(curvature + curvature.mT) / 2)
        found = moments(there, special_c(local_lr, 1.5, lam), theta0=start, **settings())
        return expected_loss(there, found)[-1, -1]

    at = [torch.tensor(0.25, dtype=torch.float64), torch.tensor(0.125, dtype=torch.float64)]
    at = [value.clone().requires_grad_() for value in (*at, world.centre, world.curvature)]
    assert torch.autograd.gradcheck(final_loss, at)


def test_worlds_without_moments_are_refused() -> None:
    world = bounded_worlds(LogCosh, np.random.default_rng(0), (), 1, 4, 2)
    with pytest.raises(NotAffine, match="A round of FedAvg in this world is no mean"):
        moments(world, fedavg(0.1), theta0=np.zeros(2), rounds=2, n_sampled=2, local_steps=1)
    some = Moments(np.zeros((1, 2, 2)), np.zeros((1, 2, 2, 2)))
    with pytest.raises(NotAffine, match="not affine"):
        expected_loss(world, some)


def test_states_that_it_cannot_follow_are_refused() -> None:
    plain = fedavg(0.125)
    keeping = replace(
        plain,
        init=lambda x: {"theta": x, "past": ()},
        begin_task=lambda state, task: {**state, "past": (*state["past"], state["theta"])},
    )
    shorter = replace(plain, init=lambda x: {"theta": x, "counts": np.zeros((1, 1))})
    moments(cases.world(), keeping, theta0=cases.start(), **settings(tasks=1))
    with pytest.raises(NotAffine, match="`past` of FedAvg is neither a vector nor a number"):
        moments(cases.world(), keeping, theta0=cases.start(), **settings())
    with pytest.raises(NotAffine, match=r"`counts` has shape .* vectors like the model"):
        moments(cases.world(), shorter, theta0=cases.start(), **settings())


def test_a_method_may_keep_what_moves() -> None:
    """Server momentum, whose velocity is part of the state, compared with all outcomes."""
    plain = fedavg(Fraction(1, 4))

    def aggregate(state, local, clients):
        step = plain.aggregate(state, local, clients)["theta"] - state["theta"]
        velocity = state["velocity"] / 2 + step
        return {**state, "theta": state["theta"] + velocity, "velocity": velocity}

    method = replace(plain, init=lambda x: {"theta": x, "velocity": 0 * x}, aggregate=aggregate)
    world = small_world()
    path, draws = enumerated(world, method)
    mean, cov = mean_and_cov(draws, path)
    found = moments(world, method, theta0=START, tasks=2, **SMALL)
    assert (found.mean == mean).all()
    assert (found.cov == cov).all()


def test_what_moves_may_be_told_anew_when_a_task_begins() -> None:
    """As above; a task begins with a velocity that is a multiple of the model."""
    method, world = pushed(Fraction(1, 4), Fraction(1, 2), Fraction(1, 5)), small_world()
    path, draws = enumerated(world, method)
    mean, cov = mean_and_cov(draws, path)
    found = moments(world, method, theta0=START, tasks=2, **SMALL)
    assert (found.mean == mean).all()
    assert (found.cov == cov).all()


@pytest.mark.parametrize("worlds", [(), (2,), (3, 2)])
def test_vectors_in_another_order_keep_their_moments(worlds):
    rng = np.random.default_rng(0)
    mean, half = rng.normal(size=(*worlds, 6)), rng.normal(size=(*worlds, 6, 6))
    belief = _Belief(("a", "b", "c"), mean, half @ half.swapaxes(-1, -2), {"s": mean}, certain=False)
    turned = belief.ordered(("c", "a", "b"))
    assert turned.names == ("c", "a", "b")
    assert turned.others is belief.others
    assert belief.ordered(("a", "b", "c")) is belief
    for name in "abc":
        np.testing.assert_array_equal(turned.mean[..., turned.part(name)], mean[..., belief.part(name)])
        for other in "abc":
            np.testing.assert_array_equal(
                turned.cov[..., turned.part(name), turned.part(other)],
                belief.cov[..., belief.part(name), belief.part(other)],
            )
    with pytest.raises(ValueError, match=r"vectors of the state, c, a, b, got 'd'"):
        turned.part("d")


@pytest.mark.parametrize("certain", [False, True])
def test_moments_of_what_moves_and_of_what_rests_are_joined(certain) -> None:
    """Two of four vectors move: each block is in its place, for any selection in any order."""
    rng = np.random.default_rng(1)
    half = np.zeros((3, 8, 8)) if certain else rng.normal(size=(3, 8, 8))
    names = ("a", "b", "c", "d")
    start = _Belief(names, rng.normal(size=(3, 8)), half @ half.swapaxes(-1, -2), {}, certain=certain)
    moved, spread, cross = (rng.normal(size=(3, 5, 4, *more)) for more in ((), (4,), (4,)))
    cross = 0 * cross if certain else cross
    task = _Task(start, Path(moved, spread + spread.swapaxes(-1, -2), cross))
    mean = np.concatenate([moved, np.broadcast_to(start.mean[:, None, 4:], (3, 5, 4))], -1)
    rest = np.broadcast_to(start.cov[:, None, 4:, 4:], (3, 5, 4, 4))
    cov = np.block([[spread + spread.swapaxes(-1, -2), cross], [cross.swapaxes(-1, -2), rest]])
    for asked in (names, ("d", "b"), ("c", "d"), ("d", "c", "a")):
        at = np.concatenate([np.arange(8)[start.part(name)] for name in asked])
        found_mean, found_cov = task.joint(slice(1, 4), asked)
        np.testing.assert_array_equal(found_mean, mean[:, 1:4, at])
        np.testing.assert_array_equal(found_cov, cov[:, 1:4, at][..., at])
