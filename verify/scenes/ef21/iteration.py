"""One iteration of EF21 for any number of clients, over all smooth losses and all contractive compressors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import bounds.ef21.theorem as b
from verify.first_order import Form, Problem, every_round, smooth, worst_case
from verify.first_order.points import NONNEGATIVE, SHARE


def _iteration(problem: Problem, L: Fraction, gamma: Fraction, kept: Fraction) -> dict[str, Form]:
    """One iteration from arbitrary estimates. The squared relative error of a compressor is at most `kept` = 1 - alpha."""
    f = problem.clients(smooth(L))
    x, estimate, message = problem.point("x"), problem.client_point("g"), problem.client_point("c")
    after = x - gamma * problem.average(estimate)
    before, now = f.gradient(x), f.gradient(after)
    problem.assume(
        kept * problem.mean_sq(now - estimate) - problem.mean_sq(message - (now - estimate)),
        "contractive compressor",
    )
    infimum = problem.number("infimum")
    for place in (x, after):
        problem.assume(f(place) - infimum, "bounded below")
    return {
        "error": problem.mean_sq(estimate - before),
        "error_next": problem.mean_sq(estimate + message - now),
        "turn": problem.mean_sq(now - before),
        "moved": problem.mean_sq(after - x),
        "grad2": problem.mean_sq(problem.average(before)),
        "gap": f(x) - infimum,
        "gap_next": f(after) - infimum,
    }


def ef21_iteration(problem: Problem, L: Fraction, gamma: Fraction, r: Fraction) -> dict[str, Form]:
    """One iteration, with the parameter r = sqrt(1 - alpha)."""
    return _iteration(problem, L, gamma, r**2)


def ef21_lyapunov(problem: Problem, L: Fraction, gamma: Fraction, r: Fraction) -> dict[str, Form]:
    """The same iteration for claims about its Lyapunov function, which have their own multipliers."""
    return ef21_iteration(problem, L, gamma, r)


def young(problem: Problem, L: Fraction, gamma: Fraction, alpha: Fraction, s: Fraction) -> dict[str, Form]:
    """One iteration, with the parameters alpha and a weight s of Young's inequality."""
    return _iteration(problem, L, gamma, 1 - alpha)


def averaged(problem: Problem, L: Fraction, gamma: Fraction, r: Fraction, t: Fraction) -> dict[str, Form]:
    """An iteration after t others, with the mean of the squared gradients so far."""
    found, mean = ef21_iteration(problem, L, gamma, r), problem.number("mean")
    return {
        "grad2_mean_before": mean,
        "grad2_mean": (t * mean + found["grad2"]) / (t + 1),
        "gap_before": found["gap"],
        "gap": found["gap_next"],
        "error_before": found["error"],
        "error": found["error_next"],
    }


TURN = b.gamma * b.L * b.r**2 / (1 - b.r) ** 2
MULTIPLIERS = {"f: 0, 1": TURN + 1, "f: 1, 0": TURN, "contractive compressor": b.gamma / (2 * (1 - b.r))}
"""Multipliers for the Lyapunov function: the descent of Lemma 2, and twice the Lipschitz condition of the gradients."""
RANGES: dict[str, Any] = {"L": NONNEGATIVE, "gamma": NONNEGATIVE}
ITERATION = worst_case(ef21_iteration, **RANGES, r=SHARE)
LYAPUNOV = worst_case(ef21_lyapunov, multipliers=MULTIPLIERS, **RANGES, r=SHARE)
OF_THE_ERROR = {name: weight * 2 * (1 - b.r) / b.gamma for name, weight in MULTIPLIERS.items()}
"""The same multipliers for the potential in which the error has the weight 1."""
RUN = every_round(averaged, multipliers=OF_THE_ERROR, **RANGES, r=SHARE)
YOUNG = worst_case(young, **RANGES, alpha=SHARE, s=NONNEGATIVE)
