"""The worst case of one client's round over all smooth finite sums, compared with a bound and with the result of the search.

Performance estimation (Drori and Teboulle 2014; Taylor, Hendrickx and Glineur 2017): a function is represented by its gradients
at the visited points. With the conditions for interpolation by smooth functions of either curvature, the worst case is a
semidefinite program. PEPit, which is optional, solves it numerically. The result is therefore reported without a verdict.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from bounds.evaluate import evaluate
from bounds.relations import eq
from verify.engine.checks.attack import search
from verify.engine.checks.kinds import of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.question import ask
from verify.engine.model.scene import Shape
from verify.engine.verdict import Finding, because
from verify.first_order.check import WORST_CASE

Order = tuple[int, ...]
"""The sample drawn at each of the steps 1 to E - 1."""


def orders(n_samples: int, steps: int) -> Iterator[Order]:
    """Yield orders of drawing `steps` times from `n_samples` samples, one for each class up to renaming of samples."""
    if steps == 0:
        yield ()
        return
    for earlier in orders(n_samples, steps - 1):
        for drawn in range(min(max(earlier, default=-1) + 2, n_samples)):
            yield (*earlier, drawn)


def worst(quantity: str, n_samples: int, order: Order, step: float) -> float:
    """Largest value of a quantity of one client's round, over all dimensions and all smooth samples.

    The local step size and the norm of the global gradient are 1. Other clients enter only through the global gradient, and
    averages over clients are largest if all clients are equal.

    Parameters
    ----------
    quantity : str
        "drift" or "e": distance from the server's model, or gradient error, at the last local step; "rho" or "ebar":
        norm of the summed gradients, or of the summed errors.
    n_samples : int
    order : tuple of int
    step : float
        beta * L.

    Raises
    ------
    ImportError
        If PEPit is not installed.
    ArithmeticError
        If the solver fails.
    """
    if quantity in ("e", "ebar") and (n_samples == 1 or not order):
        return 0.0  # no gradient is delayed, and the solver fails on an empty problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _solved(quantity, n_samples, order, step)


def _solved(quantity: str, n_samples: int, order: Order, step: float) -> float:
    from cvxpy.error import SolverError
    from PEPit import PEP, Expression, Point
    from PEPit.functions import SmoothFunction

    problem = PEP()
    samples = [problem.declare_function(SmoothFunction, L=step) for _ in range(n_samples)]
    start, slope = problem.set_initial_point(), Point()
    # Linear terms with sum zero change no step, so all samples may start with the mean gradient
    for sample in samples:
        sample.add_point((start, slope, Expression()))
    problem.set_initial_condition(slope**2 <= 1)
    mean = lambda parts: sum(parts[1:], parts[0]) / n_samples  # noqa: E731
    point, used, exact, errors = start, [slope] * n_samples, [slope], []
    for drawn in order:
        point = point - mean(used)
        now = [sample.gradient(point) for sample in samples]
        used[drawn] = now[drawn]
        exact.append(mean(now))
        errors.append(mean(used) - mean(now))
    # Errors are proportional to the step; they are rescaled to size 1 for the solver
    vector, unit = {
        "drift": lambda: (point - start, 1.0),
        "rho": lambda: (sum(exact[1:], exact[0]), 1.0),
        "e": lambda: (errors[-1], step),
        "ebar": lambda: (sum(errors[1:], errors[0]), step),
    }[quantity]()
    problem.set_performance_metric((vector / unit) ** 2)
    try:
        square = float(problem.solve(verbose=0, solver="CLARABEL"))
    except SolverError as error:
        raise ArithmeticError(
            f"the semidefinite program of {quantity} in the order {order} failed"
        ) from error
    return unit * max(square, 0.0) ** 0.5


def worst_case(quantity: str, sizes: Sequence[tuple[int, int]]) -> Callable[[Claim, Budget, int], Finding]:
    """Largest lhs/rhs over all smooth functions and all orders, and the largest that a search of the claim's scene finds.

    Parameters
    ----------
    quantity : str
        Left side of the claim, as `worst` names it. The claim's conditions must limit the step by an inequality
        ``beta <= ...``, at which it is taken.
    sizes : sequence of (S, E)
    """

    @of_kind(WORST_CASE)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        try:
            rows = [_row(claim, quantity, S, E, budget, seed) for S, E in sizes]
        except ImportError:
            return Finding(WORST_CASE.name, None, "sampled", because("without-pepit"))
        except ArithmeticError as error:
            reason = because("not-computed", why=str(error))
            return Finding(WORST_CASE.name, None, "sampled", reason)
        columns = ("S", "E", "worst", "found")
        reason = because("largest-ratio", rows=[{name: row[name] for name in columns} for row in rows])
        return Finding(WORST_CASE.name, None, "sampled", reason, details={"rows": rows})

    return check


def _row(claim: Claim, quantity: str, S: int, E: int, budget: Budget, seed: int) -> dict[str, Any]:
    """Both ratios, at the largest step that is allowed with E local steps."""
    (limit,) = (c for c in claim.conditions if str(c.lhs) == "beta")
    step = evaluate(limit.rhs, {"E": E, "L": 1.0})
    bound = evaluate(claim.relation.rhs, {"E": E, "k": E - 1, "L": step, "beta": 1.0, "gg": 1.0})
    largest = {order: worst(quantity, S, order, step) / bound for order in orders(S, E - 1)}
    at = max(largest, key=lambda order: largest[order])
    found = _largest_ratio(
        claim, {"N": 1, "S": S, "E": E, "d": 1, "curved": 0}, eq(*limit.args), budget, seed
    )
    return {"S": S, "E": E, "beta*L": step, "worst": largest[at], "order": list(at), "found": found}


def _largest_ratio(claim: Claim, shape: Shape, at_limit: sp.Eq, budget: Budget, seed: int) -> float:
    """Largest lhs/rhs that a search of one shape finds, with the step at its limit."""
    assert claim.scene is not None
    scene = replace(claim.scene, shapes=(shape,))
    conditions = (*claim.conditions, at_limit)
    results = search(
        ask(claim.statement.id, claim.relation, conditions, scene), batch=budget.batch, ascents=1, seed=seed
    )
    return max((result.ratio for result in results if result.ratio is not None), default=0.0)
