"""Figure 2 of CFL again: loss over rounds by exact moments, under the reading with equal weights closest to Table 3.

Every method runs at its best rate of that reading; CFL with information loss at that of CFL without. The start is 1
in every axis, so the reading's signal says how many clients there are. The information loss is on every gradient, as
the text says it; along the axes of A its mean has the square I^2, as for a random U.
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
from verify.curves.cfl_readings import (
    METHODS,
    best_rates,
    closest,
    described,
    rates_in,
    rounds_of,
    spectrum,
    started,
)

SPREAD = {"stay": variance, "new": of_new_clients}


def compute(seed: int) -> dict[str, Any]:
    """Root mean square of |Aw + B| by setting and method, (T + 1,) each; nothing is random."""
    found = best_rates()
    best = closest(found, ("equal",))
    reading = described(best.place)
    rates = rates_in(found, best)
    pull = METHODS[best.methods["FedProx"]].pull
    curves = {
        name: {
            "FedAvg": path(setting, reading, rates["FedAvg"][s], FORGETFUL),
            "FedProx": path(setting, reading, rates["FedProx"][s], FORGETFUL, pull=pull),
            **{
                label: path(
                    setting, reading, rates["CFL"][s], losing_everywhere(ALL_EQUAL), level=float(level)
                )
                for label, level in LEVELS.items()
            },
        }
        for s, (name, setting) in enumerate(SETTINGS.items())
    }
    return {
        "shows": ["cfl.nqm.claims.outperforms"],
        "reading": {**reading, "clients_in_round": n_clients(reading), "pull": pull},
        "rounds": np.arange(int(reading["rounds"]) + 1),
        "rates": {row: dict(zip(SETTINGS, by_setting, strict=True)) for row, by_setting in rates.items()},
        "levels": {label: float(level) for label, level in LEVELS.items()},
        "curves": curves,
    }


def n_clients(reading: dict[str, Any]) -> float:
    """N at which a start of 1 in every axis has the reading's signal."""
    return float(reading["signal"] / reading["axes"])


def path(
    setting: Setting, reading: dict[str, Any], rate: float, memory: Memory, pull: float = 0, level: float = 0
) -> np.ndarray:
    """Root mean square loss before the first and after every round, (T + 1,)."""
    curvature = spectrum(setting, reading["axes"])
    local = rounds_of(curvature, np.array([rate]), np.array(pull), reading["K"])
    causes = Causes(
        start=0,
        client=float(CLIENT2) / len(curvature),
        time=float(setting.drift2) / len(curvature),
        noise=float(NOISE2) / len(curvature),
        level_noise=level / 1000,
        n_clients=n_clients(reading),
    )
    squares = []
    for now in responses(local, memory, reading["rounds"]):
        left = started(curvature, reading["start"]) * now.start**2
        spread = SPREAD[reading["clients"]](now, causes) + (now.loss * level) ** 2
        squares.append((left + curvature**2 * spread).sum())
    return np.sqrt(squares)
