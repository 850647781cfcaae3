"""ACC and BWT of SPECIAL and SPECIAL-C over lambda, on the embedded digits: lambda = 0 is FedAvg."""

from __future__ import annotations

from typing import Any

from verify.networks.data.deals import by_dirichlet
from verify.networks.experiments import run
from verify.networks.setting import Setting
from verify.scenes.metrics import acc, special_bwt

LAMBDAS = {
    "special": (0.0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
    "special-c": (0.0, 0.002, 0.005, 0.01, 0.02, 0.05),
}
"""Values of both penalties, each in the range where it has an effect. SPECIAL-C's penalty acts in every local step."""

SEEDS = 8


def compute(seed: int) -> dict[str, Any]:
    """Metrics (lambda, seed) of both methods, with the settings."""
    setting = Setting(by_dirichlet, rounds=10, seeds=SEEDS, seed=seed, alpha=1.0)
    found = {name: run(setting, name, {"lam": grid}).accuracy for name, grid in LAMBDAS.items()}
    return {
        "shows": ["special.emp.lam-bwt"],
        "setting": setting.plain(),
        "lam": {name: list(grid) for name, grid in LAMBDAS.items()},
        "acc": {name: acc(a).tolist() for name, a in found.items()},
        "bwt": {name: special_bwt(a).tolist() for name, a in found.items()},
    }
