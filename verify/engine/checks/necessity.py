"""Which assumptions does a theorem need, and does it say more than a trivial bound? Asked where the algorithm itself runs.

Each assumption is broken alone.

A theorem that follows from lemmas speaks of free numbers, and a worst case of a whole class: neither has instances in which an
assumption fails. A *world* of the theorem runs the algorithm and computes both sides of the theorem and of its assumptions, also of
those that the paper states in words ("every loss is L-smooth"). What the lemmas give is no assumption.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from bounds.catalogue import conditions as conditions_of
from bounds.statement import Statement
from verify.engine.checks.attack import attack_at_random, nearest, recalled_attack
from verify.engine.checks.kinds import of_kind
from verify.engine.checks.vacuity import APART, FREE_LUNCH, NEEDED, OPPOSITE, Check, comparison, free_lunch
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.question import Question, ask
from verify.engine.model.scene import Condition, Scene
from verify.engine.model.sequences import letter_of
from verify.engine.search.adversary import margins
from verify.engine.search.witness import Witness
from verify.engine.verdict import Finding, because, ratio_seen

INSTANCES = 4096
"""Random instances of each size: most break several assumptions, and such instances do not count."""
Letters = Mapping[sp.Basic, sp.Expr]
FREE = Scene("numbers", ({},), lambda shape: {}, lambda shape, values: {})
"""A world without quantities."""


def needed_in(world: Scene, *assumptions: Condition, letters: Letters | None = None) -> Check:
    """A check that searches `world` for failures of a theorem where exactly one of its assumptions is broken.

    Parameters
    ----------
    world : Scene
        Computes the quantities of the theorem and of its assumptions. It must not build the assumptions in.
    assumptions : relations
        What the paper assumes in words, in quantities of the world.
    letters : mapping
        What stands for letters that the world does not compute, such as entries of sequences.
    """
    put_in = dict(letters or {})

    @of_kind(NEEDED)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        theorem = question_in(claim, world, assumptions, put_in)
        many = replace(budget, batch=INSTANCES)
        whole = attack_at_random(theorem, many, seed)
        if whole.witness is not None:
            raise ValueError(
                f"{claim.statement.id} is false in {world.name!r}, although all assumptions hold"
            )
        point: dict[str, dict[str, object]] = {}
        spared: dict[str, int] = {}
        for condition in theorem.conditions:
            others = tuple(other for other in theorem.conditions if other != condition)
            found = attack_at_random(replace(theorem, conditions=(*others, _opposite(condition))), many, seed)
            if found.witness is not None:
                point[str(condition)] = found.witness.instance.record()
            else:
                spared[str(condition)] = found.search.trials
        reason = because("needed", needed=list(point), spared=spared)
        details: dict[str, Any] = {"asked": len(theorem.conditions)} | ({"fails at": point} if point else {})
        tightest = nearest(theorem, whole)
        if tightest is not None:
            ratio = _ratio(theorem, tightest)
            details |= {"point": tightest.instance.record()} | ({} if ratio is None else {"ratio": ratio})
            reason += because("met-in", world=world.name) + ratio_seen(ratio)
        return Finding(NEEDED.name, None, "exact", reason, whole.search.trials, details=details)

    return check


def better_in(
    world: Scene, trivial: Statement, *assumptions: Condition, letters: Letters | None = None
) -> Check:
    """A check that searches `world` for a run in which a theorem says more than `trivial`, a bound that needs no theorem."""
    put_in = dict(letters or {})
    return _better(trivial, put_in, lambda claim: question_in(claim, world, assumptions, put_in))


def better_at(letters: Letters, trivial: Statement) -> Check:
    """The same among all numbers that meet the theorem's own conditions, for theorems that need long runs.

    Some letters are given. All others of both bounds must be free.
    """

    def at_numbers(claim: Claim) -> Question:
        conditions = question_in(claim, FREE, (), letters).conditions
        return ask(claim.statement.id, _put_in(claim.relation, letters), conditions, None)

    return _better(trivial, letters, at_numbers)


def _better(trivial: Statement, letters: Letters, asked: Callable[[Claim], Question]) -> Check:
    """A check that searches for an instance with a smaller bound than the trivial one. If there is none, the bound may be
    vacuous (`free_lunch`).
    """

    @of_kind(FREE_LUNCH)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        never = replace(asked(claim), relation=_put_in(comparison(claim, trivial).relation, letters))
        found = recalled_attack(never) or attack_at_random(never, replace(budget, batch=INSTANCES), seed)
        if found.witness is None:
            return free_lunch(trivial)(claim, budget, seed)
        point = {"point": found.witness.instance.record()}
        reason = because("better-somewhere", bound=trivial.id)
        return Finding(FREE_LUNCH.name, None, found.witness.method, reason, details=point)

    return check


def question_in(claim: Claim, world: Scene, assumptions: Sequence[Condition], letters: Letters) -> Question:
    """The theorem in its world: without what the lemmas give, and without the conditions that define sequences."""
    own = (c for c in conditions_of(claim.statement) if c not in claim.lemmas and letter_of(c) is None)
    stated = tuple(_put_in(condition, letters) for condition in own)
    given = dict.fromkeys((*(c for c in stated if not _is_trivial(c)), *assumptions))
    return Question(claim.statement.id, _put_in(claim.relation, letters), tuple(given), world)


def _put_in(relation: Condition, letters: Letters) -> Condition:
    return relation.func(*(side.xreplace(letters) for side in relation.args), evaluate=False)


def _is_trivial(condition: Condition) -> bool:
    """Whether a condition defines what stands for its letters."""
    return isinstance(condition, sp.Eq) and bool(sp.simplify(condition.lhs - condition.rhs) == 0)


def _opposite(condition: Condition) -> Condition:
    if isinstance(condition, sp.Eq):
        return sp.Ge(sp.Abs(condition.lhs - condition.rhs), APART, evaluate=False)
    return OPPOSITE[condition.func](*condition.args, evaluate=False)


def _ratio(question: Question, witness: Witness) -> float | None:
    """lhs/rhs at an instance; None if it is not defined."""
    values = witness.instance.values(question.scene, "float")
    ratio = float(margins(question.relation, values, 1)[1][0])
    return float(f"{ratio:.9g}") if ratio == ratio else None
