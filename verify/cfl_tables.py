"""CFL: conclusions of its text from its tables of results, as far as the printed numbers decide them."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl.tables import TABLE_4, TABLE_5, TABLE_6, TABLE_7, TABLE_9
from verify.commands.main import main
from verify.engine.checks.power import of_groups
from verify.engine.checks.table import ASKED, printed_in, table
from verify.engine.checks.unjudged import unjudged
from verify.engine.model.claim import Claim
from verify.scenes.cfl import tables as scenes

FOUR = TABLE_4["accuracy"]
_approximations = scenes.rows_of(
    TABLE_4, scenes.CORE_SETS, [method for method in FOUR if method not in scenes.CORE_SETS]
)
_naive = {size: scenes.against(FOUR, [f"Naive ({size})"], [f"iCaRL ({size})"]) for size in ("small", "large")}
_hessian = scenes.rows_of(TABLE_4, ["PyHessian"], ["Fisher"])
_kept = scenes.rows_of(TABLE_4, ["PyHessian", "Naive (small)", "Naive (large)"], ["MCMC"])
_top = scenes.rows_of(TABLE_5, ["Regularization"], ["Regularization-Full"])
_regularised = scenes.rows_of(TABLE_5, ["Regularization"], ["FedAvg"])
_all = scenes.ahead_of_baselines(TABLE_6)
_core_set = scenes.rows_of(TABLE_6, ["Core-Set"], scenes.BASELINES)
_stateless = scenes.ahead_of_baselines(TABLE_7)
_overlapping = scenes.ahead_of_baselines(TABLE_9)


_random = of_groups(("these", "these_deviation"), ("those", "those_deviation"))


def _table(id: str, rows: scenes.Rows) -> Claim:
    return Claim(statement(f"cfl.{id}"), (table(rows, _random),), scenes.COMPARED)


def _own_comparison(id: str, rows: scenes.Rows) -> Claim:
    """A comparison that the text does not make."""
    return Claim(statement(f"cfl.{id}"), (table(rows, _random, ASKED),), scenes.COMPARED)


def _comparisons(id: str, rows: scenes.Rows) -> tuple[Claim, ...]:
    """A comparison of accuracies, and a second claim that they differ by more than their deviations (not in the text)."""
    return _table(f"empirical-claims.{id}", rows), _own_comparison(f"empirical-claims.{id}/deviations", rows)


def _open(id: str, reason: str) -> Claim:
    return Claim(statement(f"cfl.empirical-claims.{id}"), (unjudged(reason),))


_printed = printed_in("cfl")
CLAIMS = (
    *_comparisons("1", _approximations),
    *_comparisons("1.naive", _naive),
    *_comparisons("2", _hessian),
    _open("3", scenes.CAUSE),
    _own_comparison("empirical-claims.3.least", _kept),
    _printed("empirical-claims.4.absolute", scenes.gains()),
    _printed("empirical-claims.4.ratio", scenes.gains()),
    _printed("empirical-claims.4", scenes.growing("Regularization")),
    _printed("empirical-claims.4.coreset", scenes.growing("Core-Set")),
    _own_comparison("empirical-claims.4/deviations", _regularised),
    *_comparisons("5", _top),
    _open("6", scenes.CURVES.format("Figure 3")),
    _table("empirical-claims.7", _all),
    *_comparisons("7.coreset", _core_set),
    *_comparisons("8", _stateless),
    *(_open(f"figure{n}", scenes.CURVES.format(f"Figure {n}")) for n in (5, 6, 7)),
    _table("tab9", _overlapping),
    _own_comparison("tab9/deviations", _overlapping),
    _printed("tab9.overlap", scenes.by_overlap(), failing=ASKED),
    _printed("tab9.overlap/deviations", scenes.by_overlap(), failing=ASKED),
    _printed("tab9.table6", scenes.in_both(TABLE_9["0%"], TABLE_6["alpha = 0.1"]), failing=ASKED),
    _printed("tab9.table6.order", scenes.leads(TABLE_9["0%"], TABLE_6["alpha = 0.1"])),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_tables"))
