"""SPECIAL: sentences of the text about Theorem 4.10: Remarks 4.11 and 4.13, its implications, and the text after 4.6."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.special.rate import NUMBERS

_claim = claims_about("special", inequality)
_alike = for_each(_claim)
CLAIMS = (
    *_alike("rem4.11.shift rem4.11.anchor rem4.13.rounds rem4.13.clients rem4.13.drift"),
    *_alike("rem4.13.few rem4.13.few/theorem thm4.10.lead/held thm4.10.rounds"),
    *_alike("thm4.10.local_work thm4.10.local_work/held thm4.10.tasks thm4.10.tasks/held thm4.10.initial"),
    _claim("rem4.13.clients/theorem", NUMBERS),
    *_alike("thm4.10.lead thm4.10.prefactor thm4.10.drift thm4.10.drift/anchor", None, identity),
    *_alike("thm4.10.sampling thm4.10.pool ass4.6.stationary ass4.6.stationary/terms", None, identity),
    *_alike("thm4.10.local_step thm4.10.local_step/sampling thm4.10.task_penalty", None, order),
    *_alike("thm4.10.global_step thm4.10.pool/order", None, order),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_rate_text"))
