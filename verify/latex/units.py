"""Factors with their arguments: symbols, losses, gradients, maps, norms, inner products, brackets.

As in `operators.py`, a function takes the factors of a product (`steps`) and a place, and returns the value of the factor
there with the place after its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import sympy as sp
from lark import Token, Tree

from verify.latex.errors import Unclear
from verify.latex.glossary import Entry
from verify.latex.heads import Apply, Grad, Inner, Loss, Norm
from verify.latex.names import Typed
from verify.latex.operators import (
    BRACKETS,
    big,
    bracket_after,
    expectation,
    follower,
    function,
    number_in,
    only,
    order,
)
from verify.latex.trees import Node, bare, inside, leaves, start, text_of


def unit(reader: Any, steps: Sequence[Node], place: int) -> tuple[Typed, int]:
    """Value of the factor at a place with its arguments, and the place after them."""
    factor = steps[place]
    atom, scripts = factor.children[0], list(factor.children[1:])
    kind, at = atom.data, start(factor)
    raised = [one for one in scripts if one.data == "sup"]
    if len(raised) > 1:
        raise Unclear("this symbol has two superscripts; join them in one pair of braces", start(raised[1]))
    token = atom.children[0] if atom.children and isinstance(atom.children[0], Token) else None
    if kind == "big":
        return big(reader, steps, place, str(token), scripts)
    if kind == "expect":
        return expectation(reader, steps, place, str(token).removeprefix(r"\mathbb{E}").strip("_{}"), scripts)
    if kind == "function":
        return function(reader, steps, place, str(token), scripts)
    if kind == "nabla":
        return _gradient(reader, steps, place, scripts)
    if kind == "order" and token is not None:
        return order(reader, steps, place, str(token))
    if kind == "name" and token is not None:
        return _name(reader, steps, place, token, scripts)
    return reader.scripted(*_plain(reader, atom, kind, token, scripts, at)), place + 1


def _plain(
    reader: Any, atom: Tree[Any], kind: str, token: Token | None, scripts: list[Tree[Any]], at: int
) -> tuple[Typed, list[Tree[Any]]]:
    """Value of an atom that has its arguments inside itself, and the scripts that still apply to it."""
    if kind == "number":
        return Typed(sp.Rational(str(token)), "number", at), scripts
    if kind in {"frac", "root"}:
        first, second = (only(reader, group) for group in atom.children[1:])
        if kind == "root":
            return Typed(sp.root(second.value, first.value), "number", at), scripts
        _require_quotient(atom, at)
        if second.kind != "number" or second.value == 0:
            defaults = reader.names.defaults(second.value)
            raise Unclear(
                f"a denominator must be a number other than 0, got {'0' if second.value == 0 else f'a {second.kind}'}; correct it or declare its symbols as real{defaults}",
                second.at,
            )
        return Typed(first.value / second.value, first.kind, at), scripts
    if kind == "binom":
        above, below = (number_in(only(reader, group)) for group in atom.children[1:])
        return Typed(sp.binomial(above, below), "number", at), scripts
    if kind == "sqrt":
        return Typed(sp.sqrt(number_in(only(reader, atom.children[1]))), "number", at), scripts
    if kind == "norm":
        return _norm(reader, atom, scripts, at)
    if kind == "absolute":
        inner = only(reader, atom)
        if inner.kind == "set":
            return Typed(sp.Function("Size", nonnegative=True)(inner.value), "number", at), scripts
        if inner.kind != "number":
            raise Unclear(
                f"bars | | must stand around a number or a set, got a {inner.kind}; write \\| for a norm", at
            )
        return Typed(sp.Abs(inner.value), "number", at), scripts
    if kind == "angle":
        parts = reader.arguments(atom)
        if len(parts) != 2 or any(part.kind != "vector" for part in parts):
            raise Unclear(
                f"an inner product must have two vectors, got {', '.join(part.kind for part in parts)}; declare their symbols as vector",
                at,
            )
        return Typed(Inner(parts[0].value, parts[1].value), "number", at), scripts
    if kind in {"floor", "ceiling"}:
        return Typed(getattr(sp, kind)(number_in(only(reader, atom))), "number", at), scripts
    if kind in {*BRACKETS, "group"}:
        name = bare(atom) if kind == "group" else None
        if name is not None and name.type == "NAME":
            found, rest = reader.symbol(name, scripts)
            return found, rest
        return only(reader, atom), scripts
    raise Unclear(f"{text_of(atom)[:30]!r} has no meaning here; replace it by a symbol", at)


def _norm(reader: Any, atom: Tree[Any], scripts: list[Tree[Any]], at: int) -> tuple[Typed, list[Tree[Any]]]:
    """A norm, and its scripts without the subscript. The subscript 2 is the Euclidean norm and is dropped."""
    inner = only(reader, atom)
    if inner.kind != "vector":
        raise Unclear(
            f"a norm must be that of a vector, got a {inner.kind}; declare its symbols as vector, or write | | for an absolute value"
            + reader.names.defaults(inner.value),
            inner.at,
        )
    below = [one for one in scripts if one.data == "sub"]
    rest = [one for one in scripts if one.data != "sub"]
    which = text_of(below[0].children[-1]) if below else ""
    which = "" if which == "2" else which
    return Typed(Norm(inner.value, *([sp.Symbol(which)] if which else [])), "number", at), rest


def _require_quotient(fraction: Tree[Any], at: int) -> None:
    """Refuse d/dt and dx/dt, which may be derivatives, although d may also be a dimension."""
    above, below = ([str(leaf) for leaf in leaves(group)[1:-1]] for group in fraction.children[1:])
    if above[:1] == ["d"] and below[:1] == ["d"] and len(below) == 2 and below[1].lstrip("\\").isalpha():
        raise Unclear("is this a derivative or a quotient? Write \\nabla, or the factor d as \\cdot d", at)


def _gradient(reader: Any, steps: Sequence[Node], place: int, scripts: list[Tree[Any]]) -> tuple[Typed, int]:
    """The gradient of a loss at a point, and the place after the point."""
    at = start(steps[place])
    if scripts:
        raise Unclear(
            "only gradients with respect to all variables are supported; replace this one by a symbol, declared as vector",
            at,
        )
    after = follower(steps, place)
    if after is None or after.children[0].data != "name":
        raise Unclear("the gradient lacks its loss; write \\nabla f(x), with f declared as loss", at)
    loss, rest = reader.symbol(after.children[0].children[0], after.children[1:])
    bracket = bracket_after(steps, place + 1)
    if loss.kind != "loss" or rest or bracket is None:
        raise Unclear(
            "the gradient lacks its point; write \\nabla f(x), with f declared as loss", start(after)
        )
    value = Typed(Grad(loss.value, *_points(reader, bracket)), "vector", at)
    return reader.scripted(value, steps[place + 2].children[1:]), place + 3


def _points(reader: Any, bracket: Tree[Any]) -> list[Any]:
    """The point and the data at which a loss is evaluated."""
    found = reader.arguments(bracket)
    for one in found:
        if one.kind not in {"vector", "set"} and one.value != 0:
            raise Unclear(
                f"the argument of a loss must be a vector or data, got a {one.kind}; declare its symbols as vector",
                one.at,
            )
    return [one.value for one in found]


def _name(
    reader: Any, steps: Sequence[Node], place: int, token: Token, scripts: list[Tree[Any]]
) -> tuple[Typed, int]:
    """Value of a name with its scripts and arguments: a number, vector, constant, loss at a point, or map at a point."""
    name, at = str(token), start(steps[place])
    entry: Entry | None = reader.names.entry(name)
    bracket = bracket_after(steps, place)
    if entry is None:
        if name == "O" and bracket is not None:
            return order(reader, steps, place, name)
        if name == "e" and scripts and scripts[0].data == "sup":
            entry = Entry("constant", default=True)
        if name == r"\infty":
            return Typed(sp.oo, "number", at), place + 1
    if entry is not None and entry.kind == "expectation":
        under = next((text_of(one.children[-1]) for one in scripts if one.data == "sub"), "")
        return expectation(reader, steps, place, under, [one for one in scripts if one.data != "sub"])
    if entry is not None and entry.kind == "constant":
        if bracket is not None:
            _require_product(name, bracket, at)
        return reader.scripted(reader.names.constant(name, entry, scripts), scripts), place + 1
    if entry is not None and name == "E" and entry.default:
        _require_count(reader, steps, place, at)
    found, rest = reader.symbol(token, scripts)
    if found.kind == "loss":
        if bracket is None or rest:
            raise Unclear(
                f"{name} is a loss; write its value at a point, as {name}(x), or declare it as a number", at
            )
        value = Typed(Loss(found.value, *_points(reader, bracket)), "number", at)
        return reader.scripted(value, steps[place + 1].children[1:]), place + 2
    if found.kind == "map":
        if bracket is None or rest:
            raise Unclear(f"{name} is a map; write its value at a point, as {name}(x)", at)
        return Typed(Apply(found.value, *_points(reader, bracket)), "vector", at), place + 2
    if bracket is not None:
        _require_product("" if entry is not None and entry.kind == "loss" else name, bracket, at)
    return reader.scripted(found, rest), place + 1


def _require_count(reader: Any, steps: Sequence[Node], place: int, at: int) -> None:
    """Refuse an undeclared E before a bracket, norm, loss or vector: it may be a count or the expectation."""
    after = follower(steps, place)
    if after is None or after.children[0].data == "number":
        return
    atom = after.children[0]
    entry = reader.names.entry(str(atom.children[0])) if atom.data == "name" else None
    if entry is None or entry.kind in {"loss", "vector"}:
        raise Unclear(
            "is E the expectation or a number here? Write \\mathbb{E}, or declare `E: expectation` or `E: count`",
            at,
        )


def _require_product(name: str, bracket: Tree[Any], at: int) -> None:
    """Refuse a bracket after a symbol that may be an argument.

    It is a factor only if it holds a sum and the symbol is one letter, as in L(a+b). f(x) may be the value of a function.
    """
    items = inside(bracket)
    inner = items[0]
    factor = len(items) == 1 and isinstance(inner, Tree) and inner.data in {"sum", "signed"}
    terms = sum(isinstance(child, Tree) for child in inner.children) if factor else 0
    letter = re.search(r"[A-Za-z]+", re.sub(r"\\(?:mathcal|mathbb|mathbf|bar|hat|tilde)\b", "", name))
    word = r"\mathrm" in name or letter is None
    if bracket.data == "round" and (terms < 2 or word):
        raise Unclear(
            f"is this {name or 'the number'} times the bracket, or the value of a function? Write \\cdot for a product, "
            "or declare the function as loss (a number) or map (a vector)",
            at,
        )
