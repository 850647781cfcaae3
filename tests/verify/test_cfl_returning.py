"""Returning clients: runs compared with all outcomes, and theorems on new clients that fail for them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from bounds.cfl.convex import NEW, SAME
from bounds.cfl.nonconvex_runs import REPAIRED as NON_CONVEX
from bounds.cfl.returning import SAME_CLIENTS
from bounds.cfl.runs import REPAIRED
from tests.verify.judging import drawn, premises_hold
from verify.cfl_returning import CLAIMS
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.proof.facts import shown_of
from verify.engine.verdict import Verdict
from verify.scenes.cfl.rate import best_weights, rounds_of, sources
from verify.scenes.cfl.returning import BACK, FACTS, moments, sizes
from verify.scenes.cfl.run_moments import before

BY_ID = {claim.statement.id: claim for claim in CLAIMS}


def run_of(**lists: int):
    """A shape, and random instances of its runs with all their constants."""
    shape = sizes(**lists)
    values = drawn(BACK, shape, batch=4)
    values |= {name: values[name] / 10 for name in BACK.steps}
    return shape, {**values, **shape, **BACK.known(shape, values)}


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact.relation)[:60])
def test_every_fact_has_a_proof(fact) -> None:
    assert shown_of(fact) is not None


@pytest.mark.parametrize("memory", [0, 1])
@pytest.mark.parametrize("returning", [0, 2])
def test_runs_have_the_moments_of_quadratics(memory: int, returning: int) -> None:
    """Identical clients, compared with the recursion of `nqm.drift`, which tracks the drift of every round separately."""
    T = 6
    shape, values = run_of(r=T - 1, N=2, memory=memory, returning=returning)
    for name in {"client", "time", "lost"} & values.keys():
        values[name] = torch.stack([values[name][:, 0]] * 2, 1)
    values |= {"tied": 0 * values["client"], "sigma": 0 * values["eta_l"]}
    own = {**values, **{name: values[name][:, 0] for name in ("client", "time")}}
    own |= {"lost": values["lost"][:, 0] if memory else 0 * own["client"]}
    rounds = {**shape, "T": T}
    alone = torch.eye(T, dtype=torch.float64) + 0 * values["h"][:, :1, None]
    weights = best_weights(values["D2"], values["R2"], T) if memory else alone
    run, drifts = rounds_of(rounds, own, weights), sources(rounds, own)
    path = run.of_returning_clients(drifts) if returning else run.of_new_clients(drifts)
    found = moments(shape, values)
    torch.testing.assert_close(found["model2"], (path.mean**2 + path.variance)[:, :-1])
    past = 1 - torch.diagonal(weights, dim1=-2, dim2=-1)
    bias = path.mean[:, :-1] * past[..., None] * own["lost"][:, None]
    met = run.along_returning_clients(drifts) if returning else 0 * bias
    torch.testing.assert_close(found["common"], -(met + bias))


@pytest.mark.parametrize("memory", [0, 1])
def test_new_clients_are_those_of_the_other_runs(memory: int) -> None:
    shape, values = run_of(r=5, N=2, d=2, noisy=1, memory=memory)
    torch.testing.assert_close(moments(shape, values)["model2"], before(shape, values, 1))


@pytest.mark.parametrize(
    "id", ["back.round", "back.step", "back.mean", "back.vanishes", "thmB.5.sc/any-clients"]
)
def test_premises_are_true_in_the_runs(id: str) -> None:
    claim = BY_ID[f"cfl.{id}"]
    premises_hold(replace(claim, scene=replace(claim.scene, shapes=claim.scene.shapes[:8])))


@pytest.mark.parametrize("statement", SAME_CLIENTS, ids=lambda statement: statement.id)
def test_what_is_true_of_new_clients_is_false_of_the_same_ones(statement) -> None:
    assert SAME in statement.conditions
    claim = BY_ID[statement.id]
    assert claim.checks[0](claim, BUDGETS["quick"], 0).verdict is Verdict.REFUTED


@pytest.mark.parametrize("repaired", [*REPAIRED.values(), *NON_CONVEX.values()], ids=lambda one: one.id)
def test_that_clients_are_new_is_a_printed_condition(repaired) -> None:
    assert NEW in repaired.conditions
    assert "new clients in every round" in repaired.changes


def test_the_known_counterexample_is_outside_of_the_conditions_and_within_the_bound() -> None:
    """One client for ever, memory without loss: far above the bound for new clients, and below the bound for any
    clients.
    """
    shape = sizes(r=2999, memory=1, returning=1)
    one = torch.ones(1, dtype=torch.float64)
    values = {"h": one[:, None], "start": 1e-3 * one[:, None], "client": 0 * one[:, None, None]}
    values |= {"time": one[:, None, None], "lost": 0 * one[:, None, None], "tied": 0 * one[:, None, None]}
    values |= {"eta_l": one / 48, "eta_g": one, "room": 0 * one, "spare": 0 * one, "sigma": 0 * one}
    constants = {"L": 3 * one, "mu": one, "G2": 0 * one, "D2": one, "R2": 0 * one, "sigma2": 0 * one}
    values |= {**constants, "A2": 0 * one, "B2": 0 * one, "H": 1e-6 * one}
    found = quantities(replace(BACK, known=lambda shape, values: {}), shape, values, {})
    gap, eta = float(found["gap_mean"]), 1 / 48
    drifts = float(found["level_mean"])
    new_clients = float(found["forgotten"]) + 2 * drifts * eta + 18 * drifts * eta**2
    any_clients = float(found["forgotten"]) + (2 + 2 * eta) * float(found["off_mean"])
    assert gap > 10 * new_clients
    assert gap <= any_clients < 5 * gap
