"""Scenes of the assumptions of CFL: weighted noise, samples, wrong Hessians, time drifts of several rounds."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from nqm.fields import Array, abs_, amax, amin, dot, like, maximum, norm, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.drifts import largest, signs
from verify.scenes.cfl.uncorrelated_sums import OF_NOISES, OF_PAIRS, OF_SAMPLES, UNCORRELATED
from verify.scenes.cfl.weights import sums
from verify.scenes.parameters import allowance, with_sum_one

# --------------------------------------------------------------------------------------- stochastic gradients


def weighted_noise(shape: Shape, values: Named) -> Values:
    """Noise of the weighted sum of the gradients of all rounds, with independent noise of each."""
    weights, size = with_sum_one(values["raw"]), values["size"]
    outcomes = signs(shape["t"], size)[None]
    mixed = ((weights * size)[:, None] * outcomes).sum(axis=-1)
    return {
        "p": weights,
        "p_sum": weights.sum(axis=-1),
        "p_square": sums(weights, 0 * size[:, 0])["square"],
        "round_noise": size**2,
        "mixed_noise": (mixed**2).sum(axis=1) / outcomes.shape[1],
        "sigma2": amax(size**2, -1) * (1 + values["room"]) + values["room"],
    }


def _crossings(shape: Shape, values: Named) -> Values:
    """Expected products of the noises of two rounds."""
    noise = signs(shape["t"], values["size"])[None] * values["size"][:, None]
    pairs = combinations(range(shape["t"]), 2)
    products = [(noise[..., a] * noise[..., b]).sum(axis=1) / noise.shape[1] for a, b in pairs]
    return {"crossed_each": stack(products or [0 * values["size"][:, 0]], -1)}


NOISES = Scene(
    name="noise of a weighted sum",
    shapes=tuple({"t": t} for t in (1, 2, 3)),
    space=lambda shape: {
        "raw": Box(-1, 2, (shape["t"],)),
        "size": Box(0, 2, (shape["t"],)),
        "room": Box(0, 0),
    },
    room="room",
    compute=Proved(weighted_noise, OF_NOISES, (UNCORRELATED,), _crossings),
)


def of_samples(shape: Shape, values: Named) -> Values:
    """Variance of the gradient h_j (x - c_j) of a random sample at two models and between them."""
    h, c, n = values["h"], values["c"], shape["n"]

    def variance(x: Array) -> Array:
        gradient = h * (x[:, None] - c)
        return ((gradient - gradient.sum(axis=1)[:, None] / n) ** 2).sum(axis=1) / n

    x, y = values["x"], values["y"]
    return {
        "here_noise": variance(x),
        "there_noise": variance(y),
        "middle_noise": variance((x + y) / 2),
        "optimum_noise": variance((h * c).sum(axis=1) / h.sum(axis=1)),
        "spread_h": ((h - h.sum(axis=1)[:, None] / n) ** 2).sum(axis=1) / n,
        "models_apart2": (x - y) ** 2,
    }


SAMPLES = Scene(
    name="gradients of samples",
    shapes=tuple({"n": n} for n in (1, 2, 3)),
    space=lambda shape: {
        "h": Box(0.1, 4, (shape["n"],)),
        "c": Box(-2, 2, (shape["n"],)),
        "x": Box(-4, 4),
        "y": Box(-4, 4),
        "sigma2": Box(0, 20),
    },
    compute=Proved(of_samples, (OF_SAMPLES,)),
)


# ------------------------------------------------------------------------------------------- information loss


def wrong_hessian(shape: Shape, values: Named) -> Values:
    """Second-order approximation of a quadratic with an error `off` (batch, d) of the Hessian, at two models."""
    off, here, there = (values[name] for name in ("off", "x", "y"))
    lost = [norm(off * (x - values["at"])) for x in (here, there)]
    most = amax(stack(lost, -1), -1)
    return {
        "here_lost": lost[0],
        "there_lost": lost[1],
        "least_off": amin(abs_(off), -1),
        "models_apart": norm(here - there),
        "R2": (most * (1 + values["room"])) ** 2,
    }


HESSIANS = Scene(
    name="approximation with a wrong Hessian",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["d"],)) for name in ("off", "at", "x", "y")},
        "room": Box(0, 0),
    },
    room="room",
    compute=wrong_hessian,
)


# ------------------------------------------------------------------------------- time drifts of several rounds


def some_drifts(shape: Shape, values: Named) -> Values:
    """Equally likely time drifts (batch, outcome, t, d) of mean 0, and the constants of Assumption 3."""
    raw = values["drift"]
    count = raw.shape[1]
    xi = raw - raw.sum(axis=1)[:, None] / count
    mean = lambda x: x.sum(axis=1) / count  # noqa: E731
    pairs = list(combinations(range(shape["t"]), 2))
    product = lambda m, n: mean(dot(xi[:, :, m], xi[:, :, n]))  # noqa: E731
    square, more = sq(values["gradient"]), 1 + values["room"]
    each = mean(sq(xi))
    variance = allowance(largest(each), values["A2"], square, more) + values["D2_more"]
    return {
        "g2": square,
        "xi2": each,
        "D2": variance,
        "corr": stack([product(m, n) for m, n in pairs], 1),
        "one2": stack([each[:, m] for m, _ in pairs], 1),
        "other2": stack([each[:, n] for _, n in pairs], 1),
        "corr_near": product(0, 1),
        "corr_far": product(0, shape["t"] - 1),
        "changed2": stack([mean(sq(xi[:, :, n] - xi[:, :, m])) for m, n in pairs], 1),
    }


def of_pairs(shape: Shape, values: Named) -> Values:
    """The smallest constants of Assumptions 5 and 6."""
    found, more = some_drifts(shape, values), 1 + values["room"]
    square = found["g2"]
    return {
        **found,
        "F2_pair": allowance(found["corr"], values["C2_pair"], square[:, None], more[:, None]),
        "F2": allowance(largest(found["corr"]), values["C2"], square, more),
    }


def alike(shape: Shape, values: Named) -> Values:
    """Constants of Assumption 6 for every pair."""
    found = of_pairs(shape, values)
    every = 0 * found["corr"]
    return {**found, "F2_pair": found["F2"][:, None] + every, "C2_pair": values["C2"][:, None] + every}


def fading(shape: Shape, values: Named) -> Values:
    """The smallest alpha that Assumption 7 admits for neighbouring rounds, and any larger one; 0 by itself."""
    found = some_drifts(shape, values)
    level = found["D2"] + values["A2"] * found["g2"]
    least = maximum(found["corr_near"] / level, 0 * level)
    alpha = shape["correlated"] * (least * (1 + values["room"]) + values["alpha_more"])
    decay = stack([alpha ** (n - m) for m, n in combinations(range(shape["t"]), 2)], 1)
    return {
        **found,
        "alpha": alpha,
        "decay": decay,
        "F2_pair": decay * found["D2"][:, None],
        "C2_pair": decay * values["A2"][:, None],
        "F2": alpha * found["D2"],
        "C2": alpha * values["A2"],
    }


def _drift_space(shape: Shape) -> dict[str, Box]:
    pairs = shape["t"] * (shape["t"] - 1) // 2
    return {
        "drift": Box(-2, 2, (3, shape["t"], shape["d"])),
        "gradient": Box(-2, 2, (shape["d"],)),
        "A2": Box(0, 2),
        "D2_more": Box(0, 2),
        "C2": Box(0, 2),
        "C2_pair": Box(0, 2, (pairs,)),
        "alpha_more": Box(0, 1),
        "room": Box(0, 0),
    }


PAIRS = Scene(
    name="time drifts of several rounds",
    shapes=({"t": 2, "d": 1}, {"t": 3, "d": 1}, {"t": 2, "d": 2}),
    space=_drift_space,
    room="room",
    compute=Proved(of_pairs, (OF_PAIRS,)),
)
ALIKE = PAIRS.variant("time drifts with the same constants for all pairs", compute=alike)
NEXT = PAIRS.variant(
    "time drifts of a round and the next",
    shapes=tuple({"t": 2, "d": d, "correlated": flag} for d in (1, 2) for flag in (1, 0)),
    compute=Proved(fading, (OF_PAIRS,)),
)
ROUNDS = NEXT.variant(
    "time drifts of three rounds", shapes=tuple({"t": 3, "d": d, "correlated": 1} for d in (1, 2))
)


def reordered_drift(shape: Shape, values: Named) -> Values:
    """The second drift takes the values of the first in another order, so that both are equally large."""
    first = values["drift"][:, :, 0]
    shifts = [stack([first[:, (k + n) % 3] for k in range(3)], 1) for n in range(3)]
    chosen = sum(like(first, np.array(n == shape["shift"], dtype=int)) * x for n, x in enumerate(shifts))
    return fading(shape, {**values, "drift": stack([first, chosen], 2)})


TURNED = NEXT.variant(
    "time drifts of equal size",
    shapes=tuple({"t": 2, "d": d, "correlated": 1, "shift": n} for d in (1, 2) for n in range(3)),
    space=lambda shape: {**_drift_space(shape), "A2": Box(0, 0.1), "D2_more": Box(0, 0)},
    compute=Proved(reordered_drift, (OF_PAIRS,)),
)
EXACTLY = NEXT.variant(
    "time drifts that are as correlated as Assumption 7 allows",
    shapes=tuple({"t": 2, "d": d, "correlated": 1} for d in (1, 2)),
    space=lambda shape: {**_drift_space(shape), "alpha_more": Box(0, 0)},
)
