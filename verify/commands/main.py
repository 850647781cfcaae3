"""The command line of `python -m verify` and of every topic; each command is a file of this folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version

from verify.engine.ending import ended
from verify.engine.errors import UsageError

COMMANDS: Mapping[str, str] = {
    "judge": "judge statements: proved, unrefuted, vacuous, gap, inconsistent or refuted (what happens without a command)",
    "paper": "judge all statements of one paper",
    "new": "write a file to start a theorem of your own from, or the skeleton of a new paper",
    "check": "judge theorems of your own: a Python file, or lemmas in a .tex or .md file",
    "read": "list what a paper in LaTeX claims and which of it can be read",
    "experiments": "judge sentences on experiments on another stream, network or machine",
    "bound": "evaluate a bound at numbers of your own: terms, sweeps, best step sizes, comparison",
    "explain": "tell the story of one statement, from saved records",
    "report": "write what a run found as one HTML file, or as LaTeX or Markdown",
    "erratum": "write what a paper should say otherwise, as Markdown, LaTeX or HTML",
    "replay": "evaluate a witness again, from its file alone",
    "certify": "check certificates, search for missing ones, print them for a proof kernel",
    "sizes": "list what is proved at sizes only, by stored answers, and what limits it",
    "keep": "judge what has no answer of this code yet, and keep the answers, so that later runs only check them",
    "hunt": "search for hours, in unrefuted statements, for counterexamples and tighter instances",
    "curves": "compute and save what the figures draw",
    "calibrate": "what the engine gets right and wrong on statements of known truth",
    "mutants": "break true statements on purpose and count what is caught",
}
"""Every command with its summary. The file of that name has `add_options(parser)` and `run(options)`."""

CODE = (
    "",
    "Of all inputs only a theorem file of your own in Python is ever executed (check, report FILE.py, replay --theorem);",
    "records, witnesses, certificates and data sets are data.",
)


def main(argv: Sequence[str] | None = None, topic: str | None = None) -> int:
    """Run the command line; exit status 0: judged, 1: `--strict` and something is damaged, 2: wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if topic is None and arguments[:1] == ["--version"]:
        print(f"fcl-theory {version('fcl-theory')}")
        return 0
    given = topic is None and bool(arguments) and arguments[0] in COMMANDS
    command = arguments[0] if given else "judge"

    def run() -> int:
        file = import_module(f"verify.commands.{command}")
        parser = _parser(command, topic, named=given)
        file.add_options(parser) if topic is None else file.add_options_of_topic(parser, topic)
        return int(file.run(parser.parse_args(arguments[given:])))

    return ended("verify", run, UsageError, "the same command goes on from what is saved")


def _parser(command: str, topic: str | None, *, named: bool) -> argparse.ArgumentParser:
    whole = topic is None and not named
    others = [f"  {name:<12}{summary}" for name, summary in COMMANDS.items()]
    place = f".{topic}" if topic else f" {command}" if named else ""
    return argparse.ArgumentParser(
        prog=f"python -m verify{place}",
        description=f"{COMMANDS[command][0].upper()}{COMMANDS[command][1:]}.",
        epilog="\n".join(
            ["commands, each with a help of its own (python -m verify COMMAND -h):", *others, *CODE]
        )
        if whole
        else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
