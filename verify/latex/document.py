"""Lemmas in a document: theorem-like environments with their ids, their words and their formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from verify.latex.errors import Unclear

KINDS = "theorem|thm|lemma|lem|proposition|prop|corollary|cor|claim|fact|assumption|assum|definition|remark"
JUDGED = "theorem|thm|lemma|lem|proposition|prop|corollary|cor|claim|fact"
"""Environments whose relations are claims."""
DISPLAYS = "equation|align|gather|multline|displaymath|eqnarray|alignat|flalign"
LONGEST = 2_000_000
"""Characters of a document."""
_BEGIN = re.compile(rf"\\begin\{{({KINDS})(\*?)\}}\s*(?:\[([^\]]*)\])?", re.IGNORECASE)
_HEADING = re.compile(
    rf"^(?:#+\s*|\*\*)({KINDS})\b[ .:]*([^*\n]*?)(?:\*\*)?[ ]*$", re.IGNORECASE | re.MULTILINE
)
_LABEL = re.compile(r"\\label\{([^{}]*)\}")
_MATH = re.compile(
    rf"\\begin\{{(?:{DISPLAYS})\*?\}}.*?\\end\{{(?:{DISPLAYS})\*?\}}|\\\[.*?\\\]|\$\$.*?\$\$|\\\(.*?\\\)|(?<!\\)\$(?!\$).*?(?<!\\)\$"
    r"|```math\n.*?```",
    re.DOTALL,
)
_DECLARED = re.compile(r"(?:%[ \t]*verify:([^\n]*)|<!--[ \t]*verify:(.*?)-->)", re.DOTALL)


@dataclass(frozen=True)
class Formula:
    """A formula of an environment: offsets of its inside, whether it is displayed, and the words since the last one."""

    begin: int
    end: int
    displayed: bool
    words: str
    words_at: int


@dataclass(frozen=True)
class Passage:
    """A theorem-like environment: its kind, id, title, offset, formulas, the words after the last one, its declarations."""

    kind: str
    id: str
    title: str
    at: int
    end: int
    formulas: tuple[Formula, ...]
    rest: str
    rest_at: int
    declarations: tuple[tuple[str, int], ...]


def declarations_in(text: str, begin: int, end: int) -> tuple[tuple[str, int], ...]:
    """Declarations ``% verify: ...`` or ``<!-- verify: ... -->`` with their offsets."""
    return tuple(
        (match.group(1) or match.group(2) or "", match.start(1) if match.group(1) else match.start(2))
        for match in _DECLARED.finditer(text, begin, end)
    )


def displays(text: str) -> list[tuple[int, int]]:
    """Offsets of the insides of all displayed formulas of a document."""
    plain = without_comments(text)
    begins = [match for match in _MATH.finditer(plain) if match.group().startswith((r"\begin", r"\[", "$$"))]
    return [
        (match.start() + 2, match.end() - 2) if not match.group().startswith(r"\begin") else match.span()
        for match in begins
    ]


def without_comments(text: str) -> str:
    """The text with comments blanked, so that offsets stay."""
    blank = re.compile(r"(?<!\\)%[^\n]*|<!--.*?-->", re.DOTALL)
    return blank.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def passages(text: str) -> tuple[Passage, ...]:
    """Theorem-like environments of a .tex document, or headings such as ``**Lemma 1 (drift)**`` of a Markdown document.

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
    starts = [(match, "tex") for match in _BEGIN.finditer(plain)] or [
        (match, "md") for match in _HEADING.finditer(plain)
    ]
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
            title = match.group(2)
        label = _LABEL.search(plain, match.end(), closing)
        id = _id(label.group(1) if label else title, kind, number + 1)
        found = _passage(text, plain, kind, id, title.strip(), match.start(), match.end(), closing)
        outside += declarations_in(text, last, match.start())  # they hold for all that follows
        last = closing
        yield replace(found, declarations=(*outside, *found.declarations))


def _id(name: str, kind: str, number: int) -> str:
    found = re.sub(r"[^\w.-]+", "-", name).strip("-.")
    return found or f"{kind}{number}"


def _passage(text: str, plain: str, kind: str, id: str, title: str, at: int, begin: int, end: int) -> Passage:
    formulas, place = [], begin
    for match in _MATH.finditer(plain, begin, end):
        words = _words(plain[place : match.start()])
        inner = match.group()
        displayed = not inner.startswith((r"\(",)) and (inner.startswith("$$") or not inner.startswith("$"))
        lead = next(
            (len(opening) for opening in ("```math", "$$", r"\[", r"\(", "$") if inner.startswith(opening)), 0
        )
        tail = 3 if inner.startswith("```") else lead
        formulas.append(Formula(match.start() + lead, match.end() - tail, displayed, words, place))
        place = match.end()
    return Passage(
        kind,
        id,
        title,
        at,
        end,
        tuple(formulas),
        _words(plain[place:end]),
        place,
        declarations_in(text, begin, end),
    )


def _words(text: str) -> str:
    text = re.sub(r"\\(?:label|ref|eqref|cite[pt]?|cref|Cref)\*?\{[^{}]*\}", " ", text)
    text = re.sub(r"\\(?:emph|textit|textbf|text)\{([^{}]*)\}", r"\1", text)
    return " ".join(re.sub(r"\\[,;:! ]|~|\\(?:noindent|item|quad|qquad)\b", " ", text).split())
