"""SPECIAL, Section 5 and Appendix F: what it reports of its experiments beside results: sizes, settings, marks, memory."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.results import (
    ahead,
    behind,
    bwt_printed,
    deviation,
    digit,
    entry,
    entry_again,
    worst_printed,
)
from bounds.special.symbols import SPECIAL, K, at

_positive, _nonnegative, _real = SPECIAL.positive, SPECIAL.nonnegative, SPECIAL.real
marked = _positive("marked", "number in bold or underlined")
unmarked = _positive("unmarked", "number of its column that it is said to be no larger than")
memory = _positive("memory", "printed memory overhead of a client (MiB)")
one_model = _positive("one_model", "the same of FedAvg, whose client holds one model")
held = _positive("held", "models that the method's client holds at once")
final_sum = _nonnegative("final_sum", "sum of the printed accuracies by task (percent)")
final_most = _nonnegative("final_most", "largest of them")
final_least = _nonnegative("final_least", "smallest of them")
accurate_most = _nonnegative(
    "accurate_most",
    "largest printed accuracy on a task of the data set, of any method and number of sampled clients (percent)",
)
listed = _nonnegative("listed", "times that a method is in a table")
deviation_behind = _nonnegative("deviation_behind", "printed deviation of the other number")
least_else = _real("least_else", "least of the same with other numbers of sampled clients")
most_else = _real("most_else", "largest of them")
deviation_else = _nonnegative("deviation_else", "largest of their printed deviations")

_by_task = at(
    "Tables by task against Tables 1, 16, 21 and 26, and Eq. (10)",
    "239, 214, 971, 1030, 1089",
    uses=("eq10",),
)
_ROUNDED = (2 * K - 1) * digit / 2
_marks = at(
    "Table 3",
    "259",
    relation=le(marked, unmarked),
    says="bold numbers of Table 3 are the least of their column, and underlined ones the second least",
)

STATEMENTS = (
    at("Table 5, Section 5, configurations, and Table 6", "393, 235, 805")(
        "notation.E",
        "the E local epochs of the experiments are the E local updates of the theorems",
        eq(entry, entry_again),
    ),
    at("Appendix F.2 against Table 6", "799, 801, 805")(
        "config.datasets",
        "the data sets that Appendix F.2 counts are those of the tables",
        eq(entry, entry_again),
    ),
    at(
        "Tables 9 to 12, 17 to 20, 22 to 25, 27 to 30, and Appendix F.3",
        "827, 840-873, 983-1016, 1042-1075, 1101-1134",
    )(
        "table12.rows",
        "the tables by task have a line for every method of the main tables: 'performance on all tasks for all 4 datasets'",
        eq(listed, 1),
    ),
    # What a run loses on a task it had learnt
    at(
        "Table 8 against Tables 9 to 12, 17 to 20, 22 to 25 and 27 to 30",
        "829, 840-873, 983-1016, 1042-1075, 1101-1134",
    )(
        "table8.learnt",
        "no task was learnt better than any is kept: no worst drop, from the accuracy right after learning, is longer than the "
        "highest accuracy on a task of the data set that the tables by task show",
        le(-worst_printed, accurate_most + digit),
        changes="our own question: the tables show the end of a run and not how well a task was learnt",
    ),
    at("Table 2 and Table 1", "247, 214")(
        "table2.best",
        "the baseline of Table 2 is the one with the highest ACC on VLCS in Table 1",
        ge(ahead, behind),
    ),
    _marks(
        "table3.marks/7",
        changes="reads 7 rounds of FedProx on PACS, as the others of its line are transcribed",
    ),
    _marks("table3.marks/77", changes="reads 77 rounds of FedProx on PACS, printed once"),
    # Any task may be the last one, which BWT leaves out
    _by_task(
        "table9.possible",
        "no method forgets more than its final accuracies by task allow",
        le(-(K - 1) * bwt_printed, 100 * (K - 1) - final_sum + final_most + _ROUNDED),
    ),
    _by_task(
        "table9.possible.gain",
        "no method gains more in the earlier tasks than their final accuracies",
        le((K - 1) * bwt_printed, final_sum - final_least + _ROUNDED),
    ),
    at("Table 15 and Section 5, data sets and model", "955, 231")(
        "table15.model",
        "the memory of FedAvg is that of one ResNet-18 with ten classes: parameters and buffers, 4 bytes each, in MiB",
        le(sp.Abs(entry - entry_again), digit / 2),
    ),
    at("Table 15, and Appendix F.7, definition of memory overhead", "955, 951")(
        "table15.models",
        "the memory overhead of a client without buffers of data is that of the models that it holds",
        le(sp.Abs(memory - held * one_model), (held + 1) * digit / 2),
    ),
    at("Tables 1, 16, 21 and 26, and Remark 4.13", "202, 214, 971, 1030, 1089")(
        "table21.participation",
        "the ACC of SPECIAL does not fall with more sampled clients, up to three deviations of both numbers",
        ge(ahead - behind, -3 * (deviation + deviation_behind) - digit),
        changes="our own question: the remark says that the bound falls with N",
    ),
    at("Table 1 against Tables 16, 21 and 26", "214, 971, 1030, 1089")(
        "table1.outliers",
        "with 4 of 8 clients sampled, ACC and BWT lie between those with 2, 6 and 8, up to three deviations of both",
        le(sp.Max(least_else - entry, entry - most_else), 3 * (deviation + deviation_else) + digit),
        changes="our own question: the text says that participation helps, not by how much",
    ),
)
