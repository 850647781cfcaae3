"""Methods with two models or teachers, and means over clients, slot by slot with different numbers in each run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from algorithms.combining import by_size, check_sizes, mean_of_all
from algorithms.ditto import ditto
from algorithms.fedavg import fedavg
from algorithms.fedprox import fedprox_exact
from algorithms.fedrep import fedrep
from algorithms.lwf import Taught, flwf_2t, lwf
from tests.algorithms.slots import (
    BOWL,
    CLIENTS,
    GRADS,
    ONE,
    RUNS,
    SLOTS,
    THETA,
    THREE,
    TWO,
    D,
    M,
    N,
    entry,
    walked,
)

# ----------------------------------------------------------------------------------------- personal and two models


def test_a_round_of_ditto() -> None:
    method = ditto(ONE, TWO, THREE, M, 0.5)
    assert (method.init(THETA)["personal"] == THETA[:, None]).all()
    state = {"theta": THETA, "personal": entry(RUNS, M, D)}
    gradient = method.query(BOWL, None, GRADS[0])
    local, found = walked(method, state, [gradient])
    for run in range(RUNS):
        personal = state["personal"][run].copy()
        for slot, client in enumerate(CLIENTS[run]):
            h, c, u = BOWL.curvature[run, slot], BOWL.centre[run, slot], GRADS[0, run, slot]
            v = personal[client]
            down = h * (v - c) + u + THREE[run] * (v - THETA[run])
            personal[client] = v - TWO[run] * down
            np.testing.assert_allclose(
                local["x"][run, slot], THETA[run] - ONE[run] * (h * (THETA[run] - c) + u)
            )
        np.testing.assert_allclose(found["personal"][run], personal)
        np.testing.assert_allclose(found["theta"][run], (THETA[run] + local["x"][run].mean(0)) / 2)
    assert method.served(found) is found["personal"]


def test_a_round_of_fedrep() -> None:
    """The head is trained for one step, then the body for two; the server averages bodies."""
    method = fedrep(ONE, np.array([0, 1]), M, 1, TWO)
    assert (method.init(THETA)["personal"] == THETA[:, None]).all()
    state = {"theta": THETA, "personal": entry(RUNS, M, D)}
    local, found = walked(method, state)
    for run in range(RUNS):
        bodies = []
        for slot, client in enumerate(CLIENTS[run]):
            head = state["personal"][run, client, 1] - ONE[run] * GRADS[0, run, slot, 1]
            bodies.append(THETA[run, 0] - ONE[run] * (GRADS[1:, run, slot, 0]).sum())
            np.testing.assert_allclose(local["x"][run, slot], [bodies[-1], head])
            np.testing.assert_allclose(found["personal"][run, client, 1], head)
        body = THETA[run, 0] + TWO[run] * (np.mean(bodies) - THETA[run, 0])
        np.testing.assert_allclose(found["theta"][run], [body, THETA[run, 1]])
        np.testing.assert_allclose(
            method.served(found)[run], [[body, own] for own in found["personal"][run, :, 1]]
        )


@pytest.mark.parametrize(
    ("head", "message"), [(np.array([0, 2]), "vector of 0 and 1"), (np.ones((1, 2)), "vector of 0 and 1")]
)
def test_a_head_is_of_parameters(head: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fedrep(0.1, head, M, 1)
    with pytest.raises(ValueError, match=r"one entry for each of the 2 parameters, got 3"):
        fedrep(0.1, np.ones(3), M, 0).begin_round(
            {"theta": THETA, "personal": entry(RUNS, M, D)}, CLIENTS, None
        )
    with pytest.raises(ValueError, match=r"`head_steps` must be an integer >= 0, got -1"):
        fedrep(0.1, np.ones(2), M, -1)


def test_the_exact_proximal_point() -> None:
    method, state = fedprox_exact(ONE, TWO), {"theta": THETA}
    local, found = walked(method, state)
    for run, slot in SLOTS:
        h, c = BOWL.curvature[run, slot], BOWL.centre[run, slot]
        solved = (h * c + ONE[run] * THETA[run]) / (h + ONE[run])
        np.testing.assert_allclose(local["x"][run, slot], solved)
    np.testing.assert_allclose(found["theta"], THETA + TWO[:, None] * (local["x"].mean(1) - THETA))
    cubic = SimpleNamespace(grad=lambda x: x**2 + 1)
    with pytest.raises(ValueError, match="quadratic in every coordinate"):
        method.begin_round(state, CLIENTS, cubic)
    with pytest.raises(ValueError, match="`mu` must be"):
        fedprox_exact(-1)


@pytest.mark.parametrize("left", [0.9e-6, 1.1e-6])
def test_how_well_a_proximal_problem_must_be_solved(left: float) -> None:
    """Here a Newton step leaves exactly that gradient."""
    seen = iter([1.0, 0.0, 0.0, left])
    oracle = SimpleNamespace(grad=lambda x: 0 * x + next(seen))
    start = {"theta": np.zeros((1, 1))}
    if left < 1e-6:
        assert not fedprox_exact(0).begin_round(start, np.array([[0]]), oracle)["x"].any()
    else:
        with pytest.raises(ValueError, match="quadratic"):
            fedprox_exact(0).begin_round(start, np.array([[0]]), oracle)


# ------------------------------------------------------------------------------------------------------- teachers


def test_who_teaches_in_which_task() -> None:
    asked: list[Any] = []

    def taught_grad(x: Any, u: Any, weight: Any, teachers: Any) -> Any:
        asked.extend([weight, *(part for teacher in teachers for part in teacher)])
        return x

    current = SimpleNamespace(grad=lambda x: 2 * x, taught_grad=taught_grad)
    world = SimpleNamespace(at=lambda task, clients: current)
    x = entry(RUNS, N, D)
    one = lwf(0.1, TWO)
    state = one.begin_task({**one.init(THETA), "theta": THETA + 1}, 2)
    state = {**state, "theta": THETA + 5}
    found = one.objective(world, state, 2, CLIENTS)
    np.testing.assert_allclose(found.stochastic_grad(x, None), x)
    np.testing.assert_allclose(found.grad(x), 2 * x)
    weight, strength, teacher = asked
    assert weight == 1
    assert strength.shape == (RUNS, 1, 1)
    np.testing.assert_array_equal(strength[:, 0, 0], TWO)
    np.testing.assert_array_equal(teacher, np.broadcast_to(THETA[:, None] + 1, (RUNS, N, D)))
    asked.clear()
    two = flwf_2t(0.1, ONE, TWO / 2, M)
    fresh = two.init(THETA)
    assert not fresh["met"].any()
    assert fresh["met"].shape == (RUNS, M, 1)
    assert (fresh["last"] == THETA[:, None]).all()
    after = two.aggregate(fresh, {"x": x}, CLIENTS)
    for run in range(RUNS):
        assert after["met"][run, :, 0].tolist() == [float(m in CLIENTS[run]) for m in range(M)]
        np.testing.assert_array_equal(after["last"][run, CLIENTS[run]], x[run])
        np.testing.assert_allclose(after["theta"][run], x[run].mean(0))
    later = {**two.begin_task(after, 1), "theta": THETA - 3}
    two.objective(world, later, 1, CLIENTS).stochastic_grad(x, None)
    weight, own_strength, own, server_strength, server = asked
    for run in range(RUNS):
        assert (weight[run], own_strength[run]) == (ONE[run], TWO[run] / 2)
        assert server_strength[run] == pytest.approx(1 - ONE[run] - TWO[run] / 2)
    np.testing.assert_allclose(own, x)
    np.testing.assert_array_equal(server, np.broadcast_to(THETA[:, None] - 3, (RUNS, N, D)))
    for method, start in ((one, {**state, "task": 0}), (two, {**later, "task": 0})):
        assert method.objective(world, start, 0, CLIENTS) is current
    assert isinstance(found, Taught)


@pytest.mark.parametrize(
    ("numbers", "name"), [((0.7, 0.4), "1 - alpha - beta"), ((-0.1, 0.4), "alpha"), ((0.1, -0.4), "beta")]
)
def test_weights_of_teachers_are_shares(numbers: tuple[float, float], name: str) -> None:
    flwf_2t(0.1, 0.75, 0.25, 1)
    with pytest.raises(ValueError, match=f"`{name}` must be"):
        flwf_2t(0.1, *numbers, M)
    with pytest.raises(ValueError, match="`n_clients` must be"):
        flwf_2t(0.1, 0.5, 0.25, 0)


# ---------------------------------------------------------------------------------------------- means over clients


def test_clients_count_by_their_samples() -> None:
    sizes = np.array([[[1, 2, 3, 7], [4, 5, 6, 1]], [[2, 2, 6, 5], [1, 1, 1, 1]]])
    method = by_size(fedavg(ONE, TWO), sizes)
    for task in (0, 1):
        state = method.begin_task(method.init(THETA), task)
        local, found = walked(method, state)
        for run in range(RUNS):
            own = sizes[task, run, CLIENTS[run]]
            np.testing.assert_allclose(local["share"][run, :, 0], N * own / own.sum())
            mean = (own[:, None] * (local["x"][run] - THETA[run])).sum(0) / own.sum()
            np.testing.assert_allclose(found["theta"][run], THETA[run] + TWO[run] * mean)


@pytest.mark.parametrize("sizes", [np.ones((2, 3), int), np.array([[[1, 0]]]), np.ones((1, 1, 1, 1), int)])
def test_sizes_are_of_tasks_runs_and_clients(sizes: np.ndarray) -> None:
    check_sizes(np.ones((1, 1, 1), int))
    with pytest.raises(ValueError, match=r"`sizes` must be whole numbers >= 1 of shape"):
        by_size(fedavg(0.1), sizes)


def test_a_mean_over_all_counts_who_is_absent() -> None:
    updates = np.ones((1, 3, 2))
    assert mean_of_all(3)(updates).tolist() == [[1, 1]]
    assert mean_of_all(6)(updates).tolist() == [[0.5, 0.5]]
    with pytest.raises(ValueError, match="`n_clients` is 2, but 3 clients were sampled"):
        mean_of_all(2)(updates)
