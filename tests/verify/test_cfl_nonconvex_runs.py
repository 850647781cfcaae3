"""CFL on losses of any curvature: the theorems at the step that they set, and what is true instead, model by model against moments."""

from __future__ import annotations

import pytest
import torch

from tests.verify.judging import one_by_one_as_by_moments, proved
from verify.cfl_nonconvex_rounds import CLAIMS as PRINTED
from verify.cfl_nonconvex_runs import CLAIMS
from verify.engine.checks.attack import attack_at_random
from verify.engine.claim import BUDGETS
from verify.engine.facts import shown_of
from verify.scenes.cfl.nonconvex_rounds import mean_square
from verify.scenes.cfl.nonconvex_runs import (
    CFL_SHAPES,
    FED_SHAPES,
    RUN_FACTS,
    RUNS,
    by_models,
    by_moments,
    sizes,
)

BY_ID = {claim.statement.id: claim for claim in (*PRINTED, *CLAIMS)}
UNLIKE = (sizes(1, N=2, noisy=1), sizes(1, N=2, memory=1), sizes(2, noisy=1, memory=1))


@pytest.mark.parametrize("fact", RUN_FACTS, ids=lambda fact: str(fact.relation)[:60])
def test_every_fact_has_a_proof(fact) -> None:
    assert shown_of(fact) is not None


@pytest.mark.parametrize("shape", [*FED_SHAPES, *CFL_SHAPES, *UNLIKE], ids=str)
def test_models_one_by_one_have_the_moments_of_the_run(shape) -> None:
    one_by_one_as_by_moments(RUNS, shape, by_models, by_moments)


def test_two_rounds_by_hand() -> None:
    """Curvature 2, step 1/4 of 1 local step, start 1, one client: the model halves, and drifts of variance 3 + 4 + 5 arrive."""
    one = lambda x: torch.tensor([float(x)], dtype=torch.float64)  # noqa: E731
    found = {"h": one(2), "G2": one(3), "F2": one(4), "M2": one(5), "R2": one(1)}
    values = {"eta": one(0.25), "start": one(1), "lost": one(0)}
    shape = {"T": 2, "N": 1, "K": 1, "memory": 1}
    assert float(mean_square(shape, values, found)) == pytest.approx(4 * (1 + 0.25 + 12 / 16) / 2)


@pytest.mark.parametrize("id", sorted(claim.statement.id for claim in PRINTED))
def test_the_theorems_fall_at_random(id: str) -> None:
    assert attack_at_random(BY_ID[id].question, BUDGETS["quick"], 0).witness is not None


def test_the_step_of_a_theorem_is_proved_and_four_fifths_of_it_is_not() -> None:
    claim = BY_ID["cfl.nc.runs.rate"]
    assert proved(claim)
    assert not proved(claim, 80)
