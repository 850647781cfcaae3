"""Constants of Assumptions 4.1 to 4.6 at points of worlds."""

from __future__ import annotations

from nqm.bounded import Linear, LogCosh, PseudoHuber
from nqm.constants import constants
from nqm.fields import Array, amax, broadcast_to, dot, like, norm, sq, stack
from nqm.noise import Axis, atoms
from nqm.world import World
from verify.engine.model.scene import Box, Named, Scene, Shape, Values

FAMILIES = ("linear", "pseudo-Huber", "log-cosh")
"""Losses by the number ``family`` of a shape."""
CONSTANTS = ("B", "L", "sigma_L2", "sigma_G2", "sigma_T2")


# ----------------------------------------------------------------------------- constants of worlds, at points


def world_of(shape: Shape, values: Named) -> World:
    """The batch of worlds of a family. Noise of norm sigma along an axis: every sign in one dimension."""
    noise = Axis(values["sigma"])
    if FAMILIES[shape["family"]] == "linear":
        return Linear(values["slope"], noise)
    maker = PseudoHuber if FAMILIES[shape["family"]] == "pseudo-Huber" else LogCosh
    return maker(values["height"], values["width"], values["centre"], noise)


def _space(shape: Shape) -> dict[str, Box]:
    """Parameters: losses and noise, a point near the centres or far from them, and a neighbour of the point."""
    K, M, d = shape["K"], shape["M"], shape["d"]
    losses = {
        "height": Box(0.01, 2, (K, M)),
        "width": Box(0.05, 5, (K, M), scale="log"),
        "centre": Box(-2, 2, (K, M, d)),
    }
    return {
        **({"slope": Box(-2, 2, (K, M, d))} if FAMILIES[shape["family"]] == "linear" else losses),
        "sigma": Box(0, 2, (K, M)),
        "near": Box(-2, 2, (d,)),
        "far": Box(-1000, 1000, (d,), levels=(-1000, 0, 1000)),
        "aside": Box(-2, 2, (d,)),
        "room": Box(0, 0),
    }


def reported(shape: Shape, values: Named) -> Values:
    """The constants, with the slack of the instance."""
    found = constants(world_of(shape, values))
    return {name: found[name].value * (1 + values["room"]) for name in CONSTANTS}


def at_points(shape: Shape, values: Named) -> Values:
    """The quantities that the constants bound at one point: by task and client, and by noise outcome or second task."""
    world, here = world_of(shape, values), values["near"] + values["far"]
    gradients = gradients_at(world, here)
    change = norm(gradients - gradients_at(world, here + values["aside"]))
    tasks = gradients.mean(axis=2)
    # the mean of differences is exactly 0 for equal clients, while a difference to the mean has rounding errors
    apart = (gradients[:, :, :, None] - gradients[:, :, None]).mean(axis=3)
    outcomes = like(here, atoms("axis", shape["d"])[0])
    seen = gradients[:, :, :, None] + values["sigma"][..., None, None] * outcomes
    return {
        "g_sup": norm(seen),
        "L_sup": change / norm(values["aside"])[:, None, None],
        "bias_sup": sq(seen.mean(axis=3) - gradients),
        "noise_sup": sq(seen - gradients[:, :, :, None]).mean(axis=3),
        "client_sup": sq(apart),
        "task_sup": sq(tasks[:, :, None] - tasks[:, None]),
    }


def gradients_at(world: World, point: Array) -> Array:
    """Gradients of all tasks and clients at one point (batch, d) of each world, (batch, K, M, d)."""
    batch, dim = point.shape
    slots = broadcast_to(point[:, None, None, :], (batch, 1, world.n_clients, dim))
    return stack([world.grad(slots, task)[:, 0] for task in range(world.n_tasks)], axis=1)


POINTS = Scene(
    name="constants at points",
    shapes=tuple(
        {"family": family, "K": K, "M": M, "d": d}
        for K, M, d in ((1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 2, 1), (2, 3, 2))
        for family in range(len(FAMILIES))
    ),
    space=_space,
    room="room",
    known=reported,
    compute=at_points,
)


def any_constants(shape: Shape, values: Named) -> Values:
    """Suprema of the assumptions over a whole world, whose noise may have a nonzero mean, and arbitrary constants."""
    found, lean = constants(world_of(shape, values)), norm(values["lean"])
    free = {name: values[f"any_{name}"] for name in CONSTANTS}
    return {
        # noise of norm sigma along an axis plus its mean: the norm is at most their sum, which one client attains at infinity
        "g_sup": found["B"].value + lean,
        "L_sup": found["L"].value,
        "bias_sup": lean**2,
        "noise_sup": found["sigma_L2"].value,
        "client_sup": found["sigma_G2"].value,
        "task_sup": found["sigma_T2"].value,
        **free,
    }


FREE = Scene(
    name="worlds with any constants",
    shapes=tuple(
        {"family": family, "K": K, "M": M, "d": 1}
        for K, M in ((1, 1), (2, 2))
        for family in range(len(FAMILIES))
    ),
    space=lambda shape: {
        **{name: box for name, box in _space(shape).items() if name not in ("near", "far", "aside", "room")},
        "lean": Box(-1, 1, (1,), levels=(-1, 0, 1)),
        **{f"any_{name}": Box(0.1, 10, scale="log") for name in CONSTANTS},
    },
    compute=any_constants,
)
"""Suprema over all of space, so that an instance shows a world that meets an assumption everywhere, or one that does not."""


# ----------------------------------------------------------------------------- two points of a quadratic loss


def strongly_convex(shape: Shape, values: Named) -> Values:
    """Two points of a quadratic loss whose gradients there have norm at most B."""
    h = values["curvature"][:, None]
    here, there = (h * (values[name] - values["centre"]) for name in ("x", "y"))
    apart = values["x"] - values["y"]
    norms = norm(here), norm(there)
    return {
        "here_norm": norms[0],
        "there_norm": norms[1],
        "B": amax(stack(norms, axis=-1), -1) * (1 + values["room"]),
        "convexity": values["curvature"] / (1 + values["room"]),
        "rise": dot(here - there, apart),
        "dist": norm(apart),
    }


STRONG = Scene(
    name="two points of a strongly convex loss",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["d"],)) for name in ("x", "y", "centre")},
        "curvature": Box(0.05, 4, scale="log"),
        "room": Box(0, 0),
    },
    room="room",
    compute=strongly_convex,
)


LARGEST = POINTS.shapes[-len(FAMILIES) :]
