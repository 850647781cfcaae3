"""Predictions from memories compared with the formulas, one query at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from algorithms.prediction import Evidence, by_nearest_mean, by_neighbours

RNG = np.random.default_rng(0)
RUNS, Q, M_, P, C = 2, 3, 5, 2, 4


def evidence(array=np.asarray, held=None) -> Evidence:
    rng = np.random.default_rng(0)
    outputs = rng.random((RUNS, Q, C))
    return Evidence(
        array(outputs / outputs.sum(axis=-1, keepdims=True)),
        array(rng.normal(size=(RUNS, Q, P))),
        array(rng.normal(size=(RUNS, M_, P))),
        array(rng.integers(0, 3, (RUNS, M_))),
        array(np.ones((RUNS, M_), dtype=bool) if held is None else held),
    )


@pytest.mark.parametrize("array", [np.asarray, torch.tensor])
def test_neighbours_vote_and_are_mixed_with_the_output(array) -> None:
    K, theta, known = 2, 0.25, evidence()
    found = np.asarray(by_neighbours(K, theta)(evidence(array)))
    for run in range(RUNS):
        for q in range(Q):
            apart = np.linalg.norm(known.features[run, q] - known.remembered[run], axis=-1)
            votes = np.zeros(C)
            for j in np.argsort(apart)[:K]:
                votes[known.labels[run, j]] += np.exp(-apart[j])
            expected = theta * votes / votes.sum() + (1 - theta) * known.outputs[run, q]
            np.testing.assert_allclose(found[run, q], expected)


@pytest.mark.parametrize("array", [np.asarray, torch.tensor])
@pytest.mark.parametrize("K", [1, 3, 50])
def test_many_queries_with_ties_are_predicted_as_one_by_one(array, K) -> None:
    """Representations lie on a grid, so many distances are equal; then the order of the memory decides."""
    rng = np.random.default_rng(K)
    features, remembered = rng.integers(0, 3, (4, 30, 2)) / 2, rng.integers(0, 3, (4, 20, 2)) / 2
    outputs, labels = rng.dirichlet(np.ones(C), (4, 30)), rng.integers(0, C, (4, 20))
    held = rng.random((4, 20)) < 0.7
    held[3] = False
    known = Evidence(*map(array, (outputs, features, remembered, labels, held)))
    found = np.asarray(by_neighbours(K, 0.75)(known))
    for client, q in np.ndindex(4, 30):
        place = {
            j: np.linalg.norm(features[client, q] - remembered[client, j])
            for j in range(20)
            if held[client, j]
        }
        nearest = sorted(place, key=lambda j: (place[j], j))[:K]
        votes = np.zeros(C)
        for j in nearest:
            votes[labels[client, j]] += np.exp(-place[j])
        expected = 0.75 * votes / votes.sum() + 0.25 * outputs[client, q] if nearest else outputs[client, q]
        np.testing.assert_allclose(found[client, q], expected)


@pytest.mark.parametrize("array", [np.asarray, torch.tensor])
def test_the_nearest_mean_wins_among_what_is_remembered(array) -> None:
    held = np.array([[True] * 5, [True, True, False, True, False]])
    known = evidence(held=held)
    found = np.asarray(by_nearest_mean(evidence(array, held)))
    unit = lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True)  # noqa: E731
    for run in range(RUNS):
        seen = sorted(set(known.labels[run][held[run]]))
        means = [
            unit(unit(known.remembered[run][held[run] & (known.labels[run] == c)]).mean(axis=0)) for c in seen
        ]
        for q in range(Q):
            nearest = seen[int(np.argmin([np.linalg.norm(unit(known.features[run, q]) - m) for m in means]))]
            assert found[run, q].argmax() == nearest


@pytest.mark.parametrize("infer", [by_neighbours(2, 0.5), by_nearest_mean])
def test_without_memory_the_model_decides(infer) -> None:
    known = evidence(held=np.zeros((RUNS, M_), dtype=bool))
    np.testing.assert_array_equal(infer(known), known.outputs)


@pytest.mark.parametrize("array", [np.asarray, torch.tensor])
def test_who_remembers_fewer_asks_all_and_nobody_else(array) -> None:
    """Empty places have no vote, and one client's memory is not used for another client."""
    held = np.array([[True] * M_, [True, False, True, False, False]])
    many = np.asarray(by_neighbours(9, 0.5)(evidence(array, held)))
    np.testing.assert_allclose(many[0], np.asarray(by_neighbours(M_, 0.5)(evidence(array)))[0])
    two = evidence(array, held)
    filled = replace(
        two, remembered=two.remembered[:, [0, 2]], labels=two.labels[:, [0, 2]], held=two.held[:, [0, 2]]
    )
    np.testing.assert_allclose(many[1], np.asarray(by_neighbours(2, 0.5)(filled))[1])


def test_weights_are_checked() -> None:
    with pytest.raises(ValueError, match="`theta` must be strictly between 0 and 1"):
        by_neighbours(1, 1.0)
