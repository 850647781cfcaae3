"""CFL with samples that a Markov chain generates from a client's data and that are added to its later data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.algorithm import Algorithm, Moment, State
from algorithms.fedavg import fedavg
from algorithms.generative import cross_entropy, normals, slope
from algorithms.hyperparameters import count
from nqm.fields import Array, IntArray


@dataclass(frozen=True)
class Chain:
    """How samples are drawn: ``x <- x - rate*grad E(x) + noise*omega`` from a uniform start, omega being standard normal.

    Attributes
    ----------
    steps : int
    rate, noise : float
        eta and sigma.
    width : float
        Width of the distribution in the definition of E, see `targets_of`.
    """

    steps: int = 30
    rate: float = 0.2
    noise: float = 0.05
    width: float = 0.5


def cfl_mcmc(
    local_lr: Array,
    each: int,
    n_clients: int,
    n_tasks: int,
    network: Any,
    chain: Chain = Chain(),
    global_lr: Array = 1,
) -> Algorithm:
    """CFL whose past losses are those of samples generated at the end of earlier tasks.

    At the end of a task every client generates `each` samples. Later steps descend the mean loss of the union of the current
    task and all generated samples.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        eta_l and eta_g.
    each : int
        Samples that a client generates for a task, at least 1; the source uses 50 to 100.
    n_clients, n_tasks : int
        Numbers M of clients and K of tasks.
    network
        The model.
    chain : Chain

    Notes
    -----
    State entries ``"made"`` (run, M, K*each, pixels) and ``"labels"`` (run, M, K*each). They do not depend on the model, so a
    sweep shares them. Source: CFL (Guo, Lin, Tang), Appendix C.1.2, generation methods, which gives no E: `targets_of` is one interpretation.
    """
    count("each", each, at_least=1)
    places = n_tasks * each

    def init(theta0: Array) -> State:
        shape = theta0.shape[-2], n_clients, places
        made = theta0.new_zeros(*shape, prod(network.image))
        return {
            "theta": theta0,
            "made": made,
            "labels": torch.zeros(shape, dtype=torch.int64, device=theta0.device),
        }

    def end_round(world: Any, state: State, moment: Moment) -> State:
        if moment.left:
            return state
        made, labels = state["made"].clone(), state["labels"].clone()
        own = slice(moment.task * each, (moment.task + 1) * each)
        for client in range(n_clients):
            made[:, client, own], labels[:, client, own] = sampled(world, made, moment, client, each, chain)
        return {**state, "made": made, "labels": labels}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Union:
        filled = task * each
        owner = world.indices(clients)[..., None] * places
        pool = state["made"].flatten(1, 2), state["labels"].flatten(1, 2)[..., None]
        return Union(world.at(task, clients), world, filled, owner, pool)

    def query(oracle: Union, x: Array, u: IntArray) -> Array:
        if not oracle.filled:
            return oracle.current.stochastic_grad(x, u)
        return oracle.current.on_minibatch(taught, (x, oracle.share(x), *oracle.recalled(u)), u)

    plain = fedavg(local_lr, global_lr)
    return replace(plain, name="CFL-MCMC", init=init, end_round=end_round, objective=objective, query=query)


@dataclass(frozen=True)
class Union:
    """A client's current samples, and the first `filled` of its generated samples, which begin at `owner` in `pool`."""

    current: Any
    world: Any
    filled: int
    owner: Tensor
    pool: tuple[Tensor, Tensor]

    def grad(self, x: Tensor) -> Array:
        """Gradient of the current loss alone, (..., n, d)."""
        return self.current.grad(x)

    def share(self, x: Tensor) -> Array:
        """Share of generated samples in all samples of each slot, (..., n, 1)."""
        new = (self.current.rows >= 0).sum(-1, keepdim=True)
        return (self.filled / (self.filled + new)).to(x.dtype)

    def recalled(self, u: IntArray) -> list[Tensor]:
        """A minibatch of generated samples, (run, n, b*pixels) and (run, n, b)."""
        index = self.owner + self.world.indices(u[..., self.world.batch :]) % self.filled
        places = index.flatten(-2)[..., None]
        taken = [part.take_along_dim(places, -2) for part in self.pool]
        return [part.reshape(*index.shape[:-1], -1) for part in taken]


def taught(model: Any, samples: Any) -> Callable[..., Tensor]:
    """Kernel of the gradient of the union's loss, (F, d): at models, with shares (F, 1), images (F, b*pixels), labels (F, b)."""

    def loss(
        theta: Tensor, share: Tensor, made: Tensor, labels: Tensor, rows: Tensor, weights: Tensor
    ) -> Array:
        images = torch.cat([samples.images[rows], made.reshape(-1, *model.image)])
        every = torch.ones(model.n_classes, dtype=torch.bool, device=theta.device)
        losses = cross_entropy(model.logits(theta, images), torch.cat([samples.labels[rows], labels]), every)
        return (1 - share[0]) * (weights * losses[: len(rows)]).sum() + share[0] * losses[len(rows) :].mean()

    return slope(loss)


def sampled(
    world: Any, reference: Tensor, moment: Moment, client: int, each: int, chain: Chain
) -> tuple[Tensor, Tensor]:
    """Images (run, each, pixels) and labels (run, each) that a client generates for the task that ends.

    Labels are those of random samples of its own, so that classes keep their shares.
    """
    images, labels, held = world.at(moment.task, np.array([client])).contents
    runs, n, pixels = len(reference), labels.shape[-1], reference.shape[-1]
    images = images.reshape(-1, n, pixels).expand(runs, -1, -1)
    labels, held = (part.reshape(-1, n).expand(runs, -1) for part in (labels, held))

    def drawn(number: int, *shape: int) -> Array:
        return normals(moment, reference, client * (chain.steps + 2) + number, *shape)

    sizes = held.sum(-1, keepdim=True)
    chosen = (uniform(drawn(0, each)) * sizes).long().minimum(sizes - 1)
    asked = labels.gather(-1, chosen)
    same = (labels[:, None] == asked[..., None]) & held[:, None]
    x = uniform(drawn(1, each, pixels))
    for step in range(chain.steps):
        down = x - targets_of(x, images, same, chain.width)
        x = x - chain.rate * down + chain.noise * drawn(2 + step, each, pixels)
    return x, asked


def targets_of(x: Tensor, images: Tensor, same: Tensor, width: float) -> Array:
    """Target of each x (..., each, pixels): a mean of the images (..., n, pixels) with the `same` label, with larger weights
    for near images.

    x minus the target is the gradient of ``E(x) = -width^2 log sum_j exp(-|x - x_j|^2/(2 width^2))``: E is a smooth version
    of the distance from the closest samples of the class.
    """
    squares = (x**2).sum(-1, keepdim=True) - 2 * x @ images.mT + (images**2).sum(-1)[..., None, :]
    return (-squares / (2 * width**2)).where(same, -torch.inf).softmax(-1) @ images


def uniform(normals: Tensor) -> Array:
    """Uniform numbers in (0, 1) computed from standard normal ones."""
    return (1 + torch.erf(normals / sqrt(2))) / 2


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Empty: the method needs a network and is tested on networks."""
    return ()
