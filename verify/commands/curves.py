"""`python -m verify curves`: compute the data of figures."""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.commands.options import add_seed
from verify.curves import CURVES, FOLDER, compute
from verify.engine.work.backends import add_backend, backend_of


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(CURVES)} (default: all)")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder (default %(default)s)")
    add_seed(parser)
    add_backend(parser)


def run(options: argparse.Namespace) -> int:
    for path in compute(options.names, options.out, options.seed, backend_of(options, few=1)):
        print(path)
    return 0
