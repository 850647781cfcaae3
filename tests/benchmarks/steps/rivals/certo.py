"""certo-math: products of conditions with exact multipliers, sums of squares, then its solver."""

from __future__ import annotations

from typing import Any

import sympy as sp

from tests.benchmarks.steps.rivals.problem import Problem, Question, Unstated, problem
from tests.benchmarks.steps.rivals.z3_solver import translated


def load() -> None:
    """Import certo-math."""
    import certo.api  # noqa: F401


def answer(question: Question, seconds: float) -> str:
    """`certified` if a certificate shows the claim without a solver; `proved` or `refuted` by its solver; else `open`.

    Raises
    ------
    Unstated
        If neither its solver nor its certificates can state the claim.
    """
    from certo import Limits

    limits = Limits(timeout_ms=int(1000 * seconds / 3))
    try:
        stated: Problem | None = problem(question)
    except Unstated:
        stated = None
    if stated is not None and _certified(stated, limits):
        return "certified"
    return _solved(question, limits)


def _certified(stated: Problem, limits: Any) -> bool:
    """Whether `farkas` or `sos` proves the polynomial form; `api.run` checks their certificates without a solver."""
    from certo import SOSSpec, Spec, api

    goal, sign = stated.goal
    letters = _letters(stated)
    spec = Spec()
    for k, given in enumerate(stated.given):
        spec.assume(f"given{k}", _relation(given, letters))
    if sign == "!=":
        return False
    for part in ((goal, ">="), (-goal, ">=")) if sign == "=" else ((goal, sign),):
        spec.claim(_relation(part, letters))
        if not _proved(api.run, "farkas", spec, limits, nonlinear=True):
            squares = SOSSpec(variables=[s.name for s in stated.symbols], poly=_term(part[0], letters))
            if part[1] == ">" or not _proved(api.run, "sos", squares, limits):
                return False
    return True


def _proved(run: Any, command: str, spec: Any, limits: Any, **options: Any) -> bool:
    from certo.api import SelfCheckFailed

    try:
        return bool(run(command, spec, limits, **options).verdict.value == "proved")
    except (SelfCheckFailed, ValueError, TypeError, ArithmeticError):
        return False


def _solved(question: Question, limits: Any) -> str:
    """The answer of `prove`, whose certificate asks its solver (Z3) a second time."""
    import z3
    from certo import Spec, api

    solver = z3.Solver()
    goal = translated(question, solver)
    spec = Spec()
    for k, assertion in enumerate(solver.assertions()):
        spec.assume(f"given{k}", assertion)
    spec.claim(goal)
    try:
        verdict = api.run("prove", spec, limits, self_check="all").verdict.value
    except api.SelfCheckFailed:
        return "open"
    return str(verdict) if verdict in ("proved", "refuted") else "open"


def _letters(stated: Problem) -> dict[sp.Symbol, Any]:
    import z3

    return {s: z3.Int(s.name) if s.name in stated.whole else z3.Real(s.name) for s in stated.symbols}


def _relation(given: tuple[sp.Expr, str], letters: dict[sp.Symbol, Any]) -> Any:
    formula, sign = _term(given[0], letters), given[1]
    compare = {">=": formula >= 0, ">": formula > 0, "=": formula == 0, "!=": formula != 0}
    return compare[sign]


def _term(formula: sp.Expr, letters: dict[sp.Symbol, Any]) -> Any:
    import z3

    if isinstance(formula, sp.Symbol):
        return letters[formula]
    if formula.is_Rational:
        return z3.RealVal(f"{formula.p}/{formula.q}")
    if isinstance(formula, sp.Add):
        return z3.Sum([_term(part, letters) for part in formula.args])
    if isinstance(formula, sp.Mul):
        return z3.Product([_term(part, letters) for part in formula.args])
    if isinstance(formula, sp.Pow) and formula.exp.is_Integer and formula.exp > 0:
        return z3.Product([_term(formula.base, letters)] * int(formula.exp))
    raise Unstated(str(formula))
