"""Read a whole formula: split it into the relations that it claims and the conditions under which they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from lark import Token

from bounds.relations import ge, gt, le, lt
from verify.latex.errors import Unclear
from verify.latex.glossary import DEFAULTS, Entry, Kinds, spelled
from verify.latex.layout import segments
from verify.latex.macros import Macro
from verify.latex.names import Names, require_powers
from verify.latex.ranges import Range
from verify.latex.reader import Reader, tree_of
from verify.latex.tokens import tokens
from verify.latex.trees import bare, inside, start
from verify.latex.vocabulary import RELATIONS

Segment = tuple[Token | None, list[Token]]
_LETTER = re.compile(r"\\?[A-Za-z]+(\{\\?[A-Za-z]+\})?'*")
_ORDERED = {"LE", "GE", "LT", "GT"}
_BREAKS = {"COMMA", "SEMI", "FORALL", "IF", "AND"}


@dataclass(frozen=True)
class Reading:
    """A parsed formula.

    Attributes
    ----------
    relations : tuple of Relational
        The claimed relations. A chain a <= b <= c gives two relations.
    conditions : tuple of Relational
        The conditions of the claim.
    used : mapping of str to (str, Entry)
        SymPy name of every symbol -> its LaTeX name and kind.
    ups : mapping of str to int
        SymPy name of an indexed family -> the number of its indices that are written as superscripts.
    """

    relations: tuple[Any, ...]
    conditions: tuple[Any, ...]
    used: Mapping[str, tuple[str, Entry]]
    ups: Mapping[str, int]

    @property
    def kinds(self) -> Kinds:
        """The kinds of all symbols of the formula as declarations, so that its printed form reads the same.

        A letter with marks also declares the plain letter: ``x^{\\star}`` declares ``x``.
        """
        whole = dict(self.used.values())
        letters = {spelled(name).partition("_")[0].partition("^")[0]: entry for name, entry in whole.items()}
        plain = {
            name: entry for name, entry in letters.items() if name not in DEFAULTS and _LETTER.fullmatch(name)
        }
        return Kinds(plain | {spelled(name): entry for name, entry in whole.items()} | whole)


def read_formula(
    source: str,
    kinds: Kinds,
    macros: Mapping[str, Macro] | None = None,
    begin: int = 0,
    end: int | None = None,
) -> Reading:
    """Read a formula from `source[begin:end]`.

    Parameters
    ----------
    kinds : Kinds
        Declared kinds of symbols.
    macros : mapping of str to Macro, optional
        Macros of the document, which are expanded.
    begin, end : int
        Offsets of the formula. All positions in errors are offsets in `source`.

    Raises
    ------
    Unclear
        If a part of the formula is ambiguous or unknown; the message asks for what is missing.
    """
    reading = _reading(tokens(source, macros or {}, begin, end, kinds.formulas), kinds, begin)
    wider = _wider(reading)
    if (
        wider
    ):  # the condition `\mu \ge 0` allows 0, although \mu is positive by default: read the formula again
        reading = _reading(
            tokens(source, macros or {}, begin, end, kinds.formulas),
            Kinds({**kinds.declared, **wider}),
            begin,
        )
    return reading


def _wider(reading: Reading) -> dict[str, Entry]:
    """Common names that are positive by default, but that a condition ``name >= 0`` of the formula allows to be 0."""
    found = {}
    for latex, entry in reading.used.values():
        zero = [
            one
            for one in reading.conditions
            if isinstance(one, sp.Ge | sp.Le) and one.gts.is_Symbol and one.lts == 0
        ]
        if (
            entry.default
            and entry.kind == "positive"
            and any(reading.used[one.gts.name][0] == latex for one in zero)
        ):
            found[latex] = Entry("nonnegative")
    return found


def _reading(made: list[Token], kinds: Kinds, begin: int) -> Reading:
    """The `Reading` of a list of tokens.

    The tokens are cut at commas and at words such as "and", "if" and "for all". The conditions begin at the first "if" or
    "for all", or earlier at a part that can only be a condition: a membership, a range such as ``t = 0, 1, \\dots, T``, or
    a bound on an index. After such a part, a further relation may be a second claim or a condition, so the user is asked.
    """
    parts = segments(made, lambda one: one.type in _BREAKS)
    split = next(
        (
            place
            for place, (word, _) in enumerate(parts)
            if word is not None and word.type in {"FORALL", "IF"}
        ),
        len(parts),
    )
    membership = [place for place, (_, part) in enumerate(parts) if "IN" in _signs(part)]
    ranges = [place for place in range(len(parts) - 1) if _is_range(parts, place)]
    if 0 in ranges:  # only a range, such as t = 0, 1, \dots, T
        split = 0
    bounds = [place for place, (_, part) in enumerate(parts) if _bounds_index(kinds, part)]
    of_indices = {place for place in (*membership, *ranges, *bounds) if place > 0}
    if of_indices and min(of_indices) < split:
        _require_index(parts, min(of_indices), split, of_indices)
        split = min(of_indices)
    names = Names(_with_memberships(kinds, parts[split:]))
    reader = Reader(names)
    try:
        conditions = _conditions(reader, parts[split:], begin)
        relations = [] if 0 in ranges else _claims(reader, parts[:split], begin)
    except RecursionError:
        raise Unclear("the formula is nested too deeply; name a part of it", begin) from None
    require_powers(names)
    _require_families(names, (*relations, *conditions), begin)
    return Reading(tuple(relations), tuple(conditions), dict(names.used), dict(names.ups))


def _signs(part: Sequence[Token]) -> set[str]:
    """Types of the relation signs of a segment outside all groups and brackets."""
    return {word.type for word, _ in segments(part, lambda one: one.type in RELATIONS) if word is not None}


def _is_range(parts: Sequence[Segment], place: int) -> bool:
    """Whether a range such as ``t = 0, 1, \\dots, T`` begins at this part; its commas split it into several parts."""
    part = parts[place][1]
    return (
        len(part) >= 3
        and part[0].type == "NAME"
        and part[1].type == "EQ"
        and any(len(other) == 1 and other[0].type == "DOTS" for _, other in parts[place + 1 : place + 4])
    )


def _bounds_index(kinds: Kinds, part: Sequence[Token]) -> bool:
    """Whether a part bounds an index, as ``t \\ge 1`` or ``1 \\le t \\le T``."""
    types = [one.type for one in part]
    place = 2 if len(part) >= 5 and {types[1], types[3]} <= _ORDERED else 0
    found = place == 2 or (len(part) >= 3 and types[1] in _ORDERED)
    entry = kinds.entry(str(part[place])) if found and types[place] == "NAME" else None
    return entry is not None and entry.kind == "index"


def _require_index(parts: Sequence[Segment], begin: int, end: int, of_indices: set[int]) -> None:
    """Refuse a relation that follows a condition after a comma only: it could be a second claim or a condition."""
    for place in range(begin, end):
        word, part = parts[place]
        if word is not None and word.type in {"IF", "FORALL"}:
            return
        if place not in of_indices and _signs(part):
            raise Unclear(
                "is this a second claim or a condition? Write \\text{and} or \\text{if} before it",
                part[0].start_pos or 0,
            )


def _with_memberships(kinds: Kinds, parts: Sequence[Segment]) -> Kinds:
    """The kinds, extended by memberships: ``x \\in \\mathbb{R}^d`` declares a vector and ``x \\in \\mathbb{R}`` a number.

    Raises
    ------
    Unclear
        If a membership contradicts a declaration.
    """
    declared = dict(kinds.declared)
    pending: list[Token] = []
    for word, part in parts:
        if word is not None and word.type in {"FORALL", "IF"}:
            pending = []
        place = next((place for place, one in enumerate(part) if one.type == "IN"), -1)
        if len(part) == 1 and part[0].type == "NAME":
            pending.append(part[0])
            continue
        if place == 1 and part[0].type == "NAME" and len(part) > 2 and str(part[2]) == r"\mathbb{R}":
            kind = "vector" if len(part) > 3 and part[3].type == "SUP" else "real"
            if len(part) > 3 and part[3].type == "SUB":
                raise Unclear(
                    "is 0 among these numbers? Write \\mathbb{R} and a relation, as x \\ge 0",
                    part[3].start_pos or 0,
                )
            for one in [*pending, part[0]]:
                old = kinds.declared.get(str(one))
                if (
                    old is not None
                    and old.kind != kind
                    and not (kind == "real" and old.kind in {"positive", "nonnegative"})
                ):
                    raise Unclear(
                        f"{one} is declared as {old.kind}, but belongs to the {kind}s here; change one",
                        one.start_pos or 0,
                    )
                declared[str(one)] = old if old is not None else Entry(kind)
        pending = []
    return Kinds(declared)


def _claims(reader: Reader, parts: Sequence[Segment], begin: int) -> list[Any]:
    """The claimed relations of the parts before the conditions; at least one is required."""
    found: list[Any] = []
    for word, part in parts:
        if not part:
            continue
        at = part[0].start_pos or begin
        if found and word is not None and word.type in {"COMMA", "SEMI"}:
            raise Unclear(
                "is this a second claim or a condition? Write \\text{and} or \\text{if} before it", at
            )
        found += reader.relations(tree_of(part, at))
    if not found:
        raise Unclear("there is no relation to claim, such as `a \\le b`", begin)
    return found


def _conditions(reader: Reader, parts: Sequence[Segment], begin: int) -> list[Any]:
    """The conditions of the parts after the claim.

    Bare names are collected until the relation that they share: ``x, y \\in [0, 1]`` bounds both x and y.
    """
    found: list[Any] = []
    pending: list[Any] = []
    place = 0
    while place < len(parts):
        part = parts[place][1]
        place += 1
        if not part:
            continue
        at = part[0].start_pos or begin
        tree = tree_of(part, at)
        if bare(tree) is not None:
            pending.append(tree)
            continue
        if getattr(tree, "data", "") != "chain":
            raise Unclear("a condition must be a relation or a name", at)
        if place < len(parts) and _is_range(parts, place - 1):
            place = _range_end(reader, parts, place, tree, found)
        elif tree.children[1].children[0].type == "IN":
            for one in [*pending, tree.children[0]]:
                found += _member(reader, one, tree)
        else:
            found += reader.relations(tree)
            for one in pending:
                if bare(tree.children[0]) is None:
                    raise Unclear(
                        "this name has no condition; write a relation for it, such as `a \\ge 0`", start(one)
                    )
                found += reader.relations(
                    tree.copy().__class__("chain", [one, *tree.children[1:]], tree.meta)
                )
        pending = []
    for one in pending:  # `for all x, y` adds no condition, but the names must have a kind
        reader.value(one)
    return found


def _range_end(reader: Reader, parts: Sequence[Segment], place: int, tree: Any, found: list[Any]) -> int:
    """Append the conditions of ``t = 0, 1, \\dots, T`` or ``t = 0, 1, \\dots`` to `found`.

    Returns the number of the part after the range.
    """
    while parts[place][1][0].type != "DOTS":
        place += 1
    reader.names.scope[str(bare(tree.children[0]))] = Entry("index")
    index, low = reader.number(tree.children[0]), reader.number(tree.children[2])
    if place + 1 >= len(parts) or not parts[place + 1][1]:  # t = 0, 1, 2, \dots has no end
        found.append(ge(index, low))
        return place + 1
    end = parts[place + 1][1]
    high = reader.number(tree_of(end, end[0].start_pos or 0))
    found += [ge(index, low), le(index, high)]
    return place + 2


def _member(reader: Reader, name: Any, tree: Any) -> list[Any]:
    """The conditions that a membership ``x \\in SET`` implies: bounds for an interval or a range, none for R or R^d."""
    place = tree.children[2]
    inner = place
    while hasattr(inner, "data") and len(inner.children) == 1 and inner.data in {"product", "factor"}:
        inner = inner.children[0]
    text = str(bare(place) or "") or str(next(iter(place.scan_values(lambda _: True)), ""))
    if text == r"\mathbb{R}":
        reader.value(name)
        return []
    token = bare(name)
    if token is None:
        raise Unclear("a name is expected before \\in", start(name))
    if text in {r"\mathbb{N}", r"\mathbb{Z}"}:
        raise Unclear(
            f"from which number on? Declare `{token}: count` for 1, 2, ..., or write `{token} \\ge 1`",
            start(place),
        )
    if hasattr(inner, "data") and (
        inner.data == "interval" or (inner.data in {"round", "square"} and len(inside(inner)) == 2)
    ):
        low, high = (reader.number(item) for item in inside(inner))
        brackets = (str(inner.children[0]), str(inner.children[-1]))
        value = reader.number(name)
        return [
            (gt if brackets[0] == "(" else ge)(value, low),
            (lt if brackets[1] == ")" else le)(value, high),
        ]
    chain = tree.__class__("chain", [name, tree.children[1], place], tree.meta)
    found: Range = reader.member(chain)
    if found.high is None:
        raise Unclear(
            "the members of this set are unknown; as conditions, only intervals, ranges and \\mathbb{R}^d can be read",
            start(place),
        )
    return [ge(found.index, found.low), le(found.index, found.high)]


def _require_families(names: Names, relations: Sequence[Any], begin: int) -> None:
    """Refuse a number a_1 beside a family a_i: it could be a member of the family or a constant with this name."""
    bases = {
        base.name
        for relation in relations
        if isinstance(relation, sp.Basic)
        for base in relation.atoms(sp.IndexedBase)
        for base in [base.label]
    }
    for latex, _ in names.used.values():
        match = re.fullmatch(r"(.+)_\{(\d+)\}", latex)
        member = match and next(
            (name for name, (base, _) in names.used.items() if base == match.group(1) and name in bases), None
        )
        if match and member:
            raise Unclear(
                f"is {latex} a member of the family {match.group(1)} or a number of its own? For a member declare `% verify: {match.group(1)}: {names.used[member][1].kind} sequence`, else rename it",
                begin,
            )
