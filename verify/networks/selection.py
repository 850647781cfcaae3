"""Select hyper-parameters on images and seeds that are not used for judging: `METHODS` has the selected ones.

    python -m verify.networks.selection --algorithms ewc fedprox --json results/selection.json

evaluates the same number of candidates for every method on validation images. It has the options of `python -m
verify.networks` with other defaults. The results are in ``docs/networks-results.md``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verify.engine.work.errors import UsageError
from verify.networks.data.splits import TUNING_FIRST
from verify.networks.main import each, guarded, settings_of, trained, world_of
from verify.networks.options import parsed_options, parser, setting_of

APART = {"seeds": 3, "tasks": 4, "rounds": 10, "first": TUNING_FIRST, "part": "validation"}
"""Settings of the runs of each candidate: shorter than in the comparison, with seeds and images that it does not use."""

N_CANDIDATES = 8
"""Number of candidates of each method, independent of its number of hyperparameters."""

Range = tuple[float, float]
RATE: Range = (0.03, 1.0)
SMALL: Range = (0.003, 0.3)
"""Range of step sizes for methods that are unstable with larger ones."""
STRENGTH: Range = (0.001, 10.0)
"""Range of the strength of proximal terms, penalties and distillation."""


def of_both(name: str, **ranges: Range) -> dict[str, dict[str, Range]]:
    """The same ranges for the method as printed in a paper and for its released code."""
    return {f"{name}/{version}": ranges for version in ("paper", "released")}


RANGES: Mapping[str, Mapping[str, Range]] = {
    "fedavg": {"local_lr": RATE},
    "fedprox": {"local_lr": RATE, "mu": STRENGTH},
    "scaffold": {"local_lr": RATE},
    "mimelite": {"local_lr": SMALL, "momentum": (0.1, 0.9)},
    "fedtrack": {"local_lr": SMALL},
    "special": {"local_lr": RATE, "lam": STRENGTH},
    "special-c": {"local_lr": RATE, "lam": STRENGTH},
    "cflag": {"alpha": RATE, "beta": SMALL},
    "cflag-adaptive": {"alpha": (0.01, 0.19), "beta": SMALL},
    "nccl": {"alpha": SMALL, "smoothness": (0.3, 3.0)},
    "er": {"local_lr": RATE, "memory_share": (0.3, 0.7)},
    "fedagem": {"local_lr": RATE},
    "icarl": {"local_lr": RATE, "lam": (0.1, 1.0)},
    "ewc": {"local_lr": RATE, "lam": STRENGTH},
    "lwf": {"local_lr": RATE, "lam": STRENGTH},
    "flwf-2t": {"local_lr": RATE, "alpha": (0.3, 0.7), "beta": (0.05, 0.25)},
    "cfl-regularization": {"local_lr": SMALL},
    "cfl-core-set": {"local_lr": RATE},
    "fedmes": {"local_lr": SMALL, "correction_lr": RATE},
    "ditto": {"local_lr": RATE, "personal_lr": RATE, "lam": STRENGTH},
    "fedrep": {"local_lr": RATE},
    "cfl-mcmc": {"local_lr": RATE},
    "pfeddil": {"local_lr": RATE, "lam": (0.5, 0.95), "migration": (0.001, 1.0)},
    "re-fed": {"local_lr": RATE, "personal_lr": RATE, "lam": (0.1, 0.9)},
    **of_both("target", local_lr=RATE, kd=STRENGTH),
    **of_both("mfcl", local_lr=RATE, kd=STRENGTH, ft=STRENGTH),
    **of_both("fedcil", local_lr=RATE, generator_lr=(0.0003, 0.03)),
    **of_both("fedweit", local_lr=RATE, sparsity=(1e-5, 1e-2), drift=(0.1, 10.0)),
}
"""Method -> hyperparameter -> least and largest value; candidates are spread evenly between them on a logarithmic scale. The
numbers for prediction in FedMeS are left out, since they do not affect its training."""


def main(argv: Sequence[str] | None = None) -> int:
    """Try all candidates of some methods; exit status 0: done, 2: wrong usage."""
    asked = parser()
    asked.prog = "python -m verify.networks.selection"
    asked.description = "Compare methods with themselves at all their candidates for numbers."
    asked.set_defaults(**APART)
    options = parsed_options(asked, argv)
    return guarded(options, lambda: _select(options))


def _select(options: argparse.Namespace) -> int:
    from verify.networks.own import registered

    options.registered = registered(tuple(options.own))
    names = options.algorithms or list(RANGES)
    for name in names:
        if name not in RANGES:
            raise UsageError(f"`--algorithms` knows {', '.join(RANGES)}, got {name!r}.")
    if options.list:
        print("\n".join(f"{name:<22} {dict(RANGES[name])}" for name in names))
        return 0
    from verify.engine.records.files import write_json
    from verify.networks.report import table

    found = {}
    for name, results in each(options, summaries_of_candidates, names):
        found[name] = {"selected": selected(results), "candidates": results}
        print(f"{table(results)}\nselected: {found[name]['selected']}\n", flush=True)
        if options.json:
            methods = {name: found[name] for name in names if name in found}
            write_json(options.json, {"settings": settings_of(options), "methods": methods})
    return 0


def selected(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The candidate with the highest mean ACC among those with the fewest diverged runs; ties go to the first."""
    return max(results, key=lambda one: (-results[one]["diverged"], results[one]["metrics"]["acc"]["mean"]))


def candidates(name: str) -> list[dict[str, float]]:
    """`N_CANDIDATES` points of Sobol's sequence in the ranges of a method, rounded to two digits."""
    import numpy as np
    from scipy.stats import qmc

    ranges = RANGES[name]
    low, high = np.log(np.array(list(ranges.values())).T)
    points = qmc.Sobol(len(ranges), seed=0).random(N_CANDIDATES)
    values = np.exp(low + points * (high - low))
    return [
        {number: float(f"{value:.2g}") for number, value in zip(ranges, row, strict=True)} for row in values
    ]


def summaries_of_candidates(name: str, options: argparse.Namespace) -> tuple[str, dict[str, dict[str, Any]]]:
    """Summaries of the candidates of a method; keys are its name and numbers in the form of the command line."""
    from verify.networks.methods import ALONE
    from verify.networks.own import install
    from verify.networks.report import summary
    from verify.networks.setting import algorithm_of

    install(options.registered)
    (world, draws), settings = world_of(options), settings_of(options, name)
    grid, parts = candidates(name), []
    for some in [[one] for one in grid] if name in ALONE else [grid]:
        made = algorithm_of(setting_of(options), name, _together(some, world.device), world)
        key = {**settings, "candidates": some}
        done, memory = trained(options, world, draws, made, name, key, (len(some),) if len(some) > 1 else ())
        parts += [summary(one, memory) for one in _each(done, len(some))]
    texts = [f"{name}:{','.join(f'{number}={value:g}' for number, value in one.items())}" for one in grid]
    return name, dict(zip(texts, parts, strict=True))


def _together(some: Sequence[Mapping[str, float]], device: str) -> dict[str, Any]:
    """Numbers of several candidates along an axis before that of the runs; those of a single one as they are."""
    import torch

    if len(some) == 1:
        return dict(some[0])
    return {number: torch.tensor([one[number] for one in some], device=device)[:, None] for number in some[0]}


def _each(trained: Any, count: int) -> list[Any]:
    """What became of each of `count` candidates that were trained together, as `training.train.Trained`."""

    def apart(values: Any, n_axes: int) -> Any:
        return values.reshape(count, *values.shape[-n_axes:])

    parts = apart(trained.accuracy, 3), apart(trained.by_round, 4), apart(trained.models, 3)
    return [
        replace(trained, accuracy=accuracy, by_round=by_round, models=models, seconds=trained.seconds / count)
        for accuracy, by_round, models in zip(*parts, strict=True)
    ]


if __name__ == "__main__":
    raise SystemExit(main())
