"""Scenes: C-FLAG, Section 7 and the additional experiments: what the text says of experiments, tried on the embedded digits.

The setting is the paper's for Split-CIFAR10 at the size of the data: 5 tasks of 2 classes, 5 clients of which all take
part, 2 local epochs, Dirichlet shares with parameter 0.1 (non-IID), 1 and 1e5 (IID), memories of a fifth of a
client's images (12 per task and client of about 58, as 400 of 2000) in equal shares for all tasks, L = 5 for adaptive
rates, a network of 64-32-10. Scaled down: 8 rounds per task for 20, minibatches of 16 for 128, gradient descent for
ADAM. The paper prints one learning rate for all methods (Table 5); here it is 0.1, chosen before any sentence was judged by the Acc of FedAvg
on validation images of seeds that are not judged on (0.90 at 0.03, 0.96 at 0.1, 0.97 at 0.18). Strengths of EWC-FL, LwF-FL and TARGET, which are not
printed, are selected by their own Acc on such seeds, those of the first two when the claims are judged. In variants every method has the step, and a
second number where it has one, that it selects so among as many candidates as every other (`SELECTED`), with 8 runs each and,
where tasks are known, 32 of the best quarter.

By C-FLAG we mean adaptive rates of the worst case, as Algorithm 3 has them, with a_i of Table 1; other cases are
variants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from verify.engine.checks.means import Above, Observed, Part, comparable, every
from verify.engine.items import as_free
from verify.networks.data.deals import by_dirichlet
from verify.networks.data.images import Kind
from verify.networks.experiments import Candidates, at_rates, rates_alone, run, tuned
from verify.networks.sentences import Law, means, observed
from verify.networks.setting import Setting
from verify.networks.trends import Trend
from verify.scenes.metrics import acc, cflag_forget, fedmes_average
from verify.scenes.networks.selected import Selection, chosen, numbers_of, tried

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
"""Where p_i of Eq. (1) are the clients' shares of the samples; IID shares are of one size."""
ALPHAS = (0.1, 1.0, 1e5)
SHARES = {"iid": IID, "non-iid": NON_IID}
CLASSES, CLASSES_IID = (replace(setting, kind="class") for setting in (NON_IID, IID))

MEMORY, MEMORIES = 60, (10, 30, 60, 90, 120)
"""Samples of a client in 5 tasks: 12 of each, and from 2 to 24."""
SAMPLES = (8, 23, 30, 45)
"""Of a memory of 60, whose gradient a round uses: as 50, 150, 200 and 300 of 400 in the paper."""
CLIENTS = (5, 10, 15, 25)
REMEMBERING = ("nccl", "er", "icarl", "cflag", "cflag-adaptive", "cflag-worst-case", "cflag-sampled")
L = 5
"""Of all adaptive rates, NCCL's among them, and of the forgetting term."""
TARGET = "target/paper"
CANDIDATES: Mapping[str, Candidates] = {
    "ewc": {"lam": (1, 10, 100, 1000)},
    "lwf": {"lam": (0.01, 0.1, 1, 10)},
    TARGET: {"kd": (1, 5, 10, 25)},
}
"""As many for each, from which a strength is selected that the paper does not print."""
KNOWN: Mapping[float, Mapping[str, float]] = {0.1: {"kd": 10}, 1e5: {"kd": 10}}
"""What TARGET selects of them by alpha, which takes as long as all else that class-incremental sentences need."""
NUMBERS: Mapping[str, Mapping[str, float]] = {
    "nccl": {"smoothness": L},
    "er": {"memory_share": 0.5},
    "icarl": {"memory_share": 0.5, "lam": 1},
}
"""Of the others; samples kept and those of the task weigh the same."""

RATES = (0.06, 0.12, 0.25, 0.5, 1.0)
BELOW = (0.02, 0.04, 0.07, 0.12, 0.19)
"""Rates that adapt, which have to be below 1/L."""
ALONE = rates_alone(RATES, 25)


def two_rates(of_clients: tuple[float, ...], on_memory: tuple[float, ...]) -> Candidates:
    """C-FLAG's rate of the clients, beta, with that on the memory, alpha."""
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
"""As many for each method, where each has a step of its own: 25 steps, or 5 of them with 5 of its second number. With unknown
tasks C-FLAG's steps are shorter, since it is best there where its memory weighs more than its clients."""
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
        "lwf": {"local_lr": 0.12, "lam": 0.01},
        TARGET: {"local_lr": 0.5, "kd": 1},
        "cflag-worst-case": {"beta": 0.06, "alpha": 0.07},
    },
    ("class", 1e5): {
        "fedavg": {"local_lr": 0.348},
        "fedtrack": {"local_lr": 0.218},
        "icarl": {"local_lr": 0.626},
        "nccl": {"alpha": 0.19},
        "ewc": {"local_lr": 0.5, "lam": 10},
        "lwf": {"local_lr": 0.25, "lam": 1},
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
    """A quarter of the images and half of the rounds, where FedAvg's Acc is 0.92 with IID shares (validation images)."""
    return replace(setting, images=setting.images // 4, rounds=setting.rounds // 2)


def fixed(setting: Setting, method: str, capacity: int | None = None) -> dict[str, float]:
    """What is not selected; the memory's places are a fifth of a client's images unless given."""
    if capacity is None:
        capacity = MEMORY * setting.images // NON_IID.images
    return {**NUMBERS.get(method, {}), **({"capacity": capacity} if method in REMEMBERING else {})}


def strength(setting: Setting, method: str) -> Mapping[str, float]:
    """What a method selects that has a strength, at the setting's step."""
    if method not in CANDIDATES:
        return {}
    if method == TARGET:
        return numbers_of(setting, method, KNOWN[setting.alpha], CANDIDATES[method], acc)
    return tuned(setting, method, CANDIDATES[method], lambda ran: acc(ran.accuracy))


def trained(setting: Setting, method: str, capacity: int | None = None, **changed: float) -> np.ndarray:
    """Accuracies (run, K, K) of the server's model, all methods at the setting's step."""
    numbers = {**fixed(setting, method, capacity), **changed, **strength(setting, method)}
    return run(setting, method, numbers).accuracy


def own_step(setting: Setting) -> Setting:
    """Where each method has the step that it selects, `SELECTED`."""
    return replace(setting, local_lr=None)


def selected(setting: Setting, method: str) -> Mapping[str, float]:
    """The numbers that a method selects where it has a step of its own."""
    known, candidates = SELECTED[setting.kind, setting.alpha][method], OWN[setting.kind][method]
    return numbers_of(setting, method, known, candidates, acc, fixed(setting, method))


def at_own_step(setting: Setting, method: str) -> np.ndarray:
    """The same, each method at the step that it selects."""
    return run(setting, method, {**fixed(setting, method), **selected(setting, method)}).accuracy


def over_memories(setting: Setting) -> tuple[tuple[float, ...], np.ndarray]:
    """Sizes of the memory, and accuracies with each."""
    return MEMORIES, np.stack(as_free(*(partial(trained, setting, OURS, capacity) for capacity in MEMORIES)))


def over_samples(setting: Setting) -> tuple[tuple[float, ...], np.ndarray]:
    """Sizes of the sample of a memory of fixed size that a round uses, and accuracies with each."""
    each = as_free(*(partial(trained, setting, "cflag-sampled", sample=size) for size in SAMPLES))
    return SAMPLES, np.stack(each)


def over_clients(setting: Setting) -> tuple[tuple[float, ...], np.ndarray]:
    """The same images dealt to more clients, each with a memory of the same size."""
    dealt = (replace(setting, clients=m, sampled=m) for m in CLIENTS)
    return CLIENTS, np.stack(as_free(*(partial(trained, own, OURS) for own in dealt)))


# ------------------------------------------------------------------------------------------------- the laws


def kept(a: np.ndarray) -> np.ndarray:
    """-Forget."""
    return -cflag_forget(a)


METRICS = {"Acc": acc, "Forget": cflag_forget}
FIELD = Selection(
    trained,
    METRICS,
    lambda setting, method: (
        chosen(tried(setting, method, CANDIDATES[method]), strength(setting, method))
        if method in CANDIDATES
        else {}
    ),
)
OWN_STEPS = Selection(
    at_own_step,
    METRICS,
    lambda setting, method: chosen(
        tried(setting, method, OWN[setting.kind][method]), selected(setting, method)
    ),
)
"""Where each method has the step that it selects."""


def so_far(a: np.ndarray) -> np.ndarray:
    """Mean accuracy on the tasks so far after each task from the second on, (run, K - 1)."""
    return fedmes_average(a)[..., 1:]


def for_all_shares(ours: str, field: Selection = FIELD) -> Law:
    """Its Acc is above that of EWC and FedTrack for each Dirichlet parameter."""

    def law(setting: Setting) -> Observed:
        places = (replace(setting, alpha=alpha) for alpha in ALPHAS)
        each = as_free(*(partial(field.above(ours, ("ewc", "fedtrack"), acc), place) for place in places))
        tables = {str(alpha): found.measured["methods"] for alpha, found in zip(ALPHAS, each, strict=True)}
        unfit = "; ".join(filter(None, (found.unfit for found in each)))
        return observed(every(*(found.sentence for found in each)), setting, unfit, by_alpha=tables)

    return law


def within(points: float) -> Trend:
    """All values of the sweep are within so many points of each other."""

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
