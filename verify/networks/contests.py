"""Sentences that compare methods, or one method along a sweep, as laws of a setting.

Accuracies are (..., run, K, K), or (..., run, M, K, K) where clients are tested on tasks of their own; a score of
them is (..., run).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from verify.engine.checks.means import Above, Observed, Part, every
from verify.engine.items import as_free
from verify.networks.sentences import Law, Metric, Sweep, means, observed
from verify.networks.setting import Setting
from verify.networks.trends import Trend

Found = Mapping[str, np.ndarray]
"""Method -> accuracies."""


CEILING = 0.98
"""Accuracy above which methods differ by a few images only."""


def all_parts(gaps: np.ndarray, name: str) -> Part:
    """All columns of (run, parts) are above 0."""
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
        Metrics that are shown in records.
    """

    trained: Callable[[Setting, str], np.ndarray]
    metrics: Mapping[str, Metric]

    def shown(self, a: np.ndarray) -> dict[str, Any]:
        """Means over runs of all metrics, to four digits."""
        return {name: means(metric(a)) for name, metric in self.metrics.items()}

    def compared(self, names: Sequence[str], judge: Callable[[Found], Part]) -> Law:
        """A sentence about the accuracies of several methods."""

        def law(setting: Setting) -> Observed:
            each = as_free(*(partial(self.trained, setting, name) for name in names))
            found = dict(zip(names, each, strict=True))
            shown = {name: self.shown(a) for name, a in found.items()}
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
        """A method is above each of the others in a score.

        Parameters
        ----------
        score : Metric
            Of a run, (run,), or of its tasks or clients, (run, parts).
        over : (gaps (run, parts), name) -> Part
            The requirement on the parts; by default all must be above 0.
        """
        rivals = tuple(others)

        def judge(found: Found) -> Part:
            gaps = {name: score(found[ours]) - score(found[name]) for name in rivals}
            return every(*(over(gap.reshape(len(gap), -1), f"{ours} - {name}") for name, gap in gaps.items()))

        return self.compared((ours, *rivals), judge)

    def along(self, sweep: Sweep, score: Metric, trend: Trend) -> Law:
        """A score follows a trend along a sweep."""

        def law(setting: Setting) -> Observed:
            values, a = sweep(setting)
            unfit = self.unfit(dict(zip(values, a, strict=True)), "values")
            return observed(trend(score(a)), setting, unfit, values=values, means=self.shown(a))

        return law
