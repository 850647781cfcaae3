"""Tables of C-FLAG, FedMeS, CFL and SPECIAL: totals compared with another program's counts, and single entries."""

from collections.abc import Iterable
from fractions import Fraction

import pytest

from bounds.cfl import tables as cfl_tables
from bounds.cflag import tables as cflag_tables
from bounds.fedmes import tables as fedmes_tables
from bounds.printed import Number
from bounds.special import side_tables as special_side_tables


def total(numbers: Iterable[Number]) -> tuple[int, Fraction, Fraction]:
    """The number of values, their sum and the sum of their deviations."""
    found = list(numbers)
    return len(found), sum(n.value for n in found), sum(n.deviation for n in found)


def both(results) -> list[Number]:
    return [number for result in results for number in (result.acc, result.forget)]


@pytest.mark.parametrize(
    ("table", "setting", "count", "values", "deviations"),
    [
        (cflag_tables.MAIN, "non-IID", 30, "867.86", "0"),
        (cflag_tables.MAIN, "IID", 36, "1377.88", "0"),
        (cflag_tables.TASK_INCREMENTAL, "non-IID", 30, "867.86", "81.13"),
        (cflag_tables.TASK_INCREMENTAL, "IID", 36, "1377.88", "94.48"),
        (cflag_tables.CLASS_INCREMENTAL, "non-IID", 32, "791.09", "104.88"),
        (cflag_tables.CLASS_INCREMENTAL, "IID", 32, "1170", "116.43"),
    ],
)
def test_cflag(table, setting, count, values, deviations):
    assert total(both(table[setting].values())) == (count, Fraction(values), Fraction(deviations))


@pytest.mark.parametrize(
    ("setting", "dataset", "values"),
    [("IID", "Split-CIFAR10", "476.57"), ("non-IID", "Split-CIFAR100", "215.5")],
)
def test_cflag_by_clients(setting, dataset, values):
    assert total(both(cflag_tables.BY_CLIENTS[setting, dataset].values())) == (10, Fraction(values), 0)


@pytest.mark.parametrize(
    ("datasets", "values", "deviations"),
    [(("CIFAR-100", "EMNIST"), "21.211", "1.84"), (("CORe50", "MiniImageNet"), "22.225", "1.77")],
)
def test_fedmes(datasets, values, deviations):
    results = [result for key, result in fedmes_tables.TABLE_1.items() if key[0] in datasets]
    assert total(both(results)) == (56, Fraction(values), Fraction(deviations))


@pytest.mark.parametrize(
    ("table", "count", "values", "deviations"),
    [
        (cfl_tables.TABLE_4, 7, "532.83", "1.53"),
        (cfl_tables.TABLE_5, 12, "764.07", "3.74"),
        (cfl_tables.TABLE_5_GAINS, 6, "3.59", "0"),
        (cfl_tables.TABLE_6, 12, "912.71", "2.56"),
        (cfl_tables.TABLE_7, 5, "393.41", "0.62"),
    ],
)
def test_cfl(table, count, values, deviations):
    numbers = [number for row in table.values() for number in row.values()]
    assert total(numbers) == (count, Fraction(values), Fraction(deviations))


def test_side_tables_of_special():
    pairs = special_side_tables.LANGUAGE, special_side_tables.NEW_CLASSES
    # The text prints BWT without its sign in the half that was counted
    counted = [sum(abs(n) for numbers in table.values() for n in numbers) for table in pairs]
    assert counted == [Fraction("442.22"), Fraction("518.73")]
    assert sum(special_side_tables.TIME.values()) == Fraction("8054.71")
    assert sum(special_side_tables.ROUNDS.values()) == 3312


def test_entries_by_eye():
    appendix = cflag_tables.TASK_INCREMENTAL["non-IID"]
    assert appendix["Split-CIFAR10", "C-FLAG"].forget.bold
    assert not appendix["Split-CIFAR10", "EWC-FL"].forget.bold
    assert cflag_tables.MAIN["non-IID"]["Split-CIFAR10", "EWC-FL"].forget.bold
    assert cflag_tables.TASK_INCREMENTAL["IID"]["Split-TinyImageNet", "C-FLAG"].acc.digit == Fraction(1, 10)
    assert cflag_tables.BY_CLIENTS["IID", "Split-CIFAR10"][50].forget.value == Fraction("2.39")
    assert fedmes_tables.TABLE_1["EMNIST", 20, "Ditto"].forget.value == Fraction("0.72")
    assert cfl_tables.TABLE_6["alpha = 0.2"]["MimeLite"].deviation == Fraction("0.26")
