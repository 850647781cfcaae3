"""CFL: weights of past rounds. Are they optimal, is what they minimise a bound, and what does the text make of it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import sympy as sp

from algorithms.arrays import like
from bounds.catalogue import statement
from bounds.cfl_correlated import SPLIT, mixed2, p_cross, p_now, p_square
from bounds.cfl_symbols import D2, F2, G2, R2, t
from bounds.cfl_weights_statements import (
    CURRENT,
    M2,
    NOW,
    SQUARE,
    excess,
    least,
    least_value,
    noise,
    q_cross,
    q_decay,
    q_now,
    q_square,
    slope,
)
from bounds.cfl_weights_text import CURRENT_MORE, TABLE_2, TABLE_9, p_now_more, p_past, p_past_more
from nqm.fields import Array, concatenate, maximum, minimum, sq, stack, where
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.table import row, table
from verify.engine.claim import Claim
from verify.engine.main import main
from verify.engine.rounds import (
    allowance,
    centred,
    chained_drifts,
    decays,
    largest,
    matrix_of,
    mixed_drifts,
    moments,
    pair_sum,
    past_of,
    solved,
    sums,
    with_sum_one,
)
from verify.engine.scene import Box, Scene, Shape, Values

Named = Mapping[str, Any]
SQUARED = Box(0, 4)
"""Range of a squared constant."""


def named(prefix: str, found: Mapping[str, Array]) -> Values:
    return {f"{prefix}_{name}": value for name, value in found.items()}


# ---------------------------------------------------------------------------- drifts that are not correlated


def printed_weights(t: int, drift: Array, loss: Array) -> Array:
    """Weights of Lemma B.4 for the drift D^2, and of Theorem 4.7 for M^2, as printed; (batch, t)."""
    common = t * drift + (t - 1) * loss
    return stack([drift / common] * (t - 1) + [((t - 1) * loss + drift) / common], axis=1)


def objective(values: Named, now: Array, square: Array) -> Array:
    """c_pG + c_R at weights with these sums."""
    return (1 - now) ** 2 * values["R2"] + values["G2"] + values["D2"] * square


def uncorrelated(shape: Shape, values: Named) -> Values:
    """Any weights, written as those of Lemma B.4 and a change."""
    some = {**values, "R2": values["loss"] ** 2}
    weights = printed_weights(shape["t"], some["D2"], some["R2"]) + centred(values["change"])
    found = named("q", sums(weights, 0 * some["D2"]))
    alone = like(some["D2"], 1 - past_of(shape["t"], some["D2"]))
    return {"R2": some["R2"], **found, "fedavg": objective(some, alone[:, -1], sq(alone))}


UNCORRELATED = Scene(
    name="weights for uncorrelated drifts",
    shapes=tuple({"t": t, "N": N, "K": K} for t, N, K in ((1, 1, 1), (2, 1, 1), (3, 1, 1), (3, 2, 3), (5, 1, 2))),
    space=lambda shape: {
        "D2": SQUARED,
        "G2": SQUARED,
        "loss": Box(0, 2),
        "change": Box(-1, 1, (shape["t"],)),
        "sigma2": SQUARED,
        "L": Box(0.1, 10, scale="log"),
        "eta": Box(0.01, 1, scale="log"),
        "eta_g": Box(0.1, 10, scale="log"),
        "away": SQUARED,
    },
    compute=uncorrelated,
)


# ------------------------------------------------------------------------------------- overlapping data


def overlapping(shape: Shape, values: Named) -> Values:
    """Weights of Theorem 4.7 and any others; objective (33) at the former from its definition."""
    shared = minimum(values["F2"], values["D2"])
    alone = maximum(values["D2"] - values["F2"], 0 * values["D2"])
    best = printed_weights(shape["t"], alone, values["R2"])
    at_best = sums(best, alone)
    return {
        "M2": alone,
        "p_square": at_best["square"],
        "p_cross": at_best["cross"],
        "least": objective(values, at_best["now"], at_best["square"]) + shared * at_best["cross"],
        **named("q", sums(best + centred(values["change"]), alone)),
    }


OVERLAPPING = Scene(
    name="weights for overlapping data",
    shapes=tuple({"t": t} for t in (1, 2, 3, 5)),
    space=lambda shape: {
        **{name: SQUARED for name in ("D2", "F2", "R2", "G2", "A2", "B2", "C2")},
        "change": Box(-1, 1, (shape["t"],)),
    },
    compute=overlapping,
)


def overlap_solution(shape: Shape, values: Named) -> Values:
    """Problem (33) solved as a quadratic program."""
    t, ones = shape["t"], 0 * values["D2"] + 1
    shared = values["part"] * values["D2"]
    matrix = matrix_of(0 * ones, values["D2"] - shared, values["R2"], t) + shared[:, None, None]
    best = solved(matrix)
    return {"F2": shared, "M2": values["D2"] - shared, "p_old": best[:, :-1], "p_now": best[:, -1]}


OVERLAP_SOLVED = Scene(
    name="problem (33) solved",
    shapes=tuple({"t": t} for t in (2, 3, 5)),
    space=lambda shape: {"D2": Box(0.05, 4), "part": Box(0, 0.9), "R2": SQUARED},
    compute=overlap_solution,
)


# ------------------------------------------------------------------------------------- gradual change


def gradual(shape: Shape, values: Named) -> Values:
    """Weights that solve (7), any others, and the solution at a larger correlation."""
    t, alpha = shape["t"], values["alpha"]
    form = matrix_of(alpha, values["D2"], values["R2"], t)
    larger = alpha + values["rise"] * (1 - alpha)
    best, best_more = solved(form), solved(matrix_of(larger, values["D2"], values["R2"], t))
    change = centred(values["change"])
    found = sums(best, alpha)
    return {
        **named("p", found),
        "least": values["G2"] + values["R2"] * best[:, :-1].sum(axis=1) ** 2 + values["D2"] * found["decay"],
        **named("q", sums(best + change, alpha)),
        "slope": (change[:, :, None] * form * best[:, None, :]).sum(axis=2).sum(axis=1),
        "excess": pair_sum(change, form),
        "alpha_more": larger,
        "p_now_more": best_more[:, -1],
        "p_past": best[:, :-1].sum(axis=1),
        "p_past_more": best_more[:, :-1].sum(axis=1),
        "p_each": best[:, :-1] if t > 1 else 0 * best,
        "p_each_more": best_more[:, :-1] if t > 1 else 0 * best,
    }


GRADUAL = Scene(
    name="weights for gradual change",
    shapes=tuple({"t": t} for t in (1, 2, 3, 4, 6)),
    space=lambda shape: {
        "alpha": Box(0, 0.95),
        "D2": Box(0.01, 10, scale="log"),
        "R2": Box(0, 10),
        "G2": SQUARED,
        "rise": Box(0, 0.9),
        "change": Box(-1, 1, (shape["t"],)),
    },
    compute=gradual,
)


def keeping_oldest(form: Array) -> Array:
    """Weights >= 0: (7) for the oldest m rounds and the current one, for the largest m whose weight is not negative."""
    t = form.shape[-1]
    best = 0 * form[..., 0] + (1 - past_of(t, form[0, 0, :1]))
    for m in range(1, t):
        index = [*range(m), t - 1]
        part = solved(form[:, index][:, :, index])
        skipped = [0 * part[:, :1]] * (t - 1 - m)
        full = concatenate([part[:, :m], *skipped, part[:, m:]], axis=1)
        best = where(part[:, m - 1 : m] >= 0, full, best)
    return best


def not_negative(shape: Shape, values: Named) -> Values:
    """The weights >= 0 that keep the oldest rounds, and any others >= 0."""
    alpha = values["alpha"]
    best = keeping_oldest(matrix_of(alpha, values["D2"], values["R2"], shape["t"]))
    other = values["raw"] / values["raw"].sum(axis=1)[:, None]
    weights = values["mix"][:, None] * best + (1 - values["mix"])[:, None] * other
    found = sums(best, alpha)
    return {
        "q": weights,
        **named("q", sums(weights, alpha)),
        "kept": values["G2"] + values["R2"] * (1 - found["now"]) ** 2 + values["D2"] * found["decay"],
    }


NOT_NEGATIVE = Scene(
    name="weights that are not negative",
    shapes=GRADUAL.shapes,
    space=lambda shape: {
        **{name: GRADUAL.space(shape)[name] for name in ("alpha", "D2", "R2", "G2")},
        "raw": Box(0, 1, (shape["t"],)),
        "mix": Box(0, 1),
    },
    compute=not_negative,
)


def two_weights(shape: Shape, values: Named) -> Values:
    """Two choices of weights with sum one, and the reductions of the proof of Theorem 4.9 in terms of them."""
    t, alpha = shape["t"], values["alpha"]
    form = matrix_of(alpha, values["D2"], values["R2"], t)
    p, q = with_sum_one(values["p_raw"]), with_sum_one(values["q_raw"])
    u = past_of(t, alpha)
    apart = like(alpha, 1 - past_of(t, 0 * alpha)) if False else None
    del apart
    found = sums(p, alpha)
    return {
        **named("q", sums(q, alpha)),
        "q_pairs": values["D2"] * (pair_sum(q, decays(alpha, t)) - sq(q)),
        "q_loss": values["R2"] * (u * q).sum(axis=1) ** 2,
        "q_form": pair_sum(q, form),
        "least": values["G2"] + values["R2"] * (1 - found["now"]) ** 2 + values["D2"] * found["decay"],
        "slope": ((q - p)[:, :, None] * form * p[:, None, :]).sum(axis=2).sum(axis=1),
        "excess": pair_sum(q - p, form),
    }
