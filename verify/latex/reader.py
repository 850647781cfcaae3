"""Convert the tree of a formula to SymPy.

Two factors beside each other are a product, an inner product or a function of an argument. The kinds of their symbols
decide which; where they do not, the reader asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import sympy as sp
from lark import Lark, Token, Tree, UnexpectedInput
from lark.lexer import Lexer

from bounds.relations import eq, ge, gt, le, lt
from verify.latex.errors import Unclear
from verify.latex.heads import Extreme, Inner
from verify.latex.names import Names, Typed, named
from verify.latex.ranges import Range, member_of, ranges_of
from verify.latex.tokens import tokens
from verify.latex.trees import Node, inside, mark_of, start, text_of
from verify.latex.units import unit

RELATIONS = {
    "LE": le,
    "GE": ge,
    "LT": lt,
    "GT": gt,
    "EQ": eq,
    "DEF": eq,
    "NE": lambda a, b: sp.Ne(a, b, evaluate=False),
}


LARGEST = 1000
"""Largest numeric exponent and factorial. SymPy evaluates both immediately, so larger ones could exhaust memory."""


class _Given(Lexer):
    """A lexer that passes existing tokens to the parser; `tokens.py` made them, as Lark's lexer cannot place bars."""

    def __init__(self, _: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Any:
        return iter(lexer_state)


@cache
def grammar() -> Lark:
    """The parser of `formula.lark`."""
    text = (files("verify.latex") / "formula.lark").read_text()
    return Lark(text, parser="lalr", lexer=_Given, propagate_positions=True)


def tree_of(made: Sequence[Token], at: int) -> Node:
    """Parse a list of tokens to a tree; `at` is the position of the error for an empty list.

    Raises
    ------
    Unclear
        If the tokens are no formula. The position is that of the first token that does not fit.
    """
    try:
        return grammar().parse(made).children[0]  # type: ignore[arg-type]
    except UnexpectedInput as error:
        token = getattr(error, "token", None)
        if token is None or token.type == "$END":
            last = made[-1] if made else None
            raise Unclear(
                "the formula ends too early; something is missing after this",
                (last.start_pos or 0) if last is not None else at,
            ) from None
        raise Unclear(
            f"{str(token)!r} does not fit here; check brackets, bars and operators before it",
            token.start_pos or 0,
        ) from None


class Reader:
    """Evaluates trees to SymPy expressions, with the kinds and names of one claim."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def relations(self, tree: Node) -> list[Any]:
        """The relations of a chain: a <= b <= c gives a <= b and b <= c."""
        if not (isinstance(tree, Tree) and tree.data == "chain"):
            raise Unclear("a relation is expected here, such as `a \\le b`", start(tree))
        sides = [self.value(child) for child in tree.children[::2]]
        signs: list[Any] = [child.children[0] for child in tree.children[1::2]]  # type: ignore[union-attr]
        return [self._relation(a, sign, b) for a, sign, b in zip(sides, signs, sides[1:], strict=False)]

    def _relation(self, left: Typed, sign: Token, right: Typed) -> Any:
        """The relation of two sides, after a check that both are numbers or both are vectors."""
        at = sign.start_pos or 0
        if sign.type == "IN":
            raise Unclear(
                "a claim cannot be a membership; write `\\in` in a condition, as `for all x \\in \\mathbb{R}^d`",
                at,
            )
        for side in (left, right):
            if side.kind in {"row", "loss", "set"}:
                raise Unclear(
                    f"a side of a relation must be a number or a vector, got a {side.kind}; write its value at a point, or declare it otherwise",
                    side.at,
                )
        kinds = {left.kind, right.kind} - {"order"}
        if kinds == {"vector", "number"} and not any(side.value == 0 for side in (left, right)):
            vector = left if left.kind == "vector" else right
            raise Unclear(
                "a vector is compared with a number here; declare the symbols of this side as real if they are numbers"
                + self.names.defaults(vector.value),
                vector.at,
            )
        for one, other in ((left, right), (right, left)):
            ranged = sign.type in {"EQ", "DEF"} and isinstance(one.value, Extreme)
            if ranged and one.value.args[2][0] in getattr(other.value, "free_symbols", set()):
                raise Unclear(
                    "is this the objective or an equation about its least value? The variable below the operator occurs on "
                    "both sides; write the function without \\min, as F(w) = ...",
                    at,
                )
        if "vector" in kinds and sign.type not in {"EQ", "DEF", "NE"}:
            raise Unclear("vectors have no order; write norms, or declare the symbols as real", at)
        return RELATIONS[sign.type](left.value, right.value)

    def value(self, node: Node) -> Typed:
        """Value of an expression of any kind."""
        if isinstance(node, Token):
            raise Unclear(f"{str(node)!r} does not fit here", start(node))
        if node.data in {"sum", "signed"}:
            return self._sum(node)
        if node.data == "product":
            return self.product(node.children)
        if node.data == "chain":
            raise Unclear(
                "a relation stands where a number is expected; remove its relation sign", start(node)
            )
        return self.product([Tree("factor", [node], node.meta)] if node.data != "factor" else [node])

    def number(self, node: Node) -> Any:
        """Value of an expression that must be a number."""
        found = self.value(node)
        if found.kind != "number":
            raise Unclear(
                f"a number is expected here, but this is a {found.kind}; declare its symbols as real if they are numbers"
                + self.names.defaults(found.value),
                found.at,
            )
        return found.value

    def _sum(self, tree: Tree[Any]) -> Typed:
        """Value of a sum of terms of one kind; the number 0 may be added to any kind."""
        sign, total, kinds, trailing = 1, sp.S.Zero, set(), frozenset[Any]()
        for child in tree.children:
            if isinstance(child, Token):
                sign = -1 if child.type == "MINUS" else 1
                continue
            term = self.value(child)
            caught = trailing & getattr(term.value, "free_symbols", set())
            if caught:
                name = self.names.used[next(iter(caught)).name][0]
                raise Unclear(
                    f"does the sum over {name} before this reach here? Put its terms in brackets", term.at
                )
            trailing |= term.trailing
            kinds.add(term.kind)
            if term.value != 0:
                total += sign * term.value
            if len(kinds - {"order"}) > 1 and term.value != 0:
                raise Unclear(
                    f"a {term.kind} is added to a {(kinds - {term.kind}).pop()}; declare the symbols of both terms with the same kind, as in `verify: a, b: real`"
                    + self.names.defaults(total),
                    term.at,
                )
            if term.kind in {"row", "set", "loss"}:
                raise Unclear(
                    f"a {term.kind} cannot be added; write its value at a point, or a norm", term.at
                )
        kind = "order" if "order" in kinds else kinds.pop()
        return Typed(total, kind, start(tree), trailing)

    def product(self, steps: Sequence[Node]) -> Typed:
        """Value of a product. After a slash, a further factor without an operator is ambiguous (a/bc) and raises `Unclear`."""
        place, found, operator, divided = 0, None, "", False
        while place < len(steps):
            step = steps[place]
            if isinstance(step, Token):
                if operator or found is None:
                    raise Unclear(f"{str(step)!r} has no factor before it; add one or remove it", start(step))
                operator, place = step.type, place + 1
                continue
            if divided:
                raise Unclear(
                    "does this belong to the denominator? Write \\frac{..}{..} or brackets around the quotient",
                    start(step),
                )
            _require_visible(step, steps)
            unit, place = self.unit(steps, place)
            found = unit if found is None else self._joined(found, operator, unit)
            divided = operator == "SLASH"
            operator = ""
        if operator or found is None:
            raise Unclear("a factor is missing after this operator; add one or remove it", start(steps[-1]))
        return found

    def _joined(self, left: Typed, operator: str, right: Typed) -> Typed:
        """Product or quotient of two factors; a row vector times a vector is an inner product."""
        if operator == "SLASH":
            if right.kind != "number":
                raise Unclear(
                    f"the divisor must be a number, got a {right.kind}; declare its symbols as real if they are numbers",
                    right.at,
                )
            if right.value == 0:
                raise Unclear("the divisor must not be 0; correct the denominator", right.at)
            return Typed(left.value / right.value, left.kind, left.at, right.trailing)
        kinds = (left.kind, right.kind)
        if kinds == ("row", "vector"):
            return Typed(Inner(left.value, right.value), "number", left.at)
        if kinds == ("vector", "vector"):
            raise Unclear(
                "two vectors cannot be multiplied; write \\langle a, b\\rangle or a^\\top b, or declare them as real",
                right.at,
            )
        if str(left.value) == "Delta" and right.kind == "vector" and not operator:
            raise Unclear(
                "is this one vector, a change, or a product? Write \\Delta\\cdot for a product", right.at
            )
        if "number" not in kinds or {"loss", "set"} & set(kinds):
            raise Unclear(
                f"a {left.kind} cannot be multiplied by a {right.kind}; declare their symbols otherwise",
                right.at,
            )
        kind = left.kind if right.kind == "number" else right.kind
        return Typed(left.value * right.value, kind, left.at, left.trailing | right.trailing)

    # Methods that `units.py`, `operators.py` and `ranges.py` call back for parts of a formula

    def unit(self, steps: Sequence[Node], place: int) -> tuple[Typed, int]:
        """Value of the factor at a place together with its arguments, and the place after them."""
        return unit(self, steps, place)

    def scripted(self, base: Typed, scripts: Sequence[Tree[Any]]) -> Typed:
        """A value with its scripts applied: powers, factorials, transposes and positive parts."""
        for script in scripts:
            group: Any = script.children[-1] if script.children else None
            if script.data == "factorial" and base.kind == "number":
                if base.value.is_number and not abs(base.value) <= LARGEST:
                    raise Unclear(
                        f"a factorial may be at most that of {LARGEST}, got {str(base.value)[:40]}; replace it by a symbol",
                        base.at,
                    )
                base = Typed(sp.factorial(base.value), "number", base.at)
            elif script.data == "sub" and mark_of(group) == "plus" and base.kind == "number":
                base = Typed(sp.Max(base.value, 0), "number", base.at)
            elif script.data == "sup" and mark_of(group) == "TOP" and base.kind == "vector":
                base = Typed(base.value, "row", base.at)
            elif script.data == "sup" and not mark_of(group):
                items = inside(group)
                if len(items) != 1:
                    raise Unclear(
                        f"a power must have one exponent, got {len(items)}; remove the comma", start(group)
                    )
                if base.kind != "number":
                    raise Unclear(
                        f"only numbers have powers, got a {base.kind}; write \\|x\\|^2 for a squared norm",
                        base.at,
                    )
                exponent = self.number(items[0])
                if exponent.is_number and not abs(exponent) <= LARGEST:
                    raise Unclear(
                        f"an exponent may be at most {LARGEST}, got {str(exponent)[:40]}; replace the power by a symbol",
                        start(group),
                    )
                base = Typed(base.value**exponent, "number", base.at)
            else:
                raise Unclear(
                    f"script {text_of(script)[:30]!r} has no meaning on a {base.kind}; replace both by one symbol",
                    start(script) or base.at,
                )
        return base

    def arguments(self, bracket: Tree[Any]) -> list[Typed]:
        """Values of the items of a bracket."""
        return [self.value(item) for item in inside(bracket)]

    def symbol(self, token: Token, scripts: Sequence[Tree[Any]]) -> tuple[Typed, list[Tree[Any]]]:
        """The symbol of a name with its scripts, and the scripts that are left, as powers."""
        return named(self.names, token, scripts, self.value)

    def end(self, text: str, at: int) -> Any:
        """Value of an end of a declared range, such as N of ``i: index 1..N``."""
        return self.number(tree_of(tokens(text, {}), at))

    def member(self, tree: Tree[Any]) -> Range:
        """Range of a membership such as i \\in [N]."""
        return member_of(self, tree)

    def ranged(self, scripts: Sequence[Tree[Any]], at: int) -> list[Range]:
        """Ranges below and above an operator; their indices are added to the scope."""
        return ranges_of(self, scripts, at)


def _require_visible(step: Tree[Any], steps: Sequence[Node]) -> None:
    """Refuse a sum in braces beside another factor: the braces are invisible in print, so {a+b}c looks like a+bc."""
    atom = step.children[0]
    alone = len(steps) == 1 and len(step.children) == 1
    if isinstance(atom, Tree) and atom.data == "group" and not alone:
        items = inside(atom)
        if len(items) != 1 or (isinstance(items[0], Tree) and items[0].data in {"sum", "signed", "chain"}):
            raise Unclear(
                "braces around a sum are invisible in print; write brackets around this sum", start(atom)
            )
