"""Hyperparameters that depend on the task."""

from __future__ import annotations

import numpy as np

from algorithms.draws import monte_carlo
from algorithms.schedule import scheduled
from algorithms.simulate import play_round, trajectory
from algorithms.special import special
from nqm.noise import Gaussian
from nqm.quadratic import DiagonalQuadratic

K, M, D, T = 3, 3, 2, 2
RNG = np.random.default_rng(0)
WORLD = DiagonalQuadratic(RNG.uniform(0.5, 1, (K, M, D)), RNG.normal(size=(K, M, D)), Gaussian(0.5))
DRAWS = monte_carlo(0, 4, M, 2, 2, D)
START = np.zeros((4, D))


def path(method, tasks: int = K) -> np.ndarray:
    return trajectory(WORLD, method, DRAWS, START, T, tasks)


def test_the_same_in_all_tasks_is_the_method_itself() -> None:
    plain = special(0.1, 0.5, 0.3)
    np.testing.assert_array_equal(path(scheduled(lambda task, played: plain)), path(plain))


def test_each_task_is_played_by_its_own() -> None:
    steps, strengths = (0.1, 0.2, 0.05), (0.3, 0.0, 2.0)
    methods = [
        special(step, 1 / (i + 1), lam) for i, (step, lam) in enumerate(zip(steps, strengths, strict=True))
    ]
    found = path(scheduled(lambda task, played: methods[task]))
    np.testing.assert_array_equal(found[0], path(methods[0], 1)[0])
    assert (found[1, 0] == found[0, -1]).all()
    # If only the anchor is kept, a later task is a run that starts from it.
    for task in (1, 2):
        same = scheduled(lambda i, played, task=task: methods[min(i, task)])
        np.testing.assert_array_equal(found[task], path(same)[task])
    other = path(scheduled(lambda i, played: methods[0]))
    assert (found[1, 1:] != other[1, 1:]).any()


def test_each_round_is_played_by_its_own() -> None:
    rates = (0.1, 0.3)
    found = path(scheduled(lambda task, played: special(rates[played], 0.5, 0.3)), 1)[0]
    first, second = (path(special(rate, 0.5, 0.3), 1)[0] for rate in rates)
    np.testing.assert_array_equal(found[1], first[1])
    later = special(rates[1], 0.5, 0.3)
    state = {**later.begin_task(later.init(START), 0), "theta": found[1]}
    after = play_round(WORLD, later, state, 0, DRAWS.participants(0, 1), DRAWS.noise(0, 1))
    np.testing.assert_array_equal(found[2], after["theta"])
    assert (found[2] != first[2]).any()
    assert (found[1] != second[1]).any()
