"""Corrected statements of CFL: scenes compared with plain loops, and constants that cannot be improved much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch

from tests.verify.judging import drawn
from verify.cfl_repairs import CLAIMS
from verify.engine.model.arithmetic import side
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.verdict import Verdict
from verify.scenes.cfl.repairs import MISLED, SHORT_STEPS, STEADY

BY_ID = {claim.statement.id: claim for claim in CLAIMS}


def scaled(relation: sp.Rel, factor: sp.Rational) -> sp.Rel:
    """The relation with its right-hand side scaled."""
    return relation.func(relation.lhs, factor * relation.rhs, evaluate=False)


def sharpened(id: str) -> sp.Rel:
    """A relation slightly stronger than the statement."""
    relation = BY_ID[f"cfl.{id}"].statement.compared
    symbol = lambda name: next(s for s in relation.free_symbols if s.name == name)  # noqa: E731
    if id == "nc.downhill/repaired":
        return relation.func(relation.lhs, relation.rhs - symbol("eta") * symbol("g2_start"), evaluate=False)
    if id == "nc.descent/repaired":
        return relation.func(
            relation.lhs, relation.rhs - 2 * symbol("eta") * symbol("g2_start"), evaluate=False
        )
    if id == "onestep/single":
        halved = sp.Rational(7, 4) * symbol("eta") ** 2 * (symbol("c_pG") + symbol("sigma2")) / symbol("N")
        return relation.func(relation.lhs, relation.rhs - halved, evaluate=False)
    if id == "rem4.8.impact/repaired":
        return sp.Le(relation.rhs, relation.lhs)
    return scaled(relation, sp.Rational(9, 10))


@pytest.mark.parametrize(
    "id",
    [
        *(
            "step/each",
            "step.half/each",
            "step/client",
            "step.half/client",
            "step/quadratic",
            "step.ratio/repaired",
            "rem4.8.impact/repaired",
        ),
        *(
            "nc.downhill/repaired",
            "nc.descent/repaired",
            "nqm.steady",
            "nqm.steady.best",
            "nqm.steady.criterion",
        ),
        *("B44.forgotten", "rem4.6.early", "onestep/single", "phi.optimum/value", "phi.optimum/strong"),
    ],
)
def test_a_sharper_constant_falls(id: str) -> None:
    claim = BY_ID[f"cfl.{id}"]
    sharper = replace(claim, statement=replace(claim.statement, relation=sharpened(id)))
    assert claim.checks[0](sharper, BUDGETS["default"], 0).verdict is Verdict.REFUTED


@pytest.mark.parametrize("shape", STEADY.shapes, ids=str)
def test_where_a_round_comes_to_rest_by_plain_steps(shape) -> None:
    numbers = {"curve": 0.8, "eta_l": 0.4, "D2": 2.0, "R2": 0.3, "share": 0.6, "other_share": 0.1}
    found = quantities(STEADY, shape, {name: torch.tensor([x]) for name, x in numbers.items()}, {})

    def after(forces: list[float]) -> float:
        w = 0.0
        for force in forces:
            for _ in range(shape["K"]):
                w -= 0.4 * (0.8 * w - force)
        return 0.8 * w

    for name, p in (
        ("at_rest", 0.6),
        ("at_rest_other", 0.1),
        ("at_rest_fed", 1.0),
        ("at_rest_limit", 0.3 / 2.3),
    ):
        kicks = sum(after([p] + [0.0] * n) ** 2 for n in range(80)) * 2.0 / shape["N"]
        bias = after([1 - p] * 200) ** 2 * 0.3
        assert float(found[name]) == pytest.approx(kicks + bias, rel=1e-6)


def sides(
    id: str, values: dict[str, torch.Tensor], sizes: dict[str, torch.Tensor]
) -> tuple[torch.Tensor, ...]:
    """Both sides of a bound on one round, and all quantities, for one client and one step."""
    claim = BY_ID[f"cfl.{id}"]
    shape = claim.scene.shapes[0]
    found = quantities(claim.scene, shape, values, sizes)
    return *(side(part, found, "torch", 8) for part in claim.statement.compared.args), found


@pytest.mark.parametrize(
    ("id", "before", "after"),
    [("nc.descent/repaired", "loss_now", "loss_next"), ("onestep/single", "dist2_star", "after2")],
)
def test_no_placebo_meets_a_descent(id: str, before: str, after: str) -> None:
    """Without drift, noise and loss, ascent, standing still and steps to either side exceed the bound."""
    scene = BY_ID[f"cfl.{id}"].scene
    values = {name: 0 * value for name, value in drawn(scene, scene.shapes[0]).items()}
    values["h"], values["model"] = values["h"] + 1, values["model"] + 2
    step = torch.full((8,), 0.02).double()
    sizes = {"eta_g": torch.ones(8).double(), "eta_l": step}
    small, large, found = sides(id, values, sizes)
    assert (small <= large + 1e-12).all()
    assert (found[before] > large + 1e-3).all()
    h = values["h"].reshape(8)
    ascended = found[before] * (1 + step * h) ** 2
    torch.testing.assert_close(found[after], found[before] * (1 - step * h) ** 2)
    assert (ascended > large + 1e-3).all()
    assert ((ascended + found[after]) / 2 > large + 1e-3).all()


def test_data_that_are_used_again_add_up() -> None:
    T = 6
    found = quantities(SHORT_STEPS, {"T": T}, {"D2": torch.tensor([1.0])}, {})
    mixing = np.array([[1 / t if tau <= t else 0 for tau in range(1, T + 1)] for t in range(1, T + 1)])
    assert float(found["early"]) == pytest.approx((mixing.sum(axis=0) ** 2).sum())
    assert float(found["early"] / found["early_fed"]) > 1


def test_information_loss_leads_steps_to_the_loss_that_is_left() -> None:
    """Plain descent on the mean of three slopes, one without loss; a tenth of the curvature leaves ten times the loss."""
    numbers = {"raw": [[1.0, 2.0, 3.0]], "curve": [0.1], "mu": [0.1], "lost": [2.0], "start": [1.0]}
    values = {name: torch.tensor(x, dtype=torch.float64) for name, x in numbers.items()}
    found = quantities(MISLED, {"t": 3}, values, {})
    w = 1.0
    for _ in range(4000):
        w -= 0.1 * (1 / 6 * (0.1 * w + 2) + 2 / 6 * (0.1 * w + 2) + 3 / 6 * 0.1 * w)
    assert float(found["loss_left"]) == pytest.approx(0.1 * w**2 / 2)
    flatter = quantities(MISLED, {"t": 3}, {**values, "curve": values["curve"] / 10}, {})
    assert float(flatter["loss_left"]) == pytest.approx(10 * float(found["loss_left"]))
