"""`python -m verify experiments`: sentences on experiments, judged on another stream, network or machine, or with Adam.

    python -m verify experiments networks_special --data mnist --folder FOLDER --model cnn
    python -m verify experiments networks_fedmes --optimiser adam --local-lr 0.001
    python -m verify experiments 'cflag.emp.*/step' --data mnist --folder FOLDER --select 0.5

All other parts of a setting stay, including numbers that were selected on the digits, unless they are selected again.
Runs and verdicts are saved, so the same command continues where it stopped. Records are stored apart from those of the
catalogue.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Any

from verify.commands.options import add_search
from verify.engine.work.backends import backend_of
from verify.engine.work.messages import message

TOPICS = "networks_*"


def add_options(parser: argparse.ArgumentParser) -> None:
    from verify.networks.options import add_place

    parser.add_argument(
        "patterns", nargs="*", help="ids, shell patterns or topics (default: all sentences on experiments)"
    )
    parser.add_argument("--list", action="store_true", help="list the sentences instead of judging them")
    add_place(parser)
    parser.add_argument(
        "--optimiser",
        default="sgd",
        help="optimiser of the clients: sgd, adam or adamw (default %(default)s)",
    )
    parser.add_argument(
        "--local-lr",
        type=float,
        help="step size of the clients in all methods (default: the selected ones, which exist for sgd only)",
    )
    parser.add_argument(
        "--select",
        type=float,
        metavar="FACTOR",
        help="select hyper-parameters again on validation images of this stream, with the candidates for the digits and their "
        "step sizes times FACTOR (default: use those selected on the digits). The output ends with the sentences that "
        "select nothing, such as all of FedMeS",
    )
    add_search(parser, "runs of each method: 6, 16, 32")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results/elsewhere"),
        help="folder of verdicts, from which an interrupted run continues (default %(default)s)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the records")


def run(options: argparse.Namespace) -> int:
    from verify.engine.links import with_final_verdicts
    from verify.engine.records.files import write_json
    from verify.engine.topics import index, selected
    from verify.engine.work.errors import UsageError
    from verify.engine.work.items import each
    from verify.engine.work.progress import Progress
    from verify.networks.options import place_of
    from verify.report.entries import Entry
    from verify.report.terminal import show

    place, on_experiments = {**place_of(options), **_steps(options)}, set(selected([TOPICS]))
    ids = selected(options.patterns or [TOPICS])
    if others := [id for id in ids if id not in on_experiments]:
        raise UsageError(f"`patterns` must match sentences on experiments, {TOPICS}, got {others[0]}.")
    if options.list:
        for id in ids:
            print(f"{id:<34} {index()[id].says}")
        return 0
    given = ", ".join(f"{name} {value}" for name, value in place.items() if value not in ("", None))
    message(f"verify: {len(ids)} to be judged, {given}")
    done, progress = {}, Progress(len(ids))
    asked = place, options.budget, options.seed
    from verify.networks.training.world import processes

    backend = backend_of(options, processes(place["device"]) and 1)
    for record in each(sentence_record, ids, options.out, backend, *asked):
        done[record["id"]] = record
        progress.tell(f"{record['id']}: {record['verdict']} ({record['seconds']:.1f} s)")
    records = with_final_verdicts([done[id] for id in ids])
    if options.json:
        write_json(options.json, records)
    show([Entry(record) for record in records])
    if same := [record["id"] for record in records if _as_printed(record)]:
        message(
            f"verify: `--select` changes nothing in {len(same)} of {len(ids)} sentences, whose methods have one step for all, "
            f"or numbers that are printed or swept: {', '.join(same)}"
        )
    return 0


def _as_printed(record: Mapping[str, Any]) -> bool:
    """Whether `--select` is absent and numbers stay as printed."""
    from verify.networks.sentences import SELECTED_HERE

    measured = (found.get("details", {}).get("measured", {}) for found in record["evidence"])
    return any(each.get(SELECTED_HERE) == [] for each in measured)


def _steps(options: argparse.Namespace) -> dict[str, Any]:
    """Entries of a setting for the clients' optimiser, its step size, and the selection of the step size.

    Raises
    ------
    UsageError
        If the optimiser, the step or the factor does not exist; if an optimiser without a selected step is given none;
        or if a step is both given and to be selected.
    """
    from algorithms.optimisers import OPTIMISERS
    from verify.engine.work.errors import UsageError

    name, step, factor = options.optimiser, options.local_lr, options.select
    if name not in OPTIMISERS:
        raise UsageError(f"`--optimiser` must be one of {', '.join(OPTIMISERS)}, got {name!r}.")
    if step is None and name != "sgd":
        raise UsageError(
            f"`--local-lr` must be given with {name}: the selected steps are those of plain descent."
        )
    for option, value in (("local-lr", step), ("select", factor)):
        if value is not None and not 0 < value < inf:
            raise UsageError(f"`--{option}` must be above 0 and finite, got {value}.")
    if step is not None and factor is not None:
        raise UsageError(
            f"`--select` must be left out where `--local-lr` gives one step for all, got {factor}."
        )
    return {"optimiser": name, "step": step, "factor": factor}


def sentence_record(id: str, place: Mapping[str, Any], budget: str, seed: int) -> dict[str, Any]:
    """The record of one sentence, judged in one setting."""
    from verify.engine.judge import judge
    from verify.engine.topics import claim_of
    from verify.networks.sentences import PLACE

    claim, before = claim_of(id), PLACE.set(place)
    assert claim is not None, id
    try:
        return judge(claim, budget, seed)
    finally:
        PLACE.reset(before)
