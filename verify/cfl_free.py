"""CFL: trivial bounds, with which its theorems are compared."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl.kept import all_gap, all_grad2
from bounds.cfl.nonconvex import loss_now
from bounds.cfl.symbols import mu
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.relation import bound
from verify.engine.model.claim import claims_about
from verify.facts import descent
from verify.facts.functions import steep
from verify.scenes.cfl.free import CURRENT_ALONE, RESTING, STILL
from verify.scenes.cfl.kept import KEPT

_claim = claims_about("cfl", bound)
CLAIMS = (
    _claim("runs.free", STILL.of_class("smooth losses", descent(statement("cfl.runs.free").compared))),
    _claim(
        "thm4.1.kept.free",
        KEPT.of_class("strongly convex losses", steep(le(2 * mu * all_gap, all_grad2))),
        bound,
        *("thm4.1.kept.gradient", "thm4.1.kept.spread"),
    ),
    _claim("thm4.9.free", CURRENT_ALONE),
    _claim("nc.descent.free", RESTING, bound, baseline=loss_now),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_free"))
