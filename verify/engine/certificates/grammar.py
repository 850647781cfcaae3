"""The grammar of certificates. The second checker tests it before it checks any line.

A slack is the difference of the sides of the fact with this number at this place. So it may occur only inside `as`,
which no rule copies elsewhere. In a relation, a slack would hide its symbols from substitution and from the rule that
forgets facts about a symbol.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from verify.engine.certificates.field import NUMBER, SCALARS, WHOLE

NAME = re.compile(r"[^\W\d]\w*( \w+)*(\[\d+(,\d+)*\])?")
"""Names of symbols: words, perhaps with an index, such as ``x``, ``x before`` or ``x[0,1]``."""
DIGITS = 4000
"""Limit on characters of a number."""
RELATIONS = ("<", "<=", "=", "!=", ">", ">=")
MANY = 10**9
_NUMBER_OF_PARTS = {
    "+": (0, MANY),
    "*": (0, MANY),
    "-": (1, 2),
    "/": (2, 2),
    "^": (2, 2),
    "max": (1, MANY),
    "min": (1, MANY),
    "abs": (1, 1),
}
_REASONS: Mapping[frozenset[str], frozenset[str]] = {
    frozenset({"given", "by"}): frozenset({"for"}),
    frozenset({"show", "as"}): frozenset({"put"}),
    frozenset({"show", "split", "parts"}): frozenset({"whole"}),
    frozenset({"show", "induct", "base", "step"}): frozenset(),
    frozenset({"show", "every", "at"}): frozenset(),
}
"""Keys of a line: required and optional ones."""


class Malformed(ValueError):
    """Not a certificate."""


def _require(truth: object, what: str, content: object) -> None:
    if not truth:
        raise Malformed(f"{what}: {content!r:.200}")


def well_formed(certificate: object) -> None:
    """Raise an error if the content does not follow the grammar of certificates.

    Raises
    ------
    Malformed
        Names the error, and the part that contains it.
    """
    _require(isinstance(certificate, dict), "no object", certificate)
    assert isinstance(certificate, dict)
    _require(certificate.keys() == {"symbols", "lines", "claim"}, "other keys", [*certificate])
    grammar = Grammar(certificate["symbols"])
    grammar.relation(certificate["claim"])
    grammar.lines(certificate["lines"], "of a proof")


class Grammar:
    """Formulas, relations and lines about some symbols.

    Parameters
    ----------
    symbols : mapping
        Name -> domain.
    """

    def __init__(self, symbols: Any) -> None:
        _require(isinstance(symbols, dict), "symbols are no object", symbols)
        for name, domain in symbols.items():
            _require(isinstance(name, str) and NAME.fullmatch(name), "no name", name)
            _require(isinstance(domain, str), "no domain", domain)
        self.symbols: dict[str, str] = symbols
        for domain in symbols.values():
            _require(self._is_domain(domain), "no domain", domain)

    def _is_domain(self, domain: str) -> bool:
        match domain.split(" ", 1):
            case ["sequence", inside]:
                return inside in SCALARS
            case ["family", size]:
                return self.symbols.get(size) in WHOLE
        return domain in SCALARS or domain == "vector"

    def _domain(self, name: object) -> str:
        return self.symbols.get(name, "") if isinstance(name, str) else ""

    def formula(self, tree: Any, slack: str = "") -> None:
        """Check a formula; `slack` names the place if slacks may occur in it."""
        if isinstance(tree, str):
            number = NUMBER.fullmatch(tree) and len(tree) < DIGITS
            _require(number or self._domain(tree) in SCALARS, "no number and no declared symbol", tree)
            return
        _require(isinstance(tree, list) and tree and isinstance(tree[0], str), "no formula", tree)
        head, *inside = tree
        if head in _NUMBER_OF_PARTS:
            least, most = _NUMBER_OF_PARTS[head]
            _require(least <= len(inside) <= most, f"{head} of {len(inside)} parts", tree)
            for part in inside:
                self.formula(part, slack)
        else:
            _require(head in self._others, "an unknown head", head)
            self._others[head](self, tree, inside, slack)

    def _root(self, tree: Any, inside: list[Any], slack: str) -> None:
        _require(len(inside) == 2 and inside[0] in tuple("23456789"), "no root of degree 2 to 9", tree)
        self.formula(inside[1], slack)

    def _call(self, tree: Any, inside: list[Any], slack: str) -> None:
        named = inside and isinstance(inside[0], str) and inside[0].isprintable()
        _require(named, "a function without a printable name", tree)
        for part in inside[1:]:
            self.formula(part, slack)

    def _at(self, tree: Any, inside: list[Any], slack: str) -> None:
        sequence = len(inside) == 2 and self._domain(inside[0]).startswith("sequence ")
        _require(sequence, "no entry of a sequence", tree)
        self.formula(inside[1], slack)

    def _slack(self, tree: Any, inside: list[Any], slack: str) -> None:
        _require(slack and len(inside) == 1, "a slack outside `as`", tree)
        self._place(inside[0])

    def _dot(self, tree: Any, inside: list[Any], slack: str) -> None:
        _require(len(inside) == 2, "no product of two vectors", tree)
        for part in inside:
            self._vector(part, "", slack)

    def _each(self, tree: Any, inside: list[Any], slack: str) -> None:
        _require(len(inside) == 3 and self._domain(inside[0]) in WHOLE, "no sum of products", tree)
        for part in inside[1:]:
            self._vector(part, inside[0], slack)

    _others: ClassVar[Mapping[str, Callable[[Grammar, Any, list[Any], str], None]]] = {
        "root": _root,
        "call": _call,
        "at": _at,
        "slack": _slack,
        "dot": _dot,
        "each": _each,
    }

    def _vector(self, tree: Any, size: str, slack: str) -> None:
        """Check a vector; inside a sum over `size`, members of families of this size may occur, too."""
        if isinstance(tree, str):
            _require(self._domain(tree) in ("vector", f"family {size}"), "no vector here", tree)
            return
        _require(isinstance(tree, list) and tree, "no vector", tree)
        head, *inside = tree
        if head == "total":
            family = len(inside) == 1 and self._domain(inside[0]).startswith("family ")
            _require(family, "no sum of a family", tree)
            return
        _require(head in ("+", "-", "*") and len(inside) == 2, "no vector", tree)
        if head == "*":
            self.formula(inside[0], slack)
        else:
            self._vector(inside[0], size, slack)
        self._vector(inside[1], size, slack)

    def relation(self, tree: Any) -> None:
        """Check a relation between two formulas."""
        _require(isinstance(tree, list) and len(tree) == 3 and tree[0] in RELATIONS, "no relation", tree)
        self.formula(tree[1])
        self.formula(tree[2])

    def _place(self, k: Any) -> None:
        _require(type(k) is int and k >= 0, "no number of a fact", k)  # True is an `int`, too

    def _whole(self, name: Any) -> None:
        fits = self._domain(name) in WHOLE and f"family {name}" not in self.symbols.values()
        _require(fits, "no whole symbol on which no family depends", name)

    def lines(self, lines: Any, place: str) -> None:
        """Check the lines of `place`: "of a proof", or of a part of it."""
        _require(isinstance(lines, list), f"no lines {place}", lines)
        for line in lines:
            _require(isinstance(line, dict), "no line", line)
            fits = [keys for keys, more in _REASONS.items() if keys <= line.keys() <= keys | more]
            _require(fits, "no line with these keys", [*line])
            _require("show" in line or place == "of a proof", "an assumption in the middle of a proof", line)
            for key, content in line.items():
                self._entries[key](self, content)

    def _why(self, content: Any) -> None:
        _require(isinstance(content, str) and content.isprintable(), "no printable reason", content)

    def _formula_as(self, content: Any) -> None:
        self.formula(content, "as")

    def _true(self, content: Any) -> None:
        _require(content is True, "not true", content)

    def _part(self, content: Any) -> None:
        self.lines(content, "of a part")

    def _list(self, content: Any) -> list[Any]:
        _require(isinstance(content, list), "no list", content)
        return list(content)

    def _parts(self, content: Any) -> None:
        for part in self._list(content):
            self._part(part)

    def _places(self, content: Any) -> None:
        for k in self._list(content):
            self._place(k)

    _entries: ClassVar[Mapping[str, Callable[[Grammar, Any], None]]] = {
        "given": relation,
        "show": relation,
        "by": _why,
        "for": _whole,
        "as": _formula_as,
        "put": _places,
        "split": formula,
        "parts": _parts,
        "whole": _true,
        "induct": _whole,
        "base": _part,
        "step": _part,
        "every": _place,
        "at": formula,
    }
