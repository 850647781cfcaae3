"""Constants of worlds in numbers: formulas term by term, evidence and region, and errors."""

from __future__ import annotations

from math import log, sqrt, tanh
from typing import Any

import numpy as np
import pytest

from nqm.arguments import map_parameters
from nqm.bounded import Linear, LogCosh, PseudoHuber
from nqm.constants import constants, infimum
from nqm.drift import TiltedQuadratic
from nqm.known import Ball, Unbounded
from nqm.noise import Axis, Gaussian, Rademacher, Sphere
from nqm.piecewise import PiecewiseQuadratic
from nqm.quadratic import DiagonalQuadratic
from nqm.wells import Well
from tests.nqm import families

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
SPREADS = ("B", "sigma_G2", "sigma_T2")
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
    """Halfway between the centres of two clients, or of two tasks with one client each; on all of R^d only."""
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
    """Bound of the difference of two gradients: different heights, widths and centres."""
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
    """With clients of every run, of all runs, and all clients; with any leading axes."""
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


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("region", [None, BALL], ids=["everywhere", "ball"])
def test_a_table_of_worlds_has_the_constants_of_each(name: str, region: Any) -> None:
    """Four worlds in two rows, each with its own parameters."""
    times = np.array([[1.0, 1.25], [0.8, 1.5]])
    table = map_parameters(WORLDS[name], lambda p: np.multiply.outer(times, p) if p.ndim else p)
    for which in (
        "L",
        "mu",
        "sigma_L2",
        *(() if region is None and name in EXACT_IN_A_BALL[1:] else SPREADS),
    ):
        found = np.broadcast_to(constants(table, region)[which].value, times.shape)
        for index in np.ndindex(*times.shape):
            one = map_parameters(table, lambda p, index=index: p[index] if p.ndim else p)
            assert found[index] == pytest.approx(constants(one, region)[which].value, rel=1e-9), which


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
    """`B` is infinite if an outer piece is curved, on either side and with either sign.

    `sigma_G2` and `sigma_T2` are infinite only if outer pieces differ between clients or tasks.
    """
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
