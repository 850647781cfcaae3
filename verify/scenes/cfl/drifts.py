"""Gradients of one client over the rounds, as finite distributions, and the constants that bound them.

At a point, grad f_tau = grad f + delta + xi_tau. The client drift delta is a fixed vector with a random sign. The time drifts
xi_tau are sums of vectors with independent random signs. All signs are enumerated, so expectations are finite sums. Arrays have
the axes (batch, outcome, round, dimension), or a subset of them in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np

from nqm.fields import Array, abs_, amax, dot, like, maximum, minimum, sq, stack
from verify.engine.model.scene import Box, Proved, Scene, Shape, Values
from verify.scenes.cfl.pair_sums import OF_DRIFTS, OF_GRADIENT, OF_LOSSES
from verify.scenes.cfl.weights import matrix_of, past_of, solved, sums
from verify.scenes.parameters import allowance, with_sum_one

Named = Mapping[str, Array]


def signs(count: int, kind: Array) -> Array:
    """All outcomes of `count` independent signs, (2**count, count), in the arithmetic of the array `kind`."""
    bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
    return like(kind, 1 - 2 * bits)


def mean(x: Array) -> Array:
    """Expectation: all outcomes are equally likely."""
    return x.sum(axis=1) / x.shape[1]


def total(terms: list[Array]) -> Array:
    """Expected sum over clients and a list."""
    return sum(mean(term).sum(axis=-1) for term in terms)


def mixed_drifts(mixing: Array, size: Array) -> tuple[Array, Array]:
    """Time drifts xi_tau = sum_k mixing[tau, k] s_k size[k] with independent signs s_k, and a further sign.

    Parameters
    ----------
    mixing : (batch, t, r) array
    size : (batch, r, d) array

    Returns
    -------
    drifts : (batch, outcome, t, d) array
    sign : (outcome,) array
        Independent of the drifts.
    """
    outcomes = signs(mixing.shape[-1] + 1, mixing)
    drawn = outcomes[None, :, :-1, None] * size[:, None]
    drifts = (mixing[:, None, :, :, None] * drawn[:, :, None]).sum(axis=3)
    return drifts, outcomes[:, -1]


def chained_drifts(half: Array, share: Array, size: Array) -> tuple[Array, Array]:
    """Time drifts share[tau] x_tau size of a chain x of unit variance, whose steps have correlation alpha.

    The chain is x_(tau+1) = alpha x_tau + beta s_(tau+1), alpha = 2h / (1 + h^2), beta = (1 - h^2) / (1 + h^2), so
    that both are rational if h = `half` is.

    Parameters
    ----------
    half : (batch,) array
        In [0, 1).
    share : (batch, t) array
        In [-1, 1].
    size : (batch, d) array
    """
    t = share.shape[-1]
    outcomes = signs(t + 1, half)
    alpha, beta = ((x / (1 + half**2))[:, None] for x in (2 * half, 1 - half**2))
    chain = [outcomes[None, :, 0] + 0 * alpha]
    for tau in range(1, t):
        chain.append(alpha * chain[-1] + beta * outcomes[None, :, tau])
    path = stack(chain, axis=2) * share[:, None]
    return path[..., None] * size[:, None, None], outcomes[:, -1]


def moments(gradient: Array, client: Array, sign: Array, drifts: Array, weights: Array) -> Values:
    """Expectations at a point under the paper's names.

    Parameters
    ----------
    gradient, client : (batch, d) array
        Global gradient, and the client drift up to its sign.
    sign : (outcome,) array
    drifts : (batch, outcome, t, d) array
    weights : (batch, t) array
    """
    mean = lambda x: x.sum(axis=1) / len(sign)  # noqa: E731
    delta = sign[None, :, None] * client[:, None]
    each = gradient[:, None, None] + delta[:, :, None] + drifts
    weighted = weights[:, None, :, None]
    pairs = list(combinations(range(weights.shape[-1]), 2))
    products = [mean(dot(drifts[:, :, a], drifts[:, :, b])) for a, b in pairs]
    return {
        "g2": sq(gradient),
        "delta2": mean(sq(delta)),
        "xi2": mean(sq(drifts)),
        "corr": stack(products, axis=1) if pairs else 0 * weights,
        "grad2": mean(sq((weighted * each).sum(axis=2))),
        "mixed2": mean(sq((weighted * drifts).sum(axis=2))),
    }


def largest(x: Array) -> Array:
    """Maximum over rounds or pairs of rounds."""
    return amax(x, axis=1)


def point_space(shape: Shape) -> dict[str, Box]:
    """Parameters: gradient and client drift at a point, arbitrary weights, growth constants, and the slack of every constant."""
    return {
        "gradient": Box(-2, 2, (shape["d"],)),
        "client": Box(-2, 2, (shape["d"],)),
        "raw": Box(-1, 2, (shape["t"],)),
        **{name: Box(0, 2) for name in ("A2", "B2")},
        "room": Box(0, 0),
    }


def constants(values: Named, drifts: Array) -> Values:
    """The smallest constants of Assumption 3, plus the slack of the instance."""
    more, square = 1 + 2 * values["room"], sq(values["gradient"])
    time = (sq(drifts).sum(axis=1) / drifts.shape[1]).reshape(-1, drifts.shape[2])
    return {
        "D2": allowance(largest(time), values["A2"], square, more),
        "G2": allowance(sq(values["client"]), values["B2"], square, more),
    }


def at_weights(values: Named, drifts: Array, sign: Array, weights: Array, alpha: Array) -> Values:
    """Moments at a point, the weights and their sums."""
    return {
        **moments(values["gradient"], values["client"], sign, drifts, weights),
        "p": weights,
        "p_sum": weights.sum(axis=1),
        **{f"p_{name}": value for name, value in sums(weights, alpha).items()},
    }


def weighted_loss(weights: Array, lost: Array) -> Array:
    """|sum_(tau < t) p_tau Delta_tau|^2 of weights (batch, t) and losses (batch, t, d)."""
    past = past_of(weights.shape[-1], weights) * weights
    return sq((past[:, :, None] * lost).sum(axis=1))


def overlap(shape: Shape, values: Named) -> Values:
    """Drifts with arbitrary correlations, with bounds for all pairs together and for each pair (Assumptions 6 and 5)."""
    weights, n = with_sum_one(values["raw"]), shape["t"]
    drifts, sign = mixed_drifts(values["mixing"], values["size"])
    known, found = constants(values, drifts), at_weights(values, drifts, sign, weights, 0 * values["A2"])
    more, square = 1 + 2 * values["room"], found["g2"]
    pairs = list(combinations(range(n), 2))
    twice = stack([2 * weights[:, a] * weights[:, b] for a, b in pairs], axis=1) if pairs else 0 * weights
    F2_pair = allowance(found["corr"], values["C2_pair"], square[:, None], more[:, None]) + values["F2_more"]
    smaller = minimum(F2_pair, known["D2"][:, None] + 0 * F2_pair)
    larger = maximum(values["C2_pair"], values["A2"][:, None] + 0 * values["C2_pair"])
    return {
        **known,
        **found,
        "F2": allowance(largest(found["corr"]), values["C2"], square, more) + largest(values["F2_more"]),
        "F2_pair": F2_pair,
        "p_C": (values["C2_pair"] * twice).sum(axis=1),
        "p_FD": (smaller * twice).sum(axis=1),
        "p_AC": (larger * twice).sum(axis=1),
        "apart_C": abs_(values["C2_pair"] - values["A2"][:, None]),
    }


def _pair_box(shape: Shape, high: float) -> Box:
    return Box(0, high, (max(shape["t"] * (shape["t"] - 1) // 2, 1),))


def at_point(shape: Shape, values: Named) -> Values:
    """Moments of arbitrary drifts with weights that sum to one."""
    drifts, sign = mixed_drifts(values["mixing"], values["size"])
    weights = with_sum_one(values["raw"])
    return {
        **moments(values["gradient"], values["client"], sign, drifts, weights),
        "p_sum": 0 * values["A2"] + 1,
    }


_POINT_TOLD = {
    "gradient": "gradient of the mean of all losses",
    "client": "client drift",
    "raw": "weights of the rounds are these, shifted so that their sum is one",
    "room": "half the share by which constants are larger than they must be",
}
POINT = Scene(
    name="gradients at a point",
    shapes=tuple({"t": t, "r": r, "d": 1} for t, r in ((1, 1), (2, 1), (2, 2), (3, 2))),
    space=lambda shape: {
        **point_space(shape),
        "mixing": Box(-1, 1, (shape["t"], shape["r"]), levels=(-1, 0, 1)),
        "size": Box(-2, 2, (shape["r"], shape["d"])),
    },
    room="room",
    compute=Proved(at_point, (OF_GRADIENT,)),
)
OVERLAP = Scene(
    name="gradients with correlated drifts",
    shapes=tuple(
        {"t": t, "r": r, "d": d} for t, r, d in ((1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 2, 1), (3, 3, 2))
    ),
    space=lambda shape: {
        **point_space(shape),
        "mixing": Box(-1, 1, (shape["t"], shape["r"]), levels=(-1, 0, 1)),
        "size": Box(-2, 2, (shape["r"], shape["d"])),
        "C2": Box(0, 2),
        "C2_pair": _pair_box(shape, 2),
        "F2_more": _pair_box(shape, 4),
    },
    room="room",
    compute=Proved(overlap, OF_DRIFTS),
    told={
        **_POINT_TOLD,
        "r": "number of independent random signs",
        "mixing": "how much of each random sign is in the time drift of each round",
        "size": "vectors of the time drifts, one for each random sign",
        "F2_more": "by how much the bounds F^2 of pairs are larger than they must be",
    },
)


def chained(shape: Shape, values: Named, weights_of: Callable[[int, Named], Array]) -> Values:
    """Drifts that meet Assumption 7, with information losses and given weights."""
    drifts, sign = chained_drifts(values["half"], values["share"], values["drift"])
    more, t = 1 + 2 * values["room"], shape["t"]
    alpha = 2 * values["half"] / (1 + values["half"] ** 2)
    lost2 = sq(values["lost"])
    R2 = largest(lost2) * more + values["R2_more"]
    known = {**constants(values, drifts), "alpha": alpha, "R2": R2}
    weights = weights_of(t, {**values, **known})
    pairs = list(combinations(range(t), 2))
    distances = [alpha ** (b - a) for a, b in pairs]
    return {
        **known,
        **at_weights(values, drifts, sign, weights, alpha),
        "lost2": lost2,
        "decay": stack(distances, axis=1) if pairs else 1 + 0 * weights,
        "loss2": weighted_loss(weights, values["lost"]),
    }


_CHAINED = (*OF_DRIFTS, *OF_LOSSES)
CHAINED = Scene(
    name="gradients with gradually changing drifts",
    shapes=tuple({"t": t, "d": d} for t, d in ((1, 1), (2, 1), (2, 2), (3, 1), (4, 1))),
    space=lambda shape: {
        **point_space(shape),
        "half": Box(0, 0.9),
        "share": Box(-1, 1, (shape["t"],)),
        "drift": Box(-2, 2, (shape["d"],)),
        "lost": Box(-2, 2, (shape["t"], shape["d"])),
        "R2_more": Box(0, 4),
    },
    told={
        **_POINT_TOLD,
        "half": "tangent of half the angle whose sine is alpha",
        "share": "factor of the time drift in each round",
        "drift": "vector of the time drifts",
        "lost": "information loss about each round",
        "R2_more": "by how much R^2 is larger than it must be",
    },
    room="room",
    compute=Proved(
        lambda shape, values: chained(shape, values, lambda t, known: with_sum_one(known["raw"])), _CHAINED
    ),
)
CHAINED_OPTIMAL = CHAINED.variant(
    "the same at the optimal weights",
    compute=Proved(
        lambda shape, values: chained(
            shape, values, lambda t, known: solved(matrix_of(known["alpha"], known["D2"], known["R2"], t))
        ),
        _CHAINED,
    ),
)
EQUAL = CHAINED.variant(
    "gradients with drifts that are as correlated as Assumption 7 allows",
    space=lambda shape: {**CHAINED.space(shape), "share": Box(1, 1, (shape["t"],))},
)
