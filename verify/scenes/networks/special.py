"""Scenes: SPECIAL, Sections 2.2 and 5, Appendix F: sentences of the text about experiments, tested on the built-in digits.

The setting is that of the paper for Digit-10, scaled to the size of the data. There are 4 domains (the digits unchanged, rotated,
inverted, blurred), 8 clients of which 4 take part, and 20 rounds per task of 5 local epochs with minibatches of 32. Dirichlet
shares have alpha = 0.1. The server's step size is 1/i in task i for all methods. A 64-32-10 network replaces the ResNet-18.

Choices that the paper does not specify for these data are made on validation images, with seeds that are not used for judging.
The clients' step size, which is multiplied by 0.96 in each round, and the strength of each method are selected together by its
own ACC, among the same number of candidates for every method. A method without a strength has more step sizes instead. Sweeps of
lambda, and sentences with a printed lambda, use the step size 0.3, which is close to the one selected for FedAvg.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from verify.engine.checks.means import Above, Observed, Part, every, some
from verify.engine.work.items import as_free
from verify.networks.contests import Found
from verify.networks.data.deals import by_dirichlet
from verify.networks.experiments import Candidates, Ran, at_rates, rates_alone, run
from verify.networks.sentences import CONTINUAL, Law, Metric, Sweep, across, mean_learnt, means, observed
from verify.networks.setting import Setting
from verify.networks.training.measures import EVERY_ROUND
from verify.networks.trends import (
    Trend,
    concave,
    highest_inside,
    last_above_first,
    less_at_the_end,
    negated_trend,
    rises_then_falls,
)
from verify.scenes.metrics import acc, special_bwt, special_worst_drop
from verify.scenes.networks.second_task import Pair, while_second
from verify.scenes.networks.selected import Selection, chosen, numbers_of, scaled_candidates

DOMAINS = Setting(by_dirichlet, decay=1, fading=0.96, local_lr=0.3)
CLASSES = replace(DOMAINS, kind="class", tasks=5, alpha=1)

LAMBDAS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 0.8, 1.0)
"""The paper's candidates for lambda: a grid with spacing 0.2, refined to 0.05 in part of it."""
GRID, TABLE_13 = (0.0, *LAMBDAS), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
SMALL = (0.0, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2)
ON_CLIENTS = (*SMALL, *TABLE_13[2:])
"""Values of lambda for SPECIAL-C; two parts of them are evaluated."""
ROUNDS, EPOCHS, ALPHAS = (1, 5, 10, 20, 30), (1, 3, 5, 10), (0.05, 0.1, 0.3, 0.5, 1, 100)
"""Values of the ablations in Appendix F.2."""
RATES = (0.2, 0.4, 0.8, 1.6, 3.2)
SHORTER = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Step sizes of FedCIL, which would otherwise select the smallest candidate."""
FRACTIONS = (0.5, 0.7, 0.85, 0.95, 0.98, 0.99, 0.996, 0.998, 0.9992, 0.9998)
"""Weights of the labels in FLwF-2T, 0.5 as printed; its teachers share the rest equally."""
STRENGTHS = (3e-5, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Strengths of FedProx and SPECIAL-C, down to a negligible penalty; those of EWC and LwF have the same spacing."""
FREE_ONES = at_rates(RATES, lam=STRENGTHS)
CANDIDATES: Mapping[str, Candidates] = {
    "fedavg": rates_alone(RATES, 50),
    "fedprox": at_rates(RATES, mu=STRENGTHS),
    "flwf-2t": at_rates(RATES, alpha=FRACTIONS, beta=tuple(round((1 - one) / 2, 4) for one in FRACTIONS)),
    "special-c": FREE_ONES,
    "special": at_rates(RATES, lam=LAMBDAS),
    "special-second-task": at_rates(RATES, lam=LAMBDAS),
    "ewc": at_rates(RATES, lam=(0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)),
    "lwf": at_rates(RATES, lam=(0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)),
    "fedcil/paper": at_rates(
        SHORTER, generator_lr=(0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
    ),
    "mfcl/paper": at_rates(
        RATES,
        kd=(0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 1.0),
        ft=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 0.2, 3.0, 10.0),
    ),
    "pfeddil": at_rates(
        RATES,
        lam=(0.5, 0.8, 0.45, 0.55, 0.6, 0.65, 0.7, 0.75, 0.85, 0.95),
        migration=(1.0, 1.0, 0.003, 0.03, 0.3, 0.001, 0.01, 0.1, 0.003, 3.0),
    ),
    "re-fed": at_rates(
        RATES,
        personal_lr=(0.1, 0.3, 1.0, 0.03, 0.1, 0.3, 1.0, 0.3, 0.01, 0.3),
        lam=(0.5, 0.5, 0.5, 0.3, 0.7, 0.8, 0.3, 0.2, 0.5, 0.1),
    ),
}
"""The same number of candidates for each method: 50 step sizes, or 5 step sizes with 10 strengths. For SPECIAL the strengths are
those of the paper. For methods with two strengths, some pairs are printed ones: MFCL's 0.2 and 0.2, and 0.1 and 1 of its code,
with whose ratio the other pairs are made; pFedDIL's 0.5 and 0.8 with 1; Re-Fed's 0.5."""
SELECTED: Mapping[str, Mapping[str, float]] = {
    "fedavg": {"local_lr": 0.333},
    "fedprox": {"local_lr": 0.4, "mu": 0.0003},
    "flwf-2t": {"local_lr": 0.4, "alpha": 0.95, "beta": 0.025},
    "special-c": {"local_lr": 0.4, "lam": 0.0003},
    "special": {"local_lr": 0.4, "lam": 0.05},
    "special-second-task": {"local_lr": 0.4, "lam": 0.05},
    "ewc": {"local_lr": 0.4, "lam": 0.3},
    "lwf": {"local_lr": 0.4, "lam": 0.0003},
}
SELECTED_OF_CLASSES: Mapping[str, Mapping[str, float]] = {
    "fedavg": {"local_lr": 1.16},
    "fedprox": {"local_lr": 0.8, "mu": 0.1},
    "flwf-2t": {"local_lr": 0.8, "alpha": 0.98, "beta": 0.01},
    "special-c": {"local_lr": 0.4, "lam": 0.3},
    "special": {"local_lr": 1.6, "lam": 0.4},
    "special-second-task": {"local_lr": 0.4, "lam": 0.2},
    "ewc": {"local_lr": 0.8, "lam": 10.0},
    "lwf": {"local_lr": 0.8, "lam": 0.3},
    "fedcil/paper": {"local_lr": 0.2, "generator_lr": 0.005},
    "mfcl/paper": {"local_lr": 0.8, "kd": 0.03, "ft": 0.3},
    "pfeddil": {"local_lr": 0.8, "lam": 0.55, "migration": 0.03},
    "re-fed": {"local_lr": 0.8, "personal_lr": 0.3, "lam": 0.2},
}
"""The candidates with the highest mean ACC, for domains and for split classes."""
OURS, READ, CLIENT = "special", "special-second-task", "special-c"
PAPER = ("fedavg", "fedprox", "flwf-2t", CLIENT)
MORE = (*PAPER, "ewc", "lwf")
NO_IMAGES = (*PAPER, "fedcil/paper", "mfcl/paper", "pfeddil")
SYSTEMS = (*NO_IMAGES, "re-fed")
"""Systems with which the paper compares; Re-Fed replaces SR-FDIL, whose formulas are not public."""
PRINTED = {OURS: 0.25, READ: 0.25, CLIENT: 0.2}
EPOCH = "special-c-epoch"
"""SPECIAL-C with one proximal step per epoch."""
LOSS = 0.006
"""The printed loss of ACC for lambda = 0.3 compared with 0.25."""

# ---------------------------------------------------------------------------------------------------- runs


def selected(setting: Setting, method: str) -> Mapping[str, float]:
    """The selected hyperparameters of a method, for domains and for split classes."""
    known = SELECTED if setting.kind == "domain" else SELECTED_OF_CLASSES
    return numbers_of(setting, method, known[method], CANDIDATES[method], acc)


def trained(setting: Setting, method: str) -> Ran:
    """Runs of a method with the numbers that were selected for it, tested after every round."""
    return run(setting, method, selected(setting, method), EVERY_ROUND)


FIELD = Selection(
    lambda setting, method: trained(setting, method).accuracy,
    CONTINUAL,
    lambda setting, method: chosen(
        scaled_candidates(setting, method, CANDIDATES[method]), selected(setting, method)
    ),
)


def fading_alone(setting: Setting, method: str) -> np.ndarray:
    """Accuracies with decaying step sizes of the clients in SPECIAL only."""
    place = setting if method == OURS else replace(setting, fading=1)
    return run(place, method, selected(setting, method), EVERY_ROUND).accuracy


OTHERS_UNDECAYED = Selection(fading_alone, CONTINUAL, FIELD.numbers)
SMALLER: Mapping[str, Mapping[str, float]] = {
    OURS: {"local_lr": 0.4, "lam": 3e-5},
    READ: {"local_lr": 0.4, "lam": 0.0001},
}
"""Selected among the candidates of SPECIAL-C, which include smaller values of lambda than the paper's candidates for SPECIAL."""


def freely(setting: Setting, method: str) -> Mapping[str, float]:
    """The selected hyperparameters of a method if SPECIAL's lambda may be smaller than the paper's candidates."""
    if method not in SMALLER:
        return selected(setting, method)
    return numbers_of(setting, method, SMALLER[method], FREE_ONES, acc)


FREE = Selection(
    lambda setting, method: run(setting, method, freely(setting, method), EVERY_ROUND).accuracy,
    CONTINUAL,
    lambda setting, method: (
        chosen(scaled_candidates(setting, method, FREE_ONES), freely(setting, method))
        if method in SMALLER
        else FIELD.numbers(setting, method)
    ),
)
"""The comparison in which SPECIAL's lambda may be smaller than the paper's candidates."""

LISTED: Mapping[str, float] = {"local_lr": 0.8, "lam": 0.05}
"""The hyperparameters with which SPECIAL-C has the highest mean ACC among SPECIAL's candidates."""

# ----------------------------------------------------------------------------------------- sweeps of lambda


def jointly(a: np.ndarray) -> np.ndarray:
    """ACC + BWT."""
    return acc(a) + special_bwt(a)


def by_ranks(a: np.ndarray) -> np.ndarray:
    """Sum of the ranks in ACC and in BWT along the sweep; equal values have equal ranks."""
    return _ranks(acc(a)) + _ranks(special_bwt(a))


def _ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks along the first axis, like `scipy.stats.rankdata`, whose import would take 30 MB in every process."""
    below, same = scores < scores[:, None], scores == scores[:, None]
    return below.sum(axis=1) + (same.sum(axis=1) + 1) / 2


def best_inside(method: str, score: Metric) -> Law:
    """The law that a score is highest inside the grid of lambda."""

    def law(setting: Setting) -> Observed:
        scores = score(run(setting, method, {"lam": GRID}).accuracy)
        best = np.bincount(scores.argmax(axis=0), minlength=len(GRID)).tolist()
        return observed(highest_inside(scores), setting, values=GRID, best_in_seeds=best)

    return law


def in_band(method: str, centre: float) -> Law:
    """The law that the neighbours of a value of lambda on the grid have almost its ACC."""
    place = GRID.index(centre)
    around = [place - 1, place + 1]

    def law(setting: Setting) -> Observed:
        found = acc(run(setting, method, {"lam": GRID}).accuracy)
        loss = found[place] - found[around]
        neighbours = {str(GRID[i]): mean for i, mean in zip(around, means(loss), strict=True)}
        small = every(
            *(
                Above(LOSS - one, name=f"{LOSS} - loss at {value}")
                for one, value in zip(loss, neighbours, strict=True)
            )
        )
        return observed(small, setting, around=centre, mean_loss=neighbours)

    return law


def underfitting(setting: Setting) -> Observed:
    """The law that the largest lambda learns worse than lambda = 0, and forgets less."""
    a = run(setting, OURS, {"lam": GRID}).accuracy
    sentence = every(negated_trend(last_above_first)(mean_learnt(a)), last_above_first(special_bwt(a)))
    return observed(sentence, setting, values=GRID, means=FIELD.rounded_means(a))


def part_of(values: tuple[float, ...]) -> Sweep:
    """SPECIAL-C with some of the values that are trained at once."""
    places = [ON_CLIENTS.index(value) for value in values]
    return lambda setting: (values, run(setting, CLIENT, {"lam": ON_CLIENTS}).accuracy[places])


# ------------------------------------------------------------------------------------ one method and others


def competitive(ours: str) -> Law:
    """The law that the BWT of a method is at least the median BWT of the others."""

    def judge(found: Found) -> Part:
        median = np.median([special_bwt(found[name]) for name in PAPER], axis=0)
        return Above(special_bwt(found[ours]) - median, name=f"{ours} - median")

    return FIELD.compared((ours, *PAPER), judge)


def both(a: np.ndarray) -> np.ndarray:
    """ACC and BWT, (run, 2)."""
    return np.stack([acc(a), special_bwt(a)], axis=-1)


def nowhere_below(ours: str, other: str) -> Law:
    """The law that the final accuracy of a method is at least that of another method on every task."""
    return FIELD.above(ours, (other,), lambda a: a[:, -1])


def opposed(found: Found) -> Part:
    """The requirement that in most pairs of methods, the one that learns worse has the higher BWT."""
    first, second = np.triu_indices(len(found), 1)
    a = np.stack(list(found.values()))
    better, kinder = (np.sign(of(a)[first] - of(a)[second]) for of in (mean_learnt, special_bwt))
    return Above(-(better * kinder).mean(axis=0), name="pairs in which they are opposed, less others")


def forgets_more(a: np.ndarray, other: np.ndarray) -> Part:
    """The requirement that a method has a lower BWT and a lower worst drop than another."""
    return every(
        *(Above(score(other) - score(a), name=score.__name__) for score in (special_bwt, special_worst_drop))
    )


def looks_strong(found: Found) -> Part:
    """The requirement that FedAvg has at least the ACC of some continual baseline, and forgets more than this baseline."""
    plain, *others = (found[name] for name in ("fedavg", "flwf-2t", CLIENT))
    return some(*(every(Above(acc(plain) - acc(a), name="acc"), forgets_more(plain, a)) for a in others))


def quickest(others: tuple[str, ...]) -> Law:
    """The law that SPECIAL needs the fewest rounds to its best accuracy on the current task, summed over tasks."""

    def law(setting: Setting) -> Observed:
        from verify.networks.report import rounds_to_best

        names = OURS, *others
        each = as_free(*(partial(trained, setting, name) for name in names))
        needed = {name: rounds_to_best(ran.by_round) for name, ran in zip(names, each, strict=True)}
        fewer = (Above(needed[other] - needed[OURS], name=f"{other} - {OURS}") for other in others)
        return observed(
            every(*fewer), setting, mean_rounds={name: float(of.mean()) for name, of in needed.items()}
        )

    return law


# ---------------------------------------------------------------------------------- server against client side


def placed(
    judge: Pair, numbers: Mapping[str, Mapping[str, float]], among: Mapping[str, Candidates] = {}
) -> Law:
    """A sentence about SPECIAL and SPECIAL-C, in this order, with these numbers.

    Parameters
    ----------
    among : name -> Candidates
        Candidates of the methods whose hyperparameters were selected.
    """

    def selected_numbers(setting: Setting, name: str) -> Mapping[str, float]:
        if name not in among:
            return numbers[name]
        return numbers_of(setting, name, numbers[name], among[name], acc)

    def law(setting: Setting) -> Observed:
        used = {name: selected_numbers(setting, name) for name in numbers}
        each = as_free(*(partial(run, setting, *with_numbers, EVERY_ROUND) for with_numbers in used.items()))
        found = dict(zip(numbers, each, strict=True))
        shown = {
            name: {
                **(
                    chosen(scaled_candidates(setting, name, among[name]), used[name])
                    if name in among
                    else used[name]
                ),
                **FIELD.rounded_means(ran.accuracy),
                "task 1 and 2 while 2 is learnt": np.round(while_second(ran).mean(axis=0), 3).tolist(),
            }
            for name, ran in found.items()
        }
        return observed(judge(*found.values()), setting, methods=shown)

    return law


def ablation(name: str, values: tuple[float, ...]) -> Sweep:
    """A sweep of an entry of the setting for SPECIAL, with the hyperparameters selected in the unchanged setting."""
    return lambda setting: across(OURS, selected(setting, OURS), name, values)(setting)


PEAKS: Mapping[str, Trend] = {"": rises_then_falls, "inside": highest_inside}
VALLEYS = {name: negated_trend(trend) for name, trend in PEAKS.items()}
CONCAVE: Mapping[str, Trend] = {"": concave(EPOCHS), "ends": less_at_the_end(EPOCHS)}
