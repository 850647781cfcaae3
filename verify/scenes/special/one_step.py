"""One server step of SPECIAL over all convex smooth losses of the current task."""

from __future__ import annotations

from fractions import Fraction

from verify.first_order import NONNEGATIVE, Form, Problem, Vector, smooth_convex, sq, worst_case


def anchored_step(problem: Problem, L: Fraction, lam: Fraction, pace: Fraction) -> dict[str, Form]:
    """A gradient step, then the proximal step to the model before the task."""
    f, x, anchor = problem.function(smooth_convex(L)), problem.point("x"), problem.point("anchor")
    best = problem.point("best")
    f.answer(best, lam / pace * (anchor - best))  # where the gradient of Phi is 0
    after = (x - pace * f.gradient(x) + lam * anchor) / (1 + lam)

    def phi(model: Vector) -> Form:
        return f(model) + lam / (2 * pace) * sq(model - anchor)

    return {"above": phi(x) - phi(best), "above_next": phi(after) - phi(best)}


STEP = worst_case(anchored_step, L=NONNEGATIVE, lam=NONNEGATIVE, pace=NONNEGATIVE)
