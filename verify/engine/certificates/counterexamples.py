"""Counterexamples as files for the proof kernel Coq: numbers that meet all conditions and break the relation."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isqrt

import numpy as np
import sympy as sp

from bounds.symbols import domain_of
from nqm.fields import Irrational
from verify.engine.arithmetic import side_by_side
from verify.engine.certificates.coq import Exporter, NotExported
from verify.engine.certificates.field import Field
from verify.engine.certificates.formulas import Tree, Untranslatable, relation_tree
from verify.engine.certificates.recheck import replaced
from verify.engine.instance import Instance
from verify.engine.question import Question
from verify.engine.scene import Condition, Values

_TO_ZERO = {"positive": "<", "nonnegative": "<=", "count": "<"}
_OPPOSITE = {"<=": ">", ">=": "<", "<": ">=", ">": "<=", "=": "!=", "!=": "="}
_HOLDS = {
    "<=": operator.ge,
    ">=": operator.ge,
    "<": operator.gt,
    ">": operator.gt,
    "=": operator.eq,
    "!=": operator.ne,
}
_SHOWS = {"<=": "le_of", ">=": "le_of", "<": "lt_of", ">": "lt_of", "=": "eq_of", "!=": "apart_of"}


def counterexample(question: Question, instance: Instance) -> str:
    """A theorem that there are such numbers, to stand after `coq.PRELUDE`.

    Raises
    ------
    NotExported
        If a side is irrational, or a formula has no counterpart among Coq's real numbers.
    """
    try:
        found = _Numbers(instance.values(question.scene, "exact"))
        broken = next(r for r in found.relations(question.relation) if not found.holds(r))
        met = [relation for condition in question.conditions for relation in found.relations(condition)]
        return found.theorem(question, instance, broken, met)
    except (Irrational, Untranslatable) as error:
        raise NotExported(str(error)) from error
    except StopIteration:
        raise NotExported("the relation is not broken there") from None


class _Numbers:
    """Names for the numbers of an instance: every value of a quantity has one."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.known: dict[str, Fraction] = {}
        self.plain = Field({}, room=0)

    def relations(self, relation: Condition) -> Iterator[Tree]:
        """A relation at every entry of its quantities, as formulas of named numbers."""
        whole = {s: self.values[s.name] for s in _spelled(relation)}
        left, right = (
            side.xreplace({s: sp.Integer(int(v)) for s, v in whole.items()}) for side in relation.args
        )
        formula = relation_tree(type(relation)(left, right, evaluate=False))
        indexed = {base.label.name for side in (left, right) for base in side.atoms(sp.IndexedBase)}
        symbols = sorted(
            {s for side in (left, right) for s in side.free_symbols if isinstance(s, sp.Symbol)} - set(whole),
            key=str,
        )
        single = [s for s in symbols if s.name in self.values and s.name not in indexed]
        columns = [np.ravel(c) for c in side_by_side((sp.S.Zero, *single), self.values, "exact", 1)][1:]
        seen = []
        for entry in zip(*columns, strict=True) if columns else [()]:
            here = self._members(formula)
            for symbol, value in zip(single, entry, strict=True):
                here = replaced(here, symbol.name, self._name(symbol.name, Fraction(value)))
            if here not in seen:
                seen.append(here)
                yield here

    def _members(self, formula: Tree) -> Tree:
        """Members of sequences as numbers of their own."""
        match formula:
            case ["at", str(name), str(place)]:
                member = np.ravel(self.values[name][int(place)])
                if len(member) != 1:
                    raise NotExported("sequences of vectors")
                return self._name(f"{name}[{place}]", Fraction(member[0]))
            case [head, *parts]:
                return [head, *map(self._members, parts)]
        return formula

    def _name(self, quantity: str, value: Fraction) -> str:
        name, k = quantity, 1
        while self.known.setdefault(name, value) != value:
            name, k = f"{quantity} {k}", k + 1
        return name

    def holds(self, relation: Tree) -> bool:
        """Whether a relation of named numbers is true."""
        return bool(_HOLDS[relation[0]](self._difference(relation), 0))

    def _difference(self, relation: Tree) -> Fraction:
        sign, left, right = relation
        values = [self._value(self._in_numbers(side, [])) for side in (left, right)]
        return values[0] - values[1] if sign in (">", ">=") else values[1] - values[0]

    def _value(self, formula: Tree) -> Fraction:
        value = self.plain.value(formula).constant
        assert value is not None
        return Fraction(int(value.p), int(value.q))

    def _in_numbers(self, formula: Tree, lemmas: list[tuple[str, Tree, Fraction]]) -> Tree:
        """A formula without names, roots and extremes; what the latter are is added to `lemmas`, inner ones first."""
        if isinstance(formula, str):
            return str(self.known[formula]) if formula in self.known else formula
        head, *parts = formula
        if head == "root":
            inside = self._in_numbers(parts[1], lemmas)
            root = _root(self._value(inside), parts[0])
            lemmas.append(("apply root_is; numbers", ["root", "2", inside], root))
            return str(root)
        inside = [self._in_numbers(part, lemmas) for part in parts]
        if head not in ("max", "min", "abs"):
            return [head, *inside]
        values = [self._value(part) for part in inside]
        value = abs(values[0]) if head == "abs" else max(values) if head == "max" else min(values)
        lemmas.append(("extreme", [head, *inside], value))
        return str(value)

    def theorem(self, question: Question, instance: Instance, broken: Tree, met: list[Tree]) -> str:
        """There are numbers that meet all of `met` and break `broken`."""
        relations = (question.relation, *question.conditions)
        domains = {s.name: domain_of(s) for relation in relations for s in relation.free_symbols}
        export = Exporter(dict.fromkeys(self.known, "real"))
        within = [
            [_TO_ZERO[domain], "0", number]
            for number in self.known
            if (domain := domains.get(number.split(" ")[0], "real")) in _TO_ZERO
        ]
        conditions = [*within, *met]
        numbers = [export.formula(str(value)) for value in self.known.values()]
        values = [f"{export.formula(x)} = {v}" for x, v in zip(self.known, numbers, strict=True)]
        parts = [*values, *map(export.relation, conditions), f"~ ({export.relation(broken)})"]
        names = " ".join(export.formula(x) for x in self.known)
        record = instance.record()
        told = ", ".join(f"{k} = {v}" for part in record.values() for k, v in part.items())
        comment = f"{question.id} in the scene {question.scene.name}, at {told}".replace("*)", "* )")
        turned = [_OPPOSITE[broken[0]], *broken[1:]]
        proofs = [
            f"  assert (met{k} : {export.relation(relation)}) by ({self._shown(export, relation)})."
            for k, relation in enumerate(_with(relation, self.known) for relation in [*conditions, turned])
        ]
        return "\n".join(
            [
                f"(* {comment} *)",
                f"Theorem {_identifier(question.id)} : {f'exists {names} : R, ' if names else ''}",
                "  " + "\n  /\\ ".join(f"({part})" for part in parts) + ".",
                "Proof.",
                *([f"  exists {', '.join(numbers)}."] if numbers else []),
                *proofs,
                "  repeat match goal with |- _ /\\ _ => apply conj end; first [assumption | reflexivity | lra].",
                "Qed.",
                "",
            ]
        )

    def _shown(self, export: Exporter, relation: Tree) -> str:
        """Tactics for a true relation of numbers."""
        sign, difference = relation[0], export.formula(str(self._difference(relation)))
        lemma, rest = _SHOWS[sign], "apart" if sign == "!=" else "lra"
        return f"apply ({lemma} _ _ {difference}); [{self._in_place(export, relation)}numbers | {rest}]"

    def _in_place(self, export: Exporter, relation: Tree) -> str:
        """Tactics that put numbers in place of roots and extremes."""
        found: list[tuple[str, Tree, Fraction]] = []
        for side in relation[1:]:
            self._in_numbers(side, found)
        return "".join(
            f"replace {export.formula(formula)} with {export.formula(str(value))} by (symmetry; {how}); "
            for how, formula, value in {str(entry): entry for entry in found}.values()
        )


def _spelled(relation: Condition) -> set[sp.Symbol]:
    """Symbols that stand in exponents and at the ends of sums: they must be numbers before a formula is one."""
    powers = [power.exp for power in relation.atoms(sp.Pow)]
    ends = [end for total in relation.atoms(sp.Sum) for limits in total.limits for end in limits[1:]]
    places = [index for member in relation.atoms(sp.Indexed) for index in member.indices]
    bound = {limits[0] for total in relation.atoms(sp.Sum) for limits in total.limits}
    found = {s for part in (*powers, *ends, *places) for s in part.free_symbols}
    return {s for s in found if isinstance(s, sp.Symbol)} - bound


def _with(formula: Tree, known: Mapping[str, Fraction]) -> Tree:
    if isinstance(formula, str):
        return str(known[formula]) if formula in known else formula
    return [formula[0], *(_with(part, known) for part in formula[1:])]


def _root(value: Fraction, degree: str) -> Fraction:
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator)) if value >= 0 else Fraction(0)
    if degree != "2" or root * root != value:
        raise NotExported(f"root {degree} of {value}")
    return root


def _identifier(name: str) -> str:
    return "refuted_" + re.sub(r"\W", "_", name)
