"""Find the lemmas of a document: theorem-like environments with their ids, their text and their formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from verify.latex.errors import Unclear

KINDS = "theorem|thm|lemma|lem|proposition|prop|corollary|cor|claim|fact|assumption|assum|definition|remark"
JUDGED = "theorem|thm|lemma|lem|proposition|prop|corollary|cor|claim|fact"
"""Environments whose relations are claims. Assumptions, definitions and remarks claim nothing."""
DISPLAYS = "equation|align|gather|multline|displaymath|eqnarray|alignat|flalign"
LONGEST = 2_000_000
"""Largest number of characters of a document."""
MOST = 1_000
"""Largest number of lemmas of a document, and of displayed formulas that a listing shows."""
_BEGIN = re.compile(rf"\\begin\{{({KINDS})(\*?)\}}\s*(?:\[([^\]\n]{{0,300}})\])?", re.IGNORECASE)
_HEADING = re.compile(rf"^(?:#+[ ]*|\*\*)({KINDS})\b([^\n]*)$", re.IGNORECASE | re.MULTILINE)
_LABEL = re.compile(r"\\label\{([^{}]*)\}")
_OPENING = re.compile(rf"\\begin\{{((?:{DISPLAYS})\*?)\}}|\\\[|\\\(|```math\n|(?<!\\)\$\$?")
_CLOSING = {r"\[": r"\]", r"\(": r"\)", "```math\n": "```", "$$": "$$", "$": "$"}
_COMMENT = re.compile(r"(?<!\\)%[^\n]*|<!--")


@dataclass(frozen=True)
class Formula:
    """A formula of an environment.

    Attributes
    ----------
    begin, end : int
        Offsets of the formula without its delimiters.
    displayed : bool
        Whether it stands on lines of its own.
    words : str
        The text between the previous formula and this one.
    words_at : int
        Offset of that text.
    """

    begin: int
    end: int
    displayed: bool
    words: str
    words_at: int


@dataclass(frozen=True)
class Passage:
    """A theorem-like environment.

    Attributes
    ----------
    kind : str
        Name of the environment, such as "lemma".
    id : str
        Its label, else its title, else its kind and number; only letters, digits, dots and dashes.
    title : str
        The optional title.
    at, end : int
        Offsets of its beginning and end.
    formulas : tuple of Formula
        Its formulas in order.
    rest, rest_at : str, int
        The text after the last formula, and its offset.
    declarations : tuple of (str, int)
        Declarations of symbols that hold here, with their offsets.
    """

    kind: str
    id: str
    title: str
    at: int
    end: int
    formulas: tuple[Formula, ...]
    rest: str
    rest_at: int
    declarations: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Mathematics:
    """A formula between delimiters.

    `at` and `after` are the offsets of the formula with its delimiters, `begin` and `end` those without them.
    """

    at: int
    begin: int
    end: int
    after: int
    displayed: bool


def mathematics(plain: str, begin: int, end: int) -> Iterator[Mathematics]:
    """Yield the formulas of a text from which comments were removed. A delimiter that is never closed is skipped.

    A closing delimiter that is missing once is missing for all later openings, too. It is not searched again, so the time
    stays linear in the length of the text.
    """
    missing: set[str] = set()
    place = begin
    while (match := _OPENING.search(plain, place, end)) is not None:
        opening, name = match.group(), match.group(1)
        closing = rf"\end{{{name}}}" if name else _CLOSING[opening]
        stop = -1 if closing in missing else plain.find(closing, match.end(), end)
        while closing == "$" and stop > 0 and plain[stop - 1] == "\\":
            stop = plain.find(closing, stop + 1, end)
        if stop < 0:
            missing.add(closing)
            place = match.end()
            continue
        place = stop + len(closing)
        inside = (match.start(), place) if name else (match.end(), stop)
        yield Mathematics(match.start(), *inside, place, opening not in {r"\(", "$"})


def comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the comments of LaTeX and Markdown as (begin, end, text)."""
    place, open_end = 0, False
    while (match := _COMMENT.search(text, place)) is not None:
        place = match.end()
        if match.group() != "<!--":
            yield match.start(), place, match.group()[1:]
        elif not open_end:
            stop = text.find("-->", place)
            open_end = stop < 0
            if not open_end:
                yield match.start(), stop + 3, text[place:stop]
                place = stop + 3


def declarations_in(text: str) -> tuple[tuple[str, int], ...]:
    """The texts of the declarations ``% verify: ...`` or ``<!-- verify: ... -->`` with their offsets."""
    found = []
    for start, _, said in comments(text):
        plain = said.lstrip()
        if plain.startswith("verify:"):
            lead = text.index("verify:", start) + len("verify:")
            found.append((plain.removeprefix("verify:"), lead))
    return tuple(found)


def displays(text: str) -> list[tuple[int, int]]:
    """Offsets (begin, end) of the first `MOST` displayed formulas of a document, without their delimiters."""
    plain = without_comments(text)
    found = (one for one in mathematics(plain, 0, len(plain)) if one.displayed)
    return [(one.begin, one.end) for one in islice(found, MOST)]


def without_comments(text: str) -> str:
    """The text with comments replaced by spaces, so that all offsets stay valid."""
    parts, last = [], 0
    for start, stop, _ in comments(text):
        parts += [text[last:start], re.sub(r"[^\n]", " ", text[start:stop])]
        last = stop
    return "".join([*parts, text[last:]])


def passages(text: str) -> tuple[Passage, ...]:
    """The theorem-like environments of a document.

    In LaTeX these are environments such as ``\\begin{lemma}``. If a document has none, headings of Markdown such as
    ``**Lemma 1 (drift)**`` are taken; such a passage ends at the next heading or horizontal rule.

    Raises
    ------
    Unclear
        If the document is too long, or an environment is never closed.
    """
    if len(text) > LONGEST:
        raise Unclear(f"a document may have at most {LONGEST:,} characters", 0)
    plain = without_comments(text)
    return tuple(_passages(text, plain))


def _passages(text: str, plain: str) -> Iterator[Passage]:
    """Yield the passages of `text`; `plain` is the same text without comments.

    Declarations outside of environments hold for all environments after them.
    """
    starts = [(match, "tex") for match in _BEGIN.finditer(plain)] or [
        (match, "md") for match in _HEADING.finditer(plain) if "*" not in _heading(match)
    ]
    if len(starts) > MOST:
        raise Unclear(f"a document may have at most {MOST:,} lemmas; split it", starts[MOST][0].start())
    declared = declarations_in(text)
    outside: tuple[tuple[str, int], ...] = ()
    last = 0
    outer = [match.start() for match, _ in starts]
    for number, (match, form) in enumerate(starts):
        kind = match.group(1).lower()
        if form == "tex":
            closing = plain.find(rf"\end{{{match.group(1)}{match.group(2)}}}", match.end())
            title = match.group(3) or ""
            if closing < 0:
                raise Unclear(
                    f"\\begin{{{match.group(1)}}} is never closed; add \\end{{{match.group(1)}}}",
                    match.start(),
                )
        else:
            closing = outer[number + 1] if number + 1 < len(outer) else len(plain)
            other = re.compile(r"^#+ |^---\s*$", re.MULTILINE).search(plain, match.end(), closing)
            closing = other.start() if other else closing
            title = _heading(match)
        label = _LABEL.search(plain, match.end(), closing)
        id = _id(label.group(1) if label else title, kind, number + 1)
        inner = tuple(one for one in declared if match.end() <= one[1] < closing)
        found = _passage(plain, kind, id, title.strip(), (match.start(), match.end(), closing), inner)
        outside += tuple(one for one in declared if last <= one[1] < match.start())
        last = closing
        yield replace(found, declarations=(*outside, *found.declarations))


def _id(name: str, kind: str, number: int) -> str:
    """The name reduced to letters, digits, dots and dashes; the kind and number if nothing is left."""
    found = re.sub(r"[^\w.-]+", "-", name).strip("-.")
    return found or f"{kind}{number}"


def _heading(match: re.Match[str]) -> str:
    """The title of a heading such as ``**Lemma 1 (drift)**``."""
    return match.group(2).strip().removesuffix("**").strip(" .:")


def _passage(
    plain: str,
    kind: str,
    id: str,
    title: str,
    span: tuple[int, int, int],
    declared: tuple[tuple[str, int], ...],
) -> Passage:
    """The passage with offsets `span` (of its beginning, its content, its end), cut into formulas and text."""
    at, begin, end = span
    formulas, place = [], begin
    for one in mathematics(plain, begin, end):
        formulas.append(Formula(one.begin, one.end, one.displayed, _words(plain[place : one.at]), place))
        place = one.after
    return Passage(kind, id, title, at, end, tuple(formulas), _words(plain[place:end]), place, declared)


def _words(text: str) -> str:
    """Text without references, citations, spacing and emphasis."""
    text = re.sub(r"\\(?:label|ref|eqref|cite[pt]?|cref|Cref)\*?\{[^{}]*\}", " ", text)
    text = re.sub(r"\\(?:emph|textit|textbf|text)\{([^{}]*)\}", r"\1", text)
    return " ".join(re.sub(r"\\[,;:! ]|~|\\(?:noindent|item|quad|qquad)\b", " ", text).split())
