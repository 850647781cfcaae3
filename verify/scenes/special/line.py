"""SPECIAL in one dimension with two values of lambda in the same world: rounds as increasing maps."""

from __future__ import annotations

import operator
from collections.abc import Mapping

import sympy as sp

from algorithms.simulate import states
from bounds.relations import eq, ge, le
from bounds.special import line as b
from bounds.special.lam import lam_more
from bounds.special.symbols import L, L_sup, M, gamma_G, gamma_L, lam
from nqm.fields import Array, concatenate, decided, stack, where
from nqm.world import World
from verify.engine.model.scene import Box, Named, Proved, Shape, Values
from verify.scenes.federated import all_draws, build, origin, sizes
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.parameters import column
from verify.scenes.special import meanings
from verify.scenes.special.drift import DRIFT, updates
from verify.scenes.special.one_round import method
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands

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

_slope = SECANT.lhs
_gradient, _from, _to, _from_led, _to_led, _start, _way, _kept, _between = named(
    "gradient, local model, other local model, led, other led, start, way, kept share",
    "kept share of the clients",
    real=True,
)
_KEPT = definition(eq(_kept, before(_kept) * (1 - gamma_L * _slope)))
_one = {_kept: (before(_kept), sp.S.One)}
_STEPS = over_summands(
    eq(_to - _from, _kept * _way),
    {
        **{_from: (before(_from), _start), _to: (before(_to), _start + _way)},
        **{**_one, **changing(free=(_gradient, _slope))},
    },
    _KEPT,
    definition(eq(_from, before(_from) - gamma_L * _gradient)),
    definition(eq(_to, before(_to) - gamma_L * (_gradient + _slope * (before(_to) - before(_from))))),
)
"""Local steps from two models, with arbitrary gradients and slopes between them."""
_RISES = over_summands(
    ge(_kept, 0),
    {**_one, **changing(free=(_slope,))},
    _KEPT,
    follows(
        ge(1 - gamma_L * _slope, 0),
        given=(b.SHORT[1], le(L_sup, L), SECANT),
        through=(le(_slope, L), le(gamma_L * _slope, gamma_L * L)),
    ),
    through=(ge(before(_kept) * (1 - gamma_L * _slope), 0),),
)
_LED = counted(
    eq(_to_led - _from_led, _between * _way),
    M,
    {
        **{_from_led: (before(_from_led), _start), _to_led: (before(_to_led), _start + _way)},
        **{_between: (before(_between), sp.S.One), **changing(free=(_from, _to, _kept))},
    },
    added(_from_led, gamma_G / M * (_from - _start)),
    added(_to_led, gamma_G / M * (_to - _start - _way)),
    added(_between, gamma_G / M * (_kept - 1)),
    _STEPS,
    through=(
        eq(_to - _from, _kept * _way),
        eq(
            M * (_to_led - _from_led),
            M * (before(_to_led) - before(_from_led)) + gamma_G * (_to - _from - _way),
        ),
        eq(M * (_to_led - _from_led), M * before(_between) * _way + gamma_G * (_kept - 1) * _way),
        eq(M * _between * _way, M * before(_between) * _way + gamma_G * (_kept - 1) * _way),
        eq(M * (_to_led - _from_led), M * _between * _way),
    ),
)
"""A round from two models: the server adds the mean over the clients."""
_RISING = follows(
    ge(_between, 0),
    counted(
        ge(_between, 1 - SUMMANDS * gamma_G / M),
        M,
        {_between: (before(_between), sp.S.One), **changing(free=(_kept,))},
        added(_between, gamma_G / M * (_kept - 1)),
        _RISES,
    ),
    given=(b.SHORT[0],),
)
_PAIRS: tuple[Mapping[sp.Symbol, sp.Expr], ...] = (
    {_between: b.stretch, _from_led: b.first, _to_led: b.led, _start: sp.S.Zero, _way: b.far},
    {_between: b.stretch_more, _from_led: b.first, _to_led: b.led_more, _start: sp.S.Zero, _way: b.far_more},
    {
        **{_between: b.apart, _from_led: b.led_more, _to_led: b.led},
        **{_start: b.far_more, _way: b.far - b.far_more},
    },
)
FACTS: tuple[AnyNumber, ...] = (
    *(
        follows(meaning, definition(eq(after, led / (1 + pull))))
        for meaning, after, led, pull in zip(
            b.PULLED, (b.far_next, b.far_more_next), (b.led, b.led_more), (lam, lam_more), strict=True
        )
    ),
    *map(definition, b.SQUARES),
    *(follows(relation, (_LED, letters)) for relation, letters in zip(b.LED, _PAIRS, strict=True)),
    *(renamed(_RISING, {_between: letters[_between]}) for letters in _PAIRS),
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
