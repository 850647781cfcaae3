"""The simulation loop: one round by hand, symbolic rounds, and errors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch

from algorithms.algorithm import Algorithm, is_vector, over_slots
from algorithms.draws import fixed, monte_carlo
from algorithms.fedavg import fedavg
from algorithms.fedprox import fedprox
from algorithms.simulate import (
    _with_made,
    local_path,
    play_round,
    resting,
    state_before_local_work,
    states,
    states_after_local_work,
    trajectory,
)
from algorithms.special import special
from algorithms.special_c import special_c, special_c_scaled_gradients_mean_of_all
from nqm.fields import kind, to_exact, to_float, to_interval
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic, Quadratic
from tests.algorithms import cases

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def by_hand_world() -> DiagonalQuadratic:
    """Two tasks of three clients in one dimension: losses h*(x - c)^2/2, noise of size 2."""
    curvature = [[[1], [2], [3]], [[2], [1], [1]]]
    centre = [[[1], [0], [2]], [[4], [0], [2]]]
    return DiagonalQuadratic(to_exact(curvature), to_exact(centre), Rademacher(to_exact(2)))


def by_hand_round(method: Algorithm, task: int, theta: object, anchor: object) -> Fraction:
    """Clients 0 and 2, two local steps, noise u = (1, -1) for client 0 and (0, 1) for client 2."""
    state = method.begin_task(method.init(to_exact([[anchor]])), task)
    clients = np.array([[0, 2]])
    noise = to_exact([[[[1], [-1]], [[0], [1]]]])
    return play_round(by_hand_world(), method, {**state, "theta": to_exact([[theta]])}, task, clients, noise)[
        "theta"
    ][0, 0]


def test_a_round_of_fedavg_by_hand() -> None:
    # client 0: g = (0-1)+2 = 1, x = -1/4; g = (-1/4-1)-2 = -13/4, x = -1/4 + 13/16 = 9/16
    # client 2: g = 3(0-2) = -6, x = 3/2; g = 3(3/2-2)+2 = 1/2, x = 3/2 - 1/8 = 11/8
    # mean displacement (9/16 + 22/16)/2 = 31/32, times 3/2
    assert by_hand_round(fedavg(QUARTER, Fraction(3, 2)), 0, 0, 0) == Fraction(93, 64)


def test_a_round_of_fedprox_by_hand() -> None:
    # client 0: first step as above, x = -1/4; g = -13/4 + mu*(-1/4) = -27/8, x = -1/4 + 27/32 = 19/32
    # client 2: x = 3/2; g = 1/2 + mu*3/2 = 5/4, x = 3/2 - 5/16 = 19/16
    # mean displacement (19/32 + 38/32)/2 = 57/64
    assert by_hand_round(fedprox(QUARTER, HALF), 0, 0, 0) == Fraction(57, 64)


def test_a_round_of_special_by_hand() -> None:
    # FedAvg gives 93/64; the anchor is 1 and lam is 1/2: (93/64 + 1/2)/(3/2)
    assert by_hand_round(special(QUARTER, Fraction(3, 2), HALF), 0, 0, 1) == Fraction(125, 96)


def test_a_round_of_special_c_by_hand() -> None:
    # Second task, anchor 1, lam = 1/2: prox(x) = (x + 1)/2.
    # client 0: g = 2(0-4)+2 = -6, x = prox(3/2) = 5/4; g = 2(5/4-4)-2 = -15/2, x = prox(25/8) = 33/16
    # client 2: g = (0-2) = -2, x = prox(1/2) = 3/4; g = (3/4-2)+2 = 3/4, x = prox(9/16) = 25/32
    assert by_hand_round(special_c(QUARTER, 1, HALF), 1, 0, 1) == (Fraction(33, 16) + Fraction(25, 32)) / 2
    # Other variants: 1/4 of the gradients' sum is sent, and divided by 3 clients although 2 sent it.
    other = special_c_scaled_gradients_mean_of_all(QUARTER, 1, HALF, 3)
    assert by_hand_round(other, 1, 0, 1) == (Fraction(27, 2) + Fraction(5, 4)) / 4 / 3


def test_symbols_give_the_recursion() -> None:
    h, c, x, u, a = sp.symbols("h c x u a")
    g, gg, lam, s = sp.symbols("gamma_L gamma_G lambda sigma", positive=True)
    array = lambda value, shape: np.full(shape, value, dtype=object)  # noqa: E731
    world = Quadratic(array(h, (1, 1, 1, 1)), array(c, (1, 1, 1)), Rademacher(array(s, (1, 1))))
    state = {"theta": array(x, (1, 1)), "anchor": array(a, (1, 1)), "task": 0}
    end = play_round(
        world, special(g, gg, lam), state, 0, np.zeros((1, 1), dtype=int), array(u, (1, 1, 1, 1))
    )
    expected = (x - gg * g * (h * (x - c) + s * u) + lam * a) / (1 + lam)
    assert sp.simplify(end["theta"][0, 0] - expected) == 0


def test_intervals_enclose_the_exact_run() -> None:
    draws, world = cases.sampled(2), cases.world()
    exact, enclosed = (
        trajectory(
            cases.in_arithmetic(world, convert),
            special(Fraction(1, 3), 1, Fraction(1, 7)),
            cases.converted(draws, convert),
            convert(cases.start()),
            cases.ROUNDS,
            2,
        )
        for convert in (to_exact, to_interval)
    )
    assert kind(enclosed) == "interval"
    assert all(point in interval for point, interval in zip(exact.flat, enclosed.flat, strict=True))


def test_states_are_the_trajectory_one_by_one() -> None:
    draws, world, method = cases.sampled(), cases.world(), special(0.125, 1.5, 0.25)
    path = trajectory(world, method, draws, cases.start(), cases.ROUNDS, 2)
    seen = list(states(world, method, draws, cases.start(), cases.ROUNDS, 2))
    assert [(task, t) for task, t, _ in seen] == [(i, t) for i in range(2) for t in range(cases.ROUNDS + 1)]
    for task, t, state in seen:
        np.testing.assert_array_equal(state["theta"], path[task, t])
        np.testing.assert_array_equal(state["anchor"], path[task, 0])


def test_more_rounds_go_on_from_fewer() -> None:
    draws = monte_carlo(0, 3, cases.N_CLIENTS, cases.N_SAMPLED, cases.LOCAL_STEPS, cases.DIM)
    few, many = (trajectory(cases.world(), fedavg(0.125), draws, cases.start(), t) for t in (2, 5))
    np.testing.assert_array_equal(few, many[:, :3])


def test_every_run_may_have_a_start_of_its_own() -> None:
    draws, world = cases.sampled(), cases.world()
    starts = np.arange(cases.N_RUNS * cases.DIM).reshape(cases.N_RUNS, cases.DIM) / 4
    path = trajectory(world, fedavg(0.125), draws, starts, cases.ROUNDS)
    np.testing.assert_array_equal(path[0, 0], starts)
    assert path.shape == (1, cases.ROUNDS + 1, cases.N_RUNS, cases.DIM)


def test_full_gradients_are_exchanged_before_local_work() -> None:
    def remember(state, oracle):
        return {**state, "exchanged": oracle.grad(over_slots(state["theta"], cases.N_CLIENTS))}

    method = replace(fedavg(0.125), prepare=remember)
    draws, world = cases.sampled(), cases.world()
    start = np.broadcast_to(cases.start(), (cases.N_RUNS, cases.DIM))
    end = play_round(world, method, method.init(start), 1, draws.participants(1, 0), draws.noise(1, 0))
    x = np.broadcast_to(start[:, None], (cases.N_RUNS, cases.N_CLIENTS, cases.DIM))
    np.testing.assert_array_equal(end["exchanged"], world.grad(x, 1))


def test_what_it_refuses() -> None:
    world, draws = cases.world(), cases.sampled()
    with pytest.raises(ValueError, match="`theta0` has 3 parameters, but the draws have 2"):
        trajectory(world, fedavg(0.1), draws, np.zeros(3), 2)
    with pytest.raises(ValueError, match="`rounds` must be an integer >= 1, got 0"):
        trajectory(world, fedavg(0.1), draws, np.zeros(2), 0)
    with pytest.raises(ValueError, match="hold 2 tasks of 2 rounds, but round 2 of task 0"):
        trajectory(world, fedavg(0.1), draws, np.zeros(2), 3)
    with pytest.raises(TypeError, match=r"exact .* but they are floats"):
        trajectory(cases.in_arithmetic(world, to_exact), fedavg(HALF), draws, to_exact([0, 0]), 2)


def test_enumeration_in_fractions_may_feed_floats() -> None:
    noise = to_exact(np.full((1, 1, 1, 1, 1, 2), 0.5))
    draws = fixed(np.zeros((1, 1, 1, 1), dtype=int), noise)
    path = trajectory(cases.world(), fedavg(0.5), draws, cases.start(), 1)
    assert path.dtype == float
    assert to_float(path).shape == (1, 2, 1, 2)


@pytest.mark.parametrize("method", cases.methods(), ids=lambda method: method.name)
def test_a_client_that_has_made_its_steps_rests(method: Algorithm) -> None:
    """Rounds in which one client makes fewer steps end as if that client had no further draws."""
    draws, world = cases.drawn(), cases.finite()
    state = method.begin_task(method.init(np.tile(cases.start(), (cases.N_RUNS, 1))), 0)
    clients, u = draws.participants(0, 0), draws.noise(0, 0).copy()
    u[:, 0, 1:] = -1
    end = play_round(world, method, state, 0, clients, u)["theta"]
    ready = state_before_local_work(world, method, state, 0)
    paths = [
        list(local_path(world, method, state_before_local_work(world, method, state, 0), 0, clients, part))
        for part in (u[..., :1, :], u)
    ]
    np.testing.assert_array_equal(paths[0][-1]["x"][..., 0, :], paths[1][-1]["x"][..., 0, :])
    moves = (paths[0][0]["x"] != state["theta"][..., None, :]).any()
    assert (paths[1][-1]["x"][..., 1:, :] != paths[0][-1]["x"][..., 1:, :]).any() == moves
    held = method.aggregate(ready, paths[1][-1], clients)["theta"]
    np.testing.assert_allclose(end, held, rtol=1e-12, atol=1e-14)
    assert np.isfinite(end).all()


@pytest.mark.parametrize("method", cases.methods(), ids=lambda method: method.name)
def test_slots_that_rest_at_the_end_are_left_out(method: Algorithm) -> None:
    """The result is the same as if all slots had been evaluated in every step, for any inactive slots and runs."""
    draws, world = cases.drawn(), cases.finite()
    state = method.begin_task(method.init(np.tile(cases.start(), (cases.N_RUNS, 1))), 0)
    ready, clients, u = (
        state_before_local_work(world, method, state, 0),
        draws.participants(0, 0),
        draws.noise(0, 0).copy(),
    )
    steps = np.random.default_rng(5).integers(cases.LOCAL_STEPS + 1, size=u.shape[:2])
    steps[:, 0] = np.maximum(steps[:, 0], 1)
    u[np.arange(cases.LOCAL_STEPS) >= steps[..., None]] = -1
    *_, held = local_path(world, method, ready, 0, clients, u)
    found = states_after_local_work(world, method, ready, 0, clients, u)
    for name in ("x", "summed", "sum", "v"):
        if name in held:
            np.testing.assert_allclose(found[name], held[name], rtol=1e-12, atol=1e-14)
    if "steps" in held and not is_vector(held["steps"]):
        np.testing.assert_array_equal(found["steps"], np.broadcast_to(held["steps"], (*steps.shape, 1)))


def test_what_is_put_aside_has_one_array_for_all_slots() -> None:
    """Separate arrays would stay in memory between those of later steps. A sweep may begin after the first slots are
    done.
    """
    steps, x = np.array([[0, 2], [1, 2]]), np.arange(12.0).reshape(2, 2, 3)
    first = _with_made({}, {"x": x, "made": 0}, steps, 0)
    swept = _with_made(first, {"x": np.stack([x + 100, x + 200]), "made": 1}, steps, 1)
    last = _with_made(swept, {"x": np.stack([x, -x]), "made": 2}, steps, 2)
    assert last["x"] is swept["x"]
    assert last["made"] is first["made"]
    assert last["x"][0].tolist() == [[0, 1, 2], [3, 4, 5], [106, 107, 108], [9, 10, 11]]
    assert last["x"][1].tolist() == [[0, 1, 2], [-3, -4, -5], [206, 207, 208], [-9, -10, -11]]
    assert last["made"].tolist() == [[0], [2], [1], [2]]


def test_no_slot_works_after_it_rested() -> None:
    draws, u = cases.drawn(), cases.drawn().noise(0, 0).copy()
    u[:, 0, 0] = -1
    with pytest.raises(ValueError, match="works after"):
        play_round(
            cases.finite(), fedavg(0.5), {"theta": cases.start()[None]}, 0, draws.participants(0, 0), u
        )


def test_who_rests_is_told_by_what_was_drawn() -> None:
    """Indices below 0 mark inactive slots; a slot with index 0 works, and noise does not matter."""
    assert resting(np.array([[[-1, -1], [2, 0]]])).tolist() == [[True, False]]
    assert resting(np.array([[[0, -1], [2, 0]]])) is None
    assert resting(np.array([[[-1.0], [2.0]]])) is None
    assert resting(torch.tensor([[[-1], [2]]])) is None
