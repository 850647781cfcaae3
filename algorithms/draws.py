"""All randomness of a run, made before it: who takes part, and the noise of every local step.

Three makers, one kind of record. `monte_carlo` samples; `enumerate_draws` lists every outcome of a small
world with its exact probability; `fixed` replays arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from algorithms.arrays import Array, IntArray, is_exact, like
from algorithms.hyperparameters import count
from algorithms.laws import sampler

PURPOSES = {"participants": 0, "noise": 1}
"""Purposes of random numbers. A new purpose takes a new number, so that it shifts no earlier draw."""


@dataclass(frozen=True)
class Draws:
    """Participants and noise of `n_runs` runs, computed round by round when asked for.

    Attributes
    ----------
    n_runs : int
        Number of runs, the length of the axis ``run``.
    n_sampled, local_steps, dim : int
        Clients per round N, local steps E, and parameters d.
    participants : (task, round) -> (n_runs, N) array of int
        Clients of a round, all different within a run. Tasks and rounds count from 0.
    noise : (task, round) -> (n_runs, N, E, d) array
        Standardised noise of every slot and local step: mean 0, and squared norm 1 in expectation.
    weights : (n_runs,) array or None
        Probabilities of the runs; None if all are equal.
    """

    n_runs: int
    n_sampled: int
    local_steps: int
    dim: int
    participants: Callable[[int, int], IntArray]
    noise: Callable[[int, int], Array]
    weights: Array | None = None


def expectation(draws: Draws, values: Array, axis: int) -> Array:
    """Mean of `values` over their axis of runs, with the weights of the draws.

    Exact if `draws` enumerate a world and `values` are exact; for Monte Carlo draws the sample mean.
    """
    if draws.weights is None:
        return values.sum(axis=axis) / draws.n_runs
    trailing = (None,) * (values.ndim - 1 - axis % values.ndim)
    weights = like(values, draws.weights)
    return (weights[(slice(None), *trailing)] * values).sum(axis=axis)


def monte_carlo(
    seed: int,
    n_runs: int,
    n_clients: int,
    n_sampled: int,
    local_steps: int,
    dim: int,
    law: str | None = "gaussian",
) -> Draws:
    """Seeded samples, keyed by (seed, purpose, task, round, client, local step).

    Every key has a random stream of its own, in which runs follow one another. So more runs, rounds, tasks
    or local steps, or another number of sampled clients, never change what was drawn before: a larger
    `n_sampled` adds clients to those of each round, and a client's noise does not depend on who else takes
    part.

    Parameters
    ----------
    seed : int
        Seed, >= 0.
    n_runs, n_clients, n_sampled, local_steps, dim : int
        Numbers of runs, of all clients M, of sampled clients N <= M, of local steps E, of parameters d.
    law : {"gaussian", "rademacher", "sphere", "axis"} or None
        Law of the noise: normal with covariance I/d; independent signs over sqrt(d); uniform on the unit
        sphere; one of the 2d signed unit vectors; or no noise.
    """
    seed = count("seed", seed, at_least=0)
    _check_sizes(n_runs, n_clients, n_sampled, local_steps, dim)
    sample = None if law is None else sampler(law)

    def participants(task: int, round_: int) -> IntArray:
        streams = _streams(seed, "participants", task, round_)
        priority = np.stack([streams(client, 0).random(n_runs) for client in range(n_clients)], axis=-1)
        return np.argsort(priority, axis=-1, kind="stable")[:, :n_sampled]

    def noise(task: int, round_: int) -> np.ndarray:
        if sample is None:
            return _no_noise((n_runs, n_sampled, local_steps, dim))
        streams = _streams(seed, "noise", task, round_)
        clients = participants(task, round_)
        # In memory the local step comes first, so that the noise of one step is contiguous.
        drawn = np.empty((local_steps, n_runs, n_sampled, dim))
        for client in range(n_clients):
            runs, slots = np.nonzero(clients == client)
            for step in range(local_steps):
                drawn[step, runs, slots] = sample(streams(client, step), n_runs, dim)[runs]
        return np.moveaxis(drawn, 0, 2)

    return Draws(n_runs, n_sampled, local_steps, dim, participants, noise)


def _streams(seed: int, purpose: str, task: int, round_: int) -> Callable[[int, int], np.random.Generator]:
    # Philox numbers its blocks with four words. The generator itself counts up the first; the others are
    # free to say which stream this is, so streams cannot overlap within 2**64 blocks.
    sequence = np.random.SeedSequence(seed, spawn_key=(PURPOSES[purpose], task))
    key = sequence.generate_state(2, np.uint64)

    def stream(client: int, step: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=key, counter=[0, step, client, round_]))

    return stream


def enumerate_draws(
    n_clients: int,
    n_sampled: int,
    local_steps: int,
    dim: int,
    atoms: Array | None = None,
    probabilities: Sequence[Any] | np.ndarray | None = None,
    *,
    rounds: int,
    tasks: int = 1,
    limit: int = 200_000,
) -> Draws:
    """Every subset of clients and every noise outcome of a small world, with exact probabilities.

    Parameters
    ----------
    n_clients, n_sampled, local_steps, dim, rounds, tasks : int
        Sizes of the world and of the run.
    atoms : (n_atoms, dim) array or None
        Outcomes of the standardised noise vector of one local step of one client, floats or exact numbers;
        None for no noise.
    probabilities : (n_atoms,) numbers or None
        Their probabilities, which must sum to 1 exactly; None if all are equal.
    limit : int
        Largest number of runs that is allowed.

    Returns
    -------
    Draws
        `weights` are Fractions that sum to 1.

    Raises
    ------
    ValueError
        If there are more than `limit` runs: the message says how many.
    """
    _check_sizes(1, n_clients, n_sampled, local_steps, dim)
    count("rounds", rounds, at_least=1)
    count("tasks", tasks, at_least=1)
    outcomes, chances = _outcomes(dim, atoms, probabilities)
    subsets = np.array(list(combinations(range(n_clients), n_sampled)))
    slots = n_sampled * local_steps
    n_noises = len(outcomes) ** slots
    n_rounds = rounds * tasks
    n_runs = (len(subsets) * n_noises) ** n_rounds
    if n_runs > limit:
        raise ValueError(
            f"There are {n_runs} runs to enumerate, more than the `limit` of {limit}: "
            f"({len(subsets)} subsets * {len(outcomes)} atoms ** {slots}) ** {n_rounds} rounds. "
            "Take a smaller world, or a larger `limit`."
        )
    runs = np.arange(n_runs)

    def outcome_of(task: int, round_: int) -> np.ndarray:
        # The run number in base (outcomes of a round), one digit per round.
        place = _position(task, round_, tasks, rounds)
        return runs // (len(subsets) * n_noises) ** (n_rounds - 1 - place) % (len(subsets) * n_noises)

    def atom_of(number: np.ndarray) -> np.ndarray:
        places = len(outcomes) ** np.arange(slots - 1, -1, -1)
        return number[:, None] // places % len(outcomes)

    def participants(task: int, round_: int) -> IntArray:
        return subsets[outcome_of(task, round_) // n_noises]

    def noise(task: int, round_: int) -> Array:
        index = atom_of(outcome_of(task, round_) % n_noises)
        return outcomes[index].reshape(n_runs, n_sampled, local_steps, dim)

    of_noise = np.multiply.reduce(np.array(chances, dtype=object)[atom_of(np.arange(n_noises))], axis=-1)
    of_round = np.tile(of_noise * Fraction(1, comb(n_clients, n_sampled)), len(subsets))
    weights = of_round
    for _ in range(n_rounds - 1):
        weights = np.multiply.outer(weights, of_round).reshape(-1)
    return Draws(n_runs, n_sampled, local_steps, dim, participants, noise, weights)


def _outcomes(
    dim: int, atoms: Array | None, probabilities: Sequence[Any] | np.ndarray | None
) -> tuple[np.ndarray, list[Fraction]]:
    outcomes = np.zeros((1, dim), dtype=int) if atoms is None else np.asarray(atoms)
    if outcomes.ndim != 2 or outcomes.shape[1] != dim:
        raise ValueError(f"`atoms` must have shape (n_atoms, {dim}), got {outcomes.shape}.")
    _check_finite("atoms", outcomes)
    if probabilities is None:
        return outcomes, [Fraction(1, len(outcomes))] * len(outcomes)
    chances = [Fraction(p) for p in probabilities]
    if len(chances) != len(outcomes) or min(chances) < 0 or sum(chances) != 1:
        raise ValueError(
            f"`probabilities` must be {len(outcomes)} numbers >= 0 that sum to exactly 1 (use Fractions), "
            f"got {list(map(str, chances))} with sum {sum(chances)}."
        )
    return outcomes, chances


def fixed(participants: IntArray, noise: Array, weights: Array | None = None) -> Draws:
    """Draws read from arrays.

    Parameters
    ----------
    participants : (tasks, rounds, n_runs, N) array of int
        Clients of every round.
    noise : (tasks, rounds, n_runs, N, E, d) array
        Standardised noise.
    weights : (n_runs,) array or None
        Probabilities of the runs; None if all are equal.
    """
    participants = np.asarray(participants)
    if noise.ndim != 6 or participants.ndim != 4 or tuple(noise.shape[:4]) != participants.shape:
        raise ValueError(
            "`participants` must have shape (tasks, rounds, n_runs, N) and `noise` (tasks, rounds, n_runs, "
            f"N, E, d), got {participants.shape} and {tuple(noise.shape)}."
        )
    if participants.dtype.kind not in "iu" or participants.min() < 0:
        raise ValueError("`participants` must be client indices, integers >= 0.")
    if (np.diff(np.sort(participants, axis=-1), axis=-1) == 0).any():
        raise ValueError("`participants` holds a client twice in one round; sampling is without replacement.")
    _check_finite("noise", noise)
    tasks, rounds, n_runs, n_sampled, local_steps, dim = noise.shape

    def at(values: Array) -> Callable[[int, int], Array]:
        return lambda task, round_: values[divmod(_position(task, round_, tasks, rounds), rounds)]

    return Draws(n_runs, n_sampled, local_steps, dim, at(participants), at(noise), weights)


def _position(task: int, round_: int, tasks: int, rounds: int) -> int:
    if not (0 <= task < tasks and 0 <= round_ < rounds):
        raise ValueError(
            f"These draws hold {tasks} tasks of {rounds} rounds, but round {round_} of task {task} was asked "
            "for (both count from 0)."
        )
    return task * rounds + round_


def _check_sizes(n_runs: int, n_clients: int, n_sampled: int, local_steps: int, dim: int) -> None:
    count("n_runs", n_runs, at_least=1)
    count("n_clients", n_clients, at_least=1)
    count("n_sampled", n_sampled, at_least=1)
    count("local_steps", local_steps, at_least=1)
    count("dim", dim, at_least=1)
    if n_sampled > n_clients:
        raise ValueError(
            f"`n_sampled` must be at most `n_clients`, because clients are drawn without replacement, got "
            f"{n_sampled} of {n_clients}."
        )


def _check_finite(name: str, values: Array) -> None:
    if not is_exact(values) and not np.isfinite(np.asarray(values)).all():
        raise ValueError(f"`{name}` must be finite, got NaN or infinity.")


def _no_noise(shape: tuple[int, ...]) -> np.ndarray:
    """Integer zeros, which suit every arithmetic, without their memory."""
    return np.lib.stride_tricks.as_strided(np.zeros((), dtype=int), shape, (0,) * len(shape))
