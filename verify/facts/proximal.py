"""Proximal steps: minimisers of a loss plus a penalty on the squared distance from the start."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq
from verify.engine.model.scene import Textbook
from verify.facts.functions import a_square, convexity_of, monotone, moving_apart
from verify.facts.known import Known
from verify.facts.one_step import proximal_step
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
_ALONG = sp.Symbol("grads_before", real=True)
"""Inner product of the gradients at both ends of a step."""


def proximal(strength: sp.Expr) -> tuple[Textbook, ...]:
    """Facts of a step of a strongly convex loss to the minimiser of loss + strength/2 |displacement|^2."""
    optimal, come_from = (
        Known(name, relation, source, proof=proximal_step(relation, strength))
        for name, relation, source in (
            ("optimality of a proximal step", eq(grad2, strength**2 * move2), PARIKH + "Section 3.2"),
            (
                "a proximal step goes against the gradient at its end",
                eq(distance2_before, distance2 + 2 * inner / strength + move2),
                ROCKAFELLAR + "(1.10)",
            ),
        )
    )
    steeper = (
        monotone(_ALONG - grad2 >= mu * strength * move2),
        a_square(
            grad2_before * strength**2
            - 2 * strength * (strength + mu) * _ALONG
            + (strength + mu) ** 2 * grad2
            >= 0
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
        convexity_of(loss_before >= loss + (strength + mu / 2) * move2),
    )
