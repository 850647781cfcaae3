"""Read the text of a lemma: which formulas are conditions, which are claims, and what it states about losses and symbols.

The text is read word by word against short lists. A word outside these lists may change the meaning of the lemma, so it is
never skipped: the reader asks about it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.latex.claims import Reading, read_formula
from verify.latex.document import Formula, Passage
from verify.latex.errors import Unclear
from verify.latex.glossary import NUMBERS, Entry, Kinds, kinds, spelled
from verify.latex.layout import segments
from verify.latex.macros import Macro
from verify.latex.reader import tree_of
from verify.latex.tokens import tokens
from verify.latex.trees import bare, text_of

CONDITION = frozenset(
    [
        "let",
        "suppose",
        "assume",
        "if",
        "where",
        "whenever",
        "when",
        "with",
        "for",
        "given",
        "provided",
        "under",
        "fix",
    ]
)
LOCAL = frozenset(["for", "given", "under", "with", "whenever", "when"])
"""Words after which an inline formula is a condition, but a displayed formula is the claim."""
CLAIM = frozenset(["then", "have", "holds", "hold", "satisfies", "satisfy", "obtain", "get"])
NEUTRAL = frozenset(
    [
        "be",
        "is",
        "are",
        "a",
        "an",
        "the",
        "and",
        "that",
        "it",
        "we",
        "all",
        "any",
        "every",
        "each",
        "of",
        "in",
        "also",
        "both",
        "moreover",
        "furthermore",
        "to",
        "as",
        "by",
        "at",
        "least",
        "on",
        "this",
        "following",
        "inequality",
        "bound",
        "estimate",
        "true",
        "following:",
        "number",
        "numbers",
        "constant",
        "constants",
        "function",
        "functions",
        "loss",
    ]
)
"""Words that do not change the role of a formula."""
_NOUNS = r"(?: numbers?| constants?| weights?| coefficients?| scalars?)?"
_SAID = (
    (
        r"(?:be|is|are)?\s*(?:an?|any)?\s*(?:positive(?: real)? sequence|sequence of positive numbers)",
        "positive sequence",
    ),
    (
        r"(?:be|is|are)?\s*(?:an?|any)?\s*(?:non-?negative(?: real)? sequence|sequence of non-?negative numbers)",
        "nonnegative sequence",
    ),
    (r"(?:be|is|are)?\s*(?:an?|any)?\s*(?:real sequence|sequence of real numbers)", "real sequence"),
    (r"(?:be|is|are)?\s*(?:an?|any|some)?\s*positive (?:integers?|whole numbers?)", "count"),
    (r"(?:be|is|are)?\s*(?:an?|any|some)?\s*positive(?: real)?" + _NOUNS, "positive"),
    (r"(?:be|is|are)?\s*(?:an?|any|some)?\s*non-?negative(?: real)?" + _NOUNS, "nonnegative"),
    (r"(?:be|is|are)?\s*(?:an?|any|some)?\s*real" + _NOUNS, "real"),
    (r"(?:be|are|is)?\s*(?:an?|any|some|arbitrary)?\s*vectors?", "vector"),
)
_BEFORE = re.compile(
    r"\b(?:all|any|arbitrary|every|the|given|an?)?\s*"
    r"(?:(real|positive|non-?negative)(?: real)? (?:numbers|weights|coefficients|scalars|(sequence))|(vectors))\s*$",
    re.IGNORECASE,
)
_MINIMISES = re.compile(
    r"\s*(?:(?:be|is|denotes?)?\s*(?:an?|the|any|some)?\s*(?:global )?minimi[sz]er(?:\s+of)?|minimi[sz]es?)\b",
    re.IGNORECASE,
)
_MINIMISER = re.compile(r"\b(?:an?|the|any)?\s*(?:global )?minimi[sz]er\s*$", re.IGNORECASE)
_FAMILY = "..."
"""Marker after the name of a family that is listed as a_1, \\dots, a_N."""
_BRACKETED = re.compile(
    r"\s*\\?[({]\s*(\\?[A-Za-z]+)_(?:\{\w+\}|\w)\s*\\?[)}]\s*(?:_(?:\{[^{}]*\}|\w))?(?:\^(?:\{[^{}]*\}|\\infty|\w))?\s*"
)
r"""A sequence as ``(a_t)_{t \ge 0}`` or ``\{a_t\}_{t=0}^T``."""
_CLASSES = ((r"-?\s*strongly[ -]convex", "strong"), (r"-?\s*smooth", "smooth"), (r"convex", "convex"))


@dataclass
class Lemma:
    """The parsed content of a passage.

    Attributes
    ----------
    claims : list of (Reading, int)
        Its claims with their offsets.
    conditions : list of Relational
        Its conditions.
    classes : dict of str to str
        Classes of its loss ("smooth", "strong", "convex") with the LaTeX of their constants; empty if not given.
    used : dict of str to (str, Entry)
        SymPy name of every symbol -> its LaTeX name and kind.
    minimiser : str
        LaTeX of the minimiser of the loss; empty if the lemma names none.
    """

    claims: list[tuple[Reading, int]] = field(default_factory=list)
    conditions: list[Any] = field(default_factory=list)
    classes: dict[str, str] = field(default_factory=dict)
    used: dict[str, tuple[str, Entry]] = field(default_factory=dict)
    minimiser: str = ""


def lemma_of(source: str, passage: Passage, macros: Mapping[str, Macro]) -> Lemma:
    """Read the claims and conditions of a passage.

    A first pass over the text collects declarations and the role of each formula. A second pass reads the formulas, because
    a declaration may come after the formula that needs it.

    Raises
    ------
    Unclear
        If a formula cannot be read, its role is not clear, or a word around the formulas is unknown.
    """
    declared: dict[str, Entry] = {}
    for text, at in passage.declarations:
        declared |= kinds(text, at).declared
    lemma, mode = Lemma(), ""
    pieces = [*passage.formulas, Formula(0, 0, displayed=False, words=passage.rest, words_at=passage.rest_at)]
    roles: list[tuple[Formula, str]] = []
    last: list[str] = []
    for piece in pieces:
        before = last if piece.words.strip(" ,\n") == "and" else []
        words = _with_classes(lemma, _with_kinds(declared, piece.words, last), last)
        words, named = _with_minimiser(lemma, words, last)
        words, kind = _with_kind_before(words)
        mode = _mode(
            source, words, piece.words_at, mode, after_display=bool(roles) and roles[-1][0].displayed
        )
        if piece is pieces[-1]:
            break
        last = _bare_names(source, piece, macros)
        last = [*before, *last] if last else []
        if named and last:
            lemma.minimiser = last[0]
        _declare(declared, last, kind)
        if not last:
            role = {"local": "claim" if piece.displayed else "condition"}.get(mode, mode) or (
                "claim" if piece.displayed else ""
            )
            if not role:
                raise Unclear(
                    "is this formula a condition or a claim? Write `Let`, `Suppose`, `If` or `Then` before it",
                    piece.begin,
                )
            roles.append((piece, role))
            mode = "claim" if piece.displayed and role == "claim" else mode
    if not any(role == "claim" for _, role in roles):
        raise Unclear(
            "this lemma claims no relation; write it as a displayed formula, or after `Then`", passage.at
        )
    given = Kinds(declared)
    for piece, role in roles:
        reading = read_formula(source, given, macros, piece.begin, piece.end)
        for name, use in reading.used.items():
            if lemma.used.setdefault(name, use)[1].kind != use[1].kind:
                raise Unclear(
                    f"{use[0]} has the kind {use[1].kind} here, but {lemma.used[name][1].kind} before; declare its kind",
                    piece.begin,
                )
        if role == "claim" and not reading.relations:
            raise Unclear(
                "this claim is only the range of an index; write it after `for all` and add a relation",
                piece.begin,
            )
        if role == "claim":
            lemma.claims.append((reading, piece.begin))
        else:
            lemma.conditions += [*reading.relations, *reading.conditions]
    return lemma


def _bare_names(source: str, piece: Formula, macros: Mapping[str, Macro]) -> list[str]:
    """The names of a formula that is only a name or a list of names; empty for any other formula."""
    bracketed = _BRACKETED.fullmatch(source, piece.begin, piece.end)
    if bracketed:
        return [bracketed.group(1), _FAMILY]
    made = tokens(source, macros, piece.begin, piece.end)
    parts = [part for _, part in segments(made, lambda one: one.type == "COMMA")]
    if not all(parts) or not parts:
        return []
    if any(
        one.type in {"LE", "GE", "LT", "GT", "EQ", "NE", "IN", "DEF", "AND", "IF", "FORALL"} for one in made
    ):
        return []
    family = any(one.type == "DOTS" for one in made)
    trees = [tree_of(part, piece.begin) for part in parts if not (family and part[0].type == "DOTS")]
    names = [_name_of(tree) for tree in trees]
    letters = {re.sub(r"_(\{[^{}]*\}|.)$", "", name) for name in names}
    return [*letters, _FAMILY] if family and len(letters) == 1 else names


def _name_of(tree: Any) -> str:
    """The name that a formula consists of, in the spelling of the reader; "?" if the formula is no name."""
    token = bare(tree)
    while token is None and getattr(tree, "data", "") == "product" and len(tree.children) == 1:
        tree = tree.children[0]
    if token is None and getattr(tree, "data", "") == "factor" and bare(tree.children[0]) is not None:
        return spelled(text_of(tree)).replace("{*}", r"{\star}").replace(r"{\ast}", r"{\star}")
    return str(token) if token is not None else "?"


def _with_minimiser(lemma: Lemma, words: str, last: list[str]) -> tuple[str, bool]:
    """Remove phrases about a minimiser from the words.

    "be a minimiser of" refers to the name before it, which is stored in `lemma`. "with minimiser" at the end refers to the
    next name; the second result is whether it occurs.
    """
    after = _MINIMISES.match(words) if last and last[0] != "?" else None
    if after:
        lemma.minimiser = last[0]
        words = words[after.end() :]
    before = _MINIMISER.search(words)
    return (words[: before.start()], True) if before else (words, False)


def _declare(declared: dict[str, Entry], names: list[str], kind: str) -> None:
    """Declare names with a kind from the text, such as "nonnegative" or "nonnegative sequence".

    A declaration in a comment takes precedence.
    """
    if kind:
        word, _, sequence = kind.partition(" ")
        family = (bool(sequence) or _FAMILY in names) and word in NUMBERS
        for name in names:
            letter = name.partition("_")[0] if family else name
            if letter != _FAMILY:
                declared.setdefault(letter, Entry(word, sequence=family))


def _with_kind_before(words: str) -> tuple[str, str]:
    """Remove a phrase such as "real numbers" before names; returns the other words and the kind of the names."""
    match = _BEFORE.search(words)
    if match is None:
        return words, ""
    kind = "vector" if match.group(3) else match.group(1).lower().replace("-", "")
    return words[: match.start()], f"{kind} sequence" if match.group(2) else kind


def _with_kinds(declared: dict[str, Entry], words: str, last: list[str]) -> str:
    """Remove a phrase such as "be a positive number" after names, and declare the names."""
    for pattern, kind in _SAID:
        match = re.match(rf"{pattern}\b", words, re.IGNORECASE)
        if last and match:
            _declare(declared, last, kind)
            return words[match.end() :]
    return words


def _with_classes(lemma: Lemma, words: str, last: list[str]) -> str:
    """Remove phrases such as "-smooth" after a constant, and record the class of the loss with this constant."""
    for pattern, name in _CLASSES:
        match = re.search(rf"(?:^|\b){pattern}\b", words, re.IGNORECASE)
        if match:
            lemma.classes[name] = (
                last[0] if last and match.start() == 0 and name != "convex" else lemma.classes.get(name, "")
            )
            words = words[: match.start()] + " " + words[match.end() :]
    return words


def _mode(source: str, words: str, at: int, mode: str, *, after_display: bool) -> str:
    """The role of the formula after the words: "condition", "claim", "local", or "" if it is open.

    A full stop ends the role of the formula before. An unknown word raises `Unclear`.
    """
    for match in re.finditer(r"[A-Za-z][\w'-]*|[.]", words):
        word = match.group().lower()
        if word == ".":
            mode = ""
        elif word in LOCAL:
            mode = "condition" if after_display else "local"
        elif word in CONDITION:
            mode = "condition"
        elif word in CLAIM:
            mode = "claim"
        elif word not in NEUTRAL:
            place = source.find(match.group(), at)
            raise Unclear(
                f"what does {match.group()!r} mean for the claim? Replace it by a formula or declaration, or move it out of the environment",
                place if place >= 0 else at,
            )
    return mode
