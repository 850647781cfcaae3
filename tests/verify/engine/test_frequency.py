"""Shares with intervals: known cases, coverage, and the three outcomes."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.stats import binom

from tests.verify import known as k
from verify.engine.checks.frequency import Observed, frequency, interval
from verify.engine.model.claim import BUDGETS
from verify.report.wording import sentence

MOST = k.known("most", sp.Gt(sp.Symbol("share", nonnegative=True), sp.Rational(1, 2)))


def of(hits: int, n: int) -> np.ndarray:
    return np.arange(n) < hits


def test_intervals_at_the_ends() -> None:
    low, high = interval(of(0, 20))
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert interval(of(20, 20)) == (pytest.approx(0.025 ** (1 / 20)), 1.0)


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.9])
def test_intervals_cover_as_often_as_they_say(p: float) -> None:
    n = 16
    covered = [low <= p <= high for low, high in (interval(of(k, n)) for k in range(n + 1))]
    assert binom.pmf(np.arange(n + 1), n, p) @ covered >= 0.95


@pytest.mark.parametrize(("hits", "verdict"), [(15, "supported"), (1, "refuted"), (9, "inconclusive")])
def test_what_most_seeds_say(hits: int, verdict: str) -> None:
    check = frequency(lambda budget, seed: Observed(of(hits, 16), {"seed": seed}))
    found = check(k.claim(MOST, check), BUDGETS["quick"], 3)
    assert found.verdict is not None
    assert found.verdict.value == verdict
    assert found.method == "sampled"
    assert found.details["measured"] == {"seed": 3}


def test_no_seed_is_no_share() -> None:
    with pytest.raises(ValueError, match="`met` must hold at least one observation"):
        interval(of(0, 0))


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 1.5])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match=r"`confidence` must be in \(0, 1\)"):
        interval(of(1, 2), confidence)


def test_an_interval_is_that_of_clopper_and_pearson() -> None:
    assert interval(of(3, 10)) == pytest.approx((0.066739, 0.652453), abs=1e-6)
    assert interval(of(3, 10), 0.9) == pytest.approx((0.087264, 0.606624), abs=1e-6)


def test_a_finding_tells_share_interval_and_seeds() -> None:
    check = frequency(lambda budget, seed: Observed(of(15, 16)))
    found = check(k.claim(MOST, check), BUDGETS["quick"], 0)
    assert (found.check, found.trials) == ("frequency", 16)
    assert found.details["share"] == 15 / 16
    assert found.details["interval"] == list(interval(of(15, 16)))
    assert (
        sentence(found.reason) == "true in most: 15 of 16 seeds, share in [0.70, 1.00] with confidence 0.95"
    )
