"""Networks as a world of the simulator: losses of many models at once on the samples of their clients.

Everything has the meanings and shapes of `nqm.finite_sum`: x is (..., run, n, d), a slot's client has a pool of
samples in which sample j of task i has the number i*S + j, and what is drawn for a local step are indices of a
minibatch. Only a *component* is not one sample but a block of `batch` of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.core_sets import by_class
from nqm.selection import check_clients, check_kept, check_task
from verify.networks.training import kernels
from verify.networks.training.footprint import bytes_per_sample, fitting

LEAST_BLOCK = 32
"""Samples that are at least taken at a time where a loss is over all of a client's."""


def chosen_device(name: str | None = None) -> str:
    """`name`, or the accelerator if there is one; what runs there is in full float32, and the same each time.

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
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    elif chosen != "cpu":
        others = f" or one of {', '.join(accelerators)}" if accelerators else ", as there is no other"
        raise ValueError(f"`device` must be cpu{others}, got {chosen!r}.")
    return chosen


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
        `kernels.compiled`, which pays in long runs, or `as_written`.
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
    memory: int = 2**30
    at_most: int | None = None

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
        """Samples S of a client in a task, of the client that has most."""
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
        """Which classes each task has, (K, C) of bool."""
        return torch.as_tensor(self.stream.classes, device=self.device)

    @property
    def tests(self) -> np.ndarray:
        """Rows of the test images of every task, (tests, run or 1, n_test)."""
        n_tests = self.stream.test_labels.shape
        return self.stream.labels.size + np.arange(np.prod(n_tests)).reshape(n_tests[0], 1, n_tests[1])

    @property
    def choices(self) -> Tensor:
        """Classes among which a prediction is, in the test set of every task (tests, C)."""
        return self.classes if self.stream.kind == "task" else torch.ones_like(self.classes)

    def at(self, task: int, clients: Any = None) -> SampleMean:
        """Mean loss of all samples of a task, for the given clients (n,) or (run, n); all of them by default."""
        task, who = check_task(task, self.n_tasks), self._clients(clients)
        place = np.arange(self.n_samples)
        first = (task * self.n_clients + who) * self.n_samples
        rows = np.where(place < self.sizes[task][who][..., None], first[..., None] + place, -1)
        return self._mean(rows, slice(0, self.batch), task)

    def over(self, kept: np.ndarray, clients: Any = None) -> SampleMean:
        """Mean loss of the samples `kept`, (n, m) or (run, n, m) numbers in the pools of the given clients.

        An empty memory loses nothing.
        """
        rows = self.rows_of(check_kept(kept, self.n_tasks * self.n_samples), clients)
        filled_first = np.take_along_axis(rows, np.argsort(rows < 0, axis=-1, kind="stable"), axis=-1)
        return self._mean(filled_first, slice(self.batch, None), self.n_tasks)

    def rows_of(self, kept: np.ndarray, clients: Any = None) -> np.ndarray:
        """Rows in the table of the samples `kept` (..., n, m), as in `over`; -1 where there is none."""
        task, j = np.divmod(kept, self.n_samples)
        rows = (task * self.n_clients + self._clients(clients)[..., None]) * self.n_samples + j
        return np.where(kept >= 0, rows, -1)

    def herding(self, theta: Tensor, task: int) -> np.ndarray:
        """Samples of every client by how well they stand for their classes, the best of each class first.

        Parameters
        ----------
        theta : (run, d) tensor
            The model whose features decide.

        Returns
        -------
        (run, M, S) array of int
            Samples of the task, -1 after the last.
        """
        order = np.full((len(theta), self.n_clients, self.n_samples), -1)
        for client, size in enumerate(self.sizes[task]):
            first = (task * self.n_clients + client) * self.n_samples
            images, labels = (
                part[first : first + size] for part in (self.samples.images, self.samples.labels)
            )
            features = torch.stack([self.model.features(point, images) for point in theta])
            order[:, client, :size] = by_class(features.detach().cpu().numpy(), labels.cpu().numpy())
        return order

    def groups(self, task: int) -> Tensor:
        """Logits that a model should keep from before `task`, as groups with a softmax each, (G, C) of bool."""
        if self.stream.kind == "domain":
            return self.classes.any(0, keepdim=True)
        learnt = self.classes[:task]
        return learnt if self.stream.kind == "task" else learnt.any(0, keepdim=True)

    def kernel(self, make: kernels.Make) -> Callable[..., Tensor]:
        """A kernel of `kernels` on the samples of this world, made once."""
        made = self._kernels.get(make)
        if made is None:
            rows = max(self.batch, LEAST_BLOCK)
            vectors = rows if make in kernels.OF_SINGLE_SAMPLES else 3
            each = rows * bytes_per_sample(self.model, self.samples.images) + vectors * 4 * self.dim
            n_models = min(fitting(each, self.memory), self.at_most or sys.maxsize)
            whole = self.compile(make(self.model, self.samples))
            made = self._kernels[make] = kernels.in_parts(whole, n_models, rows)
        return made

    def fitting(self, n_samples: int) -> int:
        """Models that may be worked on at once with so many samples each."""
        return fitting(n_samples * bytes_per_sample(self.model, self.samples.images), self.memory)

    @property
    def in_fixed_numbers(self) -> bool:
        """Whether a kernel had better always work on as many models."""
        return self.compile is not kernels.as_written

    @cached_property
    def _kernels(self) -> dict[Any, Callable[..., Tensor]]:
        return {}

    def indices(self, numbers: np.ndarray) -> Tensor:
        """Whole numbers on the device; the host does not wait until they are there."""
        return torch.as_tensor(numbers).to(self.device, non_blocking=True)

    def _mean(self, rows: np.ndarray, drawn: slice, task: int) -> SampleMean:
        return SampleMean(self, self.indices(rows), drawn, task)

    def _clients(self, clients: Any) -> np.ndarray:
        chosen = check_clients(clients, self.n_clients, 0)
        return np.arange(self.n_clients) if chosen is None else chosen


@dataclass(frozen=True)
class SampleMean:
    """Mean loss of some samples of each slot's client; empty places and empty means count zero.

    Parameters
    ----------
    world : NetworkWorld
    rows : (n, m) or (run, n, m) tensor of int
        Rows of the samples in the world's table, then -1 for each empty place.
    drawn : slice
        Columns of the indices drawn for a local step that are meant for these samples.
    task : int
        Tasks that came before these samples are what distillation preserves.
    """

    world: NetworkWorld
    rows: Tensor
    drawn: slice
    task: int

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of samples of each slot, (..., n); 1 where there is none."""
        return np.asarray(self._count[..., 0].cpu())

    @property
    def n_components(self) -> np.ndarray:
        """Number of blocks of `batch` samples of each slot's own, (..., n); the last may be smaller."""
        return -(-self.sizes // self.world.batch)

    def loss(self, x: Tensor) -> Tensor:
        """Mean loss, (..., n, d) -> (..., n)."""
        return self._apply(kernels.loss, (x,), self.rows, self._shares)

    def grad(self, x: Tensor) -> Tensor:
        """Mean gradient, (..., n, d)."""
        return self._apply(kernels.gradient, (x,), self.rows, self._shares)

    def hessian_product(self, x: Tensor, direction: Tensor) -> Tensor:
        """Hessian of the mean loss times a vector (..., n, d) for each slot, (..., n, d)."""
        return self._apply(kernels.hessian_product, (x, direction), self.rows, self._shares)

    def hessian_diagonal(self, x: Tensor, probes: int) -> Tensor:
        """Estimate of the diagonal of the Hessian, (..., n, d): the mean of v*Hv over random signs v.

        Every task and slot has its own signs, always the same ones. Source: Bekas et al. (2007), An estimator for
        the diagonal of a matrix; Yao et al. (2020), PyHessian.
        """
        rng = np.random.default_rng(np.random.SeedSequence(probes, spawn_key=(self.task,)))
        signs = torch.as_tensor(2 * rng.integers(2, size=(probes, *x.shape)) - 1).to(x)
        return (signs * self.hessian_product(x, signs)).mean(0)

    def curvature(self, x: Tensor) -> Tensor:
        """Diagonal of the empirical Fisher information, the mean of squared gradients, (..., n, d)."""
        return self._apply(kernels.squared_gradients, (x,), self.rows, self._shares)

    def stochastic_grad(self, x: Tensor, u: np.ndarray) -> Tensor:
        """Mean gradient of a minibatch, (..., n, d), with its indices among the columns of `u` (..., n, b).

        Indices are taken modulo the number of samples; they may repeat.
        """
        return self._apply(kernels.gradient, (x,), *self._minibatch(u), at_work=u[..., 0] >= 0)

    def distill_grad(self, x: Tensor, teacher: Tensor, u: np.ndarray) -> Tensor:
        """Gradient of the distance of a minibatch's outputs from the teacher's (..., n, d), see `kernels`.

        Only what was learnt before the task is to be kept: the heads, or the classes, of earlier tasks.
        """
        groups, temperature = self.world.groups(self.task), self.world.temperature
        taught, at_work = self._minibatch(u), u[..., 0] >= 0
        return self._apply(kernels.distillation, (x, teacher), *taught, groups, temperature, at_work=at_work)

    def binary_grads(self, x: Tensor, teacher: Tensor, u: np.ndarray, task: int) -> tuple[Tensor, Tensor]:
        """Gradients of a minibatch's binary losses by its labels and by a teacher (..., n, d), see `kernels.binary`.

        New classes have labels and old ones the teacher; in streams of domains all classes have both, after the first task.
        """
        old = self.world.classes[:task].any(0)
        new = old.new_ones(old.shape) if self.world.stream.kind == "domain" else self.world.classes[task]
        minibatch, at_work = self._minibatch(u), u[..., 0] >= 0
        found = self._apply(kernels.binary, (x, teacher), *minibatch, new, old, at_work=at_work)
        return found[..., 0, :], found[..., 1, :]

    def component_grad(self, x: Tensor, j: np.ndarray) -> Tensor:
        """Gradient of block `j` (..., n) of each slot, (..., n, d).

        Blocks are weighted by their sizes, so that the gradient of the whole is the mean over the slot's own blocks.
        """
        chosen = self.world.indices(j)[..., None]
        rows, weights = (
            part.expand(*j.shape, *part.shape[-2:]).take_along_dim(chosen[..., None], -2)[..., 0, :]
            for part in self._blocks
        )
        return self._apply(kernels.gradient, (x,), rows, weights)

    def components(self, x: Tensor) -> Tensor:
        """Gradients of all blocks at one point in each slot, (..., n, J, d); zero after the slot's last."""
        points = x[..., None, :].expand(*x.shape[:-1], self._places, x.shape[-1])
        return self._apply(kernels.gradient, (points,), *self._blocks)

    def on_minibatch(self, make: kernels.Make, models: Sequence[Tensor], u: np.ndarray, *rest: Any) -> Tensor:
        """What a method's own kernel says of a minibatch and of `models`, (..., n, any) each: (..., n, any).

        `rest` is passed on as it is.
        """
        return self._apply(make, tuple(models), *self._minibatch(u), *rest)

    def on_all(self, make: kernels.Make, models: Sequence[Tensor], *rest: Any) -> Tensor:
        """As `on_minibatch` on all samples with the weights of their mean; the kernel must be a sum over samples."""
        return self._apply(make, tuple(models), self.rows, self._shares, *rest)

    @cached_property
    def contents(self) -> tuple[Tensor, Tensor, Tensor]:
        """Images (..., n, m, *image), labels (..., n, m), and whether there is such a sample (..., n, m)."""
        samples = self.world.samples
        return samples.images[self.rows], samples.labels[self.rows], self.rows >= 0

    def gradient_norms(self, x: Tensor) -> Tensor:
        """Norm of the gradient of each sample at x (..., n, d): (..., n, m), zero in empty places."""
        rows, blocks = self.rows, []
        for some in rows.split(self.world.batch, -1):
            blocks.append(self._apply(kernels.gradient_norms, (x,), some, (some >= 0).float()))
        return torch.cat(blocks, -1)

    @cached_property
    def _count(self) -> Tensor:
        """Samples of each slot, (..., n, 1); 1 where there is none, so that it divides."""
        return (self.rows >= 0).sum(-1, keepdim=True).clamp(min=1)

    @cached_property
    def _shares(self) -> Tensor:
        """Weights of the mean over all samples, (..., n, m)."""
        return (self.rows >= 0) / self._count

    @property
    def _places(self) -> int:
        """Blocks of the slot that has most."""
        return -(-self.rows.shape[-1] // self.world.batch)

    @cached_property
    def _blocks(self) -> tuple[Tensor, Tensor]:
        """Rows and weights of every block, (..., n, J, batch)."""
        missing = self._places * self.world.batch - self.rows.shape[-1]
        padded = (torch.nn.functional.pad(part, (0, missing)) for part in (self.rows, self._shares))
        rows, weights = (part.unflatten(-1, (self._places, self.world.batch)) for part in padded)
        return rows, weights * self.world.indices(self.n_components)[..., None, None]

    def _minibatch(self, u: np.ndarray) -> tuple[Tensor, Tensor]:
        index = self.world.indices(u[..., self.drawn])
        if not index.shape[-1]:
            raise ValueError(
                f"`u` must have columns for a memory beyond the {self.world.batch} of the minibatch, got "
                f"{u.shape[-1]}: draw with `memory_batch`."
            )
        rows = self.rows.expand(*index.shape[:-1], -1).gather(-1, index % self._count)
        return rows, (rows >= 0) / index.shape[-1]

    def _apply(
        self,
        make: kernels.Make,
        models: tuple[Tensor, ...],
        rows: Tensor,
        weights: Tensor,
        *rest: Any,
        at_work: np.ndarray | None = None,
    ) -> Tensor:
        """A kernel at models (..., d), with rows and weights (..., m) that fit the last of these axes.

        Where not all slots are `at_work` (run, n), the others get zeros; a kernel that is compiled for a number of
        models works on all of them nevertheless.
        """
        leading = np.broadcast_shapes(*(model.shape[:-1] for model in models), rows.shape[:-1])
        flat = [part.expand(*leading, -1).reshape(-1, part.shape[-1]) for part in (*models, rows, weights)]
        chosen = None
        if at_work is not None and not at_work.all() and not self.world.in_fixed_numbers:
            chosen = self.world.indices(np.flatnonzero(np.broadcast_to(at_work, leading)))
            flat = [part[chosen] for part in flat]
        *points, taken, shares = flat
        found = self.world.kernel(make)(*points, rows=taken, weights=shares, rest=rest)
        if chosen is not None:
            found = found.new_zeros(prod(leading), *found.shape[1:]).index_copy(0, chosen, found)
        return found.reshape(*leading, *found.shape[1:])
