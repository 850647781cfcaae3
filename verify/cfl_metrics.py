"""CFL, Section 5.3: its metric, and whether Tables 5 to 8 speak of the same experiments."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl.metrics import APPLICABLE
from bounds.cfl.tables import TABLE_5, TABLE_6, TABLE_7
from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.checks.table import printed_in, row
from verify.engine.claim import Claim
from verify.scenes.cfl.metrics import CURVES, Rows


def in_table_6(alpha: str) -> Rows:
    """Means and deviations on CIFAR10 in Table 5 beside those of Table 6 at one alpha."""
    again = TABLE_6[f"alpha = {alpha}"]
    return {
        f"{part} of {method}": row({}, {"cell": one, "cell_again": other})
        for method, number in TABLE_5["CIFAR10"].items()
        if method in again
        for part, one, other in (
            ("mean", number.value, again[method].value),
            ("deviation", number.deviation, again[method].deviation),
        )
    }


def applied() -> Rows:
    """Whether a method applies and whether it is shown, by scenario and method."""
    shown = {"stateful": TABLE_6["alpha = 0.1"], "stateless": TABLE_7["accuracy"]}
    return {
        f"{method}, {scenario} clients": row(
            {}, {"applies": str(int(applies)), "shown": str(int(method in shown[scenario]))}
        )
        for scenario, methods in APPLICABLE.items()
        for method, applies in methods.items()
    }


_printed = printed_in("cfl")
CLAIMS = (
    Claim(statement("cfl.data.metric"), (inequality,), CURVES),
    _printed("tab5.tab6", in_table_6("0.1")),
    _printed("tab5.tab6/caption", in_table_6("0.2")),
    _printed("tab8", applied()),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_metrics"))
