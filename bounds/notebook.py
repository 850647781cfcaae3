"""Statements as LaTeX, Markdown and HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Protocol

import sympy as sp

from bounds.mathml import mathml
from bounds.symbols import Glossary


class Printable(Protocol):
    """What a notebook shows of a statement."""

    @property
    def id(self) -> str: ...
    @property
    def says(self) -> str: ...
    @property
    def conditions(self) -> tuple[sp.Basic, ...]: ...
    @property
    def terms(self) -> Mapping[str, sp.Expr]: ...
    @property
    def source(self) -> object: ...
    @property
    def glossary(self) -> Glossary: ...
    def latex(self) -> str: ...


class Displayed:
    """The methods by which notebooks show a statement."""

    def _repr_latex_(self: Printable) -> str:
        """The formula as LaTeX."""
        return f"$\\displaystyle {self.latex()}$"

    def _repr_markdown_(self: Printable) -> str:
        """Id, sentence, formula, conditions and source."""
        lines = [f"**{self.id}**: {self.says}", f"$$ {self.latex()} $$"]
        if self.conditions:
            lines.append("if " + ", ".join(f"${self.glossary.latex(c)}$" for c in self.conditions))
        return "\n\n".join([*lines, f"*{self.source}*"])

    def _repr_html_(self: Printable) -> str:
        """The same with a table of the named terms; formulas are MathML, which every notebook draws."""
        letters = self.glossary
        lines = [f"<p><b>{escape(self.id)}</b>: {escape(self.says)}</p>", f"<p>{mathml(self.latex())}</p>"]
        if self.conditions:
            lines.append(f"<p>if {', '.join(mathml(letters.latex(c)) for c in self.conditions)}</p>")
        if self.terms:
            rows = (
                f"<tr><td>{escape(name)}</td><td>{mathml(letters.latex(term))}</td></tr>"
                for name, term in self.terms.items()
            )
            lines.append(f"<table>{''.join(rows)}</table>")
        return "\n".join([*lines, f"<p><i>{escape(str(self.source))}</i></p>"])
