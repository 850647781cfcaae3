"""Placebos take the same steps, and learn nothing by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from algorithms.fedavg import fedavg
from algorithms.placebo import ascent, random_walk, stand_still
from algorithms.simulate import play_round, trajectory
from algorithms.special import special
from nqm.fields import to_exact
from tests.algorithms import cases


def test_standing_still_keeps_the_start() -> None:
    path = trajectory(cases.world(), stand_still(), cases.sampled(), cases.start(), cases.ROUNDS, 2)
    assert (path == cases.start()).all()


def test_ascent_is_descent_of_the_negated_loss() -> None:
    world, draws = cases.world(sigma=0), cases.sampled()

    class Negated:
        n_clients = cases.N_CLIENTS

        def at(self, task, clients=None):
            original = world.at(task, clients)
            return replace(original, grad=lambda x: -original.grad(x))

    for method in (fedavg(0.125, 0.5), special(0.125, 0.5, 0.25)):
        climbed = trajectory(world, ascent(method), draws, cases.start(), cases.ROUNDS, 2)
        np.testing.assert_array_equal(
            climbed, trajectory(Negated(), method, draws, cases.start(), cases.ROUNDS, 2)
        )


def test_ascent_exchanges_negated_gradients() -> None:
    method = replace(fedavg(0.125), prepare=lambda state, grads: {**state, "exchanged": grads})
    draws, world = cases.sampled(), cases.world()
    start = np.zeros((cases.N_RUNS, cases.DIM))
    climbed, descended = (
        play_round(world, of, of.init(start), 0, draws.participants(0, 0), draws.noise(0, 0))["exchanged"]
        for of in (ascent(method), method)
    )
    np.testing.assert_array_equal(climbed, -descended)


@pytest.mark.parametrize("array", [np.asarray, torch.tensor], ids=["float", "torch"])
def test_a_random_walk_takes_steps_of_the_same_length_along_the_noise(array) -> None:
    world, draws = cases.in_arithmetic(cases.world(), array), cases.sampled()
    x = array(np.full((cases.N_RUNS, cases.N_SAMPLED, cases.DIM), 0.7))
    u = array(draws.noise(0, 0)[..., 0, :] + 1 / 16)
    oracle = world.at(0, draws.participants(0, 0))
    step, walked = (np.asarray(of.query(oracle, x, u)) for of in (fedavg(0.1), random_walk(fedavg(0.1))))
    np.testing.assert_allclose(np.linalg.norm(walked, axis=-1), np.linalg.norm(step, axis=-1))
    direction = np.asarray(u) / np.linalg.norm(np.asarray(u), axis=-1, keepdims=True)
    np.testing.assert_allclose(walked, direction * np.linalg.norm(walked, axis=-1, keepdims=True))


def test_a_random_walk_needs_noise_and_floats() -> None:
    world, draws, method = cases.world(), cases.sampled(), random_walk(fedavg(0.125))
    silent = replace(draws, noise=lambda task, t: 0 * draws.noise(task, t))
    with pytest.raises(ValueError, match="directions from the noise draws, and one of them is 0"):
        trajectory(world, method, silent, cases.start(), cases.ROUNDS)
    with pytest.raises(TypeError, match="`random_walk` takes square roots"):
        trajectory(
            cases.in_arithmetic(world, to_exact),
            method,
            cases.converted(draws, to_exact),
            to_exact(cases.start()),
            cases.ROUNDS,
        )
