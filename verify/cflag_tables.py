"""C-FLAG: do its tables of results agree with each other, with their metrics and with the text?"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from bounds.cflag.tables import BY_CLIENTS, CLASS_INCREMENTAL, MAIN, NAMES, TASK_INCREMENTAL, TASKS, Results
from bounds.printed import Result
from verify.commands.main import main
from verify.engine.checks.table import leading, printed_in, row
from verify.engine.instance import Instance
from verify.scenes.cflag.tables import OURS, Rows, Scores, apart, only, pairs, scores


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


_claim = printed_in("cflag")
CLAIMS = (
    _claim("tab2", repeated("non-IID")),
    _claim("tab3", repeated("IID")),
    _claim("tab2.bold", bold({"non-IID": MAIN["non-IID"]})),
    _claim("tab3.bold", bold({"IID": MAIN["IID"]})),
    _claim("tab6.bold", bold(TASK_INCREMENTAL)),
    _claim("tab7.bold", bold(CLASS_INCREMENTAL)),
    _claim("tab6.distinct", distinct(TASK_INCREMENTAL)),
    _claim("tab7.distinct", distinct(CLASS_INCREMENTAL)),
    _claim("tab6.possible", possible(TASK_INCREMENTAL)),
    _claim("tab7.possible", possible(CLASS_INCREMENTAL)),
    _claim("tab8.possible", possible_by_clients()),
    _claim("tab8.same", five_clients()),
    _claim("tab8.same/deviation", five_clients()),
    _claim("tab2.outperforms", of_ours(only("Acc", only(", non-IID", scores(MAIN))))),
    _claim("tab3.outperforms", of_ours(only("Acc", only(", IID", scores(MAIN))))),
    _claim("tab6.outperforms", of_ours(scores(TASK_INCREMENTAL))),
    _claim("tab7.outperforms", most_beaten()),
    _claim("tab7.outperforms/every", beaten()),
    _claim("fig6", in_figure_6()),
    _claim("tab8.robust", more_clients()),
    _claim("tab8.robust/forget", {name: pair for name, pair in more_clients().items() if "Forget" in name}),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_tables"))
