"""A round of FedProx for any number of clients, all of which take part, over all smooth losses of bounded dissimilarity."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

import bounds.fedprox.theorem as b
from verify.first_order import Form, Problem, Vector, dot, smooth, sq, worst_case
from verify.first_order.points import COUNTS, LARGER, LARGEST, NONNEGATIVE


def resting_round(problem: Problem) -> dict[str, Form]:
    """The change of the loss of a model that stands still."""
    return {"fall": 0 * sq(problem.point("x"))}


def _dissimilarity(problem: Problem, bound: Fraction, g: Vector) -> None:
    """Assume that the mean squared gradient is at most B^2 times the squared mean."""
    problem.assume(bound**2 * sq(problem.average(g)) - problem.mean_sq(g), "dissimilarity")


def local_solutions(
    problem: Problem, L: Fraction, weak: Fraction, mu: Fraction, gamma: Fraction, B: Fraction
) -> dict[str, Form]:
    """Clients solve their proximal problems up to a gradient of gamma times that at the start.

    Only the mean over the clients of the squared inexactness is bounded, which is less than the paper assumes.
    """
    f, x = problem.clients(smooth(L, -weak)), problem.point("x")
    g = f.gradient(x)
    _dissimilarity(problem, B, g)
    local, rest = problem.client_point("w"), problem.client_point("e")
    problem.assume(gamma**2 * problem.mean_sq(g) - problem.mean_sq(rest), "inexact solutions")
    f.answer(local, rest - mu * (local - x))
    return {
        "drift": problem.mean_sq(local - x),
        "inexact": problem.mean_sq(rest),
        "grad2": sq(problem.average(g)),
    }


def inexact_solutions(
    problem: Problem, L: Fraction, weak: Fraction, mu: Fraction, gamma: Fraction, B: Fraction
) -> dict[str, Form]:
    """The same for the claim about inexactness, which has its own multipliers."""
    return local_solutions(problem, L, weak, mu, gamma, B)


def server_model(
    problem: Problem, L: Fraction, mu: Fraction, off: Fraction, reach: Fraction
) -> dict[str, Form]:
    """The server's next model, the mean of arbitrary local models."""
    f, x = problem.clients(smooth(L)), problem.point("x")
    gradient = problem.average(f.gradient(x))
    local, rest = problem.client_point("w"), problem.client_point("e")
    f.answer(local, rest - mu * (local - x))
    return {
        "fall": f(problem.average(local)) - f(x),
        "grad2": sq(gradient),
        "drift": problem.mean_sq(local - x),
        "inexact": problem.mean_sq(rest),
    }


def sampled_model(problem: Problem, L: Fraction, K: Fraction) -> dict[str, Form]:
    """The mean of K local models drawn with replacement: it differs from the mean of all by a vector with mean zero."""
    f, x, local = problem.function(smooth(L)), problem.point("x"), problem.client_point("w")
    rest, center = problem.point("rest"), problem.average(local)
    problem.assume_equal(dot(f.gradient(center), rest), 0, "sampled clients are right on average")
    problem.assume_equal(K * sq(rest), problem.mean_sq(local - center), "variance of the sampled mean")
    return {"extra": f(center + rest) - f(center), "drift": problem.mean_sq(local - x)}


def stationary(problem: Problem, L: Fraction, B: Fraction) -> dict[str, Form]:
    """A stationary point of the mean loss, where dissimilarity is bounded as everywhere."""
    f = problem.clients(smooth(L))
    g = f.gradient(f.minimiser())
    _dissimilarity(problem, B, g)
    return {"steep": problem.mean_sq(g)}


def stationary_free(problem: Problem, L: Fraction, B: Fraction, eps: Fraction) -> dict[str, Form]:
    """A stationary point of the mean loss; its squared gradient 0 does not exceed epsilon, so nothing is assumed."""
    f = problem.clients(smooth(L))
    steep = problem.mean_sq(f.gradient(f.minimiser()))
    problem.assume(steep, "a square")
    return {"steep": steep}


# Ranges of constants that must exceed others end later, so that the values in the middle are in order; all mean "no end".
RANGES: dict[str, Any] = {
    "L": LARGEST,
    "weak": NONNEGATIVE,
    "mu": LARGER,
    "gamma": NONNEGATIVE,
    "B": NONNEGATIVE,
}
MONOTONE = 2 / b.CONVEXITY
"""Weight of strong monotonicity of the proximal problems, by both interpolation conditions between w_k and x."""
OF_DRIFT = {
    "f: 0, 1": MONOTONE,
    "f: 1, 0": MONOTONE,
    "inexact solutions": (1 + 1 / b.gamma) / b.CONVEXITY**2,
    "dissimilarity": (1 + b.gamma) ** 2 / b.CONVEXITY**2,
}
OF_INEXACT = {"inexact solutions": sp.Integer(1), "dissimilarity": b.gamma**2}
OF_SERVER = {"f: 0, 2": sp.Integer(1), "f: 0, 1": 1 / (b.reach * b.mu), "f: 1, 0": 1 / (b.reach * b.mu)}
DRIFT = worst_case(local_solutions, multipliers=OF_DRIFT, **RANGES)
INEXACT = worst_case(inexact_solutions, multipliers=OF_INEXACT, **RANGES)
SERVER = worst_case(
    server_model, multipliers=OF_SERVER, L=NONNEGATIVE, mu=NONNEGATIVE, off=NONNEGATIVE, reach=NONNEGATIVE
)
SAMPLING = worst_case(sampled_model, L=NONNEGATIVE, K=COUNTS)
STATIONARY = worst_case(stationary, L=NONNEGATIVE, B=NONNEGATIVE)
FREE = worst_case(stationary_free, L=NONNEGATIVE, B=NONNEGATIVE, eps=NONNEGATIVE)
RESTING = worst_case(resting_round)
