"""What the curvatures that CFL assumes are to gradients and losses at two models: between which they all are.

Facts about arbitrary gradients use these definitions; scenes that use the facts try them at models of their worlds.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bounds.cfl.convex import curved_inf, curved_sup
from bounds.cfl.symbols import L, mu
from bounds.relations import eq, ge, le
from nqm.fields import Array, concatenate, dot, sq, stack
from verify.engine.model.scene import Values

turn2, way2, bowl2, steep2, gap_there, stir2, noise2 = (
    sp.Symbol(f"{name}_each", nonnegative=True)
    for name in ("turn2", "way2", "bowl2", "steep2", "gap", "stir2", "noise2")
)
lift, bend = (sp.Symbol(f"{name}_each", real=True) for name in ("lift", "bend"))
stir_ahead, first_ahead, slope_ahead = (
    sp.Symbol(f"{name}_ahead_each", real=True) for name in ("stir", "first", "slope")
)
stir_along, stir_met = (sp.Symbol(f"stir_{name}_each", real=True) for name in ("along", "met"))
_along, uphill = sp.Symbol("along_each", real=True), sp.Symbol("along_each", nonnegative=True)

TURNED = le(turn2, curved_sup**2 * way2)
"""Of the change of a gradient on the way between two models."""
COERCIVE = le(turn2, curved_sup * uphill)
"""Where a loss is convex; "along" is the change times the way."""
MONOTONE = le(curved_inf * way2, _along)
BELOW_BOWL = le(lift, curved_sup / 2 * bowl2)
"""By how much a loss is above its tangent at another model, whose squared distance is "bowl"."""
ABOVE_BOWL = le(curved_inf / 2 * bowl2, lift)
STEEP = le(steep2, 2 * curved_sup * gap_there)
"""Of the gradient where a loss is so far above its minimum."""
BENT_LESS, BENT_MORE = le(bend, curved_sup), le(curved_inf, bend)
"""Of a curvature."""
DRIFTLESS = eq(first_ahead, slope_ahead)
"""Of weighted gradients at the start, along vectors that precede the drifts: drifts have mean zero."""
AHEAD, UNCORRELATED = eq(stir_ahead, 0), eq(stir2, noise2)
"""Of sums of noises: they are uncorrelated with gradients at the start, and with each other, so that squares add up."""
MET = eq(stir_along, stir_met)
"""Of sums of noises along sums of what steps add to the gradient at the start: each addition depends only on the noises that its
client has met before."""
ROUND_DEFINES = (TURNED, DRIFTLESS, AHEAD, UNCORRELATED)
CONVEX_DEFINES = (*ROUND_DEFINES, COERCIVE, MONOTONE, BELOW_BOWL, ABOVE_BOWL, STEEP, BENT_LESS, BENT_MORE)

SMOOTH, CURVED = le(curved_sup, L), ge(curved_inf, mu)


def flat(parts: list[tuple[Array, ...]]) -> list[Array]:
    """Arrays that belong together, (batch, ...) each, as (batch, n), one part after the other."""
    wide = [[x + 0 * sum(part) for x in part] for part in parts]
    return [concatenate([x.reshape(x.shape[0], -1) for x in each], 1) for each in zip(*wide, strict=True)]


def turns(*pairs: tuple[Array, Array]) -> Values:
    """Changes of gradients and ways between models, (batch, ..., d) each."""
    squares = [(sq(change), sq(way), dot(change, way)) for change, way in pairs]
    return dict(zip(("turn2_each", "way2_each", "along_each"), flat(squares), strict=True))


def expected(x: Array) -> Array:
    """Expectation over drifts and noise, (batch, outcome, run, ...) -> (batch, ...): outcomes are equally likely."""
    return x.sum(axis=(1, 2)) / (x.shape[1] * x.shape[2])


def stirs(noise: Array, *before: Array) -> Values:
    """Sums of the noises (batch, outcome, run, N, K, d) of each client up to each step, and of all of them.

    Parameters
    ----------
    before : (batch, outcome, run, N, d) arrays
        Vectors that precede the noise.
    """
    one = [noise[..., k, :] for k in range(noise.shape[-2])]
    upto = [sum(one[: k + 1]) for k in range(len(one))]
    squares = [sum(expected(sq(x)) for x in one[: k + 1]) for k in range(len(one))]
    everything = upto[-1].sum(axis=-2)[..., None, :]
    pairs = [
        *((expected(sq(x)), square) for x, square in zip(upto, squares, strict=True)),
        (expected(sq(everything))[..., 0], squares[-1].sum(axis=-1)),
    ]
    along = [(expected(dot(x, y)),) for x in (*upto, everything) for y in before]
    return {
        **dict(zip(("stir2_each", "noise2_each"), flat(pairs), strict=True)),
        "stir_ahead_each": flat(along)[0],
    }


def met_noises(noise: Array, *added: Array) -> Values:
    """Sums of noises (batch, outcome, run, N, K, d) along sums of vectors before each step, and each vector along earlier noises.

    Parameters
    ----------
    added : (batch, outcome, run, N, d) arrays
        A vector for each step.
    """
    one = [noise[..., k, :] for k in range(noise.shape[-2])]
    met, pairs = 0 * expected(dot(one[0], added[0])), []
    for k, vector in enumerate(added):
        met = met + sum((expected(dot(x, vector)) for x in one[:k]), 0 * met)
        pairs.append((expected(dot(sum(one[: k + 1]), sum(added[: k + 1]))), met))
    everything = dot(noise.sum(axis=-2).sum(axis=-2), stack(list(added), -1).sum(axis=-1).sum(axis=-2))
    pairs.append((expected(everything[..., None])[..., 0], met.sum(axis=-1)))
    return dict(zip(("stir_along_each", "stir_met_each"), flat(pairs), strict=True))


def drifting(first: Array, slope: Array, *ways: Array) -> Values:
    """Weighted and global gradients at the start along vectors, (batch, outcome, run, N, d) each."""
    pairs = [(expected(dot(first, way)), expected(dot(slope, way))) for way in (slope, *ways)]
    return dict(zip(("first_ahead_each", "slope_ahead_each"), flat(pairs), strict=True))


def moved_to_one_dimension(x: Array, far: Array, *gradients: Callable[[Array], Array]) -> Values:
    """The same between models x and others around the origin, all of one dimension."""
    ways = (-x, -2 * x, 2 * x, far - x / 2)
    changes = [(grad(x + way) - grad(x), way) for way in ways for grad in gradients]
    return turns(*((change[..., None], way[..., None]) for change, way in changes))


def lifts(*pairs: tuple[Array, Array]) -> Values:
    """By how much losses are above their tangents, and squared distances, (batch, ...) each."""
    return dict(zip(("lift_each", "bowl2_each"), flat(list(pairs)), strict=True))
