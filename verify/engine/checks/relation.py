"""Checks of a relation: identity, inequality, bound, entailment, agreement.

The checks differ in the proof that they attempt and in the meaning of a counterexample.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import sympy as sp

from verify.engine.checks.attack import (
    Attack,
    at_large_sizes,
    at_point,
    attack,
    attack_at_random,
    beyond,
    far_away,
    further,
    met_at,
    nearest,
)
from verify.engine.checks.conclusions import (
    contradictory,
    finding_without_counterexample,
    identical,
    proved,
    proved_for_class,
    refuted,
    with_unused,
)
from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.extent import speaks_of
from verify.engine.model.instance import Instance, sides
from verify.engine.model.scene import allowed_shapes, offers
from verify.engine.proof.basis import Basis, basis_of
from verify.engine.proof.facts import fact_of
from verify.engine.search.adversary import ROUNDING, random_batch
from verify.engine.search.misses import why_none
from verify.engine.search.points import LAST, Point, breaking_point, meeting_point
from verify.engine.search.sampling import has_entries, sample
from verify.engine.search.witness import Witness, confirmed
from verify.engine.verdict import Finding, Verdict, because
from verify.engine.work.processes import OutOfTime

IDENTITY = Kind("identity", Verdict.REFUTED, equation=True, outline="box")
INEQUALITY = Kind("inequality", Verdict.REFUTED, outline="round")
BOUND = Kind("bound", Verdict.REFUTED, outline="stadium")
ENTAILMENT = Kind("entailment", Verdict.GAP, outline="hexagon")
AGREEMENT = Kind("agreement", Verdict.INCONSISTENT, equation=True, outline="slanted")

ATTAINED = 0.99
"""A proved inequality counts as attained from this largest lhs/rhs on."""
LARGEST_RATIO = {"ascents": 0, "moves": 0, "largest": 32}
"""Limits of the search for the largest lhs/rhs of a proved relation between free numbers, about half a second."""


@of_kind(IDENTITY)
def identity(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Check that both sides are equal: symbolically if the scene declares that this covers every size, otherwise at exact
    instances.
    """
    return _equation(claim, budget, seed, IDENTITY)


@of_kind(AGREEMENT)
def agreement(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Check that two places of the source agree. A point at which they differ makes them inconsistent."""
    return _equation(claim, budget, seed, AGREEMENT)


@of_kind(INEQUALITY)
def inequality(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Check that the relation is true wherever its conditions hold: first a proof is attempted, then the adversary
    searches.
    """
    return _ordered(claim, budget, seed, INEQUALITY)


@of_kind(BOUND)
def bound(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Check that every run obeys the bound, with exact expectations."""
    return _ordered(claim, budget, seed, BOUND)


@of_kind(ENTAILMENT)
def entailment(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Check that the printed conditions imply the relation. A point that meets the conditions and breaks the relation is a
    gap.
    """
    return _ordered(claim, budget, seed, ENTAILMENT)


def _ordered(claim: Claim, budget: Budget, seed: int, kind: Kind) -> Finding:
    return with_unused(claim, _compared(claim, budget, seed, kind))


def _equation(claim: Claim, budget: Budget, seed: int, kind: Kind) -> Finding:
    return with_unused(claim, _equated(claim, budget, seed, kind))


def _compared(claim: Claim, budget: Budget, seed: int, kind: Kind) -> Finding:
    """First random instances, because most false claims fail at once; then a proof; then gradient ascent."""
    at_random = attack_at_random(claim.question, budget, seed)
    if at_random.witness is not None:
        fact_of(
            claim.statement.relation, claim.scene, claim.conditions
        )  # raises if the relation is a declared fact
        return _refuted(kind, at_random)
    try:
        return _proof_or_search(claim, budget, seed, kind, at_random)
    except OutOfTime:
        return _finding_out_of_time(claim, kind, at_random, seed)


def _proof_or_search(claim: Claim, budget: Budget, seed: int, kind: Kind, at_random: Attack) -> Finding:
    """A proof, or the result of the remaining search, after random instances found no counterexample."""
    if claim.scene is None:
        large = at_large_sizes(claim.question, seed)
        if large.witness is not None:
            return _refuted(kind, large)
    basis = basis_of(claim, budget)
    try:
        return _with_basis(claim, budget, seed, kind, at_random, basis)
    except OutOfTime:
        return _proved_in_time(claim, kind, at_random, basis)


def _with_basis(
    claim: Claim, budget: Budget, seed: int, kind: Kind, at_random: Attack, basis: Basis
) -> Finding:
    """What a proof attempt shows, or the result of the remaining search."""
    if basis.outcome == "contradiction":
        return contradictory(kind, basis)
    tried = basis.cited or basis.shapes  # only at the sizes that the scene lists
    if tried and claim.scene is not None:
        larger = beyond(claim.question, seed)
        if larger is not None and larger.witness is not None:
            return _refuted(kind, larger)
    if _may_fail_far_away(claim, basis):
        far = far_away(claim.question, seed)
        if far.witness is not None:
            return _refuted(kind, far)
    attained = (at_random.search.ratio or 0.0) > ATTAINED
    if basis.outcome == "proved" and attained and not _leaves_sizes(claim, basis):
        return _proved(claim, kind, at_random, basis)
    if basis.outcome != "proved" and claim.scene is not None and claim.scene.proves is not None:
        larger_class = claim.scene.proves(claim, budget)
        if larger_class is not None:
            closest = nearest(claim.question, at_random)
            return proved_for_class(claim, kind, larger_class, closest, at_random.search.trials)
    rest = further(claim.question, _for_the_rest(claim, budget, basis, at_random), seed, at_random)
    return _after_search(claim, seed, kind, basis, rest)


def _for_the_rest(claim: Claim, budget: Budget, basis: Basis, at_random: Attack) -> Budget:
    """The budget of the search after the attempts at a proof: a small one where nothing can break a complete proof.

    If no random instance met the conditions, the search must still find one.
    """
    open_or_in_scene = (
        claim.scene is not None or basis.outcome != "proved" or _may_fail_far_away(claim, basis)
    )
    if open_or_in_scene or not at_random.search.trials:
        return budget
    least = {name: min(getattr(budget, name), most) for name, most in LARGEST_RATIO.items()}
    return replace(budget, **least)


def _may_fail_far_away(claim: Claim, basis: Basis) -> bool:
    """Whether a claim about free numbers has no certificate in all its parts: it is open, or rests on a cited lemma or a premise."""
    return claim.scene is None and bool(basis.outcome != "proved" or basis.cited or basis.premises)


def _finding_out_of_time(claim: Claim, kind: Kind, at_random: Attack, seed: int) -> Finding:
    """The finding from random instances, if time ran out before the proof search and the remaining search ended."""
    if not at_random.search.trials:
        raise OutOfTime
    lacks = Basis("unknown", hindrance=because("time-ended"))
    found = _finding_without_counterexample(claim, kind, at_random, lacks, None, seed)
    return replace(
        found, reason=found.reason + because("stopped"), details={**found.details, "stopped": "time limit"}
    )


def _proved_in_time(claim: Claim, kind: Kind, at_random: Attack, basis: Basis) -> Finding:
    """The finding from a proof, if time ran out in the search after it; raises OutOfTime without a proof."""
    if basis.outcome != "proved":
        raise OutOfTime
    found = proved(claim, kind, basis, None, at_random.search.trials, at_random.details)
    return replace(
        found, reason=found.reason + because("stopped"), details={**found.details, "stopped": "time limit"}
    )


def _leaves_sizes(claim: Claim, basis: Basis) -> bool:
    """Whether a proof covers only some sizes while the scene also has larger ones."""
    return bool(claim.scene and claim.scene.grows and (basis.proof or {}).get("sizes") is not None)


def _after_search(claim: Claim, seed: int, kind: Kind, basis: Basis, result: Attack) -> Finding:
    if result.witness is None and basis.outcome != "proved":
        point = _breaking(claim, basis)
        result = result if point is None else replace(result, witness=at_point(claim.question, point))
    closest = (
        nearest(claim.question, result) if result.witness is None and basis.outcome != "proved" else None
    )
    if closest is not None and closest.relation.fails:  # after rounding of its numbers
        result = replace(result, witness=closest)
    if result.witness is not None:
        sizes = (basis.proof or {}).get("sizes")
        if basis.outcome == "proved" and speaks_of(sizes, result.witness.instance.shape):
            raise AssertionError(
                f"{claim.statement.id} is proved and refuted: a premise is false in its scene"
            )
        return _refuted(kind, result)
    if not result.search.trials and claim.scene is None:
        point = meeting_point((*claim.conditions, claim.relation))
        result = result if point is None else met_at(claim.question, point)
    if basis.outcome == "proved" and result.search.trials:
        return _proved(claim, kind, result, basis)
    return _finding_without_counterexample(claim, kind, result, basis, closest, seed)


def _breaking(claim: Claim, basis: Basis) -> Point | None:
    """An exact point that breaks a claim: one found by the proof search, or by a longer search for one that meets the conditions.

    The proof search also gives premises and textbook lemmas to the solver, but these are not conditions of the claim.
    """
    if claim.scene is not None:
        return basis.point if basis.point is not None and offers(claim.scene, basis.point) else None
    return basis.point or breaking_point(claim.relation, claim.conditions, LAST)


def _has_instance(claim: Claim, budget: Budget, seed: int) -> bool:
    """Whether some random instance is defined and meets all conditions. A claim without any instance is not proved."""
    scene, conditions = claim.question.scene, claim.conditions
    shapes = allowed_shapes(scene, conditions)
    return any(
        any(0 not in box.shape for box in scene.space(shape).values())
        and bool(random_batch(scene, conditions, tuple(shape.items()), budget.batch, seed)[3].any())
        for shape in shapes
    )


def _proved(claim: Claim, kind: Kind, result: Attack, basis: Basis) -> Finding:
    closest = None if isinstance(claim.relation, sp.Eq) else nearest(claim.question, result)
    return proved(claim, kind, basis, closest, result.search.trials, result.details)


def _equated(claim: Claim, budget: Budget, seed: int, kind: Kind) -> Finding:
    at_random = attack_at_random(claim.question, budget, seed)
    if at_random.witness is not None:
        fact_of(
            claim.statement.relation, claim.scene, claim.conditions
        )  # raises if the relation is a declared fact
        return _refuted(kind, attack(claim.question, budget, seed))
    try:
        return _equal(claim, budget, seed, kind, at_random)
    except OutOfTime:
        return _finding_out_of_time(claim, kind, at_random, seed)


def _equal(claim: Claim, budget: Budget, seed: int, kind: Kind, at_random: Attack) -> Finding:
    """A proof, or the result of the remaining search, after both sides were equal in random instances."""
    basis = basis_of(claim, budget)
    if basis.outcome == "proved" and basis.shapes and not basis.premises:
        if not _has_instance(claim, budget, seed):
            basis = Basis("unknown")
            return _after_search(claim, seed, kind, basis, further(claim.question, budget, seed, at_random))
        larger = beyond(claim.question, seed)
        if _leaves_sizes(claim, basis) and (larger is None or larger.witness is None):
            larger = further(claim.question, budget, seed, at_random)
        if larger is not None and larger.witness is not None:
            return _refuted(kind, larger)
        return identical(kind, basis)
    if _may_fail_far_away(claim, basis):
        far = far_away(claim.question, seed)
        if far.witness is not None:
            return _refuted(kind, far)
    rest = further(claim.question, _for_the_rest(claim, budget, basis, at_random), seed, at_random)
    finding = _after_search(claim, seed, kind, basis, rest)
    if finding.verdict is not Verdict.UNREFUTED or finding.method == "symbolic" or not finding.trials:
        return finding
    exact = _exact_trials(claim, budget, seed) if claim.scene else 0
    return replace(
        finding,
        method="exact" if exact else "interval",
        reason=because("equal", floats=finding.trials, fractions=exact),
        trials=finding.trials + exact,
        tightness=1.0,
        witness=None,
        details={name: found for name, found in finding.details.items() if name != "search"},
    )


def _refuted(kind: Kind, result: Attack) -> Finding:
    assert result.witness is not None
    return refuted(kind, result.witness, result.search.trials, result.details)


def _finding_without_counterexample(
    claim: Claim, kind: Kind, result: Attack, basis: Basis, closest: Witness | None, seed: int
) -> Finding:
    if not result.search.trials:
        reason = because("nothing-tried") + why_none(claim.question, seed)
        return Finding(kind.name, Verdict.NOT_JUDGED, "exact", reason)
    scene = claim.scene
    if scene is not None and not has_entries(scene, allowed_shapes(scene, claim.conditions)):
        reason = because("no-vectors", scene=scene.name)
        return Finding(kind.name, Verdict.NOT_JUDGED, "exact", reason)
    ratio = _ratio(claim, result)
    if ratio is not None and ratio > 1 + ROUNDING and not isinstance(claim.relation, sp.Eq):
        reason = because("undecided", trials=result.search.trials, ratio=ratio)
        return Finding(kind.name, Verdict.INCONCLUSIVE, "interval", reason, trials=result.search.trials)
    details = {
        **({"no proof": basis.lacks} if basis.lacks else {}),
        **({"suspicions": result.unconfirmed} if result.unconfirmed else {}),
        **result.details,
    }
    return finding_without_counterexample(claim, kind, closest, result.search.trials, ratio, details)


def _ratio(claim: Claim, result: Attack) -> float | None:
    """The largest lhs/rhs of a search. A ratio above 1 is evaluated again in fractions or intervals, because it may be a
    rounding error.
    """
    ratio, instance = result.search.ratio, result.search.instance
    if ratio is None or ratio <= 1 or instance is None or isinstance(claim.relation, sp.Eq):
        return ratio
    again = confirmed(claim.question, instance)
    if again is None or again.relation.fails:
        return ratio
    large = again.relation.large[0]
    return min(1.0, again.relation.small[1] / large) if large > 0 else 1.0


def _exact_trials(claim: Claim, budget: Budget, seed: int) -> int:
    """Number of random rational instances at which both sides are exactly equal; instances without rational values are
    skipped.
    """
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
        except (Irrational, ZeroDivisionError, ValueError):  # irrational, or not defined here
            continue
    return done
