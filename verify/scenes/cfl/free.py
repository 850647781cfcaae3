"""What needs no theorem of CFL: runs that stand still, and clients that follow their current data alone."""

from __future__ import annotations

from functools import partial

from bounds.cfl.free import CURRENT, SAME
from nqm.fields import Array
from verify.engine.model.scene import Box, Fact, Named, Proved, Shape, Values
from verify.scenes.cfl.drift_facts import ASSUMED
from verify.scenes.cfl.drifts import CHAINED, POINT, chained, mixed_drifts, moments
from verify.scenes.cfl.nonconvex import PLACEBOS
from verify.scenes.cfl.run_moments import NOWHERE, by_moments
from verify.scenes.cfl.runs import RUNS, sizes
from verify.scenes.cfl.weights import past_of

STILL = RUNS.variant(
    "runs of clients that stand still",
    shapes=(sizes(0), sizes(1, d=2), sizes(3, N=2, K=2), sizes(2, memory=1)),
    compute=partial(by_moments, direction=NOWHERE),
)


def of_last(t: int, values: Named) -> Array:
    """Weight one for the current round, none for others, (batch, t)."""
    return 1 - past_of(t, values["A2"]) + 0 * values["A2"][:, None]


def _facts() -> Fact:
    def compute(shape: Shape, values: Named) -> Values:
        drifts, sign = mixed_drifts(values["mixing"], values["size"])
        found = moments(values["gradient"], values["client"], sign, drifts, of_last(shape["t"], values))
        time, client = (values[x] + values[y] * found["g2"] for x, y in (("D2", "A2"), ("G2", "B2")))
        return {
            **found,
            "loss2": 0 * client,
            "left_time": time[:, None] - found["xi2"],
            "left_client": client - found["delta2"],
            "slack": values["room_time"][:, -1] + values["room_client"],
        }

    scene = POINT.variant(
        "any drifts at a point, of which the last counts",
        space=lambda shape: {
            **{name: box for name, box in POINT.space(shape).items() if name not in ("raw", "room")},
            **dict.fromkeys(("D2", "G2", "room_client"), Box(0.1, 1)),
            "room_time": Box(0.1, 1, (shape["t"],)),
        },
        compute=compute,
        room="",
        covers="an identity between arbitrary drifts; those of other rounds have no weight",
    )
    return Fact(
        CURRENT.compared, scene, "slack", {name: ASSUMED[name] for name in ("room_time", "room_client")}
    )


CURRENT_ALONE = CHAINED.variant(
    "gradients of the current data alone, drifts changing gradually",
    compute=Proved(lambda shape, values: chained(shape, values, of_last), (_facts(),)),
)

_TWICE = POINT.variant(
    "a loss at one model, twice",
    shapes=({},),
    space=lambda shape: {"loss": Box(-1, 1)},
    compute=lambda shape, values: {
        **dict.fromkeys(("loss_now", "loss_next"), values["loss"]),
        "slack_none": 0 * values["loss"],
    },
    room="",
    covers="a model that stays has one loss",
)
RESTING = PLACEBOS[-1].variant(
    "one round of clients that stand still on losses of either curvature",
    compute=Proved(PLACEBOS[-1].compute, (Fact(SAME.compared, _TWICE, "slack_none"),)),
)
