"""Rows of the tables of results in C-FLAG, each with the numbers that a claim compares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

from bounds.cflag.tables import BY_CLIENTS, CLASS_INCREMENTAL, MAIN, NAMES, TASK_INCREMENTAL, TASKS, Results
from bounds.printed import Number, Result
from verify.engine.checks.table import leading, row
from verify.engine.model.instance import Instance
from verify.scenes.printed import shares, spreads

Rows = dict[str, Instance]
Scores = Mapping[tuple[str, str], Fraction]
OURS = "C-FLAG"


def scores(results: Mapping[str, Results]) -> Scores:
    """Accuracies, and forgetting with its sign turned, by experiment and method."""
    return {
        (f"{metric} on {dataset}, {setting}", method): sign * number.value
        for setting, table in results.items()
        for (dataset, method), result in table.items()
        for metric, sign, number in (("Acc", 1, result.acc), ("Forget", -1, result.forget))
    }


def only(word: str, scores: Scores) -> Scores:
    """Scores of the experiments whose name holds a word."""
    return {key: score for key, score in scores.items() if word in key[0]}


def pairs(one: Result, other: Result) -> Iterator[tuple[str, Number, Number]]:
    """Accuracy and forgetting of two results, with their names."""
    yield "Acc", one.acc, other.acc
    yield "Forget", one.forget, other.forget


def apart(one: Result, other: Result) -> Fraction:
    """Sum of all differences between two results, in mean and deviation."""
    parts = (abs(a.value - b.value) + abs(a.deviation - b.deviation) for _, a, b in pairs(one, other))
    return sum(parts, start=Fraction(0))


def repeated(setting: str) -> Rows:
    """Every number of Table 2 or 3 beside its mean in Table 6."""
    appendix = TASK_INCREMENTAL[setting]
    return {
        f"{metric} of {method} on {dataset}": row({}, {"entry": one.value, "entry_again": other.value})
        for (dataset, method), result in MAIN[setting].items()
        for metric, one, other in pairs(result, appendix[dataset, NAMES.get(method, method)])
    }


def five_clients() -> Rows:
    """Every number of Table 8 for 5 clients beside its mean in Table 6."""
    return {
        f"{metric} on {dataset}, {setting}": row(
            {},
            {
                "entry": one.value,
                "entry_again": other.value,
                "deviation": other.deviation,
                "digit": other.digit,
            },
        )
        for (setting, dataset), by_clients in BY_CLIENTS.items()
        for metric, one, other in pairs(by_clients[5], TASK_INCREMENTAL[setting][dataset, OURS])
    }


def bold(results: Mapping[str, Results]) -> Rows:
    """What is in bold beside every other number of its column."""
    marked = (
        (f"{metric} on {dataset}, {setting}", method)
        for setting, table in results.items()
        for (dataset, method), result in table.items()
        for metric, number in (("Acc", result.acc), ("Forget", result.forget))
        if number.bold
    )
    return leading(scores(results), marked)


def of_ours(scores: Scores) -> Rows:
    """C-FLAG beside every baseline."""
    return leading(scores, [key for key in scores if key[1] == OURS])


def distinct(results: Mapping[str, Results]) -> Rows:
    """Every pair of experiments with one method, and how far they differ in mean and deviation."""
    cells = {
        (method, f"{dataset} {setting}"): result
        for setting, table in results.items()
        for (dataset, method), result in table.items()
    }
    return {
        f"{method}: {one} and {other}": row(
            {}, {"difference": apart(cells[method, one], cells[method, other])}
        )
        for (method, one), (same, other) in combinations(cells, 2)
        if method == same
    }


def possible(results: Mapping[str, Results]) -> Rows:
    """Accuracy and forgetting of every method."""
    return {
        f"{method} on {dataset}, {setting}": _room(dataset, result)
        for setting, table in results.items()
        for (dataset, method), result in table.items()
    }


def possible_by_clients() -> Rows:
    """Accuracy and forgetting for every number of clients."""
    return {
        f"{clients} clients on {dataset}, {setting}": _room(dataset, result)
        for (setting, dataset), by_clients in BY_CLIENTS.items()
        for clients, result in by_clients.items()
    }


def beaten() -> Rows:
    """Number of baselines with less accuracy and more forgetting in each class-incremental experiment."""
    counts: dict[str, int] = {}
    for setting, table in CLASS_INCREMENTAL.items():
        for (dataset, method), result in table.items():
            ours = table[dataset, OURS]
            both = result.acc.value < ours.acc.value and result.forget.value > ours.forget.value
            experiment = f"{dataset}, {setting}"
            counts[experiment] = counts.get(experiment, 0) + (method != OURS and both)
    return {name: row({}, {"beaten": str(count)}) for name, count in counts.items()}


def most_beaten() -> Rows:
    """The experiment in which most baselines are beaten."""
    name, best = max(beaten().items(), key=lambda item: item[1].parameters["beaten"][()])
    return {name: best}


def in_figure_6() -> Rows:
    """Accuracy of C-FLAG beside the three baselines that the text names."""
    shown = (OURS, "TARGET", "iCARL-FL", "LwF-FL")
    accuracies = only("Acc on Split-CIFAR10, non-IID", scores(CLASS_INCREMENTAL))
    return of_ours({key: score for key, score in accuracies.items() if key[1] in shown})


def more_clients() -> Rows:
    """Accuracy, and forgetting with its sign turned, of more clients beside those of 5."""
    return {
        f"{metric} on {dataset}, {setting}: {clients} clients": row(
            {}, {"ahead": sign * many.value, "behind": sign * few.value}
        )
        for (setting, dataset), by_clients in BY_CLIENTS.items()
        for clients, result in by_clients.items()
        if clients > 5
        for (metric, many, few), sign in zip(pairs(result, by_clients[5]), (1, -1), strict=True)
    }


def _room(dataset: str, result: Result) -> Instance:
    digit = max(result.acc.digit, result.forget.digit)
    columns = {"printed_acc": result.acc.value, "printed_forget": result.forget.value, "digit": digit}
    return row({"S_tasks": TASKS[dataset]}, columns)


SEEDS, TEST_IMAGES = 3, 10_000
_WITH_DEVIATIONS = {"Table 6": TASK_INCREMENTAL, "Table 7": CLASS_INCREMENTAL}


def _printed(metric: str) -> dict[str, Number]:
    """One metric of Tables 6 and 7, by a name for the reader."""
    return {
        f"{metric} of {method} on {dataset}, {setting}, {name}": getattr(result, metric)
        for name, table in _WITH_DEVIATIONS.items()
        for setting, results in table.items()
        for (dataset, method), result in results.items()
    }


def counted() -> Rows:
    """Accuracies as shares of the test images of all seeds."""
    return {
        name: instance
        for name, n in _printed("acc").items()
        for instance in shares({name: n.value}, n.digit, SEEDS * TEST_IMAGES, 100).values()
    }


def with_deviations() -> Rows:
    """Accuracies and forgetting with their deviations over seeds."""
    return {**spreads(_printed("acc"), SEEDS, 0, 100), **spreads(_printed("forget"), SEEDS, -100, 100)}
