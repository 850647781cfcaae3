"""Steps, rounds and ends of tasks of single methods, slot by slot as their formulas say, with numbers of their own in each run."""

from __future__ import annotations

from importlib import import_module
from inspect import getmembers, isfunction, signature
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import algorithms
from algorithms import cflag, penalty
from algorithms.cfl_regularization import cfl_regularization, constant
from algorithms.combining import by_size, check_sizes, mean_of_all
from algorithms.corrections import descend, proximal_point, without_conflict
from algorithms.ditto import ditto
from algorithms.draws import enumerate_draws
from algorithms.ewc import ewc
from algorithms.fedavg import fedavg
from algorithms.fedprox import fedprox_exact, held_near
from algorithms.fedrep import fedrep
from algorithms.lwf import Taught, flwf_2t, lwf
from algorithms.memory import EMPTY, class_balanced, next_of, ring
from algorithms.mimelite import mimelite
from algorithms.nccl import nccl
from algorithms.optimisers import Adam, with_adam
from algorithms.prediction import Evidence, by_nearest_mean, by_neighbours
from algorithms.scaffold import scaffold, scaffold_full_gradients
from algorithms.simulate import trajectory
from nqm.quadratic import DiagonalQuadratic

RUNS, M, N, D = 2, 4, 3, 2
CLIENTS = np.array([[2, 0, 3], [1, 2, 0]])
ONE, TWO, THREE = (np.array(pair) for pair in ([0.1, 0.3], [0.7, 0.4], [1.5, 0.5]))
"""Numbers of the two runs."""
RNG = np.random.default_rng(0)
THETA, GRADS = RNG.normal(size=(RUNS, D)), RNG.normal(size=(4, RUNS, N, D))


class Bowl:
    """The oracle of losses h*(x - c)^2/2 of each slot; its minibatches add u."""

    curvature, centre = RNG.uniform(1, 2, (RUNS, N, D)), RNG.normal(size=(RUNS, N, D))

    def grad(self, x: np.ndarray) -> np.ndarray:
        return self.curvature * (x - self.centre)

    def stochastic_grad(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return self.grad(x) + u


BOWL = Bowl()
SLOTS = list(np.ndindex(RUNS, N))


def entry(*shape: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def walked(method: Any, state: Any, seen: Any = GRADS, clients: np.ndarray = CLIENTS) -> tuple[Any, Any]:
    """What clients hold after a step for each of what they see, and the state after the round."""
    local = method.begin_round(state, clients, BOWL)
    for one in seen:
        local = method.local_step(state, local, one)
    return local, method.aggregate(state, local, clients)


# ------------------------------------------------------------------------------------------- control and momentum


@pytest.mark.parametrize("full", [False, True])
def test_a_round_of_scaffold(full: bool) -> None:  # noqa: FBT001
    method = (scaffold_full_gradients if full else scaffold)(ONE, TWO, M)
    fresh = method.init(THETA)
    assert not fresh["control"].any()
    assert fresh["controls"].shape == (RUNS, M, D)
    assert not fresh["controls"].any()
    state = {"theta": THETA, "control": entry(RUNS, D), "controls": entry(RUNS, M, D, seed=2)}
    local, found = walked(method, state)
    for run in range(RUNS):
        moved, changes = np.zeros(D), np.zeros(D)
        controls = state["controls"][run].copy()
        for slot, client in enumerate(CLIENTS[run]):
            own = state["controls"][run, client]
            steps = sum(g[run, slot] + state["control"][run] - own for g in GRADS)
            np.testing.assert_allclose(local["x"][run, slot], THETA[run] - ONE[run] * steps)
            full_gradient = BOWL.curvature[run, slot] * (THETA[run] - BOWL.centre[run, slot])
            controls[client] = full_gradient if full else sum(g[run, slot] for g in GRADS) / 4
            moved, changes = moved - ONE[run] * steps / N, changes + controls[client] - own
        np.testing.assert_allclose(found["theta"][run], THETA[run] + TWO[run] * moved)
        np.testing.assert_allclose(found["control"][run], state["control"][run] + changes / M)
        np.testing.assert_allclose(found["controls"][run], controls)


def test_a_round_of_mimelite() -> None:
    method, state = mimelite(ONE, TWO, THREE), {"theta": THETA, "momentum": entry(RUNS, D)}
    assert not method.init(THETA)["momentum"].any()
    local, found = walked(method, state)
    full = BOWL.grad(THETA[:, None])
    for run in range(RUNS):
        for slot in range(N):
            steps = sum((1 - TWO[run]) * g[run, slot] + TWO[run] * state["momentum"][run] for g in GRADS)
            np.testing.assert_allclose(local["x"][run, slot], THETA[run] - ONE[run] * steps)
        kept = (1 - TWO[run]) * full[run].mean(0) + TWO[run] * state["momentum"][run]
        np.testing.assert_allclose(found["momentum"][run], kept)
        mean = (local["x"][run] - THETA[run]).mean(0)
        np.testing.assert_allclose(found["theta"][run], THETA[run] + THREE[run] * mean)


# ----------------------------------------------------------------------------------------------------- penalties


def test_a_step_of_ewc_and_of_cfl_regularization() -> None:
    past = {"stiffness": entry(RUNS, M, D, seed=2), "pull": entry(RUNS, M, D, seed=3)}
    state = {"theta": THETA, "task": 3, **past}
    chosen = np.array([1, 0])
    held, _ = walked(ewc(ONE, TWO, M), state, GRADS[:1])
    mixed, _ = walked(cfl_regularization(ONE, M, constant(TWO), chosen=chosen), state, GRADS[:1])
    for run, slot in SLOTS:
        client = CLIENTS[run, slot]
        of_past = past["stiffness"][run, client] * THETA[run] - past["pull"][run, client]
        g = GRADS[0, run, slot]
        np.testing.assert_allclose(held["x"][run, slot], THETA[run] - ONE[run] * (g + TWO[run] * of_past))
        both = np.where(chosen, (1 - TWO[run]) * g + TWO[run] * of_past / 3, g)
        np.testing.assert_allclose(mixed["x"][run, slot], THETA[run] - ONE[run] * both)
    first, _ = walked(cfl_regularization(ONE, M, constant(TWO)), {**state, "task": 0}, GRADS[:1])
    np.testing.assert_allclose(first["x"], THETA[:, None] - ONE[:, None, None] * GRADS[0])


def test_what_is_kept_of_a_task() -> None:
    oracle = SimpleNamespace(
        grad=lambda x: 3 * x + 1, curvature=lambda x: x**2, hessian_diagonal=lambda x, probes: probes * x
    )
    x = np.array([[[1.0, 2.0], [3.0, -1.0]]])
    expected = {
        penalty.around_the_model: (x**2, x**3),
        penalty.second_order: (x**2, x**3 - 3 * x - 1),
        penalty.with_squared_gradient: ((3 * x + 1) ** 2, (3 * x + 1) ** 2 * x - 3 * x - 1),
        penalty.with_probed_hessian(4): (4 * x, 4 * x**2 - 3 * x - 1),
    }
    for parts, of_loss in expected.items():
        np.testing.assert_allclose(parts(oracle, x), of_loss)
        top = penalty.on_coordinates(parts, np.array([0, 1]))(oracle, x)
        np.testing.assert_allclose(top, np.array(of_loss) * [0, 1])
        common = penalty.in_common(parts)(oracle, x)
        np.testing.assert_allclose(
            common, np.broadcast_to(np.mean(of_loss, axis=-2, keepdims=True), (2, *x.shape))
        )
    world = SimpleNamespace(n_clients=2, at=lambda task, clients: oracle)
    before = {"theta": x[:, 0], "stiffness": x + 5, "pull": x - 7}
    after = penalty.keep(penalty.second_order)(world, before, 0, None)
    at = np.broadcast_to(x[:, :1], x.shape)
    np.testing.assert_allclose(after["stiffness"], x + 5 + at**2)
    np.testing.assert_allclose(after["pull"], x - 7 + at**3 - 3 * at - 1)


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
    """The head moves for one step, then the body for two; the server averages bodies."""
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
    """Here a Newton step leaves just that gradient."""
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


# ------------------------------------------------------------------------------------------------------- memories


def test_a_sample_of_the_memory_comes_from_all_over_it() -> None:
    """Places go up by the golden ratio: 0, 2, 4, 1, 3 of five."""
    kept = np.array([EMPTY, 10, 11, EMPTY, 12, 13, 14])
    taken = [next_of(kept, 2, turn).tolist() for turn in range(4)]
    assert taken == [[10, 12], [14, 11], [13, 10], [12, 14]]
    assert next_of(kept, 6, 1).tolist() == [12, 14, 11, 13, 10, EMPTY]
    assert next_of(np.full(3, EMPTY), 2, 1).tolist() == [EMPTY, EMPTY]


def test_classes_are_taken_in_turns_and_empty_places_last() -> None:
    labels = np.array([[0, 0, 1, 2, 0, 1]])
    order = np.array([[[4, 0, 2, EMPTY, 5, 1]]])
    rule = class_balanced(ring(1), lambda task: labels)
    found = rule(np.full((1, 1, 6), EMPTY), order, 1, 6)
    assert found.tolist() == [[[6 + 4, 6 + 2, 6 + 0, 6 + 5, 6 + 1, EMPTY]]]


def test_a_ring_goes_round() -> None:
    kept, rule = np.full((1, 1, 5), EMPTY), ring(2)
    for task in range(3):
        kept = rule(kept, np.array([[[1, 0, 2]]]), task, 3)
    assert kept.tolist() == [[[7, 6, 4, 3, EMPTY]]]


def test_predictions_of_a_sweep_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    held = rng.random((2, 3, 4)) < 0.5
    held[0, 1], held[1, 2] = False, True
    sizes = {"outputs": (5, 3), "features": (5, 2), "remembered": (4, 2)}
    parts = {name: rng.random((2, 3, *shape)) for name, shape in sizes.items()}
    labels = rng.integers(0, 3, (2, 3, 4))
    for infer in (by_neighbours(2, 0.3), by_nearest_mean):
        together = infer(Evidence(**parts, labels=labels, held=held))
        for place in np.ndindex(2, 3):
            alone = Evidence(
                **{name: part[place] for name, part in parts.items()}, labels=labels[place], held=held[place]
            )
            if held[place].any():
                np.testing.assert_allclose(together[place], infer(alone))
            else:
                assert (infer(alone) == parts["outputs"][place]).all()
    alone = by_neighbours(2, 0.3)(Evidence(**parts, labels=labels, held=held))
    np.testing.assert_array_equal(alone[0, 1], parts["outputs"][0, 1])


# ---------------------------------------------------------------------------------------------- steps and conflicts


def test_a_step_of_nccl() -> None:
    method = nccl(ONE, TWO, M, 1, ring(1))
    memory = entry(RUNS, N, D, seed=4) * [[[1], [-1], [1]]]
    local, _ = walked(method, {**method.init(THETA)}, [(GRADS[0], memory)])
    kinds = set()
    for run, slot in SLOTS:
        g, m, alpha, L = GRADS[0, run, slot], memory[run, slot], ONE[run], TWO[run]
        agreement = g @ m
        rates = (alpha, (1 - L * alpha) * agreement / (L * (g @ g)))
        if agreement <= 0:
            rates = alpha * (1 - agreement / (m @ m)), alpha
        kinds.add(agreement > 0)
        np.testing.assert_allclose(local["x"][run, slot], THETA[run] - rates[0] * m - rates[1] * g)
    assert kinds == {True, False}


def test_rates_stay_where_nothing_agrees_or_is_remembered() -> None:
    """At an inner product of 0, which is interference, the larger rate is the common one."""
    g, m = np.array([[[1.0, 0.0]]]), np.array([[[0.0, 2.0]]])
    share = np.ones((1, 1, 1))
    for memory in (m, 0 * m):
        alpha, beta = cflag.adapted_rates(0.1, 0.2, 3.0, memory, g, share)
        assert (alpha.item(), beta.item()) == (0.1, 0.2)


def test_vectors_without_conflict_and_proximal_points() -> None:
    g, m = np.array([[3.0, -1.0]]), np.array([[0.0, 2.0]])
    np.testing.assert_allclose(without_conflict(g, m), [[3, 0]])
    np.testing.assert_allclose(without_conflict(-g, m), -g)
    x, anchor = entry(RUNS, N, D), entry(RUNS, D, seed=3)
    found = proximal_point(x, anchor, ONE)
    for run, slot in SLOTS:
        lam = ONE[run]
        np.testing.assert_allclose(found[run, slot], (x[run, slot] + 2 * lam * anchor[run]) / (1 + 2 * lam))
    stepped = descend(ONE)({}, {"x": x}, GRADS[0])["x"]
    np.testing.assert_allclose(stepped, x - ONE[:, None, None] * GRADS[0])


# ------------------------------------------------------------------------------------------------ what need not be said


@pytest.mark.parametrize("name", algorithms.METHODS)
def test_servers_make_whole_steps_unless_told(name: str) -> None:
    """Whatever number a method may be called without is 1, as the server's step size."""
    module = import_module(f"algorithms.{name}")
    own = [of for _, of in getmembers(module, isfunction) if of.__module__ == module.__name__]
    for made in own:
        given = {part: of.default for part, of in signature(made).parameters.items()}
        numbers = {part: value for part, value in given.items() if isinstance(value, int | float)}
        assert set(numbers.values()) <= {1}, made.__name__


def test_a_run_is_of_one_task_unless_told() -> None:
    draws = enumerate_draws(2, 1, 1, 1, rounds=1)
    assert draws.n_runs == 2
    world = DiagonalQuadratic(np.ones((2, 2, 1)), np.zeros((2, 2, 1)))
    assert trajectory(world, fedavg(0.1), draws, np.ones(1), 1).shape == (1, 2, 2, 1)


def test_steps_of_adam_and_pulls_have_the_numbers_of_their_run() -> None:
    """Adam's first step is its step size in every coordinate; later ones see decaying sums."""
    first, _ = walked(with_adam(fedavg(ONE), ONE, decay=0.2), {"theta": THETA}, GRADS[:1])
    shrunk = THETA[:, None] * (1 - 0.2 * ONE[:, None, None])
    np.testing.assert_allclose(first["x"], shrunk - ONE[:, None, None] * np.sign(GRADS[0]), rtol=1e-6)
    second, _ = walked(with_adam(fedavg(ONE), ONE, beta1=0.5, beta2=0.75), {"theta": THETA}, GRADS[:2])
    g, h = GRADS[:2]
    mean, square = (g / 2 + h) / 1.5, (0.75 * g**2 + h**2) / 1.75
    stepped = THETA[:, None] - ONE[:, None, None] * (np.sign(g) + mean / np.sqrt(square))
    np.testing.assert_allclose(second["x"], stepped, rtol=1e-6)
    near, _ = walked(held_near(fedavg(ONE), ONE, TWO), {"theta": THETA}, GRADS[:2])
    rate, pull = ONE[:, None, None], TWO[:, None, None]
    np.testing.assert_allclose(near["x"], THETA[:, None] - rate * (g + h - pull * rate * g))
    for wrong in ({"beta1": 1.0}, {"beta2": -0.1}, {"decay": -1.0}):
        with pytest.raises(ValueError, match=f"`{next(iter(wrong))}` must be"):
            with_adam(fedavg(0.1), 0.1, **wrong)


def test_adam_has_the_numbers_of_its_authors() -> None:
    assert Adam(0.1) == Adam(0.1, beta1=0.9, beta2=0.999, decay=0.0)
