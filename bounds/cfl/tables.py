"""CFL: Tables 4 to 7 and 9 as printed, and what the text reads out of them and of its figures.

Accuracies are percent, with the deviation over repeated trials.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.cfl.symbols import CFL, source
from bounds.printed import Number, number
from bounds.statement import Statement

_define = CFL.define
ours = _define("ours", "lowest accuracy of the methods that are said to be better", "nonnegative")
theirs = _define("theirs", "highest accuracy of those that they are compared with", "nonnegative")
ours_low = _define(
    "ours_low", "lowest accuracy less deviation of the methods said to be better", "nonnegative"
)
theirs_high = _define("theirs_high", "highest accuracy plus deviation of the others", "nonnegative")
gain_printed = _define("gain_printed", "gain over FedAvg as printed", "nonnegative", "R_r-R_f")
ratio_printed = _define(
    "ratio_printed", "ratio of the gain as printed, percent", "nonnegative", r"(R_r-R_f)/R_f"
)
reached = _define("reached", "accuracy of the method", "nonnegative", "R_r")
plain_reached = _define("plain_reached", "accuracy of FedAvg", "positive", "R_f")
unit = _define("last_digit", "one unit of the last printed digit", "positive")
harder_gain = _define("harder_gain", "gain over FedAvg on a data set", "real")
easier_gain = _define("easier_gain", "gain on the one on which FedAvg is next more accurate", "real")
first_change = _define("first_change", "change of the accuracy from 0% to 25% overlap", "real")
second_change = _define("second_change", "change from 25% to 50%", "real")
moved = _define("moved_accuracy", "absolute change from 0% to 50%", "nonnegative")
deviations = _define("deviations", "sum of both deviations", "nonnegative")
here = _define("here_accuracy", "accuracy in one table", "nonnegative")
there = _define("there_accuracy", "accuracy in another", "nonnegative")
lead_here = _define("lead_here", "accuracy of a CFL method less that of a baseline, in one table", "real")
lead_there = _define("lead_there", "the same in another table", "real")
smaller_loss = _define("smaller_loss", "accuracy at the smaller information loss", "nonnegative")
larger_loss = _define("larger_loss", "accuracy at the larger information loss", "nonnegative")

Accuracies = Mapping[str, Number]
"""Accuracy by method."""


def _printed(methods: tuple[str, ...], rows: Mapping[str, str]) -> Mapping[str, Accuracies]:
    return {name: dict(zip(methods, map(number, text.split()), strict=True)) for name, text in rows.items()}


TABLE_4 = _printed(
    ("PyHessian", "Fisher", "Naive (small)", "Naive (large)", "iCaRL (small)", "iCaRL (large)", "MCMC"),
    {"accuracy": "74.15±0.66 73.70±0.39 77.84±0.06 78.90±0.09 76.97±0.16 77.09±0.09 74.18±0.08"},
)
TABLE_5 = _printed(
    ("FedAvg", "Regularization", "Core-Set", "Regularization-Full"),
    {
        "Fashion-MNIST": "86.75±0.14 87.02±0.21 88.32±0.12 77.37±0.63",
        "CIFAR10": "70.51±0.19 70.86±0.31 81.48±0.24 33.09±1.45",
        "CIFAR100": "49.97±0.19 50.69±0.06 53.17±0.08 14.84±0.12",
    },
)
TABLE_5_GAINS = _printed(
    ("absolute", "ratio"), {"Fashion-MNIST": "0.27 0.31", "CIFAR10": "0.35 0.50", "CIFAR100": "0.72 1.44"}
)
TABLE_6 = _printed(
    ("FedAvg", "FedProx", "MimeLite", "Core-Set", "Regularization", "Regularization + FedProx"),
    {
        "alpha = 0.1": "70.51±0.19 71.57±0.17 69.55±0.36 81.48±0.24 70.86±0.31 71.50±0.07",
        "alpha = 0.2": "77.98±0.36 78.40±0.22 78.65±0.26 84.41±0.11 78.76±0.26 79.04±0.01",
    },
)
TABLE_7 = _printed(
    ("FedAvg", "MimeLite", "FedProx", "Regularization", "Regularization + FedProx"),
    {"accuracy": "78.07±0.06 78.47±0.19 78.48±0.05 79.07±0.25 79.32±0.07"},
)
TABLE_9 = _printed(
    ("FedAvg", "MimeLite", "Core-Set", "Regularization"),
    {
        "0%": "80.66±0.40 80.78±0.07 84.87±0.11 81.27±0.38",
        "25%": "80.16±0.01 80.17±0.11 84.66±0.11 80.67±0.27",
        "50%": "79.97±0.23 80.35±0.39 84.59±0.07 80.91±0.25",
    },
)

_better, _clearly = sp.Lt(theirs, ours), sp.Lt(theirs_high, ours_low)
_deviations = "the accuracies differ by more than the deviations of both"
_grows = sp.Lt(easier_gain, harder_gain)


def _claimed(
    item: str, says: str, relation: sp.Basic, lines: str, place: str, changes: str = ""
) -> Statement:
    return Statement(f"cfl.{item}", says, relation, source(place, lines), changes=changes)


def _emp(item: str, says: str, relation: sp.Basic, lines: str, place: str, changes: str = "") -> Statement:
    return _claimed(f"empirical-claims.{item}", says, relation, lines, place, changes)


_coreset = "every core set method is more accurate than every other approximation"
_naive = "naive core sets are more accurate than those of iCaRL of the same size"
_hessian = "PyHessian is more accurate than the Fisher information"
_top = "regularising the top layers is more accurate than regularising all"
_beats = "every CFL method is more accurate than every baseline"
_stateless = "with stateless clients CFL-Regularization is more accurate than every baseline"
_consistent = "at every overlap both CFL methods are more accurate than both baselines"

STATEMENTS = (
    _emp("1", _coreset, _better, "405", "Section 5.3.1, point 1; Table 4"),
    _emp("1/deviations", _coreset, _clearly, "405", "Section 5.3.1, point 1; Table 4", _deviations),
    _emp("1.naive", _naive, _better, "405", "Section 5.3.1, point 1; Table 4"),
    _emp("1.naive/deviations", _naive, _clearly, "405", "Section 5.3.1, point 1; Table 4", _deviations),
    _emp("2", _hessian, _better, "406", "Section 5.3.1, point 2; Table 4"),
    _emp("2/deviations", _hessian, _clearly, "406", "Section 5.3.1, point 2; Table 4", _deviations),
    _emp(
        "3",
        "generative methods are restricted by the quality of their samples",
        _better,
        "407",
        "Section 5.3.1, point 3; Table 4",
    ),
    _emp(
        "3.least",
        "the generative method, left out for its trivial gain, is less accurate than the approximations that are kept "
        "(naive core sets, PyHessian)",
        _better,
        "407-409",
        "Section 5.3.1, after point 3; Table 4",
    ),
    _emp(
        "4.absolute",
        "the gains printed are the differences of the accuracies printed",
        sp.Eq(reached - plain_reached, gain_printed),
        "374-393",
        "Table 5",
    ),
    _emp(
        "4.ratio",
        "the ratios printed are those of the accuracies printed",
        sp.Le(sp.Abs(100 * (reached - plain_reached) / plain_reached - ratio_printed), unit / 2),
        "374-393",
        "Table 5",
    ),
    _emp(
        "4",
        "the harder the data set (the less accurate FedAvg), the larger the gain of CFL-Regularization",
        _grows,
        "415",
        "Section 5.3.2, point 1; Table 5",
    ),
    _emp(
        "4.coreset",
        "the harder the data set (the less accurate FedAvg), the larger the gain of CFL-Core-Set",
        _grows,
        "415",
        "Section 5.3.2, point 1; Table 5",
    ),
    _emp(
        "4/deviations",
        "CFL-Regularization is more accurate than FedAvg on every data set",
        _clearly,
        "415",
        "Section 5.3.2, point 1; Table 5",
        _deviations,
    ),
    _emp("5", _top, _better, "439", "Section 5.3.2, second point; Table 5"),
    _emp("5/deviations", _top, _clearly, "439", "Section 5.3.2, second point; Table 5", _deviations),
    _emp(
        "6",
        "the less the information loss, the higher the accuracy",
        sp.Lt(larger_loss, smaller_loss),
        "441",
        "Section 5.3.2; Figure 3",
    ),
    _emp("7", _beats, _better, "445", "Section 5.3.3; Table 6"),
    _emp(
        "7.coreset",
        "CFL-Core-Set is more accurate than every baseline",
        _better,
        "445",
        "Section 5.3.3; Table 6",
    ),
    _emp(
        "7.coreset/deviations",
        "CFL-Core-Set is more accurate than every baseline",
        _clearly,
        "445",
        "Section 5.3.3; Table 6",
        _deviations,
    ),
    _emp("8", _stateless, _better, "455", "Section 5.3.4; Table 7"),
    _emp("8/deviations", _stateless, _clearly, "455", "Section 5.3.4; Table 7", _deviations),
    _emp(
        "figure5",
        "CFL converges to a better optimum than FedAvg",
        _better,
        "1163-1171",
        "Appendix C.1.3; Figure 5",
    ),
    _emp(
        "figure6",
        "losses on global test data and on past training data do not differ",
        sp.Eq(here, there),
        "1166, 1175",
        "Appendix C.1.3; Figure 6",
    ),
    _emp(
        "figure7",
        "CFL-Regularization softens the sudden rises of the loss",
        sp.Lt(here, there),
        "1173, 1177",
        "Appendix C.1.3; Figure 7",
    ),
    _claimed("tab9", _consistent, _better, "1149-1160", "Appendix C.1.3; Table 9"),
    _claimed("tab9/deviations", _consistent, _clearly, "1149-1160", "Appendix C.1.3; Table 9", _deviations),
    _claimed(
        "tab9.overlap",
        "overlap has no obvious connection with the accuracy: no method only falls or only rises with it",
        sp.Le(first_change * second_change, 0),
        "1149-1160",
        "Appendix C.1.3; Table 9",
    ),
    _claimed(
        "tab9.overlap/deviations",
        "overlap has no obvious connection with the accuracy: from 0% to 50% it changes by no more than the deviations",
        sp.Le(moved, deviations),
        "1149-1160",
        "Appendix C.1.3; Table 9",
        "compares the ends instead of the order",
    ),
    _claimed(
        "tab9.table6",
        "without overlap the accuracies are those of Table 6 at the same alpha = 0.1, up to the deviations",
        sp.Le(sp.Abs(here - there), deviations),
        "422-428, 1153-1160",
        "Tables 6 and 9",
    ),
    _claimed(
        "tab9.table6.order",
        "the advantage of CFL at 0% overlap is consistent with Table 6: each CFL method leads, or trails, the same baselines",
        sp.Gt(lead_here * lead_there, 0),
        "445, 1149",
        "Section 5.3.3; Tables 6 and 9",
    ),
)
