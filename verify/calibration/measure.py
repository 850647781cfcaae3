"""The table: confidently wrong answers, false alarms, mutants caught by kind, and what stays undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from verify.calibration.corpus import TRUTHS, Known, corpus
from verify.calibration.fuzz import fuzz
from verify.calibration.mutants import KINDS, false_somewhere, mutants
from verify.engine.checks.attack import attack
from verify.engine.claim import BUDGETS
from verify.engine.judge import judge

Tell = Callable[[str], None]

RIGHT: Mapping[str, tuple[str, ...]] = {
    "true": ("proved",),
    "false": ("refuted",),
    "void": ("vacuous", "not_applicable"),
    "missing a condition": ("gap", "refuted"),
    "inconsistent": ("inconsistent", "refuted"),
}
"""What says of a statement what is known of it."""
UNDECIDED = ("holds", "not_applicable")
CAUGHT = ("refuted", "gap", "inconsistent", "vacuous")


def judged(known: Sequence[Known], budget: str, seed: int, tell: Tell) -> list[dict[str, Any]]:
    """The verdict of every statement, and whether it is right, undecided or confidently wrong."""
    rows = []
    for place, one in enumerate(known, start=1):
        record = judge(one.claim, budget, seed)
        verdict = record["verdict"]
        outcome = "right" if verdict in RIGHT[one.truth] else "undecided" if verdict in UNDECIDED else "wrong"
        rows.append(
            {
                "id": record["id"],
                "truth": one.truth,
                "source": one.source,
                "verdict": verdict,
                "outcome": outcome,
                "reason": record["reason"],
            }
        )
        tell(f"[{place}/{len(known)}] {record['id']}: {verdict}")
    return rows


def alarms(known: Sequence[Known], runs: int, seed: int, tell: Tell) -> dict[str, Any]:
    """Searches of true statements, with a new seed each: which of them found a counterexample."""
    true = [one.claim for one in known if one.truth == "true"]
    found = []
    for run in range(runs):
        claim = true[run % len(true)]
        if attack(claim.question, BUDGETS["quick"], seed + run).witness is not None:
            found.append({"id": claim.statement.id, "seed": seed + run})
        if (run + 1) % 100 == 0:
            tell(f"{run + 1} of {runs} seeded searches")
    return {"runs": runs, "false": found}


def mutated(known: Sequence[Known], budget: str, seed: int, tell: Tell) -> list[dict[str, Any]]:
    """Every mutant of the true statements: whether it is false somewhere, and its verdict."""
    rows = []
    for one in known:
        for mutant in mutants(one) if one.truth == "true" else ():
            verdict = judge(mutant.claim, budget, seed)["verdict"]
            false = verdict in CAUGHT[:3] or false_somewhere(mutant.claim, seed)
            rows.append(
                {
                    "id": mutant.claim.statement.id,
                    "kind": mutant.kind,
                    "change": mutant.change,
                    "verdict": verdict,
                    "false": false,
                }
            )
        tell(f"mutants of {one.claim.statement.id}")
    return rows


def calibrated(budget: str, seed: int, runs: int, steps: int, every: int, tell: Tell) -> dict[str, Any]:
    """All of it as plain JSON; `every` takes each so-many-th statement of the corpus, 1 takes all."""
    known = corpus()[::every]
    outcome = fuzz(steps, seed)
    tell(f"{outcome.tried} false conclusions tried at random")
    return {
        "statements": judged(known, budget, seed, tell),
        "alarms": alarms(known, runs, seed, tell),
        "mutants": mutated(known, budget, seed, tell),
        "fuzz": {"tried": outcome.tried, "proved": list(outcome.proved)},
    }


def wrong(found: Mapping[str, Any]) -> int:
    """Confidently wrong answers: of statements, of mutants that are false and proved, of conclusions at random."""
    statements = sum(row["outcome"] == "wrong" for row in found["statements"])
    proved = sum(row["false"] and row["verdict"] == "proved" for row in found["mutants"])
    return statements + proved + len(found["fuzz"]["proved"])


def table(found: Mapping[str, Any]) -> str:
    """The figures, as text."""
    rows = found["statements"]
    lines = [f"{'statements':<24}{'number':>8}{'right':>8}{'undecided':>11}{'wrong':>7}"]
    for truth in TRUTHS:
        counted = Counter(row["outcome"] for row in rows if row["truth"] == truth)
        numbers = (sum(counted.values()), counted["right"], counted["undecided"], counted["wrong"])
        lines.append("{:<24}{:>8}{:>8}{:>11}{:>7}".format(truth, *numbers))
    lines.append(f"{'mutants of derivations':<24}{'false':>8}{'caught':>8}{'share':>11}{'proved':>7}")
    for kind in (*KINDS, "all"):
        false = [row for row in found["mutants"] if row["false"] and kind in (row["kind"], "all")]
        caught = sum(row["verdict"] in CAUGHT for row in false)
        proved = sum(row["verdict"] == "proved" for row in false)
        share = f"{caught / len(false):.3f}" if false else "-"
        lines.append(f"{kind:<24}{len(false):>8}{caught:>8}{share:>11}{proved:>7}")
    told, at_random = found["alarms"], found["fuzz"]
    lines += [
        f"false conclusions at random: {at_random['tried']} tried, {len(at_random['proved'])} proved",
        f"false alarms: {len(told['false'])} in {told['runs']} seeded searches of true statements",
        f"confidently wrong answers: {wrong(found)}",
    ]
    missed = [f"{row['id']}: {row['verdict']} ({row['reason']})" for row in rows if row["outcome"] != "right"]
    missed += [
        f"{row['id']}, {row['change']}: {row['verdict']}, though it is false"
        for row in found["mutants"]
        if row["false"] and row["verdict"] not in CAUGHT
    ]
    return "\n".join(
        [*lines, *(["undecided or wrong:"] if missed else []), *(f"  {line}" for line in missed)]
    )
