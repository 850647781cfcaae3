"""Claims close to the truth, of kinds that random search misses."""

from fractions import Fraction

import pytest
import sympy as sp

from verify import Box, Notes, worst_case
from verify.check_proof import check
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Scene
from verify.engine.verdict import Finding, Verdict
from verify.engine.work.errors import UsageError
from verify.first_order import (
    Form,
    Problem,
    Vector,
    every_round,
    mean,
    smooth,
    smooth_convex,
    smooth_strongly_convex,
    sq,
)
from verify.first_order.problem import Member
from verify.quantities import L, distance2, distance2_0, eta, gap, gap_0, gap_before, loss, loss_0, mu, zeta2


def judged(scene: Scene, relation: sp.Rel, *conditions: sp.Rel) -> Finding:
    claim = Notes("own").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def contraction(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    f, x = problem.function(smooth_strongly_convex(L, mu)), problem.point("x0")
    best = f.minimiser()
    return {"distance2": sq(x - eta * f.gradient(x) - best), "distance2_0": sq(x - best)}


def test_the_larger_of_two_rates_is_proved_case_by_case() -> None:
    scene = worst_case(contraction, L=1, mu=Box(0.1, 0.9), eta=Box(0, 2))
    rate = sp.Max((1 - eta * mu) ** 2, (1 - eta * L) ** 2)
    finding = judged(scene, distance2 <= rate * distance2_0, eta <= 2 / L)
    assert finding.verdict is Verdict.PROVED
    assert finding.proof is not None
    assert len(finding.proof["certificates"]) == 2
    assert judged(scene, distance2 <= sp.Rational(99, 100) * rate * distance2_0).verdict is Verdict.REFUTED


def test_a_condition_number_may_be_fixed() -> None:
    scene = worst_case(contraction, L=Box(0.5, 2), mu=Box(0.01, 1), eta=Box(0, 4))
    fixed = (sp.Eq(eta, 1 / L), sp.Eq(mu, L / 10))
    assert judged(scene, distance2 <= sp.Rational(81, 100) * distance2_0, *fixed).verdict is Verdict.PROVED
    assert judged(scene, distance2 <= sp.Rational(80, 100) * distance2_0, *fixed).verdict is Verdict.REFUTED


def two_steps(problem: Problem, eta: Fraction) -> dict[str, Form]:
    f, x = problem.function(smooth_convex(1)), problem.point("x0")
    best, y = f.minimiser(), x - eta * f.gradient(x)
    z = y - eta * f.gradient(y)
    return {"gap_0": f(x) - f(best), "gap_before": f(y) - f(best), "gap": f(z) - f(best)}


def test_values_of_gradient_descent_are_convex_in_time_up_to_a_step_of_seven_quarters() -> None:
    scene = worst_case(two_steps, eta=Box(0, 2))
    claim = sp.Ge(gap_0 + gap - 2 * gap_before, 0, evaluate=False)
    assert judged(scene, claim, sp.Eq(eta, sp.Rational(174, 100))).verdict is Verdict.PROVED
    assert judged(scene, claim, eta <= sp.Rational(176, 100)).verdict is Verdict.REFUTED


def federated(problem: Problem, M: int, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    clients = [problem.function(smooth_strongly_convex(1, mu)) for _ in range(M)]
    best, x = problem.minimiser(*clients), problem.point("x0")

    def local(f: Member) -> Vector:
        y = x - eta * f.gradient(x)
        return y - eta * f.gradient(y)

    return {
        "distance2": sq(mean(map(local, clients)) - best),
        "distance2_0": sq(x - best),
        "zeta2": mean(sq(f.gradient(best)) for f in clients),
    }


def test_two_local_steps_of_clients_that_differ() -> None:
    scene = worst_case(federated, M=(1, 2), mu=Box(0.1, 0.9), eta=Box(0, 2))
    half = sp.Eq(eta, sp.Rational(1, 2)), sp.Eq(mu, sp.Rational(1, 4))
    biased = distance2 <= (1 - eta * mu) * distance2_0 + 4 * eta**3 * zeta2 / mu
    assert judged(scene, biased, *half).verdict is Verdict.PROVED
    masked = distance2 <= (1 - eta * mu) ** 4 * (distance2_0 + zeta2 / 50)
    assert judged(scene, masked, *half).verdict is Verdict.REFUTED


def smooth_steps(problem: Problem) -> dict[str, Form]:
    f, x = problem.function(smooth(1)), problem.point("x0")
    y, grads = x, []
    for _ in range(3):
        grads.append(sq(f.gradient(y)))
        y = y - f.gradient(y)
    return {"gap": problem.smallest(*grads, sq(f.gradient(y))), "loss_0": f(x), "loss": f(y)}


def test_what_cannot_be_decided_is_refused() -> None:
    """A strict claim, of which only <= could be proved, and a minimum as an upper bound, of which no more is known."""
    scene = worst_case(smooth_steps)
    with pytest.raises(UsageError, match="<="):
        judged(scene, gap < sp.Rational(4, 9) * (loss_0 - loss))
    with pytest.raises(UsageError, match="smaller side"):
        judged(scene, loss_0 - loss <= gap)


def test_the_least_gradient_of_four_is_known_to_four_percent() -> None:
    scene = worst_case(smooth_steps)
    assert judged(scene, gap <= sp.Rational(4, 9) * (loss_0 - loss)).verdict is Verdict.PROVED
    assert judged(scene, gap <= sp.Rational(96, 225) * (loss_0 - loss)).verdict is Verdict.REFUTED


def two_points(problem: Problem) -> dict[str, Form]:
    x, y = problem.point("x"), problem.point("y")
    return {"distance2": sq(x + y) + sq(x - y), "distance2_0": sq(x) + sq(y)}


@pytest.mark.parametrize(("factor", "verdict"), [(2, Verdict.PROVED), (sp.Rational(19, 10), Verdict.REFUTED)])
def test_a_scene_may_have_no_inequality(factor: sp.Rational, verdict: Verdict) -> None:
    assert judged(worst_case(two_points), distance2 <= factor * distance2_0).verdict is verdict


@pytest.mark.parametrize(("largest", "verdict"), [(2, Verdict.VACUOUS), (3, Verdict.PROVED)])
def test_assumptions_that_no_function_meets_are_vacuous(largest: int, verdict: Verdict) -> None:
    """A strongly convex loss with mu = 1 has a gradient of length at least 3 at distance 3 from its minimiser."""

    def bounded(problem: Problem) -> dict[str, Form]:
        f, x = problem.function(smooth_strongly_convex(4, 1)), problem.point("x")
        problem.assume(largest**2 - sq(f.gradient(x)), "bounded gradients")
        problem.assume_equal(sq(x - f.minimiser()), 9, "a model at distance 3")
        return {"gap": f(x) - f(f.minimiser()), "distance2": sq(x - f.minimiser())}

    finding = judged(worst_case(bounded), gap <= distance2)
    assert finding.verdict is verdict
    assert finding.proof is not None
    for certificate in finding.proof["certificates"]:
        check(dict(certificate))


def test_rounds_whose_assumptions_no_function_meets_are_vacuous() -> None:
    def one_round(problem: Problem) -> dict[str, Form]:
        f, x = problem.function(smooth_strongly_convex(4, 1)), problem.point("x")
        problem.assume(4 - sq(f.gradient(x)), "bounded gradients")
        problem.assume_equal(sq(x - f.minimiser()), 9, "a model at distance 3")
        after = x - f.gradient(x) / 4
        return {"distance2_before": sq(x - f.minimiser()), "distance2": sq(after - f.minimiser())}

    finding = judged(every_round(one_round), distance2 <= distance2_0)
    assert finding.verdict is Verdict.VACUOUS
