"""C-FLAG: rounds one after the other, for proofs by induction: sums and least values of those that are over."""

from __future__ import annotations

import sympy as sp

from bounds.cflag.symbols import CFLAG
from bounds.relations import eq, le

_nonnegative = CFLAG.nonnegative

passed = _nonnegative("passed", "rounds that are over", "t")
passed_next = _nonnegative("passed_next", "the same one round later", "t+1")


def least_of(least: sp.Symbol, least_next: sp.Symbol, now: sp.Symbol) -> tuple[sp.Rel, ...]:
    """What a least value is: a further round does not raise it, and is none below it."""
    return le(least_next, least), le(least_next, now)


ONE_MORE = eq(passed_next, passed + 1)
