"""Do the paper's own experiments meet the conditions of a statement?"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy as sp

from bounds.evaluate import evaluate
from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.scene import Condition
from verify.engine.search.step_sizes import limits_of
from verify.engine.verdict import Finding, Verdict, because

APPLICABILITY = Kind("applicability")

Settings = Mapping[str, Mapping[str, float]]


def applicability(settings: Settings) -> Callable[[Claim, Budget, int], Finding]:
    """Evaluate the conditions at reported hyper-parameters; report the failing conditions and the values that would meet
    them.

    If an equation contains a single unreported quantity, it determines the value of this quantity, and the other conditions
    are judged with it. Conditions with further unreported quantities are listed as open. If no condition fails but some are
    open, the check gives no verdict.
    """

    @of_kind(APPLICABILITY)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        del budget, seed
        table = {name: _judge(claim.statement.conditions, values) for name, values in settings.items()}
        failing = {name: rows["failing"] for name, rows in table.items() if rows["failing"]}
        details = {"settings": table}
        if failing:
            reason = because("settings-fail", settings=failing)
            return Finding(APPLICABILITY.name, Verdict.GAP, "exact", reason, len(table), details=details)
        other = {
            word: sorted({text for rows in table.values() for text in rows[word]})
            for word in ("implied", "open")
        }
        reason = because("settings-meet", count=len(table), **other)
        verdict = Verdict.INCONCLUSIVE if other["open"] else Verdict.SUPPORTED
        return Finding(APPLICABILITY.name, verdict, "exact", reason, len(table), details=details)

    return check


def _judge(conditions: tuple[Condition, ...], values: Mapping[str, float]) -> dict[str, list[str]]:
    implied = _implied(conditions, values)
    rows: dict[str, list[str]] = {
        "met": [],
        "failing": [],
        "implied": [f"{name} = {value:.6g}" for name, value in implied.items()],
        "open": [],
    }
    values = {**values, **implied}
    for condition in conditions:
        missing = {s.name for s in condition.free_symbols} - values.keys()
        if missing:
            rows["open"].append(_requirement(condition, values, missing))
            continue
        left, right = (evaluate(side, values) for side in condition.args)
        holds = condition.func(left, right)
        text = f"{condition} ({float(left):.4g} against {float(right):.4g})"
        rows["met" if holds else "failing"].append(text)
    return rows


def _implied(conditions: tuple[Condition, ...], values: Mapping[str, float]) -> dict[str, float]:
    """Values of unreported quantities that are determined by an equation."""
    found: dict[str, float] = {}
    for condition in conditions:
        missing = {s for s in condition.free_symbols if s.name not in values}
        if isinstance(condition, sp.Eq) and len(missing) == 1:
            given = {s: sp.nsimplify(values[s.name]) for s in condition.free_symbols if s.name in values}
            symbol = missing.pop()
            solutions = sp.solve(condition.subs(given), symbol)
            if len(solutions) == 1:
                found[symbol.name] = float(solutions[0])
    return found


def _requirement(condition: Condition, values: Mapping[str, float], missing: set[str]) -> str:
    """The requirement of a condition on its single unreported quantity."""
    if len(missing) == 1:
        name = next(iter(missing))
        for limit, _ in limits_of(name, (condition,), frozenset(values)):
            return f"needs {name} <= {float(evaluate(limit, values)):.4g}"
    return f"{condition} (unreported: {', '.join(sorted(missing))})"
