"""What worlds know, in numbers: values by their formulas term by term, how each is known and where, and what they refuse."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt, tanh
from typing import Any

import numpy as np
import pytest
import torch

from nqm import drift, families
from nqm import fields as f
from nqm.arguments import map_parameters
from nqm.bounded import Linear, LogCosh, PseudoHuber
from nqm.constants import constants, infimum
from nqm.drift import Rounds, Source, TiltedQuadratic
from nqm.finite_sum import FiniteSum
from nqm.kinds import INTERVALS
from nqm.known import Ball, Unbounded
from nqm.noise import Axis, Gaussian, Rademacher, Sphere
from nqm.piecewise import PiecewiseQuadratic
from nqm.quadratic import DiagonalQuadratic, Quadratic
from nqm.wells import Well

RNG = np.random.default_rng(0)
TASKS, CLIENTS, DIM = 2, 3, 2
SHAPE = (TASKS, CLIENTS, DIM)
BALL = Ball(np.array([0.4, -0.6]), 0.9)
HEIGHT, WIDTH, CENTRE = RNG.uniform(0.5, 2, SHAPE[:2]), RNG.uniform(0.5, 2, SHAPE[:2]), RNG.normal(size=SHAPE)


def piecewise(**changes: Any) -> PiecewiseQuadratic:
    curvature = RNG.uniform(0.2, 2, (*SHAPE, 4))
    curvature[..., [0, -1]] = 0
    parts = {
        "tilt": RNG.normal(size=SHAPE),
        "curvature": curvature,
        "knots": np.sort(RNG.normal(size=(*SHAPE, 3))),
    }
    return PiecewiseQuadratic(**{**parts, **changes})


WORLDS: dict[str, Any] = {
    "linear": Linear(CENTRE),
    "logcosh": LogCosh(HEIGHT, WIDTH, CENTRE),
    "huber": PseudoHuber(HEIGHT, WIDTH, CENTRE),
    "well": Well(HEIGHT, WIDTH, CENTRE),
    "piecewise": piecewise(),
    "diagonal": DiagonalQuadratic(RNG.uniform(0.5, 2, SHAPE), CENTRE),
    "tilted": TiltedQuadratic(RNG.uniform(0.5, 2, SHAPE), CENTRE[0, 0], RNG.normal(size=SHAPE)),
    "quadratic": families.varied_quadratics(RNG, (), *SHAPE),
}
EXACT_IN_A_BALL = ("linear", "diagonal", "tilted", "quadratic")


# ------------------------------------------------------------------------------------------- how it is known, where


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("region", [None, BALL], ids=["everywhere", "ball"])
def test_how_constants_are_known_and_where(name: str, region: Any) -> None:
    found = constants(WORLDS[name], region)
    bounded = name in ("logcosh", "huber")
    for constant in ("L", "mu"):
        exact = region is None or name in EXACT_IN_A_BALL or bounded
        assert found[constant].known == ("exact" if exact else "certified")
        assert found[constant].where is (BALL if region and name != "piecewise" else found[constant].where)
        assert (found[constant].where == "R^d") == (region is None or name == "piecewise")
    if region is None and name in EXACT_IN_A_BALL[1:]:
        for constant in ("B", "sigma_G2", "sigma_T2"):
            with pytest.raises(Unbounded, match=f"`{constant}` is infinite"):
                found[constant]
        return
    exact = {
        "B": name in (*EXACT_IN_A_BALL, "piecewise", "huber") or region is None,
        "sigma_G2": name in (*EXACT_IN_A_BALL, "piecewise"),
    }
    for constant in ("B", "sigma_G2", "sigma_T2"):
        known = exact["B" if constant == "B" else "sigma_G2"]
        assert found[constant].known == ("exact" if known else "certified"), constant
        assert (found[constant].where == "R^d") == (region is None or name == "piecewise")
    assert found["sigma_L2"].known == "exact"
    assert (found["sigma_L2"].where == "R^d") == (region is None)


@pytest.mark.parametrize(
    ("noise", "dim", "known"),
    [
        (Rademacher(0.0), 2, "exact"),
        (Rademacher(0.5), 2, "certified"),
        (Rademacher(0.5), 1, "exact"),
        (Sphere(0.5), 2, "exact"),
        (Axis(0.5), 2, "certified"),
    ],
)
def test_a_gradient_bound_is_exact_where_noise_may_point_along_it(noise: Any, dim: int, known: str) -> None:
    slope = np.ones((1, 2, dim)) * [[[1.0], [3.0]]]
    found = constants(Linear(slope, noise))["B"]
    assert found.known == known
    assert found.value == pytest.approx(3 * sqrt(dim) + float(noise.sigma))


def test_noise_of_clients_and_of_all() -> None:
    sigma = np.array([[0.1, 0.7, 0.2], [0.4, 0.3, 0.5]])
    assert constants(Linear(CENTRE, Gaussian(sigma)))["sigma_L2"].value == pytest.approx(0.49)
    assert constants(Linear(CENTRE, Gaussian(0.5)))["sigma_L2"].value == 0.25
    slopes = np.linalg.norm(CENTRE, axis=-1) + sigma
    assert constants(Linear(CENTRE, Sphere(sigma)))["B"].value == pytest.approx(slopes.max())


@pytest.mark.parametrize("make", [LogCosh, PseudoHuber])
@pytest.mark.parametrize(("clients", "tasks"), [(1, 2), (2, 1), (3, 1), (2, 2)])
def test_spreads_of_equal_losses_are_attained(make: Any, clients: int, tasks: int) -> None:
    """Halfway between the centres of two clients, or of two tasks of one client each, on all of R^d alone."""
    world = make(1.5, 0.5, RNG.normal(size=(tasks, clients, 2)))
    found = constants(world)
    assert found["sigma_G2"].known == ("exact" if clients <= 2 else "certified")
    assert found["sigma_T2"].known == ("exact" if clients == 1 else "certified")
    inside = constants(world, BALL)
    assert inside["sigma_G2"].known == inside["sigma_T2"].known == "certified"
    wider = make(1.5, np.array([[0.5, 0.6]]), RNG.normal(size=(1, 2, 2)))
    assert constants(wider)["sigma_G2"].known == "certified"
    later = make(np.array([[1.5], [1.4]]), 0.5, RNG.normal(size=(2, 1, 2)))
    assert constants(later)["sigma_T2"].known == "certified"


# -------------------------------------------------------------------------------------------------- their formulas


def gap(name: str, h: tuple[float, float], w: tuple[float, float], shift: Any) -> float:
    """Bound of the difference of two gradients: another height, another width, another centre."""
    wide = max(w)
    if name == "logcosh":
        moved, steepest = 2 * tanh(abs(shift) / (2 * wide)), 0.447744
    else:
        distance = np.linalg.norm(shift)
        moved, steepest = 2 * distance / sqrt(4 * wide**2 + distance**2), 0.384901
    stepwise = abs(h[0] - h[1]) + min(h) * (moved + steepest * abs(log(w[0] / w[1])))
    return min(stepwise, sum(h))


@pytest.mark.parametrize("name", ["logcosh", "huber"])
def test_spreads_of_bounded_losses_are_means_of_gaps(name: str) -> None:
    def apart(a: tuple[int, int], b: tuple[int, int]) -> np.ndarray:
        pairs = (HEIGHT[a], HEIGHT[b]), (WIDTH[a], WIDTH[b])
        if name == "huber":
            return np.array([gap(name, *pairs, CENTRE[a] - CENTRE[b])])
        return np.array([gap(name, *pairs, shift) for shift in CENTRE[a] - CENTRE[b]])

    of_clients = [
        (np.mean([apart((i, m), (i, n)) for n in range(CLIENTS)], axis=0) ** 2).sum()
        for i, m in np.ndindex(TASKS, CLIENTS)
    ]
    of_tasks = [
        (np.mean([apart((i, m), (j, m)) for m in range(CLIENTS)], axis=0) ** 2).sum()
        for i, j in np.ndindex(TASKS, TASKS)
    ]
    found = constants(WORLDS[name])
    assert found["sigma_G2"].value == pytest.approx(max(of_clients), rel=1e-12)
    assert found["sigma_T2"].value == pytest.approx(max(of_tasks), rel=1e-12)


def test_ends_of_bounded_losses_in_a_ball() -> None:
    distance = np.linalg.norm(BALL.centre - CENTRE, axis=-1)
    near, far = np.maximum(distance - 0.9, 0), distance + 0.9
    s, t = near / WIDTH, far / WIDTH
    top = HEIGHT / WIDTH
    huber = constants(WORLDS["huber"], BALL)
    assert huber["B"].value == pytest.approx((HEIGHT * t / np.sqrt(1 + t**2)).max())
    assert huber["L"].value == pytest.approx((top * (1 + s**2) ** -0.5).max())
    assert huber["mu"].value == pytest.approx((top * (1 + t**2) ** -1.5).min())
    each = np.abs(BALL.centre - CENTRE)
    low, high = np.maximum(each - 0.9, 0) / WIDTH[..., None], (each + 0.9) / WIDTH[..., None]
    logcosh = constants(WORLDS["logcosh"], BALL)
    assert logcosh["B"].value == pytest.approx((HEIGHT * np.linalg.norm(np.tanh(high), axis=-1)).max())
    assert logcosh["L"].value == pytest.approx((top / np.cosh(low.min(-1)) ** 2).max())
    assert logcosh["mu"].value == pytest.approx((top / np.cosh(high.max(-1)) ** 2).min())
    assert constants(WORLDS["logcosh"])["B"].value == pytest.approx(HEIGHT.max() * sqrt(2))
    assert constants(WORLDS["huber"])["B"].value == HEIGHT.max()
    alone = PseudoHuber(1.3, 0.7, np.zeros((1, 1, 1)))
    at = constants(alone, Ball(np.array([2.0]), 0.5))
    assert at["L"].value == pytest.approx(1.3 / 0.7 * (1 + (1.5 / 0.7) ** 2) ** -1.5)


def test_wells_by_their_formulas() -> None:
    steepest = 3 * sqrt(3) / 16 * HEIGHT
    found = constants(WORLDS["well"])
    assert found["B"].value == pytest.approx(steepest.max())
    gaps = [(CLIENTS - 2) * steepest[i, m] + steepest[i].sum() for i, m in np.ndindex(TASKS, CLIENTS)]
    assert found["sigma_G2"].value == pytest.approx((max(gaps) / CLIENTS) ** 2)
    assert found["sigma_T2"].value == pytest.approx(4 * (steepest.mean(-1) ** 2).max())
    assert found["L"].value == pytest.approx((HEIGHT / WIDTH).max())
    assert found["mu"].value == pytest.approx(-(HEIGHT / WIDTH).max() / 4)
    assert infimum(WORLDS["well"]).known == "certified"
    assert infimum(WORLDS["well"]).value == 0


def test_linear_losses() -> None:
    found, mean = constants(WORLDS["linear"]), CENTRE.mean(1)
    assert found["L"].value == found["mu"].value == 0
    assert found["sigma_G2"].value == pytest.approx(((CENTRE - mean[:, None]) ** 2).sum(-1).max())
    assert found["sigma_T2"].value == pytest.approx(((mean[0] - mean[1]) ** 2).sum())


# ------------------------------------------------------------------------------------------------ axes and refusals


@pytest.mark.parametrize("name", WORLDS)
def test_losses_and_gradients_of_many_points_are_those_of_each(name: str) -> None:
    """With clients of every run, of all runs, and all clients; and any axes before."""
    world, x = WORLDS[name], RNG.normal(size=(4, 5, CLIENTS, DIM))
    who = np.array([RNG.permutation(CLIENTS) for _ in range(5)])
    for clients in (None, np.array([2, 0, 1]), who):
        losses, slopes = world.loss(x, 1, clients), world.grad(x, 1, clients)
        assert losses.shape == x.shape[:-1]
        for s, run, slot in np.ndindex(*x.shape[:-1]):
            client = slot if clients is None else (clients[run, slot] if clients.ndim == 2 else clients[slot])
            one = x[s, run, slot][None]
            assert losses[s, run, slot] == pytest.approx(world.loss(one, 1, np.array([client]))[0])
            np.testing.assert_allclose(slopes[s, run, slot], world.grad(one, 1, np.array([client]))[0])


@pytest.mark.parametrize("name", ["piecewise", "tilted", "well", "linear", "logcosh", "huber"])
def test_a_batch_of_worlds_is_each_of_them(name: str) -> None:
    one = WORLDS[name]
    both = map_parameters(one, lambda p: np.stack([p, 2 * p]) if p.ndim else p)
    x = RNG.normal(size=(2, 5, CLIENTS, DIM))
    for number in (0, 1):
        single = map_parameters(both, lambda p, number=number: p[number] if p.ndim else p)
        np.testing.assert_allclose(both.loss(x, 1)[number], single.loss(x[number], 1))
        np.testing.assert_allclose(both.grad(x, 1)[number], single.grad(x[number], 1))
        for constant in ("L", "mu", "sigma_L2", *(() if name == "tilted" else ("B", "sigma_G2", "sigma_T2"))):
            found = np.broadcast_to(constants(both)[constant].value, (2,))[number]
            assert found == pytest.approx(constants(single)[constant].value), constant


def test_what_grows_on_an_outer_piece() -> None:
    """On either side, whatever its sign; differences alone where all clients or tasks have the same."""
    for place, value in ((0, 1.0), (0, -1.0), (-1, 1.0), (-1, -1.0)):
        curvature = np.zeros((*SHAPE, 3))
        curvature[..., place] = value
        world = piecewise(curvature=curvature, knots=np.zeros((*SHAPE, 2)))
        with pytest.raises(Unbounded, match="`B` is infinite"):
            constants(world)["B"]
        assert constants(world)["sigma_G2"].value > 0
        assert constants(world)["sigma_T2"].value > 0
        curvature[0, 0, :, place] *= 3
        changed = piecewise(curvature=curvature, knots=np.zeros((*SHAPE, 2)))
        for constant in ("sigma_G2", "sigma_T2"):
            with pytest.raises(Unbounded, match=f"`{constant}` is infinite"):
                constants(changed)[constant]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tilt": np.zeros((3, 2))}, r"`tilt` must have axes \(..., task, client, dim\), got shape \(3, 2\)"),
        ({"curvature": np.zeros((2, 4, 2, 4))}, "`curvature` must broadcast to"),
        ({"knots": np.zeros((*SHAPE, 2))}, "`knots` must broadcast to"),
        ({"tilt": np.full(SHAPE, np.nan)}, "`tilt` must be finite"),
    ],
)
def test_bad_pieces(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        piecewise(**changes)


def test_the_least_loss_of_pieces_is_known_where_tilts_cancel() -> None:
    tilt = np.zeros(SHAPE)
    tilt[:, 0], tilt[:, 1] = 1, -1
    assert infimum(piecewise(tilt=tilt)).value == 0
    assert infimum(piecewise(tilt=np.stack([tilt[0] + 1, tilt[0] - 1]))).value == 0
    for world in (piecewise(tilt=tilt + 1), piecewise(tilt=tilt, curvature=-np.ones((*SHAPE, 4)))):
        with pytest.raises(Unbounded, match="least loss"):
            infimum(world)


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
    """Axis by axis, through all sources of a round: the model is linear in what happened in each of them."""
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
        FiniteSum(WORLDS["diagonal"], n_clients, batch)


def test_minibatches_of_data_and_memory_have_their_own_columns() -> None:
    world = FiniteSum(WORLDS["diagonal"], 1, 2)
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
        (families.logcosh_worlds, {"heights": (0.5, 2.0), "widths": (0.5, 2.0), "spread": 1.0}),
        (families.huber_worlds, {"heights": (0.5, 2.0), "widths": (0.5, 2.0), "spread": 1.0}),
    ],
)
def test_numbers_of_families(family: Any, numbers: dict[str, Any]) -> None:
    """What they are where nothing is said, and that each has a say of its own."""

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
