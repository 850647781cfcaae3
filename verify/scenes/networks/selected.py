"""Comparisons of methods with selected hyperparameters; the records contain the selected values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verify.engine.checks.means import Observed, Part
from verify.networks.contests import Contest, Found
from verify.networks.experiments import Candidates, tuned
from verify.networks.methods import METHODS
from verify.networks.sentences import Law, Metric, record_selected
from verify.networks.setting import Setting, rates


def scaled_candidates(setting: Setting, method: str, candidates: Candidates) -> Candidates:
    """The candidates of a method in a setting, with all step sizes multiplied by `setting.factor` if it is given."""
    if setting.factor is None:
        return candidates
    steps = rates(METHODS[method])
    return {
        name: tuple(float(f"{value * setting.factor:.3g}") for value in values) if name in steps else values
        for name, values in candidates.items()
    }


def numbers_of(
    setting: Setting,
    method: str,
    known: Mapping[str, float],
    candidates: Candidates,
    score: Metric,
    fixed: Mapping[str, float] | None = None,
) -> Mapping[str, float]:
    """The hyperparameters of a method: `known` on the digits, or selected in the setting itself (`Setting.factor`).

    In the latter case, all candidates have half as many runs as the judged methods, and the best quarter twice as many.
    """
    if setting.factor is None:
        return known
    runs = setting.seeds // 2, 2 * setting.seeds
    there = scaled_candidates(setting, method, candidates)
    found = tuned(setting, method, there, lambda ran: score(ran.accuracy), fixed, runs)
    record_selected(method, chosen(there, found))
    return found


def chosen(candidates: Candidates, selected: Mapping[str, float]) -> dict[str, Any]:
    """The selected hyperparameters, and the names of those that lie at an end of their candidates."""
    ends = {
        end: [name for name, value in selected.items() if value == limit(candidates[name])]
        for end, limit in (("least", min), ("largest", max))
    }
    return {**selected, **{f"{end} candidate": names for end, names in ends.items() if names}}


@dataclass(frozen=True)
class Selection(Contest):
    """A comparison of methods, each with its own selected hyperparameters.

    Attributes
    ----------
    numbers : (setting, method) -> name -> Any
        The result of `chosen`; empty if nothing was selected.
    """

    numbers: Callable[[Setting, str], Mapping[str, Any]]

    def compared(self, names: Sequence[str], judge: Callable[[Found], Part]) -> Law:
        """A sentence about the accuracies of several methods."""
        law = super().compared(names, judge)

        def with_numbers(setting: Setting) -> Observed:
            found, numbers = law(setting), {name: self.numbers(setting, name) for name in names}
            return replace(found, measured={**found.measured, "selected": numbers})

        return with_numbers
