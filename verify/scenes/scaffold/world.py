"""SCAFFOLD on quadratic losses on a line: whole runs, with every sample of the clients, exact in the noise."""

from __future__ import annotations

from itertools import combinations

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.scaffold.rounds import PART
from bounds.scaffold.symbols import R, behinds, beta, far, gaps, lags, left, mu, sigma2
from nqm.fields import Array
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.letters import named
from verify.scenes.on_a_line import SHARES, SWITCH, Losses, Model, Noise, added, away, expected, mean, noisy

steepest, flattest, overall, bias, together = named("steepest, flattest, overall, bias, together", real=True)
first_gap = sp.Symbol("first gap", real=True)
first_far, first_lag, first_behind, spread_ = named(
    "first distance, first lag, first behind, variance", nonnegative=True
)
SMOOTH, VARIANCE, UNBIASED, INDEPENDENT = (
    le(steepest, beta),
    le(spread_, sigma2),
    eq(bias, 0),
    eq(together, 0),
)
CONVEX = (SMOOTH, ge(flattest, mu), VARIANCE, UNBIASED, INDEPENDENT)
NONCONVEX = (SMOOTH, ge(flattest, -beta), ge(overall, 0), VARIANCE, UNBIASED, INDEPENDENT)
CONVEX_LETTERS = {far[0]: first_far, lags[0]: first_lag, left: PART**R}
NONCONVEX_LETTERS = {gaps[0]: first_gap, behinds[0]: first_behind}
State = tuple[Model, list[Model]]


def _space(shape: Shape) -> dict[str, Box]:
    each = (shape["N"],)
    return {
        "curvature": Box(0.1, 2, each),
        "turned": Box(-1, 1, each, levels=(-1, 1)),
        "down": SWITCH,
        "c": Box(-2, 2, each),
        "away": Box(0.0001, 3, scale="log"),
        "memory": Box(-1, 1, each),
        "step": Box(0.0001, 400, levels=(0.0001, 0.5, 1, 1, 400)),
        "eta_g": Box(0.02, 4, levels=(0.02, 1, 1, 4)),
        "share_mu": Box(0.001, 20, levels=(0.001, 0.5, 1, 20)),
        "share_beta": SHARES,
        "share_sigma2": SHARES,
        "spread_": Box(1e-6, 4, scale="log"),
        "bias": SWITCH,
        "together": SWITCH,
        "z": Box(0.05, 1.2),
    }


def _rounds(shape: Shape, values: Named, losses: Losses, noise: Noise, h: Array) -> list[list[State]]:
    """The server's model and the control variates of all clients after each round, for each course of the samples."""
    K, N = shape["K"], shape["N"]
    local = h / (K * values["eta_g"])
    begin, held_at = _starts(values, losses)
    start = noise.fixed(begin)
    held = [losses.gradient(i, noise.fixed(held_at[:, i])) for i in range(N)]
    course: list[list[State]] = [[(start, held)]]
    for r in range(shape["R"]):
        states = []
        for x, controls in course[-1]:
            ends, renewed = zip(
                *(_local(i, x, controls, (losses, noise, local), r, shape, values["bias"]) for i in range(N)),
                strict=True,
            )
            for some in combinations(range(N), shape["S"]):
                step = mean([added((1, ends[i]), (-1, x)) for i in some])
                kept = [renewed[i] if i in some else controls[i] for i in range(N)]
                states.append((added((1, x), (values["eta_g"], step)), kept))
        course.append(states)
    return course


def _starts(values: Named, losses: Losses) -> tuple[Array, Array]:
    """The first model, and the models at which the control variates were computed."""
    begin = losses.optimum + values["away"]
    return begin, begin[:, None] + values["away"][:, None] * values["memory"]


def _local(
    i: int,
    x: Model,
    controls: list[Model],
    world: tuple[Losses, Noise, Array],
    r: int,
    shape: Shape,
    bias: Array,
) -> tuple[Model, Model]:
    """The model of a client after its local steps, and the mean of its gradients."""
    losses, noise, local = world
    overall, y, gradients = mean(controls), x, []
    for k in range(shape["K"]):
        gradients.append(noisy(losses.gradient(i, y), noise, r * shape["K"] + k, i, bias))
        y = added((1, y), (-local, gradients[-1]), (local, controls[i]), (-local, overall))
    return y, mean(gradients)


def _run(shape: Shape, values: Named) -> Values:
    N, S, R = shape["N"], shape["S"], shape["R"]
    losses = Losses(
        values["curvature"] * (1 - values["down"] + values["down"] * values["turned"].T).T, values["c"]
    )
    noise = Noise(R * shape["K"], N, values["spread_"], values["together"])
    smooth = values["share_beta"] * losses.steepest
    h = values["step"] / (81 * smooth)
    course = _rounds(shape, values, losses, noise, h)
    mu = values["share_mu"] * losses.flattest
    kept = 1 - mu * h / 2
    (start, held), (begin, held_at) = course[0][0], _starts(values, losses)
    gaps = [expected([losses.gap(x, noise) for x, _ in states]) for states in course]
    slopes = [expected([noise.squared(losses.mean_gradient(x)) for x, _ in states]) for states in course]
    return {
        "steepest": losses.steepest,
        "flattest": losses.flattest,
        "overall": losses.curvature.sum(axis=1),
        "variance": noise.variance,
        "beta": smooth,
        "mu": mu,
        "sigma2": values["share_sigma2"] * noise.variance,
        "h": h,
        "spread": (0 * h + N - S) / (S * (N - 1)),
        "first distance": noise.squared(away(start, losses.optimum)),
        "first lag": expected([noise.squared(away(held[i], losses.slopes[:, i])) for i in range(N)]),
        "first behind": expected([(held_at[:, i] - begin) ** 2 for i in range(N)]),
        "first gap": gaps[0],
        "progress": sum(kept ** (R - 1 - r) * gaps[r] for r in range(R)),
        "weight": sum(kept ** (R - 1 - r) for r in range(R)),
        "slopes": sum(slopes[:R]),
    }


WORLD = Scene(
    name="SCAFFOLD on a line",
    shapes=tuple(
        {"N": N, "S": S, "K": K, "R": R}
        for N, S, K, R in (
            *((2, 2, 1, 1), (2, 2, 2, 1), (2, 1, 2, 2), (3, 3, 2, 2), (3, 1, 2, 3), (2, 2, 3, 4)),
            *((4, 1, 2, 2),),
        )
    ),
    space=_space,
    compute=_run,
)
