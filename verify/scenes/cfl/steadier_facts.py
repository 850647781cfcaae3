"""CFL, Section 5.1: from round to round the gradient changes with no more variance in CFL than in FedAvg.

In an axis with decay d of a round, the change of the model varies by multiples of A in CFL and F in FedAvg, which start at 1.
From round n to the next A becomes d^2 A + (1 - 2 d^n)/(n (n + 1)) and F becomes d^2 F + 2 - 2 d. By Bernoulli d^n >= 1 - n (1 - d).
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl.nqm import jump_cfl, jump_fedavg, rate
from bounds.cfl.symbols import L
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import before, definition, over_summands, summed

_CLAIM = statement("cfl.nqm.claims.smooth.steps")
_eigenvalue, _below, _spread, _same, _number = named(
    "eigenvalue, below, drift in an axis, other variance, number of rounds", nonnegative=True
)
_shrink, _decay, _power, _lost, _cfl, _fedavg, _in_cfl, _in_fedavg = named(
    "shrink, decay, power, lost by decay, change in CFL, change in FedAvg",
    "variance in CFL, variance in FedAvg",
    real=True,
)
_POWER = definition(eq(_power, _decay * before(_power)))
_SHRINK = follows(
    le(_shrink**2, 1),
    definition(eq(_shrink, 1 - rate * _eigenvalue)),
    definition(eq(L, _eigenvalue + _below)),
    given=_CLAIM.conditions,
    through=(le(rate * _eigenvalue, 2), ge(rate * _eigenvalue * (2 - rate * _eigenvalue), 0)),
)
_DECAY = over_summands(
    le(_decay**2, 1),
    {_decay: (before(_decay), sp.S.One)},
    definition(eq(_decay, _shrink * before(_decay))),
    _SHRINK,
    through=(le(_shrink**2 * before(_decay) ** 2, before(_decay) ** 2),),
)
_AT_MOST_ONE = follows(le(_decay, 1), _DECAY)


def _by_rounds(
    relation: Condition,
    starts: dict[sp.Symbol, sp.Expr],
    *steps: Sums | Rounds | Follows,
    through: tuple[Condition, ...] = (),
) -> Rounds:
    """A relation for every round between quantities with these values before the first one."""
    changes = {quantity: (before(quantity), start) for quantity, start in starts.items()}
    return over_summands(relation, changes, *steps, given=(), through=through)


_ONE, _NONE = sp.S.One, sp.S.Zero
_SHORT = follows(
    le(_power, 1),
    _by_rounds(
        le(_power**2, 1),
        {_power: _ONE},
        _POWER,
        _DECAY,
        through=(le(_decay**2 * before(_power) ** 2, before(_power) ** 2),),
    ),
)
_LATER = follows(
    le((1 - _decay) * (before(_power) - 1), 0),
    follows(le(before(_power), 1), (_SHORT, {_power: before(_power)})),
    _AT_MOST_ONE,
)
_LOST = definition(eq(_lost, before(_lost) + 1 - _decay))
_NUMBER = definition(eq(_number, before(_number) + 1))
BERNOULLI = follows(
    ge(_power, 1 - _number * (1 - _decay)),
    _by_rounds(le(1 - _lost, _power), {_power: _ONE, _lost: _NONE}, _POWER, _LOST, _LATER),
    _by_rounds(eq(_lost, _number * (1 - _decay)), {_lost: _NONE, _number: _NONE}, _LOST, _NUMBER),
)
"""Bernoulli's inequality for any decay of at most 1 in absolute value."""
_LESS = _by_rounds(
    le(_cfl, _fedavg),
    {_power: _ONE, _cfl: _ONE, _fedavg: _ONE, _number: _NONE},
    _POWER,
    _NUMBER,
    definition(
        eq(
            _cfl,
            _decay**2 * before(_cfl) + (1 - 2 * _power) / ((before(_number) + 1) * (before(_number) + 2)),
        )
    ),
    definition(eq(_fedavg, _decay**2 * before(_fedavg) + 2 - 2 * _decay)),
    BERNOULLI,
    _AT_MOST_ONE,
    through=(
        le(1 - 2 * _power, 2 * (before(_number) + 1) * (1 - _decay)),
        le(1 - 2 * _power, 2 * (before(_number) + 1) * (before(_number) + 2) * (1 - _decay)),
        le((1 - 2 * _power) / ((before(_number) + 1) * (before(_number) + 2)), 2 - 2 * _decay),
        le(_decay**2 * before(_cfl), _decay**2 * before(_fedavg)),
    ),
)
STEADIER = summed(
    _CLAIM.compared,
    {jump_cfl: _in_cfl, jump_fedavg: _in_fedavg},
    (_in_cfl, _in_fedavg),
    follows(
        le(_in_cfl, _in_fedavg),
        definition(eq(_in_cfl, _spread * _cfl + _same)),
        definition(eq(_in_fedavg, _spread * _fedavg + _same)),
        _LESS,
        through=(le(_spread * _cfl, _spread * _fedavg),),
    ),
)
"""Drifts that stay and noise have the same effect in both methods; the eigenvalue times the drifts of time are in the spread."""
