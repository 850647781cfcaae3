"""CFL, Section 5 and Appendix C: what its text says of experiments, as sentences about most seeds.

Each is about runs on the embedded digits, where it can be tried; what the printed numbers say is in
`bounds.cfl_results`.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl_symbols import CFL, source
from bounds.statement import Source, Statement

share = CFL.define("share", "share of the seeds in which the sentence is true", "nonnegative")
MOST = sp.Gt(share, sp.Rational(1, 2))


def _law(item: str, says: str, where: Source, changes: str = "") -> Statement:
    return Statement(
        f"cfl.emp.{item}", f"on the embedded digits, in most seeds {says}", MOST, where, changes=changes
    )


RANK, ENDS = (
    "of all pairs of values, more rise than fall",
    "compares the largest value with the smallest only",
)
APPROXIMATIONS, LAYERS = source("Section 5.3.1", "405-407"), source("Section 5.3.2", "439")
LOSS, TABLE_6, TABLE_7 = source("Figure 3", "441"), source("Table 6", "445"), source("Table 7", "455")
TABLE_9 = source("Appendix C.1.1 and Table 9", "1149")
BASELINES = ("FedAvg", "FedProx", "MimeLite", "SCAFFOLD")

STATEMENTS = (
    _law("1", "core sets are more accurate than every regularisation", APPROXIMATIONS),
    _law(
        "1/regularization",
        "core sets are more accurate than the regularisation with the Hessian",
        APPROXIMATIONS,
        "compares with one regularisation",
    ),
    _law(
        "1.naive", "naive core sets are more accurate than those chosen by features (iCaRL)", APPROXIMATIONS
    ),
    _law("2", "the diagonal Hessian is more accurate than the Fisher information", APPROXIMATIONS),
    _law("5", "regularising the top layer is more accurate than regularising all layers", LAYERS),
    _law("6", "accuracy rises with the size of the core set, at no step falling", LOSS),
    _law("6/rank", "accuracy rises with the size of the core set", LOSS, RANK),
    _law("6/ends", "accuracy rises with the size of the core set", LOSS, ENDS),
    _law("7", f"CFL with core sets is more accurate than {', '.join(BASELINES)}", TABLE_6),
    *(
        _law(f"7/{name.lower()}", f"CFL with core sets is more accurate than {name}", TABLE_6, "one baseline")
        for name in BASELINES
    ),
    _law(
        "8",
        f"where every round has new clients, CFL-Regularization is more accurate than {', '.join(BASELINES)}",
        TABLE_7,
    ),
    _law(
        "8/fedavg",
        "where every round has new clients, CFL-Regularization is more accurate than FedAvg",
        TABLE_7,
        "one baseline",
    ),
    _law("9", "CFL with core sets is more accurate than FedAvg at every overlap", TABLE_9),
    _law(
        "9/ends",
        "FedAvg is as accurate with much overlap as with none, to one point",
        TABLE_9,
        "asks for no connection of overlap and accuracy, between the ends",
    ),
)
