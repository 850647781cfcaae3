"""Scenes of CFL's tables of results: comparisons of methods, gains over FedAvg, the effect of overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from bounds.cfl.tables import TABLE_5, TABLE_5_GAINS, TABLE_9, Accuracies
from nqm.fields import amax, amin
from verify.engine.checks.table import row
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Named, Scene, Shape, Values

Rows = Mapping[str, Instance]
BASELINES = ("FedAvg", "FedProx", "MimeLite")


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


def cfl_methods(found: Accuracies) -> list[str]:
    """All methods of a row except the baselines."""
    return [method for method in found if method not in BASELINES]


CORE_SETS = ("Naive (small)", "Naive (large)", "iCaRL (small)", "iCaRL (large)")


def against(found: Accuracies, these: Iterable[str], those: Iterable[str]) -> Instance:
    """Accuracies of some methods of a row and of others, as far as the table contains them."""
    groups = {name: [found[m] for m in of if m in found] for name, of in (("these", these), ("those", those))}
    columns = {name: [n.value for n in numbers] for name, numbers in groups.items()}
    columns |= {f"{name}_deviation": [n.deviation for n in numbers] for name, numbers in groups.items()}
    return row({"a": len(groups["these"]), "b": len(groups["those"])}, columns)


def rows_of(tables: Mapping[str, Accuracies], these: Iterable[str], those: Iterable[str]) -> Rows:
    """Accuracies of some methods and of others in every row of a table."""
    return {name: against(found, these, those) for name, found in tables.items()}


def ahead_of_baselines(tables: Mapping[str, Accuracies]) -> Rows:
    """Accuracies of all CFL methods and of the baselines in every row of a table."""
    return {name: against(found, cfl_methods(found), BASELINES) for name, found in tables.items()}


# --------------------------------------------------------------------------------------- gains over FedAvg


def gains() -> Rows:
    """Gain of CFL-Regularization in Table 5 with the two accuracies, by data set."""
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
    """Accuracy of each method for each overlap."""
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
    """Accuracies of Table 9 paired with those of Table 6, by method."""
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
    """Leads of CFL methods over baselines in Table 9 paired with those in Table 6."""
    lead = lambda of, method, baseline: of[method].value - of[baseline].value  # noqa: E731
    return {
        f"{method} against {baseline}": row(
            {}, {"lead_here": lead(nine, method, baseline), "lead_there": lead(six, method, baseline)}
        )
        for method in cfl_methods(nine)
        for baseline in BASELINES
        if baseline in nine
    }


# --------------------------------------------------------------------------------- why some cannot be judged

CAUSE = (
    "Table 4 prints the accuracy of the generative method and nothing about the quality of its samples; the text calls "
    "the connection a hypothesis"
)
CURVES = "{} is drawn from numbers that are not printed, and its experiment has no published records"
