"""Balls that a method of gradient-descent type provably does not leave in a quadratic world.

The methods: from the server's point, each sampled client makes E local steps ``x <- x - gamma_L (gradient +
noise)``; then ``theta <- (theta + gamma_G * mean(x - theta) + lam * anchor) / (1 + lam)``, where the anchor
is where the task began. FedAvg is lam = 0. All radii are distances from one centre c, all bounds hold for
every sampling of clients and almost surely in the noise.

Write q for the norm of I - gamma_L H, and ``a = gamma_L (|gradient at c| + noise bound)``. A local step
turns the distance r into at most q r + a. As the E steps are one affine map, client m alone would move the
server from r to at most ``p r + gamma_G a (1 + q + ... + q^(E-1))``, where p is the norm of ``I - gamma_G (I
- (I - gamma_L H)^E)``. The server's step is the mean over the sampled clients, so the largest value over all
  clients bounds it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nqm.arguments import map_parameters, of_one_kind, require_finite, require_nonnegative, require_positive
from nqm.federation import chosen_tasks
from nqm.fields import (
    Array,
    Irrational,
    abs_,
    amax,
    certainly,
    expand,
    maximum,
    norm,
    stack,
    to_float,
    to_interval,
    upper,
    where,
    zeros_like,
)
from nqm.known import Ball
from nqm.quadratic import AnyQuadratic


class NotInvariant(ValueError):
    """No ball around the centre could be shown to be invariant; the message names the step that leaves the ball."""


@dataclass(frozen=True)
class Enclosure:
    """Balls that a run does not leave.

    Parameters
    ----------
    server : Ball
        Holds the server's points, the start and the anchors.
    everything : Ball
        Holds these and all local iterates; the `region` for `nqm.constants.constants`.
    """

    server: Ball
    everything: Ball


@dataclass(frozen=True)
class _Round:
    """How one round changes distances from the centre: arrays (..., tasks, clients)."""

    step_size: Array
    highest: Array
    lowest: Array
    server_rate: Array  # p
    server_push: Array  # gamma_G a (1 + q + ... + q^(E-1))
    local_rate: Array  # q^E
    local_push: Array  # a (1 + q + ... + q^(E-1))

    def server(self, radius: Array) -> Array:
        """Distance after a round that began within `radius` (...,), before the anchor, (...,  tasks)."""
        return amax(self.server_rate * expand(radius, 2) + self.server_push, -1)

    def local(self, radius: Array) -> Array:
        """Largest distance of a local iterate in such a round, (..., tasks)."""
        # From step to step the bound moves monotonically from `radius` to its last value
        last = amax(self.local_rate * expand(radius, 2) + self.local_push, -1)
        return maximum(last, expand(radius))


def invariant_ball(
    world: AnyQuadratic,
    centre: Array,
    *,
    gamma_L: Any,
    gamma_G: Any,
    lam: Any,
    local_steps: int,
    tasks: Iterable[int] | None = None,
    start: Array | None = None,
) -> Enclosure:
    """Smallest ball around `centre` that is shown to be invariant: once inside, the server never leaves it.

    Parameters
    ----------
    world : quadratic world with almost surely bounded noise
    centre : (world..., d) array
        Any point; the common minimiser, or the middle of the minimisers, gives small balls.
    gamma_L, gamma_G : float or (world...) array
        Local and server step size, > 0.
    lam : float or (world...) array
        Weight of the anchor, >= 0. An anchor inside the ball does not change the ball.
    local_steps : int
        E >= 1.
    tasks : iterable of int, optional
        The tasks that occur, in any order and number; all by default.
    start : (world..., d) array, optional
        A point that the ball must hold. Without it, the run must start inside the ball that is returned.

    Returns
    -------
    Enclosure
        Any larger ball for the server is invariant too.

    Raises
    ------
    NotInvariant
        If this argument finds no invariant ball. The message names the client whose step expands, and a remedy.
    Unbounded
        If the noise is Gaussian.
    """
    settings = _settings(world, centre, gamma_L, gamma_G, lam, local_steps, start)
    return _outward(_invariant, world, settings, local_steps, chosen_tasks(world, tasks))


def reachable_ball(
    world: AnyQuadratic,
    centre: Array,
    *,
    gamma_L: Any,
    gamma_G: Any,
    lam: Any,
    local_steps: int,
    rounds: int,
    tasks: Iterable[int] | None = None,
    start: Array | None = None,
) -> Enclosure:
    """Ball around `centre` that contains a run of finite length; never larger than the invariant ball.

    Parameters
    ----------
    world, centre, gamma_L, gamma_G, lam, local_steps
        As in `invariant_ball`. Here the anchor helps: it is where the task began.
    rounds : int
        Rounds of each task, >= 1.
    tasks : iterable of int, optional
        The tasks in the order in which they are learned; 0..K-1 by default.
    start : (world..., d) array, optional
        Where the run starts; `centre` by default.

    Returns
    -------
    Enclosure
        It exists for all step sizes, but may be huge where a round expands.
    """
    _require_count("rounds", rounds)
    settings = _settings(world, centre, gamma_L, gamma_G, lam, local_steps, start)

    def reach(
        world: AnyQuadratic, settings: dict[str, Array], local_steps: int, tasks: list[int]
    ) -> Enclosure:
        return _reachable(world, settings, local_steps, tasks, rounds)

    return _outward(reach, world, settings, local_steps, chosen_tasks(world, tasks))


def _invariant(
    world: AnyQuadratic, settings: dict[str, Array], local_steps: int, tasks: list[int]
) -> Enclosure:
    one_round = _round(world, settings, local_steps, tasks)
    rate, push = one_round.server_rate, one_round.server_push
    contracts = certainly(rate < 1)
    still = certainly(push == 0) & certainly(rate <= 1)
    if not bool((contracts | still).all()):
        raise NotInvariant(_reason(one_round, contracts | still, local_steps, tasks))
    needed = where(contracts, push / where(contracts, 1 - rate, zeros_like(rate) + 1), zeros_like(rate))
    radius = maximum(amax(needed, (-1, -2)), norm(settings["start"] - settings["centre"]))
    return _enclosure(settings["centre"], radius, amax(one_round.local(radius), -1))


def _reachable(
    world: AnyQuadratic, settings: dict[str, Array], local_steps: int, tasks: list[int], rounds: int
) -> Enclosure:
    lam = settings["lam"]
    radius = norm(settings["start"] - settings["centre"])
    servers, locals_ = [radius], [radius]
    for task in tasks:
        one_round = _round(world, settings, local_steps, [task])
        anchor = radius
        for _ in range(rounds):
            locals_.append(one_round.local(radius)[..., 0])
            radius = (one_round.server(radius)[..., 0] + lam * anchor) / (1 + lam)
            servers.append(radius)
    farthest = [
        amax(stack([r + zeros_like(radius) for r in reached], 0), 0) for reached in (servers, locals_)
    ]
    return _enclosure(settings["centre"], *farthest)


def _enclosure(centre: Array, server: Array, local: Array) -> Enclosure:
    return Enclosure(Ball(centre, server), Ball(centre, maximum(server, local)))


def _round(world: AnyQuadratic, settings: dict[str, Array], local_steps: int, tasks: list[int]) -> _Round:
    gamma_L, gamma_G = expand(settings["gamma_L"], 2), expand(settings["gamma_G"], 2)
    lowest, highest = (c.value[..., tasks, :] for c in world.curvature_range(None))
    difference = settings["centre"][..., None, None, :] - world.centre
    gradient = norm((world.hessian @ difference[..., None])[..., 0])[..., tasks, :]
    noise = world.noise.bound
    noise = noise[..., tasks, :] if noise.ndim else noise
    slow, fast = 1 - gamma_L * lowest, 1 - gamma_L * highest
    step = maximum(abs_(slow), abs_(fast))
    summed = sum((step**e for e in range(1, local_steps)), zeros_like(step) + 1)
    push = gamma_L * (gradient + noise) * summed
    return _Round(
        step_size=gamma_L + zeros_like(step),
        highest=highest,
        lowest=lowest,
        server_rate=_server_rate(slow, fast, step, gamma_G, local_steps),
        server_push=gamma_G * push,
        local_rate=step**local_steps,
        local_push=push,
    )


def _server_rate(slow: Array, fast: Array, step: Array, gamma_G: Array, local_steps: int) -> Array:
    """Norm of I - gamma_G (I - (I - gamma_L H)^E); where gamma_L L > 1, a bound of it."""
    ends = [abs_(1 - gamma_G * (1 - end**local_steps)) for end in (slow, fast)]
    monotone = maximum(*ends)  # the norm is attained at an end of the spectrum as long as gamma_L H <= 1
    triangle = abs_(1 - gamma_G) + gamma_G * step**local_steps
    return where(certainly(fast >= 0), monotone, triangle + zeros_like(monotone))


def _reason(one_round: _Round, fine: Array, local_steps: int, tasks: list[int]) -> str:
    index = tuple(np.argwhere(to_float(fine) == 0)[0])
    arrays = (one_round.step_size, one_round.highest, one_round.lowest, one_round.server_rate)
    gamma_L, highest, lowest, rate = (
        float(np.broadcast_to(to_float(array), fine.shape)[index]) for array in arrays
    )
    who = f"client {index[-1]} on task {tasks[index[-2]]}"
    if gamma_L * highest > 2:
        return (
            f"Local steps of {who} expand: `gamma_L` = {gamma_L:.6g} must be at most 2/L = "
            f"{2 / highest:.6g}, better 1/L, where L = {highest:.6g} is the largest curvature."
        )
    if lowest <= 0:
        return (
            f"The loss of {who} has no curvature in some direction, along which gradients and noise add up "
            f"without being pulled back. Use a world with mu > 0, or `reachable_ball` for a number of rounds."
        )
    # With gamma_L L <= 1 the server's step is 1 - gamma_G u with 0 < u up to this
    largest = 1 - (1 - min(gamma_L * highest, 1.0)) ** local_steps
    return (
        f"The server's step expands for {who}: it multiplies distances by up to {rate:.6g}. With `gamma_L` "
        f"at most 1/L = {1 / highest:.6g}, `gamma_G` below {2 / largest:.6g} suffices; `gamma_G` <= 1 always "
        f"does."
    )


def _settings(
    world: AnyQuadratic, centre: Any, gamma_L: Any, gamma_G: Any, lam: Any, local_steps: int, start: Any
) -> dict[str, Array]:
    """The arguments as arrays of the world's kind."""
    if not isinstance(world, AnyQuadratic):
        raise TypeError(
            f"Only quadratic worlds need and have this certificate, got {type(world).__name__}. Constants of "
            f"the bounded worlds hold on all of R^d."
        )
    _require_count("local_steps", local_steps)
    given = {"centre": centre, "gamma_L": gamma_L, "gamma_G": gamma_G, "lam": lam}
    given["start"] = centre if start is None else start
    arrays = of_one_kind({**given, "world": world.centre})
    for name in given:
        require_finite(name, arrays[name])
    for name in ("gamma_L", "gamma_G"):
        require_positive(name, arrays[name])
    require_nonnegative("lam", arrays["lam"])
    for name in ("centre", "start"):
        if arrays[name].ndim == 0 or arrays[name].shape[-1] != world.dim:
            raise ValueError(f"`{name}` must have shape (..., {world.dim}), got {tuple(arrays[name].shape)}.")
    return arrays


def _require_count(name: str, value: int) -> None:
    if int(value) != value or value < 1:
        raise ValueError(f"`{name}` must be an integer >= 1, got {value}.")


def _outward(
    find: Any, world: AnyQuadratic, settings: dict[str, Array], local_steps: int, tasks: list[int]
) -> Enclosure:
    """The enclosure, or if a radius is irrational in an exact world, Fractions just above the radii."""
    try:
        found: Enclosure = find(world, settings, local_steps, tasks)
        return found
    except Irrational:
        in_intervals = {name: to_interval(value) for name, value in settings.items()}
        found = find(map_parameters(world, to_interval), in_intervals, local_steps, tasks)
        radii = (upper(ball.radius) for ball in (found.server, found.everything))
        return Enclosure(*(Ball(settings["centre"], radius) for radius in radii))
