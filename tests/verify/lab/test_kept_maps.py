"""Maps of rounds are computed once for a world and a method, and again if anything on which they depend changes."""

import numpy as np
import pytest

from algorithms.fedavg import fedavg
from algorithms.special import special
from nqm.noise import Gaussian
from nqm.quadratic import Quadratic
from verify.lab import kept_maps
from verify.lab.moments import moments


@pytest.fixture
def probed(monkeypatch):
    """The number of times a map is computed."""
    kept_maps._KEPT.clear()
    calls = []
    probe = kept_maps.affine_round
    monkeypatch.setattr(kept_maps, "affine_round", lambda *a: calls.append(a) or probe(*a))
    yield calls
    kept_maps._KEPT.clear()


def world(seed=0):
    rng = np.random.default_rng(seed)
    root, centre = rng.normal(size=(2, 3, 2, 2)), rng.normal(size=(2, 3, 2))
    return Quadratic(root @ root.swapaxes(-1, -2) / 2, centre, Gaussian(0.5))


def run(a_world, method, start=0.0, **sizes):
    given = {"rounds": 3, "n_sampled": 2, "local_steps": 2, **sizes}
    return moments(a_world, method, theta0=np.full(2, start), **given)


def test_a_second_run_probes_nothing_and_gives_the_same(probed):
    one, method = world(), special(0.05, 1, 0.1)
    first, second = run(one, method, tasks=2), run(one, method, tasks=2)
    assert len(probed) == 2
    np.testing.assert_array_equal(first.mean, second.mean)
    np.testing.assert_array_equal(first.cov, second.cov)


def test_other_rounds_and_starts_use_the_same_map(probed):
    one, method = world(), fedavg(0.05)
    run(one, method)
    run(one, method, rounds=7)
    run(one, method, start=1.0)
    assert len(probed) == 1


def test_an_anchor_is_part_of_the_map(probed):
    one, method = world(), special(0.05, 1, 0.1)
    run(one, method)
    found = run(one, method, start=1.0)
    assert len(probed) == 2
    np.testing.assert_allclose(found.cov, run(one, special(0.05, 1, 0.1), start=1.0).cov)


@pytest.mark.parametrize("sizes", [{"n_sampled": 1}, {"local_steps": 3}])
def test_other_sizes_are_probed(probed, sizes):
    one, method = world(), fedavg(0.05)
    run(one, method)
    run(one, method, **sizes)
    assert len(probed) == 2


def test_a_changed_world_is_probed_again(probed):
    one, method = world(), fedavg(0.05)
    before = run(one, method).mean.copy()
    one.centre[...] += 1
    after = run(one, method)
    assert len(probed) == 2
    np.testing.assert_array_equal(after.mean, run(world_with(one.centre), method).mean)
    assert not np.allclose(before, after.mean)


def world_with(centre):
    one = world()
    return Quadratic(one.curvature, centre.copy(), Gaussian(0.5))


def test_few_maps_are_kept(probed):
    one = world()
    for step in range(2 * kept_maps.MOST):
        run(one, fedavg(0.01 + 0.001 * step))
    assert len(kept_maps._KEPT) == kept_maps.MOST
