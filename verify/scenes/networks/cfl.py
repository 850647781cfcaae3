"""Scenes: CFL, Section 5.3 and Appendix C.1: sentences of the text about experiments, tested on the built-in digits.

The setting is that of the paper, scaled to the size of the data (numbers of the paper in brackets). 7 clients all take part in
every round, and their images change in every round. Each client has 10 (30) subsets of about 20 (240) images, split by the
paper's LDA with alpha = 0.2 or 0.1 between and within clients. There are 40 (500) rounds of 5 local epochs with minibatches of
10, and a 64-32-10 network. Core sets have 8 images of a subset (100 of 240), or 4 in the small variant. The top layer is the
last one. Accuracy is the mean of the 5 best rounds.

Choices that the paper does not specify for these data are made on validation images, with seeds that are not used for judging.
The step size and strength of each method are selected together by its own accuracy, among the same number of candidates for
every method (`SELECTED`): all candidates with 8 runs, and the best quarter with 32, because 8 runs cannot distinguish
neighbouring step sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from verify.engine.checks.means import Above, Observed, Part, every, some
from verify.engine.work.items import as_free
from verify.networks.contests import Found
from verify.networks.data.deals import fresh, revisited, windowed
from verify.networks.experiments import Candidates, Ran, at_rates, draws, rates_alone, run, world
from verify.networks.sentences import Law, means, observed
from verify.networks.setting import Setting, beside
from verify.networks.trends import Trend, never_falls
from verify.scenes.metrics import cfl_accuracy
from verify.scenes.networks.selected import Selection, chosen, numbers_of, scaled_candidates

MILD = Setting(
    revisited,
    tasks=1,
    periods=40,
    clients=7,
    sampled=7,
    rounds=1,
    epochs=5,
    batch=10,
    alpha=0.2,
    subsets=10,
    local_lr=None,
)
STRONG = replace(MILD, alpha=0.1)
STATELESS = replace(MILD, deal=fresh)
OVERLAPS = tuple(replace(MILD, deal=windowed, alpha=0.1, overlap=overlap) for overlap in (0, 0.25, 0.5))

LARGE, SMALL, SIZES = 8, 4, (2, 4, 6, 8, 10, 12)
"""Numbers of stored images of a subset; in Figure 3 of the paper, 20 to 150."""
METHODS = {
    "fedavg": "fedavg",
    "fedprox": "fedprox",
    "mimelite": "mimelite",
    "core-set": "cfl-core-set",
    "icarl": "cfl-core-set-icarl",
    "regularization": "cfl-regularization-top",
    "fisher": "cfl-regularization-fisher",
    "printed": "cfl-regularization-square",
    "full": "cfl-regularization-full",
    "server": "cfl-regularization-server",
}
"""Names in this module -> names in `verify.networks.methods`. In `server` variants, the server stores the mean over clients."""
RATES = (0.2, 0.3, 0.45, 0.67, 1.0)
ALONE = rates_alone(RATES, 35)
HELD = at_rates(RATES, past=(0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9))
CANDIDATES: Mapping[str, Candidates] = {
    **dict.fromkeys(("fedavg", "core-set", "core-set/small", "icarl", "icarl/small"), ALONE),
    "fedprox": at_rates(RATES, mu=(0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)),
    "mimelite": at_rates(RATES, momentum=(0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.9)),
    **dict.fromkeys(("regularization", "fisher", "printed", "full"), HELD),
    "server": at_rates(RATES, past=(0.3, 0.5, 0.7, 0.9, 0.95, 0.98, 0.99)),
    **{f"{name}/same": {"local_lr": RATES} for name in ("regularization", "fisher", "full")},
}
"""The same number of candidates for each method: 35 step sizes of the clients, or 5 step sizes with 7 strengths. Core sets have no
strength, as their samples have the same weight as the current ones. If past and present have equal weights, only the 5 step
sizes are candidates, for all methods."""
SELECTED: Mapping[tuple[str, float], Mapping[str, Mapping[str, float]]] = {
    ("revisited", 0.2): {
        "fedavg": {"local_lr": 0.469},
        "core-set": {"local_lr": 0.567},
        "core-set/small": {"local_lr": 0.685},
        "icarl": {"local_lr": 0.653},
        "icarl/small": {"local_lr": 0.623},
        "fedprox": {"local_lr": 0.45, "mu": 0.001},
        "mimelite": {"local_lr": 0.45, "momentum": 0.1},
        "regularization": {"local_lr": 0.45, "past": 0.3},
        "fisher": {"local_lr": 0.45, "past": 0.7},
        "printed": {"local_lr": 0.45, "past": 0.7},
        "full": {"local_lr": 0.45, "past": 0.3},
        "server": {"local_lr": 0.3, "past": 0.98},
        "regularization/same": {"local_lr": 0.3},
        "fisher/same": {"local_lr": 0.45},
        "full/same": {"local_lr": 0.3},
    },
    ("revisited", 0.1): {
        "fedavg": {"local_lr": 0.492},
        "core-set": {"local_lr": 0.623},
        "fedprox": {"local_lr": 0.45, "mu": 0.001},
        "mimelite": {"local_lr": 0.45, "momentum": 0.03},
        "regularization": {"local_lr": 0.45, "past": 0.3},
        "server": {"local_lr": 0.3, "past": 0.95},
    },
    ("fresh", 0.2): {
        "fedavg": {"local_lr": 0.447},
        "fedprox": {"local_lr": 0.45, "mu": 0.0003},
        "mimelite": {"local_lr": 0.45, "momentum": 0.03},
        "server": {"local_lr": 0.3, "past": 0.9},
    },
    ("windowed", 0.1): {
        "fedavg": {"local_lr": 0.447},
        "core-set": {"local_lr": 0.54},
        "mimelite": {"local_lr": 0.45, "momentum": 0.1},
        "regularization": {"local_lr": 0.45, "past": 0.3},
        "server": {"local_lr": 0.3, "past": 0.95},
    },
}
"""The candidates with the highest mean accuracy, by the assignment of images and alpha; with overlap, those without it are used."""
SAME = 0.5
"""Weight of the past that equals the weight of the present."""
BASELINES = ("fedavg", "fedprox", "mimelite")
CFL = ("core-set", "regularization")


def best_rounds(a: np.ndarray) -> np.ndarray:
    """Mean accuracy of the 5 best rounds, (..., run, K, 1) -> (..., run)."""
    return cfl_accuracy(a[..., 0])


# ----------------------------------------------------------------------------------------------------- runs


def selected(setting: Setting, entrant: str) -> Mapping[str, float]:
    """The hyperparameters that were selected for a method; with overlap, those without overlap are used."""
    known = SELECTED[setting.deal.__name__, setting.alpha][entrant]
    without, method = replace(setting, overlap=0), algorithm(entrant)
    return numbers_of(without, method, known, CANDIDATES[entrant], best_rounds, fixed(setting, entrant))


def fixed(setting: Setting, entrant: str) -> dict[str, float]:
    """Hyperparameters that are not selected: the size of a core set, and a given weight of the past."""
    method, _, word = entrant.partition("/")
    if word == "same":
        return {"past": SAME}
    if method in ("core-set", "icarl"):
        return {"capacity": (SMALL if word == "small" else LARGE) * setting.periods}
    return {}


def numbers(setting: Setting, entrant: str) -> dict[str, float]:
    """All hyperparameters of ``name``, ``name/same`` (past and present have equal weights) or ``name/small`` (small core sets)."""
    return {**fixed(setting, entrant), **selected(setting, entrant)}


def algorithm(entrant: str) -> str:
    """The name of the method in `verify.networks.methods`."""
    return METHODS[entrant.partition("/")[0]]


def trained(setting: Setting, entrant: str) -> Ran:
    """Runs of a method with its hyperparameters."""
    return run(setting, algorithm(entrant), numbers(setting, entrant))


def best_rounds_in(places: Sequence[Setting], entrant: str) -> np.ndarray:
    """Accuracies (place, run) of a method in several settings."""
    each = as_free(*(partial(trained, place, entrant) for place in places))
    return np.stack([best_rounds(ran.accuracy) for ran in each])


FIELD = Selection(
    lambda setting, entrant: trained(setting, entrant).accuracy,
    {"accuracy": best_rounds, "last round": lambda a: a[..., -1, 0]},
    lambda setting, entrant: chosen(
        scaled_candidates(setting, algorithm(entrant), CANDIDATES[entrant]), selected(setting, entrant)
    ),
)


def by_size(setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    """Accuracy and information loss of naive core sets, (size, run) each."""
    return _by_size(setting, tuple(numbers(setting, "core-set").items()))


@cache
def _by_size(setting: Setting, own: tuple[tuple[str, float], ...]) -> tuple[np.ndarray, np.ndarray]:
    each = ({**dict(own), "capacity": size * setting.periods} for size in SIZES)
    found = as_free(*(partial(run, setting, algorithm("core-set"), given) for given in each))
    accuracies = np.stack([best_rounds(ran.accuracy) for ran in found])
    losses = [information_loss(setting, ran.models, size) for size, ran in zip(SIZES, found, strict=True)]
    return accuracies, np.stack(losses)


def information_loss(setting: Setting, models: np.ndarray, size: int) -> np.ndarray:
    """Mean norm of the difference of past gradients and those of the core sets, at the last model: (run,).

    Source: CFL, Definition 3.1 and the footnote on its estimate in Section 5.3.2.
    """
    import torch

    here, drawn = world(setting), draws(setting)
    x = torch.from_numpy(models)[:, None].expand(-1, here.n_clients, -1)
    norms = []
    assert drawn.order is not None
    for period in range(here.n_tasks):
        chosen = drawn.order(period)[..., :size]
        kept = np.where(chosen >= 0, period * here.n_samples + chosen, -1)
        lost = here.at(period).grad(x) - here.over(kept).grad(x)
        norms.append(lost.norm(dim=-1).mean(dim=-1))
    return torch.stack(norms).mean(dim=0).double().cpu().numpy()


# ------------------------------------------------------------------------------------------------- the laws


def follows_loss(trend: Trend) -> Law:
    """The law that accuracy follows a trend along the core sets, ordered by decreasing information loss in each seed."""

    def law(setting: Setting) -> Observed:
        accuracies, losses = by_size(setting)
        ordered = np.take_along_axis(accuracies, np.argsort(-losses, axis=0), axis=0)
        return observed(trend(ordered), setting, sizes=SIZES, accuracy=means(accuracies), loss=means(losses))

    return law


def loses_less(setting: Setting) -> Observed:
    """The information loss falls with the size of the core set."""
    accuracies, losses = by_size(setting)
    return observed(
        never_falls(-losses), setting, sizes=SIZES, accuracy=means(accuracies), loss=means(losses)
    )


def everywhere(settings: tuple[Setting, ...], ours: tuple[str, ...], others: tuple[str, ...]) -> Law:
    """The law that each method of `ours` is more accurate than each of `others` in all settings, with the same seeds."""

    def law(setting: Setting) -> Observed:
        places = [beside(setting, place) for place in settings]
        found = as_free(
            *(partial(FIELD.above(name, others, best_rounds), place) for place in places for name in ours)
        )
        unfit = "; ".join(filter(None, (each.unfit for each in found)))
        sentence = every(*(each.sentence for each in found))
        return observed(sentence, setting, unfit, found=[each.measured for each in found])

    return law


def grows_with_difficulty(
    ours: str,
    improvement: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda mine, base: mine / base - 1,
) -> Law:
    """The law that the improvement of a method over FedAvg is larger, and FedAvg less accurate, for more uneven shares.

    Parameters
    ----------
    improvement : (accuracy of the method, that of FedAvg) -> (run,)
    """

    def law(setting: Setting) -> Observed:
        places = [beside(setting, place) for place in (STRONG, MILD)]
        mine, base = as_free(*(partial(best_rounds_in, places, name) for name in (ours, "fedavg")))
        gains = np.stack([improvement(*pair) for pair in zip(mine, base, strict=True)])
        harder = Above(base[1] - base[0], name="FedAvg, mild - strong")
        sentence = every(Above(gains[0] - gains[1], name="improvement, strong - mild"), harder)
        alphas = [place.alpha for place in places]
        return observed(sentence, setting, alphas=alphas, fedavg=means(base), improvement=means(gains))

    return law


def turns(method: str) -> Law:
    """The accuracy neither only falls nor only rises with the overlap."""

    def law(setting: Setting) -> Observed:
        places = [beside(setting, place) for place in OVERLAPS]
        values = best_rounds_in(places, method)
        first, second = np.diff(values, axis=0)
        overlaps = [place.overlap for place in OVERLAPS]
        turns_down, turns_up = (
            every(
                Above(sign * first, name=f"{sign} first step"),
                Above(-sign * second, name=f"{-sign} second step"),
            )
            for sign in (1, -1)
        )
        return observed(some(turns_down, turns_up), setting, overlaps=overlaps, accuracy=means(values))

    return law


def better_of_both_sizes(found: Found) -> Part:
    """Naive core sets are more accurate than iCaRL's, the large and the small ones."""
    gaps = [
        best_rounds(found[f"core-set{size}"]) - best_rounds(found[f"icarl{size}"]) for size in ("", "/small")
    ]
    return every(
        *(
            Above(gap, name=f"core-set - icarl {size}")
            for gap, size in zip(gaps, ("large", "small"), strict=True)
        )
    )
