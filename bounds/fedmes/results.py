"""FedMeS, Section 5.2: what Table 1 says about its own metrics, and the text about Table 1.

Numbers are printed to the last digit; what they leave open is left open in favour of the text.
"""

from __future__ import annotations

import sympy as sp

from bounds.consistency import within_range
from bounds.fedmes.symbols import FEDMES, T, at
from bounds.relations import eq, ge, gt, le

_count, _positive, _nonnegative, _real = FEDMES.count, FEDMES.positive, FEDMES.nonnegative, FEDMES.real
_possible = at("Table 1, and Section 5.1, Metrics", "188-208, 220-222")
_text = at("Section 5.2 and Table 1", "258, 188-208")

printed_acc = _real("printed_acc", "printed Acc_ALL")
printed_forget = _real("printed_forget", "printed forgetting rate")
acc_digit = _positive("acc_digit", "one unit of the last digit of Acc_ALL")
forget_digit = _positive("forget_digit", "one unit of the last digit of the forgetting rate")
ahead = _real("ahead", "accuracy, or minus the forgetting rate, that is said to be better")
behind = _real("behind", "the same of another method")
top = _positive("top", "printed number that is compared")
bottom = _positive("bottom", "printed number with which it is compared")
digit = _positive("digit", "one unit of their last printed digit")
clients = _count("clients", "clients of an experiment")
least_samples = _positive("least_samples", "samples in the smallest memory")
most_samples = _positive("most_samples", "samples in the largest memory")
step_samples = _positive("step_samples", "samples that the next larger memory has more")
deviation = _nonnegative("deviation", "printed standard deviation over repetitions")

accuracy, forgetting = printed_acc - acc_digit / 2, printed_forget - forget_digit / 2
"""The least that was rounded to the printed numbers."""
i = sp.Symbol("i", integer=True, positive=True)
HARMONIC = sp.Sum(1 / i, (i, 1, T))


def _ratio_between(least: sp.Rational, most: sp.Rational) -> sp.Le:
    """Some ratio that the printed digits leave open lies between `least` and `most`."""
    low, high = (top - digit / 2) / (bottom + digit / 2), (top + digit / 2) / (bottom - digit / 2)
    return le(sp.Max(low - most, least - high), 0)


PERCENT = sp.Rational(1, 100)
HALF = PERCENT / 2
"""The text gives whole percents."""

TAB1_POSSIBLE = _possible(
    "tab1.possible",
    "no method forgets more than its accuracy allows, both taken after the last task",
    le((T - 1) * forgetting, T * (1 - accuracy)),
    uses=("forget.acc",),
)
POSSIBLE = (
    TAB1_POSSIBLE,
    TAB1_POSSIBLE.variant(
        "mixed",
        le((T - 1) * forgetting, T - 2 + T * (1 - accuracy) / (T - 1)),
        says="no method forgets more than its accuracy allows",
        uses=("forget.acc", "forget.most"),
        changes="accuracy after the last task, forgetting averaged over the tasks 2 to T",
    ),
    TAB1_POSSIBLE.variant(
        "averaged",
        le(forgetting, 1 + T / (T - 1) ** 2 * (HARMONIC - T * accuracy)),
        says="no method forgets more than its accuracy allows",
        uses=("forget.averaged",),
        changes="accuracy averaged over the tasks 1 to T, forgetting over the tasks 2 to T",
    ),
)

TAB1_OUTPERFORMS_FORGET = _text(
    "tab1.outperforms.forget",
    "FedMeS forgets less than every baseline, for all data sets and numbers of clients",
    gt(ahead, behind),
)
TAB1_LIP = _text(
    "tab1.lip",
    "local inference makes FedMeS 5% to 10% more accurate",
    _ratio_between(1 + 5 * PERCENT - HALF, 1 + 10 * PERCENT + HALF),
)
TAB1_MEMORY = at("Section 5.3, 'Effect of memory size', and Table 1", "278, 188-208")(
    "tab1.memory",
    "with 150 samples Fig. 8 (a) shows the 55% that Table 1 reports for Split CIFAR-100 and 10 clients",
    le(sp.Abs(top - bottom), HALF + digit / 2),
)
TEXT = (
    _text(
        "tab1.outperforms.acc",
        "FedMeS is more accurate than every baseline, for all data sets and numbers of clients",
        gt(ahead, behind),
    ),
    TAB1_OUTPERFORMS_FORGET,
    TAB1_OUTPERFORMS_FORGET.variant("ties", ge(ahead, behind), changes="allows the same printed rate"),
    _text(
        "tab1.fedweit.acc",
        "FedMeS is up to 102% more accurate than FedWeIT on Split MiniImageNet",
        _ratio_between(sp.Rational(202, 100) - HALF, sp.Rational(202, 100) + HALF),
    ),
    _text(
        "tab1.fedweit.forget",
        "FedWeIT forgets 4 to 6 times as much as FedMeS on Split CORe50",
        _ratio_between(sp.Integer(4), sp.Integer(6)),
    ),
    TAB1_LIP,
    TAB1_LIP.variant(
        "points",
        le(sp.Max(top - bottom - digit - 10 * PERCENT - HALF, 5 * PERCENT - HALF - top + bottom - digit), 0),
        says="local inference makes FedMeS 5 to 10 points more accurate",
        changes="percentage points instead of percent of the accuracy without it",
    ),
    TAB1_MEMORY,
    TAB1_MEMORY.variant(
        "deviation",
        le(sp.Abs(top - bottom), HALF + digit / 2 + deviation),
        changes="up to one printed deviation over repetitions",
    ),
)

SPREAD = at("Table 1, and Section 5.1", "188-208, 252")(
    "tab1.deviations",
    "each deviation over 5 repetitions is one that accuracies in [0, 1] and forgetting in [-1, 1] can have with that mean",
    within_range(FEDMES),
)

FIGURES = (
    at("Section 5.3, on Figure 9", "278")(
        "fig9.clients",
        "'Here10-50', two clients each with 10, 20, .., 50 samples, are the 10 clients of the experiment",
        eq(2 * ((most_samples - least_samples) / step_samples + 1), clients),
    ),
    at("Section 5.3, on Figure 9", "278")(
        "fig9", "with memories of different sizes Acc_ALL is above that of every baseline", gt(ahead, behind)
    ),
    # What the text prints of either figure beside Table 1, where memories have 150 samples
    at("Section 5.3, on Figures 8 (a) and 9, and Table 1", "278, 188-208")(
        "fig9.least",
        "with 30 samples for every client Acc_ALL, 48 %, is above that of every baseline of Table 1 (Split CIFAR-100, 10 clients)",
        gt(ahead - HALF, behind + digit / 2),
    ),
    at("Section 5.3, on Figure 8 (b)", "284")(
        "fig8.time",
        "FedMeS is more accurate than FedWeIT in less time, most so with many clients and tasks",
        gt(ahead, behind),
    ),
    at("Section 4.3 and Section 5.1", "136-140, 244")(
        "eq10.tuned",
        "theta is tuned by validation (Section 4.3) and 0.5 for every client (Section 5.1): 0.5 is what validation chose",
        ge(ahead, behind),
    ),
)

tasks_of = FEDMES.count("tasks_of", "tasks of a data set")
classes_each = FEDMES.count("classes_each", "classes of each of them")
classes_all = FEDMES.count("classes_all", "classes, or objects, of the data set")
one_part, other_part, last_part, whole = (
    FEDMES.count(name, meaning)
    for name, meaning in (
        ("one_part", "what comes from CIFAR-100"),
        ("other_part", "what comes from MiniImageNet-100"),
        ("last_part", "what comes from TinyImageNet-200"),
        ("whole", "what Fusion Tasks-40 is said to have of it"),
    )
)
_SPLIT = at("Section 5.1, data sets", "214-216")(
    "data.classes",
    "the tasks of a data set split its classes: their numbers multiply to the number of classes",
    eq(tasks_of * classes_each, classes_all),
)
DATA = (
    _SPLIT,
    _SPLIT.variant("core50", changes="Split CORe50, which is called a cross-class data set like the others"),
    at("Section 5.1, Fusion Tasks-40", "216")(
        "data.fusion",
        "Fusion Tasks-40 has the classes, and the training images, of its three parts",
        eq(one_part + other_part + last_part, whole),
    ),
)

STATEMENTS = (*POSSIBLE, *TEXT, SPREAD, *FIGURES, *DATA)
