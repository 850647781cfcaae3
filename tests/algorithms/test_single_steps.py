"""Steps of single methods and parts, compared slot by slot with their formulas, with different numbers in each run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from algorithms import cflag, penalty
from algorithms.cfl_regularization import cfl_regularization, constant
from algorithms.combining import displacement, mean_of_all, mean_of_sampled
from algorithms.corrections import descend, proximal_point, without_conflict
from algorithms.ewc import ewc
from algorithms.fedavg import fedavg
from algorithms.fedprox import held_near
from algorithms.memory import ring
from algorithms.mimelite import mimelite
from algorithms.nccl import nccl
from algorithms.optimisers import with_adam
from algorithms.scaffold import scaffold, scaffold_full_gradients
from algorithms.special_c import reading, scaled_gradients, special_c_each_epoch
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


@pytest.mark.parametrize("update", [displacement, scaled_gradients])
@pytest.mark.parametrize("mean", [mean_of_sampled, mean_of_all(M)])
@pytest.mark.parametrize("task", [0, 1])
def test_a_round_of_special_c(update: Any, mean: Any, task: int) -> None:
    inner, lam = ONE / 3, TWO / 2
    method = reading("any", ONE, THREE, lam, inner_lr=inner, update=update, mean=mean)
    anchor = entry(RUNS, D)
    assert (method.init(THETA)["anchor"] == THETA).all()
    local, found = walked(method, {"theta": THETA, "anchor": anchor, "task": task})
    for run in range(RUNS):
        sent = np.zeros(D)
        for slot in range(N):
            x = THETA[run]
            for g in GRADS[:, run, slot]:
                x = (
                    x - ONE[run] * g
                    if not task
                    else (x - inner[run] * g + 2 * lam[run] * anchor[run]) / (1 + 2 * lam[run])
                )
            np.testing.assert_allclose(local["x"][run, slot], x)
            sent = sent + (
                x - THETA[run] if update is displacement else -ONE[run] * GRADS[:, run, slot].sum(0)
            )
        moved = THREE[run] * sent / (N if mean is mean_of_sampled else M)
        np.testing.assert_allclose(found["theta"][run], THETA[run] + moved)
    entered = method.begin_task({"theta": THETA + 1, "anchor": anchor}, 4)
    assert (entered["anchor"] == THETA + 1).all()
    assert entered["task"] == 4


def test_special_c_pulls_where_an_epoch_ends() -> None:
    """After one step, after two and four, and never in a round shorter than an epoch."""
    method, anchor = special_c_each_epoch(ONE, THREE, TWO), entry(RUNS, D)
    sizes = SimpleNamespace(n_components=np.array([[1, 2, 7]] * RUNS))
    local = method.begin_round({"theta": THETA}, CLIENTS, sizes)
    x = np.broadcast_to(THETA[:, None], (RUNS, N, D)).copy()
    for step, g in enumerate(GRADS, 1):
        local = method.local_step({"theta": THETA, "anchor": anchor, "task": 1}, local, g)
        for run, slot in SLOTS:
            x[run, slot] -= ONE[run] * g[run, slot]
            if step % (1, 2, 7)[slot] == 0:
                x[run, slot] = (x[run, slot] + 2 * TWO[run] * anchor[run]) / (1 + 2 * TWO[run])
        np.testing.assert_allclose(local["x"], x)


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
    """At an inner product of 0, which counts as interference, the larger rate is the common one."""
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


def test_steps_of_adam_and_pulls_have_the_numbers_of_their_run() -> None:
    """Adam's first step equals its step size in every coordinate; later ones use decaying sums."""
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
