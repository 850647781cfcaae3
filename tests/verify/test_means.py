"""Sentences about means: what is decided, what is not, and how often that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.catalogue import statement
from verify.engine.checks.means import (
    Above,
    Every,
    Observed,
    comparable,
    contrasts,
    every,
    interval,
    means,
    some,
    truth,
)
from verify.engine.claim import BUDGETS, Claim
from verify.engine.verdict import Verdict

RNG = np.random.default_rng(0)
SPREAD = RNG.normal(0, 0.1, 16)
HIGH, LOW, NONE = (SPREAD - SPREAD.mean() + mean for mean in (1, -1, 0))


def verdict(observed: Observed, n_sentences: int = 1):
    check = means(lambda budget, seed: observed, n_sentences)
    return check(Claim(statement("cflag.emp.clients"), (check,)), BUDGETS["quick"], 0)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Above(HIGH), True),
        (Above(LOW), False),
        (Above(NONE), None),
        (Above(HIGH, 2), False),
        (every(Above(HIGH), Above(NONE)), None),
        (every(Above(HIGH), Above(LOW), Above(NONE)), False),
        (some(Above(NONE), Above(HIGH)), True),
        (some(Above(NONE), Above(LOW)), None),
        (some(Above(LOW), Above(LOW)), False),
        (comparable(NONE, 0.5), True),
        (comparable(HIGH, 0.5), False),
        (comparable(NONE, 0.01), None),
        (Above(np.zeros(16)), None),  # a tie
        (Above(np.zeros(16), -0.1), True),
    ],
)
def test_three_values(part, expected) -> None:
    assert truth(part, 0.05) is expected
    wanted = {True: Verdict.HOLDS, False: Verdict.REFUTED, None: Verdict.NOT_APPLICABLE}
    assert verdict(Observed(part)).verdict == wanted[expected]


def test_an_interval_is_students() -> None:
    from scipy.stats import ttest_1samp

    for values in (HIGH, NONE):
        expected = ttest_1samp(values, 0).confidence_interval(0.9)
        np.testing.assert_allclose(interval(values, 0.1), (expected.low, expected.high))


def test_the_error_is_shared_among_contrasts_and_sentences() -> None:
    alone, joined = Above(NONE + 0.06), Every((Above(NONE + 0.06), *(Above(HIGH),) * 20))
    assert len(list(contrasts(joined))) == 21
    assert truth(alone, 0.05) is True
    assert truth(joined, 0.05) is None
    assert verdict(Observed(alone), 1000).verdict == Verdict.NOT_APPLICABLE


def test_methods_without_a_difference_are_seldom_told_apart() -> None:
    """With k equal rivals a conjunction per seed would be refuted most of the time."""
    draws = np.random.default_rng(1).normal(size=(400, 5, 16))
    wrong = sum(
        truth(every(*(Above(run[0] - other) for other in run[1:])), 0.05) is not None for run in draws
    )
    assert wrong <= 0.05 * 400


def test_an_unfit_setting_decides_nothing() -> None:
    found = verdict(Observed(Above(HIGH), unfit="all methods are perfect"))
    assert found.verdict == Verdict.NOT_APPLICABLE
    assert "all methods are perfect" in found.reason


def test_single_runs_are_refused() -> None:
    with pytest.raises(ValueError, match="2 runs or more"):
        Above(np.ones(1))
