"""Is a sentence about expectations true? Contrasts over independent seeds, in intervals that hold all at once.

A sentence is a tree: `Above` says that an expectation exceeds a number, `Every` and `Some` join parts. All contrasts of a
sentence get simultaneous intervals (Student's, at Bonferroni's share of the error), and the sentence gets a share of the
error of the family of sentences that it is judged with. So the probability that any verdict of the family is wrong is at
most `FAMILY`, as far as means of seeds are normal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from verify.engine.claim import Budget, Claim
from verify.engine.verdict import Finding, Verdict

FAMILY = 0.05
"""Probability that any verdict of a family is wrong."""


@dataclass(frozen=True)
class Above:
    """The expectation of `values` (run,) is above `by`.

    With ``by = -margin`` it says "not lower by the margin or more", so that two of them say "comparable".
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
    """What an experiment found.

    Attributes
    ----------
    sentence : Part
    measured : mapping
        Plain JSON that a reader needs to believe it: means, settings.
    unfit : str
        Why the setting cannot decide the sentence; empty if it can.
    """

    sentence: Part
    measured: Mapping[str, Any] = field(default_factory=dict)
    unfit: str = ""


def contrasts(part: Part) -> Iterator[Above]:
    """All contrasts of a sentence, from left to right."""
    if isinstance(part, Above):
        yield part
    else:
        for inner in part.parts:
            yield from contrasts(inner)


def interval(values: np.ndarray, error: float) -> tuple[float, float]:
    """Student's interval of the expectation of (run,) values, which misses it with probability `error`."""
    from scipy.stats import t

    n, mean = len(values), float(np.mean(values))
    half = float(t.ppf(1 - error / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return mean - half, mean + half


def truth(part: Part, error: float) -> bool | None:
    """Whether a sentence is true, from intervals that all hold but with probability `error`; None: not decided.

    A tie, in which an interval ends at `by`, decides nothing.
    """
    each = error / sum(1 for _ in contrasts(part))

    def of(inner: Part) -> bool | None:
        if isinstance(inner, Above):
            low, high = interval(inner.values, each)
            return True if low > inner.by else False if high < inner.by else None
        found = {of(one) for one in inner.parts}
        decisive = isinstance(inner, Some)
        if decisive in found:
            return decisive
        return None if None in found else not decisive

    return of(part)


def means(
    experiment: Callable[[Budget, int], Observed], n_sentences: int
) -> Callable[[Claim, Budget, int], Finding]:
    """Check of a sentence about expectations, one of a family of `n_sentences`.

    It holds, or is refuted, if its intervals leave no other way; else the seeds do not decide it, which is no verdict.

    Parameters
    ----------
    experiment : (budget, seed) -> Observed
        Must draw all its randomness from `seed`, independently for each run.
    """
    error = FAMILY / n_sentences

    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        observed = experiment(budget, seed)
        parts = list(contrasts(observed.sentence))
        n, each = len(parts[0].values), error / len(parts)
        shown = [_shown(part, each) for part in parts]
        found = None if observed.unfit else truth(observed.sentence, error)
        verdict = {True: Verdict.HOLDS, False: Verdict.REFUTED, None: Verdict.NOT_APPLICABLE}[found]
        said = {
            True: "true of the means",
            False: "not true of the means where it was tried",
            None: observed.unfit or "the seeds do not decide it",
        }[found]
        closest = min(parts, key=lambda part: float(np.mean(part.values)) - part.by)
        low, high = interval(closest.values, each)
        reason = (
            f"{said}: least contrast {np.mean(closest.values):.4f} in [{low:.4f}, {high:.4f}] over {n} seeds "
            f"({len(parts)} contrasts at once, error {error:.1e})"
        )
        details = {"error": error, "contrasts": shown, "measured": dict(observed.measured)}
        return Finding("means", verdict, "sampled", reason, trials=n, details=details)

    return check


def _shown(part: Above, error: float) -> dict[str, Any]:
    low, high = interval(part.values, error)
    return {
        "contrast": part.name,
        "mean": float(np.mean(part.values)),
        "interval": [low, high],
        "above": part.by,
    }
