"""The command line of `python -m verify.networks`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from verify.engine.work.backends import backend_of
from verify.engine.work.ending import exit_status
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import threads
from verify.networks.options import on_grid, parsed_options, parser, setting_of

LONG = 1e10
"""Runs with at least this product of parameters and processed samples are compiled. On 2 cores, compiling takes 3 s (20 s the
first time), once for all methods of a process, and saves 5 s of FedAvg for every 1e10."""
LONG_UNFUSED = 3e9
"""The same threshold for networks without fused kernels, such as convolutional ones. There a parameter is used at many pixels,
and compiling saves a quarter of the time of a two-layer network. A run with 1.7e9 took 23 s of CPU time without compiling, and
compiling for all its shapes 20 s."""

NO_SETTINGS = (
    *("algorithms", "grid", "list", "quick", "jobs", "backend", "scheduler", "own", "registered", "turns"),
    *("json", "csv", "models", "tensorboard", "out"),
)
"""Options that do not change results. The source code of the user's additions counts among the versions instead."""
LEAST = 3 * 2**28
"""Smallest address space in bytes: with less, PyTorch ends the process without a message when it is loaded."""


def main(argv: Sequence[str] | None = None) -> int:
    """Train and compare; exit status 0: done, 2: wrong usage."""
    options = parsed_options(parser(), argv)
    return guarded(options, lambda: _list(options) if options.list else _compare(options))


def guarded(options: argparse.Namespace, command: Callable[[], int]) -> int:
    """Run a command about networks with the requested number of threads and return its exit status.

    Errors are reported in one line. If the command is the first to load PyTorch, idle threads are made to sleep instead of
    spinning; worker processes inherit this setting.
    """

    def with_room() -> int:
        _held_to_least()
        return command()

    with threads(options.threads):
        return exit_status(
            "networks", with_room, ValueError, "the same command goes on after the last finished task"
        )


def _held_to_least() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST:
        raise UsageError(
            f"the limit of memory (`ulimit -v`) must be at least {LEAST // 2**10} KiB for PyTorch, got {limit // 2**10}"
        )


def _list(options: argparse.Namespace) -> int:
    from verify.networks.data.catalogue import RECIPES
    from verify.networks.data.deals import DEALS
    from verify.networks.methods import METHODS
    from verify.networks.own import registered
    from verify.networks.training.models import MODELS

    registered(tuple(options.own))
    for name, method in METHODS.items():
        print(f"{name:<22} {', '.join(f'{key}={value:g}' for key, value in method.numbers.items())}")
    print(f"\nstreams: {', '.join(RECIPES)}\nmodels: {', '.join(MODELS)}\ndeals: {', '.join(DEALS)}")
    return 0


def _compare(options: argparse.Namespace) -> int:
    print("networks: reading the data", file=sys.stderr, flush=True)
    from verify.engine.records.files import write_json
    from verify.networks.methods import BUILT_IN, COMPARED, METHODS, NAMED, parsed
    from verify.networks.own import registered
    from verify.networks.report import table
    from verify.networks.saved import require_tensorboard, write_curves, write_events
    from verify.networks.setting import require_server_step

    _require_places(options)
    options.registered = registered(tuple(options.own))
    if options.tensorboard:
        require_tensorboard()
    asked = options.algorithms or (*COMPARED, *(name for name in METHODS if name not in BUILT_IN))
    texts = on_grid(list({("all",): METHODS, ("named",): NAMED}.get(tuple(asked), asked)), options.grid)
    setting = setting_of(options)
    for text in texts:
        name, _ = parsed(text)
        require_server_step(setting, name)  # fail before other methods are trained
    results = {}
    for found in each(options, compared, texts):
        results.update(found)
        results = {text: results[text] for text in texts if text in results}
        content = {"settings": settings_of(options), "methods": results}
        if options.json:
            write_json(options.json, content)
        if options.csv:
            write_curves(options.csv, content)
    if options.tensorboard:
        write_events(options.tensorboard, results)
    print(table(results))
    return 0


def _require_places(options: argparse.Namespace) -> None:
    """Raise UsageError if a result could not be written at the end: a folder in the place of a file, or a file in that of a
    folder.
    """
    if options.json and options.json.is_dir():
        raise UsageError(
            f"`--json` must be a file, got {options.json}, a folder: add a name, as in run.json."
        )
    for name in ("out", "csv", "models", "tensorboard"):
        place = getattr(options, name)
        if place and place.exists() and not place.is_dir():
            raise UsageError(f"`--{name}` must be a folder, got {place}, a file: name another place.")


def each(options: argparse.Namespace, work: Any, names: Sequence[str]) -> Iterator[Any]:
    """Yield the results of ``work(name, options)`` for every name, computed by the processes that the options choose.

    The settings are printed first.
    """
    from verify.engine.work.items import name_of, together
    from verify.networks.methods import parsed
    from verify.networks.training.world import processes

    world, _ = world_of(options)
    backend = backend_of(options, processes(world.device), few=1, threads=options.threads)
    options.turns = {name: turn for turn, name in enumerate(names)}
    print(
        f"networks: {world.n_tasks} tasks of {world.n_clients} clients, {world.sizes.mean():.0f} samples each on average\n"
        f"networks: {world.model.name} of {world.model.dim} parameters on {world.device}",
        file=sys.stderr,
        flush=True,
    )
    named = {name_of(work.__name__, settings_of(options, parsed(name)[0]), name): name for name in names}
    return together(work, named, options.out, backend, options)


def compared(text: str, options: argparse.Namespace) -> dict[str, Any]:
    """The summary of one method, given by its name and hyperparameters."""
    from verify.networks.methods import parsed
    from verify.networks.own import install, located
    from verify.networks.report import summary
    from verify.networks.saved import write_models
    from verify.networks.setting import algorithm_of, plan
    from verify.networks.training.world import settle

    install(options.registered)
    settle(setting_of(options).device, options.turns.get(text, 0))
    (name, changes), (world, draws), setting = parsed(text), world_of(options), setting_of(options)
    try:
        algorithm = algorithm_of(setting, name, changes, world)
        found, memory = trained(options, world, draws, algorithm, text, settings_of(options, name))
    except Exception as error:
        raise located(error) from error
    if options.models:
        write_models(options.models, text, found, world.model)
    return {text: {**summary(found, memory), **plan(setting, name, changes, world.n_tasks)}}


def world_of(options: argparse.Namespace) -> tuple[Any, Any]:
    """The federations for the options, and the participants and minibatches of all runs."""
    from verify.networks.experiments import draws, world

    setting = setting_of(options)
    here, drawn = world(setting), draws(setting)
    work = options.seeds * options.sampled * options.batch * here.dim * here.n_tasks * options.rounds
    least = LONG if here.model.widths else LONG_UNFUSED
    compiles = {"auto": work * drawn.local_steps > least, "always": True, "never": False}[options.compile]
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
    """Results and peak memory of one method; the axes `sweep` run over the values of its hyperparameters."""
    from verify.engine.work.items import name_of
    from verify.networks.saved import file_name
    from verify.networks.training.checkpoint import Checkpoint
    from verify.networks.training.footprint import forget_peak, peak
    from verify.networks.training.measures import EVERY_ROUND, PERSONAL
    from verify.networks.training.train import Patience, keeping_shape, starts, to_stderr, train

    theta0 = starts(world.model, options.seed, options.seeds, world.device, options.first)
    theta0 = theta0.expand(*sweep, *theta0.shape)
    key = name_of(settings, text)
    file = options.out / f"{file_name(text)}-{key}.npz"
    patience = None
    if options.patience:
        apart = world_of(argparse.Namespace(**{**vars(options), "part": "validation"}))[0]
        patience = Patience(apart, options.patience)
    forget_peak(world.device)
    found = train(
        world,
        keeping_shape(algorithm, theta0),
        draws,
        theta0,
        options.rounds,
        measure=PERSONAL if options.personal else EVERY_ROUND,
        checkpoint=Checkpoint(file, key),
        progress=to_stderr(text),
        patience=patience,
    )
    return found, peak(world.device)


def settings_of(options: argparse.Namespace, *methods: str) -> dict[str, Any]:
    """Everything that the results of some methods (default: all) depend on, except their names and hyperparameters."""
    from verify.networks.experiments import data_of, digest
    from verify.networks.own import versions

    used = (*methods, options.model, options.data, options.deal) if methods else ()
    kept = {name: value for name, value in vars(options).items() if name not in NO_SETTINGS}
    found = {**kept, "folder": str(options.folder), "versions": versions(*used)}
    images = digest(data_of(setting_of(options)))
    return {**found, "images": images} if images else found
