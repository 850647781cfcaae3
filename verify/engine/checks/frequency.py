"""How often does a sentence on experiments hold? The share of independent seeds in which it holds, with a confidence
interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.verdict import Finding, Verdict, because

FREQUENCY = Kind("frequency")

CONFIDENCE = 0.95
"""Confidence of the interval of a share. A frequency is a measurement, not a bound."""


@dataclass(frozen=True)
class Observed:
    """The outcome of an experiment.

    Attributes
    ----------
    met : (n_seeds,) array of bool
        Whether the sentence was true in each seed.
    measured : mapping
        Plain JSON for readers who want to check the outcome: means with intervals, settings.
    """

    met: np.ndarray
    measured: Mapping[str, Any] = field(default_factory=dict)


def interval(met: np.ndarray, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper-Pearson interval of the share of True in `met`; its coverage is at least `confidence`.

    Raises
    ------
    ValueError
        If there is no observation, or `confidence` is not in (0, 1).
    """
    from scipy.special import betaincinv  # scipy.stats would take 30 MB in every process

    n, hits = len(met), int(np.sum(met))
    if not n:
        raise ValueError("`met` must hold at least one observation, got none.")
    if not 0 < confidence < 1:
        raise ValueError(f"`confidence` must be in (0, 1), got {confidence}.")
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high


def frequency(experiment: Callable[[Budget, int], Observed]) -> Callable[[Claim, Budget, int], Finding]:
    """Check that a sentence holds in most seeds.

    The sentence is supported if the whole interval of the share lies above one half, and refuted for the tested setting if
    the whole interval lies below. Otherwise the seeds do not decide it, and there is no verdict.

    Parameters
    ----------
    experiment : (budget, seed) -> Observed
        Runs the experiment. It must draw all its randomness from `seed`.
    """

    @of_kind(FREQUENCY)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        observed = experiment(budget, seed)
        low, high = interval(observed.met)
        n, hits = len(observed.met), int(np.sum(observed.met))
        if low > 1 / 2:
            verdict, code = Verdict.SUPPORTED, "most-seeds"
        elif high < 1 / 2:
            verdict, code = Verdict.REFUTED, "few-seeds"
        else:
            verdict, code = Verdict.INCONCLUSIVE, "undecided-seeds"
        reason = because(code, hits=hits, seeds=n, interval=[low, high], confidence=CONFIDENCE)
        return Finding(
            FREQUENCY.name,
            verdict,
            "sampled",
            reason,
            trials=n,
            details={"share": hits / n, "interval": [low, high], "measured": dict(observed.measured)},
        )

    return check
