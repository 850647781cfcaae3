"""What the curvatures that CFL assumes are to gradients and losses at two models: between which they all are.

Facts about arbitrary gradients use these definitions; scenes that use the facts try them at models of their worlds.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bounds.cfl.convex import curved_inf, curved_sup
from bounds.cfl.symbols import L, mu
from bounds.relations import ge, le
from nqm.fields import Array, concatenate, dot, sq
from verify.engine.scene import Values

_turn2, _way2, _bowl2, _steep2, _gap = (
    sp.Symbol(f"{name}_each", nonnegative=True) for name in ("turn2", "way2", "bowl2", "steep2", "gap")
)
_lift, _bend = (sp.Symbol(f"{name}_each", real=True) for name in ("lift", "bend"))
_along, _uphill = sp.Symbol("along_each", real=True), sp.Symbol("along_each", nonnegative=True)

TURNED = le(_turn2, curved_sup**2 * _way2)
"""Of the change of a gradient on the way between two models."""
COERCIVE = le(_turn2, curved_sup * _uphill)
"""Where a loss is convex; "along" is the change times the way."""
MONOTONE = le(curved_inf * _way2, _along)
BELOW_BOWL = le(_lift, curved_sup / 2 * _bowl2)
"""By how much a loss is above its tangent at another model, whose squared distance is "bowl"."""
ABOVE_BOWL = le(curved_inf / 2 * _bowl2, _lift)
STEEP = le(_steep2, 2 * curved_sup * _gap)
"""Of the gradient where a loss is so far above its minimum."""
BENT_LESS, BENT_MORE = le(_bend, curved_sup), le(curved_inf, _bend)
"""Of a curvature."""
CONVEX_DEFINES = (TURNED, COERCIVE, MONOTONE, BELOW_BOWL, ABOVE_BOWL, STEEP, BENT_LESS, BENT_MORE)

SMOOTH, CURVED = le(curved_sup, L), ge(curved_inf, mu)


def flat(parts: list[tuple[Array, ...]]) -> list[Array]:
    """Arrays that belong together, (batch, ...) each, as (batch, n), one part after the other."""
    wide = [[x + 0 * sum(part) for x in part] for part in parts]
    return [concatenate([x.reshape(x.shape[0], -1) for x in each], 1) for each in zip(*wide, strict=True)]


def turns(*pairs: tuple[Array, Array]) -> Values:
    """Changes of gradients and ways between models, (batch, ..., d) each."""
    squares = [(sq(change), sq(way), dot(change, way)) for change, way in pairs]
    return dict(zip(("turn2_each", "way2_each", "along_each"), flat(squares), strict=True))


def turned(x: Array, far: Array, *gradients: Callable[[Array], Array]) -> Values:
    """The same between models x and others around the origin, all of one dimension."""
    ways = (-x, -2 * x, 2 * x, far - x / 2)
    changes = [(grad(x + way) - grad(x), way) for way in ways for grad in gradients]
    return turns(*((change[..., None], way[..., None]) for change, way in changes))


def lifts(*pairs: tuple[Array, Array]) -> Values:
    """By how much losses are above their tangents, and squared distances, (batch, ...) each."""
    return dict(zip(("lift_each", "bowl2_each"), flat(list(pairs)), strict=True))
