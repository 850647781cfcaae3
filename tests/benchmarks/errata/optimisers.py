"""Adam, AMSGrad, signSGD, heavy ball, ADMM and clipped gradients."""

from __future__ import annotations

import sympy as sp

from nqm.elementary import abs_
from nqm.fields import maximum, sq, where
from tests.benchmarks.errata.cases import Errata
from verify import Box, Branching, Scene

OPTIMISERS = Errata("optimisers")
add, encoding, notes = OPTIMISERS.add, OPTIMISERS.encoding, OPTIMISERS.notes
ONE = ({"d": 1},)

# ---------------------------------------------------------------- Adam
b, v, g2 = notes.nonnegative("b v g2")
n = notes.count("n")
before, after = notes.nonnegative("before after")


def second_moments(shape, values):
    beta, g = values["beta"], values["g"]
    first = (1 - beta) * g[:, 0] ** 2
    second = beta * first + (1 - beta) * g[:, 1] ** 2
    return {"before": first, "after": 2 * second, "largest": 2 * maximum(first, second)}


largest = notes.nonnegative("largest")
ADAM = Scene(
    "two steps of Adam",
    ONE,
    lambda s: {"beta": Box(0, 1), "g": Box(-2, 2, (2,))},
    Branching(second_moments, "any two gradients"),
)
add(
    "adam",
    "Kingma, Ba 2015, proof of Theorem 4.1; Reddi, Kale, Kumar 2018",
    "sqrt(v_t)/alpha_t does not decrease, alpha_t = alpha/sqrt(t)",
    "it does not decrease with the largest v so far (AMSGrad)",
    encoding(
        "adam.numbers",
        "free numbers",
        (n + 1) * (b * v + (1 - b) * g2) >= n * v,
        (n + 1) * sp.Max(v, b * v + (1 - b) * g2) >= n * v,
        b <= 1,
    ),
    encoding("adam.steps", "two steps, one gradient each", after >= before, largest >= before, scene=ADAM),
)

# ---------------------------------------------------------------- AMSGrad
a, first, now = notes.real("a"), notes.nonnegative("first"), notes.nonnegative("now")
weighted, telescoped, start_alone = notes.real("weighted telescoped start_alone")


def telescope(shape, values):
    d, momentum = values["d2"], values["momentum"]
    falling = [momentum[:, 0]]
    for k in range(1, shape["T"]):
        falling.append(falling[-1] * momentum[:, k])
    terms = [(d[:, k] - d[:, k + 1]) / (1 - falling[k]) for k in range(shape["T"])]
    return {
        "weighted": sum(terms),
        "telescoped": (d[:, 0] - d[:, -1]) / (1 - falling[0]),
        "start_alone": d[:, 0] / (1 - falling[0]),
    }


AMSGRAD = Scene(
    "distances along a run",
    tuple({"T": T} for T in (1, 2, 3)),
    lambda s: {"d2": Box(0, 4, (s["T"] + 1,)), "momentum": Box(0, 0.9375, (s["T"],))},
    Branching(telescope, "up to three rounds"),
)
add(
    "amsgrad",
    "Reddi, Kale, Kumar 2018, proof of Theorem 4; Tran, Phuong 2019",
    "the sum of d_t - d_{t+1} (squared distances), each over 1 - beta_{1t}, is at most the same sum over 1 - beta_1",
    "this holds for nonnegative differences; in general the sum is at most d_1/(1 - beta_1)",
    encoding(
        "amsgrad.numbers",
        "free numbers",
        a / (1 - now) <= a / (1 - first),
        (a / (1 - now) <= a / (1 - first), now <= first, first < 1, a >= 0),
        now <= first,
        first < 1,
    ),
    encoding(
        "amsgrad.sum", "sums along a run", weighted <= telescoped, weighted <= start_alone, scene=AMSGRAD
    ),
)

# ---------------------------------------------------------------- signSGD
p, high, low, gamma = notes.nonnegative("p"), *notes.positive("high low gamma")
stepped, scaled, stood = notes.real("stepped scaled stood")


def signs(shape, values):
    chance, up, down, step = (values[name] for name in ("chance", "up", "down", "step"))
    slope = chance * up - (1 - chance) * down
    away = values["x"]
    size = chance * up + (1 - chance) * down
    return {
        "slope": slope,
        "stood": slope * away,
        "stepped": slope * (away - step * (2 * chance - 1)),
        "scaled": slope * (away - step * slope) + 0 * size,
    }


slope = notes.real("slope")
SIGNS = Scene(
    "a linear loss, two values of its gradient",
    ONE,
    lambda s: {
        "chance": Box(0, 1),
        "up": Box(0.125, 8),
        "down": Box(0.125, 8),
        "step": Box(0.125, 2),
        "x": Box(-2, 2),
    },
    Branching(signs, "any two values"),
)
add(
    "signsgd",
    "Bernstein et al. 2018 read for any unbiased noise; Karimireddy et al. 2019, counterexample 1",
    "the expected sign of an unbiased gradient points uphill",
    "the expected gradient does; so does the expected sign if the rarer values are no larger",
    encoding(
        "signsgd.numbers",
        "free numbers",
        2 * p - 1 >= 0,
        (2 * p - 1 >= 0, p <= 1, p * high >= (1 - p) * low, high <= low),
        p <= 1,
        p * high >= (1 - p) * low,
    ),
    encoding(
        "signsgd.step", "the expected loss after a step", stepped <= stood, scaled <= stood, scene=SIGNS
    ),
)
away, moved_away = notes.nonnegative("away moved_away")
x1, x2, y1, y2 = notes.real("x1 x2 y1 y2")


def sign_run(shape, values):
    u, w, eps = values["u"], values["w"], 1 / 2
    total, moved = u + w, (u, w)
    for _ in range(shape["T"]):
        y, z = moved
        side = where(y >= z, 1 + 0 * y, -1 + 0 * y)
        moved = (y - values["step"] * side, z + values["step"] * side)
    return {"away": abs_(total), "moved_away": abs_(moved[0] + moved[1]) + 0 * eps}


SIGN_RUN = Scene(
    "signs of a subgradient of |x1 + x2|/2 + |x1 - x2|",
    tuple({"T": T} for T in (1, 2, 4)),
    lambda s: {"u": Box(0, 2), "w": Box(0, 2), "step": Box(0.125, 1)},
    Branching(sign_run, "any start in the positive quadrant"),
)
add(
    "signsgd-stuck",
    "Karimireddy et al. 2019, counterexample 2, against convergence of signSGD on convex losses",
    "signs of subgradients of |x1 + x2|/2 + |x1 - x2| bring |x1 + x2| nearer to 0",
    "they leave it unchanged: each step is along (1, -1)",
    encoding(
        "signsgd-stuck.run", "a run", moved_away < away, sp.Eq(moved_away, away), away > 0, scene=SIGN_RUN
    ),
    encoding(
        "signsgd-stuck.numbers",
        "free numbers",
        sp.Abs(y1 + y2) < sp.Abs(x1 + x2),
        sp.Eq(sp.Abs(y1 + y2), sp.Abs(x1 + x2)),
        x1 + x2 > 0,
        sp.Eq(y1, x1 - gamma),
        sp.Eq(y2, x2 + gamma),
    ),
)

# ---------------------------------------------------------------- heavy ball
end2, end2_quadratic, start2 = notes.nonnegative("end2 end2_quadratic start2")
ALPHA, BETA = 1 / sp.Integer(9), 4 / sp.Integer(9)


def heavy_ball(shape, values):
    ninth = (values["x"] * 0 + 1) / 9

    def run(gradient):
        old, new = values["x"], values["x"]
        for _ in range(shape["T"]):
            old, new = new, new - ninth * gradient(new) + 4 * ninth * (new - old)
        return new**2 + old**2

    def bent(x):
        return where(x < 1, 25 * x, where(x < 2, x + 24, 25 * x - 24))

    return {"end2": run(bent), "end2_quadratic": run(lambda x: values["h"] * x), "start2": values["x"] ** 2}


HEAVY = Scene(
    "heavy ball with Polyak's tuning, L = 25, mu = 1",
    ({"T": 24},),
    lambda s: {"x": Box(-5, 5), "h": Box(1, 25)},
    Branching(heavy_ball, "any start"),
)
c1, c2, c3 = notes.real("c1 c2 c3")
root = notes.positive("root")
ROOT_STEP = 4 / (root + 1) ** 2
MOMENTUM = ((root - 1) / (root + 1)) ** 2


def _cycle_gradient(previous, x, following):
    """The gradient that leads a heavy ball from `x` to `following`."""
    return (x - following + MOMENTUM * (x - previous)) / ROOT_STEP


def _convex_pair(x, y, gx, gy):
    """A loss with curvature between 1 and root^2 may have these two slopes."""
    return ((gx - gy) - (x - y)) * (root**2 * (x - y) - (gx - gy)) >= 0


GRADIENTS = (_cycle_gradient(c3, c1, c2), _cycle_gradient(c1, c2, c3), _cycle_gradient(c2, c3, c1))
POINTS = tuple(zip((c1, c2, c3), GRADIENTS, strict=True))
CYCLE = (
    root >= 1,
    *(_convex_pair(x, sp.Integer(0), gx, sp.Integer(0)) for x, gx in POINTS),
    *(_convex_pair(*pair) for pair in (
        (c1, c2, GRADIENTS[0], GRADIENTS[1]), (c2, c3, GRADIENTS[1], GRADIENTS[2]), (c1, c3, GRADIENTS[0], GRADIENTS[2]))),
)  # fmt: skip
add(
    "heavy-ball",
    "Polyak 1964 read for all smooth strongly convex losses; Lessard, Recht, Packard 2016",
    "heavy ball with Polyak's tuning converges",
    "it does on quadratics",
    encoding(
        "heavy-ball.run",
        "a run of 24 steps",
        end2 <= start2 / 4,
        end2_quadratic <= start2 / 4,
        start2 > 0,
        scene=HEAVY,
    ),
    encoding(
        "heavy-ball.cycle",
        "three points of a cycle, with slopes that satisfy the interpolation conditions",
        c1**2 + c2**2 + c3**2 <= 0,
        (ROOT_STEP * root**2 <= 2 * (1 + MOMENTUM), root >= 1),
        *CYCLE,
    ),
)

# ---------------------------------------------------------------- ADMM with three blocks
END = notes.nonnegative("ended")
BEGUN = notes.nonnegative("begun")
ENDED_TWO = notes.nonnegative("ended_two")
COLUMNS = ((1, 1, 1), (1, 1, 2), (1, 2, 2))


def admm(shape, values):
    """Squared length of the state after T rounds, of blocks that are columns of the constraint."""

    def run(n_blocks):
        x = [values["x"][:, i] for i in range(n_blocks)]
        dual = [values["dual"][:, i] for i in range(3)]
        for _ in range(shape["T"]):
            for i in range(n_blocks):
                others = [
                    sum(COLUMNS[j][r] * x[j] for j in range(n_blocks) if j != i) - dual[r] for r in range(3)
                ]
                length = sum(c * c for c in COLUMNS[i])
                x[i] = -sum(COLUMNS[i][r] * others[r] for r in range(3)) / length
            dual = [dual[r] - sum(COLUMNS[j][r] * x[j] for j in range(n_blocks)) for r in range(3)]
        return sum(y**2 for y in (*x, *dual))

    begun = sum(values["x"][:, i] ** 2 + values["dual"][:, i] ** 2 for i in range(3))
    return {"ended": run(3), "ended_two": run(2), "begun": begun}


def _admm(T):
    return Scene(
        f"ADMM, {T} rounds", ({"T": T},), lambda s: {"x": Box(-1, 1, (3,)), "dual": Box(-1, 1, (3,))}, admm
    )


add(
    "admm",
    "direct extension of ADMM to three blocks; Chen, He, Ye, Yuan 2016",
    "it stays bounded for every convex problem (here zero losses, penalty 1)",
    "ADMM with two blocks stays bounded",
    encoding("admm.100", "100 rounds", END <= 4 * BEGUN, ENDED_TWO <= 4 * BEGUN, BEGUN > 0, scene=_admm(100)),
    encoding(
        "admm.200", "200 rounds", END <= 100 * BEGUN, ENDED_TWO <= 4 * BEGUN, BEGUN > 0, scene=_admm(200)
    ),
)

# ---------------------------------------------------------------- clipped gradients
step_there, free_there = notes.real("step_there free_there")
clipped_loss, least_loss, free_loss = notes.real("clipped_loss least_loss free_loss")


def clipped(shape, values):
    c = values["c"]
    mean = c.sum(axis=1) / shape["M"]
    slopes = mean[:, None] - c
    bound = values["bound"][:, None]
    cut = maximum(-bound, -maximum(-slopes, -bound))
    step, free = cut.sum(axis=1) / shape["M"], slopes.sum(axis=1) / shape["M"]
    loss = lambda x: sq(x[:, None] - c) / (2 * shape["M"])  # noqa: E731
    return {
        "step_there": step, "free_there": free, "least_loss": loss(mean),
        "clipped_loss": loss(mean - step / 2), "free_loss": loss(mean - free / 2),
    }  # fmt: skip


CLIPPED = Scene(
    "clients with quadratic losses, at the minimiser of their mean",
    tuple({"M": M} for M in (2, 3)),
    lambda s: {"c": Box(-4, 8, (s["M"],)), "bound": Box(0.5, 8)},
    Branching(clipped, "any centres"),
)
add(
    "clipping",
    "clipped SGD read for any threshold; Chen, Wu, Hong 2020",
    "a minimiser is a fixed point of averaged clipped gradients",
    "a minimiser is a fixed point of averaged gradients without clipping",
    encoding(
        "clipping.step",
        "the step at the minimiser",
        sp.Eq(step_there, 0),
        sp.Eq(free_there, 0),
        scene=CLIPPED,
    ),
    encoding(
        "clipping.loss",
        "the loss after it",
        clipped_loss <= least_loss,
        free_loss <= least_loss,
        scene=CLIPPED,
    ),
)
