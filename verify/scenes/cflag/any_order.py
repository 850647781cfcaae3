"""Facts about delayed gradients in a round, for any number of clients, samples and steps and any order of refreshing (C-FLAG).

A client uses, for each sample, the gradient at one of its earlier models. So the distance of this model from the server's is at
most the largest distance so far (`EARLIER`), by induction over the steps. If beta L is at most 1/(12 E), the sum of the delayed
gradients differs from E times the gradient by at most 1/23 of it.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.drift import WEIGHTS
from bounds.cflag.drift_lemmas import TWELFTH, drift, drift_max, drift_next
from bounds.cflag.drift_sharp import growth
from bounds.cflag.growth import gs
from bounds.cflag.symbols import E, L, S, beta, gg, gg2, p_sum, s2
from bounds.relations import eq, le
from verify.engine.model.scene import Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cflag.drift_tight import ALONG, LENGTH
from verify.scenes.cflag.growth_facts import ALL, CURVE, EARLIER_GROWTH, GROWS, GROWTH, earlier
from verify.scenes.cflag.terms import OF_SAMPLES, SAMPLES
from verify.scenes.norms_of_sums import counted, follows, renamed, triangle, weighted
from verify.scenes.summands import SUMMANDS, before, changing, meant
from verify.scenes.trees import Tree, square

_turn, _way = (sp.Symbol(f"sample_{name}", nonnegative=True) for name in ("turn", "way"))
"""Change of a sample's gradient, and distance of the two models, as in `SAMPLES`."""
_step, _changed, _kept, _fresh, _mean, _apart, _total = (
    sp.Symbol(name, nonnegative=True)
    for name in ("local step", "changed", "kept", "fresh", "mean", "apart", "total")
)
"""Norms of the direction of a step, of the mean change of the samples' gradients since the start of the round, whether a sample
keeps its model, whether it is drawn; norms of the clients' mean change, of the sum of the delayed gradients less E gradients, and
of this sum.
"""

# ---------------------------------------------------------------------------------------------------------- one step

_SMOOTH = follows(le(_turn, L * _way), given=(SAMPLES, OF_SAMPLES))
_LARGEST = meant(eq(drift_max, sp.Max(before(drift_max), drift)))
_AMONG = follows(le(drift, drift_max), _LARGEST)
EARLIER = Rounds(
    le(_way, drift_max),
    SUMMANDS,
    {},
    {},
    changing(_way, drift_max, free=(drift, _fresh, _kept)),
    (
        meant(eq(_way, _kept * before(_way) + _fresh * drift)),
        meant(eq(_kept, 1 - _fresh)),
        _AMONG,
        follows(le(before(drift_max), drift_max), _LARGEST),
    ),
    through=(
        le(before(_way), drift_max),
        le(_kept * before(_way), _kept * drift_max),
        le(_fresh * drift, _fresh * drift_max),
    ),
)
"""The model at which a sample was drawn is one of the client's models so far."""
_CHANGED = counted(
    le(_changed, SUMMANDS / S * L * drift_max),
    S,
    changing(_changed, free=(_turn, _way)),
    (triangle(_changed, {before(_changed): 1, _turn: 1 / S}), _SMOOTH, EARLIER),
    through=(le(_turn, L * drift_max),),
)
"""The mean change of the samples' gradients in use is at most L times the largest drift so far."""
_ONE_STEP = follows(
    statement("cflag.eq117/sharp").compared,
    triangle(drift_next, {drift: 1, _step: beta}),
    follows(le(_step, gg + L * drift_max), triangle(_step, {gg: 1, _changed: 1}), _CHANGED),
    through=(le(beta * _step, beta * (gg + L * drift_max)),),
)

# --------------------------------------------------------------------------------------------------------- all steps

_GROWN = (growth - 1) / L * gg
_MOST = Rounds(
    le(drift_max, _GROWN),
    SUMMANDS,
    {},
    {},
    {**changing(drift_max, drift), **GROWTH},
    (
        renamed(_ONE_STEP, {drift_next: drift, **earlier(drift, drift_max)}),
        renamed(_AMONG, earlier(drift, drift_max)),
        _LARGEST,
        GROWS,
    ),
    through=(le(drift, _GROWN),),
)
"""The largest drift so far grows by a factor 1 + beta L in each step."""
_MOST_CHANGE = (EARLIER_GROWTH - 1) * gg
_OF_CLIENTS = follows(
    le(_mean, _MOST_CHANGE),
    weighted(
        _mean,
        p_sum,
        _changed,
        _MOST_CHANGE,
        follows(le(_changed, _MOST_CHANGE), _CHANGED, renamed(_MOST, {growth: EARLIER_GROWTH})),
    ),
    given=WEIGHTS,
)
_SUMMED = counted(
    le(_apart, ((growth - 1) / (beta * L) - SUMMANDS) * gg),
    E,
    {**changing(_apart, free=(_mean,)), **GROWTH},
    (triangle(_apart, {before(_apart): 1, _mean: 1}), _OF_CLIENTS, GROWS),
)
_APART = follows(le(_apart, E * gg / 23), _SUMMED, CURVE, ALL, given=(TWELFTH,))
_difference: Tree = ["-", "sum", ["*", "E", "g"]]
_VECTORS = {"E": "count", "sum": "vector", "g": "vector"}
_EXPANDED = Sums(
    eq(_apart**2, s2 - 2 * E * gs + E**2 * gg2),
    {_apart**2: square(_difference), s2: square("sum"), gs: ["dot", "g", "sum"], gg2: square("g")},
    _VECTORS,
)
_SQUARE = Sums(eq(gg2, gg**2), {gg2: square("g"), gg**2: square("g")}, {"g": "vector"})
_SQUARE_OF_TOTAL = Sums(eq(s2, _total**2), {s2: square("sum"), _total**2: square("sum")}, {"sum": "vector"})
_CONDITIONS = (TWELFTH, *WEIGHTS, SAMPLES, OF_SAMPLES)
"""All conditions of the steps, which the facts below need."""
NEAR = (
    follows(
        ALONG, _APART, _EXPANDED, _SQUARE, given=_CONDITIONS, through=(le(_apart**2, E**2 * gg**2 / 529),)
    ),
    follows(
        LENGTH,
        *(triangle(_total, {gg: E, _apart: 1}), _APART, _SQUARE_OF_TOTAL, _SQUARE),
        given=_CONDITIONS,
        through=(le(_total, sp.Rational(24, 23) * E * gg),),
    ),
)
"""The facts of `drift_tight` at any size."""
