"""Counterexamples as files for the proof kernel Coq: numbers that meet all conditions and break the relation."""

from __future__ import annotations

import re
from fractions import Fraction

from bounds.symbols import domain_of
from nqm.fields import Irrational
from verify.engine.certificates.field import Undefined
from verify.engine.certificates.formulas import Tree, Untranslatable
from verify.engine.coq.export import Exporter
from verify.engine.coq.vectors import NotExported
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question
from verify.engine.tactics.numbers import Numbers, in_place

_TO_ZERO = {"positive": "<", "nonnegative": "<=", "count": "<"}
_OPPOSITE = {"<=": ">", ">=": "<", "<": ">=", ">": "<=", "=": "!=", "!=": "="}
_SHOWS = {"<=": "le_of", ">=": "le_of", "<": "lt_of", ">": "lt_of", "=": "eq_of", "!=": "apart_of"}


def counterexample(question: Question, instance: Instance) -> str:
    """A theorem that such numbers exist, to be placed after `coq.PRELUDE`.

    Raises
    ------
    NotExported
        If a side is irrational, or a formula has no counterpart among Coq's real numbers.
    """
    try:
        found = Numbers(instance.values(question.scene, "exact"))
        broken = next(r for r in found.relations(question.relation) if not found.holds(r))
        met = [relation for condition in question.conditions for relation in found.relations(condition)]
        return _theorem(question, instance, found, broken, met)
    except (Irrational, Undefined, Untranslatable) as error:
        raise NotExported(str(error)) from error
    except StopIteration:
        raise NotExported("the relation is not broken there") from None


def _theorem(question: Question, instance: Instance, numbers: Numbers, broken: Tree, met: list[Tree]) -> str:
    """The theorem that some numbers meet all relations of `met` and break `broken`."""
    relations = (question.relation, *question.conditions)
    domains = {s.name: domain_of(s) for relation in relations for s in relation.free_symbols}
    export = Exporter(dict.fromkeys(numbers.known, "real"))
    within = [
        [_TO_ZERO[domain], "0", number]
        for number in numbers.known
        if (domain := domains.get(number.split(" ")[0], "real")) in _TO_ZERO
    ]
    conditions = [*within, *met]
    found = [export.formula(str(value)) for value in numbers.known.values()]
    values = [f"{export.formula(x)} = {v}" for x, v in zip(numbers.known, found, strict=True)]
    parts = [*values, *map(export.relation, conditions), f"~ ({export.relation(broken)})"]
    names = " ".join(export.formula(x) for x in numbers.known)
    record = instance.record()
    told = ", ".join(f"{k} = {v}" for part in record.values() for k, v in part.items())
    comment = f"{question.id} in the scene {question.scene.name}, at {told}".replace("*)", "* )")
    turned = [_OPPOSITE[broken[0]], *broken[1:]]
    proofs = [
        f"  assert (met{k} : {export.relation(relation)}) by ({_relation_tactics(numbers, export, relation)})."
        for k, relation in enumerate(in_place(relation, numbers.known) for relation in [*conditions, turned])
    ]
    return "\n".join(
        [
            f"(* {comment} *)",
            f"Theorem {_identifier(question.id)} : {f'exists {names} : R, ' if names else ''}",
            "  " + "\n  /\\ ".join(f"({part})" for part in parts) + ".",
            "Proof.",
            *([f"  exists {', '.join(found)}."] if found else []),
            *proofs,
            "  repeat match goal with |- _ /\\ _ => apply conj end; first [assumption | reflexivity | lra].",
            "Qed.",
            "",
        ]
    )


def _relation_tactics(numbers: Numbers, export: Exporter, relation: Tree) -> str:
    """Tactics for a true relation of numbers."""
    sign, difference = relation[0], export.formula(str(numbers.difference(relation)))
    lemma, rest = _SHOWS[sign], "apart" if sign == "!=" else "lra"
    return f"apply ({lemma} _ _ {difference}); [{_tactics(numbers, export, relation)}numbers | {rest}]"


def _tactics(numbers: Numbers, export: Exporter, relation: Tree) -> str:
    """Tactics that replace roots and extremes by numbers."""
    found: list[tuple[str, Tree, Fraction]] = []
    for side in relation[1:]:
        numbers.plainly(side, found)
    return "".join(
        f"replace {export.formula(formula)} with {export.formula(str(value))} by (symmetry; {how}); "
        for how, formula, value in {str(entry): entry for entry in found}.values()
    )


def _identifier(name: str) -> str:
    return "refuted_" + re.sub(r"\W", "_", name)
