"""CFL on losses of any curvature: the theorems at their step size, and their corrections, compared with moments."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from bounds.cfl import nonconvex_runs as b
from bounds.cfl.symbols import D2, G2, T, f0, fs
from bounds.relations import le
from tests.verify.judging import one_by_one_as_by_moments, proved
from verify.cfl_nonconvex_rounds import CLAIMS as PRINTED
from verify.cfl_nonconvex_runs import CLAIMS
from verify.engine.checks.attack import attack, attack_at_random
from verify.engine.model.claim import BUDGETS
from verify.engine.proof.facts import shown_of
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
    """Curvature 2, one local step of size 1/4, start 1, one client: the model is halved, and drifts of variance 3 + 4 +
    5 are added.
    """
    one = lambda x: torch.tensor([float(x)], dtype=torch.float64)  # noqa: E731
    found = {"h": one(2), "G2": one(3), "F2": one(4), "M2": one(5), "R2": one(1)}
    values = {"eta": one(0.25), "start": one(1), "lost": one(0)}
    shape = {"T": 2, "N": 1, "K": 1, "memory": 1, "returning": 0}
    assert float(mean_square(shape, values, found)) == pytest.approx(4 * (1 + 0.25 + 12 / 16) / 2)


@pytest.mark.parametrize("returning", [0, 1])
def test_three_rounds_by_hand(returning: int) -> None:
    """The same with weights 5/11 and 6/11 in the second round, whose model already contains the lasting drift and the
    first of the others.
    """
    one = lambda x: torch.tensor([float(x)], dtype=torch.float64)  # noqa: E731
    found = {"h": one(2), "G2": one(3), "F2": one(4), "M2": one(5), "R2": one(1)}
    values = {"eta": one(0.25), "start": one(1), "lost": one(0)}
    second = 0.25 + 12 / 16
    third = second / 4 + (7 + 5 * (25 + 36) / 121) / 16 + returning * (7 + 5 * 5 / 11) / 16
    shape = {"T": 3, "N": 1, "K": 1, "memory": 1, "returning": returning}
    assert float(mean_square(shape, values, found)) == pytest.approx(4 * (1 + second + third) / 3)


@pytest.mark.parametrize("id", sorted(claim.statement.id for claim in PRINTED if claim.scene))
def test_the_theorems_fall_at_random(id: str) -> None:
    assert attack_at_random(BY_ID[id].question, BUDGETS["quick"], 0).witness is not None


@pytest.mark.parametrize("id", ["cfl.nc.runs.rate", "cfl.nc.runs.fed.rate"])
def test_the_step_of_a_theorem_is_proved_and_four_fifths_of_it_is_not(id: str) -> None:
    assert proved(BY_ID[id])
    assert not proved(BY_ID[id], 80)


MUTANTS = {
    "a third of what a round adds": (
        "cfl.nc.runs.fed.step",
        lambda right: b.loss_now + (right - b.loss_now) / 3,
    ),
    "without drifts": ("cfl.nc.runs.fed.step", lambda right: right.subs({G2: 0, D2: 0})),
    "without the drift of clients": ("cfl.nc.runs.fed.step", lambda right: right.subs(G2, 0)),
    "drifts on the other side": ("cfl.nc.runs.fed.step", lambda right: right.subs(b.strays, -b.strays)),
    "one round fewer": ("cfl.nc.runs.fed.invariant", lambda right: right.subs(b.played, b.played - 1)),
    "without the start": ("cfl.nc.runs.fed.rate", lambda right: right.subs(f0, fs)),
    "a fifth of the start": ("cfl.nc.runs.fed.rate", lambda right: right.subs(T, 5 * T)),
}


LONG = {"one round fewer"}
"""Searches that end without result after a long time."""


@pytest.mark.parametrize(
    "change", [pytest.param(c, marks=[pytest.mark.slow] if c in LONG else []) for c in sorted(MUTANTS)]
)
def test_without_memory_a_changed_right_side_falls_and_is_not_proved(change: str) -> None:
    id, changed = MUTANTS[change]
    claim = BY_ID[id]
    relation = le(claim.relation.lhs, changed(claim.relation.rhs))
    mutant = replace(claim, statement=replace(claim.statement, relation=relation))
    assert attack_at_random(mutant.question, BUDGETS["quick"], 0).witness is not None
    assert not proved(mutant)


def test_without_memory_the_noise_counts() -> None:
    question = BY_ID["cfl.nc.runs.fed.step"].question
    quiet = le(question.relation.lhs, question.relation.rhs.subs(b.shakes, 0))
    assert attack(replace(question, relation=quiet), BUDGETS["default"], 0).witness is not None
