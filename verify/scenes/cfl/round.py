"""One round of CFL on convex losses (Appendix B.4.1 and B.4.2) from a given model, in every outcome.

The drifts of its clients, including past ones, are independent of that model, as Assumption 3 requires with its expectations
conditional on omega. All outcomes of drifts and noise are enumerated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.algorithm import State
from algorithms.cfl import cfl
from algorithms.draws import enumerate_draws
from algorithms.simulate import local_path, play_round
from bounds.hypotheses import Hypothesis
from nqm.drift import TiltedQuadratic, independent, joint_signs, persistent
from nqm.fields import Array, amax, amin, dot, like, sq, stack
from nqm.noise import Rademacher
from nqm.world import World
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl import meanings
from verify.scenes.cfl.client_sums import POSITIVE
from verify.scenes.cfl.convex_sums import FACTS
from verify.scenes.cfl.first_step import FIRST_STEP
from verify.scenes.cfl.round_quantities import Met, mean, of_first_step, of_round
from verify.scenes.cfl.terms import CONVEX_DEFINES, drifting, lifts, stirs, turns
from verify.scenes.shapes import shapes_of

DIRECTION = {1: np.array([[1], [-1]]), 2: np.array([[3, 4], [-3, -4]])}
"""Outcomes of the noise in one and two dimensions, times 1 and 5: rational vectors of length 1."""


def sizes(**lists: int) -> Shape:
    """A shape; sizes that are not given are the smallest.

    ``N``: clients. ``K``: local steps. ``t``: rounds whose data clients know. ``d``: dimensions. ``noisy``: whether gradients
    have noise. ``grow``: 0, drifts are constant (A = B = 0); 1, they grow with the gradient (G = D = 0); 2, both, with the
    same sign, so that a client changes gradient and curvature in the same direction.
    """
    return {"N": 1, "K": 1, "t": 1, "d": 1, "noisy": 0, "grow": 0, **lists}


def round_space(shape: Shape) -> dict[str, Box]:
    """Parameters of a round. `share` contains the weights of past rounds times their number."""
    N, t, d = shape["N"], shape["t"], shape["d"]
    drift = {
        **(dict.fromkeys(("b", "a"), Box(0, 0.45)) if shape["grow"] else {}),
        **(dict.fromkeys(("client", "time"), Box(-2, 2, (N, d))) if shape["grow"] != 1 else {}),
        **({"parting": Box(0.1, 10, scale="log")} if shape["grow"] == 2 else {}),
    }
    memory = (
        {"share": Box(0, 1, (N, t - 1)), "lost": Box(-2, 2, (N, d)), "tied": Box(-2, 2, (N, d))}
        if t > 1
        else {}
    )
    return {
        "h": Box(0.02, 4, (d,), scale="log"),
        "model": Box(-4, 4, (d,)),
        **drift,
        **memory,
        **({"sigma": Box(0, 2)} if shape["noisy"] else {}),
        "room": Box(0, 0),
        "eta_g": Box(0.005, 1, scale="log"),
        "eta_l": Box(0.01, 1, scale="log"),
    }


def weights(shape: Shape, values: Named) -> Array:
    """p[tau] of every client, (batch, N, t): nonnegative with sum 1."""
    if shape["t"] == 1:
        return stack([1 + 0 * values["h"][:, :1]] * shape["N"], 1)
    past = values["share"] / (shape["t"] - 1)
    return stack([*(past[..., n] for n in range(shape["t"] - 1)), 1 - past.sum(axis=-1)], -1)


def room(value: Array, values: Named) -> Array:
    """A constant that exceeds the bounded value by the slack of the instance."""
    return value * (1 + values["room"]) + values["room"]


def information_loss(shape: Shape, values: Named) -> Array:
    """Delta of a client at both signs of the past round's drift, (batch, 2, N, d); it may depend on the data."""
    if shape["t"] == 1:
        return stack([stack([0 * values["h"]] * shape["N"], 1)] * 2, 1)
    return stack([values["lost"] + values["tied"], values["lost"] - values["tied"]], 1)


def scene_constants(shape: Shape, values: Named) -> Values:
    """Constants of the assumptions, and the constants of the proof that follow from them and the weights."""
    h, p = values["h"], weights(shape, values)
    none = 0 * h[:, 0]
    b, a = (values["b"], values["a"]) if shape["grow"] else (none, none)
    slope = h * values["model"]
    client, time = constant_drifts(shape, values)
    # |u + v|^2 <= (1 + c) |u|^2 + (1 + 1/c) |v|^2 for any c > 0 splits a drift into its constant and growing parts
    constant, growing = (1 + values["parting"], 1 + 1 / values["parting"]) if shape["grow"] == 2 else (1, 1)
    client2, time2 = (constant * amax(sq(drift), -1) for drift in (client, time))
    b2, a2 = growing * b**2, growing * a**2
    drifted = lambda size, drift: amax(sq(drift + (size[:, None] * slope)[:, None]), -1)  # noqa: E731
    g2 = sq(slope)
    lost2 = amax(sq(information_loss(shape, values)), (-1, -2))
    sigma = values["sigma"] if shape["noisy"] else none
    bounds = {
        "curved_sup": amax(h, -1) * (1 + a + b),
        "curved_inf": amin(h, -1) * (1 - a - b),
        "noisy2": sigma**2,
        "delta2": drifted(b, client),
        "xi2": drifted(a, time),
        "lost2": lost2,
        "g2": g2,
        "L": room(amax(h, -1) * (1 + a + b), values),
        "mu": amin(h, -1) * (1 - a - b) / (1 + values["room"]),
        "sigma2": room(sigma**2, values),
        "G2": room(client2, values),
        "D2": room(time2, values),
        "B2": room(b2, values),
        "A2": room(a2, values),
        "R2": room(lost2, values),
    }
    return {**bounds, **constants_of_weights(p, bounds)}


def constant_drifts(shape: Shape, values: Named) -> tuple[Array, Array]:
    """The constant parts of client and time drift, each (batch, N, d) up to its sign."""
    if shape["grow"] != 1:
        return values["client"], values["time"]
    none = stack([0 * values["h"]] * shape["N"], 1)
    return none, none


def constants_of_weights(p: Array, bounds: Named) -> Values:
    """c_pB, c_pG and the weights of the past: for each client (as sequences over clients), and their means."""
    each = lambda name: bounds[name][:, None]  # noqa: E731
    square, past = (p**2).sum(axis=-1), p[..., :-1].sum(axis=-1) + 0 * p[..., -1]
    cB, cG = 1 + each("B2") + each("A2") * square, each("G2") + each("D2") * square
    n = p.shape[1]
    found = {
        "p": p,
        "cB": cB[..., None],
        "cG": cG[..., None],
        "P_past": past[..., None],
        "c_max": amax(cB, -1),
    }
    found |= {"cB_i": cB.T, "cG_i": cG.T, "P_i": past.T}
    return found | {"c_pB": cB.sum(axis=-1) / n, "c_pG": cG.sum(axis=-1) / n}


Loss = Callable[[int, Array], Array]
"""(past round, models (batch, outcome, run, N, d)) -> the information loss about that round at the models."""


def build(shape: Shape, values: Named) -> tuple[TiltedQuadratic, Loss]:
    """Every outcome of the drifts as one batch of worlds (batch, outcome), and the losses of information.

    Returns
    -------
    world : TiltedQuadratic
        Its tasks are the rounds 1..t; its centre is the global minimiser, the origin.
    loss : callable
        The information loss, the same at all models.
    """
    N, t = shape["N"], shape["t"]
    h = values["h"]
    signs, _ = joint_signs([law for _ in range(N) for law in (persistent(t), independent(t))])
    s, r = (like(h, np.stack(part, axis=-1)) for part in (signs[0::2], signs[1::2]))  # (outcome, t, N)
    plain = h[:, None, None, None, :] + 0 * s[..., None]
    client, time = (drift[:, None, None] for drift in constant_drifts(shape, values))
    tilt = client * s[..., None] + time * r[..., None]
    curvature = plain
    if shape["grow"]:
        b, a = (values[name][:, None, None, None, None] for name in ("b", "a"))
        curvature = plain * (1 - b * s[..., None] - a * r[..., None])
    sigma = values["sigma"][:, None, None, None] + 0 * s[:, :1] if shape["noisy"] else 0 * plain[..., 0]
    world = TiltedQuadratic(curvature, 0 * plain[:, :, 0, 0], tilt, Rademacher(sigma + 0 * plain[..., 0]))
    up, down = (information_loss(shape, values)[:, n, None, None] for n in (0, 1))
    loss = (up + down) / 2 + (up - down) / 2 * r[..., None]
    return world, lambda past, x: loss[:, :, past, None] + 0 * x


@dataclass(frozen=True)
class Played:
    """One round in every outcome of drifts and noise; arrays (batch, outcome, run, N, d), lists over local steps."""

    world: World
    oracle: Any
    p: Array
    loss: Loss
    start: Array
    after: Array
    models: list[Array]
    noise: list[Array]


Build = Callable[[Shape, Named], tuple[World, Loss]]
"""Worlds (batch, outcome), and the losses of information."""


def play(shape: Shape, values: Named, worlds: Build = build) -> Played:
    """Algorithm 2 on round t from the given model."""
    N, K_, t, d = (shape[name] for name in ("N", "K", "t", "d"))
    world, loss = worlds(shape, values)
    p = weights(shape, values)
    outcomes = DIRECTION[d] if shape["noisy"] else None
    draws = enumerate_draws(N, N, K_, d, outcomes, rounds=1)
    zero = (
        0 * values["h"][:, 0]
    )  # adding 0 gives a batch axis to a step size that an equation fixes to a number
    by_round = [p[:, None, None, :, tau, None] for tau in range(t)]
    method = cfl(
        (values["eta_l"] + zero)[:, None, None],
        (values["eta_g"] + zero)[:, None, None],
        weights=lambda task: by_round[: task + 1],
        approximation=lambda oracle, point, past, now: lambda x: oracle.grad(x) - loss(past, x),
    )
    u = like(values["h"], draws.noise(0, 0)) / (1 if d == 1 else 5)
    model = stack([values["model"]] * world.batch_shape[-1], 1)
    state: State = method.init(model[:, :, None] + 0 * u[..., 0, 0, :])
    for task in range(t):
        state = method.begin_task(state, task)
    clients = draws.participants(0, 0)
    oracle = method.objective(world, state, t - 1, clients)
    path = [method.begin_round(state, clients, oracle), *local_path(world, method, state, t - 1, clients, u)]
    return Played(
        world=world,
        oracle=oracle,
        p=p,
        loss=loss,
        start=state["theta"],
        after=play_round(world, method, state, t - 1, clients, u)["theta"],
        models=[local["x"] for local in path],
        noise=[u[..., step, :] for step in range(K_)],
    )


def one_round(shape: Shape, values: Named) -> Values:
    """All quantities of Appendix B.4.2."""
    return of_played(shape, values, play(shape, values))


def of_played(shape: Shape, values: Named, played: Played) -> Values:
    """All quantities of Appendix B.4.2 for a simulated round."""
    met = meeting(played, values["h"][:, None, None, None])
    curved = values["h"][:, None, None, None] * met.path[0] ** 2
    eta = values["eta_l"] * values["eta_g"] * shape["K"]
    return {
        "eta": eta,
        "gap": mean(curved.sum(axis=-1) / 2)[:, 0],
        **of_round(met),
        **of_first_step(met, eta + 0 * values["h"][:, 0]),
    }


def meeting(played: Played, hessian: Array) -> Met:
    """The models and gradients of a round."""
    x, rounds, oracle = played.models, range(played.p.shape[-1]), played.oracle
    at = [played.world.at(tau) for tau in rounds]
    weight = lambda tau: played.p[:, None, None, :, tau, None]  # noqa: E731
    return Met(
        start=played.start,
        after=played.after,
        path=x,
        p=played.p,
        each=[[loss.grad(y) for y in x] for loss in at],
        gains=[-loss.loss(x[0]) for loss in at],
        slopes=[hessian * y for y in x],
        missed=[sum((weight(tau) * played.loss(tau, y) for tau in rounds[:-1]), 0 * y) for y in x],
        bars=[oracle.grad(y) for y in x[:-1]],
        pulls=[oracle.stochastic_grad(y, u) for y, u in zip(x[:-1], played.noise, strict=True)],
    )


def terms(shape: Shape, values: Named) -> Values:
    """Gradients and losses of all clients, and the global ones, at the model of the round and around it."""
    world, lost = build(shape, values)
    model = values["model"][:, None, None, None]  # (batch, outcome, run, N, d)
    plain = values["h"][:, None, None, None]
    wide = 0 * (model + world.tilt[:, :, :1])
    x, others = model + wide, [factor * model + wide for factor in (0, -1, 3)]
    turned, lifted = [], []
    for y in others:
        for loss in map(world.at, range(shape["t"])):
            turned.append((loss.grad(y) - loss.grad(x), y - x))
            lifted.append((loss.loss(y) - loss.loss(x) - dot(loss.grad(x), y - x), sq(y - x)))
        turned.append((plain * (y - x), y - x))
    p, t = weights(shape, values), shape["t"]

    def weighted(parts: list[Array]) -> Array:
        return sum((p[:, None, None, :, tau, None] * part for tau, part in enumerate(parts)), 0 * x)

    first = weighted([world.at(tau).grad(x) for tau in range(t)])
    missed = weighted([lost(tau, x) for tau in range(t - 1)])
    outcomes = DIRECTION[shape["d"]] if shape["noisy"] else None
    draws = enumerate_draws(shape["N"], shape["N"], shape["K"], shape["d"], outcomes, rounds=1)
    u = like(values["h"], draws.noise(0, 0)) / (1 if shape["d"] == 1 else 5)
    sigma = values["sigma"] if shape["noisy"] else 0 * values["h"][:, 0]
    noise = sigma[:, None, None, None, None, None] * u[None, None]
    return {
        **turns(*turned),
        **lifts(*lifted),
        **stirs(noise, x, first, missed),
        **drifting(first, plain * x, x),
        "steep2_each": sq(plain * x),
        "gap_each": (plain * x**2).sum(axis=-1) / 2,
        "bend_each": values["h"],
    }


SHAPES = shapes_of(
    sizes,
    "smallest, K=2, noisy=1, t=2, grow=1, N=2 t=2, K=2 noisy=1, K=2 t=2",
    "K=2 t=2 noisy=1, K=2 t=2 grow=1, d=2 K=2, d=2 t=2 noisy=1, grow=2, K=2 t=2 grow=2",
    "N=2 K=2 grow=2, d=2 t=2 noisy=1 grow=2",
)
ROUND = Scene(
    name="one round of CFL",
    told=meanings.ROUND,
    shapes=SHAPES,
    space=round_space,
    room="room",
    known=scene_constants,
    compute=Proved(one_round, FACTS, (POSITIVE, *CONVEX_DEFINES), terms),
    steps=("eta_g", "eta_l"),
    free_step=lambda name, shape, values: 4,
    restricts=(Hypothesis.QUADRATIC, Hypothesis.COMMON_AXES, Hypothesis.NEW_CLIENTS),
)


def untied(shape: Shape) -> dict[str, Box]:
    """Parameters with an information loss that is independent of the drifts."""
    return {"tied": Box(0, 0, (shape["N"], shape["d"]))} if shape["t"] > 1 else {}


UNTIED = ROUND.variant(
    "one round of CFL with fixed information loss",
    space=lambda shape: {**round_space(shape), **untied(shape)},
)
SINGLE = ROUND.variant(
    "one round of CFL with one local step",
    shapes=(
        *(shape for shape in SHAPES if shape["K"] == 1),
        *(sizes(N=2, t=2, grow=grow, noisy=noisy) for grow, noisy in ((1, 0), (2, 0), (0, 1))),
        sizes(N=3),
    ),
    compute=Proved(one_round, (*FACTS, *FIRST_STEP), (POSITIVE, *CONVEX_DEFINES), terms),
)
