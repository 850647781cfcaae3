"""CFL, Section 5.1: facts about the noisy quadratic model, for any number of rounds, local steps, clients and axes."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl.nqm import factor_cfl, factor_fedavg, mean_less, mean_more
from bounds.relations import eq, le
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import before, changing, definition, over_summands, summed

_decay, _left, _left_fedavg = named("decay, left of start, left in FedAvg", real=True)
_ALIKE = over_summands(
    eq(_left, _left_fedavg),
    {**{left: (before(left), sp.S.One) for left in (_left, _left_fedavg)}, **changing(free=(_decay,))},
    *tuple(definition(eq(left, _decay * before(left))) for left in (_left, _left_fedavg)),
)
SAME_FACTOR = follows(
    statement("cfl.nqm.claims.tolerates/same").compared,
    _ALIKE,
    definition(eq(factor_cfl, sp.Abs(_left))),
    definition(eq(factor_fedavg, sp.Abs(_left_fedavg))),
)
"""Weights that sum to one leave the curvature of a round as it is, so that both methods have the same decay."""
_curvature, _kept, _reached = named("curvature, kept of start, reached by loss", real=True)
_level, _rise, _spread, _stirred = named("level, rise, variance, variance by loss", nonnegative=True)


def _squared(level: sp.Expr) -> sp.Expr:
    """Expected squared loss along an axis, the mean over a start and its mirror image."""
    means = ((_kept + _reached * level) ** 2 + (-_kept + _reached * level) ** 2) / 2
    return _curvature**2 * (means + _spread + _stirred * level)


_less, _more = (sp.Symbol(f"squared loss at {which} level", real=True) for which in ("one", "a larger"))
MORE_LOSS = summed(
    statement("cfl.nqm.claims.loss/centred").compared,
    {mean_less: _less, mean_more: _more},
    (_less, _more),
    follows(
        le(_less, _more),
        definition(eq(_less, _squared(_level))),
        definition(eq(_more, _squared(_level + _rise))),
    ),
)
"""The noise of an information loss has a variance in proportion to its level."""
