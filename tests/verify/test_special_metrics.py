"""Metrics and tables of SPECIAL: the scenes against NumPy, rows against hand calculations, and tables with an error."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import numpy as np
import pytest
import torch

from bounds.special_tables import BY_TASK, EXCERPT
from verify.engine.adversary import compared, sample
from verify.engine.checks.table import table
from verify.engine.claim import BUDGETS
from verify.engine.judge import judge
from verify.engine.replay import replay
from verify.engine.scene import quantities
from verify.engine.verdict import Verdict
from verify.special_metrics import ACCURACIES, CLAIMS, WORST, against_main, means, worst_drops

BY_ID = {claim.statement.id: claim for claim in CLAIMS}
TABLES = [claim for claim in CLAIMS if claim.statement.id.startswith("special.table")]
QUICK = BUDGETS["quick"]


@pytest.mark.parametrize("size", [2, 5])
def test_metrics_of_a_matrix(size):
    A = np.random.default_rng(size).random((3, size, size))
    found = quantities(WORST, {"K": size}, {"A": torch.as_tensor(A)}, {})
    for index in range(3):
        drops = [A[index, size - 1, i] - A[index, i, i] for i in range(size - 1)]
        assert found["ACC"][index] == pytest.approx(np.mean(A[index, size - 1]))
        assert found["BWT"][index] == pytest.approx(np.mean(drops))
        assert found["worst_drop"][index] == pytest.approx(min(drops))
        assert found["above_worst"][index] == pytest.approx(sum(drop - min(drops) for drop in drops))
        assert found["learnt"][index] == pytest.approx(np.trace(A[index]))
        assert found["learnt_early"][index] == pytest.approx(np.trace(A[index][:-1, :-1]) / (size - 1))


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.premises], ids=lambda claim: claim.statement.id)
def test_premises_hold_in_the_scene(claim):
    for shape in ACCURACIES.shapes:
        drawn = sample(claim.scene.space(shape), np.random.default_rng(1), 64)
        values = quantities(claim.scene, shape, {n: torch.as_tensor(v) for n, v in drawn.items()}, {})
        assert all(float(values[name].min()) > -1e-12 for name in ("missed", "above_worst") if name in values)
        for premise in claim.premises:
            margin, _, gap = compared(premise, values, 64)
            assert ((margin < 1e-9) | (gap < 1e-12)).all(), str(premise)


def test_rows_hold_the_printed_numbers():
    (digits,) = (printed for printed in BY_TASK if printed.number == 9)
    special = means(digits)["SPECIAL"]
    assert list(special.parameters["final"]) == [Fraction(n, 10_000) for n in (8618, 2457, 4797, 8977)]
    assert special.parameters["acc_printed"] == Fraction("0.6212")
    assert against_main(digits)["SPECIAL"].parameters["acc_percent"] == Fraction("62.12")
    assert worst_drops()["MFCL on VLCS"].parameters["bwt_printed"] == Fraction("-11.03")


def test_sides_of_a_row_are_the_recomputed_ones():
    finding = judge(BY_ID["special.table2"], "quick", 0)["evidence"][0]
    row = finding["details"]["rows"]["SPECIAL"]
    # (0.7056 + 0.5385 + 0.4813 + 0.4715) / 4 = 0.549225, printed 0.5492
    assert row["lhs"][0] == pytest.approx(0.000025)
    assert row["rhs"][0] == pytest.approx(0.0001)


def test_a_wrong_entry_is_found_and_a_right_one_is_not():
    claim = BY_ID["special.table2"]
    right = means(EXCERPT)
    assert table(right)(claim, QUICK, 0).verdict is Verdict.PROVED
    wrong = dataclasses.replace(
        EXCERPT, acc={**EXCERPT.acc, "SPECIAL": EXCERPT.acc["SPECIAL"] + Fraction(2, 10_000)}
    )
    finding = table(means(wrong))(claim, QUICK, 0)
    assert finding.verdict is Verdict.INCONSISTENT
    assert [name for name, row in finding.details["rows"].items() if not row["holds"]] == ["SPECIAL"]


@pytest.mark.parametrize("claim", TABLES, ids=lambda claim: claim.statement.id)
def test_details_list_every_row_and_witnesses_replay(claim):
    record = judge(claim, "quick", 0)
    details = record["evidence"][0]["details"]["rows"]
    assert len(details) == record["evidence"][0]["trials"]
    failing = [name for name, row in details.items() if not row["holds"]]
    assert bool(failing) == (record["verdict"] == "inconsistent")
    if failing:
        assert all(name in record["reason"] for name in failing)
        assert replay(json.loads(json.dumps(record["witness"])))[1]
