"""The command line of `python -m verify` and of every topic."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from verify.engine.errors import UsageError

Record = dict[str, Any]


def main(argv: Sequence[str] | None = None, topic: str | None = None) -> int:
    """Run the command line; exit status 0: judged, 1: `--strict` and something is damaged, 2: wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands: dict[str, Callable[[list[str]], int]] = {
        "replay": _replay,
        "check": _check,
        "curves": _curves,
        "mutants": _mutants,
    }
    try:
        if topic is None and arguments and arguments[0] in commands:
            return commands[arguments[0]](arguments[1:])
        return _judge(arguments, topic)
    except UsageError as error:
        print(f"verify: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "verify: interrupted; finished statements are saved, the same command goes on from there",
            file=sys.stderr,
        )
        return 130


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--budget", default="default", choices=("quick", "default", "full"), help="how far searches go"
    )
    parser.add_argument("--seed", type=_seed, default=0, help="whole number >= 0 (default 0)")
    parser.add_argument(
        "--jobs", type=_jobs, default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the list of all records of this run")
    parser.add_argument(
        "--out", type=Path, default=Path("results/records"), help="folder of records (default %(default)s)"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit status 1 if anything is refuted, gap, inconsistent, vacuous",
    )


def _judge(arguments: list[str], topic: str | None) -> int:
    parser = argparse.ArgumentParser(
        prog=f"python -m verify{'.' + topic if topic else ''}",
        description="Judge statements: proved, holds, vacuous, gap, inconsistent or refuted, with evidence.",
        epilog="other commands: "
        "python -m verify replay WITNESS.json | check MY_THEOREM.py | curves | mutants",
    )
    if topic is None:
        parser.add_argument("patterns", nargs="*", help="ids, shell patterns or topics; all if none")
    parser.add_argument("--list", action="store_true", help="list the statements instead of judging them")
    _options(parser)
    options = parser.parse_args(arguments)
    print(f"verify: reading the statements{' of ' + topic if topic else ''}", file=sys.stderr, flush=True)
    from verify.engine.topics import claim_of, selected

    ids = selected([topic] if topic else options.patterns)
    if options.list:
        for id in ids:
            print(f"{id:<34} {claim.statement.says if (claim := claim_of(id)) else ''}")
        return 0
    return _run(ids, options)


def _run(ids: Sequence[str], options: argparse.Namespace, path: Path | None = None) -> int:
    from verify.engine.links import DAMAGING, link
    from verify.engine.records import fingerprint, finite, path_of, saved, write_json
    from verify.engine.report import table

    start = time.perf_counter()
    folder = options.out
    done: dict[str, Record] = {}
    for id in ids:
        record = None if path else saved(folder, id, options.budget, options.seed)
        if record is not None:
            done[id] = record
    if done:
        print(
            f"verify: {len(done)} of {len(ids)} statements were judged before by this code", file=sys.stderr
        )
    waiting = [id for id in ids if id not in done]
    for count, record in enumerate(_records(waiting, options, path), start=1):
        record = finite({**record, "versions": fingerprint()})
        write_json(path_of(folder, record["id"]), record)
        done[record["id"]] = record
        shown = f"[{count}/{len(waiting)}] {record['id']}: {record['verdict']} ({record['seconds']:.1f} s)"
        print(shown, file=sys.stderr, flush=True)
    records = [done[id] for id in ids]
    link(records)
    for record in records:
        write_json(path_of(folder, record["id"]), record)
    if options.json:
        write_json(options.json, records)
    print(table(records))
    print(
        f"{len(records)} statements in {time.perf_counter() - start:.1f} s; records in {folder}",
        file=sys.stderr,
    )
    return int(options.strict and any(record["verdict"] in DAMAGING for record in records))


def _records(ids: Sequence[str], options: argparse.Namespace, path: Path | None) -> Iterator[Record]:
    if options.jobs == 1 or len(ids) <= 2:
        yield from (_one(id, options.budget, options.seed, path) for id in ids)
        return
    with ProcessPoolExecutor(
        options.jobs, mp_context=get_context("spawn"), initializer=_single_thread
    ) as pool:
        tasks = [pool.submit(_one, id, options.budget, options.seed, path) for id in ids]
        try:
            yield from (task.result() for task in as_completed(tasks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _single_thread() -> None:
    """Processes share the cores; more threads than cores make matrix products stall."""
    import torch

    torch.set_num_threads(1)


def _one(id: str, budget: str, seed: int, path: Path | None) -> Record:
    from verify.engine.judge import judge
    from verify.engine.topics import claim_of, claims_in

    claim = next(c for c in claims_in(path) if c.statement.id == id) if path else claim_of(id)
    assert claim is not None, id
    return judge(claim, budget, seed)


def _check(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m verify check", description="Judge theorems of your own.")
    parser.add_argument("file", type=Path, help="Python file that defines CLAIMS")
    _options(parser)
    options = parser.parse_args(arguments)
    from verify.engine.topics import claims_in

    try:
        return _run([claim.statement.id for claim in claims_in(options.file)], options, options.file)
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{options.file} cannot be judged: {error}") from error


def _replay(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m verify replay", description="Evaluate a witness again, from the file alone."
    )
    parser.add_argument("file", type=Path, help="a witness, or a record that holds one")
    parser.add_argument("--theorem", type=Path, help="the user's own file, if the statement stands there")
    options = parser.parse_args(arguments)
    from verify.engine.replay import replay

    try:
        content = json.loads(options.file.read_text())
    except OSError as error:
        raise UsageError(f"cannot read {options.file}: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"{options.file} is not JSON: {error}") from error
    text, same = replay(content, options.theorem)
    print(text)
    return 0 if same else 1


def _curves(arguments: list[str]) -> int:
    from verify.curves import CURVES, FOLDER, compute

    parser = argparse.ArgumentParser(prog="python -m verify curves", description="Compute what figures draw.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(CURVES)}; all if none")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder (default %(default)s)")
    parser.add_argument("--seed", type=_seed, default=0, help="whole number >= 0 (default 0)")
    options = parser.parse_args(arguments)
    for path in compute(options.names, options.out, options.seed):
        print(path)
    return 0


def _mutants(arguments: list[str]) -> int:
    from verify.engine.mutants import main as mutants

    return mutants(arguments)


def _seed(text: str) -> int:
    return _whole(text, 0, "seed")


def _jobs(text: str) -> int:
    return _whole(text, 1, "jobs")


def _whole(text: str, least: int, name: str) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"`{name}` must be a whole number >= {least}, got {text!r}")
    return int(text)
