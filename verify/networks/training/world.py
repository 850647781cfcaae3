"""Networks as a world of the simulator: losses of many models at once on the samples of their clients.

Everything has the meanings and shapes of `nqm.finite_sum`: x is (..., run, n, d), a slot's client has a pool of
samples in which sample j of task i has the number i*S + j, and what is drawn for a local step are indices of a
minibatch. Only a *component* is not one sample but a block of `batch` of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.func import vmap

from algorithms.core_sets import by_class
from nqm.selection import check_clients, check_kept, check_task
from verify.networks.training import fused, kernels
from verify.networks.training.footprint import ON_HOST, bytes_per_sample, fitting
from verify.networks.training.resolved import Resolved, Unread, host_values, on_device
from verify.networks.training.samples import SampleMean

LEAST_BLOCK = 32
"""Minimum number of samples per chunk if a loss is over all samples of a client."""


def chosen_device(name: str | None = None, precision: str = "float32") -> str:
    """`name`, or the accelerator if there is one; what runs there is in full float32 unless tf32 is asked for, and the same
    each time.

    Raises
    ------
    ValueError
        If there is no such device.
    """
    accelerators = []
    if torch.cuda.is_available():
        accelerators = ["cuda", *(f"cuda:{place}" for place in range(torch.cuda.device_count()))]
    chosen = (accelerators or ["cpu"])[0] if name is None else name
    if chosen in accelerators:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
        torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    elif chosen != "cpu":
        others = f" or one of {', '.join(accelerators)}" if accelerators else ", as there is no other"
        raise ValueError(f"`device` must be cpu{others}, got {chosen!r}.")
    return chosen


def processes(device: str) -> int | None:
    """Default number of processes that share work: one for each accelerator that `device` names; None for a CPU."""
    if not device.startswith("cuda"):
        return None
    return torch.cuda.device_count() if device == "cuda" else 1


_SETTLED: list[int] = []


def settle(device: str, turn: int) -> None:
    """Give this process one of several accelerators for good, by the turn of the first item that it works on."""
    if device == "cuda" and torch.cuda.device_count() > 1 and not _SETTLED:
        _SETTLED.append(turn % torch.cuda.device_count())
        torch.cuda.set_device(_SETTLED[0])


@dataclass(frozen=True)
class NetworkWorld:
    """A federation that trains one network.

    Parameters
    ----------
    stream : Stream
        Samples of all clients and tasks, and the test sets.
    model : Model
        The network, as a function of one flat vector of parameters.
    batch : int
        Samples of a minibatch, and of a component.
    device : str
        Where the samples are and the work is done.
    compile : (kernel) -> kernel
        `kernels.compiled`, which pays in long runs, or `as_written`: how kernels are made that are not fused.
    fuse : (make, model, samples) -> Quick or None
        `fused.kernel`, or `fused.never`.
    temperature : float
        Of distillation.
    memory : int
        Bytes that one call of a kernel may take; more models or samples are worked on in parts.
    at_most : int or None
        Models that one call of a kernel may take. If all numbers of models are multiples of it, each kernel is
        compiled but once.
    """

    stream: Any
    model: Any
    batch: int = 32
    device: str = "cpu"
    compile: Callable[[kernels.Kernel], kernels.Kernel] = kernels.compiled
    temperature: float = 2.0
    memory: int = ON_HOST
    at_most: int | None = None
    fuse: Callable[[kernels.Make, Any, kernels.Samples], fused.Quick | None] = fused.kernel

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise ValueError(f"`batch` must be at least 1, got {self.batch}.")

    @property
    def n_tasks(self) -> int:
        """Number K of tasks."""
        return self.stream.images.shape[0]

    @property
    def n_clients(self) -> int:
        """Number M of clients."""
        return self.stream.images.shape[1]

    @property
    def n_samples(self) -> int:
        """Largest number S of samples of one client in one task."""
        return self.stream.images.shape[2]

    @property
    def dim(self) -> int:
        """Number d of parameters."""
        return self.model.dim

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of samples of each client in each task, (K, M)."""
        return np.asarray(self.stream.sizes)

    @cached_property
    def samples(self) -> kernels.Samples:
        """All samples of the stream, sample j of client m in task i in row (i*M + m)*S + j, and then the test images."""
        stream = self.stream
        images = [stream.images.reshape(-1, *stream.image), stream.test_images.reshape(-1, *stream.image)]
        labels = [stream.labels.ravel(), stream.test_labels.ravel()]
        allowed = None
        if stream.kind == "task":
            counts = (stream.labels[0].size, stream.test_labels[0].size)
            allowed = torch.cat([self.classes.repeat_interleave(count, dim=0) for count in counts])
        return kernels.Samples(
            torch.as_tensor(np.concatenate(images), dtype=torch.float32, device=self.device),
            torch.as_tensor(np.concatenate(labels), dtype=torch.int64, device=self.device),
            allowed,
        )

    def labels(self, task: int) -> np.ndarray:
        """Labels of the samples of every client in a task, (M, S)."""
        return np.asarray(self.stream.labels[task])

    @cached_property
    def classes(self) -> Tensor:
        """Classes of each task, (K, C) of bool; equal rows if there is one test set for all tasks."""
        return torch.as_tensor(self.stream.classes, device=self.device).expand(self.n_tasks, -1)

    @property
    def tests(self) -> np.ndarray:
        """Rows of the test images of every task, (tests, run or 1, n_test)."""
        n_tests = self.stream.test_labels.shape
        return self.stream.labels.size + np.arange(np.prod(n_tests)).reshape(n_tests[0], 1, n_tests[1])

    @property
    def choices(self) -> Tensor:
        """Classes from which predictions are chosen in the test set of every task, (tests, C) of bool."""
        of_tests = self.classes[: len(self.tests)]
        return of_tests if self.stream.kind == "task" else torch.ones_like(of_tests)

    def at(self, task: int, clients: Any = None) -> SampleMean:
        """Mean loss of all samples of a task, for the given clients (n,) or (run, n); all of them by default."""
        task, who = check_task(task, self.n_tasks), self._clients(clients)
        rows = self._table[task][self.indices(who)]
        return SampleMean(self, rows, lambda: self.sizes[task][host_values(who)], slice(0, self.batch), task)

    @cached_property
    def _table(self) -> Tensor:
        """Rows of the samples of every client in every task, (K, M, S), -1 after the last."""
        place = np.arange(self.n_samples)
        first = np.arange(self.n_tasks * self.n_clients).reshape(-1, self.n_clients, 1) * self.n_samples
        return self.indices(np.where(place < self.sizes[..., None], first + place, -1))

    def over(self, kept: np.ndarray | Tensor, clients: Any = None) -> SampleMean:
        """Mean loss of the samples `kept`, (n, m) or (run, n, m): numbers in the pools of the given clients, or a tensor of rows.

        The loss of an empty memory is 0.
        """
        if not isinstance(kept, Tensor):
            rows = self.rows_of(check_kept(kept, self.n_tasks * self.n_samples), clients)
            kept = self.indices(rows)
        filled_first = kept.take_along_dim((kept < 0).byte().argsort(dim=-1, stable=True), -1)
        return SampleMean(
            self,
            filled_first,
            lambda: (filled_first >= 0).sum(-1).cpu().numpy(),
            slice(self.batch, None),
            self.n_tasks,
        )

    def rows_of(self, kept: np.ndarray, clients: Any = None) -> np.ndarray:
        """Rows in the table of the samples `kept` (..., n, m), as in `over`; -1 where there is none."""
        task, j = np.divmod(kept, self.n_samples)
        rows = (task * self.n_clients + self._clients(clients)[..., None]) * self.n_samples + j
        return np.where(kept >= 0, rows, -1)

    @torch.no_grad()
    def herding(self, theta: Tensor, task: int) -> np.ndarray:
        """Samples of every client, ordered by how well they represent their classes, the best of each class first.

        Parameters
        ----------
        theta : (run, d) tensor
            The model whose features decide.

        Returns
        -------
        (run, M, S) array of int
            Samples of the task, -1 after the last.
        """
        rows = self.at(task).rows.expand(len(theta), -1, -1)
        labels = self.samples.labels[rows].where(rows >= 0, -1)
        features = vmap(self.model.features)
        parts = rows.flatten(1).split(self.fitting(len(theta)), -1)
        each = [features(theta, self.samples.images[part]) for part in parts]
        found = torch.cat(each, -2).unflatten(-2, rows.shape[1:])
        return by_class(found.cpu().numpy(), labels.cpu().numpy())

    def groups(self, task: int) -> Tensor:
        """Logits that a model should keep from before `task`, as groups with a softmax each, (G, C) of bool."""
        if self.stream.kind == "domain":
            return self.classes.any(0, keepdim=True)
        learnt = self.classes[:task]
        return learnt if self.stream.kind == "task" else learnt.any(0, keepdim=True)

    def kernel(self, make: kernels.Make) -> Callable[..., Tensor]:
        """A kernel of `kernels` on the samples of this world, made once."""
        return self._kernel_and_fusion(make)[0]

    def worth(self, make: kernels.Make, n_models: int) -> int:
        """Number of models, at least `n_models`, that a kernel had better work on: some are compiled for each number."""
        if self.compile is kernels.as_written or self.passes_over(make):
            return n_models
        return -(-n_models // self.at_most) * self.at_most if self.at_most else sys.maxsize

    def passes_over(self, make: kernels.Make) -> bool:
        """Whether a kernel takes no time for models whose samples all weigh nothing, as fused ones do."""
        return self._kernel_and_fusion(make)[1] is not None

    def walk(self, make: kernels.Make) -> kernels.Kernel | None:
        """Where all local steps of a round lead that descend a kernel's gradients, see `fused.Quick`; None if it is not fused."""
        quick = self._kernel_and_fusion(make)[1]
        return quick.walk if quick else None

    def _kernel_and_fusion(self, make: kernels.Make) -> tuple[Callable[..., Tensor], fused.Quick | None]:
        """A kernel, and what it is if it is fused."""
        if make not in self._kernels:
            quick = self.fuse(make, self.model, self.samples)
            if quick:
                from verify.networks.training.ahead import ahead  # only where Numba is

                ahead(make)
            whole = kernels.in_parts(quick, sys.maxsize) if quick else self._derived(make)
            self._kernels[make] = whole, quick
        return self._kernels[make]

    def _derived(self, make: kernels.Make) -> Callable[..., Tensor]:
        rows = self.block
        vectors = rows if make in kernels.OF_SINGLE_SAMPLES else 3
        each = rows * bytes_per_sample(self.model, self.samples.images) + vectors * 4 * self.dim
        n_models = min(fitting(each, self.memory), self.at_most or sys.maxsize)
        return kernels.in_parts(self.compile(make(self.model, self.samples)), n_models)

    def fitting(self, n_samples: int) -> int:
        """Models that may be worked on at once with so many samples each."""
        return fitting(n_samples * bytes_per_sample(self.model, self.samples.images), self.memory)

    @property
    def block(self) -> int:
        """Most samples of a model that a kernel works on at once."""
        return max(self.batch, LEAST_BLOCK)

    @cached_property
    def _kernels(self) -> dict[kernels.Make, tuple[Callable[..., Tensor], fused.Quick | None]]:
        return {}

    def indices(self, numbers: np.ndarray) -> Tensor:
        """Whole numbers on the device; the host does not wait until they are there."""
        return on_device(numbers, self.device)

    def _clients(self, clients: Any) -> Any:
        if isinstance(clients, Unread):
            return clients
        chosen = check_clients(clients, self.n_clients, 0)
        if isinstance(clients, Resolved):
            return clients
        return np.arange(self.n_clients) if chosen is None else chosen
