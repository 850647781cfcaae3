"""Scenes: fedMeS: does Table 1 agree with its metrics and with the text?"""

from __future__ import annotations

from bounds.fedmes.tables import CLIENTS, TABLE_1
from bounds.printed import Number, Result
from verify.engine.instance import Instance

Rows = dict[str, Instance]
Setting = tuple[str, int]
STATE_OF_THE_ART = "FedWEIT"


def largest(rows: Rows) -> Rows:
    """The row with the largest ratio: what "up to" speaks of."""
    ratio = lambda name: rows[name].parameters["top"][()] / rows[name].parameters["bottom"][()]  # noqa: E731
    name = max(rows, key=ratio)
    return {name: rows[name]}


def results(method: str, *datasets: str) -> dict[Setting, Result]:
    """Results of a method by setting."""
    return {
        (dataset, clients): TABLE_1[dataset, clients, method] for dataset in datasets for clients in CLIENTS
    }


def accuracies(method: str, *datasets: str) -> dict[Setting, Number]:
    """Acc_ALL of a method by setting."""
    return {setting: result.acc for setting, result in results(method, *datasets).items()}


def rates(method: str, *datasets: str) -> dict[Setting, Number]:
    """Forgetting rates of a method by setting."""
    return {setting: result.forget for setting, result in results(method, *datasets).items()}


def named(dataset: str, clients: int) -> str:
    return f"{dataset}, {clients} clients"
