"""Map of the information loss R and time drift D for which CFL is better than FedAvg in its noisy quadratic model.

At every point each method runs at its best rate for this point. The squared loss after the last round is exact. Rounds,
local steps and start are those of the variant with equal weights that is closest to Table 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bounds.cfl.nqm import CLIENT2, NOISE2, SETTINGS
from nqm.noisy_quadratic import ALL_EQUAL, FORGETFUL, Memory, after, balanced, remembering
from verify.curves.cfl_variants import best_rates, closest, described, rounds_of, spectrum, squared_start

DRIFTS = 10.0 ** np.linspace(-2, 2, 25)
"""D, the root of E|xi|^2."""
LOSSES = 10.0 ** np.linspace(-4, 2, 37)
"""R, the norm of the mean information loss about every past round. The grids are such that few ratios R/D occur."""
WORLD = "SL-SC"
SETTING = SETTINGS[f"SRD {WORLD}"]
AXES = 10
CURVATURE = spectrum(SETTING, AXES)
N_CLIENTS = (1, 10)
RATES = np.geomspace(1e-5, 1, 80) * 2 / SETTING.L

Squares = dict[str, np.ndarray]


def compute(seed: int) -> dict[str, Any]:
    """Loss of CFL relative to FedAvg, (R, D) by number of clients and weights; nothing is random."""
    found = described(closest(best_rates(), ("equal",)).place)
    variant = {name: found[name] for name in ("start", "rounds", "K")}
    fedavg, equal = (_squares(variant, memory) for memory in (FORGETFUL, ALL_EQUAL))
    theorem = {
        ratio: _squares(variant, remembering(balanced(np.array(ratio**2), np.array(1.0))))
        for ratio, _ in _by_ratio()
    }
    return {
        "shows": ["cfl.nqm.claims.outperforms"],
        "variant": {
            **variant,
            "axes": AXES,
            "start_loss": np.sqrt(squared_start(CURVATURE, variant["start"]).sum()),
        },
        "world": {"name": WORLD, "L": SETTING.L, "mu": SETTING.mu},
        "clients": N_CLIENTS,
        "D": DRIFTS,
        "R": LOSSES,
        "ratio": {
            str(n): {
                "equal": np.sqrt(_best(equal, n) / _best(fedavg, n)),
                "theorem": np.sqrt(_by_theorem(theorem, n) / _best(fedavg, n)),
            }
            for n in N_CLIENTS
        },
    }


def _by_ratio() -> Iterator[tuple[float, np.ndarray]]:
    """Yield each ratio R/D, which determines the weights of Theorem 4.1, with a mask of the points that have this ratio."""
    ratios = np.round(np.log10(LOSSES[:, None] / DRIFTS), 6)
    for ratio in np.unique(ratios):
        yield float(10.0**ratio), ratios == ratio


def _by_theorem(squares: dict[float, Squares], n_clients: int) -> np.ndarray:
    best = np.empty((len(LOSSES), len(DRIFTS)))
    for ratio, places in _by_ratio():
        best[places] = _best(squares[ratio], n_clients)[places]
    return best


def _squares(variant: dict[str, Any], memory: Memory) -> Squares:
    """Squared losses after the last round for each cause of size 1, at every rate; NaN where the method diverges."""
    now = after(rounds_of(CURVATURE, RATES, np.array(0), variant["K"]), memory, variant["rounds"])
    spread = {"client": now.client**2, "time": now.time, "noise": now.noise, "loss": now.loss**2}
    return {
        "start": now.start**2 @ squared_start(CURVATURE, variant["start"]),
        **{cause: response @ CURVATURE**2 / AXES for cause, response in spread.items()},
    }


def _best(squares: Squares, n_clients: int) -> np.ndarray:
    """Squared loss at the best rate, (R, D)."""
    fixed = float(CLIENT2) * squares["client"] + float(NOISE2) * squares["noise"]
    drifts = (fixed + DRIFTS[:, None] ** 2 * squares["time"]) / n_clients
    return np.nanmin(squares["start"] + drifts + LOSSES[:, None, None] ** 2 * squares["loss"], axis=-1)
