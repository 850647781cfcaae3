"""Claims about all numbers of rounds with a potential that a search finds."""

from fractions import Fraction

import pytest
import sympy as sp

from tests.verify.first_order.test_potentials import judged, krasnoselskii_mann, sharp_step
from tests.verify.first_order.test_rounds import gradient_step
from tests.verify.published import require_proof_for_all_sizes
from verify import Box, every_round
from verify.check_proof import Refused, check
from verify.engine.model.scene import Scene
from verify.engine.verdict import Verdict
from verify.first_order import (
    NONNEGATIVE,
    Form,
    Problem,
    Vector,
    convex,
    nonexpansive,
    smooth_convex,
    smooth_strongly_convex,
    sq,
)
from verify.first_order.one_round import in_forms
from verify.quantities import L, distance2, distance2_0, eta, gap, gap_0, grad2, sigma2, t


def halpern(problem: Problem, t: Fraction) -> dict[str, Form | Vector]:
    operator, start, x = problem.operator(nonexpansive()), problem.point("x0"), problem.point("x")
    fixed, y = operator.fixed_point(), (start + (t + 1) * operator.value(x)) / (t + 2)
    return {
        "way_before": x - start,
        "way": y - start,
        "move_before": x - operator.value(x),
        "move": y - operator.value(y),
        "grad2_before": sq(x - operator.value(x)),
        "grad2": sq(y - operator.value(y)),
        "distance2_0": sq(start - fixed),
    }


def at_start(problem: Problem) -> dict[str, Form | Vector]:
    operator, start = problem.operator(nonexpansive()), problem.point("x0")
    fixed, move = operator.fixed_point(), start - operator.value(start)
    return {"way": start - start, "move": move, "grad2": sq(move), "distance2": sq(start - fixed)}


def gradient_norm(problem: Problem) -> dict[str, Form]:
    f, x = problem.function(smooth_convex(1)), problem.point("x")
    best, y = f.minimiser(), x - f.gradient(x)
    return {
        "gap_before": f(x) - f(best),
        "gap": f(y) - f(best),
        "distance2_before": sq(x - best),
        "distance2": sq(y - best),
        "grad2_before": sq(f.gradient(x)),
        "grad2": sq(f.gradient(y)),
    }


def nesterov(problem: Problem) -> dict[str, Form]:
    """Nesterov's method for curvature between 1/9 and 1: the share sqrt(mu/L) is 1/3."""
    f, x, z = problem.function(smooth_strongly_convex(1, "1/9")), problem.point("x"), problem.point("z")
    best, y = f.minimiser(), (3 * x + z) / 4
    g = f.gradient(y)
    after, z_after = y - g, z * Fraction(2, 3) + (y - 9 * g) / 3
    return {
        "gap_before": f(x) - f(best),
        "gap": f(after) - f(best),
        "distance2_before": sq(z - best),
        "distance2": sq(z_after - best),
    }


def proximal_point(problem: Problem) -> dict[str, Form]:
    f, x = problem.function(convex()), problem.point("x")
    best, g = f.minimiser(), f.subgradient(x)
    y = f.prox(x, 1)
    return {
        "gap_before": f(x) - f(best),
        "gap": f(y) - f(best),
        "distance2_before": sq(x - best),
        "distance2": sq(y - best),
        "grad2_before": sq(g),
        "grad2": sq(x - y),
    }


def noisy_step(problem: Problem) -> dict[str, Form]:
    f, x = problem.function(smooth_convex(1)), problem.point("x")
    best, variance, g = f.minimiser(), problem.constant("v"), f.gradient(x)
    y = x - (g + problem.noise(variance))
    return {
        "gap_before": f(x) - f(best),
        "gap": f(y) - f(best),
        "distance2_before": sq(x - best),
        "distance2": sq(y - best),
        "sigma2": variance,
    }


def noisy_ball(problem: Problem) -> dict[str, Form | Vector]:
    f, x, v = problem.function(smooth_strongly_convex(1, "1/10")), problem.point("x"), problem.point("v")
    best, variance = f.minimiser(), problem.constant("variance")
    y = x + v / 4 - (f.gradient(x) + problem.noise(variance)) / 2
    return {
        "distance2_before": sq(x - best),
        "distance2": sq(y - best),
        "move2_before": sq(v),
        "move2": sq(y - x),
        "x_before": x - best,
        "x": y - best,
        "v_before": v,
        "v": y - x,
        "sigma2": variance,
    }


def heavy_ball(problem: Problem) -> dict[str, Form | Vector]:
    f, x, v = problem.function(smooth_strongly_convex(1, "1/10")), problem.point("x"), problem.point("v")
    best, y = f.minimiser(), x + v / 4 - f.gradient(x) / 2
    return {
        "x_before": x - best,
        "x": y - best,
        "v_before": v,
        "v": y - x,
        "distance2_before": sq(x - best),
        "distance2": sq(y - best),
        "move2_before": sq(v),
        "move2": sq(y - x),
    }


HALPERN, GRADIENT = every_round(halpern, start=at_start), every_round(gradient_norm)
NESTEROV = every_round(nesterov)
SHARP = every_round(sharp_step, L=NONNEGATIVE)
NOISY, BALL = every_round(noisy_step), every_round(noisy_ball)
MOVE2_0 = sp.Symbol("move2_0", nonnegative=True)
MANN = every_round(krasnoselskii_mann, eta=Box(0.01, 0.99))
RATES = [
    (HALPERN, grad2 <= 4 * distance2_0 / (t + 1) ** 2),
    (MANN, grad2 <= distance2_0 / (eta * (1 - eta) * (t + 1))),
    (GRADIENT, grad2 <= 2 * distance2_0 / (t * (t + 1))),
    (every_round(proximal_point), grad2 <= distance2_0 / t**2),
    (every_round(heavy_ball), distance2 <= sp.Rational(19, 20) ** t * 2 * (distance2_0 + MOVE2_0)),
    (NESTEROV, gap <= sp.Rational(2, 3) ** t * (gap_0 + distance2_0 / 18)),
    (SHARP, gap <= L * distance2_0 / (4 * t + 2)),
    (NOISY, distance2 <= distance2_0 + t * sigma2),
    (NOISY, gap <= distance2_0 / (2 * t) + (t + 2) * sigma2 / 2),
    (BALL, distance2 <= sp.Rational(19, 20) ** t * 2 * (distance2_0 + MOVE2_0) + 20 * sigma2),
]


@pytest.mark.parametrize(
    ("scene", "claim"),
    RATES,
    ids=[
        "halpern",
        "krasnoselskii-mann",
        "gradient",
        "proximal-point",
        "heavy-ball",
        "nesterov",
        "sharp",
        "noise",
        "noise-value",
        "noise-ball",
    ],
)
def test_a_search_finds_the_potential(scene: Scene, claim: sp.Rel) -> None:
    finding = judged(scene, claim)
    require_proof_for_all_sizes(finding)


@pytest.mark.parametrize(
    ("scene", "claim"),
    [
        (HALPERN, grad2 <= sp.Rational(96, 25) * distance2_0 / (t + 1) ** 2),
        (GRADIENT, grad2 <= distance2_0 / (t + 1) ** 3),
        (NESTEROV, gap <= sp.Rational(1, 2) ** t * (gap_0 + distance2_0 / 18)),
        (NOISY, distance2 <= distance2_0 + t * sigma2 / 2),
    ],
    ids=["halpern", "gradient", "nesterov", "noise"],
)
def test_no_potential_proves_a_false_rate(scene: Scene, claim: sp.Rel) -> None:
    assert judged(scene, claim).verdict is not Verdict.PROVED


def test_a_rate_that_is_false_later_has_no_potential() -> None:
    """1/(5t) is true after one round, where 1/6 is exact, and false after two, where 1/10 is exact."""
    scene = every_round(gradient_step, L=1, eta=1)
    assert judged(scene, gap <= distance2_0 / (5 * t)).verdict is Verdict.UNREFUTED


def test_the_conclusion_with_a_power_needs_every_round() -> None:
    finding = judged(NESTEROV, gap <= sp.Rational(2, 3) ** t * (gap_0 + distance2_0 / 18))
    assert finding.proof is not None
    whole = finding.proof["certificates"][-1]
    forged = [
        {"given": [">=", "1", "0"], "by": "x"} if line.get("by") == "every round" else line
        for line in whole["lines"]
    ]
    with pytest.raises(Refused):
        check({**whole, "lines": forged})


def test_vectors_of_a_state_give_their_inner_products() -> None:
    found = in_forms(halpern)(Problem(), t=Fraction(1))
    assert {"sq_way", "sq_move", "dot_move_way", "sq_way_before", "dot_move_way_before"} <= found.keys()
    assert found["sq_move"] == found["grad2"]
    assert "way" not in found
