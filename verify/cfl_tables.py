"""CFL: what its text reads out of its tables of results, as far as the printed numbers decide it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from bounds.catalogue import statement
from bounds.cfl.tables import TABLE_4, TABLE_5, TABLE_5_GAINS, TABLE_6, TABLE_7, TABLE_9, Accuracies
from verify.commands.main import main
from verify.engine.checks.table import printed_in, row, table
from verify.engine.checks.unjudged import unjudged
from verify.engine.claim import Claim
from verify.engine.instance import Instance
from verify.scenes.cfl.tables import BASELINES, CAUSE, COMPARED, CURVES, Rows, cfl_methods, four

CORE_SETS = ("Naive (small)", "Naive (large)", "iCaRL (small)", "iCaRL (large)")


def against(found: Accuracies, these: Iterable[str], those: Iterable[str]) -> Instance:
    """Some methods of a row against others, as far as the table has them."""
    groups = {name: [found[m] for m in of if m in found] for name, of in (("these", these), ("those", those))}
    columns = {name: [n.value for n in numbers] for name, numbers in groups.items()}
    columns |= {f"{name}_deviation": [n.deviation for n in numbers] for name, numbers in groups.items()}
    return row({"a": len(groups["these"]), "b": len(groups["those"])}, columns)


def rows_of(tables: Mapping[str, Accuracies], these: Iterable[str], those: Iterable[str]) -> Rows:
    """The same in every row of a table."""
    return {name: against(found, these, those) for name, found in tables.items()}


def ahead_of_baselines(tables: Mapping[str, Accuracies]) -> Rows:
    """All CFL methods of every row of a table against its baselines."""
    return {name: against(found, cfl_methods(found), BASELINES) for name, found in tables.items()}


_approximations = rows_of(TABLE_4, CORE_SETS, [method for method in four if method not in CORE_SETS])
_naive = {size: against(four, [f"Naive ({size})"], [f"iCaRL ({size})"]) for size in ("small", "large")}
_hessian = rows_of(TABLE_4, ["PyHessian"], ["Fisher"])
_kept = rows_of(TABLE_4, ["PyHessian", "Naive (small)", "Naive (large)"], ["MCMC"])
_top = rows_of(TABLE_5, ["Regularization"], ["Regularization-Full"])
_regularised = rows_of(TABLE_5, ["Regularization"], ["FedAvg"])
_all = ahead_of_baselines(TABLE_6)
_core_set = rows_of(TABLE_6, ["Core-Set"], BASELINES)
_stateless = ahead_of_baselines(TABLE_7)
_overlapping = ahead_of_baselines(TABLE_9)


# --------------------------------------------------------------------------------------- gains over FedAvg


def gains() -> Rows:
    """Gain of CFL-Regularization in Table 5 beside the two accuracies, by data set."""
    return {
        name: row(
            {},
            {
                "reached": TABLE_5[name]["Regularization"].value,
                "plain_reached": TABLE_5[name]["FedAvg"].value,
                "gain_printed": gain["absolute"].value,
                "ratio_printed": gain["ratio"].value,
                "last_digit": gain["ratio"].digit,
            },
        )
        for name, gain in TABLE_5_GAINS.items()
    }


def growing(method: str) -> Rows:
    """Gains on data sets of Table 5 that follow each other in accuracy of FedAvg."""
    gain = {name: of[method].value - of["FedAvg"].value for name, of in TABLE_5.items()}
    by_ease = sorted(TABLE_5, key=lambda name: -TABLE_5[name]["FedAvg"].value)
    return {
        f"{easier}, {harder}": row({}, {"easier_gain": gain[easier], "harder_gain": gain[harder]})
        for easier, harder in pairwise(by_ease)
    }


# ------------------------------------------------------------------------------------------------- overlap


def by_overlap() -> Rows:
    """How each method's accuracy changes with the overlap."""
    rows = {}
    for method in TABLE_9["0%"]:
        none, quarter, half = (TABLE_9[overlap][method] for overlap in TABLE_9)
        columns = {
            "first_change": quarter.value - none.value,
            "second_change": half.value - quarter.value,
            "moved_accuracy": abs(half.value - none.value),
            "deviations": half.deviation + none.deviation,
        }
        rows[method] = row({}, columns)
    return rows


def in_both(nine: Accuracies, six: Accuracies) -> Rows:
    """Accuracies of Table 9 beside those of Table 6, by method."""
    return {
        method: row(
            {},
            {
                "here_accuracy": number.value,
                "there_accuracy": six[method].value,
                "deviations": number.deviation + six[method].deviation,
            },
        )
        for method, number in nine.items()
    }


def leads(nine: Accuracies, six: Accuracies) -> Rows:
    """Leads of CFL methods over baselines in Table 9 beside those in Table 6."""
    lead = lambda of, method, baseline: of[method].value - of[baseline].value  # noqa: E731
    return {
        f"{method} against {baseline}": row(
            {}, {"lead_here": lead(nine, method, baseline), "lead_there": lead(six, method, baseline)}
        )
        for method in cfl_methods(nine)
        for baseline in BASELINES
        if baseline in nine
    }


def _table(id: str, rows: Rows) -> Claim:
    return Claim(statement(f"cfl.{id}"), (table(rows),), COMPARED)


def _read(id: str, rows: Rows) -> tuple[Claim, ...]:
    """A comparison of accuracies, and the same up to their deviations."""
    return tuple(_table(f"empirical-claims.{id}{reading}", rows) for reading in ("", "/deviations"))


def _open(id: str, reason: str) -> Claim:
    return Claim(statement(f"cfl.empirical-claims.{id}"), (unjudged(reason),))


_printed = printed_in("cfl")
CLAIMS = (
    *_read("1", _approximations),
    *_read("1.naive", _naive),
    *_read("2", _hessian),
    _open("3", CAUSE),
    _table("empirical-claims.3.least", _kept),
    _printed("empirical-claims.4.absolute", gains()),
    _printed("empirical-claims.4.ratio", gains()),
    _printed("empirical-claims.4", growing("Regularization")),
    _printed("empirical-claims.4.coreset", growing("Core-Set")),
    _table("empirical-claims.4/deviations", _regularised),
    *_read("5", _top),
    _open("6", CURVES.format("Figure 3")),
    _table("empirical-claims.7", _all),
    *_read("7.coreset", _core_set),
    *_read("8", _stateless),
    *(_open(f"figure{n}", CURVES.format(f"Figure {n}")) for n in (5, 6, 7)),
    _table("tab9", _overlapping),
    _table("tab9/deviations", _overlapping),
    _printed("tab9.overlap", by_overlap()),
    _printed("tab9.overlap/deviations", by_overlap()),
    _printed("tab9.table6", in_both(TABLE_9["0%"], TABLE_6["alpha = 0.1"])),
    _printed("tab9.table6.order", leads(TABLE_9["0%"], TABLE_6["alpha = 0.1"])),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_tables"))
