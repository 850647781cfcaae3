"""Sentences about means: which are decided, which are not, and the error rate."""

from __future__ import annotations

import numpy as np
import pytest

from tests.verify import known as k
from verify.engine.checks.means import (
    Above,
    Observed,
    comparable,
    contrasts,
    every,
    interval,
    means,
    some,
    truth,
)
from verify.engine.model.claim import BUDGETS
from verify.engine.verdict import Verdict
from verify.report.wording import sentence

RNG = np.random.default_rng(0)
SPREAD = RNG.normal(0, 0.1, 16)
HIGH, LOW, NONE = (SPREAD - SPREAD.mean() + mean for mean in (1, -1, 0))


def verdict(observed: Observed, n_sentences: int = 1):
    check = means(lambda budget, seed: observed, n_sentences)
    return check(k.claim(k.AM_GM, check), BUDGETS["quick"], 0)


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
    wanted = {True: Verdict.SUPPORTED, False: Verdict.REFUTED, None: Verdict.INCONCLUSIVE}
    assert verdict(Observed(part)).verdict == wanted[expected]


def test_an_interval_is_students() -> None:
    from scipy.stats import ttest_1samp

    for values in (HIGH, NONE):
        both = ttest_1samp(values, 0).confidence_interval(0.9)
        np.testing.assert_allclose(interval(values, 0.05, 0.05), (both.low, both.high))
        below = ttest_1samp(values, 0, alternative="greater").confidence_interval(0.99)
        np.testing.assert_allclose(interval(values, 0.01, 0.05), (below.low, both.high))


def test_the_error_is_shared_where_any_part_can_be_wrong() -> None:
    """A part that decides alone shares the error with the others; if all parts must agree, none shares."""
    alone, up, down = Above(NONE + 0.06), (Above(HIGH),) * 20, (Above(LOW),) * 20
    assert truth(alone, 0.05) is truth(every(alone, *up), 0.05) is True
    assert truth(some(alone, *down), 0.05) is None
    assert truth(Above(NONE - 0.06), 0.05) is truth(some(Above(NONE - 0.06), *down), 0.05) is False
    assert truth(every(Above(NONE - 0.06), *up), 0.05) is None
    assert len(list(contrasts(every(alone, *up), 0.05))) == 21
    assert verdict(Observed(alone), 1000).verdict == Verdict.INCONCLUSIVE


@pytest.mark.parametrize("join", [every, some])
@pytest.mark.parametrize("means_of_parts", [(0, 0, 0), (0, 1, 1), (0, -1, -1)])
def test_verdicts_are_seldom_wrong(join, means_of_parts) -> None:
    """In the worst cases: all parts are ties, or one tie decides. They use an error of 0.1."""
    draws = np.random.default_rng(2).normal(size=(1000, 3, 9)) / 3 + np.array(means_of_parts)[:, None]
    wrong = sum(truth(join(*map(Above, run)), 0.1) is not None for run in draws)
    decided = (join is every and -1 in means_of_parts) or (join is some and 1 in means_of_parts)
    assert wrong > 950 if decided else wrong <= 0.1 * 1000 + 3 * 10


def test_methods_without_a_difference_are_seldom_told_apart() -> None:
    """With k equal rivals, a conjunction per seed would be refuted most of the time."""
    draws = np.random.default_rng(1).normal(size=(400, 5, 16))
    wrong = sum(
        truth(every(*(Above(run[0] - other) for other in run[1:])), 0.05) is not None for run in draws
    )
    assert wrong <= 0.05 * 400


@pytest.mark.parametrize("n_runs", [6, 16])
@pytest.mark.parametrize("kind", ["ties", "one outlier", "correlated"])
def test_symmetric_differences_are_seldom_told_apart(kind: str, n_runs: int) -> None:
    """For distributions far from normal: mostly 0, with one run far out on either side, or in one method and its
    rivals.
    """
    rng = np.random.default_rng(3)
    draws = rng.normal(size=(800, 4, n_runs))
    if kind == "ties":
        draws = np.sign(draws) * (rng.random(draws.shape) < 0.3)
    elif kind == "one outlier":
        draws[..., 0] += rng.choice([-20, 20], (800, 4))
    else:
        draws += 3 * rng.normal(size=(800, 1, n_runs))
    wrong = sum(truth(every(*map(Above, run)), 0.05) is not None for run in draws)
    assert wrong <= 0.05 * 800 + 3 * (0.05 * 800) ** 0.5


def test_an_unfit_setting_decides_nothing() -> None:
    found = verdict(Observed(Above(HIGH), unfit="all methods are perfect"))
    assert found.verdict == Verdict.INCONCLUSIVE
    assert "all methods are perfect" in sentence(found.reason)


def test_single_runs_are_refused() -> None:
    with pytest.raises(ValueError, match="2 runs or more"):
        Above(np.ones(1))


def test_the_reason_shows_the_contrast_that_decides() -> None:
    wide = 60 * (SPREAD - SPREAD.mean()) - 2  # the least mean, about which nothing is known
    assert "clearest contrast -1.0000 in [-1." in sentence(
        verdict(Observed(every(Above(wide), Above(LOW)))).reason
    )
    assert "least contrast -2.0000" in sentence(verdict(Observed(Above(wide))).reason)
    assert "weakest contrast 1.0000" in sentence(verdict(Observed(some(Above(HIGH), Above(HIGH + 1)))).reason)


def test_the_weakest_of_what_is_true_is_the_nearest_to_being_undecided() -> None:
    """Whatever the mean: 2 within 1.5 is less certain than 1 within 0.1."""
    wide = 30 * (SPREAD - SPREAD.mean()) + 2
    found = verdict(Observed(every(Above(HIGH), Above(wide))))
    assert found.verdict == Verdict.SUPPORTED
    assert "weakest contrast 2.0000" in sentence(found.reason)


def test_half_of_an_error_is_for_true_and_half_for_false() -> None:
    """Parts that must all be true share the error of a wrong refutation, and the other way round."""
    one, two = Above(HIGH), Above(LOW, -2, "low")

    def within(part, below, above):
        return part, interval(part.values, below, above)

    assert list(contrasts(one, 0.04)) == [within(one, 0.02, 0.02)]
    assert list(contrasts(every(one, two), 0.04)) == [within(one, 0.02, 0.01), within(two, 0.02, 0.01)]
    assert list(contrasts(some(one, two), 0.04)) == [within(one, 0.01, 0.02), within(two, 0.01, 0.02)]
    inside = list(contrasts(every(one, some(two, two)), 0.04))
    assert inside == [within(one, 0.02, 0.01), within(two, 0.01, 0.01), within(two, 0.01, 0.01)]


def test_a_finding_tells_every_contrast_and_the_error() -> None:
    found = verdict(Observed(comparable(NONE, 0.5, "a - b"), {"n": 3}), 10)
    assert found.details["error"] == pytest.approx(0.005)
    assert found.details["measured"] == {"n": 3}
    assert (found.check, found.method, found.trials) == ("means", "sampled", 16)
    first, second = found.details["contrasts"]
    assert (first["contrast"], second["contrast"]) == ("a - b", "-(a - b)")
    assert first["above"] == second["above"] == -0.5
    assert first["mean"] == pytest.approx(0, abs=1e-12)
    assert first["interval"] == pytest.approx(second["interval"])  # of the mean 0 on both sides
    assert sentence(found.reason).startswith("true of the means within a tolerance of 0.5: weakest contrast")
    assert sentence(found.reason).endswith("over 16 seeds (2 contrasts, error 5.0e-03)")
    assert [part.name for part, _ in contrasts(comparable(NONE, 1), 0.05)] == ["", ""]


@pytest.mark.parametrize("values", [np.ones((2, 2)), np.ones(()), np.ones(0)])
def test_values_are_one_for_each_run(values) -> None:
    with pytest.raises(ValueError, match="2 runs or more"):
        Above(values)
    assert Above(np.ones(2)).by == 0


def test_nothing_is_true_of_all_and_false_of_some() -> None:
    assert truth(every(), 0.05) is True
    assert truth(some(), 0.05) is False
    one = Above(HIGH)
    assert every(one) is some(one) is one


@pytest.mark.parametrize(("by", "said"), [(-0.01, "within a tolerance of 0.01"), (0, "")])
def test_a_tolerance_is_part_of_the_verdict(by, said):
    values = np.random.default_rng(0).normal(0.001, 0.001, 16)
    experiment = lambda budget, seed: Observed(Above(values, by))  # noqa: E731
    finding = means(experiment, 50)(None, None, 0)
    low, _ = finding.details["contrasts"][0]["interval"]
    assert low < 0
    assert (finding.verdict is Verdict.SUPPORTED) == bool(said)
    assert said in sentence(finding.reason)
    assert ("asked to be above -0.01" in sentence(finding.reason)) == bool(said)
    assert finding.details["tolerance"] == -by
