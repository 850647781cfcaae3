"""C-FLAG: sentences of its text that compare, praise or choose."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cflag.symbols import T
from verify.commands.main import main
from verify.engine.checks.order import order, outgrown
from verify.engine.checks.relation import agreement, inequality
from verify.engine.checks.table import ASKED, printed_in
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cflag.sentences import ADAM, EXCHANGES, SETS, costs, in_tables

_claim = claims_about("cflag", inequality)
_claims = for_each(_claim)
_printed = printed_in("cflag")
CLAIMS = (
    _claim("nccl", None, order, beside=(outgrown(statement("cflag.lem4.floor"), 1, T),)),
    _claim("communications", EXCHANGES, agreement),
    _claim("adam", ADAM),
    _printed("eq5.cost.drastic", costs(), failing=ASKED),
    _claim("eq5.cost.steps"),
    _printed("tab2.baselines", in_tables()),
    *_claims("eq166.best eq166.best/all-memories eq181.best/all-memories", SETS),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_sentences"))
