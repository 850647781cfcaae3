"""Claims: a statement, the scene in which it is judged, and the checks that judge it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import sympy as sp

from bounds.catalogue import conditions, hypotheses
from bounds.catalogue import statement as lookup
from bounds.hypotheses import Hypothesis
from bounds.statement import Statement
from verify.engine.certificates.question import Induction
from verify.engine.question import Question, ask
from verify.engine.scene import Condition, Scene, Textbook
from verify.engine.verdict import Finding


@dataclass(frozen=True)
class Budget:
    """How far a search goes; never what counts as a verdict.

    Attributes
    ----------
    batch : int
        Random instances per shape.
    ascents : int
        Shapes in which gradient ascent is tried.
    exact_trials : int
        Identities: instances evaluated in fractions.
    proof_steps : int
        Polynomials that one search for a proof looks at.
    moves : int
        Rounds of changes, one number at a time, from the best instances found.
    largest : int
        Up to which sizes that may be any number are doubled.
    """

    name: str
    batch: int
    ascents: int
    exact_trials: int
    proof_steps: int
    moves: int
    largest: int


BUDGETS = {
    "quick": Budget("quick", 64, 0, 4, 40, 0, 0),
    "default": Budget("default", 256, 2, 12, 80, 80, 1024),
    "full": Budget("full", 2048, 6, 60, 1500, 400, 4096),
}


@dataclass(frozen=True)
class Claim:
    """What is judged, where and how.

    Attributes
    ----------
    statement : Statement
    checks : tuple of callables
        Each ``check(claim, budget, seed)`` gives a `Finding`.
    scene : Scene or None
        Where both sides are computed; None if the relation speaks of free numbers only.
    premises : tuple of Relational
        What the scene's quantities always satisfy, or cited statements supply; used in proofs.
    baseline : expression or None
        Subtracted from both sides before their ratio is taken (a loss has no natural zero).
    facts : tuple of Textbook
        Textbook lemmas (`verify.facts`) that its proof may use, besides those of the scene.
    induction : Induction or None
        If it is proved for every round by what is true of each (the premises).
    through : tuple of Relational
        What its proof shows on the way, in this order.
    means : mapping
        Quantity with a value for each of some equally likely cases -> its mean over them: what is given of every case, and
        linear in such quantities, is taken of their means.
    """

    statement: Statement
    checks: tuple[Callable[[Claim, Budget, int], Finding], ...]
    scene: Scene | None = None
    premises: tuple[Condition, ...] = ()
    baseline: sp.Expr | None = None
    facts: tuple[Textbook, ...] = ()
    induction: Induction | None = None
    through: tuple[Condition, ...] = ()
    means: Mapping[sp.Symbol, sp.Symbol] = field(default_factory=dict)

    @property
    def relation(self) -> Condition:
        """The statement's relation, with the baseline moved."""
        relation = self.statement.compared
        if self.baseline is None:
            return relation
        return relation.func(relation.lhs - self.baseline, relation.rhs - self.baseline, evaluate=False)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The statement's own conditions, those of the assumptions it rests on, and those of its scene."""
        return (*conditions(self.statement), *(self.scene.requires if isinstance(self.scene, Scene) else ()))

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """The statement's own hypotheses and those of the assumptions it rests on."""
        return hypotheses(self.statement)

    @property
    def question(self) -> Question:
        """What is searched: the relation under the conditions, in the scene or about free numbers."""
        return ask(self.statement.id, self.relation, self.conditions, self.scene)


Check = Callable[[Claim, Budget, int], Finding]


def claims_about(paper: str, check: Check) -> Callable[..., Claim]:
    """Maker of claims about one paper, ``claim(id, scene, check, *premises, beside=(), ...)``.

    `id` is without the paper's key; the check is the given one by default, with others `beside` it; premises are
    relations, or ids of statements that supply them; `baseline`, `facts`, `induction`, `through` and `means` are
    those of `Claim`.
    """
    usual = check

    def claim(
        id: str,
        scene: Scene | None = None,
        check: Check = usual,
        *premises: str | Condition,
        beside: tuple[Check, ...] = (),
        baseline: sp.Expr | None = None,
        facts: tuple[Textbook, ...] = (),
        induction: Induction | None = None,
        through: tuple[Condition, ...] = (),
        means: Mapping[sp.Symbol, sp.Symbol] | None = None,
    ) -> Claim:
        cited = tuple(lookup(f"{paper}.{p}").compared if isinstance(p, str) else p for p in premises)
        judged = lookup(f"{paper}.{id}")
        return Claim(judged, (check, *beside), scene, cited, baseline, facts, induction, through, means or {})

    return claim


def for_each(claim: Callable[..., Claim]) -> Callable[..., tuple[Claim, ...]]:
    """Maker of one claim for each id of a text, ``claims(ids, ...)``, alike in everything else."""
    return lambda ids, *rest, **named: tuple(claim(id, *rest, **named) for id in ids.split())
