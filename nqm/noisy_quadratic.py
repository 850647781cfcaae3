"""The noisy quadratic model of CFL in its eigenbasis: the effect of every cause on the model, round by round.

With one shared Hessian A all clients see the gradient ``A (w - w*)`` plus a force: client drift, time drift, noise,
information loss. A round is affine in the model and in the forces, axis by axis of A, so the law of the model follows from
closed recursions. In methods that remember past rounds an old time drift acts repeatedly. The model is then correlated with
the memory, so the recursions include both.

Weights that give all past rounds the same share need one remembered vector only (`Memory`). Any lower triangular
weights are in `nqm.drift.Rounds`, at the price of a state that grows with the rounds.

Source: CFL (Guo, Lin, Tang), Section 5.1, after Zhang et al. (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from nqm.fields import Array


@dataclass(frozen=True)
class LocalRound:
    """One round in one axis: model' = decay model - reach (mean force) + noise of variance stir/N.

    Attributes
    ----------
    decay, reach : (..., d) arrays
        Factor of the distance from the optimum; displacement of the model under a force of 1.
    stir : (..., d) array
        Variance added by noise of variance 1 in every local step, for one client.
    """

    decay: Array
    reach: Array
    stir: Array


def local_round(curvature: Array, local_lr: Array, local_steps: int, pull: Array = 0) -> LocalRound:
    """A round of K local steps with all clients, averaged with a global rate of 1.

    Parameters
    ----------
    curvature : (..., d) array
        Eigenvalues of A, >= 0.
    local_lr : number or array that broadcasts against (..., d)
        eta_l.
    local_steps : int
        K >= 1.
    pull : number or array that broadcasts against (..., d)
        Coefficient of FedProx's penalty; 0 for FedAvg and CFL.
    """
    shrink = 1 - local_lr * (curvature + pull)
    reach = local_lr * sum(shrink**k for k in range(local_steps))
    stir = local_lr**2 * sum(shrink ** (2 * k) for k in range(local_steps))
    return LocalRound(1 - reach * curvature, reach, stir)


Share = Callable[[int, Array], Array]
"""(round from 1, ones (..., d)) -> a share in [0, 1] that broadcasts against (..., d)."""


@dataclass(frozen=True)
class Memory:
    """Shares of the new and the remembered gradients in a round.

    What is remembered is one mean s of past time drifts, since A is shared: a round works with
    ``(1 - present) s + present (new drift)``, then ``s' = (1 - taken) s + taken (new drift)``.

    Attributes
    ----------
    present, taken : Share
        Weight of the current round in the gradient, and its weight in the update of the mean of the past. Both are 1 in the
        first round.
    lossy : Share
        Share of the gradient that carries the information loss.
    """

    present: Share
    taken: Share
    lossy: Share


def new(t: int, one: Array) -> Array:
    """Share of a method without memory."""
    return one


def equal(t: int, one: Array) -> Array:
    """Share of the current round where all rounds weigh the same: Theorem 4.1 at R = 0."""
    return one / t


def balanced(loss2: Array, drift2: Array) -> Share:
    """Share of the current round under the weights of Theorem 4.1, given R^2 and D^2."""
    return lambda t, one: one * ((t - 1) * loss2 + drift2) / (t * drift2 + (t - 1) * loss2)


FORGETFUL = Memory(present=new, taken=new, lossy=lambda t, one: 0 * one)
"""FedAvg and FedProx: nothing is remembered, nothing is lost."""


def remembering(present: Share) -> Memory:
    """CFL: the past rounds share the remaining weight equally, and only they lose information."""
    return Memory(present, equal, lambda t, one: one - present(t, one))


ALL_EQUAL = remembering(equal)
"""CFL with equal weights of all rounds."""


def losing_everywhere(memory: Memory) -> Memory:
    """The same memory, with the information loss on every gradient, as in Section 5.1.1."""
    return replace(memory, lossy=new)


@dataclass(frozen=True)
class Response:
    """Effect of causes of size 1 on one axis of the model minus its optimum, after some rounds.

    Attributes
    ----------
    start, client, loss : (..., d) arrays
        Amplitudes: of the distance at the start, of a client drift that stays, of a mean information loss.
    time, noise, loss_noise : (..., d) arrays
        Variances: from a new time drift in every round, from noise in every local step, from such noise within
        the information loss. The mean over N clients has 1/N of each.
    remembered, shared : (..., d) arrays
        Variance of the remembered mean of time drifts, and its covariance with the model.
    """

    start: Array
    client: Array
    loss: Array
    time: Array
    noise: Array
    loss_noise: Array
    remembered: Array
    shared: Array


def responses(local: LocalRound, memory: Memory, rounds: int) -> Iterator[Response]:
    """Responses after 0, 1, ..., T rounds, one at a time, so memory does not grow with T."""
    none, one = 0 * local.decay, 0 * local.decay + 1
    now = Response(one, none, none, none, none, none, none, none)
    yield now
    for t in range(1, rounds + 1):
        now = _next(now, local, memory, t, one)
        yield now


def changes(local: LocalRound, memory: Memory, rounds: int) -> Iterator[Response]:
    """Responses of the model's change from round to round, T of them."""
    change = replace(local, decay=local.decay - 1)
    for t, now in zip(range(1, rounds + 1), responses(local, memory, rounds), strict=False):
        yield _next(now, change, memory, t, 0 * local.decay + 1)


def after(local: LocalRound, memory: Memory, rounds: int) -> Response:
    """Response after the last of T rounds."""
    *_, last = responses(local, memory, rounds)
    return last


def _next(now: Response, local: LocalRound, memory: Memory, t: int, one: Array) -> Response:
    decay, reach = local.decay, local.reach
    present, taken, lossy = (share(t, one) for share in (memory.present, memory.taken, memory.lossy))
    old, kept = reach * (1 - present), 1 - taken
    return Response(
        start=decay * now.start,
        client=decay * now.client - reach,
        loss=decay * now.loss - reach * lossy,
        time=(
            decay**2 * now.time
            - 2 * decay * old * now.shared
            + old**2 * now.remembered
            + (reach * present) ** 2
        ),
        noise=decay**2 * now.noise + local.stir,
        loss_noise=decay**2 * now.loss_noise + local.stir * lossy**2,
        remembered=kept**2 * now.remembered + taken**2,
        shared=kept * (decay * now.shared - old * now.remembered) - reach * present * taken,
    )


@dataclass(frozen=True)
class Causes:
    """Second moments of one client's forces in each axis; numbers, or arrays that broadcast against (..., d).

    Attributes
    ----------
    start : distance of the start from the optimum
    client, time, noise : variances of delta, xi and nu
    level : mean of the information loss
    level_noise : its variance in every local step
    n_clients : N, who all take part in every round
    """

    start: Any
    client: Any
    time: Any
    noise: Any
    level: Any = 0
    level_noise: Any = 0
    n_clients: Any = 1


def mean(response: Response, causes: Causes) -> Array:
    """Mean of the model minus its optimum, (..., d)."""
    return response.start * causes.start + response.loss * causes.level


def variance(response: Response, causes: Causes) -> Array:
    """Its variance, the same N clients taking part in every round, (..., d)."""
    return (
        response.client**2 * causes.client
        + response.time * causes.time
        + response.noise * causes.noise
        + response.loss_noise * causes.level_noise
    ) / causes.n_clients


def of_new_clients(response: Response, causes: Causes) -> Array:
    """As `variance`, where every round has N new clients: their drifts are then like time drifts."""
    return (
        response.time * (causes.client + causes.time)
        + response.noise * causes.noise
        + response.loss_noise * causes.level_noise
    ) / causes.n_clients


def squared_loss(curvature: Array, response: Response, causes: Causes) -> Array:
    """E|A w + B|^2, the squared loss of Section 5.1.1, (...)."""
    return (curvature**2 * (mean(response, causes) ** 2 + variance(response, causes))).sum(axis=-1)
