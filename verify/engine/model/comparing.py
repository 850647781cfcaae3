"""Answers to comparisons of symbols while a scene is computed. The form of two formulas decides nothing.

SymPy refuses to decide x < y. But it evaluates x == y as false and x itself as true, because these formulas differ from y
and 0. Numbers may be equal although formulas differ. So code outside SymPy gets an answer about numbers, or an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

Guide = Callable[[Relational], bool]
"""Gives the truth of "one formula is smaller than another", or of "smaller or equal"."""


class Unordered(TypeError):
    """Raised for a comparison of symbols whose answer depends on the numbers."""


def refusing(question: Relational) -> bool:
    """The guide of scenes that do not branch.

    Raises
    ------
    Unordered
        Always.
    """
    raise Unordered(
        f"cannot determine truth value of Relational: {question}; a scene that compares its numbers needs `Branching`"
    )


@contextmanager
def answering(guide: Guide) -> Iterator[None]:
    """Inside this context, `guide` answers comparisons of formulas outside SymPy.

    The guide is asked only about order: two formulas are equal if neither is smaller, and a formula is true if it is not 0.
    Identical formulas are equal. Inside the guide, formulas are compared as in SymPy.
    """
    kept = [(kind, name, vars(kind).get(name)) for kind, name in _places()]
    silent = False

    def asked(question: Any) -> bool:
        nonlocal silent
        if not isinstance(question, Relational):
            return bool(question)
        silent = True
        try:
            return guide(question)
        finally:
            silent = False

    def truth(question: Relational) -> bool:
        if isinstance(question, sp.Eq | sp.Ne):
            return equal(*question.args) is isinstance(question, sp.Eq)
        return asked(question)

    def equal(left: sp.Expr, right: sp.Expr) -> bool:
        return not (asked(sp.Lt(left, right)) or asked(sp.Gt(left, right)))

    def by_number(by_form: Callable[[Any, Any], Any], of_one_form: object) -> Callable[[Any, Any], Any]:
        def answer(left: Any, right: Any) -> Any:
            found = by_form(left, right)
            if found is of_one_form or silent or _within_sympy():
                return found
            one, other = _formula(left), _formula(right)
            return found if one is None or other is None else equal(one, other) is of_one_form

        return answer

    def is_not_zero(formula: sp.Expr) -> bool:
        return True if silent or _within_sympy() else not equal(formula, sp.S.Zero)

    changed = {"__eq__": True, "__ne__": False}
    try:
        for kind, name, method in kept:
            if name in changed and method is not None:
                setattr(kind, name, by_number(method, changed[name]))
        Relational.__bool__, sp.Expr.__bool__ = truth, is_not_zero
        yield
    finally:
        for kind, name, method in kept:
            if method is None:
                delattr(kind, name)
            else:
                setattr(kind, name, method)


def _places() -> list[tuple[type, str]]:
    """Classes of SymPy with the methods that implement comparisons of formulas."""
    found = [(sp.Basic, "__eq__"), (sp.Basic, "__ne__"), (Relational, "__bool__"), (sp.Expr, "__bool__")]
    waiting = [sp.Expr]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        found += [(kind, name) for name in ("__eq__", "__ne__") if name in vars(kind)]
    return list(dict.fromkeys(found))


def _formula(side: Any) -> sp.Expr | None:
    """A side of a comparison; None if it is not a formula of numbers."""
    try:
        found = sp.sympify(side, strict=True)
    except sp.SympifyError:
        return None
    return found if isinstance(found, sp.Expr) else None


def _within_sympy() -> bool:
    """Whether SymPy itself makes the comparison, which is about the form of formulas."""
    return str(sys._getframe(2).f_globals.get("__name__", "")).partition(".")[0] == "sympy"  # noqa: SLF001
