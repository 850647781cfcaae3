"""Any number of clients: means over clients and deviations from them."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from verify import Box, Notes, worst_case
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Scene
from verify.engine.verdict import Finding, Verdict
from verify.first_order import Form, Problem, smooth_convex, smooth_strongly_convex, sq
from verify.quantities import E, L, distance2, distance2_0, eta, mu, zeta2

NOTES = Notes("own")
BETA, P = NOTES.positive("beta p")
BEFORE, AFTER, FAR, SHIFT = NOTES.real("psi_before psi far shift")


def judged(scene: Scene, relation: sp.Rel, *conditions: sp.Rel) -> Finding:
    claim = Notes("own").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def sampled(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    """A gradient step of one randomly sampled client."""
    f = problem.clients(smooth_strongly_convex(L, mu))
    best, x = f.minimiser(), problem.point("x")
    after = x - eta * f.gradient(x)
    return {
        "distance2": problem.mean_sq(after - best),
        "distance2_0": sq(x - best),
        "zeta2": problem.mean_sq(f.gradient(best)),
    }


def proxskip(problem: Problem, eta: Fraction, p: Fraction) -> dict[str, Form]:
    """A step of ProxSkip in expectation over the coin, L = 1 and mu = 1/10."""
    f = problem.clients(smooth_strongly_convex(1, Fraction(1, 10)))
    best = f.minimiser()
    x, h, wanted = problem.client_point("x"), problem.client_deviation("h"), f.gradient(best)
    y = x - eta * (f.gradient(x) - h)
    mean = problem.average(y)

    def psi(x, h):
        return problem.mean_sq(x - best) + eta**2 / p**2 * problem.mean_sq(h - wanted)

    return {
        "psi_before": psi(x, h),
        "psi": p * psi(mean, h + p / eta * (mean - y)) + (1 - p) * psi(y, h),
        "far": problem.mean_sq(x - best),
        "shift": eta**2 / p**2 * problem.mean_sq(h - wanted),
    }


SAMPLED = worst_case(sampled, L=1, mu=Box(0.1, 0.9), eta=Box(0.01, 2))


def test_the_tight_step_of_sgd_holds_for_all_parameters() -> None:
    """The bound in the catalogues of PESTO and PEPit, (a + b)^2 <= (1 + beta) a^2 + (1 + 1/beta) b^2, for every beta."""
    scene = worst_case(_with_beta, L=1, mu=Box(0.1, 0.9), eta=Box(0.01, 2), beta=Box(0.1, 10))
    own = (eta * (1 - mu) / 2) ** 2 * distance2_0
    rest = (1 - eta * (1 + mu) / 2) ** 2 * distance2_0 + eta**2 * zeta2
    finding = judged(scene, distance2 <= (1 + BETA) * own + (1 + 1 / BETA) * rest)
    assert finding.verdict is Verdict.PROVED, finding.reason


def _with_beta(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction, beta: Fraction) -> dict[str, Form]:
    return sampled(problem, L, mu, eta)


def test_a_step_without_heterogeneity_is_refuted_by_two_clients() -> None:
    finding = judged(SAMPLED, distance2 <= (1 - eta * mu) ** 2 * distance2_0, eta <= 1)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness is not None
    values = finding.witness.instance.parameters
    mean, deviation, axes = (values[n] for n in ("df_1", "df_1_dev", "axes"))
    assert sum(w * a * b for w, a, b in zip(axes, mean, deviation, strict=True)) == 0
    assert np.any(deviation)


def test_proxskip_contracts_in_expectation_for_all_parameters() -> None:
    scene = worst_case(proxskip, eta=Box(0.01, 1), p=Box(0.01, 1))
    finding = judged(scene, BEFORE - eta * FAR / 10 - P**2 * SHIFT >= AFTER)
    assert finding.verdict is Verdict.PROVED, finding.reason


def test_means_of_products() -> None:
    problem = Problem()
    u, v, shared = problem.client_point("u"), problem.client_point("v"), problem.point("x")
    assert problem.mean_dot(u, shared).terms == {("u", "x"): 1}
    assert problem.mean_dot(u, v).terms == {("u", "v"): 1, ("u_dev", "v_dev"): 1}
    assert problem.average(u - v).parts == {"u": 1, "v": -1}
    assert problem.sampled_sq(u, Fraction(1, 3)).terms == {("u", "u"): 1, ("u_dev", "u_dev"): Fraction(1, 3)}


def test_the_mean_gradient_vanishes_at_the_minimiser() -> None:
    problem = Problem()
    f = problem.clients(smooth_convex(1))
    assert not problem.average(f.gradient(f.minimiser())).parts


def drift(problem: Problem, L: Fraction, eta: Fraction) -> dict[str, Form]:
    f, x = problem.clients(smooth_convex(L)), problem.point("x")
    y = x - eta * f.gradient(x)
    return {
        "distance2": problem.mean_sq(y - eta * f.gradient(y) - x),
        "distance2_0": problem.mean_sq(f.gradient(x)),
    }


@pytest.mark.parametrize(("factor", "verdict"), [(4, Verdict.PROVED), (3, Verdict.REFUTED)])
def test_local_drift_of_two_steps(factor: int, verdict: Verdict) -> None:
    scene = worst_case(drift, L=Box(0.1, 10), eta=Box(0.01, 2))
    assert judged(scene, distance2 <= factor * eta**2 * distance2_0, eta <= 1 / L).verdict is verdict


def local_steps(
    problem: Problem, E: int, mu: Fraction, eta: Fraction, beta: Fraction, far: Fraction
) -> dict[str, Form]:
    """A round of FedAvg with E local steps of all clients, L = 1, from any model (far = 1) or from the optimum (far = 0)."""
    f = problem.clients(smooth_strongly_convex(1, mu))
    best = f.minimiser()
    start = x = best + far * problem.point("x")
    for _ in range(E):
        x = x - eta * f.gradient(x)
    return {
        "distance2": sq(problem.average(x) - best),
        "distance2_0": sq(start - best),
        "zeta2": problem.mean_sq(f.gradient(best)),
    }


def way(curvature: sp.Expr) -> sp.Expr:
    """How far E steps lead on a quadratic, from a gradient of length 1."""
    return (1 - (1 - eta * curvature) ** E) / curvature


BIAS = (way(mu) - way(sp.S.One)) ** 2 / 4 * zeta2


@pytest.mark.parametrize("step", ["1/2", 1])
def test_the_best_constant_of_the_bias_of_local_steps(step: Any) -> None:
    scene = worst_case(local_steps, E=(2, 3), mu="1/10", eta=step, beta=1, far=0)
    assert judged(scene, distance2 <= BIAS).verdict is Verdict.PROVED
    assert judged(scene, distance2 <= sp.Rational(96, 100) * BIAS).verdict is Verdict.REFUTED


@pytest.mark.parametrize("share", ["1/10", 1, 10])
def test_a_round_of_local_steps_contracts_up_to_its_bias(share: Any) -> None:
    scene = worst_case(local_steps, E=(2, 3), mu="1/10", eta="1/2", beta=share, far=1)
    near = (1 + BETA) * (1 - eta * mu) ** (2 * E) * distance2_0
    assert judged(scene, distance2 <= near + (1 + 1 / BETA) * BIAS).verdict is Verdict.PROVED


def test_the_bias_of_more_than_two_long_steps_is_larger() -> None:
    scene = worst_case(local_steps, E=(3,), mu="1/10", eta="3/2", beta=1, far=0)
    assert judged(scene, distance2 <= BIAS).verdict is Verdict.REFUTED
