"""Raw tokens of LaTeX with their offsets, and the expansion of a paper's macros.

Limits on the length and depth of an expansion keep the time bounded for any input, also for macros that call themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from verify.latex.errors import Unclear

LONGEST = 20_000
"""Largest number of raw tokens of one formula after the expansion of macros."""
DEFINITIONS, LONGEST_BODY = 1_000, 5_000
"""Largest number of macros of a document, and of characters of a macro's body. Further or longer macros are ignored."""
DEEPEST = 60
"""Largest nesting depth of groups, and of macros within macros."""
_RAW = re.compile(r"%[^\n]*\n?|\\[a-zA-Z]+\*?|\\.|\s+|.", re.DOTALL)
_DEFINES = re.compile(
    r"\\(?:(?:re)?newcommand\*?|providecommand\*?|DeclareMathOperator\*?|def)\s*\{?\s*(\\[a-zA-Z]+)\s*\}?\s*(?:\[(\d)\]\s*)?(\[)?"
)


@dataclass(frozen=True)
class Raw:
    """A piece of the source, either a command or one character; `at` is its offset."""

    text: str
    at: int


@dataclass(frozen=True)
class Macro:
    """Number of arguments and body of a `\\newcommand`."""

    arguments: int
    body: tuple[Raw, ...]


def raw_tokens(source: str, start: int = 0) -> list[Raw]:
    """The commands and single characters of a source, without comments and white space. Offsets count from `start`."""
    found = (Raw(match.group(), start + match.start()) for match in _RAW.finditer(source))
    return [raw for raw in found if not raw.text.isspace() and raw.text[0] != "%"]


def macros_in(source: str) -> dict[str, Macro]:
    """The macros that a document defines. Definitions with optional arguments or delimited arguments are ignored."""
    found: dict[str, Macro] = {}
    plain = re.sub(r"(?<!\\)%[^\n]*", lambda match: " " * len(match.group()), source)
    for match in islice(_DEFINES.finditer(plain), DEFINITIONS):
        opening = match.end()
        if match.group(3) or plain[opening : opening + 1] != "{":
            continue
        closing = _closing(plain, opening)
        if closing < 0:
            continue
        text = plain[opening + 1 : closing]
        if "DeclareMathOperator" in match.group():
            text = rf"\operatorname{{{text}}}"
        count = int(match.group(2) or 0)
        found[match.group(1)] = Macro(count, tuple(raw_tokens(text)))
    return found


def _closing(text: str, opening: int) -> int:
    """Offset of the brace that closes the one at `opening`; -1 if it is missing or the body is too long."""
    depth = 0
    for place in range(opening, min(len(text), opening + LONGEST_BODY)):
        escaped = place and text[place - 1] == "\\"
        if text[place] in "{}" and not escaped:
            depth += 1 if text[place] == "{" else -1
            if not depth:
                return place
    return -1


def expanded(tokens: Sequence[Raw], macros: Mapping[str, Macro]) -> list[Raw]:
    """The tokens with all macros expanded. A token of a macro's body has the offset at which the macro is used.

    Raises
    ------
    Unclear
        If macros are nested too deeply, or the formula becomes too long.
    """
    out: list[Raw] = []
    # A stack of the tokens that are still to be expanded, each with its macro depth; no recursion, so deep nesting is safe.
    waiting: list[tuple[Raw, int]] = [(token, 0) for token in reversed(tokens)]
    while waiting:
        token, depth = waiting.pop()
        macro = macros.get(token.text)
        if macro is None:
            out.append(token)
        else:
            if depth >= DEEPEST:
                raise Unclear(
                    f"macro {token.text} is nested more than {DEEPEST} deep, perhaps as it calls itself; write its content instead",
                    token.at,
                )
            given = [_argument(waiting, token) for _ in range(macro.arguments)]
            body = list(_filled(macro.body, given, token.at))
            waiting += [(each, depth + 1) for each in reversed(body)]
        if len(out) + len(waiting) > LONGEST:
            raise Unclear(
                f"the formula has more than {LONGEST} tokens after the expansion of macros; split it",
                token.at,
            )
    return out


def _argument(waiting: list[tuple[Raw, int]], use: Raw) -> list[Raw]:
    """Remove and return the next argument of a macro: a brace group without its braces, or one token."""
    if not waiting:
        raise Unclear(f"macro {use.text} lacks an argument; write it in braces", use.at)
    first = waiting.pop()[0]
    if first.text != "{":
        return [first]
    found: list[Raw] = []
    depth = 1
    while waiting:
        token = waiting.pop()[0]
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        if not depth:
            return found
        found.append(token)
    raise Unclear("`{` is never closed; add `}`", first.at)


def _filled(body: Sequence[Raw], given: Sequence[list[Raw]], at: int) -> Iterator[Raw]:
    """Yield a macro's body with ``#1``, ``#2``, ... replaced by the given arguments."""
    place = 0
    while place < len(body):
        token = body[place]
        number = body[place + 1].text if token.text == "#" and place + 1 < len(body) else ""
        if number.isdigit() and 1 <= int(number) <= len(given):
            yield from given[int(number) - 1]
            place += 2
        else:
            yield Raw(token.text, at)
            place += 1
