"""TARGET: the server generates images on which its model is confident, and clients keep its outputs on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import torch
from torch import Tensor

from algorithms.algorithm import Algorithm, Moment, State
from algorithms.fedavg import fedavg
from algorithms.generative import (
    Replaying,
    after_the_first,
    balanced,
    cross_entropy,
    distance,
    feature_statistics,
    flat,
    flat_normals,
    initial_parameters,
    many,
    nothing_made,
    of_runs,
    of_strength,
    seen_numbers,
    slope,
    with_slopes,
)
from algorithms.hyperparameters import strength
from algorithms.optimisers import Adam
from nqm.fields import Array, IntArray

TEMPERATURE = 2.0
"""Of what clients keep. Source: the released code."""
STUDENT_TEMPERATURE, MOMENTUM = 20.0, 0.9
"""Of what the server's student learns, and of its steps. Source: the released code."""


@dataclass(frozen=True)
class Synthesis:
    """How the server generates images.

    Attributes
    ----------
    batches, batch : int
        Number of generated batches, and images in each.
    steps : int
        Steps of a batch's own generator and latents.
    warm_up : int
        Batches before the student is taught and the generator is turned against it.
    student_steps : int
        Steps of the student after each batch from then on.
    lr, latent_lr, student_lr : float
        Step sizes of generators, of latents, and of the student.
    statistics, labels, adversarial : float
        Weights of the distance of feature statistics, of the loss of the labels asked for, and of the student's distance.
    """

    batches: int = 10
    batch: int = 64
    steps: int = 10
    warm_up: int = 0
    student_steps: int = 10
    lr: float = 0.002
    latent_lr: float = 0.01
    student_lr: float = 0.2
    statistics: float = 10.0
    labels: float = 0.5
    adversarial: float = 1.0


PAPER = Synthesis()
"""The student is taught all along."""
RELEASED = Synthesis(warm_up=20)
"""The released defaults for CIFAR-100: 10 batches, of which none comes after the warm-up, so that there is no student."""


def target(
    local_lr: Array,
    kd: Array,
    network: Any,
    generator: Any,
    synthesis: Synthesis = PAPER,
    global_lr: Array = 1,
) -> Algorithm:
    """TARGET with FedAvg.

    At the end of a task the server trains a new generator against its model: images should have the features' statistics
    and the labels that are asked for, and a student should disagree with the model on them. In later tasks clients descend
    the cross entropy of new logits on their data, plus `kd` times the distance from that model on the images.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    kd : number or array, >= 0
        Strength of the images; 0 is FedAvg on new logits.
    network, generator
        The model, and the generator of images for it.
    synthesis : Synthesis
        `PAPER`, or `RELEASED`.

    Notes
    -----
    State entries ``"made"`` (..., run, P, pixels), the generated images, and ``"answers"`` (..., run, P, C), the outputs of the server's model on them. Source:
    Zhang et al. (2023), TARGET: federated class-continual learning via exemplar-free distillation.
    """
    strength("kd", kd)
    n_made = synthesis.batches * synthesis.batch

    def init(theta0: Array) -> State:
        made = {"made": prod(network.image), "answers": network.n_classes}
        return {"theta": theta0, **nothing_made(theta0, n_made, made)}

    def end_round(world: Any, state: State, moment: Moment) -> State:
        if moment.left:
            return state
        images, answers = synthesised(world, state, moment, network, generator, synthesis)
        return {**state, **of_runs(state["theta"], made=images.flatten(2), answers=answers)}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Replaying:
        kept = (of_strength(kd, state["theta"]),)
        return Replaying(world.at(task, clients), world, task, (state["made"], state["answers"]), kept)

    query = after_the_first(taught)
    plain = fedavg(local_lr, global_lr)
    return replace(plain, name="TARGET", init=init, end_round=end_round, objective=objective, query=query)


def taught(model: Any, samples: Any) -> Callable[..., Tensor]:
    """Kernel of a client's gradient, (F, d): at models, with strengths (F, 1), images (F, b*pixels) and answers (F, b*C)."""

    def loss(
        theta: Tensor,
        kd: Tensor,
        made: Tensor,
        answers: Tensor,
        rows: Tensor,
        weights: Tensor,
        new: Tensor,
        old: Tensor,
    ) -> Array:
        logits = model.logits(theta, samples.images[rows])
        of_new = (weights * cross_entropy(logits, samples.labels[rows], new)).sum()
        said = answers.reshape(-1, model.n_classes)
        found = model.logits(theta, made.reshape(-1, *model.image))
        return of_new + kd[0] * distance(found, said, old, TEMPERATURE).mean()

    return slope(loss, (0,) * 6 + (None, None))


def synthesised(
    world: Any, state: State, moment: Moment, network: Any, generator: Any, how: Synthesis
) -> tuple[Tensor, Tensor]:
    """Generated images (F, P, *image) and the outputs of the server's model on them, (F, P, C)."""
    theta = state["theta"]
    teacher, (mean, variance) = flat(theta), feature_statistics(world, state, moment.task)
    shared = initial_parameters(generator.entries, flat_normals(moment, theta, 0, generator.dim))
    student = initial_parameters(network.entries, flat_normals(moment, theta, 1, network.dim))
    labels = balanced(seen_numbers(world, moment.task), how.batch)
    of_generator, of_latents, of_shared = (
        Adam(lr, 0.5) for lr in (how.lr, how.latent_lr, how.lr * how.steps)
    )
    shapes = network.image, (network.n_classes,)
    at_shared, velocity = of_shared.start(shared), torch.zeros_like(student)
    made: list[tuple[Tensor, ...]] = []

    def loss(
        own: Tensor,
        z: Tensor,
        teacher: Tensor,
        student: Tensor,
        mean: Tensor,
        variance: Tensor,
        adversarial: float,
    ) -> tuple[Tensor, Tensor, Tensor]:
        images = generator.images(own, z)
        features = network.features(teacher, images)
        answers = network.scores(teacher, features)
        every = torch.ones_like(answers[0], dtype=torch.bool)
        apart = _length(features.var(0, correction=0) - variance) + _length(features.mean(0) - mean)
        total = how.statistics * apart + how.labels * cross_entropy(answers, labels, every).mean()
        if adversarial:
            learnt = network.logits(student, images)
            agree = (learnt.argmax(-1) == answers.argmax(-1)).to(images.dtype)
            total = total - adversarial * (agree * distance(learnt, answers, every, 1.0)).mean()
        return total, images, answers

    slopes = many(world, how.batch, with_slopes(loss, (0,) * 6 + (None,), points=2), n_shared=1)
    for number in range(how.batches):
        with_student = number >= how.warm_up
        own, z = shared, flat_normals(moment, theta, 2 + number, how.batch, generator.n_latent)
        at_own, at_z, total = of_generator.start(own), of_latents.start(z), torch.zeros_like(own)
        least, best = (
            z.new_full((len(z),), torch.inf),
            tuple(z.new_zeros(len(z), how.batch, *s) for s in shapes),
        )
        for _ in range(how.steps):
            weight = how.adversarial * with_student
            g, of_z, value, *found = slopes(own, z, teacher, student, mean, variance, weight)
            best = tuple(_choice_of_runs(value < least, *pair) for pair in zip(found, best, strict=True))
            least, total = torch.minimum(value, least), total + g
            own, at_own = of_generator.step(own, g, at_own)
            z, at_z = of_latents.step(z, of_z, at_z)
        shared, at_shared = of_shared.step(shared, total, at_shared)
        made.append(best)
        if with_student:
            student, velocity = distilled(world, network, student, velocity, made, how)
    images, answers = (torch.cat(parts, 1) for parts in zip(*made, strict=True))
    return images, answers


def distilled(
    world: Any,
    network: Any,
    student: Tensor,
    velocity: Tensor,
    made: Sequence[tuple[Tensor, ...]],
    how: Synthesis,
) -> tuple[Tensor, Tensor]:
    """The student (F, d) and its velocity after learning the answers to the batches made so far, one after another."""

    def loss(student: Tensor, images: Tensor, answers: Tensor) -> Array:
        every = torch.ones_like(answers[0], dtype=torch.bool)
        apart = distance(network.logits(student, images), answers, every, STUDENT_TEMPERATURE)
        return STUDENT_TEMPERATURE**2 * apart.mean()

    slopes = many(world, how.batch, slope(loss))
    for step in range(how.student_steps):
        velocity = MOMENTUM * velocity + slopes(student, *made[step % len(made)])
        student = student - how.student_lr * velocity
    return student, velocity


def _length(vector: Tensor) -> Array:
    return torch.linalg.vector_norm(vector, dim=-1)


def _choice_of_runs(condition: Tensor, a: Tensor, b: Tensor) -> Array:
    """Runs (F, ...) of `a` where the condition (F,) holds, else of `b`."""
    return torch.where(condition.reshape(-1, *(1,) * (a.ndim - 1)), a, b)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Empty: the method needs a network and is tested on networks."""
    return ()
