"""Bounds on weighted drifts and information losses (CFL, Lemmas B.2, B.7, Section 4.3.2), and a fact about dependent drifts.

A bound on each drift, or on each pair of drifts, is a condition of the statements; `pair_sums` proves what follows from it.
"""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl import correlated as b
from bounds.cfl.lemmas import grad_now2
from bounds.cfl.symbols import A2, B2, C2, D2, F2, G2, R2, g2
from bounds.relations import eq, ge, le
from verify.engine.model.sums import Sums
from verify.scenes.norms_of_sums import follows
from verify.scenes.trees import Tree, square

TIME, CLIENT = D2 + A2 * g2, G2 + B2 * g2
ALIKE = le(b.mixed2, TIME * (b.p_square + b.p_cross))
BY_PAIRS = le(b.mixed2, TIME * b.p_square + (F2 + C2 * g2) * b.p_cross)
CROSSED = ge(b.p_cross, 0)
EVERY_PAIR = le(b.mixed2, TIME * b.p_square + b.p_FD + b.p_AC * g2)
DECAYING = le(b.mixed2, TIME * b.p_decay)
AS_ALLOWED = eq(b.corr, b.decay * TIME)
LOST = le(b.loss2, (1 - b.p_now) ** 2 * R2)

_EITHER_SIGN: tuple[Tree, ...] = tuple([sign, "gradient", ["+", "client", "time"]] for sign in "+-")
OF_DEPENDENT = follows(
    statement("cfl.lemB.2.1/dependent-doubled").compared,
    Sums(
        le(grad_now2, g2 + 2 * b.delta2 + 2 * b.xi2),
        {
            grad_now2: ["/", ["+", *map(square, _EITHER_SIGN)], "2"],
            **{g2: square("gradient"), b.delta2: square("client"), b.xi2: square("time")},
        },
        dict.fromkeys(("gradient", "client", "time"), "vector"),
    ),
    given=(le(b.delta2, CLIENT), le(b.xi2, TIME)),
)
"""A client drift and a time drift with arbitrary dependence, of either sign together."""
