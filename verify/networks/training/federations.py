"""Runs with independent federations: the assignment of images to clients, the participants, and the minibatches.

All runs share the images of one stream and no randomness. They are therefore independent given the data, and statements about
their mean are about the distribution of such federations, and not about a single one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.draws import Draws
from nqm.fields import IntArray
from nqm.selection import check_task
from verify.networks.data.images import PURPOSES, generator
from verify.networks.training import kernels
from verify.networks.training.minibatches import minibatches, permutations
from verify.networks.training.pcg import Streams
from verify.networks.training.resolved import host_values, resolved, with_host_copy
from verify.networks.training.samples import SampleMean
from verify.networks.training.world import NetworkWorld

HOST = "cpu"
Deal = Sequence[Sequence[IntArray]]
"""[task][client] -> rows of the client's images in the table of the stream."""


@dataclass(frozen=True)
class Federations(NetworkWorld):
    """One federation for each run, on the images of a stream whose only client has them all.

    Parameters
    ----------
    rows : (K, run, M, S) array of int
        Rows of the images of every client in every task, -1 after the last. The number K of tasks may be larger than that
        of the test sets, where all tasks are about the same.
    tested : (tests, run, n_test) array of int
        Rows of the test images of every run.
    whole, quick : NetworkWorld
        Worlds of the same stream, model, batch and device, which all federations on it may share: `quick` computes
        what is needed in every local step, `whole` what is needed less often.
    """

    rows: IntArray = field(kw_only=True)
    tested: IntArray = field(kw_only=True)
    whole: NetworkWorld = field(kw_only=True)
    quick: NetworkWorld = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if {self.whole.device, self.quick.device} != {self.device}:
            raise ValueError(
                f"`device` must be that of `whole` and `quick`, {self.whole.device} and {self.quick.device}, "
                f"got {self.device!r}."
            )

    @property
    def n_tasks(self) -> int:
        """Number K of tasks."""
        return self.rows.shape[0]

    @property
    def n_clients(self) -> int:
        """Number M of clients of a run."""
        return self.rows.shape[2]

    @property
    def n_samples(self) -> int:
        """Samples S of a client in a task, of the client that has most in any run."""
        return self.rows.shape[3]

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of samples of each client in each task and run, (K, run, M)."""
        return (self.rows >= 0).sum(axis=-1)

    @property
    def samples(self) -> kernels.Samples:  # type: ignore[override]
        """The table of the stream."""
        return self.whole.samples

    @property
    def tests(self) -> np.ndarray:
        """Rows of the test images of every task and run, (tests, run, n_test)."""
        return self.tested

    def kernel(self, make: kernels.Make) -> Callable[..., Tensor]:
        """A kernel of `kernels` on the samples of the stream."""
        return self._world(make).kernel(make)

    def worth(self, make: kernels.Make, n_models: int) -> int:
        """As in `NetworkWorld`."""
        return self._world(make).worth(make, n_models)

    def passes_over(self, make: kernels.Make) -> bool:
        """As in `NetworkWorld`."""
        return self._world(make).passes_over(make)

    def walk(self, make: kernels.Make) -> kernels.Kernel | None:
        """As in `NetworkWorld`."""
        return self._world(make).walk(make)

    def _world(self, make: kernels.Make) -> NetworkWorld:
        return self.quick if make in kernels.OF_STEPS else self.whole

    def at(self, task: int, clients: Any = None) -> SampleMean:
        """Mean loss of all samples of a task, for the given clients (n,) or (run, n); all of them by default."""
        task, who = check_task(task, self.n_tasks), self._clients(clients)
        rows = self._rows_there(task).take_along_dim(torch.atleast_2d(self.indices(who))[..., None], 1)
        drawn = slice(0, self.batch)
        return SampleMean(self, rows, lambda: self.sizes[task][self._runs, host_values(who)], drawn, task)

    def _rows_there(self, task: int) -> Tensor:
        """Rows of the samples of every client in a task, (run, M, S), on the device; those of one task are kept there."""
        if task not in self._kept_there:
            self._kept_there.clear()
            self._kept_there[task] = self.indices(self.rows[task])
        return self._kept_there[task]

    @cached_property
    def _kept_there(self) -> dict[int, Tensor]:
        return {}

    def rows_of(self, kept: np.ndarray, clients: Any = None) -> np.ndarray:
        """Rows in the table of the samples `kept` (run, n, m), numbers in the pools of the clients; -1 for none."""
        task, j = np.divmod(kept, self.n_samples)
        rows = self.rows[task, self._runs[..., None], self._clients(clients)[..., None], j]
        return np.where(kept >= 0, rows, -1)

    def labels(self, task: int) -> np.ndarray:
        """Labels of the samples of every client in a task, (run, M, S); anything in empty places."""
        return self._labels[self.rows[task]]

    @cached_property
    def _labels(self) -> np.ndarray:
        return self.samples.labels.cpu().numpy()

    @property
    def _runs(self) -> IntArray:
        return np.arange(self.rows.shape[1])[:, None]


def table(deals: Sequence[Deal]) -> IntArray:
    """Rows (K, run, M, S) of what was dealt in each run, -1 after the last."""
    n_tasks, n_clients = len(deals[0]), len(deals[0][0])
    longest = max(len(own) for deal in deals for clients in deal for own in clients)
    rows = np.full((n_tasks, len(deals), n_clients, longest), -1)
    for run, deal in enumerate(deals):
        for task, clients in enumerate(deal):
            for client, own in enumerate(clients):
                rows[task, run, client, : len(own)] = own
    return rows


def own_minibatches(
    seed: int,
    first: int,
    sizes: IntArray,
    n_sampled: int,
    local_steps: IntArray,
    batch: int,
    device: str = HOST,
) -> Draws:
    """Seeded participants and minibatches by epochs of runs whose clients have different numbers of samples.

    All draws are keyed by (seed, run, task, round): more runs or rounds do not change earlier draws, and the participants do not
    depend on the samples or the local steps. Clients with the most steps come first.

    Parameters
    ----------
    seed : int
    first : int
        Number of the first run, >= 0.
    sizes : (K, run, M) array of int, >= 1
    n_sampled : int
        Clients per round N.
    local_steps : (K, run, M) array of int, >= 1
        Number of steps of each client in a round; the indices are -1 for a slot that has finished its steps.
    batch : int
        Samples per local step, of the current task and of a memory each.
    device : str
        Device on which minibatches are drawn, with the same results: for each run on the host, for all runs together elsewhere.
    """
    n_runs, n_clients = sizes.shape[1:]
    every = np.arange(n_runs)[:, None]
    longest = int(local_steps.max())
    drawn_at = _on_host if device == HOST else partial(_there, device, longest)

    @lru_cache(maxsize=1)  # for the participants of a round and for its samples
    def planned(task: int, round_: int) -> tuple[IntArray, IntArray, IntArray]:
        """Clients in the order in which they were drawn, their steps, and the slots that they take (run, n)."""
        chosen = _chosen(seed, range(first, first + n_runs), task, round_, n_clients, device)[:, :n_sampled]
        steps = np.take_along_axis(local_steps[task], chosen, axis=-1)
        return chosen, steps, np.argsort(np.argsort(-steps, axis=-1, kind="stable"), axis=-1)

    def participants(task: int, round_: int) -> IntArray:
        chosen, _, slots = planned(task, round_)
        placed = np.empty_like(chosen)
        placed[every, slots] = chosen
        return placed

    def samples(task: int, round_: int) -> IntArray:
        chosen, steps, slots = planned(task, round_)
        own = np.take_along_axis(sizes[task], chosen, axis=-1)
        return drawn_at(seed, range(first, first + n_runs), (task, round_), own, steps, slots, batch)

    def order(task: int) -> IntArray:
        ordered = np.full((n_runs, n_clients, sizes[task].max()), -1)
        for run, client in np.ndindex(n_runs, n_clients):
            size = sizes[task, run, client]
            ordered[run, client, :size] = generator(seed, "order", first + run, task, client).permutation(
                size
            )
        return ordered

    def normals(task: int, round_: int) -> Callable[..., np.ndarray]:
        def of_each(key: int, *shape: int) -> np.ndarray:
            runs = range(first, first + n_runs)
            rngs = [generator(seed, "between", run, task, round_, key) for run in runs]
            return np.stack([rng.standard_normal(shape, dtype=np.float32) for rng in rngs])

        return of_each

    return Draws(
        n_runs, n_sampled, longest, None, participants, samples, order=order, normals=normals, cast=resolved
    )


def _chosen(seed: int, runs: range, task: int, round_: int, n_clients: int, device: str) -> IntArray:
    """A random order of the clients of each run, (run, M)."""
    if device == HOST:
        chosen, one_by_one = np.empty((len(runs), n_clients), dtype=int), np.arange(len(runs))
    else:
        streams = Streams.of(seed, PURPOSES["participants"], np.array(runs), task, round_)
        chosen, again = permutations(streams, n_clients)
        one_by_one = np.flatnonzero(again)
    for run in one_by_one:
        chosen[run] = generator(seed, "participants", runs[run], task, round_).permutation(n_clients)
    return chosen


def _on_host(
    seed: int,
    runs: range,
    place: tuple[int, int],
    sizes: IntArray,
    steps: IntArray,
    slots: IntArray,
    batch: int,
) -> IntArray:
    """Minibatches (run, n, E, 2 batch) of the slots of a round, as `minibatches` draws them for all runs at once."""
    drawn = np.full((*sizes.shape, steps.max(), 2 * batch), -1)
    for run, number in enumerate(runs):
        rng = generator(seed, "minibatches", number, *place)
        for slot, size, made in zip(slots[run], sizes[run], steps[run], strict=True):
            drawn[run, slot, :made, :batch] = _epochs(rng, size, made * batch).reshape(made, batch)
            drawn[run, slot, :made, batch:] = rng.integers(2**31, size=(made, batch))
    return drawn


def _there(
    device: str, longest: int, seed: int, runs: range, place: tuple[int, int], *of_slots: Any
) -> IntArray:
    """Like `_on_host`, but on the device, with one wait of the host, and with the number of steps of the longest round.

    All rounds then have the same form; the indices are -1 in surplus steps.
    """
    streams = Streams.of(seed, PURPOSES["minibatches"], np.array(runs), *place).to(device)
    found = minibatches(streams, *of_slots)
    missing = (0, 0, 0, longest - found.shape[-2])
    return with_host_copy(torch.nn.functional.pad(found, missing, value=-1))


def steps_of_epochs(epochs: float, sizes: IntArray, batch: int) -> IntArray:
    """Number of steps for the given number of epochs over each client's own samples, at least 1."""
    return np.maximum(np.rint(epochs * sizes / batch), 1).astype(int)


def _epochs(rng: np.random.Generator, size: int, wanted: int) -> IntArray:
    """The first `wanted` of the numbers below `size` in one random order after another."""
    n_epochs = -(-wanted // size)
    return rng.random((n_epochs, size)).argsort(axis=-1).ravel()[:wanted]
