"""Parts of one round of SCAFFOLD, over all smooth convex losses of any number of clients.

The index of a mean runs over all pairs of a client and a local step, so any number of local steps is included. A client's loss
and control variate are the same for all its steps; the worst case over pairs allows more. Means over steps inside a square are
bounded by the mean of the squares (Jensen). A vector of a pair is the mean over all pairs plus a deviation.
"""

from __future__ import annotations

from fractions import Fraction

import bounds.scaffold.symbols as b
from verify.first_order import (
    Form,
    Problem,
    Vector,
    dot,
    smooth_convex,
    smooth_strongly_convex,
    sq,
    worst_case,
)
from verify.first_order.points import COUNTS, LARGER, NONNEGATIVE, SHARE
from verify.scenes.standing_still import excess


def resting_with_a_gap(problem: Problem, beta: Fraction) -> dict[str, Form]:
    """The loss and the distance of a model that stands still."""
    return dict(zip(("gap", "distance2_0"), excess(problem, beta), strict=True))


def _control(problem: Problem, sigma2: Form, steps: Fraction) -> tuple[Vector, Form]:
    """Errors c_i - grad f_i(x*) of the control variates, and the control lag.

    The expectation of an error has the mean square C. Its random part is a mean of K stochastic gradients, with variance
    at most sigma^2/K.
    """
    error, lag = problem.client_point("l"), problem.constant("C")
    problem.assume(lag + sigma2 / steps - problem.mean_sq(error), "control lag")
    return error, lag


def local_step(problem: Problem, beta: Fraction, eta_l: Fraction, K: Fraction) -> dict[str, Form]:
    """One local step from arbitrary local models. Its noise has mean zero, so it adds its variance."""
    f = problem.clients(smooth_convex(beta))
    best, x, y = f.minimiser(), problem.point("x"), problem.client_point("y")
    sigma2 = problem.constant("noise")
    error, lag = _control(problem, sigma2, K)
    control = error + f.gradient(best)
    after = y - eta_l * (f.gradient(y) + problem.average(control) - control)
    return {
        "apart_0": problem.mean_sq(y - x),
        "apart": problem.mean_sq(after - x) + eta_l**2 * sigma2,
        "gap": f(x) - f(best),
        "lag_0": lag,
        "sigma2": sigma2,
    }


def server_step(
    problem: Problem, beta: Fraction, h: Fraction, K: Fraction, S: Fraction, spread: Fraction
) -> dict[str, Form]:
    """The server's step by the mean of sampled clients. The mean of all noise has variance at most sigma^2/(K S)."""
    f = problem.clients(smooth_convex(beta))
    best, x, y = f.minimiser(), problem.point("x"), problem.client_point("y")
    sigma2, noise = problem.constant("noise"), problem.client_point("n")
    problem.assume(sigma2 / (K * S) - problem.sampled_sq(noise, spread), "noise of all steps")
    error, lag = _control(problem, sigma2, K)
    control = error + f.gradient(best)
    direction = f.gradient(y) + noise + problem.average(control) - control
    return {
        "moved2": h**2 * problem.sampled_sq(direction, spread),
        "gap": f(x) - f(best),
        "lag_0": lag,
        "drift": problem.mean_sq(y - x),
        "sigma2": sigma2,
    }


def control_lag(problem: Problem, beta: Fraction, S: Fraction, N: Fraction) -> dict[str, Form]:
    """Expected control variates: a client takes part with probability S/N and then stores the mean of its gradients."""
    f = problem.clients(smooth_convex(beta))
    best, x, y = f.minimiser(), problem.point("x"), problem.client_point("y")
    error = problem.client_point("l")
    share = S / N
    after = (1 - share) * error + share * (f.gradient(y) - f.gradient(best))
    return {
        "lag_0": problem.mean_sq(error),
        "lag": problem.mean_sq(after),
        "gap": f(x) - f(best),
        "drift": problem.mean_sq(y - x),
    }


def server_distance(problem: Problem, beta: Fraction, mu: Fraction, h: Fraction) -> dict[str, Form]:
    """Expected distance after the server's step. Sampling and noise have mean zero; the squared step is a number."""
    f = problem.clients(smooth_strongly_convex(beta, mu))
    best, x, y = f.minimiser(), problem.point("x"), problem.client_point("y")
    moved2 = problem.constant("step")
    along = dot(problem.average(f.gradient(y)), x - best)
    return {
        "distance2_0": sq(x - best),
        "distance2": sq(x - best) - 2 * h * along + moved2,
        "gap": f(x) - f(best),
        "drift": problem.mean_sq(y - x),
        "moved2": moved2,
    }


GROWTH, SQUARE = 1 + 1 / (b.K - 1), b.eta_l**2
OF_LOCAL = {
    "f: 1, 2": 2 * b.eta_l * GROWTH,
    "f: 2, 1": 2 * b.eta_l * GROWTH,
    "f: 2, *": 6 * b.K * SQUARE * b.beta,
    "control lag": 2 * b.K * SQUARE,
    "C": 4 * b.K * SQUARE,
    "noise": 4 * SQUARE,
}
"""Multipliers of the paper's proof: the contraction of a gradient step, and the relaxed triangle inequality with 1/(K - 1)."""
LOCAL = worst_case(local_step, multipliers=OF_LOCAL, beta=NONNEGATIVE, eta_l=NONNEGATIVE, K=COUNTS)
OF_SERVER = {
    "f: 1, 2": 8 * b.beta * b.h**2,
    "f: 2, 1": 8 * b.beta * b.h**2,
    "f: 2, *": 8 * b.beta * b.h**2,
    "noise of all steps": 4 * b.h**2,
    "control lag": 4 * b.h**2 * b.spread,
    "C": 8 * b.h**2 - 4 * b.h**2 * b.spread,
    "noise": 8 * b.h**2 / (b.K * b.S) - 4 * b.h**2 * b.spread / b.K,
}
"""The relaxed triangle inequality with four terms: drift, gap, control lag and noise."""
SERVER = worst_case(
    server_step, multipliers=OF_SERVER, beta=NONNEGATIVE, h=NONNEGATIVE, K=COUNTS, S=COUNTS, spread=SHARE
)
LAG = worst_case(control_lag, beta=NONNEGATIVE, S=COUNTS, N=COUNTS)
DISTANCE = worst_case(server_distance, beta=LARGER, mu=NONNEGATIVE, h=NONNEGATIVE)
RESTING = worst_case(resting_with_a_gap, beta=NONNEGATIVE)
