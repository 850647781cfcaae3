"""Error feedback: tight rates for one worker, and what becomes of them with many."""

import pytest
import sympy as sp

import bounds.feedback.theorem as b
from tests.verify.published import judged, require_proof_for_all_sizes
from verify.engine.verdict import Verdict


def test_the_symbol_of_the_rate_has_the_printed_formula() -> None:
    h = (b.L - b.mu) / (b.L + b.mu)
    root = sp.sqrt((1 - b.s) ** 2 * h**2 + 4 * b.s)
    printed = b.s + (1 - b.s) / 2 * h * ((1 - b.s) * h + root)
    for L, mu, s in [(2, 1, "1/5"), (4, "5/4", "1/3"), (7, 2, "1/4")]:
        numbers = {b.L: sp.Rational(L), b.mu: sp.Rational(mu), b.s: sp.Rational(s)}
        rate = sp.nsimplify(printed.subs(numbers))
        assert [condition.subs({**numbers, b.z: sp.sqrt(rate)}) for condition in b.RATE] == [sp.true] * 3


@pytest.mark.parametrize(
    "id", [pytest.param("feedback.thm2.step/clients", marks=pytest.mark.slow), "feedback.thm1"]
)
def test_a_rate_is_proved_for_all_parameters(id: str) -> None:
    require_proof_for_all_sizes(judged(id))


@pytest.mark.parametrize(
    "id",
    ["feedback.cgd/better", "feedback.cgd/distance", "feedback.thm1.step/clients", "feedback.thm2.step/long"],
)
def test_what_is_too_good_is_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED
