"""CFL, Section 5.3: the metric of its experiments, and whether Tables 5 to 8 speak of the same experiments."""

from __future__ import annotations

from collections.abc import Mapping

from bounds.cfl.symbols import CFL, at
from bounds.relations import eq, ge

_nonnegative, _real = CFL.nonnegative, CFL.real

reported = _nonnegative("reported", "mean accuracy over the 5 best epochs")
last_five = _nonnegative("last_five", "mean accuracy over the last 5 epochs")
cell = _real("cell", "printed number")
cell_again = _real("cell_again", "the same number, printed in another table")
applies = _nonnegative("applies", "1 if Table 8 says that a method applies, 0 if not")
shown = _nonnegative("shown", "1 if a method is shown with results, 0 if not")

EVERYWHERE = ("FedAvg", "FedProx", "MimeLite", "Regularization")
APPLICABLE: Mapping[str, Mapping[str, bool]] = {
    "stateful": {**dict.fromkeys(EVERYWHERE, True), "SCAFFOLD": False, "Core-Set": True},
    "stateless": {**dict.fromkeys(EVERYWHERE, True), "SCAFFOLD": False, "Core-Set": False},
}
"""Table 8: whether a method applies, by scenario, lines 1121-1127."""

STATEMENTS = (
    at("Section 5.2", "365")(
        "data.metric",
        "the reported accuracy, of the 5 best epochs on test data, is never below that of the last 5",
        ge(reported, last_five),
    ),
    at("Table 5, Table 6 and Appendix C.1.3", "381-393, 422-428, 1151")(
        "tab5.tab6",
        "Table 5 repeats Table 6 on split-CIFAR10 with alpha = 0.1, as Appendix C.1.3 says",
        eq(cell, cell_again),
    ),
    at("Caption of Table 5, and Table 6", "381-393, 422-428")(
        "tab5.tab6/caption",
        "Table 5 repeats Table 6 on split-CIFAR10 with alpha = 0.2",
        eq(cell, cell_again),
        changes="alpha = 0.1 on Fashion-MNIST 'instead', as the caption says: 0.2 on the other data sets",
    ),
    at("Table 8, Table 6 and Table 7", "1121-1127, 422-435")(
        "tab8",
        "a method has results in Tables 6 and 7 wherever Table 8 says that it applies, and nowhere else",
        eq(applies, shown),
    ),
)
