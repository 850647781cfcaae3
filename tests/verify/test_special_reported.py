"""SPECIAL's reported experiments, counted by hand; impossible rows are found."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bounds.special.side_tables import ROUNDS
from bounds.special.tables import TASKS
from tests.verify.judging import witness_replays
from verify.engine.checks.table import row as make_row
from verify.engine.checks.table import table
from verify.engine.judge import judge
from verify.engine.model.claim import BUDGETS
from verify.engine.verdict import Verdict
from verify.scenes.printed import power_along
from verify.scenes.special import reported
from verify.special_tables import CLAIMS

BY_ID = {claim.statement.id.removeprefix("special."): claim for claim in CLAIMS}


def differing(word, rows):
    found = table(rows)(BY_ID[word], BUDGETS["quick"], 0)
    return {name for name, row in found.details["rows"].items() if not row["holds"]}


def test_steps_of_a_round_are_not_its_epochs():
    # 110,000 images, 4 tasks, 8 clients, batches of 32, 5 epochs: 5 * 3437.5 / 32 = 537 steps
    rows = reported.steps_and_epochs()
    assert rows["Digit-10"].parameters["entry_again"] == 537
    assert {row.parameters["entry"][()] for row in rows.values()} == {5}
    assert judge(BY_ID["notation.E"], "quick", 0)["verdict"] == "inconsistent"


def test_the_line_that_a_table_lacks():
    assert differing("table12.rows", reported.lines()) == {"FedProx in Table 12"}


def test_drops_that_are_longer_than_anything_that_was_learnt():
    # DN4IL: SR-FDIL ends with 46.55 on Real, the highest number of its four tables
    rows = reported.longest_drops()
    assert rows["FedAvg on DN4IL"].parameters["accurate_most"] == Fraction("46.55")
    assert differing("table8.learnt", rows) == {"FedAvg on DN4IL", "SR-FDIL on DN4IL"}
    # the same check finds nothing if the drops are shorter by as much as FedAvg's is too long
    shorter = {
        name: make_row({}, {**columns, "worst_printed": columns["worst_printed"] + Fraction("32.26")})
        for name, columns in (
            (name, {c: v[()] for c, v in row.parameters.items()}) for name, row in rows.items()
        )
    }
    assert not differing("table8.learnt", shorter)


def test_marks_agree_with_one_reading_of_the_transcription():
    read_7 = differing("table3.marks/7", reported.marks())
    assert read_7 == {"rounds on PACS: SPECIAL against FedProx", "rounds on PACS: SPECIAL-C against FedProx"}
    read_77 = reported.marks({**ROUNDS, ("PACS", "FedProx"): Fraction(77)})
    assert not differing("table3.marks/77", read_77)


def test_a_resnet_is_counted_layer_by_layer():
    # 11,689,512 parameters with 1000 classes (He et al., 2016; torchvision), 4800 channels with mean, variance and 20 counters
    assert reported.resnet18_numbers(1000, 3) == 11_689_512 + 2 * 4800 + 20
    assert not differing("table15.model", reported.model_memory())


def test_memory_of_methods_that_keep_models():
    assert differing("table15.models", reported.models_held()) == {"FedProx", "FLwF-2T"}


@pytest.mark.parametrize(
    ("id", "aside", "least", "most"),
    [
        # FedAvg in Table 9 ends with 80.34, 28.39, 41.06 and 85.86: at worst 300 - 149.79 points are lost in 3 tasks,
        # at best 235.65 - 28.39 are gained
        ("table9.possible", "final_most", Fraction("-50.08"), Fraction("-50.09")),
        ("table9.possible.gain", "final_least", Fraction("69.09"), Fraction("69.10")),
    ],
)
def test_a_change_is_possible_up_to_its_room(id, aside, least, most):
    name = "FedAvg in Table 9"
    row = reported.rooms(aside)[name]
    assert row.shape["K"] == len(TASKS["Digit-10"])

    def changed(bwt):
        return {name: make_row(row.shape, {**row.parameters, "bwt_printed": bwt})}

    assert not differing(id, changed(least))
    assert differing(id, changed(most))


def test_power_is_the_share_of_changes_that_fail():
    row = reported.rooms("final_most")["FedAvg in Table 9"]
    # Lower than -50.0817 (rounding included) of -100..100
    power = power_along(BY_ID["table9.possible"].statement, "bwt_printed", -100, 100)
    assert float(power(row)) == pytest.approx((100 - 50.0817) / 200, abs=1e-4)
    gain = reported.rooms("final_least")["FedAvg in Table 9"]
    power = power_along(BY_ID["table9.possible.gain"].statement, "bwt_printed", -100, 100)
    assert float(power(gain)) == pytest.approx((100 - 69.0983) / 200, abs=1e-4)


def test_numbers_that_more_clients_make_worse():
    rows = reported.with_more_clients()
    assert len(rows) == 4 * 6
    assert differing("table21.participation", rows) == {"DN4IL: 6 against 4 clients"}


def test_outliers_lie_outside_by_more_than_three_deviations():
    found = differing("table1.outliers", reported.beside_other_samples())
    # -33.91, compared with -12.78, -12.00 and -12.15, with deviations of at most 0.53
    assert "BWT of FedAvg on DN4IL" in found
    assert "ACC of FedAvg on Digit-10" not in found


@pytest.mark.parametrize(
    ("id", "verdict"),
    [
        ("config.datasets", Verdict.INCONSISTENT),
        ("table12.rows", Verdict.INCONSISTENT),
        ("table15.models", Verdict.INCONSISTENT),
        ("table1.outliers", Verdict.REFUTED),
        ("table8.learnt", Verdict.REFUTED),
    ],
)
def test_what_differs_has_a_witness_that_replays(id, verdict):
    record = judge(BY_ID[id], "quick", 0)
    assert record["verdict"] == verdict.value
    witness_replays(record)
