"""Scenes: C-FLAG, Section 7 and the additional experiments: sentences of the text about experiments, tested on the digits.

The setting is that of the paper for Split-CIFAR10, scaled to the size of the data. There are 5 tasks of 2 classes, and 5 clients
that all take part, with 2 local epochs. Dirichlet shares have the parameter 0.1 (non-IID), 1 or 1e5 (IID). Memories hold a fifth
of a client's images (12 of about 58 per task and client; 400 of 2000 in the paper), in equal shares for all tasks. L = 5 for
adaptive rates. The network is 64-32-10. Scaled down are: 8 rounds per task for 20, minibatches of 16 for 128, and gradient
descent for ADAM.

The paper prints one learning rate for all methods (Table 5). Here it is 0.1, chosen before any sentence was judged by the Acc of
FedAvg on validation images, with seeds that are not used for judging (0.90 at 0.03, 0.96 at 0.1, 0.97 at 0.18). The strengths of
EWC-FL, LwF-FL and TARGET are not printed. They are selected by the methods' own Acc with such seeds, those of the first two when
the claims are judged. In variants, every method has its own step size, and a second hyperparameter if it has one, selected
among the same number of candidates (`SELECTED`): with 8 runs each and, for known tasks, 32 runs of the best quarter.

"C-FLAG" means adaptive rates of the worst case, as in Algorithm 3 with a_i of Table 1. The other cases are variants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from verify.engine.checks.means import Above, Observed, Part, comparable, every
from verify.engine.work.items import as_free
from verify.networks.data.deals import by_dirichlet
from verify.networks.data.images import Kind
from verify.networks.experiments import Candidates, at_rates, rates_alone, run, tuned
from verify.networks.sentences import Law, means, observed
from verify.networks.setting import Setting
from verify.networks.trends import Trend
from verify.scenes.metrics import acc, cflag_forget, fedmes_average
from verify.scenes.networks.selected import Selection, chosen, numbers_of, scaled_candidates

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
BY_SIZE = replace(NON_IID, weights="size")
"""The setting in which p_i of Eq. (1) are the clients' shares of the samples; IID shares have equal sizes."""
ALPHAS = (0.1, 1.0, 1e5)
SHARES = {"iid": IID, "non-iid": NON_IID}
CLASSES, CLASSES_IID = (replace(setting, kind="class") for setting in (NON_IID, IID))

MEMORY, MEMORIES = 60, (10, 30, 60, 90, 120)
"""Numbers of stored samples of a client in 5 tasks: 12 of each task, and from 2 to 24 of each."""
SAMPLES = (8, 23, 30, 45)
"""Numbers of samples, of a memory of 60, whose gradient a round uses: 50, 150, 200 and 300 of 400 in the paper."""
CLIENTS = (5, 10, 15, 25)
REMEMBERING = ("nccl", "er", "icarl", "cflag", "cflag-adaptive", "cflag-worst-case", "cflag-sampled")
L = 5
"""The constant L of all adaptive rates, including NCCL's, and of the forgetting term."""
TARGET = "target/paper"
CANDIDATES: Mapping[str, Candidates] = {
    "ewc": {"lam": (1, 10, 100, 1000)},
    "lwf": {"lam": (0.01, 0.1, 1, 10)},
    TARGET: {"kd": (1, 5, 10, 25)},
}
"""Candidates for strengths that the paper does not print, the same number for each method."""
KNOWN: Mapping[float, Mapping[str, float]] = {0.1: {"kd": 10}, 1e5: {"kd": 10}}
"""The strength selected for TARGET, by alpha; the selection takes as long as all other class-incremental runs together."""
NUMBERS: Mapping[str, Mapping[str, float]] = {
    "nccl": {"smoothness": L},
    "er": {"memory_share": 0.5},
    "icarl": {"memory_share": 0.5, "lam": 1},
}
"""Hyperparameters of the other methods; stored samples and those of the task have equal weights."""

RATES = (0.06, 0.12, 0.25, 0.5, 1.0)
BELOW = (0.02, 0.04, 0.07, 0.12, 0.19)
"""Candidates for adaptive rates, which must be below 1/L."""
ALONE = rates_alone(RATES, 25)


def two_rates(of_clients: tuple[float, ...], on_memory: tuple[float, ...]) -> Candidates:
    """Candidates for C-FLAG's rate of the clients, beta, combined with its rate on the memory, alpha."""
    both = at_rates(of_clients, alpha=on_memory)
    return {"beta": both["local_lr"], "alpha": both["alpha"]}


_OF_BOTH: Mapping[str, Candidates] = {
    **dict.fromkeys(("fedavg", "fedtrack"), ALONE),
    "nccl": {"alpha": rates_alone(BELOW, 25)["local_lr"]},
    "ewc": at_rates(RATES, lam=(0.1, *CANDIDATES["ewc"]["lam"])),
}
OWN: Mapping[Kind, Mapping[str, Candidates]] = {
    "task": {
        **_OF_BOTH,
        "er": ALONE,
        "cflag": two_rates(RATES, (0.07, 0.17, 0.4, 1.0, 2.4)),
        "cflag-worst-case": two_rates(RATES, BELOW),
    },
    "class": {
        **_OF_BOTH,
        "icarl": ALONE,
        "lwf": at_rates(RATES, lam=(0.001, *CANDIDATES["lwf"]["lam"])),
        TARGET: at_rates(RATES, kd=(0.2, *CANDIDATES[TARGET]["kd"])),
        "cflag-worst-case": two_rates((0.0075, 0.015, 0.03, 0.06, 0.12), BELOW),
    },
}
"""Candidates for the variants in which each method has its own step size: 25 steps, or 5 steps with 5 values of a second
hyperparameter. With unknown tasks C-FLAG's steps are smaller, as it is best if its memory has more weight than its clients."""
SELECTED: Mapping[tuple[Kind, float], Mapping[str, Mapping[str, float]]] = {
    ("task", 0.1): {
        "fedavg": {"local_lr": 0.275},
        "er": {"local_lr": 0.704},
        "fedtrack": {"local_lr": 0.0759},
        "nccl": {"alpha": 0.173},
        "ewc": {"local_lr": 0.25, "lam": 10},
        "cflag": {"beta": 0.25, "alpha": 1.0},
        "cflag-worst-case": {"beta": 0.25, "alpha": 0.12},
    },
    ("task", 1.0): {
        "fedtrack": {"local_lr": 0.136},
        "ewc": {"local_lr": 0.25, "lam": 10},
        "cflag-worst-case": {"beta": 0.25, "alpha": 0.19},
    },
    ("task", 1e5): {
        "fedavg": {"local_lr": 0.153},
        "er": {"local_lr": 0.704},
        "fedtrack": {"local_lr": 0.172},
        "nccl": {"alpha": 0.173},
        "ewc": {"local_lr": 0.25, "lam": 100},
        "cflag": {"beta": 0.25, "alpha": 1.0},
        "cflag-worst-case": {"beta": 0.12, "alpha": 0.19},
    },
    ("class", 0.1): {
        "fedavg": {"local_lr": 0.495},
        "fedtrack": {"local_lr": 0.194},
        "icarl": {"local_lr": 0.153},
        "nccl": {"alpha": 0.157},
        "ewc": {"local_lr": 0.12, "lam": 10},
        "lwf": {"local_lr": 0.5, "lam": 0.01},
        TARGET: {"local_lr": 0.5, "kd": 1},
        "cflag-worst-case": {"beta": 0.06, "alpha": 0.07},
    },
    ("class", 1e5): {
        "fedavg": {"local_lr": 0.348},
        "fedtrack": {"local_lr": 0.218},
        "icarl": {"local_lr": 0.626},
        "nccl": {"alpha": 0.19},
        "ewc": {"local_lr": 0.5, "lam": 10},
        "lwf": {"local_lr": 0.25, "lam": 0.001},
        TARGET: {"local_lr": 0.5, "kd": 1},
        "cflag-worst-case": {"beta": 0.03, "alpha": 0.04},
    },
}
"""The candidates with the highest mean Acc, by the kind of tasks and alpha."""

CASES = {"": "cflag-worst-case", "average": "cflag-adaptive", "fixed": "cflag"}
OURS = CASES[""]
INCREMENTAL = ("fedavg", "ewc", "lwf", "icarl", "nccl", "fedtrack", TARGET)


# ----------------------------------------------------------------------------------------------------- runs


def harder(setting: Setting) -> Setting:
    """A harder setting: a quarter of the images and half of the rounds. FedAvg's Acc is 0.92 with IID shares (validation)."""
    return replace(setting, images=setting.images // 4, rounds=setting.rounds // 2)


def fixed(setting: Setting, method: str, capacity: int | None = None) -> dict[str, float]:
    """Hyperparameters that are not selected; by default the memory has space for a fifth of a client's images."""
    if capacity is None:
        capacity = MEMORY * setting.images // NON_IID.images
    return {**NUMBERS.get(method, {}), **({"capacity": capacity} if method in REMEMBERING else {})}


def strength(setting: Setting, method: str) -> Mapping[str, float]:
    """The selected strength of a method that has one, at the step size of the setting."""
    if method not in CANDIDATES:
        return {}
    if method == TARGET:
        return numbers_of(setting, method, KNOWN[setting.alpha], CANDIDATES[method], acc)
    return tuned(setting, method, CANDIDATES[method], lambda ran: acc(ran.accuracy))


def trained(setting: Setting, method: str, capacity: int | None = None, **changed: float) -> np.ndarray:
    """Accuracies (run, K, K) of the server's model, with the step size of the setting for all methods."""
    numbers = {**fixed(setting, method, capacity), **changed, **strength(setting, method)}
    return run(setting, method, numbers).accuracy


def own_step(setting: Setting) -> Setting:
    """The setting in which each method has its own selected step size (`SELECTED`)."""
    return replace(setting, local_lr=None)


def selected(setting: Setting, method: str) -> Mapping[str, float]:
    """The selected hyperparameters of a method in the variants with own step sizes."""
    known, candidates = SELECTED[setting.kind, setting.alpha][method], OWN[setting.kind][method]
    return numbers_of(setting, method, known, candidates, acc, fixed(setting, method))


def at_own_step(setting: Setting, method: str) -> np.ndarray:
    """Accuracies (run, K, K) of the server's model, with the selected step size of each method."""
    return run(setting, method, {**fixed(setting, method), **selected(setting, method)}).accuracy


def over_memories(setting: Setting) -> tuple[tuple[float, ...], np.ndarray]:
    """Sizes of the memory, and the accuracies for each size."""
    return MEMORIES, np.stack(as_free(*(partial(trained, setting, OURS, capacity) for capacity in MEMORIES)))


def over_samples(setting: Setting) -> tuple[tuple[float, ...], np.ndarray]:
    """Numbers of samples that a round uses of a memory of fixed size, and the accuracies for each number."""
    each = as_free(*(partial(trained, setting, "cflag-sampled", sample=size) for size in SAMPLES))
    return SAMPLES, np.stack(each)


def over_clients(setting: Setting) -> tuple[tuple[float, ...], np.ndarray]:
    """The same images dealt to more clients, each with a memory of the same size."""
    dealt = (replace(setting, clients=m, sampled=m) for m in CLIENTS)
    return CLIENTS, np.stack(as_free(*(partial(trained, own, OURS) for own in dealt)))


# ------------------------------------------------------------------------------------------------- the laws


def negative_forget(a: np.ndarray) -> np.ndarray:
    """Forget with its sign changed, so that larger is better."""
    return -cflag_forget(a)


METRICS = {"Acc": acc, "Forget": cflag_forget}
FIELD = Selection(
    trained,
    METRICS,
    lambda setting, method: (
        chosen(scaled_candidates(setting, method, CANDIDATES[method]), strength(setting, method))
        if method in CANDIDATES
        else {}
    ),
)
OWN_STEPS = Selection(
    at_own_step,
    METRICS,
    lambda setting, method: chosen(
        scaled_candidates(setting, method, OWN[setting.kind][method]), selected(setting, method)
    ),
)
"""Where each method has the step that it selects."""


def so_far(a: np.ndarray) -> np.ndarray:
    """Mean accuracy on the tasks so far after each task from the second on, (run, K - 1)."""
    return fedmes_average(a)[..., 1:]


def for_all_shares(ours: str, field: Selection = FIELD) -> Law:
    """The law that the Acc of a method is above that of EWC and FedTrack for each Dirichlet parameter."""

    def law(setting: Setting) -> Observed:
        places = (replace(setting, alpha=alpha) for alpha in ALPHAS)
        each = as_free(*(partial(field.above(ours, ("ewc", "fedtrack"), acc), place) for place in places))
        tables = {str(alpha): found.measured["methods"] for alpha, found in zip(ALPHAS, each, strict=True)}
        unfit = "; ".join(filter(None, (found.unfit for found in each)))
        return observed(every(*(found.sentence for found in each)), setting, unfit, by_alpha=tables)

    return law


def within(points: float) -> Trend:
    """The trend that all values of the sweep differ by at most `points`."""

    def sentence(values: np.ndarray) -> Part:
        pairs = zip(*np.tril_indices(len(values), -1), strict=True)
        return every(
            *(comparable(values[i] - values[j], points / 100, f"{i + 1} - {j + 1}") for i, j in pairs)
        )

    return sentence


def last_negative(values: np.ndarray) -> Part:
    """The end of the sweep is below 0."""
    return Above(-values[-1], name="-last")


def varies_more(variation: Callable[[np.ndarray], np.ndarray]) -> Law:
    """The forgetting term varies more with IID shares than with non-IID ones.

    Parameters
    ----------
    variation : (rounds, run) -> (run,)
    """

    def law(setting: Setting) -> Observed:
        from verify.scenes.networks.forgetting_term import forgetting_terms

        shares = (replace(setting, alpha=alpha) for alpha in (IID.alpha, NON_IID.alpha))
        iid, other = map(variation, as_free(*(partial(forgetting_terms, own, MEMORY, L) for own in shares)))
        return observed(
            Above(iid - other, name="IID - non-IID"),
            setting,
            variation_iid=means(iid),
            variation_non_iid=means(other),
        )

    return law


def relative(terms: np.ndarray) -> np.ndarray:
    """Standard deviation over the mean absolute value."""
    return np.asarray(terms.std(axis=0) / np.abs(terms).mean(axis=0))


def more_evident(setting: Setting) -> Observed:
    """Acc gains more from the memory with non-IID shares than with IID ones."""
    places = setting, replace(setting, alpha=IID.alpha)
    found = [acc(a) for _, a in as_free(*(partial(over_memories, place) for place in places))]
    gains = [values[-1] - values[0] for values in found]
    more = Above(gains[0] - gains[1], name="gain, non-IID - IID")
    return observed(more, setting, gain_non_iid=means(gains[0]), gain_iid=means(gains[1]))
