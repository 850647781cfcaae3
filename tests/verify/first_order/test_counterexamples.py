"""Counterexamples: small, exact, members of their class, and drawable."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from verify import Notes, worst_case
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Scene
from verify.engine.search.witness import Witness, confirm
from verify.engine.verdict import Verdict
from verify.first_order import (
    Form,
    Problem,
    convex,
    lipschitz_convex,
    smooth_convex,
    smooth_strongly_convex,
    sq,
)
from verify.first_order.classes import Class
from verify.quantities import distance2, distance2_0, gap, sigma2, t


def witness_of(scene: Scene, relation: sp.Rel) -> Witness:
    claim = Notes("own").claim("claim", relation, scene=scene)
    finding = claim.checks[0](claim, BUDGETS["quick"], 0)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness is not None
    assert confirm(claim.question, finding.witness.instance).broken
    return finding.witness


def descent(problem: Problem, t: int) -> dict[str, Form]:
    f, x0 = problem.function(smooth_convex(1)), problem.point("x0")
    x, best = x0, f.minimiser()
    for _ in range(t):
        x = x - f.gradient(x)
    return {"gap": f(x) - f(best), "distance2_0": sq(x0 - best)}


@given(n=st.integers(1, 4), share=st.fractions(Fraction(1, 2), Fraction(19, 20), max_denominator=20))
@settings(max_examples=12, deadline=None)
def test_gradient_descent_is_refuted_in_one_dimension_by_a_function_of_the_class(
    n: int, share: Fraction
) -> None:
    scene = worst_case(descent, t=(n,))
    witness = witness_of(scene, gap <= sp.Rational(str(share)) * distance2_0 / (4 * t + 2))
    assert witness.instance.shape["d"] == 1
    assert scene.sketched is not None
    drawn = scene.sketched(witness.instance)
    at, value = np.array(drawn["position"]), np.array(drawn["value"])
    assert np.interp(drawn["points"], at, value) == pytest.approx(drawn["values"], abs=2e-3)
    curvature = np.diff(value, 2) / (at[1] - at[0]) ** 2
    assert curvature.min() > -1e-3
    assert curvature.max() < 1 + 1e-2


def test_a_bound_for_fewer_steps_is_one_for_more() -> None:
    """The worst case falls with the number of steps."""
    claim = Notes("own").claim("claim", gap <= distance2_0 / 6, scene=worst_case(descent, t=(1, 2, 3, 4)))
    assert claim.checks[0](claim, BUDGETS["quick"], 0).verdict is Verdict.PROVED


def noisy(problem: Problem) -> dict[str, Form]:
    f, x = problem.function(smooth_strongly_convex(1, Fraction(1, 4))), problem.point("x")
    best, variance, g = f.minimiser(), problem.constant("v"), f.gradient(x)
    after = x - (g + problem.noise(variance)) / 2
    return {"distance2": sq(after - best), "distance2_0": sq(x - best), "sigma2": variance}


def test_noise_of_a_counterexample_has_an_axis_of_its_own() -> None:
    witness = witness_of(worst_case(noisy), distance2 <= sp.Rational(3, 4) * distance2_0 + sigma2 / 4)
    rows = witness.instance.parameters
    assert witness.instance.shape["d"] == 2
    assert [rows["e"][0], rows["x"][1], rows["df_1"][1]] == [0, 0, 0]


def test_a_noisy_point_at_which_an_oracle_is_asked_gives_no_counterexample() -> None:
    """There, orthogonality to all earlier points does not describe the noise completely."""

    def later(problem: Problem) -> dict[str, Form]:
        f, x = problem.function(smooth_convex(1)), problem.point("x")
        best = f.minimiser()
        after = x - (f.gradient(x) + problem.noise(problem.constant("v")))
        return {"gap": f(after) - f(best), "distance2_0": sq(x - best)}

    claim = Notes("own").claim("claim", gap <= distance2_0 / 100, scene=worst_case(later))
    assert claim.checks[0](claim, BUDGETS["quick"], 0).verdict is Verdict.UNREFUTED


@pytest.mark.parametrize("of", [convex(), lipschitz_convex(1)], ids=["convex", "lipschitz"])
def test_a_subgradient_may_be_any(of: Class) -> None:
    """Two calls at the same point may give two subgradients, unless the function is smooth."""

    def twice(problem: Problem) -> dict[str, Form]:
        f, x = problem.function(of), problem.point("x")
        return {"distance2": sq(f.subgradient(x) - f.subgradient(x))}

    claim = Notes("own").claim("claim", sp.Le(distance2, 0, evaluate=False), scene=worst_case(twice))
    assert claim.checks[0](claim, BUDGETS["quick"], 0).verdict is Verdict.REFUTED
