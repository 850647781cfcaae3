"""Judge theorems of other papers from the definition of the class of losses."""

from __future__ import annotations

from verify.check_proof import check
from verify.engine.certificates.recheck import recheck
from verify.engine.model.claim import BUDGETS
from verify.engine.topics import claim_of
from verify.engine.verdict import Finding, Verdict


def judged(id: str, budget: str = "quick") -> Finding:
    """The finding of a claim's first check, searched for again."""
    claim = claim_of(id)
    assert claim is not None
    return claim.checks[0](claim, BUDGETS[budget], 0)


def require_proof_for_all_sizes(finding: Finding) -> None:
    """Check that a proof holds for all sizes and that both checkers accept its certificates."""
    assert finding.verdict is Verdict.PROVED, finding.reason
    assert finding.proof is not None
    assert finding.proof["sizes"] is None
    certificates = finding.proof.get("certificates") or [finding.proof["certificate"]]
    for certificate in certificates:
        check(dict(certificate))
        recheck(certificate)


def require_derivation(finding: Finding) -> None:
    """Check that a statement is derived at all sizes from conditions that lemmas give: a certificate, and the lemmas."""
    assert finding.verdict is Verdict.UNREFUTED, finding.reason
    assert finding.proof is not None, finding.reason
    assert finding.proof["sizes"] is None
    assert finding.details["derived_from"]
