"""Non-learning baselines make steps of the same length and learn nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.algorithm import over_slots
from algorithms.fedavg import fedavg
from algorithms.placebo import ascent, stand_still
from algorithms.simulate import play_round, trajectory
from algorithms.special import special
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
    def exchange(state, oracle):
        return {**state, "exchanged": oracle.grad(over_slots(state["theta"], cases.N_CLIENTS))}

    method = replace(fedavg(0.125), prepare=exchange)
    draws, world = cases.sampled(), cases.world()
    start = np.zeros((cases.N_RUNS, cases.DIM))
    climbed, descended = (
        play_round(world, of, of.init(start), 0, draws.participants(0, 0), draws.noise(0, 0))["exchanged"]
        for of in (ascent(method), method)
    )
    np.testing.assert_array_equal(climbed, -descended)
