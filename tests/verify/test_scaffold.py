"""SCAFFOLD: lemmas and parts of a round, for all parameters, numbers of clients and of local steps."""

import pytest

from verify.check_proof import check
from verify.engine.certificates.recheck import recheck
from verify.engine.claim import BUDGETS
from verify.engine.verdict import Finding, Verdict
from verify.scaffold_theorem import CLAIMS

BY_ID = {claim.statement.id: claim for claim in CLAIMS}


def judged(id: str) -> Finding:
    claim = BY_ID[id]
    return claim.checks[0](claim, BUDGETS["quick"], 0)


@pytest.mark.parametrize("id", ["scaffold.lem3.sum", "scaffold.lem5", "scaffold.step"])
def test_a_part_of_a_round_is_proved_for_all_parameters(id: str) -> None:
    finding = judged(id)
    assert finding.verdict is Verdict.PROVED, finding.reason
    assert finding.proof is not None
    assert finding.proof["sizes"] is None
    for certificate in finding.proof["certificates"]:
        check(dict(certificate))
        recheck(certificate)


def test_parts_of_a_round_give_its_progress() -> None:
    assert judged("scaffold.progress").verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "id",
    [
        "scaffold.lem3.sum/better",
        "scaffold.lem4.martingale/single",
        "scaffold.lem5/half",
        "scaffold.lem6/long",
    ],
)
def test_what_is_too_good_is_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED
