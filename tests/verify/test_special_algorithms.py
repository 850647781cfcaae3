"""Problem, algorithms and lambda of SPECIAL: the scenes against plain loops, rest points against runs, witnesses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from tests.verify.judging import at_fractions
from tests.verify.judging import drawn as parameters_of
from verify.engine.model.scene import quantities
from verify.scenes.special.algorithms import CONSTANT, ROUND
from verify.scenes.special.lam import REST, STRENGTHS, TASKS, TASKS_AS_TEXT, TO_AND_FRO
from verify.scenes.special.problem import ISOTROPIC, LOSSES, MINIMA, STEP_OF_SERVER
from verify.scenes.special.ridge import RIDGE


def drawn(scene, shape, seed=0, batch=5):
    """Quantities of a random batch, as NumPy arrays."""
    found = at_fractions(scene, shape, batch, [seed, *shape.values()])
    return {n: np.asarray(v) if torch.is_tensor(v) else v for n, v in found.items()}


def one(values, index):
    """Instance `index` of a batch; ``g_c`` has its local steps before the batch."""
    pick = lambda n, v: v[:, index] if n == "g_c" else v[index]  # noqa: E731
    return {n: pick(n, v) if np.ndim(v) else v for n, v in values.items()}


# ------------------------------------------------------------------------------- a second implementation, by loops


def client_work(x, grad, noise, gamma, lam=0.0, anchor=0.0):
    """Local steps from `x`, each followed by the proximal map; end point and gradients."""
    seen = []
    for u in noise:
        seen.append(grad(x) + u)
        x = (x - gamma * seen[-1] + 2 * lam * anchor) / (1 + 2 * lam)
    return x, seen


def algorithm_1(v, grads, noise, *, blend=True):
    ends = [client_work(v["th"], g, u, v["gamma_L"])[0] for g, u in zip(grads, noise, strict=True)]
    middle = v["th"] + v["gamma_G"] * (np.mean(ends, axis=0) - v["th"])
    return (middle + v["lam"] * v["anchor"]) / (1 + v["lam"]) if blend else middle


def algorithm_2(v, grads, noise, lam, inner, divide_by):
    ends = [client_work(v["th"], g, u, inner, lam, v["anchor"])[0] for g, u in zip(grads, noise, strict=True)]
    return v["th"] + v["gamma_G"] * sum(end - v["th"] for end in ends) / divide_by


@pytest.mark.parametrize("scene", [ROUND, CONSTANT], ids=lambda scene: scene.name)
@pytest.mark.parametrize("shape", [{"M": 3, "N": 2, "E": 3, "d": 2}, {"M": 1, "N": 1, "E": 1, "d": 1}])
def test_a_round_of_every_reading(scene, shape):
    values = drawn(scene, shape)
    for index in range(5):
        v = one(values, index)
        if scene is ROUND:
            grads = [
                lambda x, h=h, c=c: h * (x - c) for h, c in zip(v["curvature"], v["centre"], strict=True)
            ]
            noise = v["u"]
        else:
            grads = [lambda x, s=s: s for s in v["slope_of"]]
            noise = np.zeros((shape["N"], shape["E"], shape["d"]))
        grads = grads[: shape["N"]]
        n, m, lam, gamma = shape["N"], shape["M"], v["lam"], v["gamma_L"]
        end, seen = client_work(v["th"], grads[0], noise[0], gamma)
        end_c, seen_c = client_work(v["th"], grads[0], noise[0], gamma, lam, v["anchor"])
        still = [lambda x: 0 * x] * n
        zero = 0 * noise[:, :1]
        expected = {
            "first_code": algorithm_1(v, grads, noise),
            "first_text": algorithm_1(v, grads, noise, blend=False),
            "later_code": algorithm_1(v, grads, noise),
            "later_text": algorithm_1(v, grads, noise),
            "next_fed": algorithm_1(v, grads, noise, blend=False),
            "next_zero": algorithm_1(v, grads, noise, blend=False),
            "update": (algorithm_1({**v, "gamma_G": 1}, grads, noise, blend=False) - v["th"]),
            "sent": end - v["th"],
            "grad_sum": sum(seen),
            "sent_c": end_c - v["th"],
            "grad_sum_c": sum(seen_c),
            "g_c": np.array(seen_c),
            "next_c": algorithm_2(v, grads, noise, lam, gamma, n),
            "next_c_all": algorithm_2(v, grads, noise, lam, gamma, m),
            "next_c_text": algorithm_2(v, grads, noise, lam, v["gamma_G"], n),
            "next_c_zero": algorithm_2(v, grads, noise, 0, gamma, n),
            "next_c_all_zero": algorithm_2(v, grads, noise, 0, gamma, m),
        }
        for name, value in expected.items():
            np.testing.assert_allclose(v[name], value, rtol=1e-9, atol=1e-11, err_msg=name)
        np.testing.assert_allclose(v["still"], algorithm_1(v, still, zero), atol=1e-12)
        repeated = np.zeros((n, shape["E"], shape["d"]))
        np.testing.assert_allclose(v["still_c"], algorithm_2(v, still, repeated, lam, gamma, n), atol=1e-12)


def test_rest_points_are_where_a_long_run_ends():
    shape = {"M": 2, "N": 2, "E": 2, "d": 2}
    parameters = parameters_of(REST, shape, 4, 3)
    small = {"gamma_G": torch.full((4,), 0.7).double(), "gamma_L": torch.full((4,), 0.1).double()}
    lam = {"lam": torch.tensor([0.05, 0.3, 1.0, 4.0]).double()}
    values = {
        n: np.asarray(v)
        for n, v in quantities(REST, shape, {**parameters, **small, **lam}, {}).items()
        if torch.is_tensor(v)
    }
    none = np.zeros((2, 2, 2))
    for index in range(4):
        v = one(values, index)
        grads = [lambda x, h=h, c=c: h * (x - c) for h, c in zip(v["curvature"], v["centre"], strict=True)]
        slope = lambda x: np.mean([g(x) for g in grads], axis=0)  # noqa: E731, B023
        rest = rest_c = rest_m = np.zeros(2)
        for _ in range(3000):
            rest = algorithm_1({**v, "th": rest}, grads, none)
            rest_c = algorithm_2({**v, "th": rest_c}, grads, none, v["lam"], v["gamma_L"], 2)
            rest_m, _ = client_work(rest_m, grads[0], np.zeros((1, 2)), v["gamma_L"], v["lam"], v["anchor"])
        np.testing.assert_allclose(v["rest"], rest, atol=1e-8)
        np.testing.assert_allclose(v["rest_c"], rest_c, atol=1e-8)
        np.testing.assert_allclose(v["rest_m"], rest_m, atol=1e-8)
        np.testing.assert_allclose(v["slope"], slope(rest), atol=1e-7)
        np.testing.assert_allclose(v["slope_c"], slope(rest_c), atol=1e-7)
        np.testing.assert_allclose(v["slope_m"], grads[0](rest_m), atol=1e-7)


# ------------------------------------------------------------------------------------------- minimisers, by descent


def loss_of(v, tasks, curvature):
    h, c = curvature[tasks], v["centre"][tasks]
    return lambda x: float((h * (x - c) ** 2).sum(axis=-1).mean(axis=-1).sum() / 2)


def lowest(function, dim):
    return minimize(function, np.zeros(dim), method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("scene", [MINIMA, ISOTROPIC], ids=lambda scene: scene.name)
def test_minimisers_of_the_problem_and_its_surrogate(scene):
    shape = {"K": 3, "M": 2, "d": 2}
    values = drawn(scene, shape, batch=4)
    for index in range(4):
        v = one(values, index)
        h = v["curvature"]
        if scene is ISOTROPIC:
            h = np.stack([h, np.full_like(h, v["lam"]), np.full_like(h, v["lam"])])
        anchor = lowest(loss_of(v, [1, 2], h), 2)
        penalised = lambda x: loss_of(v, [0], h)(x) + v["lam"] * ((x - anchor) ** 2).sum()  # noqa: E731, B023
        np.testing.assert_allclose(v["joint_min"], lowest(loss_of(v, [0, 1, 2], h), 2), atol=1e-4)
        np.testing.assert_allclose(v["surr_min"], lowest(penalised, 2), atol=1e-4)
        np.testing.assert_allclose(v["h_prev"], h[1:].mean(axis=1).sum(axis=0))


def test_losses_at_a_point():
    values = drawn(LOSSES, {"K": 3, "M": 2, "d": 2}, batch=4)
    for index in range(4):
        v = one(values, index)
        for name, tasks in (("f_all", [0, 1, 2]), ("f_cur", [0]), ("f_prev", [1, 2])):
            assert v[name] == pytest.approx(loss_of(v, tasks, v["curvature"])(v["point"]))
        assert v["f_double"] == pytest.approx(v["f_all"])


def test_server_and_proximal_map():
    values = drawn(STEP_OF_SERVER, {"d": 2}, batch=6)
    lam, x, a = values["lam"][:, None], values["thbar"], values["anchor"]
    np.testing.assert_allclose(values["server_min"], (x + lam * a) / (1 + lam), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(values["prox_min"], (x + 2 * lam * a) / (1 + 2 * lam), rtol=1e-9, atol=1e-12)


# --------------------------------------------------------------------------------------------- drift, path by path


def gradient(v, shape, task, client, x):
    if not shape["curved"]:
        return v["slope"][task, client]
    away = x - v["centre"][task, client]
    width = v["width"][task, client]
    return v["height"][task, client] * away / np.sqrt(width**2 + away @ away)


def drifts(v, shape, lam, *, first_blends=True):
    """Mean over all paths of |theta_i^t - theta_i^0|^2, by task and round."""
    K, M, rounds, E = shape["K"], shape["M"], shape["t"], shape["E"]
    sigma = v["sigma"] if shape["noisy"] else np.zeros(M)
    signs = list(itertools.product((-1, 1), repeat=E)) if shape["noisy"] else [(0,) * E]
    outcomes = list(itertools.product(range(M), signs))
    total = np.zeros((K, rounds))
    paths = list(itertools.product(outcomes, repeat=K * rounds))
    for path in paths:
        x = np.zeros(shape["d"])
        for task in range(K):
            start = x.copy()
            for t in range(rounds):
                client, steps = path[task * rounds + t]
                y = x.copy()
                for sign in steps:
                    y = y - v["gamma_L"] * (gradient(v, shape, task, client, y) + sign * sigma[client])
                x = x + v["gamma_G"] * (y - x)
                if task or first_blends:
                    x = (x + lam * start) / (1 + lam)
                total[task, t] += ((x - start) ** 2).sum()
    return total / len(paths)


BASE = {"K": 2, "M": 1, "N": 1, "E": 1, "t": 2, "d": 1, "curved": 0, "noisy": 0}


@pytest.mark.parametrize(
    "more", [{"M": 2}, {"noisy": 1}, {"curved": 1, "E": 2}, {"curved": 1, "d": 2, "K": 3}]
)
def test_drift_of_all_tasks_and_rounds(more):
    shape = {**BASE, **more}
    for scene, blends in ((TASKS, True), (TASKS_AS_TEXT, False)):
        values = drawn(scene, shape, batch=3)
        for index in range(3):
            v = one(values, index)
            expected = drifts(v, shape, v["lam"], first_blends=blends).ravel()
            np.testing.assert_allclose(v["drift_all"], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("more", [{"M": 2, "curved": 1}, {"noisy": 1}])
def test_drift_with_two_strengths(more):
    shape = {**BASE, "K": 1, **more}
    values = drawn(STRENGTHS, shape, batch=3)
    for index in range(3):
        v = one(values, index)
        assert v["lam_more"] > v["lam"]
        for name, lam in (("drift2", v["lam"]), ("drift2_more", v["lam_more"])):
            assert v[name] == pytest.approx(drifts(v, shape, lam)[0, -1], rel=1e-9)


@pytest.mark.parametrize("rounds", [1, 3, 8])
def test_drift_on_a_ridge(rounds):
    """Both strengths by a plain loop: a parabola along the second axis, and a descending Huber loss along a slanted
    one.
    """
    values = drawn(RIDGE, {**RIDGE.shapes[0], "t": rounds}, batch=3)
    for index in range(3):
        v = one(values, index)
        angle, step = 2 * np.arctan(v["turn"]), v["gamma_G"] * v["gamma_L"]
        across = np.array([np.sin(angle), np.cos(angle)])
        crest = across @ ([0, 1] - v["steep"] * v["width"] * across)
        for name, lam in (("drift2", v["lam"]), ("drift2_more", v["lam_more"])):
            x = np.zeros(2)
            for _ in range(rounds):
                push = v["steep"] * np.clip(across @ x - crest, -v["width"], v["width"])
                x = (x - step * ([0, x[1] - 1] - push * across)) / (1 + lam)
            assert x[1] < 3  # the parabola's width
            assert v[name] == pytest.approx(x @ x, rel=1e-9)


def test_a_round_of_to_and_fro_leaves_the_model_where_it_is():
    """The first local step does move it: the model rests on a two-cycle."""
    for index in range(3):
        v = one(drawn(TO_AND_FRO, TO_AND_FRO.shapes[0]), index)
        curvature = float(v["curvature"])
        assert curvature * v["gamma_L"] == pytest.approx(2 + 2 * v["lam"])
        x, visited = v["rest_c"], []
        for _ in range(2):
            x = x - v["gamma_L"] * curvature * (x - v["centre"])
            x = (x + 2 * v["lam"] * v["anchor"]) / (1 + 2 * v["lam"])
            visited.append(x)
        assert visited[1] == pytest.approx(v["rest_c"])
        assert visited[0] != pytest.approx(v["rest_c"], abs=1e-3)
