"""Prediction by neighbours: compared with sorting and counting by hand, laws of the estimate, and errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from algorithms.inference import distances, kernel_estimate, mixture, neighbours
from nqm.fields import to_exact

DISTANCE = arrays(float, (3, 6), elements=st.integers(0, 5).map(float))


@given(distance=DISTANCE, K=st.integers(1, 6))
def test_neighbours_are_the_nearest(distance, K) -> None:
    found = neighbours(distance, K)
    for row, chosen in enumerate(found):
        assert chosen.tolist() == sorted(range(6), key=lambda i: (distance[row, i], i))[:K]
    assert (neighbours(torch.as_tensor(distance), K).numpy() == found).all()
    assert (neighbours(to_exact(distance), K) == found).all()


@given(distance=DISTANCE, labels=arrays(int, (3, 6), elements=st.integers(0, 2)))
def test_the_estimate_is_a_distribution_over_the_labels_seen(distance, labels) -> None:
    estimate = kernel_estimate(np.sort(distance), labels, 4)
    assert estimate.sum(axis=-1) == pytest.approx(np.ones(3))
    for row in range(3):
        weights = np.exp(-np.sort(distance)[row])
        by_hand = [weights[labels[row] == y].sum() / weights.sum() for y in range(4)]
        assert estimate[row] == pytest.approx(by_hand)
    for numbers in (labels, torch.as_tensor(labels)):
        tensors = kernel_estimate(torch.as_tensor(np.sort(distance)), numbers, 4)
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
def test_distances(array) -> None:
    remembered = array(np.array([[0.0, 0.0], [0.0, 2.0], [4.0, 0.0]]))
    queries = array(np.array([[3.0, 0.0], [0.0, 1.0]]))
    found = np.asarray(distances(queries, remembered))
    assert found == pytest.approx(np.array([[3, 13**0.5, 1], [1, 1, 17**0.5]]))


@given(
    points=arrays(np.float32, (2, 1, 5, 3), elements=st.integers(-4, 4).map(float)),
    others=arrays(np.float32, (4, 6, 3), elements=st.integers(-4, 4).map(float)),
)
def test_distances_of_many_at_once_do_not_cancel(points, others) -> None:
    """Far from the origin, the distances of 1/64 between samples are small compared with their squared norms."""
    queries, remembered = 1000 + points / 64, 1000 + others / 64
    found = distances(torch.as_tensor(queries), torch.as_tensor(remembered)).numpy()
    assert found.shape == (2, 4, 5, 6)
    exact = distances(queries.astype(float), remembered.astype(float))
    np.testing.assert_allclose(found, exact, rtol=1e-6)
    assert ((found == 0) == (exact == 0)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: neighbours(np.ones((2, 0)), 1), "memory that is empty"),
        (lambda: neighbours(np.ones((2, 3)), 4), "`K` must be at most the number of remembered samples, 3"),
        (lambda: neighbours(np.ones(3), 0), "`K` must be an integer >= 1"),
        (lambda: kernel_estimate(np.ones(1), np.array([2]), 2), r"`labels` must be in 0..1, got 2..2"),
        (lambda: kernel_estimate(np.ones(0), np.ones(0, int), 2), "at least one neighbour"),
        (lambda: mixture(np.ones(1), np.ones(1), 1.0), "`theta` must be strictly between 0 and 1"),
        (lambda: mixture(np.ones(1), np.ones(1), np.array([0.5, 0.0])), "`theta` must be strictly between"),
    ],
)
def test_what_is_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_exact_numbers_have_no_distances() -> None:
    with pytest.raises(TypeError, match="square roots"):
        distances(to_exact([[0]]), to_exact([[1]]))
