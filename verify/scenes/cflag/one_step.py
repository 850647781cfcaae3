"""One round of C-FLAG with a memory without bias and alpha = 1/L, over all smooth past losses and any current gradients."""

from __future__ import annotations

from fractions import Fraction

from verify.first_order import NONNEGATIVE, SHARE, Form, Problem, smooth, sq, worst_case


def aggregated_step(problem: Problem, L: Fraction, beta: Fraction, part: Fraction) -> dict[str, Form]:
    """A step of length 1/L along the memory gradient, and one of length beta along an arbitrary sum of current gradients."""
    f, x, s = problem.function(smooth(L)), problem.point("x"), problem.point("s")
    g = f.gradient(x)
    after = x - g / L - beta * s
    return {"f_now": f(x), "f_next": f(after), "gf2": sq(g), "gf2_next": sq(f.gradient(after)), "s2": sq(s)}


STEP = worst_case(aggregated_step, L=NONNEGATIVE, beta=NONNEGATIVE, part=SHARE)
