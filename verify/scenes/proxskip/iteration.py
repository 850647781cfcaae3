"""One iteration of ProxSkip for any number of clients, over all smooth strongly convex losses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verify.first_order import Form, Problem, Vector, every_round, smooth_strongly_convex, worst_case
from verify.first_order.points import LARGER, NONNEGATIVE, SHARE


def proxskip_iteration(
    problem: Problem, L: Fraction, mu: Fraction, gamma: Fraction, p: Fraction
) -> dict[str, Form]:
    """One iteration from arbitrary local models and control variates with mean zero, in expectation over the coin."""
    f = problem.clients(smooth_strongly_convex(L, mu))
    best = f.minimiser()
    x, h = problem.client_point("x"), problem.client_deviation("h")
    shifted = x - gamma * (f.gradient(x) - h)
    mean = problem.average(shifted)
    wanted = f.gradient(best)

    def error(h: Vector) -> Form:
        return gamma**2 / p**2 * problem.mean_sq(h - wanted)

    communicated = problem.mean_sq(mean - best) + error(h + p / gamma * (mean - shifted))
    alone = problem.mean_sq(shifted - best) + error(h)
    return {
        "far": problem.mean_sq(x - best),
        "shift": error(h),
        "stepped": problem.mean_sq(x - best - gamma * (f.gradient(x) - wanted)),
        "psi_next": p * communicated + (1 - p) * alone,
    }


def any_rate(
    problem: Problem, L: Fraction, mu: Fraction, gamma: Fraction, p: Fraction, zeta: Fraction
) -> dict[str, Form]:
    """The iteration with a rate as a parameter, and the Lyapunov function before and after it."""
    found = proxskip_iteration(problem, L, mu, gamma, p)
    return {**found, "psi_before": found["far"] + found["shift"], "psi": found["psi_next"]}


RANGES: dict[str, Any] = {"L": LARGER, "mu": NONNEGATIVE, "gamma": NONNEGATIVE, "p": SHARE}
ITERATION = worst_case(proxskip_iteration, **RANGES)
WITH_RATE = worst_case(any_rate, **RANGES, zeta=SHARE)
RUN = every_round(any_rate, **RANGES, zeta=SHARE)
