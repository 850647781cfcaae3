"""C-FLAG, Section 7 and the additional experiments: what the text says of experiments, tried on the embedded digits.

The setting is the paper's for Split-CIFAR10 at the size of the data: 5 tasks of 2 classes, 5 clients of which all take
part, 2 local epochs, Dirichlet shares with parameter 0.1 (non-IID), 1 and 1e5 (IID), memories of a fifth of a
client's images (12 per task and client of about 58, as 400 of 2000) in equal shares for all tasks, L = 5 for adaptive
rates, a network of 64-32-10. Scaled down: 8 rounds per task for 20, minibatches of 16 for 128, gradient descent for
ADAM. What the paper does not fix for these data was chosen before any sentence was judged: one step size of clients
for all methods, 0.1, by the Acc of FedAvg on 4 seeds that are not judged on (0.86 at 0.03, 0.94 at 0.1), the largest
tried below 1/L; the strengths of the baselines are those of `verify.networks.methods`.

By C-FLAG we mean adaptive rates of the worst case, as Algorithm 3 has them, with a_i of Table 1; other cases are
readings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bounds.catalogue import statement
from bounds.cflag_empirical import BASELINES
from verify.engine.checks.frequency import Observed, frequency
from verify.engine.claim import Claim
from verify.engine.main import main
from verify.engine.metrics import acc, cflag_forget, fedmes_average
from verify.networks.experiments import SEEDS, Setting, by_dirichlet
from verify.networks.personal import tested
from verify.networks.trends import Trend, last_above_first, mostly_rises, never_falls, turned

Accuracies = np.ndarray
"""(sweep..., run, K, K)."""
Metric = Callable[[Accuracies], np.ndarray]
Law = Callable[[Setting], Observed]

NON_IID = Setting(
    by_dirichlet,
    kind="task",
    tasks=5,
    images=400,
    clients=5,
    sampled=5,
    rounds=8,
    epochs=2,
    batch=16,
    alpha=0.1,
    local_lr=0.1,
)
IID = replace(NON_IID, alpha=1e5)
ALPHAS = (0.1, 1.0, 1e5)
SHARES = {"iid": IID, "non-iid": NON_IID}
CLASSES, CLASSES_IID = (replace(setting, kind="class") for setting in (NON_IID, IID))

MEMORY, MEMORIES = 60, (10, 30, 60, 90, 120)
"""Samples of a client in 5 tasks: 12 of each, and from 2 to 24."""
CLIENTS = (5, 10, 15, 25)
REMEMBERING = ("nccl", "er", "icarl", "cflag", "cflag-adaptive", "cflag-worst-case")
L_OF_NCCL = 5

CASES = {"": "cflag-worst-case", "average": "cflag-adaptive", "fixed": "cflag"}
OURS = CASES[""]
INCREMENTAL = ("fedavg", "ewc", "lwf", "icarl", "nccl", "fedtrack")


# ----------------------------------------------------------------------------------------------------- runs


def trained(setting: Setting, method: str, capacity: int = MEMORY) -> Accuracies:
    """Accuracies (run, K, K) of the server's model."""
    numbers: dict[str, float] = {"capacity": capacity} if method in REMEMBERING else {}
    if method == "nccl":
        numbers["smoothness"] = L_OF_NCCL
    return tested(setting, method, **numbers).common


def over_memories(setting: Setting) -> Accuracies:
    return np.stack([trained(setting, OURS, capacity) for capacity in MEMORIES])


def over_clients(setting: Setting) -> Accuracies:
    """The same images dealt to more clients, each with a memory of the same size."""
    return np.stack([trained(replace(setting, clients=m, sampled=m), OURS) for m in CLIENTS])


# ------------------------------------------------------------------------------------------------- the laws


def observed(met: np.ndarray, setting: Setting, **measured: Any) -> Observed:
    """What was found, with the setting in which it was."""
    return Observed(met, {**measured, "setting": setting.plain()})


def means(values: np.ndarray) -> Any:
    """Over runs, to four digits: (..., run) -> (...)."""
    return np.round(values.mean(axis=-1), 4).tolist()


def compared(names: Sequence[str], judge: Callable[[Mapping[str, Accuracies]], np.ndarray]) -> Law:
    """A sentence about the accuracies of several methods."""

    def law(setting: Setting) -> Observed:
        found = {name: trained(setting, name) for name in names}
        table = {name: {"Acc": means(acc(a)), "Forget": means(cflag_forget(a))} for name, a in found.items()}
        return observed(judge(found), setting, methods=table)

    return law


def above(ours: str, others: Sequence[str], score: Metric) -> Law:
    """A method is above all others in a score (..., run), in all its leading entries."""
    return compared(
        (ours, *others),
        lambda found: np.all([score(found[ours]) > score(found[other]) for other in others], axis=0),
    )


def kept(a: Accuracies) -> np.ndarray:
    """-Forget."""
    return -cflag_forget(a)


def at_each_task(ours: str) -> Law:
    """Its mean accuracy on the tasks so far is above that of all baselines after each task from the second on."""
    return compared(
        (ours, *BASELINES),
        lambda found: np.all(
            [
                (fedmes_average(found[ours]) > fedmes_average(found[other]))[..., 1:].all(axis=-1)
                for other in BASELINES
            ],
            axis=0,
        ),
    )


def for_all_shares(ours: str) -> Law:
    """Its Acc is above that of EWC and FedTrack for each Dirichlet parameter."""

    def law(setting: Setting) -> Observed:
        each = [above(ours, ("ewc", "fedtrack"), acc)(replace(setting, alpha=alpha)) for alpha in ALPHAS]
        tables = {str(alpha): found.measured["methods"] for alpha, found in zip(ALPHAS, each, strict=True)}
        return observed(np.all([found.met for found in each], axis=0), setting, by_alpha=tables)

    return law


def along(sweep: Callable[[Setting], Accuracies], score: Metric, trend: Trend) -> Law:
    """A score goes so along a sweep."""

    def law(setting: Setting) -> Observed:
        a = sweep(setting)
        return observed(trend(score(a)), setting, Acc=means(acc(a)), Forget=means(cflag_forget(a)))

    return law


def within(points: float) -> Trend:
    """All values of the sweep are within so many points of each other."""
    return lambda values: np.ptp(values, axis=0) <= points / 100


def last_negative(values: np.ndarray) -> np.ndarray:
    """The end of the sweep is below 0."""
    return values[-1] < 0


def more_evident(setting: Setting) -> Observed:
    """Acc gains more from the memory with non-IID shares than with IID ones."""
    gains = [
        np.subtract(*acc(over_memories(own))[[-1, 0]]) for own in (setting, replace(setting, alpha=IID.alpha))
    ]
    return observed(gains[0] > gains[1], setting, gain_non_iid=means(gains[0]), gain_iid=means(gains[1]))


# ----------------------------------------------------------------------------------------------- the claims


def _claim(id: str, law: Law, base: Setting) -> Claim:
    def experiment(budget: Any, seed: int) -> Observed:
        return law(replace(base, seeds=SEEDS[budget.name], seed=seed))

    return Claim(statement(f"cflag.emp.{id}"), (frequency(experiment),))


def _readings(
    id: str, of: Callable[[Any], Law], readings: Mapping[str, Any], base: Setting
) -> tuple[Claim, ...]:
    """The same law of several things, by the name of the reading; "" is the sentence itself."""
    return tuple(_claim(f"{id}/{name}" if name else id, of(what), base) for name, what in readings.items())


RISES: Mapping[str, Trend] = {"": never_falls, "rank": mostly_rises, "ends": last_above_first}
FALLS = {name: turned(trend) for name, trend in RISES.items()}


def _cases(id: str, others: Sequence[str], score: Metric, base: Setting) -> tuple[Claim, ...]:
    return _readings(id, lambda ours: above(ours, others, score), CASES, base)


def _benchmarks(name: str, base: Setting) -> tuple[Claim, ...]:
    each: list[Claim] = []
    for item, score in (("best", acc), ("forget", kept)):
        one_by_one = {other: other for other in BASELINES}
        each += _cases(f"{item}.{name}", tuple(BASELINES), score, base)
        each += _readings(
            f"{item}.{name}", lambda other, score=score: above(OURS, (other,), score), one_by_one, base
        )
    rates = {
        "": above(OURS, ("cflag",), kept),
        "average": above(CASES["average"], ("cflag",), kept),
        "acc": above(OURS, ("cflag",), acc),
        "acc.average": above(CASES["average"], ("cflag",), acc),
    }
    return (*each, *_readings(f"adaptive.{name}", lambda law: law, rates, base))


def _trends(
    id: str, sweep: Callable[[Setting], Accuracies], score: Metric, trends: Any, base: Setting
) -> tuple[Claim, ...]:
    return _readings(id, partial(along, sweep, score), trends, base)


CLAIMS = (
    *(claim for name, base in SHARES.items() for claim in _benchmarks(name, base)),
    *_readings("each-task", at_each_task, CASES, IID),
    *_readings("heterogeneity", for_all_shares, CASES, NON_IID),
    *_trends("memory.non-iid", over_memories, acc, RISES, NON_IID),
    *_trends("memory.iid", over_memories, acc, RISES, IID),
    *_trends("memory.forget", over_memories, cflag_forget, FALLS, NON_IID),
    _claim("memory.evident", more_evident, NON_IID),
    _claim("memory.transference", along(over_memories, cflag_forget, last_negative), NON_IID),
    *_trends("sampling", over_memories, acc, FALLS, NON_IID),
    _claim("clients", along(over_clients, acc, within(3.2)), IID),
    _claim("clients/non-iid", along(over_clients, acc, within(5.9)), NON_IID),
    _claim("clients/not-lower", along(over_clients, acc, lambda values: values[-1] >= values[0]), IID),
    *_trends("clients.forget", over_clients, cflag_forget, FALLS, IID),
    *_trends("clients.forget.non-iid", over_clients, cflag_forget, FALLS, NON_IID),
    *_cases("classes.non-iid", INCREMENTAL, acc, CLASSES),
    _claim("classes.non-iid/figure", above(OURS, ("icarl", "lwf"), acc), CLASSES),
    *_cases("classes.iid", ("fedavg", "ewc", "nccl", "fedtrack"), acc, CLASSES_IID),
    *_cases("classes.iid.forget", INCREMENTAL, kept, CLASSES_IID),
    _claim(
        "classes.iid.above",
        compared(
            (OURS, "icarl", "lwf"),
            lambda found: np.all([acc(found[name]) > acc(found[OURS]) for name in ("icarl", "lwf")], axis=0),
        ),
        CLASSES_IID,
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_networks"))
