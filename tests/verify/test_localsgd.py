"""Local SGD: every lemma from the class of losses, and the theorems from the lemmas."""

import pytest

from verify.check_proof import check
from verify.engine.certificates.recheck import recheck
from verify.engine.claim import BUDGETS
from verify.engine.verdict import Finding, Verdict
from verify.localsgd_theorem import CLAIMS

BY_ID = {claim.statement.id.partition(".")[2]: claim for claim in CLAIMS}


def judged(id: str) -> Finding:
    claim = BY_ID[id]
    return claim.checks[0](claim, BUDGETS["quick"], 0)


@pytest.mark.parametrize("id", ["lem1", "lem2.sum", "lem3.step", "thm2.mean"])
def test_a_lemma_is_proved_for_all_parameters(id: str) -> None:
    finding = judged(id)
    assert finding.verdict is Verdict.PROVED, finding.reason
    assert finding.proof is not None
    assert finding.proof["sizes"] is None
    for certificate in finding.proof["certificates"]:
        check(dict(certificate))
        recheck(certificate)


@pytest.mark.parametrize("id", ["lem1/long", "lem1/quarter", "lem3.step/long", "thm1/half"])
def test_false_variants_are_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED


def test_the_theorem_for_strongly_convex_losses_follows_from_the_lemmas() -> None:
    finding = judged("thm1")
    assert finding.verdict is Verdict.PROVED, finding.reason
    assert finding.proof is not None
    assert finding.proof["sizes"] is None
