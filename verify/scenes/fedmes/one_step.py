"""One personalised step of FedMeS over all strongly convex smooth losses of a client."""

from __future__ import annotations

from fractions import Fraction

from verify.first_order import LARGER, NONNEGATIVE, Form, Problem, smooth_strongly_convex, sq, worst_case


def personal_step(
    problem: Problem, L: Fraction, c: Fraction, lam: Fraction, eta_1: Fraction
) -> dict[str, Form]:
    """A gradient step on the loss and lam/2 times the squared distance from the server's model."""
    f, model = problem.function(smooth_strongly_convex(L, c)), problem.point("model")
    server, optimum, best = problem.point("server"), problem.point("optimum"), problem.point("best")
    f.answer(best, lam * (optimum - best))  # the personal optimum, around the optimum of the server
    after = model - eta_1 * (f.gradient(model) + lam * (model - server))
    return {"error_before2": sq(model - best), "error2": sq(after - best), "off2": sq(server - optimum)}


STEP = worst_case(personal_step, L=LARGER, c=NONNEGATIVE, lam=NONNEGATIVE, eta_1=NONNEGATIVE)
