"""What is asked of a search, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verify.engine.certificates.formulas import Tree, digest, domains, relation_tree
from verify.engine.scene import Condition

Certificate = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """Does a relation follow?

    Attributes
    ----------
    relation : Relational
    given : tuple of (Relational, str)
        What may be assumed, and by what right: "condition", "statement ID", "fact NAME".
    """

    relation: Condition
    given: tuple[tuple[Condition, str], ...] = ()

    @property
    def symbols(self) -> dict[str, str]:
        return domains((self.relation, *(relation for relation, _ in self.given)))

    @property
    def claim(self) -> Tree:
        return relation_tree(self.relation)

    @property
    def assumptions(self) -> list[tuple[Tree, str]]:
        return [(relation_tree(relation), by) for relation, by in self.given]

    @property
    def digest(self) -> str:
        """Changes with the relation, with what may be assumed, and with the domains of the symbols."""
        return digest([self.claim, self.assumptions, self.symbols])


@dataclass(frozen=True)
class Undecided:
    """A search that found nothing.

    Attributes
    ----------
    tried : str
        Degrees and families.
    point : mapping or None
        Symbol -> value where all conditions hold and the relation fails, evaluated exactly: a suspect.
    """

    tried: str
    point: Mapping[str, Fraction] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Contradiction:
    """What was assumed cannot all hold; the certificate shows 1 <= 0."""

    certificate: Certificate
