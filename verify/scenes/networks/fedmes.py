"""Scenes: FedMeS, Section 5: what the text says of experiments, tried on the embedded digits.

The setting is the paper's at the size of the data, nearest to its Split CORe50: 4 domains of all 10 classes (the
digits as they are, rotated, inverted, blurred), of which every client has 2 to 5 in each task, in an order of tasks of
its own; 8 clients of which all take part, 10 rounds per task, 9 neighbours with weight 0.5, lambda = 0.1 for Ditto, a
memory of 10 samples of each task (as 15 in the paper's 150), a network of 64-32-10. FedRep moves heads alone in the
first 5 of 6 local steps of a round. Scaled down: 400 images of each
domain, 2 local epochs for 10, minibatches of 16 for 40, gradient descent for Adam. What the paper does not fix for
these data was chosen before any sentence was judged: one step size for all methods, 0.3, by the Acc_ALL of FedAvg on
validation images of 4 seeds that are not judged on (0.22, 0.44, 0.61, 0.29 at 0.03, 0.1, 0.3, 1). Each of the others selects
the same by its own, on 8 such seeds (FedMeS 0.58, 0.65, 0.71, 0.35), but for FedWeIT, which has the 0.1 that it selects so
(0.68, 0.88, 0.84, 0.10), and other numbers as selected elsewhere: the strength that is printed for it, 100, no explicit step of
this length follows. Its clients are told the task of an image, as its paper has it; those of the others are not.

Clients are tested on test images of their own tasks: of the domain, and of the classes that they have in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from verify.engine.checks.means import Above, Observed, Part, every
from verify.engine.items import as_free
from verify.networks.contests import Contest, all_parts
from verify.networks.data.deals import one_or_two, own_sequences
from verify.networks.experiments import run
from verify.networks.sentences import Law, Metric, means, observed
from verify.networks.setting import Numbers, Setting
from verify.networks.training.measures import OWN_TASKS
from verify.networks.trends import Trend
from verify.scenes.metrics import (
    fedmes_acc_all_final,
    fedmes_acc_all_mean,
    fedmes_acc_task,
    fedmes_average,
    fedmes_forgetting,
    final,
    learnt_forgetting,
)

DOMAINS = Setting(
    own_sequences, tasks=4, images=400, clients=8, sampled=8, rounds=10, epochs=2, batch=16, local_lr=0.3
)
CLASSES = replace(DOMAINS, deal=one_or_two, kind="class", tasks=5)
KNOWN = replace(CLASSES, kind="task")
"""Of the classes of a task only those compete, as where clients are told the task."""
KNOWN_FEW = replace(KNOWN, images=KNOWN.images // 4, rounds=3)
"""Harder: FedAvg's Acc_ALL is 0.90 (validation images)."""

RATES = (0.03, 0.1, 0.3, 1.0)
"""From which the step size was selected."""
EACH, SIZES = 10, (2, 5, 10, 20)
"""Samples that a client keeps of each task: 2, 10 and 20 are the 30, 150 and 300 of the paper's memory in 10 tasks."""
LEAST, MOST = 1, 4
"""Of memories of different sizes: 10 and 50 samples in 10 tasks there, where all keep 150 otherwise."""
OURS, NO_LIP, UNEVEN = "fedmes-inference", "fedmes-noLIP", "fedmes-uneven"
NUMBERS: Mapping[str, Mapping[str, float]] = {
    OURS: {"K": 9, "theta": 0.5},
    "ditto": {"lam": 0.1},
    "fedrep": {"head_steps": 5},
    "fedweit/paper": {"local_lr": 0.1},
}
METHOD: Mapping[str, str] = {NO_LIP: OURS, "fedweit": "fedweit/paper"}
"""Of names that are none of a method."""


# ----------------------------------------------------------------------------------------------------- runs


def trained(setting: Setting, name: str, each: int | None = None, **changed: Numbers) -> np.ndarray:
    """Accuracies (run, M, K, K) of the clients on their own tasks.

    Parameters
    ----------
    name : str
        Of a method, or ``name/size`` with the server's means weighted by the clients' samples.
    each : int or None
        Samples that a client keeps of a task; None: as large a part of its images as everywhere.
    changed : number or tuple of numbers
        Further numbers of the method; tuples are swept together, along a first axis.
    """
    name, _, word = name.partition("/")
    setting = replace(setting, weights="size") if word == "size" else setting
    method = METHOD.get(name, name)
    each = EACH * setting.images // DOMAINS.images if each is None else each
    places = {
        OURS: {"capacity": each * setting.tasks, "each": each},
        UNEVEN: {"capacity": MOST * setting.tasks, "least": LEAST * setting.tasks},
        "fedagem": {"capacity": each * setting.tasks},
    }
    numbers = {**NUMBERS.get(method, {}), **places.get(method, {}), **changed}
    with_memory, by_outputs = run(setting, method, numbers, OWN_TASKS).accuracy
    return by_outputs if name == NO_LIP else with_memory


def over_memories(setting: Setting, name: str = OURS) -> tuple[tuple[float, ...], np.ndarray]:
    """Samples that a client keeps of a task, and accuracies with each number."""
    return SIZES, np.stack(as_free(*(partial(trained, setting, name, each) for each in SIZES)))


def forgetting(a: np.ndarray) -> np.ndarray:
    """F_T, mean over clients."""
    return fedmes_forgetting(a)[..., -1].mean(axis=-1)


def forgetting_once_learnt(a: np.ndarray) -> np.ndarray:
    """The same from when a task was learnt on, mean over clients."""
    return learnt_forgetting(a)[..., -1].mean(axis=-1)


def spread(a: np.ndarray) -> np.ndarray:
    """Range of a client's final accuracies on its tasks, mean over clients."""
    return np.ptp(final(a), axis=-1).mean(axis=-1)


def negative(score: Metric) -> Metric:
    """Its negative, of which more is better."""
    return lambda a: -score(a)


# ------------------------------------------------------------------------------------------------- the laws

FIELD = Contest(
    trained, {"Acc_ALL": fedmes_acc_all_final, "mean Acc": fedmes_acc_all_mean, "forgetting": forgetting}
)


def most(gaps: np.ndarray, name: str) -> Part:
    """In more than half of the parts, (run, parts)."""
    return Above((gaps > 0).mean(axis=-1), 1 / 2, f"share of clients, {name}")


def from_the_second(a: np.ndarray) -> np.ndarray:
    """Acc_Task after each task but the first."""
    return fedmes_acc_task(a)[..., 1:]


def limited(found: Mapping[str, np.ndarray]) -> Part:
    """FedAvg and Ditto both forget more than the others."""
    pairs = product(("fedavg", "ditto"), ("fedrep", "fedagem", OURS))
    return every(*(Above(forgetting(found[a]) - forgetting(found[b]), name=f"{a} - {b}") for a, b in pairs))


def with_tasks(name: str, trend: Trend) -> Law:
    """The Acc_Task of a method goes so with the tasks."""

    def law(setting: Setting) -> Observed:
        path = fedmes_acc_task(trained(setting, name)).T
        return observed(trend(path), setting, Acc_Task=means(path))

    return law


def with_neighbours(judge: Callable[[np.ndarray, np.ndarray], Part], each: int = EACH) -> Law:
    """A sentence about the Acc_ALL of FedMeS with neighbours and without."""

    def law(setting: Setting) -> Observed:
        with_them, without = (fedmes_acc_all_final(trained(setting, name, each)) for name in (OURS, NO_LIP))
        return observed(
            judge(with_them, without), setting, with_neighbours=means(with_them), without=means(without)
        )

    return law


def beside_even(judge: Callable[[np.ndarray, np.ndarray, np.ndarray], Part], score: Metric) -> Law:
    """A sentence about a score of FedMeS with memories of different sizes, with the smallest for all, and with the largest."""

    def law(setting: Setting) -> Observed:
        asked = (UNEVEN, None), (OURS, LEAST), (OURS, MOST)
        found = as_free(*(partial(trained, setting, *each) for each in asked))
        scores = [score(a) for a in found]
        shown = dict(zip(("uneven", "smallest", "largest"), map(FIELD.shown, found), strict=True))
        return observed(judge(*scores), setting, memories=shown)

    return law


def apart(a: np.ndarray) -> np.ndarray:
    """Range over the clients of their mean accuracies on the tasks so far, after each task: (run, K)."""
    return np.ptp(fedmes_average(a), axis=-2)


def further_apart(uneven: np.ndarray, smallest: np.ndarray, largest: np.ndarray) -> Part:
    """In each part, (run, parts), more than with the largest memories."""
    return all_parts((uneven - largest).reshape(len(uneven), -1), "uneven - largest")


def nearer_to_least(uneven: np.ndarray, smallest: np.ndarray, largest: np.ndarray) -> Part:
    """Above the smallest by less than below the largest."""
    return Above((largest - uneven) - (uneven - smallest), name="(largest - uneven) - (uneven - smallest)")


def gains(low: float, high: float = np.inf) -> Callable[[np.ndarray, np.ndarray], Part]:
    """What neighbours add is within these shares of what was without."""

    def sentence(with_them: np.ndarray, without: np.ndarray) -> Part:
        added = with_them - without
        most = () if high == np.inf else (Above(high * without - added, name=f"at most {high:.0%}"),)
        return every(Above(added - low * without, name=f"at least {low:.0%}"), *most)

    return sentence


def along(trend: Trend, name: str = OURS) -> Law:
    """The Acc_ALL goes so along the sizes of the memory."""
    return FIELD.along(lambda setting: over_memories(setting, name), fedmes_acc_all_final, trend)


def saturates(values: np.ndarray) -> Part:
    """Less is gained from 10 to 20 samples of a task than from 2 to 10."""
    return Above((values[2] - values[0]) - (values[3] - values[2]), name="first gain - last gain")
