"""Scenes of weights of past rounds in CFL: optimal ones and any others."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from itertools import combinations

from nqm.elimination import solve_semidefinite
from nqm.fields import Array, decided, maximum, minimum, sq, where
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.decay_sums import EXPANSION, OF_CASE_TWO, OF_TWO_WEIGHTS, SEMIDEFINITE
from verify.scenes.cfl.solved_facts import OF_CLOSED, OF_GRADUAL, STATIONARY
from verify.scenes.cfl.weight_sums import CURRENT_ALONE, LEAST, OF_ANY_WEIGHTS, OF_OVERLAP, OF_OVERLAP_SUMS
from verify.scenes.cfl.weights import (
    centred,
    closed_weights,
    decays,
    different,
    loss_matrix,
    matrix_of,
    pair_sum,
    past_of,
    printed_weights,
    solved,
    sums,
)
from verify.scenes.parameters import with_sum_one

SQUARED = Box(0, 4)
"""Range of a squared constant."""


def with_prefix(prefix: str, found: Mapping[str, Array]) -> Values:
    return {f"{prefix}_{name}": value for name, value in found.items()}


# ---------------------------------------------------------------------------- drifts that are not correlated


def objective(values: Named, now: Array, square: Array) -> Array:
    """c_pG + c_R at weights with these sums."""
    return (1 - now) ** 2 * values["R2"] + values["G2"] + values["D2"] * square


def of_past(shape: Shape, weights: Array, drift: Array, loss: Array) -> Values:
    """Squares of arbitrary past weights q, of their differences, and of their differences to the printed weights."""
    t = shape["t"]
    pairs = combinations(range(t - 1), 2)
    below = t * drift + (t - 1) * loss
    return {
        "q_past2": sq(weights[:, :-1]),
        "q_off2": sq(below[:, None] * weights[:, :-1] - drift[:, None]),
        "q_spread": sum(((weights[:, a] - weights[:, b]) ** 2 for a, b in pairs), 0 * weights[:, 0]),
    }


def uncorrelated(shape: Shape, values: Named) -> Values:
    """Arbitrary weights, written as those of Lemma B.4 plus a change."""
    some = {**values, "R2": values["loss"] ** 2}
    best = printed_weights(shape["t"], some["D2"], some["R2"])
    other = best + centred(values["change"])
    return {
        "R2": some["R2"],
        "p_now": best[:, -1],
        "p_square": sq(best),
        "q": other,
        **with_prefix("q", sums(other, 0 * some["D2"])),
    }


def any_weights(shape: Shape, values: Named) -> Values:
    """Sums of any weights that sum to one."""
    weights = with_sum_one(values["raw"])
    return {
        **with_prefix("q", sums(weights, 0 * values["D2"])),
        **of_past(shape, weights, values["D2"], values["R2"]),
    }


ANY_WEIGHTS = Scene(
    name="any weights",
    shapes=tuple({"t": t} for t in (1, 2, 3, 4)),
    space=lambda shape: {**dict.fromkeys(("D2", "R2", "G2"), SQUARED), "raw": Box(-1, 2, (shape["t"],))},
    compute=Proved(any_weights, OF_ANY_WEIGHTS),
)
UNCORRELATED = Scene(
    name="weights for uncorrelated drifts",
    shapes=tuple(
        {"t": t, "N": N, "K": K} for t, N, K in ((1, 1, 1), (2, 1, 1), (3, 1, 1), (3, 2, 3), (5, 1, 2))
    ),
    space=lambda shape: {
        "D2": SQUARED,
        "G2": SQUARED,
        "loss": Box(0, 2),
        "change": Box(-1, 1, (shape["t"],)),
        "sigma2": SQUARED,
        "L": Box(0.1, 10, scale="log"),
        "eta": Box(0.01, 1, scale="log"),
        "eta_g": Box(0.1, 10, scale="log"),
        "to_star": SQUARED,
    },
    compute=Proved(uncorrelated, (LEAST,)),
)


LARGE_LOSS = Scene(
    name="large information loss",
    shapes=tuple({"t": t} for t in (1, 2, 5)),
    space=lambda shape: {"D2": Box(1e-4, 100, scale="log"), "R2": Box(0.01, 1e4, scale="log"), "G2": SQUARED},
)


def current_alone(shape: Shape, values: Named) -> Values:
    """FedAvg: the current round has all the weight."""
    alone = 1 - past_of(shape["t"], values["D2"])
    return {"fedavg": objective(values, alone[:, -1], sq(alone))}


ALONE = Scene(
    name="the current round alone",
    shapes=tuple({"t": t} for t in (1, 2, 3)),
    space=lambda shape: dict.fromkeys(("D2", "R2", "G2"), SQUARED),
    compute=Proved(current_alone, (CURRENT_ALONE,)),
)


# ------------------------------------------------------------------------------------- overlapping data


def overlapping(shape: Shape, values: Named) -> Values:
    """Weights of Theorem 4.7 and arbitrary ones; objective (33) at the former from its definition."""
    shared = minimum(values["F2"], values["D2"])
    alone = maximum(values["D2"] - values["F2"], 0 * values["D2"])
    best = printed_weights(shape["t"], alone, values["R2"])
    at_best = sums(best, alone)
    other = best + centred(values["change"])
    return {
        "M2": alone,
        **with_prefix("p", at_best),
        "least": objective(values, at_best["now"], at_best["square"]) + shared * at_best["cross"],
        **with_prefix("q", sums(other, alone)),
        **of_past(shape, other, alone, values["R2"]),
    }


OVERLAPPING = Scene(
    name="weights for overlapping data",
    shapes=tuple({"t": t} for t in (2, 3, 5)),
    space=lambda shape: {
        **dict.fromkeys(("D2", "F2", "R2", "G2", "A2", "B2", "C2"), SQUARED),
        "change": Box(-1, 1, (shape["t"],)),
    },
    compute=Proved(overlapping, OF_OVERLAP_SUMS),
)


def overlap_solution(shape: Shape, values: Named) -> Values:
    """Problem (33) solved as a quadratic program."""
    shared = values["part"] * values["D2"]
    alone = values["D2"] - shared
    best = solved(matrix_of(0 * alone, alone, values["R2"], shape["t"]) + shared[:, None, None])
    return {"F2": shared, "M2": alone, "p_old": best[:, :-1], "p_now": best[:, -1]}


OVERLAP_SOLVED = Scene(
    name="problem (33) solved",
    shapes=tuple({"t": t} for t in (2, 3, 4, 5)),
    space=lambda shape: {"D2": Box(0.05, 4), "part": Box(0, 0.9), "R2": SQUARED},
    compute=Proved(overlap_solution, OF_OVERLAP),
)


# ------------------------------------------------------------------------------------- gradual change


def gradual(shape: Shape, values: Named) -> Values:
    """Weights that solve (7), arbitrary weights, and the solution for a larger correlation."""
    t, alpha = shape["t"], values["alpha"]
    form = matrix_of(alpha, values["D2"], values["R2"], t)
    larger = alpha + values["rise"] * (1 - alpha)
    best, best_more = solved(form), solved(matrix_of(larger, values["D2"], values["R2"], t))
    change = centred(values["change"])
    found = sums(best, alpha)
    return {
        **with_prefix("p", found),
        "last_pivot": solve_semidefinite(form, 0 * form[..., 0] + 1).sum(axis=-1),
        "least": values["G2"] + values["R2"] * best[:, :-1].sum(axis=1) ** 2 + values["D2"] * found["decay"],
        **with_prefix("q", sums(best + change, alpha)),
        "tilt": (change[:, :, None] * form * best[:, None, :]).sum(axis=2).sum(axis=1),
        "zQz": pair_sum(change, form),
        "alpha_more": larger,
        "p_now_more": best_more[:, -1],
        "p_each": best[:, :-1] if t > 1 else 0 * best,
        "p_each_more": best_more[:, :-1] if t > 1 else 0 * best,
    }


ROUNDS = tuple({"t": t} for t in (1, 2, 3, 4, 5))


def gradual_space(shape: Shape) -> dict[str, Box]:
    return {
        "alpha": Box(0, 0.95),
        "D2": Box(0.01, 10, scale="log"),
        "R2": Box(0, 10),
        "G2": SQUARED,
        "rise": Box(0, 0.9),
        "change": Box(-1, 1, (shape["t"],)),
    }


def two_weights(shape: Shape, values: Named) -> Values:
    """Two choices of weights with sum one, and the objective as rewritten in the proof of Theorem 4.9."""
    t, alpha = shape["t"], values["alpha"]
    form = matrix_of(alpha, values["D2"], values["R2"], t)
    p, q = with_sum_one(values["p_raw"]), with_sum_one(values["q_raw"])
    found = sums(p, alpha)
    least = values["G2"] + values["R2"] * (1 - found["now"]) ** 2 + values["D2"] * found["decay"]
    return {
        **with_prefix("q", sums(q, alpha)),
        "q_loss": pair_sum(q, loss_matrix(values["R2"], t)),
        "q_form": pair_sum(q, form),
        "least": least,
        "kept": least,
        "tilt": ((q - p)[:, :, None] * form * p[:, None, :]).sum(axis=2).sum(axis=1),
        "zQz": pair_sum(q - p, form),
    }


TWO_WEIGHTS = Scene(
    name="two choices of weights",
    shapes=tuple({"t": t} for t in (1, 2, 3, 4, 5)),
    space=lambda shape: {
        "alpha": Box(0, 0.95),
        **dict.fromkeys(("D2", "R2", "G2"), SQUARED),
        "p_raw": Box(-1, 2, (shape["t"],)),
        "q_raw": Box(-1, 2, (shape["t"],)),
    },
    compute=Proved(two_weights, OF_TWO_WEIGHTS),
)


def case_two(shape: Shape, values: Named) -> Values:
    """Assumption 7 as a case of Assumption 5: F2 of a pair is alpha to its distance times D2."""
    t, q, variance = shape["t"], with_sum_one(values["q_raw"]), values["D2"][:, None, None]
    near = variance * decays(values["alpha"], t)
    smaller = where(decided(operator.le, near, variance + 0 * near), near, variance + 0 * near)
    return {**with_prefix("q", sums(q, values["alpha"])), "q_pairs": pair_sum(q, smaller * different(t, q))}


CASE_TWO = TWO_WEIGHTS.variant("case 2 of case 5", compute=Proved(case_two, OF_CASE_TWO))


def closed(shape: Shape, values: Named) -> Values:
    """The closed form inserted into (7); the directional derivative towards other weights with the same sum."""
    t, alpha = shape["t"], values["alpha"]
    weights = closed_weights(t, alpha, values["D2"], values["R2"])
    rows = (matrix_of(alpha, values["D2"], values["R2"], t) * weights[:, None, :]).sum(axis=2)
    tilt = (centred(values["change"]) * rows).sum(axis=1) / weights.sum(axis=1)
    return {"row": rows, "last_row": rows[:, -1], "tilt": tilt, "p_now": weights[:, -1] / weights.sum(axis=1)}


CLOSED = Scene(
    name="closed form of the weights",
    shapes=tuple({"t": t} for t in range(1, 6)),
    space=lambda shape: {
        "alpha": Box(0, 0.95),
        "D2": Box(0.05, 4),
        "R2": SQUARED,
        "change": Box(-1, 1, (shape["t"],)),
    },
    compute=Proved(closed, OF_CLOSED),
)
GRADUAL = Scene(
    name="weights for gradual change",
    shapes=ROUNDS,
    space=gradual_space,
    compute=Proved(gradual, (EXPANSION, STATIONARY, SEMIDEFINITE, *OF_GRADUAL)),
)
