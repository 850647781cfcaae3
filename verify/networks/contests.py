"""Sentences that compare methods, or follow one along a sweep, as laws of a setting.

Accuracies are (..., run, K, K), or (..., run, M, K, K) where clients are tested on tasks of their own; a score of
them is (..., run).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.engine.checks.frequency import Observed
from verify.networks.experiments import Setting
from verify.networks.sentences import Law, Metric, Sweep, means, observed
from verify.networks.trends import Trend

Found = Mapping[str, np.ndarray]
"""Method -> accuracies."""


@dataclass(frozen=True)
class Contest:
    """Methods that are compared with each other.

    Attributes
    ----------
    trained : (setting, method) -> accuracies
    metrics : name -> Metric
        Which the records show.
    """

    trained: Callable[[Setting, str], np.ndarray]
    metrics: Mapping[str, Metric]

    def shown(self, a: np.ndarray) -> dict[str, Any]:
        """Means over runs of all metrics, to four digits."""
        return {name: means(metric(a)) for name, metric in self.metrics.items()}

    def compared(self, names: Sequence[str], judge: Callable[[Found], np.ndarray]) -> Law:
        """A sentence about the accuracies of several methods."""

        def law(setting: Setting) -> Observed:
            found = {name: self.trained(setting, name) for name in names}
            return observed(judge(found), setting, methods={name: self.shown(a) for name, a in found.items()})

        return law

    def above(
        self,
        ours: str,
        others: Iterable[str],
        score: Metric,
        over: Callable[[np.ndarray], np.ndarray] = lambda parts: np.all(parts, axis=-1),
    ) -> Law:
        """A method is above each of the others in a score.

        Parameters
        ----------
        score : Metric
            Of a run, (run,), or of its tasks or clients, (run, parts).
        over : (run, parts) of bool -> (run,) of bool
            In which parts it has to be; in all by default.
        """
        rivals = tuple(others)

        def judge(found: Found) -> np.ndarray:
            gaps = [score(found[ours]) - score(found[name]) for name in rivals]
            wins = np.asarray((np.stack(gaps) > 0).all(axis=0))
            return wins if wins.ndim == 1 else over(wins)

        return self.compared((ours, *rivals), judge)

    def along(self, sweep: Sweep, score: Metric, trend: Trend) -> Law:
        """A score goes so along a sweep."""

        def law(setting: Setting) -> Observed:
            values, a = sweep(setting)
            return observed(trend(score(a)), setting, values=values, means=self.shown(a))

        return law
