"""Claims about all numbers of rounds with a given potential."""

from fractions import Fraction

import pytest
import sympy as sp

from tests.verify.published import require_proof_for_all_sizes
from verify import Box, Notes, every_round
from verify.check_proof import Refused, check
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Scene
from verify.engine.verdict import Finding, Verdict
from verify.first_order import NONNEGATIVE, Form, Problem, Vector, dot, nonexpansive, smooth_convex, sq
from verify.quantities import L, distance2, distance2_0, eta, gap, grad2, t
from verify.report.wording import sentence

INNER = Notes("own").real("inner")


def judged(scene: Scene, relation: sp.Rel, *conditions: sp.Rel) -> Finding:
    claim = Notes("own").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def halpern(problem: Problem, t: Fraction) -> dict[str, Form]:
    operator, start, x = problem.operator(nonexpansive()), problem.point("x0"), problem.point("x")
    fixed, y = operator.fixed_point(), (start + (t + 1) * operator.value(x)) / (t + 2)

    def moved(x: Vector) -> Vector:
        return x - operator.value(x)

    return {
        "grad2_before": sq(moved(x)),
        "grad2": sq(moved(y)),
        "inner_before": dot(moved(x), x - start),
        "inner": dot(moved(y), y - start),
        "distance2_0": sq(start - fixed),
    }


def at_start(problem: Problem) -> dict[str, Form | int]:
    operator, start = problem.operator(nonexpansive()), problem.point("x0")
    fixed = operator.fixed_point()
    return {"grad2": sq(start - operator.value(start)), "inner": 0, "distance2": sq(start - fixed)}


def krasnoselskii_mann(problem: Problem, eta: Fraction) -> dict[str, Form]:
    operator, x = problem.operator(nonexpansive()), problem.point("x")
    fixed, y = operator.fixed_point(), (1 - eta) * x + eta * operator.value(x)
    return {
        "grad2_before": sq(x - operator.value(x)),
        "grad2": sq(y - operator.value(y)),
        "distance2_before": sq(x - fixed),
        "distance2": sq(y - fixed),
    }


HALPERN = every_round(halpern, potential=t * (t + 1) * grad2 / 2 + (t + 1) * INNER, start=at_start)
MANN = every_round(
    krasnoselskii_mann, potential=eta * (1 - eta) * t * grad2 + distance2 - distance2_0, eta=Box(0.01, 0.99)
)


@pytest.mark.parametrize(
    ("scene", "claim"),
    [
        (HALPERN, grad2 <= 4 * distance2_0 / (t + 1) ** 2),
        (MANN, grad2 <= distance2_0 / (eta * (1 - eta) * (t + 1))),
    ],
    ids=["halpern", "krasnoselskii-mann"],
)
def test_a_potential_proves_a_rate_for_all_numbers_of_rounds(scene: Scene, claim: sp.Rel) -> None:
    finding = judged(scene, claim)
    require_proof_for_all_sizes(finding)


def test_a_rate_that_the_potential_does_not_imply_is_not_proved() -> None:
    finding = judged(HALPERN, grad2 <= 3 * distance2_0 / (t + 1) ** 2)
    assert finding.verdict is not Verdict.PROVED
    assert "implies the claim" in sentence(finding.reason)


def test_a_potential_that_grows_is_named() -> None:
    scene = every_round(halpern, potential=t * (t + 1) * grad2 + (t + 1) * INNER, start=at_start)
    finding = judged(scene, grad2 <= 4 * distance2_0 / (t + 1) ** 2)
    assert finding.verdict is not Verdict.PROVED
    assert "does not grow" in sentence(finding.reason)


def test_the_conclusion_needs_the_start() -> None:
    finding = judged(HALPERN, grad2 <= 4 * distance2_0 / (t + 1) ** 2)
    assert finding.proof is not None
    whole = finding.proof["certificates"][-1]
    forged = [
        {"given": [">=", "1", "0"], "by": "x"} if line.get("by") == "the start" else line
        for line in whole["lines"]
    ]
    with pytest.raises(Refused):
        check({**whole, "lines": forged})


def sharp_step(problem: Problem, L: Fraction) -> dict[str, Form]:
    f, x = problem.function(smooth_convex(L)), problem.point("x")
    best, y = f.minimiser(), x - f.gradient(x) / L
    values = {"gap_before": f(x) - f(best), "gap": f(y) - f(best)}
    slopes = {"grad2_before": sq(f.gradient(x)), "grad2": sq(f.gradient(y))}
    return {**values, **slopes, "distance2_before": sq(x - best), "distance2": sq(y - best)}


def test_the_best_constant_of_gradient_descent_holds_for_all_numbers_of_rounds() -> None:
    potential = distance2 - distance2_0 + 2 * t * gap / L + t * (t + 1) * grad2 / L**2
    scene = every_round(sharp_step, potential=potential, L=NONNEGATIVE)
    require_proof_for_all_sizes(judged(scene, gap <= L * distance2_0 / (4 * t + 2)))


def test_a_false_claim_with_a_potential_is_refuted() -> None:
    potential = distance2 - distance2_0 + 2 * t * gap / L + t * (t + 1) * grad2 / L**2
    scene = every_round(sharp_step, potential=potential, L=NONNEGATIVE)
    finding = judged(scene, gap <= L * distance2_0 / (4 * t + 3))
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness is not None
    assert finding.witness.instance.shape["t"] == 1


def test_a_potential_holds_at_fixed_parameters() -> None:
    scene = every_round(krasnoselskii_mann, potential=t * grad2 / 4 + distance2 - distance2_0, eta="1/2")
    require_proof_for_all_sizes(judged(scene, grad2 <= 4 * distance2_0 / (t + 1)))
