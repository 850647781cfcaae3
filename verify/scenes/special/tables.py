"""Scenes: sPECIAL, Section 5 and Appendix F: do its tables of results agree with each other and with the text?"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.special.tables import (
    FRACTION_DIGIT,
    MainTable,
)
from nqm.fields import like
from verify.engine.instance import Instance
from verify.engine.scene import Box, Scene

Rows = dict[str, Instance]
Scores = Mapping[tuple[str, str], Fraction]


MEANS = Scene(
    name="accuracies by task and their mean",
    shapes=({"K": 4}, {"K": 6}),
    space=lambda shape: {"final": Box(0, 1, (shape["K"],)), "acc_printed": Box(0, 1)},
    compute=lambda shape, values: {
        "acc_mean": values["final"].mean(axis=1),
        "digit": 0 * values["acc_printed"] + like(values["final"], FRACTION_DIGIT),
    },
)


# ------------------------------------------------------------------------------------------- who is said to be best


def scores(of: MainTable) -> Scores:
    """ACC and BWT by experiment and method."""
    return {
        (f"{metric} on {dataset}, Table {of.number}", method): measured.mean
        for metric, column in (("ACC", of.acc), ("BWT", of.bwt))
        for (dataset, method), measured in column.items()
    }
