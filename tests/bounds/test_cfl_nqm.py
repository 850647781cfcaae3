"""The noisy quadratic model of CFL: the printed numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bounds.cfl.nqm import BEST_RATES, LEVELS, SETTINGS, STATEMENTS


def test_settings_are_the_columns_of_table_3() -> None:
    kinds = ("SL-SC", "LL-SC", "SL-GC", "LL-GC")
    assert list(SETTINGS) == [f"{drift} {kind}" for drift in ("SRD", "BRD") for kind in kinds]


@pytest.mark.parametrize(
    ("name", "L", "mu", "drift2"),
    [
        ("SRD SL-SC", 5, 1, "0.01"),
        ("SRD LL-GC", 20, 0, "0.01"),
        ("BRD LL-SC", 20, 1, "100"),
        ("BRD SL-GC", 5, 0, "100"),
    ],
)
def test_settings_have_the_printed_constants(name: str, L: int, mu: int, drift2: str) -> None:
    setting = SETTINGS[name]
    assert (setting.L, setting.mu, setting.drift2) == (L, mu, Fraction(drift2))


def test_rates_of_table_3() -> None:
    assert sum(len(rates) for rates in BEST_RATES.values()) == 24
    assert BEST_RATES["FedAvg"]["SRD SL-GC"] == Fraction(33, 100)
    assert BEST_RATES["FedProx"]["BRD SL-GC"] == Fraction(26, 100)
    assert BEST_RATES["CFL"]["BRD SL-SC"] == Fraction(1, 4)
    sums = {row: sum(rates.values()) for row, rates in BEST_RATES.items()}
    assert sums == {"FedAvg": Fraction("0.67"), "FedProx": Fraction("0.86"), "CFL": Fraction("1.44")}


def test_levels_are_those_of_figure_2() -> None:
    assert {name: float(level) for name, level in LEVELS.items()} == {
        "CFL": 0,
        "CFL-0.001": 0.001,
        "CFL-0.01": 0.01,
    }


def test_ids_are_those_of_the_catalogue() -> None:
    assert {statement.id.split("/")[0].split(".")[1] for statement in STATEMENTS} == {"nqm", "tab3"}
