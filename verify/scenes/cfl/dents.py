"""One round of CFL (Appendix B.4.2) where the drift of a round has a dent near the local models."""

from __future__ import annotations

from nqm.dents import DentedQuadratic
from nqm.fields import amax, amin, maximum, minimum
from verify.engine.model.scene import Box, Named, Shape, Values
from verify.scenes.cfl.round import (
    UNTIED,
    Loss,
    build,
    of_played,
    one_round,
    play,
    room,
    round_space,
    scene_constants,
    sizes,
    untied,
)

DENTED = tuple({**shape, "dented": 1} for shape in (sizes(K=2), sizes(K=2, d=2)))


def dented_space(shape: Shape) -> dict[str, Box]:
    """As of a round; `dent` is the slope of the flanks over the curvature, and the dent is near where a client's first step leads."""
    space = {**round_space(shape), **untied(shape)}
    if not shape["dented"]:
        return space
    return {
        **space,
        "client": Box(0, 0, (shape["N"], shape["d"])),
        "time": Box(0.02, 2, (shape["N"], shape["d"])),  # the sign of an axis changes nothing
        "dent": Box(0, 0.95),
        "aside": Box(-1, 1),
        "wide": Box(0, 1.5),
    }


def dented_known(shape: Shape, values: Named) -> Values:
    """Constants of a round; a dent makes no drift longer, but bends the first axis."""
    found = scene_constants(shape, values)
    if not shape["dented"]:
        return found
    h, dent = values["h"], values["dent"]
    steep, flat = maximum(amax(h, -1), h[:, 0] * (1 + dent)), minimum(amin(h, -1), h[:, 0] * (1 - dent))
    return {
        **found,
        "curved_sup": steep,
        "curved_inf": flat,
        "L": room(steep, values),
        "mu": flat / (1 + values["room"]),
    }


def dented_build(shape: Shape, values: Named) -> tuple[DentedQuadratic, Loss]:
    """The worlds of a round, each drift with a dent: its length is nowhere larger than without, the flanks being short."""
    plain, loss = build(shape, values)
    h, drift, model = values["h"][:, 0], values["time"][:, 0, 0], values["model"][:, 0]
    middle = model - values["eta_l"] * (h * model - (1 + values["aside"]) * drift)
    width = 2 * values["wide"] * drift * minimum(values["eta_l"] + 0 * h, 1 / (2 * h))
    over = (slice(None), None, None, None)  # outcomes, rounds, clients
    bent = plain.tilt[..., 0] / drift[over] * (values["dent"] * h)[over]
    return DentedQuadratic(plain, bent, middle[over], width[over]), loss


def dented_round(shape: Shape, values: Named) -> Values:
    """All quantities that Appendix B.4.2 names."""
    if not shape["dented"]:
        return one_round(shape, values)
    return of_played(shape, values, play(shape, values, dented_build))


WITH_DENTS = UNTIED.variant(
    "one round of CFL with fixed information loss, drifts with dents",
    shapes=tuple({**shape, "dented": 0} for shape in UNTIED.shapes) + DENTED,
    space=dented_space,
    known=dented_known,
    compute=dented_round,
)
