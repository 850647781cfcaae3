"""Values that counting and rounding allow for a printed number: relations between columns of a table of results.

A share of n counted items is a whole number divided by n (GRIM: Brown and Heathers, 2017). A standard deviation is
bounded by the mean and the range of the averaged values (Bhatia and Davis, 2000). Every relation allows for the
rounding of the printed digits, so correctly rounded numbers always satisfy it.
"""

from __future__ import annotations

import sympy as sp
from sympy.core.relational import Relational

from bounds.relations import le
from bounds.symbols import Glossary


def countable(letters: Glossary) -> Relational:
    """A printed share differs from a possible share (a whole number over the count) by at most half a unit of its last
    digit.
    """
    off = letters.nonnegative("off_count", "distance of a printed share from the nearest that can be counted")
    digit = letters.positive("share_digit", "one unit of its last printed digit")
    letters.nonnegative("share_printed", "printed share")
    letters.positive("share_of_all", "what the share is of all of them: 1, or 100 if it is in percent")
    letters.count("counted", "things that were counted: test samples times runs")
    return le(off, digit / 2)


def within_range(letters: Glossary) -> Relational:
    """A printed deviation is at most the largest deviation of runs that have this mean and lie in a range."""
    mean = letters.real("mean_printed", "printed mean over runs")
    deviation = letters.nonnegative("deviation_printed", "printed standard deviation over runs")
    mean_digit = letters.positive("mean_digit", "one unit of the last printed digit of the mean")
    digit = letters.positive("deviation_digit", "one unit of the last printed digit of the deviation")
    least = letters.real("least", "least value that a run can have")
    most = letters.real("most", "largest value that a run can have")
    runs = letters.count("runs", "number of runs")
    above, below = mean + mean_digit / 2 - least, most - mean + mean_digit / 2
    variance = sp.Min(runs * above**2, runs * below**2, runs / (runs - 1) * above * below)
    return le(sp.Max(deviation - digit / 2, 0) ** 2, variance)
