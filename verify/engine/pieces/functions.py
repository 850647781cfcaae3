"""Functions in a claim about one symbol, with a symbol of polynomials for each of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy as sp

from verify.engine.certificates.formulas import Tree, Untranslatable, tree
from verify.engine.certificates.recheck import replaced

KNOWN = (sp.exp, sp.log, type(sp.E))
"""Functions that laws bound; roots have rules of their own."""


@dataclass(frozen=True)
class Function:
    """A function in a claim: its symbol in polynomials, its argument as a quotient of polynomials, and itself."""

    symbol: sp.Symbol
    argument: sp.Expr
    itself: sp.Expr

    @property
    def tree(self) -> Tree:
        return tree(self.itself)


@dataclass
class Functions:
    """The functions of one symbol that formulas hold, inner ones first."""

    x: sp.Symbol
    found: dict[sp.Expr, Function] = field(default_factory=dict)

    def abstract(self, formula: sp.Expr) -> sp.Expr:
        """A formula with a symbol for each function; raises Untranslatable for others than sums, products, roots, exp and log."""
        if isinstance(formula, KNOWN):
            inside = self.abstract(formula.args[0]) if formula.args else sp.S.One
            return self._symbol(formula, inside)
        if isinstance(formula, sp.Pow) and formula.exp.is_Rational:
            inside = self.abstract(formula.base)
            if formula.exp.q == 2:
                return self._symbol(sp.sqrt(formula.base), inside) ** formula.exp.p
            if formula.exp.q == 1:
                return inside**formula.exp.p
        elif isinstance(formula, sp.Add | sp.Mul):
            return formula.func(*map(self.abstract, formula.args))
        elif formula == self.x or formula.is_Rational:
            return formula
        raise Untranslatable(f"no sum, product, root, exp or log of {self.x}: {formula}")

    def _symbol(self, itself: sp.Expr, argument: sp.Expr) -> sp.Symbol:
        if itself not in self.found:
            symbol = sp.Symbol(f"function {len(self.found)}")
            self.found[itself] = Function(symbol, argument, itself)
        return self.found[itself].symbol

    def outermost(self, formula: sp.Expr) -> Function | None:
        """A function in a formula that is in no other; None if there is none."""
        inside = [function for function in self.found.values() if function.symbol in formula.free_symbols]
        return inside[-1] if inside else None

    def tree(self, formula: sp.Expr) -> Tree:
        """A quotient of polynomials in the symbols of functions, as a formula of certificates."""
        found = tree(formula)
        for function in self.found.values():
            found = replaced(found, function.symbol.name, function.tree)
        return found

    def values(self, formula: sp.Expr, numbers: list[sp.Rational]) -> list[float]:
        """Values of a formula at some numbers."""
        plain = formula.xreplace({function.symbol: function.itself for function in self.found.values()})
        return [float(plain.subs(self.x, number).evalf(15)) for number in numbers]
