"""A step: a true relation with its source, and a false twin under the same conditions."""

from __future__ import annotations

from dataclasses import dataclass, field

from sympy.core.relational import Relational

from verify import Claim, Notes


@dataclass(frozen=True)
class Step:
    """A true claim, its false twin, and the source of the step; "folklore" if it has no single source."""

    true: Claim
    false: Claim
    source: str


@dataclass
class Steps:
    """Steps about one subject, with their own symbols."""

    key: str
    notes: Notes = field(init=False)
    all: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.notes = Notes(self.key)

    def add(self, id: str, source: str, true: Relational, false: Relational, *conditions: Relational) -> None:
        """Add a step and its twin; `false` must fail at some point that meets all conditions."""
        pair = (
            self.notes.claim(id, true, *conditions, says=source),
            self.notes.claim(f"{id}/false", false, *conditions, says=f"a false twin of {id}"),
        )
        self.all.append(Step(*pair, source))
