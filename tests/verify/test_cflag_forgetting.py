"""Topics on the forgetting of C-FLAG: curves compared with enumeration, bounds with numbers, baselines, replay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.catalogue import statement
from bounds.cflag.forgetting import GAMMA_10, GAMMA_15, GAMMA_35
from bounds.cflag.growth import Q, Z
from bounds.evaluate import evaluate
from verify.curves import cflag_forgetting as curve
from verify.engine.model.claim import BUDGETS
from verify.engine.topics import claim_of
from verify.scenes.cflag.memories import clients_of, fixed_memory, redrawn_memory
from verify.scenes.cflag.memory_measures import expected, whole_run

positive = st.floats(0.01, 10)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return curve.compute(0)


@pytest.mark.parametrize(("mode", "draws"), [("once", fixed_memory), ("redrawn", redrawn_memory)])
def test_curve_is_the_mean_over_all_memories(found: dict[str, Any], mode: str, draws: Any) -> None:
    shape = {**curve.SHAPE, "T": 3}
    beta = curve.REACH / np.sqrt(curve.ROUNDS)
    values = {
        **curve.PULLED,
        **{name: np.array([number]) for name, number in {**curve.GIVEN, "beta": beta, "room": 0}.items()},
        **{"x": curve.PULLED["start"][None], "m_i": np.ones((1, 1, 2))},
    }
    all_of = expected(values, whole_run(shape, values, clients_of(shape, values), draws(shape)))
    series = found["series"][mode]
    np.testing.assert_allclose(series["forgetting"]["mean"][:3], all_of["forget_each"][0], rtol=1e-9)
    np.testing.assert_allclose(series["overfitting"]["mean"][:3], all_of["over_each"][0], atol=1e-12)


def test_overfitting_vanishes_only_if_memories_are_drawn_anew(found: dict[str, Any]) -> None:
    assert np.abs(found["series"]["redrawn"]["overfitting"]["mean"]).max() < 1e-12
    assert np.abs(found["series"]["once"]["overfitting"]["mean"])[1:].min() > 1e-6


def test_bounds_lie_above_the_forgetting(found: dict[str, Any]) -> None:
    forgotten = found["series"]["once"]["forgetting"]["mean"]
    assert (forgotten <= found["bound"]["gap"]).all()
    assert (forgotten <= found["bound"]["proof"]).all()


def test_theorem_2_holds_with_memories_drawn_anew_and_breaks_with_memories_drawn_once(
    found: dict[str, Any],
) -> None:
    sides = {mode: (np.array(x["measured"]), np.array(x["bound"])) for mode, x in found["theorem"].items()}
    left, right = sides["redrawn"]
    assert (left <= right).all()
    left, right = sides["once"]
    assert left[-1] > right[-1]
    assert (left >= found["floor"] * (1 - 1e-12)).all()


@given(positive, positive, positive, positive, positive)
def test_forms_of_the_forgetting_term(L: float, alpha: float, beta: float, s2: float, ds: float) -> None:
    """If no sum leaves out step 0, the three forms differ by half the squared sum."""
    given_ = {"L": L, "alpha": alpha, "beta": beta, "s2": s2, "s2_late": s2, "ds": ds, "ds_late": ds}
    whole, half, also = (evaluate(form, given_) for form in (GAMMA_10, GAMMA_35, GAMMA_15))
    assert half == pytest.approx(also)
    assert whole - half == pytest.approx(L / 2 * beta**2 * s2)


def test_numbers_of_lemma_18() -> None:
    """Q/Z at beta = 1/(60LE): 2.64 r(1 - L alpha) + 0.08, against the printed 16 r(1 - L alpha) + 22."""
    given_ = {"L": 3.0, "E": 7, "beta": 1 / (60 * 3 * 7), "alpha": 0.1, "r": 2.0}
    share = (1 - 0.3) * 2
    assert evaluate(Q / Z, given_) == pytest.approx(
        (72 / 60**3 + 4 / 60 + 2.2 * share) / (1 - 80 / 60**3 - 1 / 6)
    )
    assert statement("cflag.eq177/small").rhs.free_symbols <= statement("cflag.eq177").rhs.free_symbols


@pytest.mark.parametrize(
    "id", ["cflag.thm2/redrawn", pytest.param("cflag.lem3/eq67-smooth", marks=pytest.mark.slow)]
)
def test_placebos_are_told_apart(id: str) -> None:
    claim = claim_of(id)
    assert claim is not None
    findings = [check(claim, BUDGETS["quick"], 0) for check in claim.checks[1:]]
    assert all(finding.verdict is None for finding in findings)
    assert any(finding.details.get("breaks_for") for finding in findings)


@pytest.mark.parametrize(
    "id", ["cflag.lem8.iterates", "cflag.thm2", "cflag.lem9", "cflag.lem3", "cflag.eq163"]
)
def test_counterexamples_meet_every_condition(id: str) -> None:
    claim = claim_of(id)
    assert claim is not None
    finding = claim.checks[0](claim, BUDGETS["quick"], 0)
    assert finding.witness is not None
    assert finding.witness.relation.fails
    assert all(condition.holds for condition in finding.witness.conditions)
    again = finding.witness.instance.values(finding.witness.scene, "exact")
    assert set(finding.witness.instance.parameters) <= set(again)
