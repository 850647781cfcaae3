"""Keys of random draws: a seed gives the same draws on every machine and in every version."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from algorithms.draws import enumerate_draws, minibatches, monte_carlo
from algorithms.laws import sampler

PURPOSES = ("participants", "noise", "minibatch", "replay", "order", "between")
SEED, RUNS, M, D = 5, 4, 3, 3


def stream(purpose: str, task: int, round_: int, client: int, step: int) -> np.random.Generator:
    """Philox with a key for seed, purpose and task; the counter encodes the rest."""
    sequence = np.random.SeedSequence(SEED, spawn_key=(PURPOSES.index(purpose), task))
    key = sequence.generate_state(2, np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=[0, step, client, round_]))


def orders(numbers: np.random.Generator, runs: int, size: int) -> np.ndarray:
    """Orders of 0..size-1 by random numbers, which practically never tie."""
    return numbers.random((runs, size)).argsort(axis=-1)


def test_who_takes_part() -> None:
    draws = monte_carlo(SEED, RUNS, M, 2, 1, D)
    numbers = np.stack([stream("participants", 1, 2, client, 0).random(RUNS) for client in range(M)], -1)
    assert (draws.participants(1, 2) == numbers.argsort(axis=-1)[:, :2]).all()


@pytest.mark.parametrize("law", ["gaussian", "rademacher", "sphere", "axis"])
def test_noise_of_a_client_in_a_step(law: str) -> None:
    draws = monte_carlo(SEED, RUNS, M, 2, 3, D, law)
    clients, noise = draws.participants(1, 2), draws.noise(1, 2)
    for run, slot, step in np.ndindex(RUNS, 2, 3):
        own = sampler(law)(stream("noise", 1, 2, clients[run, slot], step), RUNS, D)[run]
        assert (noise[run, slot, step] == own).all()


def test_laws_of_single_vectors() -> None:
    def numbers() -> np.random.Generator:
        return stream("noise", 0, 0, 0, 0)

    normal = numbers().standard_normal((RUNS, D))
    np.testing.assert_allclose(sampler("gaussian")(numbers(), RUNS, D), normal / np.sqrt(D))
    np.testing.assert_allclose(
        sampler("sphere")(numbers(), RUNS, D), normal / np.sqrt((normal**2).sum(-1, keepdims=True))
    )
    which = (numbers().random(RUNS) * 2 * D).astype(int)
    signs = np.where(which < D, 1, -1)
    assert (sampler("axis")(numbers(), RUNS, D) == signs[:, None] * np.eye(D)[which % D]).all()
    for dim in (3, 8, 9):
        packed = np.frombuffer(numbers().bytes(RUNS * -(-dim // 8)), dtype=np.uint8).reshape(RUNS, -1)
        bits = [[(row[j // 8] >> (7 - j % 8)) & 1 for j in range(dim)] for row in packed]
        np.testing.assert_allclose(
            sampler("rademacher")(numbers(), RUNS, dim), np.where(bits, 1, -1) / np.sqrt(dim)
        )
    with pytest.raises(ValueError, match=r"`law` must be one of \['axis', .*\] or None, got 'cauchy'"):
        sampler("cauchy")


def test_minibatches_orders_and_numbers_between_rounds() -> None:
    sizes = np.array([[2, 3, 5], [4, 1, 2]])
    draws = minibatches(SEED, RUNS, sizes, 2, 2, 2, 3)
    for task, size in enumerate(sizes):
        clients, found = draws.participants(task, 1), draws.noise(task, 1)
        for run, slot in np.ndindex(RUNS, 2):
            client = clients[run, slot]
            own = size[client]
            epochs = [
                orders(stream("minibatch", task, 1, client, epoch), RUNS, own)[run]
                for epoch in range(-(-4 // own))
            ]
            assert found[run, slot, :, :2].ravel().tolist() == np.concatenate(epochs)[:4].tolist()
            for step in range(2):
                drawn = stream("replay", task, 1, client, step).integers(2**31, size=(RUNS, 3))[run]
                assert (found[run, slot, step, 2:] == drawn).all()
        order = draws.order(task)
        assert order.shape == (RUNS, M, size.max())
        for client, own in enumerate(size):
            assert (order[:, client, :own] == orders(stream("order", task, 0, client, 0), RUNS, own)).all()
            assert (order[:, client, own:] == -1).all()
        between = stream("between", task, 1, 7, 0).standard_normal((RUNS, 2, 3), dtype=np.float32)
        assert (draws.normals(task, 1)(7, 2, 3) == between).all()


def test_all_orders_of_three_samples_are_equally_likely() -> None:
    order = minibatches(0, 6000, np.array([[3]]), 1, 1, 1).order(0)[:, 0]
    counts = Counter(map(tuple, order))
    assert len(counts) == 6
    assert all(abs(count - 1000) < 150 for count in counts.values())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch": 0}, "`batch` must be an integer >= 1"),
        ({"memory_batch": -1}, "`memory_batch` must be an integer >= 0"),
        ({"seed": -1}, "`seed` must be an integer >= 0"),
        ({"n_runs": 0}, "`n_runs` must be"),
        ({"local_steps": 0}, "`local_steps` must be"),
        ({"n_sampled": 0}, "`n_sampled` must be"),
        ({"n_sampled": 4}, "`n_sampled` must be at most `n_clients`"),
        ({"sizes": [2, 1, 1]}, "`sizes` must be whole numbers"),
        ({"sizes": [[2.0, 1.0, 1.0]]}, "`sizes` must be whole numbers"),
    ],
)
def test_bad_minibatches(changes: dict, message: str) -> None:
    numbers = {"seed": 0, "n_runs": 1, "sizes": [[2, 1, 1]], "n_sampled": 3, "local_steps": 1, "batch": 1}
    minibatches(**numbers)
    with pytest.raises(ValueError, match=message):
        minibatches(**{**numbers, **changes})


@pytest.mark.parametrize("atoms", [np.ones(3), np.ones((2, 2)), np.ones((1, 1, 3))])
def test_atoms_are_vectors_of_the_dimension(atoms: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"`atoms` must have shape \(n_atoms, 3\), got"):
        enumerate_draws(2, 1, 1, 3, atoms, rounds=1)
