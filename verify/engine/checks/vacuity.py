"""Does a bound say anything?

*Trivial bound*: is the bound ever better than one that follows from the same conditions without the theorem? *Placebo*: does
the bound also hold for algorithms that learn nothing (that ascend, walk at random, or stand still)? *Needed*: is the bound
false without each of its conditions, or do the conditions imply it for every algorithm?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import sympy as sp

from bounds.catalogue import conditions as conditions_of
from bounds.statement import Statement
from verify.engine.certificates.formulas import relation_tree
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.certificates.question import Question as CertificateQuestion
from verify.engine.checks.attack import attack, attack_at_random, recalled_attack
from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.question import Question, ask
from verify.engine.model.scene import Condition, Scene
from verify.engine.model.textbook import declaration_of
from verify.engine.proof.facts import proof_of
from verify.engine.proof.prover import follows
from verify.engine.search.constants import given_smaller
from verify.engine.search.witness import Witness
from verify.engine.tactics.prove import prove
from verify.engine.verdict import Finding, Reason, because

FREE_LUNCH = Kind("free lunch")
PLACEBO = Kind("placebo")
NEEDED = Kind("needed")

Check = Callable[[Claim, Budget, int], Finding]


def free_lunch(free: Statement, scene: Scene | None = None) -> Check:
    """Compare with `free`, a trivial bound on the same quantity (which is judged as a claim of its own).

    A statement is vacuous if three things are proved: its bound is never better than `free`, the conditions of `free` follow
    from its own conditions, and `free` and the premises of the comparison are true (`verify.engine.links`). Otherwise the
    finding is a remark. Without a certificate the two bounds are compared at random numbers, or at instances of `scene` if
    it is given. In a scene, step sizes respect their limits by construction, so many points meet the conditions.
    """

    @of_kind(FREE_LUNCH)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        asked = comparison(claim, free)
        dearer = asked.relation
        # Relations between the numbers of both sides hold at random numbers only if they are added as conditions
        conditions = tuple(dict.fromkeys((*claim.statement.conditions, *free.conditions)))
        known = tuple(p for p in claim.premises if p.free_symbols <= dearer.free_symbols)
        at_points = ask(claim.statement.id, dearer, (*conditions, *known), scene)
        before = recalled_attack(at_points)
        answer = None if before else follows(asked, budget.proof_steps)
        if answer and answer.outcome == "proved" and answer.certificate is not None:
            reason = because("never-better", bound=free.id, says=free.says)
            required = {c: prove(question) for c, question in requirements(claim, free).items()}
            shown = {str(c): found for c, found in required.items() if not isinstance(found, Undecided)}
            for condition in required:
                if str(condition) not in shown:
                    where = because("only-where", condition=str(condition))
                    return Finding(FREE_LUNCH.name, None, "symbolic", reason + where)
            return _never_better(claim, free, answer.certificate, shown, reason)
        result = before or attack(at_points, budget, seed)
        trials = result.search.trials
        if result.witness is not None:
            reason = because("better-somewhere", bound=free.id)
            point = {"point": result.witness.instance.record()}
            return Finding(FREE_LUNCH.name, None, result.witness.method, reason, details=point)
        if not trials:
            reason = because("not-compared", bound=free.id)
            return Finding(FREE_LUNCH.name, None, "interval", reason)
        reason = because("not-better-seen", bound=free.id, says=free.says, trials=trials)
        return Finding(FREE_LUNCH.name, None, "interval", reason, trials)

    return check


def comparison(claim: Claim, free: Statement) -> CertificateQuestion:
    """The question whether a claim's conditions and premises imply that its bound is never below a trivial one."""
    base = claim.baseline or sp.Integer(0)
    kind = OTHERWISE.get(claim.statement.compared.func, sp.Le)
    dearer = kind(free.rhs - base, claim.statement.rhs - base, evaluate=False)
    given = *((c, "condition") for c in claim.conditions), *((p, "premise") for p in claim.premises)
    return CertificateQuestion(dearer, given)


def requirements(claim: Claim, free: Statement) -> dict[Condition, CertificateQuestion]:
    """Conditions that a trivial bound has and a claim lacks, each as the question whether it follows from the claim's
    conditions.
    """
    own = claim.conditions
    given = tuple((condition, "condition") for condition in own)
    return {c: CertificateQuestion(c, given) for c in conditions_of(free) if c not in own}


def _never_better(
    claim: Claim,
    free: Statement,
    certificate: Certificate,
    required: Mapping[str, Certificate],
    reason: Reason,
) -> Finding:
    """A comparison with its certificate, and the certificates of the further conditions of the trivial bound.

    `verify.engine.links` declares the statement vacuous if everything it rests on is proved.
    """
    trees = [line["given"] for line in certificate["lines"] if line.get("by") == "premise"]
    used = [premise for premise in claim.premises if relation_tree(premise) in trees]
    facts = {
        str(p): why
        for p in used
        if (why := proof_of(p, claim.scene, claim.conditions) or declaration_of(p, claim.scene))
    }
    compared = {"with": free.id, "premises": list(map(str, used)), "facts": facts}
    compared |= {"requires": dict(required)} if required else {}
    proof = {"certificate": certificate, "sizes": None}
    return Finding(FREE_LUNCH.name, None, "symbolic", reason, details={"comparison": compared}, proof=proof)


def nothing_free(reason: str) -> Check:
    """State why there is no trivial bound on the left side; the right side is then compared with none."""

    @of_kind(FREE_LUNCH)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        return Finding(FREE_LUNCH.name, None, "symbolic", because("nothing-free", why=reason))

    return check


def placebos(scenes: tuple[Scene, ...]) -> Check:
    """Check the statement in `scenes` with algorithms that learn nothing."""

    @of_kind(PLACEBO)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        caught: list[str] = []
        met: list[str] = []
        untried: list[str] = []
        points: dict[str, dict[str, object]] = {}
        trials = 0
        for scene in scenes:
            result = attack(replace(claim.question, scene=scene), budget, seed)
            if result.witness is not None:
                caught.append(scene.name)
                points[scene.name] = result.witness.instance.record()
                continue
            trials += result.search.trials
            (met if result.search.trials else untried).append(scene.name)
        details: dict[str, object] = {"breaks_for": caught, "holds_for": met}
        details |= {"untried": untried} if untried else {}
        details |= {"points": points} if points else {}
        if caught:
            reason = because("placebos-fail", names=caught, met=met)
        elif untried:
            reason = because("placebos-untried", names=untried)
        else:
            reason = because("placebos-meet", names=met)
        return Finding(PLACEBO.name, None, "exact", reason, trials, details=details)

    return check


def no_placebo(reason: str) -> Check:
    """State why a statement does not promise learning; an algorithm that learns nothing may then satisfy it."""

    @of_kind(PLACEBO)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        return Finding(PLACEBO.name, None, "symbolic", because("no-placebo", why=reason))

    return check


PER_SHAPE = 64
"""Random instances of each shape that break one condition."""
OTHERWISE = {sp.Ge: sp.Ge, sp.Gt: sp.Ge}
"""Result of comparing a trivial lower bound with a lower bound that is never better."""
APART = sp.Rational(1, 1000)
"""Relative difference from which an equation counts as broken, not only rounded."""
OPPOSITE = {sp.Le: sp.Gt, sp.Ge: sp.Lt, sp.Lt: sp.Ge, sp.Gt: sp.Le, sp.Ne: sp.Eq}


@of_kind(NEEDED)
def needed(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Which conditions does a statement need? The relation is searched for a failure where exactly one condition is broken.
    The finding says nothing against the claim.

    A condition that all worlds of the scene satisfy is broken by reporting a constant that is too small. Conditions on sizes
    alone are skipped, because a scene need not be defined at other sizes.
    """
    question = claim.question
    sizes = question.scene.shapes[0].keys()
    few = replace(budget, batch=min(budget.batch, PER_SHAPE))
    point: dict[str, dict[str, object]] = {}
    spared: dict[str, int] = {}
    asked = (c for c in claim.conditions if not {s.name for s in c.free_symbols} <= sizes)
    for condition in asked:
        others = tuple(other for other in claim.conditions if other != condition)
        without = replace(question, conditions=(*others, _opposite(condition)))
        scenes = _scenes_without(claim, condition, others)
        witness, trials = _failure(without, scenes, few, seed)
        if witness is None:
            spared[str(condition)] = trials
        else:
            point[str(condition)] = witness.instance.record()
    reason = because("needed", needed=list(point), spared=spared)
    details: dict[str, object] = {"fails at": point} if point else {}
    return Finding(NEEDED.name, None, "exact", reason, sum(spared.values()), details=details)


def _scenes_without(claim: Claim, condition: Condition, others: tuple[Condition, ...]) -> Iterator[Scene]:
    """The scene of a claim, and if possible one that reports a constant of the condition that is too small."""
    scene = claim.question.scene
    yield scene
    smaller = given_smaller(scene, condition, claim.relation, others)
    if smaller is not None:
        yield smaller


def _failure(
    question: Question, scenes: Iterable[Scene], budget: Budget, seed: int
) -> tuple[Witness | None, int]:
    """An instance of the first scene in which the relation fails, and the number of trials without one; recalled instances
    are tried first, in all scenes.
    """
    trials, unseen = 0, list[Question]()
    for scene in scenes:
        asked = replace(question, scene=scene)
        known = recalled_attack(asked)
        if known is not None:
            return known.witness, 0
        unseen.append(asked)
    for asked in unseen:
        found = attack_at_random(asked, budget, seed)
        if found.witness is not None:
            return found.witness, trials
        trials += found.search.trials
    return None, trials


def _opposite(condition: Condition) -> Condition:
    if isinstance(condition, sp.Eq):
        return sp.Ge(sp.Abs(condition.lhs - condition.rhs), APART, evaluate=False)
    return OPPOSITE[condition.func](*condition.args, evaluate=False)
