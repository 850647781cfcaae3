"""CFL: facts about minimisers of all remembered objectives and about any method, for any number of clients and rounds.

Random vectors are vectors of a larger space whose inner products are expectations. All drifts are uncorrelated.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl import kept as b
from bounds.cfl.symbols import D2, G2, N, T, mu
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cfl.client_sums import assumed
from verify.scenes.cfl.uncorrelated_sums import zero_sum
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed
from verify.scenes.trees import Tree, square, times, vocabulary

client2, time2 = named("client2, time2", nonnegative=True)
WITHIN = (le(client2, G2), le(time2, D2))
"""The definitions of G and D: no drift is larger."""

# ------------------------------------------------------------------------------------------- the mean of all drifts

_curvature, _outcomes = named("curvature, outcomes", positive=True)
_drifts = sp.Symbol("drifts", integer=True, positive=True)
_there, _drift = named("minimiser, mean drift", real=True)
_total2, _weights2 = named("square of sum, squared weights", nonnegative=True)
_with_client, _with_time, _together = named("sum and client, sum and time, client and time", real=True)
_weight, _weights = named("weight, sum of weights", real=True)
_GRADIENT = summed(
    b.GRADIENT.compared,
    {b.all_grad2: (_curvature * _there) ** 2 / _outcomes, b.mean_drift2: _drift**2 / _outcomes},
    (_curvature, _there, _drift),
    definition(eq(_there, -_drift / _curvature)),
)
"""The sums are over coordinates and equally likely outcomes."""
_DRIFTS: dict[sp.Expr, Tree] = {
    _total2: square(["+", "sum", ["+", "client", "time"]]),
    before(_total2): square("sum"),
    client2: square("client"),
    time2: square("time"),
    _with_client: ["dot", "sum", "client"],
    _with_time: ["dot", "sum", "time"],
    _together: ["dot", "client", "time"],
}
_more_drift = vocabulary(_DRIFTS, dict.fromkeys(("sum", "client", "time"), "vector"))
"""A relation about the drifts of one more client in a round."""
_SPREAD = counted(
    le(_total2, SUMMANDS * (G2 + D2)),
    N * T,
    changing(_total2, free=(client2, time2, _with_client, _with_time, _together)),
    _more_drift(eq(_total2, before(_total2) + client2 + time2 + 2 * (_with_client + _with_time + _together))),
    *(zero_sum(product, sp.S.One) for product in (_with_client, _with_time, _together)),
    *map(assumed, WITHIN),
)
OF_MINIMISERS: tuple[AnyNumber, ...] = (
    _GRADIENT,
    follows(b.SPREAD.compared, (_SPREAD, {_total2: b.mean_drift2 * (N * T) ** 2})),
)

# ------------------------------------------------------------------------------------------------------ any weights

_OF_WEIGHTED: dict[sp.Expr, Tree] = {
    _total2: square(["+", "sum", times("weight", "time")]),
    before(_total2): square("sum"),
    time2: square("time"),
    _with_time: ["dot", "sum", "time"],
    _weight: "weight",
}
_WEIGHTED = over_summands(
    eq(_total2, D2 * _weights2),
    changing(_total2, _weights2, free=(_weight, time2, _with_time)),
    Sums(
        eq(_total2, before(_total2) + _weight**2 * time2 + 2 * _weight * _with_time),
        _OF_WEIGHTED,
        {**dict.fromkeys(("sum", "time"), "vector"), "weight": "real"},
    ),
    added(_weights2, _weight**2),
    zero_sum(_with_time, _weight),
    definition(eq(time2, D2)),
)
"""Each time drift is as large as it may be."""
_JENSEN = Sums(
    le(_weights**2, _drifts * _weights2),
    {_drifts: "n", _weights**2: square(["total", "weight"]), _weights2: ["each", "n", "weight", "weight"]},
    {"n": "count", "weight": "family n"},
)
OF_WEIGHTS = follows(
    b.FLOOR.compared,
    _WEIGHTED,
    definition(eq(b.weighted_gap, _total2 / (2 * mu * N**2))),
    (_JENSEN, {_drifts: N * T, _weights: N}),
    through=(le(N**2, N * T * _weights2), le(D2 * N, D2 * T * _weights2)),
)
"""Each client of a round has the weight of the round, so that the weights of all clients and rounds sum to N."""

# ------------------------------------------------------------------------------------------------------- any method

_signs, _lean, _up, _down, _answer, _later, _square, _leaned, _mean2, _second, _part, _size = named(
    "sum of signs, mean of next sign, chance of plus, chance of minus, answer",
    "later square, square, product with mean, squared mean, second moment, part of gap",
    "size of drift",
    real=True,
)
_chance = sp.Symbol("chance", nonnegative=True)
_chances, _squares, _later_chances, _later_squares, _leans, _means2, _seconds = named(
    "chances, squares, later chances, later squares, products with means, squared means",
    "second moments",
    real=True,
)
_seen, _seen_before = (sp.Symbol(f"prior and signs{which}", positive=True) for which in ("", " before"))
"""The prior and the number of signs seen."""
_LEAN = definition(eq(_lean, _signs / _seen))
_NEXT = (definition(eq(_up, _chance * (1 + _lean) / 2)), definition(eq(_down, _chance * (1 - _lean) / 2)))
"""Chances of a sequence with one more sign: p has a Beta distribution."""
_EACH = (
    definition(eq(_square, _chance * _signs**2)),
    definition(eq(_leaned, _chance * _lean * _signs)),
    definition(eq(_mean2, _chance * _lean**2)),
)
_SECOND = definition(
    eq(
        _second,
        (_up * (_seen + 2 + _signs) + _down * (_seen + 2 - _signs) - 2 * _up * (_seen - _signs))
        / (2 * (_seen + 1)),
    )
)
"""Sequences with two more signs, of which different ones count negatively: the chance times the mean of (2 p - 1)^2."""
_OF_SEQUENCES = {
    _chances: _chance,
    _squares: _square,
    _later_chances: _up + _down,
    _later_squares: _later,
    _leans: _leaned,
    _means2: _mean2,
    _seconds: _second,
    b.any_gap: _part,
}


def _of_sequences(relation: Condition, *facts: AnyNumber) -> Rounds:
    """A relation between sums over all sequences of signs."""
    sums = {total: summand for total, summand in _OF_SEQUENCES.items() if relation.has(total)}
    each = (_chance, _up, _down, _square, _later, _leaned, _mean2, _second, _part)
    return summed(relation, sums, each, *facts)


_LEANS = _of_sequences(eq(_seen * _leans, _squares), follows(eq(_seen * _leaned, _square), _LEAN, *_EACH))
_CERTAIN = over_summands(
    eq(_chances, 1),
    {_chances: (before(_chances), sp.S.One)},
    renamed(
        _of_sequences(eq(_later_chances, _chances), *_NEXT),
        {_later_chances: _chances, _chances: before(_chances)},
    ),
)
_SQUARES = over_summands(
    eq(_squares * (b.prior + 1), (_seen - b.prior) * _seen),
    {
        _squares: (before(_squares), sp.S.Zero),
        _chances: (before(_chances), sp.S.One),
        _seen: (_seen_before, b.prior),
        _leans: (before(_leans), None),
    },
    definition(eq(_seen, _seen_before + 1)),
    renamed(
        _of_sequences(
            eq(_later_squares, _chances + _squares + 2 * _leans),
            follows(
                eq(_later, _chance + _square + 2 * _leaned),
                definition(eq(_later, _up * (_signs + 1) ** 2 + _down * (_signs - 1) ** 2)),
                *(*_NEXT, *_EACH),
            ),
        ),
        {_later_squares: _squares, **{total: before(total) for total in (_squares, _chances)}},
    ),
    renamed(_LEANS, {_squares: before(_squares), _seen: _seen_before}),
    renamed(_CERTAIN, {_chances: before(_chances)}),
    through=(
        eq(
            _seen_before * _squares * (b.prior + 1),
            _seen_before * (b.prior + 1) + (_seen_before + 2) * _seen_before * (_seen_before - b.prior),
        ),
        eq(_squares * (b.prior + 1), (_seen_before + 1 - b.prior) * (_seen_before + 1)),
    ),
)
_MISSED = _of_sequences(
    ge(b.any_gap, D2 / (2 * mu) * (_seconds - _means2)),
    follows(
        ge(_part, D2 / (2 * mu) * (_second - _mean2)),
        definition(
            eq(
                _part,
                mu
                / 2
                * (_chance * _answer**2 - 2 * (_up - _down) * _answer * _size / mu + _second * D2 / mu**2),
            )
        ),
        *(*_NEXT, *_EACH),
        definition(eq(D2, _size**2)),
        through=(ge(mu / 2 * _chance * (_answer - _lean * _size / mu) ** 2, 0),),
    ),
)
"""No answer is better than the posterior mean."""
OF_METHODS = Follows(
    b.METHODS.compared,
    (
        (_MISSED, {}),
        *(
            (fact, {_seen: b.prior + N * T})
            for fact in (
                _SQUARES,
                _of_sequences(
                    eq(_seen**2 * _means2, _squares), follows(eq(_seen**2 * _mean2, _square), _LEAN, *_EACH)
                ),
                _LEANS,
                _of_sequences(
                    eq((_seen + 1) * _seconds, _chances + _leans),
                    follows(
                        eq((_seen + 1) * _second, _chance + _leaned),
                        *(_LEAN, *_NEXT, *_EACH, _SECOND),
                        through=(eq(_signs, _lean * _seen),),
                    ),
                ),
            )
        ),
        (_CERTAIN, {}),
    ),
)
