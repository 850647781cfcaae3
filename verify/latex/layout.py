"""Layout of a formula: decide whether a bar opens or closes, which lines continue, and where the parts of the formula end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lark import Token

from verify.latex.errors import Unclear
from verify.latex.vocabulary import CLOSE, ENDS, JOINS, OPEN, RELATIONS, SIGNS


def token(kind: str, text: str, at: int) -> Token:
    """A token of the grammar at an offset of the source."""
    return Token(kind, text, start_pos=at, end_pos=at + len(text))


def with_bars(made: Sequence[Token]) -> list[Token]:
    """Replace each bar by an opening bar, a closing bar, or the bar "given" of a conditional expectation.

    LaTeX writes the same ``|`` for all three. A bar after an operand closes the innermost norm or modulus if one is open;
    otherwise, if it is the last single bar in its bracket, it means "given". Any other bar opens.
    """
    out: list[Token] = []
    opened: list[str] = []
    for place, one in enumerate(made):
        kind = one.type
        if kind in {"DBAR", "BAR"}:
            name = "NORM" if kind == "DBAR" else "ABS"
            operand = bool(out) and out[-1].type in ENDS
            if operand and opened and opened[-1] == f"L{name}":
                kind = f"R{name}"
            elif kind == "BAR" and operand and opened and _is_given_bar(made, place, opened[-1]):
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


def laid_out(made: Sequence[Token]) -> list[Token]:
    """Join the lines of a formula, or separate them by "and".

    A line continues the one before it if an operator or relation sign stands at the break, or if a bracket is open. A line
    with a relation of its own is a further claim or condition, so "and" is inserted. Horizontal gaps are dropped beside
    an operator or separator.

    Raises
    ------
    Unclear
        If it is not clear whether the text after a gap continues the formula.
    """
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
    """The tokens up to the next line break or separator outside all brackets."""
    return next(
        part
        for _, part in segments(
            rest, lambda other: other.type in {"ROW", "COMMA", "SEMI", "FORALL", "IF", "AND"}
        )
    )


def _is_given_bar(made: Sequence[Token], place: int, bracket: str) -> bool:
    """Whether no further bar follows inside the round, square or curly bracket that is open here.

    Then this bar has no partner and means "given".
    """
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
    """Cut tokens at the separators outside all brackets; each part comes with the separator before it (first: None)."""
    found: list[tuple[Token | None, list[Token]]] = [(None, [])]
    depth = 0
    for one in made:
        depth += (one.type in OPEN) - (one.type in CLOSE)
        if depth == 0 and splits(one):
            found.append((one, []))
        else:
            found[-1][1].append(one)
    return found
