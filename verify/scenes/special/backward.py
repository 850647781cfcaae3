"""Training on a current task after earlier ones: aligned worlds, and the effect of a run on the earlier losses.

Every client computes in every round, from the server's model and with its own noise. The server averages the sampled clients.
Sums over all clients are therefore defined, and gradients are known at the models of all clients. The current task has index 0;
the earlier tasks follow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from algorithms.algorithm import Algorithm, State
from algorithms.draws import Draws, enumerate_draws, expectation
from algorithms.simulate import local_path, states
from nqm.federation import task_loss, total_grad, total_loss
from nqm.fields import Array, amin, concatenate, dot, like, norm, sq, stack, where
from nqm.noise import atoms
from nqm.waves import Waves
from nqm.world import World
from verify.engine.model.scene import Box, Named, Shape, Values
from verify.scenes.federated import LOSSES, WAVES, build, known_constants, origin

CURRENT = 0

# ---------------------------------------------------------------------------------------------- worlds


def space(shape: Shape) -> dict[str, Box]:
    """Parameters: losses with gradients along the first axis for the current task and mostly for the earlier ones; steps; slack.

    Slopes (linear losses), minus the centres (pseudo-Huber losses, wells) or how much of each wave's sine there is are
    `ahead` and `aside` for the current task, `earlier` for the others, so that alignment is frequent. ``eps`` is a fraction of the alignment
    where that is known before the run.
    """
    K, M, d = shape["K"], shape["M"], shape["d"]
    # Without noise and without a gradient of the current task the model is constant, and every bound is 0 <= 0
    least = 0.0 if shape["noisy"] else 0.05
    boxes = {"ahead": Box(least, 2, (M,)), "earlier": Box(-0.5, 2, (K - 1, M, d))}
    if d == 2:
        boxes["aside"] = Box(-1, 1, (M,))
    if not shape["curved"]:
        boxes["free_L"] = Box(0.01, 10, scale="log")
    elif LOSSES[shape["curved"]] is Waves:
        boxes |= {"even": Box(-1, 1, (K, M, WAVES)), "wave": Box(0.05, 2, (WAVES, d))}
    else:
        boxes |= {"height": Box(0.01, 2, (K, M), scale="log"), "width": Box(0.1, 10, (K, M), scale="log")}
    if shape["noisy"]:
        boxes["sigma"] = Box(0.05, 2, (M,))
    fraction = Box(0.05, 1, scale="log")
    return {
        **boxes,
        "lam": Box(0.01, 100, scale="log"),
        "eps": fraction,
        "gamma_G": fraction,
        "gamma_L": fraction,
        "room": Box(0, 0),
    }


def parameters_by_task(shape: Shape, values: Named) -> Named:
    """Parameters with the slopes or the centres of all tasks, (batch, K, M, d), current task first; or the odd waves."""
    ahead = values["ahead"][..., None]
    now = ahead if shape["d"] == 1 else concatenate([ahead, values["aside"][..., None]], axis=-1)
    pull = concatenate([now[:, None], values["earlier"]], axis=1)
    if LOSSES[shape["curved"]] is Waves:
        return {**values, "odd": pull[..., [j % shape["d"] for j in range(WAVES)]]}
    return {**values, "centre": -pull} if shape["curved"] else {**values, "slope": pull}


def scene_constants(shape: Shape, values: Named) -> Values:
    """Constants, the earlier tasks' gradient at the start, the alignment where gradients do not change."""
    values = parameters_by_task(shape, values)
    world, start = build(shape, values), origin(shape, values)
    back = earlier_gradient(shape, world, start)
    found = {**known_constants(shape, values), "G0": norm(back)}
    if not shape["curved"]:
        found["align"] = amin(cosine(back[:, None], world.grad(start[:, :, None], 0)[:, 0]), axis=-1)
    return found


def earlier_gradient(shape: Shape, world: World, start: Array) -> Array:
    """Gradient of the earlier tasks' summed loss at the start, (batch, d)."""
    return total_grad(world, start, range(1, shape["K"]))[:, 0]


def cosine(a: Array, b: Array) -> Array:
    """Cosine of the angle between vectors; 1 if one of them is 0, because alignment then holds trivially."""
    lengths = norm(a) * norm(b)
    void = lengths == 0
    one = 1 + 0 * lengths
    return where(void, one, dot(a, b) / where(void, one, lengths))


# ------------------------------------------------------------------------------------------------ runs


@cache
def _all_outcomes(
    M: int, N: int, E: int, d: int, t: int, noisy: int
) -> tuple[Draws, Callable[[int], np.ndarray]]:
    # All outcomes of the noise are equally likely, and so are all subsets
    everyone = enumerate_draws(M, M, E, d, atoms("rademacher", d)[0] if noisy else None, rounds=t)
    subsets = enumerate_draws(M, N, E, d, rounds=t)
    first = np.repeat(np.arange(everyone.n_runs), subsets.n_runs)
    second = np.tile(np.arange(subsets.n_runs), everyone.n_runs)
    chosen = lambda task, round_: subsets.participants(task, round_)[second]  # noqa: E731
    noise = lambda round_: everyone.noise(CURRENT, round_)[first]  # noqa: E731
    sampled = lambda task, round_: np.take_along_axis(  # noqa: E731
        noise(round_), chosen(task, round_)[..., None, None], axis=1
    )
    return Draws(len(first), N, E, d, chosen, sampled), noise


def all_outcomes(shape: Shape) -> tuple[Draws, Callable[[int], np.ndarray]]:
    """All subsets with all noise of all clients; and the noise of all clients by round, (run, M, E, d)."""
    return _all_outcomes(*(shape[name] for name in ("M", "N", "E", "d", "t", "noisy")))


def gradients(world: World, algorithm: Algorithm, state: State, noise: Array) -> tuple[Array, Array]:
    """Gradients and stochastic gradients of all clients at their local models, each (batch, run, M, E, d)."""
    clients = np.arange(world.n_clients)
    oracle = world.at(CURRENT)
    visited = [algorithm.begin_round(state, clients, oracle)["x"]]
    visited += [local["x"] for local in local_path(world, algorithm, state, CURRENT, clients, noise)]
    exact = [oracle.grad(x) for x in visited[:-1]]
    noisy = [g + oracle.scale * noise[..., e, :] for e, g in enumerate(exact)]
    return stack(exact, axis=3), stack(noisy, axis=3)


def play(shape: Shape, values: Named, algorithm: Algorithm) -> tuple[Values, Values]:
    """Quantities of every run of `algorithm`, and the terms of the sums in the proof."""
    values = parameters_by_task(shape, values)
    world, start, earlier = build(shape, values), origin(shape, values), range(1, shape["K"])
    draws, noise = all_outcomes(shape)
    path = [state for _, _, state in states(world, algorithm, draws, start, shape["t"])]
    rounds = [
        gradients(world, algorithm, state, like(start, noise(tau))) for tau, state in enumerate(path[:-1])
    ]
    exact, noisy = (stack(each, axis=2) for each in zip(*rounds, strict=True))
    back = earlier_gradient(shape, world, start)
    end, mean = path[-1]["theta"], partial(expectation, draws, axis=-1)
    far = end - start
    cosines = cosine(back[:, None, None, None, None], exact)
    losses = {
        "F_0": total_loss(world, start, earlier)[:, 0],
        "F_t": mean(total_loss(world, end, earlier)),
        "each_0": stack([task_loss(world, start, j)[:, 0] for j in earlier], axis=-1),
        "each_t": stack([mean(task_loss(world, end, j)) for j in earlier], axis=-1),
        "G0": norm(back),
        "move": mean(dot(back[:, None], far)),
        "drift1": mean(norm(far)),
        "drift2": mean(sq(far)),
        "align": amin(cosines, axis=(1, 2, 3, 4)),
        "along_each": dot(back[:, None, None, None, None], exact),
        "lengths_each": norm(back)[:, None, None, None, None] * norm(exact),
    }
    member = [
        (np.arange(shape["M"]) == draws.participants(CURRENT, tau)[..., None]).any(axis=1)
        for tau in range(shape["t"])
    ]
    return losses, {
        "draws": draws,
        "back": back,
        "exact": exact,
        "noisy": noisy,
        "member": np.stack(member, axis=1),
    }
