"""Assumptions of SPECIAL: quantities at points against plain formulas, premises, sharpness of known constants."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import sympy as sp
import torch

from nqm.constants import constants
from tests.verify.judging import at_fractions, judged
from verify.engine.checks.sharpest import best_ratios
from verify.engine.model.claim import BUDGETS
from verify.scenes.special.assumptions import FAMILIES, FREE, POINTS, STRONG, gradients_at, world_of
from verify.scenes.special.implied import GRADIENTS
from verify.special_assumptions import CLAIMS, SHARP

BY_ID = {claim.statement.id: claim for claim in CLAIMS}
AT_POINTS = {
    number: dataclasses.replace(BY_ID[f"special.ass4.{number}"], scene=POINTS) for number in (1, 2, 4, 5, 6)
}
PLACES = ("near", "far", "aside")


def drawn(scene, shape, batch=4, seed=2):
    found = at_fractions(scene, shape, batch, [seed, *shape.values()])
    return {n: np.asarray(v) for n, v in found.items() if torch.is_tensor(v)}


def gradient(family, v, i, m, x):
    """Gradient of one client of one instance, from the formula of its loss."""
    if family == "linear":
        return v["slope"][i, m]
    h, w, away = v["height"][i, m], v["width"][i, m], x - v["centre"][i, m]
    return h * away / np.sqrt(w**2 + away @ away) if family == "pseudo-Huber" else h * np.tanh(away / w)


@pytest.mark.parametrize("family", range(3), ids=FAMILIES)
def test_quantities_at_a_point(family):
    shape = {"family": family, "K": 2, "M": 3, "d": 2}
    values = drawn(POINTS, shape)
    axes = np.concatenate([np.eye(2), -np.eye(2)])
    for index in range(4):
        v = {name: value[index] for name, value in values.items()}
        x = v["near"] + v["far"]
        at = lambda y: np.array(  # noqa: E731
            [[gradient(FAMILIES[family], v, i, m, y) for m in range(3)] for i in range(2)]  # noqa: B023
        )
        g, tasks = at(x), at(x).mean(axis=1)
        noisy = g[:, :, None] + v["sigma"][:, :, None, None] * axes
        np.testing.assert_allclose(v["g_sup"], np.linalg.norm(noisy, axis=-1), atol=1e-12)
        np.testing.assert_allclose(v["noise_sup"], v["sigma"] ** 2, atol=1e-12)
        np.testing.assert_allclose(v["client_sup"], ((g - tasks[:, None]) ** 2).sum(-1), atol=1e-12)
        np.testing.assert_allclose(v["task_sup"], ((tasks[:, None] - tasks) ** 2).sum(-1), atol=1e-12)
        if np.any(v["aside"]):
            change = np.linalg.norm(at(x + v["aside"]) - g, axis=-1) / np.linalg.norm(v["aside"])
            np.testing.assert_allclose(v["L_sup"], change, atol=1e-12)


def test_reported_constants_are_those_of_the_world():
    shape = POINTS.shapes[-1]
    values = drawn(POINTS, shape)
    world = world_of(shape, {n: torch.as_tensor(v) for n, v in values.items()})
    for name in ("B", "L", "sigma_L2", "sigma_G2", "sigma_T2"):
        np.testing.assert_allclose(values[name], constants(world)[name].value.numpy())


def test_gradients_bounded_by_their_largest_norm():
    shape = {"K": 2, "M": 2, "outcomes": 2, "d": 2}
    values = drawn(GRADIENTS, shape)
    for index in range(4):
        v = {name: value[index] for name, value in values.items()}
        g = v["g"]
        assert v["B"] == pytest.approx(
            max(np.linalg.norm(g[k]) for k in itertools.product(range(2), repeat=3))
        )
        for i, m in itertools.product(range(2), repeat=2):
            mean = (g[i, m, 0] + g[i, m, 1]) / 2
            other = (g[i, 1 - m, 0] + g[i, 1 - m, 1]) / 2
            assert v["noise_sup"][i, m] == pytest.approx(((g[i, m, 0] - mean) ** 2).sum())
            assert v["client_sup"][i, m] == pytest.approx(((mean - other) ** 2).sum() / 4)
        tasks = g.mean(axis=(1, 2))
        assert v["task_sup"][0, 1] == pytest.approx(((tasks[0] - tasks[1]) ** 2).sum())


def test_two_points_of_a_quadratic():
    v = {name: value[0] for name, value in drawn(STRONG, {"d": 2}).items()}
    h, x, y, c = v["curvature"], v["x"], v["y"], v["centre"]
    assert v["rise"] == pytest.approx(h * ((x - y) ** 2).sum())
    assert v["B"] == pytest.approx(h * max(np.linalg.norm(x - c), np.linalg.norm(y - c)))
    assert v["convexity"] == pytest.approx(h)


def test_noise_is_centred_in_every_family():
    for family in range(3):
        assert drawn(POINTS, {"family": family, "K": 2, "M": 2, "d": 2})["bias_sup"].max() < 1e-28


@pytest.mark.parametrize("number", range(1, 7))
def test_an_assumption_has_worlds_that_meet_it_and_others(number):
    record = judged(BY_ID[f"special.ass4.{number}"])
    assert record["verdict"] == "assumption"
    details = record["evidence"][0]["details"]
    assert 0 < details["met"] < details["tried"]
    assert {"meets", "does not meet"} <= set(details)


def test_constants_of_a_free_world_are_suprema_that_points_approach():
    shape = {"family": 1, "K": 1, "M": 1, "d": 1}
    values = drawn(FREE, shape)
    world = world_of(shape, {n: torch.as_tensor(v) for n, v in values.items()})
    far = gradients_at(world, torch.full((4, 1), 1e9, dtype=torch.float64))[:, 0, 0].abs()[:, 0].numpy()
    np.testing.assert_allclose(values["g_sup"], far + values["sigma"][:, 0, 0] + np.abs(values["lean"][:, 0]))


# ----------------------------------------------------------------------------------- sharpness of known constants


def test_constants_of_linear_worlds_are_found_exactly():
    shape = {"family": 0, "K": 2, "M": 3, "d": 2}
    for number in (4, 5, 6):
        ratios = best_ratios(AT_POINTS[number], shape, PLACES, np.random.default_rng(0), 16)
        np.testing.assert_allclose(ratios[ratios > 0], 1, atol=1e-12)


@pytest.mark.parametrize("family", [1, 2])
@pytest.mark.parametrize("number", [1, 2, 5, 6])
def test_no_point_exceeds_a_constant_and_doubling_one_halves_its_sharpness(family, number):
    claim = AT_POINTS[number]
    shape = {"family": family, "K": 2, "M": 2, "d": 1}
    found = best_ratios(claim, shape, PLACES, np.random.default_rng(1), 16)
    assert found.max() <= 1 + 1e-9
    relation = claim.statement.relation
    doubled = dataclasses.replace(claim.statement, relation=sp.Le(relation.lhs, 2 * relation.rhs))
    half = best_ratios(
        dataclasses.replace(claim, statement=doubled), shape, PLACES, np.random.default_rng(1), 16
    )
    np.testing.assert_allclose(half, found / 2, rtol=0.05, atol=1e-6)


def test_sharpness_says_nothing_for_or_against():
    finding = SHARP(BY_ID["special.ass4.6"], BUDGETS["quick"], 0)
    assert finding.verdict is None
    assert finding.method == "sampled"
    assert set(finding.details["median lhs/rhs"]) == set(FAMILIES)
