"""Does a bound say anything?

*Free lunch*: is it ever better than what the same conditions give for free? *Placebo*: does it also hold for
algorithms that do the opposite, walk at random, or stand still?
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bounds.statement import Statement
from verify.engine.checks.attack import attack
from verify.engine.claim import Budget, Claim
from verify.engine.prover import prove
from verify.engine.scene import Scene
from verify.engine.verdict import Finding, Verdict

Check = Callable[[Claim, Budget, int], Finding]


def free_lunch(free: Statement) -> Check:
    """Check against `free`, a bound on the same quantity that costs nothing (and is judged as a claim of its own)."""

    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        dearer = sp.Le(free.rhs, claim.statement.rhs, evaluate=False)
        conditions = (*claim.statement.conditions, *free.conditions)
        if prove(dearer, (*conditions, *claim.premises), budget.proof_milliseconds).outcome == "proved":
            reason = f"never better than {free.id} ({free.says}), by real arithmetic (SMT)"
            return Finding("free lunch", Verdict.VACUOUS, "symbolic", reason)
        result = attack(claim.statement.id, dearer, conditions, None, budget, seed)
        if result.witness is not None:
            reason = f"better than {free.id} somewhere"
            point = {"point": result.witness.instance.record()}
            return Finding(
                "free lunch", None, result.witness.method, reason, result.search.trials, details=point
            )
        reason = f"never better than {free.id} in {result.search.trials} points ({free.says})"
        return Finding("free lunch", Verdict.VACUOUS, "certified", reason, result.search.trials)

    return check


def placebos(scenes: tuple[Scene, ...]) -> Check:
    """Check with `scenes` in which the algorithm is replaced by one that learns nothing."""

    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        caught: list[str] = []
        met: list[str] = []
        trials = 0
        for scene in scenes:
            result = attack(claim.statement.id, claim.relation, claim.conditions, scene, budget, seed)
            trials += result.search.trials
            (caught if result.witness else met).append(scene.name)
        details = {"breaks_for": caught, "holds_for": met}
        if caught:
            return Finding(
                "placebo",
                None,
                "exact",
                f"fails for {', '.join(caught)}, as it should",
                trials,
                details=details,
            )
        reason = f"every placebo meets it ({', '.join(met)}), so it guarantees no learning"
        return Finding("placebo", Verdict.VACUOUS, "exact", reason, trials, details=details)

    return check
