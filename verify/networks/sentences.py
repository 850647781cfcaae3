"""Sentences about runs, as functions of a setting that return the quantities whose expectations must be positive.

A *law* is a function from a setting to `Observed`. Accuracies have the shape (..., run, K, K).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np

from bounds.catalogue import statement, statements
from verify.engine.checks.means import Observed, Part
from verify.engine.checks.means import means as about_means
from verify.engine.model.claim import Budget, Claim
from verify.engine.work.items import as_free
from verify.networks.experiments import SEEDS, run
from verify.networks.setting import Setting
from verify.scenes.metrics import acc, learnt, special_bwt, special_worst_drop

Law = Callable[[Setting], Observed]
Metric = Callable[[np.ndarray], np.ndarray]
"""Accuracies (..., run, K, tests) -> (..., run)."""
Sweep = Callable[[Setting], tuple[tuple[float, ...], np.ndarray]]
"""Setting -> values of the sweep, and accuracies (sweep, run, K, tests)."""


def mean_learnt(a: np.ndarray) -> np.ndarray:
    """Mean accuracy on a task right after it was learnt."""
    return learnt(a).mean(axis=-1)


PLACE: ContextVar[Mapping[str, Any]] = ContextVar("place", default=MappingProxyType({}))
"""Entries that replace those of a setting: sentences are judged on another stream, network or machine."""

SELECTED: ContextVar[list[Any] | None] = ContextVar("selected", default=None)
"""Hyperparameters that methods selected while a sentence is judged, as pairs (method, numbers); `record_selected` adds to them."""

CONTINUAL: Mapping[str, Metric] = {
    "ACC": acc,
    "BWT": special_bwt,
    "learnt": mean_learnt,
    "worst drop": special_worst_drop,
}
"""Metrics of runs on several tasks."""


SELECTED_HERE = "selected here"
"""Key in the record of a sentence for the selected hyperparameters; its list is empty if all are given, printed or swept."""


def record_selected(method: str, numbers: Mapping[str, Any]) -> None:
    """Record the hyper-parameters that a method selected in the setting in which a sentence is judged."""
    noted = SELECTED.get()
    if noted is not None and [method, numbers] not in noted:
        noted.append([method, numbers])


def means(values: np.ndarray) -> Any:
    """Means over the runs, rounded to four digits: (..., run) -> nested lists."""
    return np.round(values.mean(axis=-1), 4).tolist()


def observed(sentence: Part, setting: Setting, unfit: str = "", **measured: Any) -> Observed:
    """The observation of a sentence, with its setting in the record."""
    return Observed(sentence, {**measured, "setting": setting.plain()}, unfit)


def swept(method: str, number: str, values: tuple[float, ...]) -> Sweep:
    """Sweep of a hyperparameter of a method."""
    return lambda setting: (values, run(setting, method, {number: values}).accuracy)


def across(method: str, strength: Mapping[str, float], name: str, values: tuple[float, ...]) -> Sweep:
    """Sweep of an entry of the setting."""

    def sweep(setting: Setting) -> tuple[tuple[float, ...], np.ndarray]:
        places = [replace(setting, **{name: value}) for value in values]  # type: ignore[arg-type]
        each = as_free(*(partial(run, place, method, strength) for place in places))
        return values, np.stack([ran.accuracy for ran in each])

    return sweep


def claim_of_law(id: str, law: Law, base: Setting) -> Claim:
    """The claim that a law holds for expectations; the budget determines the number of seeds.

    For the correction of multiple tests, its family consists of all sentences on experiments of its paper, with variants.
    """

    def experiment(budget: Budget, seed: int) -> Observed:
        setting = replace(base, seeds=SEEDS[budget.name], seed=seed, **PLACE.get())
        if setting.factor is None:
            return law(setting)
        noted: list[Any] = []
        before = SELECTED.set(noted)
        try:
            found = law(setting)
        finally:
            SELECTED.reset(before)
        return replace(found, measured={**found.measured, SELECTED_HERE: noted})

    paper = id.partition(".")[0]
    n_sentences = sum(known.startswith(f"{paper}.emp.") for known in statements(paper))
    return Claim(statement(id), (about_means(experiment, n_sentences),))


def variants(id: str, of: Callable[[Any], Law], what: Mapping[str, Any], base: Setting) -> tuple[Claim, ...]:
    """Claims of the same law for several variants; the name "" denotes the printed sentence."""
    return tuple(claim_of_law(joined_names(id, name, by="/"), of(each), base) for name, each in what.items())


def joined_names(*names: str, by: str = ".") -> str:
    """Join the nonempty names."""
    return by.join(filter(None, names))


def side_by_side(*families: Sequence[Claim]) -> tuple[Claim, ...]:
    """Order claims of families, where a family shares its runs: the first claim of each family comes first.

    Several processes then train different runs, and none waits for another.
    """
    first, rest = (
        tuple(chain(*(family[part] for family in families))) for part in (slice(1), slice(1, None))
    )
    return first + rest
