"""Print a parsed claim as LaTeX that parses to the same claim, as Python, and in words.

Every claim is printed as LaTeX and parsed again before it is judged. A difference reveals an error of the reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter

from verify.latex.claims import Reading, read_formula
from verify.latex.errors import Unclear
from verify.latex.glossary import CONSTANTS, DEFAULTS, KINDS, Entry, Kinds, least_of, spelled
from verify.latex.heads import Norm

_SIGNS = {
    "<=": "is at most",
    ">=": "is at least",
    "<": "is less than",
    ">": "is greater than",
    "==": "equals",
    "!=": "differs from",
}


class _Printer(LatexPrinter):
    """Printer of unambiguous LaTeX: every product has a dot and every operator brackets.

    `names` maps SymPy names to LaTeX names; `ups` gives the number of superscript indices of a family.
    """

    def __init__(self, names: Mapping[str, str], ups: Mapping[str, int]) -> None:
        super().__init__({"mul_symbol": "dot", "inv_trig_style": "full"})
        self.names, self.ups = names, ups

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        name = self.names.get(expr.name, expr.name)
        return name if is_letter(name) else rf"\left[{name}\right]"

    def _print_Indexed(self, expr: Any) -> str:
        name = expr.base.label.name
        ups = self.ups.get(name, 0)
        number = bool(expr.base.label.is_real)  # a_0 of numbers would be read as a name, so print a_{(0)}
        indices = [
            rf"({self._print(index)})" if number and index.is_number else self._print(index)
            for index in expr.indices
        ]
        below, above = indices[: len(indices) - ups], indices[len(indices) - ups :]
        text = self._print_Symbol(expr.base.label)
        if below:  # a subscript that is part of the name comes before the indices: \eta_{l,t}
            text = (
                f"{text[:-1]},{','.join(below)}}}"
                if text.endswith("}") and "_{" in text and "^" not in text
                else f"{text}_{{{','.join(below)}}}"
            )
        return f"{text}^{{({','.join(above)})}}" if above else text

    def _powered(self, text: str, exp: str | None) -> str:
        """The text in brackets with an exponent; SymPy hands exponents of functions to their printers."""
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _print_Norm(self, expr: Any, exp: str | None = None) -> str:
        which = f"_{{{expr.args[1].name}}}" if len(expr.args) > 1 else ""
        power = f"^{{{exp}}}" if exp is not None else ""
        return rf"\left\|{self._print(expr.args[0])}\right\|{which}{power}"

    def _print_Inner(self, expr: Any, exp: str | None = None) -> str:
        one, other = map(self._print, expr.args)
        return self._powered(rf"\left\langle {one}, {other} \right\rangle", exp)

    def _print_Expect(self, expr: Any, exp: str | None = None) -> str:
        tags = [tag.name for tag in expr.args[1:]]
        under = f"_{{{tags[0]}}}" if tags and tags[0] != "." else ""
        given = rf" \mid {tags[1]}" if len(tags) > 1 else ""
        return self._powered(rf"\mathbb{{E}}{under}\left[{self._print(expr.args[0])}{given}\right]", exp)

    def _print_Loss(self, expr: Any, exp: str | None = None) -> str:
        points = ", ".join(map(self._print, expr.args[1:]))
        return self._powered(rf"{self._print(expr.args[0])}\left({points}\right)", exp)

    def _print_Grad(self, expr: Any, exp: str | None = None) -> str:
        return rf"\nabla {self._print_Loss(expr)}"

    def _print_Apply(self, expr: Any, exp: str | None = None) -> str:
        return self._print_Loss(expr, exp)

    def _print_Pow(self, expr: Any) -> str:
        """Put a symbol with a symbolic exponent in brackets, as the exponent could otherwise be read as an index."""
        if isinstance(expr.base, sp.Symbol | sp.Indexed) and expr.exp.free_symbols:
            return rf"\left({self._print(expr.base)}\right)^{{{self._print(expr.exp)}}}"
        return str(super()._print_Pow(expr))

    def _print_Extreme(self, expr: Any, exp: str | None = None) -> str:
        name, body, limits = expr.args
        text = rf"\left(\{name.name}_{{{self.limits(*limits)}}} \left({self._print(body)}\right)\right)"
        return text if exp is None else f"{text}^{{{exp}}}"

    def _print_SumOver(self, expr: Any, exp: str | None = None) -> str:
        body, index, over = expr.args
        return self._powered(
            rf"\left(\sum_{{{self.limits(index, over)}}} \left({self._print(body)}\right)\right)", exp
        )

    def _print_Sum(self, expr: Any) -> str:
        return self._over(r"\sum", expr)

    def _print_Product(self, expr: Any) -> str:
        return self._over(r"\prod", expr)

    def _over(self, sign: str, expr: Any) -> str:
        """Print one operator for each index, the outermost first."""
        signs = [
            rf"{sign}_{{{self._print(index)}={self._print(low)}}}^{{{self._print(high)}}}"
            for index, low, high in reversed(expr.limits)
        ]
        body = self._print(expr.function)
        whole = (
            isinstance(expr.function, sp.Symbol | sp.Indexed | Norm)
            or type(expr.function).__name__ == "Expect"
        )
        bracketed = body if whole else rf"\left({body}\right)"
        return f"{' '.join(signs)} {bracketed}"

    def limits(self, index: Any, *ends: Any) -> str:
        texts = [self._print(end) for end in ends]
        if len(texts) == 2:
            return rf"{texts[0]} \leq {self._print(index)} \leq {texts[1]}"
        return rf"{self._print(index)} \in {texts[0]}" if texts else str(self._print(index))

    def _print_BigO(self, expr: Any, exp: str | None = None) -> str:
        return rf"\mathcal{{O}}\left({self._print(expr.args[0])}\right)"

    def _print_SoftO(self, expr: Any, exp: str | None = None) -> str:
        return rf"\tilde{{O}}\left({self._print(expr.args[0])}\right)"

    def _print_Size(self, expr: Any, exp: str | None = None) -> str:
        return self._powered(rf"\left|{self._print(expr.args[0])}\right|", exp)

    def _print_ExpBase(self, expr: Any, exp: str | None = None) -> str:
        return self._powered(rf"\exp\left({self._print(expr.args[0])}\right)", exp)

    _print_exp = _print_ExpBase

    def _print_log(self, expr: Any, exp: str | None = None) -> str:
        return self._powered(rf"\log\left({self._print(expr.args[0])}\right)", exp)

    def _print_Exp1(self, expr: Any, exp: str | None = None) -> str:
        return self._powered(r"\exp\left(1\right)", exp)

    def _print_binomial(self, expr: Any, exp: str | None = None) -> str:
        above, below = map(self._print, expr.args)
        return self._powered(rf"\binom{{{above}}}{{{below}}}", exp)

    def _print_factorial(self, expr: Any, exp: str | None = None) -> str:
        return self._powered(rf"\left({self._print(expr.args[0])}\right)!", exp)


@cache
def is_letter(name: str) -> bool:
    """Whether the reader takes a name as one symbol. Any other name is a formula and is printed in square brackets."""
    try:
        found = read_formula(rf"{name} \le 1", Kinds({spelled(name): Entry("real")}))
    except Unclear:
        return False
    return [spelled(latex) for latex, _ in found.used.values()] == [spelled(name)]


def _printer(reading: Reading) -> _Printer:
    """The printer with the LaTeX names of a parsed claim."""
    return _Printer({name: latex for name, (latex, _) in reading.used.items()}, reading.ups)


def latex_of(reading: Reading) -> str:
    """The parsed claim as LaTeX: relations joined by "and", then conditions after "if"."""
    printer = _printer(reading)
    claimed = r" \text{ and } ".join(printer.doprint(relation) for relation in reading.relations)
    met = r" \text{ and } ".join(printer.doprint(relation) for relation in reading.conditions)
    return claimed + (rf" \text{{ if }} {met}" if met else "")


def python_of(reading: Reading) -> str:
    """The parsed claim as Python: relations, then conditions."""
    return ", ".join(map(str, (*reading.relations, *reading.conditions)))


def words_of(reading: Reading) -> str:
    """The parsed claim in words, with the kind of every symbol. Kinds that are not declared are marked "(default)"."""
    printer = _printer(reading)

    def relation_in_words(relation: Any) -> str:
        return f"{_words(printer, relation.lhs)} {_SIGNS[relation.rel_op]} {_words(printer, relation.rhs)}"

    symbols = [
        f"{latex} is {_meaning(latex, entry)}{' (default)' if entry.default else ''}"
        for latex, entry in reading.used.values()
    ]
    met = f"\nif {' and '.join(map(relation_in_words, reading.conditions))}" if reading.conditions else ""
    return f"{' and '.join(map(relation_in_words, reading.relations))}{met}\nwhere {'; '.join(symbols)}"


def _meaning(latex: str, entry: Entry) -> str:
    """The meaning of a symbol in words: the value of a constant, the loss whose least value it is, or else its kind."""
    if entry.kind == "constant":
        return f"the constant {float(CONSTANTS[latex]):.5f}..."
    loss = least_of(latex)
    if entry.kind == "real" and loss and DEFAULTS.get(loss) == "loss":
        return f"the least value of {loss}"
    return KINDS[entry.kind]


def _words(printer: _Printer, value: Any) -> str:
    """An expression in words; parts without sums, norms and expectations stay LaTeX."""
    name = type(value).__name__

    def inner(part: Any) -> str:
        return _words(printer, part)

    if name == "Sum":
        limits = ", ".join(
            f"{printer.doprint(i)} from {printer.doprint(a)} to {printer.doprint(b)}"
            for i, a, b in value.limits
        )
        return f"the sum over {limits} of ({inner(value.function)})"
    if name == "Extreme":
        least = {"max": "largest", "sup": "supremum", "min": "least", "inf": "infimum"}[value.args[0].name]
        return f"the {least} over {printer.limits(*value.args[2])} of ({inner(value.args[1])})"
    if name == "Expect":
        return f"the expectation of ({inner(value.args[0])})"
    if name == "Norm":
        return f"the norm of {printer.doprint(value.args[0])}"
    if name == "Inner":
        return f"the inner product of {printer.doprint(value.args[0])} and {printer.doprint(value.args[1])}"
    if name in {"BigO", "SoftO"}:
        return f"some constant times ({inner(value.args[0])}){' up to logarithms' if name == 'SoftO' else ''}"
    if isinstance(value, sp.Pow) and value.exp == 2 and type(value.base).__name__ in {"Norm", "Expect"}:
        return f"the square of {inner(value.base)}"
    if isinstance(value, sp.Add):
        return " plus ".join(map(inner, value.as_ordered_terms()))
    if isinstance(value, sp.Mul) and any(
        type(part).__name__ in {"Sum", "Expect", "Extreme"} for part in value.args
    ):
        return " times ".join(map(inner, value.as_ordered_factors()))
    return str(printer.doprint(value))


def _alike(one: Any, other: Any) -> bool:
    """Whether two relations are equal up to the simplifications of SymPy when it builds products and moduli again."""
    sides = zip(one.args, other.args, strict=True)
    return type(one) is type(other) and all(_equal(left, right) for left, right in sides)


def _equal(left: Any, right: Any) -> bool:
    """Whether two expressions are equal up to the expansion of products and a common denominator."""
    if left == right:
        return True
    apart = sp.expand_mul(_rebuilt(left) - _rebuilt(right))
    return apart == 0 or sp.expand_mul(sp.numer(sp.together(apart))) == 0


def _rebuilt(value: Any) -> Any:
    """The expression built again from its leaves, which applies SymPy's automatic simplifications."""
    return value.func(*map(_rebuilt, value.args)) if value.args else value


def require_read_back(reading: Reading, position: int = 0) -> str:
    """Print a parsed claim as LaTeX and check that the LaTeX parses to the same claim.

    Raises
    ------
    Unclear
        If the printed LaTeX cannot be parsed or parses to another claim.
    """
    text = latex_of(reading)
    try:
        again = read_formula(text, reading.kinds)
    except Unclear as error:
        raise Unclear(
            f"the formula was read as {text[:200]!r}, which cannot be parsed again ({error.question}); split it into parts",
            position,
        ) from None
    pairs = ((again.relations, reading.relations), (again.conditions, reading.conditions))
    if not all(len(ones) == len(others) and all(map(_alike, ones, others)) for ones, others in pairs):
        raise Unclear(
            f"the formula was read as {text[:200]!r}, which parses to another claim; split it into parts",
            position,
        )
    return text
