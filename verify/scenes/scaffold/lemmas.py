"""Sums of vectors, and gradients of one smooth strongly convex function at several points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import bounds.scaffold.symbols as b
from verify.first_order import Form, Problem, dot, smooth_strongly_convex, sq, worst_case
from verify.first_order.points import COUNTS, LARGER, NONNEGATIVE


def pair(problem: Problem, a: Fraction) -> dict[str, Form]:
    """Two arbitrary vectors."""
    u, v = problem.point("u"), problem.point("v")
    problem.assume(sq(u), "a square")
    return {"pair2": sq(u + v), "u2": sq(u), "v2": sq(v)}


def vectors(problem: Problem, tau: Fraction) -> dict[str, Form]:
    """Any tau vectors; each is their mean plus a deviation."""
    v = problem.client_point("v")
    problem.assume(problem.mean_sq(v), "a square")
    return {"sum2": tau**2 * sq(problem.average(v)), "mean2": problem.mean_sq(v)}


def dependent(problem: Problem, tau: Fraction) -> dict[str, Form]:
    """Any tau fixed vectors, each with a random error of mean zero. The errors may depend on each other."""
    xi, error, variance = problem.client_point("xi"), problem.client_point("e"), problem.constant("variance")
    problem.assume_equal(problem.mean_dot(problem.average(error), xi), 0, "errors have mean zero")
    problem.assume(variance - problem.mean_sq(error), "variance of the errors")
    average = problem.average(xi)
    return {
        "sum2": tau**2 * sq(average + problem.average(error)),
        "means2": tau**2 * sq(average),
        "sigma2": variance,
    }


def martingale(problem: Problem, tau: Fraction) -> dict[str, Form]:
    """Any tau vectors that may depend on earlier errors. Errors have mean zero given earlier ones, so they are orthogonal."""
    xi, error, variance = problem.client_point("xi"), problem.client_point("e"), problem.constant("variance")
    orthogonal = problem.mean_sq(error) - tau * sq(problem.average(error))
    problem.assume_equal(orthogonal, 0, "martingale differences are orthogonal")
    problem.assume(variance - problem.mean_sq(error), "variance of the errors")
    average = problem.average(xi)
    return {
        "sum2": tau**2 * sq(average + problem.average(error)),
        "means2": tau**2 * sq(average),
        "sigma2": variance,
    }


def two_steps(problem: Problem, tau: Fraction) -> dict[str, Form]:
    """Two vectors; the second one depends on the error of the first one, and each error has mean zero given what precedes it."""
    variance, first, second = problem.constant("variance"), problem.point("xi_1"), problem.point("xi_2")
    errors = problem.point("e_1"), problem.point("e_2")
    for error, earlier in zip(errors, ((first,), (first, second, errors[0])), strict=True):
        problem.assume(variance - sq(error), "variance of the errors")
        for vector in earlier:
            problem.assume_equal(dot(error, vector), 0, "errors have mean zero")
    return {
        "sum2": sq(first + second + errors[0] + errors[1]),
        "means2": sq(first + second),
        "sigma2": variance,
    }


def perturbed(problem: Problem, beta: Fraction, mu: Fraction) -> dict[str, Form]:
    """A function with its gradient at x and its values at y and z."""
    f = problem.function(smooth_strongly_convex(beta, mu))
    x, y, z = problem.point("x"), problem.point("y"), problem.point("z")
    return {"inner": dot(f.gradient(x), z - y), "fall": f(z) - f(y), "far_yz": sq(y - z), "far_xz": sq(z - x)}


def contraction(problem: Problem, beta: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    """A gradient step from each of two points."""
    f = problem.function(smooth_strongly_convex(beta, mu))
    x, y = problem.point("x"), problem.point("y")
    moved = x - eta * f.gradient(x) - (y - eta * f.gradient(y))
    return {"before": sq(x - y), "after": sq(moved)}


# The range of beta ends later than that of mu only so that the value in the middle is larger; both mean "no end".
RANGES: dict[str, Any] = {"beta": LARGER, "mu": NONNEGATIVE}
WEIGHT = 2 * b.eta * (1 - b.eta * b.mu)
PAIR = worst_case(pair, a=NONNEGATIVE)
VECTORS = worst_case(vectors, tau=COUNTS)
DEPENDENT = worst_case(dependent, tau=COUNTS)
MARTINGALE = worst_case(martingale, tau=COUNTS)
TWO = worst_case(two_steps, tau=2)
PERTURBED = worst_case(perturbed, **RANGES)
CONTRACTION = worst_case(
    contraction, multipliers={"f: 0, 1": WEIGHT, "f: 1, 0": WEIGHT}, **RANGES, eta=NONNEGATIVE
)
