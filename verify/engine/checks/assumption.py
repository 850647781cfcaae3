"""Which worlds meet an assumption? It is neither true nor false: some worlds meet it, others do not."""

from __future__ import annotations

from dataclasses import replace

from verify.engine.checks.attack import attack, nearest
from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.scene import allowed_shapes
from verify.engine.search.adversary import share_meeting
from verify.engine.verdict import Finding, Verdict, because

ASSUMPTION = Kind("assumption")


@of_kind(ASSUMPTION)
def assumption(claim: Claim, budget: Budget, seed: int) -> Finding:
    """No verdict on the relation; a world that meets it, one that does not, and how often random worlds do.

    The claim's scene must leave the constants of the assumption free: a scene that fits them shows nothing.
    """
    question = claim.question
    shapes = allowed_shapes(question.scene, question.conditions)
    counts = [
        share_meeting((question.relation,), question.conditions, question.scene, s, seed) for s in shapes
    ]
    met, tried = (sum(numbers) for numbers in zip(*counts, strict=True)) if counts else (0, 0)
    inside = replace(question, conditions=(*question.conditions, question.relation))
    meets = nearest(inside, attack(inside, replace(budget, ascents=0), seed)) if met else None
    breaks = attack(question, replace(budget, ascents=0), seed).witness
    sizes = dict(breaks.instance.shape) if breaks else None
    reason = because("assumption", met=met, tried=tried, not_met_at=sizes)
    shown = {"meets": meets, "does not meet": breaks}
    return Finding(
        ASSUMPTION.name,
        Verdict.ASSUMPTION,
        "exact",
        reason,
        trials=tried,
        details={
            "met": met,
            "tried": tried,
            **{name: found.record() for name, found in shown.items() if found},
        },
    )
