"""Memories, predictions from them, and default arguments, compared with numbers by hand."""

from __future__ import annotations

from importlib import import_module
from inspect import getmembers, isfunction, signature

import numpy as np
import pytest

import algorithms
from algorithms.draws import enumerate_draws
from algorithms.fedavg import fedavg
from algorithms.memory import EMPTY, class_balanced, next_of, ring
from algorithms.optimisers import Adam
from algorithms.prediction import Evidence, by_nearest_mean, by_neighbours
from algorithms.simulate import trajectory
from nqm.quadratic import DiagonalQuadratic


def test_a_sample_of_the_memory_comes_from_all_over_it() -> None:
    """Places are ordered by the golden ratio: 0, 2, 4, 1, 3 of five."""
    kept = np.array([EMPTY, 10, 11, EMPTY, 12, 13, 14])
    taken = [next_of(kept, 2, turn).tolist() for turn in range(4)]
    assert taken == [[10, 12], [14, 11], [13, 10], [12, 14]]
    assert next_of(kept, 6, 1).tolist() == [12, 14, 11, 13, 10, EMPTY]
    assert next_of(np.full(3, EMPTY), 2, 1).tolist() == [EMPTY, EMPTY]


def test_classes_are_taken_in_turns_and_empty_places_last() -> None:
    labels = np.array([[0, 0, 1, 2, 0, 1]])
    order = np.array([[[4, 0, 2, EMPTY, 5, 1]]])
    rule = class_balanced(ring(1), lambda task: labels)
    found = rule(np.full((1, 1, 6), EMPTY), order, 1, 6)
    assert found.tolist() == [[[6 + 4, 6 + 2, 6 + 0, 6 + 5, 6 + 1, EMPTY]]]


def test_a_ring_goes_round() -> None:
    kept, rule = np.full((1, 1, 5), EMPTY), ring(2)
    for task in range(3):
        kept = rule(kept, np.array([[[1, 0, 2]]]), task, 3)
    assert kept.tolist() == [[[7, 6, 4, 3, EMPTY]]]


def test_predictions_of_a_sweep_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    held = rng.random((2, 3, 4)) < 0.5
    held[0, 1], held[1, 2] = False, True
    sizes = {"outputs": (5, 3), "features": (5, 2), "remembered": (4, 2)}
    parts = {name: rng.random((2, 3, *shape)) for name, shape in sizes.items()}
    labels = rng.integers(0, 3, (2, 3, 4))
    for infer in (by_neighbours(2, 0.3), by_nearest_mean):
        together = infer(Evidence(**parts, labels=labels, held=held))
        for place in np.ndindex(2, 3):
            alone = Evidence(
                **{name: part[place] for name, part in parts.items()}, labels=labels[place], held=held[place]
            )
            if held[place].any():
                np.testing.assert_allclose(together[place], infer(alone))
            else:
                assert (infer(alone) == parts["outputs"][place]).all()
    alone = by_neighbours(2, 0.3)(Evidence(**parts, labels=labels, held=held))
    np.testing.assert_array_equal(alone[0, 1], parts["outputs"][0, 1])


def test_closeness_is_the_cosine_of_the_angle_to_the_mean_of_directions() -> None:
    features = np.array([[3.0, 4.0], [0.0, 0.1]])
    remembered = np.array([[2.0, 0.0], [0.0, 5.0], [1.0, 1.0], [7.0, 7.0]])
    held, labels = np.array([True, True, True, False]), np.array([0, 0, 2, 1])
    found = by_nearest_mean(Evidence(np.zeros((2, 3)), features, remembered, labels, held))
    diagonal = 1 / np.sqrt(2)
    np.testing.assert_allclose(found, [[1.4 * diagonal, -2, 1.4 * diagonal], [diagonal, -2, diagonal]])


# ----------------------------------------------------------------------------------------- default arguments


@pytest.mark.parametrize("name", algorithms.METHODS)
def test_servers_make_whole_steps_unless_told(name: str) -> None:
    """Every optional number of a method, such as the server's step size, has the default 1."""
    module = import_module(f"algorithms.{name}")
    own = [of for _, of in getmembers(module, isfunction) if of.__module__ == module.__name__]
    for made in own:
        given = {part: of.default for part, of in signature(made).parameters.items()}
        numbers = {part: value for part, value in given.items() if isinstance(value, int | float)}
        assert set(numbers.values()) <= {1}, made.__name__


def test_a_run_is_of_one_task_unless_told() -> None:
    draws = enumerate_draws(2, 1, 1, 1, rounds=1)
    assert draws.n_runs == 2
    world = DiagonalQuadratic(np.ones((2, 2, 1)), np.zeros((2, 2, 1)))
    assert trajectory(world, fedavg(0.1), draws, np.ones(1), 1).shape == (1, 2, 2, 1)


def test_adam_has_the_numbers_of_its_authors() -> None:
    assert Adam(0.1) == Adam(0.1, beta1=0.9, beta2=0.999, decay=0.0)
