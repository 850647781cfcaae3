"""The topic on C-FLAG's drift, tested on known results: attained constants, missing conditions, worst cases."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bounds.catalogue import statement
from bounds.evaluate import evaluate
from tests.verify.judging import proved, settled
from verify.engine.judge import judge
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import allowed_shapes, quantities
from verify.engine.search.adversary import admissible
from verify.engine.search.sampling import sample
from verify.engine.topics import claim_of, claims_of
from verify.report.wording import sentence
from verify.scenes.cflag.drift import last_drawn
from verify.scenes.cflag.drift_norms import CLIENTS, CLIENTS_SUMS, ROUND, SUMS, by_round, by_step
from verify.scenes.cflag.local_steps import orders
from verify.scenes.cflag.worst_case import worst, worst_case


def verdict(id):
    return judge(claim_of(f"cflag.{id}"), "quick", 0)


def concave(S, E, beta, order=None):
    """One client with S concave samples of curvature -1 and gradient 1 at the server's model."""
    shape = {"N": 1, "S": S, "E": E, "d": 1, "curved": 0}
    values = {
        "slope": np.ones((1, 1, 1, 1)),
        "bend": -np.ones((1, 1, S)),
        "order": np.zeros((1, 1, max(E - 1, 1))) if order is None else np.array([[order]], dtype=float),
        "raw": np.ones((1, 1)),
        "room": np.zeros(1),
        "beta": np.array([beta]),
    }
    sizes = {"beta": np.array([beta])}
    return quantities(ROUND, shape, values, sizes) | quantities(SUMS, shape, values, sizes)


@pytest.mark.parametrize("beta", [0.01, 0.5, 3.0])
@pytest.mark.parametrize("id", ["lem13/sharp", "eq101.path/sharp", "lem15.I/sharp"])
def test_one_concave_sample_attains_the_sharper_bounds(id, beta):
    values = concave(1, 5, beta)
    relation = statement(f"cflag.{id}").compared
    for side in (relation.lhs, relation.rhs):
        assert np.all(np.isfinite(evaluate(side, {**values, "L": 1.0, "E": 5, "beta": beta, "gg": 1.0})))
    left, right = (evaluate(side, {**values, "L": 1.0, "beta": beta, "gg": 1.0}) for side in relation.args)
    np.testing.assert_allclose(np.ravel(left)[1:], np.ravel(right)[1:])


@pytest.mark.parametrize("id", ["lem12/sharp", "cor14/sharp", "lem16/sharp"])
def test_two_steps_attain_the_sharper_bounds_of_the_error(id):
    values = {**concave(4, 2, 0.7), "beta": 0.7, "gg": 1.0, "L": 1.0}
    relation = statement(f"cflag.{id}").compared
    left, right = (np.ravel(evaluate(side, values))[-1] for side in relation.args)
    assert left == pytest.approx(right)


@given(st.integers(1, 4), st.integers(2, 4), st.floats(0.01, 1), st.data())
def test_drift_of_concave_samples_follows_the_recursion_of_the_bound(S, E, beta, data):
    """w_(k+1) = w_k + 1 + beta L mean_j w_(tau_kj), in units of beta |grad g|."""
    order = [data.draw(st.integers(0, S - 1)) for _ in range(E - 1)]
    drift = concave(S, E, beta, order)["drift"][0, 0]
    behind, w = np.zeros(S), [0.0]
    for k in range(E):
        if k:
            behind[order[k - 1]] = w[-1]
        w.append(w[-1] + 1 + beta * behind.mean())
    np.testing.assert_allclose(drift, beta * np.array(w[:E]), rtol=1e-12)


def test_tau_is_the_last_step_at_which_a_sample_was_drawn():
    shape = {"N": 2, "S": 2, "E": 3, "d": 1}
    tau = last_drawn(shape)
    for number, order in enumerate(orders(shape)):
        for i, j, k in np.ndindex(2, 2, 3):
            steps = [step for step in range(1, k + 1) if order[i, step - 1] == j]
            assert tau[k, number, i, j] == max(steps, default=0)


@pytest.mark.parametrize("scene", [ROUND, SUMS, CLIENTS, CLIENTS_SUMS], ids=lambda scene: scene.name)
def test_every_condition_can_be_met(scene):
    """At every tried size of the scene, at least one in four of 64 random instances is admissible."""
    for claim in (claim for claim in claims_of("cflag_drift") if claim.scene is scene):
        for shape in allowed_shapes(scene, claim.conditions):
            values = settled(scene, claim.conditions, shape, batch=64)
            assert admissible(claim.conditions, values, 64, 0.0).sum() >= 16, (claim.statement.id, shape)


def test_every_derivation_starts_from_judged_statements():
    relations = {str(claim.statement.compared) for claim in claims_of("cflag_drift")}
    for claim in claims_of("cflag_drift"):
        assert {str(premise) for premise in claim.premises} <= relations


def test_proof_steps_are_judged():
    ids = {claim.statement.id for claim in claims_of("cflag_drift")}
    for claim in claims_of("cflag_drift"):
        assert set(claim.statement.uses) <= ids


@pytest.mark.parametrize(
    ("id", "shape"),
    [
        ("lem15.I", {"N": 1, "E": 3, "d": 1}),
        ("lem16", {"N": 1, "E": 3, "d": 1}),
        ("lem12/ass1", {"N": 1, "S": 2, "E": 3}),
        ("eq129", {"N": 1, "E": 3}),
        ("eq103", {"S": 4, "E": 2}),
    ],
)
def test_what_is_false_falls_in_a_small_world(id, shape):
    record = verdict(id)
    assert record["verdict"] == "refuted"
    assert record["witness"]["method"] == "exact"
    assert shape.items() <= record["witness"]["shape"].items()


@pytest.mark.parametrize("E", [2, 3])
def test_two_local_steps_need_no_condition(E):
    """Lemma 15 without its condition: (E^2 terms) 2 + z <= 2 + 16 z for every z = beta L; not so for three steps."""
    holds = [concave(1, E, beta)["rho"][0] <= E + 4 * beta * E**2 for beta in (0.1, 1.0, 10.0, 100.0)]
    assert all(holds) == (E == 2)


@pytest.mark.parametrize(
    "id", ["eq4", "eq5", "eq17", "eq20", "eq22", "eq31", "eq32", "eq95", "eq126", "eq130/brackets"]
)
def test_what_is_plain_is_proved(id):
    assert proved(claim_of(f"cflag.{id}"))


def test_cancelling_curvatures_leave_a_smooth_client():
    """Assumption 1 alone: a client with a flat loss whose samples are not flat."""
    shape = {"N": 1, "S": 2, "E": 2, "d": 1, "curved": 0}
    drawn = {
        name: torch.as_tensor(x)
        for name, x in sample(CLIENTS.space(shape), np.random.default_rng(0), 256).items()
    }
    values = quantities(CLIENTS, shape, drawn, {"beta": drawn["beta"]})
    assert (values["client_sup"] <= values["L"]).all()
    assert (values["sample_sup"] > 10 * values["L"]).any()


def test_measured_names_are_those_of_the_glossary():
    shape = ROUND.shapes[3]
    drawn = sample(ROUND.space(shape), np.random.default_rng(0), 2)
    given = {**drawn, "L": np.ones(2)}
    found = by_step(shape, given) | by_round(shape, given)
    glossary = statement("cflag.lem12").glossary
    assert set(found) <= set(glossary)


@pytest.mark.parametrize(("S", "order"), [(1, (0, 0)), (2, (0, 1)), (2, (0, 0)), (3, (0, 1))])
def test_worst_drift_is_that_of_concave_samples(S, order):
    step = 0.1
    exact = concave(S, 3, step, list(order))["drift"][0, 0, -1] / step
    assert worst("drift", S, order, step) == pytest.approx(exact, rel=1e-4)


def test_worst_error_is_that_of_concave_samples_and_grows_with_their_number():
    step = 0.05
    found = [worst("e", S, (0, 0), step) for S in (1, 2, 3)]
    exact = [concave(S, 3, step)["e"][0, 0, -1] for S in (1, 2, 3)]
    np.testing.assert_allclose(found, exact, rtol=1e-4)
    assert all(a < b for a, b in pairwise(found))


def test_worst_case_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "PEPit", None)
    finding = worst_case("drift", ((1, 2),))(claim_of("cflag.lem13"), BUDGETS["quick"], 0)
    assert finding.verdict is None
    assert "PEPit is not installed" in sentence(finding.reason)
