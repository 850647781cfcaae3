"""Counterexamples explain their numbers: every parameter and size is a symbol of the paper or has a description."""

from __future__ import annotations

import pytest

from verify.engine.model.scene import Scene
from verify.scenes.cfl import nonconvex, nonconvex_rounds, nonconvex_runs, theorems, turning
from verify.scenes.cfl import round as cfl_round
from verify.scenes.cfl.dents import WITH_DENTS
from verify.scenes.fedmes import correction, descent, learning, matrices, noisy, personal, projection
from verify.scenes.special import (
    algorithms,
    bkt,
    cyclic,
    drift,
    lam,
    line,
    random_order,
    rate,
    rate_round,
    surrogate,
)

SPECIAL = {"K", "M", "N", "E", "t", "T", "d", "eps", "lam", "gamma_G", "gamma_L"}
CFL = {
    "N",
    "K",
    "t",
    "T",
    "d",
    "eta_g",
    "eta_l",
    "returning",
    "A2",
    "B2",
    "D2",
    "G2",
    "R2",
    "H",
    "eps",
    "mu",
    "sigma2",
}
FEDMES = {"n", "s", "d", "lam", "eta_1", "eta_2", "eta_s", "A_s", "M_V"}
SCENES = (
    *((scene, SPECIAL) for scene in (bkt.TRAINING, drift.DRIFT, rate.TASK, rate_round.ROUND, lam.REST)),
    *((scene, SPECIAL) for scene in (lam.TO_AND_FRO, algorithms.ROUND, surrogate.WITHIN)),
    (random_order.ORDERS, SPECIAL | {"s"}),
    (cyclic.CYCLES, SPECIAL | {"s"}),
    (line.LINE, SPECIAL),
    (nonconvex_runs.RUNS, CFL),
    (nonconvex_rounds.SHARED_ROUNDS, CFL | {"eta"}),
    *((scene, CFL) for scene in (cfl_round.ROUND, WITH_DENTS, turning.TURNED, nonconvex.ROUND)),
    *((scene, CFL) for scene in vars(theorems).values() if isinstance(scene, Scene) and scene.told),
    *((scene, FEDMES) for scene in (descent.ASSUMED, matrices.MATRIX, descent.SEVERAL, descent.ONE_STEP)),
    *((scene, FEDMES) for scene in (correction.CORRECTED, correction.REPEATED, learning.AGAIN)),
    *((scene, FEDMES) for scene in (personal.DITTO_ROUND, personal.SEVERAL_DITTO, noisy.NOISY_ROUND)),
    *((scene, FEDMES) for scene in (personal.REMEMBERING, projection.LOSSES)),
)


@pytest.mark.parametrize(("scene", "letters"), SCENES, ids=lambda x: x.name if isinstance(x, Scene) else "")
def test_every_number_is_a_letter_or_explained(scene: Scene, letters: set[str]) -> None:
    named = {name for shape in scene.shapes for name in {**shape, **scene.space(shape)}}
    assert named - letters <= set(scene.told)
