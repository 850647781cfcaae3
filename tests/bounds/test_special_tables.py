"""The tables of SPECIAL: totals compared with another program's counts of the paper's text, and single entries."""

from fractions import Fraction

import pytest

from bounds.special.tables import DATASETS, MAIN, STRENGTHS, TASKS, WORST_DROP
from bounds.special.task_tables import BY_TASK, EXCERPT

TOTALS = {
    2: "5.4083",
    9: "24.8158",
    10: "22.6353",
    11: "18.0939",
    12: "10.5618",
    17: "21.0384",
    18: "19.8159",
    19: "12.8012",
    20: "11.1158",
    22: "24.6316",
    23: "21.0503",
    24: "15.6276",
    25: "11.7378",
    27: "25.7326",
    28: "22.2811",
    29: "16.9378",
    30: "11.8085",
}
MEANS_AND_DEVIATIONS = {
    1: ("851.07", "135.65"),
    16: ("678.26", "168.27"),
    21: ("797.79", "156.001"),
    26: ("861.83", "124.29"),
}


@pytest.mark.parametrize("table", [EXCERPT, *BY_TASK], ids=lambda table: str(table.number))
def test_accuracies_by_task_add_up_to_the_total_of_the_text(table):
    total = sum((sum(final) for final in table.final.values()), sum(table.acc.values()))
    assert total == Fraction(TOTALS[table.number])
    assert all(len(final) == len(TASKS[table.dataset]) for final in table.final.values())


@pytest.mark.parametrize("table", MAIN.values(), ids=lambda table: str(table.number))
def test_main_tables_add_up_to_the_totals_of_the_text(table):
    cells = [*table.acc.values(), *table.bwt.values()]
    assert len(cells) == 72
    found = sum(cell.mean for cell in cells), sum(cell.deviation for cell in cells)
    assert found == tuple(map(Fraction, MEANS_AND_DEVIATIONS[table.number]))


def test_worst_drops_add_up_to_the_total_of_the_text():
    assert len(WORST_DROP) == 36
    assert sum(cell.mean for cell in WORST_DROP.values()) == Fraction("-1051.74")
    assert sum(cell.deviation for cell in WORST_DROP.values()) == Fraction("118.65")


def test_entries_by_eye():
    special = MAIN[4]
    assert special.acc["Digit-10", "SPECIAL"].mean == Fraction("62.12")
    assert special.bwt["VLCS", "MFCL"].mean == Fraction("-11.03")
    assert special.bwt["DN4IL", "SPECIAL-C"].deviation == Fraction("0.43")
    assert WORST_DROP["VLCS", "MFCL"].mean == Fraction("-9.69")
    assert MAIN[6].bwt["VLCS", "SPECIAL"].mean == 0
    assert STRENGTHS["BWT"]["1.0"] == Fraction("2.56")


def test_every_setting_has_its_four_tables():
    assert {(table.sampled, table.dataset) for table in BY_TASK} == {(n, d) for n in MAIN for d in DATASETS}
    methods = {method for _, method in MAIN[4].acc}
    assert all(set(table.acc) == methods for table in BY_TASK if table.number != 12)
    # Table 12 has no line for FedProx
    assert methods - set(next(t for t in BY_TASK if t.number == 12).acc) == {"FedProx"}
