"""Printed numbers of SPECIAL's tables, row by row."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from itertools import pairwise

from bounds.printed import Number
from bounds.special.experiments import EXPERIMENTS, IMAGES_IN_TEXT, REFINED, ROUNDS_IN_TABLE_6
from bounds.special.side_tables import BEST_BWT, ROUNDS, TIME
from bounds.special.tables import (
    DATASETS,
    FRACTION_DIGIT,
    MAIN,
    PERCENT_DIGIT,
    STRENGTHS,
    TASKS,
    WORST_DROP,
    MainTable,
    Measured,
)
from bounds.special.task_tables import BY_TASK, EXCERPT, TaskTable
from nqm.fields import like
from verify.engine.checks.table import leading, row
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Scene
from verify.scenes.printed import shares, spreads

OURS, VARIANT = "SPECIAL", "SPECIAL-C"
Rows = dict[str, Instance]
Scores = Mapping[tuple[str, str], Fraction]


MEANS = Scene(
    name="accuracies by task and their mean",
    shapes=({"K": 4}, {"K": 6}),
    space=lambda shape: {"final": Box(0, 1, (shape["K"],)), "acc_printed": Box(0, 1)},
    compute=lambda shape, values: {
        "acc_mean": values["final"].mean(axis=1),
        "digit": 0 * values["acc_printed"] + like(values["final"], FRACTION_DIGIT),
    },
)


# ------------------------------------------------------------------------------------------- who is said to be best


def scores(of: MainTable) -> Scores:
    """ACC and BWT by experiment and method."""
    return {
        (f"{metric} on {dataset}, Table {of.number}", method): measured.mean
        for metric, column in (("ACC", of.acc), ("BWT", of.bwt))
        for (dataset, method), measured in column.items()
    }


def means(of: TaskTable) -> Rows:
    """Printed ACC and printed accuracies, by method."""
    return {
        method: row({"K": len(final)}, {"final": final, "acc_printed": of.acc[method]})
        for method, final in of.final.items()
    }


def against_main(of: TaskTable) -> Rows:
    """Printed ACC and the ACC of the main table, by method."""
    reported = MAIN[of.sampled].acc
    return {
        method: row(
            {},
            {
                "acc_printed": acc,
                "acc_main": reported[of.dataset, method].mean / 100,
                "digit": FRACTION_DIGIT,
            },
        )
        for method, acc in of.acc.items()
    }


def repeated() -> Rows:
    """Every number of Table 2 paired with that of the same method and task in Table 10."""
    (full,) = (of for of in BY_TASK if of.number == 10)
    columns = (*TASKS[EXCERPT.dataset], "ACC")
    return {
        f"{method} on {column}": row({}, {"entry": one, "entry_again": other})
        for method in EXCERPT.acc
        for column, one, other in zip(
            columns,
            (*EXCERPT.final[method], EXCERPT.acc[method]),
            (*full.final[method], full.acc[method]),
            strict=True,
        )
    }


def worst_drops() -> Rows:
    """Worst drop and BWT, by method and data set."""
    return {
        f"{method} on {dataset}": row(
            {},
            {
                "worst_printed": drop.mean,
                "bwt_printed": MAIN[4].bwt[dataset, method].mean,
                "digit": PERCENT_DIGIT,
            },
        )
        for (dataset, method), drop in WORST_DROP.items()
    }


def swept_against(strength: str, method: str) -> Rows:
    """ACC and BWT of the lambda sweep of SPECIAL-C paired with those of a method in Table 1, on Digit-10."""
    return {
        metric: _beside(STRENGTHS[metric][strength], measured["Digit-10", method])
        for metric, measured in (("ACC", MAIN[4].acc), ("BWT", MAIN[4].bwt))
    }


def slightly_lower() -> Rows:
    """ACC of SPECIAL with that of SPECIAL-C and its deviation, on Digit-10."""
    acc = MAIN[4].acc
    return {"Digit-10": _beside(acc["Digit-10", OURS].mean, acc["Digit-10", VARIANT])}


def _beside(number: Fraction, reported: Measured) -> Instance:
    columns = {"swept": number, "reference": reported.mean, "deviation": reported.deviation}
    return row({}, {**columns, "digit": PERCENT_DIGIT})


def possible() -> Rows:
    """ACC and BWT of every method in the main tables."""
    return {
        f"{method} on {dataset}, Table {of.number}": row(
            {"K": len(TASKS[dataset])},
            {"acc_printed": acc.mean, "bwt_printed": of.bwt[dataset, method].mean, "digit": PERCENT_DIGIT},
        )
        for of in MAIN.values()
        for (dataset, method), acc in of.acc.items()
    }


def bold() -> Rows:
    """Every bold number of the main tables paired with every other number of its column."""
    found: Rows = {}
    for sampled, of in MAIN.items():
        marked = [(f"ACC on {dataset}, Table {of.number}", OURS) for dataset in DATASETS]
        marked += [
            (f"BWT on {dataset}, Table {of.number}", method)
            for dataset, method in zip(DATASETS, BEST_BWT[sampled], strict=True)
        ]
        found |= leading(scores(of), marked)
    return found


def best_accuracy() -> Rows:
    """ACC of SPECIAL paired with that of every other method in Table 1."""
    return leading(scores(MAIN[4]), [(f"ACC on {dataset}, Table 1", OURS) for dataset in DATASETS])


def server_and_client() -> Rows:
    """SPECIAL paired with SPECIAL-C in Table 1; on Digit-10 the text claims a higher BWT of SPECIAL-C."""
    found = {key: score for key, score in scores(MAIN[4]).items() if key[1] in (OURS, VARIANT)}
    return leading(
        found,
        [
            (experiment, method)
            for experiment, method in found
            if (method == VARIANT) == (experiment == "BWT on Digit-10, Table 1")
        ],
    )


def best_of_two(results: Mapping[str, tuple[Fraction, ...]]) -> Rows:
    """ACC and BWT of SPECIAL paired with those of every other method."""
    found = {
        (metric, method): numbers[column]
        for method, numbers in results.items()
        for column, metric in enumerate(("ACC", "BWT"))
    }
    return leading(found, [("ACC", OURS), ("BWT", OURS)])


def by_domain() -> Rows:
    """Accuracies of SPECIAL by task paired with those of the best baseline, Table 2."""
    found = {
        (task, method): accuracy
        for method, final in EXCERPT.final.items()
        for task, accuracy in zip(TASKS[EXCERPT.dataset], final, strict=True)
    }
    return leading(found, [key for key in found if key[1] == OURS])


def rising() -> Rows:
    """BWT of SPECIAL-C for each lambda paired with that for the previous one."""
    return {
        f"lambda {larger} against {smaller}": row(
            {}, {"ahead": STRENGTHS["BWT"][larger], "behind": STRENGTHS["BWT"][smaller]}
        )
        for smaller, larger in pairwise(STRENGTHS["BWT"])
    }


def rounds(of: Mapping[tuple[str, str], Fraction]) -> Rows:
    """Rounds of SPECIAL paired with those of every other method."""
    return {
        f"{dataset} against {method}": row({}, {"fewer": of[dataset, OURS], "rounds_other": other})
        for (dataset, method), other in of.items()
        if method != OURS
    }


def faster(but: Collection[str]) -> Rows:
    """Number of methods with a shorter time per round than SPECIAL, except the given ones."""
    return {
        dataset: row(
            {},
            {
                "faster": str(
                    sum(
                        time < TIME[dataset, OURS]
                        for (of, method), time in TIME.items()
                        if of == dataset and method not in but
                    )
                ),
                "faster_said": str(int(dataset == "VLCS")),
            },
        )
        for dataset in DATASETS
    }


# ------------------------------------------------------------------------------------------- counts and deviations


SEEDS, USPS_IMAGES = 3, 2007


def on_usps(digit: Fraction) -> Rows:
    """Accuracies on USPS in the tables by task, with a slack of half of `digit`."""
    return {
        f"{method} in Table {of.number}": instance
        for of in BY_TASK
        if TASKS[of.dataset][0] == "USPS"
        for method, instance in shares(
            {method: final[0] for method, final in of.final.items()}, digit, SEEDS * USPS_IMAGES
        ).items()
    }


def with_deviations() -> Rows:
    """Every ACC, BWT and worst drop with its deviation."""
    as_printed = lambda m: Number(m.mean, PERCENT_DIGIT, m.deviation, deviation_digit=PERCENT_DIGIT)  # noqa: E731
    columns = [(f"ACC, Table {of.number}", of.acc, 0) for of in MAIN.values()]
    columns += [(f"BWT, Table {of.number}", of.bwt, -100) for of in MAIN.values()]
    columns.append(("worst drop, Table 8", WORST_DROP, -100))
    return {
        name: instance
        for metric, column, least in columns
        for name, instance in spreads(
            {f"{metric}: {method} on {dataset}": as_printed(m) for (dataset, method), m in column.items()},
            SEEDS,
            least,
            100,
        ).items()
    }


def rounds_needed() -> Rows:
    """Rounds to the best performance, summed over tasks, with the total number of rounds."""
    return {
        f"{method} on {dataset}": row(
            {}, {"needed": needed, "run": Fraction(EXPERIMENTS[dataset].tasks * EXPERIMENTS[dataset].rounds)}
        )
        for (dataset, method), needed in ROUNDS.items()
    }


def rounds_again() -> Rows:
    """Rounds per task of Section 5 paired with those of Table 6."""
    return {
        dataset: row({}, {"entry": Fraction(rounds), "entry_again": Fraction(EXPERIMENTS[dataset].rounds)})
        for dataset, rounds in ROUNDS_IN_TABLE_6.items()
    }


def images_again() -> Rows:
    """Numbers of images of Table 6 (in hundreds except for Digit-10 and DN4IL) paired with those of the text."""
    return {
        dataset: row(
            {},
            {
                "entry": Fraction(EXPERIMENTS[dataset].images),
                "entry_again": Fraction(images),
                "digit": Fraction(1000 if dataset == "Digit-10" else 100),
            },
        )
        for dataset, images in IMAGES_IN_TEXT.items()
    }


def grid_points() -> Rows:
    """Distance of the chosen lambda to the candidates."""
    return {
        dataset: row(
            {}, {"off_grid": min(abs(Fraction(x) - Fraction(str(EXPERIMENTS[dataset].lam))) for x in tried)}
        )
        for dataset, tried in REFINED.items()
    }
