"""Parts of one round of SCAFFOLD, over all smooth losses of any number of clients, convex or not.

The index of a mean runs over all pairs of a client and a local step, and over the noise, as in `rounds`. A control variate is the
mean of stochastic gradients at models alpha of one local training. Their errors are martingale differences, so the error
of a control variate has a mean square of at most sigma^2/K. It may depend on the models alpha.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

import bounds.scaffold.symbols as b
from verify.first_order import Form, Problem, dot, smooth, sq, worst_case
from verify.first_order.points import COUNTS, NONNEGATIVE, SHARE
from verify.scenes.standing_still import slope


def resting_on_a_slope(problem: Problem, beta: Fraction) -> dict[str, Form]:
    """The squared gradient and the loss of a model that stands still."""
    return dict(zip(("slope2", "gap"), slope(problem, beta), strict=True))


def nonconvex_local_step(problem: Problem, eta_l: Fraction, K: Fraction) -> dict[str, Form]:
    """One local step along any direction. Its noise has mean zero, so it adds its variance."""
    away, push, sigma2 = problem.client_point("y"), problem.client_point("push"), problem.constant("noise")
    return {
        "apart_0": problem.mean_sq(away),
        "apart": problem.mean_sq(away - eta_l * push) + eta_l**2 * sigma2,
        "push2": problem.mean_sq(push),
        "sigma2": sigma2,
    }


def corrected(problem: Problem, beta: Fraction, K: Fraction) -> dict[str, Form]:
    """Gradients at arbitrary local models, corrected by control variates."""
    f = problem.clients(smooth(beta))
    x, y, alpha = problem.point("x"), problem.client_point("y"), problem.client_point("alpha")
    slope = problem.average(f.gradient(x))
    sigma2, error = problem.constant("noise"), problem.client_point("o")
    problem.assume(sigma2 / K - problem.mean_sq(error), "old noise")
    direction = f.gradient(y)
    control = f.gradient(alpha) + error
    return {
        "push2": problem.mean_sq(direction + problem.average(control) - control),
        "apart_0": problem.mean_sq(y - x),
        "slope2": sq(slope),
        "behind_0": problem.mean_sq(alpha - x),
        "sigma2": sigma2,
    }


def nonconvex_server_step(
    problem: Problem, beta: Fraction, h: Fraction, K: Fraction, S: Fraction, spread: Fraction
) -> dict[str, Form]:
    """The server's step by the mean of sampled clients. The mean of all noise has variance at most sigma^2/(K S)."""
    f = problem.clients(smooth(beta))
    x, y, alpha = problem.point("x"), problem.client_point("y"), problem.client_point("alpha")
    slope = problem.average(f.gradient(x))
    sigma2, noise, error = problem.constant("noise"), problem.client_point("n"), problem.client_point("o")
    problem.assume(sigma2 / (K * S) - problem.sampled_sq(noise, spread), "noise of all steps")
    problem.assume(sigma2 / K - problem.mean_sq(error), "old noise")
    direction = f.gradient(y) + noise
    control = f.gradient(alpha) + error
    return {
        "moved2": h**2 * problem.sampled_sq(direction + problem.average(control) - control, spread),
        "slope2": sq(slope),
        "behind_0": problem.mean_sq(alpha - x),
        "drift": problem.mean_sq(y - x),
        "sigma2": sigma2,
    }


def expected_step(problem: Problem, beta: Fraction, h: Fraction) -> dict[str, Form]:
    """The server's expected step: neither sampling nor noise nor control variates change it."""
    f = problem.clients(smooth(beta))
    x, y = problem.point("x"), problem.client_point("y")
    slope = problem.average(f.gradient(x))
    return {
        "mean_moved2": h**2 * sq(problem.average(f.gradient(y))),
        "slope2": sq(slope),
        "drift": problem.mean_sq(y - x),
    }


def lag(problem: Problem, S: Fraction, N: Fraction, spread: Fraction) -> dict[str, Form]:
    """Distances from the server's new model: of the new local models of sampled clients, and of the old models of the others.

    Who is sampled also decides the server's step: a client that is left out sees the step of the others. With a share p = S/N
    the mean over the clients left out of <alpha_i, step> is (1 - p) <mean alpha, expected step> - p spread Cov(alpha, step).
    New noise is orthogonal to old models, so the expected step replaces the step in products with them.
    """
    old, new = problem.client_point("old"), problem.client_point("new")
    step, expected = problem.client_point("step"), problem.point("expected")
    share, mean = S / N, problem.average
    moved2, deviation = problem.sampled_sq(step, spread), step - mean(step)
    left_out = (1 - share) * dot(mean(old), expected) - share * spread * dot(old - mean(old), deviation)
    taken = dot(mean(new), mean(step)) + spread * dot(new - mean(new), deviation)
    return {
        "behind_0": problem.mean_sq(old),
        "drift": problem.mean_sq(new),
        "moved2": moved2,
        "mean_moved2": sq(expected),
        "behind": (1 - share) * problem.mean_sq(old)
        - 2 * left_out
        + share * problem.mean_sq(new)
        - 2 * share * taken
        + moved2,
    }


def descent(problem: Problem, beta: Fraction, h: Fraction) -> dict[str, Form]:
    """The loss after the server's step. Sampling and noise have mean zero, so they are orthogonal to the gradient."""
    f = problem.clients(smooth(beta))
    x, y, rest = problem.point("x"), problem.client_point("y"), problem.point("rest")
    slope = problem.average(f.gradient(x))
    problem.assume_equal(dot(slope, rest), 0, "sampling and noise have mean zero")
    step = rest - h * problem.average(f.gradient(y))
    return {
        "value_0": f(x),
        "value": f(x + step),
        "slope2": sq(slope),
        "drift": problem.mean_sq(y - x),
        "moved2": sq(step),
    }


SQUARE = b.h**2
OF_PUSH = {
    **dict.fromkeys(("f: 0, 1", "f: 1, 0"), 72 * b.beta),
    **dict.fromkeys(("f: 0, 2", "f: 2, 0"), 36 * b.beta / 5),
    "old noise": sp.Rational(9, 5),
}
"""Lipschitz gradients and noise, with the weights 36, 18/5 and 9/5 of Young's inequality."""
OF_SERVER = {
    **dict.fromkeys(("f: 0, 1", "f: 1, 0"), 8 * b.beta * SQUARE),
    **dict.fromkeys(("f: 0, 2", "f: 2, 0"), 16 * b.beta * SQUARE),
    "noise of all steps": 3 * SQUARE,
    "old noise": 4 * SQUARE * b.spread,
    "noise": 6 * SQUARE / (b.K * b.S) - 4 * SQUARE * b.spread / b.K,
}
OF_MEAN = dict.fromkeys(("f: 0, 1", "f: 1, 0"), 4 * b.beta * SQUARE)
OF_DESCENT = {**dict.fromkeys(("f: 0, 1", "f: 1, 0"), b.beta * b.h), "f: 0, 2": 1}
LOCAL = worst_case(nonconvex_local_step, eta_l=NONNEGATIVE, K=COUNTS)
PUSH = worst_case(corrected, multipliers=OF_PUSH, beta=NONNEGATIVE, K=COUNTS)
SERVER = worst_case(
    nonconvex_server_step,
    multipliers=OF_SERVER,
    beta=NONNEGATIVE,
    h=NONNEGATIVE,
    K=COUNTS,
    S=COUNTS,
    spread=SHARE,
)
MEAN = worst_case(expected_step, multipliers=OF_MEAN, beta=NONNEGATIVE, h=NONNEGATIVE)
LAG = worst_case(lag, S=COUNTS, N=COUNTS, spread=SHARE)
DESCENT = worst_case(descent, multipliers=OF_DESCENT, beta=NONNEGATIVE, h=NONNEGATIVE)
RESTING = worst_case(resting_on_a_slope, beta=NONNEGATIVE)
