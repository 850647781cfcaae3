"""triples: proofs by sums of squares. Each is multiplied out and checked again here, so its rounding cannot deceive."""

from __future__ import annotations

import sympy as sp

from tests.benchmarks.steps.rivals.problem import Problem, Question, Unstated, problem


def load() -> None:
    """Import triples, which changes a few functions of SymPy; so it runs in a process of its own."""
    import triples.core.sum_of_squares  # noqa: F401


def answer(question: Question, seconds: float) -> str:
    """`certified` if triples finds a sum of squares that is equal to the goal and visibly nonnegative; else `open`.

    Raises
    ------
    Unstated
        If the claim is not a relation `>=` or `=` between polynomials; a sum of squares shows no strict relation.
    """
    stated = problem(question)
    goal, sign = stated.goal
    if sign not in (">=", "="):
        raise Unstated("a strict relation")
    goals = [goal] if sign == ">=" else [goal, -goal]
    return "certified" if all(_shown(stated, goal, seconds / len(goals)) for goal in goals) else "open"


def _shown(stated: Problem, goal: sp.Expr, seconds: float) -> bool:
    from triples.core.sum_of_squares import sum_of_squares

    if goal == 0:
        return True
    plain = {s: sp.Symbol(s.name) for s in stated.symbols}
    least = {formula.subs(plain): sp.Symbol(f"least{k}") for k, (formula, sign) in _by(stated, (">", ">="))}
    zero = {formula.subs(plain): sp.Symbol(f"zero{k}") for k, (formula, sign) in _by(stated, ("=",))}
    found = sum_of_squares(goal.subs(plain), least, zero, time_limit=seconds)
    return found is not None and valid(found.solution.doit(), goal.subs(plain), least, zero)


def _by(stated: Problem, signs: tuple[str, ...]) -> list[tuple[int, tuple[sp.Expr, str]]]:
    return [(k, given) for k, given in enumerate(stated.given) if given[1] in signs]


def valid(
    found: sp.Expr, goal: sp.Expr, least: dict[sp.Expr, sp.Symbol], zero: dict[sp.Expr, sp.Symbol]
) -> bool:
    """Whether a formula is equal to the goal, and its terms are nonnegative where `least` are, and `zero` are 0."""
    meaning = {letter: formula for formula, letter in (*least.items(), *zero.items())}
    same = sp.cancel(sp.together(found.subs(meaning) - goal)) == 0
    return same and _nonnegative(found.subs(dict.fromkeys(zero.values(), 0)), set(least.values()))


def _nonnegative(formula: sp.Expr, least: set[sp.Symbol]) -> bool:
    if formula.is_Number:
        return bool(formula.is_Rational and formula >= 0)
    if isinstance(formula, sp.Symbol):
        return formula in least
    if isinstance(formula, sp.Add | sp.Mul):
        return all(_nonnegative(part, least) for part in formula.args)
    if isinstance(formula, sp.Pow) and formula.exp.is_Integer:
        return formula.exp % 2 == 0 or _nonnegative(formula.base, least)
    return False
