"""The use of a lemma in the proof of a theorem: the lemma's statement, and what stands for its letters."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import sympy as sp

from bounds.statement import Statement
from verify.engine.model.scene import Condition


@dataclass(frozen=True)
class Lemma:
    """A statement whose conclusion gives a condition of another statement.

    A lemma may be about one round of a method and the theorem about a sequence of rounds. ``{after: x[t + 1], before: x[t]}``
    then means: the run is a sequence of such rounds, and x is the quantity by rounds.

    Attributes
    ----------
    statement : Statement
    letters : mapping
        Symbol, sequence, or entry of a sequence -> what stands for it; for a sequence a `Lambda` of the index. Entries are
        replaced last. All other letters are the same in both statements.
    """

    statement: Statement
    letters: Mapping[sp.Basic, sp.Basic] = field(default_factory=dict)

    @property
    def conclusion(self) -> Condition:
        """The relation of the lemma in the letters of the theorem."""
        return self.translated(self.statement.compared)

    def translated(self, relation: Condition, counted: sp.Symbol | None = None) -> Condition:
        """A relation of the lemma in the letters of the theorem.

        Parameters
        ----------
        counted : Symbol, optional
            A letter for all values of which the relation holds. It stays as it is.
        """
        entries = {old: new for old, new in self.letters.items() if isinstance(old, sp.Indexed)}
        plain = {
            old: new for old, new in self.letters.items() if isinstance(old, sp.Symbol) and old != counted
        }
        found = relation.func(*(side.xreplace(plain) for side in relation.args), evaluate=False)
        named = (one for one in found.atoms(sp.Indexed) if one.base in self.letters)
        whole = {one: self.letters[one.base](*one.indices) for one in named}
        sides = (side.xreplace(whole).xreplace(entries) for side in found.args)
        return relation.func(*sides, evaluate=False)

    @property
    def domains(self) -> list[tuple[sp.Symbol, sp.Expr]]:
        """The replaced letters with what stands for them; for a sequence or an entry, the name of the sequence."""
        found = list[tuple[sp.Symbol, sp.Expr]]()
        for old, new in self.letters.items():
            if isinstance(old, sp.IndexedBase):
                found.append((old.label, new.expr))
            else:
                found.append((old.base.label if isinstance(old, sp.Indexed) else old, new))
        return found

    def entries(self, sequences: Collection[sp.Symbol]) -> list[tuple[sp.Indexed, sp.Expr]]:
        """The replaced entries of some sequences, with what stands for them."""
        return [
            (old, new)
            for old, new in self.letters.items()
            if isinstance(old, sp.Indexed) and old.base.label in sequences
        ]
