"""The loss of some samples of each slot's client, with its derivatives: the oracle of clients with networks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from operator import add
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.generative import new_logits, signs
from verify.networks.training import kernels
from verify.networks.training.footprint import fitting
from verify.networks.training.resolved import host_values
from verify.networks.training.walks import Requests

HOST = "cpu"
POINTS = 2**23
"""Largest number of bytes of points, one for each gradient, that are copied at once for gradients of many blocks."""


@dataclass(frozen=True)
class SampleMean:
    """Mean loss of some samples of each slot's client; empty places and empty means are zero.

    Parameters
    ----------
    world : NetworkWorld
    rows : (n, m) or (run, n, m) tensor of int
        Rows of the samples in the world's table, then -1 for each empty place.
    counted : () -> (n,) or (run, n) array of int
        Returns the number of samples of each slot. Only a host that does the work itself asks for it.
    drawn : slice
        Columns of the indices of a local step that belong to these samples.
    task : int
        Distillation preserves the tasks before this one.
    """

    world: Any
    rows: Tensor
    counted: Callable[[], np.ndarray]
    drawn: slice
    task: int

    @cached_property
    def sizes(self) -> np.ndarray | Tensor:
        """Number of samples of each slot, (n,) or (run, n), where the work is done; 1 where there is none, so that it divides."""
        return np.maximum(self.counted(), 1) if self.world.device == HOST else self._count[..., 0]

    @property
    def n_components(self) -> np.ndarray | Tensor:
        """Number of blocks of `batch` samples of each slot's own, (..., n); the last may be smaller."""
        return -(-self.sizes // self.world.batch)

    def loss(self, x: Tensor) -> Tensor:
        """Mean loss, (..., n, d) -> (..., n)."""
        return self.on_all(kernels.loss, (x,))

    def grad(self, x: Tensor) -> Tensor:
        """Mean gradient, (..., n, d)."""
        return self.on_all(kernels.gradient, (x,))

    def hessian_product(self, x: Tensor, direction: Tensor) -> Tensor:
        """Hessian of the mean loss times a vector (..., n, d) for each slot, (..., n, d)."""
        return self.on_all(kernels.hessian_product, (x, direction))

    def hessian_diagonal(self, x: Tensor, probes: int) -> Tensor:
        """Estimate of the diagonal of the Hessian, (..., n, d): the mean of v*Hv over random signs v.

        Every task, run and slot has its own signs, always the same ones, made where x is. Source: Bekas et al. (2007), An estimator for
        the diagonal of a matrix; Yao et al. (2020), PyHessian.
        """
        total = torch.zeros_like(x)
        for probe in range(probes):  # one at a time, because all together would need the memory of all
            vectors = signs(x.shape[-3:], probes * self.task + probe, x).expand(x.shape)
            total += vectors * self.hessian_product(x, vectors)
        return total / probes

    def curvature(self, x: Tensor) -> Tensor:
        """Diagonal of the empirical Fisher information, the mean of squared gradients, (..., n, d)."""
        return self.on_all(kernels.squared_gradients, (x,))

    def stochastic_grad(self, x: Tensor, u: np.ndarray) -> Tensor:
        """Mean gradient of a minibatch, (..., n, d), with its indices among the columns of `u` (..., n, b).

        Indices are taken modulo the number of samples; they may repeat.
        """
        return self._apply(kernels.gradient, (x,), *self._minibatch(u), at_work=self._at_work(u))

    def taught_grad(
        self, x: Tensor, u: np.ndarray, by_labels: Any, teachers: Sequence[tuple[Any, Tensor]]
    ) -> Tensor:
        """Gradient on a minibatch of the loss by its labels and of the distances from teachers' outputs, see `kernels.taught`.

        Distillation covers the heads, or the classes, of earlier tasks only. The cross-entropy of labels uses only logits that
        do not belong to earlier tasks alone, since with the others it would counteract the distillation.

        Parameters
        ----------
        x : (..., n, d) tensor
        u : (..., n, b) array of int
        by_labels : number or (..., n or 1, 1) tensor
            Strength of the loss.
        teachers : sequence of (strength, model (..., n, d))
        """
        strengths = _side_by_side(x, [by_labels, *(strength for strength, _ in teachers)])
        models = (x, strengths, *(model for _, model in teachers))
        return self._apply(
            kernels.taught, models, *self._minibatch(u), *self._to_keep(), at_work=self._at_work(u)
        )

    def _to_keep(self) -> tuple[Tensor, Tensor, float]:
        """Logits that compete for the labels, groups of logits that teachers keep, and the temperature.

        All compete for the samples of a memory, whatever tasks they are from.
        """
        of_memory = self.task == self.world.n_tasks
        new = torch.ones_like(self.world.classes[0]) if of_memory else new_logits(self.world, self.task)
        return new, self.world.groups(self.task), self.world.temperature

    def binary_grad(self, x: Tensor, u: np.ndarray, teacher: Tensor, strength: Any, task: int) -> Tensor:
        """Gradient of a minibatch's binary losses by its labels and by a teacher (..., n, d), see `kernels.binary`.

        New classes have labels and old ones the teacher; in streams of domains all classes have both, after the first task.
        """
        models, classes = (x, teacher, _side_by_side(x, [strength])), self._new_and_old(task)
        return self._apply(kernels.binary, models, *self._minibatch(u), *classes, at_work=self._at_work(u))

    def _new_and_old(self, task: int) -> tuple[Tensor, Tensor]:
        """Which classes have labels, and which a teacher, (C,) of bool each."""
        old = self.world.classes[:task].any(0)
        new = old.new_ones(old.shape) if self.world.stream.kind == "domain" else self.world.classes[task]
        return new, old

    def requests(self, u: np.ndarray) -> Requests | None:
        """All gradients of `stochastic_grad` in a round with the draws `u` (..., n, E, b); None without a fused kernel."""
        return self._of_kernel(kernels.gradient, (), u)

    def taught(
        self, u: np.ndarray, by_labels: Any, teachers: Sequence[tuple[Any, Tensor]]
    ) -> Requests | None:
        """All gradients of `taught_grad` in a round."""
        strengths = _side_by_side(self._shares, [by_labels, *(strength for strength, _ in teachers)])
        beside = (strengths, *(model for _, model in teachers))
        return self._of_kernel(kernels.taught, beside, u, *self._to_keep())

    def binary(self, u: np.ndarray, teacher: Tensor, strength: Any, task: int) -> Requests | None:
        """All gradients of `binary_grad` in a round."""
        beside = teacher, _side_by_side(teacher, [strength])
        return self._of_kernel(kernels.binary, beside, u, *self._new_and_old(task))

    def component_grad(self, x: Tensor, j: np.ndarray | Tensor) -> Tensor:
        """Gradient of block `j` (..., n) of each slot, (..., n, d); slots rest where `j` is -1.

        Blocks are weighted by their sizes, so that the gradient of the whole is the mean over the slot's own blocks.
        """
        at_work, there = (None, j) if isinstance(j, Tensor) else (j >= 0, self.world.indices(j))
        chosen = there.clamp(min=0)[..., None, None]
        rows, weights = (
            part.expand(*j.shape, *part.shape[-2:]).take_along_dim(chosen, -2)[..., 0, :]
            for part in self._blocks
        )
        return self._apply(kernels.gradient, (x,), rows, weights * (there >= 0)[..., None], at_work=at_work)

    def components(self, x: Tensor) -> Tensor:
        """Gradients of all blocks at one point in each slot, (..., n, J, d); zero after the slot's last.

        Some blocks at a time, as each takes a copy of the points.
        """
        rows, weights = self._blocks
        n_blocks = self.n_components if self.world.device == HOST else None
        leading = np.broadcast_shapes(x.shape[:-1], rows.shape[:-2])
        found = x.new_empty(*leading, self._places, x.shape[-1])
        at_a_time = fitting(prod(leading) * x.shape[-1] * x.itemsize, POINTS)
        for first in range(0, self._places, at_a_time):
            places = np.arange(first, min(first + at_a_time, self._places))
            some = slice(first, first + at_a_time)
            points = x[..., None, :].expand(*x.shape[:-1], len(places), x.shape[-1])
            found[..., some, :] = self._apply(
                kernels.gradient,
                (points,),
                rows[..., some, :],
                weights[..., some, :],
                at_work=None if n_blocks is None else places < n_blocks[..., None],
            )
        return found

    def on_minibatch(self, make: kernels.Make, models: Sequence[Tensor], u: np.ndarray, *rest: Any) -> Tensor:
        """What a method's own kernel says of a minibatch and of `models`, (..., n, any) each: (..., n, any).

        `rest` is passed on as it is.
        """
        return self._apply(make, tuple(models), *self._minibatch(u), *rest, at_work=self._at_work(u))

    def on_all(self, make: kernels.Make, models: Sequence[Tensor], *rest: Any) -> Tensor:
        """As `on_minibatch` on all samples with the weights of their mean; the kernel must be a sum over samples.

        Slots that have no more samples rest in the later of the blocks that are worked on.
        """
        blocks = self._split(self.world.block)
        each = (
            self._apply(
                make, tuple(models), rows, shares, *rest, at_work=self._has_more(place * self.world.block)
            )
            for place, (rows, shares) in enumerate(zip(*(part.unbind(-2) for part in blocks), strict=True))
        )
        return reduce(add, each)  # one at a time: all together would take the memory of all

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
        rows, weights = self._split(self.world.batch)
        return rows, weights * -(-self._count // self.world.batch)[..., None]

    def _split(self, size: int) -> list[Tensor]:
        """Rows and weights of the mean in blocks of `size`, (..., n, blocks, size); of fewer, in one."""
        size = min(size, self.rows.shape[-1])
        n_blocks = -(-self.rows.shape[-1] // size)
        missing = (0, n_blocks * size - self.rows.shape[-1])
        padded = (
            torch.nn.functional.pad(self.rows, missing, value=-1),
            torch.nn.functional.pad(self._shares, missing),
        )
        return [part.unflatten(-1, (n_blocks, size)) for part in padded]

    def _has_more(self, count: int) -> np.ndarray | None:
        """Which slots have more than `count` samples; None on a device, as in `_at_work`."""
        return np.asarray(self.sizes) > count if self.world.device == HOST else None

    def _at_work(self, u: np.ndarray) -> np.ndarray | None:
        """Which slots work in a step; None on a device, which works on all, as choosing some would make another form of each step."""
        return working(u) if self.world.device == HOST else None

    def _of_kernel(
        self, make: kernels.Make, beside: tuple[Tensor, ...], u: np.ndarray, *rest: Any
    ) -> Requests | None:
        """The `Requests` of one round; None if no kernel makes all local steps at once, so that minibatches are not gathered in vain."""
        if self.world.walk(make) is None:
            return None
        index = self._indices(u)
        rows = self._rows_at(index.flatten(-2)).unflatten(-1, index.shape[-2:])
        return Requests(self.world, make, beside, rows, _shared(rows, index), working(u).sum(axis=-1), rest)

    def _minibatch(self, u: np.ndarray) -> tuple[Tensor, Tensor]:
        """Rows and weights (..., n, b) of a local step, which weigh nothing where nothing is drawn; those of all steps of a
        round are found together."""
        match getattr(u, "part_of", None):
            case whole, (*_, int(step), slice(start=None, stop=None, step=None)):
                if id(whole) not in self._rounds:
                    index = self._indices(whole)
                    rows = self._rows_at(index.flatten(-2)).unflatten(-1, index.shape[-2:])
                    steps = (each.movedim(-2, 0).contiguous() for each in (rows, _shared(rows, index)))
                    self._rounds[id(whole)] = whole, *steps
                _, rows, weights = self._rounds[id(whole)]
                return rows[step], weights[step]
        index = self._indices(u)
        rows = self._rows_at(index)
        return rows, _shared(rows, index)

    @cached_property
    def _rounds(self) -> dict[int, tuple[np.ndarray, Tensor, Tensor]]:
        """What was drawn for whole rounds, with its rows and weights (E, ..., n, b)."""
        return {}

    def _indices(self, u: np.ndarray) -> Tensor:
        index = self.world.indices(u[..., self.drawn])
        if not index.shape[-1]:
            raise ValueError(
                f"`u` must have columns for a memory beyond the {self.world.batch} of the minibatch, got "
                f"{u.shape[-1]}: draw with `memory_batch`."
            )
        return index

    def _rows_at(self, index: Tensor) -> Tensor:
        """Rows of the drawn samples (..., n, any), -1 from an empty memory."""
        return self.rows.expand(*index.shape[:-1], -1).gather(-1, index % self._count)

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

        Slots that are not `at_work` (run, n) get zeros; their weights are zero. A kernel compiled for a fixed number of models
        computes some of those slots nevertheless; a kernel that skips samples of weight zero does not need `at_work`.
        """
        leading = np.broadcast_shapes(*(model.shape[:-1] for model in models), rows.shape[:-1])
        if self.world.passes_over(make):
            at_work = None
        flat = [part.expand(*leading, -1).reshape(-1, part.shape[-1]) for part in (*models, rows, weights)]
        chosen, n_working = None, prod(leading)
        if at_work is not None:
            working = np.flatnonzero(np.broadcast_to(at_work, leading))
            n_working, n_worth = working.size, self.world.worth(make, working.size)
            if 0 < n_worth < sys.maxsize and n_worth != prod(leading):
                chosen = self.world.indices(np.resize(working, n_worth))
                flat = [part[chosen] for part in flat]
        *points, taken, shares = flat
        found = self.world.kernel(make)(*points, rows=taken, weights=shares, rest=rest)
        if chosen is not None:
            empty = found.new_zeros(prod(leading), *found.shape[1:])
            found = empty.index_copy(0, chosen[:n_working], found[:n_working])
        return found.reshape(*leading, *found.shape[1:])


def working(u: np.ndarray) -> np.ndarray:
    """Which slots work in a step for which `u` (..., n, b) was drawn, (..., n)."""
    return host_values(u)[..., 0] >= 0


def _shared(rows: Tensor, index: Tensor) -> Tensor:
    """Weights (..., n, b) of the mean over drawn samples: 0 where there is none, or nothing was drawn."""
    return ((rows >= 0) & (index >= 0)) / rows.shape[-1]


def _side_by_side(x: Tensor, strengths: Sequence[Any]) -> Tensor:
    """Numbers, or tensors (..., n or 1, 1), along a last axis, (..., n or 1, strengths)."""
    each = [
        value[..., 0] if isinstance(value, Tensor) and value.ndim else x.new_full((1,), value)
        for value in strengths
    ]
    return torch.stack(torch.broadcast_tensors(*each), -1)
