"""True theorems beside CFL's on convex losses: runs model by model against exact moments, and bounds that say something."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch

from bounds.catalogue import statement
from bounds.cfl.runs import REPAIRED
from tests.verify.judging import drawn, premises_hold
from verify.cfl_runs import CLAIMS
from verify.engine.claim import BUDGETS
from verify.engine.facts import shown_of
from verify.engine.scene import quantities
from verify.engine.verdict import Verdict
from verify.scenes.cfl.rate import best_weights, rounds_of, sources
from verify.scenes.cfl.runs import CFL_SHAPES, FED_SHAPES, RUN_FACTS, RUNS
from verify.scenes.cfl.server_facts import SERVER_FACTS

BY_ID = {claim.statement.id: claim for claim in CLAIMS}


@pytest.mark.parametrize("fact", [*SERVER_FACTS, *RUN_FACTS], ids=lambda fact: str(fact.relation)[:60])
def test_every_fact_has_a_proof(fact) -> None:
    assert shown_of(fact) is not None


@pytest.mark.parametrize("shape", [*FED_SHAPES, *CFL_SHAPES], ids=str)
def test_models_one_by_one_have_the_moments_of_the_run(shape) -> None:
    values = drawn(RUNS, shape, batch=4)
    N = shape["N"]
    for name in ("client", "time", "lost"):  # clients that are alike, as the moments have them
        if name in values:
            values[name] = torch.stack([values[name][:, 0]] * N, 1)
    if "tied" in values:
        values["tied"] = 0 * values["tied"]
    sizes = {name: values[name] / 10 for name in RUNS.steps}
    found = quantities(RUNS, shape, values, sizes)
    own = {**values, **{name: values[name][:, 0] for name in ("client", "time")}, **sizes}
    own |= {"lost": values["lost"][:, 0] if "lost" in values else 0 * own["client"]}
    own |= {"sigma": values.get("sigma", 0 * values["eta_l"])}
    T = shape["r"] + 1
    rounds = {**shape, "T": T}
    alone = torch.eye(T, dtype=torch.float64) + 0 * values["h"][:, :1, None]
    weights = best_weights(found["D2"], found["R2"], T) if shape["memory"] else alone
    path = rounds_of(rounds, own, weights).of_new_clients(sources(rounds, own))
    torch.testing.assert_close(found["dist2_star"], path.second_moment[:, -2])
    torch.testing.assert_close(found["after2"], path.second_moment[:, -1])


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
    """Without drift and noise; gradient ascent is farther still."""
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
