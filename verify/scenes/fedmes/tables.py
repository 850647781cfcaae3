"""Rows of printed numbers of Table 1, by method, and comparisons of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bounds.fedmes.tables import ABLATION, CLIENTS, METHOD, SETTINGS, TABLE_1, TASKS
from bounds.printed import Number, Result
from verify.engine.checks.table import Column, leading, row
from verify.engine.model.instance import Instance
from verify.scenes.printed import spreads

Rows = dict[str, Instance]
Setting = tuple[str, int]
STATE_OF_THE_ART = "FedWEIT"
REPETITIONS = 5


def largest(rows: Rows) -> Rows:
    """The row with the largest ratio, to which "up to" in the text refers."""
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


def row_name(dataset: str, clients: int) -> str:
    return f"{dataset}, {clients} clients"


def possible() -> Rows:
    """Accuracy and forgetting rate of every method."""
    return {
        f"{method} on {row_name(dataset, clients)}": row(
            {"T": TASKS[dataset]},
            {
                "printed_acc": result.acc.value,
                "printed_forget": result.forget.value,
                "acc_digit": result.acc.digit,
                "forget_digit": result.forget.digit,
            },
        )
        for (dataset, clients, method), result in TABLE_1.items()
    }


def against_baselines(number: Callable[[Result], Number], sign: int = 1) -> Rows:
    """FedMeS paired with every baseline except its own ablation, with signed scores. Scores are rounded, so a tie may be a lead."""
    numbers = {
        (row_name(dataset, clients), method): number(result)
        for (dataset, clients, method), result in TABLE_1.items()
        if method != ABLATION
    }
    scores = {key: sign * found.value for key, found in numbers.items()}
    digits = {key: found.digit for key, found in numbers.items()}
    return leading(scores, [(row_name(*setting), METHOD) for setting in SETTINGS], digits)


def compared(top: Mapping[Setting, Number], bottom: Mapping[Setting, Number]) -> Rows:
    """Two numbers of every setting."""
    return {
        row_name(*setting): row(
            {}, {"top": top[setting].value, "bottom": bottom[setting].value, "digit": top[setting].digit}
        )
        for setting in top
    }


def with_memory() -> Rows:
    """The 55% of the text, with 150 samples, paired with the accuracy of Table 1."""
    acc = TABLE_1["CIFAR-100", 10, METHOD].acc
    columns: dict[str, Column] = {
        "top": "0.55",
        "bottom": acc.value,
        "digit": acc.digit,
        "deviation": acc.deviation,
    }
    return {"Split CIFAR-100, 10 clients": row({}, columns)}


def with_few_samples() -> Rows:
    """The 48% of the text, with 30 samples, paired with every baseline of Table 1."""
    baselines = {
        method: result.acc
        for (dataset, clients, method), result in TABLE_1.items()
        if (dataset, clients) == ("CIFAR-100", 10) and method not in (METHOD, ABLATION)
    }
    return {
        method: row({}, {"ahead": "0.48", "behind": acc.value, "digit": acc.digit})
        for method, acc in baselines.items()
    }


def with_deviations() -> Rows:
    """Every mean of Table 1 with its deviation over five repetitions."""
    named_results = {
        f"{method} on {row_name(dataset, clients)}": result
        for (dataset, clients, method), result in TABLE_1.items()
    }
    accuracy = {f"Acc of {name}": result.acc for name, result in named_results.items()}
    forgetting = {f"FR of {name}": result.forget for name, result in named_results.items()}
    return {**spreads(accuracy, REPETITIONS, 0, 1), **spreads(forgetting, REPETITIONS, -1, 1)}


def with_unequal_memories() -> Rows:
    """'Here10-50' of Figure 9."""
    sizes: dict[str, Column] = {"least_samples": "10", "most_samples": "50", "step_samples": "10"}
    return {"Here10-50": row({"clients": 10}, sizes)}


NOT_PRINTED = {
    "fig9": "the accuracies of Figure 9 are not printed; that 30 samples for every client are enough is fig9.least",
    "fig8.time": "the times and accuracies of Figure 8 (b) are not printed",
    "eq10.tuned": "no accuracy is reported for another theta, and no validation",
}
"""Reason why the printed numbers do not decide a statement, by statement."""


def _split(**sizes: int) -> Instance:
    return row(sizes, {})


def splits() -> Rows:
    """Tasks, classes of each and all classes of the data sets whose tasks have disjoint classes."""
    counts = {
        "Split CIFAR-100": (10, 10, 100),
        "Split EMNIST": (10, 6, 60),
        "Split MiniImageNet": (10, 10, 100),
        "Fusion Tasks-40": (40, 10, 400),
    }
    return {
        name: _split(tasks_of=tasks, classes_each=each, classes_all=every)
        for name, (tasks, each, every) in counts.items()
    }


def core50() -> Rows:
    """Tasks and classes of Split CORe50, whose 11 sessions show the same 50 objects."""
    return {"Split CORe50": _split(tasks_of=11, classes_each=50, classes_all=50)}


def fused() -> Rows:
    """Parts of Fusion Tasks-40: classes by their names, and numbers of training images of the data sets."""
    return {
        "classes": _split(one_part=100, other_part=100, last_part=200, whole=400),
        "training images": _split(one_part=50_000, other_part=50_000, last_part=100_000, whole=200_000),
    }
