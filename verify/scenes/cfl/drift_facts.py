"""Facts about arbitrary weighted drifts and information losses (CFL, Lemmas B.2, B.7, Section 4.3.2).

A bound on each drift, or on each pair of drifts, is a condition of the statements. The slack of a fact contains the slack of
this bound, multiplied by nonnegative or squared weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from bounds.catalogue import statement
from bounds.cfl.correlated import (
    C2_pair,
    F2_pair,
    corr,
    decay,
    delta2,
    loss2,
    lost2,
    mixed2,
    p,
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
from nqm.fields import Array, sq, stack
from verify.engine.model.scene import Box, Fact, Named, Scene, Shape, Values

Measure = Callable[[Shape, Named, Array], Values]
"""(shape, parameters, weights) -> moments of the weighted drifts."""

TIME, CLIENT = D2 + A2 * g2, G2 + B2 * g2
ALIKE = le(mixed2, TIME * (p_square + p_cross))
BY_PAIRS = le(mixed2, TIME * p_square + (F2 + C2 * g2) * p_cross)
CROSSED = ge(p_cross, 0)
EVERY_PAIR = le(mixed2, TIME * p_square + p_FD + p_AC * g2)
DECAYING = le(mixed2, TIME * p_decay)
AS_ALLOWED = eq(corr, decay * TIME)
LOST = le(loss2, (1 - p_now) ** 2 * R2)

_POSITIVE = ge(p, 0)
ASSUMED = {
    "room_time": ("left_time", le(xi2, TIME)),
    "room_client": ("left_client", le(delta2, CLIENT)),
    "room_pair": ("left_pair", le(corr, F2 + C2 * g2)),
    "room_each": ("left_each", le(corr, F2_pair + C2_pair * g2)),
    "room_decay": ("left_decay", le(corr, decay * TIME)),
    "room_equal": ("left_decay", AS_ALLOWED),
    "room_lost": ("left_lost", le(lost2, R2)),
    "weight": ("p", _POSITIVE),
}


def _assumed(*names: str) -> Mapping[str, tuple[str, Any]]:
    return {name: ASSUMED[name] for name in names}


def _rooms(shape: Shape, *names: str) -> dict[str, Box]:
    t = shape["t"]
    sizes = {
        "room_client": (),
        **dict.fromkeys(("room_pair", "room_each", "room_decay", "room_equal"), _pairs(t)),
    }
    return {name: Box(-1 if name == "room_equal" else 0.1, 1, sizes.get(name, (t,))) for name in names}


def _pairs(t: int) -> tuple[int]:
    return (max(t * (t - 1) // 2, 1),)


def _over_pairs(t: int, term: Callable[[int, int, int], Array], none: Array) -> Array:
    """Sum over the pairs of rounds a < b of `term`(number of the pair, a, b)."""
    return sum((term(n, a, b) for n, (a, b) in enumerate(combinations(range(t), 2))), none)


_CONSTANTS = dict.fromkeys(("A2", "B2", "C2", "D2", "F2", "G2"), Box(0.1, 1))
_SIZES = tuple({"t": t, "d": 1} for t in (1, 2, 3))


def facts_of_correlated(measure: Measure) -> tuple[Fact, ...]:
    """Facts about time drifts with arbitrary correlations, for nonnegative weights."""

    def compute(shape: Shape, values: Named) -> Values:
        t, weight = shape["t"], values["weight"]
        found = measure(shape, values, values["raw"])
        drifts, time = found["drifts"], values["D2"] + values["A2"] * found["g2"]
        apart = lambda a, b: sq(drifts[:, :, a] - drifts[:, :, b]).sum(axis=1) / drifts.shape[1]  # noqa: E731
        both = lambda a, b: weight[:, a] * weight[:, b]  # noqa: E731
        none, total = 0 * time, weight.sum(axis=1)
        of_each = (weight**2 * values["room_time"]).sum(axis=1)

        def of_pairs(name: str) -> Array:
            return of_each + _over_pairs(t, lambda n, a, b: 2 * both(a, b) * values[name][:, n], none)

        return {
            **found,
            **{name: values[name] for name in _CONSTANTS},
            "left_time": time[:, None] - found["xi2"],
            "left_pair": (values["F2"] + values["C2"] * found["g2"])[:, None] - found["corr"],
            "left_decay": found["decay"] * time[:, None] - found["corr"],
            "slack_alike": total * (weight * values["room_time"]).sum(axis=1)
            + _over_pairs(t, lambda n, a, b: both(a, b) * apart(a, b), none),
            "slack_pairs": of_pairs("room_pair"),
            "slack_decay": of_pairs("room_decay"),
            "slack_equal": (values["raw"] ** 2 * values["room_time"]).sum(axis=1)
            + _over_pairs(
                t,
                lambda n, a, b: 2 * values["raw"][:, a] * values["raw"][:, b] * values["room_equal"][:, n],
                none,
            ),
            "slack_crossed": _over_pairs(t, lambda n, a, b: 2 * both(a, b), none),
        }

    scene = Scene(
        name="any correlated drifts of rounds",
        shapes=_SIZES[1:],
        space=lambda shape: {
            **_CONSTANTS,
            **_rooms(shape, "room_time", "room_pair", "room_decay", "room_equal", "weight"),
            "alpha": Box(0.1, 0.9),
            "raw": Box(-1, 1, (shape["t"],)),
            "mixing": Box(-1, 1, (shape["t"], shape["t"])),
            "size": Box(1, 1, (shape["t"], shape["d"])),
            **dict.fromkeys(("gradient", "client"), Box(-1, 1, (shape["d"],))),
        },
        compute=compute,
        covers="an identity between arbitrary weights and drifts of 2 and 3 rounds with arbitrary second moments, where what "
        "bounds the drifts is taken as it is; every pair of rounds adds alike, in every coordinate",
    )
    pairs = ("room_time", "weight")

    def by_each(shape: Shape, values: Named) -> Values:
        """Constants with F^2 of a pair below or above D^2, and C^2 below or above A^2, by arbitrary amounts."""
        t, g2_, weight = shape["t"], sq(values["gradient"]), values["weight"]
        less, more = (values[name] for name in ("apart_F", "apart_C"))
        smaller, slower = shape["tight"], shape["slow"]
        A2_, D2_ = values["A2"][:, None], values["D2"][:, None]
        F2_, C2_ = D2_ - less if smaller else D2_ + less, A2_ - more if slower else A2_ + more
        least, most = (F2_ if smaller else D2_), (A2_ if slower else C2_) + 0 * C2_
        found = compute(shape, {**values, "F2": values["D2"], "C2": values["A2"]})
        both = lambda n, a, b: 2 * weight[:, a] * weight[:, b]  # noqa: E731
        drifts = found["drifts"]
        apart = lambda a, b: sq(drifts[:, :, a] - drifts[:, :, b]).sum(axis=1) / drifts.shape[1]  # noqa: E731

        def spare(n: int, a: int, b: int) -> Array:
            alike = (values["room_time"][:, a] + values["room_time"][:, b] + apart(a, b)) / 2
            beyond = most - (C2_ if smaller else A2_)
            return (values["room_each"][:, n] if smaller else alike) + beyond[:, n] * g2_

        twice = stack(
            [2 * values["raw"][:, a] * values["raw"][:, b] for a, b in combinations(range(t), 2)], 1
        )
        return {
            **found,
            "p_FD": (least * twice).sum(axis=1),
            "p_AC": (most * twice).sum(axis=1),
            "F2_pair": F2_,
            "C2_pair": C2_,
            "left_each": F2_ + C2_ * g2_[:, None] - found["corr"],
            "slack_each": (weight**2 * values["room_time"]).sum(axis=1)
            + _over_pairs(t, lambda n, a, b: both(n, a, b) * spare(n, a, b), 0 * g2_),
        }

    each = replace(
        scene,
        name="any drifts of rounds, bounded pair by pair",
        shapes=tuple(
            {**shape, "tight": tight, "slow": slow}
            for shape in scene.shapes
            for tight in (0, 1)
            for slow in (0, 1)
        ),
        space=lambda shape: {
            **scene.space(shape),
            **_rooms(shape, "room_each"),
            **dict.fromkeys(("apart_F", "apart_C"), Box(0.1, 1, _pairs(shape["t"]))),
        },
        compute=by_each,
    )
    return (
        Fact(ALIKE, scene, "slack_alike", _assumed(*pairs)),
        Fact(BY_PAIRS, scene, "slack_pairs", _assumed(*pairs, "room_pair")),
        Fact(DECAYING, scene, "slack_decay", _assumed(*pairs, "room_decay")),
        Fact(DECAYING, scene, "slack_equal", _assumed("room_time", "room_equal")),
        Fact(CROSSED, scene, "slack_crossed", _assumed("weight")),
        Fact(EVERY_PAIR, each, "slack_each", _assumed(*pairs, "room_each")),
    )


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
    return (Fact(relation, scene, "slack", _assumed("room_time", "room_client")),)


def facts_of_losses(weighted_loss: Callable[[Array, Array], Array]) -> tuple[Fact, ...]:
    """Facts about information losses of past rounds, for nonnegative weights with sum one."""

    def compute(shape: Shape, values: Named) -> Values:
        past, lost, weight = values["past"], values["lost"], values["weight"]
        t, total = shape["t"], weight[:, :-1].sum(axis=1)
        weights = stack([*(past[:, a] for a in range(t - 1)), 1 - past.sum(axis=1)], 1)
        apart = lambda n, a, b: weight[:, a] * weight[:, b] * sq(lost[:, a] - lost[:, b])  # noqa: E731
        spare = (weight * values["room_lost"])[:, :-1].sum(axis=1)
        return {
            "p": weights,
            "p_now": weights[:, -1],
            "R2": values["R2"],
            "loss2": weighted_loss(weights, lost),
            "lost2": sq(lost),
            "left_lost": values["R2"][:, None] - sq(lost),
            "slack": total * spare + _over_pairs(t - 1, apart, 0 * total),
        }

    scene = Scene(
        name="any information losses",
        shapes=tuple({"t": t, "d": 1} for t in (2, 3, 4)),
        space=lambda shape: {
            "R2": Box(0.1, 1),
            **_rooms(shape, "room_lost", "weight"),
            "past": Box(-1, 1, (shape["t"] - 1,)),
            "lost": Box(-1, 1, (shape["t"], shape["d"])),
        },
        compute=compute,
        covers="an identity between arbitrary weights and losses of 1 to 3 past rounds, where what bounds a loss is taken as it "
        "is; every pair of past rounds adds alike, in every coordinate",
    )
    return (Fact(LOST, scene, "slack", _assumed("room_lost", "weight")),)
