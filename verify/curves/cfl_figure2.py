"""Reproduction of Figure 2 of CFL: loss over rounds from exact moments, for the variant with equal weights closest to Table 3.

Every method runs at its best rate in this variant; CFL with information loss runs at the best rate of CFL without. The start
is 1 in every axis, so the signal of the variant determines the number of clients. The information loss acts on every
gradient, as the text states. Its mean along each axis of A has the square I^2, as for a random U.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.cfl.nqm import CLIENT2, LEVELS, NOISE2, SETTINGS, Setting
from nqm.noisy_quadratic import (
    ALL_EQUAL,
    FORGETFUL,
    Causes,
    Memory,
    losing_everywhere,
    of_new_clients,
    responses,
    variance,
)
from verify.curves.cfl_variants import (
    METHODS,
    best_rates,
    closest,
    described,
    rates_in,
    rounds_of,
    spectrum,
    squared_start,
)

SPREAD = {"stay": variance, "new": of_new_clients}


def compute(seed: int) -> dict[str, Any]:
    """Root mean square of |Aw + B| by setting and method, (T + 1,) each; nothing is random."""
    found = best_rates()
    best = closest(found, ("equal",))
    variant = described(best.place)
    rates = rates_in(found, best)
    pull = METHODS[best.methods["FedProx"]].pull
    curves = {
        name: {
            "FedAvg": path(setting, variant, rates["FedAvg"][s], FORGETFUL),
            "FedProx": path(setting, variant, rates["FedProx"][s], FORGETFUL, pull=pull),
            **{
                label: path(
                    setting, variant, rates["CFL"][s], losing_everywhere(ALL_EQUAL), level=float(level)
                )
                for label, level in LEVELS.items()
            },
        }
        for s, (name, setting) in enumerate(SETTINGS.items())
    }
    return {
        "shows": ["cfl.nqm.claims.outperforms"],
        "variant": {**variant, "clients_in_round": n_clients(variant), "pull": pull},
        "rounds": np.arange(int(variant["rounds"]) + 1),
        "rates": {row: dict(zip(SETTINGS, by_setting, strict=True)) for row, by_setting in rates.items()},
        "levels": {label: float(level) for label, level in LEVELS.items()},
        "curves": curves,
    }


def n_clients(variant: dict[str, Any]) -> float:
    """The number N of clients for which a start of 1 in every axis has the signal of the variant."""
    return float(variant["signal"] / variant["axes"])


def path(
    setting: Setting, variant: dict[str, Any], rate: float, memory: Memory, pull: float = 0, level: float = 0
) -> np.ndarray:
    """Root mean square loss before the first and after every round, (T + 1,)."""
    curvature = spectrum(setting, variant["axes"])
    local = rounds_of(curvature, np.array([rate]), np.array(pull), variant["K"])
    causes = Causes(
        start=0,
        client=float(CLIENT2) / len(curvature),
        time=float(setting.drift2) / len(curvature),
        noise=float(NOISE2) / len(curvature),
        level_noise=level / 1000,
        n_clients=n_clients(variant),
    )
    squares = []
    for now in responses(local, memory, variant["rounds"]):
        left = squared_start(curvature, variant["start"]) * now.start**2
        spread = SPREAD[variant["clients"]](now, causes) + (now.loss * level) ** 2
        squares.append((left + curvature**2 * spread).sum())
    return np.sqrt(squares)
