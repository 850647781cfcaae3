"""Scenes of sums of local steps along delayed gradients (C-FLAG, Eq. 4, 5, 17-22, 31, 32): arbitrary gradients and orders."""

from __future__ import annotations

import numpy as np

from bounds.cflag.drift import WEIGHTS
from nqm.fields import Array, like, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.local_steps import Round, all_orders, local_round, mean_of, orders, refreshed
from verify.scenes.cflag.step_facts import AVERAGE_MOVE, IN_STEPS
from verify.scenes.cflag.step_facts import TOY as TOY_EXAMPLE
from verify.scenes.parameters import column, with_sum_one


def any_round(shape: Shape, values: Named, fresh: list[Array], p: Array) -> Round:
    """Local steps along arbitrary gradients (batch, E, N, S, d); the axis of orders follows that of the batch."""
    grads = iter([values["grads"][:, None, step] for step in range(shape["E"])])
    start = values["start"][:, None, None, :] + 0 * values["grads"][:, None, 0, :, 0]
    start = sum((0 * drawn[..., :1] for drawn in fresh), start)
    return local_round(
        lambda x: next(grads) + 0 * x[..., None, :], start, column(values["beta"], 3), p, fresh
    )


def last_drawn(shape: Shape) -> np.ndarray:
    """tau of Eq. (5) in every order: (E, order, N, S) ints, computed step by step as in the text."""
    S, E, chosen = shape["S"], shape["E"], orders(shape)
    tau = np.zeros((E, len(chosen), shape["N"], S), dtype=int)
    for step in range(1, E):
        drawn = chosen[..., step - 1, None] == np.arange(S)
        tau[step] = np.where(drawn, step, tau[step - 1])
    return tau


def identities(shape: Shape, values: Named, p: Array) -> Values:
    """Vectors of Eq. (4), (5), (17)-(22), (31), (32), (95) for every order of refreshing."""
    N, S, E = (shape[name] for name in "NSE")
    run = any_round(shape, values, all_orders(shape, values["start"]), p[:, None])
    client, sample = np.arange(N)[:, None], np.arange(S)
    tau = last_drawn(shape)
    there = [values["grads"][:, tau[step], client, sample] for step in range(E)]
    each = lambda x: stack(x, -1)  # noqa: E731
    steps = [a - b for a, b in zip(run.points, run.points[1:], strict=False)]
    passed = lambda step, l: like(run.p, (tau[step] <= l).astype(int))[..., None]  # noqa: E731
    between = [
        sum(passed(step, l) * steps[l][..., None, :] for l in range(step)) + 0 * run.used[step]
        for step in range(E)
    ]
    here = [x[..., None, :] for x in run.points[:-1]]
    g_t = run.global_gradient[..., None, :] + 0 * run.exact[0]
    return {
        "p_sum": p.sum(axis=-1),
        "x_t": run.points[0],
        "x_end": run.points[-1],
        "x_now": each(run.points[:-1]),
        "x_next": each(run.points[1:]),
        "g_t": g_t,
        "gi_t": run.exact[0],
        "gi_now": each(run.exact),
        "gp": each(run.delayed),
        "gp_start": run.delayed[0],
        "gp_tau": each([mean_of(x) for x in there]),
        "e_vec": each([mean_of(a - b) for a, b in zip(there, run.components, strict=True)]),
        "lag": each([a - b for a, b in zip(run.evaluated, here, strict=True)]),
        "lag_path": each(between),
        "gps": stack(run.delayed, 0),
        "gps_mean": stack([run.average(x) for x in run.delayed], 0),
        "mean_move": run.average(run.points[-1] - run.points[0]),
        "mean_shift": run.average(g_t - run.exact[0]),
    }


def _free_space(shape: Shape) -> dict[str, Box]:
    N, S, E, d = (shape[name] for name in "NSEd")
    return {
        "grads": Box(-2, 2, (E, N, S, d)),
        "start": Box(-2, 2, (d,)),
        "raw": Box(0, 1, (N,)),
        "beta": Box(0.01, 2, scale="log"),
    }


ANY = Scene(
    name="local steps along any gradients",
    shapes=tuple(
        {"N": N, "S": S, "E": E, "d": 1}
        for N, S, E in ((1, 1, 1), (1, 1, 2), (2, 1, 2), (1, 2, 3), (1, 3, 3), (2, 2, 3), (1, 2, 4))
    ),
    space=_free_space,
    compute=Proved(
        lambda shape, values: identities(shape, values, with_sum_one(values["raw"])), IN_STEPS, WEIGHTS
    ),
    steps=("beta",),
    free_step=lambda name, shape, values: 1,
    covers="equal as polynomials in the step size and the gradients, which are arbitrary, for every order of refreshing, up "
    "to 2 clients, 3 samples and 4 steps; a further step adds the same to both sides, in every coordinate",
)
ANY_WEIGHTS = ANY.variant(
    "the same with any weights",
    compute=Proved(lambda shape, values: identities(shape, values, values["raw"]), (AVERAGE_MOVE,)),
)


def toy(shape: Shape, values: Named) -> Values:
    """The toy example: the first sample is drawn at k = 1, the third at k = 2."""
    drawn = refreshed(shape, like(values["start"], [[0, 2]]) + 0 * values["start"][:, None])
    run = any_round(shape, values, [x[:, None] for x in drawn], 1 + 0 * values["start"][:, None])
    sample = lambda step: stack([run.components[step][..., j, :] for j in range(3)], 0)  # noqa: E731
    return {
        "toy": run.delayed[1],
        "toy_next": run.delayed[2],
        "fresh": sample(1),
        "old": sample(0),
        "third": sample(2)[2],
    }


TOY = ANY.variant(
    "toy example",
    shapes=({"N": 1, "S": 3, "E": 3, "d": 1},),
    compute=Proved(toy, TOY_EXAMPLE),
    covers="equal as polynomials in the gradients, which are arbitrary; the same in every coordinate",
)
TWICE = TOY.variant("both lines of the toy example", covers="")
