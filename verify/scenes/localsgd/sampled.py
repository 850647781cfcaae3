"""Steps of local SGD on heterogeneous data, over all smooth convex losses of all samples of all clients."""

from __future__ import annotations

from fractions import Fraction

from bounds.localsgd.symbols import L, M
from verify.first_order import Form, Problem, dot, smooth_convex, sq, worst_case
from verify.first_order.points import COUNTS, NONNEGATIVE


def sampled_step(problem: Problem, L: Fraction) -> dict[str, Form]:
    """A step from arbitrary local models. "Clients" of the problem are all samples of all clients.

    A sampled gradient is the client's gradient plus noise, whose mean over the samples of each client is 0.
    """
    f = problem.clients(smooth_convex(L))
    best, local = problem.point("z"), problem.client_point("x")
    mean = problem.average(local)
    gradients, noises = [], []
    for name, place in (("o", best), ("g", local), ("h", mean)):
        own, noise = problem.client_deviation(name), problem.client_deviation(f"{name}_noise")
        common = problem.point(f"{name}_mean") if place is not best else 0 * best
        f.answer(place, common + own + noise)
        gradients.append(common + own)
        noises.append(noise)
    f.optimum = best
    for noise in noises:
        for of_client in (*gradients, local):
            problem.assume_equal(problem.mean_dot(noise, of_client), 0, "noise has mean zero")
    return {
        "mean2": sq(problem.average(gradients[1])),
        "noise2": problem.mean_sq(noises[1]),
        "gradients2": problem.mean_sq(gradients[1] + noises[1]),
        "inner": problem.mean_dot(mean - best, gradients[1]),
        "bregman": f(mean) - f(best),
        "apart": problem.mean_sq(local - mean),
        "dif2": problem.mean_sq(gradients[0] + noises[0]),
    }


def averaged_gradient(problem: Problem, L: Fraction, M: Fraction) -> dict[str, Form]:
    """The same step with the averaged gradient: samples of M clients are independent, so their noise has the variance over M."""
    found = sampled_step(problem, L)
    return {**found, "gradient2": found["mean2"] + found["noise2"] / M}


def squared_step(problem: Problem, gamma: Fraction) -> dict[str, Form]:
    """The step of the averaged model along any gradients, whose noise has mean zero."""
    x, g, variance = problem.point("x"), problem.client_point("g"), problem.constant("variance")
    mean = problem.average(g)
    return {
        "distance2_0": sq(x),
        "distance2": sq(x - gamma * mean) + gamma**2 * variance,
        "inner": dot(x, mean),
        "gradient2": sq(mean) + variance,
    }


def local_models(problem: Problem) -> dict[str, Form]:
    """Arbitrary local models, seen from their mean and from the last common model."""
    way = problem.client_point("way")
    return {"apart": problem.mean_sq(way - problem.average(way)), "way2": problem.mean_sq(way)}


def longer_way(problem: Problem, gamma: Fraction, t: Fraction) -> dict[str, Form]:
    """One more local step along any gradients after an arbitrary way since the last communication."""
    way, gradient = problem.client_point("way"), problem.client_point("g")
    return {
        "way2": problem.mean_sq(way),
        "way2_next": problem.mean_sq(way - gamma * gradient),
        "gradients2": problem.mean_sq(gradient),
    }


ZERO = "noise has mean zero"
OF_GRADIENT = {
    **{"f: 1, 2": 4 * L, "f: 2, 1": 4 * L, "f: 2, 0": 8 * L},
    **{ZERO: 8 + 8 / M, f"{ZERO} (3)": -8, f"{ZERO} (6)": 8, f"{ZERO} (7)": -8, f"{ZERO} (8)": -4 * L},
    **{f"{ZERO} (9)": -8, f"{ZERO} (10)": -8, f"{ZERO} (11)": 16, f"{ZERO} (12)": 4 * L},
}
"""Multipliers for the averaged gradient: it differs from the gradients at the mean model by twice their Lipschitz condition,
and these from the gradients at the optimum by four times the condition of smooth convex losses.
"""
SAMPLED = worst_case(sampled_step, L=NONNEGATIVE)
GRADIENT = worst_case(averaged_gradient, multipliers=OF_GRADIENT, L=NONNEGATIVE, M=COUNTS)
SQUARE = worst_case(squared_step, gamma=NONNEGATIVE)
MODELS = worst_case(local_models)
LONGER = worst_case(longer_way, gamma=NONNEGATIVE, t=COUNTS)
