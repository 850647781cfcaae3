"""Systems that need networks: the contract of every method."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.algorithm import Moment
from algorithms.draws import Draws, minibatches
from algorithms.simulate import play_round, states
from tests.networks.cases import SIZES, K, close, made, models, world
from verify.networks.data.images import Kind
from verify.networks.methods import SYSTEMS

RUNS, ROUNDS, STEPS = 2, 2, 2
DRAWS = minibatches(0, RUNS, SIZES, 2, STEPS, 2, memory_batch=2)
START = models(RUNS)
NAME = pytest.mark.parametrize("name", SYSTEMS)


def last_state(method: Any, draws: Draws = DRAWS, start: Any = START, kind: Kind = "class") -> dict[str, Any]:
    *_, (_, _, state) = states(world(kind), method, draws, start, ROUNDS, K)
    return dict(state)


def served(name: str, draws: Draws = DRAWS, start: Any = START, **changes: Any) -> torch.Tensor:
    method = made(name, world("class"), **changes)
    return method.served(last_state(method, draws, start))


# ----------------------------------------------------------------------------- properties of every method


@NAME
def test_the_same_draws_give_the_same_run(name: str) -> None:
    assert (served(name) == served(name)).all()


@NAME
def test_runs_do_not_meet(name: str) -> None:
    alone = replace(
        DRAWS,
        n_runs=1,
        participants=lambda task, t: DRAWS.participants(task, t)[1:],
        noise=lambda task, t: DRAWS.noise(task, t)[1:],
        order=lambda task: DRAWS.order(task)[1:],
        normals=lambda task, t: lambda key, *shape: DRAWS.normals(task, t)(key, *shape)[1:],
    )
    torch.testing.assert_close(served(name, alone, START[1:]), served(name)[1:], rtol=1e-3, atol=1e-4)


@NAME
def test_the_order_of_clients_does_not_matter(name: str) -> None:
    turned = replace(
        DRAWS,
        participants=lambda task, t: DRAWS.participants(task, t)[:, ::-1].copy(),
        noise=lambda task, t: DRAWS.noise(task, t)[:, ::-1].copy(),
    )
    # Adam makes whole steps along slopes that are 0 but for rounding.
    apart = 0.02 if name.startswith("fedcil") else 1e-4
    torch.testing.assert_close(served(name, turned), served(name), rtol=1e-3, atol=apart)


@NAME
def test_inputs_are_unchanged(name: str) -> None:
    here = world("class")
    method = made(name, here)
    *_, (_, _, state) = states(here, method, DRAWS, START, 1, 1)
    state = method.begin_task(state, 1)
    before = copy.deepcopy(dict(state))
    after = play_round(here, method, state, 1, DRAWS.participants(1, 0), DRAWS.noise(1, 0))
    if method.end_round is not None:
        method.end_round(here, after, Moment(1, 0, DRAWS.normals(1, 0)))
    assert before.keys() == state.keys()
    for entry, old in before.items():
        np.testing.assert_array_equal(old, state[entry])


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "re-fed"])
def test_a_sweep_is_a_loop_over_step_sizes(name: str) -> None:
    """Except Re-Fed, whose memories depend on its models."""
    rates = torch.tensor([0.1, 0.2])[:, None]
    together = served(name, local_lr=rates)
    for found, rate in zip(together, rates[:, 0], strict=True):
        torch.testing.assert_close(found, served(name, local_lr=float(rate)), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "changes"),
    [("target/paper", {"kd": 0.0}), ("mfcl/paper", {"kd": 0.0, "ft": 0.0}), ("re-fed", {"capacity": 0})],
)
def test_without_what_is_its_own_a_system_is_fedavg(name: str, changes: dict[str, Any]) -> None:
    """In streams in which all tasks have all classes."""
    found = last_state(made(name, world(), **changes, local_lr=0.1), kind="domain")["theta"]
    plain = last_state(made("fedavg", world(), local_lr=0.1), kind="domain")["theta"]
    close(found, plain)


@pytest.mark.parametrize("name", ["target/paper", "mfcl/paper"])
def test_there_is_nothing_to_keep_in_the_first_task(name: str) -> None:
    def after_it(method: Any) -> torch.Tensor:
        *_, (_, _, state) = states(world(), method, DRAWS, START, ROUNDS, 1)
        return state["theta"]

    close(after_it(made(name, world(), local_lr=0.1)), after_it(made("fedavg", world(), local_lr=0.1)))
