"""Methods whose formulas coincide in special cases, compared with each other's implementation."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.algorithm import Algorithm
from algorithms.cfl_coreset import cfl_coreset, cfl_coreset_weighted
from algorithms.cfl_regularization import cfl_regularization, equal
from algorithms.combining import by_size, displacement, mean_of_all, mean_of_sampled, of_each
from algorithms.draws import enumerate_draws
from algorithms.ewc import ewc
from algorithms.fedavg import fedavg
from algorithms.fedprox import fedprox
from algorithms.lwf import flwf_2t, lwf
from algorithms.memory import ring
from algorithms.mimelite import mimelite
from algorithms.penalty import keep, nothing_past, past_gradient, second_order
from algorithms.scaffold import scaffold, scaffold_full_gradients
from algorithms.simulate import play_round, states, trajectory
from algorithms.special import special, special_from_second_task
from algorithms.special_c import (
    reading,
    scaled_gradients,
    special_c,
    special_c_global_step_inside,
    special_c_mean_of_all,
    special_c_scaled_gradients,
    special_c_scaled_gradients_mean_of_all,
)
from nqm.fields import to_exact
from nqm.finite_sum import FiniteSum
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from tests.algorithms import cases

GL, GG, LAM = Fraction(1, 8), Fraction(3, 2), Fraction(1, 4)
STEPS = (GL, GG)


def path(method: Algorithm, seed: int = 0, tasks: int = 2) -> np.ndarray:
    """Exact models of a few runs, so that equal values are exactly equal."""
    world = cases.in_arithmetic(cases.world(seed), to_exact)
    draws = cases.converted(cases.sampled(3, seed), to_exact)
    return trajectory(world, method, draws, to_exact(cases.start(seed)), cases.ROUNDS, tasks)


@pytest.mark.parametrize(
    "method",
    [
        special(*STEPS, 0),
        special_from_second_task(*STEPS, 0),
        special_c(*STEPS, 0),
        special_c_scaled_gradients(*STEPS, 0),
        fedprox(GL, 0, GG),
    ],
    ids=lambda method: method.name,
)
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_without_a_pull_it_is_fedavg(method: Algorithm, seed: int) -> None:
    assert (path(method, seed) == path(fedavg(*STEPS), seed)).all()


def test_special_of_the_text_blends_from_the_second_task() -> None:
    text = path(special_from_second_task(*STEPS, LAM))
    assert (text[0] == path(fedavg(*STEPS))[0]).all()
    assert (text[1, 1:] != path(fedavg(*STEPS))[1, 1:]).any()


def test_both_readings_of_special_have_the_same_rounds_from_the_second_task_on() -> None:
    ends = []
    for method in (special(*STEPS, LAM), special_from_second_task(*STEPS, LAM)):
        ends.append(one_round(method, task=1))
    assert (ends[0] == ends[1]).all()


@pytest.mark.parametrize("make", [special_c, special_c_scaled_gradients, special_c_global_step_inside])
def test_special_c_is_fedavg_in_the_first_task(make) -> None:
    assert (path(make(*STEPS, LAM))[0] == path(fedavg(*STEPS))[0]).all()


def test_the_mean_over_all_is_a_smaller_global_step() -> None:
    smaller = GG * cases.N_SAMPLED / cases.N_CLIENTS
    for over_all, over_sampled in [
        (special_c_mean_of_all, special_c),
        (special_c_scaled_gradients_mean_of_all, special_c_scaled_gradients),
    ]:
        assert (path(over_all(GL, GG, LAM, cases.N_CLIENTS)) == path(over_sampled(GL, smaller, LAM))).all()


def test_the_global_step_inside_is_no_difference_if_both_steps_are_equal() -> None:
    assert (path(special_c_global_step_inside(GL, GL, LAM)) == path(special_c(GL, GL, LAM))).all()


def test_all_readings_of_special_c_are_different_methods() -> None:
    paths = [
        path(reading("any", *STEPS, LAM, inner_lr=inner_lr, update=update, mean=mean))[-1, -1]
        for inner_lr in STEPS
        for update in (displacement, scaled_gradients)
        for mean in (mean_of_sampled, mean_of_all(cases.N_CLIENTS))
    ]
    for i, one in enumerate(paths):
        for other in paths[:i]:
            assert (one != other).any()


def test_an_endless_pull_stays_at_the_anchor() -> None:
    end = path(special(*STEPS, Fraction(10**12)))
    assert abs(end - to_exact(cases.start())).max() < Fraction(1, 10**9)


def test_fedprox_with_one_local_step_is_fedavg() -> None:
    # the pull vanishes at the downloaded model
    ends = [one_round(method, task=1, local_steps=1) for method in (fedprox(GL, LAM, GG), fedavg(*STEPS))]
    assert (ends[0] == ends[1]).all()


def one_round(method: Algorithm, task: int, local_steps: int = cases.LOCAL_STEPS) -> np.ndarray:
    world = cases.in_arithmetic(cases.world(), to_exact)
    draws = cases.sampled(3)
    noise = to_exact(draws.noise(task, 0))[..., :local_steps, :]
    state = method.begin_task(method.init(to_exact(np.ones((3, cases.DIM)))), task)
    return play_round(world, method, state, task, draws.participants(task, 0), noise)["theta"]


def test_mimelite_without_momentum_is_fedavg() -> None:
    assert (path(mimelite(GL, 0, GG)) == path(fedavg(*STEPS))).all()


def test_scaffold_of_a_single_client_is_fedavg() -> None:
    """Its own control variate equals the server's, so both cancel."""
    world = replace(
        cases.in_arithmetic(cases.world(), to_exact),
        curvature=to_exact(cases.world().curvature[:, :1]),
        centre=to_exact(cases.world().centre[:, :1]),
    )
    draws = enumerate_draws(1, 1, cases.LOCAL_STEPS, cases.DIM, rounds=3)
    ends = [
        trajectory(world, method, draws, to_exact(cases.start()), 3)
        for method in (scaffold(*STEPS, 1), scaffold_full_gradients(*STEPS, 1), fedavg(*STEPS))
    ]
    assert (ends[0] == ends[2]).all()
    assert (ends[1] == ends[2]).all()


def test_scaffold_stays_at_the_minimiser_where_fedavg_drifts() -> None:
    """With exact control variates every client's corrected step is that of the mean loss."""
    world = replace(cases.world(), noise=Rademacher(0))
    best = world.minimiser([0])
    everyone = np.arange(cases.N_CLIENTS)
    still = np.zeros((1, cases.N_CLIENTS, cases.LOCAL_STEPS, cases.DIM))
    method = scaffold(0.125, 1, cases.N_CLIENTS)
    exact = world.at(0, everyone).grad(np.broadcast_to(best, (1, cases.N_CLIENTS, cases.DIM)))
    state = {"theta": best[None], "control": exact.mean(axis=-2), "controls": exact}
    assert np.abs(play_round(world, method, state, 0, everyone, still)["theta"] - best).max() < 1e-14
    drifted = play_round(world, fedavg(0.125), {"theta": best[None]}, 0, everyone, still)["theta"]
    assert np.abs(drifted - best).max() > 1e-3


def test_scaffold_stays_at_the_minimiser_by_samples() -> None:
    """If clients are weighted by their samples, so are control variates."""
    world = replace(cases.world(), noise=Rademacher(0))
    everyone, sizes = np.arange(cases.N_CLIENTS), np.arange(1, cases.N_CLIENTS + 1)
    shares = (sizes / sizes.sum())[:, None]
    curvature, centre = world.curvature[0], world.centre[0]
    pulled = (shares * (curvature @ centre[..., None])[..., 0]).sum(0)
    best = np.linalg.solve((shares[..., None] * curvature).sum(0), pulled)
    exact = world.at(0, everyone).grad(np.broadcast_to(best, (1, cases.N_CLIENTS, cases.DIM)))
    method = by_size(scaffold(0.125, 1, cases.N_CLIENTS), np.broadcast_to(sizes, (1, 1, cases.N_CLIENTS)))
    state = method.begin_task(method.init(best[None]), 0) | {"controls": exact}
    still = np.zeros((1, cases.N_CLIENTS, cases.LOCAL_STEPS, cases.DIM))
    assert np.abs(play_round(world, method, state, 0, everyone, still)["theta"] - best).max() < 1e-13


@pytest.mark.parametrize(
    "method",
    [
        ewc(GL, 0, cases.N_CLIENTS, GG),
        lwf(GL, 0, GG),
        cfl_regularization(GL, cases.N_CLIENTS, lambda task: Fraction(1), global_lr=GG),
        cfl_coreset_weighted(GL, cases.N_CLIENTS, 0, ring(2), lambda task: Fraction(1, task + 1), GG),
        cfl_coreset_weighted(GL, cases.N_CLIENTS, 2, ring(2), lambda task: Fraction(1), global_lr=GG),
    ],
    ids=lambda method: method.name,
)
def test_methods_that_keep_nothing_of_the_past_are_fedavg(method: Algorithm) -> None:
    assert (on_samples(method) == on_samples(fedavg(*STEPS))).all()


@pytest.mark.parametrize(
    "method",
    [
        ewc(GL, 1, cases.N_CLIENTS, GG),
        lwf(GL, 1, GG),
        flwf_2t(GL, Fraction(1, 2), Fraction(1, 4), cases.N_CLIENTS),
        cfl_regularization(GL, cases.N_CLIENTS, lambda task: Fraction(1, 2), global_lr=GG),
        cfl_coreset_weighted(GL, cases.N_CLIENTS, 2, ring(2), lambda task: Fraction(1, 2), GG),
    ],
    ids=lambda method: method.name,
)
def test_the_past_matters_from_the_second_task_on(method: Algorithm) -> None:
    found, plain = on_samples(method), on_samples(fedavg(GL, 1 if method.name == "FLwF-2T" else GG))
    assert (found[0] == plain[0]).all()
    assert (found[1, 1:] != plain[1, 1:]).any()


def test_numbers_of_clients_are_those_of_their_run() -> None:
    numbers = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert of_each(numbers, numbers, np.array([2, 0]))[..., 0].tolist() == [[3, 1], [6, 4], [9, 7]]
    assert of_each(numbers, numbers, np.array([[2], [0], [1]]))[..., 0].tolist() == [[3], [4], [8]]
    assert of_each(numbers, numbers[0], np.array([[2, 0], [1, 1]]))[..., 0].tolist() == [[3, 1], [2, 2]]


def test_equal_tasks_have_equal_weights() -> None:
    assert [equal(task) for task in range(4)] == [1, 1 / 2, 1 / 3, 1 / 4]


def test_the_own_teacher_of_a_client_that_met_nothing_is_the_servers_model() -> None:
    theta0, later = np.array([[2.0, -1.0]]), np.array([[5.0, 7.0]])
    method, clients = flwf_2t(0.5, 0.5, 0.25, 3), np.array([[1]])
    state = method.aggregate(method.init(theta0), {"x": np.array([[[3.0, 4.0]]])}, clients)
    own = method.begin_task({**state, "theta": later}, 1)["own"]
    assert own.tolist() == [[[5, 7], [3, 4], [5, 7]]]


def test_a_second_order_past_is_the_past_itself_on_diagonal_quadratics() -> None:
    """The stored gradient of a diagonal quadratic task equals that of the task at every point."""
    samples = DiagonalQuadratic(np.array([[[1.0, 2.0], [0.5, 3.0]]]), np.array([[[1.0, 0.0], [-1.0, 2.0]]]))
    world = FiniteSum(samples, 1)
    state = keep(second_order)(world, nothing_past(np.array([[0.3, -0.7]]), 1), 0, None)
    x = np.array([[[2.0, 5.0]]])
    np.testing.assert_allclose(
        past_gradient({"x": x, "stiffness": state["stiffness"], "pull": state["pull"]}), world.at(0).grad(x)
    )


def test_a_core_set_counts_as_much_as_its_samples() -> None:
    """A step descends the mean loss of all samples of a client, new and stored."""
    world, everyone = exact_samples(), np.arange(cases.N_CLIENTS)
    method = cfl_coreset(GL, cases.N_CLIENTS, 4, ring(2), GG)  # two of each task
    *_, (_, _, state) = states(world, method, cases.drawn(3), to_exact(cases.start()), 1, 1)
    oracle = method.objective(world, method.begin_task(state, 1), 1, everyone)
    x = to_exact(np.random.default_rng(0).integers(-3, 4, (3, cases.N_CLIENTS, cases.DIM)))
    new, kept = oracle.current.grad(x), oracle.memory.grad(x)
    union = (cases.N_SAMPLES * new + 2 * kept) / Fraction(cases.N_SAMPLES + 2)
    assert (new + oracle.memory_share[..., None] * (kept - new) == union).all()


def exact_samples() -> FiniteSum:
    return replace(cases.finite(), samples=cases.in_arithmetic(cases.finite().samples, to_exact))


def on_samples(method: Algorithm) -> np.ndarray:
    """Exact models of a few runs on finite sums."""
    return trajectory(exact_samples(), method, cases.drawn(3), to_exact(cases.start()), cases.ROUNDS, 2)
