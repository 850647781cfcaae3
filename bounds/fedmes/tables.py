"""FedMeS: Table 1 as printed (lines 188-208): Acc_ALL and the average forgetting rate, as fractions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bounds.printed import Result, results

TASKS: Mapping[str, int] = {"CIFAR-100": 10, "EMNIST": 10, "CORe50": 11, "MiniImageNet": 10}
"""Number of tasks of each split data set (Section 5.1, line 214), in the order of the table."""

CLIENTS = (10, 20)
METHOD, ABLATION = "FedMeS", "FedMeS-noLIP"


SETTINGS = [(dataset, clients) for dataset in TASKS for clients in CLIENTS]


TABLE_1: Mapping[tuple[Any, ...], Result] = {
    **results(
        SETTINGS[:4],
        """
        FedAvg .249±.02 .35±.05 .263±.03 .29±.03 .450±.02 .49±.02 .465±.03 .48±.02
        Ditto .219±.02 .37±.03 .221±.02 .38±.06 .388±.03 .71±.04 .381±.02 .72±.03
        FedRep .415±.04 .13±.02 .425±.06 .13±.02 .723±.04 .23±.04 .723±.06 .24±.06
        FedAGEM .351±.04 .14±.03 .398±.05 .14±.03 .817±.04 .09±.05 .828±.04 .16±.04
        FedWEIT .421±.05 .06±.03 .432±.05 .08±.03 .867±.03 .03±.01 .857±.03 .03±.02
        FedMeS-noLIP .475±.05 .08±.03 .488±.05 .07±.03 .891±.02 .03±.05 .912±.02 .02±.05
        FedMeS .530±.05 .06±.01 .533±.04 .06±.02 .935±.01 .01±.01 .964±.01 .01±.01
        """,
    ),
    **results(
        SETTINGS[4:],
        """
        FedAvg .303±.01 .60±.02 .311±.01 .59±.02 .271±.02 .51±.04 .262±.02 .39±.05
        Ditto .266±.01 .79±.02 .267±.01 .81±.03 .264±.03 .49±.05 .265±.01 .51±.04
        FedRep .547±.03 .34±.02 .551±.04 .35±.03 .410±.03 .30±.05 .388±.03 .24±.02
        FedAGEM .731±.04 .18±.03 .741±.04 .20±.03 .504±.05 .18±.03 .477±.05 .17±.05
        FedWEIT .595±.04 .17±.04 .589±.05 .19±.04 .319±.04 .17±.03 .343±.04 .15±.03
        FedMeS-noLIP .821±.04 .05±.03 .834±.04 .04±.03 .607±.04 .11±.03 .617±.04 .11±.03
        FedMeS .877±.04 .04±.01 .891±.04 .03±.01 .645±.05 .08±.02 .659±.03 .08±.02
        """,
    ),
}
"""By data set, number of clients and method."""
