"""Scenes of the techniques in CFL, Appendix A: sums of sequences, sums of vectors, nondecreasing weights."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import sympy as sp

from nqm.fields import Array, abs_, amax, dot, exp, like, log, maximum, power, sq, sqrt, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.drifts import signs
from verify.scenes.cfl.technique_facts import (
    COVARIANCES,
    OF_RANDOM,
    OF_ROUNDS,
    OF_SEQUENCES,
    OF_STEP,
    OF_UNCORRELATED,
    OF_VECTORS,
    SHORT,
)
from verify.scenes.parameters import with_sum_one

# ------------------------------------------------------------------------------------------ rates (A.1, A.2)


def linear_rate(shape: Shape, values: Named) -> Values:
    """Lemma A.1 for d (batch, T + 2) at the step eta = (1 - exp(-mu eta_max)) / mu, which is at most eta_max."""
    T = shape["T"]
    eta_max = (1 + values["longer"]) / (2 * T * values["mu"])
    return {
        "eta_max": eta_max,
        "shrunk": exp(-values["mu"] * eta_max * T),
        **weighted_sums(T, exp(-values["mu"] * eta_max), values["mu"], values["d"]),
    }


def weighted_sums(T: int, kept: Array, mu: Array, d: Array) -> Values:
    """The means of Lemma A.1 at the step whose 1 - mu eta is `kept`."""
    size = (1 - kept) / mu
    weight = lambda r: power(kept, 1 - r)  # noqa: E731
    total = sum(weight(r) for r in range(1, T + 2))
    fall = lambda r, first: first / size * kept * d[:, r - 1] - weight(r) / size * d[:, r]  # noqa: E731
    return {
        "eta": size,
        "d0": d[:, 0],
        "W_T": total,
        "Phi": sum(fall(r, weight(r - 1)) for r in range(1, T + 2)) / total,
        "Phi_used": sum(fall(r, weight(r)) for r in range(1, T + 2)) / total,
    }


LINEAR = Scene(
    name="weighted sums of a sequence",
    shapes=tuple({"T": T} for T in (1, 2, 3, 5, 8)),
    space=lambda shape: {
        "d": Box(0, 2, (shape["T"] + 2,)),
        "mu": Box(0.01, 10, scale="log"),
        "longer": Box(0.001, 20, scale="log"),
    },
    compute=Proved(linear_rate, OF_SEQUENCES, (SHORT,)),
)


def sublinear_rate(shape: Shape, values: Named) -> Values:
    """Lemma A.2 for d (batch, T + 2) at the step min(eta_max, sqrt(a/c_1), cbrt(a/c_2)), a = d_0/(T+1).

    For a sequence that starts at zero this step is zero. Any other step can be used then, since the mean grows with it.
    """
    T, top = shape["T"], values["eta_max"]
    c1, c2 = values["c1"], values["c2"]
    d = values["d"] if shape["starts"] else values["d"] * like(top, (np.arange(T + 2) > 0).astype(int))
    if shape["starts"]:
        a = d[:, 0] / (T + 1)
        slowest = maximum(1 / top, sqrt(c1 / a))
        size = 1 / maximum(slowest, power(c2 / a, sp.Rational(1, 3)))
    else:
        size = top / 2**20
    mean = (d[:, 0] - d[:, T + 1]) / ((T + 1) * size) + c1 * size + c2 * size**2
    sixth = power(d[:, 0] / (T + 1), sp.Rational(1, 6)) if shape["starts"] else 0 * top
    return {
        "eta": size,
        "d0": d[:, 0],
        "Phi": mean,
        "sixth": sixth,
        "alone_0": sixth**6 / top,
        "alone_1": sqrt(c1) * sixth**3,
        "alone_2": power(c2, sp.Rational(1, 3)) * sixth**4,
        "last": d[:, T + 1],
    }


SUBLINEAR = Scene(
    name="sums of a sequence",
    shapes=tuple({"T": T, "starts": starts} for T in (1, 2, 4) for starts in (1, 0)),
    space=lambda shape: {
        "d": Box(0, 2, (shape["T"] + 2,)),
        "eta_max": Box(0.01, 10, scale="log"),
        "c1": Box(0.001, 10, scale="log"),
        "c2": Box(0.001, 10, scale="log"),
    },
    compute=Proved(sublinear_rate, OF_STEP),
)


# ------------------------------------------------------------------------------------ vectors (A.3, A.4, A.6)


def mean_of_vectors(shape: Shape, values: Named) -> Values:
    """Lemma A.3 for v (batch, tau, d)."""
    v, count = values["v"], shape["tau"]
    pairs = [sq(v[:, i] - v[:, j]) for i, j in combinations(range(count), 2)]
    return {
        "mean_norm2": sq(v.sum(axis=1)) / count**2,
        "mean_sq": sq(v).sum(axis=1) / count,
        "pairs2": sum(pairs, 0 * v[:, 0, 0]),
    }


VECTORS = Scene(
    name="vectors",
    shapes=tuple({"tau": n, "d": d} for n, d in ((1, 1), (2, 1), (3, 1), (4, 1), (3, 2))),
    space=lambda shape: {"v": Box(-2, 2, (shape["tau"], shape["d"]))},
    compute=Proved(mean_of_vectors, (OF_VECTORS,)),
)


def random_vectors(x: Array, values: Named) -> Values:
    """Lemma A.4 for equally likely outcomes x (batch, outcome, tau, d)."""
    outcomes = x.shape[1]
    mean = lambda y: y.sum(axis=1) / outcomes  # noqa: E731
    means = mean(x)
    off = x - means[:, None]
    each, level = mean(sq(off)), sq(means)
    pairs = [abs_(pair) for pair in covariances(off)]
    more, growth = (values[name][:, None] for name in ("room", "M_var"))
    left = maximum(amax(each * (1 + more) - growth * level, 1), 0 * each[:, 0])
    return {
        "sigma2": left + values["room"],
        "scatter": each,
        "means2": level,
        "sum_X2": mean(sq(x.sum(axis=2))),
        "sum_means2": level.sum(axis=1),
        "of_means2": sq(means.sum(axis=1)),
        "sum_scatter": each.sum(axis=1),
        "of_scatter": mean(sq(off.sum(axis=2))),
        "covariance": amax(stack(pairs, -1), -1) if pairs else 0 * each[:, 0],
    }


DEPENDENT = Scene(
    name="random vectors, dependent or not",
    shapes=tuple({"tau": n, "d": d} for n, d in ((1, 1), (2, 1), (3, 1), (2, 2))),
    space=lambda shape: {
        "x": Box(-2, 2, (3, shape["tau"], shape["d"])),
        "M_var": Box(0, 2),
        "room": Box(0, 0),
    },
    room="room",
    compute=Proved(lambda shape, values: random_vectors(values["x"], values), OF_RANDOM),
)


def _signed(shape: Shape, values: Named) -> Values:
    return random_vectors(_with_signs(shape, values), values)


def _with_signs(shape: Shape, values: Named) -> Array:
    flips = signs(shape["tau"], values["mean"])[None, :, :, None]
    return values["mean"][:, None] + flips * values["off"][:, None]


def _covariances(shape: Shape, values: Named) -> Values:
    """Covariances of all pairs of vectors."""
    x = _with_signs(shape, values)
    return {
        "covariance_each": stack(
            covariances(x - x.sum(axis=1)[:, None] / x.shape[1]) or [0 * x[:, 0, 0, 0]], -1
        )
    }


def covariances(off: Array) -> list[Array]:
    """Covariances of the pairs of random vectors (batch, outcome, tau, d) of mean zero."""
    pairs = combinations(range(off.shape[2]), 2)
    return [dot(off[:, :, i], off[:, :, j]).sum(axis=1) / off.shape[1] for i, j in pairs]


UNCORRELATED = DEPENDENT.variant(
    "independent random vectors",
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["tau"], shape["d"])) for name in ("mean", "off")},
        "M_var": Box(0, 2),
        "room": Box(0, 0),
    },
    compute=Proved(_signed, OF_UNCORRELATED, COVARIANCES, _covariances),
)


def weighted_rounds(shape: Shape, values: Named) -> Values:
    """Lemma A.6: nondecreasing weights with sum one."""
    T, up = shape["T"], values["up"]
    p = with_sum_one(stack([up[:, : r + 1].sum(axis=1) for r in range(T)], 1))
    inverse = [(1 + 0 * up[:, 0]) / r for r in range(1, T + 1)]
    pairs = [(p[:, s] - p[:, r]) * (inverse[r] - inverse[s]) for r, s in combinations(range(T), 2)]
    return {
        "S_p": sum(p[:, r] * inverse[r] for r in range(T)),
        "harmonic": sum(inverse),
        "total": p.sum(axis=1),
        "rise": up[:, 1:] if T > 1 else 0 * up,
        "crossed": sum(pairs, 0 * up[:, 0]),
    }


ROUNDS = Scene(
    name="weights of rounds that do not fall",
    shapes=tuple({"T": T} for T in (1, 2, 3, 4, 6)),
    space=lambda shape: {"up": Box(0, 2, (shape["T"],))},
    compute=Proved(weighted_rounds, OF_ROUNDS),
)
HARMONIC = Scene(
    name="whole numbers of rounds",
    shapes=tuple({"T": T} for T in (*range(1, 33), 64, 256, 1024)),
    space=lambda shape: {"one": Box(1, 1)},
    compute=lambda shape, values: {
        "harmonic": sum(values["one"] / r for r in range(1, shape["T"] + 1)),
        "log_T": log(values["one"] * shape["T"]),
    },
)
