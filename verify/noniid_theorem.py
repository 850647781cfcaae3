"""FedAvg on non-iid data: the lemmas of one step, and Theorem 1 where gradients are bounded at every model."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.checks.unjudged import unjudged
from verify.engine.claim import claims_about
from verify.first_order import decided
from verify.scenes.noniid.step import LOCAL, STEP

OPEN = "no scene runs FedAvg with falling step sizes over all smooth strongly convex losses; its steps are judged instead"
_claim = claims_about("noniid", decided)
CLAIMS = (
    _claim("lem1", STEP),
    _claim("lem3", LOCAL),
    _claim("thm1.step", None, inequality),
    _claim("thm1", None, unjudged(OPEN)),
    _claim("thm1/everywhere", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="noniid_theorem"))
