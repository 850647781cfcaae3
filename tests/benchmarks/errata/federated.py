"""Assumptions and fixed points of federated methods; penalties and projections of continual learning."""

from __future__ import annotations

import sympy as sp

from nqm.fields import dot, sq, stack
from tests.benchmarks.errata.cases import Errata
from verify import Box, Branching, Scene, points, run, worlds
from verify.quantities import L, apart2, distance2, distance2_before, eta, f_x, f_y, mu, slope_x, turn2, zeta2

FEDERATED = Errata("federated")
add, encoding, notes = FEDERATED.add, FEDERATED.encoding, FEDERATED.notes
ONE = ({"d": 1},)

# ------------------------------------------- bounded gradients and strong convexity on the whole space
G2, far = notes.nonnegative("bound2 far")
curve = notes.positive("curve")
add(
    "bounded-gradients",
    "Stich 2019, Assumption; Li et al. 2020, Assumptions 1, 4; Nguyen et al. 2018",
    "gradients of a strongly convex loss are bounded by the same number at all models",
    "differences of gradients are bounded by L times the distance",
    encoding(
        "bounded-gradients.class",
        "two points of strongly convex losses",
        turn2 <= 100,
        turn2 <= L**2 * apart2,
        scene=points(worlds.strongly_convex(dim=(1,))),
    ),
    encoding(
        "bounded-gradients.numbers",
        "free numbers",
        curve**2 * far**2 <= G2,
        (curve**2 * far**2 <= G2, curve * far <= sp.sqrt(G2)),
        curve <= 1,
    ),
)

# ------------------------------------------- B-dissimilarity
mean_square, square_of_mean, spread = notes.nonnegative("mean_square square_of_mean spread")
B = notes.positive("B")


def dissimilar(shape, values):
    g = values["h"][:, None] * (values["x"][:, None] - values["c"])
    mean = g.sum(axis=1) / shape["M"]
    return {
        "mean_square": sq(g) / shape["M"],
        "square_of_mean": mean**2,
        "spread": sq(g - mean[:, None]) / shape["M"],
    }


DISSIMILAR = Scene(
    "clients with quadratic losses",
    tuple({"M": M} for M in (2, 3)),
    lambda s: {"h": Box(0.5, 2), "x": Box(-2, 2), "c": Box(-2, 2, (s["M"],)), "B": Box(1, 100, scale="log")},
    Branching(lambda shape, values: {**dissimilar(shape, values), "B": values["B"]}, "two or three clients"),
)
u, w = notes.real("u w")
add(
    "dissimilarity",
    "FedProx (Li et al. 2020), Definition 3 and Assumption 1; Yuan, Li 2022",
    "mean squared gradients of the clients are at most B^2 times the squared mean, at every model",
    "they equal the squared mean gradient plus the variance over clients",
    encoding(
        "dissimilarity.losses",
        "clients with quadratic losses, any B up to 100",
        mean_square <= B**2 * square_of_mean,
        sp.Eq(mean_square, square_of_mean + spread),
        scene=DISSIMILAR,
    ),
    encoding(
        "dissimilarity.numbers",
        "free numbers, two clients",
        (u**2 + w**2) / 2 <= B**2 * ((u + w) / 2) ** 2,
        sp.Eq((u**2 + w**2) / 2, ((u + w) / 2) ** 2 + ((u - w) / 2) ** 2),
    ),
)

# ------------------------------------------- fixed points of local steps
fixed, minimiser, weighted, steps_alike = notes.real("fixed minimiser weighted steps_alike")


def two_clients(shape, values):
    h, c, step = values["h"], values["c"], values["step"]
    left = stack([(1 - step * h[:, i]) ** shape[f"k{i}"] for i in range(2)], 1)
    alike = (1 - step * h[:, 0]) ** shape["k0"]
    weights = stack([1 - alike, 1 - (1 - step * h[:, 0]) ** shape["k1"]], 1)
    return {
        "fixed": ((1 - left) * c).sum(axis=1) / (1 - left).sum(axis=1),
        "minimiser": (h * c).sum(axis=1) / h.sum(axis=1),
        "weighted": (weights * c).sum(axis=1) / weights.sum(axis=1),
        "steps_alike": c.sum(axis=1) / 2,
    }


def _clients(name, *sizes, alike):
    """Two clients; with a common Hessian, only the minimisers of their losses differ."""
    curvature = (
        (lambda values: stack([values["h"][:, 0], values["h"][:, 0]], 1))
        if alike
        else (lambda values: values["h"])
    )
    return Scene(
        name,
        tuple({"k0": one, "k1": two} for one, two in sizes),
        lambda s: {"h": Box(0.125, 1, (2,)), "c": Box(-2, 2, (2,)), "step": Box(0.125, 0.875)},
        Branching(
            lambda shape, values: two_clients(shape, {**values, "h": curvature(values)}),
            "any curvatures and steps",
        ),
    )


ALIKE_STEPS = _clients("two clients, two or three local steps", (2, 2), (3, 3), alike=False)
SINGLE = _clients("two clients, one local step", (1, 1), alike=False)
UNLIKE_STEPS = _clients(
    "two clients with one Hessian, unlike numbers of local steps", (1, 2), (1, 3), alike=True
)
LOCAL = run("fedavg", worlds.quadratics(clients=(1, 2)), local_steps=(1, 2), local_lr="eta")
shrunk = (1 - eta * mu) * distance2_before
k0, k1 = notes.count("k0 k1")
c0, c1 = notes.real("c0 c1")
add(
    "fedavg-fixed-point",
    "FedAvg and FedProx read as minimisers of the mean loss; Pathak, Wainwright 2020",
    "with several local steps and a fixed step size, the minimiser of the mean loss is a fixed point of FedAvg",
    "it is with one local step; with several the fixed point is biased by the clients' gradients at the minimiser",
    encoding(
        "fedavg-fixed-point.formula",
        "the fixed point, two clients",
        sp.Eq(fixed, minimiser),
        (
            sp.Eq(fixed, minimiser),
            sp.Eq(notes.paper.glossary["k0"].symbol, 1),
            sp.Eq(notes.paper.glossary["k1"].symbol, 1),
        ),
        scene=_clients("two clients, up to two local steps", (1, 1), (2, 2), alike=False),
    ),
    encoding(
        "fedavg-fixed-point.run",
        "a round",
        distance2 <= shrunk,
        (distance2 <= shrunk + 4 * eta**3 * L**2 * zeta2 / mu, eta <= 1 / (2 * L)),
        eta <= 1 / (2 * L),
        scene=LOCAL,
    ),
)
add(
    "unequal-steps",
    "FedAvg with unlike numbers of local steps read as minimiser of the mean loss; Wang et al. 2020",
    "its fixed point is the minimiser of the mean loss",
    "its fixed point is a mean weighted by 1 - (1 - eta h)^tau_i, or by tau_i for short steps",
    encoding(
        "unequal-steps.formula",
        "the fixed point, one Hessian",
        sp.Eq(fixed, steps_alike),
        sp.Eq(fixed, weighted),
        scene=UNLIKE_STEPS,
    ),
    encoding(
        "unequal-steps.short",
        "free numbers, short steps: the mean update is zero",
        sp.Eq((k0 * c0 + k1 * c1) / (k0 + k1), (c0 + c1) / 2),
        sp.Eq(k0 * (c0 - (k0 * c0 + k1 * c1) / (k0 + k1)), -k1 * (c1 - (k0 * c0 + k1 * c1) / (k0 + k1))),
    ),
)

# ------------------------------------------- penalties of EWC
joint, several, single = notes.real("joint several single")


def penalised(shape, values):
    """Three tasks with losses h_k (x - c_k)^2/2; a penalty for each past task, or one at the last optimum."""
    h, c = values["h"], values["c"]
    second = (h[:, 0] * c[:, 0] + h[:, 1] * c[:, 1]) / (h[:, 0] + h[:, 1])
    both = h[:, 0] * c[:, 0] + (h[:, 1] * second) + h[:, 2] * c[:, 2]
    return {
        "joint": (h * c).sum(axis=1) / h.sum(axis=1),
        "several": both / h.sum(axis=1),
        "single": ((h[:, 0] + h[:, 1]) * second + h[:, 2] * c[:, 2]) / h.sum(axis=1),
    }


THREE = Scene(
    "three tasks with quadratic losses",
    ONE,
    lambda s: {"h": Box(0.25, 4, (3,)), "c": Box(-2, 2, (3,))},
    Branching(penalised, "any three tasks"),
)
t1, t2, t3, last = notes.real("t1 t2 t3 last")
add(
    "ewc",
    "EWC (Kirkpatrick et al. 2017), one penalty for each past task; Huszar 2018",
    "after three tasks with quadratic losses EWC is at the joint minimiser",
    "it is with one penalty around the last minimiser, with the sum of all curvatures",
    encoding(
        "ewc.losses", "three quadratic losses", sp.Eq(several, joint), sp.Eq(single, joint), scene=THREE
    ),
    encoding(
        "ewc.numbers",
        "free numbers, one curvature",
        sp.Eq((t1 + last + t3) / 3, (t1 + t2 + t3) / 3),
        sp.Eq((2 * last + t3) / 3, (t1 + t2 + t3) / 3),
        sp.Eq(2 * last, t1 + t2),
    ),
)

# ------------------------------------------- GEM and A-GEM
past_after, past, past_small = notes.real("past_after past past_small")
aligned = notes.real("aligned")
memory_slope, step = notes.real("memory_slope"), notes.positive("step")


def gem(shape, values):
    """A step along g on the loss h |x|^2/2 of a memory."""
    x, g, h, size = values["x"], values["g"], values["h"], values["size"]
    loss = lambda y: h * sq(y) / 2  # noqa: E731
    along = h * dot(x, g)
    return {
        "aligned": along,
        "past": loss(x),
        "past_after": loss(x - size[:, None] * g),
        "past_small": loss(x) - size * along + h * size**2 * sq(g) / 2,
    }


STEP = Scene(
    "a step beside a memory with a quadratic loss",
    tuple({"d": d} for d in (1, 2)),
    lambda s: {
        "x": Box(-2, 2, (s["d"],)),
        "g": Box(-2, 2, (s["d"],)),
        "h": Box(0.25, 2),
        "size": Box(0.125, 4),
    },
    Branching(gem, "up to two dimensions"),
)
add(
    "gem",
    "GEM (Lopez-Paz, Ranzato 2017), Eq. (6) to (8), read for steps of any length",
    "a step whose direction does not conflict with the memory's gradient does not raise its loss",
    "this holds if L times the squared step is at most twice the first-order descent",
    encoding(
        "gem.class",
        "two points of smooth convex losses",
        f_y <= f_x,
        (f_y <= f_x, slope_x <= 0, L * apart2 <= -2 * slope_x),
        slope_x <= 0,
        scene=points(worlds.convex()),
    ),
    encoding(
        "gem.step",
        "a step, quadratic memory",
        past_after <= past,
        past_after <= past_small,
        aligned >= 0,
        scene=STEP,
    ),
)
projected, before_projection = notes.real("projected before_projection")


def a_gem(shape, values):
    """A projected step of A-GEM on the loss h |x|^2/2 of a memory, where the gradients conflict."""
    x, g, h, size = values["x"], values["g"], values["h"], values["size"]
    reference = h[:, None] * x
    overlap = dot(g, reference) / sq(reference)
    kept = g - overlap[:, None] * reference
    loss = lambda y: h * sq(y) / 2  # noqa: E731
    return {
        "aligned": dot(g, reference),
        "before_projection": loss(x),
        "projected": loss(x - size[:, None] * kept),
        "past_small": loss(x) + h * size**2 * sq(kept) / 2,
        "reference2": sq(reference),
    }


reference2 = notes.nonnegative("reference2")
PROJECTED = Scene(
    "a projected step beside a memory with a quadratic loss",
    ({"d": 2},),
    lambda s: {"x": Box(-2, 2, (2,)), "g": Box(-2, 2, (2,)), "h": Box(0.25, 2), "size": Box(0.125, 1)},
    Branching(a_gem, "two dimensions"),
)
rise, length2 = notes.real("rise"), notes.nonnegative("length2")
add(
    "a-gem",
    "A-GEM (Chaudhry et al. 2019), read for finite steps",
    "after the projection the mean loss of the memory does not increase",
    "it rises by at most L/2 times the squared step, because the step is orthogonal to its gradient",
    encoding(
        "a-gem.step",
        "a projected step, quadratic memory",
        projected <= before_projection,
        projected <= past_small,
        aligned < 0,
        reference2 > 0,
        scene=PROJECTED,
    ),
    encoding(
        "a-gem.class",
        "two points of smooth convex losses",
        f_y <= f_x,
        f_y <= f_x + L * apart2 / 2,
        sp.Eq(slope_x, 0),
        scene=points(worlds.convex(dim=(2,))),
    ),
)
