"""Facts about the sum of the delayed gradients of a round with small steps, with the correct constant 24/23.

If beta L is at most 1/(12 E), the sum differs from E times the gradient by at most 1/23 of it.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.drift_lemmas import TWELFTH
from bounds.cflag.growth import gs
from bounds.cflag.symbols import E, gg, gg2, s2
from bounds.relations import eq, ge, le
from verify.engine.model.sums import Sums
from verify.scenes.cflag.drift_facts import SMOOTH_SAMPLE
from verify.scenes.cflag.drift_sums_facts import SQUARE, SQUARE_OF_TOTAL, SUMMED, apart, total, total_change
from verify.scenes.cflag.growth_facts import ALL, CURVE
from verify.scenes.norms_of_sums import follows
from verify.scenes.trees import Tree, square

ALONG = ge(gs, (s2 + sp.Rational(528, 529) * E**2 * gg2) / (2 * E))
LENGTH = le(s2, sp.Rational(576, 529) * E**2 * gg2)
"""The sum of the delayed gradients of a round is E times the gradient, up to 1/23 of it."""
_difference: Tree = ["-", "sum", ["*", "E", "g"]]
_EXPANDED = Sums(
    eq(apart**2, s2 - 2 * E * gs + E**2 * gg2),
    {apart**2: square(_difference), s2: square("sum"), gs: ["dot", "g", "sum"], gg2: square("g")},
    {"E": "count", "sum": "vector", "g": "vector"},
)
_APART = follows(le(apart, E * gg / 23), total_change(SMOOTH_SAMPLE), CURVE, ALL, given=(TWELFTH,))
NEAR = (
    follows(ALONG, _APART, _EXPANDED, SQUARE, given=(TWELFTH,), through=(le(apart**2, E**2 * gg**2 / 529),)),
    follows(
        LENGTH,
        *(SUMMED, _APART, SQUARE_OF_TOTAL, SQUARE),
        given=(TWELFTH,),
        through=(le(total, sp.Rational(24, 23) * E * gg),),
    ),
)
