"""FedWeIT: the parameters that clients store, send, share and use, entry by entry."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from algorithms import fedweit
from algorithms.fedweit import PAPER, RELEASED, of_largest_masks
from nqm.fields import Overlapping, to_interval
from nqm.kinds import INTERVALS

N, K, D, U = 3, 3, 6, 4
UNITS = ((2, 2), (1, 1), (1, 1))
OWNER = np.array([0, 0, 1, 1, 2, 3])
"""Unit of each parameter."""
HEAD = np.array([0, 0, 0, 0, 0, 1])
BODY = 1 - HEAD


def method(**changes: Any) -> Any:
    numbers = {
        "local_lr": 0.1,
        "sparsity": 0.3,
        "mask_sparsity": 0.2,
        "drift": 0.5,
        "rules": PAPER,
        **changes,
    }
    return fedweit.fedweit(**numbers, n_clients=N, n_tasks=K, units=UNITS, head=HEAD)


def filled(made: Any, task: int, seed: int = 0) -> dict[str, Any]:
    """A state of two runs with random entries of both signs."""
    rng, state = np.random.default_rng(seed), dict(made.init(np.ones((2, D))))
    for name in ("theta", "base", "adaptive", "frozen", "mask", "attention", "known"):
        state[name] = rng.normal(size=state[name].shape)
    return {**state, "arrived": rng.integers(0, 2, (2, D)).astype(float), "task": task}


def sigmoid(m: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-m))


def rows(entry: np.ndarray) -> np.ndarray:
    return entry.reshape(*entry.shape[:-1], K, -1)


def test_state_before_the_first_task() -> None:
    theta0 = np.arange(1.0, 2 * D + 1).reshape(2, D)
    state = method().init(theta0)
    assert (state["theta"] == theta0).all()
    assert (state["base"] == theta0[:, None]).all()
    assert state["base"].shape == (2, N, D)
    np.testing.assert_allclose(
        rows(state["adaptive"]),
        np.broadcast_to((theta0 * np.where(HEAD, 1, 1 / 3))[:, None, None], (2, N, K, D)),
    )
    shapes = {
        "arrived": (2, D),
        "frozen": (2, N, K * D),
        "mask": (2, N, K * U),
        "attention": (2, N, K * N * K),
        "known": (2, N * K, D),
    }
    for name, shape in shapes.items():
        assert state[name].shape == shape
        assert not state[name].any()


@pytest.mark.parametrize("task", [1, 2])
def test_a_task_begins_with_what_is_lent_and_what_must_not_drift(task: int) -> None:
    made = method(sparsity=np.array([0.3, 1.0]))
    state = filled(made, task - 1)
    found = made.begin_task(state, task)
    lent = rows(state["adaptive"])[..., task - 1, :] * BODY
    for run, client in np.ndindex(2, N):
        kept = np.where(abs(lent[run, client]) > (0.3, 1.0)[run], lent[run, client], 0)
        for j in range(K):
            place = client * K + j
            expected = kept if j == task - 1 else state["known"][run, place]
            np.testing.assert_array_equal(found["known"][run, place], expected)
    masks = sigmoid(rows(state["mask"]))[..., OWNER]
    np.testing.assert_allclose(
        rows(found["frozen"]), masks * state["base"][:, :, None] + rows(state["adaptive"])
    )
    assert found["task"] == task
    first = made.begin_task(state, 0)
    assert first["known"] is state["known"]
    assert first["task"] == 0


def test_an_entry_at_the_threshold_is_not_lent() -> None:
    made = method(sparsity=0.5)
    state = dict(made.init(np.full((1, D), 1.5)))  # a third of it is the threshold
    assert not made.begin_task({**state, "task": 0}, 1)["known"].any()


def test_clients_download_what_arrived_and_have_the_rest_of_their_own() -> None:
    made = method()
    state, clients = filled(made, 1), np.array([[2, 0], [1, 2]])
    local = made.begin_round(state, clients, None)
    for run, slot in np.ndindex(2, 2):
        client = clients[run, slot]
        expected = np.where(state["arrived"][run] > 0, state["theta"][run], state["base"][run, client])
        np.testing.assert_array_equal(local["x"][run, slot], expected)
        for name, entry in {"A": "adaptive", "m": "mask", "frozen": "frozen"}.items():
            np.testing.assert_array_equal(local[name][run, slot], state[entry][run, client])
        np.testing.assert_array_equal(local["alpha"][run, slot], rows(state["attention"])[run, client, 1])


def sent_by(rules: fedweit.Rules, base: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The part of each parameter that one client sends, and whether it sends it."""
    if rules is PAPER:
        return base * sigmoid(m)[OWNER], BODY.astype(float)
    which = np.ones(U)
    which[abs(m[:2]).argmin()] = 0  # the larger of two units; each single unit
    return base, which[OWNER] * BODY


@pytest.mark.parametrize(
    "rules", [PAPER, replace(RELEASED, upload=of_largest_masks(0.5))], ids=["paper", "half"]
)
def test_the_server_has_the_mean_of_what_was_sent(rules: fedweit.Rules) -> None:
    made = method(rules=rules)
    state, clients = filled(made, 1), np.array([[2, 0], [1, 2]])
    local = made.begin_round(state, clients, None)
    rng = np.random.default_rng(7)
    local = {
        name: rng.normal(size=local[name].shape) if name in ("x", "A", "m", "alpha") else value
        for name, value in local.items()
    }
    tensors = [
        {k: torch.as_tensor(v) if np.ndim(v) else v for k, v in part.items()} for part in (state, local)
    ]
    found = {k: np.asarray(v) for k, v in made.aggregate(*tensors, clients).items()}
    for run in range(2):
        each = [sent_by(rules, local["x"][run, s], rows(local["m"])[run, s, 1]) for s in range(2)]
        number = sum(which for _, which in each)
        total = sum(value * which for value, which in each)
        expected = np.where(number > 0, total / np.maximum(number, 1), state["theta"][run])
        np.testing.assert_allclose(found["theta"][run], expected)
        np.testing.assert_array_equal(found["arrived"][run], number > 0)
        for client in range(N):
            slots = np.flatnonzero(clients[run] == client)
            for name, entry in {"x": "base", "A": "adaptive", "m": "mask"}.items():
                kept = local[name][run, slots[0]] if len(slots) else state[entry][run, client]
                np.testing.assert_array_equal(found[entry][run, client], kept)
            attention = rows(state["attention"])[run, client].copy()
            if len(slots):
                attention[1] = local["alpha"][run, slots[0]]
            np.testing.assert_array_equal(rows(found["attention"])[run, client], attention)


@pytest.mark.parametrize(("told", "shown"), [(0, 0), (1, 1), (2, 1)])
@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
def test_models_that_are_used(rules: fedweit.Rules, told: int, shown: int) -> None:
    """Models of the requested task, or of the newest task if that one has not started."""
    made = method(rules=rules)
    state = filled(made, 1)
    found = made.served_in_task(state, told)
    for run, client in np.ndindex(2, N):
        alpha = rows(state["attention"])[run, client, shown]
        mask = sigmoid(rows(state["mask"])[run, client, shown])[OWNER]
        borrowed = np.zeros(D)
        for owner, j in np.ndindex(N, K):
            may = (owner != client and j < shown) if rules is PAPER else j == shown - 1
            borrowed += may * alpha[owner * K + j] * state["known"][run, owner * K + j]
        expected = (
            BODY * (state["base"][run, client] * mask + borrowed)
            + rows(state["adaptive"])[run, client, shown]
        )
        np.testing.assert_allclose(found[run, client], expected)
    if told == 1:
        np.testing.assert_array_equal(made.served(state), found)


def test_strengths_of_runs() -> None:
    """The hyperparameter of a run affects that run only."""
    state = filled(method(), 1)
    names = ("local_lr", "sparsity", "mask_sparsity", "drift")
    each = {name: np.array([0.1, 0.2]) * (place + 1) for place, name in enumerate(names)}

    def stepped(**numbers: Any) -> dict[str, Any]:
        made = method(**numbers)
        local = made.begin_round(state, np.arange(N), None)
        return dict(made.local_step(state, local, lambda point: point**2))

    both = stepped(**each)
    for run in range(2):
        alone = stepped(**{name: float(value[run]) for name, value in each.items()})
        for name in ("x", "A", "m", "alpha"):
            np.testing.assert_allclose(both[name][run], alone[name][run], rtol=1e-13)


def test_earlier_parameters_of_the_released_code_are_constants() -> None:
    made = method(rules=RELEASED)
    state = filled(made, 2)
    local = made.begin_round(state, np.arange(N), None)
    moved = rows(made.local_step(state, local, lambda point: point)["A"])
    np.testing.assert_array_equal(moved[..., :2, :], rows(local["A"])[..., :2, :])
    assert (moved[..., 2, :] != rows(local["A"])[..., 2, :]).all()


def test_the_mask_of_an_example_is_a_line() -> None:
    (example,) = fedweit.examples(float, 2)
    state = dict(example.init(np.ones((1, 2))))
    state |= {"task": 0, "mask": state["mask"] + 0.5, "adaptive": 0 * state["adaptive"]}
    assert example.served(state).tolist() == [[[1.5, 0], [1.5, 0]]]


def test_values_of_units_are_spread_and_summed() -> None:
    values = np.array([[1.0, 2, 3, 4]])
    assert fedweit.spread(values, UNITS).tolist() == [[1, 1, 2, 2, 3, 4]]
    assert fedweit.summed(np.arange(6.0)[None], UNITS).tolist() == [[1, 5, 4, 5]]
    assert fedweit.sign(np.array([-2.0, 0, 0.5])).tolist() == [-1, 0, 1]


def test_what_intervals_leave_open_is_refused() -> None:
    about_zero = to_interval([1, INTERVALS.mpf([-1, 1])])
    with pytest.raises(Overlapping):
        fedweit.sign(about_zero)
    (example,) = fedweit.examples(Fraction, 2)
    state = dict(example.init(to_interval([[1, 1]])))
    for name, act in (
        ("adaptive", lambda state: example.begin_task(state, 1)),
        ("arrived", lambda state: example.begin_round(state, np.arange(2), None)),
    ):
        with pytest.raises(Overlapping):
            act({**state, "task": 0, name: state[name] + about_zero[1]})


def test_the_largest_masks_are_chosen_by_size_in_each_group() -> None:
    m = torch.tensor([[0.1, -0.9, 0.5, 0.2, -0.3]])
    units = ((4, 1), (1, 1))
    for part, expected in (
        (0.3, [0, 1, 1, 0, 1]),
        (0.5, [0, 1, 1, 0, 1]),
        (0.75, [0, 1, 1, 1, 1]),
        (1, [1] * 5),
    ):
        base, which = fedweit.of_largest_masks(part)(m, m, m, units)
        assert base is m
        assert which.tolist() == [expected], part


def test_rules_of_the_paper_and_of_the_released_code() -> None:
    assert (PAPER.retroactive, PAPER.memory, PAPER.own) == (1, 2**31, 0)
    assert (RELEASED.retroactive, RELEASED.memory, RELEASED.own) == (0, 1, 1)
    m = torch.arange(10.0)[None]
    _, which = RELEASED.upload(m, m, m, ((10, 1),))
    assert which.sum() == 7


def test_the_gate_is_a_sigmoid_with_its_derivative() -> None:
    value, slope = fedweit.sigmoid(np.array([0.0, 1.5]))
    np.testing.assert_allclose(value, sigmoid(np.array([0.0, 1.5])))
    h = 1e-6
    np.testing.assert_allclose(slope, (sigmoid(np.array([h, 1.5 + h])) - value) / h, rtol=1e-5)


@pytest.mark.parametrize(
    ("changes", "name"),
    [({"n": 0}, "n_clients"), ({"k": 0}, "n_tasks"), ({"local_lr": 0}, "local_lr"), ({"drift": -1}, "drift")],
)
def test_bad_numbers_are_named(changes: dict[str, Any], name: str) -> None:
    numbers = {"local_lr": 0.1, "sparsity": 0, "mask_sparsity": 0, "drift": 0, "n": 1, "k": 1, **changes}
    n, k = numbers.pop("n"), numbers.pop("k")
    with pytest.raises(ValueError, match=f"`{name}` must be"):
        fedweit.fedweit(**numbers, n_clients=n, n_tasks=k, units=UNITS, head=HEAD, rules=PAPER)
