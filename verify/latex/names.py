"""Symbols with their scripts: what is a name, what an index, what a power."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp
from lark import Token, Tree

from verify.latex.errors import Unclear
from verify.latex.glossary import CONSTANTS, NUMBERS, STEP_SIZES, Entry, Kinds, ascii_name, symbol_of

Node = Any
"""A tree of the grammar or a token."""


@dataclass(frozen=True)
class Typed:
    """A SymPy expression with what it is: "number", "vector", "row" (a transposed vector), "loss", "set" or "order"."""

    value: Any
    kind: str
    at: int
    trailing: frozenset[sp.Symbol] = frozenset()
    """Indices of sums that reach to the end of this product."""


@dataclass(frozen=True)
class Power:
    """A name with an index and perhaps a number above it, read as a power: G^t or G^{t+1}."""

    name: str
    index: str
    text: str
    at: int


@dataclass
class Names:
    """Kinds in force while a claim is read, and every name that it has used."""

    kinds: Kinds
    scope: dict[str, Entry] = field(default_factory=dict)
    used: dict[str, tuple[str, Entry]] = field(default_factory=dict)
    """SymPy name -> LaTeX name and kind."""
    ups: dict[str, int] = field(default_factory=dict)
    """SymPy name of a family -> how many of its indices, the last ones, stand above."""
    raised: set[str] = field(default_factory=set)
    """SymPy names of indices that stand above a family."""
    powers: list[Power] = field(default_factory=list)
    """Powers of names to an index, which may be indices as well."""

    def entry(self, name: str) -> Entry | None:
        return self.scope.get(name) or self.kinds.entry(name)

    def require(self, name: str, at: int) -> Entry:
        """Kind of a name, or the question for it."""
        entry = self.entry(name)
        if entry is None:
            raise self.kinds.asked(name, at)
        return entry

    def symbol(self, name: str, entry: Entry, at: int, ups: int = 0) -> sp.Symbol:
        """The symbol of a name, registered; two names of one SymPy name are refused."""
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
            raise Unclear(f"{name} and {old[0]} would have one name, {made.name}; rename one of them", at)
        return made

    def constant(self, name: str, entry: Entry, scripts: Sequence[Tree[Any]]) -> Typed:
        """The number pi or e; its powers to an index are asked about as those of other names."""
        self.used[name.lstrip("\\")] = (name, entry)
        if entry.default:
            self.powers += [power for script in scripts for power in _index_power(self, name, script)]
        return Typed(CONSTANTS[name], "number", 0)

    def defaults(self, value: Any) -> str:
        """The default kinds of a value's symbols, for a question about them; empty if all are declared."""
        found = {
            f"{latex} as {entry.kind}"
            for latex, entry in (
                self.used.get(getattr(one, "name", ""), ("", Entry("")))
                for one in getattr(value, "free_symbols", ())
            )
            if latex and entry.default
        }
        return f" (read by default: {', '.join(sorted(found))})" if found else ""


def start(node: Node) -> int:
    """Offset at which a tree or token begins."""
    if isinstance(node, Token):
        return node.start_pos or 0
    return getattr(node.meta, "start_pos", 0) or 0


def leaves(node: Node) -> list[Token]:
    if isinstance(node, Token):
        return [node]
    return [leaf for child in node.children for leaf in leaves(child)]


def text_of(node: Node) -> str:
    """The tokens of a tree as LaTeX, without the braces that surround all of it."""
    found = leaves(node)
    if isinstance(node, Tree) and node.data in {"group", "marked", "sub", "sup"}:
        found = found[[one.type for one in found].index("GROUP") + 1 : -1]
    texts = [f"{one} " if re.search(r"\\[a-zA-Z]+$", str(one)) else str(one) for one in found]
    return "".join(texts).strip()


def bare(node: Node) -> Token | None:
    """The token of an expression that is one name or number without scripts."""
    while (
        isinstance(node, Tree)
        and len(node.children) == 1
        and node.data in {"product", "factor", "chain", "list", "group", "name", "number", "sum"}
    ):
        node = node.children[0]
    return node if isinstance(node, Token) else None


def inside(group: Tree[Any]) -> list[Node]:
    """Items of a script's or bracket's list; grammar tokens of the brackets are left out."""
    lists = [child for child in group.children if isinstance(child, Tree)]
    if len(lists) == 1 and lists[0].data == "list":
        return [child for child in lists[0].children if not _separates(child)]
    return lists


def _separates(node: Node) -> bool:
    return isinstance(node, Token) and node.type in {"COMMA", "SEMI", "MID"}


def marked(group: Tree[Any]) -> str:
    """The mark of a script that is only a mark, such as `*` or a transpose; empty if it is none."""
    if group.data != "marked":
        return ""
    return (
        "TOP"
        if leaves(group)[1].type == "TOP"
        else {"STAR": "star", "PLUS": "plus", "MINUS": "minus"}[leaves(group)[1].type]
    )


MARKS = {"star": r"\star", "plus": "+", "minus": "-"}
LEAST = {"star", r"\star", r"\mathrm{inf}", r"\mathrm{min}"}
"""Words below a loss that make it its least value."""


def named(
    names: Names, token: Token, scripts: Sequence[Tree[Any]], evaluate: Any
) -> tuple[Typed, list[Tree[Any]]]:
    """The symbol of a name with its scripts, and the scripts that are no part of it: powers and transposes.

    Parameters
    ----------
    evaluate : callable
        Gives the value of an index, such as t + 1.
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
    for cut in range(len(items), 0, -1):  # c_{p,i} is an entry of a declared c_p
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
            mark = marked(group)
            if mark:
                words.append(mark)
                continue
            for item in items:
                _place(names, item, below, words, evaluate, family=family or entry.sequence, above=False)
        elif script.data == "sup" and marked(group) in MARKS:
            ups.append(MARKS[marked(group)])
        elif script.data == "sup" and not marked(group) and (family or _round(names, group)):
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
    if words or ups:  # a letter with marks is a symbol of its own
        entry = names.kinds.declared.get(name) or replace(entry, symbol="")
    symbol = names.symbol(name, entry, at, len(above))
    indices = [*below, *above]
    value = sp.IndexedBase(symbol)[tuple(indices)] if indices else symbol
    kind = "number" if entry.kind in NUMBERS else entry.kind
    return Typed(value, kind, at), rest


def _require_power(names: Names, name: str, entry: Entry, script: Tree[Any], below: Sequence[Any]) -> None:
    """An index above a member of a family, or above a step size by default, may be a power or a second index."""
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
    """Whether a superscript is in round brackets, as x^{(t)} or x^{(t+1)}: an index rather than a power."""
    items = inside(group)
    inner = _unwrapped(items[0]) if len(items) == 1 else []
    return inner != list(items) and all(
        bare(item) is not None or _index_in(names, item, {"index", "count"}) for item in inner
    )


def _index_in(names: Names, item: Node, kinds: set[str]) -> str:
    """The index of t, t + 1 or the like; empty if the item is none."""
    found = leaves(item)
    types = [one.type for one in found]
    if types != ["NAME"] and types not in (["NAME", "PLUS", "NUMBER"], ["NAME", "MINUS", "NUMBER"]):
        return ""
    entry = names.entry(str(found[0]))
    return str(found[0]) if entry is not None and entry.kind in kinds else ""


def _index_power(names: Names, name: str, script: Tree[Any]) -> list[Power]:
    """The power of a name to an index; to a count too where the name is a capital, as G^T may be its last entry."""
    items = inside(script.children[-1]) if script.data == "sup" else []
    capital = re.search(r"[A-Za-z]+", name.rpartition("{")[2] or name)
    kinds = {"index", "count"} if capital and capital.group()[0].isupper() else {"index"}
    index = _index_in(names, items[0], kinds) if len(items) == 1 else ""
    return [Power(name, index, text_of(script), start(script))] if index else []


def require_powers(names: Names) -> None:
    """Ask where a power to an index may be an index: of a capital, beside other powers of the name or raised indices.

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
    """Items of an expression that is one pair of round brackets; else itself."""
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
    """Put an item of a script among the indices, or among the words of the name."""
    token, at = bare(item), start(item)
    inner = _unwrapped(item)
    if inner != [item] and len(inner) == 1:  # a_{(0)} is an entry of a sequence, also of numbers
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
                f"what does {token} above this symbol mean? Declare it as index or count, or write it below",
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
            f"{text_of(item)[:40]!r} is no index: it must consist of indices, counts and whole numbers", at
        )
    indices.append(value.value)


def _letters(item: Node) -> list[Token]:
    """Letters that stand beside each other without an operator, two or more."""
    if not (isinstance(item, Tree) and item.data == "product"):
        return []
    found = [bare(child) for child in item.children]
    if len(found) < 2 or any(one is None or one.type != "NAME" for one in found):
        return []
    return [one for one in found if one is not None]
