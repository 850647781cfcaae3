"""Letters of facts: symbols that no paper names, such as a part of a sum."""

from __future__ import annotations

import sympy as sp


def named(*names: str, **domain: bool) -> tuple[sp.Symbol, ...]:
    """Symbols with a common domain, such as ``real=True``; each text holds names that commas separate."""
    return tuple(sp.Symbol(name, **domain) for text in names for name in text.split(", "))
