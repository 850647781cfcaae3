"""The check of a claim about a method: an exact proof or an exact counterexample at every size and rational point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from nqm.kinds import Irrational
from verify.engine.certificates.question import Certificate
from verify.engine.checks.conclusions import counterexample
from verify.engine.checks.kinds import Kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Condition, met_by
from verify.engine.proof.sizes import proof_at
from verify.engine.search.witness import Witness, confirm
from verify.engine.verdict import Finding, Reason, Verdict, because
from verify.first_order.cases import Case, Decided, Studied, case_of, contradiction, decision
from verify.first_order.certificate import in_words
from verify.first_order.counterexample import Example
from verify.first_order.points import fixed, parameter_points
from verify.first_order.ranges import in_cases, with_ranges

WORST_CASE = Kind("worst case")

POINTS = {"quick": 4, "default": 16, "full": 60}
"""Number of rational points of the parameters at each size, by the name of the budget."""


Open = tuple[Case | None, Reason]
"""A case that was not decided (None if it could not be stated), and the reason."""


def decide(study: Studied, claim: Claim, budget: Budget, seed: int) -> Finding:
    """Decide whether the relation holds for every function of the class, at every size.

    First the claim is decided at rational points of the parameters. If no function meets its assumptions there, the verdict is
    "vacuous". If it is proved at one of them, certificates for the whole ranges of the parameters are searched. With these the
    verdict is "proved"; without them it is "unrefuted".
    """
    del seed
    refuted, proved, undecided = at_points(study, claim, budget)
    if refuted is not None:
        return refuted
    if not proved and not undecided:
        reason = because("no-point")
        return Finding(WORST_CASE.name, Verdict.NOT_JUDGED, "exact", reason)
    absurd = contradictory(proved)
    if absurd is not None:
        return absurd
    relation, conditions = claim.relation, claim.statement.conditions
    shapes = _shapes(study, claim)
    if not undecided and all(fixed(conditions, shape, study.boxes) for shape in shapes):
        return _proved(proved)
    whole = {}
    for shape in shapes if proved else ():
        found = in_cases(study, relation, conditions, shape)
        if found is not None:
            whole[tuple(shape.items())] = found
    if len(whole) < len(shapes):
        return _undecided(proved, undecided)
    shown = _proved(proved, whole)
    return replace(shown, proof=with_ranges(shown.proof or {}, relation, conditions, study.boxes))


def at_points(
    study: Studied, claim: Claim, budget: Budget
) -> tuple[Finding | None, list[Decided], list[Open]]:
    """Decide the claim at rational points of its parameters.

    Returns a refutation or None, the proved cases, and the undecided ones.
    """
    relation, conditions = claim.relation, claim.statement.conditions
    proved: list[Decided] = []
    undecided: list[Open] = []
    for shape in _shapes(study, claim):
        for point in parameter_points(conditions, shape, study.boxes, POINTS.get(budget.name, 16)):
            for written in _one_way(relation):
                try:
                    case = case_of(study, written, conditions, shape, point)
                except Irrational as error:
                    undecided.append((None, because("irrational", why=str(error))))
                    continue
                except ZeroDivisionError:  # a side or the class is undefined there, so there is no instance
                    continue
                decided = decision(case)
                if decided.example is not None:
                    witness = _witness(claim, study, decided.case, decided.example)
                    if witness is not None and witness.broken:
                        return refuted_by(witness), proved, undecided
                if decided.certificate is not None:
                    proved.append(decided)
                else:
                    undecided.append((case, _why_undecided(case)))
    return None, proved, undecided


def _why_undecided(case: Case) -> Reason:
    """The reason why a case has neither proof nor counterexample: parts such as clipping admit only proofs."""
    parts = case.problem.elsewhere
    return because("never-refuted", parts=", ".join(parts)) if parts else because("not-decided-exactly")


def _shapes(study: Studied, claim: Claim) -> list[dict[str, int]]:
    """The sizes that meet all conditions of the claim on sizes."""
    return [s for s in study.shapes if all(met_by(c, s) for c in claim.statement.conditions)]


def _one_way(relation: Condition) -> tuple[Condition, ...]:
    """The relation as inequalities: an equation gives two."""
    if isinstance(relation, sp.Eq):
        return sp.Le(*relation.args, evaluate=False), sp.Ge(*relation.args, evaluate=False)
    return (relation,)


def _witness(claim: Claim, study: Studied, case: Case, found: Example) -> Witness | None:
    """The counterexample as an instance of the scene, confirmed by a run of the method; None if the run does not confirm it."""
    assert claim.scene is not None
    d = len(found.weights)
    shape = {**case.shape, "d": d}
    space = claim.scene.space(shape)
    zero = (Fraction(0),) * d
    parameters: dict[str, Any] = {name: case.point[name] for name in study.boxes}
    parameters |= {n: found.vectors.get(n, zero) for n in case.problem.vectors}
    parameters |= {n: found.scalars.get(n, Fraction(0)) for n in case.problem.scalars}
    parameters |= {"axes": found.weights, "searched": case.problem.steps}
    instance = Instance(shape, {n: np.array(parameters[n], dtype=object) for n in space}, {})
    return confirm(claim.question, instance)


def refuted_by(witness: Witness) -> Finding:
    """The finding that a counterexample refutes a claim."""
    left, right = witness.relation.written
    sign = {sp.Le: ">", sp.Lt: ">=", sp.Ge: "<", sp.Gt: "<="}.get(type(witness.relation.relation), "!=")
    reason = counterexample(left[0], sign, right[0], witness.instance.shape, rational=True)
    small, large = witness.relation.small[0], witness.relation.large[0]
    return Finding(
        WORST_CASE.name,
        Verdict.REFUTED,
        witness.method,
        reason,
        trials=1,
        tightness=small / large if large > 0 else None,
        witness=witness,
    )


def _proved(
    proved: Sequence[Decided],
    whole: Mapping[tuple[tuple[str, int], ...], Sequence[Certificate]] = MappingProxyType({}),
) -> Finding:
    """The verdict for a proof at every size.

    Either the conditions fix all parameters, so that the proved points are all, or `whole` holds certificates for the whole
    ranges of the parameters at each size.
    """
    found = _proof(proved)
    if whole:
        found = proof_at([dict(shape) for shape in whole], list(whole.values()))
    most = max(len(d.proof.multipliers) for d in proved if d.proof)
    reason = because("whole-class", sizes=found["sizes"], parameters=bool(whole), conditions=most)
    return Finding(WORST_CASE.name, Verdict.PROVED, "symbolic", reason, details=_words(proved), proof=found)


def contradictory(proved: Sequence[Decided]) -> Finding | None:
    """The verdict "vacuous" if no function meets the assumptions of any proved case; None if some case has no such proof."""
    shown = list[Decided]()
    for one in proved:
        found = contradiction(one.case)
        if found is None:
            return None
        shown.append(found)
    if not shown:
        return None
    reason = because("contradiction")
    return Finding(
        WORST_CASE.name, Verdict.VACUOUS, "symbolic", reason, details=_words(shown), proof=_proof(shown)
    )


def _undecided(proved: Sequence[Decided], open_: Sequence[Open]) -> Finding:
    """The verdict "unrefuted": proved at some rational points only."""
    sizes = {tuple(d.case.shape.items()) for d in proved}
    reason = because("at-points", points=len(proved), sizes=len(sizes))
    reason += [*because("open-points", points=len(open_)), *open_[0][1]] if open_ else []
    return Finding(
        WORST_CASE.name, Verdict.UNREFUTED, "exact", reason, trials=len(proved), details=_words(proved)
    )


def _proof(proved: Sequence[Decided]) -> dict[str, Any]:
    """The certificates of the proved cases by size, for the record."""
    shapes = list({tuple(d.case.shape.items()): d.case.shape for d in proved}.values())
    by_shape = [[d.certificate for d in proved if d.case.shape == shape] for shape in shapes]
    return proof_at(shapes, by_shape)


def _words(proved: Sequence[Decided]) -> dict[str, Any]:
    """The first proof as text, for the record."""
    first = next((d for d in proved if d.proof is not None), None)
    return {"proof in words": in_words(first.case.program, first.proof)} if first and first.proof else {}
