"""Claims: a statement, the scene in which it is judged, and the checks that judge it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from bounds.catalogue import conditions, hypotheses
from bounds.catalogue import statement as lookup
from bounds.hypotheses import Hypothesis
from bounds.statement import Statement
from verify.engine.certificates.question import Induction
from verify.engine.model.lemma import Lemma
from verify.engine.model.question import Question, ask
from verify.engine.model.scene import Condition, Scene, Textbook
from verify.engine.verdict import Finding


@dataclass(frozen=True)
class Budget:
    """Effort of a search. It does not change the meaning of a verdict.

    Attributes
    ----------
    batch : int
        Random instances per shape.
    ascents : int
        Shapes in which gradient ascent is tried.
    exact_trials : int
        Instances of an identity that are evaluated in fractions.
    proof_steps : int
        Largest number of polynomials in one search for a proof.
    moves : int
        Rounds of coordinate search (one number changes at a time) from the best instances found.
    largest : int
        Limit up to which unbounded sizes are doubled.
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
    """A statement, the scene in which it is judged, and the checks that judge it.

    Attributes
    ----------
    statement : Statement
    checks : tuple of callables
        Each ``check(claim, budget, seed)`` gives a `Finding`.
    scene : Scene or None
        Computes both sides; None if the symbols of the relation are free numbers.
    premises : tuple of Relational
        Relations that the scene's quantities always satisfy, or that cited statements supply; used in proofs.
    baseline : expression or None
        Subtracted from both sides before their ratio is taken (a loss has no natural zero).
    facts : tuple of Textbook
        Textbook lemmas (`verify.facts`) that the proof may use, besides those of the scene.
    induction : Induction or None
        The induction over rounds that proves the relation from premises which hold in each round, if there is one.
    through : tuple of Relational
        Intermediate relations of the proof, in this order.
    means : mapping
        Maps a quantity with one value for each of several equally likely cases to its mean. A given relation that holds in
        every case and is linear in these quantities also holds for their means.
    lemmas : mapping
        Maps a condition of the statement to the lemmas whose conclusions imply it (`verify.engine.proof.lemmas`).
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
    lemmas: Mapping[Condition, tuple[Lemma, ...]] = field(default_factory=dict)

    @property
    def relation(self) -> Condition:
        """The statement's relation with the baseline subtracted from both sides."""
        relation = self.statement.compared
        if self.baseline is None:
            return relation
        return relation.func(relation.lhs - self.baseline, relation.rhs - self.baseline, evaluate=False)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Conditions of the statement, of the assumptions it rests on, and of its scene."""
        return (*conditions(self.statement), *(self.scene.requires if isinstance(self.scene, Scene) else ()))

    def _repr_latex_(self) -> str:
        """The formula as LaTeX, for notebooks."""
        return self.statement._repr_latex_()

    def _repr_markdown_(self) -> str:
        """The statement, for notebooks."""
        return self.statement._repr_markdown_()

    def _repr_html_(self) -> str:
        """The statement with its named terms, for notebooks."""
        return self.statement._repr_html_()

    @property
    def assumed(self) -> tuple[Condition, ...]:
        """The conditions that no lemma gives."""
        return tuple(condition for condition in self.conditions if condition not in self.lemmas)

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """Hypotheses of the statement and of the assumptions it rests on."""
        return hypotheses(self.statement)

    @property
    def question(self) -> Question:
        """The question for a search: the relation under the conditions, in the scene or for free numbers."""
        return ask(self.statement.id, self.relation, self.conditions, self.scene)


Check = Callable[[Claim, Budget, int], Finding]


def claims_about(paper: str, check: Check) -> Callable[..., Claim]:
    """A function that creates claims about one paper: ``claim(id, scene, check, *premises, beside=(), ...)``.

    `id` is given without the paper's key. The given check is the default; `beside` adds further checks. Premises are
    relations, or ids of statements that supply them. `baseline`, `facts`, `induction`, `through` and `means` are those of
    `Claim`. `lemmas` maps a condition to pairs of an id and the letters of a `Lemma`.
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
        lemmas: Mapping[Condition, Sequence[tuple[str, Mapping[sp.Basic, sp.Basic]]]] | None = None,
    ) -> Claim:
        cited = tuple(lookup(f"{paper}.{p}").compared if isinstance(p, str) else p for p in premises)
        judged = lookup(f"{paper}.{id}")
        used = {
            condition: tuple(Lemma(lookup(f"{paper}.{name}"), letters) for name, letters in uses)
            for condition, uses in (lemmas or {}).items()
        }
        return Claim(
            judged, (check, *beside), scene, cited, baseline, facts, induction, through, means or {}, used
        )

    return claim


def for_each(claim: Callable[..., Claim]) -> Callable[..., tuple[Claim, ...]]:
    """A function ``claims(ids, ...)`` that creates one claim for each id of a text; all other arguments are shared."""
    return lambda ids, *rest, **named: tuple(claim(id, *rest, **named) for id in ids.split())
