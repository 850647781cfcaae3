"""SPECIAL in one dimension with two values of lambda in the same world: rounds as increasing maps."""

from __future__ import annotations

import operator

import sympy as sp

from algorithms.simulate import states
from bounds.relations import le
from bounds.special import line as b
from bounds.special.symbols import L, L_sup
from nqm.fields import Array, concatenate, decided, stack, where
from nqm.world import World
from verify.engine.model.scene import Assumption, Box, Fact, Named, Proved, Scene, Shape, Values
from verify.scenes.federated import all_draws, build, origin, sizes
from verify.scenes.parameters import column
from verify.scenes.special import meanings
from verify.scenes.special.drift import DRIFT, updates
from verify.scenes.special.one_round import method

SECANT = le(sp.Symbol("secant_each", real=True), L_sup)
"""Bound on the slope of a gradient between two models."""


def share(difference: Array, way: Array) -> Array:
    """The quotient of the growth of the difference and the distance; arbitrary if the distance is zero."""
    none = way == 0
    return where(none, 1 + 0 * way, difference / where(none, 1 + 0 * way, way))


def two_paths(shape: Shape, values: Named) -> Values:
    """The models after t and t + 1 rounds with both values of lambda, and the next models, along the first update."""
    world, rounds, start = build(shape, values), shape["t"], origin(shape, values)
    more = values["lam"] * (1 + values["further"])
    draws, gain = all_draws(shape, rounds + 2), column(values["gamma_G"], 2)
    first = (gain * updates(world, draws, values, start, 0)[0])[:, 0, 0]
    way = where(decided(operator.lt, first, 0), -1 + 0 * first, 1 + 0 * first)

    def path(strength: Array) -> list[tuple[Array, Array]]:
        """The model before and after each of two rounds."""
        algorithm = method({**values, "lam": strength})
        models = [state["theta"] for _, _, state in states(world, algorithm, draws, start, rounds + 1)]
        return [
            (way * (models[n] - start)[:, 0, 0], way * (models[n] + moved - start)[:, 0, 0])
            for n in (rounds, rounds + 1)
            for moved in (gain * updates(world, draws, values, models[n], n)[0],)
        ]

    found: Values = {"first_update": way * first, "lam_more": more}
    pairs = zip(("", "_next"), path(values["lam"]), path(more), strict=True)
    for later, (far, led), (far_more, led_more) in pairs:
        both = {"far": far, "led": led, "far_more": far_more, "led_more": led_more}
        both |= {
            "stretch": share(led - way * first, far),
            "stretch_more": share(led_more - way * first, far_more),
            "stretch_between": share(led - led_more, far - far_more),
        }
        found |= {f"{name}{later}": value for name, value in both.items()}
    return {**found, "drift2": found["far"] ** 2, "drift2_more": found["far_more"] ** 2}


def _secants(shape: Shape, values: Named) -> Values:
    """Slopes of the gradient between some models of the line."""
    world: World = build(shape, values)
    at = [x * (1 + 0 * origin(shape, values)[:, 0]) for x in (-2, 0, 1, 4)]
    wide = lambda x: stack([x] * shape["M"], 1)  # noqa: E731
    grads = [world.grad(wide(x), 0)[..., 0] for x in at]
    slopes = [(grads[n] - grads[0]) / (at[n] - at[0]) for n in range(1, len(at))]
    return {"secant_each": concatenate(slopes, 1)}


# ------------------------------------------------------------------------------------------------ any gradients


def _any_pair(shape: Shape, values: Named) -> Values:
    """Rounds from two models whose gradients differ by arbitrary slopes: the next models, and the factor of their difference."""
    local, gain = values["gamma_L"][:, None], values["gamma_G"]
    x, y = (values[name][:, None] + 0 * values["grad"][:, 0] for name in ("x", "y"))  # (1, M)
    starts, kept, spare = (x, y), 1 + 0 * x, 1 + 0 * x
    for e in range(shape["E"]):
        slope, room = values["slope"][:, e], values["room_slope"][:, e]
        at_x = values["grad"][:, e]
        x, y = x - local * at_x, y - local * (at_x + slope * (y - x))
        kept = kept * (1 - local * slope)
        spare = spare * (values["room_step"][:, None] + local * room)
    ends = [
        before[:, 0] + gain * (after - before).sum(axis=-1) / shape["M"]
        for before, after in zip(starts, (x, y), strict=True)
    ]
    return {
        "x_led": ends[0],
        "y_led": ends[1],
        "between": 1 - gain + gain * kept.sum(axis=-1) / shape["M"],
        "secant_each": values["slope"].reshape(1, -1),
        "left_slope": values["L"][:, None, None] - values["slope"],
        "left_step": 1 - values["gamma_L"] * values["L"],
        "left_gain": 1 - gain,
        "slack": values["room_gain"] + gain * spare.sum(axis=-1) / shape["M"],
    }


_ASSUMED: dict[str, Assumption] = {
    "room_slope": ("left_slope", le(L_sup, L), SECANT),
    "room_step": ("left_step", b.SHORT[1]),
    "room_gain": ("left_gain", b.SHORT[0]),
}


def _pair(x: str, y: str, x_led: str, y_led: str, between: str) -> Scene:
    """The scene with these names for both models; a model without a name is the start."""
    named = {"x": x, "y": y, "x_led": x_led, "y_led": y_led, "between": between}

    def compute(shape: Shape, values: Named) -> Values:
        given = {name: values[called] if called else 0 * values["L"] for name, called in (("x", x), ("y", y))}
        found = _any_pair(shape, {**values, **given})
        return {named.get(name, name): value for name, value in found.items()}

    return Scene(
        name=f"a round of any gradients in one dimension, {between}",
        restricts=b.ON_A_LINE,
        shapes=tuple({"M": M, "E": E} for M, E in ((1, 1), (2, 1), (1, 2), (2, 2), (1, 3))),
        space=lambda shape: {
            **{name: Box(-1, 1) for name in (x, y) if name},
            **dict.fromkeys(("gamma_G", "gamma_L", "L", "room_step", "room_gain"), Box(0.1, 1)),
            **dict.fromkeys(("grad", "slope"), Box(-1, 1, (shape["E"], shape["M"]))),
            "room_slope": Box(0.1, 1, (shape["E"], shape["M"])),
        },
        compute=compute,
        covers="an identity between arbitrary gradients of 1 and 2 clients in 1 to 3 local steps, whose slopes between two models are "
        "arbitrary; clients add alike, and a step more multiplies by one factor more",
    )


_PAIRS = (
    _pair("far", "", "led", "first_update", "stretch"),
    _pair("far_more", "", "led_more", "first_update", "stretch_more"),
    _pair("far", "far_more", "led", "led_more", "stretch_between"),
)
_PULL = Scene(
    name="the pull of the anchor in one dimension",
    shapes=({},),
    space=lambda shape: {
        **dict.fromkeys(("led", "led_more", "far", "far_more"), Box(-1, 1)),
        **dict.fromkeys(("lam", "lam_more"), Box(0.1, 1)),
    },
    compute=lambda shape, values: {
        "far_next": values["led"] / (1 + values["lam"]),
        "far_more_next": values["led_more"] / (1 + values["lam_more"]),
        "drift2": values["far"] ** 2,
        "drift2_more": values["far_more"] ** 2,
    },
    covers="a definition",
)
FACTS = (
    *(Fact(meaning, _PULL) for meaning in (*b.PULLED, *b.SQUARES)),
    *(Fact(relation, scene) for relation, scene in zip(b.LED, _PAIRS, strict=True)),
    *(Fact(relation, scene, "slack", _ASSUMED) for relation, scene in zip(b.RISING, _PAIRS, strict=True)),
)


def _sizes(t: int, M: int = 1, **lists: int) -> Shape:
    return sizes(K=1, M=M, N=M, t=t, **lists)


LINE = DRIFT.variant(
    "drift of SPECIAL in one dimension with two strengths",
    told={**meanings.BOUNDED, "further": "by which share the larger lambda is larger"},
    shapes=(
        _sizes(1),
        _sizes(2),
        _sizes(1, curved=1),
        _sizes(3, curved=1),
        _sizes(2, E=2, curved=1),
        _sizes(3, M=2, curved=1),
        _sizes(3, curved=2),
        _sizes(6, M=2, E=2, curved=2),
        _sizes(4, curved=3),
        _sizes(10, M=2, curved=3),
    ),
    space=lambda shape: {**DRIFT.space(shape), "further": Box(0.01, 10, scale="log")},
    compute=Proved(two_paths, FACTS, (SECANT,), _secants),
    restricts=b.ON_A_LINE,
)
