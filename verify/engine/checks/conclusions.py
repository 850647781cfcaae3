"""From evidence to a finding: what a check of a relation concludes from a counterexample, a proof or a survived search.

A check that searched and a run that only checks stored evidence conclude by the same functions, so that no verdict and no
reason is ever read from a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from verify.engine.checks.kinds import Kind
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Shape
from verify.engine.proof.basis import Basis, unused
from verify.engine.search.adversary import margins
from verify.engine.search.witness import Witness
from verify.engine.verdict import Finding, Reason, Verdict, because, ratio_seen


def refuted(kind: Kind, witness: Witness, trials: int, course: Mapping[str, Any]) -> Finding:
    """What a confirmed counterexample shows."""
    (left, _), (right, _) = witness.relation.small, witness.relation.large
    relation = witness.relation.relation
    sign = {sp.Eq: "!=", sp.Ne: "="}.get(type(relation), ">")
    equation = isinstance(relation, sp.Eq | sp.Ne)
    return Finding(
        kind.name,
        kind.broken,
        witness.method,
        counterexample(left, sign, right, witness.instance.shape) + _zeros(witness),
        trials=trials,
        tightness=left / right if right > 0 and not equation else None,
        witness=witness,
        details={} if equation else dict(course),
    )


def contradictory(kind: Kind, basis: Basis) -> Finding:
    """What a proof that the conditions contradict each other shows."""
    reason = because("contradiction")
    return Finding(kind.name, Verdict.VACUOUS, "symbolic", reason, proof=basis.proof)


def identical(kind: Kind, basis: Basis) -> Finding:
    """What identities at the sizes of a scene show."""
    return Finding(
        kind.name, _verdict_of(basis), "symbolic", basis.reason, trials=basis.shapes, proof=basis.proof
    )


def proved(
    claim: Claim, kind: Kind, basis: Basis, closest: Witness | None, trials: int, course: Mapping[str, Any]
) -> Finding:
    """What a proof shows, beside the tightest instance.

    A derivation from premises is only as good as they are: `verify.engine.links` upgrades it if all are proved.
    """
    equation = isinstance(claim.relation, sp.Eq)
    seen = 1.0 if equation else ratio_at(claim, closest)
    premises = {"derived_from": list(basis.premises), "facts": dict(basis.facts)} if basis.premises else {}
    premises |= {"cited": list(basis.unproved)} if basis.premises and basis.unproved else {}
    return Finding(
        kind.name,
        _verdict_of(basis),
        "symbolic",
        basis.reason + ratio_seen(seen),
        trials=trials,
        tightness=seen,
        witness=None if equation else closest,
        details={**premises, **course},
        proof=basis.proof,
    )


def proved_for_class(
    claim: Claim, kind: Kind, found: Finding, closest: Witness | None, trials: int
) -> Finding:
    """What a proof for a larger class of problems shows, beside the tightest instance of the scene."""
    seen = ratio_at(claim, closest)
    reason = found.reason + ratio_seen(seen)
    return replace(found, check=kind.name, reason=reason, trials=trials, tightness=seen, witness=closest)


def _verdict_of(basis: Basis) -> Verdict:
    """What a proof shows by itself: nothing yet, where premises have to be proved first."""
    if basis.premises:
        return Verdict.UNREFUTED
    return Verdict.CITED if basis.unproved else Verdict.PROVED


def finding_without_counterexample(
    claim: Claim,
    kind: Kind,
    closest: Witness | None,
    trials: int,
    ratio: float | None,
    details: Mapping[str, Any],
) -> Finding:
    """What a search that broke nothing shows, beside the tightest instance.

    Parameters
    ----------
    ratio : float or None
        The largest lhs/rhs of the search; where there is a tightest instance, that counts instead.
    details : mapping
        ``suspicions``, how many did not survive exact arithmetic; why there is no proof; the course of the search.
    """
    seen = ratio if closest is None else ratio_at(claim, closest)
    return Finding(
        kind.name,
        Verdict.UNREFUTED,
        closest.method if closest else "interval",
        because("not-broken", trials=trials, ratio=seen, unconfirmed=details.get("suspicions", 0)),
        trials=trials,
        tightness=seen,
        witness=closest,
        details=dict(details),
    )


def with_unused(claim: Claim, finding: Finding) -> Finding:
    """A finding that says which of the facts that the claim names no proof can use, and why."""
    found = unused(claim) if claim.facts else {}
    if not found:
        return finding
    lacking = [clause for name, why in found.items() for clause in because("not-used", fact=name, why=why)]
    details = {**finding.details, "unused facts": found}
    return replace(finding, reason=finding.reason + lacking, details=details)


def ratio_at(claim: Claim, instance: Witness | None) -> float | None:
    """lhs/rhs at an instance, rounded to nine digits, so that it is the same on every machine; None if there is none,
    or a side is not positive.
    """
    if instance is None:
        return None
    question = claim.question
    ratio = float(margins(question.relation, instance.instance.values(question.scene, "float"), 1)[1][0])
    return float(f"{ratio:.9g}") if ratio == ratio else None


def counterexample(left: float, sign: str, right: float, shape: Shape, **fields: Any) -> Reason:
    """Both sides of a relation that fails, and the sizes."""
    return because("counterexample", left=left, sign=sign, right=right, sizes=dict(shape), **fields)


def _zeros(witness: Witness) -> Reason:
    """The quantities that are zero, or nearly zero, in a counterexample, because the search found no other."""
    return because("zero", names=list(witness.zero), exact=witness.exactly_zero) if witness.zero else []
