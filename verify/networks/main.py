"""The command line of `python -m verify.networks`."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verify.engine.errors import UsageError

LONG = 5e10
"""Parameters times samples that all local steps work on, from which a run is compiled. On 2 cores, compiling takes
3 s (20 s the first time) and saves 1 s for every 1e10."""

QUICK = {"seeds": 4, "rounds": 4, "tasks": 2}


def main(argv: Sequence[str] | None = None) -> int:
    """Train and compare; exit status 0: done, 2: wrong usage."""
    options = parser().parse_args(argv)
    try:
        return _list() if options.list else _compare(options)
    except (UsageError, ValueError) as error:
        print(f"networks: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("networks: interrupted; the same command goes on after the last finished task", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """Options of a comparison."""
    made = argparse.ArgumentParser(
        prog="python -m verify.networks",
        description="Train methods on a stream of tasks with many seeds at once, and compare them.",
    )
    add = made.add_argument
    add(
        "--algorithms",
        nargs="+",
        metavar="NAME",
        help="methods, with numbers to change as in special:lam=0.5,local_lr=0.2 (default: all but the variants of a method)",
    )
    add("--list", action="store_true", help="list methods, streams and models")
    add("--data", default="digits", metavar="NAME", help="stream (default %(default)s, which needs no files)")
    add("--folder", type=Path, help="where its files are")
    add("--kind", choices=("domain", "class", "task"), help="kind of tasks (default: that of the stream)")
    add("--tasks", type=_positive, metavar="K", help="number of tasks (default: that of the stream)")
    add(
        "--alpha",
        type=float,
        help="Dirichlet parameter of the clients' classes (default: that of the stream)",
    )
    add("--limit", type=_positive, metavar="N", help="most training images of a task")
    add("--clients", type=_positive, default=8, help="all clients (default %(default)s)")
    add("--sampled", type=_positive, default=4, help="clients of a round (default %(default)s)")
    add("--rounds", type=_positive, default=20, help="rounds per task (default %(default)s)")
    add("--epochs", type=float, default=5, help="local epochs of a client of mean size (default %(default)s)")
    add("--batch", type=_positive, default=32, help="samples of a minibatch (default %(default)s)")
    add("--model", default="mlp", help="network (default %(default)s)")
    add("--seeds", type=_positive, default=16, help="runs, all at once (default %(default)s)")
    add("--seed", type=int, default=0, help="of data, models and draws (default %(default)s)")
    add("--personal", action="store_true", help="test clients on test sets in their own mix of classes")
    add("--device", help="cpu, cuda, cuda:1, ... (default: the accelerator if there is one)")
    add("--compile", choices=("auto", "always", "never"), default="auto", help="auto: if the run is long")
    add("--quick", action="store_true", help=f"a small run: {QUICK}")
    add("--json", type=Path, metavar="FILE", help="write settings and results")
    add(
        "--out",
        type=Path,
        default=Path("results/networks"),
        help="folder of interrupted and finished runs (default %(default)s)",
    )
    return made


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, got {text!r}")
    return int(text)


def _list() -> int:
    from verify.networks.data.catalogue import RECIPES
    from verify.networks.methods import METHODS
    from verify.networks.training.models import MODELS

    for name, method in METHODS.items():
        print(f"{name:<22} {', '.join(f'{key}={value:g}' for key, value in method.numbers.items())}")
    print(f"\nstreams: {', '.join(RECIPES)}\nmodels: {', '.join(MODELS)}")
    return 0


def _compare(options: argparse.Namespace) -> int:
    if options.quick:
        options = argparse.Namespace(**{**vars(options), **QUICK})
    print("networks: reading the data", file=sys.stderr, flush=True)
    from verify.engine.records import write_json
    from verify.networks.methods import COMPARED, METHODS, parsed
    from verify.networks.report import summary, table

    chosen = {text: parsed(text) for text in options.algorithms or COMPARED}
    world = world_of(options)
    settings = settings_of(options)
    results = {}
    for text, (name, changes) in chosen.items():
        algorithm = METHODS[name](world, **changes)
        results[text] = summary(*trained(options, world, algorithm, text, settings))
        if options.json:
            write_json(options.json, {"settings": settings, "methods": results})
    print(table(results))
    return 0


def world_of(options: argparse.Namespace) -> Any:
    """The federation that the options ask for."""
    from verify.networks.data.catalogue import stream
    from verify.networks.training import kernels
    from verify.networks.training.footprint import for_kernels
    from verify.networks.training.models import MODELS
    from verify.networks.training.world import NetworkWorld, chosen_device

    if options.model not in MODELS:
        raise UsageError(f"`--model` must be one of {', '.join(MODELS)}, got {options.model!r}.")
    data = stream(
        options.data,
        options.folder,
        n_clients=options.clients,
        kind=options.kind,
        n_tasks=options.tasks,
        alpha=options.alpha,
        n_train=options.limit,
        seed=options.seed,
    )
    model = MODELS[options.model](data.image, data.n_classes)
    work = options.seeds * options.sampled * options.batch * model.dim * data.n_tasks * options.rounds
    long = work * _local_steps(options, data) > LONG
    compiles = {"auto": long, "always": True, "never": False}[options.compile]
    how = kernels.compiled if compiles else kernels.as_written
    device = chosen_device(options.device)
    world = NetworkWorld(data, model, options.batch, device, how, memory=for_kernels(device))
    print(
        f"networks: {data.n_tasks} tasks of {data.n_clients} clients with {data.sizes.mean():.0f} samples on "
        f"average, {model.name} of {model.dim} parameters on {world.device}, "
        f"{'compiled' if compiles else 'not compiled'}",
        file=sys.stderr,
        flush=True,
    )
    return world


def _local_steps(options: argparse.Namespace, data: Any) -> int:
    """Steps in which a client of mean size goes through its samples as often as asked for."""
    return max(round(options.epochs * data.sizes.mean() / options.batch), 1)


def trained(
    options: argparse.Namespace,
    world: Any,
    algorithm: Any,
    text: str,
    settings: dict[str, Any],
    sweep: tuple[int, ...] = (),
) -> tuple[Any, int]:
    """Results and peak memory of one method, all values of its hyper-parameters along the axes `sweep`."""
    from algorithms.draws import minibatches
    from algorithms.memory import DRAWN_FROM
    from verify.networks.training.checkpoint import Checkpoint
    from verify.networks.training.footprint import forget_peak, peak
    from verify.networks.training.train import starts, to_stderr, train

    theta0 = starts(world.model, options.seed, options.seeds, world.device)
    theta0 = theta0.expand(*sweep, *theta0.shape)
    draws = minibatches(
        options.seed,
        options.seeds,
        world.sizes,
        options.sampled,
        _local_steps(options, world.stream),
        options.batch,
        memory_batch=options.batch if set(DRAWN_FROM) & set(algorithm.init(theta0)) else 0,
    )
    key = hashlib.sha256(json.dumps([settings, text]).encode()).hexdigest()[:16]
    file = options.out / f"{text.replace(':', '-').replace('/', '-')}-{key}.npz"
    forget_peak(world.device)
    found = train(
        world,
        algorithm,
        draws,
        theta0,
        options.rounds,
        every_round=True,
        tests="personal" if options.personal else "common",
        checkpoint=Checkpoint(file, key),
        progress=to_stderr,
    )
    return found, peak(world.device)


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """All that results depend on, beside the method."""
    from verify.engine.records import fingerprint

    left_out = ("algorithms", "list", "json", "out", "quick")
    kept = {name: value for name, value in vars(options).items() if name not in left_out}
    versions = fingerprint("algorithms", "nqm", "verify/networks")
    return {**kept, "folder": str(options.folder), "versions": versions}
