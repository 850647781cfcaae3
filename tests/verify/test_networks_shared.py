"""Sentences on experiments with shared runs: no process waits while there is something to train."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest

from verify.engine.model.claim import BUDGETS
from verify.engine.topics import claim_of
from verify.engine.work.items import WAITS, Busy
from verify.networks import experiments

ASKED = {
    "cfl.emp.4": 4,
    "cfl.emp.6": 6,
    "cfl.emp.7": 10,
    "cfl.emp.9": 12,
    "cfl.emp.9.overlap": 3,
    "cflag.emp.heterogeneity": 9,
    "cflag.emp.memory.evident": 10,
    "fedmes.emp.uneven.range": 3,
    "special.emp.cost.rounds.digits": 5,
    "special.emp.server-vs-client.digits.acc": 2,
}
"""Settings times methods, or values of a sweep."""


@pytest.mark.parametrize("id", ASKED)
def test_all_runs_are_asked_for_before_any_is_waited_for(id: str, monkeypatch) -> None:
    asked: set[str] = set()

    def busy(name: str, what: tuple[Any, ...], make: Any) -> NoReturn:
        asked.add(f"{name} {what}")
        raise Busy

    monkeypatch.setattr(experiments, "cached_result", busy)
    experiments._run.cache_clear()
    claim = claim_of(id)
    assert claim is not None
    before = WAITS.set(False)
    try:
        with pytest.raises(Busy):
            claim.checks[0](claim, BUDGETS["quick"], 0)
    finally:
        WAITS.reset(before)
    assert len(asked) == ASKED[id]
