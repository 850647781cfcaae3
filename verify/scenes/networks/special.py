"""Scenes: SPECIAL, Sections 2.2 and 5, Appendix F: what its text says of experiments, tried on the embedded digits.

The setting is the paper's for Digit-10 at the size of the data: 4 domains (the digits as they are, rotated, inverted,
blurred), 8 clients of which 4 take part, 20 rounds per task of 5 local epochs with minibatches of 32, Dirichlet shares
with alpha = 0.1, the server's step 1/i in task i for all methods; a network of 64-32-10 in the place of a ResNet-18.
What the paper does not fix for these data is chosen on validation images of seeds that are not judged on: the clients'
step size, which fades by 0.96 a round, and the strength of each method together, by its own ACC among as many candidates
as every other has. A method without a strength has as many step sizes. Sweeps of lambda and what is judged with a printed
lambda have the step of 0.3, which is about FedAvg's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from verify.engine.checks.means import Above, Observed, Part, every, some
from verify.engine.items import as_free
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
    rises_then_falls,
    turned,
)
from verify.scenes.metrics import acc, special_bwt, special_worst_drop
from verify.scenes.networks.second_task import Pair, while_second
from verify.scenes.networks.selected import Selection, chosen, numbers_of, tried

DOMAINS = Setting(by_dirichlet, decay=1, fading=0.96, local_lr=0.3)
CLASSES = replace(DOMAINS, kind="class", tasks=5, alpha=1)

LAMBDAS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 0.8, 1.0)
"""The paper's candidates for lambda: steps of 0.2, and of 0.05 where it refines them."""
GRID, TABLE_13 = (0.0, *LAMBDAS), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
SMALL = (0.0, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2)
ON_CLIENTS = (*SMALL, *TABLE_13[2:])
"""Values of lambda for SPECIAL-C, of which two parts are looked at."""
ROUNDS, EPOCHS, ALPHAS = (1, 5, 10, 20, 30), (1, 3, 5, 10), (0.05, 0.1, 0.3, 0.5, 1, 100)
"""Values of the ablations in Appendix F.2."""
RATES = (0.2, 0.4, 0.8, 1.6, 3.2)
SHORTER = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Step sizes of FedCIL, which would select the least of the others."""
FRACTIONS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975)
"""Weights of the labels in FLwF-2T, 0.5 as printed; its teachers share the rest equally."""
STRENGTHS = (3e-5, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Of FedProx and SPECIAL-C, down to where next to nothing is left of the penalty; those of EWC and LwF lie as far apart."""
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
"""As many of each method: 50 step sizes, or 5 of them with 10 strengths, of which the paper lists those of SPECIAL. Where there are
two strengths some pairs are the printed ones: MFCL's 0.2 and 0.2, and its code's 0.1 and 1, whose ratio the others have;
pFedDIL's 0.5 and 0.8 with 1; Re-Fed's 0.5."""
SELECTED: Mapping[str, Mapping[str, float]] = {
    "fedavg": {"local_lr": 0.333},
    "fedprox": {"local_lr": 0.4, "mu": 0.0003},
    "flwf-2t": {"local_lr": 0.4, "alpha": 0.85, "beta": 0.075},
    "special-c": {"local_lr": 0.4, "lam": 0.0003},
    "special": {"local_lr": 0.4, "lam": 0.05},
    "special-second-task": {"local_lr": 0.4, "lam": 0.05},
    "ewc": {"local_lr": 0.4, "lam": 0.3},
    "lwf": {"local_lr": 0.4, "lam": 0.0003},
}
SELECTED_OF_CLASSES: Mapping[str, Mapping[str, float]] = {
    "fedavg": {"local_lr": 1.16},
    "fedprox": {"local_lr": 0.8, "mu": 0.1},
    "flwf-2t": {"local_lr": 0.8, "alpha": 0.9, "beta": 0.05},
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
"""The candidates with the highest mean ACC, in domains and where classes are split."""
OURS, READ, CLIENT = "special", "special-second-task", "special-c"
PAPER = ("fedavg", "fedprox", "flwf-2t", CLIENT)
MORE = (*PAPER, "ewc", "lwf")
NO_IMAGES = (*PAPER, "fedcil/paper", "mfcl/paper", "pfeddil")
SYSTEMS = (*NO_IMAGES, "re-fed")
"""Whom the paper compares with: Re-Fed stands for SR-FDIL, whose formulas are not public."""
PRINTED = {OURS: 0.25, READ: 0.25, CLIENT: 0.2}
EPOCH = "special-c-epoch"
"""SPECIAL-C whose pull acts once an epoch."""
LOSS = 0.006
"""Loss of ACC that is printed for lambda = 0.3 against 0.25."""

# ---------------------------------------------------------------------------------------------------- runs


def selected(setting: Setting, method: str) -> Mapping[str, float]:
    """What a method selects, in domains and where classes are split."""
    known = SELECTED if setting.kind == "domain" else SELECTED_OF_CLASSES
    return numbers_of(setting, method, known[method], CANDIDATES[method], acc)


def trained(setting: Setting, method: str) -> Ran:
    """Runs of a method with the numbers that were selected for it, tested after every round."""
    return run(setting, method, selected(setting, method), EVERY_ROUND)


FIELD = Selection(
    lambda setting, method: trained(setting, method).accuracy,
    CONTINUAL,
    lambda setting, method: chosen(tried(setting, method, CANDIDATES[method]), selected(setting, method)),
)


def fading_alone(setting: Setting, method: str) -> np.ndarray:
    """Accuracies where the clients' steps fade in SPECIAL only."""
    place = setting if method == OURS else replace(setting, fading=1)
    return run(place, method, selected(setting, method), EVERY_ROUND).accuracy


OTHERS_UNDECAYED = Selection(fading_alone, CONTINUAL, FIELD.numbers)
SMALLER: Mapping[str, Mapping[str, float]] = {
    OURS: {"local_lr": 0.4, "lam": 3e-5},
    READ: {"local_lr": 0.4, "lam": 0.0001},
}
"""Of the candidates of SPECIAL-C, which go below those that the paper has for SPECIAL, the ones with the highest mean ACC."""


def freely(setting: Setting, method: str) -> Mapping[str, float]:
    """What a method selects where SPECIAL's lambda may be so small."""
    if method not in SMALLER:
        return selected(setting, method)
    return numbers_of(setting, method, SMALLER[method], FREE_ONES, acc)


FREE = Selection(
    lambda setting, method: run(setting, method, freely(setting, method), EVERY_ROUND).accuracy,
    CONTINUAL,
    lambda setting, method: (
        chosen(tried(setting, method, FREE_ONES), freely(setting, method))
        if method in SMALLER
        else FIELD.numbers(setting, method)
    ),
)
"""Where SPECIAL's lambda may be smaller than the paper's candidates."""

LISTED: Mapping[str, float] = {"local_lr": 0.8, "lam": 0.05}
"""The numbers with which SPECIAL-C has the highest mean ACC where it has SPECIAL's candidates."""

# ----------------------------------------------------------------------------------------- sweeps of lambda


def jointly(a: np.ndarray) -> np.ndarray:
    """ACC + BWT."""
    return acc(a) + special_bwt(a)


def by_ranks(a: np.ndarray) -> np.ndarray:
    """Sum of the ranks in ACC and in BWT along the sweep; equal values share theirs."""
    return _ranks(acc(a)) + _ranks(special_bwt(a))


def _ranks(scores: np.ndarray) -> np.ndarray:
    """As `scipy.stats.rankdata` along the first axis, which would take 30 MB in every process."""
    below, same = scores < scores[:, None], scores == scores[:, None]
    return below.sum(axis=1) + (same.sum(axis=1) + 1) / 2


def best_inside(method: str, score: Metric) -> Law:
    """A score is highest between the ends of the grid of lambda."""

    def law(setting: Setting) -> Observed:
        scores = score(run(setting, method, {"lam": GRID}).accuracy)
        best = np.bincount(scores.argmax(axis=0), minlength=len(GRID)).tolist()
        return observed(highest_inside(scores), setting, values=GRID, best_in_seeds=best)

    return law


def in_band(method: str, centre: float) -> Law:
    """The neighbours of a lambda on the grid lose little ACC against it."""
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
    """The largest lambda learns less well than none, and forgets less."""
    a = run(setting, OURS, {"lam": GRID}).accuracy
    sentence = every(turned(last_above_first)(mean_learnt(a)), last_above_first(special_bwt(a)))
    return observed(sentence, setting, values=GRID, means=FIELD.shown(a))


def part_of(values: tuple[float, ...]) -> Sweep:
    """SPECIAL-C with some of the values that are trained at once."""
    places = [ON_CLIENTS.index(value) for value in values]
    return lambda setting: (values, run(setting, CLIENT, {"lam": ON_CLIENTS}).accuracy[places])


# ------------------------------------------------------------------------------------ one method and others


def competitive(ours: str) -> Law:
    """Its BWT is no lower than the median of the others'."""

    def judge(found: Found) -> Part:
        median = np.median([special_bwt(found[name]) for name in PAPER], axis=0)
        return Above(special_bwt(found[ours]) - median, name=f"{ours} - median")

    return FIELD.compared((ours, *PAPER), judge)


def both(a: np.ndarray) -> np.ndarray:
    """ACC and BWT, (run, 2)."""
    return np.stack([acc(a), special_bwt(a)], axis=-1)


def nowhere_below(ours: str, other: str) -> Law:
    """It ends no less accurate than another method on every task."""
    return FIELD.above(ours, (other,), lambda a: a[:, -1])


def opposed(found: Found) -> Part:
    """Of all pairs of methods, learning less well goes more often with the higher BWT."""
    first, second = np.triu_indices(len(found), 1)
    a = np.stack(list(found.values()))
    better, kinder = (np.sign(of(a)[first] - of(a)[second]) for of in (mean_learnt, special_bwt))
    return Above(-(better * kinder).mean(axis=0), name="pairs in which they are opposed, less others")


def forgets_more(a: np.ndarray, other: np.ndarray) -> Part:
    """It has a lower BWT and a lower worst drop."""
    return every(
        *(Above(score(other) - score(a), name=score.__name__) for score in (special_bwt, special_worst_drop))
    )


def looks_strong(found: Found) -> Part:
    """FedAvg has the ACC of some continual baseline or more, and forgets more than it."""
    plain, *others = (found[name] for name in ("fedavg", "flwf-2t", CLIENT))
    return some(*(every(Above(acc(plain) - acc(a), name="acc"), forgets_more(plain, a)) for a in others))


def quickest(others: tuple[str, ...]) -> Law:
    """SPECIAL needs the fewest rounds to the best accuracy on the current task, summed over tasks."""

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
        Of those whose numbers were selected.
    """

    def given(setting: Setting, name: str) -> Mapping[str, float]:
        if name not in among:
            return numbers[name]
        return numbers_of(setting, name, numbers[name], among[name], acc)

    def law(setting: Setting) -> Observed:
        used = {name: given(setting, name) for name in numbers}
        each = as_free(*(partial(run, setting, *with_numbers, EVERY_ROUND) for with_numbers in used.items()))
        found = dict(zip(numbers, each, strict=True))
        shown = {
            name: {
                **(chosen(tried(setting, name, among[name]), used[name]) if name in among else used[name]),
                **FIELD.shown(ran.accuracy),
                "task 1 and 2 while 2 is learnt": np.round(while_second(ran).mean(axis=0), 3).tolist(),
            }
            for name, ran in found.items()
        }
        return observed(judge(*found.values()), setting, methods=shown)

    return law


def ablation(name: str, values: tuple[float, ...]) -> Sweep:
    """SPECIAL along an entry of the setting, with the numbers that it selects without changing it."""
    return lambda setting: across(OURS, selected(setting, OURS), name, values)(setting)


PEAKS: Mapping[str, Trend] = {"": rises_then_falls, "inside": highest_inside}
VALLEYS = {name: turned(trend) for name, trend in PEAKS.items()}
CONCAVE: Mapping[str, Trend] = {"": concave(EPOCHS), "ends": less_at_the_end(EPOCHS)}
