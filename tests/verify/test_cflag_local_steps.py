"""Rounds along incrementally aggregated gradients, compared with plain loops, the algorithm itself and known constants."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.fedtrack import fedtrack
from nqm.fields import norm, to_exact, to_interval, upper
from verify.engine.search.sampling import sample
from verify.scenes.cflag.local_steps import (
    all_orders,
    local_round,
    mean_of,
    order_space,
    orders,
    refreshed,
    samples_of,
    samples_space,
)

SHAPES = [
    {"N": N, "S": S, "E": E, "d": d, "curved": curved}
    for N, S, E, d in ((1, 1, 1, 1), (2, 3, 3, 1), (1, 2, 4, 2), (3, 2, 2, 2))
    for curved in (0, 1)
]


def drawn(shape, seed=0, batch=3):
    space = {**samples_space(shape), **order_space(shape)}
    return sample(space, np.random.default_rng(seed), batch)


def played(shape, values, beta):
    losses = samples_of(values)
    N = shape["N"]
    p = np.full((len(values["bend"]), N), 1 / N)
    start = np.full((len(values["bend"]), N, shape["d"]), 0.25)
    return losses, local_round(losses.components, start, beta, p, refreshed(shape, values["order"]))


@pytest.mark.parametrize("shape", SHAPES)
def test_round_equals_a_plain_loop(shape):
    """Gradients are kept in a table, as in Algorithm 1, for one client and one world at a time."""
    values, beta = drawn(shape), 0.3
    losses, run = played(shape, values, beta)
    N, S, E = shape["N"], shape["S"], shape["E"]
    for world in range(3):
        x_t = np.full(shape["d"], 0.25)
        at = lambda x, i, world=world: losses.components(np.broadcast_to(x, run.points[0].shape))[world, i]  # noqa: E731
        g = sum(at(x_t, i).mean(axis=0) for i in range(N)) / N
        for i in range(N):
            x, table = x_t, at(x_t, i).copy()
            full = table.mean(axis=0)
            for k in range(E):
                if k:
                    j = int(values["order"][world, i, k - 1])
                    table[j] = at(x, i)[j]
                np.testing.assert_allclose(run.delayed[k][world, i], table.mean(axis=0), atol=1e-12)
                error = table.mean(axis=0) - at(x, i).mean(axis=0)
                np.testing.assert_allclose(run.errors[k][world, i], error, atol=1e-12)
                x = x - beta * (g - full + table.mean(axis=0))
                np.testing.assert_allclose(run.points[k + 1][world, i], x, atol=1e-12)
    assert len(run.points) == E + 1
    assert run.components[0].shape[-2] == S


class Oracle:
    """The losses of a round as an algorithm uses them: one run, every client."""

    def __init__(self, losses):
        self.losses, self.n_components = losses, losses.bend.shape[-1]

    def components(self, x):
        return self.losses.components(x)

    def component_grad(self, x, j):
        return np.take_along_axis(self.losses.components(x), j[..., None, None], axis=-2)[..., 0, :]

    def grad(self, x):
        return self.losses.grad(x)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape["E"] > 1])
def test_smoothness_is_not_exceeded_and_attained_by_quadratics(shape):
    values = drawn(shape, batch=64)
    losses = samples_of(values)
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 64, shape["N"], shape["d"]))
    slope = norm(losses.components(x) - losses.components(y)) / norm(x - y)[..., None]
    assert (slope <= losses.smoothness() * (1 + 1e-9) + 1e-9).all()
    if shape["d"] == 1 and not shape["curved"]:
        np.testing.assert_allclose(slope, losses.smoothness(), atol=1e-9)


def test_every_symmetric_matrix_is_reached():
    values = {"slope": np.zeros((1, 1, 1, 2)), "bend": np.array([[[0.5]]]), "twist": np.array([[[1.5]]])}
    losses = samples_of({**values, "axis": np.array([[[0.5]]])})
    columns = [losses.components(np.array([[column]]))[0, 0, 0] for column in np.eye(2)]
    matrix = np.stack(columns, axis=1)
    np.testing.assert_allclose(matrix, matrix.T)
    np.testing.assert_allclose(np.linalg.eigvalsh(matrix), [-1.0, 2.0])
    assert losses.smoothness().item() == 2.0


@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_are_those_of_the_losses(shape):
    values = drawn(shape, seed=2)
    losses = samples_of(values)
    x, h = np.full((3, shape["N"], shape["d"]), 0.3), 1e-6
    for axis, unit in enumerate(np.eye(shape["d"])):
        slope = (losses.loss(x + h * unit) - losses.loss(x - h * unit)) / (2 * h)
        np.testing.assert_allclose(slope, losses.grad(x)[..., axis], atol=1e-7)


@pytest.mark.parametrize("shape", SHAPES[:6:2])
def test_all_kinds_of_numbers_agree(shape):
    import torch

    values = drawn(shape, seed=3)
    exact = {name: to_exact(value) for name, value in values.items()}
    p = np.full((3, shape["N"]), Fraction(1, shape["N"]), dtype=object)
    start = np.full((3, shape["N"], shape["d"]), Fraction(1, 4), dtype=object)
    fresh = refreshed(shape, exact["order"])
    by_fraction = local_round(samples_of(exact).components, start, Fraction(3, 10), p, fresh).points[-1]
    _, by_float = played(shape, values, 0.3)
    np.testing.assert_allclose(by_fraction.astype(float), by_float.points[-1], atol=1e-12)
    boxes = {name: to_interval(value) for name, value in exact.items()}
    by_interval = local_round(
        samples_of(boxes).components,
        to_interval(start),
        to_interval(np.array([[[Fraction(3, 10)]]])),
        to_interval(p),
        refreshed(shape, boxes["order"]),
    ).points[-1]
    width = max(float(upper(box) - float(box.a)) for box in by_interval.ravel())
    assert width < 1e-12
    tensors = {name: torch.as_tensor(value) for name, value in values.items()}
    by_tensor = local_round(
        samples_of(tensors).components,
        torch.full(start.shape, 0.25, dtype=torch.float64),
        0.3,
        torch.as_tensor(p.astype(float)),
        refreshed(shape, tensors["order"]),
    ).points[-1]
    np.testing.assert_allclose(by_tensor.numpy(), by_float.points[-1], atol=1e-12)


@given(st.integers(1, 2), st.integers(1, 3), st.integers(1, 3))
def test_all_orders_are_all_and_different(N, S, E):
    shape = {"N": N, "S": S, "E": E}
    found = orders(shape)
    assert len({order.tobytes() for order in found}) == len(found) == S ** (N * (E - 1))
    masks = all_orders(shape, np.zeros(1))
    again = refreshed(shape, found.astype(float)) if E > 1 else []
    assert len(masks) == E - 1
    for mask, same in zip(masks, again, strict=True):
        np.testing.assert_array_equal(mask, same)
        np.testing.assert_array_equal(mask.sum(axis=-1), 1)


def test_mean_over_samples():
    np.testing.assert_array_equal(mean_of(np.array([[[1.0], [3.0]]])), [[2.0]])


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape["E"] > 1])
def test_the_algorithm_takes_the_same_local_steps(shape):
    """The local steps of C-FLAG are those of FedTrack, from the same model with the same draws."""
    values = {name: value[:1] for name, value in drawn(shape, seed=4).items()}
    losses, run = played(shape, values, 0.3)
    N, E = shape["N"], shape["E"]
    method, oracle = fedtrack(0.3, N), Oracle(losses)
    state = method.begin_task(method.init(run.points[0][:, 0]), 0)
    assert method.prepare is not None
    state = method.prepare(state, oracle)
    local = method.begin_round(state, np.arange(N), oracle)
    for k in range(E):
        # The first step uses the full gradient, so its draw does not matter
        j = values["order"][:, :, max(k - 1, 0)].astype(int)[..., None]
        local = method.local_step(state, local, method.query(oracle, local["x"], j))
        np.testing.assert_allclose(local["x"], run.points[k + 1], atol=1e-12)
