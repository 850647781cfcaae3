"""Convert LaTeX to tokens of the grammar.

Arguments and scripts are put between GROUP and END, bars are opened or closed, and spacing and sizes are dropped. A command
that is not in `vocabulary.py` raises `Unclear`, because skipping it could change the meaning of the formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from lark import Token

from verify.latex.errors import Unclear
from verify.latex.glossary import spelled
from verify.latex.layout import laid_out, token, with_bars
from verify.latex.macros import DEEPEST, Macro, Raw, expanded, raw_tokens
from verify.latex.vocabulary import (
    ACCENTS,
    BRACED,
    DROPPED,
    FONTS,
    GREEK,
    LAYOUTS,
    ORDERS,
    PLAIN,
    RELATIONS,
    SKIPPED,
    STACKED,
    STACKS,
    TEXTS,
    UNREAD,
    WORDS,
)


def tokens(
    source: str,
    macros: Mapping[str, Macro],
    start: int = 0,
    end: int | None = None,
    formulas: Mapping[tuple[str, ...], str] | None = None,
) -> list[Token]:
    """Tokens of the formula `source[start:end]`; each token has its offset in `start_pos`.

    Parameters
    ----------
    macros : mapping of str to Macro
        Macros of the document, which are expanded first.
    formulas : mapping of tuple of str to str
        Raw tokens of a declared name -> the name. In square brackets such a name is one symbol.

    Raises
    ------
    Unclear
        If a command is unknown, a group is not closed, or the formula is too long or nested too deeply.
    """
    raw = expanded(raw_tokens(source[start:end], start), macros)
    made = list(_Maker(raw, formulas or {}).all())
    while made and made[-1].type in {"COMMA", "SEMI", "ROW", "GAP"}:
        made.pop()
    return laid_out(with_bars(made))


_LENGTH = re.compile(r"\[-?\d*\.?\d+(?:pt|em|ex|mm|cm|in|mu)\]")


LONGEST_NAME = 200
"""Largest number of raw tokens of a declared name that is a formula."""


class _Maker:
    """Converts raw tokens to tokens of the grammar from left to right; `place` is the next raw token."""

    def __init__(self, raw: Sequence[Raw], formulas: Mapping[tuple[str, ...], str]) -> None:
        self.raw, self.formulas, self.place, self.depth = raw, formulas, 0, 0
        self.last = ""
        """Type of the last token."""
        self.invisible: list[bool] = []
        """For each open \\left, whether its delimiter is the invisible one, `\\left.`."""

    def all(self) -> Iterator[Token]:
        """Yield all tokens."""
        while self.place < len(self.raw):
            if self.raw[self.place].text == "}":
                raise Unclear("`}` closes nothing; remove it or add `{`", self.raw[self.place].at)
            yield from self.piece()

    def piece(self) -> Iterator[Token]:
        """Yield the tokens of the next piece of the source. It consumes at least one raw token, so that every loop ends."""
        one = self.raw[self.place]
        text, at = one.text, one.at
        self.place += 1
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unclear(f"groups may be nested at most {DEEPEST} deep; name a part of the formula", at)
        found = self._of(text, at)
        self.depth -= 1
        self.last = found[-1].type if found else self.last
        yield from found

    def _of(self, text: str, at: int) -> list[Token]:
        """The tokens of a raw token `text` and its arguments."""
        if text in {r"\left", r"\right", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\biggl", r"\biggr"}:
            return self._delimiter(text, at)
        if text == r"\middle":
            self.place += 1
            return [token("MID", "|", at)]
        if text in {r"\begin", r"\end"}:
            name = self._plain().rstrip("*")
            if name not in LAYOUTS:
                raise Unclear(
                    f"the environment {name[:30]!r} is not supported; write one relation for each case", at
                )
            return []
        if text == r"\\":
            self._skip_length()
            return [token("ROW", text, at)]
        if text in {r"\quad", r"\qquad"}:
            return [token("GAP", text, at)]
        if text in DROPPED:
            return []
        if text in SKIPPED:
            self._plain()
            return []
        if text == ".":
            if self.place < len(self.raw) and self.raw[self.place].text.isdigit():
                return self._number(".", at)
            rest = [one for one in self.all() if one.type not in {"ROW", "GAP"}]
            if rest:
                raise Unclear(
                    "`.` may only end a formula; write one formula, and decimals with a leading 0", at
                )
            return []
        if text == ":" and self.place < len(self.raw) and self.raw[self.place].text == "=":
            self.place += 1
            return [token("DEF", ":=", at)]
        if text in {r"\|", r"\Vert"}:
            return [token("DBAR", text, at)]
        if text in {"|", r"\vert"}:
            return [token("BAR", text, at)]
        if text == "[" and self.last not in {"EXPECT", "FUNCTION"} and (name := self._formula()):
            return [token("NAME", name, at)]
        if text in PLAIN:
            return [token(PLAIN[text], text, at)]
        if text == r"\forall":
            return [token("FORALL", text, at)]
        if text in "_^":
            return self._script(text, at)
        if text in STACKED:
            return self._stacked(text, at)
        if text in BRACED:
            return self._braced(text, at)
        if text in STACKS:
            return [token(STACKS[text], text, at), *self.group(at), *self.group(at)]
        if text == r"\sqrt":
            return self._root(at)
        if text == "{":
            self.place -= 1
            return self.group(at)
        if text.isdigit():
            return self._number(text, at)
        return self._named(text, at)

    def _named(self, text: str, at: int) -> list[Token]:
        """The tokens of a letter, a letter with an accent or font, a text command, or the expectation."""
        if text.isalpha() or text[1:] in GREEK or text in {r"\infty", r"\emptyset"}:
            return [token("NAME", text, at)]
        if text in ACCENTS or text in FONTS:
            inner = self._plain()
            name = spelled(f"{text}{{{inner}}}")
            if name in {r"\mathbb{E}", r"\mathbf{E}", r"\mathsf{E}", r"\mathrm{E}"}:
                return self._expectation(at)
            if name in ORDERS:
                return [token("ORDER", name, at)]
            if name in UNREAD:
                raise Unclear(f"{name}: {UNREAD[name]}", at)
            if any(sign in inner for sign in "+-=<>"):
                raise Unclear(
                    f"{text} must stand over a name, got the formula {inner[:40]}; name {name} by a symbol of its own",
                    at,
                )
            return [token("NAME", name, at)]
        if text in TEXTS:
            words = " ".join(self._plain(" ").split())
            return self._text(words, at)
        if text in {r"\E", r"\EE", r"\Exp"}:
            return self._expectation(at)
        if text in UNREAD:
            raise Unclear(f"{text}: {UNREAD[text]}", at)
        raise Unclear(
            f"what does {text[:40]} mean here? It is no command of the reader and no macro of the paper; define it by \\newcommand",
            at,
        )

    def _text(self, words: str, at: int) -> list[Token]:
        """The tokens of words in a formula: a separator such as "if", an operator such as "max", or a name."""
        plain = words.lower().strip(" ,.:")
        operator = re.sub(r"\\,| ", "", plain)
        if operator in UNREAD:
            raise Unclear(f"{operator}: {UNREAD[operator]}", at)
        if plain in WORDS:
            return [token(WORDS[plain], words, at)]
        if plain in {"", "that"}:
            return []
        if plain in {"max", "min", "sup", "inf"}:
            return [token("BIG", "\\" + plain, at)]
        if plain in {"log", "ln", "exp"}:
            return [token("FUNCTION", "\\" + plain, at)]
        if words == "E":
            return self._expectation(at)
        if " " in plain:
            raise Unclear(
                f"the words {words[:60]!r} inside the formula are not understood; write them as a relation, or after the formula",
                at,
            )
        return [token("NAME", rf"\mathrm{{{words}}}", at)]

    def group(self, at: int) -> list[Token]:
        """The next argument as GROUP ... END: a brace group, one command with its arguments, or one character."""
        while self.place < len(self.raw) and self.raw[self.place].text in DROPPED:
            self.place += 1
        if self.place >= len(self.raw) or self.raw[self.place].text == "}":
            raise Unclear("an argument is missing here; write it in braces", at)
        first = self.raw[self.place]
        if first.text.isdigit():
            self.place += 1
            inner = [token("NUMBER", first.text, first.at)]
        elif first.text != "{":
            inner = list(self.piece())
        else:
            self.place += 1
            inner = []
            while self.place < len(self.raw) and self.raw[self.place].text != "}":
                inner += self.piece()
            if self.place >= len(self.raw):
                raise Unclear("`{` is never closed; add `}`", first.at)
            self.place += 1
            if not inner:
                return []  # {} only separates, as in \alpha{}x
            if len(inner) == 1 and inner[0].type in {"BIG", "FUNCTION"}:
                inner = [token("NAME", rf"\mathrm{{{inner[0][1:]}}}", inner[0].start_pos or 0)]
        return [token("GROUP", "{", first.at), *inner, token("END", "}", first.at)]

    def _formula(self) -> str:
        """The declared name that fills the square bracket that has just been opened; empty if there is none.

        If there is one, `place` moves behind the bracket.
        """
        for end in range(self.place, len(self.raw)):
            if self.raw[end].text == "]":
                sized = self.raw[end - 1].text == r"\right"
                inner = tuple(one.text for one in self.raw[self.place : end - sized])
                if inner in self.formulas:
                    self.place = end + 1
                    return self.formulas[inner]
                if len(inner) > LONGEST_NAME:
                    break
        return ""

    def _script(self, text: str, at: int) -> list[Token]:
        """The tokens of a subscript or superscript; a superscript of primes only becomes primes."""
        self._require_braces(text)
        group = self.group(at)
        primes = group[1:-1]
        if text == "^" and primes and all(one.type == "PRIME" for one in primes):
            return primes
        return [token("SUB" if text == "_" else "SUP", text, at), *group]

    def _require_braces(self, text: str) -> None:
        """Refuse `a^23`: without braces the script is one character, so it means a^2 times 3, which is rarely intended."""
        if self.place + 1 < len(self.raw):
            first, second = self.raw[self.place : self.place + 2]
            written = first.text + second.text
            if (
                second.at == first.at + 1
                and second.text.isdigit()
                and (first.text.isdigit() or first.text in "+-")
            ):
                raise Unclear(
                    f"is the script {first.text} or {written}? Write {text}{{{written}}}, or {text}{{{first.text}}} and a space",
                    first.at,
                )

    def _stacked(self, text: str, at: int) -> list[Token]:
        """A relation sign without the mark above or below it, such as the number of a proof step."""
        self._plain()
        group = self.group(at)
        if len(group) != 3 or group[1].type not in RELATIONS:
            raise Unclear(
                f"{text} is supported around a relation sign only; replace this symbol by a name", at
            )
        return [group[1]]

    def _braced(self, text: str, at: int) -> list[Token]:
        """The formula over or under a horizontal brace, in round brackets and without the label of the brace.

        The brace is visible in print and groups its content as brackets do.
        """
        inner = self.group(at)[1:-1]
        if self.place < len(self.raw) and self.raw[self.place].text == BRACED[text]:
            self.place += 1
            self._plain()
        return [token("LPAR", "(", at), *inner, token("RPAR", ")", at)]

    def _skip_length(self) -> None:
        """Skip the space that `\\\\[2pt]` puts between lines."""
        rest = "".join(one.text for one in self.raw[self.place : self.place + 12])
        length = _LENGTH.match(rest)
        if length:
            self.place += len(length.group())

    def _number(self, text: str, at: int) -> list[Token]:
        """The token of a decimal number whose first character is `text`."""
        while self.place < len(self.raw):
            one = self.raw[self.place].text
            more = self.raw[self.place + 1].text if self.place + 1 < len(self.raw) else ""
            if not (one.isdigit() or (one == "." and "." not in text and more.isdigit())):
                break
            text += one
            self.place += 1
        if len(text) > 100:
            raise Unclear(
                f"a number may have at most 100 digits, got {len(text)}; replace it by a symbol", at
            )
        return [token("NUMBER", text, at)]

    def _root(self, at: int) -> list[Token]:
        """The tokens of a square root, or of a root with an index in square brackets."""
        if self.place >= len(self.raw) or self.raw[self.place].text != "[":
            return [token("SQRT", r"\sqrt", at), *self.group(at)]
        opening = self.raw[self.place]
        self.place += 1
        inner: list[Token] = []
        while self.place < len(self.raw) and self.raw[self.place].text != "]":
            inner += self.piece()
        self.place += 1
        index = [token("GROUP", "{", opening.at), *inner, token("END", "}", opening.at)]
        return [token("ROOT", r"\sqrt", at), *index, *self.group(at)]

    def _delimiter(self, text: str, at: int) -> list[Token]:
        """The delimiter after \\left, \\right or a size command, which decides whether a bar opens or closes."""
        sized, ends = text == r"\left", text == r"\right"
        side = "R" if ends or text.endswith("r") else "L"
        if self.place >= len(self.raw):
            raise Unclear(rf"a delimiter is missing after {text}; add one such as ( or )", at)
        one = self.raw[self.place]
        if sized:
            self.invisible.append(one.text == ".")
        invisible = ends and bool(self.invisible) and self.invisible.pop()
        if one.text == ".":
            self.place += 1
            return []
        if invisible and one.text in {"|", r"\vert"}:  # \left. x \right| y: x given y
            self.place += 1
            return [token("MID", "|", one.at)]
        if one.text in {r"\|", r"\Vert", "|", r"\vert"}:
            self.place += 1
            kind = "NORM" if one.text in {r"\|", r"\Vert"} else "ABS"
            return [token(side + kind, one.text, one.at)]
        return []

    def _expectation(self, at: int) -> list[Token]:
        """The token of the expectation with its subscript as text; the subscript names a distribution and is not parsed."""
        under = ""
        if self.place < len(self.raw) and self.raw[self.place].text == "_":
            self.place += 1
            under = f"_{{{self._plain()}}}"
        return [token("EXPECT", rf"\mathbb{{E}}{under}", at)]

    def _plain(self, between: str = "") -> str:
        """The next argument as text, with `between` where the source has white space."""
        if self.place >= len(self.raw):
            return ""
        first = self.raw[self.place]
        self.place += 1
        if first.text != "{":
            return first.text
        found, depth, last = "", 1, first.at
        while self.place < len(self.raw):
            one = self.raw[self.place]
            self.place += 1
            depth += {"{": 1, "}": -1}.get(one.text, 0)
            if not depth:
                return found
            command = (
                found[-1:].isalpha() and "\\" in found and one.text[0].isalpha() and _ends_in_command(found)
            )
            found += (" " if command else between if one.at > last + 1 else "") + one.text
            last = one.at + len(one.text) - 1
        raise Unclear("`{` is never closed; add `}`", first.at)


def _ends_in_command(text: str) -> bool:
    """Whether a text ends in a command such as \\alpha, so that a letter after it needs a space."""
    return text.rpartition("\\")[2].isalpha()
