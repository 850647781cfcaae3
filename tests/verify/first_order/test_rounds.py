"""Claims about all numbers of rounds."""

from fractions import Fraction

import pytest
import sympy as sp

from tests.verify.published import require_proof_for_all_sizes
from verify import Box, Notes, every_round
from verify.check_proof import Refused, check
from verify.engine.model.claim import BUDGETS
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Scene
from verify.engine.search.witness import confirm
from verify.engine.verdict import Finding, Verdict
from verify.first_order import (
    LARGER,
    NONNEGATIVE,
    SHARE,
    Form,
    Problem,
    Vector,
    convex,
    lipschitz_convex,
    smooth,
    smooth_convex,
    smooth_strongly_convex,
    sq,
)
from verify.first_order.several_rounds import NotDetermined, several_rounds
from verify.quantities import (
    L,
    distance2,
    distance2_0,
    eta,
    gap,
    gap_0,
    gap_mean,
    grad2_mean,
    move2,
    mu,
    sigma2,
    t,
)


def judged(scene: Scene, relation: sp.Rel, *conditions: sp.Rel) -> Finding:
    claim = Notes("own").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def gradient_step(problem: Problem, L: Fraction, eta: Fraction) -> dict[str, Form]:
    f, x = problem.function(smooth_convex(L)), problem.point("x")
    best, y = f.minimiser(), x - eta * f.gradient(x)
    return {
        "gap_before": f(x) - f(best),
        "gap": f(y) - f(best),
        "distance2_before": sq(x - best),
        "distance2": sq(y - best),
    }


def proximal_step(problem: Problem, eta: Fraction) -> dict[str, Form]:
    f, x = problem.function(convex()), problem.point("x")
    best, y = f.minimiser(), f.prox(x, eta)
    return {
        "gap_before": f(x) - f(best),
        "gap": f(y) - f(best),
        "distance2_before": sq(x - best),
        "distance2": sq(y - best),
    }


def noisy_step(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    f, x = problem.function(smooth_strongly_convex(L, mu)), problem.point("x")
    best, variance, g = f.minimiser(), problem.constant("v"), f.gradient(x)
    y = x - eta * (g + problem.noise(variance))
    return {"distance2_before": sq(x - best), "distance2": sq(y - best), "sigma2": variance}


def accelerated_step(problem: Problem, t: Fraction) -> dict[str, Form]:
    f, x, z = problem.function(smooth_convex(1)), problem.point("x"), problem.point("z")
    best = f.minimiser()
    y = (t * x + 2 * z) / (t + 2)
    g = f.gradient(y)
    after, z_after = y - g, z - (t + 1) / 2 * g
    return {
        "gap_before": f(x) - f(best),
        "gap": f(after) - f(best),
        "distance2_before": sq(z - best),
        "distance2": sq(z_after - best),
    }


def nonconvex_step(problem: Problem, t: Fraction) -> dict[str, Form]:
    f, x, mean, least = (
        problem.function(smooth(1)),
        problem.point("x"),
        problem.number("m"),
        problem.number("f"),
    )
    g = f.gradient(x)
    problem.assume(f(x) >= least, "bounded below")
    problem.assume(f(x - g) >= least, "bounded below")
    return {
        "grad2_mean_before": mean,
        "grad2_mean": (t * mean + sq(g)) / (t + 1),
        "gap_before": f(x) - least,
        "gap": f(x - g) - least,
    }


def subgradient_step(problem: Problem, t: Fraction, eta: Fraction) -> dict[str, Form]:
    f, x, mean = problem.function(lipschitz_convex(1)), problem.point("x"), problem.number("m")
    best = f.minimiser()
    y = x - eta * f.subgradient(x)
    return {
        "gap_mean_before": mean,
        "gap_mean": (t * mean + f(x) - f(best)) / (t + 1),
        "distance2_before": sq(x - best),
        "distance2": sq(y - best),
    }


GRADIENT = every_round(gradient_step, L=Box(0.1, 10), eta=Box(0, 2))
NOISY = every_round(noisy_step, L=Box(1, 10), mu=Box(0.1, 0.9), eta=Box(0, 2))
SHRUNK = (1 - eta * mu) ** (2 * t)


@pytest.mark.parametrize(
    ("scene", "claim", "conditions"),
    [
        (GRADIENT, gap <= distance2_0 / (2 * eta * t), (eta <= 1 / L,)),
        (every_round(proximal_step, eta=Box(0.1, 10)), gap <= distance2_0 / (2 * eta * t), ()),
        (
            NOISY,
            distance2 <= (1 - eta * mu) ** (2 * t) * distance2_0 + eta * sigma2 / (mu * (2 - eta * mu)),
            (eta <= 1 / L,),
        ),
        (
            NOISY,
            distance2 <= SHRUNK * distance2_0 + (1 - SHRUNK) * eta * sigma2 / (mu * (2 - eta * mu)),
            (eta <= 1 / L,),
        ),
        (every_round(accelerated_step), gap <= 2 * distance2_0 / (t * (t + 1)), ()),
        (
            every_round(subgradient_step, eta=Box(0.1, 2)),
            gap_mean <= distance2_0 / (2 * eta * t) + eta / 2,
            (),
        ),
    ],
    ids=["gradient", "proximal", "noise", "noise-sharp", "accelerated", "subgradient"],
)
def test_a_rate_holds_for_all_numbers_of_rounds(
    scene: Scene, claim: sp.Rel, conditions: tuple[sp.Rel, ...]
) -> None:
    finding = judged(scene, claim, *conditions)
    require_proof_for_all_sizes(finding)


def nesterov(problem: Problem, L: Fraction, mu: Fraction, q: Fraction) -> dict[str, Form]:
    f, x, z = problem.function(smooth_strongly_convex(L, mu)), problem.point("x"), problem.point("z")
    best, y = f.minimiser(), (x + q * z) / (1 + q)
    g = f.gradient(y)
    after, z_after = y - g / L, (1 - q) * z + q * (y - g / mu)
    return {
        "gap_before": f(x) - f(best),
        "gap": f(after) - f(best),
        "distance2_before": sq(z - best),
        "distance2": sq(z_after - best),
    }


def test_a_step_and_a_rate_have_roots_of_parameters() -> None:
    """Nesterov's method for all curvatures: the proof is in sqrt(mu/L), whose square is rational in mu and L."""
    scene = every_round(nesterov, L=LARGER, mu=NONNEGATIVE, q=SHARE)
    rate, q = (1 - sp.sqrt(mu / L)) ** t, sp.Symbol("q", positive=True)
    relation = gap + mu / 2 * distance2 <= rate * (gap_0 + mu / 2 * distance2_0)
    require_proof_for_all_sizes(judged(scene, relation, sp.Eq(q, sp.sqrt(mu / L)), mu < L))


def contracting_step(problem: Problem, eta: Fraction) -> dict[str, Form]:
    f, x = problem.function(smooth_strongly_convex(1, "1/10")), problem.point("x")
    best = f.minimiser()
    return {"distance2_before": sq(x - best), "distance2": sq(x - eta * f.gradient(x) - best)}


def test_a_maximum_of_two_factors_is_proved_in_cases() -> None:
    rate = sp.Max((1 - eta) ** 2, (1 - eta / 10) ** 2)
    scene = every_round(contracting_step, eta=Box(0, 2))
    require_proof_for_all_sizes(judged(scene, distance2 <= rate**t * distance2_0))


def test_a_rate_that_is_false_after_one_round_is_refuted() -> None:
    assert judged(GRADIENT, gap <= distance2_0 / (8 * eta * t), eta <= 1 / L).verdict is Verdict.REFUTED


def test_its_counterexample_is_one_of_the_claim_itself() -> None:
    scene = every_round(gradient_step, L=1, eta=Box(0, 2))
    relation = distance2 <= (1 - eta) ** t * distance2_0
    claim = Notes("own").claim("claim", relation, scene=scene)
    found = claim.checks[0](claim, BUDGETS["quick"], 0)
    assert found.verdict is Verdict.REFUTED
    record = found.witness.record()
    assert (record["relation"], record["shape"]["t"]) == (str(relation), 1)
    assert confirm(claim.question, Instance.from_record(record)).broken


def test_a_rate_that_is_false_later_is_not_proved() -> None:
    """L/(5t) is true after one round, where L/6 is exact, and false after two, where L/10 is exact."""
    assert judged(GRADIENT, gap <= distance2_0 / (5 * eta * t), eta <= 1 / L).verdict is Verdict.UNREFUTED


def test_the_induction_needs_the_inequality_of_every_round() -> None:
    finding = judged(GRADIENT, gap <= distance2_0 / (2 * eta * t), eta <= 1 / L)
    assert finding.proof is not None
    whole = finding.proof["certificates"][-1]
    forged = [
        line if line.get("by") != "every round" else {"given": [">=", "1", "0"], "by": "x"}
        for line in whole["lines"]
    ]
    with pytest.raises(Refused):
        check({**whole, "lines": forged})


def test_the_mean_gradient_of_smooth_functions() -> None:
    scene = every_round(nonconvex_step)
    found = judged(scene, grad2_mean <= 2 * gap_0 / t)
    assert found.verdict is Verdict.PROVED


def returning_step(problem: Problem) -> dict[str, Form | Vector]:
    """A step of gradient descent that returns its points, so that several rounds can be played."""
    f, x = problem.function(smooth_convex(1)), problem.point("x")
    best, y = f.minimiser(), x - f.gradient(x)
    values = {"gap_before": f(x) - f(best), "gap": f(y) - f(best)}
    return {**values, "distance2_before": sq(x - best), "distance2": sq(y - best), "x_before": x, "x": y}


def test_a_claim_that_fails_from_the_second_round_on_is_refuted() -> None:
    finding = judged(every_round(returning_step), gap <= distance2_0 / (6 * t))
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness is not None
    assert finding.witness.instance.shape["t"] == 2


def test_several_rounds_are_those_of_the_method() -> None:
    one, two = Problem(), Problem()
    found = several_rounds(returning_step)(one, t=2)
    f, x = two.function(smooth_convex(1)), two.point("x")
    best = f.minimiser()
    y = x - f.gradient(x)
    f(y)
    z = y - f.gradient(y)
    assert found["distance2"] == sq(z - best)
    assert found["distance2_0"] == sq(x - best)
    assert len(one.members) == 1


@pytest.mark.parametrize("returned", [{}, {"x_before": None}])
def test_a_round_that_does_not_return_its_points_is_played_once(returned: dict[str, None]) -> None:
    def step(problem: Problem) -> dict[str, Form | Vector]:
        found = returning_step(problem)
        return {name: value for name, value in found.items() if name in returned or isinstance(value, Form)}

    with pytest.raises(NotDetermined):
        several_rounds(step)(Problem(), t=2)
    assert all(shape["t"] == 1 for shape in every_round(step).shapes)


def test_a_quantity_of_the_last_round_is_no_constant() -> None:
    """A round returns the length of its step once; it differs from round to round, so no induction may use it."""

    def step(problem: Problem) -> dict[str, Form]:
        f, x = problem.function(smooth_strongly_convex(1, "1/2")), problem.point("x")
        best, y = f.minimiser(), x - f.gradient(x) / 2
        return {"distance2_before": sq(x - best), "distance2": sq(y - best), "move2": sq(y - x)}

    relation = distance2 <= sp.Rational(1, 2) ** t * distance2_0 + 100 * move2
    assert judged(every_round(step), relation).verdict is Verdict.UNREFUTED
