"""Scenes: FedMeS, Section 5: sentences of the text about experiments, tested on the built-in digits.

The setting is that of the paper, scaled to the size of the data, and closest to its Split CORe50. There are 4 domains of all 10
classes (the digits unchanged, rotated, inverted, blurred). In each task every client has 2 to 5 classes, and every client has
its own order of tasks. 8 clients all take part, with 10 rounds per task, 9 neighbours with weight 0.5, lambda = 0.1 for Ditto, a
memory of 10 samples of each task (15 of the 150 in the paper), and a 64-32-10 network. FedRep changes only the head in the first
5 of 6 local steps of a round. Scaled down are: 400 images of each domain, 2 local epochs for 10, minibatches of 16 for 40, and
gradient descent for Adam.

Choices that the paper does not specify for these data were made before any sentence was judged. All methods but FedWeIT have the
step size 0.3. It has the highest Acc_ALL of FedAvg on validation images of 4 seeds that are not used for judging (0.22, 0.44,
0.61, 0.29 at 0.03, 0.1, 0.3, 1). Each of the other methods selects the same step size by its own Acc_ALL on 8 such seeds (FedMeS:
0.58, 0.65, 0.71, 0.35). FedWeIT has its own selected step size 0.1 (0.68, 0.88, 0.84, 0.10), and other hyperparameters as
selected elsewhere: with its printed strength of 100, explicit steps of this size are unstable. As in its paper, FedWeIT's
clients know the task of an image; the clients of the other methods do not.

Clients are tested on test images of their own tasks: of the domain, and of their classes in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from verify.engine.checks.means import Above, Observed, Part, every
from verify.engine.work.items import as_free
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
"""The setting in which clients know the task: only the classes of the task compete in a prediction."""
KNOWN_FEW = replace(KNOWN, images=KNOWN.images // 4, rounds=3)
"""A harder setting: FedAvg's Acc_ALL is 0.90 (validation images)."""

RATES = (0.03, 0.1, 0.3, 1.0)
"""Candidates for the step size."""
EACH, SIZES = 10, (2, 5, 10, 20)
"""Numbers of stored samples of a client for each task: 2, 10 and 20 correspond to 30, 150 and 300 in 10 tasks of the paper."""
LEAST, MOST = 1, 4
"""Smallest and largest of memories of different sizes: 10 and 50 samples in 10 tasks of the paper, where all otherwise store 150."""
OURS, NO_LIP, UNEVEN = "fedmes-inference", "fedmes-noLIP", "fedmes-uneven"
NUMBERS: Mapping[str, Mapping[str, float]] = {
    OURS: {"K": 9, "theta": 0.5},
    "ditto": {"lam": 0.1},
    "fedrep": {"head_steps": 5},
    "fedweit/paper": {"local_lr": 0.1},
}
METHOD: Mapping[str, str] = {NO_LIP: OURS, "fedweit": "fedweit/paper"}
"""Names in this module that differ from the name of the method -> name of the method."""


# ----------------------------------------------------------------------------------------------------- runs


def trained(setting: Setting, name: str, each: int | None = None, **changed: Numbers) -> np.ndarray:
    """Accuracies (run, M, K, K) of the clients on their own tasks.

    Parameters
    ----------
    name : str
        Name of a method, or ``name/size``: then the server's means are weighted by the clients' numbers of samples.
    each : int or None
        Number of stored samples of a client for a task; None: the default share of its images.
    changed : number or tuple of numbers
        Further hyperparameters of the method; tuples are swept together, along the first axis.
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
    """Numbers of stored samples of a client for a task, and the accuracies for each number."""
    return SIZES, np.stack(as_free(*(partial(trained, setting, name, each) for each in SIZES)))


def forgetting(a: np.ndarray) -> np.ndarray:
    """F_T, mean over clients."""
    return fedmes_forgetting(a)[..., -1].mean(axis=-1)


def forgetting_once_learnt(a: np.ndarray) -> np.ndarray:
    """F_T counted only from the time when a task was learnt, mean over clients."""
    return learnt_forgetting(a)[..., -1].mean(axis=-1)


def spread(a: np.ndarray) -> np.ndarray:
    """Range of a client's final accuracies on its tasks, mean over clients."""
    return np.ptp(final(a), axis=-1).mean(axis=-1)


def negative(score: Metric) -> Metric:
    """The score with its sign changed, so that larger is better."""
    return lambda a: -score(a)


# ------------------------------------------------------------------------------------------------- the laws

FIELD = Contest(
    trained, {"Acc_ALL": fedmes_acc_all_final, "mean Acc": fedmes_acc_all_mean, "forgetting": forgetting}
)


def most(gaps: np.ndarray, name: str) -> Part:
    """The requirement that more than half of the columns of (run, parts) gaps have positive expectations."""
    return Above((gaps > 0).mean(axis=-1), 1 / 2, f"share of clients, {name}")


def from_the_second(a: np.ndarray) -> np.ndarray:
    """Acc_Task after each task but the first."""
    return fedmes_acc_task(a)[..., 1:]


def limited(found: Mapping[str, np.ndarray]) -> Part:
    """FedAvg and Ditto both forget more than the others."""
    pairs = product(("fedavg", "ditto"), ("fedrep", "fedagem", OURS))
    return every(*(Above(forgetting(found[a]) - forgetting(found[b]), name=f"{a} - {b}") for a, b in pairs))


def with_tasks(name: str, trend: Trend) -> Law:
    """The law that the Acc_Task of a method follows a trend over the tasks."""

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
        shown = dict(zip(("uneven", "smallest", "largest"), map(FIELD.rounded_means, found), strict=True))
        return observed(judge(*scores), setting, memories=shown)

    return law


def apart(a: np.ndarray) -> np.ndarray:
    """Range over the clients of their mean accuracies on the tasks so far, after each task: (run, K)."""
    return np.ptp(fedmes_average(a), axis=-2)


def further_apart(uneven: np.ndarray, smallest: np.ndarray, largest: np.ndarray) -> Part:
    """The requirement that every column of a (run, parts) score is larger than with the largest memories."""
    return all_parts((uneven - largest).reshape(len(uneven), -1), "uneven - largest")


def nearer_to_least(uneven: np.ndarray, smallest: np.ndarray, largest: np.ndarray) -> Part:
    """The requirement that a score is closer to that of the smallest memories than to that of the largest."""
    return Above((largest - uneven) - (uneven - smallest), name="(largest - uneven) - (uneven - smallest)")


def gains(low: float, high: float = np.inf) -> Callable[[np.ndarray, np.ndarray], Part]:
    """The requirement that the relative gain from neighbours lies between `low` and `high`."""

    def sentence(with_them: np.ndarray, without: np.ndarray) -> Part:
        added = with_them - without
        most = () if high == np.inf else (Above(high * without - added, name=f"at most {high:.0%}"),)
        return every(Above(added - low * without, name=f"at least {low:.0%}"), *most)

    return sentence


def along(trend: Trend, name: str = OURS) -> Law:
    """The law that Acc_ALL follows a trend along the sizes of the memory."""
    return FIELD.along(lambda setting: over_memories(setting, name), fedmes_acc_all_final, trend)


def saturates(values: np.ndarray) -> Part:
    """The requirement that the gain from 10 to 20 samples of a task is smaller than that from 2 to 10."""
    return Above((values[2] - values[0]) - (values[3] - values[2]), name="first gain - last gain")
