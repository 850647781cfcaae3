"""Claims for all values of their parameters."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from verify import Box, Notes, worst_case
from verify.check_proof import check
from verify.engine.certificates.memory import offering
from verify.engine.certificates.recheck import recheck
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Scene
from verify.engine.verdict import Finding, Verdict
from verify.first_order import Form, Problem, convex, ranges, smooth_convex, smooth_strongly_convex, sq
from verify.first_order.functions import fitted, parameters
from verify.first_order.points import LARGER, NONNEGATIVE, SHARE
from verify.first_order.positivity import Signs
from verify.quantities import L, distance2, distance2_0, eta, gap, mu, sigma2, t


def judged(scene: Scene, relation: sp.Rel, *conditions: sp.Rel) -> Finding:
    claim = Notes("own").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def one_step(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    f, x = problem.function(smooth_strongly_convex(L, mu)), problem.point("x0")
    best, variance, g = f.minimiser(), problem.constant("v"), f.gradient(x)
    e = problem.noise(variance)
    after = sq(x - eta * (g + e) - best)
    return {"distance2": after, "distance2_0": sq(x - best), "sigma2": variance}


NOISY = worst_case(one_step, L=Box(1, 10), mu=Box(0.1, 0.9), eta=Box(0, 2))


def test_a_step_with_noise_is_bounded_for_all_step_sizes_and_constants() -> None:
    bound = (1 - eta * mu) ** 2 * distance2_0 + eta**2 * sigma2
    finding = judged(NOISY, distance2 <= bound, eta <= 2 / (L + mu))
    assert finding.verdict is Verdict.PROVED
    assert finding.proof is not None
    for certificate in finding.proof["certificates"]:
        assert {"L", "mu", "eta"} <= certificate["symbols"].keys()
        check(dict(certificate))
        recheck(certificate)


def test_an_offered_certificate_of_exactly_this_claim_answers_it_without_a_search(monkeypatch) -> None:
    bound = (1 - eta * mu) ** 2 * distance2_0 + eta**2 * sigma2
    first = judged(NOISY, distance2 <= bound, eta <= 2 / (L + mu))
    assert first.proof is not None
    monkeypatch.setattr(ranges, "multipliers_for_all", lambda *asked: iter(()))
    monkeypatch.setattr(ranges, "monomial_multipliers", lambda *asked: iter(()))
    assert judged(NOISY, distance2 <= bound, eta <= 2 / (L + mu)).proof != first.proof
    with offering(first.proof["certificates"]):
        assert judged(NOISY, distance2 <= bound, eta <= 2 / (L + mu)).proof == first.proof
        for other in (
            2 / (L + mu) + sp.Rational(1, 100),
            1 / L,
        ):  # a wider range, a condition of another form
            assert judged(NOISY, distance2 <= bound, eta <= other).proof != first.proof


def test_beyond_the_range_of_its_step_sizes_it_is_refuted() -> None:
    bound = (1 - eta * mu) ** 2 * distance2_0 + eta**2 * sigma2
    assert judged(NOISY, distance2 <= bound).verdict is Verdict.REFUTED


def descent(problem: Problem, t: int, L: Fraction, eta: Fraction) -> dict[str, Form]:
    f, x0 = problem.function(smooth_convex(L)), problem.point("x0")
    x, best = x0, f.minimiser()
    for _ in range(t):
        x = x - eta * f.gradient(x)
    return {"gap": f(x) - f(best), "distance2_0": sq(x0 - best)}


def test_gradient_descent_is_proved_for_all_step_sizes() -> None:
    scene = worst_case(descent, t=(1, 2), L=1, eta=Box(0, 2))
    assert judged(scene, gap <= distance2_0 / (4 * t * eta + 2), eta <= 1).verdict is Verdict.PROVED
    assert judged(scene, gap <= distance2_0 / (4 * t * eta + 2)).verdict is Verdict.REFUTED


def special(problem: Problem, eta: Fraction) -> dict[str, Form]:
    f, x = problem.function(convex()), problem.point("x0")
    best = f.minimiser()
    after = x if eta == Fraction(7, 1999) else f.prox(x, eta)
    return {"distance2": sq(after - best), "distance2_0": sq(x - best)}


def test_a_method_that_compares_its_parameters_is_not_proved_for_all() -> None:
    """At one step size the method stands still, which no other point shows."""
    found = judged(worst_case(special, eta=Box(0, 1)), distance2 <= distance2_0)
    assert found.verdict is Verdict.UNREFUTED


@given(
    st.lists(st.integers(-5, 5), min_size=3, max_size=3), st.lists(st.integers(1, 5), min_size=2, max_size=2)
)
@settings(max_examples=30, deadline=None)
def test_a_rational_function_is_found_through_its_points(top: list[int], bottom: list[int]) -> None:
    x = parameters(["x"])
    points = [{"x": Fraction(k, 7)} for k in range(1, 20)]
    value = lambda p: (top[0] + top[1] * p + top[2] * p**2) / (bottom[0] + bottom[1] * p)  # noqa: E731
    found = fitted(points, [value(p["x"]) for p in points], x)
    assert found is not None
    assert sp.simplify(found.expression - value(sp.Symbol("x"))) == 0


def test_no_rational_function_is_found_where_there_is_none() -> None:
    points = [{"x": Fraction(k)} for k in range(1, 20)]
    assert fitted(points, [Fraction(2) ** k for k in range(1, 20)], parameters(["x"])) is None


@pytest.mark.parametrize(
    ("polynomial", "right"),
    [("18*x**2 - 60*x + 49", True), ("(1 - x)*(2 - x)", True), ("x**2 - x", False), ("2*x - 1", False)],
)
def test_signs_on_an_interval(polynomial: str, right: bool) -> None:  # noqa: FBT001
    x = sp.Symbol("x", nonnegative=True)
    signs = Signs([(sp.Le(x, 1), "range")], {"x": Fraction(3, 4)})
    assert (signs.nonnegative(sp.sympify(polynomial, {"x": x})) is not None) == right


def test_a_proof_is_limited_by_ranges_that_no_condition_implies() -> None:
    bound = (1 - eta * mu) ** 2 * distance2_0 + eta**2 * sigma2
    finding = judged(NOISY, distance2 <= bound, eta <= 2 / (L + mu))
    assert finding.proof is not None
    ends = {"L >= 1", "L <= 10", "mu >= 1/10", "mu <= 9/10", "eta <= 2"}
    assert set() < set(finding.proof["ranges"]) <= ends
    anywhere = worst_case(one_step, L=LARGER, mu=NONNEGATIVE, eta=NONNEGATIVE)
    free = judged(anywhere, distance2 <= bound, eta <= 2 / (L + mu), mu < L)
    assert free.verdict is Verdict.PROVED
    assert free.proof is not None
    assert "ranges" not in free.proof


def long_and_short(problem, mu, eta):
    f, x = problem.function(smooth_strongly_convex(1, mu)), problem.point("x")
    best = f.minimiser()
    return {"distance2": sq(x - eta * f.gradient(x) - best), "distance2_0": sq(x - best)}


def test_a_maximum_is_proved_in_cases_that_meet() -> None:
    """In each case the factors of known sign of the difference are left out of the condition."""
    scene = worst_case(long_and_short, mu=SHARE, eta=NONNEGATIVE)
    rate = sp.Max((1 - eta * mu) ** 2, (1 - eta) ** 2)
    claim = Notes("own").claim("max", distance2 <= rate * distance2_0, mu < 1, scene=scene)
    assert claim.checks[0](claim, BUDGETS["quick"], 0).verdict is Verdict.PROVED
