"""One step of CFL along an approximated gradient, over all strongly convex smooth objectives."""

from __future__ import annotations

from fractions import Fraction

from verify.first_order import LARGER, NONNEGATIVE, Form, Problem, smooth_strongly_convex, sq, worst_case


def approximated_step(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    """A step along the gradient of the weighted objective plus an arbitrary error."""
    f, x, error = problem.function(smooth_strongly_convex(L, mu)), problem.point("x"), problem.point("e")
    best = f.minimiser()
    after = x - eta * (f.gradient(x) + error)
    return {"step_off2": sq(x - best), "step_off2_next": sq(after - best), "step_error2": sq(error)}


STEP = worst_case(approximated_step, L=LARGER, mu=NONNEGATIVE, eta=NONNEGATIVE)
