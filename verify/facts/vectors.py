"""Facts about vectors, their means and their samples; algebra, each with its proof between arbitrary vectors.

The names are those of the user's own quantities: squared lengths and inner products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import sympy as sp

from nqm.fields import dot, sq
from verify.engine.scene import Box, Condition, Fact, Scene, Shape, Textbook, Values

Named = Mapping[str, Any]
HARDY = "Hardy, Littlewood, Polya, Inequalities, 1934, "
HANDBOOK = "Garrigos, Gower, Handbook of convergence theorems, 2023, "


def _fact(
    name: str,
    relation: Condition,
    source: str,
    compute: Callable[[Shape, Named], Values],
    shapes: tuple[Shape, ...],
    slack: str = "",
) -> Textbook:
    """A fact with its proof; vectors ``v`` (batch, n, d) and a positive number ``c`` are arbitrary."""
    scene = Scene(
        f"any vectors, for {name}",
        shapes,
        lambda s: {"v": Box(-1, 1, (s["n"], s["d"])), "c": Box(0.1, 1)},
        compute,
        covers="an identity between arbitrary vectors",
    )
    return Textbook(name, relation, source, proof=Fact(relation, scene, slack))


def _sizes(*numbers: int, dim: tuple[int, ...] = (1, 2)) -> tuple[Shape, ...]:
    return tuple({"n": n, "d": d} for n in numbers for d in dim)


def _pairs(v: Any) -> Any:
    """Sum of |x_i - x_j|^2 over the pairs."""
    pairs = combinations(range(v.shape[1]), 2)
    return sum((sq(v[:, i] - v[:, j]) for i, j in pairs), 0 * v[:, 0, 0])


def young(product: sp.Symbol, a2: sp.Symbol, b2: sp.Symbol, c: sp.Symbol) -> Textbook:
    """<a, b> <= c |a|^2 / 2 + |b|^2 / (2 c)."""

    def compute(shape: Shape, values: Named) -> Values:
        a, b, number = values["v"][:, 0], values["v"][:, 1], values["c"]
        slack = sq(number[:, None] * a - b) / (2 * number)
        return {product.name: dot(a, b), a2.name: sq(a), b2.name: sq(b), c.name: number, "slack": slack}

    relation = product <= c * a2 / 2 + b2 / (2 * c)
    return _fact("Young's inequality", relation, HARDY + "Theorem 61", compute, _sizes(2), "slack")


def cauchy_schwarz(product: sp.Symbol, a2: sp.Symbol, b2: sp.Symbol) -> Textbook:
    """<a, b>^2 <= |a|^2 |b|^2."""

    def compute(shape: Shape, values: Named) -> Values:
        a, b = values["v"][:, 0], values["v"][:, 1]
        pairs = combinations(range(shape["d"]), 2)
        slack = sum(((a[:, i] * b[:, j] - a[:, j] * b[:, i]) ** 2 for i, j in pairs), 0 * a[:, 0])
        return {product.name: dot(a, b), a2.name: sq(a), b2.name: sq(b), "slack": slack}

    sizes = _sizes(2, dim=(1, 2, 3))
    return _fact("Cauchy-Schwarz", product**2 <= a2 * b2, HARDY + "Theorem 7", compute, sizes, "slack")


def triangle(length: sp.Symbol, a1: sp.Symbol, b1: sp.Symbol) -> Textbook:
    """|a + b| <= |a| + |b|."""
    return Textbook("triangle inequality", length <= a1 + b1, HARDY + "Theorem 25")


def jensen(mean2: sp.Symbol, squares: sp.Symbol) -> Textbook:
    """|mean|^2 is at most the mean of |x_i|^2."""

    def compute(shape: Shape, values: Named) -> Values:
        v, n = values["v"], shape["n"]
        slack = _pairs(v) / n**2
        return {mean2.name: sq(v.sum(axis=1) / n), squares.name: sq(v).sum(axis=1) / n, "slack": slack}

    return _fact(
        "Jensen's inequality", mean2 <= squares, HARDY + "Theorem 86", compute, _sizes(1, 2, 3), "slack"
    )


def variance(squares: sp.Symbol, mean2: sp.Symbol, spread: sp.Symbol) -> Textbook:
    """The mean of squares is the square of the mean and the mean squared deviation."""

    def compute(shape: Shape, values: Named) -> Values:
        v, n = values["v"], shape["n"]
        mean = v.sum(axis=1) / n
        spread2 = sq(v - mean[:, None]).sum(axis=1) / n
        return {mean2.name: sq(mean), squares.name: sq(v).sum(axis=1) / n, spread.name: spread2}

    relation = sp.Eq(squares, mean2 + spread)
    return _fact("variance decomposition", relation, HANDBOOK + "Lemma 2.19", compute, _sizes(1, 2, 3))


def unbiased_noise(squares: sp.Symbol, mean2: sp.Symbol, noise2: sp.Symbol) -> Textbook:
    """E|g|^2 is |E g|^2 and the variance; noise v_1 of either sign around v_0."""

    def compute(shape: Shape, values: Named) -> Values:
        g, noise = values["v"][:, 0], values["v"][:, 1]
        seen = (sq(g + noise) + sq(g - noise)) / 2
        return {squares.name: seen, mean2.name: sq(g), noise2.name: sq(noise)}

    return _fact(
        "unbiased noise", sp.Eq(squares, mean2 + noise2), HANDBOOK + "Lemma 2.19", compute, _sizes(2)
    )


def _samples(shape: Shape, values: Named) -> tuple[Any, Any]:
    """Vectors around their mean, and their mean square."""
    v, n = values["v"], shape["n"]
    apart = v - (v.sum(axis=1) / n)[:, None]
    return apart, sq(apart).sum(axis=1) / n


def sampling_without_replacement(
    error2: sp.Symbol, spread: sp.Symbol, n: sp.Symbol, k: sp.Symbol
) -> Textbook:
    """Mean of k of n vectors, drawn without replacement: (n - k)/(k (n - 1)) of the variance."""

    def compute(shape: Shape, values: Named) -> Values:
        apart, spread2 = _samples(shape, values)
        chosen = list(combinations(range(shape["n"]), shape["k"]))
        error = sum(sq(apart[:, list(each)].sum(axis=1) / shape["k"]) for each in chosen) / len(chosen)
        return {error2.name: error, spread.name: spread2, n.name: shape["n"], k.name: shape["k"]}

    shapes = tuple({"n": many, "k": few, "d": 1} for many in (2, 3, 4) for few in range(1, many + 1))
    relation = sp.Eq(error2 * k * (n - 1), (n - k) * spread)
    return _fact(
        "sampling without replacement",
        relation,
        "Cochran, Sampling Techniques, 1977, Theorem 2.2",
        compute,
        shapes,
    )


def sampling_with_replacement(error2: sp.Symbol, spread: sp.Symbol, k: sp.Symbol) -> Textbook:
    """Mean of k independent draws: 1/k of the variance."""

    def compute(shape: Shape, values: Named) -> Values:
        apart, spread2 = _samples(shape, values)
        n = shape["n"]
        pairs = [(i, j) for i in range(n) for j in range(n)]
        both = sum(sq((apart[:, i] + apart[:, j]) / 2) for i, j in pairs) / n**2
        one = sum(sq(apart[:, i]) for i in range(n)) / n
        return {error2.name: both if shape["k"] == 2 else one, spread.name: spread2, k.name: shape["k"]}

    shapes = tuple({"n": n, "k": few, "d": 1} for n in (1, 2, 3) for few in (1, 2))
    relation = sp.Eq(error2 * k, spread)
    return _fact(
        "sampling with replacement",
        relation,
        "Cochran, Sampling Techniques, 1977, Theorem 2.3",
        compute,
        shapes,
    )
