"""Losses of a network on samples and their derivatives, for many models at once, each with its own samples.

A kernel takes models (F, d), the samples of each as rows of one table, (F, b), and their weights, (F, b); row -1,
the last one, stands for no sample where its weight is 0. Its
shapes are all that a compiler needs to know, so that one compiled kernel serves every step of every method.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.func import grad, vmap

Kernel = Callable[..., Tensor]
"""(models (F, d), ..., rows (F, b), weights (F, b)) -> one result for each model, (F, ...)."""

Make = Callable[[Any, "Samples"], Kernel]
"""Function that makes a kernel from a model and samples; the functions below are of this type."""

VARIANTS = 64
"""Maximum number of pairs (kernel, input shape) that are compiled in one process."""


@dataclass(frozen=True)
class Samples:
    """All samples of a federation in one table.

    Attributes
    ----------
    images : (rows, *image) tensor
    labels : (rows,) tensor of int
    allowed : (rows, C) tensor of bool, or None
        Logits that compete for a sample; None if all do.
    """

    images: Tensor
    labels: Tensor
    allowed: Tensor | None = None


def cross_entropies(model: Any, samples: Samples) -> Callable[[Tensor, Tensor], Tensor]:
    """Loss of one model (d,) on each of the samples `rows` (b,): (b,)."""
    return lambda theta, rows: cross_entropy(samples, model.logits(theta, samples.images[rows]), rows)


def cross_entropy(samples: Samples, logits: Tensor, rows: Tensor, among: Tensor | None = None) -> Tensor:
    """Loss of logits (b, C) on the samples `rows` (b,): (b,).

    Only the logits `among` (C,) of bool compete with that of the label; all by default.
    """
    # A comparison instead of indexing: compilers make no fast code of the derivative of indexing.
    of_label = torch.arange(logits.shape[-1], device=logits.device) == samples.labels[rows][:, None]
    if samples.allowed is not None:
        logits = logits.where(samples.allowed[rows], -torch.inf)
    if among is not None:
        # A label competes even if it is not among them: -inf times the weight 0 of an empty place is no number.
        logits = logits.where(among | of_label, -torch.inf)
    return logits.logsumexp(-1) - logits.where(of_label, 0).sum(-1)


def loss(model: Any, samples: Samples) -> Kernel:
    """Weighted sum of losses, (F,)."""
    losses = cross_entropies(model, samples)
    return vmap(lambda theta, rows, weights: (weights * losses(theta, rows)).sum())


def gradient(model: Any, samples: Samples) -> Kernel:
    """Weighted sum of gradients, (F, d)."""
    losses = cross_entropies(model, samples)
    return vmap(grad(lambda theta, rows, weights: (weights * losses(theta, rows)).sum()))


def hessian_product(model: Any, samples: Samples) -> Kernel:
    """Weighted sum of Hessians times a vector, (F, d); the vectors (F, d) are taken after the models."""
    losses = cross_entropies(model, samples)

    def slope(theta: Tensor, direction: Tensor, rows: Tensor, weights: Tensor) -> Tensor:
        return grad(lambda point: (weights * losses(point, rows)).sum())(theta) @ direction

    return vmap(grad(slope))


def squared_gradients(model: Any, samples: Samples) -> Kernel:
    """Weighted sum of the squared gradients of single samples, (F, d): the diagonal of the empirical Fisher
    information when the weights are those of a mean."""
    losses = cross_entropies(model, samples)
    of_each = vmap(grad(lambda theta, row: losses(theta, row[None])[0]), in_dims=(None, 0))
    return vmap(lambda theta, rows, weights: weights @ of_each(theta, rows) ** 2)


def gradient_norms(model: Any, samples: Samples) -> Kernel:
    """Norm of the weighted gradient of each single sample, (F, b)."""
    losses = cross_entropies(model, samples)
    of_each = vmap(grad(lambda theta, row: losses(theta, row[None])[0]), in_dims=(None, 0))
    return vmap(lambda theta, rows, weights: weights * of_each(theta, rows).square().sum(-1).sqrt())


def taught(model: Any, samples: Samples) -> Kernel:
    """Gradient (F, d) of the weighted sum of the loss by labels and the losses by teachers, with one strength per model and loss.

    The kernel takes the strengths (F, 1 + teachers) and the teachers, (F, d) each, after the models, and at the end
    `new` (C,) of bool, the logits that compete for the labels, `groups` (G, C) of bool and the temperature T. A teacher says
    T^2 KL(teacher at T || model at T): a softmax is over one group, and the divergences of all groups are summed.

    Notes
    -----
    Source: Hinton et al. (2015), Distilling the knowledge in a neural network, Section 2, with the factor T^2
    from its end; over groups of logits as in Li and Hoiem (2016), Learning without forgetting.
    """

    def total(theta: Tensor, strengths: Tensor, *others: Any) -> Tensor:
        *teachers, rows, weights, new, groups, temperature = others
        images = samples.images[rows]
        logits = model.logits(theta, images)
        each = strengths[0] * cross_entropy(samples, logits, rows, new)

        def softened(logits: Tensor) -> Tensor:
            return (logits[:, None] / temperature).where(groups, -torch.inf).log_softmax(-1)

        ours = softened(logits)
        for place, teacher in enumerate(teachers, start=1):
            theirs = softened(model.logits(teacher, images))
            gap = theirs.exp() * (theirs - ours).where(groups, 0)
            each = each + strengths[place] * temperature**2 * gap.sum((-1, -2))
        return (weights * each).sum()

    def kernel(*arguments: Any) -> Tensor:
        in_dims = (*(0 for _ in arguments[:-3]), None, None, None)
        return vmap(grad(total), in_dims=in_dims)(*arguments)

    return kernel


def binary(model: Any, samples: Samples) -> Kernel:
    """Gradient of the weighted sum of binary cross entropies by labels, and of those by a teacher, (F, d).

    The kernel takes the teachers (F, d) and their strengths (F, 1) after the models, and at the end which classes (C,) of
    bool the labels and the teacher's probabilities are for. Every class is a sigmoid of its own; their entropies are summed.

    Notes
    -----
    Source: Rebuffi et al. (2017), iCaRL, Algorithm 3.
    """

    def entropy(
        theta: Tensor,
        teacher: Tensor,
        strength: Tensor,
        rows: Tensor,
        weights: Tensor,
        new: Tensor,
        old: Tensor,
    ) -> Tensor:
        images = samples.images[rows]
        logits, theirs = (model.logits(point, images) for point in (theta, teacher))
        labels = torch.arange(logits.shape[-1], device=logits.device) == samples.labels[rows][:, None]
        by_labels, by_teacher = (
            (torch.nn.functional.softplus(logits) - target * logits).where(chosen, 0).sum(-1)
            for target, chosen in ((labels, new), (theirs.sigmoid(), old))
        )
        return weights @ (by_labels + strength * by_teacher)

    return vmap(grad(entropy), in_dims=(0, 0, 0, 0, 0, None, None))


def predicted(model: Any, samples: Samples) -> Kernel:
    """Class with the largest logit for each sample, (F, b); weights are ignored.

    The kernel takes at the end which classes are to choose among, (C,) of bool.
    """

    def classes_of(theta: Tensor, rows: Tensor, weights: Tensor, among: Tensor) -> Tensor:
        return model.logits(theta, samples.images[rows]).where(among, -torch.inf).argmax(-1)

    return vmap(classes_of, in_dims=(0, 0, 0, None))


OF_STEPS = (gradient, taught, binary)
"""Kernels that clients call in every local step."""

OF_SINGLE_SAMPLES = (squared_gradients, gradient_norms)
"""Kernels that hold the gradients of all single samples in memory at once."""


def as_written(kernel: Kernel) -> Kernel:
    """`kernel` itself, not compiled."""
    return kernel


def compiled(kernel: Kernel) -> Kernel:
    """`kernel` compiled for each set of shapes it meets, or as it is where that fails, as without a compiler.

    Both give the same numbers up to rounding.
    """
    quick: Kernel | None = None
    broken = False

    def run(*arguments: Any) -> Tensor:
        nonlocal quick, broken
        if broken:
            return kernel(*arguments)
        try:
            quick = quick or _compiler()(kernel, dynamic=False, fullgraph=True)
            return quick(*arguments)
        except Exception as error:
            if out_of_memory(error):
                raise
            # Whatever is missing; if the fault is not the compiler's, it shows below.
            _tell(str(error).strip().partition("\n")[0])
            broken = True
            return kernel(*arguments)

    return run


def out_of_memory(error: Exception) -> bool:
    """Whether the error says that memory is short, on an accelerator or here, which compiling does not cure."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error)


@cache
def _compiler() -> Callable[..., Any]:
    # All kernels count as one function there, whose variants are limited to 8 and then no longer compiled.
    torch._dynamo.config.recompile_limit = max(torch._dynamo.config.recompile_limit, VARIANTS)  # noqa: SLF001
    return torch.compile


@cache
def _tell(reason: str) -> None:
    print(f"networks: not compiled, so slower ({reason})", file=sys.stderr)


def in_parts(kernel: Kernel, n_models: int) -> Kernel:
    """`kernel` with at most `n_models` models at a time.

    The arguments before rows and weights are split by models; what follows them is passed on.
    """

    def run(*models: Tensor, rows: Tensor, weights: Tensor, rest: tuple[Any, ...] = ()) -> Tensor:
        n_parts = -(-len(rows) // n_models)
        if n_parts == 1:
            return kernel(*models, rows, weights, *rest)
        parts = (torch.tensor_split(values, n_parts) for values in (*models, rows, weights))
        return torch.cat([kernel(*part, *rest) for part in zip(*parts, strict=True)])

    return run
