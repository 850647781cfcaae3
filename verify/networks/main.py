"""The command line of `python -m verify.networks`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from verify.engine.backends import add_backend, backend_of
from verify.engine.ending import ended
from verify.engine.errors import UsageError
from verify.engine.processes import threads

LONG = 1e10
"""Parameters times samples that all local steps work on, from which a run is compiled. On 2 cores, compiling takes
3 s (20 s the first time), once for all methods that a process trains, and saves 5 s of FedAvg for every 1e10."""

QUICK = {"seeds": 4, "rounds": 4, "tasks": 2}
LEAST = 3 * 2**28
"""Bytes of addresses without which PyTorch, as it is loaded, ends the process without a word."""


def main(argv: Sequence[str] | None = None) -> int:
    """Train and compare; exit status 0: done, 2: wrong usage."""
    options = parser().parse_args(argv)
    return guarded(options, lambda: _list() if options.list else _compare(options))


def guarded(options: argparse.Namespace, command: Callable[[], int]) -> int:
    """Exit status of a command about networks, with as many threads as asked for; what is wrong is said in one line.

    Threads wait asleep where PyTorch is first loaded by the command, as its own workers inherit it.
    """

    def with_room() -> int:
        _held_to_least()
        return command()

    with threads(options.threads):
        return ended(
            "networks", with_room, ValueError, "the same command goes on after the last finished task"
        )


def _held_to_least() -> None:
    try:
        import resource
    except ImportError:  # no such limits on Windows
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST:
        raise UsageError(
            f"the limit of memory (`ulimit -v`) must be at least {LEAST // 2**10} KiB for PyTorch, got {limit // 2**10}"
        )


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
        help="methods, with numbers to change as in special:lam=0.5,local_lr=0.2, or all, or named: the 28 that the papers "
        "compare, Re-Fed in the place of SR-FDIL (default: all but variants, and systems that train more than models)",
    )
    add("--list", action="store_true", help="list methods, streams and models")
    add_place(made)
    add("--kind", choices=("domain", "class", "task"), help="kind of tasks (default: that of the stream)")
    add("--tasks", type=_positive, metavar="K", help="number of tasks (default: that of the stream)")
    add(
        "--alpha",
        type=float,
        help="Dirichlet parameter of the clients' classes (default: that of the stream)",
    )
    add(
        "--limit",
        type=_positive,
        default=6000,
        metavar="N",
        help="most training images of a task (default %(default)s)",
    )
    add(
        "--tests",
        type=_positive,
        default=1000,
        metavar="N",
        help="most test images of a task (default %(default)s)",
    )
    add("--clients", type=_positive, default=8, help="all clients (default %(default)s)")
    add("--sampled", type=_positive, default=4, help="clients of a round (default %(default)s)")
    add("--rounds", type=_positive, default=20, help="rounds per task (default %(default)s)")
    add(
        "--epochs",
        type=float,
        default=5,
        help="local epochs: each client goes through its own samples so often (default %(default)s)",
    )
    add("--batch", type=_positive, default=32, help="samples of a minibatch (default %(default)s)")
    add("--deal", default="by_dirichlet", help="who has which images, see --list (default %(default)s)")
    add(
        "--periods",
        type=_positive,
        default=1,
        metavar="P",
        help="how often clients get other images of a task",
    )
    add(
        "--subsets",
        type=_positive,
        default=1,
        help="subsets of a client whose images change (default %(default)s)",
    )
    add(
        "--overlap",
        type=float,
        default=0.0,
        help="share of its images that such a client keeps (default %(default)s)",
    )
    add("--optimiser", default="sgd", help="of the clients: sgd, adam, adamw (default %(default)s)")
    add(
        "--weights",
        default="equal",
        help="of clients in the server's mean: equal, size (default %(default)s); FedWeIT counts clients either way",
    )
    add("--local-lr", type=float, help="all step sizes of clients (default: each method's own)")
    add(
        "--fading",
        type=float,
        default=1.0,
        help="factor of clients' steps in each round (default %(default)s)",
    )
    add(
        "--decay",
        type=float,
        default=0.0,
        help="the server's step in task i is i**-DECAY (default %(default)s)",
    )
    add("--seeds", type=_positive, default=16, help="runs, all at once (default %(default)s)")
    add("--seed", type=int, default=0, help="of data, models and draws (default %(default)s)")
    add("--personal", action="store_true", help="test clients on test sets in their own mix of classes")
    add("--compile", choices=("auto", "always", "never"), default="auto", help="auto: if the run is long")
    add("--quick", action="store_true", help=f"a small run: {QUICK}")
    add("--json", type=Path, metavar="FILE", help="write settings and results")
    add(
        "--out",
        type=Path,
        default=Path("results/networks"),
        help="folder of interrupted and finished runs (default %(default)s)",
    )
    add(
        "--threads",
        type=_positive,
        default=1,
        help="of each process (default 1); another number may change the last digits",
    )
    add_backend(made)
    made.set_defaults(first=0, part="test")
    return made


def add_place(parser: argparse.ArgumentParser) -> None:
    """On which images, with which network and where runs are."""
    add = parser.add_argument
    add("--data", default="digits", metavar="NAME", help="stream (default %(default)s, which needs no files)")
    add("--folder", type=Path, help="where its files are")
    add("--model", default="mlp", help="network (default %(default)s)")
    add("--device", help="cpu, cuda, cuda:1, ... (default: the accelerator if there is one)")
    add("--precision", default="float32", help="of products: float32, tf32, bf16 (default %(default)s)")


def place_of(options: argparse.Namespace) -> dict[str, Any]:
    """Entries of a setting for these options.

    Raises
    ------
    UsageError
        If there is no such stream, network or device.
    """
    from verify.networks.data.catalogue import RECIPES
    from verify.networks.training.models import MODELS
    from verify.networks.training.world import chosen_device

    for name, known in (("model", MODELS), ("data", RECIPES)):
        if getattr(options, name) not in known:
            raise UsageError(f"`--{name}` must be one of {', '.join(known)}, got {getattr(options, name)!r}.")
    try:
        device = chosen_device(options.device, options.precision)
    except ValueError as error:
        raise UsageError(f"`--device`: {error}") from error
    return {
        "data": options.data,
        "folder": str(options.folder or ""),
        "model": options.model,
        "device": device,
        "precision": options.precision,
    }


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, got {text!r}")
    return int(text)


def _list() -> int:
    from verify.networks.data.catalogue import RECIPES
    from verify.networks.data.deals import DEALS
    from verify.networks.methods import METHODS
    from verify.networks.training.models import MODELS

    for name, method in METHODS.items():
        print(f"{name:<22} {', '.join(f'{key}={value:g}' for key, value in method.numbers.items())}")
    print(f"\nstreams: {', '.join(RECIPES)}\nmodels: {', '.join(MODELS)}\ndeals: {', '.join(DEALS)}")
    return 0


def _compare(options: argparse.Namespace) -> int:
    if options.quick:
        options = argparse.Namespace(**{**vars(options), **QUICK})
    print("networks: reading the data", file=sys.stderr, flush=True)
    from verify.engine.records import write_json
    from verify.networks.methods import COMPARED, METHODS, NAMED, parsed
    from verify.networks.report import table
    from verify.networks.setting import require_server_step

    asked = options.algorithms or COMPARED
    texts = list({("all",): METHODS, ("named",): NAMED}.get(tuple(asked), asked))
    setting = setting_of(options)
    for text in texts:
        name, _ = parsed(text)
        require_server_step(setting, name)  # before others have been trained
    results = {}
    for found in each(options, compared, texts):
        results.update(found)
        results = {text: results[text] for text in texts if text in results}
        if options.json:
            write_json(options.json, {"settings": settings_of(options), "methods": results})
    print(table(results))
    return 0


def each(options: argparse.Namespace, work: Any, names: Sequence[str]) -> Iterator[Any]:
    """``work(name, options)`` of every name, by the processes that the options ask for; settings are told first."""
    from verify.engine.items import name_of, together

    backend = backend_of(options, few=1, threads=options.threads)
    (world, _), settings = world_of(options), settings_of(options)
    print(
        f"networks: {world.n_tasks} tasks of {world.n_clients} clients with {world.sizes.mean():.0f} samples on "
        f"average, {world.model.name} of {world.model.dim} parameters on {world.device}",
        file=sys.stderr,
        flush=True,
    )
    named = {name_of(work.__name__, settings, name): name for name in names}
    return together(work, named, options.out, backend, options)


def compared(text: str, options: argparse.Namespace) -> dict[str, Any]:
    """The summary of one method, by its name and numbers."""
    from verify.networks.methods import parsed
    from verify.networks.report import summary
    from verify.networks.setting import algorithm_of

    (name, changes), (world, draws) = parsed(text), world_of(options)
    algorithm = algorithm_of(setting_of(options), name, changes, world)
    return {text: summary(*trained(options, world, draws, algorithm, text, settings_of(options)))}


def setting_of(options: argparse.Namespace) -> Any:
    """What the options ask for."""
    from verify.networks.data.catalogue import RECIPES
    from verify.networks.data.deals import DEALS, OF_ONE_TASK
    from verify.networks.setting import Setting

    place = place_of(options)
    if options.deal not in DEALS:
        raise UsageError(f"`--deal` must be one of {', '.join(DEALS)}, got {options.deal!r}.")
    recipe, deal = RECIPES[options.data], DEALS[options.deal]
    if deal not in OF_ONE_TASK and (options.periods, options.subsets, options.overlap) != (1, 1, 0):
        raise UsageError(
            "`--periods`, `--subsets` and `--overlap` need `--deal` "
            f"{', '.join(other.__name__ for other in OF_ONE_TASK)}, got {options.deal!r}."
        )
    return Setting(
        deal,
        **place,
        kind=options.kind or recipe.kind,
        tasks=1 if deal in OF_ONE_TASK else options.tasks or recipe.n_tasks or 0,
        periods=options.periods,
        subsets=options.subsets,
        overlap=options.overlap,
        images=options.limit,
        tests=options.tests,
        clients=options.clients,
        sampled=options.sampled,
        rounds=options.rounds,
        epochs=options.epochs,
        batch=options.batch,
        alpha=recipe.alpha if options.alpha is None else options.alpha,
        local_lr=options.local_lr,
        optimiser=options.optimiser,
        weights=options.weights,
        fading=options.fading,
        decay=options.decay,
        seeds=options.seeds,
        first=options.first,
        seed=options.seed,
        part=options.part,
    )


def world_of(options: argparse.Namespace) -> tuple[Any, Any]:
    """The federations that the options ask for, and participants and minibatches of all runs."""
    from verify.networks.experiments import draws, world

    setting = setting_of(options)
    here, drawn = world(setting), draws(setting)
    work = options.seeds * options.sampled * options.batch * here.dim * here.n_tasks * options.rounds
    compiles = {"auto": work * drawn.local_steps > LONG, "always": True, "never": False}[options.compile]
    return world(replace(setting, compiled=True)) if compiles else here, drawn


def trained(
    options: argparse.Namespace,
    world: Any,
    draws: Any,
    algorithm: Any,
    text: str,
    settings: dict[str, Any],
    sweep: tuple[int, ...] = (),
) -> tuple[Any, int]:
    """Results and peak memory of one method, all values of its hyper-parameters along the axes `sweep`."""
    from verify.engine.items import name_of
    from verify.networks.training.checkpoint import Checkpoint
    from verify.networks.training.footprint import forget_peak, peak
    from verify.networks.training.measures import EVERY_ROUND, PERSONAL
    from verify.networks.training.train import starts, to_stderr, train

    theta0 = starts(world.model, options.seed, options.seeds, world.device, options.first)
    theta0 = theta0.expand(*sweep, *theta0.shape)
    key = name_of(settings, text)
    file = options.out / f"{text.replace(':', '-').replace('/', '-')}-{key}.npz"
    forget_peak(world.device)
    found = train(
        world,
        algorithm,
        draws,
        theta0,
        options.rounds,
        measure=PERSONAL if options.personal else EVERY_ROUND,
        checkpoint=Checkpoint(file, key),
        progress=to_stderr,
    )
    return found, peak(world.device)


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """All that results depend on, beside the method."""
    from verify.engine.records import fingerprint

    left_out = ("algorithms", "list", "json", "out", "quick", "jobs", "backend", "scheduler")
    kept = {name: value for name, value in vars(options).items() if name not in left_out}
    versions = fingerprint("algorithms", "nqm", "verify/networks")
    return {**kept, "folder": str(options.folder), "versions": versions}
