"""Operators and functions with their arguments: sums, minima and maxima, expectations, logarithms, orders.

In LaTeX an operator without brackets may reach over one factor or over the rest of the product. Where the two differ, the
reader asks for brackets. Every function here takes the factors of a product (`steps`) and the place of its operator, and
returns the value with the place after its argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from lark import Token, Tree

from verify.latex.errors import Unclear
from verify.latex.heads import BigO, Expect, Extreme, Loss, SoftO, SumOver
from verify.latex.names import Typed
from verify.latex.trees import Node, bare, inside, start, text_of

BRACKETS = ("round", "square", "curly")
_FUNCTIONS = {r"\log": sp.log, r"\ln": sp.log, r"\exp": sp.exp}


def only(reader: Any, bracket: Tree[Any]) -> Typed:
    """The value of a bracket with one item."""
    items = inside(bracket)
    if len(items) != 1:
        raise Unclear(
            f"these brackets have {len(items)} items, but only functions, inner products, min and max take several; remove the comma",
            start(bracket),
        )
    found: Typed = reader.value(items[0])
    return Typed(found.value, found.kind, start(bracket))


def number_in(found: Typed) -> Any:
    """The expression of a value that must be a number."""
    if found.kind != "number":
        raise Unclear(
            f"a number is expected here, but this is a {found.kind}; declare its symbols as real if they are numbers",
            found.at,
        )
    return found.value


def follower(steps: Sequence[Node], place: int) -> Tree[Any] | None:
    """The factor directly after a place; None if an operator or nothing follows."""
    after = steps[place + 1] if place + 1 < len(steps) else None
    return after if isinstance(after, Tree) else None


def bracket_after(steps: Sequence[Node], place: int) -> Tree[Any] | None:
    """The bracket directly after a place; None if something else follows."""
    after = follower(steps, place)
    atom = after.children[0] if after is not None else None
    while (isinstance(atom, Tree) and len(atom.children) == 1) or (atom is not None and atom.data == "group"):
        items = inside(atom) if atom.data == "group" else atom.children
        if len(items) != 1 or not isinstance(items[0], Tree):
            return None
        atom = items[0]
    return atom if atom is not None and atom.data in BRACKETS else None


def _require_end(steps: Sequence[Node], place: int, what: str, *allowed: str) -> None:
    """Refuse further factors after an operator whose argument has no brackets: they may belong to the argument."""
    after = steps[place] if place < len(steps) else None
    if after is not None and not (isinstance(after, Token) and after.type in allowed):
        raise Unclear(f"how far does {what} reach? Put its argument in brackets", start(after))


def big(
    reader: Any, steps: Sequence[Node], place: int, name: str, scripts: list[Tree[Any]]
) -> tuple[Typed, int]:
    """Value of a sum, product, minimum, maximum, supremum or infimum, and the place after its argument."""
    at = start(steps[place])
    if name in {r"\max", r"\min"} and not scripts:
        bracket = bracket_after(steps, place)
        if bracket is None:
            raise Unclear(f"{name} lacks its arguments; write {name}\\{{a, b\\}}, or a range below", at)
        pick = sp.Max if name == r"\max" else sp.Min
        parts = [number_in(part) for part in reader.arguments(bracket)]
        if len(parts) < 2:
            raise Unclear(f"{name} has one number only; write several, or a range below", at)
        base = Typed(pick(*parts), "number", at)
        return reader.scripted(base, steps[place + 1].children[1:]), place + 2
    least = _least(reader, steps, place, name) if not scripts else None
    if least is not None:
        return least, place + 2
    outer = dict(reader.names.scope)
    ranges = reader.ranged(scripts, at)
    indices = {one.index for one in ranges}
    body, end = _body(reader, steps, place + 1, name, indices, at)
    reader.names.scope = outer
    return Typed(_big_value(name, body, ranges, at), body.kind, at, frozenset(indices) | body.trailing), end


def _least(reader: Any, steps: Sequence[Node], place: int, name: str) -> Typed | None:
    """The value of ``\\inf f`` for a loss f: the infimum over all x, or the symbol with this name if one is declared."""
    after = follower(steps, place)
    grouped = after is not None and not after.children[1:] and after.children[0].data == "group"
    items = inside(after.children[0]) if grouped and after is not None else []
    token = bare(items[0] if len(items) == 1 else after) if after is not None else None
    entry = reader.names.entry(str(token)) if token is not None and token.type == "NAME" else None
    if entry is None or entry.kind != "loss" or bracket_after(steps, place + 1) is not None:
        return None
    at, whole, over = start(steps[place]), f"{name}{{{token}}}", reader.names.entry("x")
    if whole in reader.names.kinds.declared:
        return Typed(reader.names.symbol(whole, reader.names.entry(whole), at), "number", at)
    if over is None or over.kind != "vector":
        raise Unclear(f"{name} of {token} lacks its variable; write {name}_{{w}} {token}(w)", at)
    loss, _ = reader.symbol(token, [])
    point = reader.names.symbol("x", over, at)
    return Typed(Extreme(sp.Symbol(name[1:]), Loss(loss.value, point), sp.Tuple(point)), "number", at)


def _body(
    reader: Any, steps: Sequence[Node], place: int, name: str, indices: set[Any], at: int
) -> tuple[Typed, int]:
    """The argument of an operator: the rest of its product.

    A sum is linear, so factors after it that do not contain its index do not change its value. For any other operator they
    do, so the reader asks for brackets.
    """
    if place >= len(steps):
        raise Unclear(f"{name} lacks its argument; write it after the range", at)
    if name == r"\sum":
        return reader.product(steps[place:]), len(steps)
    first, after = reader.unit(steps, place)
    for step, found in _units(reader, steps, after):
        if not indices & found.value.free_symbols:
            raise Unclear(f"does {name} reach over this? Put its argument in brackets", start(step))
    return (first if after >= len(steps) else reader.product(steps[place:])), len(steps)


def _units(reader: Any, steps: Sequence[Node], place: int) -> Any:
    """Yield the factors from a place on, each with its value."""
    while place < len(steps):
        if isinstance(steps[place], Token):
            place += 1
            continue
        step = steps[place]
        found, place = reader.unit(steps, place)
        yield step, found


def _big_value(name: str, body: Typed, ranges: Sequence[Any], at: int) -> Any:
    """The operator applied to its argument, for each range from the innermost to the outermost."""
    value = body.value
    if body.kind not in {"number", "vector"} or (body.kind == "vector" and name != r"\sum"):
        raise Unclear(f"{name} of a {body.kind} has no meaning", body.at)
    for one in reversed(ranges):
        if name == r"\sum" and one.high is not None:
            value = sp.Sum(value, (one.index, one.low, one.high))
        elif name == r"\sum" and one.over is not None:
            value = SumOver(value, one.index, one.over)
        elif name == r"\prod" and one.high is not None:
            value = sp.Product(value, (one.index, one.low, one.high))
        elif name in {r"\sum", r"\prod"}:
            raise Unclear(f"{name} needs a range of whole numbers; write i=1 below and N above", at)
        else:
            value = Extreme(sp.Symbol(name[1:]), value, one.limits)
    return value


def expectation(
    reader: Any, steps: Sequence[Node], place: int, under: str, scripts: list[Tree[Any]]
) -> tuple[Typed, int]:
    """Value of an expectation, and the place after its argument; `under` is its subscript."""
    at = start(steps[place])
    if scripts:
        raise Unclear(
            "the expectation has a script, so its order with the power is unclear; write \\mathbb{E}[...] with the power inside or around it",
            at,
        )
    bracket, after = bracket_after(steps, place), follower(steps, place)
    if after is None:
        raise Unclear("the expectation lacks its argument; write \\mathbb{E}[...]", at)
    tags = [sp.Symbol(under)] if under else []
    if bracket is not None:
        if after.children[1:]:
            raise Unclear(
                "is the power inside the expectation or outside? Write \\mathbb{E}[(..)^2] or (\\mathbb{E}[..])^2",
                start(after),
            )
        items = inside(bracket)
        given = text_of(items[1]) if len(items) == 2 and _has_bar(bracket) else ""
        if len(items) != 1 and not given:
            raise Unclear(
                f"an expectation takes one argument and perhaps a condition after a bar, got {len(items)} items; remove the comma",
                start(bracket),
            )
        inner = reader.value(items[0])
        if given:
            tags = [sp.Symbol(under or "."), sp.Symbol(given)]
        end = place + 2
    else:
        inner, end = reader.unit(steps, place + 1)
        _require_end(steps, end, "the expectation", "SLASH")
    if inner.kind not in {"number", "vector"}:
        raise Unclear(f"the expectation of a {inner.kind} has no meaning", inner.at)
    return Typed(
        Expect(inner.value, *tags), inner.kind, at, inner.trailing if bracket is None else frozenset()
    ), end


def _has_bar(bracket: Tree[Any]) -> bool:
    """Whether a bracket holds the bar "given" of a conditional expectation."""
    return any(isinstance(child, Token) and child.type == "MID" for child in bracket.children[1].children)


def function(
    reader: Any, steps: Sequence[Node], place: int, name: str, scripts: list[Tree[Any]]
) -> tuple[Typed, int]:
    """Value of a logarithm or exponential, and the place after its argument; a subscript is the base of the logarithm."""
    at = start(steps[place])
    below = [one for one in scripts if one.data == "sub"]
    above = [one for one in scripts if one.data == "sup"]
    after, bracket = follower(steps, place), bracket_after(steps, place)
    if after is None:
        raise Unclear(f"{name} lacks its argument; write {name}(..)", at)
    if bracket is not None:
        if after.children[1:]:
            raise Unclear(
                f"is the power inside {name} or outside? Write {name}((..)^2) or ({name}(..))^2", start(after)
            )
        inner, end = number_in(only(reader, bracket)), place + 2
    else:
        found, end = reader.unit(steps, place + 1)
        inner = number_in(found)
        if after.children[0].data != "group":
            _require_end(steps, end, name)
    value = _FUNCTIONS[name](inner)
    if below:
        base = reader.number(inside(below[0].children[-1])[0])
        value = value / sp.log(base)
    return reader.scripted(Typed(value, "number", at), above), end


def order(reader: Any, steps: Sequence[Node], place: int, name: str) -> tuple[Typed, int]:
    """Value of O(..), and the place after its bracket."""
    bracket, at = bracket_after(steps, place), start(steps[place])
    if bracket is None or steps[place + 1].children[1:]:
        raise Unclear("O lacks its argument in brackets, without a power; write \\mathcal{O}(..)", at)
    head = SoftO if "tilde" in name else BigO
    return Typed(head(number_in(only(reader, bracket))), "order", at), place + 2
