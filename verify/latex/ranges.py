"""Ranges of sums, products, minima and maxima: the scripts below and above an operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from lark import Token, Tree

from verify.latex.errors import Unclear
from verify.latex.glossary import Entry
from verify.latex.trees import Node, bare, inside, start, text_of


@dataclass(frozen=True)
class Range:
    """Range of an operator: an index from `low` to `high`, or a variable in the set `over`.

    If all three are None, the variable runs over all vectors.
    """

    index: Any
    low: Any = None
    high: Any = None
    over: Any = None

    @property
    def limits(self) -> sp.Tuple:
        """The range as the last argument of `Extreme`: index and ends, or variable and set."""
        return sp.Tuple(*(part for part in (self.index, self.low, self.high, self.over) if part is not None))


def ranges_of(reader: Any, scripts: Sequence[Tree[Any]], at: int) -> list[Range]:
    """The ranges that the scripts of an operator give. Their indices are added to the scope of the reader.

    Raises
    ------
    Unclear
        If an index has no range, or the range cannot be read.
    """
    below = [one for one in scripts if one.data == "sub"]
    above = [one for one in scripts if one.data == "sup"]
    if not below:
        raise Unclear(
            "this operator has no range; write the index and its range below and above the operator", at
        )
    items = inside(below[0].children[-1])
    if above:
        index, low = _start(reader, items, at)
        top = inside(above[0].children[-1])
        if len(top) != 1:
            raise Unclear(
                f"the range must have one upper end, got {len(top)}; write it as _{{i=1}}^{{N}}",
                start(above[0]),
            )
        return [Range(index, low, reader.number(top[0]))]
    found: list[Range] = []
    for item in items:
        found += _ranges(reader, item)
    return found


def _start(reader: Any, items: Sequence[Node], at: int) -> tuple[Any, Any]:
    """Index and lower end of a subscript ``i = 1``."""
    item = items[0]
    plain = isinstance(item, Tree) and item.data == "chain" and len(item.children) == 3
    if len(items) != 1 or not plain or item.children[1].children[0].type != "EQ":
        raise Unclear(
            f"the lower end must have the form `i = 1`, as there is an upper end; got {text_of(item)[:30]!r}",
            start(item) or at,
        )
    low = reader.number(item.children[2])
    return _index(reader, item.children[0]), low


def _index(reader: Any, node: Node) -> Any:
    """The symbol of an index, which is added to the scope of the reader."""
    token = bare(node)
    if token is None or token.type != "NAME":
        raise Unclear(f"an index must be one letter, got {text_of(node)[:30]!r}; rename it", start(node))
    entry = Entry("index")
    reader.names.scope[str(token)] = entry
    return reader.names.symbol(str(token), entry, start(token))


def _ranges(reader: Any, item: Node) -> list[Range]:
    """Range of one item of a subscript: a membership, a double inequality, or a name with a declared range."""
    if isinstance(item, Tree) and item.data == "chain":
        signs = [
            getattr(child.children[0], "type", "") for child in item.children[1::2] if isinstance(child, Tree)
        ]
        if signs == ["IN"]:
            return [member_of(reader, item)]
        if len(signs) == 2 and set(signs) <= {"LE", "LT"}:
            low, high = reader.number(item.children[0]), reader.number(item.children[4])
            index = _index(reader, item.children[2])
            return [Range(index, low + int(signs[0] == "LT"), high - int(signs[1] == "LT"))]
        raise Unclear(
            f"where does {text_of(item)[:30]!r} begin? Write both ends, as 0 \\le t < T", start(item)
        )
    token = bare(item)
    if token is None:
        raise Unclear(f"{text_of(item)[:30]!r} is no range; write i=1 below and N above", start(item))
    name = str(token)
    entry = reader.names.require(name, start(token))
    if entry.kind == "vector":
        return [Range(reader.names.symbol(name, entry, start(token)))]
    if not entry.low:
        raise Unclear(
            f"from where to where does {name} run? Write the ends, or declare `{name}: index 1..N`",
            start(token),
        )
    low, high = (reader.end(text, start(token)) for text in (entry.low, entry.high))
    return [Range(_index(reader, item), low, high)]


def member_of(reader: Any, item: Tree[Any]) -> Range:
    """Range of a membership: i in [N], i in {1, ..., N}, i in a set, or x in a set."""
    place = item.children[2]
    node = place
    while isinstance(node, Tree) and len(node.children) == 1 and node.data in {"product", "factor"}:
        node = node.children[0]
    kind = node.data if isinstance(node, Tree) else ""
    if kind == "square" and len(inside(node)) == 1:
        high = reader.number(inside(node)[0])
        return Range(_index(reader, item.children[0]), sp.S.One, high)
    if kind == "curly":
        ends = inside(node)
        dots = [position for position, one in enumerate(ends) if _is_dots(one)]
        if len(dots) == 1 and 1 <= dots[0] == len(ends) - 2:
            low, high = reader.number(ends[0]), reader.number(ends[-1])
            if dots[0] == 2 and reader.number(ends[1]) != low + 1:
                raise Unclear(
                    "the listed numbers must increase by 1, as in \\{1, 2, \\dots, N\\}; write the range so",
                    start(node),
                )
            return Range(_index(reader, item.children[0]), low, high)
    token = bare(item.children[0])
    entry = reader.names.entry(str(token)) if token is not None else None
    if entry is not None and entry.kind == "vector" and text_of(place).startswith(r"\mathbb{R}"):
        return Range(reader.names.symbol(str(token), entry, start(item)))
    over = reader.value(place)
    if over.kind != "set":
        raise Unclear(
            "a set is expected here; declare its symbol as set, or write both ends of the range", start(place)
        )
    if token is not None and entry is not None and entry.kind == "vector":
        return Range(reader.names.symbol(str(token), entry, start(token)), over=over.value)
    return Range(_index(reader, item.children[0]), over=over.value)


def _is_dots(node: Node) -> bool:
    """Whether a tree is only ``\\dots``."""
    while isinstance(node, Tree) and len(node.children) == 1:
        node = node.children[0]
    return (isinstance(node, Tree) and node.data == "dots") or (
        isinstance(node, Token) and node.type == "DOTS"
    )
