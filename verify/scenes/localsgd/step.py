"""Steps of local SGD for any number of clients, over all smooth strongly convex losses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import bounds.localsgd.symbols as b
from verify.engine.model.scene import Box
from verify.first_order import (
    Form,
    Problem,
    convex,
    every_round,
    smooth_convex,
    smooth_strongly_convex,
    sq,
    worst_case,
)
from verify.first_order.points import LARGER, NONNEGATIVE


def averaged_step(problem: Problem, L: Fraction, mu: Fraction, gamma: Fraction) -> dict[str, Form]:
    """The averaged model before and after a step from arbitrary local models. Each client has a loss of its own."""
    f = problem.clients(smooth_strongly_convex(L, mu))
    best, local, noise = f.minimiser(), problem.client_point("x"), problem.constant("variance")
    mean = problem.average(local)
    after = mean - gamma * problem.average(f.gradient(local))
    return {
        "distance2": sq(after - best) + gamma**2 * noise,
        "distance2_0": sq(mean - best),
        "noise": noise,
        "bregman": f(mean) - f(best),
        "apart": problem.mean_sq(local - mean),
    }


def averaged_convex_step(problem: Problem, L: Fraction, gamma: Fraction) -> dict[str, Form]:
    """The same for convex losses."""
    return averaged_step(problem, L, Fraction(0), gamma)


def pairs(problem: Problem, L: Fraction, gamma: Fraction, sigma2: Fraction) -> dict[str, Form]:
    """A local step of all pairs of clients with the same data, from arbitrary models.

    The mean squared distance from the mean is half the mean squared distance of pairs. The noise of two clients is
    independent, so it adds at most 2 sigma^2 to the squared distance of a pair.
    """
    f = problem.clients(smooth_convex(L))
    x, y = problem.client_point("x"), problem.client_point("y")
    after = x - gamma * f.gradient(x) - (y - gamma * f.gradient(y))
    return {"apart_0": problem.mean_sq(x - y) / 2, "apart": problem.mean_sq(after) / 2 + gamma**2 * sigma2}


def one_more_client(problem: Problem, sigma2: Fraction) -> dict[str, Form]:
    """The noise of one more client is added to an arbitrary sum."""
    so_far = problem.point("sum")
    return {"total_before": sq(so_far), "total": sq(so_far + problem.noise(sigma2))}


def one_more_model(problem: Problem, t: Fraction) -> dict[str, Form]:
    """One more model enters the mean of t models."""
    f, mean, x, so_far = (
        problem.function(convex()),
        problem.point("m"),
        problem.point("x"),
        problem.number("s"),
    )
    least = f(f.minimiser())
    return {
        "gap_before": f(mean) - least,
        "gap": f((t * mean + x) / (t + 1)) - least,
        "gaps_before": so_far,
        "gaps": so_far + f(x) - least,
    }


def no_model(problem: Problem) -> dict[str, Form]:
    """Before the first model, the mean is arbitrary."""
    f, x = problem.function(convex()), problem.point("x")
    gap = f(x) - f(f.minimiser())
    return {"gap": gap, "gaps": 0 * gap}


RANGES: dict[str, Any] = {"L": LARGER, "mu": NONNEGATIVE, "gamma": NONNEGATIVE}
MULTIPLIERS = {"f: *, 1": 2 * b.gamma, "f: 1, *": 3 * b.gamma / 2, "f: 1, 2": b.gamma / 2}
STEP = worst_case(averaged_step, multipliers=MULTIPLIERS, **RANGES)
FLAT = worst_case(averaged_convex_step, multipliers=MULTIPLIERS, L=NONNEGATIVE, gamma=NONNEGATIVE)
SOME = worst_case(averaged_step, L=Box(0.1, 10), mu=Box(0.01, 9), gamma=Box(0.01, 10)).variant(
    "worst cases of averaged_step for some L, mu and gamma"
)
"""Enough for a counterexample."""
PAIRS = worst_case(pairs, L=NONNEGATIVE, gamma=NONNEGATIVE, sigma2=NONNEGATIVE)
CLIENTS = every_round(one_more_client, potential=b.total - b.total_0 - b.t * b.sigma2, sigma2=NONNEGATIVE)
MODELS = every_round(one_more_model, potential=b.t * b.gap - b.gaps, start=no_model)
