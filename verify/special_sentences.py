"""SPECIAL: sentences of its text that compare or explain."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import agreement, identity, inequality
from verify.engine.checks.unjudged import unjudged
from verify.engine.model.claim import claims_about
from verify.scenes.special.sentences import EXCHANGE, MORE_STEPS

CITED = (
    "an assumption: the rate of FedAvg with partial participation is cited, and no algorithm here computes it; that SPECIAL has "
    "this rate is Corollary 4.12, which is judged for itself"
)
_claim = claims_about("special", inequality)
CLAIMS = (
    _claim("sent.unchanged", EXCHANGE, identity),
    _claim("rate.fedavg", None, order),
    _claim("rate.fedavg/partial", None, unjudged(CITED)),
    _claim("thm4.7.initial", None, agreement),
    _claim("thm4.7.clients.half", None, identity),
    _claim("thm4.7.clients.half/fixed-steps"),
    _claim("rem4.13.too-large", MORE_STEPS),
    _claim("fig4.predicted"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_sentences"))
