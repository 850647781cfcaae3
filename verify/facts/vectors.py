"""Facts about vectors, their means and their samples; algebra, each with its proof.

The arguments are the user's own quantities: squared lengths and inner products. The proofs cover any number of vectors and
any dimension.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from bounds.relations import eq
from verify.engine.model.scene import Textbook
from verify.engine.model.sums import Sums
from verify.facts.known import Known

HARDY = "Hardy, Littlewood, Polya, Inequalities, 1934, "
HANDBOOK = "Garrigos, Gower, Handbook of convergence theorems, 2023, "
JORDAN = "Jordan, von Neumann, On inner products in linear metric spaces, 1935"
PAIR = {"a": "vector", "b": "vector"}
A2, B2, AB = (["dot", u, v] for u, v in ("aa", "bb", "ab"))


def _many(n: str) -> tuple[dict[str, str], Any, Any]:
    """n vectors v_i: the domains of their symbols, the square of their mean, and the mean of their squares."""
    total = ["total", "v"]
    return (
        {n: "count", "v": f"family {n}"},
        ["/", ["dot", total, total], ["^", n, "2"]],
        ["/", ["each", n, "v", "v"], n],
    )


def _squared(sign: str) -> Any:
    """The square of a + b, or of a - b."""
    return ["dot", [sign, "a", "b"], [sign, "a", "b"]]


def _spread(n: str) -> Any:
    """Mean squared deviation from the mean."""
    deviation = ["-", "v", ["*", ["/", "1", n], ["total", "v"]]]
    return ["/", ["each", n, deviation, deviation], n]


def young(product: sp.Symbol, a2: sp.Symbol, b2: sp.Symbol, c: sp.Symbol) -> Textbook:
    """<a, b> <= c |a|^2 / 2 + |b|^2 / (2 c)."""
    relation = product <= c * a2 / 2 + b2 / (2 * c)
    proof = Sums(relation, {product: AB, a2: A2, b2: B2}, PAIR)
    return Known("Young's inequality", relation, HARDY + "Theorem 61", proof=proof)


def cauchy_schwarz(product: sp.Symbol, a2: sp.Symbol, b2: sp.Symbol) -> Textbook:
    """<a, b>^2 <= |a|^2 |b|^2."""
    relation = product**2 <= a2 * b2
    proof = Sums(relation, {product: AB, a2: A2, b2: B2}, PAIR)
    return Known("Cauchy-Schwarz", relation, HARDY + "Theorem 7", proof=proof)


def multiple(length: sp.Symbol, number: sp.Expr, of: sp.Symbol) -> Textbook:
    """|c a| = |c| |a|."""
    source = "Rudin, Principles of Mathematical Analysis, 1976, Theorem 1.37"
    return Known("length of a multiple", eq(length, sp.Abs(number) * of), source)


def squared_sum(sum2: sp.Symbol, a2: sp.Symbol, b2: sp.Symbol, product: sp.Symbol) -> Textbook:
    """|a + b|^2 = |a|^2 + |b|^2 + 2 <a, b>."""
    letters = {sum2: _squared("+"), a2: A2, b2: B2, product: AB}
    relation = eq(sum2, a2 + b2 + 2 * product)
    return Known("square of a sum", relation, JORDAN, proof=Sums(relation, letters, PAIR))


def squared_difference(gap2: sp.Symbol, a2: sp.Symbol, b2: sp.Symbol, product: sp.Symbol) -> Textbook:
    """|a - b|^2 = |a|^2 + |b|^2 - 2 <a, b>."""
    letters = {gap2: _squared("-"), a2: A2, b2: B2, product: AB}
    relation = eq(gap2, a2 + b2 - 2 * product)
    return Known("square of a difference", relation, JORDAN, proof=Sums(relation, letters, PAIR))


def length(a1: sp.Symbol, a2: sp.Symbol) -> Textbook:
    """|a| is the root of <a, a>."""
    return Known("length", eq(a1**2, a2), "Rudin, Principles of Mathematical Analysis, 1976, Definition 1.36")


def triangle(length: sp.Symbol, a1: sp.Symbol, b1: sp.Symbol) -> Textbook:
    """|a + b| <= |a| + |b|."""
    return Known("triangle inequality", length <= a1 + b1, HARDY + "Theorem 25")


def length_of_mean(mean1: sp.Symbol, lengths: sp.Symbol) -> Textbook:
    """|mean| is at most the mean of |x_i|."""
    return Known("triangle inequality", mean1 <= lengths, HARDY + "Theorem 25")


def linear_map(length: sp.Symbol, a1: sp.Symbol, norm: sp.Symbol, b1: sp.Symbol) -> Textbook:
    """|a + A b| <= |a| + |A| |b|."""
    source = "Rudin, Principles of Mathematical Analysis, 1976, Theorems 1.37 and 9.7"
    return Known("norm of a linear map", length <= a1 + norm * b1, source)


def least_stretch(least: sp.Symbol, far: sp.Symbol, one: sp.Symbol, other: sp.Symbol) -> Textbook:
    """s |x - y| <= |A x| + |A y| for the least singular value s of A."""
    source = "Horn, Johnson, Matrix Analysis, 2013, Section 7.3"
    return Known("least singular value", least * far <= one + other, source)


def jensen(mean2: sp.Symbol, squares: sp.Symbol) -> Textbook:
    """|mean|^2 is at most the mean of |x_i|^2."""
    letters, of_mean, of_squares = _many("n")
    proof = Sums(relation := mean2 <= squares, {mean2: of_mean, squares: of_squares}, letters)
    return Known("Jensen's inequality", relation, HARDY + "Theorem 86", proof=proof)


def total(total2: sp.Symbol, mean2: sp.Symbol, n: sp.Symbol) -> Textbook:
    """A sum is n times the mean: |sum|^2 = n^2 |mean|^2."""
    letters, of_mean, _ = _many(n.name)
    relation = eq(total2, n**2 * mean2)
    proof = Sums(relation, {total2: ["dot", ["total", "v"], ["total", "v"]], mean2: of_mean}, letters)
    return Known("square of a sum of several", relation, HARDY + "Theorem 86", proof=proof)


def variance(squares: sp.Symbol, mean2: sp.Symbol, spread: sp.Symbol) -> Textbook:
    """The mean of squares is the square of the mean plus the mean squared deviation."""
    letters, of_mean, of_squares = _many("n")
    relation = eq(squares, mean2 + spread)
    proof = Sums(relation, {mean2: of_mean, squares: of_squares, spread: _spread("n")}, letters)
    return Known("variance decomposition", relation, HANDBOOK + "Lemma 2.19", proof=proof)


def unbiased_noise(squares: sp.Symbol, mean2: sp.Symbol, noise2: sp.Symbol) -> Textbook:
    """E|g|^2 is |E g|^2 plus the variance, where g has any number of equally likely values."""
    same = variance(squares, mean2, noise2)
    return Known("unbiased noise", same.relation, same.source, proof=same.proof)


def sampling_without_replacement(
    error2: sp.Symbol, spread: sp.Symbol, n: sp.Symbol, k: sp.Symbol
) -> Textbook:
    """Mean of k of n vectors, drawn without replacement: (n - k)/(k (n - 1)) of the variance.

    A vector is drawn with probability k/n, and a pair with probability k (k - 1)/(n (n - 1)).
    """
    few, many = k.name, n.name
    one, two = ["/", few, many], ["/", _times_less_one(few), _times_less_one(many)]
    relation = eq(error2 * k * (n - 1), (n - k) * spread)
    return _sampling("sampling without replacement", relation, "2.2", error2, spread, (many, few, one, two))


def sampling_with_replacement(error2: sp.Symbol, spread: sp.Symbol, k: sp.Symbol) -> Textbook:
    """Mean of k independent draws: 1/k of the variance.

    The numbers of draws of two vectors have the mean product k (k - 1)/n^2, plus k/n if both are the same vector.
    """
    two = ["/", _times_less_one(k.name), ["^", "n", "2"]]
    one = ["+", ["/", k.name, "n"], two]
    relation = eq(error2 * k, spread)
    return _sampling("sampling with replacement", relation, "2.3", error2, spread, ("n", k.name, one, two))


def _sampling(
    name: str, relation: sp.Eq, place: str, error2: sp.Symbol, spread: sp.Symbol, drawn: tuple[Any, ...]
) -> Textbook:
    """The unbiased mean of k draws: squares of n vectors have one mean weight, products of two vectors another."""
    n, k, one, two = drawn
    letters, of_mean, _ = _many(n)
    squares, whole = ["each", n, "v", "v"], ["dot", ["total", "v"], ["total", "v"]]
    seen = ["/", ["+", ["*", one, squares], ["*", two, ["-", whole, squares]]], ["^", k, "2"]]
    proof = Sums(relation, {error2: ["-", seen, of_mean], spread: _spread(n)}, letters)
    return Known(name, relation, f"Cochran, Sampling Techniques, 1977, Theorem {place}", proof=proof)


def _times_less_one(n: str) -> Any:
    return ["*", n, ["-", n, "1"]]
