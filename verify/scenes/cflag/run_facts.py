"""Facts about runs of C-FLAG with a fixed memory: sums over any number of rounds along any gradients."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations
from bounds.cflag import repairs as b
from bounds.cflag.forgetting import BIAS, bs, fb, forgetting
from bounds.cflag.rate import F_path, over_rounds, t
from bounds.cflag.symbols import L, T, alpha, b2, beta, ds, gf2, m, s2
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Follows
from verify.scenes.cflag.descent_facts import ON_PATH, fall, form
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, changing, definition

_HALF = sp.Rational(1, 2)
INFIMUM = le(F_path, b.F_most)
"""The definition of an infimum: no value is smaller."""
_ROOT = eq(m, b.m_root**2)
_fallen, _rest, _other = sp.Symbol("fallen", real=True), sp.Symbol("rest"), sp.Symbol("other", real=True)
"""Fall of the past loss and a sum over all rounds; another number."""
_others = sp.Symbol("others", nonnegative=True)
_LEAST = follows(le(b.least_path, gf2), definition(eq(b.least_path, sp.Min(gf2, _other))))
_LONGEST = follows(le(s2, b.s2_most), definition(eq(b.s2_most, sp.Max(s2, _others))))


def _all_rounds(
    share: sp.Expr, each: sp.Expr, *facts: AnyNumber, given: tuple[Condition, ...] = ()
) -> Follows:
    """The least squared gradient over all rounds, by the falls of the past loss and a sum of other terms.

    Parameters
    ----------
    share : formula
        What a round gives of its squared gradient.
    each : formula
        The other terms of a round, which together with the fall of the loss are no smaller.
    """
    return counted(
        le(SUMMANDS * share * b.least_path, _fallen + _rest),
        T,
        changing(_fallen, _rest, free=(gf2, b2, s2, bs, ds, fb, fall)),
        added(_fallen, fall),
        added(_rest, each),
        _LEAST,
        *facts,
        given=given,
        through=(le(share * b.least_path, share * gf2),),
    )


_relation = relations("cflag")


def _with_names(fact: Follows, rest: sp.Expr) -> Follows:
    return renamed(fact, {_fallen: F_path, _rest: rest})


# ------------------------------------------------------------------------------------------------ at alpha = 1/L

_OWN = L / 2 * beta**2 * s2 + beta * bs
_AT_LIMIT = follows(le((1 - m) / (2 * L) * gf2, fall + _OWN), ON_PATH, given=(*ON_PATH.given, *b.LIPSCHITZ))
_SUMMED = _all_rounds((1 - m) / (2 * L), _OWN, _AT_LIMIT, given=b.CONTRACTS)
THEOREM_2 = follows(
    _relation("thm2/fixed"),
    _with_names(_SUMMED, over_rounds(L / 2 * beta**2 * b.s2_path[t] + beta * b.bs_path[t])),
    given=b.CONTRACTS,
)
_rate = sp.Symbol("rate", positive=True)
"""Stands for 1 - m, and for alpha/2 times a positive number."""
_ANGLE = follows(
    le(bs**2, m * gf2 * s2), form(le(bs**2, b2 * s2)), given=(BIAS,), through=(le(b2 * s2, m * gf2 * s2),)
)
_SMALL, _LARGE = _rate**2 * gf2, 4 * L**2 * beta**2 * m * s2
_ALONG_BIAS = follows(
    le(beta * bs, _rate / (4 * L) * gf2 + beta**2 * L * m / _rate * s2),
    _ANGLE,
    given=(BIAS,),
    through=(
        le((4 * L * _rate * beta * bs) ** 2, 4 * _SMALL * _LARGE),
        le((4 * L * _rate * beta * bs) ** 2, (_SMALL + _LARGE) ** 2),
        le(4 * L * _rate * beta * bs, _SMALL + _LARGE),
    ),
)
_YOUNG = follows(
    _ALONG_BIAS.relation.xreplace({_rate: 1 - m}), (_ALONG_BIAS, {_rate: 1 - m}), given=(BIAS, *b.CONTRACTS)
)
_GROWS = beta**2 * L * (1 + m) / (2 * (1 - m))
_BOUNDED = follows(
    le((1 - m) / (4 * L) * gf2, fall + _GROWS * b.s2_most),
    *(_AT_LIMIT, _YOUNG, _LONGEST),
    given=(*_AT_LIMIT.given, *b.CONTRACTS),
    through=(le((1 - m) / (4 * L) * gf2, fall + _GROWS * s2), le(_GROWS * s2, _GROWS * b.s2_most)),
)
_NUMBERED = counted(
    le(SUMMANDS * (1 - m) / (4 * L) * b.least_path, _fallen + SUMMANDS * _GROWS * b.s2_most),
    T,
    changing(_fallen, free=(gf2, b2, s2, bs, ds, fb, fall)),
    added(_fallen, fall),
    _LEAST,
    _BOUNDED,
    given=b.CONTRACTS,
    through=(le((1 - m) / (4 * L) * b.least_path, (1 - m) / (4 * L) * gf2),),
)
PAST_5 = follows(
    _relation("thm5.past/fixed"), renamed(_NUMBERED, {_fallen: F_path}), given=(INFIMUM, *b.CONTRACTS)
)

# ------------------------------------------------------------------------------------------------ at alpha = 1/(L (1 + m))

_AGAINST = follows(
    ge(fb, -b.m_root * gf2),
    form(le(fb**2, gf2 * b2)),
    given=(BIAS, _ROOT),
    through=(le(gf2 * b2, m * gf2**2), le(fb**2, (b.m_root * gf2) ** 2)),
)
_SPARE = eq(_rate, 1 - 2 * b.m_root**3 / (1 + m))
_PRINTED = forgetting(_HALF, s2, ds) + beta * bs
_AT_PRINTED = follows(
    le(alpha / 2 * _rate * gf2, fall + _PRINTED),
    *(ON_PATH, _AGAINST),
    given=(*ON_PATH.given, *b.PRINTED, _ROOT, _SPARE),
)
_ALL_AT_PRINTED = follows(
    le(b.least_path, 2 * L * (1 + m) / (_rate * T) * (F_path + _rest)),
    renamed(_all_rounds(alpha / 2 * _rate, _PRINTED, _AT_PRINTED), {_fallen: F_path}),
    given=b.PRINTED,
)
_SUM = over_rounds(forgetting(_HALF, b.s2_path[t], b.ds_path[t]) + beta * b.bs_path[t])
AT_PRINTED_RATE = follows(
    _relation("thm2/fixed-rate"),
    (
        follows(_ALL_AT_PRINTED.relation, _ALL_AT_PRINTED, given=(*b.PRINTED, _SPARE)),
        {_rate: _SPARE.rhs, _rest: _SUM},
    ),
    given=(*b.PRINTED, _ROOT, *b.CONTRACTS),
)
