"""Vacuity: every true headline has all checks for vacuity, and the table contains their results."""

from __future__ import annotations

import pytest

from tests.report.cases import made
from verify.curves.headlines import HEADLINES, TRUE, drawn_in
from verify.engine.records.answers import FOLDER, answers
from verify.engine.topics import claim_of, index
from verify.engine.verdict import Verdict, because
from verify.report.texts import vacuity_table
from verify.report.vacuity import vacuity

QUESTIONS = ({"free_lunch", "nothing_free"}, {"placebos", "no_placebo"}, {"needed"})
BESIDE = {
    *("cflag.lem13/sharp", "special.lem4.9.suppress/line", "special.cor4.12/floor"),
    *(
        "fedmes.thm2/corrected",
        "fedmes.thm2/noisy",
        "cfl.nc.descent/repaired",
        "special.thm4.10/surrogate.smooth",
    ),
    *(
        "special.tasks.regret",
        "special.tasks.regret/inexact",
        "special.tasks.stride",
        "special.tasks.forgetting",
    ),
    *(
        "special.tasks.random-order",
        "special.tasks.cyclic",
        "cfl.thm4.9/nonnegative",
        "cflag.lem7.worst/interfering",
    ),
}


def stands(id: str) -> bool:
    """Whether no stored answer, of any version of the code, is evidence against a statement."""
    found = answers(FOLDER, index()[id].topic).get(id, {"evidence": ()})["evidence"]
    return not any(one["verdict"] and Verdict(one["verdict"]).damaging for one in found)


def standing() -> list[str]:
    true = {line.id for lines in HEADLINES.values() for line in lines if line.role == TRUE}
    return sorted(true | {id for id in drawn_in() if stands(id)} | BESIDE)


@pytest.mark.parametrize("id", standing())
def test_a_headline_that_stands_is_asked_every_question(id: str) -> None:
    claim = claim_of(id)
    assert claim is not None
    names = {check.__qualname__.partition(".")[0] for check in claim.checks}
    assert all(names & question for question in QUESTIONS), names


def finding(check: str, reason: str, **more) -> dict:
    return {"check": check, "verdict": None, "method": "exact", "reason": because("unjudged", why=reason), "trials": 1, "tightness": None, "witness": None, **more}  # fmt: skip


def test_the_table_has_one_line_for_each_and_says_what_is_missing() -> None:
    held = {
        **finding("bound", "unrefuted", tightness=0.5),
        "verdict": "unrefuted",
        "proof": {"certificate": {}, "rests_on": {"premises": [], "textbook": []}},
        "witness": {"shape": {"N": 2}},
    }
    whole = [
        held,
        finding("free lunch", "better than n.free somewhere"),
        finding(
            "placebo",
            "fails for ascent, as it should",
            details={"breaks_for": ["ascent"], "holds_for": ["a walk"]},
        ),
        finding("needed", "needed: a >= 0", details={"fails at": {"a >= 0": {}}}),
    ]
    found = [
        made("n.thm1", evidence=whole, tightness=0.5),
        made("n.thm2", evidence=[{**one, "trials": 0} for one in (*whole[1:3], {**held, "witness": None})]),
        made("n.thm3", "refuted"),
        made("n.lem1"),
    ]
    rows = vacuity(found, {"n.thm1": "n.thm1", "n.thm3": "n.thm1"})
    assert [row.entry.id for row in rows] == ["n.thm1", "n.thm2", "n.thm3"]
    first, second, third = rows
    assert (first.world, first.alone, first.needed, first.figure) == (
        "N = 2",
        "yes",
        "1 of 1: a >= 0",
        "n.thm1",
    )
    assert first.missing == third.missing == ()
    assert second.missing == ("world", "needed", "alone")
    text = vacuity_table(found, {"n.thm1": "n.thm1"})
    assert sum(line.startswith("| n.thm") for line in text.splitlines()) == 2
    assert "1 of 2 fail; met by a walk" in text


def test_a_point_that_a_finding_names_is_a_world() -> None:
    point = {"point": {"shape": {"N": 1, "T": 4}}}
    (row,) = vacuity([made("n.thm", evidence=[finding("free lunch", "better", details=point)])], {})
    assert row.world == "N = 1, T = 4"
