"""Drifting quadratics, finite sums, families and kinds of arrays in numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from nqm import drift
from nqm import fields as f
from nqm.constants import infimum
from nqm.drift import Rounds, Source, TiltedQuadratic
from nqm.finite_sum import FiniteSum
from nqm.kinds import INTERVALS
from nqm.quadratic import DiagonalQuadratic, Quadratic
from tests.nqm import families
from tests.nqm.cases import VARIED

RNG = np.random.default_rng(1)
TASKS, CLIENTS, DIM = 2, 3, 2
SHAPE = (TASKS, CLIENTS, DIM)
DIAGONAL = DiagonalQuadratic(RNG.uniform(0.5, 2, SHAPE), RNG.normal(size=SHAPE))


# ------------------------------------------------------------------------------------------------- drift and slopes


def test_minimisers_where_curvature_is_missing() -> None:
    """Along an axis without curvature the slopes cancel, and the centre is as good as any point."""
    curvature = np.array([[[2.0, 0.0], [1.0, 0.0]]])
    tilt = np.array([[[3.0, 0.5], [-1.0, -0.5]]])
    world = TiltedQuadratic(curvature, np.array([0.5, 4.0]), tilt)
    best = world.minimiser()
    np.testing.assert_allclose(best, [0.5 + (3 - 1) / (2 + 1), 4.0])
    np.testing.assert_allclose(world.grad(np.broadcast_to(best, (2, 2)), 0).mean(0), 0, atol=1e-15)
    assert infimum(world).value == pytest.approx(1.5 * (2 / 3) ** 2 / 2 - 2 / 3)
    lowest, highest = world.curvature_range(None)
    assert lowest.value.tolist() == [[0, 0]]
    assert highest.value.tolist() == [[2, 1]]
    with pytest.raises(ValueError, match="`curvature` must be >= 0"):
        TiltedQuadratic(-curvature, np.zeros(2), tilt)
    some = TiltedQuadratic(np.ones((3, 1, 1)), np.zeros(1), np.array([[[1.0]], [[2.0]], [[6.0]]]))
    assert some.minimiser([0, 2]).tolist() == [3.5]


def rounds(**changes: Any) -> Rounds:
    numbers: dict[str, Any] = {
        "curvature": np.array([0.5, 2.0]),
        "start": np.array([0.0, 1.5]),
        "local_lr": np.array(0.1),
        "global_lr": np.array(0.7),
        "local_steps": 3,
        "n_clients": 2,
        "weights": np.array([[1.0, 0, 0], [0.3, 0.7, 0], [0.2, 0.3, 0.5]]),
        "loss": RNG.normal(size=(3, 3, 2)),
        "noise": np.array([0.4, 0.9]),
    }
    return Rounds(**{**numbers, **changes})


def test_rounds_of_drifting_quadratics_in_numbers() -> None:
    """For each axis and each source of a round: the model is linear in the events of each source."""
    R = rounds()
    law = drift.gradual(3, 0.6)
    sources = [Source(law.correlation, np.array([0.3, 0.8])), Source(np.eye(3), np.array([1.1, 0.2]))]
    back, new = R.of_returning_clients(sources), R.of_new_clients(sources)
    for j in range(2):
        q = 1 - 0.1 * R.curvature[j]
        decay, reach = 1 - 0.7 * (1 - q**3), 0.7 * 0.1 * (1 + q + q**2)
        stir = (0.7 * 0.1) ** 2 * (1 + q**2 + q**4) * R.noise[j] / 2
        assert R.decay[j] == pytest.approx(decay)
        assert R.reach[j] == pytest.approx(reach)
        mean, share, stirred, fresh = R.start[j], np.zeros(3), 0.0, 0.0
        for t in range(3):
            mean = decay * mean + reach * sum(R.weights[t, tau] * R.loss[t, tau, j] for tau in range(t))
            share = decay * share + reach * R.weights[t]
            stirred = decay**2 * stirred + stir
            spread = sum(
                R.weights[t] @ np.asarray(s.correlation, float) @ R.weights[t] * s.variance[j]
                for s in sources
            )
            fresh = decay**2 * fresh + reach**2 * spread / 2 + stir
            acted = sum(share @ np.asarray(s.correlation, float) @ share * s.variance[j] for s in sources)
            assert back.variance[t + 1, j] == pytest.approx(acted / 2 + stirred)
            assert new.variance[t + 1, j] == pytest.approx(fresh)
            assert back.mean[t + 1, j] == new.mean[t + 1, j] == pytest.approx(mean)
    np.testing.assert_allclose(back.second_moment, (back.mean**2 + back.variance).sum(-1))
    everyone = R.of_sampled_clients(sources, 2)
    np.testing.assert_allclose(everyone.variance, back.variance)
    some = R.of_sampled_clients(sources, 5)
    np.testing.assert_allclose(some.variance, 0.4 * back.variance + 0.6 * new.variance)


def test_laws_of_signs_in_numbers() -> None:
    half = Fraction(1, 2)
    assert drift.persistent(2).signs.tolist() == [[1, 1], [-1, -1]]
    assert drift.persistent(2).chances.tolist() == [half, half]
    law = drift.overlapping(2, Fraction(1, 3))
    assert dict(zip(map(tuple, law.signs.tolist()), law.chances, strict=True)) == {
        (1, 1): Fraction(1, 3), (-1, -1): Fraction(1, 3), (1, -1): Fraction(1, 6), (-1, 1): Fraction(1, 6),
    }  # fmt: skip
    law = drift.gradual(2, Fraction(1, 3))
    assert dict(zip(map(tuple, law.signs.tolist()), law.chances, strict=True)) == {
        (1, 1): Fraction(1, 3), (-1, -1): Fraction(1, 3), (1, -1): Fraction(1, 6), (-1, 1): Fraction(1, 6),
    }  # fmt: skip
    assert drift.gradual(2, 1).chances.tolist() == [half, 0, 0, half]
    assert drift.gradual(2, 0.5).chances.dtype == float
    signs, chances = drift.joint_signs([drift.persistent(1), drift.overlapping(2, 0)])
    assert [part.shape for part in signs] == [(8, 1), (8, 2)]
    assert chances[0].tolist() == [half] * 8
    assert signs[0][:, 0].tolist() == [1] * 4 + [-1] * 4


# ---------------------------------------------------------------------------------------------- sums and quadratics


def test_curvature_of_samples_with_more_axes_than_clients() -> None:
    samples = DiagonalQuadratic(RNG.uniform(0.5, 2, (1, 2, 3)), np.zeros((1, 2, 3)))
    world = FiniteSum(samples, 1)
    found = world.at(0).curvature(RNG.normal(size=(4, 1, 3)))
    np.testing.assert_allclose(found, np.broadcast_to(samples.curvature[0].mean(0), (4, 1, 3)))


@pytest.mark.parametrize(
    ("n_clients", "batch", "message"),
    [(0, 1, "`n_clients` must divide"), (1, 0, "`batch` must be at least 1")],
)
def test_sums_need_clients_and_samples(n_clients: int, batch: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FiniteSum(DIAGONAL, n_clients, batch)


def test_minibatches_of_data_and_memory_have_their_own_columns() -> None:
    world = FiniteSum(DIAGONAL, 1, 2)
    x, u = RNG.normal(size=(1, 1, 2)), np.array([[[0, 2, 1, 0]]])
    each = world.at(1).components(x)[0, 0]
    np.testing.assert_allclose(world.at(1).stochastic_grad(x, u)[0, 0], (each[0] + each[2]) / 2)
    kept = np.array([[3 + 2, 3 + 1]])
    np.testing.assert_allclose(world.over(kept).stochastic_grad(x, u)[0, 0], (each[1] + each[2]) / 2)
    assert world.at(1).n_components.tolist() == [3]
    assert world.over(np.array([[4, -1, 5]])).sizes.tolist() == [2]
    teacher = x + 1
    taught = world.at(1).taught_grad(x, u, 0.5, [(2.0, teacher)])
    at = world.at(1).stochastic_grad
    np.testing.assert_allclose(taught, 0.5 * at(x, u) + 2 * (at(x, u) - at(teacher, u)))


def test_the_least_loss_of_an_interval_whose_minimiser_cannot_be_enclosed() -> None:
    """A curvature that may be 0: no loss is negative, and no more is known."""
    wide = np.empty((1, 1, 1), dtype=object)
    wide[0, 0, 0] = INTERVALS.mpf([0, 1])
    world = Quadratic(wide[..., None], f.to_interval(np.ones((1, 1, 1))))
    found = infimum(world)
    assert found.known == "certified"
    assert f.upper(found.value) == 0


def test_quadratics_must_fit() -> None:
    for curvature, centre, message in (
        (np.eye(2), np.zeros((1, 1, 2)), r"`curvature` must have shape \(..., task, client, dim, dim\)"),
        (np.ones((1, 1, 2, 3)), np.zeros((1, 1, 2)), r"`curvature` must have shape"),
        (np.eye(2)[None, None], np.zeros((1, 1, 3)), "`centre` must have dim|must broadcast"),
        (np.eye(2)[None, None], np.zeros(2), None),
    ):
        if message is None:
            assert Quadratic(curvature, centre).shape == (1, 1, 2)
            continue
        with pytest.raises(ValueError, match=message):
            Quadratic(curvature, centre)
    with pytest.raises(ValueError, match=r"must broadcast to \(..., task, client, dim\)"):
        DiagonalQuadratic(np.ones(2), np.zeros((1, 2)))


@pytest.mark.parametrize(
    ("family", "numbers"),
    [
        (families.shared_quadratics, {"convexity": 0.1, "smoothness": 1.0, "spread": 1.0}),
        (families.varied_quadratics, {"convexity": 0.1, "smoothness": 1.0, "spread": 1.0}),
        (families.linear_worlds, {"spread": 1.0}),
        *((worlds, {"heights": (0.5, 2.0), "widths": (0.5, 2.0), "spread": 1.0}) for worlds in VARIED),
    ],
)
def test_numbers_of_families(family: Any, numbers: dict[str, Any]) -> None:
    """Their defaults, and the effect of each."""

    def made(**changes: Any) -> list[np.ndarray]:
        world = family(np.random.default_rng(3), (2,), *SHAPE, **changes)
        return [part for name, part in vars(world).items() if name != "noise"]

    plain = made()
    assert all((a == b).all() for a, b in zip(plain, made(**numbers), strict=True))
    assert family(np.random.default_rng(3), (2,), *SHAPE).noise.sigma == 0
    for name, value in numbers.items():
        other = made(**{name: (value[0], 3.0) if isinstance(value, tuple) else 0.5 * value})
        assert any((a != b).any() for a, b in zip(plain, other, strict=True))
    twice = made(spread=2.0)
    np.testing.assert_allclose(twice[-1], 2 * plain[-1])


def test_tasks_along_the_first_axis() -> None:
    aligned, opposed = families.aligned_tasks(3, 2, 2), families.opposed_tasks(3, 2, 2, distance=0.5)
    assert aligned.centre.tolist() == [[[place, 0]] * 2 for place in (1, 2, 3)]
    assert opposed.centre.tolist() == [[[place, 0]] * 2 for place in (0.5, -0.5, 0.5)]
    assert (aligned.curvature == 1).all()
    assert families.opposed_tasks(1, 1, 1).centre.item() == 1
    hessians = families.varied_quadratics(
        np.random.default_rng(0), (50,), 1, 1, 2, convexity=0.3, smoothness=0.4
    )
    values = np.linalg.eigvalsh(hessians.hessian)
    assert 0.3 <= values.min() < 0.31
    assert 0.39 < values.max() <= 0.4


# ------------------------------------------------------------------------------------------------- kinds of arrays


def test_numbers_take_the_kind_of_what_they_meet() -> None:
    for reference, values, dtype in (
        (np.zeros(1, np.float32), [1, 2], np.float32),
        (np.zeros(1, np.float32), np.array([0.5]), np.float32),
        (np.zeros(1, int), [1, 2], int),
        (np.zeros(1, int), np.array([0.5]), float),
        (np.zeros(1, int), f.to_exact([Fraction(1, 2)]), float),
        (np.zeros(1), f.to_exact([Fraction(1, 2)]), float),
    ):
        assert f.like(reference, values).dtype == dtype
    exact = f.like(f.to_exact([Fraction(1, 3)]), np.array([1, 2]))
    assert [type(value) for value in exact] == [Fraction, Fraction]
    with pytest.raises(TypeError, match="they are floats"):
        f.like(f.to_exact([1]), np.array([0.5]))
    assert f.like(torch.zeros(1, dtype=torch.float32), f.to_exact([Fraction(1, 2)])).dtype == torch.float32


def test_logarithms_of_cosh_near_one_and_far_away() -> None:
    x = np.array([-800.0, -1.0, -0.999, 1e-9, 1.0, 1.001, 800.0])
    expected = np.abs(x) + np.log1p(np.exp(-2 * np.abs(x))) - np.log(2)
    expected[3] = 0.5e-18
    np.testing.assert_allclose(f.logcosh(x), expected, rtol=1e-14)
    np.testing.assert_allclose(f.logcosh(torch.tensor(x)).numpy(), expected, rtol=1e-14)
    assert f.logcosh(x.astype(np.float32)).dtype == np.float32


def test_roots_of_fractions() -> None:
    assert f.power(f.to_exact([Fraction(8, 27)]), Fraction(2, 3)).tolist() == [Fraction(4, 9)]
    assert f.power(f.to_exact([Fraction(4, 9)]), Fraction(-1, 2)).tolist() == [Fraction(3, 2)]
    with np.errstate(all="ignore"):
        assert np.isnan(f.power(-2.0, Fraction(1, 2)))
        assert np.isinf(f.power(0.0, Fraction(-1, 2)))
    with pytest.raises(ValueError, match=r"The root of a negative number was asked for: -4"):
        f.sqrt(f.to_exact([-4]))
    with pytest.raises(f.Irrational, match=r"1/2 \*\* \(1/2\) is irrational"):
        f.sqrt(f.to_exact([Fraction(1, 2)]))
    with pytest.raises(f.Irrational, match=r"2/9 \*\* \(1/2\)"):
        f.sqrt(f.to_exact([Fraction(2, 9)]))
    with pytest.raises(f.Irrational, match=r"exp\(1\) is irrational"):
        f.exp(f.to_exact([1]))
    long = Fraction(10**40 + 1, 3)
    with pytest.raises(f.Irrational, match=r"about 3.33333e\+39"):
        f.log(f.to_exact([long]))
    for function, point, value in ((f.exp, 0, 1), (f.log, 1, 0), (f.tanh, 0, 0), (f.logcosh, 0, 0)):
        assert function(f.to_exact([point])).tolist() == [value]
