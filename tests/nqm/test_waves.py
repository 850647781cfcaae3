"""Sums of waves: gradients against differences of losses, and constants that are attained but never exceeded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqm import fields as f
from nqm.arguments import map_parameters
from nqm.constants import constants, infimum
from nqm.federation import task_grad, total_loss
from nqm.waves import Waves


def waves(rng, n_tasks, n_clients, n_waves, dim):
    shape = (n_tasks, n_clients, n_waves)
    return Waves(rng.normal(size=shape), rng.normal(size=shape), 2 * rng.normal(size=(n_waves, dim)))


def hessians(world, task, x, small=1e-5):
    """Hessians of all clients at points (point, 1, d) by differences of gradients: (point, client, d, d)."""
    steps = small * np.eye(world.dim)
    ahead, behind = (
        np.stack([world.at(task).grad(x + s * step) for step in steps], axis=-2) for s in (1, -1)
    )
    return (ahead - behind) / (2 * small)


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3))
def test_gradients_are_those_of_the_losses(seed, n_waves, dim):
    rng, small = np.random.default_rng(seed), 1e-6
    world, x = waves(rng, 2, 3, n_waves, dim), rng.normal(size=(3, dim))
    for task in range(2):
        oracle = world.at(task)
        for j in range(dim):
            ahead, behind = (oracle.loss(x + sign * small * np.eye(dim)[j]) for sign in (1, -1))
            assert oracle.grad(x)[:, j] == pytest.approx((ahead - behind) / (2 * small), rel=1e-6, abs=1e-7)


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_no_point_exceeds_a_constant(seed, n_clients, n_waves, dim):
    rng = np.random.default_rng(seed)
    world = waves(rng, 3, n_clients, n_waves, dim)
    found, points = constants(world), rng.normal(size=(200, 1, dim)) * 3
    each = np.stack([world.at(task).grad(points) for task in range(3)])  # (task, point, client, d)
    means = np.stack([task_grad(world, points[:, 0], task) for task in range(3)])
    curvatures = np.linalg.eigvalsh(np.stack([hessians(world, task, points) for task in range(3)]))
    least = infimum(world)
    assert np.linalg.norm(each, axis=-1).max() <= found["B"].value * (1 + 1e-12)
    assert ((each - means[:, :, None]) ** 2).sum(axis=-1).max() <= found["sigma_G2"].value * (1 + 1e-12)
    assert ((means[:, None] - means[None]) ** 2).sum(axis=-1).max() <= found["sigma_T2"].value * (1 + 1e-12)
    assert curvatures.max() <= found["L"].value + 1e-6
    assert curvatures.min() >= found["mu"].value - 1e-6
    assert total_loss(world, points[:, 0]).min() >= least.value - 1e-12


def in_phase(even, odd, wave, turn):
    """A point at which each wave's phase is `turn` beyond that of its largest value."""
    return np.linalg.solve(wave, np.arctan2(odd, -even) + turn)


@given(st.integers(0, 10**6))
def test_what_is_called_exact_is_attained(seed):
    """Two independent frequencies in the plane: some point has any two given phases."""
    rng = np.random.default_rng(seed)
    wave = np.array([[2.0, 0.5], [-0.5, 1.0]]) + rng.uniform(-0.2, 0.2, (2, 2))
    world = Waves(*rng.normal(size=(2, 1, 1, 2)), wave)
    even, odd = world.even[0, 0], world.odd[0, 0]
    found, least = constants(world), infimum(world)
    assert {found["L"].known, found["mu"].known, found["B"].known, least.known} == {"exact"}
    bottom = in_phase(even, odd, wave, np.pi)
    assert world.at(0).loss(bottom[None])[0] == pytest.approx(least.value)
    assert np.linalg.eigvalsh(hessians(world, 0, bottom[None, None]))[0, 0, -1] == pytest.approx(
        found["L"].value, rel=1e-6
    )
    top = in_phase(even, odd, wave, 0)
    assert np.linalg.eigvalsh(hessians(world, 0, top[None, None]))[0, 0, 0] == pytest.approx(
        found["mu"].value, rel=1e-6
    )
    steep = [in_phase(even, odd, wave, np.pi / 2 * np.array([1, sign])) for sign in (1, -1)]
    lengths = [np.linalg.norm(world.at(0).grad(x[None])) for x in steep]
    assert max(lengths) == pytest.approx(found["B"].value)


def test_waves_along_one_line_add_up_in_a_bound():
    found = constants(Waves([[[3.0, 0.0]]], [[[0.0, 4.0]]], [[1.0], [2.0]]))
    assert (found["B"].value, found["L"].value, found["mu"].value) == (3 + 8, 3 + 16, -3 - 16)
    assert found["B"].known == "certified"


def test_one_wave_is_known_exactly_in_any_dimension():
    found = constants(Waves([[[3.0]]], [[[4.0]]], [[2.0, 1.0, 2.0]]))
    assert {name: float(found[name].value) for name in ("B", "L", "mu")} == pytest.approx(
        {"B": 15, "L": 45, "mu": -45}
    )
    assert found["L"].known == "exact"


@given(st.integers(0, 10**6), st.integers(1, 2))
def test_intervals_enclose_the_floats(seed, dim):
    rng = np.random.default_rng(seed)
    world, x = waves(rng, 2, 2, 2, dim), rng.normal(size=(2, dim))
    enclosed = map_parameters(world, f.to_interval)
    for name in ("B", "L", "sigma_G2", "sigma_T2"):
        bound = constants(enclosed)[name].value
        assert f.to_float(bound) == pytest.approx(float(constants(world)[name].value), rel=1e-9)
    for part in ("loss", "grad"):
        inside, outside = (getattr(w.at(1), part)(y) for w, y in ((world, x), (enclosed, f.to_interval(x))))
        assert f.to_float(outside) == pytest.approx(inside, rel=1e-9, abs=1e-12)
        assert (f.to_float(f.upper(outside) - f.lower(outside)) < 1e-60).all()


def test_a_fraction_has_no_wave_but_at_rest():
    world = Waves(f.to_exact([[[1]]]), f.to_exact([[[2]]]), f.to_exact([["1/2"]]))
    assert world.at(0).grad(f.to_exact([[0]]))[0, 0] == 1
    with pytest.raises(f.Irrational):
        world.at(0).grad(f.to_exact([[1]]))


@pytest.mark.parametrize(
    ("odd", "wave", "named"),
    [([[1.0]], [[1.0]], "odd"), ([[[1.0]]], [1.0], "wave"), ([[[1.0, 2.0]]], [[1.0]], "wave")],
)
def test_wrong_axes_are_named(odd, wave, named):
    with pytest.raises(ValueError, match=f"`{named}`"):
        Waves(0.0, np.array(odd), np.array(wave))
