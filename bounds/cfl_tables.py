"""CFL: its tables of results on images, as printed (percent)."""

from __future__ import annotations

from collections.abc import Mapping

from bounds.printed import Number, rows


def _columns(names: tuple[str, ...], text: str) -> Mapping[str, Mapping[str, Number]]:
    """Lines of a name and one number for each column: by column, then by the name of the line."""
    found = rows(text)
    return {name: {line: found[line][column] for line in found} for column, name in enumerate(names)}


APPROXIMATIONS: Mapping[str, Number] = {
    name: value
    for name, (value,) in rows(
        """
        PyHessian 74.15±0.66
        Fisher 73.70±0.39
        Naive-small 77.84±0.06
        Naive-large 78.90±0.09
        iCaRL-small 76.97±0.16
        iCaRL-large 77.09±0.09
        MCMC 74.18±0.08
        """
    ).items()
}
"""Table 4: split-CIFAR10 with alpha = 0.2 after 300 rounds, lines 374-379."""

BY_DATASET = _columns(
    ("Fashion-MNIST", "CIFAR10", "CIFAR100"),
    """
    FedAvg 86.75±0.14 70.51±0.19 49.97±0.19
    CFL-Regularization 87.02±0.21 70.86±0.31 50.69±0.06
    CFL-Core-Set 88.32±0.12 81.48±0.24 53.17±0.08
    CFL-Regularization-Full 77.37±0.63 33.09±1.45 14.84±0.12
    """,
)
"""Table 5: 500 rounds; by data set and method, lines 381-388."""

IMPROVEMENT = _columns(
    ("Fashion-MNIST", "CIFAR10", "CIFAR100"),
    """
    Absolute 0.27 0.35 0.72
    Ratio 0.31 0.50 1.44
    """,
)
"""Table 5, lower part: improvement of CFL-Regularization over FedAvg, in points and in percent, lines 390-393."""

BASELINES = _columns(
    ("0.1", "0.2"),
    """
    FedAvg 70.51±0.19 77.98±0.36
    FedProx 71.57±0.17 78.40±0.22
    MimeLite 69.55±0.36 78.65±0.26
    CFL-Core-Set 81.48±0.24 84.41±0.11
    CFL-Regularization 70.86±0.31 78.76±0.26
    CFL-Regularization+FedProx 71.50±0.07 79.04±0.01
    """,
)
"""Table 6: split-CIFAR10 after 500 rounds; by alpha and method, lines 422-428."""

STATELESS = {
    name: value
    for name, (value,) in rows(
        """
        FedAvg 78.07±0.06
        MimeLite 78.47±0.19
        FedProx 78.48±0.05
        CFL-Regularization 79.07±0.25
        CFL-Regularization+FedProx 79.32±0.07
        """
    ).items()
}
"""Table 7: stateless clients, split-CIFAR10 with alpha = 0.2, lines 430-435."""

APPLICABLE: Mapping[str, Mapping[str, bool]] = {
    "stateful": {
        "FedAvg": True,
        "FedProx": True,
        "SCAFFOLD": False,
        "MimeLite": True,
        "CFL-Regularization": True,
        "CFL-Core-Set": True,
    },
    "stateless": {
        "FedAvg": True,
        "FedProx": True,
        "SCAFFOLD": False,
        "MimeLite": True,
        "CFL-Regularization": True,
        "CFL-Core-Set": False,
    },
}
"""Table 8: whether a method applies, by scenario, lines 1121-1127."""
