"""Checks of a relation: identity, inequality, bound, entailment, agreement.

They differ in how a proof is attempted and in what a counterexample means.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from verify.engine.arithmetic import side
from verify.engine.checks.attack import Attack, attack, nearest
from verify.engine.claim import Budget, Claim
from verify.engine.expressions import symbolic_values, vanishes
from verify.engine.facts import proof_of
from verify.engine.instance import Instance, sides
from verify.engine.misses import why_none
from verify.engine.prover import prove
from verify.engine.sampling import sample
from verify.engine.scene import Shape, allowed_shapes
from verify.engine.verdict import Finding, Verdict

ATTAINED = 0.99
"""Largest lhs/rhs from which on a proved inequality counts as attained."""


def identity(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Are both sides equal? Symbolically where the scene says that this covers every size; exact trials else."""
    return _equation(claim, budget, seed, "identity", Verdict.REFUTED)


def agreement(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Do two places of the source say the same? A point where they differ makes them inconsistent."""
    return _equation(claim, budget, seed, "agreement", Verdict.INCONSISTENT)


def inequality(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Is the relation true wherever its conditions hold? A proof first, then the adversary."""
    return _ordered(claim, budget, seed, "inequality", Verdict.REFUTED)


def bound(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Does every run obey the bound, its expectation taken exactly?"""
    return _ordered(claim, budget, seed, "bound", Verdict.REFUTED)


def entailment(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Do the printed conditions imply the relation? A point that meets them and breaks it is a gap."""
    return _ordered(claim, budget, seed, "entailment", Verdict.GAP)


def _ordered(claim: Claim, budget: Budget, seed: int, kind: str, broken: Verdict) -> Finding:
    """Random instances first, because most falsehoods fall at once; then a proof; then ascent."""
    at_random = attack(claim.question, replace(budget, ascents=0), seed)
    if at_random.witness is not None:
        return _refuted(kind, broken, at_random)
    outcome = _outcome(claim, budget)
    if outcome == "contradiction":
        return Finding(kind, Verdict.VACUOUS, "symbolic", "the conditions contradict each other")
    proved = outcome == "proved"
    if proved and (at_random.search.ratio or 0.0) > ATTAINED:
        return _proved(claim, kind, at_random)
    result = attack(claim.question, budget, seed)
    if result.witness is not None:
        _consistent(claim, proved=proved)
        return _refuted(kind, broken, result)
    return _proved(claim, kind, result) if proved else _survived(claim, kind, result, seed)


def _outcome(claim: Claim, budget: Budget) -> str:
    """Outcome of a proof: as a fact of the scene, or from conditions and premises."""
    if proof_of(claim.statement.relation, claim.scene, claim.conditions):
        return "proved"
    premises = (*claim.conditions, *claim.premises)
    return prove(claim.statement.relation, premises, budget.proof_milliseconds).outcome


def _consistent(claim: Claim, *, proved: bool) -> None:
    if proved:
        raise AssertionError(f"{claim.statement.id} is proved and refuted: a premise is false in its scene")


def _proved(claim: Claim, kind: str, result: Attack) -> Finding:
    """A derivation from premises is only as good as they are: `verify.engine.links` upgrades it if all are proved."""
    seen = 1.0 if isinstance(claim.relation, sp.Eq) else result.search.ratio
    ratio = "" if seen is None else f"; largest lhs/rhs seen {seen:.4g}"
    fact = proof_of(claim.statement.relation, claim.scene, claim.conditions)
    derived = bool(claim.premises) and not fact
    how = "derived from its premises" if derived else "follows"
    return Finding(
        kind,
        Verdict.HOLDS if derived else Verdict.PROVED,
        "symbolic",
        f"{fact or f'{how} by real arithmetic, for all sizes'}{ratio}",
        trials=result.search.trials,
        tightness=seen,
        details=_derivation(claim) if derived else {},
    )


def _derivation(claim: Claim) -> dict[str, Any]:
    """Premises of a derivation, and why those are true that are facts of the scene."""
    proofs = {str(premise): proof_of(premise, claim.scene, claim.conditions) for premise in claim.premises}
    return {"derived_from": list(proofs), "facts": {fact: why for fact, why in proofs.items() if why}}


def _equation(claim: Claim, budget: Budget, seed: int, kind: str, broken: Verdict) -> Finding:
    proved = _symbolic_sizes(claim)
    if proved and (claim.scene is None or claim.scene.covers):
        reason = (
            claim.scene.covers if claim.scene else "both sides are the same expression after simplification"
        )
        return Finding(kind, Verdict.PROVED, "symbolic", reason, trials=proved)
    fact = proof_of(claim.statement.relation, claim.scene, claim.conditions)
    follows = fact or (claim.premises and _outcome(claim, budget) == "proved")
    result = attack(claim.question, budget, seed)
    if result.witness is not None:
        _consistent(claim, proved=bool(follows))
        return _refuted(kind, broken, result)
    if follows:
        return _proved(claim, kind, result)
    exact = _exact_trials(claim, budget, seed) if claim.scene else 0
    if not result.search.trials:
        return _survived(claim, kind, result, seed)
    return Finding(
        kind,
        Verdict.HOLDS,
        "exact" if exact else "certified",
        f"equal in {result.search.trials} float instances and {exact} instances in exact fractions",
        trials=result.search.trials + exact,
        tightness=1.0,
    )


def _refuted(kind: str, verdict: Verdict, result: Attack) -> Finding:
    witness = result.witness
    assert witness is not None
    (left, _), (right, _) = witness.relation.small, witness.relation.large
    equation = isinstance(witness.relation.relation, sp.Eq)
    return Finding(
        kind,
        verdict,
        witness.method,
        f"counterexample: {left:.6g} {'!=' if equation else '>'} {right:.6g} with {_sizes(witness.instance.shape)}",
        trials=result.search.trials,
        tightness=left / right if right > 0 and not equation else None,
        witness=witness,
    )


def _survived(claim: Claim, kind: str, result: Attack, seed: int) -> Finding:
    if not result.search.trials:
        reason = f"no instance met all conditions, so nothing was tried: {why_none(claim.question, seed)}"
        return Finding(kind, Verdict.NOT_APPLICABLE, "exact", reason)
    ratio = result.search.ratio
    closest = nearest(claim.question, result)
    tight = "" if ratio is None else f", largest lhs/rhs {ratio:.4g}"
    doubt = (
        f"; {result.unconfirmed} suspicions did not survive exact arithmetic" if result.unconfirmed else ""
    )
    return Finding(
        kind,
        Verdict.HOLDS,
        closest.method if closest else "certified",
        f"not broken in {result.search.trials} instances{tight}{doubt}",
        trials=result.search.trials,
        tightness=ratio,
        witness=closest,
    )


def _sizes(shape: Shape) -> str:
    return ", ".join(f"{name}={value}" for name, value in shape.items()) or "the numbers in the witness"


def _symbolic_sizes(claim: Claim) -> int:
    """Number of shapes at which both sides agree as expressions; 0 as soon as they differ at one."""
    if claim.scene is None:
        return int(sp.simplify(claim.relation.lhs - claim.relation.rhs) == 0)
    if not claim.scene.covers:
        return 0
    shapes = allowed_shapes(claim.scene, claim.conditions)
    for shape in shapes:
        values = symbolic_values(claim.scene, shape)
        left, right = (side(part, values, "symbolic", 1) for part in claim.relation.args)
        if not all(vanishes(difference) for difference in (left - right).ravel()):
            return 0
    return len(shapes)


def _exact_trials(claim: Claim, budget: Budget, seed: int) -> int:
    """Number of random rational instances at which both sides are exactly equal; irrational ones are left out."""
    from nqm.fields import Irrational

    assert claim.scene is not None
    scene, done = claim.scene, 0
    shapes = allowed_shapes(scene, claim.conditions)
    rng = np.random.default_rng([seed, 1])
    for trial in range(budget.exact_trials):
        shape = shapes[trial % len(shapes)]
        drawn = {name: value[0] for name, value in sample(scene.space(shape), rng, 1).items()}
        rounded = {
            name: np.vectorize(
                lambda x: Fraction(float(x)).limit_denominator(16) or Fraction(1, 16), otypes=[object]
            )(np.asarray(value))
            for name, value in drawn.items()
        }
        instance = Instance(shape, rounded, {name: rounded[name] for name in scene.steps})
        try:
            done += sides(claim.relation, instance.values(scene, "exact"), "exact").holds
        except Irrational:
            continue
    return done
