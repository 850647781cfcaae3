"""SPECIAL: its tables beside the main ones, as printed: cost, language, new classes; and what is in bold."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.printed import rows
from bounds.special.tables import DATASETS

BEST_BWT: Mapping[int, tuple[str, ...]] = {
    4: ("SPECIAL-C", "SPECIAL", "FLwF-2T", "pFedDIL"),
    2: ("pFedDIL", "SPECIAL", "FLwF-2T", "FedCIL"),
    6: ("pFedDIL", "SPECIAL", "FLwF-2T", "pFedDIL"),
    8: ("pFedDIL", "SPECIAL", "FLwF-2T", "pFedDIL"),
}
"""Whose BWT is in bold in Tables 1, 16, 21 and 26, by sampled clients, in the order of `DATASETS`.

Every ACC in bold is SPECIAL's.
"""

_COST = rows(
    """
    FedAvg 83 191.27 77 267.46 84 25.44 171 15.87
    FedProx 72 483.19 68 290.42 7 55.28 157 17.04
    FedCIL 68 523.16 65 382.20 81 38.24 165 17.85
    MFCL 77 969.01 71 491.46 83 129.13 160 38.77
    SR-FDIL 71 357.34 62 313.21 76 50.64 161 18.42
    pFedDIL 76 699.43 69 519.31 84 75.69 167 30.71
    FLwF-2T 67 247.90 59 291.40 76 43.43 156 19.33
    SPECIAL-C 74 518.26 61 283.86 75 91.98 159 19.43
    SPECIAL 63 200.66 55 294.76 67 26.93 145 16.23
    """
)
ROUNDS: Mapping[tuple[str, str], Fraction] = {
    (dataset, method): numbers[2 * column].value
    for method, numbers in _COST.items()
    for column, dataset in enumerate(DATASETS)
}
"""Table 3, line 259: rounds to the best performance, summed over tasks.

The transcription prints every number of this table twice in a row, except those in bold, and gives 77 for FedProx on
PACS, which is not in bold: 7, or 77 printed once.
"""

TIME: Mapping[tuple[str, str], Fraction] = {
    (dataset, method): numbers[2 * column + 1].value
    for method, numbers in _COST.items()
    for column, dataset in enumerate(DATASETS)
}
"""Table 3: time per round, in seconds, for DN4IL in minutes."""

SECOND: Mapping[str, tuple[str, ...]] = {
    "rounds": ("FLwF-2T", "FLwF-2T", "SPECIAL-C", "FLwF-2T"),
    "time": ("SPECIAL", "SPECIAL-C", "SPECIAL", "SPECIAL"),
}
"""Whose numbers are underlined in Table 3, in the order of `DATASETS`; in bold are SPECIAL's rounds and FedAvg's times."""

PLAIN = ("FedAvg", "FedProx")
"""Methods of Table 3 without a mechanism of knowledge transfer ("Standard-FL")."""

LANGUAGE: Mapping[str, tuple[Fraction, ...]] = {
    method: tuple(n.value for n in numbers)
    for method, numbers in rows(
        """
        FedAvg 65.19±0.26 -7.00±0.62
        FedProx 58.91±1.31 -16.80±0.98
        pFedDIL 66.13±3.24 -6.80±2.06
        FLwF-2T 69.15±0.52 -5.50±0.68
        SPECIAL-C 61.37±1.89 -6.64±1.25
        SPECIAL 74.70±0.78 -4.03±2.93
        """
    ).items()
}
"""Table 4, line 280: ACC and BWT (percent)."""

NEW_CLASSES: Mapping[str, tuple[Fraction, ...]] = {
    method: tuple(n.value for n in numbers)
    for method, numbers in rows(
        """
        FedAvg 37.92 -29.64
        FedProx 37.32 -27.51
        FedCIL 31.73 -21.19
        MFCL 28.37 -27.64
        SR-FDIL 35.43 -32.28
        pFedDIL 31.72 -12.61
        FLwF-2T 38.65 -23.76
        SPECIAL-C 34.60 -18.68
        SPECIAL 40.68 -9.00
        """
    ).items()
}
"""Table 14, line 939: ACC and BWT on Split CIFAR-100 with new classes (percent)."""

MEMORY: Mapping[str, Fraction] = {
    method: numbers[0].value
    for method, numbers in rows(
        """
        FedAvg 42.69 1.54
        FedProx 42.69 1.73
        FedCIL 59.05 1.93
        MFCL 117.8 3.28
        SR-FDIL 55.82 2.29
        pFedDIL 130.15 3.65
        FLwF-2T 85.38 1.59
        SPECIAL-C 85.38 1.58
        SPECIAL 42.69 1.56
        """
    ).items()
}
"""Table 15, line 955: memory overhead of a client (MiB); its second column is the peak (GiB)."""

HELD: Mapping[str, int] = {"FedAvg": 1, "FedProx": 2, "FLwF-2T": 3, "SPECIAL-C": 2, "SPECIAL": 1}
"""Models of full size that a client holds at once while it trains.

Beside its own: FedProx the global model that its penalty pulls to, SPECIAL-C the model of the last task, FLwF-2T the
client's own of the last task and the server's as teachers. The anchor of SPECIAL stays on the server.
"""
