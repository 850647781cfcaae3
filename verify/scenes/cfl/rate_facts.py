"""CFL, Appendix B.4.4: facts about means over any number of rounds of the minimum value of Lemma B.4, for any nondecreasing weights."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl import techniques as b
from bounds.cfl.rates import harmonic, harmonic_before, noise_mean, past_mean
from bounds.cfl.symbols import D2, G2, R2, T
from bounds.relations import eq, ge, gt, le
from verify.engine.model.scene import Follows
from verify.scenes.cfl.technique_facts import falling, paired
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed

BEFORE = le(T * harmonic, (R2 + D2) / D2 + harmonic_before)
NOT_FALLING = ge(b.rise, 0)
"""The weights of the rounds do not fall."""
_DRIFTING = gt(D2, 0)
_limit, _whole = D2 / (D2 + R2), D2 + R2
_weight, _weights, _earlier, _inverses, _pasts = named(
    "weight, all weights, earlier rounds, sum of inverses, sum of past weights", nonnegative=True
)
_past, _noise, _noises, _always, _fading, _inverse, _reciprocal, _crossed = named(
    "past weight, noise, sum of noises, noise that stays, noise that fades, inverse",
    "reciprocal, crossed inverses",
    real=True,
)
_first, _plain = sp.Symbol("first inverse"), sp.Symbol("inverses so far")
"""The inverses are 1/(t - R^2/(R^2+D^2))."""
_later = sp.Symbol("later rounds", positive=True)
_all = sp.Symbol("sum of all weights", positive=True)


def _common(earlier: sp.Expr) -> sp.Expr:
    """The denominator of the weights of a round, by the number of rounds before it."""
    return (earlier + 1) * D2 + earlier * R2


_LIMIT = summed(
    le(_pasts, _limit * _weights),
    {_pasts: _weight * _past, _weights: _weight},
    (_weight, _past),
    follows(le(_past, _limit), definition(eq(_past, _earlier * D2 / _common(_earlier))), given=(_DRIFTING,)),
    through=(le(_weight * _past, _weight * _limit),),
)
_ALWAYS, _FADING = definition(eq(_always, G2 + R2 * _limit)), definition(eq(_fading, D2 * _limit**2))
_NOISES = summed(
    eq(_noises, _always * _weights + _fading * _inverses),
    {_noises: _weight * _noise, _weights: _weight, _inverses: _weight * _inverse},
    (_weight, _noise, _inverse),
    follows(
        eq(_noise, _always + _fading * _inverse),
        definition(eq(_noise, G2 + D2 * (D2 + _earlier * R2) / _common(_earlier))),
        definition(eq(_inverse, _whole / _common(_earlier))),
        *(_ALWAYS, _FADING),
        given=(_DRIFTING,),
    ),
)
_ORDERED = follows(
    le(T * _inverses, _weights * T * harmonic),
    paired(
        eq(T * _inverses, _weights * T * harmonic - _crossed),
        *(T, _inverses, _weights * T * harmonic, _crossed),
    ),
    falling(_crossed, lambda number: _whole / _common(number - 1), (_DRIFTING,)),
)
"""Chebyshev's inequality for sums."""
_FIRST = over_summands(
    le(_plain, _first + harmonic_before),
    {_plain: (before(_plain), _first), **changing(harmonic_before, free=(_inverse, _reciprocal))},
    added(_plain, _inverse),
    added(harmonic_before, _reciprocal),
    follows(
        le(_inverse, _reciprocal),
        definition(eq(_inverse, _whole / _common(_later))),
        definition(eq(_reciprocal, 1 / _later)),
        given=(_DRIFTING,),
    ),
)
_SUM = statement("cfl.B44.sc.sum").compared
FACTS: tuple[AnyNumber, ...] = (
    follows(
        statement("cfl.phi.average/limit").compared,
        (_LIMIT, {_pasts: past_mean * _all, _weights: _all}),
        given=(_DRIFTING,),
        through=(le(past_mean * _all, _limit * _all),),
    ),
    Follows(
        _SUM,
        (
            (_NOISES, {_noises: noise_mean * _all, _weights: _all}),
            (_ORDERED, {_weights: _all}),
            *((fact, {}) for fact in (_ALWAYS, _FADING)),
        ),
        (_DRIFTING,),
        (
            le(_inverses, _all * harmonic),
            le(_fading * _inverses, _fading * _all * harmonic),
            le(noise_mean * _all, _all * (_always + _fading * harmonic)),
            le(noise_mean, _always + _fading * harmonic),
        ),
    ),
    follows(
        BEFORE, (_FIRST, {_plain: T * harmonic, _first: _whole / D2, SUMMANDS: T - 1}), given=(_DRIFTING,)
    ),
)
"""Weights start at a positive number, the first inverse is (R^2+D^2)/D^2."""
