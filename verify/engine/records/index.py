"""The index of all statements: the topic that judges each one, and the digests of each claim, without importing the
statements.

It is stored under the digest of the code (without comments and formatting) and computed again when the code changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from verify.engine.records.answers import FOLDER, Key
from verify.engine.records.files import cache_folder, digest, read_json, ship_trees, write_json
from verify.engine.records.forms import require
from verify.engine.work.errors import UsageError
from verify.engine.work.items import name_of

_ENTRY = {
    "id": str,
    "topic": str,
    "says": str,
    "uses": [str],
    "asked": str,
    "computed": str,
    "suppliers": [str],
    "cited": str,
}
FORM = {"code": str, "statements": [_ENTRY]}
_CODE = (
    *("bounds", "nqm", "algorithms"),
    *("verify/*.py", "verify/engine", "verify/facts", "verify/first_order", "verify/scenes"),
)
"""The code on which claims and their digests depend."""


@dataclass(frozen=True)
class Entry:
    """A statement, the topic that judges it, and what its proof uses.

    Attributes
    ----------
    asked, computed : str
        Digests of the claim; empty if no answer is stored.
    suppliers : sequence of str
        Ids of statements of the paper that may supply its premises, under any conditions.
    cited : str
        Digest of the questions of the suppliers.
    """

    id: str
    topic: str
    says: str
    uses: Sequence[str]
    asked: str = ""
    computed: str = ""
    suppliers: Sequence[str] = ()
    cited: str = ""

    def key(self, budget: str, seed: int) -> Key:
        """The key of a stored answer."""
        return Key(self.id, self.topic, self.asked, self.computed, self.cited, budget, seed)


SHIPPED = FOLDER / "statements.json"
"""The index stored with the answers, for machines on which nothing was run before."""


def cached_index(
    topics: Sequence[str], make: Callable[[], Mapping[str, Entry]], absent: Collection[str] = ()
) -> Mapping[str, Entry]:
    """The index of these topics: the shipped or cached one of this code, or a new one, which is cached if the user's cache
    folder can be written.

    Parameters
    ----------
    make : callable
        Makes the index of all topics that can be imported.
    absent : collection of str
        Topics that cannot be imported here. Their entries are those of the shipped index, even if it is of other code.
    """
    code, shipped = _code_and_entries(SHIPPED)
    if code == _name(topics):
        return shipped
    folder, name = cache_folder(), _name(here := [topic for topic in topics if topic not in absent])
    file = folder / f"statements-{name}.json"
    code, made = _code_and_entries(file)
    if code != name:
        made = make()
        with suppress(OSError):
            for old in folder.glob("statements-*.json"):
                old.unlink(missing_ok=True)
            keep(here, made, file)
    entries = [*made.values(), *(entry for entry in shipped.values() if entry.topic in absent)]
    return {entry.id: entry for entry in sorted(entries, key=lambda entry: topics.index(entry.topic))}


def _code_and_entries(file: Path) -> tuple[str, Mapping[str, Entry]]:
    """The digest of the code of an index, and its entries; empty if the file is missing or damaged."""
    with suppress(OSError, UsageError):
        content = read_json(file)
        require(content, FORM, "index")
        return content["code"], {entry["id"]: Entry(**entry) for entry in content["statements"]}
    return "", {}


def keep(topics: Sequence[str], entries: Mapping[str, Entry], file: Path = SHIPPED) -> None:
    """Write an index of this code to a file, and the digests of the code beside it."""
    write_json(file, {"code": _name(topics), "statements": [asdict(entry) for entry in entries.values()]})
    ship_trees(file.parent)


def _name(topics: Sequence[str]) -> str:
    return name_of(digest(*_CODE), topics)
