"""Judge every step and its false twin beside other tools; print how many each of them proves and refutes.

Each tool receives the claims that it can state, in a process of its own. Only Z3 and certo-math name counterexamples, so
triples and Coq receive true steps only. Needed for the other tools, all optional: `pip install "certo-math[numerics]" triples`,
and on Debian `apt install coq libcoq-interval coinor-csdp`.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tests.benchmarks.steps.algebra import ALGEBRA
from tests.benchmarks.steps.appendices import APPENDICES
from tests.benchmarks.steps.cases import Step
from tests.benchmarks.steps.counting import COUNTING
from tests.benchmarks.steps.functions import FUNCTIONS
from tests.benchmarks.steps.recursions import RECURSIONS
from tests.benchmarks.steps.rivals.problem import Question
from tests.benchmarks.steps.rivals.workers import MISSING, TOOLS, UNSTATED
from tests.benchmarks.steps.rounds import ROUNDS
from tests.benchmarks.steps.sums import SUMS
from verify.engine.judge import judge
from verify.engine.model.claim import Claim
from verify.engine.model.validation import validate
from verify.engine.verdict import Verdict
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import PROCESSOR, OutOfTime, at_most

COLLECTIONS = (ALGEBRA, FUNCTIONS, SUMS, RECURSIONS, COUNTING, APPENDICES, ROUNDS)
HEAD = (
    "steps",
    "tool",
    "asked",
    "cannot state",
    "proved",
    "checked",
    "refuted",
    "open",
    "wrong",
    "median CPU s",
)
OWN = "fcl-theory"
PROVED, CERTIFIED, REFUTED, OPEN = "proved", "certified", "refuted", "open"


@dataclass(frozen=True)
class Outcome:
    """The answer of a tool to one claim, and the CPU time it took."""

    tool: str
    true: bool
    answer: str
    seconds: float


def main() -> int:
    """Rows of the table: for each collection, and for all, one row a tool."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.steps", description=__doc__)
    parser.add_argument("patterns", nargs="*", default=["*"], help="ids or shell patterns; all if none")
    parser.add_argument("--budget", default="default", choices=("quick", "default", "full"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=30.0, help="CPU seconds for one claim")
    parser.add_argument("--tool-timeout", type=float, default=30.0, help="the same for other tools")
    options = parser.parse_args()
    groups: list[tuple[str, list[Outcome]]] = []
    for collection in COLLECTIONS:
        chosen = [step for step in collection.all if _selected(step, options.patterns)]
        groups.append((collection.key, [outcome for step in chosen for outcome in _judged(step, options)]))
    for tool in TOOLS:
        tool.stop()
    if sum(bool(found) for _, found in groups) > 1:
        groups.append(("all", [outcome for _, found in groups for outcome in found]))
    names = (OWN, *(tool.name for tool in TOOLS))
    lines = [HEAD, *(_row(key, name, found) for key, found in groups if found for name in names)]
    widths = [max(map(len, column)) + 2 for column in zip(*lines, strict=True)]
    for line in lines:
        print("".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)))
    return 0


def _selected(step: Step, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(step.true.statement.id, pattern) for pattern in patterns)


def _judged(step: Step, options: argparse.Namespace) -> list[Outcome]:
    """Outcomes of the true claim and of its twin, of each tool."""
    found = []
    for claim, true in ((step.true, True), (step.false, False)):
        found.append(Outcome(OWN, true, *_own(claim, options)))
        question = Question(claim.relation, tuple(claim.conditions))
        for tool in TOOLS:
            if true or tool.refutes:
                found.append(Outcome(tool.name, true, *tool.answer(question, options.tool_timeout)))
    answers = "; ".join(f"{o.tool} {o.answer} {o.seconds:.1f} s" for o in found)
    print(f"{step.true.statement.id}: {answers}", file=sys.stderr, flush=True)
    return found


def _own(claim: Claim, options: argparse.Namespace) -> tuple[str, float]:
    start = time.process_time()
    try:
        with at_most(options.timeout, PROCESSOR):
            validate(claim)
            record = judge(claim, options.budget, options.seed)
    except (OutOfTime, UsageError) as error:
        print(f"{claim.statement.id}: {error or 'out of time'}", file=sys.stderr)
        return OPEN, time.process_time() - start
    return _answer(record["verdict"], record["proof"]), time.process_time() - start


def _answer(verdict: str, proof: dict[str, object] | None) -> str:
    """The answer of a record; a proof at some sizes leaves a claim open."""
    if verdict == Verdict.PROVED.value:
        return OPEN if proof and proof.get("sizes") else CERTIFIED
    return REFUTED if verdict in {v.value for v in Verdict if v.damaging} else OPEN


def _row(key: str, tool: str, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Counts of one tool; `checked` are proofs that a program accepts which does not trust the search.

    The median is that of the claims that the tool can state.
    """
    found = [outcome for outcome in outcomes if outcome.tool == tool]
    if any(outcome.answer == MISSING for outcome in found):
        return (key, tool, "not installed", *[""] * (len(HEAD) - 3))
    stated = [outcome for outcome in found if outcome.answer != UNSTATED]
    true = [outcome.answer for outcome in stated if outcome.true]
    false = [outcome.answer for outcome in stated if not outcome.true]
    proofs = (PROVED, CERTIFIED)
    counts = (
        len(found),
        len(found) - len(stated),
        sum(answer in proofs for answer in true),
        true.count(CERTIFIED),
        false.count(REFUTED),
        (true + false).count(OPEN),
        true.count(REFUTED) + sum(answer in proofs for answer in false),
    )
    time_taken = f"{median(outcome.seconds for outcome in stated):.2f}" if stated else ""
    return (key, tool, *map(str, counts), time_taken)


if __name__ == "__main__":
    raise SystemExit(main())
