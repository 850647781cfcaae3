"""Table 3 of CFL compared with the best learning rates of its model from exact moments, for every variant of the text."""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.cfl.nqm import BEST_RATES, SETTINGS
from verify.curves.cfl_variants import (
    METHODS,
    Closest,
    Found,
    best_rates,
    closest,
    described,
    members_of,
    printed_rates,
    rates_in,
)

TOLERANCE = 0.005
"""A printed rate is reproduced if it equals the computed one; rates are multiples of 0.01."""


def compute(seed: int) -> dict[str, Any]:
    """Printed rates, the rates of the closest variant, and the range over all variants; nothing is random."""
    found = best_rates()
    return {
        "shows": ["cfl.tab3"],
        "settings": list(SETTINGS),
        "printed": {row: [float(rate) for rate in rates.values()] for row, rates in BEST_RATES.items()},
        "variants": int(np.prod(found.rate.shape[1:-1])),
        "numbers": len(SETTINGS) * len(BEST_RATES),
        "closest": _closest(found, closest(found)),
        "hits": np.bincount(closest(found).hits.ravel()),
        "rows": {row: _over_readings(found, members) for row, members in members_of().items()},
        "outcome": _outcomes(found),
        "cfl_better": _share(found, found.loss, np.less),
        "cfl_rate_at_least": _share(found, found.rate, np.greater_equal),
    }


def _closest(found: Found, best: Closest) -> dict[str, Any]:
    return {
        "variant": described(best.place),
        "hits": best.hits[best.place],
        "within_half": best.near[best.place],
        "rates": rates_in(found, best),
        "pull": METHODS[best.methods["FedProx"]].pull,
        "weights": METHODS[best.methods["CFL"]].present,
    }


def _over_readings(found: Found, members: list[int]) -> dict[str, np.ndarray]:
    """By setting: range of the best rates over variants, and the share of variants that give the printed one."""
    rates = found.rate[..., members].reshape(len(SETTINGS), -1)
    same = np.abs(found.rate - printed_rates())[..., members].reshape(len(SETTINGS), -1) < TOLERANCE
    return {"low": rates.min(axis=1), "high": rates.max(axis=1), "share": same.mean(axis=1)}


def _outcomes(found: Found) -> dict[str, list[str]]:
    """The outcome of each printed number, by row and setting."""
    best = closest(found)
    same = np.abs(found.rate - printed_rates()) < TOLERANCE
    outcome = {}
    for row, members in members_of().items():
        here = same[(..., *best.place, best.methods[row])]
        somewhere = same[..., members].reshape(len(SETTINGS), -1).any(axis=1)
        words = ("in the closest variant", "in another variant", "in no variant")
        outcome[row] = [
            words[0] if a else words[1] if b else words[2] for a, b in zip(here, somewhere, strict=True)
        ]
    return outcome


def _share(found: Found, values: np.ndarray, compare: Any) -> np.ndarray:
    """By setting: share of variants for which ``compare(CFL with equal weights, FedAvg)`` is true."""
    cfl, fedavg = members_of(("equal",))["CFL"][0], members_of()["FedAvg"][0]
    held = compare(values[..., cfl], values[..., fedavg])
    return held.reshape(len(SETTINGS), -1).mean(axis=1)
