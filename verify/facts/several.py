"""Minimum, mean and maximum of several numbers, and sums of vectors of bounded length along another vector."""

from __future__ import annotations

import sympy as sp

from bounds.relations import ge, le
from verify.engine.model.scene import Condition, Textbook
from verify.engine.model.sums import Sums
from verify.facts.known import Known

HARDY = "Hardy, Littlewood, Polya, Inequalities, 1934, "


def largest(one: sp.Expr, most: sp.Expr) -> Textbook:
    """Each of several is at most the largest of them."""
    return Known("largest of several", le(one, most), "each is at most the largest")


def mean_below_largest(mean: sp.Expr, most: sp.Expr) -> Textbook:
    """The mean of several is at most the largest of them."""
    return Known("largest of several", le(mean, most), "the mean is at most the largest")


def least(least: sp.Expr, mean: sp.Expr) -> Textbook:
    """The least of several is at most their mean. What each exceeds the least by is the square of a vector."""
    excess = ["/", ["each", "n", "v", "v"], "n"]
    letters = {"n": "count", "v": "family n", "low": "real"}
    proof = Sums(le(least, mean), {least: "low", mean: ["+", "low", excess]}, letters)
    return Known("least of several", le(least, mean), "the least is at most the mean", proof=proof)


def least_value(value: sp.Expr, least: sp.Expr) -> Textbook:
    """Every value of a function is at least its minimum: the meaning of a letter for the minimum."""
    return Known("least value", ge(value, least), "by definition", about="class")


def mean_of_largest(mean_of_largest: sp.Expr, largest_mean: sp.Expr) -> Textbook:
    """The mean of the largest number of each case is at least the largest of the means."""
    relation = ge(mean_of_largest, largest_mean)
    return Known("the largest of several have the largest mean", relation, HARDY + "Theorem 368")


def along(product: sp.Expr, lengths: sp.Expr, *short: Condition) -> Textbook:
    """A weighted sum of <e_i, a> is at most the weighted sum of |e_i| |a|, under the bounds of |e_i| in `short`."""
    return Known("Cauchy-Schwarz", le(product, lengths), HARDY + "Theorem 7", short)
