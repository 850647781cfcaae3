"""SPECIAL's reported settings and other numbers besides results, as rows of tables."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from bounds.special.experiments import EXPERIMENTS, REFINED
from bounds.special.side_tables import HELD, MEMORY, ROUNDS, SECOND, TIME
from bounds.special.tables import DATASETS, MAIN, PERCENT_DIGIT, TASKS, WORST_DROP, Measured
from bounds.special.task_tables import BY_TASK, EXCERPT
from verify.engine.checks.table import leading, row
from verify.engine.model.instance import Instance
from verify.scenes.special.tables import OURS, Rows

SAID_DATASETS = 3
"""The number of data sets that Appendix F.2 states twice."""
CLASSES, COLOURS, BYTES = 10, 3, 4
RUNS = tuple(sorted(MAIN))
Cells = Mapping[tuple[str, str], Measured]


def _same(one: Fraction | int, other: Fraction | int, **more: Fraction) -> Instance:
    return row({}, {"entry": Fraction(one), "entry_again": Fraction(other), **more})


def steps_and_epochs() -> Rows:
    """Local epochs paired with local steps, by data set, for an even distribution of images over tasks and clients."""
    return {name: _same(of.epochs, of.local_steps) for name, of in EXPERIMENTS.items()}


def datasets() -> Rows:
    """The number of data sets in the text paired with that of Table 6 and of the reported values of lambda."""
    return {
        "the main experiment": _same(SAID_DATASETS, len(EXPERIMENTS)),
        "the search for lambda": _same(SAID_DATASETS, len(REFINED)),
    }


def lines() -> Rows:
    """Whether each method of a main table has a line in each of its tables by task."""
    return {
        f"{method} in Table {of.number}": row({}, {"listed": Fraction(int(method in of.acc))})
        for of in BY_TASK
        for method in sorted({method for _, method in MAIN[of.sampled].acc})
    }


def longest_drops() -> Rows:
    """Worst drop of each method paired with the highest accuracy by task in any table of the data set (percent)."""
    return {
        f"{method} on {dataset}": row(
            {},
            {
                "worst_printed": drop.mean,
                "accurate_most": 100
                * max(max(final) for of in BY_TASK if of.dataset == dataset for final in of.final.values()),
                "digit": PERCENT_DIGIT,
            },
        )
        for (dataset, method), drop in WORST_DROP.items()
    }


def best_baseline() -> Rows:
    """ACC of the baseline of Table 2 paired with that of every other baseline on its data set."""
    (baseline,) = set(EXCERPT.acc) - {OURS}
    scores = {
        (dataset, method): acc.mean
        for (dataset, method), acc in MAIN[EXCERPT.sampled].acc.items()
        if dataset == EXCERPT.dataset and method != OURS
    }
    return leading(scores, [(EXCERPT.dataset, baseline)])


def marks(rounds: Mapping[tuple[str, str], Fraction] = ROUNDS) -> Rows:
    """Every number in bold with its column, and every underlined number with its column except the number in bold."""
    found: Rows = {}
    for word, column, first in (("rounds", rounds, OURS), ("time", TIME, "FedAvg")):
        for dataset, second in zip(DATASETS, SECOND[word], strict=True):
            numbers = {method: value for (of, method), value in column.items() if of == dataset}
            for best, among in ((first, set(numbers)), (second, set(numbers) - {first})):
                found |= {
                    f"{word} on {dataset}: {best} against {method}": row(
                        {}, {"marked": numbers[best], "unmarked": numbers[method]}
                    )
                    for method in sorted(among - {best})
                }
    return found


def rooms(aside: str) -> Rows:
    """BWT of each method with the sum of its final accuracies by task and one of them, `aside` (percent)."""
    return {
        f"{method} in Table {of.number}": row(
            {"K": len(TASKS[of.dataset])},
            {
                "bwt_printed": MAIN[of.sampled].bwt[of.dataset, method].mean,
                "final_sum": 100 * sum(final, Fraction(0)),
                aside: 100 * (max(final) if aside == "final_most" else min(final)),
                "digit": PERCENT_DIGIT,
            },
        )
        for of in BY_TASK
        for method, final in of.final.items()
    }


def resnet18_numbers(classes: int, colours: int) -> int:
    """Parameters and buffers of ResNet-18 (He et al., 2016, Table 1) with batch normalisation."""

    def convolution(inward: int, outward: int, size: int) -> int:
        # Batch normalisation has a scale, a shift, a mean and a variance for each channel, and a counter
        return inward * outward * size**2 + 4 * outward + 1

    def stage(inward: int, outward: int) -> int:
        shortcut = convolution(inward, outward, 1) if inward != outward else 0
        return convolution(inward, outward, 3) + 3 * convolution(outward, outward, 3) + shortcut

    widths = (64, 64, 128, 256, 512)
    stages = sum(stage(a, b) for a, b in pairwise(widths))
    return convolution(colours, widths[0], 7) + stages + (widths[-1] + 1) * classes


def model_memory() -> Rows:
    """Memory of FedAvg paired with that of its network (MiB)."""
    size = Fraction(BYTES * resnet18_numbers(CLASSES, COLOURS), 2**20)
    return {"FedAvg": _same(MEMORY["FedAvg"], size, digit=PERCENT_DIGIT)}


def models_held() -> Rows:
    """Memory of the methods that store models and no data, paired with that of FedAvg."""
    return {
        method: row(
            {},
            {
                "memory": MEMORY[method],
                "one_model": MEMORY["FedAvg"],
                "held": Fraction(held),
                "digit": PERCENT_DIGIT,
            },
        )
        for method, held in HELD.items()
    }


def with_more_clients() -> Rows:
    """ACC of SPECIAL for each number of sampled clients paired with that for every smaller number."""
    return {
        f"{dataset}: {more} against {fewer} clients": row(
            {},
            {
                "ahead": MAIN[more].acc[dataset, OURS].mean,
                "behind": MAIN[fewer].acc[dataset, OURS].mean,
                "deviation": MAIN[more].acc[dataset, OURS].deviation,
                "deviation_behind": MAIN[fewer].acc[dataset, OURS].deviation,
                "digit": PERCENT_DIGIT,
            },
        )
        for dataset in DATASETS
        for fewer in RUNS
        for more in RUNS
        if fewer < more
    }


def beside_other_samples(sampled: int = 4) -> Rows:
    """ACC and BWT with `sampled` clients paired with those for other numbers of clients."""

    def beside(cell: Measured, others: list[Measured]) -> Instance:
        return row(
            {},
            {
                "entry": cell.mean,
                "deviation": cell.deviation,
                "least_else": min(other.mean for other in others),
                "most_else": max(other.mean for other in others),
                "deviation_else": max(other.deviation for other in others),
                "digit": PERCENT_DIGIT,
            },
        )

    columns: list[tuple[str, dict[int, Cells]]] = [
        ("ACC", {n: MAIN[n].acc for n in RUNS}),
        ("BWT", {n: MAIN[n].bwt for n in RUNS}),
    ]
    return {
        f"{metric} of {method} on {dataset}": beside(
            cell, [tables[n][dataset, method] for n in RUNS if n != sampled]
        )
        for metric, tables in columns
        for (dataset, method), cell in tables[sampled].items()
    }
