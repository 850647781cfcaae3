"""Are wrong statements detected? True statements are changed into stronger ones, and the detected changes are counted.

A mutant is a true statement with one change that makes it stronger: a factor halved or dropped, a term dropped, a sign
reversed, an exponent changed, a condition removed. It is judged by the claim of the original, without its premises. If it
survives, a solver tries to derive it from the original; a change that follows from the original is not a mutant and does not
count. The removal of a condition that the scene cannot break does not count, either. A mutant may also survive because the
original bound is so loose that no admissible instance comes near it; the largest lhs/rhs shows this.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from bounds.statement import Statement
from verify.engine.checks.kinds import kind_of
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.model.scene import allowed_shapes
from verify.engine.proof.prover import derived
from verify.engine.search.adversary import share_meeting
from verify.engine.verdict import HARMLESS, SHOWN

TIGHT = 0.9
"""Statements with a largest lhs/rhs below this are reported as loose and not counted."""

PROOF_STEPS = 300
"""Limit on steps of a derivation of a mutant from its original."""

OPPOSITE = {sp.Le: sp.Gt, sp.Lt: sp.Ge, sp.Ge: sp.Lt, sp.Gt: sp.Le}
CAUGHT = ("refuted", "inconsistent", "gap")
"""Verdicts that detect a mutant; a gap is the verdict of an entailment check with a counterexample."""


@dataclass(frozen=True)
class Mutant:
    """A changed statement, and a description of the change."""

    change: str
    statement: Statement


def mutants(statement: Statement) -> Iterator[Mutant]:
    """Mutants of a statement whose relation is an equation or an inequality."""
    relation = statement.compared
    small, large = (relation.rhs, relation.lhs) if isinstance(relation, sp.Ge | sp.Gt) else relation.args
    seen = {large}
    for change, changed in _changes(large):
        if changed in seen or changed.has(sp.zoo, sp.nan):
            continue
        seen.add(changed)
        mutated = relation.func(small, changed, evaluate=False)
        if isinstance(relation, sp.Ge | sp.Gt):
            mutated = relation.func(changed, small, evaluate=False)
        yield Mutant(change, dataclasses.replace(statement, relation=mutated, terms={}))
    for condition in statement.conditions:
        if any(not s.is_integer for s in condition.free_symbols):
            rest = tuple(c for c in statement.conditions if c != condition)
            yield Mutant(
                f"without the condition {condition}", dataclasses.replace(statement, conditions=rest)
            )


def _changes(side: sp.Expr) -> Iterator[tuple[str, sp.Expr]]:
    """One change at a time on the side that is claimed to be large."""
    if side == 0:
        return
    yield "right side halved", side / 2
    if isinstance(side, sp.Sum):
        for change, summand in _changes(side.function):
            yield f"in the sum: {change}", sp.Sum(summand, *side.limits)
        return
    terms = _terms(side)
    if len(terms) > 1:
        for term in terms:
            yield f"term {term} dropped", side - term
            yield f"sign of {term} turned", side - 2 * term
    for power in sorted(side.atoms(sp.Pow), key=str):
        if power.exp.is_Integer and power.base.is_Symbol:
            changed = power.base ** (power.exp + 1)
            yield f"exponent of {power} changed", side.xreplace({power: changed})
    for factor in sorted(_factors(terms), key=str):
        yield f"factor {factor} dropped", side.subs(factor, 1)


def _terms(side: sp.Expr) -> Sequence[sp.Expr]:
    """Terms of a sum, or of the numerator of a fraction, each over the denominator."""
    if isinstance(side, sp.Add):
        return tuple(side.args)
    numerator, denominator = side.as_numer_denom()
    return [term / denominator for term in sp.Add.make_args(sp.expand(numerator))]


def _factors(terms: Sequence[sp.Expr]) -> set[sp.Symbol]:
    factors = {s for term in terms for s in sp.Mul.make_args(term)}
    return {s for s in factors if s.is_Symbol or (isinstance(s, sp.Pow) and s.exp.free_symbols)}


def _implied(claim: Claim, changed: Claim) -> bool:
    """Whether a changed claim follows from the original and so is not stronger.

    If a condition was removed, the original covers the points at which the condition holds. At all other points the claim
    must be true by itself, or undefined.
    """
    removed = tuple(c for c in claim.conditions if c not in changed.conditions)
    relation = changed.statement.compared
    if not removed:
        known = (claim.statement.compared, *claim.conditions, *claim.premises)
        return derived(relation, known, PROOF_STEPS).outcome == "proved"
    elsewhere = tuple(OPPOSITE[type(c)](c.lhs, c.rhs, evaluate=False) for c in removed if type(c) in OPPOSITE)
    if len(elsewhere) < len(removed):
        return False
    outcome = derived(relation, (*changed.conditions, *elsewhere), PROOF_STEPS).outcome
    return outcome in ("proved", "contradiction")


def _untestable(claim: Claim, changed: Claim, seed: int) -> bool:
    """Whether a removed condition is built into the scene: every instance of the scene meets it."""
    removed = tuple(c for c in claim.conditions if c not in changed.conditions)
    if not removed:
        return False
    scene = claim.question.scene
    for shape in allowed_shapes(scene, changed.conditions):
        met, tried = share_meeting(removed, changed.conditions, scene, shape, seed)
        if met < tried:
            return False
    return True


def examine(id: str, budget: str, seed: int) -> dict[str, Any]:
    """The verdicts of a statement and its mutants, as plain JSON."""
    from verify.engine.topics import claim_of

    claim = claim_of(id)
    assert claim is not None, id
    check = claim.checks[0]
    original = check(claim, BUDGETS[budget], seed)
    verdict = original.verdict.value if original.verdict else None
    report: dict[str, Any] = {
        "id": id,
        "verdict": verdict,
        "tightness": original.tightness,
        "mutants": [],
        "implied": [],
    }
    if verdict not in HARMLESS:
        return report
    for mutant in mutants(claim.statement):
        changed = dataclasses.replace(claim, statement=mutant.statement)
        finding = _finding_of_mutant(changed, check, budget, seed)
        found = finding.verdict and finding.verdict.value
        # Only a survivor can follow from the original
        if found in SHOWN or (
            found not in CAUGHT and (_implied(claim, changed) or _untestable(claim, changed, seed))
        ):
            report["implied"].append(mutant.change)
            continue
        report["mutants"].append({"change": mutant.change, "verdict": found, "tightness": finding.tightness})
    return report


def _finding_of_mutant(claim: Claim, check: Any, budget: str, seed: int) -> Any:
    return check(dataclasses.replace(claim, premises=()), BUDGETS[budget], seed)


def can_be_mutated(id: str) -> bool:
    """Whether the first check of a claim judges a relation; other checks have nothing to change."""
    from verify.engine.topics import claim_of

    claim = claim_of(id)
    return claim is not None and kind_of(claim.checks[0]).broken is not None


def summary(reports: Sequence[dict[str, Any]]) -> str:
    """Table of all true statements with their mutants, explanations of the misses, and the detected share."""
    first = 2 + max((len(report["id"]) for report in reports if report["mutants"]), default=14)
    lines = [f"{'true statement':<{first}}{'lhs/rhs':<10}{'mutants':<9}{'caught':<8}misses"]
    caught = total = tight = 0
    for report in reports:
        if not report["mutants"]:
            continue
        hits = [m for m in report["mutants"] if m["verdict"] in CAUGHT]
        missed = [m for m in report["mutants"] if m not in hits]
        loose = report["tightness"] is not None and report["tightness"] < TIGHT
        ratio = "" if report["tightness"] is None else f"{report['tightness']:.4g}"
        lines.append(
            f"{report['id']:<{first}}{ratio:<10}{len(report['mutants']):<9}{len(hits):<8}{'loose' if loose else ''}"
        )
        for mutant in missed:
            lines.append(f"    missed: {mutant['change']} ({_explained(mutant)})")
        if not loose:
            tight += 1
            caught += len(hits)
            total += len(report["mutants"])
    share = caught / total if total else 0.0
    lines.append(
        f"caught {caught} of {total} mutants of {tight} statements that are tight to {TIGHT}: share {share:.3f}"
    )
    return "\n".join(lines)


def _explained(mutant: dict[str, Any]) -> str:
    if mutant["verdict"] in SHOWN:
        return "still true: proved"
    if mutant["verdict"] == "not judged":
        return "no instance meets the conditions"
    if mutant["verdict"] == "vacuous":
        return "its conditions contradict each other"
    if mutant["tightness"] is not None and mutant["tightness"] < 1:
        return f"so loose that no instance comes nearer than lhs/rhs = {mutant['tightness']:.3g}"
    return "no instance that breaks it was found"
