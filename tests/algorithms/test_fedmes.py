"""FedMeS and its baselines: single steps by hand, and cases in which they coincide with simpler methods."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from algorithms.algorithm import Algorithm
from algorithms.corrections import without_conflict
from algorithms.ditto import ditto
from algorithms.draws import minibatches
from algorithms.fedagem import fedagem, memory_minibatch, whole_memory
from algorithms.fedavg import fedavg
from algorithms.fedmes import fedmes, fixed_strength, length, loss_based
from algorithms.fedprox import fedprox
from algorithms.fedrep import fedrep
from algorithms.memory import first_in_first_out, ring
from algorithms.simulate import states
from nqm.arguments import map_parameters
from nqm.fields import Irrational, Overlapping, kind, to_exact, to_float, to_interval
from nqm.finite_sum import FiniteSum
from nqm.kinds import INTERVALS
from nqm.quadratic import DiagonalQuadratic
from tests.algorithms import cases

LR, LR2, LAM = Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)
M = cases.N_CLIENTS
KEEP = first_in_first_out(2)
VECTOR = arrays(int, 3, elements=st.integers(-3, 3)).map(to_exact)


def run(method: Algorithm, seed: int = 0, tasks: int = 2) -> list:
    """Exact states of a few runs, so that equal values are exactly equal."""
    world = replace(cases.finite(seed), samples=map_parameters(cases.finite(seed).samples, to_exact))
    path = states(world, method, cases.drawn(3, seed), to_exact(cases.start(seed)), cases.ROUNDS, tasks)
    return [state for _, _, state in path]


def models(method: Algorithm, seed: int = 0) -> np.ndarray:
    return np.array([state["theta"] for state in run(method, seed)])


SEEDS = given(seed=st.integers(0, 10**6))
FEW = settings(max_examples=6)


@SEEDS
@FEW
def test_without_memory_fedmes_is_fedprox_and_without_pull_fedavg(seed: int) -> None:
    of = lambda lam: models(fedmes(LR, LR2, M, 0, KEEP, fixed_strength(lam)), seed)  # noqa: E731
    assert (of(LAM) == models(fedprox(LR, LAM), seed)).all()
    assert (of(0) == models(fedavg(LR), seed)).all()


def test_with_a_memory_fedmes_differs_from_the_second_task_on() -> None:
    with_memory = models(fedmes(LR, LR2, M, 2, KEEP, fixed_strength(0)))
    plain = models(fedavg(LR))
    first = cases.ROUNDS + 1
    assert (with_memory[:first] == plain[:first]).all()
    assert (with_memory[first + 1 :] != plain[first + 1 :]).any()


@SEEDS
@FEW
def test_fedagem_without_memory_is_fedavg(seed: int) -> None:
    assert (models(fedagem(LR, M, 0, KEEP, LR2), seed) == models(fedavg(LR, LR2), seed)).all()


def test_fedagem_with_a_memory_is_fedavg_in_the_first_task_only() -> None:
    with_memory, plain = models(fedagem(LR, M, 4, ring(2))), models(fedavg(LR))
    first = cases.ROUNDS + 1
    assert (with_memory[:first] == plain[:first]).all()
    assert (with_memory[first + 1 :] != plain[first + 1 :]).any()


def test_one_rate_and_no_pull_make_fedmes_fedagem() -> None:
    same = models(fedmes(LR, LR, M, 2, KEEP, fixed_strength(0)))
    assert (same == models(fedagem(LR, M, 2, KEEP, recall=whole_memory))).all()


@SEEDS
@FEW
def test_the_global_model_of_ditto_is_fedavg(seed: int) -> None:
    assert (models(ditto(LR, LR2, LAM, M, LR2), seed) == models(fedavg(LR, LR2), seed)).all()


def test_without_pull_ditto_trains_alone() -> None:
    ends = [run(ditto(lr, LR2, 0, M))[-1]["personal"] for lr in (LR, LR2)]
    assert (ends[0] == ends[1]).all()
    pulled = run(ditto(LR, LR2, LAM, M))[-1]["personal"]
    assert (pulled != ends[0]).any()


def test_ditto_alone_with_its_client_is_sgd() -> None:
    world = FiniteSum(map_parameters(cases.finite().samples, to_exact), 1)
    draws = minibatches(0, 2, np.full((2, 1), 12), 1, 2, 1)
    *_, (_, _, state) = states(world, ditto(LR, LR, 0, 1), draws, to_exact(cases.start()), 3, 2)
    assert (state["personal"][:, 0] == state["theta"]).all()


@SEEDS
@FEW
def test_fedrep_without_a_head_is_fedavg(seed: int) -> None:
    assert (models(fedrep(LR, np.zeros(2), M, 0, LR2), seed) == models(fedavg(LR, LR2), seed)).all()


def test_fedrep_with_nothing_but_a_head_trains_alone() -> None:
    method = fedrep(LR, np.ones(2), M, cases.LOCAL_STEPS)
    *_, end = run(method)
    assert (end["theta"] == to_exact(cases.start())).all()
    assert (method.served(end) == run(ditto(LR2, LR, 0, M))[-1]["personal"]).all()


def test_fedrep_shares_the_representation_and_keeps_heads() -> None:
    method = fedrep(LR, np.array([0, 1]), M, 1)
    *_, end = run(method)
    served = method.served(end)
    assert (served[..., 0] == end["theta"][:, None, 0]).all()
    assert (served[..., 1] == end["personal"][..., 1]).all()
    assert (end["theta"][..., 1] == cases.start()[1]).all()


@given(g=VECTOR, memory=VECTOR, other=VECTOR)
def test_the_projection_is_the_nearest_vector_without_conflict(g, memory, other) -> None:
    nearest = without_conflict(g[None], memory[None])[0]
    assert nearest @ memory >= 0
    assert (without_conflict(nearest[None], memory[None])[0] == nearest).all()
    if g @ memory >= 0:
        assert (nearest == g).all()
    if other @ memory >= 0:
        assert (nearest - g) @ (nearest - g) <= (other - g) @ (other - g)


def test_a_conflict_that_intervals_leave_open_is_refused() -> None:
    about_zero = INTERVALS.mpf([-1, 1])
    with pytest.raises(Overlapping):
        without_conflict(to_interval([[1, 0], [about_zero, 0]]), to_interval([1, 1]))
    with pytest.raises(Overlapping):
        loss_based(to_interval([1, about_zero]))


@pytest.mark.parametrize("array", [np.asarray, torch.tensor])
def test_an_empty_memory_has_no_say(array) -> None:
    g = array(np.array([[1.0, -2.0]]))
    assert (without_conflict(g, 0 * g) == g).all()


def one_client(centre: float) -> FiniteSum:
    """Unit curvature; task 0 has its minimum at 1, task 1 at `centre`."""
    return FiniteSum(DiagonalQuadratic(np.ones((2, 1, 2)), np.array([[[1.0, 1.0]], [[centre, 0.0]]])), 1)


@pytest.mark.parametrize(("centre", "conflict"), [(-1.0, True), (3.0, False)])
def test_a_step_by_hand(*, centre: float, conflict: bool) -> None:
    method = fedmes(0.1, 0.3, 1, 1, first_in_first_out(1), fixed_strength(0.5))
    world, clients = one_client(centre), np.array([[0]])
    w, at = np.zeros((1, 1, 2)), np.full((1, 2), 0.25)
    state = {"theta": at, "kept": np.array([[[0]]]), "personal": w}
    oracle = method.objective(world, state, 1, clients)
    local = {**method.begin_round(state, clients, oracle), "x": w}
    seen = method.query(oracle, w, np.zeros((1, 1, 1), dtype=int))
    end = method.local_step(state, local, seen)["x"][0, 0]
    g, memory = np.array([-centre, 0.0]), np.array([-1.0, -1.0])
    assert (g @ memory < 0) == conflict
    plain = -0.1 * (g + 0.5 * (0 - at[0]))
    np.testing.assert_allclose(end, -0.3 * (g - g @ memory / 2 * memory) if conflict else plain)


def test_the_strength_lies_between_one_and_two_and_falls_with_the_loss() -> None:
    losses = np.array([0.0, 0.01, 1.0, 100.0])
    lam = loss_based(losses)
    assert (np.diff(lam) <= 0).all()
    assert lam[0] == 2
    assert lam[2] == pytest.approx(2 / (1 + np.exp(-1)))
    assert 1 < lam[3] < 1.01
    assert loss_based(torch.tensor(losses)).numpy() == pytest.approx(lam)
    assert to_float(loss_based(to_interval(losses))) == pytest.approx(lam)
    with pytest.raises(Irrational, match="irrational"):
        loss_based(to_exact(losses))


@pytest.mark.parametrize("recall", [whole_memory, memory_minibatch])
def test_the_paper_s_own_setting_runs(recall) -> None:
    method = fedmes(0.1, 0.1, M, 2, KEEP, recall=recall)
    path = [s for *_, s in states(cases.finite(), method, cases.drawn(), cases.start(), 2, 2)]
    assert np.isfinite(path[-1]["theta"]).all()
    assert method.served(path[-1]).shape == (cases.N_RUNS, M, cases.DIM)


def test_the_printed_pull_pushes_one_side_away() -> None:
    assert (length(np.array([[2.0], [-2.0]])) == 2).all()
    assert length(np.array([[3.0, 4.0]])).tolist() == [[5.0, 5.0]]
    assert kind(length(to_exact([[-1]]))) == "exact"
    with pytest.raises(TypeError, match="square roots"):
        length(to_exact([[3, 4]]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fedmes(0, 1, M, 2, KEEP), "`local_lr` must be finite and > 0"),
        (lambda: fedmes(1, -1, M, 2, KEEP), "`correction_lr` must be finite and > 0"),
        (lambda: fixed_strength(-1.0), "`lam` must be finite and >= 0"),
        (lambda: ditto(1, 1, -1, M), "`lam` must be finite and >= 0"),
        (lambda: fedrep(1, np.array([0, 2]), M, 1), "`head` must be a vector of 0 and 1"),
        (lambda: run(fedrep(1, np.ones(3), M, 1)), "`head` must have one entry for each of the 2 parameters"),
        (lambda: fedagem(1, M, -1, KEEP).init(np.zeros((1, 2))), "`capacity` must be an integer >= 0"),
    ],
)
def test_what_they_refuse(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
