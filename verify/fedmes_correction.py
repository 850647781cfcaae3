"""FedMeS: the effect of the corrections (6) on the memory loss (Theorem 1) and on the conflict (Remark 1)."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import bound, entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.fedmes.correction import ALONG_A_LINE, CORRECTED, FACTORED, REPEATED, ROUND_LOSSES
from verify.scenes.fedmes.matrices import DRAWN, MATRIX

_claim = claims_about("fedmes", identity)
_claims = for_each(_claim)

CLAIMS = (
    _claim("thm1", REPEATED, bound),
    *_claims("thm1.text thm1.rises thm1.rises-little", CORRECTED, inequality),
    *_claims("thm1.expansion thm1.curved", CORRECTED),
    *_claims("remark1 remark1.moving", CORRECTED, inequality),
    _claim("remark1.stuck", ALONG_A_LINE),
    _claim("remark1.never", ROUND_LOSSES, inequality, "remark1.change"),
    _claim("remark1.change", ROUND_LOSSES),
    _claim("thm1.possibility", REPEATED, entailment),
    _claim("eq31", FACTORED, inequality, "eq31.zero"),
    _claim("eq31.zero", FACTORED),
    _claim("eq32", FACTORED, inequality),
    *_claims("eq32/number eq32/orthogonal", FACTORED),
    _claim("eq32.still", None, entailment),
    _claim("eq34.matrix", MATRIX, inequality),
    _claim("eq34.matrix/unturned", DRAWN, inequality),
    _claim("eq34.matrix.step", MATRIX, bound),
    _claim("eq36.matrix", DRAWN, bound, "eq34.matrix.step", "eq34.matrix/unturned", "eq30/corrected"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_correction"))
