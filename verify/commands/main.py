"""The command line of `python -m verify` and of every topic; each command is a file of this folder."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from shutil import get_terminal_size

from verify.engine.work.arguments import Parser
from verify.engine.work.ending import exit_status
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import collecting_rarely

COMMANDS: Mapping[str, str] = {
    "judge": "judge statements (the default command): proved, unrefuted, vacuous, gap, inconsistent or refuted",
    "paper": "judge all statements of one paper",
    "new": "write a template for your own theorem, or the skeleton of a new paper",
    "check": "judge theorems of your own: a Python file, or lemmas in a .tex or .md file",
    "read": "list the claims of a paper in LaTeX, and which of them can be read",
    "experiments": "test sentences on experiments with another stream, network or machine",
    "bound": "evaluate a bound at your own numbers: terms, sweeps, best step sizes, comparison",
    "explain": "explain the verdict of one statement: its proof, or its counterexample",
    "report": "write a report on the results of a run, as one HTML file, LaTeX or Markdown",
    "erratum": "write the corrections that a paper needs, as Markdown, LaTeX or HTML",
    "replay": "evaluate a saved counterexample again, from its file alone",
    "certify": "check certificates, search for missing ones, write them for the independent checker or Coq",
    "sizes": "list statements that are proved at some sizes only, and the facts that limit them",
    "keep": "judge statements without a current stored answer, and store the answers for later runs",
    "hunt": "search unrefuted statements for hours, for counterexamples and tighter instances",
    "curves": "compute and save the curves that the figures draw",
    "calibrate": "measure how often the engine is right on statements of known truth",
    "mutants": "change true statements into false ones, and count how many are detected",
}
"""Every command with its summary. The file of the same name has `add_options(parser)` and `run(options)`."""

CODE = (
    "Only your own theorem files in Python are ever executed (check, report FILE.py, replay --theorem). "
    "All other input is data: records, counterexamples, certificates, data sets."
)


def main(argv: Sequence[str] | None = None, topic: str | None = None) -> int:
    """Run the command line; exit status 0: judged, 1: `--strict` and a statement has a damaging verdict, 2: wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if topic is None and arguments[:1] == ["--version"]:
        print(f"fcl-theory {version('fcl-theory')}")
        return 0
    given = topic is None and bool(arguments) and arguments[0] in COMMANDS
    command = arguments[0] if given else "judge"

    @collecting_rarely()
    def run() -> int:
        file = import_module(f"verify.commands.{command}")
        parser = _parser(command, topic, named=given)
        file.add_options(parser) if topic is None else file.add_options_of_topic(parser, topic)
        return int(file.run(parser.parse_args(arguments[given:])))

    return exit_status("verify", run, UsageError, "the same command goes on from what is saved")


def _parser(command: str, topic: str | None, *, named: bool) -> argparse.ArgumentParser:
    whole = topic is None and not named
    place = f".{topic}" if topic else f" {command}" if named else ""
    return Parser(
        prog=f"python -m verify{place}",
        description="\n".join(_wrapped(f"{COMMANDS[command][0].upper()}{COMMANDS[command][1:]}.")),
        epilog="\n".join(_epilog()) if whole else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _epilog() -> Iterator[str]:
    """The commands with their summaries, and a note on which code is executed."""
    yield "commands (python -m verify COMMAND --help explains each):"
    for name, summary in COMMANDS.items():
        yield from _wrapped(f"  {name:<12}{summary}", 14)
    yield ""
    yield from _wrapped(CODE)


def _wrapped(text: str, indent: int = 0) -> list[str]:
    """Lines of a text that fit the terminal."""
    return textwrap.wrap(text, get_terminal_size().columns - 2, subsequent_indent=" " * indent)
