"""Prediction by neighbours: against sorting and counting by hand, laws of the estimate, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from algorithms.inference import class_means, distances, kernel_estimate, mixture, nearest_mean, neighbours
from nqm.fields import to_exact

DISTANCE = arrays(float, (3, 6), elements=st.integers(0, 5).map(float))


@given(distance=DISTANCE, K=st.integers(1, 4), held=arrays(bool, (3, 6)))
def test_neighbours_are_the_nearest_that_are_held(distance, K, held) -> None:
    held[:, :4] = True
    found = neighbours(distance, K, held)
    for row, chosen in enumerate(found):
        by_hand = sorted((i for i in range(6) if held[row, i]), key=lambda i: (distance[row, i], i))
        assert chosen.tolist() == by_hand[:K]
    assert (neighbours(torch.as_tensor(distance), K, held) == found).all()
    assert (neighbours(to_exact(distance), K, held) == found).all()


@given(distance=DISTANCE, labels=arrays(int, (3, 6), elements=st.integers(0, 2)))
def test_the_estimate_is_a_distribution_over_the_labels_seen(distance, labels) -> None:
    estimate = kernel_estimate(np.sort(distance), labels, 4)
    assert estimate.sum(axis=-1) == pytest.approx(np.ones(3))
    for row in range(3):
        weights = np.exp(-np.sort(distance)[row])
        by_hand = [weights[labels[row] == y].sum() / weights.sum() for y in range(4)]
        assert estimate[row] == pytest.approx(by_hand)
    tensors = kernel_estimate(torch.as_tensor(np.sort(distance)), labels, 4)
    assert tensors.numpy() == pytest.approx(estimate)


def test_far_neighbours_still_count() -> None:
    estimate = kernel_estimate(np.array([2000.0, 2000.0]), np.array([0, 1]), 2)
    assert estimate.tolist() == [0.5, 0.5]


def test_another_kernel() -> None:
    gauss = lambda distance: np.exp(-(distance**2))  # noqa: E731
    estimate = kernel_estimate(np.array([0.0, 1.0]), np.array([0, 1]), 2, gauss)
    assert estimate == pytest.approx([1 / (1 + np.exp(-1)), np.exp(-1) / (1 + np.exp(-1))])


def test_mixture_of_estimate_and_output() -> None:
    assert mixture(np.array([1.0, 0.0]), np.array([0.2, 0.8]), 0.25).tolist() == [0.4, pytest.approx(0.6)]


@pytest.mark.parametrize("array", [np.asarray, torch.as_tensor])
def test_distances_and_means(array) -> None:
    remembered = array(np.array([[0.0, 0.0], [0.0, 2.0], [4.0, 0.0]]))
    queries = array(np.array([[3.0, 0.0], [0.0, 1.0]]))
    found = np.asarray(distances(queries, remembered))
    assert found == pytest.approx(np.array([[3, 13**0.5, 1], [1, 1, 17**0.5]]))
    means = class_means(remembered, np.array([0, 0, 1]), 2)
    assert np.asarray(means).tolist() == [[0, 1], [4, 0]]
    assert nearest_mean(queries, means).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: neighbours(np.ones((2, 0)), 1), "memory that is empty"),
        (lambda: neighbours(np.ones((2, 3)), 1, np.array([[True] * 3, [False] * 3])), "memory that is empty"),
        (lambda: neighbours(np.ones((2, 3)), 4), "`K` must be at most the number of remembered samples, 3"),
        (lambda: neighbours(np.ones(3), 2, np.array([True, False, False])), "samples, 1, got 2"),
        (lambda: neighbours(np.ones(3), 0), "`K` must be an integer >= 1"),
        (lambda: kernel_estimate(np.ones(1), np.array([2]), 2), r"`labels` must be in 0..1, got 2..2"),
        (lambda: kernel_estimate(np.ones(0), np.ones(0, int), 2), "at least one neighbour"),
        (lambda: mixture(np.ones(1), np.ones(1), 1.0), "`theta` must be strictly between 0 and 1"),
        (lambda: mixture(np.ones(1), np.ones(1), np.array([0.5, 0.0])), "`theta` must be strictly between"),
        (lambda: class_means(np.ones((2, 1)), np.array([0, 0]), 2), "none of class 1 is remembered"),
    ],
)
def test_what_is_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_exact_numbers_have_no_distances() -> None:
    with pytest.raises(TypeError, match="square roots"):
        distances(to_exact([[0]]), to_exact([[1]]))
