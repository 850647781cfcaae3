"""Command line options of the commands about networks, and the settings that they describe."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verify.engine.work.arguments import Parser
from verify.engine.work.backends import add_backend
from verify.engine.work.errors import UsageError

QUICK = {"seeds": 4, "rounds": 4, "tasks": 2}
"""Defaults with `--quick`."""


def parsed_options(made: argparse.ArgumentParser, argv: Sequence[str] | None) -> argparse.Namespace:
    """The parsed options; `--quick` changes only defaults, so it never overrides a given option."""
    if made.parse_args(argv).quick:
        made.set_defaults(**QUICK)
    return made.parse_args(argv)


def parser() -> argparse.ArgumentParser:
    """The parser of the options of a comparison."""
    made = Parser(
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
    add(
        "--grid",
        nargs="+",
        default=[],
        metavar="NUMBER=VALUES",
        help="sweep: every method with such numbers is trained with each combination, as in local_lr=0.1,0.2 lam=0.01,0.1",
    )
    add("--list", action="store_true", help="list methods, streams and models")
    add_place(made)
    add(
        "--with",
        dest="own",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="Python files with METHODS, DATA, MODELS or STREAMS of your own, see docs/networks.md",
    )
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
    add(
        "--compile",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto: if the run is long, or the network is not dense",
    )
    add("--quick", action="store_true", help=f"a small run: {QUICK}")
    add(
        "--patience",
        type=_positive,
        metavar="P",
        help="end a task when the mean accuracy on its validation images has not risen for P rounds (default: never)",
    )
    add(
        "--json",
        type=Path,
        metavar="FILE",
        help="write settings and results, for `python -m figures run FILE`",
    )
    add("--csv", type=Path, metavar="FOLDER", help="write curves.csv and runs.csv, which pandas reads")
    add("--models", type=Path, metavar="FOLDER", help="write the trained models, which plain PyTorch loads")
    add(
        "--tensorboard", type=Path, metavar="FOLDER", help="write curves for TensorBoard (extra: tensorboard)"
    )
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
    """Add the options for images, network and device."""
    add = parser.add_argument
    add(
        "--data",
        default="digits",
        metavar="NAME",
        help="stream, a folder of pictures, or a file .npz (default %(default)s, which needs no files)",
    )
    add("--folder", type=Path, help="where the files of a named stream are")
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
    from verify.networks.data.catalogue import recipe_of
    from verify.networks.training.models import MODELS
    from verify.networks.training.world import chosen_device

    if options.model not in MODELS:
        raise UsageError(f"`--model` must be one of {', '.join(MODELS)}, got {options.model!r}.")
    recipe_of(options.data)
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


def setting_of(options: argparse.Namespace) -> Any:
    """The setting described by the options."""
    from verify.networks.data.catalogue import recipe_of
    from verify.networks.data.deals import DEALS, OF_ONE_TASK
    from verify.networks.setting import Setting

    place = place_of(options)
    if options.deal not in DEALS:
        raise UsageError(f"`--deal` must be one of {', '.join(DEALS)}, got {options.deal!r}.")
    recipe, deal = recipe_of(options.data), DEALS[options.deal]
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


def on_grid(texts: Sequence[str], grid: Sequence[str]) -> list[str]:
    """Combine methods with all values of a grid; returns texts of the form ``name:number=value``.

    Each part of the grid has the form ``NUMBER=VALUE,VALUE``. A method without this hyperparameter appears once. A value that
    is given with the method takes precedence over the grid.

    Raises
    ------
    UsageError
        If a part of the grid has another form, or no method has the hyperparameter.
    """
    from verify.networks.methods import METHODS, parsed

    values: dict[str, list[str]] = {}
    for part in grid:
        name, _, rest = part.partition("=")
        values[name] = [value for value in rest.split(",") if value]
        if not values[name]:
            raise UsageError(f"`--grid` must be NUMBER=VALUE,VALUE, as in local_lr=0.1,0.2, got {part!r}.")
        known = dict.fromkeys(number for text in texts for number in METHODS[parsed(text)[0]].numbers)
        if name not in known:
            raise UsageError(
                f"`--grid` must sweep a number of a method that is compared, one of {', '.join(known)}, got {name!r}."
            )
    found = []
    for text in texts:
        method, given = parsed(text)
        own = [name for name in values if name in METHODS[method].numbers and name not in given]
        for chosen in itertools.product(*(values[name] for name in own)):
            pairs = [*filter(None, [text.partition(":")[2]]), *map("=".join, zip(own, chosen, strict=True))]
            found.append(f"{method}:{','.join(pairs)}" if pairs else method)
    for text in found:
        parsed(text)
    return list(dict.fromkeys(found))
