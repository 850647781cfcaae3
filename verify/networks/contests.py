"""Sentences that compare methods, or one method along a sweep, as laws of a setting.

Accuracies have the shape (..., run, K, K), or (..., run, M, K, K) if clients are tested on their own tasks. Scores have the
shape (..., run).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from verify.engine.checks.means import Above, Observed, Part, every
from verify.engine.work.items import as_free
from verify.networks.sentences import Law, Metric, Sweep, means, observed
from verify.networks.setting import Setting
from verify.networks.trends import Trend

Found = Mapping[str, np.ndarray]
"""Method -> accuracies."""


CEILING = 0.98
"""Accuracy above which methods differ by a few images only, so that a comparison is inconclusive."""


def all_parts(gaps: np.ndarray, name: str) -> Part:
    """The requirement that the expectations of all columns of a (run, parts) array are positive."""
    return every(
        *(Above(gap, name=f"{name}, {i + 1}" if gaps.shape[1] > 1 else name) for i, gap in enumerate(gaps.T))
    )


@dataclass(frozen=True)
class Contest:
    """Methods that are compared with each other.

    Attributes
    ----------
    trained : (setting, method) -> accuracies
    metrics : name -> Metric
        Metrics that records contain.
    """

    trained: Callable[[Setting, str], np.ndarray]
    metrics: Mapping[str, Metric]

    def rounded_means(self, a: np.ndarray) -> dict[str, Any]:
        """Means of all metrics over runs, rounded to four digits."""
        return {name: means(metric(a)) for name, metric in self.metrics.items()}

    def compared(self, names: Sequence[str], judge: Callable[[Found], Part]) -> Law:
        """A sentence about the accuracies of several methods."""

        def law(setting: Setting) -> Observed:
            each = as_free(*(partial(self.trained, setting, name) for name in names))
            found = dict(zip(names, each, strict=True))
            shown = {name: self.rounded_means(a) for name, a in found.items()}
            return observed(judge(found), setting, self.unfit(found), methods=shown)

        return law

    def unfit(self, found: Mapping[Any, np.ndarray], those: str = "methods") -> str:
        """The reason why methods cannot be distinguished (all reach the maximum of the first metric); empty if they can."""
        first = next(iter(self.metrics))
        least = min(float(np.mean(self.metrics[first](a))) for a in found.values())
        return (
            f"the setting is too easy, all {those} have an {first} above {CEILING}" if least > CEILING else ""
        )

    def above(
        self,
        ours: str,
        others: Iterable[str],
        score: Metric,
        over: Callable[[np.ndarray, str], Part] = all_parts,
    ) -> Law:
        """The law that a method has a higher score than each of its rivals.

        Parameters
        ----------
        score : Metric
            A score of shape (run,), or of shape (run, parts) with one for each task or client.
        over : (gaps (run, parts), name) -> Part
            The requirement on the parts; by default all must be above 0.
        """
        rivals = tuple(others)

        def judge(found: Found) -> Part:
            gaps = {name: score(found[ours]) - score(found[name]) for name in rivals}
            return every(*(over(gap.reshape(len(gap), -1), f"{ours} - {name}") for name, gap in gaps.items()))

        return self.compared((ours, *rivals), judge)

    def along(self, sweep: Sweep, score: Metric, trend: Trend) -> Law:
        """The law that a score follows a trend along a sweep."""

        def law(setting: Setting) -> Observed:
            values, a = sweep(setting)
            unfit = self.unfit(dict(zip(values, a, strict=True)), "values")
            return observed(trend(score(a)), setting, unfit, values=values, means=self.rounded_means(a))

        return law
