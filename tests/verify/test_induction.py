"""A stored proof over all rounds is accepted, and no damaged one is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bounds.catalogue import statement
from verify.check_proof import Refused, check
from verify.engine.certificates import Rejected, Undecided, recheck, store
from verify.engine.certificates.question import Question
from verify.engine.proof.basis import question_of
from verify.special_surrogate import CLAIMS


def invariant() -> tuple[Question, dict[str, Any]]:
    claim = next(c for c in CLAIMS if c.statement is statement("special.thm4.10/surrogate.invariant"))
    question = question_of(claim)
    certificate = store.stored_answer(question)
    assert certificate is not None
    assert not isinstance(certificate, Undecided)
    return question, json.loads(json.dumps(certificate))


def test_the_rate_of_special_holds_after_every_round() -> None:
    question, certificate = invariant()
    store.answers(question, certificate)
    recheck(certificate)


def _hurt(certificate: dict[str, Any], how: str) -> None:
    line = certificate["lines"][-1]
    match how:
        case "base" | "step":
            line[how] = line[how][:-1]
        case "every":
            for given in certificate["lines"]:
                given.pop("for", None)
        case "further":
            line["show"] = certificate["claim"] = ["<=", ["at", "miss", "t"], ["at", "carried", "t"]]


@pytest.mark.parametrize("how", ["base", "step", "every", "further"])
def test_a_damaged_induction_is_refused(how: str) -> None:
    _, certificate = invariant()
    _hurt(certificate, how)
    with pytest.raises(Refused):
        check(certificate)
    with pytest.raises(Rejected):
        recheck(certificate)
