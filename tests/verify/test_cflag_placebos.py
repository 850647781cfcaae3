"""C-FLAG's non-learning baselines: forward is the method itself, still does not move, and uphill reverses the steps."""

from __future__ import annotations

import numpy as np
import pytest

from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Scene, Shape, Values, quantities
from verify.engine.search.sampling import sample
from verify.engine.topics import claim_of
from verify.scenes.cflag.adaptive_rates import PAIR, own_rates
from verify.scenes.cflag.forgetting import ROUND
from verify.scenes.cflag.placebos import OF_PAIR, OF_ROUND, OF_WIDE

QUICK = BUDGETS["quick"]


def values_of(scene: Scene, shape: Shape) -> Values:
    """32 random instances at rates of a tenth of 1/L."""
    drawn = sample(scene.space(shape), np.random.default_rng(0), 32)
    rates = {name: np.full(32, 0.01) for name in scene.steps}
    return quantities(scene, shape, drawn, rates)


@pytest.mark.parametrize("place", [0, 3])
def test_a_server_that_stands_still_leaves_the_loss(place: int) -> None:
    still, climbing = (values_of(scene, scene.shapes[place]) for scene in OF_ROUND)
    np.testing.assert_allclose(still["f_next"], still["f_now"])
    np.testing.assert_array_equal(still["f_now"], climbing["f_now"])
    assert (still["moved2"] == 0).all()
    method = values_of(ROUND, ROUND.shapes[place])
    np.testing.assert_allclose(climbing["along"], -np.asarray(method["along"]))


def test_clients_who_climb_go_against_themselves() -> None:
    shape = OF_WIDE[0].shapes[0]
    still, climbing = (values_of(scene, shape) for scene in OF_WIDE)
    assert (still["s2"] == 0).all()
    assert (still["ds"] == 0).all()
    # With one local step the sum of gradients is that of the method with the opposite sign
    claim = claim_of("cflag.lem4/heterogeneity")
    assert claim is not None
    assert claim.scene is not None
    method = values_of(claim.scene, shape)
    np.testing.assert_allclose(climbing["ds"], -np.asarray(method["ds"]))
    np.testing.assert_allclose(climbing["s2"], method["s2"])


def test_own_rates_the_other_way_round() -> None:
    shape = PAIR.shapes[1]
    given = values_of(PAIR, shape)
    still, climbing = (values_of(scene, shape) for scene in OF_PAIR)
    assert (still["round_w"] == 0).all()
    np.testing.assert_array_equal(climbing["best_T_w"], given["best_T_w"])
    np.testing.assert_allclose(own_rates(shape, given)["round_w"], given["round_w"])
    # L/2 |x|^2 is symmetric; terms linear in x change their sign
    along, against = (np.asarray(found["round_w"]) for found in (given, climbing))
    assert (along + against >= -1e-12).all()


@pytest.mark.parametrize(
    ("id", "fail"),
    [
        ("cflag.lem1/all-steps", 2),
        ("cflag.lem7.worst/transferring", 2),
        ("cflag.lem4/heterogeneity", 1),
        ("fedmes.thm2/noisy", 2),
        ("special.tasks.regret/inexact", 2),
    ],
)
def test_placebos_of_lemmas_fail(id: str, fail: int) -> None:
    claim = claim_of(id)
    assert claim is not None
    (asked,) = (c for c in claim.checks if c.__qualname__.startswith("placebos"))
    finding = asked(claim, QUICK, 0)
    assert finding.verdict is None
    assert len(finding.details["breaks_for"]) == fail
    assert len(finding.details["holds_for"]) == 2 - fail
