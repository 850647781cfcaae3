"""Worlds with client and time drift, in every outcome, and the quantities at a point that CFL's assumptions bound."""

from __future__ import annotations

from itertools import combinations

from algorithms.cfl import with_loss
from nqm.drift import SignLaw, TiltedQuadratic, gradual, independent, joint_signs, overlapping, persistent
from nqm.fields import Array, amax, amin, concatenate, dot, like, norm, sq, stack
from nqm.noise import Axis, atoms
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.cfl.drifts import largest

LAWS = ("independent", "overlapping", "gradual")
"""Correlation of the time drifts of different rounds, by the number ``law`` of a shape."""


def law_of(shape: Shape, values: Named) -> SignLaw:
    """The distribution of the signs of the time drifts of all rounds, with probabilities (batch, outcome)."""
    name, t = LAWS[shape["law"]], shape["t"]
    if name == "independent":
        return independent(t)
    return overlapping(t, values["part"]) if name == "overlapping" else gradual(t, values["part"])


def world_of(shape: Shape, values: Named) -> tuple[TiltedQuadratic, Array]:
    """All outcomes of the drifts of one client as a batch of worlds (batch, outcome), and their probabilities.

    The outcomes are ordered by the client drift, then by the time drift.
    """
    law, h = law_of(shape, values), values["h"]
    (lasting, fresh), (first, second) = joint_signs([persistent(shape["t"]), law])
    s, r = (like(h, part)[None, :, :, None, None] for part in (lasting, fresh))
    chances = like(h, first) * like(h, second) + 0 * h[:, :1]
    plain = h[:, None, None, None] + 0 * (s + r)
    b, a = (values[name][:, None, None, None, None] for name in ("b", "a"))
    client, time = (values[name][:, None, None, None] for name in ("client", "time"))
    noise = Axis(values["sigma"][:, None, None, None] + 0 * plain[..., 0])
    world = TiltedQuadratic(plain * (1 - b * s - a * r), 0 * plain[:, :, 0, 0], client * s + time * r, noise)
    return world, chances


def constants(shape: Shape, values: Named) -> Values:
    """Constants of the assumptions, with the slack of the instance."""
    more = lambda x: x * (1 + values["room"]) + values["room"]  # noqa: E731
    h, alpha = values["h"], 0 * values["part"] if LAWS[shape["law"]] == "independent" else values["part"]
    both = values["a"] + values["b"]
    # the constant and the growing part of a drift have the same sign, so their sizes add up
    square = {name: 2 * sq(values[name]) for name in ("client", "time")}
    growth = {"B2": 2 * values["b"] ** 2, "A2": 2 * values["a"] ** 2}
    pairs = list(combinations(range(shape["t"]), 2))
    kept = [alpha if LAWS[shape["law"]] == "overlapping" else alpha ** (n - m) for m, n in pairs]
    decay = stack(kept, 1) if pairs else 0 * alpha[:, None]
    known = {name: more(value) for name, value in (*growth.items(), ("G2", square["client"]))}
    known |= {
        "D2": more(square["time"]),
        "sigma2": more(values["sigma"] ** 2),
        "R2": more(sq(values["lost"])),
    }
    each = lambda name: known[name][:, None] * decay + values["room"][:, None]  # noqa: E731
    return {
        **known,
        "L": more(amax(h, -1) * (1 + both)),
        "mu": amin(h, -1) * (1 - both) / (1 + values["room"]),
        "decay": decay,
        **{
            "F2_pair": each("D2"),
            "C2_pair": each("A2"),
            "F2": largest(each("D2")),
            "C2": largest(each("A2")),
        },
    }


def at_points(shape: Shape, values: Named) -> Values:
    """The quantities that the constants bound, at one point and between two points."""
    world, chances = world_of(shape, values)
    slot = lambda point: point[:, None, None, None, :] + 0 * chances[:, :, None, None, None]  # noqa: E731
    here, there = slot(values["here"]), slot(values["here"] + values["aside"])
    at = lambda x: stack([world.at(tau).grad(x)[:, :, 0, 0] for tau in range(shape["t"])], 2)  # noqa: E731
    gradients, aside = at(here), values["aside"][:, None, None]
    mean = lambda x: (chances.reshape(chances.shape + (1,) * (x.ndim - 2)) * x).sum(axis=1)  # noqa: E731
    half = gradients.shape[1] // 2
    up, down = (
        (2 * chances[:, part, None, None], gradients[:, part]) for part in (slice(half), slice(half, None))
    )
    # Differences of equal gradients, not from their mean: exactly 0 where there is no drift
    delta = ((up[0] * up[1]).sum(axis=1) - (down[0] * down[1]).sum(axis=1)) / 2
    fresh = [(chance[:, None] * (g[:, :, None] - g[:, None])).sum(axis=2) for chance, g in (up, down)]
    xi = concatenate(fresh, axis=1)
    change = at(there) - gradients
    outcomes = like(here, atoms("axis", shape["d"])[0])
    drawn = values["sigma"][:, None, None] * outcomes
    oracle = world.at(0)
    kept = with_loss(lambda past, now: slot(values["lost"]))(oracle, here, 0, shape["t"])
    pairs = list(combinations(range(shape["t"]), 2))
    return {
        "g2": sq(mean(gradients)[:, 0]),
        "curved_sup": norm(change) / norm(aside),
        "curved_inf": dot(change, aside) / sq(aside),
        "nu_mean": drawn.sum(axis=1),
        "noisy2": sq(drawn).sum(axis=1) / len(outcomes),
        "delta2": sq(delta),
        "xi2": mean(sq(xi)),
        "corr": stack([mean(dot(xi[:, :, m], xi[:, :, n])) for m, n in pairs], 1)
        if pairs
        else 0 * delta[..., 0],
        "lost2": sq((oracle.grad(here) - kept(here))[:, :, 0, 0]),
    }


def _shapes(*laws: str) -> tuple[Shape, ...]:
    sizes = ((1, 1), (2, 1), (3, 1), (2, 2))
    return tuple({"t": t, "d": d, "law": LAWS.index(law)} for t, d in sizes for law in laws)


def _space(shape: Shape) -> dict[str, Box]:
    vectors = {name: Box(-2, 2, (shape["d"],)) for name in ("client", "time", "lost", "aside")}
    return {
        "h": Box(0.05, 4, (shape["d"],), scale="log"),
        **vectors,
        "here": Box(-50, 50, (shape["d"],)),
        **{name: Box(0, 0.45) for name in ("a", "b")},
        "sigma": Box(0, 2),
        "part": Box(0, 0.95),
        "room": Box(0, 0),
    }


WORLDS = Scene(
    name="drifting quadratics at points",
    shapes=_shapes("independent", "overlapping", "gradual"),
    space=_space,
    room="room",
    known=constants,
    compute=at_points,
)
CONSTANTS = ("L", "mu", "sigma2", "G2", "B2", "D2", "A2", "R2", "F2", "C2")


def any_constants(shape: Shape, values: Named) -> Values:
    """Arbitrary constants, independent of the world; those of pairs of rounds decrease with their distance or are equal."""
    free = {name: values[f"any_{name}"] for name in CONSTANTS}
    pairs = list(combinations(range(shape["t"]), 2))
    zero = 0 * values["part"]
    each = lambda part: stack([part + zero for _ in pairs], 1) if pairs else zero[:, None]  # noqa: E731
    decay = stack([values["part"] ** (n - m) for m, n in pairs], 1) if pairs else zero[:, None]
    return {**free, "decay": decay, "F2_pair": each(free["F2"]), "C2_pair": each(free["C2"])}


FREE = WORLDS.variant(
    "drifting quadratics at points, any constants",
    shapes=_shapes("overlapping"),
    space=lambda shape: {
        **_space(shape),
        "lean": Box(-1, 1, levels=(-1, 0, 1)),
        **{f"any_{name}": Box(0.1, 10, scale="log") for name in CONSTANTS},
    },
    room="",
    known=any_constants,
    compute=lambda shape, values: {
        **(found := at_points(shape, values)),
        "nu_mean": found["nu_mean"] + values["lean"][:, None],
    },
)
"""The scene in which the noise may have a nonzero mean."""
