"""Contests between methods whose numbers were selected, which the records show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verify.engine.checks.means import Observed, Part
from verify.networks.contests import Contest, Found
from verify.networks.experiments import Candidates
from verify.networks.sentences import Law
from verify.networks.setting import Setting


def chosen(candidates: Candidates, selected: Mapping[str, float]) -> dict[str, Any]:
    """What was selected, and which numbers are the least or the largest that might have been."""
    ends = {
        end: [name for name, value in selected.items() if value == limit(candidates[name])]
        for end, limit in (("least", min), ("largest", max))
    }
    return {**selected, **{f"{end} candidate": names for end, names in ends.items() if names}}


@dataclass(frozen=True)
class Selection(Contest):
    """Methods that are compared with numbers of their own.

    Attributes
    ----------
    numbers : (setting, method) -> name -> Any
        As `chosen` has them; empty where nothing was selected.
    """

    numbers: Callable[[Setting, str], Mapping[str, Any]]

    def compared(self, names: Sequence[str], judge: Callable[[Found], Part]) -> Law:
        """A sentence about the accuracies of several methods."""
        law = super().compared(names, judge)

        def with_numbers(setting: Setting) -> Observed:
            found, numbers = law(setting), {name: self.numbers(setting, name) for name in names}
            return replace(found, measured={**found.measured, "selected": numbers})

        return with_numbers
