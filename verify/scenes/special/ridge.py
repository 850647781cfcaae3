"""A counterexample near the crest of a ridge: with a larger lambda, the model leaves the crest earlier and may move farther away.

From the start, a step of 1/L leads to the crest of a ridge that crosses a valley at an oblique angle. The distance of the model
from the crest grows from round to round. The pull towards the start moves the model down the near side. The larger lambda is, the
earlier the model leaves the crest; along the valley it can then move farther from the start.
"""

from __future__ import annotations

from nqm.constants import constants
from nqm.fields import broadcast_to, dot, maximum, stack
from nqm.ridges import Ridges
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.special import meanings
from verify.scenes.special.lam import two_strengths

ROUNDS = (1, 2, 3, 4, 6, 8, 10, 12, 16)


def space(shape: Shape) -> dict[str, Box]:
    """Parameters of the ridge, with weak pulls and steps near their limits, so that few rounds suffice."""
    return {
        "turn": Box(0.25, 0.75),
        "steep": Box(0.5, 1),
        "width": Box(0.02, 0.5, scale="log"),
        "lam": Box(0.01, 0.1, scale="log"),
        "further": Box(0.1, 10, scale="log"),
        **dict.fromkeys(("gamma_G", "gamma_L"), Box(0.9, 1)),
        "room": Box(0, 0),
    }


def across_valley(shape: Shape, values: Named) -> Ridges:
    """One client: a valley of curvature 1 along the first axis, at distance 1 from the start, and a ridge across it."""
    turn, steep, width = (values[name] for name in ("turn", "steep", "width"))
    zero, one = 0 * turn, 1 + 0 * turn
    valley = stack([zero, one], -1)
    ridge = stack([2 * turn, 1 - turn**2], -1) / (1 + turn**2)[..., None]
    first = valley - (steep * width)[..., None] * ridge
    direction, bend, offset, widths = (
        stack(pair, 1)[:, None, None]
        for pair in ((valley, ridge), (one, -steep), (one, dot(ridge, first)), (2 * one, width))
    )
    return Ridges(direction, bend, offset, widths)


def scene_constants(shape: Shape, values: Named) -> Values:
    """The quantities of Assumptions 4.1 and 4.2, and the constants with their slack."""
    found, more = constants(across_valley(shape, values)), 1 + values["room"]
    gradient, curvature = found["B"].value, maximum(found["L"].value, -found["mu"].value)
    return {"g_sup": gradient, "B": gradient * more, "L_sup": curvature, "L": curvature * more}


def strengths(shape: Shape, values: Named) -> Values:
    """Squared drift with both values of lambda."""
    start = broadcast_to((0 * values["turn"])[:, None, None], (len(values["turn"]), 1, shape["d"]))
    return two_strengths(shape, values, across_valley(shape, values), start)


RIDGE = Scene(
    name="drift of SPECIAL with two strengths on a ridge across a valley",
    told={
        "turn": "tangent of half the angle between the ridge's crest and the valley",
        "steep": "curvature of the ridge, downwards; that of the valley is 1",
        "width": "distance from its crest at which the ridge becomes straight",
        "further": "by which share the larger lambda is larger",
        **{name: words for name, words in meanings.BOUNDED.items() if name in ("noisy", "room")},
    },
    shapes=tuple({"M": 1, "N": 1, "E": 1, "t": t, "d": 2, "noisy": 0} for t in ROUNDS),
    space=space,
    room="room",
    known=scene_constants,
    compute=strengths,
    steps=("gamma_G", "gamma_L"),
)
