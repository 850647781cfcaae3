"""Statements that cannot be judged, with the reason: they are about numbers that the source does not print, or about
causes.
"""

from __future__ import annotations

from collections.abc import Callable

from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.verdict import Finding, Verdict, because

UNJUDGED = Kind("unjudged")


def unjudged(reason: str) -> Callable[[Claim, Budget, int], Finding]:
    """Check that says why there is no verdict."""

    @of_kind(UNJUDGED)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        del claim, budget, seed
        return Finding(UNJUDGED.name, Verdict.NOT_JUDGED, "symbolic", because("unjudged", why=reason))

    return check
