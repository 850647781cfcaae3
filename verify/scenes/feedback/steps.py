"""Steps of compressed gradient descent, EF and EF21 over all smooth strongly convex losses and all contractive compressors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

import bounds.feedback.theorem as b
from verify.first_order import Form, Problem, Vector, every_round, smooth_strongly_convex, sq, worst_case
from verify.first_order.points import LARGER, NONNEGATIVE, SHARE


def _compress(problem: Problem, s: Fraction, sent: Vector) -> Vector:
    """What a compressor makes of the vectors of all clients; the mean of its squared errors is at most s^2."""
    received = problem.client_point("c")
    error = s**2 * problem.mean_sq(sent) - problem.mean_sq(received - sent)
    problem.assume(error, "contractive compressor")
    return received


def _compress_one(problem: Problem, s: Fraction, sent: Vector) -> Vector:
    """What a compressor makes of the vector of one worker."""
    received = problem.point("c")
    problem.assume(s**2 * sq(sent) - sq(received - sent), "contractive compressor")
    return received


def compressed(problem: Problem, L: Fraction, mu: Fraction, s: Fraction, eta: Fraction) -> dict[str, Form]:
    """A step along a compressed gradient."""
    f, x = problem.function(smooth_strongly_convex(L, mu)), problem.point("x")
    best = f.minimiser()
    after = x - eta * _compress_one(problem, s, f.gradient(x))
    return {
        "gap": f(x) - f(best),
        "gap_next": f(after) - f(best),
        "distance2": sq(x - best),
        "distance2_next": sq(after - best),
    }


def _before_and_after(before: Form, after: Form) -> dict[str, Form]:
    """A Lyapunov function before and after a step, by the names for one step and those for all steps."""
    return {"psi_before": before, "psi_next": after, "psi": after}


def ef(
    problem: Problem, L: Fraction, mu: Fraction, s: Fraction, z: Fraction, eta: Fraction
) -> dict[str, Form]:
    """A step of error feedback from any memory e."""
    f, x, e = problem.function(smooth_strongly_convex(L, mu)), problem.point("x"), problem.point("e")
    best = f.minimiser()
    sent = e + eta * f.gradient(x)
    received = _compress_one(problem, s, sent)

    def lyapunov(x: Vector, e: Vector) -> Form:
        return sq(x - best - e) + sq(e) / s

    return _before_and_after(lyapunov(x, e), lyapunov(x - received, sent - received))


def _ef_of_clients(
    problem: Problem, L: Fraction, mu: Fraction, s: Fraction, eta: Fraction, *, shared: bool
) -> dict[str, Form]:
    """A step of error feedback, in which each client has a memory of its own."""
    f, x, e = problem.clients(smooth_strongly_convex(L, mu)), problem.point("x"), problem.client_point("e")
    best = 0 * x if shared else f.minimiser()
    if shared:
        f.answer(best, 0 * x)
    sent = e + eta * f.gradient(x)
    received = _compress(problem, s, sent)

    def lyapunov(x: Vector, e: Vector) -> Form:
        return sq(x - best - problem.average(e)) + problem.mean_sq(e) / s

    return _before_and_after(lyapunov(x, e), lyapunov(x - problem.average(received), sent - received))


def ef_clients(
    problem: Problem, L: Fraction, mu: Fraction, s: Fraction, z: Fraction, eta: Fraction
) -> dict[str, Form]:
    """A step of error feedback for any number of clients."""
    return _ef_of_clients(problem, L, mu, s, eta, shared=False)


def ef_shared(
    problem: Problem, L: Fraction, mu: Fraction, s: Fraction, z: Fraction, eta: Fraction
) -> dict[str, Form]:
    """The same for clients whose losses have one common minimiser, which is the origin."""
    return _ef_of_clients(problem, L, mu, s, eta, shared=True)


def ef21(
    problem: Problem, L: Fraction, mu: Fraction, s: Fraction, z: Fraction, eta: Fraction
) -> dict[str, Form]:
    """A step of EF21 from any estimate d of the gradient."""
    f, x, d = problem.function(smooth_strongly_convex(L, mu)), problem.point("x"), problem.point("d")
    before, after = f.gradient(x), f.gradient(x - eta * d)
    received = _compress_one(problem, s, after - d)

    def lyapunov(g: Vector, d: Vector) -> Form:
        return s * sq(g) + sq(g - d)

    return _before_and_after(lyapunov(before, d), lyapunov(after, d + received))


def ef21_clients(
    problem: Problem, L: Fraction, mu: Fraction, s: Fraction, z: Fraction, eta: Fraction
) -> dict[str, Form]:
    """A step of EF21 for any number of clients, each with an estimate of its own gradient."""
    f, x, d = problem.clients(smooth_strongly_convex(L, mu)), problem.point("x"), problem.client_point("d")
    before, after = f.gradient(x), f.gradient(x - eta * problem.average(d))
    received = _compress(problem, s, after - d)

    def lyapunov(g: Vector, d: Vector) -> Form:
        return s * sq(problem.average(g)) + problem.mean_sq(g - d)

    return _before_and_after(lyapunov(before, d), lyapunov(after, d + received))


# The range of L ends later than that of mu only so that the value in the middle is larger; both mean "no end".
RANGES: dict[str, Any] = {"L": LARGER, "mu": NONNEGATIVE, "s": SHARE, "eta": NONNEGATIVE}
WITH_RATE = {**RANGES, "z": SHARE}
WEIGHT = 4 * (b.z**2 - b.s) / ((1 + b.s) * (b.L - b.mu))
OF_EF = {"f: *, 1": WEIGHT, "f: 1, *": WEIGHT, "contractive compressor": 1 / b.s}
"""Multipliers of the authors' proof: both interpolation conditions between x and the optimum, and the compressor."""
OF_EF21 = {
    "f: 0, 1": WEIGHT * b.s / b.eta**2,
    "f: 1, 0": WEIGHT * b.s / b.eta**2,
    "contractive compressor": sp.Integer(1),
}
OF_DESCENT = {
    "f: *, 1": b.SLOWER * (1 - b.SLOWER),
    "f: *, 2": 1 - b.SLOWER,
    "f: 1, 2": b.SLOWER,
    "contractive compressor": b.SLOWER * b.eta / (2 * b.s),
}
DESCENT = worst_case(compressed, multipliers=OF_DESCENT, **RANGES)
EF = worst_case(ef, multipliers=OF_EF, **WITH_RATE)
EF_CLIENTS = worst_case(ef_clients, **WITH_RATE)
EF_SHARED = worst_case(ef_shared, multipliers=OF_EF, **WITH_RATE)
EF_RUN = every_round(ef, multipliers=OF_EF, **WITH_RATE)
EF21 = worst_case(ef21, multipliers=OF_EF21, **WITH_RATE)
EF21_CLIENTS = worst_case(ef21_clients, multipliers=OF_EF21, **WITH_RATE)
EF21_RUN = every_round(ef21, multipliers=OF_EF21, **WITH_RATE)
