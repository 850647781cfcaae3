"""Tokens of the grammar: arguments and scripts in groups, bars opened and closed, spacing and sizes dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from lark import Token

from verify.latex.errors import Unclear
from verify.latex.glossary import spelled
from verify.latex.macros import DEEPEST, Macro, Raw, expanded, raw_tokens
from verify.latex.vocabulary import (
    ACCENTS,
    CLOSE,
    DROPPED,
    ENDS,
    FONTS,
    FRACTIONS,
    GREEK,
    JOINS,
    LAYOUTS,
    OPEN,
    PLAIN,
    RELATIONS,
    SIGNS,
    SKIPPED,
    TEXTS,
    WORDS,
)


def tokens(source: str, macros: Mapping[str, Macro], start: int = 0, end: int | None = None) -> list[Token]:
    """Tokens of a formula; each has the offset of its source in `start_pos`.

    Raises
    ------
    Unclear
        If a command is unknown, a group is not closed, or the formula is too long or nested too deeply.
    """
    raw = expanded(raw_tokens(source[start:end], start), macros)
    made = list(_Maker(raw).all())
    while made and made[-1].type in {"COMMA", "SEMI", "ROW", "GAP"}:
        made.pop()
    return _laid_out(_with_bars(made))


class _Maker:
    """Reads raw tokens from left to right."""

    def __init__(self, raw: Sequence[Raw]) -> None:
        self.raw, self.place, self.depth = raw, 0, 0

    def all(self) -> Iterator[Token]:
        while self.place < len(self.raw):
            if self.raw[self.place].text == "}":
                raise Unclear("`}` closes nothing; remove it or add `{`", self.raw[self.place].at)
            yield from self.piece()

    def piece(self) -> Iterator[Token]:
        """The tokens of what begins here; always goes on by at least one raw token."""
        one = self.raw[self.place]
        text, at = one.text, one.at
        self.place += 1
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unclear(f"groups may be nested at most {DEEPEST} deep; name a part of the formula", at)
        found = self._of(text, at)
        self.depth -= 1
        yield from found

    def _of(self, text: str, at: int) -> list[Token]:
        if text in {r"\left", r"\right", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\biggl", r"\biggr"}:
            return self._delimiter("L" if text[-1] in "tl" and not text.endswith("right") else "R", at)
        if text == r"\middle":
            self.place += 1
            return [token("MID", "|", at)]
        if text in {r"\begin", r"\end"}:
            name = self._plain().rstrip("*")
            if name not in LAYOUTS:
                raise Unclear(f"layout {name[:30]!r} is not read; write one relation for each case", at)
            return []
        if text in {r"\quad", r"\qquad", r"\\"}:
            return [token("ROW" if text == r"\\" else "GAP", text, at)]
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
                raise Unclear("`.` inside a formula; write one formula, and decimals with a leading 0", at)
            return []
        if text == ":" and self.place < len(self.raw) and self.raw[self.place].text == "=":
            self.place += 1
            return [token("DEF", ":=", at)]
        if text in {r"\|", r"\Vert"}:
            return [token("DBAR", text, at)]
        if text in {"|", r"\vert"}:
            return [token("BAR", text, at)]
        if text in PLAIN:
            return [token(PLAIN[text], text, at)]
        if text == r"\forall":
            return [token("FORALL", text, at)]
        if text in "_^":
            return [token("SUB" if text == "_" else "SUP", text, at), *self.group(at)]
        if text in FRACTIONS:
            return [token("FRAC", text, at), *self.group(at), *self.group(at)]
        if text == r"\sqrt":
            return self._root(at)
        if text == "{":
            self.place -= 1
            return self.group(at)
        if text.isdigit():
            return self._number(text, at)
        return self._named(text, at)

    def _named(self, text: str, at: int) -> list[Token]:
        if text.isalpha() or text[1:] in GREEK or text in {r"\infty", r"\emptyset"}:
            return [token("NAME", text, at)]
        if text in ACCENTS or text in FONTS:
            inner = self._plain()
            name = spelled(f"{text}{{{inner}}}")
            if name in {r"\mathbb{E}", r"\mathbf{E}", r"\mathsf{E}", r"\mathrm{E}"}:
                return self._expectation(at)
            if name in {
                r"\mathcal{O}",
                r"\tilde{O}",
                r"\widetilde{O}",
                r"\tilde{\mathcal{O}}",
                r"\widetilde{\mathcal{O}}",
            }:
                return [token("ORDER", name, at)]
            if any(sign in inner for sign in "+-=<>"):
                raise Unclear(
                    f"{text} over a formula; give {name} a name of its own by \\newcommand or text", at
                )
            return [token("NAME", name, at)]
        if text in TEXTS:
            words = " ".join(self._plain(" ").split())
            return self._text(words, at)
        if text in {r"\E", r"\EE", r"\Exp"}:
            return self._expectation(at)
        raise Unclear(
            f"what does {text[:40]} mean here? It is no command of the reader and no macro of the paper; define it by \\newcommand",
            at,
        )

    def _text(self, words: str, at: int) -> list[Token]:
        plain = words.lower().strip(" ,.:")
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
                f"words {words[:60]!r} inside a formula; write them as a relation, or after the formula", at
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
                return []  # {} separates and says nothing
            if len(inner) == 1 and inner[0].type in {"BIG", "FUNCTION"}:
                inner = [token("NAME", rf"\mathrm{{{inner[0][1:]}}}", inner[0].start_pos or 0)]
        return [token("GROUP", "{", first.at), *inner, token("END", "}", first.at)]

    def _number(self, text: str, at: int) -> list[Token]:
        while self.place < len(self.raw):
            one = self.raw[self.place].text
            more = self.raw[self.place + 1].text if self.place + 1 < len(self.raw) else ""
            if not (one.isdigit() or (one == "." and "." not in text and more.isdigit())):
                break
            text += one
            self.place += 1
        if len(text) > 100:
            raise Unclear("a number may have at most 100 digits; name it by a symbol", at)
        return [token("NUMBER", text, at)]

    def _root(self, at: int) -> list[Token]:
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

    def _delimiter(self, side: str, at: int) -> list[Token]:
        """What \\left or \\right stands before; it says which side of a bar is meant."""
        if self.place >= len(self.raw):
            raise Unclear(r"a delimiter is missing after \left or \right", at)
        one = self.raw[self.place]
        if one.text == ".":
            self.place += 1
            return []
        if one.text in {r"\|", r"\Vert", "|", r"\vert"}:
            self.place += 1
            kind = "NORM" if one.text in {r"\|", r"\Vert"} else "ABS"
            return [token(side + kind, one.text, one.at)]
        return []

    def _expectation(self, at: int) -> list[Token]:
        """The operator with its subscript as it is written: what the expectation is over is no formula."""
        under = ""
        if self.place < len(self.raw) and self.raw[self.place].text == "_":
            self.place += 1
            under = f"_{{{self._plain()}}}"
        return [token("EXPECT", rf"\mathbb{{E}}{under}", at)]

    def _plain(self, between: str = "") -> str:
        """The next argument as text."""
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
    return text.rpartition("\\")[2].isalpha()


def token(kind: str, text: str, at: int) -> Token:
    return Token(kind, text, start_pos=at, end_pos=at + len(text))


def _with_bars(made: Sequence[Token]) -> list[Token]:
    """Each bar opens if no operand stands before it, else closes what is open; one that neither does is "given"."""
    out: list[Token] = []
    opened: list[str] = []
    for place, one in enumerate(made):
        kind = one.type
        if kind in {"DBAR", "BAR"}:
            name = "NORM" if kind == "DBAR" else "ABS"
            operand = bool(out) and out[-1].type in ENDS
            if operand and opened and opened[-1] == f"L{name}":
                kind = f"R{name}"
            elif kind == "BAR" and operand and opened and _given(made, place, opened[-1]):
                kind = "MID"
            else:
                kind = f"L{name}"
            one = token(kind, str(one), one.start_pos or 0)
        if kind in OPEN:
            opened.append(kind)
        elif kind in CLOSE and opened:
            opened.pop()
        out.append(one)
    return out


def _laid_out(made: Sequence[Token]) -> list[Token]:
    """Lines joined where a sign says that they go on, else separated by "and"; other gaps must be beside a separator."""
    out: list[Token] = []
    depth = 0
    for place, one in enumerate(made):
        depth += (one.type in OPEN) - (one.type in CLOSE)
        if one.type not in {"ROW", "GAP"}:
            out.append(one)
            continue
        rest = [other for other in made[place + 1 :] if other.type != "GAP"]
        before, after = out[-1].type if out else "COMMA", rest[0].type if rest else "COMMA"
        if depth or before in JOINS | SIGNS | {"ROW"} or after in JOINS | {"ROW"}:
            continue
        line = _line(rest)
        related = any(other.type in RELATIONS for other in line)
        if after in SIGNS and not related:
            continue
        if one.type == "GAP" or after in SIGNS or not related:
            raise Unclear(
                "does this belong to the formula before the gap? Write an operator, a comma, \\text{and} or \\text{if}",
                rest[0].start_pos or 0,
            )
        out.append(token("AND", str(one), one.start_pos or 0))
    return out


def _line(rest: Sequence[Token]) -> list[Token]:
    """Tokens up to the next line or separator outside all brackets."""
    return next(
        part
        for _, part in segments(
            rest, lambda other: other.type in {"ROW", "COMMA", "SEMI", "FORALL", "IF", "AND"}
        )
    )


def _given(made: Sequence[Token], place: int, bracket: str) -> bool:
    """Whether no other bar follows inside the bracket that is open here, so that this one is a condition's."""
    depth = 0
    for one in made[place + 1 :]:
        if one.type in OPEN:
            depth += 1
        elif one.type in CLOSE:
            depth -= 1
            if depth < 0:
                return bracket in {"LPAR", "LSQ", "LCURLY"}
        elif one.type == "BAR" and not depth:
            return False
    return False


Splitter = Callable[[Token], bool]


def segments(made: Sequence[Token], splits: Splitter) -> list[tuple[Token | None, list[Token]]]:
    """Parts between separators outside all brackets, each with the separator before it."""
    found: list[tuple[Token | None, list[Token]]] = [(None, [])]
    depth = 0
    for one in made:
        depth += (one.type in OPEN) - (one.type in CLOSE)
        if depth == 0 and splits(one):
            found.append((one, []))
        else:
            found[-1][1].append(one)
    return found
