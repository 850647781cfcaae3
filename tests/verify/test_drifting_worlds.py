"""The baselines of CFL in its time-evolving worlds: exact moments equal those of all outcomes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from algorithms.algorithm import Algorithm
from algorithms.draws import enumerate_draws, expectation
from algorithms.fedavg import fedavg
from algorithms.fedprox import fedprox
from algorithms.mimelite import mimelite
from algorithms.scaffold import scaffold, scaffold_full_gradients
from algorithms.simulate import trajectory
from nqm.drift import TiltedQuadratic
from nqm.fields import to_exact
from nqm.noise import Rademacher, atoms
from verify.lab.moments import moments

LR, ROUNDS, CLIENTS = Fraction(1, 4), 3, 2
METHODS = (
    fedavg(LR),
    fedprox(LR, Fraction(1, 2)),
    mimelite(LR, Fraction(1, 2)),
    scaffold(LR, 1, CLIENTS),
    scaffold_full_gradients(LR, 1, CLIENTS),
)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_moments_of_baselines_where_every_round_brings_new_losses(method: Algorithm) -> None:
    tilt = to_exact([[[1], [-2]], [[0], [3]], [[-1], [1]]])
    curvature = to_exact([[[1], [2]]] * ROUNDS)
    world = TiltedQuadratic(curvature, to_exact([0]), tilt, Rademacher(to_exact(Fraction(1, 2))))
    outcomes, chances = atoms("rademacher", 1)
    draws = enumerate_draws(CLIENTS, 1, 1, 1, outcomes, chances, rounds=1, tasks=ROUNDS)
    path = trajectory(world, method, draws, to_exact([3]), 1, ROUNDS)[:, -1, :, 0]
    mean = expectation(draws, path, axis=-1)
    variance = expectation(draws, (path - mean[:, None]) ** 2, axis=-1)
    found = moments(world, method, theta0=to_exact([3]), rounds=1, n_sampled=1, local_steps=1, tasks=ROUNDS)
    assert (found.mean[:, -1, 0] == mean).all()
    assert (found.cov[:, -1, 0, 0] == variance).all()
    assert np.all(variance > 0)
