"""Clients with memories: rounds compared with the algorithm, constants with brute force, known counterexamples."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.cflag import AS_SENT, EQ7, EQ24, LINE_2, Message, cflag
from algorithms.memory import ring
from algorithms.simulate import play_round
from nqm.fields import sq, to_exact
from nqm.finite_sum import FiniteSum
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from verify.engine.model.scene import Shape
from verify.engine.search.sampling import sample
from verify.scenes.cflag.floors import FROZEN, cancelling
from verify.scenes.cflag.forgetting import ROUND
from verify.scenes.cflag.growth import ROUND as GROWING
from verify.scenes.cflag.joint import SMOOTH
from verify.scenes.cflag.memories import (
    TURNED,
    bias_constants,
    clients_of,
    fixed_memory,
    given_constants,
    known_constants,
    one_draw,
    ratio,
    redrawn_memory,
    sizes,
    smoothness,
    spread_at,
    together,
    world_space,
)
from verify.scenes.cflag.memory_measures import expected, ratios, whole_run
from verify.scenes.cflag.memory_rounds import SERVER, joint_run, play, run, run_space, start
from verify.scenes.cflag.rate import ONCE

SHAPE = sizes(N=2, S=2, J=2, E=3, T=2, d=2, centres=2)


def drawn(shape: Shape, seed: int, batch: int = 2) -> dict[str, np.ndarray]:
    """Parameters of worlds and runs, with rates."""
    space = {**world_space(shape), **run_space(shape, shape["J"])}
    return sample(space, np.random.default_rng(seed), batch)


def as_samples(values: Mapping[str, Any]) -> FiniteSum:
    """The first world of a batch: past samples are task 0, current ones task 1; each sample is a client of `samples`."""
    unit = values["unit"][0]
    past_h = unit * values["past_h"][0] * values["bent"][0][:, None, None]
    h, c = (
        np.stack(pair)
        for pair in ((past_h, unit * values["now_h"][0]), (values["centre"][0], values["now_c"][0]))
    )
    K, M, S, d = h.shape
    flat = lambda x: to_exact(x.reshape(K, M * S, d))  # noqa: E731
    return FiniteSum(DiagonalQuadratic(flat(h), flat(c), Rademacher(to_exact(np.zeros((K, M * S))))), M)


@pytest.mark.parametrize(
    ("rule", "message"), [("eq24", EQ24), ("eq7", EQ7), ("alg1", LINE_2), ("sent", AS_SENT)]
)
def test_a_round_is_that_of_the_algorithm(rule: str, message: Message) -> None:
    convex = {
        name: np.abs(value) if name in ("now_h", "bent") else value
        for name, value in drawn(SHAPE, 3, 1).items()
    }
    values = {name: to_exact(value) for name, value in convex.items()}
    kept, alpha, beta = one_draw(SHAPE), *(values[name][:, None, None] for name in ("alpha", "beta"))
    weights = values["raw"][0] / values["raw"][0].sum()
    now = play(SHAPE, values, clients_of(SHAPE, values), kept, start(values, len(kept)))
    mine = SERVER[rule](now, alpha, beta)[0]
    method = cflag(
        values["alpha"],
        values["beta"],
        n_clients=2,
        capacity=1,
        rule=ring(1),
        message=message,
        weights=weights,
    )
    theta = start(values, len(kept))[0]
    state = {**method.init(theta), "kept": kept}
    order = np.concatenate([np.zeros((2, 1)), values["order"][0].astype(int)], axis=1).astype(int)
    visits = np.broadcast_to(order[None, :, :, None], (len(kept), 2, 3, 1))
    clients = np.broadcast_to(np.arange(2), (len(kept), 2))
    after = play_round(as_samples(values), method, method.begin_task(state, 1), 1, clients, visits)["theta"]
    assert (after == mine).all()


def test_draws_are_all_memories_and_unbiased() -> None:
    shape = sizes(N=2, S=3, m0=2, T=2)
    kept = one_draw(shape)
    assert kept.shape == (9, 2, 2)
    assert len({tuple(map(tuple, each)) for each in kept.tolist()}) == 9
    assert fixed_memory(shape).shape == (9, 2, 2, 2)
    assert (fixed_memory(shape)[:, 0] == fixed_memory(shape)[:, 1]).all()
    assert redrawn_memory(shape).shape == (81, 2, 2, 2)
    values = {name: to_exact(value) for name, value in drawn(shape, 0).items()}
    clients = clients_of(shape, values)
    mean = clients.remembered(kept).mean(3).h.sum(axis=1) / len(kept)
    assert (mean == clients.past.mean(3).h[:, 0]).all()


@pytest.mark.parametrize("shape", [sizes(N=2, S=3, m0=2, d=2), *TURNED])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_constants_bound_every_bias(shape: Shape, seed: int) -> None:
    values = {name: torch.as_tensor(value) for name, value in drawn(shape, seed, 8).items()}
    values["bent"] = values["bent"].abs()  # convex; otherwise the clients' losses may cancel, and no m exists
    clients, kept = clients_of(shape, values), one_draw(shape)
    own, whole = bias_constants(shape, clients)
    x = 0 * values["x"][:, None] + torch.randn(8, 6, 2, dtype=torch.float64)
    for point in x.unbind(1):
        now = play(shape, values, clients, kept, start({"x": point}, len(kept)))
        assert (sq(now.fd_i - now.gf_i) <= own[:, None] * sq(now.gf_i) * (1 + 1e-9) + 1e-12).all()
        assert (sq(now.b) <= whole[:, None] * sq(now.gf) * (1 + 1e-9) + 1e-12).all()


def test_constants_are_attained() -> None:
    shape = sizes(S=2)
    values = {name: to_exact(value) for name, value in drawn(shape, 1).items()}
    found, clients = known_constants(shape, values), clients_of(shape, values)
    own, whole = bias_constants(shape, clients)
    assert (own[:, 0] == whole).all()  # one client
    now = play(shape, values, clients, one_draw(shape), start(values, 2))
    assert ((now.b[..., 0] ** 2).max(axis=1) == whole * now.gf[:, 0, 0] ** 2).all()
    assert (found["m"] > whole).all()


def test_constants_of_one_turned_client_are_attained() -> None:
    """Along an axis of its Hessian, near the origin or far away."""
    shape = sizes(S=2, d=2, turned=1)
    values = drawn(shape, 4, 8)
    clients, kept = clients_of(shape, values), one_draw(shape)
    own = bias_constants(shape, clients)[0][:, 0]
    angle = np.arctan(values["axis"][:, 0, 0])
    largest = np.zeros(8)
    for turn in (0, np.pi / 2):
        for far in (1e-6, 1e9):
            x = far * np.stack([np.cos(angle + turn), np.sin(angle + turn)], -1)
            now = play(shape, values, clients, kept, start({"x": x}, len(kept)))
            largest = np.maximum(largest, (sq(now.b) / sq(now.gf)).max(axis=1))
    np.testing.assert_allclose(largest, own, rtol=1e-5)


def test_constants_count_only_where_the_world_has_them() -> None:
    shape = sizes(S=2)
    values = {name: to_exact(value) for name, value in drawn(shape, 1).items()}
    clients = clients_of(shape, values)
    least = {"L_given": smoothness(clients), "m_given": bias_constants(shape, clients)[1]}
    enough = given_constants(shape, {**values, **least})
    assert (enough["L"] == least["L_given"]).all()
    assert (enough["m"] == least["m_given"]).all()
    short = given_constants(
        shape, {**values, **{name: value * Fraction(99, 100) for name, value in least.items()}}
    )
    assert not short["L"].any()
    assert not short["m"].any()


def test_ratio_is_zero_over_zero() -> None:
    top, bottom = to_exact(np.array([3, 3, 0])), to_exact(np.array([2, 0, 0]))
    assert ratio(top, bottom).tolist() == [Fraction(3, 2), 0, 0]


def test_ratios_serve_every_round_and_path() -> None:
    shape = sizes(N=2, S=2, T=3)
    values = {**drawn(shape, 5, 16), "room": np.zeros(16)}
    rounds, _ = run(shape, values, clients_of(shape, values), fixed_memory(shape))
    found = ratios(values, rounds)
    for now in rounds:
        g, moving = np.abs(now.gg[..., 0]) * (1 + 1e-12), now.gg[..., 0] != 0
        assert (np.abs(now.fd_i[..., 0]) <= found["r_i"][:, None] * g[..., None])[moving].all()
        assert (np.abs(now.fd[..., 0]) <= found["r"][:, None] * g)[moving].all()


def test_spread_by_brute_force() -> None:
    shape = sizes(N=2, S=2, m0=2, J=2, d=2, centres=2)
    values = drawn(shape, 7, 1)
    clients, kept = clients_of(shape, values), one_draw(shape)
    x = start(values, len(kept))
    memory, current = (
        losses.grad(x[:, :, None, None])[0, 0] for losses in (clients.remembered(kept), clients.now)
    )
    total = 0.0
    for i in range(2):
        joint = np.concatenate([current[i], memory[i]])
        sets = [
            np.concatenate([current[i], memory[i, list(a)]])
            for n in range(3)
            for a in combinations(range(2), n)
        ]
        total += clients.p[0, 0, i] * max(((s.mean(axis=0) - joint.mean(axis=0)) ** 2).sum() for s in sets)
    assert spread_at(shape, clients, kept, x)[0, 0] == pytest.approx(total)


def test_joint_run_of_one_step_is_gradient_descent() -> None:
    shape = sizes(N=2, S=2, J=2, T=3, d=2)
    values = {name: to_exact(value) for name, value in drawn(shape, 9).items()}
    clients, kept = clients_of(shape, values), one_draw(shape)
    path = joint_run(shape, values, clients, kept)
    loss = together(clients, kept)
    for before, after in pairwise(path):
        assert (after == before - 2 * values["beta"][:, None, None] * loss.grad(before)).all()


@pytest.mark.parametrize("T", [2, 3, 6])
def test_theorem_2_with_memories_drawn_once_by_hand(T: int) -> None:
    """One client, curvatures 1 -+ mu of its two past samples, no current loss: Gamma = 0, x_t = (1 - alpha a)^t x_0."""
    mu = Fraction(95, 100)
    m, alpha = mu**2, 1 / (1 + mu**2)
    powers = [sum((1 - alpha * a) ** (2 * t) for a in (1 - mu, 1 + mu)) / 2 for t in range(T + 1)]
    left, right = min(powers[:T]), 2 * (1 + m) / T * (powers[0] - powers[T]) / 2
    assert (left > right) == (T >= 3)
    assert sum(powers[:T]) / T > right
    shape = sizes(S=2, T=T)
    h = to_exact(np.array([[[0, 0]]])).reshape(1, 1, 2, 1) + np.array([1 - mu, 1 + mu]).reshape(1, 1, 2, 1)
    one = 0 * h[:, :, 0, 0] + 1
    values = {
        **{
            "raw": one,
            "bent": one,
            "unit": one[:, 0],
            "past_h": h,
            "now_h": 0 * h[:, :, :1],
            "now_c": 0 * h[:, :, :1],
        },
        **{
            "x": one,
            "order": 0 * h[:, :, :1, 0],
            "alpha": one[:, 0] * alpha,
            "beta": one[:, 0],
            "L": one[:, 0],
        },
        **{"m_i": one[:, None], "room": 0 * one[:, 0]},
    }
    found = expected(values, whole_run(shape, values, clients_of(shape, values), fixed_memory(shape)))
    assert found["least_gf2"][0] == left
    assert not found["forget_each"].any()
    assert 2 * (1 + m) / T * found["F"][0] == right


def test_memories_that_cancel_have_the_constants_of_the_floor() -> None:
    values = {"L": to_exact(np.array([4])), "slope": to_exact(np.array([1]))}
    shape = FROZEN.shapes[0]
    clients = cancelling(shape, values)
    first = lambda losses: losses.h[..., 0]  # noqa: E731
    past, memory = clients.past.mean(3), clients.remembered(one_draw(shape)).mean(3)
    each = ((first(memory) - first(past)) / first(past)) ** 2
    assert each.max(axis=1).tolist() == [[Fraction(1, 16), Fraction(1, 4)]]
    whole, kept = first(clients.of_all(past))[0, 0], first(clients.of_all(memory))[0]
    assert whole == 1
    assert sorted(kept.tolist()) == [0, 1, 1, 2]
    assert smoothness(clients)[0] == 4


def test_a_witness_says_what_its_numbers_are() -> None:
    """Every parameter and size of the worlds with memories that is not a letter of the paper has a meaning."""
    letters = {"N", "E", "T", "d", "alpha", "beta", "L", "m", "m_i"}
    for scene in (ONCE, ROUND, GROWING, SMOOTH):
        for shape in scene.shapes:
            assert {*shape, *scene.space(shape)} - letters <= set(scene.told)
