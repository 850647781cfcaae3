"""Sentences about runs, as functions of a setting that say in which seeds they are true.

A *law* takes a setting and gives `Observed`. Accuracies are (..., run, K, K), as the metrics take them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bounds.catalogue import statement
from verify.engine.checks.frequency import Observed, frequency
from verify.engine.claim import Budget, Claim
from verify.engine.metrics import acc, learnt, special_bwt, special_worst_drop
from verify.networks.experiments import SEEDS, Ran, Setting, run, tuned
from verify.networks.trends import Trend

Law = Callable[[Setting], Observed]
Metric = Callable[[np.ndarray], np.ndarray]
"""Accuracies (..., run, K, tests) -> (..., run)."""
Sweep = Callable[[Setting], tuple[tuple[float, ...], np.ndarray]]
"""Setting -> values that are tried, and accuracies (sweep, run, K, tests)."""
Pair = Callable[[Ran, Ran], np.ndarray]
"""(runs of one method, of another) -> in which seeds something is true, (run,)."""


def mean_learnt(a: np.ndarray) -> np.ndarray:
    """Mean accuracy on a task right after it was learnt."""
    return learnt(a).mean(axis=-1)


CONTINUAL: Mapping[str, Metric] = {
    "ACC": acc,
    "BWT": special_bwt,
    "learnt": mean_learnt,
    "worst drop": special_worst_drop,
}
"""Metrics of runs on several tasks."""


@dataclass(frozen=True)
class Field:
    """Methods that are compared with each other.

    Attributes
    ----------
    metrics : name -> Metric
        Which the records show; the first one selects strengths.
    strengths : method -> number -> value
        What was selected of each method's candidates, before any sentence was judged.
    candidates : method -> number -> values
    """

    metrics: Mapping[str, Metric]
    strengths: Mapping[str, Mapping[str, float]]
    candidates: Mapping[str, Mapping[str, tuple[float, ...]]]

    def select(self, setting: Setting, method: str) -> dict[str, float]:
        """The candidate with the highest mean of the first metric, on seeds that are not judged on."""
        first = next(iter(self.metrics.values()))
        return tuned(setting, method, lambda ran: first(ran.accuracy), **self.candidates[method])

    def trained(self, setting: Setting, method: str) -> Ran:
        """Runs of a method with its strength, tested after every round."""
        return run(setting, method, "rounds", **self.strengths[method])

    def shown(self, a: np.ndarray) -> dict[str, Any]:
        """Means over runs of all metrics, to four digits."""
        return {name: means(metric(a)) for name, metric in self.metrics.items()}


def means(values: np.ndarray) -> Any:
    """Over the runs, to four digits: (..., run) -> nested lists."""
    return np.round(values.mean(axis=-1), 4).tolist()


def observed(met: np.ndarray, setting: Setting, **measured: Any) -> Observed:
    """What was found, with the setting in which it was."""
    return Observed(met, {**measured, "setting": setting.plain()})


def swept(method: str, **grid: tuple[float, ...]) -> Sweep:
    """Sweep of a number of a method."""
    values = next(iter(grid.values()))
    return lambda setting: (values, run(setting, method, **grid).accuracy)


def across(method: str, strength: Mapping[str, float], name: str, values: tuple[float, ...]) -> Sweep:
    """Sweep of an entry of the setting."""

    def sweep(setting: Setting) -> tuple[tuple[float, ...], np.ndarray]:
        places = [replace(setting, **{name: value}) for value in values]  # type: ignore[arg-type]
        return values, np.stack([run(place, method, **strength).accuracy for place in places])

    return sweep


def along(field: Field, sweep: Sweep, metric: Metric, trend: Trend) -> Law:
    """A metric goes so along a sweep."""

    def law(setting: Setting) -> Observed:
        values, a = sweep(setting)
        return observed(trend(metric(a)), setting, values=values, means=field.shown(a))

    return law


def compared(field: Field, names: tuple[str, ...], judge: Callable[[Mapping[str, Ran]], np.ndarray]) -> Law:
    """A sentence about several methods, each with its strength."""

    def law(setting: Setting) -> Observed:
        found = {name: field.trained(setting, name) for name in names}
        table = {name: {**field.strengths[name], **field.shown(ran.accuracy)} for name, ran in found.items()}
        return observed(judge(found), setting, methods=table)

    return law


def beats(field: Field, ours: tuple[str, ...], others: tuple[str, ...], *metrics: Metric) -> Law:
    """Each of some methods is above each of the others, in all of some metrics."""

    def judge(found: Mapping[str, Ran]) -> np.ndarray:
        gaps = [
            metric(found[one].accuracy) - metric(found[other].accuracy)
            for metric in metrics
            for one in ours
            for other in others
        ]
        return (np.stack(gaps) > 0).all(axis=0)

    return compared(field, (*ours, *others), judge)


def judged(id: str, law: Law, base: Setting) -> Claim:
    """The claim that a law holds in most seeds; their number follows the budget."""

    def experiment(budget: Budget, seed: int) -> Observed:
        return law(replace(base, seeds=SEEDS[budget.name], seed=seed))

    return Claim(statement(id), (frequency(experiment),))


def joined(*names: str, by: str = ".") -> str:
    """Names that are not empty."""
    return by.join(filter(None, names))
