"""Worlds on a line: quadratic losses of clients, and models that carry their noise exactly.

A model is a random number, written as its mean and its coefficients of independent noises of mean 0. Gradient steps on quadratic
losses and means over clients are linear, so second moments are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nqm.fields import Array, amax, amin, stack
from verify.engine.model.scene import Box

SHARES = Box(0.001, 2, levels=(0.001, 0.3, 1, 1.25, 1.5, 2))
"""A constant over the least one that is true: a third of the constants are too small."""
SWITCH = Box(0, 1, levels=(0, 0, 0, 1))
"""A part of the world that an assumption excludes."""
Model = tuple[Array, ...]
Branch = list[Model]


@dataclass(frozen=True)
class Noise:
    """Noise of every client in every step, of one variance; the same for all clients where `together` is 1."""

    steps: int
    clients: int
    variance: Array
    together: Array

    def fixed(self, value: Array) -> Model:
        """A model without noise."""
        return (value, *(0 * value for _ in range(self.steps * self.clients)))

    def noise_coefficients(self, step: int, client: int) -> Iterator[int]:
        """Coefficients of the noise of one client in one step."""
        return (int(k == step * self.clients + client) for k in range(self.steps * self.clients))

    def squared(self, model: Model) -> Array:
        """Expected square of a model."""
        mean, *parts = model
        alone = sum((part**2 for part in parts), 0 * mean)
        groups = (parts[k : k + self.clients] for k in range(0, len(parts), self.clients))
        joint = sum((sum(group, 0 * mean) ** 2 for group in groups), 0 * mean)
        return mean**2 + self.variance * ((1 - self.together) * alone + self.together * joint)


def added(*terms: tuple[Array | int, Model]) -> Model:
    """A weighted sum of models."""
    weights, models = zip(*terms, strict=True)
    return tuple(
        sum(w * part for w, part in zip(weights, parts, strict=True)) for parts in zip(*models, strict=True)
    )


def mean(models: Sequence[Model]) -> Model:
    """The mean of some models."""
    return tuple(sum(parts) / len(models) for parts in zip(*models, strict=True))


def away(model: Model, point: Array) -> Model:
    """A model minus a number."""
    return (model[0] - point, *model[1:])


@dataclass(frozen=True)
class Losses:
    """Losses h_i (x - c_i)^2/2 of all clients, (batch, clients), and their mean."""

    curvature: Array
    centre: Array

    @property
    def clients(self) -> int:
        return int(self.curvature.shape[1])

    @property
    def steepest(self) -> Array:
        return amax(self.curvature, 1)

    @property
    def flattest(self) -> Array:
        return amin(self.curvature, 1)

    @property
    def optimum(self) -> Array:
        """The optimum of the mean loss."""
        return (self.curvature * self.centre).sum(axis=1) / self.curvature.sum(axis=1)

    @property
    def slopes(self) -> Array:
        """Gradients of all clients at the optimum."""
        return self.curvature * (self.optimum[:, None] - self.centre)

    def gradient(self, client: int, model: Model) -> Model:
        """The gradient of a client's loss without noise."""
        h = self.curvature[:, client]
        return tuple(h * part for part in away(model, self.centre[:, client]))

    def mean_gradient(self, model: Model) -> Model:
        """The gradient of the mean loss."""
        h = self.curvature.sum(axis=1) / self.clients
        return tuple(h * part for part in away(model, self.optimum))

    def gap(self, model: Model, noise: Noise) -> Array:
        """Expected mean loss of a model above the least one."""
        h = self.curvature.sum(axis=1) / self.clients
        return h / 2 * noise.squared(away(model, self.optimum))


def noisy(gradient: Model, noise: Noise, step: int, client: int, bias: Array) -> Model:
    """A gradient with the noise of a step, and with a bias."""
    drawn = noise.noise_coefficients(step, client)
    return (gradient[0] + bias, *(part + unit for part, unit in zip(gradient[1:], drawn, strict=True)))


def fedavg(
    start: Array,
    losses: Losses,
    steps: Sequence[Array],
    every: int,
    noise: Noise,
    bias: Array,
    samples: Sequence[Sequence[int]] = (),
) -> list[list[Branch]]:
    """Models of all clients after each number of steps, for each equally likely course of the run.

    After every `every` steps all clients continue from the mean of one of the `samples`, which are equally likely; from the mean
    of all if there are none.
    """
    among = samples or (range(losses.clients),)
    branches: list[Branch] = [[noise.fixed(start)] * losses.clients]
    course = [branches]
    for t, step in enumerate(steps):
        moved = [
            [
                added((1, x), (-step, noisy(losses.gradient(i, x), noise, t, i, bias)))
                for i, x in enumerate(models)
            ]
            for models in branches
        ]
        if (t + 1) % every == 0:
            moved = [[mean([models[i] for i in some])] * losses.clients for models in moved for some in among]
        branches = moved
        course.append(branches)
    return course


def expected(values: Sequence[Array]) -> Array:
    """The mean over equally likely cases."""
    return sum(values) / len(values)


def for_all(values: Sequence[Array]) -> Array:
    """Values of a quantity of which a condition must hold for each."""
    return stack(list(values), 1)
