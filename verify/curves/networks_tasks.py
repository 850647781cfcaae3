"""Accuracies of a few methods along a stream of tasks, on the embedded digits: by round, and as a matrix."""

from __future__ import annotations

from typing import Any

from verify.networks.data.deals import by_dirichlet
from verify.networks.experiments import run
from verify.networks.setting import Setting
from verify.networks.training.measures import EVERY_ROUND

METHODS: dict[str, dict[str, float]] = {"fedavg": {}, "special": {"lam": 0.1}, "ewc": {}, "er": {}}
"""Methods with the hyperparameters that differ from those in `verify.networks.methods`."""

SEEDS = 8


def compute(seed: int) -> dict[str, Any]:
    """For each method, accuracies (task, round, test set) as means over seeds with their standard errors."""
    setting = Setting(by_dirichlet, rounds=10, seeds=SEEDS, seed=seed, alpha=1.0)
    curves = {}
    for name, numbers in METHODS.items():
        by_round = run(setting, name, numbers, EVERY_ROUND).by_round
        error = by_round.std(axis=0, ddof=1) / len(by_round) ** 0.5
        curves[name] = {"mean": by_round.mean(axis=0).tolist(), "error": error.tolist()}
    return {"shows": ["special.emp.acc-best"], "setting": setting.plain(), "curves": curves}
