"""One round of CFL on losses of either curvature whose information loss points away from the server's model (Appendix B.5)."""

from __future__ import annotations

from nqm.fields import Array, maximum, minimum
from verify.engine.model.scene import Box, Named, Shape, Values
from verify.scenes.cfl.nonconvex import ROUND, World, build, met_where, of_met, round_space, sizes


def pushed_round(shape: Shape, values: Named) -> Values:
    """A round whose information loss points away from the server's model and has the size `lost` after `wide` local steps."""
    width = (values["wide"] * values["eta_l"])[:, None, None]

    def missed(world: World, x: Array) -> Array:
        side = (x - values["model"][:, None, None]) / width
        return world.information_loss() * maximum(minimum(side, 1 + 0 * side), -1 + 0 * side)

    return of_met(values, met_where(values, build(shape, values), missed))


def pushed_space(shape: Shape) -> dict[str, Box]:
    """Parameters of a round; the information loss does not depend on the data."""
    return {
        **round_space(shape),
        "h": Box(-1, 1),
        "client": Box(0, 0, (shape["N"],)),
        "model": Box(-0.5, 0.5),
        "time": Box(0, 0.5, (shape["N"],)),
        "lost": Box(0.01, 2, (shape["N"],)),
        "tied": Box(0, 0, (shape["N"],)),
        "wide": Box(1e-3, 1, scale="log"),
    }


PUSHED = ROUND.variant(
    "one round of CFL on losses of either curvature whose information loss leads away from the server's model",
    shapes=(sizes(K=2, t=2, noisy=1),),
    space=pushed_space,
    compute=pushed_round,
    free_step=lambda name, shape, values: 100 if name == "eta_g" else 4,
    told={
        **ROUND.told,
        "lost": "information loss about the past round, away from the server's model",
        "wide": "distance from the server's model from which on it is so, over the local step",
    },
)
