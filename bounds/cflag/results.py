"""C-FLAG, Section 7 and Appendix 4-5: what its tables of results say about each other, and the text about them.

Wherever two results are compared, the larger one is meant to be better: forgetting is compared with its sign turned.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.metrics import S
from bounds.cflag.symbols import CFLAG, at
from bounds.consistency import countable, within_range
from bounds.relations import eq, ge, gt, le

_positive, _nonnegative, _real = CFLAG.positive, CFLAG.nonnegative, CFLAG.real

entry = _real("entry", "printed number")
entry_again = _real("entry_again", "the same number, printed in another table")
ahead = _real("ahead", "accuracy, or minus the forgetting, that is said to be better")
behind = _real("behind", "the same of another method")
beaten = _nonnegative("beaten", "baselines that have less accuracy and more forgetting than C-FLAG")
difference = _nonnegative("difference", "sum of all differences between two pairs of results")
printed_acc = _real("printed_acc", "printed accuracy, percent")
printed_forget = _real("printed_forget", "printed forgetting, percent")
digit = _positive("digit", "one unit of the last printed digit")
deviation = _nonnegative("deviation", "printed standard deviation over seeds")

BETTER = gt(ahead, behind)
SAME = eq(entry, entry_again)
SAME_UP_TO_SEEDS = le(sp.Abs(entry - entry_again), 3 * deviation + digit)
"""Margin for the seeds: three of the printed standard deviations."""
POSSIBLE = le((S - 1) * (printed_forget - digit / 2), S * (100 - printed_acc + digit / 2))
"""(S - 1) Forget <= S (100 - Acc), wherever rounding left the two."""

BETWEEN_TABLES = (
    at("Table 2 and Table 6", "238-245, 1091-1106")(
        "tab2", "Table 2 repeats the means of Table 6 (non-IID)", SAME
    ),
    at("Table 3 and Table 6", "246-254, 1091-1106")(
        "tab3", "Table 3 repeats the means of Table 6 (IID)", SAME
    ),
    at("Table 2", "238-245")("tab2.bold", "what is in bold is the best of its column", ge(ahead, behind)),
    at("Table 3", "246-254")("tab3.bold", "what is in bold is the best of its column", ge(ahead, behind)),
    at("Table 6", "1091-1106")("tab6.bold", "what is in bold is the best of its column", ge(ahead, behind)),
    at("Table 7", "1107-1127")("tab7.bold", "what is in bold is the best of its column", ge(ahead, behind)),
    at("Table 6", "1091-1106")(
        "tab6.distinct",
        "no two experiments with a method gave the same accuracy and forgetting with the same deviations",
        gt(difference, 0),
        changes="our own question: equal results are no contradiction",
    ),
    at("Table 7", "1107-1127")(
        "tab7.distinct",
        "no two experiments with a method gave the same accuracy and forgetting with the same deviations",
        gt(difference, 0),
        changes="our own question: equal results are no contradiction",
    ),
    at("Table 6, and Section 7, Metrics", "1091-1106, 259-260")(
        "tab6.possible", "no method forgets more than its accuracy allows", POSSIBLE, uses=("forget.acc",)
    ),
    at("Table 7, and Section 7, Metrics", "1107-1127, 259-260")(
        "tab7.possible", "no method forgets more than its accuracy allows", POSSIBLE, uses=("forget.acc",)
    ),
    at("Table 8, and Section 7, Metrics", "1153-1156, 259-260")(
        "tab8.possible", "C-FLAG forgets no more than its accuracy allows", POSSIBLE, uses=("forget.acc",)
    ),
    tab8_same := at("Table 8, Table 6 and Appendix 4", "1153-1156, 1091-1106, 1083")(
        "tab8.same",
        "with 5 clients Table 8 repeats Table 6: configuration and seeds are the same unless stated",
        SAME,
    ),
    tab8_same.variant(
        "deviation",
        SAME_UP_TO_SEEDS,
        says="with 5 clients Table 8 reaches what Table 6 reports",
        changes="up to three of the printed deviations over seeds",
    ),
)

TEXT = (
    at("Section 7, 'Comparison with Benchmarks', and Table 2", "266, 238-245")(
        "tab2.outperforms", "C-FLAG is more accurate than all baselines on all data sets (non-IID)", BETTER
    ),
    at("Section 7, 'Comparison with Benchmarks', and Table 3", "266, 246-254")(
        "tab3.outperforms", "C-FLAG is more accurate than all baselines on all data sets (IID)", BETTER
    ),
    at("Section 1 and Section 8, and Table 6", "32, 289, 1091-1106")(
        "tab6.outperforms",
        "in task-incremental setups C-FLAG consistently outperforms baselines in accuracy and in forgetting",
        BETTER,
    ),
    tab7_outperforms := at("Abstract, and Table 7", "11, 1107-1127")(
        "tab7.outperforms",
        "in some class-incremental experiment C-FLAG outperforms several baselines in accuracy and forgetting",
        ge(beaten, 2),
    ),
    tab7_outperforms.variant(
        "every",
        says="in every class-incremental experiment C-FLAG outperforms several baselines in accuracy and forgetting",
        changes="in every experiment of the setting, not in some",
    ),
    at("Appendix 4, on Fig. 6, and Table 7", "1135, 1107-1127")(
        "fig6",
        "on non-IID Split-CIFAR10 in classes C-FLAG is more accurate than TARGET, iCARL-FL and LwF-FL",
        BETTER,
    ),
    tab8_robust := at("Appendix 5.2 and Table 8", "1158, 1153-1156")(
        "tab8.robust",
        "more clients do not deteriorate accuracy and forgetting below those of 5 clients",
        ge(ahead, behind),
    ),
    tab8_robust.variant(
        "forget",
        says="more clients do not deteriorate forgetting below that of 5 clients",
        changes="continual learning ability means forgetting alone",
    ),
)

CONSISTENT = (
    at("Tables 6 and 7, and Appendix 4", "1085, 1091-1127")(
        "tab6.counted",
        "accuracies, means over three seeds, are shares of 10,000 test images that can be counted",
        countable(CFLAG),
    ),
    at("Tables 6 and 7, and Appendix 4", "1085, 1091-1127")(
        "tab6.deviations",
        "each deviation over three seeds is one that accuracy in [0, 100] and forgetting in [-100, 100] can have with that "
        "mean",
        within_range(CFLAG),
    ),
)

STATEMENTS = (*BETWEEN_TABLES, *TEXT, *CONSISTENT)
