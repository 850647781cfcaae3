"""The question that a proof search receives, and its negative answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy as sp

from bounds.symbols import domain_of
from verify.engine.certificates.formulas import Tree, Untranslatable, domains, relation_tree, tree
from verify.engine.model.scene import Condition
from verify.engine.records.pool import digest

Certificate = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Induction:
    """An induction over rounds: the quantities that change from round to round, and their names one round later.

    Attributes
    ----------
    over : str
        The size of the scene that counts the rounds, from 0 on.
    later : mapping
        Quantity -> its name one round later.
    first : mapping
        Quantity -> its value before the first round.
    through : tuple of Relational
        Intermediate relations between one round and the next, in this order.
    """

    over: str
    later: Mapping[sp.Symbol, sp.Symbol]
    first: Mapping[sp.Symbol, sp.Expr]
    through: tuple[Condition, ...] = ()

    @property
    def names(self) -> dict[str, tuple[str, int]]:
        """Every name of a changing quantity -> the sequence it belongs to, and its offset in rounds."""
        now = {symbol.name: (symbol.name, 0) for symbol in self.later}
        return {**now, **{after.name: (symbol.name, 1) for symbol, after in self.later.items()}}

    def changes(self, relation: Condition) -> bool:
        """Whether a relation contains changing quantities."""
        return any(symbol.name in self.names for symbol in relation.free_symbols)

    def at(self, formula: Tree, index: Tree) -> Tree:
        """A formula at one round."""
        if isinstance(formula, list):
            head = formula[: 2 if formula[0] in ("call", "at") else 1]
            return [*head, *(self.at(part, index) for part in formula[len(head) :])]
        series, more = self.names.get(formula, ("", 0))
        return formula if not series else ["at", series, ["+", index, "1"] if more else index]

    @property
    def beginning(self) -> list[Tree]:
        """Values of the quantities before the first round."""
        return [
            ["=", ["at", symbol.name, "0"], tree(sp.sympify(value))] for symbol, value in self.first.items()
        ]


@dataclass(frozen=True)
class Question:
    """Does a relation follow?

    Attributes
    ----------
    relation : Relational
    given : tuple of (Relational, str)
        Relations that may be assumed, each with its justification: "condition", "statement ID", "fact NAME".
    induction : Induction or None
        The induction, if the relation is to be proved for every round from relations that hold in each round.
    through : tuple of Relational
        Intermediate relations, in this order. They are hints that the search must prove.
    """

    relation: Condition
    given: tuple[tuple[Condition, str], ...] = ()
    induction: Induction | None = None
    through: tuple[Condition, ...] = ()

    @property
    def symbols(self) -> dict[str, str]:
        said = domains((self.relation, *(relation for relation, _ in self.given), *self.on_the_way))
        return said if self.induction is None else _over_rounds(said, self.induction)

    @property
    def on_the_way(self) -> tuple[Condition, ...]:
        """All intermediate relations: those from one round to the next, and the others."""
        return (*(self.induction.through if self.induction else ()), *self.through)

    @property
    def claim(self) -> Tree:
        return self.now(self.relation)

    @property
    def assumptions(self) -> list[tuple[Tree, str]]:
        once = [
            str(r)
            for r, by in self.given
            if by == "condition" and self.induction and self.induction.changes(r)
        ]
        if once:
            raise Untranslatable(
                f"what is a condition of one round need not hold in every: {'; '.join(once)}"
            )
        given = [(self.now(relation), by) for relation, by in self.given]
        return given + [
            (relation, "first") for relation in (self.induction.beginning if self.induction else ())
        ]

    @property
    def over(self) -> str | None:
        """The symbol for each value of which some relations may be assumed."""
        return None if self.induction is None else self.induction.over

    @property
    def for_every(self) -> tuple[str, ...]:
        """Prefix of justifications for relations that may be assumed for each value of `over`."""
        return ("",)

    def now(self, relation: Condition) -> Tree:
        """A relation as JSON; with an induction, at an arbitrary round."""
        plain = relation_tree(relation)
        return plain if self.induction is None else self.induction.at(plain, self.induction.over)

    @property
    def digest(self) -> str:
        """Digest of the relation, the assumptions, and the domains of the symbols."""
        asked = [self.claim, self.assumptions, self.symbols]
        return digest([*asked, *map(relation_tree, self.on_the_way)])


def _over_rounds(symbols: Mapping[str, str], induction: Induction) -> dict[str, str]:
    """Domains, with changing quantities as sequences.

    Raises
    ------
    Untranslatable
        If a quantity has another domain one round later, or the symbol that counts rounds has another meaning.
    """
    if induction.over in symbols:
        raise Untranslatable(f"{induction.over!r} counts the rounds, and is a symbol besides")
    found = {induction.over: "whole"}
    found |= {name: domain for name, domain in symbols.items() if name not in induction.names}
    for name, (series, _) in induction.names.items():
        domain = f"sequence {symbols[name]}" if name in symbols else None
        if domain is not None and found.setdefault(series, domain) != domain:
            raise Untranslatable(f"{name} and {series} are one quantity with two domains")
    for symbol, value in induction.first.items():
        found.setdefault(symbol.name, f"sequence {domain_of(symbol)}")
        found |= {s.name: domain_of(s) for s in sp.sympify(value).free_symbols if s.name not in found}
    return found


@dataclass(frozen=True)
class Undecided:
    """The result of a search without success.

    Attributes
    ----------
    tried : str
        Degrees and families that were tried.
    point : mapping or None
        Symbol -> value at a point where all conditions hold and the relation fails, evaluated exactly: a possible
        counterexample.
    """

    tried: str
    point: Mapping[str, Fraction] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
