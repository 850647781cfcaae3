"""`python -m verify sizes`: stored proofs that hold at some sizes only, and the relations that limit them."""

from __future__ import annotations

import argparse


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("patterns", nargs="*", help="ids, shell patterns or topics (default: all)")


def run(options: argparse.Namespace) -> int:
    from verify.engine.judge import record_of
    from verify.engine.links import with_final_verdicts
    from verify.engine.proof.limits import table
    from verify.engine.records.answers import FOLDER, answers, is_kept
    from verify.engine.topics import claims_of, selected, topics

    wanted = set(selected(options.patterns))
    records = []
    for topic in filter(is_kept, topics()):
        stored = answers(FOLDER, topic)
        for claim in claims_of(topic):
            if (answer := stored.get(claim.statement.id)) is not None:
                records.append(record_of(claim, answer["evidence"], answer["cites"], 0.0, "default", 0))
    print("\n".join(table([record for record in with_final_verdicts(records) if record["id"] in wanted])))
    return 0
