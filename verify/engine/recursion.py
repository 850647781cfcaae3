"""Proofs of facts by induction: powers and sums in them are taken for sequences, by what makes each of the one before."""

from __future__ import annotations

import sympy as sp

from verify.engine.certificates.prove import prove
from verify.engine.certificates.question import Certificate, Induction, Question, Undecided
from verify.engine.scene import Rounds

COUNTER = "round"
"""What counts the rounds in a certificate."""


def by_induction(fact: Rounds) -> Certificate | None:
    """A certificate that a relation is true for every whole number; None if a name does not grow as is said, or none is found."""
    if not all(_grows(fact, name) for name in fact.named):
        return None
    later = {
        name: sp.Symbol(f"{name} later", **name._assumptions_orig) for name in (*fact.named, *fact.changes)
    }
    first = {name: sp.sympify(formula).subs(fact.over, 0).doit() for name, formula in fact.named.items()}
    starts = {name: start for name, (_, start) in fact.changes.items()}
    definitions = (sp.Eq(later[name], fact.grows[name], evaluate=False) for name in fact.named)
    round_on = {before: name for name, (before, _) in fact.changes.items()} | {
        name: later[name] for name in fact.changes
    }
    given = (
        *((relation, "definition") for relation in definitions),
        *((step.relation.xreplace(round_on), f"textbook {step.name}") for step in fact.steps),
        *((condition, "condition") for condition in fact.given),
    )
    induction = Induction(COUNTER, later, {**first, **starts})
    answer = prove(Question(_in_names(fact), given, induction))
    return None if isinstance(answer, Undecided) else answer


def _in_names(fact: Rounds) -> sp.Basic:
    """The relation with names in place of their formulas, larger formulas first."""
    relation = fact.relation
    for name, formula in sorted(fact.named.items(), key=lambda pair: -sp.count_ops(pair[1])):
        relation = relation.xreplace({formula: name})
    return relation


def _grows(fact: Rounds, name: sp.Symbol) -> bool:
    """Whether a formula one later is what is said of it, and its name of no narrower domain than the formula."""
    formula = sp.sympify(fact.named[name])
    later = formula.subs(fact.over, fact.over + 1).doit()
    said = fact.grows[name].xreplace(dict(fact.named))
    alike = sp.simplify(sp.expand(later - said)) == 0
    domains = ("is_positive", "is_nonnegative", "is_real")
    return alike and all(getattr(formula, domain) for domain in domains if getattr(name, domain))
