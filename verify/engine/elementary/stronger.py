"""Stronger claims for inductions: the gap between a sum and its bound is at least what the tail of the sum would add."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from verify.engine.elementary.sums import sums_in
from verify.engine.model.scene import Condition

_SHARES = (sp.S.One, sp.Rational(1, 2), sp.Integer(2))


def stronger(relation: Condition, letter: sp.Symbol) -> Iterator[Condition]:
    """Yield claims that imply a bound of a sum, the most promising first.

    For a bound sum <= B with last term f, the gap B - sum is guessed as T f, T f/2, f and similar terms.
    """
    found = [total for total in sums_in([relation]) if letter in total.limits[0][2].free_symbols]
    if len(found) != 1 or isinstance(relation, sp.Eq):
        return
    (total,) = found
    index, _, high = total.limits[0]
    weight = _weight(relation.gts - relation.lts, total)
    if weight is None:
        return
    last = sp.powsimp(sp.simplify(total.function.subs(index, high)))
    for length in (high, sp.S.One, high + 1):
        for share in _SHARES:
            beyond = weight * share * length * last
            yield sp.Le(relation.lts + beyond, relation.gts, evaluate=False)


def _weight(slack: sp.Expr, total: sp.Sum) -> sp.Expr | None:
    """The absolute value of the factor of a sum in a slack; None if the slack is not linear in it or the sign is unknown."""
    place = sp.Dummy(real=True)
    weight = slack.xreplace({total: place}).diff(place)
    if place in weight.free_symbols or weight == 0:
        return None
    return weight if weight.is_nonnegative else -weight if weight.is_nonpositive else None
