"""Factors with all that they take as arguments: operators, functions, losses, gradients, expectations, norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from lark import Token, Tree

from verify.latex.errors import Unclear
from verify.latex.glossary import Entry
from verify.latex.heads import BigO, Expect, Extreme, Grad, Inner, Loss, Norm, SoftO, SumOver
from verify.latex.names import Node, Typed, bare, inside, start, text_of

BRACKETS = ("round", "square", "curly")
_FUNCTIONS = {r"\log": sp.log, r"\ln": sp.log, r"\exp": sp.exp}


def unit(reader: Any, steps: Sequence[Node], place: int) -> tuple[Typed, int]:
    """Value of the factor at a place with its arguments, and the place after them."""
    factor = steps[place]
    atom, scripts = factor.children[0], list(factor.children[1:])
    kind, at = atom.data, start(factor)
    token = atom.children[0] if atom.children and isinstance(atom.children[0], Token) else None
    if kind == "big":
        return _big(reader, steps, place, str(token), scripts)
    if kind == "expect":
        return _expectation(
            reader, steps, place, str(token).removeprefix(r"\mathbb{E}").strip("_{}"), scripts
        )
    if kind == "function":
        return _function(reader, steps, place, str(token), scripts)
    if kind == "nabla":
        return _gradient(reader, steps, place, scripts)
    if kind == "order" and token is not None:
        return _order(reader, steps, place, str(token))
    if kind == "name" and token is not None:
        return _name(reader, steps, place, token, scripts)
    return reader.scripted(*_plain(reader, atom, kind, token, scripts, at)), place + 1


def _plain(
    reader: Any, atom: Tree[Any], kind: str, token: Token | None, scripts: list[Tree[Any]], at: int
) -> tuple[Typed, list[Tree[Any]]]:
    """Value of an atom that takes no argument from beside it, and the scripts that are left."""
    if kind == "number":
        return Typed(sp.Rational(str(token)), "number", at), scripts
    if kind in {"frac", "root"}:
        first, second = (_only(reader, group) for group in atom.children[1:])
        if kind == "root":
            return Typed(sp.root(second.value, first.value), "number", at), scripts
        if second.kind != "number" or second.value == 0:
            raise Unclear("a denominator must be a number other than 0", second.at)
        return Typed(first.value / second.value, first.kind, at), scripts
    if kind == "sqrt":
        return Typed(sp.sqrt(_number(_only(reader, atom.children[1]))), "number", at), scripts
    if kind == "norm":
        return _norm(reader, atom, scripts, at)
    if kind == "absolute":
        inner = _one(reader, atom)
        if inner.kind == "set":
            return Typed(sp.Function("Size", nonnegative=True)(inner.value), "number", at), scripts
        if inner.kind != "number":
            raise Unclear(f"bars | | around a {inner.kind}; write \\| for a norm", at)
        return Typed(sp.Abs(inner.value), "number", at), scripts
    if kind == "angle":
        parts = reader.arguments(atom)
        if len(parts) != 2 or any(part.kind != "vector" for part in parts):
            raise Unclear("an inner product has two vectors; declare their symbols as vector", at)
        return Typed(Inner(parts[0].value, parts[1].value), "number", at), scripts
    if kind in {"floor", "ceiling"}:
        return Typed(getattr(sp, kind)(_number(_one(reader, atom))), "number", at), scripts
    if kind in {*BRACKETS, "group"}:
        name = bare(atom) if kind == "group" else None
        if name is not None and name.type == "NAME":
            found, rest = reader.symbol(name, scripts)
            return found, rest
        return _one(reader, atom), scripts
    raise Unclear(f"{text_of(atom)[:30]!r} has no meaning here", at)


def _one(reader: Any, bracket: Tree[Any]) -> Typed:
    items = inside(bracket)
    if len(items) != 1:
        raise Unclear(
            "a comma inside these brackets; only functions, inner products, min and max have several arguments",
            start(bracket),
        )
    found: Typed = reader.value(items[0])
    return Typed(found.value, found.kind, start(bracket))


def _only(reader: Any, group: Tree[Any]) -> Typed:
    return _one(reader, group)


def _number(found: Typed) -> Any:
    if found.kind != "number":
        raise Unclear(
            f"a number is expected here, this is a {found.kind}; declare its symbols otherwise if they are numbers",
            found.at,
        )
    return found.value


def _norm(reader: Any, atom: Tree[Any], scripts: list[Tree[Any]], at: int) -> tuple[Typed, list[Tree[Any]]]:
    inner = _one(reader, atom)
    if inner.kind != "vector":
        raise Unclear(
            f"a norm of a {inner.kind}; declare its symbols as vector, or write | | for an absolute value",
            inner.at,
        )
    below = [one for one in scripts if one.data == "sub"]
    rest = [one for one in scripts if one.data != "sub"]
    which = text_of(below[0].children[-1]) if below else ""
    which = "" if which == "2" else which
    return Typed(Norm(inner.value, *([sp.Symbol(which)] if which else [])), "number", at), rest


def _follower(steps: Sequence[Node], place: int) -> Tree[Any] | None:
    """The factor right after a place, without an operator between."""
    after = steps[place + 1] if place + 1 < len(steps) else None
    return after if isinstance(after, Tree) else None


def _bracket(steps: Sequence[Node], place: int) -> Tree[Any] | None:
    """The bracket right after a place."""
    after = _follower(steps, place)
    atom = after.children[0] if after is not None else None
    while (isinstance(atom, Tree) and len(atom.children) == 1) or (atom is not None and atom.data == "group"):
        items = inside(atom) if atom.data == "group" else atom.children
        if len(items) != 1 or not isinstance(items[0], Tree):
            return None
        atom = items[0]
    return atom if atom is not None and atom.data in BRACKETS else None


def _require_end(steps: Sequence[Node], place: int, what: str, *allowed: str) -> None:
    """What takes one factor without brackets must be the last factor, or it is not clear how far it reaches."""
    after = steps[place] if place < len(steps) else None
    if after is not None and not (isinstance(after, Token) and after.type in allowed):
        raise Unclear(f"how far does {what} reach? Put its argument in brackets", start(after))


def _big(
    reader: Any, steps: Sequence[Node], place: int, name: str, scripts: list[Tree[Any]]
) -> tuple[Typed, int]:
    at = start(steps[place])
    if name in {r"\max", r"\min"} and not scripts:
        bracket = _bracket(steps, place)
        if bracket is None:
            raise Unclear(f"{name} of what? Write {name}\\{{a, b\\}}, or a range below", at)
        pick = sp.Max if name == r"\max" else sp.Min
        parts = [_number(part) for part in reader.arguments(bracket)]
        if len(parts) < 2:
            raise Unclear(f"{name} of one number; write several, or a range below", at)
        base = Typed(pick(*parts), "number", at)
        return reader.scripted(base, steps[place + 1].children[1:]), place + 2
    outer = dict(reader.names.scope)
    ranges = reader.ranged(scripts, at)
    indices = {one.index for one in ranges}
    body, end = _body(reader, steps, place + 1, name, indices, at)
    reader.names.scope = outer
    return Typed(_big_value(name, body, ranges, at), body.kind, at, frozenset(indices) | body.trailing), end


def _body(
    reader: Any, steps: Sequence[Node], place: int, name: str, indices: set[Any], at: int
) -> tuple[Typed, int]:
    """What an operator reaches over: the rest of its product; asked where a shorter reach means something else."""
    if place >= len(steps):
        raise Unclear(f"{name} of what? Something is missing after it", at)
    if name == r"\sum":
        return reader._product(steps[place:]), len(steps)
    first, after = reader.unit(steps, place)
    for step, found in _units(reader, steps, after):
        if not indices & found.value.free_symbols:
            raise Unclear(f"does {name} reach over this? Put its argument in brackets", start(step))
    return (first if after >= len(steps) else reader._product(steps[place:])), len(steps)


def _units(reader: Any, steps: Sequence[Node], place: int) -> Any:
    while place < len(steps):
        if isinstance(steps[place], Token):
            place += 1
            continue
        step = steps[place]
        found, place = reader.unit(steps, place)
        yield step, found


def _big_value(name: str, body: Typed, ranges: Sequence[Any], at: int) -> Any:
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
            raise Unclear(f"{name} needs a range of whole numbers", at)
        else:
            value = Extreme(sp.Symbol(name[1:]), value, one.limits)
    return value


def _expectation(
    reader: Any, steps: Sequence[Node], place: int, under: str, scripts: list[Tree[Any]]
) -> tuple[Typed, int]:
    at = start(steps[place])
    if scripts:
        raise Unclear(
            "a script on the expectation; write \\mathbb{E}[...] with the power inside or around it", at
        )
    bracket, after = _bracket(steps, place), _follower(steps, place)
    if after is None:
        raise Unclear("the expectation of what? Write \\mathbb{E}[...]", at)
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
            raise Unclear("an expectation has one argument and after a bar what is given", start(bracket))
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
    return any(isinstance(child, Token) and child.type == "MID" for child in bracket.children[1].children)


def _function(
    reader: Any, steps: Sequence[Node], place: int, name: str, scripts: list[Tree[Any]]
) -> tuple[Typed, int]:
    at = start(steps[place])
    below = [one for one in scripts if one.data == "sub"]
    above = [one for one in scripts if one.data == "sup"]
    after, bracket = _follower(steps, place), _bracket(steps, place)
    if after is None:
        raise Unclear(f"{name} of what? Write {name}(..)", at)
    if bracket is not None:
        if after.children[1:]:
            raise Unclear(
                f"is the power inside {name} or outside? Write {name}((..)^2) or ({name}(..))^2", start(after)
            )
        inner, end = _number(_one(reader, bracket)), place + 2
    else:
        found, end = reader.unit(steps, place + 1)
        inner = _number(found)
        if after.children[0].data != "group":
            _require_end(steps, end, name)
    value = _FUNCTIONS[name](inner)
    if below:
        base = reader.number(inside(below[0].children[-1])[0])
        value = value / sp.log(base)
    return reader.scripted(Typed(value, "number", at), above), end


def _gradient(reader: Any, steps: Sequence[Node], place: int, scripts: list[Tree[Any]]) -> tuple[Typed, int]:
    at = start(steps[place])
    if scripts:
        raise Unclear(
            "only first gradients in all variables are read; name this one by a symbol, declared as vector",
            at,
        )
    after = _follower(steps, place)
    if after is None or after.children[0].data != "name":
        raise Unclear("the gradient of what? Write \\nabla f(x), with f declared as loss", at)
    loss, rest = reader.symbol(after.children[0].children[0], after.children[1:])
    bracket = _bracket(steps, place + 1)
    if loss.kind != "loss" or rest or bracket is None:
        raise Unclear(
            "the gradient at which point? Write \\nabla f(x), with f declared as loss", start(after)
        )
    value = Typed(Grad(loss.value, *_points(reader, bracket)), "vector", at)
    return reader.scripted(value, steps[place + 2].children[1:]), place + 3


def _points(reader: Any, bracket: Tree[Any]) -> list[Any]:
    """The point and the data that a loss is evaluated at."""
    found = reader.arguments(bracket)
    for one in found:
        if one.kind not in {"vector", "set"} and one.value != 0:
            raise Unclear(f"a loss at a {one.kind}; declare the symbols of its argument as vector", one.at)
    return [one.value for one in found]


def _order(reader: Any, steps: Sequence[Node], place: int, name: str) -> tuple[Typed, int]:
    bracket, at = _bracket(steps, place), start(steps[place])
    if bracket is None or steps[place + 1].children[1:]:
        raise Unclear("O of what? Write \\mathcal{O}(..)", at)
    head = SoftO if "tilde" in name else BigO
    return Typed(head(_number(_one(reader, bracket))), "order", at), place + 2


def _name(
    reader: Any, steps: Sequence[Node], place: int, token: Token, scripts: list[Tree[Any]]
) -> tuple[Typed, int]:
    name, at = str(token), start(steps[place])
    entry: Entry | None = reader.names.entry(name)
    bracket = _bracket(steps, place)
    if entry is None:
        if name == "O" and bracket is not None:
            return _order(reader, steps, place, name)
        if name == "e" and scripts and scripts[0].data == "sup":
            return reader.scripted(Typed(sp.E, "number", at), scripts), place + 1
        if name == r"\pi":
            return reader.scripted(Typed(sp.pi, "number", at), scripts), place + 1
        if name == r"\infty":
            return Typed(sp.oo, "number", at), place + 1
    if entry is not None and entry.kind == "expectation":
        under = next((text_of(one.children[-1]) for one in scripts if one.data == "sub"), "")
        return _expectation(reader, steps, place, under, [one for one in scripts if one.data != "sub"])
    if entry is not None and name == "E" and entry.default and not scripts:
        _require_count(reader, steps, place, at)
    found, rest = reader.symbol(token, scripts)
    if found.kind == "loss":
        if bracket is None or rest:
            raise Unclear(
                f"{name} is a loss; write its value at a point, as {name}(x), or declare it as a number", at
            )
        value = Typed(Loss(found.value, *_points(reader, bracket)), "number", at)
        return reader.scripted(value, steps[place + 1].children[1:]), place + 2
    if bracket is not None and not rest:
        _require_product(reader, entry, name, bracket, at)
    return reader.scripted(found, rest), place + 1


def _require_count(reader: Any, steps: Sequence[Node], place: int, at: int) -> None:
    """E beside a bracket, norm, loss or vector may be the expectation."""
    after = _follower(steps, place)
    if after is None or after.children[0].data == "number":
        return
    atom = after.children[0]
    entry = reader.names.entry(str(atom.children[0])) if atom.data == "name" else None
    if entry is None or entry.kind in {"loss", "vector"}:
        raise Unclear(
            "is E the expectation or a number here? Write \\mathbb{E}, or declare `E: expectation` or `E: count`",
            at,
        )


def _require_product(reader: Any, entry: Entry | None, name: str, bracket: Tree[Any], at: int) -> None:
    """A bracket after a symbol whose kind nobody declared: product or value of a function?"""
    items = inside(bracket)
    doubtful = len(items) > 1 or bare(items[0]) is not None
    function = entry is not None and entry.kind not in {"loss"} and (entry.default or len(items) > 1)
    if doubtful and function and bracket.data == "round":
        raise Unclear(
            f"is this {name} times the bracket, or a function {name} of it? Declare `{name}: loss`, or as a number, or write \\cdot",
            at,
        )
