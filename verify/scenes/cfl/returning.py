"""Runs of CFL and FedAvg on quadratics with one local step per round, by exact mean and variance.

The clients are new or the same in every round. A round is a gradient step with an error: the mean over clients of their weighted
drifts and information losses. Returning clients' past drifts have influenced the model, so error and model are correlated.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import sympy as sp

from bounds.cfl import returning as b
from bounds.cfl import runs
from bounds.cfl.convex import after2, dist2, g2_start, gap, noisy2
from bounds.cfl.symbols import CFL, H, N, eps, eta, mu, sigma2
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, le
from nqm.fields import Array, exp, maximum, sq, stack
from verify import facts
from verify.engine.model.scene import Fact, Follows, Named, Proved, Rounds, Scene, Shape, Values
from verify.engine.model.sums import Bounded, Sums
from verify.facts.functions import at_optimum
from verify.scenes.cfl import meanings
from verify.scenes.cfl.round_sums import SIZED
from verify.scenes.cfl.run_moments import DOWNHILL, NOWHERE, UPHILL, along, of_rounds, of_weights, summed
from verify.scenes.cfl.run_sums import over_rounds, steps_of
from verify.scenes.cfl.runs import GAPS, KEEP, KEPT_ON, MEANT, RUN_FACTS, WEIGHT, run_known, run_space
from verify.scenes.summands import definition, solved
from verify.scenes.trees import Tree, square, vocabulary

_real, _nonnegative = CFL.real, CFL.nonnegative
slope_along = _real(
    "slope_along",
    "global gradient along the way from the minimiser",
    r"\mathbb E\langle\omega_t-\omega^*,\nabla f(\omega_t)\rangle",
)
off_along = _real(
    "off_along",
    "error of the gradient along the way from the minimiser",
    r"\mathbb E\langle\omega_t-\omega^*,\nabla\tilde f_t(\omega_t)-\nabla f(\omega_t)\rangle",
)
pull2 = _nonnegative(
    "pull2", "squared gradient of the objective of a round", r"\mathbb E\|\nabla\tilde f_t(\omega_t)\|^2"
)
stir2 = _nonnegative("stir2", "variance of the noise of a round", r"\mathbb E\|\bar\nu_t\|^2")

STEPPED = eq(after2, dist2 - 2 * eta * (slope_along + off_along) + eta**2 * (pull2 + stir2))
PARTED = le(pull2, 2 * g2_start + 2 * b.off2)
YOUNG = le(-2 * mu * off_along, mu**2 / 2 * dist2 + 2 * b.off2)
STIRRED = le(N * stir2, sigma2)
OFFS = eq(b.offs_next, runs.keep * b.offs + b.off2)
OFF_MEAN = eq(b.offs_next, b.off_mean * runs.weight_next)
CONVEX = at_optimum(dist2, gap, g2_start, slope_along, mu)
"""Textbook lemmas about a smooth strongly convex loss and its minimiser, in expectation over the models."""
VANISHES = facts.fallen(
    runs.kept_next, H, 3 * mu * H, 2 * eps, *(c for c in b.VANISHES.conditions if c.lhs != H)
)


def moments(shape: Shape, values: Named, direction: int = DOWNHILL) -> dict[str, Array]:
    """Before each of r + 1 rounds, (batch, r + 1, d) each: mean squares of the model and of the error, and their covariance."""
    h, N, T = values["h"], shape["N"], shape["r"] + 1
    reach = (direction * values["eta_l"] * values["eta_g"])[:, None]
    decay = 1 - reach * h
    none = 0 * values["time"]
    lost, tied = (values.get(name, none) for name in ("lost", "tied"))
    spread = lambda one, other: (one * other).sum(axis=1) / N**2  # noqa: E731
    lasting = spread(values["client"], values["client"])
    now, ago, both = (
        spread(*pair)
        for pair in (
            (values["time"], values["time"]),
            (values["time"] + tied, values["time"] + tied),
            (values["time"], values["time"] + tied),
        )
    )
    pull, back = lost.sum(axis=1) / N, 1 if shape["returning"] else 0
    stir = reach**2 * noise_of(shape, values)
    past, earlier, current = (part[..., None] for part in of_weights(shape, values))
    present = 1 - past
    mean, variance, with_client, with_past = values["start"], 0 * h, 0 * h, 0 * h
    found: dict[str, list[Array]] = {"model2": [], "off2": [], "common": []}
    for t in range(T):
        each = past[:, t] / max(t, 1)
        drift2 = lasting + earlier[:, t] * ago + current[:, t] * now
        met = with_client + each * with_past
        found["model2"].append(mean**2 + variance)
        found["off2"].append(drift2 + (past[:, t] * pull) ** 2)
        found["common"].append(-met - mean * past[:, t] * pull)
        variance = decay**2 * variance + 2 * decay * reach * met + reach**2 * drift2 + stir
        mean = decay * mean + reach * past[:, t] * pull
        with_client = back * (decay * with_client + reach * lasting)
        with_past = back * (decay * with_past + reach * (each * t * ago + present[:, t] * both))
    last = {"after2": mean**2 + variance}
    return {**{name: stack(parts, 1) for name, parts in found.items()}, **last}


def noise_of(shape: Shape, values: Named) -> Array:
    """Variance of the noise of a round in each coordinate, (batch, d)."""
    sigma = values["sigma"] if shape["noisy"] else 0 * values["h"][:, 0]
    return along(shape, values["h"], sigma) ** 2 / shape["N"]


def run(shape: Shape, values: Named, direction: int = DOWNHILL) -> Values:
    """Sums over r rounds, the next round, and the quantities of the theorems for all r + 1 rounds."""
    eta_, keep = steps_of(shape, values)
    found, h = moments(shape, values, direction), values["h"][:, None]
    total = lambda x: x.sum(axis=-1)  # noqa: E731
    excess, slope2, off2 = total(h * found["model2"]) / 2, total(h**2 * found["model2"]), total(found["off2"])
    each = {"gaps": excess, "offs": off2, "levels": of_rounds(shape, values, found["model2"])["level"]}
    each["weight"] = 1 + 0 * excess
    begun, ended = ({name: summed_up(keep, x[:, :n]) for name, x in each.items()} for n in (-1, None))
    left = sq(values["start"])
    for _ in range(shape["r"]):
        left = keep * left
    begun, ended = {**begun, "start_kept": left}, {**ended, "start_kept": keep * left}
    result = {
        "eta": eta_,
        "keep": keep,
        "T": shape["r"] + 1 + 0 * keep,
        **begun,
        **{f"{name}_next": value for name, value in ended.items()},
        **(mean := of_means(ended, eta_)),
        **errors(shape, values, eta_, mean["off_mean"]),
        "gap": excess[:, -1],
        "dist2_star": total(found["model2"])[:, -1],
        "after2": total(found["after2"]),
        "g2_start": slope2[:, -1],
        "slope_along": 2 * excess[:, -1],
        "off_along": total(found["common"])[:, -1],
        "off2": off2[:, -1],
        "pull2": (slope2 + 2 * total(h * found["common"]) + off2)[:, -1],
        "stir2": noise_of(shape, values).sum(axis=-1),
    }
    return {**result, "eps": accuracy(values, result)}


def summed_up(keep: Array, each: Array) -> Array:
    """Sum over rounds, (batch, T): 1 for the last one, `keep` for the one before it, and so on."""
    found = 0 * keep
    for t in range(each.shape[1]):
        found = keep * found + each[:, t]
    return found


def of_means(ended: Named, eta_: Array) -> Values:
    """Means over all rounds, and the remaining influence of the start."""
    weight = ended["weight"]
    sums = {"gap_mean": "gaps", "off_mean": "offs", "level_mean": "levels", "forgotten": "start_kept"}
    found = {name: ended[total] / weight for name, total in sums.items()}
    return {**found, "forgotten": found["forgotten"] / eta_}


def errors(shape: Shape, values: Named, eta_: Array, off_mean: Array) -> Values:
    """The contributions of drifts and noise to the mean excess loss."""
    return {
        "drift_error": (2 / values["mu"] + 2 * eta_) * off_mean,
        "noise_error": eta_ * values["sigma2"] / shape["N"],
    }


def accuracy(values: Named, found: Named) -> Array:
    """An accuracy eps that these rounds and steps guarantee."""
    eta_, mu_, start2 = found["eta"], values["mu"], values["H"]
    left = mu_ * start2 / (2 * (exp(found["T"] * mu_ * eta_ / 2) - 1))
    largest = maximum(found["drift_error"], maximum(found["noise_error"], left))
    return 3 * largest * (1 + values["spare"] + values["room"])


def as_of_new(shape: Shape, values: Named) -> Values:
    """The quantities of the theorems on new clients, for these runs."""
    _, keep = steps_of(shape, values)
    rounds = of_rounds(shape, values, moments(shape, values)["model2"])
    return over_rounds(shape, values, summed(keep, rounds, sq(values["start"])))


# ---------------------------------------------------------------------------------- facts about a round, and letters


# A step along the gradient at the start of the round, with an error, and with noise of mean zero given the past. The vector `star`
# points from the minimiser to the model. Random vectors are vectors of a larger space, as in `verify.scenes.special.round_sums`.
_STEP: Mapping[sp.Expr, Tree] = {
    after2: [
        "+",
        square(["-", "star", ["*", "eta", ["+", "slope", "off"]]]),
        ["*", ["^", "eta", "2"], square("stir")],
    ],
    dist2: square("star"),
    g2_start: square("slope"),
    b.off2: square("off"),
    slope_along: ["dot", "slope", "star"],
    off_along: ["dot", "off", "star"],
    pull2: square(["+", "slope", "off"]),
    stir2: square("stir"),
}
_step = vocabulary(_STEP, {**dict.fromkeys(("star", "slope", "off", "stir"), "vector"), "eta": "positive"})
_QUIET = Sums(le(noisy2, sigma2), {}, {}, given=(le(noisy2, sigma2),))
"""Fact about the noise of one client."""
_STIRRED = Sums(
    STIRRED,
    {stir2: ["/", ["each", "N", "noise", "noise"], ["^", "N", "2"]]},
    {"N": "count", "noise": "family N"},
    bounded=(Bounded(("noise",), _QUIET, "N"),),
)


_LETTERS = (GAPS, WEIGHT, KEEP, KEPT_ON, MEANT[0], MEANT[3])
FACTS: tuple[Fact | Sums | Rounds | Follows, ...] = (
    *(fact for fact in RUN_FACTS if fact.relation in _LETTERS),
    *map(definition, (OFFS, *b.ERRORS, SIZED)),
    solved(OFF_MEAN, b.off_mean),
    *map(_step, (STEPPED, PARTED, YOUNG)),
    _STIRRED,
)


# ---------------------------------------------------------------------------------- scenes


def sizes(r: int, **lists: int) -> Shape:
    """A shape: r rounds and one more; ``memory``: 1 if clients remember; ``returning``: 0 if they are new, N if they are the same."""
    return {"r": r, "N": 1, "K": 1, "d": 1, "noisy": 0, "memory": 0, "returning": 0, **lists}


def _of_every_kind(**lists: int) -> tuple[Shape, ...]:
    N = lists.get("N", 1)
    return tuple(sizes(memory=memory, returning=back, **lists) for memory in (1, 0) for back in (N, 0))


BACK = Scene(
    name="runs of clients that are new or the same in every round, one local step",
    told={
        **meanings.ROUND,
        "r": "rounds before the last",
        "memory": "1 if clients remember all rounds",
        "returning": "clients of a round that have taken part in all rounds before: none, or all N",
        "start": "the first model",
        "plainly": "1 if eps is computed from 1/T, 0 if from (1 - mu eta/2)^T",
        "spare": "share by which eps is larger than these rounds and steps ask for",
    },
    shapes=tuple(
        shape
        for lists in ({"r": 0}, {"r": 1}, {"r": 2, "N": 2}, {"r": 4, "d": 2, "noisy": 1}, {"r": 31})
        for shape in _of_every_kind(**lists)
    ),
    space=run_space,
    room="room",
    known=run_known,
    compute=Proved(run, FACTS),
    restricts=(Hypothesis.QUADRATIC, Hypothesis.SHARED_HESSIAN, Hypothesis.CONSTANT_DRIFT),
    steps=("eta_g", "eta_l"),
    free_step=lambda name, shape, values: 4,
)
LONG = BACK.variant(f"{BACK.name}, short and long", shapes=(*BACK.shapes[:8], *_of_every_kind(r=127)))
SAME = {
    memory: BACK.variant(
        f"what theorems on new clients say, memory {memory}, of the same clients",
        shapes=tuple(sizes(r, memory=memory, returning=1) for r in (1, 31, 127)),
        compute=as_of_new,
    )
    for memory in (0, 1)
}


def placebos_of(scene: Scene) -> tuple[Scene, ...]:
    """Non-learning baselines: the same clients with steps uphill or of length zero."""
    return tuple(
        scene.variant(f"{scene.name}, {words}", compute=partial(run, direction=direction))
        for direction, words in ((UPHILL, "uphill"), (NOWHERE, "standing still"))
    )
