"""The contract of every method, tested over the whole catalogue; new methods are covered automatically."""

from __future__ import annotations

import copy
import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import algorithms
from algorithms.algorithm import Algorithm
from algorithms.corrections import Affine
from algorithms.draws import Draws
from algorithms.simulate import local_path, play_round, state_before_local_work, trajectory
from nqm.arguments import map_parameters
from nqm.fields import kind, to_float
from nqm.quadratic import Quadratic
from tests.algorithms import cases
from tests.records import changeable

METHODS = cases.methods()
METHOD = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


def test_every_file_is_listed() -> None:
    files = {path.stem for path in Path(algorithms.__file__).parent.glob("*.py")} - {"__init__"}
    assert sorted((*algorithms.METHODS, *algorithms.PARTS)) == sorted(files)


def test_names_are_unique() -> None:
    plain = [method.name for method in METHODS if method.name != "FedAvg"]  # this one has two examples
    assert len(set(plain)) == len(plain)


def play(method: Algorithm, draws: Draws | None = None, world=None, start=None, tasks: int = 2):
    world = cases.finite() if world is None else world
    start = cases.start() if start is None else start
    return trajectory(world, method, draws or cases.drawn(), start, cases.ROUNDS, tasks)


@functools.cache
def played(which: int) -> np.ndarray:
    """The path of a method in the world and with the draws of this file."""
    path = play(METHODS[which])
    path.setflags(write=False)
    return path


FACTORS = (0.5, 1.0, 1.5, 2.0)


@functools.cache
def swept(run_axes: int) -> list[Algorithm]:
    """All methods with every number multiplied by all factors, along an axis before those of the runs."""
    factors = np.reshape(FACTORS, (-1, *(1,) * run_axes))
    return cases.methods(lambda value: value * factors)


@functools.cache
def with_numbers(arithmetic: str) -> list[Algorithm]:
    return cases.methods(cases.ARITHMETICS[arithmetic].number)


@functools.cache
def scaled(factor: float) -> list[Algorithm]:
    """All methods with every number multiplied by a factor."""
    return cases.methods(lambda value: value * factor)


def alone(worlds: Quadratic, which: int) -> Quadratic:
    return replace(worlds, curvature=worlds.curvature[which], centre=worlds.centre[which])


@METHOD
def test_shape_and_start(method: Algorithm) -> None:
    path = play(method)
    assert path.shape == (2, cases.ROUNDS + 1, cases.N_RUNS, cases.DIM)
    assert (path[0, 0] == cases.start()).all()
    assert (path[1, 0] == path[0, -1]).all()


@METHOD
def test_inputs_are_unchanged(method: Algorithm) -> None:
    world, draws = cases.finite(), cases.drawn()
    clients, noise = draws.participants(1, 0), draws.noise(1, 0)
    state = method.begin_task(method.init(np.ones((cases.N_RUNS, cases.DIM))), 1)
    before = copy.deepcopy((dict(state), clients, noise))
    play_round(world, method, state, 1, clients, noise)
    for old, new in zip(before[0].items(), state.items(), strict=True):
        assert old[0] == new[0]
        np.testing.assert_array_equal(old[1], new[1])
    np.testing.assert_array_equal(before[1], clients)
    np.testing.assert_array_equal(before[2], noise)


@METHOD
def test_local_work_keeps_its_shape(method: Algorithm) -> None:
    draws = cases.drawn()
    state = method.begin_task(method.init(np.ones((cases.N_RUNS, cases.DIM))), 1)
    state = state_before_local_work(cases.finite(), method, state, 1)
    path = list(local_path(cases.finite(), method, state, 1, draws.participants(1, 0), draws.noise(1, 0)))
    assert len(path) == cases.LOCAL_STEPS
    for local in path:
        assert local["x"].shape == (cases.N_RUNS, cases.N_SAMPLED, cases.DIM)


def test_what_affine_steps_say_of_themselves() -> None:
    """The parts of the step give the same model for any model and gradient, and the other properties agree."""
    found = [method for method in METHODS if isinstance(method.local_step, Affine)]
    assert {"FedAvg", "FedProx", "SPECIAL", "SPECIAL-C", "EWC", "MimeLite", "ER"} <= {
        method.name for method in found
    }
    world, clients, rng = cases.finite(), cases.drawn().participants(1, 0), np.random.default_rng(0)
    start = rng.normal(size=(cases.N_RUNS, cases.DIM))
    for method in found:
        state = method.begin_task(method.init(start), 1)
        state = {
            name: value + 0.5 if name in ("anchor", "stiffness") else value for name, value in state.items()
        }
        local = method.begin_round(state, clients, method.objective(world, state, 1, clients))
        x, g = rng.normal(size=(2, *local["x"].shape))
        keep, rate, push = method.local_step.parts(state, local)
        moved = method.local_step(state, {**local, "x": x}, g)
        np.testing.assert_allclose(moved["x"], keep * x - rate * g + push, rtol=0, atol=1e-13)
        assert all(moved[entry] is local[entry] for entry in local if entry != "x")


@METHOD
def test_the_order_of_clients_does_not_matter(method: Algorithm) -> None:
    draws = cases.drawn()
    turned = replace(
        draws,
        participants=lambda task, t: draws.participants(task, t)[:, ::-1],
        noise=lambda task, t: draws.noise(task, t)[:, ::-1],
    )
    np.testing.assert_allclose(play(method, turned), play(method, draws), rtol=0, atol=1e-13)


@METHOD
def test_the_same_draws_give_the_same_run(method: Algorithm) -> None:
    np.testing.assert_array_equal(play(method), play(method))


@METHOD
def test_runs_do_not_meet(method: Algorithm) -> None:
    draws = cases.drawn()
    alone = replace(
        draws,
        n_runs=1,
        participants=lambda task, t: draws.participants(task, t)[3:4],
        noise=lambda task, t: draws.noise(task, t)[3:4],
        order=lambda task: draws.order(task)[3:4],
    )
    np.testing.assert_allclose(play(method, alone)[..., 0, :], play(method)[..., 3, :], rtol=0, atol=1e-13)


@METHOD
def test_a_batch_of_worlds_is_a_loop_over_worlds(method: Algorithm) -> None:
    worlds = cases.finite(batch=(3,))
    together = play(method, world=worlds)
    for i in range(3):
        single = play(method, world=replace(worlds, samples=alone(worlds.samples, i)))
        # a method that ignores its gradients has no world axis
        np.testing.assert_allclose(
            np.broadcast_to(together, (3, *single.shape))[i], single, rtol=0, atol=1e-13
        )


@pytest.mark.parametrize("which", range(len(METHODS)), ids=lambda i: METHODS[i].name)
@pytest.mark.parametrize("batch", [(), (3,)], ids=["one world", "three worlds"])
def test_a_sweep_is_a_loop_over_hyperparameters(which: int, batch: tuple[int, ...]) -> None:
    world = cases.finite(batch=batch)
    together = play(swept(len(batch) + 1)[which], world=world)
    for i, factor in enumerate(FACTORS):
        single = play(scaled(factor)[which], world=world)
        np.testing.assert_allclose(
            np.broadcast_to(together, (4, *single.shape))[i], single, rtol=0, atol=1e-13
        )


@pytest.mark.parametrize("which", range(len(METHODS)), ids=lambda i: METHODS[i].name)
@pytest.mark.parametrize("name", ["torch", "exact", "interval", "symbolic"])
def test_every_arithmetic_gives_the_same_run(which: int, name: str) -> None:
    arithmetic = cases.ARITHMETICS[name]
    path = play(
        with_numbers(name)[which],
        cases.drawn(),
        replace(cases.finite(), samples=map_parameters(cases.finite().samples, arithmetic.array)),
        arithmetic.array(cases.start()),
    )
    assert kind(path) == name
    np.testing.assert_allclose(to_float(path), played(which), rtol=1e-12, atol=1e-12)


def test_records_of_methods_cannot_be_changed() -> None:
    assert changeable("algorithms") == []
