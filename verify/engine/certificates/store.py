"""Stored certificates: found once and checked in every run, in one JSON file per topic, beside the claims.

A certificate is stored under the digest of its question: the relation, the assumptions with their justifications, and the
domains of the symbols. A changed question has another digest, so no stored certificate answers it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from verify.check_proof import Refused, check, text
from verify.engine.certificates.definedness import DEFINED, assumable
from verify.engine.certificates.formulas import Tree
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.certificates.recheck import recheck
from verify.engine.records.files import in_one_piece
from verify.engine.records.pool import digest
from verify.engine.work.messages import message

FOLDER = Path(__file__).resolve().parents[2] / "certificates"
"""Folder of stored certificates."""

Entry = dict[str, Any]
_PASSED = set[str]()
"""Digests of the certificates that this process has checked."""


def stored_answer(question: Question) -> Certificate | Undecided | None:
    """The stored answer to a question, if there is one.

    A certificate is checked, and must belong to exactly this question. A refused certificate is reported on stderr and
    does not count.
    """
    try:
        entry = entries().get(question.digest)
    except ValueError:
        return None
    if entry is None:
        return None
    if "undecided" in entry:
        return Undecided(entry["undecided"])
    certificate: Certificate = entry["certificate"]
    try:
        answers(question, certificate)
    except Refused as refused:
        message(
            f"verify: the stored certificate of {question.relation} is refused, a proof is searched again: {refused}"
        )
        return None
    return certificate


def answers(question: Question, certificate: Certificate) -> None:
    """Check a certificate, and that it proves the question from allowed assumptions only.

    Raises
    ------
    Refused
        If not.
    """
    shows(
        certificate, question.symbols, question.claim, question.assumptions, question.over, question.for_every
    )


def shows(
    certificate: Certificate,
    symbols: Mapping[str, str],
    claim: Tree,
    assumptions: Sequence[tuple[Tree, str]],
    over: str | None,
    for_every: tuple[str, ...] = ("",),
) -> None:
    """Check a certificate, and that it proves a claim about these symbols from allowed assumptions only.

    Parameters
    ----------
    over : str or None
        The symbol for each value of which some relations may be assumed.
    for_every : tuple of str
        Prefixes of justifications that allow an assumption for every value.

    Raises
    ------
    Refused
        If not.
    """
    checked(digest(certificate), certificate)
    if certificate["claim"] != claim:
        raise Refused("the certificate proves another relation")
    allowed = [*assumptions, *((relation, DEFINED) for relation in assumable(claim, assumptions))]
    for line in certificate["lines"]:
        if "given" in line and (line["given"], line["by"]) not in allowed:
            raise Refused(
                f"the certificate assumes what is not given by {line['by']!r}: {text(line['given'])}"
            )
        wrong = "for" in line and (line["by"] == DEFINED or not line["by"].startswith(for_every))
        if line.get("for", over) != over or wrong:
            raise Refused(f"the certificate assumes for every {line['for']} what is given for one")
    for name, domain in certificate["symbols"].items():
        if symbols.get(name) != domain:
            raise Refused(f"the certificate takes {name} to be {domain}")


def proves(one: Certificate, other: Certificate) -> bool:
    """Whether a certificate proves what another one proves, from no more assumptions."""
    given = [line for line in other["lines"] if "given" in line]
    over = next((line["for"] for line in given if "for" in line), None)
    # A symbol that only the first one names occurs neither in the claim nor in an assumption, so its domain does not matter
    symbols = {**one["symbols"], **other["symbols"]}
    try:
        shows(one, symbols, other["claim"], [(line["given"], line["by"]) for line in given], over)
    except Refused:
        return False
    return True


def checked(name: str, certificate: Certificate) -> None:
    """Check the certificate with this digest, once in a process.

    Raises
    ------
    Refused
        If it is not a proof.
    """
    if name not in _PASSED:
        check(dict(certificate))
        _PASSED.add(name)


def checked_alone(name: str, certificate: Certificate) -> None:
    """The same for a certificate that answers no question, such as the proof of a fact at sizes.

    Raises
    ------
    Refused
        If it is not a proof, or assumes that formulas have values which occur neither in its claim nor in its
        conditions.
    """
    checked(name, certificate)
    given = [line for line in certificate["lines"] if "given" in line]
    own = assumable(certificate["claim"], [(line["given"], line["by"]) for line in given])
    for line in given:
        if line["by"] == DEFINED and ("for" in line or line["given"] not in own):
            raise Refused(
                f"the certificate assumes what is not given by {DEFINED!r}: {text(line['given'])} is needed neither "
                "by its claim nor by its conditions"
            )


def checked_again(certificate: Certificate) -> None:
    """The second check of a stored certificate.

    Raises
    ------
    Rejected
        If it is not a proof.
    """
    recheck(certificate)


def keep(topic: str, kept: Mapping[str, Entry], *, whole: bool) -> None:
    """Write the answers of a topic; with `whole`, delete all other stored answers of the topic."""
    path = FOLDER / f"{topic}.json"
    before = json.loads(path.read_text()) if path.is_file() and not whole else {}
    with in_one_piece(path) as stream:
        json.dump({**before, **kept}, stream, indent=None, separators=(",", ":"))
        stream.write("\n")


@cache
def entries() -> Mapping[str, Entry]:
    """All stored answers by the digests of their questions."""
    return {digest: entry for path in files() for digest, entry in json.loads(path.read_text()).items()}


def files() -> Iterator[Path]:
    """Files of certificates, ordered by name."""
    yield from sorted(FOLDER.glob("*.json"))
