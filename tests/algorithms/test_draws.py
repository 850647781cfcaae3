"""Draws: they do not shift when sizes change, have the right distribution, and enumerations are complete."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from algorithms.draws import Draws, enumerate_draws, expectation, fixed, minibatches, monte_carlo
from algorithms.laws import SAMPLERS
from nqm.noise import Axis, Gaussian, Rademacher, Sphere, atoms

SIZES = {"n_runs": 6, "n_clients": 5, "n_sampled": 2, "local_steps": 3, "dim": 4}
LAW = pytest.mark.parametrize("law", SAMPLERS)


def draw(seed: int = 7, law: str | None = "gaussian", **changes: int) -> Draws:
    return monte_carlo(seed, **{**SIZES, **changes}, law=law)


def test_the_laws_are_those_of_the_worlds() -> None:
    assert set(SAMPLERS) == {noise.law for noise in (Gaussian, Rademacher, Sphere, Axis)}


@LAW
def test_shapes(law: str) -> None:
    draws = draw(law=law)
    assert draws.participants(0, 0).shape == (6, 2)
    assert draws.noise(0, 0).shape == (6, 2, 3, 4)
    assert draws.weights is None


@LAW
def test_more_runs_do_not_change_the_first(law: str) -> None:
    few, many = draw(law=law), draw(law=law, n_runs=50)
    np.testing.assert_array_equal(few.participants(1, 2), many.participants(1, 2)[:6])
    np.testing.assert_array_equal(few.noise(1, 2), many.noise(1, 2)[:6])


@LAW
def test_more_local_steps_do_not_change_the_first(law: str) -> None:
    few, many = draw(law=law), draw(law=law, local_steps=7)
    np.testing.assert_array_equal(few.participants(1, 2), many.participants(1, 2))
    np.testing.assert_array_equal(few.noise(1, 2), many.noise(1, 2)[:, :, :3])


@LAW
def test_more_sampled_clients_join_those_of_each_round(law: str) -> None:
    few, many = draw(law=law), draw(law=law, n_sampled=5)
    np.testing.assert_array_equal(few.participants(1, 2), many.participants(1, 2)[:, :2])
    np.testing.assert_array_equal(few.noise(1, 2), many.noise(1, 2)[:, :2])


@LAW
def test_noise_belongs_to_the_client_and_not_to_the_slot(law: str) -> None:
    some, everyone = draw(law=law), draw(law=law, n_sampled=5)
    of_slots, slot_of = everyone.noise(0, 1), np.argsort(everyone.participants(0, 1))
    for run, sampled in enumerate(some.participants(0, 1)):
        np.testing.assert_array_equal(some.noise(0, 1)[run], of_slots[run, slot_of[run, sampled]])


def test_rounds_tasks_seeds_and_purposes_are_independent() -> None:
    values = {
        draws.noise(*at).tobytes()
        for draws in (draw(), draw(seed=8))
        for at in [(0, 0), (0, 1), (1, 0), (1, 1)]
    }
    assert len(values) == 8
    one_round = draw(n_sampled=5).noise(0, 0)
    assert len(np.unique(one_round)) == one_round.size


def test_rounds_may_be_asked_for_in_any_order() -> None:
    draws = draw()
    late, early = draws.noise(1, 5), draws.noise(0, 0)
    np.testing.assert_array_equal(draw().noise(0, 0), early)
    np.testing.assert_array_equal(draw().noise(1, 5), late)


@LAW
def test_noise_is_standardised(law: str) -> None:
    dim, n_runs = 3, 4000
    u = monte_carlo(3, n_runs, 1, 1, 4, dim, law).noise(0, 0).reshape(-1, dim)
    second = u[:, :, None] * u[:, None, :]
    errors = np.concatenate([u.mean(0), (second.mean(0) - np.eye(dim) / dim).ravel()])
    spread = np.concatenate([u.std(0), second.std(0).ravel()]) / np.sqrt(len(u))
    assert (np.abs(errors) <= 4.5 * spread + 1e-12).all()
    if law != "gaussian":
        np.testing.assert_allclose((u**2).sum(-1), 1, rtol=1e-12)


def test_clients_and_pairs_are_equally_likely() -> None:
    n_runs, M, N = 20_000, 5, 2
    clients = monte_carlo(1, n_runs, M, N, 1, 1).participants(0, 0)
    inside = (clients[:, :, None] == np.arange(M)).any(1)
    pairs = inside.T.astype(float) @ inside / n_runs
    expected = np.where(np.eye(M, dtype=bool), N / M, N * (N - 1) / (M * (M - 1)))
    assert (np.abs(pairs - expected) < 4.5 * np.sqrt(expected * (1 - expected) / n_runs)).all()


def test_no_noise_takes_no_memory() -> None:
    noise = monte_carlo(0, 10**6, 5, 5, 100, 10**4, law=None).noise(0, 0)
    assert noise.shape == (10**6, 5, 100, 10**4)
    assert not noise[0].any()


def test_enumeration_lists_every_outcome_once() -> None:
    outcomes, chances = atoms("axis", 2)
    draws = enumerate_draws(3, 2, 1, 2, outcomes, chances, rounds=1, tasks=2)
    n_round = comb(3, 2) * 4**2
    parts = [(draws.participants(task, 0), draws.noise(task, 0)) for task in (0, 1)]
    rows = np.concatenate([part.reshape(draws.n_runs, -1) for pair in parts for part in pair], axis=1)
    assert draws.n_runs == len({tuple(row) for row in rows}) == n_round**2
    assert set(draws.weights) == {Fraction(1, n_round**2)}


def test_enumeration_weighs_unequal_outcomes() -> None:
    draws = enumerate_draws(2, 1, 2, 1, [[3], [-1]], [Fraction(1, 4), Fraction(3, 4)], rounds=2)
    assert sum(draws.weights) == 1
    for t in range(2):
        noise = draws.noise(0, t)[..., 0] + Fraction(0)
        assert (expectation(draws, noise, axis=0) == 0).all()
        assert (expectation(draws, noise**2, axis=0) == 3).all()
        assert expectation(draws, noise[:, 0, 0] * noise[:, 0, 1], axis=0) == 0
        assert expectation(draws, (draws.participants(0, t) + Fraction(0))[:, 0], axis=0) == Fraction(1, 2)


def test_enumeration_without_noise_lists_subsets() -> None:
    draws = enumerate_draws(4, 2, 3, 2, rounds=1)
    np.testing.assert_array_equal(draws.participants(0, 0), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
    assert not draws.noise(0, 0).any()


def test_fixed_draws_replay() -> None:
    draws = draw()
    participants = np.array([[draws.participants(i, t) for t in range(2)] for i in range(3)])
    noise = np.array([[draws.noise(i, t) for t in range(2)] for i in range(3)])
    replay = fixed(participants, noise)
    np.testing.assert_array_equal(replay.participants(2, 1), draws.participants(2, 1))
    np.testing.assert_array_equal(replay.noise(2, 1), draws.noise(2, 1))
    with pytest.raises(ValueError, match="3 tasks of 2 rounds, but round 2 of task 0"):
        replay.noise(0, 2)


def test_expectation_of_samples_is_their_mean() -> None:
    values = np.arange(12.0).reshape(2, 6)
    np.testing.assert_allclose(expectation(draw(), values, axis=-1), values.mean(-1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_sampled": 6}, "`n_sampled` must be at most `n_clients`, .* got 6 of 5"),
        ({"n_sampled": 0}, "`n_sampled` must be an integer >= 1, got 0"),
        ({"local_steps": 0}, "`local_steps` must be an integer >= 1, got 0"),
        ({"local_steps": float("nan")}, "`local_steps` must be an integer >= 1, got nan"),
        ({"n_runs": 0}, "`n_runs` must be an integer >= 1"),
        ({"dim": 2.5}, "`dim` must be an integer >= 1"),
        ({"seed": -1}, "`seed` must be an integer >= 0"),
        ({"law": "cauchy"}, "`law` must be one of .* got 'cauchy'"),
    ],
)
def test_bad_samples(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draw(**changes)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3, 4, 1, 1), {"rounds": 1}, "`n_sampled` must be at most"),
        ((20, 10, 1, 1), {"rounds": 2}, rf"There are {comb(20, 10) ** 2} runs .* `limit` of 200000"),
        ((3, 2, 1, 1), {"rounds": 0}, "`rounds` must be an integer >= 1"),
        ((3, 2, 1, 2, [[1]]), {"rounds": 1}, r"`atoms` must have shape \(n_atoms, 2\)"),
        ((3, 2, 1, 1, [[float("nan")]]), {"rounds": 1}, "`atoms` must be finite"),
        ((3, 2, 1, 1, [[1], [2]], [0.5, 0.25]), {"rounds": 1}, "sum to exactly 1"),
    ],
)
def test_bad_enumerations(arguments: tuple, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        enumerate_draws(*arguments, **options)


def test_bad_replays() -> None:
    clients, noise = np.zeros((1, 1, 2, 2), dtype=int), np.zeros((1, 1, 2, 2, 1, 3))
    clients[..., 1] = 1
    with pytest.raises(ValueError, match="must have shape"):
        fixed(clients, noise[0])
    with pytest.raises(ValueError, match="a client twice in one round"):
        fixed(0 * clients, noise)
    with pytest.raises(ValueError, match="integers >= 0"):
        fixed(clients - 1, noise)
    with pytest.raises(ValueError, match="`noise` must be finite"):
        fixed(clients, noise * np.nan)


SAMPLES_OF = np.array([[3, 5, 4], [2, 2, 2]])


def test_minibatches_go_through_every_sample_before_any_comes_again() -> None:
    draws = minibatches(0, 6, SAMPLES_OF, 2, 5, 2, 1)
    clients, u = draws.participants(0, 1), draws.noise(0, 1)
    assert u.shape == (6, 2, 5, 3)
    for run in range(6):
        for slot, client in enumerate(clients[run]):
            size = SAMPLES_OF[0, client]
            visited = u[run, slot, :, :2].ravel()
            for epoch in range(10 // size):
                assert sorted(visited[epoch * size : (epoch + 1) * size]) == list(range(size))
    assert sorted(draws.order(1)[0, 0]) == [0, 1]
    assert draws.order(0)[0, 0].tolist()[3:] == [-1, -1]


def test_minibatches_do_not_depend_on_what_else_is_drawn() -> None:
    few, more = minibatches(3, 2, SAMPLES_OF, 1, 2, 2), minibatches(3, 5, SAMPLES_OF, 3, 4, 2, 2)
    clients, u = more.participants(1, 2), more.noise(1, 2)
    assert (few.participants(1, 2) == clients[:2, :1]).all()
    assert (few.noise(1, 2) == u[:2, :1, :2, :2]).all()
    assert (few.order(1) == more.order(1)[:2]).all()


def test_sizes_of_minibatches_are_checked() -> None:
    with pytest.raises(ValueError, match=r"`sizes` must be whole numbers >= 1"):
        minibatches(0, 1, [[1, 0]], 1, 1, 1)
