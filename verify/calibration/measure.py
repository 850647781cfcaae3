"""The table: confidently wrong answers, false alarms, mutants caught by kind, and what stays undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from verify.calibration.corpus import TRUTHS, corpus
from verify.calibration.fuzz import attempt_at
from verify.calibration.mutants import KINDS, false_somewhere, mutants
from verify.engine.checks.attack import attack
from verify.engine.judge import judge
from verify.engine.model.claim import BUDGETS
from verify.engine.verdict import SHOWN
from verify.engine.work.backends import Backend
from verify.engine.work.items import each
from verify.report.wording import sentence

Tell = Callable[[str], None]
Row = dict[str, Any]

RIGHT: Mapping[str, tuple[str, ...]] = {
    "true": ("proved", "proved (cited)"),
    "false": ("refuted",),
    "vacuous": ("vacuous", "not judged"),
    "missing a condition": ("gap", "refuted"),
    "inconsistent": ("inconsistent", "refuted"),
}
"""What says of a statement what is known of it."""
UNDECIDED = ("unrefuted", "supported", "inconclusive", "not judged")
CAUGHT = ("refuted", "gap", "inconsistent", "vacuous")


def judged(
    places: Sequence[int], budget: str, seed: int, folder: Path, backend: Backend, tell: Tell
) -> list[Row]:
    """The verdict of every statement of the corpus at these places: is it right, undecided or confidently wrong?"""
    rows = {}
    for place, row in each(_verdict, places, folder, backend, budget, seed):
        rows[place] = row
        tell(f"[{len(rows)}/{len(places)}] {row['id']}: {row['verdict']}")
    return [rows[place] for place in places]


def _verdict(place: int, budget: str, seed: int) -> tuple[int, Row]:
    one = corpus()[place]
    record = judge(one.claim, budget, seed)
    verdict = record["verdict"]
    outcome = "right" if verdict in RIGHT[one.truth] else "undecided" if verdict in UNDECIDED else "wrong"
    return place, {
        "id": record["id"],
        "truth": one.truth,
        "source": one.source,
        "verdict": verdict,
        "outcome": outcome,
        "reason": sentence(record["reason"]),
    }


def alarms(
    places: Sequence[int], runs: int, seed: int, folder: Path, backend: Backend, tell: Tell
) -> dict[str, Any]:
    """Searches of true statements, with a new seed each: which of them found a counterexample."""
    true = [place for place in places if corpus()[place].truth == "true"]
    asked, found = [(true[run % len(true)], seed + run) for run in range(runs)], []
    for done, alarm in enumerate(each(_alarm, asked, folder, backend), start=1):
        found += alarm
        if done % 100 == 0:
            tell(f"{done} of {runs} seeded searches")
    return {"runs": runs, "false": sorted(found, key=lambda alarm: int(alarm["seed"]))}


def _alarm(start: tuple[int, int]) -> list[Row]:
    place, seed = start
    claim = corpus()[place].claim
    broken = attack(claim.question, BUDGETS["quick"], seed).witness is not None
    return [{"id": claim.statement.id, "seed": seed}] if broken else []


def mutated(
    places: Sequence[int], budget: str, seed: int, folder: Path, backend: Backend, tell: Tell
) -> list[Row]:
    """Every mutant of the true statements: whether it is false somewhere, and its verdict."""
    rows = {}
    for place, found in each(_mutants, places, folder, backend, budget, seed):
        rows[place] = found
        tell(f"mutants of {corpus()[place].claim.statement.id}")
    return [row for place in places for row in rows[place]]


def _mutants(place: int, budget: str, seed: int) -> tuple[int, list[Row]]:
    one, rows = corpus()[place], []
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
    return place, rows


def calibrated(
    budget: str, seed: int, runs: int, steps: int, every: int, folder: Path, backend: Backend, tell: Tell
) -> dict[str, Any]:
    """All of it as plain JSON; `every` takes each so-many-th statement of the corpus, 1 takes all.

    Verdicts, searches and attempts are saved in `folder`, where the same calibration goes on.
    """
    places = range(len(corpus()))[::every]
    found: dict[str, Any] = {
        "statements": judged(places, budget, seed, folder, backend, tell),
        "alarms": alarms(places, runs, seed, folder, backend, tell),
        "mutants": mutated(places, budget, seed, folder, backend, tell),
    }
    return {**found, "fuzz": at_random(steps, seed, folder, backend, tell)}


def at_random(number: int, seed: int, folder: Path, backend: Backend, tell: Tell) -> Row:
    """How many false conclusions made at random were tried, and those that were proved."""
    found = {}
    for place, proved in each(attempt_at, range(number), folder, backend, seed):
        found[place] = proved
        if len(found) % 20 == 0:
            tell(f"{len(found)} of {number} false conclusions at random")
    return {"tried": number, "proved": [one for place in range(number) for one in found[place]]}


def wrong(found: Mapping[str, Any]) -> int:
    """Confidently wrong answers: of statements, of mutants that are false and proved, of conclusions at random."""
    statements = sum(row["outcome"] == "wrong" for row in found["statements"])
    proved = sum(row["false"] and row["verdict"] in SHOWN for row in found["mutants"])
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
        proved = sum(row["verdict"] in SHOWN for row in false)
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
