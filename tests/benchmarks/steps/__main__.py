"""Judge every step and its false twin; print how many are proved, refuted, open and wrong, and Z3's answers.

Z3's answers are not checked: "proved" means that it finds no counterexample ("unsat"), "refuted" that it names one.
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
from tests.benchmarks.steps.cases import Step
from tests.benchmarks.steps.counting import COUNTING
from tests.benchmarks.steps.functions import FUNCTIONS
from tests.benchmarks.steps.recursions import RECURSIONS
from tests.benchmarks.steps.sums import SUMS
from verify.engine.judge import judge
from verify.engine.model.claim import Claim
from verify.engine.model.validation import validate
from verify.engine.search.points import Translation, Untranslatable
from verify.engine.verdict import Verdict
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import OutOfTime, at_most

COLLECTIONS = (ALGEBRA, FUNCTIONS, SUMS, RECURSIONS, COUNTING)
HEAD = (
    "",
    "true",
    "proved",
    "open",
    "wrong",
    "false",
    "refuted",
    "open",
    "wrong",
    "median s",
    "Z3 proved",
    "Z3 refuted",
    "Z3 median s",
)
PROVED, REFUTED, OPEN = "proved", "refuted", "open"
Z3_SECONDS = 10


@dataclass(frozen=True)
class Outcome:
    """The result for one claim: proved, refuted or open; and the seconds it took."""

    answer: str
    seconds: float


def main() -> int:
    """Rows of the table: one for each collection, and one for all."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.steps", description=__doc__)
    parser.add_argument("patterns", nargs="*", default=["*"], help="ids or shell patterns; all if none")
    parser.add_argument("--budget", default="default", choices=("quick", "default", "full"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds for one claim")
    options = parser.parse_args()
    rows: list[tuple[str, list[tuple[Outcome, ...]]]] = []
    for collection in COLLECTIONS:
        chosen = [step for step in collection.all if _selected(step, options.patterns)]
        rows.append((collection.key, [_judged(step, options) for step in chosen]))
    rows.append(("all", [outcome for _, found in rows for outcome in found]))
    lines = [HEAD, *(_row(*row) for row in rows)]
    widths = [max(map(len, column)) + 2 for column in zip(*lines, strict=True)]
    for line in lines:
        print("".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)))
    return 0


def _selected(step: Step, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(step.true.statement.id, pattern) for pattern in patterns)


def _judged(step: Step, options: argparse.Namespace) -> tuple[Outcome, ...]:
    """Outcomes of the true claim and of its twin, then those of Z3."""
    found = (*(_own(claim, options) for claim in (step.true, step.false)), *map(_z3, (step.true, step.false)))
    true, false, *z3 = (f"{outcome.answer} {outcome.seconds:.1f} s" for outcome in found)
    print(f"{step.true.statement.id}: {true}; twin {false}; Z3 {', '.join(z3)}", file=sys.stderr, flush=True)
    return found


def _own(claim: Claim, options: argparse.Namespace) -> Outcome:
    start = time.perf_counter()
    try:
        with at_most(options.timeout):
            validate(claim)
            record = judge(claim, options.budget, options.seed)
    except (OutOfTime, UsageError) as error:
        print(f"{claim.statement.id}: {error or 'out of time'}", file=sys.stderr)
        return Outcome(OPEN, time.perf_counter() - start)
    return Outcome(_answer(record["verdict"], record["proof"]), time.perf_counter() - start)


def _answer(verdict: str, proof: dict[str, object] | None) -> str:
    """The answer of a record; a proof at some sizes leaves a claim open."""
    if verdict == Verdict.PROVED.value:
        return OPEN if proof and proof.get("sizes") else PROVED
    return REFUTED if verdict in {v.value for v in Verdict if v.damaging} else OPEN


def _z3(claim: Claim) -> Outcome:
    start = time.perf_counter()
    try:
        import z3
    except ImportError:
        return Outcome(OPEN, 0.0)
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", 1000 * Z3_SECONDS)
    translation = Translation(solver)
    try:
        for condition in claim.conditions:
            solver.add(translation.relation(condition))
        solver.add(z3.Not(translation.relation(claim.relation)))
        translation.whole()
    except Untranslatable:
        return Outcome(OPEN, time.perf_counter() - start)
    if translation.inside:  # terms that Z3 cannot read were arbitrary numbers for it
        return Outcome(OPEN, time.perf_counter() - start)
    answer = {"unsat": PROVED, "sat": REFUTED}.get(str(solver.check()), OPEN)
    return Outcome(answer, time.perf_counter() - start)


def _row(name: str, found: Sequence[tuple[Outcome, ...]]) -> tuple[str, ...]:
    def count(place: int, answer: str) -> str:
        return str(sum(outcomes[place].answer == answer for outcomes in found))

    own = [outcome.seconds for outcomes in found for outcome in outcomes[:2]]
    z3 = [outcome.seconds for outcomes in found for outcome in outcomes[2:]]
    return (
        name,
        str(len(found)),
        *(count(0, answer) for answer in (PROVED, OPEN, REFUTED)),
        str(len(found)),
        *(count(1, answer) for answer in (REFUTED, OPEN, PROVED)),
        f"{median(own):.2f}" if own else "",
        count(2, PROVED),
        count(3, REFUTED),
        f"{median(z3):.2f}" if z3 else "",
    )


if __name__ == "__main__":
    raise SystemExit(main())
