"""One round of CFL (Appendix B.4.2) where what is lost of a past round is another vector at the local models than at the server's.

Assumption 4 bounds the information loss at every model, and asks nothing of how it changes between them. In one dimension
every loss is the derivative of some approximation. It may turn round with the drift, or lead a client farther to where noise
has brought it: then later gradients go with earlier noise, as those of a convex objective do not.
"""

from __future__ import annotations

from nqm.drift import TiltedQuadratic
from nqm.fields import Array, amax, maximum, minimum, stack
from verify.engine.model.scene import Box, Named, Shape, Values
from verify.scenes.cfl.round import (
    ROUND,
    Loss,
    build,
    constants_of_weights,
    of_played,
    play,
    room,
    round_space,
    scene_constants,
    sizes,
    weights,
)

TURNING = (sizes(K=2, t=2), sizes(K=2, t=2, N=2), sizes(K=3, t=2))
PUSHING = (sizes(K=2, t=2, noisy=1), sizes(K=3, t=2, noisy=1))


def turning_space(shape: Shape) -> dict[str, Box]:
    """As of a round; an information loss that is opposed to the past round's time drift turns round on the way.

    It is `-here` times that drift at the server's model, where a client may so be led away from its own minimiser, and
    `there` times that drift from some distance on, which is `wide` times the local step.
    """
    each = (shape["N"],)
    space = {name: box for name, box in round_space(shape).items() if name not in ("lost", "tied")}
    return {
        **space,
        "client": Box(0, 0, (shape["N"], 1)),
        "time": Box(0.02, 2, (shape["N"], 1)),  # its sign changes nothing
        **dict.fromkeys(("here", "there"), Box(0, 2, each)),
        "wide": Box(1e-3, 1, scale="log"),
    }


def _both(values: Named) -> Array:
    """Size of the loss at the server's model and beyond, (batch, 2, N), where the past drift has the sign 1."""
    return stack([part * values["time"][..., 0] for part in (values["here"], values["there"])], 1)


def turning_known(shape: Shape, values: Named) -> Values:
    """Constants of a round; between two vectors none is longer than the longer one."""
    straight = {**values, **dict.fromkeys(("lost", "tied"), 0 * values["time"])}
    found = scene_constants(shape, straight)
    lost2 = amax(_both(values) ** 2, (1, 2))
    found |= {"lost2": lost2, "R2": room(lost2, values)}
    return {**found, **constants_of_weights(weights(shape, values), found)}


def turning_build(shape: Shape, values: Named) -> tuple[TiltedQuadratic, Loss]:
    """The worlds of a round, and its information losses."""
    world, _ = build(shape, {**values, **dict.fromkeys(("lost", "tied"), 0 * values["time"])})
    here, there = (values[name][:, None, None, :, None] for name in ("here", "there"))
    width = (values["wide"] * values["eta_l"])[:, None, None, None, None]
    model = values["model"][:, None, None, None]

    def loss(past: int, x: Array) -> Array:
        away = maximum(x - model, model - x)
        share = minimum(away / width, 1 + 0 * away)
        return (share * there - (1 - share) * here) * world.tilt[:, :, past, None]

    return world, loss


def turning_round(shape: Shape, values: Named) -> Values:
    """All quantities that Appendix B.4.2 names."""
    return of_played(shape, values, play(shape, values, turning_build))


def pushing_space(shape: Shape) -> dict[str, Box]:
    """As of a round; an information loss that leads away from the server's model, by `push` from `wide` local steps on."""
    space = {name: box for name, box in round_space(shape).items() if name not in ("lost", "tied")}
    return {
        **space,
        "model": Box(-0.5, 0.5, (1,)),
        "client": Box(0, 0, (shape["N"], 1)),
        "time": Box(0, 0.5, (shape["N"], 1)),
        "push": Box(0.01, 2, (shape["N"],)),
        "wide": Box(1e-3, 1, scale="log"),
    }


def pushing_known(shape: Shape, values: Named) -> Values:
    """Constants of a round."""
    pushed = values["push"][..., None]
    return scene_constants(shape, {**values, "lost": pushed, "tied": 0 * pushed})


def pushing_build(shape: Shape, values: Named) -> tuple[TiltedQuadratic, Loss]:
    """The worlds of a round, and its information losses."""
    none = 0 * values["time"]
    world, _ = build(shape, {**values, "lost": none, "tied": none})
    push = values["push"][:, None, None, :, None]
    width = (values["wide"] * values["eta_l"])[:, None, None, None, None]
    model = values["model"][:, None, None, None]

    def loss(past: int, x: Array) -> Array:
        return maximum(minimum((x - model) / width, 1 + 0 * x), -1 + 0 * x) * push

    return world, loss


def pushing_round(shape: Shape, values: Named) -> Values:
    """All quantities that Appendix B.4.2 names."""
    return of_played(shape, values, play(shape, values, pushing_build))


TURNED = ROUND.variant(
    "one round of CFL whose information loss changes between local models",
    shapes=TURNING,
    space=turning_space,
    known=turning_known,
    compute=turning_round,
    told={
        **ROUND.told,
        "here": "information loss about the past round at the server's model, over minus the time drift of that round",
        "there": "the same farther away, over the time drift",
        "wide": "distance from the server's model at which it is so, over the local step",
    },
)
PUSHED = ROUND.variant(
    "one round of CFL whose information loss leads away from the server's model",
    shapes=PUSHING,
    space=pushing_space,
    known=pushing_known,
    compute=pushing_round,
    told={
        **ROUND.told,
        "push": "information loss about the past round, away from the server's model",
        "wide": "distance from the server's model from which on it is so, over the local step",
    },
)
