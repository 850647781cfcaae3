"""Gradient descent: the engine compared with exactly known worst cases."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from verify import Box, Notes, worst_case
from verify.check_proof import Refused, check
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Scene
from verify.engine.verdict import Finding, Verdict
from verify.first_order import Form, Problem, smooth, smooth_convex, smooth_strongly_convex, sq
from verify.first_order.check import Case, decision
from verify.first_order.program import program_of
from verify.quantities import L, distance2, distance2_0, eta, gap, mu, t


def descent(problem: Problem, t: int, L: Fraction, eta: Fraction) -> dict[str, Form]:
    f, x0 = problem.function(smooth_convex(L)), problem.point("x0")
    x, best = x0, f.minimiser()
    for _ in range(t):
        x = x - eta * f.gradient(x)
    return {"gap": f(x) - f(best), "distance2_0": sq(x0 - best)}


def shrinking(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    f, x = problem.function(smooth_strongly_convex(L, mu)), problem.point("x0")
    best = f.minimiser()
    return {"distance2": sq(x - eta * f.gradient(x) - best), "distance2_0": sq(x - best)}


def judged(scene: Scene, relation: sp.Rel, *conditions: sp.Rel) -> Finding:
    claim = Notes("own").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def decided(bound: Fraction, n: int, step: Fraction, L: Fraction) -> str:
    """The verdict on f(x_n) - f* <= bound |x_0 - x*|^2."""
    problem = Problem()
    found = descent(problem, n, L, step)
    claim = bound * found["distance2_0"] - found["gap"]
    case = Case({}, {}, problem, program_of(problem, claim), found["gap"], bound * found["distance2_0"])
    outcome = decision(case)
    if outcome.certificate is not None:
        check(dict(outcome.certificate))
        recheck(outcome.certificate)
        return "proved"
    return "refuted" if outcome.example is not None and outcome.example.breaks(case.program) else "open"


@given(
    n=st.integers(1, 4),
    step=st.fractions(Fraction(1, 10), 1, max_denominator=10),
    L=st.fractions(Fraction(1, 4), 4, max_denominator=4),
    factor=st.fractions(Fraction(1, 2), 2, max_denominator=20),
)
@settings(max_examples=30, deadline=None)
def test_the_rate_of_drori_and_teboulle_is_exact(
    n: int, step: Fraction, L: Fraction, factor: Fraction
) -> None:
    """Scale invariance: step/L for any L; the worst case L/(4nh + 2) decides every multiple of it."""
    exact = L / (4 * n * step + 2)
    assert decided(exact * factor, n, step / L, L) == ("proved" if factor >= 1 else "refuted")


@given(
    kappa=st.fractions(2, 20, max_denominator=1),
    step=st.fractions(Fraction(1, 10), Fraction(19, 10), max_denominator=10),
)
@settings(max_examples=20, deadline=None)
def test_a_step_contracts_as_the_worse_of_two_quadratics(kappa: Fraction, step: Fraction) -> None:
    scene = worst_case(shrinking, L=1, mu=1 / kappa, eta=step)
    rate = sp.Max((1 - eta * mu) ** 2, (1 - eta * L) ** 2)
    assert judged(scene, distance2 <= rate * distance2_0).verdict is Verdict.PROVED
    assert judged(scene, distance2 <= sp.Rational(24, 25) * rate * distance2_0).verdict is Verdict.REFUTED


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_least_gradient_of_smooth_functions(n: int) -> None:
    """The smallest of n + 1 squared gradients, against 4/(3n) of the decrease; exact for steps 1/L."""

    def run(problem: Problem) -> dict[str, Form]:
        f, x = problem.function(smooth(1)), problem.point("x0")
        first, grads = f(x), []
        for _ in range(n):
            grads.append(sq(f.gradient(x)))
            x = x - f.gradient(x)
        return {**{f"g{k}": g for k, g in enumerate([*grads, sq(f.gradient(x))])}, "fall": first - f(x)}

    g = sp.symbols(f"g0:{n + 1}", nonnegative=True)
    fall = sp.Symbol("fall", real=True)
    true = sp.Rational(4, 3) / n
    assert judged(worst_case(run), sp.Min(*g) <= true * fall).verdict is Verdict.PROVED
    assert judged(worst_case(run), sp.Min(*g) <= true * fall * 96 / 100).verdict is Verdict.REFUTED


def test_a_claim_is_decided_at_every_size_and_says_at_which() -> None:
    finding = judged(
        worst_case(descent, t=(1, 2, 3), L=1, eta=Box(0, 2)), gap <= distance2_0 / (4 * t + 2), sp.Eq(eta, 1)
    )
    assert finding.verdict is Verdict.PROVED
    assert finding.proof is not None
    assert finding.proof["sizes"] == [{"t": 1}, {"t": 2}, {"t": 3}]
    assert finding.details["proof in words"]


def test_a_forged_multiplier_is_no_proof() -> None:
    finding = judged(worst_case(descent, t=(2,), L=1, eta=1), gap <= distance2_0 / 10)
    assert finding.proof is not None
    certificate = finding.proof["certificates"][0]
    *lines, last = certificate["lines"]
    kind, scale, *rest = last["as"][1]
    forged = {**last, "as": [last["as"][0], [kind, str(Fraction(scale) + 1), *rest], *last["as"][2:]]}
    with pytest.raises(Refused):
        check({**certificate, "lines": [*lines, forged]})
    with pytest.raises(Rejected):
        recheck({**certificate, "lines": [*lines, forged]})


def test_a_tampered_counterexample_does_not_break_the_claim() -> None:
    problem = Problem()
    found = descent(problem, 1, Fraction(1), Fraction(1))
    claim = found["distance2_0"] / 8 - found["gap"]
    program = program_of(problem, claim)
    example = decision(Case({}, {}, problem, program, found["gap"], found["distance2_0"] / 8)).example
    assert example is not None
    assert example.breaks(program)
    name = program.vectors[-1]
    far = {**example.vectors, name: tuple(x + 5 for x in example.vectors[name])}
    assert not type(example)(example.weights, far, example.scalars).breaks(program)
