"""Gradients of dense networks in one pass over each model, by Numba: what `kernels` derives by autograd, several times faster.

A model and its minibatch stay in the processor's cache from the first layer to the gradient, which is written where it
belongs. The layers are those of the model's own description; of each loss only what it says of the logits is written here, its
derivative, and held to autograd by tests. Numba is optional (``fcl-theory[fast]``): where it is missing, or a network has other
layers, or is on an accelerator, there is no such kernel.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nqm.shares import shared_out
from verify.networks.training import kernels
from verify.networks.training.kernels import Kernel, Make, Samples

LEAST_MODELS = 8
"""Minimum number of models per thread: with fewer, starting the thread takes longer than the work."""

Passes = Callable[[np.ndarray, int, int], None]
"""Function of (out (F, any), start, stop) that writes the results of models `start` to `stop` to `out`."""

Data = tuple[np.ndarray, ...]
"""Images (rows, pixels), labels (rows,), which classes compete for a sample, (rows, C) or (0, 0) where all do, and widths."""

Path = tuple[Tensor, ...]
"""keep, rate and push (F, maps, d) or (F, maps, 1), turns (R, E), rows and weights (R, E, b), and steps (R,)."""


@dataclass(frozen=True)
class Quick:
    """A fused kernel, and where all local steps of a round lead that descend it, if it is one of steps.

    Attributes
    ----------
    gradient : kernel
    walk : kernel
        With a `Path` in the place of rows and weights. Sweeps share minibatches: model f has those of f modulo R.
    """

    gradient: Kernel
    walk: Kernel | None = None

    def __call__(self, theta: Tensor, *rest: Any) -> Tensor:
        """The kernel."""
        return self.gradient(theta, *rest)


def kernel(make: Make, model: Any, samples: Samples) -> Quick | None:
    """Fused kernel with the results of ``make(model, samples)`` up to rounding; None if there is none."""
    on_host = samples.images.device.type == "cpu" and samples.images.dtype == torch.float32
    known = make in _OF_KERNEL and model.widths is not None and model.products is None and on_host
    if not known or _numba_passes() is None:
        return None
    quick, derived = compiled_kernel(make, model, samples), make(model, samples)

    def gradient(theta: Tensor, *rest: Any) -> Tensor:
        return (quick if plain(theta) else derived)(theta, *rest)

    return Quick(gradient, quick.walk)


def compiled_kernel(make: Make, model: Any, samples: Samples) -> Quick:
    """Kernel by the compiled passes; its first call compiles them unless they are on disk."""
    return _OF_KERNEL[make](_data(model, samples))


def plain(theta: Tensor) -> bool:
    """Whether the passes accept these models: float32, and no gradient with respect to them is recorded."""
    return theta.dtype == torch.float32 and not theta.requires_grad


def never(make: Make, model: Any, samples: Samples) -> None:
    """No kernel: all are derived by autograd."""


@cache
def _numba_passes() -> Any:
    """Module `passes`; None if Numba is not installed, or, with one warning, if it does not support the installed NumPy."""
    try:
        import numba  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        return None
    except ImportError as error:  # as Numba raises for versions of NumPy that it does not know
        reason = str(error).strip().partition("\n")[0]
        print(f"networks: Numba cannot be used, so slower ({reason})", file=sys.stderr)
        return None
    from verify.networks.training import passes

    return passes


def _known_curvatures() -> Any:
    from verify.networks.training import curvatures

    return curvatures


def _taught(data: Data) -> Quick:
    """As `kernels.taught`."""

    def by_labels_and_teachers(
        strengths: Tensor, teachers: Sequence[Tensor], new: Tensor, groups: Tensor, temperature: float
    ) -> tuple[Any, ...]:
        beside = np.stack(_contiguous(*teachers)) if teachers else _NOBODY
        return (*_contiguous(strengths), beside, new.numpy(), groups.numpy(), np.float32(temperature)), data

    def gradient(theta: Tensor, strengths: Tensor, *others: Any) -> Tensor:
        *teachers, rows, weights, new, groups, temperature = others
        beside = by_labels_and_teachers(strengths, teachers, new, groups, temperature)
        numbers = *_contiguous(theta, rows, weights), *beside
        return _filled_by_threads(partial(_numba_passes().taught, *numbers), torch.empty(theta.shape))

    def walk(theta: Tensor, strengths: Tensor, *others: Any) -> Tensor:
        *teachers, path, new, groups, temperature = others
        beside = by_labels_and_teachers(strengths, teachers, new, groups, temperature)
        numbers = *_contiguous(theta, *path), *beside
        return _filled_by_threads(partial(_numba_passes().taught_walk, *numbers), torch.empty(theta.shape))

    return Quick(gradient, walk)


def _gradient(data: Data) -> Quick:
    """As `kernels.gradient`: the kernel of `_taught` without teachers, with strength 1."""
    taught, one, no_group = _taught(data), torch.ones(1, 1), torch.empty(0, 0, dtype=torch.bool)
    every = torch.ones(int(data[3][-1]), dtype=torch.bool)
    walked = taught.walk
    assert walked is not None

    def gradient(theta: Tensor, rows: Tensor, weights: Tensor) -> Tensor:
        return taught.gradient(theta, one.expand(len(theta), 1), rows, weights, every, no_group, 1)

    def walk(theta: Tensor, path: Path) -> Tensor:
        return walked(theta, one.expand(len(theta), 1), path, every, no_group, 1)

    return Quick(gradient, walk)


def _binary(data: Data) -> Quick:
    """As `kernels.binary`."""

    def gradient(theta: Tensor, teacher: Tensor, strength: Tensor, *others: Tensor) -> Tensor:
        rows, weights, new, old = others
        numbers = *_contiguous(theta, rows, weights, teacher, strength), new.numpy(), old.numpy(), data
        return _filled_by_threads(partial(_numba_passes().binary, *numbers), torch.empty(theta.shape))

    def walk(
        theta: Tensor, teacher: Tensor, strength: Tensor, path: Path, new: Tensor, old: Tensor
    ) -> Tensor:
        numbers = *_contiguous(theta, *path, teacher, strength), new.numpy(), old.numpy(), data
        return _filled_by_threads(partial(_numba_passes().binary_walk, *numbers), torch.empty(theta.shape))

    return Quick(gradient, walk)


def _of_second_order(name: str) -> Callable[[Data], Quick]:
    """A kernel of `curvatures` that takes vectors alone before rows and weights."""

    def quick_of(data: Data) -> Quick:
        def kernel(theta: Tensor, *others: Tensor) -> Tensor:
            numbers = *_contiguous(theta, *others), data
            return _filled_by_threads(
                partial(getattr(_known_curvatures(), name), *numbers), torch.empty(theta.shape)
            )

        return Quick(kernel)

    return quick_of


def _gradient_norms(data: Data) -> Quick:
    """As `kernels.gradient_norms`."""

    def kernel(theta: Tensor, rows: Tensor, weights: Tensor) -> Tensor:
        numbers = *_contiguous(theta, rows, weights), data
        return _filled_by_threads(
            partial(_known_curvatures().gradient_norms, *numbers), torch.empty(rows.shape)
        )

    return Quick(kernel)


def _predicted(data: Data) -> Quick:
    """As `kernels.predicted`."""

    def kernel(theta: Tensor, rows: Tensor, weights: Tensor, among: Tensor) -> Tensor:
        numbers = *_contiguous(theta, rows), among.numpy(), data
        return _filled_by_threads(
            partial(_numba_passes().predicted, *numbers), torch.empty(rows.shape, dtype=torch.int64)
        )

    return Quick(kernel)


_OF_KERNEL: Mapping[Make, Callable[[Data], Quick]] = {
    kernels.gradient: _gradient,
    kernels.taught: _taught,
    kernels.binary: _binary,
    kernels.hessian_product: _of_second_order("hessian_product"),
    kernels.squared_gradients: _of_second_order("squared_gradients"),
    kernels.gradient_norms: _gradient_norms,
    kernels.predicted: _predicted,
}
_NOBODY = np.empty((0, 0, 0), np.float32)


def _data(model: Any, samples: Samples) -> Data:
    """Samples and layer widths in the form that the passes accept."""
    allowed = np.empty((0, 0), bool) if samples.allowed is None else samples.allowed.numpy()
    return (
        samples.images.flatten(1).contiguous().numpy(),
        samples.labels.numpy(),
        allowed,
        np.array(model.widths),
    )


def _filled_by_threads(write: Passes, found: Tensor) -> Tensor:
    """Fill `found` (F, any) by `write` for all models, with as many threads as torch uses, and return it."""
    shared_out(partial(write, found.numpy()), len(found), LEAST_MODELS)
    return found


def _contiguous(*parts: Tensor) -> tuple[np.ndarray, ...]:
    return tuple(part.contiguous().numpy() for part in parts)
