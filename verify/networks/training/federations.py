"""Runs that each have a federation of their own: who has which images, who takes part, and in which minibatches.

All runs share the images of one stream, and nothing that is random. So they are independent given the data, and what is
true of their mean is true of such federations, not of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from torch import Tensor

from algorithms.draws import Draws
from nqm.fields import IntArray
from nqm.selection import check_task
from verify.networks.data.images import generator
from verify.networks.training import kernels
from verify.networks.training.resolved import resolved
from verify.networks.training.samples import SampleMean
from verify.networks.training.world import NetworkWorld

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

    def _world(self, make: kernels.Make) -> NetworkWorld:
        return self.quick if make in kernels.OF_STEPS else self.whole

    def at(self, task: int, clients: Any = None) -> SampleMean:
        """Mean loss of all samples of a task, for the given clients (n,) or (run, n); all of them by default."""
        task = check_task(task, self.n_tasks)
        return self._mean(self.rows[task, self._runs, self._clients(clients)], slice(0, self.batch), task)

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
    seed: int, first: int, sizes: IntArray, n_sampled: int, local_steps: IntArray, batch: int
) -> Draws:
    """Seeded participants and minibatches by epochs of runs whose clients have different numbers of samples.

    Everything is keyed by (seed, run, task, round): neither more runs nor more rounds change what was drawn, and who takes
    part does not depend on the samples or the local steps. Those who make most steps come first.

    Parameters
    ----------
    seed : int
    first : int
        Number of the first run, >= 0.
    sizes : (K, run, M) array of int, >= 1
    n_sampled : int
        Clients per round N.
    local_steps : (K, run, M) array of int, >= 1
        Steps of each client in a round; nothing is drawn, -1, for a slot that has made its own.
    batch : int
        Samples per local step, of the current task and of a memory each.
    """
    n_runs, n_clients = sizes.shape[1:]

    def chosen_with_steps(task: int, round_: int) -> tuple[IntArray, IntArray]:
        chosen = [
            generator(seed, "participants", run, task, round_).permutation(n_clients)[:n_sampled]
            for run in range(first, first + n_runs)
        ]
        return np.stack(chosen), np.take_along_axis(local_steps[task], np.stack(chosen), axis=-1)

    def by_steps(values: IntArray, steps: IntArray) -> IntArray:
        """Of every slot (run, n, ...), those who make most steps first."""
        return values[np.arange(n_runs)[:, None], np.argsort(-steps, axis=-1, kind="stable")]

    def participants(task: int, round_: int) -> IntArray:
        return by_steps(*chosen_with_steps(task, round_))

    def samples(task: int, round_: int) -> IntArray:
        chosen, each = chosen_with_steps(task, round_)
        drawn = np.full((n_runs, n_sampled, each.max(), 2 * batch), -1)
        for run, clients in enumerate(chosen):
            rng = generator(seed, "minibatches", first + run, task, round_)
            for slot, (client, steps) in enumerate(zip(clients, each[run], strict=True)):
                visited = _epochs(rng, sizes[task, run, client], steps * batch)
                drawn[run, slot, :steps, :batch] = visited.reshape(steps, batch)
                drawn[run, slot, :steps, batch:] = rng.integers(2**31, size=(steps, batch))
        return by_steps(drawn, each)

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
        n_runs,
        n_sampled,
        int(local_steps.max()),
        None,
        participants,
        samples,
        order=order,
        normals=normals,
        cast=resolved,
    )


def steps_of_epochs(epochs: float, sizes: IntArray, batch: int) -> IntArray:
    """Steps in which each client goes through its own samples as often as asked for, at least 1."""
    return np.maximum(np.rint(epochs * sizes / batch), 1).astype(int)


def _epochs(rng: np.random.Generator, size: int, wanted: int) -> IntArray:
    """The first `wanted` of the numbers below `size` in one random order after another."""
    n_epochs = -(-wanted // size)
    return rng.random((n_epochs, size)).argsort(axis=-1).ravel()[:wanted]
