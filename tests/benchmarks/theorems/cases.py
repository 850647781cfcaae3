"""A case: a true statement with its source, and false variants of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from verify import Claim, Notes, Scene


@dataclass
class Collection:
    """Statements about one subject; `true` and `false` hold their claims.

    A variant is a relation, or a relation with its own conditions in a tuple.
    """

    key: str
    notes: Notes = field(init=False)
    true: list[Claim] = field(default_factory=list)
    false: list[Claim] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.notes = Notes(self.key)

    def on(self, scene: Scene) -> Callable[..., None]:
        """A function like `add` for statements about the quantities of one scene."""
        return partial(self.add, scene=scene)

    def add(
        self,
        id: str,
        source: str,
        relation: Relational,
        *conditions: Relational,
        wrong: tuple[Any, ...] = (),
        scene: Scene | None = None,
        tight: bool = True,
        **more: Any,
    ) -> None:
        """Add a true statement and its variants; rules make further variants of a statement that is attained."""
        made = self.notes.claim(id, relation, *conditions, scene=scene, says=source, **more)
        self.true.append(made)
        self.sources[made.statement.id] = source
        variants = [v if isinstance(v, tuple) else (v, *conditions) for v in wrong]
        variants += [(v, *conditions) for v in (too_good(relation) if tight else ())]
        for number, (changed, *own) in enumerate(variants):
            self.false.append(self.notes.claim(f"{id}/{number}", changed, *own, scene=scene, **more))


def too_good(relation: Relational) -> list[Relational]:
    """Sides that are too good by a tenth and by a half; for an equation also with the sign of its right side reversed."""
    if isinstance(relation, sp.Eq):
        return [sp.Eq(relation.lhs, relation.rhs * f, evaluate=False) for f in (sp.Rational(11, 10), -1)]
    large_first = isinstance(relation, sp.Ge | sp.Gt)
    small, large = relation.args[::-1] if large_first else relation.args
    factors = (sp.Rational(9, 10), sp.Rational(1, 2))
    return [sp.Le(small, sp.Mul(factor, large, evaluate=False), evaluate=False) for factor in factors]
