"""Local SGD on heterogeneous data: lemmas from the class of losses, and the theorem from the lemmas."""

import pytest

from verify.check_proof import check
from verify.engine.certificates.recheck import recheck
from verify.engine.claim import BUDGETS
from verify.engine.verdict import Finding, Verdict
from verify.localsgd_heterogeneous import CLAIMS

BY_ID = {claim.statement.id.partition(".")[2]: claim for claim in CLAIMS}


def judged(id: str) -> Finding:
    claim = BY_ID[id]
    return claim.checks[0](claim, BUDGETS["quick"], 0)


@pytest.mark.parametrize("id", ["dif.product", "dif.way"])
def test_a_lemma_is_proved_for_all_parameters(id: str) -> None:
    finding = judged(id)
    assert finding.verdict is Verdict.PROVED, finding.reason
    assert finding.proof is not None
    assert finding.proof["sizes"] is None
    for certificate in finding.proof["certificates"]:
        check(dict(certificate))
        recheck(certificate)


@pytest.mark.parametrize("id", ["dif.step", "dif.strayed", "dif.thm"])
def test_the_steps_of_the_theorem_are_proved(id: str) -> None:
    assert judged(id).verdict is Verdict.PROVED


@pytest.mark.parametrize("id", ["dif.gradient/quarter", "dif.product/half", "dif.thm/tenth"])
def test_false_variants_are_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED
