"""Facts about the weights that solve Eq. (7), for any number of rounds (CFL, Theorem 4.9, Example 1).

With e_n = sum_(k <= n) alpha^(n-k) p_k, the closed form has e_n = A for every past round but the latest, where e is E, and the
current weight y with E + alpha y = (1 + alpha) A. Then all rows of Q p are equal. The past weights sum to (t-2) (1-alpha) A + E.
A letter stands for t - 2, as the closed form begins with the second round; one round alone is the start of an induction.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.correlated import p_now
from bounds.cfl.matrix import last_pivot
from bounds.cfl.symbols import D2, R2, alpha, t
from bounds.cfl.weight_sums import last_row, row, tilt
from bounds.cfl.weights_statements import CURRENT, UNIQUE
from bounds.cfl.weights_text import alpha_more, p_now_more
from bounds.relations import eq, ge, gt
from verify.engine.model.scene import Follows
from verify.scenes.cfl.decay_sums import fade, fading, mixed, other_fade, other_weight
from verify.scenes.cfl.weight_sums import added, earlier, grows, past, rounds, weight
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import before, definition, over_summands

_more = sp.Symbol("further_rounds", nonnegative=True)
"""The number t - 2 of past rounds but the latest."""
_share = sp.Symbol("share", real=True)
"""The factor of the closed form that makes its weights sum to one."""
early, last = sp.symbols("early_fade last_fade", real=True)
"""A and E."""
FIRST = D2 * (1 - alpha**2) + R2 * alpha
LAST = D2 * (1 - alpha**2) - R2 * alpha * (1 - alpha) * _more
NOW_WEIGHT = D2 * (1 - alpha**2) + R2 * (1 + alpha + (1 - alpha) * _more)
PAST_SUM = _more * (1 - alpha) * FIRST + LAST
ROW_VALUE = D2 * (NOW_WEIGHT + alpha * LAST)

# ------------------------------------------------------------------- changes of weights that keep the sum: no slope

_change_sum = sp.Symbol("change_sum", real=True)
_WEIGHT = definition(eq(weight, early - alpha * before(fade)))
_FADES = {fade: fading(fade, weight), other_fade: fading(other_fade, other_weight)}
_EARLY = added(
    eq(fade * other_fade, early * other_fade), _FADES, (_WEIGHT,), (weight, other_weight), (eq(fade, early),)
)
_MIXED = added(
    eq(mixed, early * ((1 + alpha) * _change_sum - alpha * other_fade)),
    {
        **_FADES,
        _change_sum: grows(_change_sum, other_weight),
        mixed: grows(
            mixed, weight * other_weight + alpha * (weight * before(other_fade) + other_weight * before(fade))
        ),
    },
    (_WEIGHT, earlier(_EARLY, fade, other_fade)),
    (weight, other_weight),
)
_SUM = added(
    eq(past - alpha * fade, rounds * (1 - alpha) * early),
    {fade: fading(fade, weight), past: grows(past, weight), rounds: grows(rounds, sp.S.One)},
    (_WEIGHT,),
)
all_past, all_mixed, all_fade, all_change = sp.symbols(
    "all_past_weights all_mixed all_fade all_change", real=True
)
_LATEST = last - alpha * fade
SUMMED = follows(
    eq(all_past, rounds * (1 - alpha) * early + last), _SUM, definition(eq(all_past, past + _LATEST))
)
ALL_MIXED = follows(
    eq(all_mixed, (1 + alpha) * early * (all_change - all_fade) + last * all_fade),
    _MIXED,
    _EARLY,
    definition(eq(all_change, _change_sum + other_weight)),
    definition(eq(all_fade, alpha * other_fade + other_weight)),
    definition(
        eq(all_mixed, mixed + other_weight * _LATEST + alpha * (other_weight * fade + _LATEST * other_fade))
    ),
)
_scaled = {early: _share * FIRST, last: _share * LAST}
_LEVEL = follows(
    eq(tilt, 0),
    (ALL_MIXED, _scaled),
    (SUMMED, {**_scaled, rounds: _more}),
    definition(
        eq(
            tilt,
            D2
            * (
                all_mixed
                - all_change * _share * NOW_WEIGHT
                + alpha * (_share * NOW_WEIGHT * all_fade - all_change * _share * LAST)
            )
            + R2 * all_change * all_past,
        )
    ),
)
STATIONARY = over_summands(eq(tilt, 0), {tilt: (before(tilt), sp.S.Zero)}, _LEVEL)

# ------------------------------------------------------------------------------------------------- rows of Q p

_here, _ahead = sp.symbols("fade_here fade_ahead", real=True)
_SIDES = added(
    eq(_here + alpha * _ahead, (1 + alpha) * FIRST),
    {_here: (LAST, FIRST), _ahead: (NOW_WEIGHT, before(_here) - alpha * _here + alpha * before(_ahead))},
    each=(),
)
"""Both sums at a past round: of the weights up to it, and of the later ones, from the latest past round backwards."""
_ROW = follows(
    eq(row, last_row),
    _SIDES,
    definition(eq(row, D2 * (_here + alpha * _ahead) + R2 * PAST_SUM)),
    definition(eq(last_row, ROW_VALUE)),
)
ROWS_EQUAL = over_summands(eq(row, last_row), {row: (before(row), last_row)}, _ROW)

# ------------------------------------------------------------------------------------- the current weight, the pivot

_whole = sp.Symbol("sum_of_weights", real=True)
_TOTAL = PAST_SUM + NOW_WEIGHT


def _now(of: sp.Symbol, correlation: sp.Symbol) -> Follows:
    """The current weight at a correlation."""
    at = {alpha: correlation, _more: t - 2}
    whole, current = _TOTAL.xreplace(at), NOW_WEIGHT.xreplace(at)
    return follows(
        eq(of, CURRENT.subs(alpha, correlation)),
        definition(eq(of, _share * current)),
        (definition(eq(_whole, _share * whole)), {_whole: sp.S.One}),
        given=(*(condition.xreplace(at) for condition in UNIQUE), ge(t, 2)),
        through=(gt(1 - correlation**2, 0), gt(whole, 0), eq(of * whole, current)),
    )


NOW, NOW_MORE = _now(p_now, alpha), _now(p_now_more, alpha_more)
_one_round = sp.Symbol("pivot_of_one_round", positive=True)
"""1/D^2."""
_PIVOT = follows(
    gt(last_pivot, 0),
    definition(eq(last_pivot, _TOTAL / ROW_VALUE)),
    given=UNIQUE,
    through=(
        gt(1 - alpha**2, 0),
        eq(ROW_VALUE, D2 * (1 + alpha) * (D2 * (1 - alpha**2) + R2 * (1 + _more * (1 - alpha) ** 2))),
        gt(ROW_VALUE, 0),
        gt(_TOTAL, 0),
    ),
)
PIVOT = over_summands(gt(last_pivot, 0), {last_pivot: (before(last_pivot), _one_round)}, _PIVOT, given=UNIQUE)
OF_CLOSED = (STATIONARY, ROWS_EQUAL, NOW)
OF_GRADUAL = (NOW, NOW_MORE, PIVOT)
