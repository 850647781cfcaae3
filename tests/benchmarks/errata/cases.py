"""Published errors: the source, the statement, and two encodings, each with the corrected statement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sympy.core.relational import Relational

from verify import Notes, Scene
from verify.engine.model.claim import Claim
from verify.engine.topics import claim_of


@dataclass(frozen=True, eq=False)
class Encoding:
    """One way to state a published error.

    Attributes
    ----------
    how : str
        What is encoded: "free numbers", "a run", "worst case of a class".
    claimed, corrected : Claim
        The statement as published, and its correction.
    """

    how: str
    claimed: Claim
    corrected: Claim


@dataclass(frozen=True, eq=False)
class Erratum:
    """A published statement that is wrong.

    Attributes
    ----------
    id : str
    source : str
        Where it was published, and who reported the error.
    says : str
        The statement.
    instead : str
        The correction.
    encodings : tuple of Encoding
    """

    id: str
    source: str
    says: str
    instead: str
    encodings: tuple[Encoding, ...]


@dataclass
class Errata:
    """Errors about one subject, in the order in which they are added."""

    key: str
    notes: Notes = field(init=False)
    found: list[Erratum] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.notes = Notes(self.key)

    def add(self, id: str, source: str, says: str, instead: str, *encodings: Encoding) -> None:
        self.found.append(Erratum(id, source, says, instead, encodings))

    def encoding(
        self,
        id: str,
        how: str,
        claimed: Relational,
        corrected: Relational | tuple[Relational, ...],
        *conditions: Relational,
        scene: Scene | None = None,
        **more: Any,
    ) -> Encoding:
        """An encoding; the correction has the same conditions, or its own in a tuple of relation and conditions."""
        true, *own = corrected if isinstance(corrected, tuple) else (corrected, *conditions)
        return Encoding(
            how,
            self.notes.claim(id, claimed, *conditions, scene=scene, **more),
            self.notes.claim(f"{id}/corrected", true, *own, scene=scene, **more),
        )


def catalogued(claimed: str, corrected: str) -> Encoding:
    """The encoding in the catalogue, as the paper states it."""
    return Encoding("the catalogue", _claim(claimed), _claim(corrected))


def _claim(id: str) -> Claim:
    found = claim_of(id)
    if found is None:
        raise KeyError(f"no topic judges {id}")
    return found
