"""All local steps of a round in one call lead to the same model as single steps, for methods with affine steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.algorithm import requests_of, stochastic_gradient
from algorithms.corrections import Affine
from algorithms.draws import Draws, minibatches
from algorithms.simulate import states
from tests.networks.cases import SIZES, M, close, made, models, world
from verify.networks.methods import METHODS
from verify.networks.training import fused
from verify.networks.training.resolved import resolved

RUNS, ROUNDS, STEPS = 3, 2, 4


def in_one_go(name: str) -> bool:
    method = made(name, world("class"))
    return isinstance(method.local_step, Affine) and method.query is stochastic_gradient


NAMES = [name for name in METHODS if in_one_go(name)]


ALL = replace(minibatches(0, RUNS, SIZES, M, STEPS, 2, memory_batch=2), cast=resolved)


def with_rests(task: int, round_: int) -> np.ndarray:
    """Minibatches in which the k-th slot has k fewer, and the last slot none."""
    found = ALL.noise(task, round_).copy()
    for slot in range(M):
        found[:, slot, STEPS - slot :] = -1
    found[:, -1] = -1
    return found


RESTING = replace(ALL, noise=with_rests)


def played(name: str, here: Any, draws: Draws, **changes: Any) -> list[dict[str, Any]]:
    """States after every round of two tasks."""
    method = made(name, here, **changes)
    return [state for *_, state in states(here, method, draws, models(RUNS), ROUNDS, 2)]


def ends(name: str, here: Any, draws: Draws, **changes: Any) -> list[torch.Tensor]:
    """Models after every round of two tasks."""
    return [state["theta"] for state in played(name, here, draws, **changes)]


def remembering_alike(state: dict[str, Any], other: dict[str, Any]) -> np.ndarray:
    """Runs with the same stored samples: both samples of a class of two represent it equally well, and rounding
    decides.
    """
    if "kept" not in state:
        return np.ones(RUNS, dtype=bool)
    return (state["kept"] == other["kept"]).reshape(RUNS, -1).all(axis=-1)


@pytest.mark.parametrize("kind", ["domain", "class", "task"])
@pytest.mark.parametrize("name", NAMES)
def test_walks_end_where_steps_lead(name: str, kind: Any) -> None:
    slow = played(name, world(kind, fuse=fused.never), RESTING)
    taken: list[str] = []

    def noted(make: Any, model: Any, samples: Any) -> Any:
        quick: Any = fused.kernel(make, model, samples)
        if quick is None:
            return None

        def walk(*given: Any) -> torch.Tensor:
            taken.append(name)
            found: torch.Tensor = quick.walk(*given)
            return found

        return replace(quick, walk=walk)

    for found, expected in zip(played(name, world(kind, fuse=noted), RESTING), slow, strict=True):
        alike = remembering_alike(found, expected)
        close(found["theta"][alike], expected["theta"][alike])
        assert alike.any()
    assert len(taken) == 2 * ROUNDS


@pytest.mark.parametrize("name", NAMES)
def test_a_run_alone_walks_where_it_steps(name: str) -> None:
    """Then all slots share one model in memory, without copies."""
    alone = replace(minibatches(0, 1, SIZES, M, STEPS, 2, memory_batch=2), cast=resolved)
    found, expected = (
        [state["theta"] for *_, state in states(here, made(name, here), alone, models(1), 1, 2)][-1]
        for here in (world(), world(fuse=fused.never))
    )
    close(found, expected)


def test_where_nobody_rests_and_sweeps_share_minibatches() -> None:
    lam = torch.tensor([0.0, 0.5])[:, None]
    found = ends("special-c", world(), ALL, lam=lam)[-1]
    assert found.shape[:-1] == (2, RUNS)
    for own, value in zip(found, lam[:, 0], strict=True):
        close(own, ends("special-c", world(fuse=fused.never), ALL, lam=float(value))[-1])


def test_shares_of_a_sweep() -> None:
    share = torch.tensor([0.25, 0.75])[:, None]
    found = ends("er", world(), RESTING, memory_share=share)[-1]
    for own, value in zip(found, share[:, 0], strict=True):
        close(own, ends("er", world(fuse=fused.never), RESTING, memory_share=float(value))[-1])


def test_models_that_are_derived_through_take_single_steps() -> None:
    u = ALL.noise(0, 0)
    x = models(RUNS, M)
    asked = requests_of(world().at(0), u)
    one = torch.ones_like(x)
    parts = one, 0.1 * one, 0 * one
    assert asked.walk(x, lambda: parts) is not None
    assert asked.walk(x.double(), lambda: parts) is None
    assert asked.walk(x.clone().requires_grad_(), lambda: parts) is None
    assert requests_of(world(fuse=fused.never).at(0), u) is None
    assert asked.beside == ()
    assert asked.steps.tolist() == [[STEPS] * M] * RUNS
