"""CFL, Section 5.3: its metric, and whether Tables 5 to 8 agree with each other."""

from __future__ import annotations

from fractions import Fraction

from bounds.catalogue import statement
from bounds.cfl_tables import APPLICABLE, BASELINES, BY_DATASET, IMPROVEMENT, STATELESS
from bounds.printed import Number
from verify.engine.checks.relation import inequality
from verify.engine.checks.table import printed, row
from verify.engine.claim import Claim
from verify.engine.instance import Instance
from verify.engine.main import main
from verify.engine.metrics import cfl_accuracy
from verify.engine.scene import Box, Scene

Rows = dict[str, Instance]

CURVES = Scene(
    name="accuracy by epoch",
    shapes=tuple({"epochs": n} for n in (5, 6, 8)),
    space=lambda shape: {"curve": Box(0, 1, (shape["epochs"],))},
    compute=lambda shape, values: {
        "reported": cfl_accuracy(values["curve"]),
        "last_five": values["curve"][:, -5:].mean(axis=-1),
    },
)


def improvements(line: str) -> Rows:
    """A printed improvement beside the two accuracies that it compares, by data set."""
    return {
        dataset: row(
            {},
            {
                "improved": printed[line].value,
                "digit": printed[line].digit,
                "acc_regularised": BY_DATASET[dataset]["CFL-Regularization"].value,
                "acc_fedavg": BY_DATASET[dataset]["FedAvg"].value,
            },
        )
        for dataset, printed in IMPROVEMENT.items()
    }


def absolute() -> Rows:
    """The same without the digit, which an exact difference does not need."""
    found = improvements("Absolute")
    return {
        name: row({}, {n: c.tolist() for n, c in instance.parameters.items() if n != "digit"})
        for name, instance in found.items()
    }


def in_table_6(alpha: str) -> Rows:
    """Means and deviations on CIFAR10 in Table 5 beside those of Table 6 at one alpha."""
    both = BASELINES[alpha]
    return {
        f"{what} of {method}": row({}, {"cell": one, "cell_again": other})
        for method, number in BY_DATASET["CIFAR10"].items()
        if method in both
        for what, one, other in _parts(number, both[method])
    }


def _parts(one: Number, other: Number) -> list[tuple[str, Fraction, Fraction]]:
    return [("mean", one.value, other.value), ("deviation", one.deviation, other.deviation)]


def applied() -> Rows:
    """Whether a method applies and whether it is shown, by scenario and method."""
    shown = {"stateful": BASELINES["0.1"], "stateless": STATELESS}
    return {
        f"{method}, {scenario} clients": row(
            {}, {"applies": str(int(applies)), "shown": str(int(method in shown[scenario]))}
        )
        for scenario, methods in APPLICABLE.items()
        for method, applies in methods.items()
    }


def _claim(word: str, rows: Rows) -> Claim:
    return printed(statement(f"cfl.{word}"), rows)


CLAIMS = (
    Claim(statement("cfl.data.metric"), (inequality,), CURVES),
    _claim("tab5.absolute", absolute()),
    _claim("tab5.ratio", improvements("Ratio")),
    _claim("tab5.tab6", in_table_6("0.1")),
    _claim("tab5.tab6/caption", in_table_6("0.2")),
    _claim("tab8", applied()),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_tables"))
