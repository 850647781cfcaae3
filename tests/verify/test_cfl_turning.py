"""One round of CFL with an information loss that differs between models: the violated relation, by hand and in scenes."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch

from bounds.catalogue import statement
from tests.verify.judging import drawn
from verify.cfl_round import CLAIMS
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.verdict import Verdict
from verify.scenes.cfl.round import ROUND
from verify.scenes.cfl.turning import PUSHED, PUSHING, TURNED, TURNING, pushing_build, turning_build

BY_ID = {claim.statement.id: claim for claim in CLAIMS}
START, STEP, BENT = Fraction(0), Fraction(1, 20), Fraction(1)


@pytest.mark.parametrize("id", ["eq18.mid", "eq18"])
def test_a_loss_that_turns_breaks_the_line(id: str) -> None:
    """One client that works on a past round alone, with drift -+1; two local steps from the minimiser, L = c = 1."""
    lost = Fraction(11, 10)
    assert not statement(f"cfl.{id}").failing(K=2, eta_l=float(STEP), eta_g=1e-3, L=1.0, c_max=1.0)
    for sign in (1, -1):
        first = BENT * START + sign - lost * sign
        local = START - STEP * first
        second = BENT * local + sign + lost * sign
        mid = 2 * (BENT * local) ** 2 + 2 + 2 * lost**2
        bound = {"eq18.mid": mid, "eq18": 4 * BENT**2 * local**2 + 2 + 2 * lost**2}[id]
        assert second**2 > bound


@pytest.mark.slow
@pytest.mark.parametrize("id", ["eq18.mid", "eq18"])
def test_the_search_finds_it(id: str) -> None:
    finding = inequality(BY_ID[f"cfl.{id}"], BUDGETS["default"], 0)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness.instance.shape["K"] == 2


def moved_by_noise(h: Fraction, step: Fraction, sigma: Fraction, lost: Fraction) -> Fraction:
    """Squared update of one client in two local steps of this size from the minimiser of h x^2/2, over the squared step.

    It works on a past round alone, with the information loss `lost` in the direction of its model.
    """
    outcomes = [(u, v) for u in (-sigma, sigma) for v in (-sigma, sigma)]
    squares = []
    for u, v in outcomes:
        local = -step * u
        squares.append((u + h * local - lost * (1 if local > 0 else -1) + v) ** 2)
    return sum(squares) / len(squares)


@pytest.mark.parametrize(
    ("id", "bound"),
    [
        ("eq14", lambda lost2, bent2, eta: 4 * (lost2 + bent2) + 2),
        ("eq15", lambda lost2, bent2, eta: 4 * (2 * lost2 + 4 * bent2) + 2),
        ("onestep", lambda lost2, bent2, eta: 4 * (2 * lost2 + Fraction(1, 2) + eta * (lost2 / 3 + Fraction(1, 12)))),
        ("onestep/repaired", lambda lost2, bent2, eta: 4 * (2 * lost2 + Fraction(1, 2) + eta * (5 * lost2 + Fraction(5, 4)))),
    ],
)  # fmt: skip
def test_a_loss_that_leads_away_goes_with_the_noise(id: str, bound) -> None:
    """L = sigma = 1; the mean square of the update in units of the squared local step, with a global step of 1."""
    assert statement(f"cfl.{id}").conditions
    step, lost = Fraction(1, 1000), Fraction(1, 10)
    found = moved_by_noise(Fraction(1), step, Fraction(1), lost)
    assert found > bound(lost**2, step**2, 2 * step)
    assert moved_by_noise(Fraction(1), step, Fraction(1), Fraction(0)) <= bound(0, step**2, 2 * step)


@pytest.mark.parametrize("id", ["eq14.noise", "eq15", "onestep"])
def test_the_search_finds_a_loss_that_leads_away(id: str) -> None:
    finding = inequality(BY_ID[f"cfl.{id}"], BUDGETS["quick"], 0)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness.instance.shape["noisy"] == 1


WORLDS = [(TURNED, turning_build, shape) for shape in TURNING] + [
    (PUSHED, pushing_build, shape) for shape in PUSHING
]


@pytest.mark.parametrize(("scene", "build", "shape"), WORLDS, ids=range(len(WORLDS)))
def test_no_loss_is_longer_than_its_bound(scene, build, shape) -> None:
    values = drawn(scene, shape, batch=8)
    values |= {name: values[name] / 10 for name in scene.steps}
    found = quantities(scene, shape, values, {name: values[name] for name in scene.steps})
    _, loss = build(shape, values)
    far = torch.linspace(-2, 2, 41, dtype=torch.float64)[None, None, :, None, None]
    lengths = loss(0, values["model"][:, None, None, None] + far).abs().amax((1, 2, 3, 4))
    assert (lengths**2 <= found["R2"] * (1 + 1e-12)).all()
    torch.testing.assert_close(lengths**2, found["lost2"])


def test_where_nothing_turns_the_round_is_the_usual_one() -> None:
    shape = TURNING[0]
    values = drawn(TURNED, shape, batch=4)
    values |= {"here": -values["there"]}
    sizes = {name: values[name] / 10 for name in TURNED.steps}
    plain = {**values, "lost": 0 * values["time"], "tied": values["there"][..., None] * values["time"]}
    turned, usual = (
        quantities(scene, shape, given, sizes) for scene, given in ((TURNED, values), (ROUND, plain))
    )
    for name in ("bar2_here", "e_now", "after2", "R2", "L", "cG", "missed2"):
        torch.testing.assert_close(turned[name], usual[name], msg=name)
