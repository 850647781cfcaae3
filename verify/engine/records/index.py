"""The index of all statements: the topic that judges each one, and the digests of each claim, without importing the
statements.

The entries of a paper are stored under a digest of its code and of the code that all papers share (without comments and
formatting). They are computed again when this code changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from bounds.papers import paper_of, paper_of_file
from verify.engine.records.answers import FOLDER, Key
from verify.engine.records.files import cache_folder, digests_of_files, read_json, ship_trees, write_json
from verify.engine.records.forms import require
from verify.engine.work.errors import UsageError
from verify.engine.work.items import name_of
from verify.engine.work.messages import message

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
FORM = {"code": {...: str}, "statements": [_ENTRY]}
CODE = (
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
    topics: Sequence[str], make: Callable[[Sequence[str]], Mapping[str, Entry]], absent: Collection[str] = ()
) -> Mapping[str, Entry]:
    """The index of these topics: shipped or cached entries of papers whose code is the same, and new ones of the others.

    New entries are cached if the user's cache folder can be written.

    Parameters
    ----------
    make : callable
        Makes the entries of some papers, for all topics that can be imported.
    absent : collection of str
        Topics that cannot be imported here. Their entries are those of the shipped index, even if it is of other code.
    """
    codes, (known, shipped) = codes_of(topics), _codes_and_entries(SHIPPED)
    current = [paper for paper, code in codes.items() if known.get(paper) == code]
    found = _of_papers(shipped, current)
    codes = codes_of([topic for topic in topics if topic not in absent and paper_of(topic) not in current])
    found |= _cached(codes, make)
    found |= {id: entry for id, entry in shipped.items() if entry.topic in absent}
    return {entry.id: entry for entry in sorted(found.values(), key=lambda entry: topics.index(entry.topic))}


def _cached(
    codes: Mapping[str, str], make: Callable[[Sequence[str]], Mapping[str, Entry]]
) -> dict[str, Entry]:
    """The entries of papers with this code: those in the user's cache, and new ones of the other papers."""
    folder = cache_folder()
    found, missing = dict[str, Entry](), list(codes)
    for file in folder.glob("statements-*.json"):
        known, entries = _codes_and_entries(file)
        same = [paper for paper in missing if known.get(paper) == codes[paper]]
        found |= _of_papers(entries, same)
        missing = [paper for paper in missing if paper not in same]
    if missing:
        told = ", ".join(missing) if len(missing) <= 3 else f"{len(missing)} papers"
        message(f"verify: importing the statements of {told}, whose code is new")
        found |= make(missing)
        with suppress(OSError):
            for old in folder.glob("statements-*.json"):
                old.unlink(missing_ok=True)
            _write(folder / f"statements-{name_of(codes)}.json", codes, found)
    return found


def _of_papers(entries: Mapping[str, Entry], papers: Collection[str]) -> dict[str, Entry]:
    return {id: entry for id, entry in entries.items() if paper_of(entry.topic) in papers}


def _codes_and_entries(file: Path) -> tuple[Mapping[str, str], Mapping[str, Entry]]:
    """The digests of the code of an index by paper, and its entries; empty if the file is missing or damaged."""
    with suppress(OSError, UsageError):
        content = read_json(file)
        require(content, FORM, "index")
        return content["code"], {entry["id"]: Entry(**entry) for entry in content["statements"]}
    return {}, {}


def keep(topics: Sequence[str], entries: Mapping[str, Entry], file: Path = SHIPPED) -> None:
    """Write an index of this code to a file, and the digests of the code beside it."""
    _write(file, codes_of(topics), entries)
    ship_trees(file.parent)


def _write(file: Path, codes: Mapping[str, str], entries: Mapping[str, Entry]) -> None:
    write_json(file, {"code": codes, "statements": [asdict(entry) for entry in entries.values()]})


def codes_of(topics: Sequence[str]) -> dict[str, str]:
    """A digest for each paper that has topics: of their names, of the code of the paper, and of the code that all papers
    share.
    """
    parts: dict[str, list[tuple[str, str]]] = {}
    for file, tree in digests_of_files(*CODE).items():
        parts.setdefault(paper_of_file(file), []).append((file, tree))
    shared = name_of(parts.get("", []))
    names: dict[str, list[str]] = {}
    for topic in topics:
        names.setdefault(paper_of(topic), []).append(topic)
    return {paper: name_of(shared, parts.get(paper, []), own) for paper, own in names.items()}
