"""Symbols with their scripts: decide for each script whether it is part of the name, an index or a power."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp
from lark import Token, Tree

from verify.latex.errors import Unclear
from verify.latex.glossary import CONSTANTS, NUMBERS, STEP_SIZES, Entry, Kinds, ascii_name, symbol_of
from verify.latex.trees import Node, bare, inside, leaves, mark_of, start, text_of


@dataclass(frozen=True)
class Typed:
    """A SymPy expression, its kind and its offset.

    The kind is "number", "vector", "row" (a transposed vector), "loss", "map", "set" or "order".
    """

    value: Any
    kind: str
    at: int
    trailing: frozenset[sp.Symbol] = frozenset()
    """Indices of sums without brackets at the end of this product; their reach is ambiguous if a term with them follows."""


@dataclass(frozen=True)
class Power:
    """A name with an exponent that contains an index, such as G^t or G^{t+1}; `text` is the exponent as LaTeX."""

    name: str
    index: str
    text: str
    at: int


@dataclass
class Names:
    """The kinds of symbols while a claim is read, and the record of every name that occurs in it.

    `scope` holds the indices of the operators that enclose the current place; it takes precedence over `kinds`.
    """

    kinds: Kinds
    scope: dict[str, Entry] = field(default_factory=dict)
    used: dict[str, tuple[str, Entry]] = field(default_factory=dict)
    """SymPy name -> LaTeX name and kind."""
    ups: dict[str, int] = field(default_factory=dict)
    """SymPy name of a family -> the number of its indices that are superscripts; these come last."""
    raised: set[str] = field(default_factory=set)
    """SymPy names of indices that occur as superscripts of a family."""
    powers: list[Power] = field(default_factory=list)
    """Superscripts that were read as powers although they could be indices; `require_powers` checks them at the end."""

    def entry(self, name: str) -> Entry | None:
        """Kind of a name; None if it has none."""
        return self.scope.get(name) or self.kinds.entry(name)

    def require(self, name: str, at: int) -> Entry:
        """Kind of a name; raises `Unclear` if it has none."""
        entry = self.entry(name)
        if entry is None:
            raise self.kinds.error_for(name, at)
        return entry

    def symbol(self, name: str, entry: Entry, at: int, ups: int = 0) -> sp.Symbol:
        """The SymPy symbol of a name, which is recorded in `used`.

        Raises
        ------
        Unclear
            If another LaTeX name already has the same SymPy name.
        """
        made = symbol_of(name, entry)
        if ups:
            made = (
                sp.Symbol(f"{made.name}_up{ups}", **made.assumptions0)
                if entry.kind in NUMBERS
                else sp.Symbol(f"{made.name}_up{ups}")
            )
            self.ups[made.name] = ups
        old = self.used.setdefault(made.name, (name, entry))
        if old[0] != name:
            raise Unclear(
                f"{name} and {old[0]} would both be named {made.name} in Python; rename one of them", at
            )
        return made

    def constant(self, name: str, entry: Entry, scripts: Sequence[Tree[Any]]) -> Typed:
        """The number pi or e. Its powers to an index are checked like those of other names, as e^t may be an error."""
        self.used[name.lstrip("\\")] = (name, entry)
        if entry.default:
            self.powers += [power for script in scripts for power in _index_power(self, name, script)]
        return Typed(CONSTANTS[name], "number", 0)

    def defaults(self, value: Any) -> str:
        """A note for an error message that lists the default kinds of a value's symbols; empty if all are declared."""
        found = {
            f"{latex} as {entry.kind}"
            for latex, entry in (
                self.used.get(getattr(one, "name", ""), ("", Entry("")))
                for one in getattr(value, "free_symbols", ())
            )
            if latex and entry.default
        }
        return f" (read by default: {', '.join(sorted(found))})" if found else ""


MARKS = {"star": r"\star", "plus": "+", "minus": "-"}
LEAST = {"star", r"\star", r"\mathrm{inf}", r"\mathrm{min}"}
"""Subscripts of a loss that denote its least value."""


def named(
    names: Names, token: Token, scripts: Sequence[Tree[Any]], evaluate: Any
) -> tuple[Typed, list[Tree[Any]]]:
    """Read a name with its scripts.

    Parameters
    ----------
    evaluate : callable
        Returns the value of an index, such as t + 1.

    Returns
    -------
    (Typed, list of Tree)
        The symbol or the entry of a family, and the remaining scripts: powers and transposes.

    Notes
    -----
    Primes and marks such as a star become part of the name. A subscript is an index if it consists of indices and counts,
    else part of the name. A superscript of a number is a power, and one of a vector, loss, set or map is an index. The
    rules of `_place` and the checks below ask where papers use both meanings.
    """
    at = start(token)
    name = str(token)
    rest: list[Tree[Any]] = []
    below: list[Any] = []
    above: list[Any] = []
    words: list[str] = []
    ups: list[str] = []
    scripts = list(scripts)
    for script in [one for one in scripts if one.data == "prime"]:
        before = names.entry(name)
        if before is not None and before.kind == "loss":
            raise Unclear(
                f"is {name}' a derivative or another function? Write \\nabla {name}, or use another letter",
                at,
            )
        name += "'"
        scripts.remove(script)
    subs = [one for one in scripts if one.data == "sub"]
    if len(subs) > 1:
        raise Unclear(f"{name} has two subscripts; join them as {name}_{{a,b}}", start(subs[1]))
    items = inside(subs[0].children[-1]) if subs else []
    for cut in range(
        len(items), 0, -1
    ):  # the longest declared name wins: c_{p,i} is entry i of a declared c_p
        whole = f"{name}_{{{','.join(map(text_of, items[:cut]))}}}"
        if whole in names.kinds.declared:
            name, items = whole, items[cut:]
            if not items:
                scripts.remove(subs[0])
            break
    entry = names.require(name, at)
    family = entry.kind in {"vector", "loss", "set", "map"}
    for script in scripts:
        group = script.children[-1]
        if script.data == "sub":
            mark = mark_of(group)
            if mark:
                words.append(mark)
                continue
            for item in items:
                _place(names, item, below, words, evaluate, family=family or entry.sequence, above=False)
        elif script.data == "sup" and mark_of(group) in MARKS:
            ups.append(MARKS[mark_of(group)])
        elif script.data == "sup" and not mark_of(group) and (family or _round(names, group)):
            raised = [part for item in inside(group) for part in _unwrapped(item)]
            for item in raised:
                _place(names, item, above, ups, evaluate, family=family, above=True)
        else:
            _require_power(names, name, entry, script, below)
            names.powers += _index_power(names, name, script)
            rest.append(script)
    if "plus" in words and not family:
        raise Unclear(f"is this the positive part of {name}? Write [{name}]_+, or use another letter", at)
    if entry.kind == "loss" and words and set(words) <= LEAST and not ups:
        entry = Entry("real", entry.default)
    words = [MARKS.get(word, word) for word in words]
    names.raised |= {str(one) for index in above for one in index.free_symbols}
    if words:
        name += f"_{{{','.join(words)}}}"
    if ups:
        name += f"^{{{','.join(ups)}}}"
    if entry.kind == "loss" and ups:
        entry = Entry("real", entry.default)
    if (
        words or ups
    ):  # a letter with marks is a different symbol from the letter, so it may be declared separately
        entry = names.kinds.declared.get(name) or replace(entry, symbol="")
    symbol = names.symbol(name, entry, at, len(above))
    indices = [*below, *above]
    value = sp.IndexedBase(symbol)[tuple(indices)] if indices else symbol
    kind = "number" if entry.kind in NUMBERS else entry.kind
    return Typed(value, kind, at), rest


def _require_power(names: Names, name: str, entry: Entry, script: Tree[Any], below: Sequence[Any]) -> None:
    """Refuse a superscript that may be a power or an index: on a member of a family, or on an undeclared step size."""
    items = inside(script.children[-1]) if script.data == "sup" else []
    above = bare(items[0]) if len(items) == 1 else None
    index = names.entry(str(above)) if above is not None and above.type == "NAME" else None
    if index is not None and index.kind == "index" and below:
        raise Unclear(
            f"is {name}^{above} a power or has {name} the index {above}? Write ({name}_..)^{above} for a power, {name}_{{..,{above}}} for an index",
            start(script),
        )
    if index is not None and index.kind == "index" and entry.default and name in STEP_SIZES:
        raise Unclear(
            f"is {name}^{above} a power or a step size of {above}? Declare `{name}: positive` for a power, or write {name}_{above}",
            start(script),
        )


def _round(names: Names, group: Tree[Any]) -> bool:
    """Whether a superscript is an index in round brackets, as in x^{(t)} or x^{(t+1)}; papers do not write powers so."""
    items = inside(group)
    inner = _unwrapped(items[0]) if len(items) == 1 else []
    return inner != list(items) and all(
        bare(item) is not None or _index_in(names, item, {"index", "count"}) for item in inner
    )


def _index_in(names: Names, item: Node, kinds: set[str]) -> str:
    """The name t of an item t, t + 1 or t - 1, if its kind is one of `kinds`; otherwise empty."""
    found = leaves(item)
    types = [one.type for one in found]
    if types != ["NAME"] and types not in (["NAME", "PLUS", "NUMBER"], ["NAME", "MINUS", "NUMBER"]):
        return ""
    entry = names.entry(str(found[0]))
    return str(found[0]) if entry is not None and entry.kind in kinds else ""


def _index_power(names: Names, name: str, script: Tree[Any]) -> list[Power]:
    """A list with the power of a name to an index, or an empty list if the script is no such power.

    For a capital letter, a power to a count is included, as G^T may be the last entry of a sequence G^t.
    """
    items = inside(script.children[-1]) if script.data == "sup" else []
    capital = re.search(r"[A-Za-z]+", name.rpartition("{")[2] or name)
    kinds = {"index", "count"} if capital and capital.group()[0].isupper() else {"index"}
    index = _index_in(names, items[0], kinds) if len(items) == 1 else ""
    return [Power(name, index, text_of(script), start(script))] if index else []


def require_powers(names: Names) -> None:
    """Refuse a power to an index that may be meant as an index.

    This is checked after the whole formula was read, because the evidence may come later: the name is a capital letter or e,
    it occurs with several such exponents, or the same index is a superscript index of another symbol.

    Raises
    ------
    Unclear
        At the first such power.
    """
    for one in names.powers:
        letter = one.name.rpartition("{")[2].lstrip("\\")
        others = {other.text for other in names.powers if other.name == one.name}
        if (
            letter[:1].isupper()
            or one.name == "e"
            or len(others) > 1
            or ascii_name(one.index) in names.raised
        ):
            raise Unclear(
                f"is {one.name}^{one.index} a power or has {one.name} the index {one.index} above? "
                f"Write ({one.name})^{{{one.text}}} for a power, {one.name}^{{({one.text})}} for an index",
                one.at,
            )


def _unwrapped(item: Node) -> list[Node]:
    """The items inside an expression that is one pair of round brackets; otherwise a list with the expression itself."""
    node = item
    while isinstance(node, Tree) and len(node.children) == 1 and node.data in {"product", "factor", "chain"}:
        node = node.children[0]
    return inside(node) if isinstance(node, Tree) and node.data == "round" else [item]


def _place(
    names: Names,
    item: Node,
    indices: list[Any],
    words: list[str],
    evaluate: Any,
    *,
    family: bool,
    above: bool,
) -> None:
    """Append an item of a script to the indices, or to the words of the name.

    Parameters
    ----------
    indices, words : list
        The lists to append to.
    family : bool
        Whether the name can have numbers as indices, as x_0 of iterates; otherwise x_0 is a name.
    above : bool
        Whether the script is a superscript.

    Raises
    ------
    Unclear
        If the item could be both, such as the exponent 2 of a vector.
    """
    token, at = bare(item), start(item)
    inner = _unwrapped(item)
    if (
        inner != [item] and len(inner) == 1
    ):  # round brackets mark an index even on a number: a_{(0)} is an entry
        indices.append(evaluate(inner[0]).value)
        return
    if token is not None and token.type == "NUMBER":
        if above and str(token) not in {"0", "1"}:
            raise Unclear(
                f"is the exponent {token} a power or an index? Write \\|x\\|^{token} for a power, x_{token} or x^{{({token})}} for an index",
                at,
            )
        if family:
            indices.append(sp.Integer(str(token)))
        else:
            words.append(str(token))
        return
    if token is not None:
        entry = names.entry(str(token))
        if entry is not None and entry.kind in {"index", "count"}:
            indices.append(names.symbol(str(token), entry, at))
        elif str(token) == "S" or entry is None or not above:
            words.append(str(token))
        else:
            raise Unclear(
                f"is the superscript {token} an index or a power? Declare it as index or count, or write it as a subscript",
                at,
            )
        return
    letters = _letters(item)
    if letters:
        entries = [names.entry(str(letter)) for letter in letters]
        if all(entry is not None and entry.kind == "index" for entry in entries):
            indices += [
                names.symbol(str(one), entry, at)
                for one, entry in zip(letters, entries, strict=True)
                if entry
            ]
        elif all(entry is None or entry.kind not in {"index"} for entry in entries) or len(letters) > 2:
            words.append("".join(map(str, letters)))
        else:
            raise Unclear(
                f"are {' and '.join(map(str, letters))} two indices or a product? Write a comma or \\cdot between them",
                at,
            )
        return
    value = evaluate(item)
    symbols = value.value.free_symbols if value.kind == "number" else {None}
    if not all(one is not None and (one.is_integer) for one in symbols):
        raise Unclear(
            f"an index must consist of indices, counts and whole numbers, got {text_of(item)[:40]!r}; declare its symbols as index or count",
            at,
        )
    indices.append(value.value)


def _letters(item: Node) -> list[Token]:
    """The letters of an item of two or more letters without an operator between them; otherwise an empty list."""
    if not (isinstance(item, Tree) and item.data == "product"):
        return []
    found = [bare(child) for child in item.children]
    if len(found) < 2 or any(one is None or one.type != "NAME" for one in found):
        return []
    return [one for one in found if one is not None]
