"""Steps on an arbitrary L-smooth and c-strongly convex loss, with arbitrary gradients and all values that the constants allow.

A loss enters a proof through its values and gradients at a few models. Here these are arbitrary but for the definitions of L and c.
The facts therefore hold for every such loss, and not only for quadratic ones.
"""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.descent as b
from bounds.catalogue import relations, statement
from bounds.fedmes.symbols import L, c
from bounds.relations import eq, le
from verify.engine.model.sums import Sums
from verify.scenes.norms_of_sums import AnyNumber, counted, follows
from verify.scenes.summands import SUMMANDS, added, changing, definition
from verify.scenes.trees import Tree, square, vocabulary

slope = sp.Symbol("slope", real=True)
"""Inner product of the memory gradient with the difference to the optimum."""
way2 = sp.Symbol("way2", nonnegative=True)
"""Squared distance from the optimum."""
SMOOTH = statement("fedmes.eq33.smooth").compared
"""The definition of L along a step."""
STRONG = le(b.gap, slope - c * way2 / 2)
"""The definition of c between a model and the optimum."""
DEFINED = (SMOOTH, STRONG)
_relation = relations("fedmes")
EXPECTED = statement("fedmes.eq34").compared
STEEP = statement("fedmes.eq36.convex").compared
SECOND = statement("fedmes.eq30/corrected").compared
SHIFTED = eq(b.gap_next - b.gap, b.expected - b.now)
STEP = statement("fedmes.eq37").compared
"""Eq. (37)."""


# ------------------------------------------------------------------------------------------------ any number of outcomes

_HALF = sp.Rational(1, 2)
_count = sp.Symbol("outcomes", integer=True, positive=True)
_least = sp.Symbol("least", real=True)
"""The least loss."""
_mean: Tree = ["*", ["/", "1", "outcomes"], ["total", "batch"]]
_deviation: Tree = ["-", "batch", _mean]
_each = lambda one: ["*", ["/", "1", "outcomes"], ["each", "outcomes", one, one]]  # noqa: E731
_move: Tree = ["*", ["-", ["*", "eta_s", "A_s"]], "batch"]
_MEANS: dict[sp.Symbol, Tree] = {
    b.square2: _each("batch"),
    b.variance: _each(_deviation),
    b.mean2: square(_mean),
    b.mem_gradient2: square("whole"),
    b.align: ["dot", "whole", _mean],
}
_FAMILY = {"outcomes": "count", "batch": "family outcomes", "whole": "vector"}
_ONE: dict[sp.Symbol, Tree] = {
    b.along: ["dot", "whole", _move],
    b.step2: square(_move),
    b.gradient_gz: ["dot", "whole", "batch"],
    b.batch2: square("batch"),
}
_VECTORS = {"batch": "vector", "whole": "vector", "eta_s": "positive", "A_s": "nonnegative", "L": "positive"}
SECOND_MOMENTS = tuple(map(vocabulary(_MEANS, _FAMILY), (SECOND, _relation("eq29"))))
AS_STEP = vocabulary(_ONE, _VECTORS)(_relation("eq33"))
"""A step as a factor times a batch gradient."""
_OF_STEP = follows(
    le(b.after - b.now, L * (b.eta_s * b.A_s) ** 2 / 2 * b.batch2 - b.eta_s * b.A_s * b.gradient_gz),
    AS_STEP,
    given=(SMOOTH,),
)
_EXPECTED = counted(
    le(
        b.expected - SUMMANDS / _count * b.now,
        L * (b.eta_s * b.A_s) ** 2 / 2 * b.square2 - b.eta_s * b.A_s * b.align,
    ),
    _count,
    changing(b.expected, b.square2, b.align, free=(b.after, b.batch2, b.gradient_gz)),
    added(b.expected, b.after / _count),
    added(b.square2, b.batch2 / _count),
    added(b.align, b.gradient_gz / _count),
    _OF_STEP,
)
OF_BATCHES: tuple[AnyNumber, ...] = SECOND_MOMENTS[:1]
_STEEP = follows(
    STEEP,
    Sums(
        le(2 * c * slope - c**2 * way2, b.mem_gradient2),
        {slope: ["dot", "whole", "away"], way2: square("away"), b.mem_gradient2: square("whole")},
        {"whole": "vector", "away": "vector", "c": "positive"},
    ),
    given=(STRONG,),
)
_SHIFTED = follows(
    SHIFTED, definition(eq(b.gap_next, b.expected - _least)), definition(eq(b.gap, b.now - _least))
)
OF_STEPS: tuple[AnyNumber, ...] = (
    *OF_BATCHES,
    follows(SMOOTH, given=(SMOOTH,)),
    follows(EXPECTED, _EXPECTED),
    _STEEP,
    _SHIFTED,
)
OF_SEVERAL = follows(
    STEP,
    *(follows(EXPECTED, _EXPECTED), *OF_BATCHES, _STEEP, _SHIFTED),
    given=(*map(_relation, b.ASSUMED), b.CONSTANTS[0], b.RATE, STRONG),
    through=(
        _relation("eq30.third/corrected"),
        _relation("eq34.second"),
        _relation("eq35"),
        _relation("eq36/corrected"),
        _relation("eq36.second/corrected"),
    ),
)
