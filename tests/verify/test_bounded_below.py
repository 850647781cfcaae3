"""Nonconvex losses with a minimum: claims may contain the loss above its minimum."""

import numpy as np
import pytest

from nqm.federation import task_loss
from nqm.piecewise import least_mean_loss
from verify import Notes, judge, run, worlds
from verify.quantities import L, eta, gap, gap_0, grad2_mean, grad2_min, loss, loss_0, sigma2, t

DESCENT = run("fedavg", worlds.bounded_below(dim=(1,)), rounds=(1, 2), local_lr="eta")


@pytest.mark.parametrize(
    ("relation", "broken"),
    [
        (gap <= gap_0, False),
        (grad2_min <= 2 * gap_0 / (eta * t), False),
        (gap - gap_0 <= loss - loss_0, False),
        (gap <= gap_0 / 2, True),
        (grad2_min <= gap_0 / (2 * eta * t), True),
    ],
    ids=str,
)
def test_claims_about_the_gap_are_judged(relation, broken):
    notes = Notes("below")
    record = judge(notes.claim("x", relation, eta <= 1 / L, scene=DESCENT), budget="quick")
    assert (record.verdict == "refuted") == broken
    assert record.verdict in ("refuted", "unrefuted", "proved", "proved (cited)")


@pytest.mark.parametrize(
    ("relation", "verdict"),
    [
        (eta * (1 - L * eta / 2) * t * grad2_mean <= gap_0 + t * L * eta**2 / 2 * sigma2, "proved"),
        (grad2_min <= 2 * gap_0 / (eta * t) + eta * L * sigma2, "proved"),
        (grad2_min <= gap_0 / (eta * t) + eta * L * sigma2 / 4, "refuted"),
        (gap >= 0.5 * gap_0, "refuted"),
    ],
    ids=str,
)
def test_every_smooth_loss_has_a_least_value(relation, verdict):
    scene = run("fedavg", worlds.smooth(dim=(1,), noisy=(0, 1)), rounds=(1, 2), local_lr="eta")
    notes = Notes("smooth")
    assert judge(notes.claim("x", relation, eta <= 1 / L, scene=scene), budget="quick").verdict == verdict


def test_a_run_within_the_reach_does_not_see_where_losses_bend():
    family = worlds.smooth(dim=(1,))
    shape = {"M": 1, "d": 1, "noisy": 0}
    values = {
        "largest": np.array([1.0]),
        "share": np.zeros((1, 1, 1, 3)),
        "knot": np.zeros((1, 1, 1)),
        "width": np.ones((1, 1, 1, 1)),
        "reach": np.full((1, 1, 1), 4.0),
    }
    world = family.build(shape, values)
    near, far = np.array([[3.0]]), np.array([[6.0]])
    np.testing.assert_array_equal(task_loss(world, near[None], 0), [[-4.5]])
    np.testing.assert_array_equal(task_loss(world, far[None], 0), [[-17.0]])
    assert least_mean_loss(world) == pytest.approx(-25.0)
