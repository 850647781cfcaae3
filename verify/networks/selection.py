"""Select the numbers of methods on data and seeds that no comparison uses: `METHODS` has those that won.

    python -m verify.networks.selection --algorithms ewc fedprox --json results/selection.json

compares every method with itself at all its candidates, takes the options of `python -m verify.networks`, and differs in
the default seeds. What came out is in ``docs/networks.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import torch

from verify.engine.errors import UsageError
from verify.engine.records import write_json
from verify.networks.main import QUICK, parser, settings_of, trained, world_of
from verify.networks.methods import METHODS
from verify.networks.report import summary, table
from verify.networks.training.train import Trained

APART = {"seeds": 4, "seed": 1}
"""Runs of each candidate, and the seed of data, models and draws; a comparison's is 0 unless another is asked for."""

RATES = (0.1, 0.3, 1.0)
SMALL = (0.003, 0.01, 0.03, 0.1, 0.3)
"""Step sizes where larger ones are unstable."""
FAINT, STRONG = (0.001, 0.01, 0.1, 1.0), (0.01, 0.1, 1.0, 10.0)
"""Strengths of pulls to a model, and of penalties and teachers."""

CANDIDATES: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "fedavg": {"local_lr": RATES},
    "fedprox": {"local_lr": RATES, "mu": FAINT},
    "scaffold": {"local_lr": RATES},
    "mimelite": {"local_lr": SMALL, "momentum": (0.1, 0.5, 0.9)},
    "fedtrack": {"local_lr": SMALL},
    "special": {"local_lr": RATES, "lam": FAINT},
    "special-c": {"local_lr": RATES, "lam": FAINT},
    "cflag": {"alpha": RATES, "beta": SMALL[1:-1]},
    "cflag-adaptive": {"alpha": SMALL[1:-1], "beta": SMALL[2:]},
    "nccl": {"alpha": SMALL[1:], "smoothness": (0.3, 1.0, 3.0)},
    "er": {"local_lr": RATES, "memory_share": (0.3, 0.5, 0.7)},
    "fedagem": {"local_lr": RATES},
    "icarl": {"local_lr": RATES[:-1], "lam": STRONG[1:-1]},
    "ewc": {"local_lr": RATES, "lam": STRONG},
    "lwf": {"local_lr": RATES, "lam": STRONG},
    "flwf-2t": {"local_lr": RATES, "lam_own": STRONG[:-1], "lam_server": STRONG[:-2]},
    "cfl-regularization": {"local_lr": SMALL},
    "cfl-core-set": {"local_lr": RATES},
    "fedmes": {"local_lr": SMALL[2:], "correction_lr": RATES},
    "ditto": {"personal_lr": RATES, "lam": STRONG},
    "fedrep": {"local_lr": RATES},
}
"""Method -> number -> values, of which all combinations are tried. How FedMeS predicts changes nothing of its training."""
ALONE = ("icarl",)
"""Methods whose memories follow from their models, so that their candidates are trained one after another."""


def main(argv: Sequence[str] | None = None) -> int:
    """Try all candidates of some methods; exit status 0: done, 2: wrong usage."""
    asked = parser()
    asked.prog = "python -m verify.networks.selection"
    asked.description = "Compare methods with themselves at all their candidates for numbers."
    asked.set_defaults(**APART)
    options = asked.parse_args(argv)
    try:
        return _select(argparse.Namespace(**{**vars(options), **(QUICK if options.quick else {})}))
    except (UsageError, ValueError) as error:
        print(f"networks: {error}", file=sys.stderr)
        return 2


def _select(options: argparse.Namespace) -> int:
    names = options.algorithms or list(CANDIDATES)
    for name in names:
        if name not in CANDIDATES:
            raise UsageError(f"`--algorithms` knows {', '.join(CANDIDATES)}, got {name!r}.")
    if options.list:
        print("\n".join(f"{name:<22} {dict(CANDIDATES[name])}" for name in names))
        return 0
    world, settings, found = world_of(options), settings_of(options), {}
    for name in names:
        results = _tried(options, world, settings, name)
        found[name] = {"selected": selected(results), "candidates": results}
        print(f"{table(results)}\nselected: {found[name]['selected']}\n", flush=True)
        if options.json:
            write_json(options.json, {"settings": settings, "methods": found})
    return 0


def selected(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Of the candidates of which fewest runs diverged, the one with the highest mean ACC; of equal ones the first."""
    return max(results, key=lambda one: (-results[one]["diverged"], results[one]["metrics"]["acc"]["mean"]))


def candidates(name: str) -> list[dict[str, float]]:
    """All combinations of a method's values."""
    grid = CANDIDATES[name]
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def _tried(
    options: argparse.Namespace, world: Any, settings: dict[str, Any], name: str
) -> dict[str, dict[str, Any]]:
    """Summaries of a method's candidates, by its name and numbers as the command line takes them."""
    grid, parts = candidates(name), []
    for some in [[one] for one in grid] if name in ALONE else [grid]:
        made = METHODS[name](world, **_together(some))
        key = {**settings, "candidates": some}
        done, memory = trained(options, world, made, name, key, (len(some),) if len(some) > 1 else ())
        parts += [summary(one, memory) for one in _each(done, len(some))]
    texts = [f"{name}:{','.join(f'{number}={value:g}' for number, value in one.items())}" for one in grid]
    return dict(zip(texts, parts, strict=True))


def _together(some: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Numbers of several candidates along an axis before that of the runs; those of a single one as they are."""
    if len(some) == 1:
        return dict(some[0])
    return {number: torch.tensor([one[number] for one in some])[:, None] for number in some[0]}


def _each(trained: Trained, count: int) -> list[Trained]:
    """What became of each of `count` candidates that were trained together."""

    def apart(values: Any, n_axes: int) -> Any:
        return values.reshape(count, *values.shape[-n_axes:])

    parts = apart(trained.accuracy, 3), apart(trained.by_round, 4), apart(trained.models, 3)
    return [Trained(*one, seconds=trained.seconds / count) for one in zip(*parts, strict=True)]


if __name__ == "__main__":
    raise SystemExit(main())
