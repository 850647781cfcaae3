"""Bounds from the lengths of gradients only: never exceeded, and attained if gradients are opposite."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqm.steepest import client_spread, longest_sum, task_spread


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 4))
def test_gradients_no_longer_than_that_are_no_farther_apart(seed, n_tasks, n_clients):
    rng = np.random.default_rng(seed)
    steepest = rng.uniform(0, 2, (n_tasks, n_clients))
    grad = rng.normal(size=(50, n_tasks, n_clients, 2))
    grad *= (steepest * rng.uniform(0, 1, (50, 1, 1)) / np.linalg.norm(grad, axis=-1))[..., None]
    of_task = grad.mean(axis=2)
    apart = ((grad - of_task[:, :, None]) ** 2).sum(-1).max()
    tasks_apart = ((of_task[:, :, None] - of_task[:, None]) ** 2).sum(-1).max()
    assert apart <= client_spread(steepest, None).value * (1 + 1e-12)
    assert tasks_apart <= task_spread(steepest, None).value * (1 + 1e-12)


def test_opposite_gradients_are_as_far_apart_as_is_said():
    assert client_spread(np.array([[1.0, 3.0]]), None).value == 4  # gradients 1 and -3, mean -1
    assert client_spread(np.array([[5.0]]), None).value == 0
    assert task_spread(np.array([[2.0], [2.0]]), None).value == 16
    assert task_spread(np.array([[2.0]]), None).value == 0


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_longest_sum_is_the_longest_of_all_signs(seed, count):
    vectors = np.random.default_rng(seed).normal(size=(2, count, 3))
    signs = np.array(list(product((1, -1), repeat=count)))
    sums = np.linalg.norm(np.einsum("sj,bjd->bsd", signs, vectors), axis=-1)
    assert longest_sum(vectors) == pytest.approx(sums.max(axis=-1))
