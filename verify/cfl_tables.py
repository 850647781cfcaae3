"""CFL: conclusions of its text from its tables of results, as far as the printed numbers decide them."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl.tables import TABLE_4, TABLE_5, TABLE_6, TABLE_7, TABLE_9
from verify.commands.main import main
from verify.engine.checks.power import of_groups
from verify.engine.checks.table import ASKED, printed_in, table
from verify.engine.checks.unjudged import unjudged
from verify.engine.model.claim import Claim
from verify.scenes.cfl.tables import (
    BASELINES,
    CAUSE,
    COMPARED,
    CORE_SETS,
    CURVES,
    Rows,
    against,
    ahead_of_baselines,
    by_overlap,
    gains,
    growing,
    in_both,
    leads,
    rows_of,
)

FOUR = TABLE_4["accuracy"]
_approximations = rows_of(TABLE_4, CORE_SETS, [method for method in FOUR if method not in CORE_SETS])
_naive = {size: against(FOUR, [f"Naive ({size})"], [f"iCaRL ({size})"]) for size in ("small", "large")}
_hessian = rows_of(TABLE_4, ["PyHessian"], ["Fisher"])
_kept = rows_of(TABLE_4, ["PyHessian", "Naive (small)", "Naive (large)"], ["MCMC"])
_top = rows_of(TABLE_5, ["Regularization"], ["Regularization-Full"])
_regularised = rows_of(TABLE_5, ["Regularization"], ["FedAvg"])
_all = ahead_of_baselines(TABLE_6)
_core_set = rows_of(TABLE_6, ["Core-Set"], BASELINES)
_stateless = ahead_of_baselines(TABLE_7)
_overlapping = ahead_of_baselines(TABLE_9)


_random = of_groups(("these", "these_deviation"), ("those", "those_deviation"))


def _table(id: str, rows: Rows) -> Claim:
    return Claim(statement(f"cfl.{id}"), (table(rows, _random),), COMPARED)


def _own_comparison(id: str, rows: Rows) -> Claim:
    """A comparison that the text does not make."""
    return Claim(statement(f"cfl.{id}"), (table(rows, _random, ASKED),), COMPARED)


def _comparisons(id: str, rows: Rows) -> tuple[Claim, ...]:
    """A comparison of accuracies, and a second claim that they differ by more than their deviations (not in the text)."""
    return _table(f"empirical-claims.{id}", rows), _own_comparison(f"empirical-claims.{id}/deviations", rows)


def _open(id: str, reason: str) -> Claim:
    return Claim(statement(f"cfl.empirical-claims.{id}"), (unjudged(reason),))


_printed = printed_in("cfl")
CLAIMS = (
    *_comparisons("1", _approximations),
    *_comparisons("1.naive", _naive),
    *_comparisons("2", _hessian),
    _open("3", CAUSE),
    _own_comparison("empirical-claims.3.least", _kept),
    _printed("empirical-claims.4.absolute", gains()),
    _printed("empirical-claims.4.ratio", gains()),
    _printed("empirical-claims.4", growing("Regularization")),
    _printed("empirical-claims.4.coreset", growing("Core-Set")),
    _own_comparison("empirical-claims.4/deviations", _regularised),
    *_comparisons("5", _top),
    _open("6", CURVES.format("Figure 3")),
    _table("empirical-claims.7", _all),
    *_comparisons("7.coreset", _core_set),
    *_comparisons("8", _stateless),
    *(_open(f"figure{n}", CURVES.format(f"Figure {n}")) for n in (5, 6, 7)),
    _table("tab9", _overlapping),
    _own_comparison("tab9/deviations", _overlapping),
    _printed("tab9.overlap", by_overlap(), failing=ASKED),
    _printed("tab9.overlap/deviations", by_overlap(), failing=ASKED),
    _printed("tab9.table6", in_both(TABLE_9["0%"], TABLE_6["alpha = 0.1"]), failing=ASKED),
    _printed("tab9.table6.order", leads(TABLE_9["0%"], TABLE_6["alpha = 0.1"])),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_tables"))
