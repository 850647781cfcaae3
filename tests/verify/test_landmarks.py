"""Theorems of other papers on federated learning, judged from the definition of the class of losses."""

import pytest

from verify.check_proof import check
from verify.ef21_theorem import CLAIMS as EF21
from verify.engine.certificates.recheck import recheck
from verify.engine.claim import BUDGETS
from verify.engine.verdict import Finding, Verdict
from verify.noniid_theorem import CLAIMS as NONIID
from verify.proxskip_theorem import CLAIMS as PROXSKIP

BY_ID = {claim.statement.id: claim for claim in (*PROXSKIP, *EF21, *NONIID)}


def judged(id: str) -> Finding:
    claim = BY_ID[id]
    return claim.checks[0](claim, BUDGETS["quick"], 0)


@pytest.mark.parametrize("id", ["proxskip.lem3.4", "ef21.lem2", "ef21.thm1.step"])
def test_a_step_of_a_proof_is_proved_for_all_parameters(id: str) -> None:
    finding = judged(id)
    assert finding.verdict is Verdict.PROVED, finding.reason
    assert finding.proof is not None
    assert finding.proof["sizes"] is None
    for certificate in finding.proof["certificates"]:
        check(dict(certificate))
        recheck(certificate)


@pytest.mark.parametrize("id", ["ef21.thm1/long"])
def test_longer_steps_are_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED


def test_bounded_gradients_at_every_model_contradict_strong_convexity() -> None:
    finding = judged("noniid.thm1/everywhere")
    assert finding.verdict is Verdict.VACUOUS
    assert "contradict" in finding.reason
