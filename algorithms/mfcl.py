"""MFCL: the server trains a generator without data, and clients also learn from its images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.func import vmap
from torch.nn import functional as F

from algorithms.algorithm import Algorithm, Moment, State
from algorithms.fedavg import fedavg
from algorithms.generative import (
    Replaying,
    after_the_first,
    cross_entropy,
    feature_statistics,
    flat,
    flat_normals,
    initial_parameters,
    many,
    nothing_made,
    of_runs,
    of_strength,
    seen_classes,
    slope,
)
from algorithms.hyperparameters import strength
from algorithms.optimisers import Adam
from nqm.fields import Array, IntArray

LEAST = 1e-2
"""Added to variances of features, some of which are 0 where a ReLU is dead."""


@dataclass(frozen=True)
class Synthesis:
    """How the server trains its generator.

    Attributes
    ----------
    n_made : int
        Generated images from which clients draw.
    steps, batch : int
        Steps of the generator at the end of a task, and images of each.
    lr : float
        Step size of the generator, of Adam.
    temperature : float
        Temperature of the logits in the confidence loss.
    diversity, statistics, smoothness : float
        Weights of the entropy of classes, of the distance of feature statistics, and of the prior of images.
    """

    n_made: int = 512
    steps: int = 100
    batch: int = 64
    lr: float = 1e-3
    temperature: float = 1.0
    diversity: float = 0.5
    statistics: float = 1.0
    smoothness: float = 0.01


PAPER = Synthesis()
"""The paper's objective, with the weights of SPECIAL, Table 7."""
RELEASED = Synthesis(temperature=1e3, diversity=1.0, statistics=50.0, smoothness=1e-3)
"""The released code and its defaults: divided by 1,000, the logits of the first term have hardly a slope."""


def mfcl(
    local_lr: Array,
    kd: Array,
    ft: Array,
    network: Any,
    generator: Any,
    synthesis: Synthesis = PAPER,
    global_lr: Array = 1,
) -> Algorithm:
    """MFCL with FedAvg.

    From the second task on, clients descend the cross entropy of new logits on their data, plus `ft` times that of the head
    alone on all features and classes, on their data and as many images, plus `kd` times the mean squared distance of old
    logits when the features pass through the head of the last task's model.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    kd, ft : numbers or arrays, >= 0
        Strengths w_KD and w_FT.
    network, generator
        The model, and the generator of images for it.
    synthesis : Synthesis
        `PAPER`, or `RELEASED`.

    Notes
    -----
    State entries ``"generator"`` (..., run, dg), which goes on learning, ``"teacher"`` (..., run, d), the last task's model,
    and ``"made"`` (..., run, P, pixels) with the labels (..., run, P, 1) that it gives them. Source: Babakniya et al. (2023), A
    data-free approach to mitigate catastrophic forgetting in federated class incremental learning.
    """
    strength("kd", kd)
    strength("ft", ft)

    def init(theta0: Array) -> State:
        made = nothing_made(theta0, synthesis.n_made, {"made": prod(network.image), "labels": 1})
        labels = {"labels": made["labels"].long()}
        of_generator = theta0.new_zeros(*theta0.shape[:-1], generator.dim)
        return {"theta": theta0, "teacher": theta0, "generator": of_generator, **made, **labels}

    def end_round(world: Any, state: State, moment: Moment) -> State:
        if moment.left:
            return state
        theta = state["theta"]
        own = trained(world, state, moment, network, generator, synthesis)
        latents = flat_normals(moment, theta, 1, synthesis.n_made, generator.n_latent)
        seen = seen_classes(world, moment.task)

        def make(own: Tensor, z: Tensor, teacher: Tensor) -> tuple[Tensor, Tensor]:
            images = generator.images(own, z)
            labels = network.logits(teacher, images).where(seen, -torch.inf).argmax(-1)
            return images.flatten(1), labels[:, None]

        made, labels = many(world, synthesis.n_made, vmap(make))(own, latents, flat(theta))
        return {**state, "teacher": theta, **of_runs(theta, generator=own, made=made, labels=labels)}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Replaying:
        theta = state["theta"]
        sent = (state["teacher"], of_strength(kd, theta), of_strength(ft, theta))
        return Replaying(world.at(task, clients), world, task, (state["made"], state["labels"]), sent)

    query = after_the_first(taught)
    plain = fedavg(local_lr, global_lr)
    return replace(plain, name="MFCL", init=init, end_round=end_round, objective=objective, query=query)


def taught(model: Any, samples: Any) -> Callable[..., Tensor]:
    """Kernel of a client's gradient, (F, d): at models, with the last task's (F, d), strengths (F, 1) each, images (F,
    b*pixels) and labels (F, b)."""

    def loss(
        theta: Tensor,
        teacher: Tensor,
        kd: Tensor,
        ft: Tensor,
        made: Tensor,
        made_labels: Tensor,
        rows: Tensor,
        weights: Tensor,
        new: Tensor,
        old: Tensor,
    ) -> Array:
        images = torch.cat([samples.images[rows], made.reshape(-1, *model.image)])
        labels = torch.cat([samples.labels[rows], made_labels])
        shares = torch.cat([weights, torch.ones_like(made_labels) / len(made_labels)]) / 2
        features = model.features(theta, images)
        own = model.scores(theta, features[: len(rows)])
        of_new = (weights * cross_entropy(own, labels[: len(rows)], new)).sum()
        every = torch.ones_like(new)
        of_head = (shares * cross_entropy(model.scores(theta, features.detach()), labels, every)).sum()
        seen = (
            model.scores(teacher, features) - model.scores(teacher, model.features(teacher, images))
        ) * old
        of_old = (shares * (seen**2).sum(-1)).sum() / old.sum()
        return of_new + ft[0] * of_head + kd[0] * of_old

    return slope(loss, (0,) * 8 + (None, None))


def trained(world: Any, state: State, moment: Moment, network: Any, generator: Any, how: Synthesis) -> Array:
    """The generator (F, dg) after its training at the end of a task; its first parameters are drawn at random."""
    theta = state["theta"]
    teacher, (mean, variance) = flat(theta), feature_statistics(world, state, moment.task)
    own = flat(state["generator"])
    if moment.task == 0:
        own = initial_parameters(generator.entries, flat_normals(moment, theta, 0, generator.dim))
    seen, adam = seen_classes(world, moment.task), Adam(how.lr)

    def loss(own: Tensor, z: Tensor, teacher: Tensor, mean: Tensor, variance: Tensor) -> Array:
        images = generator.images(own, z)
        features = network.features(teacher, images)
        answers = network.scores(teacher, features).where(seen, -torch.inf)
        sure = certainty(answers, seen, how.temperature)
        p = answers.softmax(-1).mean(0).clamp(min=1e-12)
        uneven = 1 + (p * p.log()).where(seen, 0).sum() / seen.sum().clamp(min=2).log()
        apart = divergence(mean, variance, features.mean(0), features.var(0, correction=0))
        rough = ((images - blurred(images)) ** 2).mean()
        return sure + how.diversity * uneven + how.statistics * apart + how.smoothness * rough

    slopes, at = many(world, how.batch, slope(loss)), adam.start(own)
    for step in range(how.steps):
        z = flat_normals(moment, theta, 2 + step, how.batch, generator.n_latent)
        own, at = adam.step(own, slopes(own, z, teacher, mean, variance), at)
    return own


def certainty(answers: Tensor, seen: Tensor, temperature: float) -> Array:
    """Mean loss of logits (b, C) divided by a temperature; the label is the largest logit among the classes `seen`."""
    labels = answers.where(seen, -torch.inf).argmax(-1)
    return cross_entropy(answers / temperature, labels, seen).mean()


def divergence(mean: Tensor, variance: Tensor, of_mean: Tensor, of_variance: Tensor) -> Array:
    """Mean over features of KL(N(mean, variance) || N(of_mean, of_variance)), all (q,), with `LEAST` added to variances."""
    a, b = variance + LEAST, of_variance + LEAST
    return ((b / a).log() + (a + (mean - of_mean) ** 2) / b - 1).mean() / 2


def blurred(images: Tensor) -> Array:
    """Images (b, c, h, w), each pixel with its neighbours, by the weights 1, 2, 1 in both directions."""
    padded = F.pad(images, (1, 1, 1, 1), mode="replicate")
    rows = padded[..., :-2, :] + 2 * padded[..., 1:-1, :] + padded[..., 2:, :]
    return (rows[..., :-2] + 2 * rows[..., 1:-1] + rows[..., 2:]) / 16


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Empty: the method needs a network and is tested on networks."""
    return ()
