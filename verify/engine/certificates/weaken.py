"""The signs of ranges that a certificate about quantities of a scene needs; elsewhere the quantities may lack these
signs.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.question import Certificate
from verify.engine.model.scene import Condition

WEAKER = {"positive": ("real", "nonnegative"), "nonnegative": ("real",)}
"""Weaker domains, the weakest first."""
SAYS = {"positive": sp.Gt, "nonnegative": sp.Ge}


def weakened(certificate: Certificate, relation: Condition) -> tuple[Certificate, list[Condition]]:
    """The same proof with as few assumed signs as it needs, and the signs of symbols outside the relation, by
    parameter.

    A symbol of the relation is declared wherever the relation is stated. Entries ``w[0]``, ``w[1]`` belong to the
    parameter ``w``.
    """
    declared = {s.name: s for s in relation.free_symbols}
    entries: dict[str, list[str]] = {}
    for name, domain in certificate["symbols"].items():
        if domain in WEAKER and not _is(declared.get(name), domain):
            entries.setdefault(name.partition("[")[0], []).append(name)
    if not entries:
        return certificate, []
    everything = _with(certificate, (name for names in entries.values() for name in names), "real")
    if everything is not None:
        return everything, []
    signs = []
    for parameter, names in entries.items():
        domain = certificate["symbols"][names[0]]
        for less in WEAKER[domain]:
            weaker = _with(certificate, names, less)
            if weaker is not None:
                certificate, domain = weaker, less
                break
        if domain in SAYS:
            signs.append(SAYS[domain](sp.Symbol(parameter, real=True), 0))
    return certificate, signs


def declares(relation: Condition, sign: Condition) -> bool:
    """Whether a symbol of a relation is declared to have a sign."""
    declared = {s.name: s for s in relation.free_symbols}
    return _is(declared.get(sign.lhs.name), "positive" if isinstance(sign, sp.Gt) else "nonnegative")


def _is(symbol: sp.Symbol | None, domain: str) -> bool:
    """Whether a symbol is declared in this way."""
    if symbol is None:
        return False
    return bool(symbol.is_positive or (domain == "nonnegative" and symbol.is_nonnegative))


def _with(certificate: Certificate, names: Iterable[str], domain: str) -> Certificate | None:
    """A certificate with another domain of some symbols, if it is still a proof."""
    symbols = {**certificate["symbols"], **dict.fromkeys(names, domain)}
    weaker = {**certificate, "symbols": symbols}
    try:
        check(weaker)
    except Refused:
        return None
    return weaker
