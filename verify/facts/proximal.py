"""Proximal steps: minimisers of a loss plus a penalty on the squared distance from the start."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq
from verify.engine.model.scene import Textbook
from verify.facts.functions import monotone, moving_apart
from verify.facts.known import Known
from verify.quantities import (
    distance2,
    distance2_before,
    grad2,
    grad2_before,
    inner,
    loss,
    loss_before,
    move2,
    mu,
)

ROCKAFELLAR = "Rockafellar, Monotone operators and the proximal point algorithm, 1976, "
PARIKH = "Parikh, Boyd, Proximal algorithms, 2014, "
NESTEROV = "Nesterov, Lectures on Convex Optimization, 2018, "
_ALONG = sp.Symbol("grads_before", real=True)
"""Inner product of the gradients at both ends of a step."""


def proximal(strength: sp.Expr) -> tuple[Textbook, ...]:
    """Facts of a step of a strongly convex loss to the minimiser of loss + strength/2 |displacement|^2."""
    optimal = Known("optimality of a proximal step", eq(grad2, strength**2 * move2), PARIKH + "Section 3.2")
    come_from = Known(
        "a proximal step goes against the gradient at its end",
        eq(distance2_before, distance2 + 2 * inner / strength + move2),
        ROCKAFELLAR + "(1.10)",
    )
    steeper = (
        monotone(_ALONG - grad2 >= mu * strength * move2),
        Known(
            "a square",
            grad2_before * strength**2
            - 2 * strength * (strength + mu) * _ALONG
            + (strength + mu) ** 2 * grad2
            >= 0,
            "the square of a difference is not negative",
        ),
    )
    return (
        optimal,
        come_from,
        monotone(inner >= mu * distance2),
        moving_apart(grad2 >= mu**2 * distance2),
        Known(
            "a proximal step is short",
            (strength + mu) ** 2 * move2 <= grad2_before,
            ROCKAFELLAR + "Proposition 7",
            follows_from=(optimal, *steeper),
        ),
        Known("strong convexity", loss_before >= loss + (strength + mu / 2) * move2, NESTEROV + "(2.1.20)"),
    )
