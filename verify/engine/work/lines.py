"""Lines of a run: one for each verdict, printed when it is final, after the verdicts on which it depends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from verify.engine.links import missing_statements, with_final_verdicts
from verify.engine.proof.restrictions import verdict_with_restrictions
from verify.engine.work.progress import Progress

Record = dict[str, Any]


class Lines:
    """Prints the verdict of each added record as soon as all records on which it depends are known."""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}
        self._held: dict[str, str] = {}
        self._awaited: dict[str, set[str]] = {}
        self._progress = Progress(0)

    def expect(self, known: Iterable[Record], more: int) -> None:
        """Announce the number of further lines; records that are already known have none."""
        self._records |= {record["id"]: record for record in known}
        self._progress.expect(more)
        self._print()

    def add(self, record: Record, how: str) -> None:
        """Add a new record, with the way in which it was obtained."""
        self._records[record["id"]] = record
        self._held[record["id"]] = how
        self._print()

    def _print(self) -> None:
        for id, how in list(self._held.items()):
            if self._awaited.get(id, set()) - self._records.keys():
                continue
            _, self._awaited[id] = dependencies(id, self._records)
            if not self._awaited[id]:
                del self._held[id]
                self._progress.tell(f"{id}: {final_verdict(id, self._records)} ({how})")


def dependencies(id: str, records: Mapping[str, Record]) -> tuple[list[str], set[str]]:
    """Ids of the records on which the verdict of a record depends, its own first, and ids of those that are missing."""
    found = [id]
    for one in found:
        more = missing_statements([records[one]])
        if missing := set(more) - records.keys():
            return found, missing
        found += (other for other in more if other not in found)
    return found, set()


def final_verdict(id: str, records: Mapping[str, Record]) -> str | None:
    """The final verdict of a record; None as long as a record on which it depends is missing."""
    found, missing = dependencies(id, records)
    if missing:
        return None
    return verdict_with_restrictions(with_final_verdicts([records[one] for one in found])[0])


def premises_first(ids: Sequence[str], suppliers: Mapping[str, Sequence[str]]) -> list[str]:
    """The ids, each after those that may supply its premises, otherwise in their order."""
    wanted, ordered = set(ids), dict[str, None]()
    for id in ids:
        path = [(id, iter(suppliers.get(id, ())))]
        entered = {id}
        while path:
            one, rest = path[-1]
            before = next((s for s in rest if s in wanted and s not in ordered and s not in entered), None)
            if before is None:
                ordered[one] = None
                path.pop()
            else:
                entered.add(before)
                path.append((before, iter(suppliers.get(before, ()))))
    return list(ordered)
