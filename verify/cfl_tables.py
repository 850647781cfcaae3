"""CFL: what its text reads out of its tables of results, as far as the printed numbers decide it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from bounds.catalogue import statement
from bounds.cfl_tables import TABLE_4, TABLE_5, TABLE_5_GAINS, TABLE_6, TABLE_7, TABLE_9, Accuracies
from nqm.fields import abs_, amax, amin
from verify.engine.checks.table import row, table
from verify.engine.checks.unjudged import unjudged
from verify.engine.claim import Claim
from verify.engine.instance import Instance
from verify.engine.main import main
from verify.engine.scene import Box, Scene, Shape, Values

Named = Mapping[str, Any]
Rows = Mapping[str, Instance]
BASELINES = ("FedAvg", "FedProx", "MimeLite")
CORE_SETS = ("Naive (small)", "Naive (large)", "iCaRL (small)", "iCaRL (large)")


# ------------------------------------------------------------------------------- which methods are better


def compared(shape: Shape, values: Named) -> Values:
    """Accuracies of methods (batch, a) and of others (batch, b), with deviations."""
    return {
        "ours": amin(values["these"], -1),
        "theirs": amax(values["those"], -1),
        "ours_low": amin(values["these"] - values["these_deviation"], -1),
        "theirs_high": amax(values["those"] + values["those_deviation"], -1),
    }


COMPARED = Scene(
    name="accuracies of two groups of methods",
    shapes=tuple({"a": a, "b": b} for a in (1, 2, 3, 4) for b in (1, 2, 3, 4)),
    space=lambda shape: {
        **{f"these{part}": Box(0, 100, (shape["a"],)) for part in ("", "_deviation")},
        **{f"those{part}": Box(0, 100, (shape["b"],)) for part in ("", "_deviation")},
    },
    compute=compared,
)


def against(printed: Accuracies, these: Iterable[str], those: Iterable[str]) -> Instance:
    """Some methods of a row against others, as far as the table has them."""
    groups = {
        name: [printed[m] for m in of if m in printed] for name, of in (("these", these), ("those", those))
    }
    columns = {name: [n.value for n in numbers] for name, numbers in groups.items()}
    columns |= {f"{name}_deviation": [n.deviation for n in numbers] for name, numbers in groups.items()}
    return row({"a": len(groups["these"]), "b": len(groups["those"])}, columns)


def rows_of(tables: Mapping[str, Accuracies], these: Iterable[str], those: Iterable[str]) -> Rows:
    """The same in every row of a table."""
    return {name: against(printed, these, those) for name, printed in tables.items()}


def cfl_methods(printed: Accuracies) -> list[str]:
    """All methods of a row that are no baselines."""
    return [method for method in printed if method not in BASELINES]


_four = TABLE_4["accuracy"]
_approximations = rows_of(TABLE_4, CORE_SETS, [method for method in _four if method not in CORE_SETS])
_naive = {size: against(_four, [f"Naive ({size})"], [f"iCaRL ({size})"]) for size in ("small", "large")}
_hessian = rows_of(TABLE_4, ["PyHessian"], ["Fisher"])
_kept = rows_of(TABLE_4, ["PyHessian", "Naive (small)", "Naive (large)"], ["MCMC"])
_top = rows_of(TABLE_5, ["Regularization"], ["Regularization-Full"])
_regularised = rows_of(TABLE_5, ["Regularization"], ["FedAvg"])
_all = {name: against(printed, cfl_methods(printed), BASELINES) for name, printed in TABLE_6.items()}
_core_set = rows_of(TABLE_6, ["Core-Set"], BASELINES)
_stateless = {name: against(printed, cfl_methods(printed), BASELINES) for name, printed in TABLE_7.items()}
_overlapping = {name: against(printed, cfl_methods(printed), BASELINES) for name, printed in TABLE_9.items()}


# --------------------------------------------------------------------------------------- gains over FedAvg

GAINS = Scene(
    name="gains over FedAvg",
    shapes=({},),
    space=lambda shape: {
        name: Box(0, 100)
        for name in ("reached", "plain_reached", "gain_printed", "ratio_printed", "last_digit")
    },
    compute=lambda shape, values: {},
)
GROWTH = Scene(
    name="gains on two data sets",
    shapes=({},),
    space=lambda shape: {name: Box(0, 100) for name in ("easier", "easier_plain", "harder", "harder_plain")},
    compute=lambda shape, values: {
        "easier_gain": values["easier"] - values["easier_plain"],
        "harder_gain": values["harder"] - values["harder_plain"],
    },
)
_gains = {
    name: row(
        {},
        {
            "reached": TABLE_5[name]["Regularization"].value,
            "plain_reached": TABLE_5[name]["FedAvg"].value,
            "gain_printed": printed["absolute"].value,
            "ratio_printed": printed["ratio"].value,
            "last_digit": printed["ratio"].digit,
        },
    )
    for name, printed in TABLE_5_GAINS.items()
}


def growing(method: str) -> Rows:
    """Data sets of Table 5 that follow each other in accuracy of FedAvg."""
    by_ease = sorted(TABLE_5, key=lambda name: -TABLE_5[name]["FedAvg"].value)
    return {
        f"{easier}, {harder}": row(
            {},
            {
                "easier": TABLE_5[easier][method].value,
                "easier_plain": TABLE_5[easier]["FedAvg"].value,
                "harder": TABLE_5[harder][method].value,
                "harder_plain": TABLE_5[harder]["FedAvg"].value,
            },
        )
        for easier, harder in pairwise(by_ease)
    }


# ------------------------------------------------------------------------------------------------- overlap


def by_overlap(shape: Shape, values: Named) -> Values:
    """Accuracies of one method at three overlaps (batch, 3), with deviations."""
    accuracy, deviation = values["accuracy"], values["deviation"]
    return {
        "first_change": accuracy[:, 1] - accuracy[:, 0],
        "second_change": accuracy[:, 2] - accuracy[:, 1],
        "moved_accuracy": abs_(accuracy[:, 2] - accuracy[:, 0]),
        "deviations": deviation[:, 0] + deviation[:, 2],
    }


BY_OVERLAP = Scene(
    name="accuracies at three overlaps",
    shapes=({},),
    space=lambda shape: {name: Box(0, 100, (3,)) for name in ("accuracy", "deviation")},
    compute=by_overlap,
)
TWICE = Scene(
    name="accuracies in two tables",
    shapes=({},),
    space=lambda shape: {
        name: Box(0, 100) for name in ("here_accuracy", "there_accuracy", "here_deviation", "there_deviation")
    },
    compute=lambda shape, values: {"deviations": values["here_deviation"] + values["there_deviation"]},
)
LEADS = Scene(
    name="leads in two tables",
    shapes=({},),
    space=lambda shape: {name: Box(0, 100) for name in ("here", "here_baseline", "there", "there_baseline")},
    compute=lambda shape, values: {
        "lead_here": values["here"] - values["here_baseline"],
        "lead_there": values["there"] - values["there_baseline"],
    },
)
_no_overlap, _same_alpha = TABLE_9["0%"], TABLE_6["alpha = 0.1"]
_overlaps = {
    method: row(
        {},
        {
            "accuracy": [TABLE_9[share][method].value for share in TABLE_9],
            "deviation": [TABLE_9[share][method].deviation for share in TABLE_9],
        },
    )
    for method in _no_overlap
}
_twice = {
    method: row(
        {},
        {
            "here_accuracy": _no_overlap[method].value,
            "there_accuracy": _same_alpha[method].value,
            "here_deviation": _no_overlap[method].deviation,
            "there_deviation": _same_alpha[method].deviation,
        },
    )
    for method in _no_overlap
}
_leads = {
    f"{method} against {baseline}": row(
        {},
        {
            "here": _no_overlap[method].value,
            "here_baseline": _no_overlap[baseline].value,
            "there": _same_alpha[method].value,
            "there_baseline": _same_alpha[baseline].value,
        },
    )
    for method in cfl_methods(_no_overlap)
    for baseline in BASELINES
    if baseline in _no_overlap
}

# ------------------------------------------------------------------------------------------------- the claims

CAUSE = (
    "Table 4 prints the accuracy of the generative method and nothing about the quality of its samples; the text calls "
    "the connection a hypothesis"
)
CURVES = "{} is drawn from numbers that are not printed, and its experiment has no published records"


def _table(id: str, rows: Rows, scene: Scene = COMPARED) -> Claim:
    return Claim(statement(f"cfl.{id}"), (table(rows),), scene)


def _read(id: str, rows: Rows) -> tuple[Claim, ...]:
    """A comparison of accuracies, and the same up to their deviations."""
    return tuple(_table(f"empirical-claims.{id}{reading}", rows) for reading in ("", "/deviations"))


def _open(id: str, reason: str) -> Claim:
    return Claim(statement(f"cfl.empirical-claims.{id}"), (unjudged(reason),))


CLAIMS = (
    *_read("1", _approximations),
    *_read("1.naive", _naive),
    *_read("2", _hessian),
    _open("3", CAUSE),
    _table("empirical-claims.3.least", _kept),
    _table("empirical-claims.4.absolute", _gains, GAINS),
    _table("empirical-claims.4.ratio", _gains, GAINS),
    _table("empirical-claims.4", growing("Regularization"), GROWTH),
    _table("empirical-claims.4.coreset", growing("Core-Set"), GROWTH),
    _table("empirical-claims.4/deviations", _regularised),
    *_read("5", _top),
    _open("6", CURVES.format("Figure 3")),
    _table("empirical-claims.7", _all),
    *_read("7.coreset", _core_set),
    *_read("8", _stateless),
    *(_open(f"figure{n}", CURVES.format(f"Figure {n}")) for n in (5, 6, 7)),
    _table("tab9", _overlapping),
    _table("tab9/deviations", _overlapping),
    _table("tab9.overlap", _overlaps, BY_OVERLAP),
    _table("tab9.overlap/deviations", _overlaps, BY_OVERLAP),
    _table("tab9.table6", _twice, TWICE),
    _table("tab9.table6.order", _leads, LEADS),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_tables"))
