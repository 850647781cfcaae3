"""Certificates of earlier searches, which answer a repeated question without a search."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from verify.check_proof import Refused
from verify.engine.certificates import store
from verify.engine.certificates.formulas import Tree
from verify.engine.certificates.question import Certificate

_OFFERED: ContextVar[Mapping[str, Sequence[Certificate]] | None] = ContextVar("offered", default=None)
"""Certificates by their claims; None where nothing is offered."""


@contextmanager
def offering(certificates: Iterable[Certificate]) -> Iterator[None]:
    """Inside the block, searches return one of these certificates if it answers their question."""
    by_claim: dict[str, list[Certificate]] = {}
    for certificate in certificates:
        by_claim.setdefault(json.dumps(certificate["claim"]), []).append(certificate)
    before = _OFFERED.set(by_claim)
    try:
        yield
    finally:
        _OFFERED.reset(before)


def offered(
    symbols: Mapping[str, str],
    claim: Tree,
    assumptions: Sequence[tuple[Tree, str]],
    over: str | None = None,
    for_every: tuple[str, ...] = ("",),
) -> Certificate | None:
    """The first certificate on offer that shows a claim from nothing but what may be assumed; None if there is none."""
    by_claim = _OFFERED.get()
    for certificate in by_claim.get(json.dumps(claim), ()) if by_claim else ():
        try:
            store.shows(certificate, symbols, claim, assumptions, over, for_every)
        except Refused:
            continue
        return certificate
    return None
