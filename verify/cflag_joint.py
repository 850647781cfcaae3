"""C-FLAG: convergence on memory and current data together (Lemma 3), by Algorithm 1 and by the rules of its proof."""

from __future__ import annotations

from bounds.cflag.joint import EXPERIMENTS
from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.order import order
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import placebos
from verify.engine.claim import claims_about, for_each
from verify.scenes.cflag.joint import ALGORITHM, BALANCED, IDLE, REDUCED, ROUGH, SMOOTH, UPHILL
from verify.scenes.cflag.joint_facts import ALONG, DESCENT, LENGTH

_claim = claims_about("cflag", bound)
_claims = for_each(_claim)
CLAIMS = (
    _claim("lem3", ALGORITHM, bound, beside=(applicability(EXPERIMENTS),)),
    _claim("lem3/eq67", ROUGH),
    _claim("lem3/eq67-smooth", SMOOTH, bound, beside=(placebos((IDLE, UPHILL)),)),
    _claim("lem3.rate", None, order),
    _claim("lem3.current", BALANCED, entailment),
    *_claims("eq67 eq68", REDUCED, agreement),
    _claim("eq69", SMOOTH),
    _claim("eq69/gradient", ROUGH),
    _claim("eq69/quarter", SMOOTH, bound, ALONG, LENGTH, DESCENT),
    *_claims("eq70 eq70/nonstationary eq71", None, inequality),
    *_claims("eq72 eq72/small", None, entailment),
    _claim("eq73", None, identity),
    _claim("eq74", None, agreement),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_joint"))
