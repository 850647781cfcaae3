"""CFL, Section 5.3 and Appendix C.1: what its text says of experiments, as sentences about means over seeds; the numbers of
its tables are in `bounds.cfl.tables`.
"""

from __future__ import annotations

from bounds.cfl.symbols import PAPER
from bounds.empirical import sentences

_at = sentences(PAPER)

_approximations = _at("Section 5.3.1 and Table 4", "405-406")
_difficulty = _at("Section 5.3.1 and Table 5", "415")
_layers = _at("Section 5.3.2 and Table 5", "439")
_information = _at("Section 5.3.2 and Figure 3", "441")
_baselines = _at("Section 5.3.3 and Table 6", "445")
_stateless = _at("Section 5.3.4 and Table 7", "455")
_overlap = _at("Appendix C.1.3 and Table 9", "1149-1160")

SAME = "both with the same weight of the past, as much as the present, not each with the one that is selected for it"
RANK = "of all pairs of core sets, more have the higher accuracy with the smaller information loss"
ENDS = "compares the smallest information loss with the largest only"


_cfl = {
    "core-set": "compares CFL-Core-Set only",
    "regularization": "compares CFL-Regularization only",
    "server": "compares CFL-Regularization only, with what the server keeps of all clients (Appendix C.1.2)",
}

STATEMENTS = (
    *_approximations(
        "1",
        "naive and iCaRL's core sets, small and large, are each more accurate than regularisation with either Hessian",
        {"naive": "compares naive core sets only", "large": "compares large naive core sets only"},
    ),
    *_approximations(
        "1.naive",
        "naive core sets are more accurate than iCaRL's, small and large",
        {"small": "compares small ones only", "large": "compares large ones only"},
    ),
    *_approximations(
        "2",
        "regularisation with the diagonal of the Hessian is more accurate than with the Fisher information",
        {
            "printed": "the Fisher information is the squared gradient of the client, as printed, not of each sample",
            "same": SAME,
        },
    ),
    *_difficulty(
        "4",
        "the improvement of CFL-Regularization over FedAvg, as a share of FedAvg's accuracy, is larger for alpha = 0.1 "
        "than for 0.2, and FedAvg less accurate",
        {"core-set": "compares CFL-Core-Set", "points": "the improvement is in points"},
    ),
    *_layers(
        "5", "regularising the last layer is more accurate than regularising all layers", {"same": SAME}
    ),
    *_information(
        "6",
        "a core set with less information loss has a higher accuracy, at no step of its size a lower one",
        {"rank": RANK, "ends": ENDS},
    ),
    *_information("6.loss", "a larger core set has less information loss"),
    *_baselines(
        "7",
        "CFL-Core-Set and CFL-Regularization are more accurate than FedAvg, FedProx and MimeLite, for alpha = 0.1 and 0.2",
        {**_cfl, "fedavg": "compares CFL-Regularization with FedAvg only (Table 5)"},
    ),
    *_stateless(
        "8",
        "with stateless clients CFL-Regularization is more accurate than FedAvg, FedProx and MimeLite",
        {"fedavg": "compares with FedAvg only"},
    ),
    *_overlap(
        "9",
        "CFL-Core-Set and CFL-Regularization are more accurate than FedAvg and MimeLite at overlaps of 0, 25 and 50%",
        _cfl,
    ),
    *_overlap(
        "9.overlap",
        "the accuracy of FedAvg neither only falls nor only rises with the overlap",
        {
            "mimelite": "says it of MimeLite",
            "core-set": "says it of CFL-Core-Set",
            "regularization": "says it of CFL-Regularization",
        },
    ),
)
