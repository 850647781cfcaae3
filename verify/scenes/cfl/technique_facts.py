"""Facts about sums of random vectors and about nondecreasing weights (CFL, Lemmas A.4 and A.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import sympy as sp

from bounds.cfl import techniques as b
from bounds.cfl.symbols import T, eta, mu, sigma2
from bounds.relations import eq, ge, le, lt
from nqm.fields import Array, sq
from verify.engine.model.expressions import Excess, Least
from verify.engine.model.scene import Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cfl.drifts import signs

RandomVectors = Callable[[Array, Named], Values]

SEPARATED = eq(b.sum_X2, b.of_means2 + b.of_scatter)
OF_MEANS = le(b.of_means2, b.tau * b.sum_means2)
OF_SCATTER = le(b.of_scatter, b.tau * b.sum_scatter)
OF_SIGNS = eq(b.of_scatter, b.sum_scatter)
SUMMED = le(b.sum_scatter, b.M_var * b.sum_means2 + b.tau * sigma2)
ORDERED = ge(b.crossed, 0)

TELESCOPED_USED = le(b.Phi_used, (1 - mu * eta) * b.d0 / (eta * b.W_T))
GEOMETRIC = eq(mu * eta * b.W_T * b.shrunk, 1 - (1 - mu * eta) * b.shrunk)
_mean_start = b.d0 / (T + 1)
FALLEN = le(b.Phi, _mean_start / eta + b.c1 * eta + b.c2 * eta**2)
BY_FIRST = le(b.c1 * eta, sp.sqrt(b.c1) * sp.sqrt(_mean_start))
BY_SECOND = le(b.c2 * eta**2, sp.cbrt(b.c2) * sp.cbrt(_mean_start) ** 2)
BY_START = le(
    _mean_start / eta,
    _mean_start / b.eta_max
    + sp.sqrt(b.c1) * sp.sqrt(_mean_start)
    + sp.cbrt(b.c2) * sp.cbrt(_mean_start) ** 2,
)
TELESCOPED = le(b.Phi, (1 - mu * eta) ** 2 * b.d0 / (eta * b.W_T))

_SIZES = tuple({"tau": tau, "d": 1} for tau in (1, 2, 3, 4))


def _apart(vectors: Array) -> Array:
    """Sum over the pairs of vectors (..., n, d) of their squared distances."""
    pairs = combinations(range(vectors.shape[-2]), 2)
    return sum((sq(vectors[..., i, :] - vectors[..., j, :]) for i, j in pairs), 0 * sq(vectors[..., 0, :]))


def _with_slacks(x: Array, values: Named, random_vectors: RandomVectors) -> Values:
    """Quantities of Lemma A.4 for outcomes x (1, outcome, tau, d) and a given sigma^2."""
    means = x.sum(axis=1) / x.shape[1]
    found = random_vectors(x, {**values, "room": 0 * values["M_var"]})
    left = values["M_var"][0] * found["means2"] + values["sigma2"][0] - found["scatter"]
    return {
        **found,
        "sigma2": values["sigma2"],
        "left_scatter": left,
        "slack_means": _apart(means),
        "slack_scatter": _apart(x - means[:, None]).sum(axis=1) / x.shape[1],
        "slack_sum": values["room_scatter"].sum(axis=1),
    }


def _constants(shape: Shape) -> Mapping[str, Box]:
    return {**dict.fromkeys(("M_var", "sigma2"), Box(0.1, 1)), "room_scatter": Box(0.1, 1, (shape["tau"],))}


_ASSUMED = {"room_scatter": ("left_scatter", le(b.scatter, sigma2 + b.M_var * b.means2))}


def facts_of_vectors(random_vectors: RandomVectors) -> tuple[Fact, ...]:
    """Facts about random vectors, dependent or not."""
    scene = Scene(
        name="any random vectors",
        shapes=_SIZES,
        space=lambda shape: {**_constants(shape), "x": Box(-1, 1, (2, shape["tau"], shape["d"]))},
        compute=lambda shape, values: _with_slacks(values["x"], values, random_vectors),
        covers="an identity between 1 to 4 arbitrary random vectors with two outcomes, where what bounds their scatter is "
        "taken as it is; both sides are means of symmetric quadratic forms, the same in every coordinate, with "
        "coefficients of degree 1 in tau, and depend on the vectors through first and second moments alone",
    )
    return (
        Fact(SEPARATED, scene),
        Fact(OF_MEANS, scene, "slack_means"),
        Fact(OF_SCATTER, scene, "slack_scatter"),
        Fact(SUMMED, scene, "slack_sum", _ASSUMED),
    )


def facts_of_uncorrelated(random_vectors: RandomVectors) -> tuple[Fact, ...]:
    """Facts about uncorrelated random vectors."""

    def compute(shape: Shape, values: Named) -> Values:
        flips = signs(shape["tau"], values["mean"])[None, :, :, None]
        return _with_slacks(values["mean"][:, None] + flips * values["off"][:, None], values, random_vectors)

    vectors = lambda shape: Box(-1, 1, (shape["tau"], shape["d"]))  # noqa: E731
    scene = Scene(
        name="any uncorrelated random vectors",
        shapes=_SIZES,
        space=lambda shape: {**_constants(shape), **dict.fromkeys(("mean", "off"), vectors(shape))},
        compute=compute,
        covers="an identity between 1 to 4 random vectors that leave arbitrary means to either side, each by a sign of its "
        "own; both sides depend on them through first and second moments alone, which all uncorrelated vectors share",
    )
    return (*facts_of_vectors(random_vectors), Fact(OF_SIGNS, scene))


def facts_of_rounds(weighted_rounds: Callable[[Shape, Named], Values]) -> tuple[Fact, ...]:
    """Facts about nondecreasing weights of rounds."""

    def compute(shape: Shape, values: Named) -> Values:
        up, T = values["up"], shape["T"]
        pairs = combinations(range(T), 2)
        terms = (up[:, r + 1 : s + 1].sum(axis=1) * sp.Rational(s - r, (r + 1) * (s + 1)) for r, s in pairs)
        return {**weighted_rounds(shape, values), "slack": sum(terms, 0 * up[:, 0])}

    scene = Scene(
        name="any weights of rounds that do not fall",
        shapes=tuple({"T": T} for T in range(1, 7)),
        space=lambda shape: {"up": Box(0.1, 1, (shape["T"],))},
        compute=compute,
        covers="an identity between arbitrary increments of the weights of 1 to 6 rounds; every pair of rounds adds the "
        "product of what the weight rises and what the inverse of its number falls",
    )
    return (Fact(ORDERED, scene, "slack", {"up": ("up", ge(b.rise, 0))}),)


SHORT = lt(mu * eta, 1)
"""The condition under which a step keeps a positive share of the distance."""
_SHORT = {"kept": ("left", SHORT)}


def facts_of_sequences(weighted_sums: Callable[[int, Array, Array, Array], Values]) -> tuple[Fact, ...]:
    """Facts about a weighted sum that nearly telescopes; `kept` = 1 - mu eta > 0 is the factor of a step eta < 1/mu."""

    def compute(shape: Shape, values: Named) -> Values:
        T, eta_, mu_, kept, d = shape["T"], *(values[name] for name in ("eta", "mu", "kept", "d"))
        left, grown, up = 1 - mu_ * eta_, 1 / kept, mu_ * eta_ / kept
        total = eta_ * sum(grown ** (r - 1) for r in range(1, T + 2))
        inner = sum((grown ** (r - 2) * up * d[:, r] for r in range(1, T + 1)), 0 * up)
        last = grown**T * d[:, T + 1] / total
        found = weighted_sums(T, left, mu_, d)
        return {**found, "left": left, "shrunk": left**T, "slack": inner / total + last, "slack_used": last}

    scene = Scene(
        name="any sequence that is not negative",
        shapes=tuple({"T": T} for T in (1, 2, 3)),
        space=lambda shape: {
            **{name: Box(0.1, 1) for name in ("eta", "mu", "kept")},
            "d": Box(0.1, 1, (shape["T"] + 2,)),
        },
        compute=compute,
        covers="an identity between arbitrary terms of a sequence for 1 to 3 rounds; each inner term is left with its weight times "
        "mu eta, the last with its weight",
    )
    return (
        Fact(TELESCOPED, scene, "slack", _SHORT),
        Fact(TELESCOPED_USED, scene, "slack_used", _SHORT),
        Fact(GEOMETRIC, scene, assumed=_SHORT),
    )


def _tuned(shape: Shape, values: Named) -> Values:
    """The step of Lemma A.2 for d_0/(T + 1) = `sixth`^6 (so that all roots are rational), and the three terms separately."""
    a, rounds = values["sixth"] ** 6, shape["T"] + 1
    top, first, second = (values[f"alone_{k}"][0] for k in range(3))
    one = lambda x: values["sixth"] * 0 + x  # noqa: E731
    largest, over = sp.Max(top, first, second), Excess(second, top, first)
    size, c1, c2 = a / largest, first**2 / a, second**3 / a**2
    start = a * rounds
    return {
        "d0": start,
        "eta": size,
        "eta_max": a / top,
        "c1": c1,
        "c2": c2,
        "Phi": (start - values["last"]) / (rounds * size) + c1 * size + c2 * size**2,
        "slack_fallen": values["last"] / (rounds * size),
        "slack_first": one(first * Excess(first, top, second) / largest),
        "slack_second": one(second * over * (2 * second + over) / largest**2),
        "slack_start": one(Least(first + second, top + second, top + first)),
    }


_STEP = Scene(
    name="the step of Lemma A.2 for any constants",
    shapes=({"T": T},),
    space=lambda shape: {
        **dict.fromkeys(("sixth", "alone_0"), Box(0.1, 1)),
        **dict.fromkeys(("alone_1", "alone_2", "last"), Box(0, 1)),
    },
    compute=_tuned,
    covers="an identity between arbitrary constants and any number of rounds",
)
OF_STEP = (
    Fact(FALLEN, _STEP, "slack_fallen"),
    Fact(BY_FIRST, _STEP, "slack_first"),
    Fact(BY_SECOND, _STEP, "slack_second"),
    Fact(BY_START, _STEP, "slack_start"),
)
