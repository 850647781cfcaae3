"""Z3: its answers are not checked. `proved` means that it finds no counterexample, `refuted` that it names one."""

from __future__ import annotations

from typing import Any

import sympy as sp

from tests.benchmarks.steps.rivals.problem import Question, Unstated
from tests.benchmarks.steps.rivals.workers import PATIENCE
from verify.engine.search.points import Translation, Untranslatable


def load() -> None:
    """Import Z3."""
    import z3  # noqa: F401


def answer(question: Question, seconds: float) -> str:
    """`proved`, `refuted` or `open`.

    Raises
    ------
    Unstated
        If a term would be an arbitrary number for Z3.
    """
    import z3

    solver = z3.Solver(ctx=z3.Context())
    solver.set(
        "timeout", int(1000 * PATIENCE * seconds)
    )  # on the clock; its process ends after `seconds` of CPU time
    solver.add(z3.Not(translated(question, solver)))
    return {"unsat": "proved", "sat": "refuted"}.get(str(solver.check()), "open")


def translated(question: Question, solver: Any) -> Any:
    """The relation in Z3's terms; its conditions are added to the solver.

    Raises
    ------
    Unstated
        If a term would be an arbitrary number for Z3.
    """
    translation = Translation(solver)
    try:
        for condition in question.conditions:
            solver.add(translation.relation(condition))
        goal = translation.relation(question.relation)
    except Untranslatable as error:
        raise Unstated(str(error)) from None
    unread = [term for term in translation.auxiliary if not _defined(term)]
    if unread:
        raise Unstated(f"Z3 cannot read {unread[0]}")
    translation.whole()
    return goal


def _defined(term: sp.Expr) -> bool:
    """Whether the translation gives the equation of a term: a quotient, or a square root."""
    return isinstance(term, sp.Pow) and term.exp.is_Rational and term.exp.q <= 2
