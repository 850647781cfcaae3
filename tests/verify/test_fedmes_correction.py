"""FedMeS, Theorem 1 and the projection: scenes against plain loops, the algorithm against its formula, witnesses."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.verify.judging import drawn
from verify.engine.model.scene import quantities
from verify.scenes.fedmes.correction import CORRECTED, REPEATED
from verify.scenes.fedmes.descent import SEVERAL
from verify.scenes.fedmes.learning import AGAIN, LEARNING, PLACEBOS
from verify.scenes.fedmes.matrices import MATRIX
from verify.scenes.fedmes.projection import VECTORS, area2, slope
from verify.scenes.fedmes.samples import batches, gradients, statistics


def alone(parameters, i):
    return {name: value[i].numpy() for name, value in parameters.items()}


def test_central_differences_are_the_gradient_of_a_quadratic() -> None:
    x = torch.tensor([[1.0, -2.0]], dtype=torch.float64)
    assert slope(lambda at: (at**2).sum(-1) + at[:, 0] * at[:, 1], x).tolist() == [[0.0, -3.0]]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_area_is_gram_determinant(d: int) -> None:
    a, c = np.random.default_rng(d).normal(size=(2, 5, d))
    gram = (a**2).sum(-1) * (c**2).sum(-1) - (a * c).sum(-1) ** 2
    assert area2(a, c) == pytest.approx(gram, abs=1e-12)


def test_the_projection_against_a_search() -> None:
    p = drawn(VECTORS, {"d": 2}, 32)
    found = quantities(VECTORS, {"d": 2}, p, {})
    angles = np.linspace(0, 2 * np.pi, 721)
    for i in range(32):
        g, m = p["g"][i].numpy(), p["gm"][i].numpy()
        if found["inner"][i] >= 0 or not m.any():
            continue
        rays = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        along = np.maximum(rays @ g, 0)[:, None] * rays  # nearest point of each ray
        allowed = along[(along @ m) >= -1e-12]
        nearest = ((g - allowed) ** 2).sum(-1).min()
        assert float(found["nearest2"][i]) <= nearest + 1e-9
        assert found["z_dual"][i].numpy() == pytest.approx(found["gt"][i].numpy())


@pytest.mark.parametrize("shape", REPEATED.shapes, ids=str)
def test_corrections_of_the_algorithm_are_those_of_the_formula(shape) -> None:
    p = drawn(REPEATED, shape, 64)
    found = quantities(REPEATED, shape, p, {})
    checked = 0
    for i in range(64):
        at = alone(p, i)
        if (found["conflict"][i] >= 0).any():
            continue
        checked += 1
        whole = at["h"].mean(0)
        optimum = (at["h"] * at["c_sample"]).mean(0) / whole
        paths = [at["x"]]
        for _ in range(shape["s"] - 1):
            ends = []
            for x in paths:
                g = at["h_current"] * (x - at["c_current"])
                each = at["h"] * (x - at["c_sample"])
                for m in each if shape["batch"] else [each.mean(0)]:
                    ends.append(x - at["eta_2"] * (g - g @ m / (m @ m) * m))
            paths = ends
        height = lambda x, h=at["h"], c=at["c_sample"]: (h * (x - c) ** 2).sum(-1).mean() / 2  # noqa: E731
        gap = np.mean([height(x) for x in paths]) - height(optimum)
        assert float(found["gap_s"][i]) == pytest.approx(gap)
    assert checked


@pytest.mark.parametrize("shape", SEVERAL.shapes[:4], ids=str)
def test_several_steps_are_repeated_single_ones(shape) -> None:
    p = drawn(SEVERAL, shape)
    found = quantities(SEVERAL, shape, p, {})
    for i in range(8):
        at = alone(p, i)
        mu_G = at["bias"] * (1 + at["longer"])
        rate = at["bias"] * at["closer"] / (at["h"].mean(0).max() * (at["M_V"] + mu_G**2)) * at["share"]
        paths = [at["x"]]
        for step in range(shape["s"] - 1):
            paths = [
                x - rate[step] * at["bias"] * h * (x - c)
                for x in paths
                for h, c in zip(at["h"], at["c_sample"], strict=True)
            ]
        optimum = (at["h"] * at["c_sample"]).mean(0) / at["h"].mean(0)
        height = lambda x, h=at["h"], c=at["c_sample"]: (h * (x - c) ** 2).sum(-1).mean() / 2  # noqa: E731
        assert float(found["gap_s"][i]) == pytest.approx(
            np.mean([height(x) for x in paths]) - height(optimum)
        )
        shrunk = np.prod(1 - float(found["c"][i]) * float(found["mu"][i]) * rate[: shape["s"] - 1])
        assert float(found["shrunk"][i]) == pytest.approx(shrunk)


def test_statistics_by_hand() -> None:
    h, c = np.array([[[1.0], [3.0]]]), np.array([[[0.0], [1.0]]])
    x = np.array([[2.0]])
    found = statistics(h, c, x, gradients(h, c, x))
    assert [float(found[name][0]) for name in ("mem_gradient2", "variance", "square2", "mem_loss")] == [
        6.25,
        0.25,
        6.5,
        1.75,
    ]


def test_a_matrix_turns_the_mean_batch_gradient() -> None:
    p = drawn(MATRIX, {"S": 2, "d": 2}, 8)
    found = quantities(MATRIX, {"S": 2, "d": 2}, p, {})
    whole = gradients(p["h"], p["c_sample"], p["x"]).numpy().mean(1)
    batch = batches(p, p["x"]).numpy().mean(1)
    for i in range(8):
        way = p["way"][i].numpy()
        A = float(p["low"][i]) * np.eye(2) + float(p["raised"][i]) * np.outer(way, way)
        assert float(found["align_matrix"][i]) == pytest.approx(whole[i] @ A @ batch[i])
        assert float(found["A_least"][i]) == pytest.approx(np.linalg.eigvalsh(A)[0])


def test_a_correction_by_hand() -> None:
    """Memory |y|^2/2 at y = (0, 1); current gradient (1, -1): its corrected version is (1, 0)."""
    one = lambda *x: torch.tensor([x], dtype=torch.float64)  # noqa: E731
    values = {"convex": one(1)[:, 0], "more": one(0, 0), "h": one(1, 1), "g": one(1, -1), "y": one(0, 1)}
    found = quantities(CORRECTED, {"d": 2}, {**values, "eta_2": one(1)[:, 0]}, {})
    assert [float(found[name]) for name in ("mem_now", "mem_next", "gt2", "inner_now")] == [
        0.5,
        1.0,
        1.0,
        -1.0,
    ]


@pytest.mark.parametrize("shape", AGAIN.shapes, ids=str)
def test_corrections_that_learn_against_plain_loops(shape) -> None:
    p = drawn(AGAIN, shape)
    p = {**p, "eta_2": 0.1 * p["eta_2"]}
    found = quantities(AGAIN, shape, p, {})
    for i in range(8):
        at = alone(p, i)
        k, y, squares = at["convex"] + at["more"], at["y"], []
        for _ in range(shape["s"] - 1):
            g, m = at["h"] * (y - at["aim"]), k * y
            step = g - (g @ m) / (m @ m) * m if m.any() else np.full_like(g, np.nan)
            squares.append(step @ step)
            y = y - at["eta_2"] * (step + at["kappa"] * m)
        assert float(found["gap_s"][i]) == pytest.approx((k * y**2).sum() / 2, nan_ok=True)
        assert float(found["moved2"][i]) == pytest.approx(np.max(squares, initial=0), nan_ok=True)


def test_a_correction_that_learns_by_hand() -> None:
    """Memory |y|^2/2 at y = (0, 1), current gradient (1, -1), kappa 1/2, rate 1: the step leads to (-1, 1/2); its
    opposite to (1, 3/2).
    """
    one = lambda *x: torch.tensor([x], dtype=torch.float64)  # noqa: E731
    values = {"convex": one(1)[:, 0], "more": one(0, 0), "h": one(1, 1), "g": one(1, -1), "y": one(0, 1)}
    values |= {"kappa": one(0.5)[:, 0]}
    gaps = [
        float(quantities(scene, {"d": 2}, values, {"eta_2": one(1)[:, 0]})["gap_next"])
        for scene in (LEARNING, *PLACEBOS)
    ]
    assert gaps == [0.625, 1.625, 0.5, 1.125]
