"""All randomness of a run, drawn before it starts: the participants, and the noise of every local step.

Three functions create the same kind of record: `monte_carlo` samples, `enumerate_draws` lists every outcome of a small world
with its exact probability, and `fixed` replays arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from algorithms.hyperparameters import count
from algorithms.laws import sampler
from nqm.fields import Array, IntArray, is_exact, like

PURPOSES = {"participants": 0, "noise": 1, "minibatch": 2, "replay": 3, "order": 4, "between": 5}
"""Purposes of random numbers. A new purpose takes a new number, so that it shifts no earlier draw."""


@dataclass(frozen=True)
class Draws:
    """Participants and noise (or minibatches) of `n_runs` runs, computed round by round on demand.

    Attributes
    ----------
    n_runs : int
        Number of runs, the length of the axis ``run``.
    n_sampled, local_steps : int
        Clients per round N, and local steps E.
    dim : int or None
        Parameters d that the noise is for; None if indices are drawn instead.
    participants : (task, round) -> (n_runs, N) array of int
        Clients of a round, all different within a run. Tasks and rounds count from 0.
    noise : (task, round) -> (n_runs, N, E, d) array
        Standardised noise of every slot and local step: mean 0, and squared norm 1 in expectation. Or the
        indices of its minibatch, (n_runs, N, E, b) integers: -1 in steps that the slot's client no longer makes.
    weights : (n_runs,) array or None
        Probabilities of the runs; None if all are equal.
    order : task -> (n_runs, M, S) array of int, or None
        A random order of each client's samples of a task, -1 after the last. None if no sample is stored.
    normals : (task, round) -> Normals, or None
        Standard normal numbers that a method uses at the end of a round, see `algorithms.algorithm.Normals`.
    cast : (reference, values) -> array
        Converts drawn numbers to the kind and device of the parameters `reference`.
    """

    n_runs: int
    n_sampled: int
    local_steps: int
    dim: int | None
    participants: Callable[[int, int], IntArray]
    noise: Callable[[int, int], Array]
    weights: Array | None = None
    order: Callable[[int], IntArray] | None = None
    normals: Callable[[int, int], Callable[..., Array]] | None = None
    cast: Callable[[Array, Array], Array] = like


def indices(reference: Array, values: Any) -> IntArray:
    """Whole numbers unchanged for every kind of parameters, because they are only used as indices of samples."""
    drawn = np.asarray(values)
    return drawn if drawn.dtype.kind in "iu" else drawn.astype(int)


def indexed(draws: Draws) -> Draws:
    """`draws` whose noise holds the indices of minibatches, (n_runs, N, E, b), instead of numbers."""
    return replace(draws, dim=None, cast=indices)


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

    participants = _sampled_clients(seed, n_runs, n_clients, n_sampled)

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


def minibatches(
    seed: int,
    n_runs: int,
    sizes: Sequence[Sequence[int]] | np.ndarray,
    n_sampled: int,
    local_steps: int,
    batch: int,
    memory_batch: int = 0,
) -> Draws:
    """Seeded minibatches by epochs: each client goes through one permutation of its samples after another.

    Keyed as in `monte_carlo`, so more runs, rounds, tasks or sampled clients change nothing drawn before.

    Parameters
    ----------
    seed, n_runs, n_sampled, local_steps : int
        As in `monte_carlo`.
    sizes : (K, M) array of int
        Number of samples of each client in each task, >= 1.
    batch : int
        Samples per local step, the first columns of what is drawn: indices below the client's size.
    memory_batch : int
        Number of further columns: whole numbers below 2**31 that choose samples of a memory, whose size is not known yet.
    """
    seed = count("seed", seed, at_least=0)
    sizes = np.asarray(sizes)
    if sizes.ndim != 2 or sizes.dtype.kind not in "iu" or sizes.min() < 1:
        raise ValueError(f"`sizes` must be whole numbers >= 1 of shape (tasks, clients), got {sizes!r}.")
    count("batch", batch, at_least=1)
    count("memory_batch", memory_batch, at_least=0)
    n_clients = sizes.shape[1]
    _check_sizes(n_runs, n_clients, n_sampled, local_steps, 1)
    participants = _sampled_clients(seed, n_runs, n_clients, n_sampled)

    def samples(task: int, round_: int) -> IntArray:
        clients = participants(task, round_)
        of_current = _streams(seed, "minibatch", task, round_)
        of_memory = _streams(seed, "replay", task, round_)
        table = np.empty((n_runs, n_sampled, local_steps, batch + memory_batch), dtype=np.int64)
        for client in range(n_clients):
            runs, slots = np.nonzero(clients == client)
            size, wanted = sizes[task, client], local_steps * batch
            epochs = [
                _permutations(of_current(client, epoch), n_runs, size, runs)
                for epoch in range(-(-wanted // size))
            ]
            visited = np.concatenate(epochs, axis=-1)[:, :wanted]
            table[runs, slots, :, :batch] = visited.reshape(len(runs), local_steps, batch)
            for step in range(local_steps if memory_batch else 0):
                drawn = of_memory(client, step).integers(2**31, size=(n_runs, memory_batch))
                table[runs, slots, step, batch:] = drawn[runs]
        return table

    def order(task: int) -> IntArray:
        streams = _streams(seed, "order", task, 0)
        longest = sizes[task].max()
        table = np.full((n_runs, n_clients, longest), -1)
        for client, size in enumerate(sizes[task]):
            table[:, client, :size] = _permutations(streams(client, 0), n_runs, size)
        return table

    def normals(task: int, round_: int) -> Callable[..., np.ndarray]:
        streams = _streams(seed, "between", task, round_)
        return lambda key, *shape: streams(key, 0).standard_normal((n_runs, *shape), dtype=np.float32)

    return Draws(n_runs, n_sampled, local_steps, None, participants, samples, None, order, normals, indices)


def _permutations(stream: np.random.Generator, n_runs: int, size: int, runs: Any = slice(None)) -> IntArray:
    """Random orders of 0..size-1, one for each run, computed for the chosen `runs`: (run, size)."""
    # Random numbers with the index as their last digits. No two are equal, so every machine sorts them alike, and `np.sort`
    # is several times faster than `np.argsort`.
    bits = int(size - 1).bit_length()
    keys = (stream.random((n_runs, size))[runs] * 2.0 ** (62 - bits)).astype(np.int64) << bits
    return np.sort(keys | np.arange(size), axis=-1) & ((1 << bits) - 1)


def _sampled_clients(
    seed: int, n_runs: int, n_clients: int, n_sampled: int
) -> Callable[[int, int], IntArray]:
    def participants(task: int, round_: int) -> IntArray:
        streams = _streams(seed, "participants", task, round_)
        priority = np.stack([streams(client, 0).random(n_runs) for client in range(n_clients)], axis=-1)
        return np.argsort(priority, axis=-1, kind="stable")[:, :n_sampled]

    return participants


def _streams(seed: int, purpose: str, task: int, round_: int) -> Callable[[int, int], np.random.Generator]:
    # Philox numbers its blocks with four words. The generator counts up the first word. The other words identify the stream,
    # so streams cannot overlap within 2**64 blocks.
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
        each = len(subsets) * n_noises
        return np.asarray(runs // each ** (n_rounds - 1 - place) % each)

    def atom_of(number: np.ndarray) -> np.ndarray:
        places = len(outcomes) ** np.arange(slots - 1, -1, -1)
        return np.asarray(number[:, None] // places % len(outcomes))

    def participants(task: int, round_: int) -> IntArray:
        return np.asarray(subsets[outcome_of(task, round_) // n_noises])

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
    """Integer zeros, which mix with every kind of number, as a view that needs no memory."""
    return np.lib.stride_tricks.as_strided(np.zeros((), dtype=int), shape, (0,) * len(shape))
