"""Scenes of CFL about weights of past rounds, compared with other code; tables; counterexamples."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy as sp
import torch

from bounds.catalogue import statement
from bounds.cfl import weights as library
from bounds.cfl.uncorrelated import overlap_weights, uncorrelated_weights
from nqm.elimination import solve_semidefinite
from nqm.fields import to_exact
from tests.verify import known as k
from verify.engine.checks.relation import inequality
from verify.engine.checks.table import row, table
from verify.engine.judge import judge
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.model.scene import quantities
from verify.engine.proof.facts import shown_of
from verify.engine.topics import claims
from verify.engine.verdict import Verdict
from verify.report.wording import sentence
from verify.scenes.cfl.decay_sums import OF_CASE_TWO, OF_FORMS, OF_TWO_WEIGHTS
from verify.scenes.cfl.drifts import (
    CHAINED,
    CHAINED_OPTIMAL,
    EQUAL,
    OVERLAP,
    POINT,
    chained_drifts,
    mixed_drifts,
)
from verify.scenes.cfl.nonnegative import NOT_NEGATIVE
from verify.scenes.cfl.solved_facts import PIVOT, ROWS_EQUAL, STATIONARY
from verify.scenes.cfl.weight_sums import OF_ANY_WEIGHTS, OF_OVERLAP, OF_OVERLAP_SUMS
from verify.scenes.cfl.weighting import GRADUAL, OVERLAP_SOLVED
from verify.scenes.cfl.weights import closed_weights, keeping_oldest, matrix_of, printed_weights, solved

QUICK = BUDGETS["quick"]
CONSTANTS = [(0.0, 2.0, 1.0), (0.5, 1.0, 0.5), (0.8, 1.0, 4.0), (0.95, 0.1, 10.0), (0.3, 3.0, 0.0)]


def drawn(scene, shape, batch=3, seed=0):
    """Random parameters of a scene, (batch, ...), as fractions with small denominators."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, box in scene.space(shape).items():
        numbers = (
            rng.choice(box.levels, (batch, *box.shape))
            if box.levels
            else rng.uniform(box.low, box.high, (batch, *box.shape))
        )
        round_off = np.vectorize(lambda x: Fraction(float(x)).limit_denominator(12), otypes=[object])
        found[name] = round_off(numbers)
    return found


def floats(values):
    return {name: torch.as_tensor(value.astype(float)) for name, value in values.items()}


def batch_of(*numbers):
    return [torch.tensor([x], dtype=torch.float64) for x in numbers]


# ------------------------------------------------------------------------------------------- weights


@pytest.mark.parametrize("t", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(("alpha", "D2", "R2"), CONSTANTS)
def test_solved_weights_are_those_of_the_library(t, alpha, D2, R2):
    found = solved(matrix_of(*batch_of(alpha, D2, R2), t))[0].numpy()
    assert found == pytest.approx(library.optimal_weights(t, alpha, D2, R2), abs=1e-9)


WEIGHT_FACTS = (
    *OF_ANY_WEIGHTS,
    *OF_OVERLAP_SUMS,
    *OF_OVERLAP,
    *OF_FORMS,
    *OF_TWO_WEIGHTS,
    *OF_CASE_TWO,
    STATIONARY,
    ROWS_EQUAL,
    PIVOT,
)


@pytest.mark.parametrize("fact", WEIGHT_FACTS, ids=lambda fact: str(fact.relation)[:20])
def test_facts_about_any_number_of_rounds_fail_with_another_factor(fact) -> None:
    shown = shown_of(fact)
    assert shown is not None
    assert "at all sizes" in sentence(shown.reason)
    assert shown_of(replace(fact, relation=with_another_factor(fact.relation))) is None


def with_another_factor(relation):
    """A false relation near a true one: a side 1 % larger, or smaller where it bounds the other; other than 0 where it is 0."""
    if relation.rhs == 0:
        return (
            sp.Eq(relation.lhs, 1, evaluate=False) if isinstance(relation, sp.Eq) else sp.Lt(relation.lhs, 0)
        )
    factor = sp.Rational(99 if isinstance(relation, sp.Le) else 101, 100)
    return relation.func(relation.lhs, relation.rhs * factor, evaluate=False)


def test_a_solution_of_formulas_solves() -> None:
    a, b = sp.symbols("a b", positive=True)
    matrix = np.array([[a + b, b], [b, 2 * b]], dtype=object)
    found = solve_semidefinite(matrix, np.array([a, b], dtype=object))
    assert [sp.simplify(side) for side in matrix @ found] == [a, b]


@pytest.mark.parametrize("t", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(("alpha", "D2", "R2"), CONSTANTS)
def test_closed_form_is_proportional_to_the_solution(t, alpha, D2, R2):
    found = closed_weights(t, *batch_of(alpha, D2, R2))[0].numpy()
    assert found / found.sum() == pytest.approx(library.optimal_weights(t, alpha, D2, R2), abs=1e-12)


@pytest.mark.parametrize("t", [1, 2, 3, 5, 7])
@pytest.mark.parametrize(("alpha", "D2", "R2"), CONSTANTS)
def test_weights_that_keep_the_oldest_are_those_of_the_library(t, alpha, D2, R2):
    found, refused = keeping_oldest(matrix_of(*batch_of(alpha, D2, R2), t))
    expected = library.nonnegative_weights(t, alpha, D2, R2)
    assert found[0].numpy() == pytest.approx(expected, abs=1e-9)
    left_out = np.flatnonzero(expected[: t - 1] < 1e-12)
    if len(left_out):
        kept_more = [*range(left_out[0] + 1), t - 1]
        larger = solved(matrix_of(*batch_of(alpha, D2, R2), t)[:, kept_more][:, :, kept_more])
        assert float(refused[0]) == pytest.approx(-float(larger[0, left_out[0]]))
    else:
        assert float(refused[0]) == 0


@pytest.mark.parametrize("t", [1, 2, 4])
def test_printed_weights_are_those_of_the_library(t):
    found = printed_weights(t, *batch_of(2.0, 3.0))[0].numpy()
    assert found == pytest.approx(uncorrelated_weights(t, 2.0, 3.0))


def test_solutions_are_exact_in_fractions():
    half = to_exact([0.5])
    found = solved(matrix_of(half, 2 * half, half, 4))[0]
    assert found.tolist() == [Fraction(2, 7), Fraction(1, 7), Fraction(0), Fraction(4, 7)]


@pytest.mark.parametrize("shape", OVERLAP_SOLVED.shapes)
def test_overlap_is_solved_as_by_the_library(shape):
    values = floats(drawn(OVERLAP_SOLVED, shape))
    found = quantities(OVERLAP_SOLVED, shape, values, {})
    for n in range(3):
        D2, F2, R2 = (float(found[name][n]) for name in ("D2", "F2", "R2"))
        expected = overlap_weights(shape["t"], D2, R2, F2)
        assert [*found["p_old"][n].tolist(), float(found["p_now"][n])] == pytest.approx(expected.tolist())


@pytest.mark.parametrize("shape", GRADUAL.shapes)
def test_the_least_objective_is_that_of_the_library(shape):
    found = quantities(GRADUAL, shape, floats(drawn(GRADUAL, shape)), {})
    for n in range(3):
        at = [float(found[name][n]) for name in ("alpha", "D2", "R2", "G2")]
        assert float(found["least"][n]) == pytest.approx(float(library.value(shape["t"], *at)))


@pytest.mark.parametrize("shape", NOT_NEGATIVE.shapes)
def test_objectives_at_weights_that_are_not_negative_are_those_of_the_library(shape):
    found = quantities(NOT_NEGATIVE, shape, floats(drawn(NOT_NEGATIVE, shape, seed=1)), {})
    for n in range(3):
        at = [float(found[name][n]) for name in ("alpha", "D2", "R2", "G2")]
        best = library.nonnegative_weights(shape["t"], *at[:3])
        assert float(found["kept"][n]) == pytest.approx(float(library.objective(best, *at)))
        any_ = at[2] * (1 - found["q_now"][n]) ** 2 + at[3] + at[1] * found["q_decay"][n]
        assert float(any_) == pytest.approx(float(library.objective(found["q"][n].numpy(), *at)))


# -------------------------------------------------------------------------------------------- drifts


def test_mixed_drifts_have_the_covariance_of_the_mixing():
    rng = np.random.default_rng(0)
    mixing, size = torch.as_tensor(rng.normal(size=(2, 3, 2))), torch.as_tensor(rng.normal(size=(2, 2, 2)))
    drifts, sign = mixed_drifts(mixing, size)
    assert drifts.shape == (2, 8, 3, 2)
    assert torch.allclose(drifts.mean(dim=1), torch.zeros(2, 3, 2, dtype=torch.float64), atol=1e-12)
    covariance = torch.einsum("noad,nobd->nab", drifts, drifts) / 8
    assert torch.allclose(covariance, torch.einsum("nak,nkd,nck->nac", mixing, size**2, mixing))
    assert torch.allclose(
        torch.einsum("o,notd->ntd", sign, drifts), torch.zeros(2, 3, 2, dtype=torch.float64), atol=1e-12
    )


def test_chained_drifts_are_as_correlated_as_assumption_7_allows():
    half, share, size = to_exact([0.5]), to_exact([[1.0, -1.0, 0.5, 1.0]]), to_exact([[2.0, 1.0]])
    drifts, sign = chained_drifts(half, share, size)
    alpha = Fraction(4, 5)
    for a, b in product(range(4), repeat=2):
        expected = alpha ** abs(a - b) * share[0, a] * share[0, b] * 5
        assert (drifts[0, :, a] * drifts[0, :, b]).sum() / len(sign) == expected


@pytest.mark.parametrize("scene", [OVERLAP, POINT, CHAINED, EQUAL], ids=lambda scene: scene.name)
def test_moments_at_a_point_are_those_of_a_plain_loop(scene):
    for shape in scene.shapes:
        values = drawn(scene, shape, batch=1)
        found = quantities(scene, shape, values, {})
        p = (values["raw"] + (1 - values["raw"].sum()) / shape["t"])[0]
        if "mixing" in values:
            drifts, sign = mixed_drifts(values["mixing"], values["size"])
        else:
            drifts, sign = chained_drifts(values["half"], values["share"], values["drift"])
        total = Fraction(0)
        for outcome in range(len(sign)):
            mixed = sum(
                p[tau]
                * (values["gradient"][0] + sign[outcome] * values["client"][0] + drifts[0, outcome, tau])
                for tau in range(shape["t"])
            )
            total += sum(x * x for x in mixed)
        assert found["grad2"][0] == total / len(sign)


@pytest.mark.parametrize("scene", [OVERLAP, CHAINED, CHAINED_OPTIMAL, EQUAL], ids=lambda scene: scene.name)
def test_assumptions_hold_by_construction(scene):
    names = ["cfl.ass3.client", "cfl.ass3.time"]
    names += ["cfl.ass5", "cfl.ass6"] if scene is OVERLAP else ["cfl.ass4", "cfl.ass7"]
    for shape in scene.shapes:
        values = drawn(scene, shape, batch=8)
        if scene is CHAINED_OPTIMAL:  # the weights need a time drift
            values |= {"gradient": 0 * values["gradient"], "share": values["share"] ** 0}
        found = quantities(scene, shape, values, {})
        for name in names:
            relation = statement(name).relation
            small, large = (sp.lambdify(list(part.free_symbols), part) for part in relation.args)
            pad = lambda x: x if np.ndim(x) == 2 else np.asarray(x)[:, None]  # noqa: E731
            sides = [
                f(*(pad(found[s.name]) for s in part.free_symbols))
                for f, part in zip((small, large), relation.args, strict=True)
            ]
            assert (sides[0] <= sides[1]).all(), name


# ------------------------------------------------------------------------- tables and strict relations


def accuracy(limit):
    return k.known("table", sp.Le(k.x, k.y), sp.Le(k.y, limit))


ROWS = k.Scene(name="two columns", shapes=({},), space=lambda shape: {"x": k.Box(0, 10), "y": k.Box(0, 10)})


def test_a_true_table_is_recomputed():
    check = table({"first": row({}, {"x": "0.1", "y": "0.2"}), "second": row({}, {"x": "0.2", "y": "0.2"})})
    finding = check(Claim(accuracy(5), (check,), ROWS), QUICK, 0)
    assert finding.verdict is Verdict.PROVED
    assert finding.trials == 2
    assert finding.method == "exact"


def test_a_wrong_row_is_found_and_can_be_replayed():
    check = table({"first": row({}, {"x": "0.1", "y": "0.2"}), "second": row({}, {"x": "0.21", "y": "0.2"})})
    finding = check(Claim(accuracy(5), (check,), ROWS), QUICK, 0)
    assert finding.verdict is Verdict.INCONSISTENT
    assert "second" in sentence(finding.reason)
    assert "first" not in sentence(finding.reason)
    assert finding.witness.instance.parameters["x"] == Fraction(21, 100)
    assert json.loads(json.dumps(finding.record()))["witness"]["lhs"] == [0.21, 0.21]


def test_a_row_must_meet_the_conditions():
    check = table({"only": row({}, {"x": "1", "y": "7"})})
    with pytest.raises(ValueError, match="row 'only' does not meet y <= 5"):
        check(Claim(accuracy(5), (check,), ROWS), QUICK, 0)


def test_equality_breaks_a_strict_relation():
    corner = k.Scene(
        name="a corner",
        shapes=({},),
        space=lambda shape: {"x": k.Box(1, 2), "y": k.Box(1, 2)},
        compute=lambda shape, values: {"least": values["x"]},
    )
    least = sp.Symbol("least", nonnegative=True)
    finding = inequality(k.claim(k.known("strict", sp.Gt(least, 1)), inequality, corner), QUICK, 0)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness.relation.small == finding.witness.relation.large == (1, 1)
    weak = inequality(k.claim(k.known("weak", sp.Ge(least, 1)), inequality, corner), QUICK, 0)
    assert weak.verdict is Verdict.UNREFUTED


# ------------------------------------------------------------------------------------------- Table 2


def test_one_reading_of_the_columns_reproduces_table_2():
    verdicts = {id: judge(claims()[id], "quick", 0)["verdict"] for id in ("cfl.tab2", "cfl.tab2/squares")}
    assert sorted(verdicts.values()) == ["inconsistent", "proved"]
