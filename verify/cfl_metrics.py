"""CFL, Section 5.3: its metric, and whether Tables 5 to 8 report the same experiments."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl.metrics import last_five, reported
from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.checks.table import printed_in
from verify.engine.model.claim import Claim
from verify.facts import mean_of_largest
from verify.scenes.cfl.metrics import CURVES, applied, in_table_6

_printed = printed_in("cfl")
_BEST = CURVES.of_class("several numbers", mean_of_largest(reported, last_five))
CLAIMS = (
    Claim(statement("cfl.data.metric"), (inequality,), _BEST),
    _printed("tab5.tab6", in_table_6("0.1")),
    _printed("tab5.tab6/caption", in_table_6("0.2")),
    _printed("tab8", applied()),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_metrics"))
