"""Generated samples: how a server trains generators for many runs at once, and how clients learn from their images.

For networks alone. A *generator* has ``entries``, ``dim``, ``n_latent`` and ``images(theta, latents, labels)``; a *network*
has ``features``, ``scores`` and ``logits`` of one vector of parameters, see `verify.networks.training`. A *flat* array has
all axes before its last one (sweeps and runs) merged into one axis F.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.func import vmap

from algorithms.algorithm import Moment, State, over_slots
from algorithms.hyperparameters import against
from nqm.fields import Array, IntArray, like

Kernel = Callable[..., Tensor]

MASK = 2**32 - 1


def flat(entry: Tensor) -> Array:
    """(..., run, any) -> (F, any)."""
    return entry.reshape(-1, entry.shape[-1])


def normals(moment: Moment, reference: Tensor, key: int, *shape: int) -> Array:
    """Standard normal numbers (run, *shape) on the device of `reference`.

    Raises
    ------
    ValueError
        If the draws have no normal numbers for the end of a round.
    """
    if moment.normals is None:
        raise ValueError(
            "`draws` must have `normals`, because this method draws numbers between rounds: use `minibatches`, or set them."
        )
    return like(reference, moment.normals(key, *shape))


def flat_normals(moment: Moment, reference: Tensor, key: int, *shape: int) -> Array:
    """The same for an entry (..., run, d) of the state, flat: (F, *shape). All points of a sweep have the same numbers."""
    values = normals(moment, reference, key, *shape)
    return values.expand(*reference.shape[:-1], *shape).reshape(-1, *shape)


def initial_parameters(entries: Sequence[Any], normals: Tensor) -> Array:
    """Initial parameters (F, d) of a network or generator from normal numbers (F, d), by the laws of its entries."""
    sizes = [prod(entry.shape) for entry in entries]
    mean, deviation = (
        np.repeat(law, sizes) for law in zip(*((e.mean, e.deviation) for e in entries), strict=True)
    )
    return like(normals, mean) + like(normals, deviation) * normals


def gaussians(numbers: Tensor, n: int, key: int = 0) -> Array:
    """Pseudo-random standard normal numbers (..., n), computed from whole numbers in 0..2**32-1, (...).

    Different numbers or keys give different normal numbers: integers are hashed, and pairs of them transformed by the
    Box-Muller formula.
    """
    places = torch.arange(2 * n, device=numbers.device).reshape(2, n)
    mixed = mix(mix(mix(numbers) + key)[..., None, None] + places)
    radius, angle = (torch.bitwise_right_shift(mixed, 8).to(torch.float32) + 0.5).mul(2.0**-24).unbind(-2)
    return (-2 * radius.log()).sqrt() * (2 * torch.pi * angle).cos()


def signs(shape: Sequence[int], key: int, reference: Tensor) -> Array:
    """Pseudo-random signs -1 and 1 of the given `shape` for a key, of the kind and on the device of `reference`.

    The first signs do not depend on how many follow.
    """
    last = mix(_mixed_places(prod(shape), reference.device) + key) & 1
    return last.to(reference.dtype).mul_(2).sub_(1).reshape(shape)


@lru_cache(maxsize=1)
def _mixed_places(n: int, device: torch.device) -> Array:
    """The hashed numbers 0..n-1; they are the same for every key."""
    return mix(torch.arange(n, device=device))


def entry_at_random(among: Tensor, numbers: Tensor, key: int) -> Array:
    """A pseudo-random entry of `among` (c,) for each of the whole numbers in 0..2**32-1, (...)."""
    return among[mix(mix(mix(numbers) + key) - 1) % len(among)]


def numbers_of(theta0: Tensor) -> Array:
    """A whole number (...) that differs if initial models (..., d) differ; it seeds the other initial values of a run."""
    return (theta0[..., :8].double().sum(-1) * 2**30).long() % 2**31


def mix(x: Tensor) -> Array:
    """Whole numbers in 0..2**32-1, a permutation of them whose digits depend on all of x's last 32 digits."""
    x = x.to(torch.int32)  # products keep the last 32 bits, with half the memory traffic
    for _ in range(2):
        x = (x ^ _upper(x)).mul_(0x45D9F3B)
    return (x ^ _upper(x)).to(torch.int64) & MASK


def _upper(x: Tensor) -> Array:
    """The first 16 of 32 binary digits, as a number."""
    return torch.bitwise_right_shift(x, 16).bitwise_and_(0xFFFF)


def feature_moments(model: Any, samples: Any) -> Kernel:
    """Kernel of the weighted sum of features and of their squares, (F, 2q)."""

    def sums(theta: Tensor, rows: Tensor, weights: Tensor) -> Array:
        features = model.features(theta, samples.images[rows])
        return weights @ torch.cat([features, features**2], -1)

    return vmap(sums)


def feature_statistics(world: Any, state: State, task: int) -> tuple[Tensor, Tensor]:
    """Mean and variance (F, q) of each feature at the server's model over a task, where all clients weigh the same.

    They stand for the running statistics of batch norm, which the networks here do not have.
    """
    sums = world.at(task).on_all(feature_moments, (over_slots(state["theta"], world.n_clients),))
    mean, square = flat(sums.mean(-2)).chunk(2, -1)
    return mean, (square - mean**2).clamp(min=0)


def seen_classes(world: Any, task: int) -> Array:
    """Mask of the classes of the tasks up to `task`, (C,) of bool."""
    return world.classes[: task + 1].any(0)


def seen_numbers(world: Any, task: int, first: int = 0) -> Array:
    """The classes of the tasks `first` to `task`, in order, (c,); chosen on the host, which then does not wait for a device."""
    classes = world.stream.classes  # one row for all tasks, if they share it
    of_tasks = np.broadcast_to(classes, (world.n_tasks, classes.shape[-1]))
    return world.indices(np.flatnonzero(of_tasks[first : task + 1].any(0)))


def new_logits(world: Any, task: int) -> Array:
    """Mask of the logits that compete for the samples of a task, (C,) of bool: all except those that belong only to earlier
    tasks.
    """
    return ~world.classes[:task].any(0) | world.classes[task]


def balanced(classes: Tensor, n: int) -> Array:
    """`n` labels, each of the `classes` (c,) in turn."""
    return classes[torch.arange(n, device=classes.device) % len(classes)]


def cross_entropy(logits: Tensor, labels: Tensor, among: Tensor) -> Array:
    """Cross entropy of each sample (b,), where only the logits `among` (C,) of bool compete."""
    logits = logits.where(among, -torch.inf)
    classes = torch.arange(logits.shape[-1], device=logits.device)
    of_label = logits.where(classes == labels[:, None], 0).sum(-1)
    return logits.logsumexp(-1) - of_label


def distance(logits: Tensor, teacher: Tensor, among: Tensor, temperature: float) -> Array:
    """KL(teacher || model) of each sample (b,) at a temperature, over the logits `among`; without the factor T^2."""
    ours, theirs = (
        (part / temperature).where(among, -torch.inf).log_softmax(-1) for part in (logits, teacher)
    )
    return (theirs.exp() * (theirs - ours).where(among, 0)).sum(-1)


def with_slopes(
    loss: Callable[..., Any], in_dims: Any = 0, points: int = 1
) -> Callable[..., tuple[Tensor, ...]]:
    """The gradients of many models' losses, each with respect to its own first `points` arguments, followed by the further
    results of `loss`.

    Notes
    -----
    No model occurs in another one's loss, so these are the gradients of the sum of all. `torch.func.grad` would give the same for one model, but loads PyTorch's compiler: two seconds, and 60 MB.
    """
    of_all = vmap(loss, in_dims=in_dims)

    def kernel(*arguments: Any) -> tuple[Tensor, ...]:
        with torch.enable_grad():
            at = [part.detach().requires_grad_() for part in arguments[:points]]
            found = of_all(*at, *arguments[points:])
            losses, *others = found if isinstance(found, tuple) else (found,)
            slopes = torch.autograd.grad(losses.sum(), at)
        return (*slopes, losses.detach(), *(other.detach() for other in others))

    return kernel


def slope(loss: Callable[..., Any], in_dims: Any = 0, points: int = 1) -> Callable[..., Array]:
    """The gradients of `with_slopes` alone, one behind the other, (F, any)."""
    kernel = with_slopes(loss, in_dims, points)
    return lambda *arguments: torch.cat(kernel(*arguments)[:points], -1)


def many(world: Any, n_samples: int, kernel: Callable[..., Any], n_shared: int = 0) -> Callable[..., Any]:
    """`kernel`, called in parts that fit into the world's memory limit with `n_samples` of each run; the last `n_shared`
    arguments are the same for all runs.
    """
    n_runs = world.fitting(n_samples)

    def run(*arguments: Any) -> Any:
        own = len(arguments) - n_shared
        parts = zip(*(values.split(n_runs) for values in arguments[:own]), strict=True)
        found = [kernel(*part, *arguments[own:]) for part in parts]
        if isinstance(found[0], Tensor):
            return torch.cat(found)
        return tuple(map(torch.cat, zip(*found, strict=True)))

    return run


def nothing_made(theta0: Tensor, n_made: int, lengths: Mapping[str, int]) -> dict[str, Tensor]:
    """Entries (..., run, P, length) of the state before any sample is generated."""
    shape = theta0.shape[:-1]
    return {name: theta0.new_zeros(*shape, n_made, length) for name, length in lengths.items()}


def of_runs(theta: Tensor, **parts: Tensor) -> dict[str, Tensor]:
    """Flat parts (F, ...) as entries (..., run, ...) of the state."""
    return {name: part.reshape(*theta.shape[:-1], *part.shape[1:]) for name, part in parts.items()}


@dataclass(frozen=True)
class Replaying:
    """The objective of clients that also use generated samples.

    Attributes
    ----------
    current : oracle
        Their own losses.
    world : NetworkWorld
    task : int
    made : tuple of (..., run, P, any) tensors
        Data of each of P generated samples.
    models : tuple of (..., run, any) tensors
        Models that the server sent.
    """

    current: Any
    world: Any
    task: int
    made: tuple[Tensor, ...] = ()
    models: tuple[Tensor, ...] = ()

    def grad(self, x: Tensor) -> Array:
        """Gradient of the current loss alone, (..., n, d)."""
        return self.current.grad(x)

    def labelled(self, x: Tensor, u: IntArray) -> Array:
        """Gradient of a minibatch of the client's own samples, (..., n, d)."""
        return self.current.stochastic_grad(x, u)

    def beside_made(self, make: Any, x: Tensor, u: IntArray, *rest: Any) -> Array:
        """A kernel at x, with the server's models and a minibatch of each part of the generated samples: (..., n, d)."""
        slots = x.shape[-2]
        index = self.world.indices(u[..., self.world.batch :])
        places = (index % self.made[0].shape[-2]).flatten(-2)[..., None]
        taken = [part.take_along_dim(places.expand(*part.shape[:-2], -1, 1), -2) for part in self.made]
        parts = [part.reshape(*part.shape[:-2], slots, -1) for part in taken]
        sent = [over_slots(model, slots) for model in self.models]
        return self.current.on_minibatch(make, (x, *sent, *parts), u, *rest)


def after_the_first(kernel: Any) -> Callable[[Replaying, Array, IntArray], Array]:
    """Query: labels alone in the first task; later a kernel with generated samples, which receives the masks of new logits
    and old classes.
    """

    def query(oracle: Replaying, x: Array, u: IntArray) -> Array:
        if oracle.task == 0:
            return oracle.labelled(x, u)
        new, old = new_logits(oracle.world, oracle.task), seen_classes(oracle.world, oracle.task - 1)
        return oracle.beside_made(kernel, x, u, new, old)

    return query


def of_strength(value: Any, theta: Tensor) -> Array:
    """A hyper-parameter as a vector of length 1 of every run, (..., run, 1)."""
    return against(value, 1) * torch.ones_like(theta[..., :1])
