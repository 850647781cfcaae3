"""Facts about corrected statements of CFL at any size: steady states, sums of equal weights, objectives that mislead."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl import repairs as b
from bounds.cfl.convex import P
from bounds.cfl.rates import forgotten
from bounds.cfl.symbols import D2, R2, H, N, T, eta, mu
from bounds.relations import eq, gt, lt
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cfl.weight_sums import added, grows, line
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import SUMMANDS, before, definition, summed

# ------------------------------------------------------------------------------------------------------ steady states


def _rest(of: sp.Expr) -> sp.Expr:
    """The expected squared gradient for a weight of the present: the variance v meets v = kept^2 v + pull^2 D^2/N."""
    return ((1 - b.kept_part) * of) ** 2 * D2 / (N * (1 - b.kept_part**2)) + (1 - of) ** 2 * R2


CONTRACTS = lt(b.kept_part, 1)
_RESTS = {
    b.at_rest: b.share,
    b.at_rest_other: b.other_share,
    b.at_rest_fed: sp.S.One,
    b.at_rest_limit: R2 / (D2 + R2),
}
_AT_REST, _OTHER, _FED, _LIMIT = (definition(eq(value, _rest(of))) for value, of in _RESTS.items())
_best = statement("cfl.nqm.steady.best").compared
OF_STEADY = (
    Sums(line("nqm.steady"), {b.at_rest: tree(_rest(b.share))}, {}),
    follows(
        line("nqm.steady.criterion"),
        _FED,
        _LIMIT,
        given=(gt(D2 + R2, 0), CONTRACTS),
        through=(gt(1 - b.kept_part**2, 0),),
    ),
    follows(
        _best,
        _AT_REST,
        _OTHER,
        given=(*statement("cfl.nqm.steady.best").conditions, CONTRACTS),
        through=(gt(1 - b.kept_part**2, 0),),
    ),
)

# ---------------------------------------------------------------------------------------------- the share of the start

_left = 1 - mu * eta / 2
REMAINS = gt(_left, 0)
_remains = sp.Symbol("share_that_remains", positive=True)
_power, _all_powers = (
    sp.Symbol("weight_of_round", positive=True),
    sp.Symbol("sum_of_round_weights", real=True),
)
_weight = _remains ** (-SUMMANDS - 1)
_GROWS = (
    {_power: _weight},
    {_power: _power / _remains},
    {_all_powers: (before(_all_powers), sp.S.One)},
    (definition(eq(_all_powers, before(_all_powers) + _remains * _weight)),),
)
"""The weight of the first round is 1."""
_GEOMETRIC = Rounds(eq(_all_powers * (1 - _remains), _remains * (_weight - 1)), SUMMANDS, *_GROWS)
_SOME = Rounds(gt(_all_powers, 0), SUMMANDS, *_GROWS)
_ALL = {_remains: _left, SUMMANDS: T - 1}
OF_GEOMETRIC = (
    follows(
        line("B44.forgotten"),
        (_GEOMETRIC, _ALL),
        (_SOME, _ALL),
        definition(eq(forgotten, _left * H / (eta * _all_powers))),
        given=(REMAINS,),
        through=(
            eq(_all_powers * mu * eta / 2, _left * (_left ** (-T) - 1)),
            gt(_all_powers * mu * eta / 2, 0),
            gt(_left ** (-T) - 1, 0),
        ),
    ),
)

# --------------------------------------------------------------------------------- equal weights, drifts of all rounds

_late, _share, _squares, _lates = sp.symbols("late_share new_share squares_then late_shares", real=True)
_number = sp.Symbol("rounds_so_far", nonnegative=True)
_early = sp.Symbol("early_over_drift", real=True)
_GROWN = summed(
    eq(_squares, _early + 2 * _share * _lates + _number * _share**2),
    {_squares: (_late + _share) ** 2, _early: _late**2, _lates: _late, _number: sp.S.One},
    (_late,),
)
_COUNT = {_number: grows(_number, sp.S.One)}
_inverse = 1 / (before(_number) + 1)
_ALL_LATE = {_lates: grows(_lates, (before(_number) + 1) * _inverse)}
_AS_MANY = added(eq(_lates, _number), {**_COUNT, **_ALL_LATE}, each=())
_EARLY = added(
    eq(_early, 2 * _number - b.harmonic_T),
    {
        **_COUNT,
        **_ALL_LATE,
        b.harmonic_T: grows(b.harmonic_T, _inverse),
        _early: (sp.S.Zero, _squares + _inverse**2),
    },
    (
        _AS_MANY,
        follows(
            eq(_squares, before(_early) + 2 * _inverse * before(_lates) + before(_number) * _inverse**2),
            (
                follows(eq(_squares, _early + 2 * _share * _lates + _number * _share**2), _GROWN),
                {_early: before(_early), _lates: before(_lates), _number: before(_number), _share: _inverse},
            ),
        ),
    ),
    (_squares,),
    (
        eq(
            _early,
            before(_early) + 2 * _inverse * before(_number) + before(_number) * _inverse**2 + _inverse**2,
        ),
    ),
)
OF_EARLY = (
    follows(
        line("rem4.6.early"),
        (_EARLY, {_number: T}),
        definition(eq(b.early, D2 * _early)),
        definition(eq(b.early_fed, D2 * T)),
    ),
)

# ------------------------------------------------------------------------------------------- an objective that misleads

_lost = sp.Symbol("lost", real=True)
OF_MISLED = (
    Sums(
        line("phi.optimum/value"),
        {b.loss_left: tree(b.curve * (-P * _lost / b.curve) ** 2 / 2), R2: tree(_lost**2)},
        {"lost": "real"},
    ),
)
