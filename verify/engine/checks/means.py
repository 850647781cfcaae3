"""Is a sentence about expectations true? Contrasts over independent seeds, in intervals that hold all at once.

A sentence is a tree: `Above` says that an expectation exceeds a number, `Every` and `Some` join parts. A sentence gets
a share of the error of the family of sentences that it is judged with, half of it for being called true and half for
being called false, and divides it among its contrasts, each in a Student interval, according to how a wrong verdict
arises. `Every` is wrongly called true only if its false part looks true, so each part may use the whole error. It is
wrongly called false if any part looks false, so the parts share the error. For `Some` it is the other way round. So the
probability that any verdict of the family is wrong, including a verdict on a tie, is at most `FAMILY`, if means of
seeds are normal. Source: Berger (1982), Multiparameter hypothesis testing and acceptance sampling, on intersections and
unions of tests; Bonferroni for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.verdict import Finding, Verdict, because

MEANS = Kind("means")

FAMILY = 0.05
"""Probability that any verdict of a family is wrong."""


@dataclass(frozen=True)
class Above:
    """The expectation of `values` (run,) is above `by`.

    With ``by = -margin`` it says "not lower by the margin or more", and two such contrasts say "comparable".
    """

    values: np.ndarray
    by: float = 0
    name: str = ""

    def __post_init__(self) -> None:
        if np.ndim(self.values) != 1 or len(self.values) < 2:
            raise ValueError(
                f"`values` must be one number for each of 2 runs or more, got shape {np.shape(self.values)}."
            )


@dataclass(frozen=True)
class Every:
    """All parts are true."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Some:
    """At least one part is true."""

    parts: tuple[Part, ...]


Part = Above | Every | Some


def every(*parts: Part) -> Part:
    """All parts are true."""
    return parts[0] if len(parts) == 1 else Every(parts)


def some(*parts: Part) -> Part:
    """At least one part is true."""
    return parts[0] if len(parts) == 1 else Some(parts)


def comparable(values: np.ndarray, margin: float, name: str = "") -> Part:
    """The expectation of `values` is within `margin` of 0."""
    return every(Above(values, -margin, name), Above(-values, -margin, name and f"-({name})"))


@dataclass(frozen=True)
class Observed:
    """The outcome of an experiment.

    Attributes
    ----------
    sentence : Part
    measured : mapping
        Plain JSON for readers who want to check the outcome: means, settings.
    unfit : str
        Why the setting cannot decide the sentence; empty if it can.
    """

    sentence: Part
    measured: Mapping[str, Any] = field(default_factory=dict)
    unfit: str = ""


def contrasts(part: Part, error: float) -> Iterator[tuple[Above, Interval]]:
    """All contrasts of a sentence from left to right, each in its interval.

    Parameters
    ----------
    error : float
        Probability that the verdict on the sentence is wrong.
    """
    yield from _shared(part, error / 2, error / 2)


Interval = tuple[float, float]


def _shared(part: Part, if_true: float, if_false: float) -> Iterator[tuple[Above, Interval]]:
    """Contrasts with their intervals, given the error probabilities for wrongly calling a part true, or false."""
    if isinstance(part, Above):
        yield part, interval(part.values, if_true, if_false)
        return
    n = len(part.parts)
    errors = (if_true, if_false / n) if isinstance(part, Every) else (if_true / n, if_false)
    for inner in part.parts:
        yield from _shared(inner, *errors)


def interval(values: np.ndarray, below: float, above: float) -> Interval:
    """Student's interval of the expectation of (run,) values; it lies entirely below, or above, the expectation with
    these probabilities.
    """
    from scipy.special import stdtrit  # scipy.stats would take 30 MB in every process

    n, mean = len(values), float(np.mean(values))
    error = float(np.std(values, ddof=1) / np.sqrt(n))
    low, high = (float(stdtrit(n - 1, 1 - share)) * error for share in (below, above))
    return mean - low, mean + high


def truth(part: Part, error: float) -> bool | None:
    """Whether a sentence is true, with error probability `error`; None if it is not decided.

    A tie, in which an interval ends at `by`, decides nothing.
    """
    found = contrasts(part, error)

    def of(inner: Part) -> bool | None:
        if isinstance(inner, Above):
            low, high = next(found)[1]
            return True if low > inner.by else False if high < inner.by else None
        each = {of(one) for one in inner.parts}
        decisive = isinstance(inner, Some)
        if decisive in each:
            return decisive
        return None if None in each else not decisive

    return of(part)


def means(
    experiment: Callable[[Budget, int], Observed], n_sentences: int
) -> Callable[[Claim, Budget, int], Finding]:
    """Check of a sentence about expectations, one of a family of `n_sentences`.

    It is supported, or refuted, if its intervals allow nothing else. Otherwise the seeds do not decide it, and there is
    no verdict. Where a contrast may fall below 0 by a tolerance (`Above` with a negative `by`), the reason names the
    tolerance.

    Parameters
    ----------
    experiment : (budget, seed) -> Observed
        Must draw all its randomness from `seed`, independently for each run.
    """
    error = FAMILY / n_sentences

    @of_kind(MEANS)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        observed = experiment(budget, seed)
        parts = list(contrasts(observed.sentence, error))
        n = len(parts[0][0].values)
        found = None if observed.unfit else truth(observed.sentence, error)
        verdict = {True: Verdict.SUPPORTED, False: Verdict.REFUTED, None: Verdict.INCONCLUSIVE}[found]
        code = {True: "means-true", False: "means-false", None: "means-undecided"}[found]
        tolerance = max((-contrast.by for contrast, _ in parts if contrast.by < 0), default=0.0)
        end = {True: 0, False: 1, None: None}[found]

        def over(part: tuple[Above, Interval]) -> float:
            contrast, within = part
            return (float(np.mean(contrast.values)) if end is None else within[end]) - contrast.by

        shortest, within = min(parts, key=over)
        reason = because(
            code,
            mean=float(np.mean(shortest.values)),
            interval=list(within),
            above=shortest.by,
            seeds=n,
            contrasts=len(parts),
            error=error,
            tolerance=tolerance,
            unfit=observed.unfit,
        )
        shown = [_contrast_record(*part) for part in parts]
        details = {
            "error": error,
            "tolerance": tolerance,
            "contrasts": shown,
            "measured": dict(observed.measured),
        }
        return Finding(MEANS.name, verdict, "sampled", reason, trials=n, details=details)

    return check


def _contrast_record(part: Above, within: Interval) -> dict[str, Any]:
    return {
        "contrast": part.name,
        "mean": float(np.mean(part.values)),
        "interval": list(within),
        "above": part.by,
    }
