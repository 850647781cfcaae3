"""`python -m verify keep`: judge claims without a stored answer, revalidate those with changed code, and store the
answers.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.commands.options import add_search
from verify.engine.work.backends import backend_of, let_go, spread
from verify.engine.work.messages import message


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("patterns", nargs="*", help="ids, shell patterns or topics (default: all)")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--again", action="store_true", help="search again for every answer")
    again.add_argument(
        "--unproved", action="store_true", help="search again for answers that nothing but a search supports"
    )
    again.add_argument("--older", action="store_true", help="search again for answers of an older search")
    add_search(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("results/records"), help="folder of records (default %(default)s)"
    )


def run(options: argparse.Namespace) -> int:
    from verify.engine.records.answers import (
        FOLDER,
        answers,
        is_kept,
        is_older,
        is_other,
        is_searched_alone,
        keep,
    )
    from verify.engine.records.files import parts_of, path_of, read_json
    from verify.engine.records.index import keep as keep_index
    from verify.engine.records.pool import read_pool
    from verify.engine.records.revalidation import is_known, ship_notes
    from verify.engine.run import SEARCHED, revalidate_stored
    from verify.engine.run import run as judged
    from verify.engine.topics import index, selected, topics

    entries = [index()[id] for id in selected(options.patterns) if is_kept(index()[id].topic)]
    keys = [entry.key(options.budget, options.seed) for entry in entries]
    again = [
        key.id
        for key in keys
        if options.again
        or (options.older and is_older(key, FOLDER))
        or (options.unproved and is_searched_alone(key, FOLDER))
    ]
    rest = [key.id for key in keys if key.id not in set(again)]
    for ids, folder in ((again, None), (rest, FOLDER)):
        if ids:
            judged(ids, options.out, options.budget, options.seed, backend_of(options), None, folder)
    for topic in dict.fromkeys(entry.topic for entry in entries):
        before = answers(FOLDER, topic)
        own = [id for id, entry in index().items() if entry.topic == topic]
        records = [read_json(path_of(options.out, key.id)) for key in keys if key.topic == topic]
        new = [record for record in records if record["judged"] == SEARCHED]
        pools = (read_pool(parts_of(options.out, record["id"])) for record in new)
        valid = [
            record
            for record in records
            if record["judged"] != SEARCHED and is_other(record, before[record["id"]])
        ]
        parts = {name: part for pool in pools for name, part in pool.items()}
        # To pack the same certificates again takes seconds
        changed = new or valid or before.keys() - set(own)
        number = keep(topic, own, [*new, *valid], parts=parts) if changed else len(before)
        message(f"{topic}: {number} answers, {len(new)} new, {len(valid)} revalidated")
    let_go()  # running processes have read the answers from before
    unknown = [key.id for key in keys if not is_known(key, answers(FOLDER, key.topic).get(key.id))]
    backend = backend_of(options, topic=lambda id: index()[id].topic)
    stand = sum(spread(revalidate_stored, unknown, backend, options.budget, options.seed))
    message(f"{stand} of {len(unknown)} new answers stand")
    ship_notes(keys, index().keys())
    if not options.patterns:
        keep_index(topics(), index())
    return 0
