"""What comparisons of symbols answer while a scene is computed: nothing is decided by the form of two formulas.

SymPy refuses to say whether x < y, but takes x == y for false and x itself for true, since these are other formulas than y
and 0. Numbers may be equal where formulas differ, so code outside SymPy is told what holds of numbers, or is told nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

Guide = Callable[[Relational], bool]
"""Whether one formula is smaller than another, or at most as large."""


class Unordered(TypeError):
    """A comparison of symbols that has another answer for other numbers."""


def refusing(question: Relational) -> bool:
    """The guide where every number takes the same way.

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
    """While this lasts, code outside SymPy that compares formulas is answered by `guide`.

    It is asked about order alone: two formulas are equal where neither is smaller, and one is true where it is not 0. What
    is written as one formula is equal. The guide itself compares formulas as SymPy does.
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
    """Classes of SymPy with the methods that comparisons of formulas come to."""
    found = [(sp.Basic, "__eq__"), (sp.Basic, "__ne__"), (Relational, "__bool__"), (sp.Expr, "__bool__")]
    waiting = [sp.Expr]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        found += [(kind, name) for name in ("__eq__", "__ne__") if name in vars(kind)]
    return list(dict.fromkeys(found))


def _formula(side: Any) -> sp.Expr | None:
    """A side of a comparison; None if it is no formula of numbers."""
    try:
        found = sp.sympify(side, strict=True)
    except sp.SympifyError:
        return None
    return found if isinstance(found, sp.Expr) else None


def _within_sympy() -> bool:
    """Whether SymPy itself compares, which is about forms."""
    return str(sys._getframe(2).f_globals.get("__name__", "")).partition(".")[0] == "sympy"
