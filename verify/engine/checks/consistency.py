"""Could these numbers have been measured? Checks of printed numbers that say how often a number at random would fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from verify.engine.checks.table import table
from verify.engine.claim import Budget, Claim
from verify.engine.instance import Instance
from verify.engine.verdict import Finding, Verdict

Power = Callable[[Instance], Fraction]
"""Row -> the share of numbers that could be printed there which would not pass."""


def tested(rows: Mapping[str, Instance], power: Power) -> Callable[[Claim, Budget, int], Finding]:
    """Check that the relation holds in every row that could fail it, with the power of the test.

    A row in which every number would pass says nothing and is left out; if all are, there is no verdict.
    """

    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        powers = {name: power(row) for name, row in rows.items()}
        sharp = {name: row for name, row in rows.items() if powers[name] > 0}
        if not sharp:
            reason = f"none of {len(rows)} rows can fail: every number that could be printed there passes"
            return Finding("unjudged", Verdict.NOT_APPLICABLE, "exact", reason, details={"rows": {}})
        found = table(sharp)(claim, budget, seed)
        expected = float(sum(powers.values()))
        left_out = (
            f"; {len(rows) - len(sharp)} rows that cannot fail are left out" if len(sharp) < len(rows) else ""
        )
        reason = f"{found.reason}; of numbers at random {expected:.3g} of {len(sharp)} would differ{left_out}"
        shown = {name: float(powers[name]) for name in sharp}
        return replace(found, check="consistency", reason=reason, details={**found.details, "power": shown})

    return check
