"""SPECIAL: its main tables of results and the sweeps beside them, as printed.

ACC and BWT are percent, with the standard deviation over three seeds, as exact fractions of their printed digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

DATASETS = ("Digit-10", "VLCS", "PACS", "DN4IL")
TASKS: Mapping[str, tuple[str, ...]] = {
    "Digit-10": ("USPS", "SVHN", "EMNIST", "MNIST"),
    "VLCS": ("Caltech101", "LabelMe", "SUN09", "VOC2007"),
    "PACS": ("Sketch", "Cartoon", "Photo", "Art Painting"),
    "DN4IL": ("Sketch", "Infograph", "Painting", "Quickdraw", "Real", "Clipart"),
}
FRACTION_DIGIT = Fraction(1, 10_000)
PERCENT_DIGIT = Fraction(1, 100)
"""One unit of the last printed digit of a fraction, and of a percentage."""


@dataclass(frozen=True)
class Measured:
    """Mean and standard deviation over seeds (percent)."""

    mean: Fraction
    deviation: Fraction


@dataclass(frozen=True)
class MainTable:
    """ACC and BWT by (dataset, method), with `sampled` of 8 clients per round."""

    number: int
    sampled: int
    lines: str
    acc: Mapping[tuple[str, str], Measured]
    bwt: Mapping[tuple[str, str], Measured]


def lines_of(text: str) -> dict[str, list[Fraction]]:
    """Method and numbers of each line."""
    words = (line.split() for line in text.strip().splitlines())
    return {name: [Fraction(number) for number in numbers] for name, *numbers in words}


def _measured(text: str, columns: int) -> dict[tuple[int, str], Measured]:
    rows = lines_of(text)
    return {
        (column, name): Measured(numbers[2 * column], numbers[2 * column + 1])
        for name, numbers in rows.items()
        for column in range(columns)
    }


def _main(number: int, sampled: int, lines: str, text: str) -> MainTable:
    found = _measured(text, 2 * len(DATASETS))
    acc = {(DATASETS[c // 2], name): value for (c, name), value in found.items() if c % 2 == 0}
    bwt = {(DATASETS[c // 2], name): value for (c, name), value in found.items() if c % 2 == 1}
    return MainTable(number, sampled, lines, acc, bwt)


_MAIN = (
    _main(
        1,
        4,
        "214",
        """
        FedAvg 58.69 2.06 -40.44 2.07 51.22 1.65 -9.22 3.78 37.79 0.81 -22.32 3.48 16.47 0.16 -33.91 0.11
        FedProx 58.99 2.51 -30.19 2.07 48.24 1.53 -3.86 1.11 42.99 0.97 -19.48 2.01 21.17 0.21 -21.40 0.34
        FedCIL 50.95 1.66 -27.56 4.97 48.84 0.69 -8.88 3.55 35.11 0.77 -10.30 2.08 14.29 0.41 -23.01 0.15
        MFCL 61.15 1.43 -19.58 2.02 42.89 5.95 -11.03 1.99 34.68 1.05 -14.84 4.21 19.00 1.06 -21.78 1.20
        SR-FDIL 61.63 1.47 -36.38 2.64 49.38 2.47 -3.22 7.26 44.92 0.92 -16.05 1.58 21.40 0.25 -33.38 0.57
        pFedDIL 46.17 2.16 -20.21 0.31 52.44 1.93 -8.71 5.87 39.76 1.98 -21.85 0.86 12.47 0.30 -4.63 0.14
        FLwF-2T 47.39 5.35 -33.02 4.94 53.24 1.43 -0.32 6.25 43.04 2.49 -8.12 5.24 23.21 0.49 -16.29 0.15
        SPECIAL-C 50.61 2.89 -16.42 0.57 51.17 0.44 -8.98 4.13 43.30 0.84 -16.40 1.06 19.88 0.34 -23.21 0.43
        SPECIAL 62.12 0.18 -21.78 2.94 54.92 1.60 -0.11 2.51 45.29 0.92 -11.66 1.13 24.30 0.15 -19.50 0.41
        """,
    ),
    _main(
        16,
        2,
        "971",
        """
        FedAvg 54.68 1.95 -32.72 1.76 34.58 4.26 -16.58 7.02 32.58 2.49 -17.15 7.17 18.07 0.29 -12.78 0.53
        FedProx 53.12 0.60 -35.88 0.76 47.97 0.93 -34.38 3.44 30.04 1.29 -26.27 2.93 19.52 0.16 -12.32 0.46
        FedCIL 22.94 1.74 -26.14 4.40 38.40 2.62 -1.45 3.70 27.89 2.65 -13.33 4.72 13.18 0.51 -8.30 0.43
        MFCL 46.68 3.98 -19.35 4.79 43.15 2.11 -3.25 1.01 23.31 1.97 -10.58 5.08 17.47 0.63 -11.20 0.76
        SR-FDIL 56.50 3.73 -27.79 3.79 45.64 3.30 -14.31 5.22 30.94 3.17 -14.33 4.49 19.04 0.13 -12.63 0.71
        pFedDIL 42.15 0.71 -14.72 1.52 43.84 2.82 -3.85 3.56 21.23 1.22 -19.16 0.92 12.41 0.23 -11.85 0.05
        FLwF-2T 38.27 1.70 -17.51 1.28 48.63 3.68 -7.98 2.51 25.15 4.44 -10.14 2.45 19.72 0.18 -14.99 0.45
        SPECIAL-C 48.86 2.43 -16.18 3.66 43.93 4.99 -14.94 3.21 31.39 1.56 -15.87 4.50 18.18 0.27 -15.93 0.60
        SPECIAL 57.57 4.08 -16.13 2.60 50.18 4.06 -0.09 0.81 33.50 2.41 -12.83 2.84 21.20 0.27 -10.74 0.58
        """,
    ),
    _main(
        21,
        6,
        "1030",
        """
        FedAvg 59.87 1.70 -32.48 1.67 44.16 2.28 -17.08 3.74 38.82 1.90 -22.61 3.39 20.90 0.24 -12.00 0.13
        FedProx 58.96 1.37 -32.76 2.36 47.49 1.14 -34.49 1.32 39.98 0.97 -27.67 4.06 20.52 0.22 -12.42 0.36
        FedCIL 50.48 1.31 -28.42 1.97 51.70 1.66 -1.99 1.45 32.63 2.96 -12.56 2.041 11.82 0.53 -13.96 0.25
        MFCL 58.14 4.23 -25.14 2.23 29.24 3.37 -17.52 2.45 35.93 1.67 -16.41 6.99 20.59 0.36 -11.56 1.97
        SR-FDIL 59.37 0.43 -28.96 2.93 45.82 2.61 -22.78 6.97 35.78 0.60 -23.09 2.61 21.11 1.09 -12.26 2.21
        pFedDIL 42.77 3.02 -9.35 0.42 51.70 4.08 -1.42 3.49 23.03 2.86 -19.35 3.97 11.20 0.89 -2.77 1.66
        FLwF-2T 45.09 0.71 -15.34 1.87 52.84 1.34 -0.29 1.15 27.88 3.12 -8.87 4.30 20.20 0.88 -12.24 0.33
        SPECIAL-C 55.07 0.76 -23.61 2.25 44.46 7.47 -14.41 5.32 37.57 2.85 -22.14 3.95 20.07 1.32 -11.82 2.43
        SPECIAL 62.88 0.77 -25.15 0.41 53.61 3.41 0.00 3.54 40.92 2.72 -12.41 1.41 21.28 0.65 -10.76 0.91
        """,
    ),
    _main(
        26,
        8,
        "1089",
        """
        FedAvg 61.18 1.21 -28.78 1.02 51.91 3.17 -26.58 4.78 42.09 0.41 -20.70 1.87 21.04 0.04 -12.15 0.34
        FedProx 55.23 1.82 -28.32 0.88 53.36 1.04 -34.45 1.13 42.91 1.44 -29.27 1.04 20.32 2.31 -10.03 1.25
        FedCIL 49.25 0.88 -27.60 5.04 46.31 3.73 -7.81 1.66 35.35 0.65 -14.55 1.11 14.33 0.22 -10.23 0.65
        MFCL 60.17 3.04 -23.87 6.30 47.30 3.50 -6.40 0.05 35.80 1.97 -18.82 5.67 19.21 0.97 -9.19 0.99
        SR-FDIL 63.57 0.61 -28.42 0.39 44.79 1.56 -19.04 1.47 42.90 1.81 -23.69 1.64 21.46 1.07 -11.40 1.00
        pFedDIL 43.31 1.88 -9.83 1.27 50.00 2.22 -4.94 1.67 24.11 0.95 -19.10 1.97 10.51 0.65 -3.47 1.21
        FLwF-2T 61.33 1.15 -24.10 6.31 52.43 0.79 -3.35 2.76 27.47 0.79 -9.28 1.62 20.00 0.78 -14.51 1.65
        SPECIAL-C 56.25 0.55 -22.85 1.86 44.14 2.59 -16.00 2.38 42.50 2.02 -21.14 1.42 20.14 0.93 -11.71 0.22
        SPECIAL 64.37 1.21 -24.14 2.36 55.39 2.31 -2.22 3.49 44.63 0.81 -18.65 2.39 21.70 0.74 -8.34 1.61
        """,
    ),
)
MAIN: Mapping[int, MainTable] = {table.sampled: table for table in _MAIN}
"""Tables 1, 16, 21 and 26, by the number of sampled clients; mean and deviation of ACC and BWT by dataset."""

_WORST = _measured(
    """
    FedAvg -54.73 2.32 -9.64 5.83 -30.37 3.93 -78.81 0.80
    FedProx -52.60 1.49 -12.22 4.81 -26.38 2.44 -30.49 1.27
    FedCIL -41.14 7.39 -8.54 6.94 -16.35 3.80 -38.38 0.18
    MFCL -26.31 3.15 -9.69 4.83 -20.73 3.90 -37.65 3.28
    SR-FDIL -52.76 4.71 -10.47 5.06 -29.41 2.72 -58.32 0.44
    pFedDIL -33.86 5.47 -12.13 3.74 -27.93 0.68 -36.76 1.01
    FLwF-2T -38.60 4.37 -7.59 2.83 -26.29 8.47 -36.87 0.05
    SPECIAL-C -28.06 1.77 -9.64 1.47 -25.10 2.13 -25.87 0.35
    SPECIAL -34.37 6.65 -5.84 5.26 -20.38 3.83 -37.46 1.28
    """,
    len(DATASETS),
)
WORST_DROP: Mapping[tuple[str, str], Measured] = {
    (DATASETS[c], name): value for (c, name), value in _WORST.items()
}
"""Table 8, by dataset and method."""

STRENGTHS: Mapping[str, Mapping[str, Fraction]] = {
    metric: dict(zip(("0", "0.2", "0.4", "0.6", "0.8", "1.0"), values, strict=True))
    for metric, values in lines_of(
        """
        ACC 47.89 50.26 46.73 45.37 42.77 38.01
        BWT -10.45 -8.81 -6.22 -2.54 -1.34 2.56
        """
    ).items()
}
"""Table 13: ACC and BWT of SPECIAL-C on Digit-10, by lambda."""
