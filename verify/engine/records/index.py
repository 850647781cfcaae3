"""The index of all statements: the topic that judges each one, and the digests of each claim, without importing the
statements.

It is stored under the digest of the code (without comments and formatting) and computed again when the code changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


def cached_index(topics: Sequence[str], make: Callable[[], Mapping[str, Entry]]) -> Mapping[str, Entry]:
    """The index of these topics: the cached one of this code, or a new one, which is cached if the user's cache folder can
    be written.
    """
    folder = cache_folder()
    name = _name(topics)
    file = folder / f"statements-{name}.json"
    for place in (SHIPPED, file):
        with suppress(OSError, UsageError):
            content = read_json(place)
            require(content, FORM, "index")
            if content["code"] == name:
                return {entry["id"]: Entry(**entry) for entry in content["statements"]}
    made = make()
    with suppress(OSError):
        for old in folder.glob("statements-*.json"):
            old.unlink(missing_ok=True)
        keep(topics, made, file)
    return made


def keep(topics: Sequence[str], entries: Mapping[str, Entry], file: Path = SHIPPED) -> None:
    """Write an index of this code to a file, and the digests of the code beside it."""
    write_json(file, {"code": _name(topics), "statements": [asdict(entry) for entry in entries.values()]})
    ship_trees(file.parent)


def _name(topics: Sequence[str]) -> str:
    return name_of(digest(*_CODE), topics)
