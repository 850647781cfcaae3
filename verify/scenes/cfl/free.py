"""What needs no theorem of CFL: runs that stand still, and clients that follow their current data alone."""

from __future__ import annotations

from functools import partial

from bounds.cfl.free import SAME
from nqm.fields import Array
from verify.engine.model.scene import Box, Fact, Named, Proved
from verify.scenes.cfl.drifts import CHAINED, POINT, chained
from verify.scenes.cfl.nonconvex import PLACEBOS
from verify.scenes.cfl.pair_sums import OF_CURRENT
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


CURRENT_ALONE = CHAINED.variant(
    "gradients of the current data alone, drifts changing gradually",
    compute=Proved(lambda shape, values: chained(shape, values, of_last), (OF_CURRENT,)),
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
