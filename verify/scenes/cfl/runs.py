"""Runs of CFL on convex losses, each round from every model that it may start from, with new clients.

The N clients of a round are new, and their drifts, including past ones, are independent of the model. Clients with memory use
the weights of Lemma B.4. Clients without memory use only their own current data.
"""

from __future__ import annotations

from functools import partial

from bounds.cfl import runs as b
from bounds.cfl.convex import LOST, c_max, c_pG, dist, gap
from bounds.cfl.rates import bias_mean, forgotten, gap_mean
from bounds.cfl.runs import level_mean
from bounds.cfl.steps import c_3
from bounds.cfl.symbols import A2, B2, D2, G2, H, T, eps, eta, mu
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le
from nqm.fields import Array, sq, sqrt, stack
from verify import facts
from verify.engine.model.scene import Box, Follows, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.cfl.client_sums import POSITIVE
from verify.scenes.cfl.convex_sums import FACTS
from verify.scenes.cfl.round import meeting, play, round_space, scene_constants, terms
from verify.scenes.cfl.round_quantities import of_server, of_sums
from verify.scenes.cfl.run_moments import NOWHERE, UPHILL, by_moments
from verify.scenes.cfl.run_sums import SUMS, after, of_memory, over_rounds, steps_of, without_memory
from verify.scenes.cfl.terms import CONVEX_DEFINES
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import definition, solved

OF_SERVER = ("dist2_star", "after2", "along", "moved2")
OF_SUMS = ("gap_round", "g2_start", "lost_along", "slope_before", "strayed", "start2", "bar2")
GAPS = eq(b.gaps_next, b.keep * b.gaps + gap)
LEVELS = eq(b.levels_next, b.keep * b.levels + c_pG + 2 * LOST)
BIASES = eq(b.biases_next, b.keep * b.biases + c_3 * dist)
WEIGHT = eq(b.weight_next, b.keep * b.weight + 1)
KEEP, FADES = eq(b.keep, b.KEEPS), le(b.keep, 1)
ADDS, STIRS = eq(b.adds, b.ADDS), eq(b.stirs, b.STIRS)
KEPT_ON = eq(b.kept_next, b.keep * b.kept)
PLAYED = eq(b.played_next, b.played + 1)
ENOUGH = ge(c_max, 1)
FORGETFUL = (le(b.levels_next, b.keep * b.levels + G2 + D2), le(b.biases_next, b.keep * b.biases))
"""Without memory there are no weights of past rounds."""
MEANT = (
    eq(b.gaps_next, gap_mean * b.weight_next),
    eq(b.levels_next, level_mean * b.weight_next),
    eq(b.biases_next, bias_mean * b.weight_next),
    eq(b.kept_next, forgotten * eta * b.weight_next),
    eq(b.played_next, T),
)
VANISHES = facts.fallen(b.kept_next, H, 3 * mu * H, 2 * eps, *b.VANISHES.conditions[:-1])


def past_share(shape: Shape, values: Named, t: int) -> Array:
    """Weights of the past rounds in round t, times their number, of every client: those of Lemma B.4, (batch, N, t - 1)."""
    total = t * values["D2"] + (t - 1) * values["R2"]
    each = stack([(t - 1) * values["D2"] / total] * (t - 1), 1)
    return stack([each] * shape["N"], 1)


def in_round(shape: Shape, values: Named, n: int) -> tuple[Shape, Values]:
    """Sizes and parameters of the round after n others."""
    t = n + 1 if shape["memory"] else 1
    inner = {**{name: shape[name] for name in ("N", "K", "d", "noisy")}, "t": t, "grow": 0}
    return inner, {**values, **({"share": past_share(shape, values, t)} if t > 1 else {})}


def from_every_model(shape: Shape, values: Named, models: Array) -> tuple[Values, Array]:
    """Means over the models (batch, m, d) of the quantities of a round from each; and the models after it, (batch, m', d)."""
    many = models.shape[1]
    repeated = lambda x: stack([x] * many, 1).reshape(-1, *x.shape[1:])  # noqa: E731
    names = ("h", "client", "time", "eta_l", "eta_g", "share", "lost", "tied", "sigma")
    each = {name: repeated(values[name]) for name in names if name in values}
    each["model"] = models.reshape(-1, shape["d"])
    played = play(shape, each)
    met = meeting(played, each["h"][:, None, None, None])
    server, sums = of_server(met), of_sums(met)
    over = lambda x: x.reshape(-1, many, *x.shape[1:]).sum(axis=1) / many  # noqa: E731
    found = {
        **{name: over(server[name]) for name in OF_SERVER},
        **{name: over(sums[name]) for name in OF_SUMS},
        "strayed_i": over(sums["strayed_i"].T).T,
        "gap": over((each["h"] * each["model"] ** 2).sum(axis=-1) / 2),
    }
    return {**found, "dist_star": sqrt(found["dist2_star"])}, played.after.reshape(
        len(models), -1, shape["d"]
    )


def by_models(shape: Shape, values: Named) -> Values:
    """r + 1 rounds, with all quantities of the proof for the last one."""
    eta, keep = steps_of(shape, values)
    start = sq(values["start"])
    sums = {**dict.fromkeys((*SUMS, "weight", "played"), 0 * eta), "start_kept": start}
    models = values["start"][:, None]
    found: Values = {}
    for n in range(shape["r"] + 1):
        sums = after(keep, sums, found) if n else sums
        inner, own = in_round(shape, values, n)
        found, models = from_every_model(inner, own, models)
        constants = scene_constants(inner, {**own, "model": values["start"]})
        found |= {name: constants[name] for name in OF_WEIGHTS}
        found |= of_memory(shape, values, found)
    return {**found, **sums, **over_rounds(shape, values, after(keep, sums, found))}


def run(shape: Shape, values: Named) -> Values:
    """A run: all models for a few rounds; for more rounds only the sums, from moments."""
    return by_models(shape, values) if shape["r"] <= FEW else by_moments(shape, values)


FEW = 2
"""Largest number of earlier rounds for which all models are enumerated; the number of models grows exponentially."""
OF_WEIGHTS = ("c_pB", "c_pG", "cB_i", "cG_i", "P_i", "p")


def run_space(shape: Shape) -> dict[str, Box]:
    """Parameters of a round, and where the first one starts."""
    space = dict(round_space({**shape, "t": 2 if shape["memory"] else 1, "grow": 0}))
    return {("start" if name == "model" else name): box for name, box in space.items() if name != "share"} | {
        "time": Box(0.01, 2, (shape["N"], shape["d"])),
        "spare": Box(0.001, 1, scale="log"),
        "plainly": Box(0, 1, levels=(0, 1)),
    }


def run_known(shape: Shape, values: Named) -> Values:
    """Constants of the assumptions; drifts are the same at every model."""
    one = {**{name: shape[name] for name in ("N", "K", "d", "noisy")}, "t": 1, "grow": 0}
    found = scene_constants(
        {**one, "t": 2 if shape["memory"] else 1},
        {**values, "model": values["start"], "share": _none(shape, values)},
    )
    return {**found, "g2": 0 * found["g2"], "c_max": 1 + found["A2"] + found["B2"], "H": sq(values["start"])}


def _none(shape: Shape, values: Named) -> Array:
    return stack([0 * values["h"][:, :1]] * shape["N"], 1)


# ---------------------------------------------------------------------------------- what the letters mean

RUN_FACTS: tuple[Sums | Follows, ...] = (
    *map(definition, (GAPS, WEIGHT, KEEP, ADDS, STIRS, KEPT_ON, PLAYED, LEVELS, BIASES, *b.C_MEAN, *b.C_FED)),
    *map(solved, MEANT, (gap_mean, level_mean, bias_mean, forgotten, T)),
    follows(ENOUGH, definition(eq(c_max, 1 + A2 + B2))),
    follows(FADES, definition(KEEP)),
    *map(without_memory, FORGETFUL),
)


def sizes(r: int, **lists: int) -> Shape:
    """A shape: r rounds and one more; ``memory``: 1 if clients remember, 0 if not; no client of a round is ``returning``."""
    return {"r": r, "N": 1, "K": 1, "d": 1, "noisy": 0, "memory": 0, "returning": 0, **lists}


FED_SHAPES = (sizes(0), sizes(1), sizes(1, N=2), sizes(1, K=2, noisy=1), sizes(2, K=2), sizes(1, d=2))
CFL_SHAPES = tuple(
    sizes(r, memory=1, **more) for r, more in ((0, {}), (1, {}), (1, {"K": 2}), (2, {}), (1, {"noisy": 1}))
)


def _terms(shape: Shape, values: Named) -> Values:
    """Quantities of the first round."""
    return terms(*in_round(shape, {**values, "model": values["start"]}, 0))


RUNS = Scene(
    name="runs of CFL with new clients, model by model",
    shapes=(*FED_SHAPES, *CFL_SHAPES),
    space=run_space,
    room="room",
    known=run_known,
    compute=Proved(run, (*FACTS, *RUN_FACTS), (POSITIVE, *CONVEX_DEFINES), _terms),
    restricts=(
        Hypothesis.QUADRATIC,
        Hypothesis.SHARED_HESSIAN,
        Hypothesis.CONSTANT_DRIFT,
        Hypothesis.NEW_CLIENTS,
    ),
    steps=("eta_g", "eta_l"),
    free_step=lambda name, shape, values: 4,
)
FED_RUNS = RUNS.variant("runs of FedAvg with new clients, model by model", shapes=FED_SHAPES)


def _longer(name: str, shapes: tuple[Shape, ...], **memory: int) -> Scene:
    """A scene with so many rounds that the bounds of the theorems are below the trivial bound of a run without steps."""
    long = sizes(2, **memory), sizes(15, N=2, K=2, d=2, noisy=1, **memory), sizes(127, **memory)
    return RUNS.variant(f"runs of {name} with new clients, short and long", shapes=(*shapes, *long))


CFL_RUNS, FED_RUNS_LONG = _longer("CFL", CFL_SHAPES[:2], memory=1), _longer("FedAvg", FED_SHAPES[:2])


def placebos_of(scene: Scene) -> tuple[Scene, ...]:
    """Non-learning baselines: the same clients with steps uphill or of length zero."""
    return tuple(
        scene.variant(f"{scene.name}, {words}", compute=partial(by_moments, direction=direction))
        for direction, words in ((UPHILL, "uphill"), (NOWHERE, "standing still"))
    )
