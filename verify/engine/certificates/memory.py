"""Certificates of earlier searches, which answer a repeated question without a search."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from verify.check_proof import Refused
from verify.engine.certificates import store
from verify.engine.certificates.formulas import Tree, Untranslatable
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.certificates.weaken import WEAKER

T = TypeVar("T")
_OFFERED: ContextVar[Mapping[str, Sequence[Certificate]] | None] = ContextVar("offered", default=None)
"""Offered certificates by their claims; None if none are offered."""
_SEARCHED: ContextVar[bool] = ContextVar("searched", default=True)


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


def first_offered(
    symbols: Mapping[str, str],
    claim: Tree,
    assumptions: Sequence[tuple[Tree, str]],
    over: str | None = None,
    for_every: tuple[str, ...] = ("",),
) -> Certificate | None:
    """The first offered certificate that proves a claim from allowed assumptions only; None if there is none."""
    for certificate in _of(claim):
        try:
            store.shows(certificate, symbols, claim, assumptions, over, for_every)
        except Refused:
            continue
        return certificate
    return None


def on_offer(question: Question) -> Certificate | Undecided:
    """The first offered certificate that answers a question, without a search."""
    try:
        found = first_offered(question.symbols, question.claim, question.assumptions)
    except Untranslatable as error:
        return Undecided(str(error))
    return found or Undecided("not on offer")


def offered_at_sizes(
    symbols: Mapping[str, str], claim: Tree, assumptions: Sequence[tuple[Tree, str]]
) -> Certificate | None:
    """The same for quantities of a scene; their certificates may assume fewer signs of symbols."""
    for certificate in _of(claim):
        own = certificate["symbols"]
        if all(own[name] in (symbols.get(name), *WEAKER.get(symbols.get(name, ""), ())) for name in own):
            found = first_offered(own, claim, assumptions)
            if found is not None:
                return found
    return None


def offered_first(attempt: Callable[[], T | None]) -> T | None:
    """The result of an attempt in which quantities of a scene are proved only by offered certificates. If it is None,
    or none are offered, the result of an attempt with searches.

    A scene may have several variants. Certificates belong to the variant that succeeded, and searches in the others are
    long.
    """
    if _OFFERED.get():
        before = _SEARCHED.set(False)
        try:
            found = attempt()
        finally:
            _SEARCHED.reset(before)
        if found is not None:
            return found
    return attempt()


def may_search() -> bool:
    """Whether a search for a certificate of quantities of a scene is allowed if none is offered."""
    return _SEARCHED.get()


def _of(claim: Tree) -> Sequence[Certificate]:
    by_claim = _OFFERED.get()
    return by_claim.get(json.dumps(claim), ()) if by_claim else ()
