"""Relations at the exact numbers of an instance, and certificates that they hold there."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isqrt

import numpy as np
import sympy as sp

from nqm.fields import Irrational
from verify.engine.certificates.field import Field, Undefined
from verify.engine.certificates.formulas import Tree, Untranslatable, parts, relation_tree
from verify.engine.certificates.lighter import checked
from verify.engine.certificates.memory import first_offered
from verify.engine.certificates.question import Certificate
from verify.engine.certificates.recheck import replaced
from verify.engine.model.arithmetic import side_by_side
from verify.engine.model.scene import Condition, Values
from verify.engine.tactics.draft import Draft

_HOLDS = {
    "<=": operator.ge,
    ">=": operator.ge,
    "<": operator.gt,
    ">": operator.gt,
    "=": operator.eq,
    "!=": operator.ne,
}


def certified(relation: Condition, values: Values) -> list[Certificate | None]:
    """Certificates that a relation holds at the values of one instance, one for each entry; None if one was not found."""
    try:
        numbers = Numbers(values)
        return [numbers.certificate(entry) for entry in numbers.relations(relation)]
    except (Irrational, Undefined, Untranslatable):
        return [None]


class Numbers:
    """Names for the numbers of an instance: every value of a quantity has one name."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.known: dict[str, Fraction] = {}
        self.field = Field({}, room=0)

    def relations(self, relation: Condition) -> Iterator[Tree]:
        """A relation at every entry of its quantities, as formulas of named numbers."""
        whole = {s: self.values[s.name] for s in spelled(relation)}
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
        """A formula with members of sequences replaced by named numbers."""
        match formula:
            case ["at", str(name), str(place)]:
                member = np.ravel(self.values[name][int(place)])
                if len(member) != 1:
                    raise Untranslatable("sequences of vectors")
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
        return bool(_HOLDS[relation[0]](self.difference(relation), 0))

    def difference(self, relation: Tree) -> Fraction:
        sign, left, right = relation
        values = [self._value(self.plainly(side, [])) for side in (left, right)]
        return values[0] - values[1] if sign in (">", ">=") else values[1] - values[0]

    def _value(self, formula: Tree) -> Fraction:
        value = self.field.value(formula).constant
        assert value is not None
        return Fraction(int(value.p), int(value.q))

    def plainly(self, formula: Tree, lemmas: list[tuple[str, Tree, Fraction]]) -> Tree:
        """A formula without names, roots and extremes; the values of roots and extremes are added to `lemmas`, inner
        ones first.
        """
        if isinstance(formula, str):
            return str(self.known[formula]) if formula in self.known else formula
        head, *parts = formula
        if head == "root":
            inside = self.plainly(parts[1], lemmas)
            root = _root(self._value(inside), parts[0])
            lemmas.append(("apply root_is; numbers", ["root", "2", inside], root))
            return str(root)
        inside = [self.plainly(part, lemmas) for part in parts]
        if head not in ("max", "min", "abs"):
            return [head, *inside]
        values = [self._value(part) for part in inside]
        value = abs(values[0]) if head == "abs" else max(values) if head == "max" else min(values)
        lemmas.append(("extreme", [head, *inside], value))
        return str(value)

    def certificate(self, relation: Tree) -> Certificate | None:
        """A certificate of a relation of named numbers: first the values of extremes, then the relation; None if not
        found.
        """
        claim = in_place(relation, self.known)
        known = first_offered({}, claim, ())
        if known is not None:
            return known
        extremes = {str(part): part for part in parts(claim) if isinstance(part, list) and part[0] in _LAWFUL}
        draft = Draft({}, STEPS, room=sum(3 + len(part) for part in extremes.values()))
        if not all(self._settled(draft, extreme) for extreme in extremes.values()) or not draft.show(claim):
            return None
        return checked({"symbols": {}, "lines": draft.lines, "claim": claim})

    def _settled(self, draft: Draft, extreme: Tree) -> bool:
        """Prove the value of a maximum, a minimum or a length: it is one of its parts, by its law."""
        head, *choices = extreme
        choices = [*choices, ["-", choices[0]]] if head == "abs" else choices
        values = [self._value(self.plainly(choice, [])) for choice in choices]
        best = values.index(min(values) if head == "min" else max(values))
        value, k = str(values[best]), len(draft.checked.facts)
        hard, easy = (">=", "<=") if head == "min" else ("<=", ">=")
        rest = [["-", value, c] if hard == "<=" else ["-", c, value] for c in choices]
        sides = [["+" if hard == "<=" else "-", r, ["slack", k]] for r in rest]
        law = ["-", choices[best], extreme] if head == "min" else ["-", extreme, choices[best]]
        if head == "abs" and best == 1:
            law = ["+", extreme, choices[0]]
        above, below, cases = [hard, extreme, value], [easy, extreme, value], []
        for choice, side in zip(choices, sides, strict=True):
            inside = draft.branch()
            inside.checked.learn(["=", extreme, choice])
            if not (inside.close(above, side) or inside.show(above)):
                return False
            cases.append(inside.lines)
        draft.add({"show": above, "split": extreme, "parts": cases})
        if not (draft.close(below, law) or draft.show(below)):
            return False
        draft.add({"show": ["=", extreme, value], "as": ["-", value, extreme]})
        return True


_LAWFUL = ("max", "min", "abs")
STEPS = 200
"""Limit on polynomials of the search about one number."""


def spelled(relation: Condition) -> set[sp.Symbol]:
    """Symbols in exponents and at the ends of sums; they are replaced by numbers before a formula can be written."""
    powers = [power.exp for power in relation.atoms(sp.Pow)]
    ends = [end for total in relation.atoms(sp.Sum) for limits in total.limits for end in limits[1:]]
    places = [index for member in relation.atoms(sp.Indexed) for index in member.indices]
    bound = {limits[0] for total in relation.atoms(sp.Sum) for limits in total.limits}
    found = {s for part in (*powers, *ends, *places) for s in part.free_symbols}
    return {s for s in found if isinstance(s, sp.Symbol)} - bound


def in_place(formula: Tree, known: Mapping[str, Fraction]) -> Tree:
    """A formula with names replaced by numbers."""
    if isinstance(formula, str):
        return str(known[formula]) if formula in known else formula
    return [formula[0], *(in_place(part, known) for part in formula[1:])]


def _root(value: Fraction, degree: str) -> Fraction:
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator)) if value >= 0 else Fraction(0)
    if degree != "2" or root * root != value:
        raise Untranslatable(f"root {degree} of {value}")
    return root
