"""What counting and rounding allow a printed number to be: relations between columns of any table of results.

A share of things that were counted can only be a whole number of them (GRIM: Brown and Heathers, 2017); a deviation is
bounded by its mean and the range of what was averaged (for the variance of a bounded quantity: Bhatia and Davis, 2000).
Every relation is weakened by all that the printed digits leave open, so that true numbers always meet it.
"""

from __future__ import annotations

import sympy as sp
from sympy.core.relational import Relational

from bounds.symbols import Glossary


def countable(letters: Glossary) -> Relational:
    """A printed share lies within half of its last digit of one that can be counted."""
    off = letters.define(
        "off_count", "distance of a printed share from the nearest that can be counted", "nonnegative"
    )
    digit = letters.define("share_digit", "one unit of its last printed digit", "positive")
    letters.define("share_printed", "printed share", "nonnegative")
    letters.define(
        "share_of_all", "what the share is of all of them: 1, or 100 if it is in percent", "positive"
    )
    letters.define("counted", "things that were counted: test samples times runs", "count")
    return sp.Le(off, digit / 2)


def within_range(letters: Glossary) -> Relational:
    """A printed deviation is no larger than runs with this mean can have, all within a range."""
    mean = letters.define("mean_printed", "printed mean over runs", "real")
    deviation = letters.define("deviation_printed", "printed standard deviation over runs", "nonnegative")
    mean_digit = letters.define("mean_digit", "one unit of the last printed digit of the mean", "positive")
    digit = letters.define(
        "deviation_digit", "one unit of the last printed digit of the deviation", "positive"
    )
    least = letters.define("least", "least value that a run can have", "real")
    most = letters.define("most", "largest value that a run can have", "real")
    runs = letters.define("runs", "number of runs", "count")
    above, below = mean + mean_digit / 2 - least, most - mean + mean_digit / 2
    variance = sp.Min(runs * above**2, runs * below**2, runs / (runs - 1) * above * below)
    return sp.Le(sp.Max(deviation - digit / 2, 0) ** 2, variance)
