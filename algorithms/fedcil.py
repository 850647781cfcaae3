"""FedCIL: every client trains a classifier and a generator against each other, and the server trains both on generated
images.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from algorithms.algorithm import Algorithm, Local, Moment, State, download, over_slots
from algorithms.combining import averaged, mean_of_sampled, weighed
from algorithms.generative import (
    balanced,
    cross_entropy,
    entry_at_random,
    flat,
    flat_normals,
    gaussians,
    initial_parameters,
    many,
    numbers_of,
    seen_numbers,
    slope,
)
from algorithms.hyperparameters import against, step_size, strength
from algorithms.optimisers import Adam, Moments
from nqm.fields import Array, IntArray

NEW = 0.5
"""Weight of the new task where earlier ones are replayed. Source: the released code."""


@dataclass(frozen=True)
class Consolidation:
    """How the server learns from the clients' generators after a round.

    Attributes
    ----------
    steps, batch : int
        Steps, and images of each.
    lr : float
        Step size of all three parts, of Adam.
    """

    steps: int = 10
    batch: int = 64
    lr: float = 0.002


class Images(NamedTuple):
    """Images (b, *image) with labels (b,) and weights (b,) that sum to 1."""

    images: Tensor
    labels: Tensor
    weights: Tensor

    def still(self) -> Images:
        """The same images as constants, so no gradient reaches their generator."""
        return self._replace(images=self.images.detach())


@dataclass(frozen=True)
class Players:
    """The losses of a classifier with a critic, and of a generator, one of each.

    A critic is (q + 1,) numbers, a linear function of the classifier's features: above 0 an image counts as real.
    """

    network: Any
    generator: Any

    def values_and_scores(self, theta: Tensor, critic: Tensor, *parts: Images) -> list[tuple[Tensor, Tensor]]:
        """The critic's values (b,) and the class scores (b, C) of the images of each part: all parts in one pass."""
        features = self.network.features(theta, torch.cat([part.images for part in parts]))
        sizes = [len(part.labels) for part in parts]
        looks, scores = features @ critic[:-1] + critic[-1], self.network.scores(theta, features)
        return list(zip(torch.split(looks, sizes), torch.split(scores, sizes), strict=True))

    def images(self, own: Tensor, *asked: tuple[Tensor, Tensor]) -> list[Images]:
        """Images of a generator for each pair of latents and labels, with equal weights."""
        latents, labels = (torch.cat(part) for part in zip(*asked, strict=True))
        sizes = [len(each) for _, each in asked]
        made = self.generator.images(own, latents, labels)
        parts = zip(torch.split(made, sizes), torch.split(labels, sizes), strict=True)
        return [Images(x, y, torch.ones_like(x.flatten(1)[:, 0]) / len(x)) for x, y in parts]

    def fooling(self, theta: Tensor, critic: Tensor, made: Images) -> Array:
        """Loss of a generator whose images should look real; classifier and critic are held constant."""
        (seen,) = self.values_and_scores(theta.detach(), critic.detach(), made)
        return real(seen, made)


def real(seen: tuple[Tensor, Tensor], x: Images) -> Array:
    """Loss of images that should look real, and of their labels."""
    look, scores = seen
    return (x.weights * (F.softplus(-look) + _loss_of_classes(scores, x.labels))).sum()


def made_up(seen: tuple[Tensor, Tensor], x: Images) -> Array:
    """Loss of images that should look generated, and of their labels."""
    look, scores = seen
    return (x.weights * (F.softplus(look) + _loss_of_classes(scores, x.labels))).sum()


def consistency_of(on: Sequence[tuple[Tensor, Tensor]], x: Images, server: Images) -> Array:
    """Distances of class outputs on images of equal labels, and the loss of the server's images.

    `on` holds the outputs on a client's real images, on the server's images with the same labels, on images that the client
    generated, and on the server's images with those labels.
    """
    of_real, like_real, of_made, like_made = (scores.log_softmax(-1) for _, scores in on)
    apart = (x.weights * _divergence(like_real, of_real)).sum() + _divergence(like_made, of_made).mean()
    return apart + _loss_of_classes(on[-1][1], server.labels).mean()


def fedcil(
    local_lr: Array,
    generator_lr: Array,
    consistency: Array,
    network: Any,
    conditional: Any,
    consolidation: Consolidation = Consolidation(),
    global_lr: Array = 1,
) -> Algorithm:
    """FedCIL with networks whose features a critic judges.

    A local step moves classifier, critic and generator against each other's losses (AC-GAN). From the second task on, images
    of the server's generator at the end of the last task stand for the past. From the second round of each task on, class
    outputs are held together on images of equal labels, with strength `consistency`. After each round the server averages all
    three and trains them on images of the clients' generators, balanced over classes.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the classifier at the clients, and of the server along the mean displacement.
    generator_lr : number or array, > 0
        Step size of critic and generator, of Adam, which restarts in each round.
    consistency : number, >= 0
        1 in the paper; the released code multiplies the terms by 0.
    network, conditional
        The classifier, and a generator that can be asked for classes.
    consolidation : Consolidation

    Notes
    -----
    State entries ``"critic"`` (..., run, q + 1), ``"generator"`` and ``"last"`` (..., run, dg), and at the end of a round ``"sent"`` (..., run, n, dg), the generators that clients sent. All parts move at once, not in turns. Source: Qi et al. (2023), Better generative replay for
    continual federated learning.
    """
    local_lr, global_lr = step_size("local_lr", local_lr), step_size("global_lr", global_lr)
    consistency = strength("consistency", consistency)
    players, adam = (
        Players(network, conditional),
        Adam(against(step_size("generator_lr", generator_lr), 2), 0.5),
    )
    sizes = network.dim, network.n_features + 1, conditional.dim

    def init(theta0: Array) -> State:
        critic = theta0.new_zeros(*theta0.shape[:-1], sizes[1])
        own = initial_parameters(conditional.entries, gaussians(numbers_of(theta0), conditional.dim))
        return {"theta": theta0, "critic": critic, "generator": own, "last": own}

    def begin_task(state: State, task: int) -> State:
        return {**state, "last": state["generator"], "task": task, "begun": False}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Arena:
        seen = seen_numbers(world, task)
        past = seen_numbers(world, task - 1) if task else seen
        return Arena(world.at(task, clients), world, seen, past)

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        parts = {name: over_slots(state[name], clients.shape[-1]) for name in ("critic", "generator", "last")}
        local = {**download(state, clients, oracle), **parts, "server": parts["generator"]}
        return (
            local
            | _entries("critic", adam.start(parts["critic"]))
            | _entries("generator", adam.start(parts["generator"]))
        )

    def query(oracle: Arena, x: Array, u: IntArray) -> Any:
        numbers = oracle.world.indices(u[..., oracle.world.batch :])
        rest = oracle.seen, oracle.past
        return lambda parts, *weights: oracle.current.on_minibatch(
            moved, (*parts, numbers), u, *rest, *weights
        )

    def moved(model: Any, samples: Any) -> Callable[..., Tensor]:
        """Kernel of the gradients of all three parts, (F, d + q + 1 + dg)."""

        def loss(
            theta: Tensor,
            critic: Tensor,
            own: Tensor,
            server: Tensor,
            last: Tensor,
            numbers: Tensor,
            rows: Tensor,
            weights: Tensor,
            seen: Tensor,
            past: Tensor,
            new: float,
            together: float,
        ) -> Array:
            def latents(key: int) -> Array:
                return gaussians(numbers, conditional.n_latent, key)

            x = Images(samples.images[rows], samples.labels[rows], weights)
            of_own = [(latents(1), entry_at_random(seen, numbers, 1))]
            known, of_server = [x], []
            if new < 1:
                known += players.images(last, (latents(0), entry_at_random(past, numbers, 0)))
            if together:
                asked = entry_at_random(seen, numbers, 2)
                of_own += [(latents(3), asked)]
                of_server = players.images(server, (latents(2), x.labels), (latents(4), asked))
            made, *pairs = players.images(own, *of_own)
            still = [each.still() for each in (made, *pairs, *of_server)]
            on = players.values_and_scores(theta, critic, *known, *still)
            of_real, (of_made, *of_pairs) = on[: len(known)], on[len(known) :]
            total = (
                new * real(of_real[0], x) + made_up(of_made, still[0]) + players.fooling(theta, critic, made)
            )
            if new < 1:
                total = total + (1 - new) * real(of_real[1], known[1])
            if together:
                of_asked, like_x, like_asked = of_pairs
                four = (of_real[0], like_x, of_asked, like_asked)
                total = total + together * consistency_of(four, x, still[-1])
            return total

        return slope(loss, (0,) * 8 + (None,) * 4, points=3)

    def local_step(state: State, local: Local, slope: Any) -> Local:
        parts = tuple(local[name] for name in ("x", "critic", "generator", "server", "last"))
        new = NEW if state["task"] else 1.0
        g, *others = slope(parts, new, consistency if state["begun"] else 0.0).split(sizes, -1)
        stepped: dict[str, Array] = {}
        for name, slope_of in zip(("critic", "generator"), others, strict=True):
            at = Moments(*(local[f"{name} {part}"] for part in Moments._fields))
            stepped[name], at = adam.step(local[name], slope_of, at)
            stepped |= _entries(name, at)
        return {**local, "x": local["x"] - against(local_lr, 2) * g, **stepped}

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        critic, own = (mean_of_sampled(weighed(local, local[name])) for name in ("critic", "generator"))
        theta = averaged(state, local, global_lr)
        found = {"theta": theta, "critic": critic, "generator": own, "sent": local["generator"]}
        return {**state, **found, "begun": True}

    def end_round(world: Any, state: State, moment: Moment) -> State:
        found = consolidated(world, state, moment, players, consolidation)
        return {**{name: value for name, value in state.items() if name != "sent"}, **found}

    return Algorithm(
        name="FedCIL",
        init=init,
        begin_task=begin_task,
        begin_round=begin_round,
        query=query,
        objective=objective,
        local_step=local_step,
        aggregate=aggregate,
        end_round=end_round,
    )


@dataclass(frozen=True)
class Arena:
    """The objective of clients: their current samples, and the classes for which images can be generated, now and in the
    past.
    """

    current: Any
    world: Any
    seen: Tensor
    past: Tensor

    def grad(self, x: Tensor) -> Array:
        """Gradient of the current loss alone, (..., n, d)."""
        return self.current.grad(x)


def consolidated(
    world: Any, state: State, moment: Moment, players: Players, how: Consolidation
) -> dict[str, Tensor]:
    """Classifier, critic and generator of the server after its training on images of the clients' generators."""
    names, task = ("theta", "critic", "generator"), moment.task
    shape = state["theta"].shape[:-1]  # entries that do not depend on the model have no sweep axes yet
    parts = [flat(state[name].expand(*shape, -1)) for name in names]
    sizes = [part.shape[-1] for part in parts]
    sent, last = state["sent"].flatten(0, -3), flat(state["last"].expand(*shape, -1))
    n_each = how.batch // sent.shape[-2]
    n, current = n_each * sent.shape[-2], balanced(seen_numbers(world, task, task), n_each * sent.shape[-2])
    asked = balanced(seen_numbers(world, task), n)
    before = balanced(seen_numbers(world, task - 1), n) if task else None

    def loss(whole: Tensor, sent: Tensor, last: Tensor, z: Tensor) -> Array:
        theta, critic, own = torch.split(whole, sizes)
        of_clients, of_own, of_last = z.chunk(3)
        each = [
            players.generator.images(*one)
            for one in zip(sent, torch.split(of_clients, n_each), torch.split(current, n_each), strict=True)
        ]
        kept = [Images(torch.cat(each), current, torch.ones_like(z[:n, 0]) / n)]
        shares = [1.0]
        if before is not None:
            kept, shares = [*kept, *players.images(last, (of_last, before))], [NEW, 1 - NEW]
        (made,) = players.images(own, (of_own, asked))
        *on, of_made = players.values_and_scores(theta, critic, *kept, made.still())
        losses = (share * real(seen, x) for share, seen, x in zip(shares, on, kept, strict=True))
        return sum(losses, start=made_up(of_made, made)) + players.fooling(theta, critic, made)

    whole, adam, slopes = torch.cat(parts, -1), Adam(how.lr, 0.5), many(world, 3 * n, slope(loss))
    at = adam.start(whole)
    for step in range(how.steps):
        z = flat_normals(moment, state["theta"], step, 3 * n, players.generator.n_latent)
        whole, at = adam.step(whole, slopes(whole, sent, last, z), at)
    shape = state["theta"].shape[:-1]
    return {
        name: part.reshape(*shape, -1)
        for name, part in zip(names, torch.split(whole, sizes, -1), strict=True)
    }


def _entries(name: str, at: Moments) -> dict[str, Tensor]:
    """The state of Adam, as entries of a client's local state."""
    return {f"{name} {part}": value for part, value in at._asdict().items()}


def _loss_of_classes(scores: Tensor, labels: Tensor) -> Array:
    return cross_entropy(scores, labels, torch.ones_like(scores[0], dtype=torch.bool))


def _divergence(target: Tensor, found: Tensor) -> Array:
    """KL of each row of logarithms of probabilities, (b, C) and (b, C) -> (b,); the gradient flows into both."""
    return (target.exp() * (target - found)).sum(-1)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Empty: the method needs a network and is tested on networks."""
    return ()
