"""Theorems of other papers on continual learning, for all numbers of tasks and in every dimension."""

import pytest

from verify.agem_theorem import CLAIMS as AGEM
from verify.check_proof import check
from verify.engine.certificates.recheck import recheck
from verify.engine.claim import BUDGETS
from verify.engine.verdict import Finding, Verdict
from verify.ewc_theorem import CLAIMS as EWC
from verify.gem_theorem import CLAIMS as GEM

BY_ID = {claim.statement.id: claim for claim in (*GEM, *AGEM, *EWC)}


def judged(id: str) -> Finding:
    claim = BY_ID[id]
    return claim.checks[0](claim, BUDGETS["quick"], 0)


@pytest.mark.parametrize(
    "id", ["agem.eq10", "agem.eq11.descends", "agem.eq11.safe/bounded", "ewc.sum", "ewc.separate/error"]
)
def test_a_true_statement_is_proved_at_all_sizes(id: str) -> None:
    finding = judged(id)
    assert finding.verdict is Verdict.PROVED, finding.reason
    assert finding.proof is not None
    assert finding.proof["sizes"] is None
    found = finding.proof
    for certificate in found["certificates"] if "certificates" in found else [found["certificate"]]:
        check(dict(certificate))
        recheck(certificate)


@pytest.mark.parametrize(
    "id",
    [
        "gem.eq4",
        "gem.eq4.violated",
        "agem.eq11.safe",
        "agem.eq11.safe/third",
        "agem.eq11.descends/same",
        "ewc.separate",
    ],
)
def test_a_false_statement_is_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED
