"""Corrected theorems of CFL on convex losses: runs compared with exact moments, and bounds that are not vacuous."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch

from bounds.catalogue import statement
from bounds.cfl.runs import REPAIRED
from tests.verify.judging import drawn, one_by_one_as_by_moments, premises_hold
from verify.cfl_runs import CLAIMS
from verify.engine.model.claim import BUDGETS
from verify.engine.verdict import Verdict
from verify.scenes.cfl.rate import best_weights, rounds_of, sources
from verify.scenes.cfl.run_moments import DOWNHILL, NOWHERE, UPHILL, before, by_moments
from verify.scenes.cfl.runs import CFL_SHAPES, FED_SHAPES, RUNS, by_models, sizes

BY_ID = {claim.statement.id: claim for claim in CLAIMS}
UNLIKE = (sizes(1, N=2, d=2, noisy=1), sizes(1, N=2, d=2, memory=1), sizes(2, noisy=1, memory=1))


@pytest.mark.parametrize("shape", [*FED_SHAPES, *CFL_SHAPES, *UNLIKE], ids=str)
def test_models_one_by_one_have_the_moments_of_the_run(shape) -> None:
    one_by_one_as_by_moments(RUNS, shape, by_models, by_moments)


@pytest.mark.parametrize("memory", [0, 1])
def test_long_runs_have_the_moments_of_quadratics(memory: int) -> None:
    """Identical clients, compared with the recursion of `nqm.drift`."""
    shape, T = sizes(9, N=2, K=3, d=2, noisy=1, memory=memory), 10
    values = drawn(RUNS, shape, batch=4)
    for name in {"client", "time", "lost"} & values.keys():
        values[name] = torch.stack([values[name][:, 0]] * 2, 1)
    values |= {"tied": 0 * values["client"]} | {name: values[name] / 10 for name in RUNS.steps}
    values |= {**shape, **RUNS.known(shape, values)}
    own = {**values, **{name: values[name][:, 0] for name in ("client", "time")}}
    own |= {"lost": values["lost"][:, 0] if memory else 0 * own["client"]}
    rounds = {**shape, "T": T}
    alone = torch.eye(T, dtype=torch.float64) + 0 * values["h"][:, :1, None]
    weights = best_weights(values["D2"], values["R2"], T) if memory else alone
    noise = torch.tensor([0.6, 0.8], dtype=torch.float64) * values["sigma"][:, None]
    path = replace(rounds_of(rounds, own, weights), noise=noise**2).of_new_clients(sources(rounds, own))
    torch.testing.assert_close(before(shape, values, DOWNHILL), (path.mean**2 + path.variance)[:, :-1])


def test_placebos_climb_or_stand() -> None:
    shape = sizes(127)
    values = drawn(RUNS, shape, batch=8)
    values |= {name: values[name] / 10 for name in RUNS.steps}
    values |= {**shape, **RUNS.known(shape, values)}
    assert (before(shape, values, NOWHERE) == values["start"][:, None] ** 2).all()
    assert (before(shape, values, UPHILL).diff(dim=1) > 0).all()


@pytest.mark.parametrize(
    "id", ["runs.round", "runs.step", "runs.mean", "runs.fed.mean", "thmB.5.sc/repaired"]
)
def test_premises_are_true_in_the_runs(id: str) -> None:
    claim = BY_ID[f"cfl.{id}"]
    premises_hold(replace(claim, scene=replace(claim.scene, shapes=claim.scene.shapes[:4])))


def test_a_faster_fall_of_one_round_is_false() -> None:
    claim = BY_ID["cfl.onestep/server"]
    relation = claim.statement.compared
    symbol = {s.name: s for s in relation.free_symbols}
    faster = relation.func(relation.lhs, relation.rhs - 2 * symbol["eta"] * symbol["gap"], evaluate=False)
    sharper = replace(claim, statement=replace(claim.statement, relation=faster), through=())
    assert claim.checks[0](sharper, BUDGETS["quick"], 0).verdict is Verdict.REFUTED


def test_after_many_rounds_the_bound_is_below_what_standing_still_leaves() -> None:
    """Without drift and noise; gradient ascent ends farther still."""
    h, H, T = 1.0, 4.0, 200
    eta = 1 / (16 * h)
    error = REPAIRED["B.6.gc"].at(H=H, T=T, eta=eta, c1_fed=0.0, c2_fed=0.0)
    path = H * (1 - eta * h) ** (2 * np.arange(T))
    keep = (1 - h * eta / 2) ** np.arange(T)[::-1]
    learnt = float((keep * h * path / 2).sum() / keep.sum())
    assert learnt <= error < h * H / 2


@pytest.mark.parametrize(
    "number", ["4.1.sc", "4.1.gc", "4.4.sc", "4.4.gc", "B.5.sc", "B.5.gc", "B.6.sc", "B.6.gc"]
)
def test_a_theorem_stands_beside_every_printed_one(number: str) -> None:
    repaired = statement(f"cfl.thm{number}/repaired")
    assert repaired == REPAIRED[number]
    assert isinstance(repaired.relation, sp.Le)
    assert set(repaired.uses) <= BY_ID.keys()
