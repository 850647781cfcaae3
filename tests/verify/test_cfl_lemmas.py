"""Lemmas of CFL: scenes against independent code."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch

from nqm.fields import to_exact
from tests.verify.judging import drawn
from verify.engine.model.scene import quantities
from verify.scenes.cfl.lemmas import BETWEEN, DRIFTS, EXPANDED, POINTS
from verify.scenes.cfl.problem import ALGORITHMS, RETURNING, SAMPLED
from verify.scenes.cfl.techniques import LINEAR, SUBLINEAR, random_vectors


def arrays(parameters, index):
    return {name: value[index].numpy() for name, value in parameters.items()}


@pytest.mark.parametrize("shape", SUBLINEAR.shapes)
def test_sublinear_sums(shape):
    parameters = drawn(SUBLINEAR, shape, batch=16)
    found = quantities(SUBLINEAR, shape, parameters, {})
    for index in range(16):
        p, size = arrays(parameters, index), float(found["eta"][index])
        d = p["d"] if shape["starts"] else np.concatenate([[0], p["d"][1:]])
        terms = (
            [(d[r - 1] - d[r]) / size + p["c1"] * size + p["c2"] * size**2 for r in range(1, shape["T"] + 2)]
            if size
            else []
        )
        assert 0 <= size <= p["eta_max"] * (1 + 1e-12)
        if terms:
            assert float(found["Phi"][index]) == pytest.approx(np.mean(terms), rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("shape", LINEAR.shapes)
def test_weighted_sums(shape):
    parameters = drawn(LINEAR, shape, batch=16)
    found = {
        name: value for name, value in quantities(LINEAR, shape, parameters, {}).items() if name not in shape
    }
    for index in range(16):
        d, mu = parameters["d"][index].numpy(), float(parameters["mu"][index])
        eta, top = float(found["eta"][index]), float(found["eta_max"][index])
        weights = [(1 - mu * eta) ** (1 - r) for r in range(shape["T"] + 2)]
        printed = sum(
            weights[r - 1] / eta * (1 - mu * eta) * d[r - 1] - weights[r] / eta * d[r]
            for r in range(1, shape["T"] + 2)
        ) / sum(weights[1:])
        assert eta <= top
        assert shape["T"] >= 1 / (2 * top * mu)
        assert float(found["shrunk"][index]) == pytest.approx(np.exp(-mu * top * shape["T"]))
        assert float(found["Phi"][index]) == pytest.approx(printed, rel=1e-6, abs=1e-9 * d.max() / eta)


def test_random_vectors_against_numpy():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1, 5, 3, 2))
    found = random_vectors(torch.as_tensor(x), {"room": torch.zeros(1), "M_var": torch.full((1,), 0.25)})
    off, means = x[0] - x[0].mean(axis=0), x[0].mean(axis=0)
    assert float(found["sum_X2"]) == pytest.approx(np.mean([np.sum(o.sum(axis=0) ** 2) for o in x[0]]))
    assert float(found["of_scatter"]) == pytest.approx(np.mean([np.sum(o.sum(axis=0) ** 2) for o in off]))
    variances = np.array([np.trace(np.cov(x[0, :, i].T, bias=True)) for i in range(3)])
    assert found["scatter"][0].numpy() == pytest.approx(variances)
    assert float(found["sigma2"]) == pytest.approx(max(0, max(variances - 0.25 * (means**2).sum(axis=1))))


@pytest.mark.parametrize("shape", DRIFTS.shapes)
def test_drifts_against_enumeration(shape):
    """Expectations in fractions, computed from the gradient model itself by enumerating all signs."""
    exact = {
        name: np.vectorize(lambda v: Fraction(float(v)).limit_denominator(8), otypes=[object])(value.numpy())
        for name, value in drawn(DRIFTS, shape, batch=1, seed=4).items()
    }
    found = quantities(DRIFTS, shape, exact, {})
    t = shape["t"]
    weights = exact["weights"][0] + (1 - sum(exact["weights"][0])) / t
    gradient, client, time = (exact[name][0] for name in ("gradient", "client", "time"))
    square = lambda v: sum(v**2)  # noqa: E731
    same, fresh, local = [], [], []
    for s in product((1, -1), repeat=t):
        for r in product((1, -1), repeat=t):
            rounds = [gradient + s[tau] * client + r[tau] * time[tau] for tau in range(t)]
            fresh.append(square(sum(w * g for w, g in zip(weights, rounds, strict=True))))
        for sign in (1, -1):
            rounds = [gradient + sign * client + s[tau] * time[tau] for tau in range(t)]
            same.append(square(sum(w * g for w, g in zip(weights, rounds, strict=True))))
            local.append(square(rounds[-1]))
    average = lambda values: sum(values) / Fraction(len(values))  # noqa: E731
    assert found["grad2"][0] == average(same)
    assert found["grad_once2"][0] == average(fresh)
    assert found["grad_now2"][0] == average(local)


def test_a_returning_client_step_by_step():
    shape = {"d": 2}
    parameters = drawn(RETURNING, shape, batch=1, seed=7)
    found, p = quantities(RETURNING, shape, parameters, {}), arrays(parameters, 0)
    stale, again = [], []
    for s, first, second in product((1, -1), repeat=3):
        model = p["start"] - p["eta"] * (p["h"] * p["start"] + s * p["client"] + first * p["time"])
        stale.append(p["h"] * model @ (s * p["client"]))
        again.append(np.sum((p["h"] * model + s * p["client"] + second * p["time"]) ** 2))
    assert float(found["stale"]) == pytest.approx(np.mean(stale))
    assert float(found["again2"]) == pytest.approx(np.mean(again))


def test_mean_over_subsets_is_the_plain_mean():
    for shape in SAMPLED.shapes:
        parameters = drawn(SAMPLED, shape)
        found = quantities(SAMPLED, shape, parameters, {})
        assert found["mean_pull"].numpy() == pytest.approx(parameters["gradients"].numpy().mean(axis=1))


def test_mean_value_is_missed_by_no_more_than_the_bound():
    for shape in BETWEEN.shapes:
        parameters = drawn(BETWEEN, shape, batch=64, seed=5)
        bound = quantities(BETWEEN, shape, parameters, {})["missed_by"].numpy()
        a, b, v = (parameters[name].numpy()[:, None] for name in ("a", "b", "v"))
        s = np.linspace(0, 1, 4001)[None, :, None]
        change = a * v**2 / 2 + b * v**3 / 6
        missed = np.linalg.norm(change - (a * s * v + b * s**2 * v**2 / 2) * v, axis=-1).min(axis=1)
        assert (bound <= missed + 1e-12).all()
        assert bound.max() > 0 or shape["d"] == 1
        assert shape["d"] > 1 or bound.max() == 0


def test_losses_and_gradients_belong_together():
    """Slopes of the convex loss and of the expanded gradient, compared with difference quotients."""
    shape = {"d": 2}
    parameters = drawn(POINTS, shape, batch=32, seed=6)
    x, y = parameters["x"], parameters["y"]
    near = {**parameters, "y": x + 1e-6 * (y - x)}
    found, close = (quantities(POINTS, shape, part, {}) for part in (parameters, near))
    assert ((close["h_y"] - close["h_x"]) * 1e6).numpy() == pytest.approx(
        found["x_to_y"].numpy(), rel=1e-4, abs=1e-4
    )
    at = drawn(EXPANDED, shape, batch=32, seed=6)
    close = quantities(EXPANDED, shape, {**at, "here": at["at"] + 1e-3 * at["here"] / 50}, {})
    assert (close["loss_norm"] < 1e-4).all()


def test_line_6_is_the_derivative_and_fractions_stay_exact():
    shape = ALGORITHMS.shapes[-1]
    exact = {name: to_exact(value.numpy()) for name, value in drawn(ALGORITHMS, shape, batch=2).items()}
    found = quantities(ALGORITHMS, shape, exact, {})
    assert (found["line6"] == found["slope3"]).all()
