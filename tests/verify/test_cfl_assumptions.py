"""Assumptions of CFL: worlds against their formulas, and how closely they attain their constants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.verify.judging import drawn
from verify.cfl_assumptions import CLAIMS
from verify.engine.checks.relation import bound
from verify.engine.judge import judge
from verify.engine.model.scene import quantities
from verify.scenes.cfl.drift_worlds import FREE, LAWS, WORLDS


@pytest.mark.parametrize("law", range(3), ids=LAWS)
def test_drifts_of_a_world_by_hand(law):
    shape = {"t": 3, "d": 2, "law": law}
    parameters = drawn(WORLDS, shape)
    found = {n: np.asarray(v) for n, v in quantities(WORLDS, shape, parameters, {}).items()}
    p = {name: value.numpy() for name, value in parameters.items()}
    gradient = p["h"] * p["here"]
    client, time = (p[name] + p[c][:, None] * gradient for name, c in (("client", "b"), ("time", "a")))
    kept = {
        "independent": [[0, 0, 0]] * 8,
        "overlapping": np.stack([p["part"]] * 3, axis=1),
        "gradual": np.stack([p["part"], p["part"] ** 2, p["part"]], axis=1),
    }[LAWS[law]]
    size = (time**2).sum(axis=1)
    scale = 1 + (gradient**2).sum(axis=1).max()
    for name, expected in (
        ("g2", (gradient**2).sum(axis=1)),
        ("delta2", np.stack([(client**2).sum(axis=1)] * 3, axis=1)),
        ("xi2", np.stack([size] * 3, axis=1)),
        ("corr", np.array(kept) * size[:, None]),
        ("noisy2", p["sigma"] ** 2),
        ("lost2", np.repeat((p["lost"] ** 2).sum(axis=1)[:, None], found["lost2"].shape[1], axis=1)),
    ):
        np.testing.assert_allclose(found[name], expected, rtol=1e-9, atol=1e-9 * scale, err_msg=name)


FADING = replace(WORLDS, shapes=tuple(shape for shape in WORLDS.shapes if shape["law"] != 1))
"""Worlds without overlapping rounds, whose correlation does not decrease with their distance."""
ASSUMED = [claim for claim in CLAIMS if claim.scene is FREE]


@pytest.mark.parametrize("claim", ASSUMED, ids=lambda claim: claim.statement.id)
def test_an_assumption_has_worlds_that_meet_it_and_others(claim):
    record = judge(claim, "quick", 0)
    assert record["verdict"] == "assumption"
    details = record["evidence"][0]["details"]
    assert 0 < details["met"] < details["tried"]
    assert {"meets", "does not meet"} <= set(details)


@pytest.mark.parametrize("claim", ASSUMED, ids=lambda claim: claim.statement.id)
def test_worlds_attain_the_constants_that_they_report(claim):
    if claim.statement.id == "cfl.ass2.unbiased":
        noise = quantities(WORLDS, WORLDS.shapes[0], drawn(WORLDS, WORLDS.shapes[0]), {})["nu_mean"]
        assert noise.abs().max() < 1e-12
        return
    scene = FADING if claim.statement.id == "cfl.ass7" else WORLDS
    record = judge(replace(claim, scene=scene, checks=(bound,)), "quick", 0)
    assert record["verdict"] == "unrefuted"
    assert record["tightness"] > 0.9
