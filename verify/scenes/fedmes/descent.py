"""Batch gradients of the memory, the constants of Assumptions 1 to 3, and steps along them: the proof of Theorem 1."""

from __future__ import annotations

from bounds.fedmes.descent import RATE
from bounds.hypotheses import Hypothesis
from nqm.fields import abs_, amax, amin, concatenate, dot, sq
from verify.engine.model.scene import Box, Proved, Scene, Shape, Values
from verify.scenes.fedmes import meanings
from verify.scenes.fedmes.quadratic_facts import OF_MOMENTS, OF_QUADRATICS, RANGES, VARIES_LITTLE
from verify.scenes.fedmes.samples import (
    SIZES,
    SOME_NOISE,
    STILL,
    Named,
    batches,
    bias_space,
    gradients,
    loss,
    mean,
    memory_space,
    statistics,
)
from verify.scenes.fedmes.several_facts import FIRST_STEP, facts_of_several, shrinking
from verify.scenes.fedmes.smooth_losses import AS_STEP, DEFINED, OF_BATCHES, OF_STEPS, SECOND_MOMENTS
from verify.scenes.parameters import allowance, column


def assumed(values: Named, found: Named) -> Values:
    """Constants of Assumptions 1 to 3 that are valid for the samples and the models in `found`."""
    h, more = values["h"], 1 + values["room"]
    whole = h.sum(axis=1) / h.shape[1]
    spread = found["variance"]
    growth, room = (column(x, spread.ndim - 1) for x in (values["M_V"], more))
    level = allowance(spread, growth, found["mem_gradient2"], room)
    axes = tuple(range(1, level.ndim))
    return {
        "L": amax(whole, -1) * more,
        "c": amin(whole, -1) / more,
        "Mn": (amax(level, axes) if axes else level) + values["M_more"],
        **aligned(values),
    }


def aligned(values: Named) -> Values:
    """The constants of Assumption 2 and M_G: the mean batch gradient is the memory gradient, times `bias` and turned."""
    mu_G = (values["bias"] + abs_(values["turn"])) * (1 + values["longer"])
    return {"mu": values["bias"] * values["closer"], "mu_G": mu_G, "M_G": values["M_V"] + mu_G**2}


def constants_space(shape: Shape) -> dict[str, Box]:
    """Parameters: distances of the constants from the best ones; unbiased batches have bias 1 and no rotation."""
    return {
        **bias_space(shape),
        "closer": Box(0.05, 1),
        "longer": Box(0, 2),
        "M_V": Box(0, 2),
        "M_more": Box(0, 2),
        "room": STILL,
    }


def of_samples(values: Named) -> Values:
    """Statistics of batches at the model x."""
    return statistics(values["h"], values["c_sample"], values["x"], batches(values, values["x"]))


MOMENTS = Scene(
    name="gradient of a random sample of the memory",
    told=meanings.SAMPLES,
    shapes=(*SIZES, {"S": 3, "d": 1}),
    space=lambda shape: {**memory_space(shape), **bias_space(shape)},
    compute=Proved(lambda shape, values: of_samples(values), SECOND_MOMENTS),
    covers="equal as polynomials for up to three samples; every coordinate is alike",
)
"""Gradients of quadratic samples at one model can be arbitrary vectors, so the scene does not restrict the losses."""
_SAMPLES = (Hypothesis.QUADRATIC, Hypothesis.COMMON_AXES)


WITH_ANY_CONSTANTS = MOMENTS.variant(
    "gradient of a random sample of the memory, and any constants",
    space=lambda shape: {
        **MOMENTS.space(shape),
        **dict.fromkeys(("mu", "mu_G"), Box(0.05, 2, scale="log")),
        **dict.fromkeys(("Mn", "M_V"), Box(0, 2)),
    },
    covers="",
)


def with_constants(shape: Shape, values: Named) -> Values:
    """The moments, the constants of the assumptions, and the variance at the memory's optimum."""
    h, c = values["h"], values["c_sample"]
    whole = mean(h)
    optimum = mean(h * c) / whole
    return {
        **of_samples(values),
        "at_optimum": statistics(h, c, optimum, gradients(h, c, optimum))["variance"],
        "curvature": whole,
        "mem_curve": amin(whole, -1),
        "bends": abs_(h - whole[:, None]),
        "bend_range": amax(abs_(h - whole[:, None]), (1, 2)),
    }


ASSUMED = Scene(
    name="random samples of the memory, with constants",
    told=meanings.SAMPLES,
    shapes=SIZES,
    space=lambda shape: {**memory_space(shape), **constants_space(shape)},
    room="room",
    known=lambda shape, values: assumed(values, of_samples(values)),
    compute=Proved(with_constants, (OF_MOMENTS, *OF_BATCHES)),
    restricts=_SAMPLES,
)


UNBIASED = ASSUMED.variant(
    "random samples of the memory, drawn as they should be",
    space=lambda shape: {**ASSUMED.space(shape), "bias": Box(1, 1), "turn": STILL},
    compute=Proved(with_constants, (VARIES_LITTLE,), RANGES),
)


# ----------------------------------------------------------- steps as the proof takes them: A_s a number


def one_step(shape: Shape, values: Named) -> Values:
    """One step x - eta_s A_s g(x; zeta) along batch gradients of the memory, the form of (6) that (32) uses.

    Models are x (batch, ..., d), each with its own outcomes.
    """
    h, c, x = values["h"], values["c_sample"], values["x"]
    batch = batches(values, x)
    whole, curve = mean(gradients(h, c, x)), mean(h)
    along = curve.reshape(len(h), *(1,) * (batch.ndim - 2), h.shape[-1])
    move = -column(values["eta_s"] * values["A_s"], batch.ndim - 1) * batch
    after = loss(h, c, x[:, None] + move)
    best = mean(h * c) / curve
    least, here = column(loss(h, c, best), x.ndim - 2), loss(h, c, x)
    away = x - best.reshape(len(h), *(1,) * (x.ndim - 2), h.shape[-1])
    return {
        **statistics(h, c, x, batch),
        "slope": dot(whole, away),
        "way2": sq(away),
        "batch2": sq(batch),
        "gradient_gz": dot(whole[:, None], batch),
        "along": dot(whole[:, None], move),
        "step2": sq(move),
        "step_bend": (along * move**2).sum(axis=-1),
        "mean_bend": mean((along * batch**2).sum(axis=-1)),
        "now": here,
        "after": after,
        "expected": mean(after),
        "gap": here - least,
        "gap_next": mean(after) - least,
    }


def _step_space(shape: Shape) -> dict[str, Box]:
    return {
        **memory_space(shape),
        **constants_space(shape),
        "A_s": Box(0.05, 2),
        "eta_s": Box(0.01, 1, scale="log"),
    }


ONE_STEP = Scene(
    name="a step along a batch gradient of the memory",
    told=meanings.SAMPLES,
    shapes=SIZES,
    space=_step_space,
    room="room",
    known=ASSUMED.known,
    compute=Proved(one_step, OF_STEPS, DEFINED),
    steps=("eta_s",),
    free_step=lambda name, shape, values: 2,
    restricts=_SAMPLES,
)
ALGEBRA = Scene(
    name="the same, for equations",
    told=meanings.SAMPLES,
    shapes=SIZES,
    space=lambda shape: {**_step_space(shape), "L": Box(0.05, 4), "M_G": Box(0.05, 4)},
    room="room",
    compute=Proved(one_step, (AS_STEP, *OF_QUADRATICS)),
    covers="equal as rational functions for one and two samples; every coordinate and every sample is alike",
    restricts=_SAMPLES,
)
AT_ONE_MODEL = ALGEBRA.variant("the same, for equations between gradients at one model", restricts=())
"""At one model, the gradients of quadratic samples can be arbitrary vectors."""


_OF_LAST = ("gap", "gap_next", "after", "along", "step2", "slope", "way2")


def several_steps(shape: Shape, values: Named) -> Values:
    """The last of r + 1 steps from w^(1) over all batches, with rates within (35): eta_i A_i = share_i mu/(L M_G).

    The constants allow for as many steps as the scene has at these sizes, r + 1 or more.
    """
    h, c, r = values["h"], values["c_sample"], shape["r"]
    whole, known = mean(h), aligned(values)
    smooth = amax(whole, -1) * (1 + values["room"])
    rates = (known["mu"] / (smooth * known["M_G"]))[:, None] * values["share"]
    path = [values["x"][:, None]]
    for step in range(shape["steps"] - 1):
        moved = path[-1][:, None] - column(rates[:, step], 3) * batches(values, path[-1])
        path.append(moved.reshape(len(h), -1, shape["d"]))
    found = [statistics(h, c, x, batches(values, x)) for x in path]
    together = lambda some: {name: concatenate([each[name] for each in some], 1) for name in found[0]}  # noqa: E731
    constants = assumed(values, together(found))
    last = one_step(shape, {**values, "x": path[r], "eta_s": rates[:, r], "A_s": 1 + 0 * values["room"]})
    least = loss(h, c, mean(h * c) / whole)
    return {
        **together(found[: r + 1]),
        **constants,
        **{name: last[name] for name in _OF_LAST},
        "now": last["now"][:, None],  # beside the outcomes of its step
        "gap_1": loss(h, c, values["x"]) - least,
        "gap_mean": mean(last["gap"]),
        "gap_s": mean(last["gap_next"]),
        "A_s": 1 + 0 * least,
        **shrinking(constants["c"] * known["mu"], rates, r),
    }


_STEPS = tuple(
    {"s": r + 2, "r": r, "steps": steps, "S": S, "d": d}
    for r, steps, S, d in ((0, 2, 1, 1), (1, 2, 1, 1), (0, 2, 2, 1), (1, 2, 2, 1), (2, 3, 2, 2), (4, 5, 1, 2))
)
_EACH_STEP = facts_of_several()
SEVERAL = Scene(
    name="steps along batch gradients of the memory",
    shapes=_STEPS,
    space=lambda shape: {
        **memory_space(shape),
        **constants_space(shape),
        "M_more": SOME_NOISE,
        "share": Box(0.01, 1, (shape["steps"] + 1,), scale="log"),
    },
    room="room",
    told=meanings.SAMPLES,
    compute=Proved(several_steps, _EACH_STEP, (*DEFINED, RATE)),
    restricts=_SAMPLES,
)
FIRST = SEVERAL.variant(
    "the first step along a batch gradient of the memory",
    shapes=tuple(shape for shape in _STEPS if not shape["r"]),
    compute=Proved(several_steps, (*_EACH_STEP, *FIRST_STEP), (*DEFINED, RATE)),
)
