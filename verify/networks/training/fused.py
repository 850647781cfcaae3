"""Gradients of dense networks in one pass over each model, by Numba: what `kernels` derives by autograd, several times faster.

A model and its minibatch stay in the processor's cache from the first layer to the gradient, which is written where it
belongs. The layers are those of the model's own description; of each loss only what it says of the logits is written here, its
derivative, and held to autograd by tests. Numba is optional (``fcl-theory[fast]``): where it is missing, or a network has other
layers, or is on an accelerator, there is no such kernel.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from verify.networks.training import kernels
from verify.networks.training.kernels import Kernel, Make, Samples

LEAST_MODELS = 8
"""Models that a thread works on at least: fewer are done before it has started."""

Passes = Callable[[np.ndarray, int, int], None]
"""(out (F, d), start, stop): writes the gradients of some of the models."""


def kernel(make: Make, model: Any, samples: Samples) -> Kernel | None:
    """What ``make(model, samples)`` computes, up to rounding; None where there is no such kernel."""
    on_host = samples.images.device.type == "cpu" and samples.images.dtype == torch.float32
    known = make in _OF_LOSS and model.widths is not None and model.products is None and on_host
    if not known or _known() is None:
        return None
    quick, derived = _OF_LOSS[make](model, samples), make(model, samples)

    def run(theta: Tensor, *rest: Any) -> Tensor:
        plain = theta.dtype == torch.float32 and not theta.requires_grad
        return (quick if plain else derived)(theta, *rest)

    return run


def never(make: Make, model: Any, samples: Samples) -> None:
    """No kernel: all are derived by autograd."""


@cache
def _known() -> Any:
    """The passes, or None without Numba."""
    try:
        from verify.networks.training import passes
    except ImportError:
        return None
    return passes


def _taught(model: Any, samples: Samples) -> Kernel:
    """As `kernels.taught`."""
    data = _data(model, samples)

    def run(theta: Tensor, strengths: Tensor, *others: Any) -> Tensor:
        *teachers, rows, weights, groups, temperature = others
        beside = np.stack([each.numpy() for each in teachers]) if teachers else _NOBODY
        numbers = (
            *_contiguous(theta, rows, weights, strengths),
            beside,
            groups.numpy(),
            np.float32(temperature),
        )
        return _written(partial(_known().taught, *numbers, data), theta)

    return run


def _gradient(model: Any, samples: Samples) -> Kernel:
    """As `kernels.gradient`: what labels alone say, with strength 1."""
    taught, one, no_group = _taught(model, samples), torch.ones(1, 1), torch.empty(0, 0, dtype=torch.bool)
    return lambda theta, rows, weights: taught(theta, one.expand(len(theta), 1), rows, weights, no_group, 1)


def _binary(model: Any, samples: Samples) -> Kernel:
    """As `kernels.binary`."""
    data = _data(model, samples)

    def run(theta: Tensor, teacher: Tensor, strength: Tensor, *others: Tensor) -> Tensor:
        rows, weights, new, old = others
        numbers = *_contiguous(theta, rows, weights, teacher, strength), new.numpy(), old.numpy()
        return _written(partial(_known().binary, *numbers, data), theta)

    return run


_OF_LOSS: Mapping[Make, Callable[[Any, Samples], Kernel]] = {
    kernels.gradient: _gradient,
    kernels.taught: _taught,
    kernels.binary: _binary,
}
_NOBODY = np.empty((0, 0, 0), np.float32)


def _data(model: Any, samples: Samples) -> tuple[np.ndarray, ...]:
    """Samples and layers as the passes take them."""
    allowed = np.empty((0, 0), bool) if samples.allowed is None else samples.allowed.numpy()
    return (
        samples.images.flatten(1).contiguous().numpy(),
        samples.labels.numpy(),
        allowed,
        np.array(model.widths),
    )


def _written(write: Passes, theta: Tensor) -> Tensor:
    """What `write` writes for all models, by as many threads as torch has."""
    found = torch.empty(theta.shape)
    out, n_models = found.numpy(), len(theta)
    n_parts = max(min(torch.get_num_threads(), n_models // LEAST_MODELS), 1)
    first, *others = pairwise(n_models * part // n_parts for part in range(n_parts + 1))
    running = [_threads(os.getpid(), len(others)).submit(write, out, *part) for part in others]
    write(out, *first)
    for part in running:
        part.result()
    return found


@cache
def _threads(process: int, number: int) -> ThreadPoolExecutor:
    """Of this process: a process that was forked has none of its parent's."""
    return ThreadPoolExecutor(number)


def _contiguous(*parts: Tensor) -> tuple[np.ndarray, ...]:
    return tuple(part.contiguous().numpy() for part in parts)
