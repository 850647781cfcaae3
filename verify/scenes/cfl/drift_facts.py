"""Bounds on weighted drifts and information losses (CFL, Lemmas B.2, B.7, Section 4.3.2), and a fact about dependent drifts.

A bound on each drift, or on each pair of drifts, is a condition of the statements; `pair_sums` proves what follows from it.
"""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl.correlated import (
    corr,
    decay,
    delta2,
    loss2,
    mixed2,
    p_AC,
    p_cross,
    p_decay,
    p_FD,
    p_now,
    p_square,
    xi2,
)
from bounds.cfl.symbols import A2, B2, C2, D2, F2, G2, R2, g2
from bounds.relations import eq, ge, le
from nqm.fields import sq
from verify.engine.model.scene import Box, Fact, Named, Scene, Shape, Values

TIME, CLIENT = D2 + A2 * g2, G2 + B2 * g2
ALIKE = le(mixed2, TIME * (p_square + p_cross))
BY_PAIRS = le(mixed2, TIME * p_square + (F2 + C2 * g2) * p_cross)
CROSSED = ge(p_cross, 0)
EVERY_PAIR = le(mixed2, TIME * p_square + p_FD + p_AC * g2)
DECAYING = le(mixed2, TIME * p_decay)
AS_ALLOWED = eq(corr, decay * TIME)
LOST = le(loss2, (1 - p_now) ** 2 * R2)

_ASSUMED = {"room_time": ("left_time", le(xi2, TIME)), "room_client": ("left_client", le(delta2, CLIENT))}


def facts_of_dependent() -> tuple[Fact, ...]:
    """Facts about a client drift and a time drift with arbitrary dependence."""

    def compute(shape: Shape, values: Named) -> Values:
        client, time, gradient = values["client"], values["time"], values["gradient"]
        drift, square = client + time, sq(gradient)
        room = 2 * (values["room_client"] + values["room_time"])
        return {
            **{"g2": square, "delta2": sq(client), "xi2": sq(time)},
            "grad_now2": (sq(gradient + drift) + sq(gradient - drift)) / 2,
            "left_client": values["G2"] + values["B2"] * square - sq(client),
            "left_time": values["D2"] + values["A2"] * square - sq(time),
            "slack": sq(client - time) + room,
        }

    scene = Scene(
        name="any drifts of the current round",
        shapes=({"d": 1}, {"d": 2}),
        space=lambda shape: {
            **dict.fromkeys(("A2", "B2", "D2", "G2", "room_client", "room_time"), Box(0.1, 1)),
            **dict.fromkeys(("gradient", "client", "time"), Box(-1, 1, (shape["d"],))),
        },
        compute=compute,
        covers="an identity between arbitrary drifts of either sign, where what bounds them is taken as it is; every coordinate adds alike",
    )
    relation = statement("cfl.lemB.2.1/dependent-doubled").compared
    return (Fact(relation, scene, "slack", _ASSUMED),)
