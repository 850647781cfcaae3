"""`python -m verify keep`: judge what has no answer of this code yet, and keep the answers beside the claims."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from verify.commands.options import add_search
from verify.engine.backends import backend_of


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("patterns", nargs="*", help="ids, shell patterns or topics; all if none")
    parser.add_argument("--anew", action="store_true", help="judge also what has an answer of this code")
    add_search(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("results/records"), help="folder of records (default %(default)s)"
    )


def run(options: argparse.Namespace) -> int:
    from verify.engine.answers import FOLDER, is_kept, keep
    from verify.engine.index import keep as keep_index
    from verify.engine.pool import read_pool
    from verify.engine.records import parts_of, path_of, read_json
    from verify.engine.run import ANEW
    from verify.engine.run import run as judged
    from verify.engine.topics import index, selected, topics

    ids = [id for id in selected(options.patterns) if is_kept(index()[id].topic)]
    answers = None if options.anew else FOLDER
    judged(ids, options.out, options.budget, options.seed, backend_of(options), None, answers)
    for topic in dict.fromkeys(index()[id].topic for id in ids):
        own = [id for id, entry in index().items() if entry.topic == topic]
        records = (read_json(path_of(options.out, id)) for id in own if id in set(ids))  # not linked yet
        new = [record for record in records if record["judged"] == ANEW]
        pools = (read_pool(parts_of(options.out, record["id"])) for record in new)
        number = keep(topic, own, new, parts={name: part for pool in pools for name, part in pool.items()})
        print(f"{topic}: {number} answers, {len(new)} of them new", file=sys.stderr)
    keep_index(topics(), index())
    return 0
