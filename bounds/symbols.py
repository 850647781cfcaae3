"""Glossaries define every symbol of a paper once, with its meaning and its domain.

A letter has different meanings in different papers (``K`` counts tasks in SPECIAL and local steps in CFL), so each
paper has a glossary of its own. The SymPy symbol of a letter depends only on its name and its domain. Two papers that
both use a positive ``L`` share the symbol, but each glossary has its own meaning of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sympy as sp
from sympy.core.relational import Relational
from sympy.printing.latex import LatexPrinter

from bounds import signs as signs

_GROUP = re.compile(r"\{[^{}]*\}|\([^()]*\)|\[[^\[\]]*\]|\\\|.*?\\\||\\langle.*?\\rangle|\|[^|]*\|")
_SUM = re.compile(r"[^\s_^]\s*[+-]")
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}")
DOMAINS: Mapping[str, Mapping[str, bool]] = {
    "positive": {"positive": True},
    "nonnegative": {"nonnegative": True},
    "real": {"real": True},
    "count": {"integer": True, "positive": True},
}


@dataclass(frozen=True)
class Quantity:
    """A symbol with its meaning in words, its LaTeX, and its domain (a key of `DOMAINS`)."""

    symbol: sp.Symbol
    meaning: str
    latex: str
    domain: str


@dataclass(frozen=True)
class Glossary(Mapping[str, Quantity]):
    """The symbols of one paper, by ASCII name.

    Attributes
    ----------
    paper : str
        Key of the paper.
    beside : mapping of str to Quantity
        Quantities of another glossary, used for names that this one does not define.
    """

    paper: str
    beside: Mapping[str, Quantity] = field(default_factory=dict, repr=False, hash=False, compare=False)
    _entries: dict[str, Quantity] = field(default_factory=dict, repr=False, hash=False, compare=False)

    def define(self, name: str, meaning: str, domain: str = "real", latex: str | None = None) -> sp.Symbol:
        """Add a quantity and return its symbol.

        Raises
        ------
        ValueError
            If `name` is already defined or `domain` is not one of `DOMAINS`.
        """
        if domain not in DOMAINS:
            raise ValueError(f"`domain` must be one of {sorted(DOMAINS)}, got {domain!r}")
        symbol = sp.Symbol(name, **DOMAINS[domain])
        self._add(name, Quantity(symbol, meaning, latex or upright(symbol), domain))
        return symbol

    def series(self, base: sp.IndexedBase, meaning: str, latex: str) -> None:
        """Define the meaning of a sequence with one value for each index.

        Raises
        ------
        ValueError
            If its name is already defined.
        """
        self._add(base.label.name, Quantity(base.label, meaning, latex, "real"))

    def _add(self, name: str, letter: Quantity) -> None:
        if name in self._entries:
            raise ValueError(f"`name` must be new in the glossary of {self.paper}, got {name!r} again")
        self._entries[name] = letter

    def count(self, name: str, meaning: str, latex: str | None = None) -> sp.Symbol:
        """Add a whole number >= 1; as `define`."""
        return self.define(name, meaning, "count", latex)

    def positive(self, name: str, meaning: str, latex: str | None = None) -> sp.Symbol:
        """Add a number > 0; as `define`."""
        return self.define(name, meaning, "positive", latex)

    def nonnegative(self, name: str, meaning: str, latex: str | None = None) -> sp.Symbol:
        """Add a number >= 0; as `define`."""
        return self.define(name, meaning, "nonnegative", latex)

    def real(self, name: str, meaning: str, latex: str | None = None) -> sp.Symbol:
        """Add any real number; as `define`."""
        return self.define(name, meaning, "real", latex)

    def __getitem__(self, name: str) -> Quantity:
        return self._entries[name] if name in self._entries else self.beside[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(self.paper)

    def latex(self, expression: sp.Basic) -> str:
        """LaTeX of an expression in this paper's notation. A letter whose LaTeX is a sum gets brackets inside a
        product.
        """
        inside = {
            part
            for node in sp.preorder_traversal(sp.sympify(expression))
            if not isinstance(node, Relational | sp.Add)
            for part in node.args
        }
        names = {
            entry.symbol: rf"\left({entry.latex}\right)"
            if entry.symbol in inside and _is_sum(entry.latex)
            else entry.latex
            for entry in {**self.beside, **self._entries}.values()
        }
        return str(_Printer({"symbol_names": names}).doprint(expression))


class _Printer(LatexPrinter):  # type: ignore[misc]
    """SymPy's printer with the terms of sums as in `printed_terms`."""

    def _as_ordered_terms(self, expression: sp.Expr, order: str | None = None) -> list[sp.Expr]:
        return printed_terms(expression)


def printed_terms(formula: sp.Expr) -> list[sp.Expr]:
    """Terms of a formula in the order in which they are printed: those with a minus last."""
    return sorted(formula.as_ordered_terms(), key=lambda term: bool(term.as_coeff_Mul()[0].is_negative))


def assumptions_of(symbol: sp.Symbol) -> Mapping[str, bool]:
    """The assumptions with which a symbol was made, without those that follow from them."""
    # SymPy's public `assumptions0` contains the others, too
    declared: Mapping[str, bool] = symbol._assumptions_orig  # noqa: SLF001
    return declared


def renamed(symbol: sp.Symbol, name: str) -> sp.Symbol:
    """The symbol with another name and the same assumptions."""
    return sp.Symbol(name, **assumptions_of(symbol))


def upright(symbol: sp.Symbol) -> str:
    """LaTeX of a symbol whose name contains words. Words are upright, because a word in italics reads as a product of
    letters.
    """
    return _WORD.sub(r"\\mathrm{\g<0>}", str(sp.latex(symbol)))


def _is_sum(latex: str) -> bool:
    """Whether a plus or minus stands outside all brackets."""
    outside, inner = latex, ""
    while outside != inner:
        inner, outside = outside, _GROUP.sub("", outside)
    return bool(_SUM.search(outside))


def domain_of(symbol: sp.Symbol) -> str:
    """Domain of a symbol, read off its assumptions: the first entry of `DOMAINS` that they imply, or "real"."""
    if symbol.is_integer and symbol.is_positive:
        return "count"
    if symbol.is_positive:
        return "positive"
    if symbol.is_nonnegative:
        return "nonnegative"
    return "real"


def is_visibly(formula: sp.Expr, *, positive: bool) -> bool:
    """Whether a formula is nonnegative, or positive, as a sum, product or power of letters and numbers that are.

    For differences SymPy's own answer can be wrong: it takes 1/(m n) - 1 for nonnegative, with counts m and n.
    """
    if isinstance(formula, sp.Add):
        signs = [is_visibly(part, positive=True) for part in formula.args]
        others = (part for part, sign in zip(formula.args, signs, strict=True) if not sign)
        return all(is_visibly(part, positive=False) for part in others) and (not positive or any(signs))
    if isinstance(formula, sp.Mul | sp.Min):
        return all(is_visibly(part, positive=positive) for part in formula.args)
    if isinstance(formula, sp.Max):
        return any(is_visibly(part, positive=positive) for part in formula.args)
    if isinstance(formula, sp.Pow) and not (formula.exp.is_even and formula.base.is_real and not positive):
        return is_visibly(formula.base, positive=positive or bool(formula.exp.is_negative))
    return bool(formula.is_positive if positive else formula.is_nonnegative)
