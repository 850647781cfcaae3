"""Statements on backward knowledge transfer: transcription against numbers worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, sqrt

import pytest
import sympy as sp

from bounds.catalogue import statement
from bounds.special.bkt_text import LARGEST_L
from bounds.special.experiments import EXPERIMENTS, at_last_task

NUMBERS = {
    "M": 4, "N": 2, "K": 3, "E": 5, "t": 6, "lam": 0.5, "eps": 0.5, "G0": 3.0, "B": 2.0, "L": 7.0, "sigma_L2": 1.5,
    "gamma_G": 0.25, "gamma_L": 0.01, "F_0": 10.0,
}  # fmt: skip


def side(id, which="rhs", **more):
    expression = getattr(statement(f"special.{id}").relation, which)
    return float(expression.subs({s: {**NUMBERS, **more}[s.name] for s in expression.free_symbols}))


def test_the_correction():
    # 2 * 0.25 * 1.5 * 9 / (2 * 6 * 5 * 4 * 2 * 7 * 4)
    by_hand = 6.75 / 13440
    assert side("eq34") == pytest.approx(by_hand)
    assert side("eq36") == pytest.approx(10 + by_hand)
    assert side("eq35", E_Y=8.0) == pytest.approx(by_hand + 0.25 * 0.01 / 4 * 0.5 * 3 * 8)
    assert side("corD.2") == pytest.approx(10 + 6.75 / 26880)  # M^2 = 16 in place of M N = 8


def test_the_expansion_of_the_mean_over_sampled_clients():
    # 1/4 t2 - 1 / (2*4*2*3) tt2
    assert side("eq29", t2=12.0, tt2=24.0) == pytest.approx(3 - 0.5)
    assert side("a1", t2=12.0, tsum2=30.0) == pytest.approx(3 - (2 * 4 * 12 - 2 * 30) / 48)
    assert side("a2", "lhs", t2=12.0, tsum2=30.0) == pytest.approx((1 / 4 - 1 / 6) * 12 + 30 / 24)
    assert side("a2", t2=12.0) == pytest.approx((2 / 24 + 1 / 6) * 12)


def test_the_descent_lines():
    assert side("eq28", ip=2.0, T1=3.0) == pytest.approx(10 - 0.000625 * 2 + 0.25**2 * 0.01**2 * 7 * 3)
    assert side("eq30", ip=2.0, T2=0.1) == pytest.approx(10 - 0.000625 * 2 + 0.1)
    assert side("a3", E_Y=2.0, T2=0.1) == pytest.approx(10 - 0.000625 * 0.5 * 3 * 2 + 0.1)


def test_the_links_of_the_gradient_part():
    series = 1 / 1.25
    first = 0.25 * 0.01 / (4 * sqrt(2)) * 2 * 0.25 * (0.01 * 7 * 5 * 6 / 2) * 9
    assert side("eq32.1", X=9.0) == pytest.approx(first)
    assert side("eq32.1/corrected", X=9.0) == pytest.approx(first * sqrt(2))
    gain = 0.25 * 0.01 / (4 * sqrt(2)) * 0.5 * 3
    assert side("eq32.2", X=9.0) == pytest.approx(gain * 9 / (2 * sqrt(20 * series)))
    assert side("a4", X=9.0, V=16.0) == pytest.approx(gain * 9 / 4)
    assert side("eq32.norms", X=9.0, Y=4.0) == pytest.approx(gain * 4)
    assert side("eq32.last", Y=4.0) == pytest.approx(gain * sqrt(2) * 4)


def test_the_noise_part():
    a6 = 7 * 0.25**2 * 0.01**2 * 25 * 1.5 * 6 / 1.25
    assert side("a6") == pytest.approx(a6)
    assert side("a5", W2=0.5) == pytest.approx(a6 * 1.25 * 0.5)
    assert side("eq33", "lhs") == pytest.approx(0.8)


def test_at_the_largest_steps_the_noise_part_is_the_correction():
    limits = {"gamma_G": 1 / (sqrt(2) * 2), "gamma_L": 2 * 0.5 * 3 / (2 * 7 * 5 * 6 * sqrt(20 / 1.25))}
    assert isclose(side("a7", "lhs", **limits), side("a7", **limits), rel_tol=1e-12)
    assert not statement("special.a7").failing(
        **{k: v for k, v in {**NUMBERS, **limits}.items() if k != "F_0"}
    )


def test_what_comes_free():
    reach = 0.25 * 0.01 * 5 * 2 / 0.5
    assert side("thm4.7/free") == pytest.approx(10 + 3 * reach + 7 * reach**2)
    assert side("thm4.7/aligned-drift") == pytest.approx(10 + 7 * reach**2)


def test_late_rounds_are_better_served_by_alignment_and_drift_alone():
    """At the largest steps the ratio of the correction to the trivial growth is sigma_L^2 t / (B^2 (1 + 2/lambda))."""
    for t in (1, 6, 40):
        limits = {"t": t, "gamma_G": 1 / (sqrt(2) * 2), "gamma_L": 3 / (2 * 7 * 5 * t * sqrt(20 / 1.25))}
        ratio = (side("eq36", **limits) - 10) / (side("thm4.7/aligned-drift", **limits) - 10)
        assert ratio == pytest.approx(1.5 * t / (4 * 5), rel=1e-6)


def test_slopes_are_differences_in_the_limit():
    correction = sp.lambdify(sp.Symbol("x"), statement("special.thm4.7").terms["correction"].subs(
        {s: NUMBERS[s.name] for s in statement("special.thm4.7").symbols if s.name in NUMBERS and s.name != "eps"}
    ).subs(sp.Symbol("eps", positive=True), sp.Symbol("x")))  # fmt: skip
    assert (correction(0.5 + 1e-6) - correction(0.5 - 1e-6)) / 2e-6 == pytest.approx(
        side("rem4.8.alignment", "lhs")
    )


def test_steps_inherit_the_conditions_of_the_theorem():
    theorem = statement("special.thm4.7")
    for id in (
        *theorem.uses[3:5],
        "special.eq30",
        "special.a3",
        "special.eq32",
        "special.a5",
        "special.eq35",
    ):
        assert set(theorem.conditions) <= set(statement(id).conditions), id
        assert statement(id).assumes == theorem.assumes, id


def test_settings_of_the_experiments():
    assert {name: e.tasks for name, e in EXPERIMENTS.items()} == {
        "Digit-10": 4,
        "VLCS": 4,
        "PACS": 4,
        "DN4IL": 6,
    }
    last = at_last_task()
    assert last["DN4IL"] == {
        "M": 8, "N": 4, "K": 6, "E": 97, "T": 30, "t": 30, "lam": 0.10, "gamma_L": 1e-3, "gamma_G": 1 / 6
    }  # fmt: skip
    assert [last[name]["E"] for name in ("Digit-10", "VLCS", "PACS")] == [
        537,
        36,
        48,
    ]  # 5 epochs of 107, 7, 9 batches
    with pytest.raises(ValueError, match=r"`task` must be in 1\.\.4, got 5"):
        EXPERIMENTS["PACS"].at_task(5)


def test_the_global_step_is_admissible_at_the_second_task_only():
    applies = statement("special.thm4.7.applicability")
    limit_met = lambda task: not any(  # noqa: E731
        "gamma_G" in text for text in applies.failing(**{
            name: value for name, value in EXPERIMENTS["Digit-10"].at_task(task).items() if name != "T"
        })
    )  # fmt: skip
    assert [limit_met(task) for task in (2, 3, 4)] == [
        Fraction(1, i) <= Fraction(1, 2 * (i - 1)) for i in (2, 3, 4)
    ] == [True, False, False]  # fmt: skip


def test_the_smoothness_that_the_local_step_allows():
    # K - 1 = 3, gamma_L E t = 10.74, M E = 4296, lambda^2 + 2 lambda = 0.5625
    values = at_last_task()["Digit-10"]
    got = LARGEST_L.subs({s: values[s.name] for s in LARGEST_L.free_symbols})
    assert float(got) == pytest.approx(6 / (10.74 * sqrt(4296 / 0.5625)))
