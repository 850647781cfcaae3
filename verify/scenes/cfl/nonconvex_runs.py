"""Runs of CFL on losses of either curvature, each round from every model that it may start from, with new clients.

The drifts of a round, including past ones, are independent of the model. Clients with memory use the weights of Lemma B.4.
"""

from __future__ import annotations

from functools import partial

from bounds.cfl import nonconvex_runs as b
from bounds.cfl.symbols import D2, G2
from bounds.hypotheses import Hypothesis
from bounds.relations import le
from nqm.fields import Array, maximum, minimum, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl import meanings
from verify.scenes.cfl import nonconvex as one
from verify.scenes.cfl.client_sums import LARGEST, POSITIVE
from verify.scenes.cfl.round_sums import FACTS
from verify.scenes.cfl.run_moments import DOWNHILL, NOWHERE, UPHILL, before, of_weights
from verify.scenes.cfl.run_sums import without_memory
from verify.scenes.cfl.runs import FEW, past_share
from verify.scenes.cfl.terms import ROUND_DEFINES
from verify.scenes.summands import definition

SUMS = {"grads": "g2_start", "spreads": "c_pG", "losses_of_past": "lost_round"}
"""Sum over the rounds -> its summand in a round."""
OF_ROUND = ("loss_now", "loss_next", "downhill", "moved2", "bar2", "start2", "strayed_i")
OF_WEIGHTS = ("c_pB", "c_pG", "cB", "cG", "cB_i", "cG_i", "P_i", "p")


def lost_round(shape: Shape, values: Named, past: Array) -> Array:
    """c_R of weights of the past, (N, batch)."""
    return (past**2).sum(axis=0) * values["R2"] / shape["N"]


def in_round(shape: Shape, values: Named, n: int) -> tuple[Shape, Values]:
    """Sizes and parameters of the round after n others."""
    t = n + 1 if shape["memory"] else 1
    return _sizes(shape, t), {**values, **({"share": past_share(shape, values, t)} if t > 1 else {})}


def _sizes(shape: Shape, t: int) -> Shape:
    return one.sizes(**{name: shape[name] for name in ("N", "K", "noisy")}, t=t)


def from_every_model(shape: Shape, values: Named, models: Array) -> tuple[Values, Array]:
    """Means over the models (batch, m) of the quantities of a round from each; and the models after it, (batch, m')."""
    many = models.shape[1]
    repeated = lambda x: stack([x] * many, 1).reshape(-1, *x.shape[1:])  # noqa: E731
    names = ("h", "curvature", "client", "time", "eta_l", "eta_g", "share", "lost", "tied", "sigma")
    each = {name: repeated(values[name]) for name in names if name in values}
    each["model"] = models.reshape(-1)
    met = one.meeting(shape, each)
    found = one.of_met(each, met)
    over = lambda x: x.reshape(-1, many, *x.shape[1:]).sum(axis=1) / many  # noqa: E731
    means = {name: over(found[name]) for name in OF_ROUND if name != "strayed_i"}
    means |= {
        "strayed_i": over(found["strayed_i"].T).T,
        "g2_start": over((each["curvature"] * each["model"]) ** 2),
    }
    after = each["model"][:, None] + one.update(each, met)
    return means, after.reshape(len(models), -1)


def sums_after_round(sums: Named, found: Named) -> Values:
    """Sums over the rounds one round later."""
    return {**{name: sums[name] + found[of] for name, of in SUMS.items()}, "played": sums["played"] + 1}


def by_models(shape: Shape, values: Named) -> Values:
    """r + 1 rounds, with all quantities of the proof for the last one."""
    sums: Values = dict.fromkeys((*SUMS, "played"), 0 * values["eta_l"])
    models = values["start"][:, None]
    found: Values = {}
    for n in range(shape["r"] + 1):
        sums = sums_after_round(sums, found) if n else sums
        inner, own = in_round(shape, values, n)
        found, models = from_every_model(inner, own, models)
        own = one.constants(inner, {**own, "model": values["start"]})
        found |= {name: own[name] for name in OF_WEIGHTS}
        found |= {"lost_round": lost_round(shape, values, found["P_i"])}
    return {**found, **sums, **over_rounds(shape, values, sums_after_round(sums, found), found["loss_next"])}


def by_moments(shape: Shape, values: Named, direction: int = DOWNHILL) -> Values:
    """The quantities of the theorems after r + 1 rounds, from mean and variance."""
    wide = {
        name: x[..., None]
        for name, x in values.items()
        if name in ("h", "start", "client", "time", "lost", "tied")
    }
    longer = {**shape, "r": shape["r"] + 1}
    second = before(longer, {**values, **wide}, direction)[..., 0]
    past, earlier, current = (part[:, :-1] for part in of_weights(longer, values))
    R2, D2, G2 = (values[name][:, None] for name in ("R2", "D2", "G2"))
    each = {
        "grads": values["h"][:, None] ** 2 * second[:, :-1],
        "spreads": G2 + D2 * (earlier + current),
        "losses_of_past": past**2 * R2,
    }
    sums = {name: x.sum(axis=1) for name, x in each.items()}
    sums["played"] = shape["r"] + 1 + 0 * values["h"]
    return over_rounds(shape, values, sums, values["h"] * second[:, -1] / 2)


def over_rounds(shape: Shape, values: Named, sums: Named, last: Array) -> Values:
    """All quantities of the theorems, from sums over T rounds and the loss after them."""
    f0 = values["h"] * values["start"] ** 2 / 2
    found = {
        "eta": values["eta_l"] * values["eta_g"] * shape["K"],
        "f0": f0,
        "fs": minimum(last, 0 * last),
        "loss_next": last,
        "T": sums["played"],
        **{f"{name}_next": total for name, total in sums.items()},
        **means(sums),
    }
    found |= of_steps(shape, values, found["eta"])
    return {**found, "eps": accuracy(values, found)}


def means(sums: Named) -> Values:
    """Means over the rounds."""
    of = {"grad2_mean": "grads", "spread_mean": "spreads", "c_R_mean": "losses_of_past"}
    return {name: sums[total] / sums["played"] for name, total in of.items()}


def of_steps(shape: Shape, values: Named, eta: Array) -> Values:
    """The contribution of a round for each unit of c_pG, and of its noise."""
    N, K, L = shape["N"], shape["K"], values["L"]
    local = (values["eta_l"] * L) ** 2
    return {
        "strays": 4 * L * eta + 3 * K**2 * local,
        "shakes": (L * eta / (N * K) + 3 * K * local) * values["sigma2"],
    }


def accuracy(values: Named, found: Named) -> Array:
    """An accuracy eps that these rounds and steps guarantee."""
    start = 8 * (found["f0"] - found["fs"]) / (found["eta"] * found["T"])
    drift = found["strays"] * maximum(found["spread_mean"], values["G2"] + values["D2"])
    return maximum(start, 16 * maximum(drift, found["shakes"])) * (1 + values["spare"] + values["room"])


def run(shape: Shape, values: Named) -> Values:
    """A run: all models for a few rounds; for more rounds only the sums, from moments."""
    return by_models(shape, values) if shape["r"] <= FEW else by_moments(shape, values)


def space(shape: Shape) -> dict[str, Box]:
    """Parameters of a round, and where the first one starts."""
    parts = one.round_space(_sizes(shape, 2 if shape["memory"] else 1))
    return {("start" if name == "model" else name): box for name, box in parts.items() if name != "share"} | {
        "h": Box(-1, 4),
        "time": Box(0.01, 2, (shape["N"],)),
        "spare": Box(0.001, 1, scale="log"),
    }


def scene_constants(shape: Shape, values: Named) -> Values:
    """Constants of the assumptions; drifts are the same at every model."""
    inner = _sizes(shape, 2 if shape["memory"] else 1)
    none = stack([0 * values["h"][:, None]] * shape["N"], 1)
    found = one.constants(inner, {**values, "model": values["start"], "share": none})
    return {**found, "c_max": 1 + found["A2"] + found["B2"]}


FORGETFUL = (le(b.spreads_next, b.spreads + G2 + D2), le(b.losses_next, b.losses))
"""Without memory there are no weights of past rounds."""
RUN_FACTS = (*map(definition, (*b.GROWN, *b.MEANT, b.STRAYS, b.SHAKES)), *map(without_memory, FORGETFUL))


def sizes(r: int, **lists: int) -> Shape:
    """A shape: r rounds and one more; ``memory``: 1 if clients remember, 0 if not; one dimension, drifts do not grow."""
    return {"r": r, "N": 1, "K": 1, "d": 1, "noisy": 0, "memory": 0, "returning": 0, **lists}


FED_SHAPES = (sizes(0), sizes(1), sizes(1, N=2), sizes(1, K=2, noisy=1), sizes(2, K=2))
CFL_SHAPES = tuple(
    sizes(r, memory=1, **more) for r, more in ((0, {}), (1, {}), (1, {"K": 2}), (2, {}), (1, {"noisy": 1}))
)


def _terms(shape: Shape, values: Named) -> Values:
    """Quantities of the first round."""
    inner, own = in_round(shape, {**values, "model": values["start"]}, 0)
    return one.terms(inner, own)


RUNS = Scene(
    name="runs of CFL with new clients on losses of either curvature, model by model",
    told={
        **meanings.ROUND,
        "r": "rounds before the last",
        "memory": "1 if clients remember all rounds",
        "h": "curvature of the mean of all losses, which is 0 at the origin",
        "start": "the first model",
        "spare": "share by which eps is larger than these rounds and steps ask for",
    },
    shapes=(*FED_SHAPES, *CFL_SHAPES),
    space=space,
    room="room",
    known=scene_constants,
    compute=Proved(run, (*FACTS, *RUN_FACTS), (POSITIVE, LARGEST, *ROUND_DEFINES), _terms),
    steps=("eta_g", "eta_l"),
    free_step=lambda name, shape, values: 1 if name == "eta_g" else 4,
    restricts=(
        *(Hypothesis.QUADRATIC, Hypothesis.ONE_DIMENSION, Hypothesis.SHARED_HESSIAN),
        *(Hypothesis.CONSTANT_DRIFT, Hypothesis.NEW_CLIENTS),
    ),
)
FED_RUNS = RUNS.variant("runs of FedAvg on losses of either curvature, model by model", shapes=FED_SHAPES)


def _longer(name: str, shapes: tuple[Shape, ...], **memory: int) -> Scene:
    return RUNS.variant(
        f"runs of {name} on losses of either curvature",
        shapes=(*shapes[:3], sizes(7, N=2, K=2, noisy=1, **memory)),
    )


CFL_RUNS = _longer("CFL that remembers", CFL_SHAPES, memory=1)
FED_RUNS_LONG = _longer("FedAvg", FED_SHAPES)


def bowls(scene: Scene) -> Scene:
    """The scene with losses that have a minimum, and enough rounds for bounds below the trivial bound of a run without steps."""
    return scene.variant(
        f"{scene.name}, losses with a minimum",
        shapes=(*scene.shapes, sizes(191, memory=scene.shapes[0]["memory"])),
        space=lambda shape: {**space(shape), "h": Box(0.02, 4)},
    )


STILL = bowls(CFL_RUNS).variant(
    "runs of clients that stand still on losses with a minimum",
    compute=partial(by_moments, direction=NOWHERE),
)


def placebos_of(scene: Scene) -> tuple[Scene, ...]:
    """Non-learning baselines: the same clients with steps uphill or of length zero."""
    return tuple(
        scene.variant(f"{scene.name}, {words}", compute=partial(by_moments, direction=direction))
        for direction, words in ((UPHILL, "uphill"), (NOWHERE, "standing still"))
    )
