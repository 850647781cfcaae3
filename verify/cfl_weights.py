"""CFL: weights of past rounds. Are they optimal, is what they minimise a bound, and what does the text make of it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl_correlated import SPLIT, mixed2, p_AC, p_cross, p_decay, p_FD, p_square
from bounds.cfl_symbols import A2, C2, D2, F2, g2
from bounds.cfl_tables import TABLE_9
from bounds.cfl_weights_text import TABLE_2
from nqm.fields import Array, maximum, minimum, sq
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.table import row, table
from verify.engine.claim import Claim
from verify.engine.drifts import CHAINED, CHAINED_OPTIMAL, EQUAL, OVERLAP, POINT
from verify.engine.main import main
from verify.engine.scene import Box, Condition, Scene, Shape, Values
from verify.engine.weights import (
    centred,
    closed_weights,
    decays,
    different,
    keeping_oldest,
    loss_matrix,
    matrix_of,
    pair_sum,
    past_of,
    printed_weights,
    solved,
    sums,
    with_sum_one,
)

Named = Mapping[str, Any]
SQUARED = Box(0, 4)
"""Range of a squared constant."""


def named(prefix: str, found: Mapping[str, Array]) -> Values:
    return {f"{prefix}_{name}": value for name, value in found.items()}


# ---------------------------------------------------------------------------- drifts that are not correlated


def objective(values: Named, now: Array, square: Array) -> Array:
    """c_pG + c_R at weights with these sums."""
    return (1 - now) ** 2 * values["R2"] + values["G2"] + values["D2"] * square


def uncorrelated(shape: Shape, values: Named) -> Values:
    """Any weights, written as those of Lemma B.4 and a change."""
    some = {**values, "R2": values["loss"] ** 2}
    best = printed_weights(shape["t"], some["D2"], some["R2"])
    other = best + centred(values["change"])
    return {
        "R2": some["R2"],
        "p_now": best[:, -1],
        "p_square": sq(best),
        "q": other,
        **named("q", sums(other, 0 * some["D2"])),
    }


def any_weights(shape: Shape, values: Named) -> Values:
    """Sums of any weights that sum to one."""
    weights = with_sum_one(values["raw"])
    pairs = combinations(range(shape["t"] - 1), 2)
    return {
        **named("q", sums(weights, 0 * values["D2"])),
        "q_past2": sq(weights[:, :-1]),
        "q_spread": sum(((weights[:, a] - weights[:, b]) ** 2 for a, b in pairs), 0 * values["D2"]),
    }


ANY_WEIGHTS = Scene(
    name="any weights",
    shapes=tuple({"t": t} for t in (1, 2, 3, 4)),
    space=lambda shape: {
        **dict.fromkeys(("D2", "R2", "G2"), SQUARED),
        "raw": Box(-1, 2, (shape["t"],)),
    },
    compute=any_weights,
    covers="equal as polynomials for t = 1 to 4; both sides are quadratic in the weights, and the coefficient of a pair "
    "of past rounds is the same for every t, that of a round a polynomial of degree 1 in t",
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
    compute=uncorrelated,
)


LARGE_LOSS = Scene(
    name="large information loss",
    shapes=tuple({"t": t} for t in (1, 2, 5)),
    space=lambda shape: {"D2": Box(1e-4, 100, scale="log"), "R2": Box(0.01, 1e4, scale="log"), "G2": SQUARED},
    compute=lambda shape, values: {},
)


def current_alone(shape: Shape, values: Named) -> Values:
    """FedAvg: the current round has all the weight."""
    alone = 1 - past_of(shape["t"], values["D2"])
    return {"fedavg": objective(values, alone[:, -1], sq(alone))}


ALONE = Scene(
    name="the current round alone",
    shapes=tuple({"t": t} for t in (1, 2, 3)),
    space=lambda shape: dict.fromkeys(("D2", "R2", "G2"), SQUARED),
    compute=current_alone,
    covers="equal as polynomials for t = 1 to 3; the weights (0, .., 0, 1) have the same sums for every t",
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
        **named("p", at_best),
        "least": objective(values, at_best["now"], at_best["square"]) + shared * at_best["cross"],
        **named("q", sums(best + centred(values["change"]), alone)),
    }


OVERLAPPING = Scene(
    name="weights for overlapping data",
    shapes=tuple({"t": t} for t in (2, 3, 5)),
    space=lambda shape: {
        **dict.fromkeys(("D2", "F2", "R2", "G2", "A2", "B2", "C2"), SQUARED),
        "change": Box(-1, 1, (shape["t"],)),
    },
    compute=overlapping,
)


OVERLAPPING_SUMS = replace(
    OVERLAPPING,
    name="sums of the weights for overlapping data",
    covers="equal as rational functions for t = 2, 3, 5; the weights of past rounds are equal, so that every sum is a "
    "polynomial of degree 2 in t over the squared denominator",
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
        "tilt": (change[:, :, None] * form * best[:, None, :]).sum(axis=2).sum(axis=1),
        "zQz": pair_sum(change, form),
        "alpha_more": larger,
        "p_now_more": best_more[:, -1],
        "p_each": best[:, :-1] if t > 1 else 0 * best,
        "p_each_more": best_more[:, :-1] if t > 1 else 0 * best,
    }


GRADUAL = Scene(
    name="weights for gradual change",
    shapes=tuple({"t": t} for t in (1, 2, 3, 4, 5)),
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


def not_negative(shape: Shape, values: Named) -> Values:
    """The weights >= 0 that keep the oldest rounds, and any others >= 0."""
    alpha = values["alpha"]
    best = keeping_oldest(matrix_of(alpha, values["D2"], values["R2"], shape["t"]))
    other = values["raw"] / values["raw"].sum(axis=1)[:, None]
    weights = best + values["mix"][:, None] * (other - best)
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
    """Two choices of weights with sum one; what the proof of Theorem 4.9 makes of the objective."""
    t, alpha = shape["t"], values["alpha"]
    form = matrix_of(alpha, values["D2"], values["R2"], t)
    p, q = with_sum_one(values["p_raw"]), with_sum_one(values["q_raw"])
    found = sums(p, alpha)
    return {
        **named("q", sums(q, alpha)),
        "q_loss": pair_sum(q, loss_matrix(values["R2"], t)),
        "q_form": pair_sum(q, form),
        "least": values["G2"] + values["R2"] * (1 - found["now"]) ** 2 + values["D2"] * found["decay"],
        "tilt": ((q - p)[:, :, None] * form * p[:, None, :]).sum(axis=2).sum(axis=1),
        "zQz": pair_sum(q - p, form),
    }


TWO_WEIGHTS = Scene(
    name="two choices of weights",
    shapes=tuple({"t": t} for t in (1, 2, 3)),
    space=lambda shape: {
        "alpha": Box(0, 0.95),
        **dict.fromkeys(("D2", "R2", "G2"), SQUARED),
        "p_raw": Box(-1, 2, (shape["t"],)),
        "q_raw": Box(-1, 2, (shape["t"],)),
    },
    compute=two_weights,
    covers="equal as polynomials for t = 1 to 3; both sides are quadratic in the weights, and the coefficient of a pair "
    "of rounds is the same for every t once one of the two, both or none of them is the current round",
)


def case_two(shape: Shape, values: Named) -> Values:
    """Assumption 7 as a case of Assumption 5: F2 of a pair is alpha to its distance times D2."""
    t, q, variance = shape["t"], with_sum_one(values["q_raw"]), values["D2"][:, None, None]
    smaller = minimum(variance * decays(values["alpha"], t), variance + 0 * decays(values["alpha"], t))
    return {**named("q", sums(q, values["alpha"])), "q_pairs": pair_sum(q, smaller * different(t, q))}


CASE_TWO = replace(TWO_WEIGHTS, name="case 2 of case 5", compute=case_two, covers="")


def closed(shape: Shape, values: Named) -> Values:
    """The closed form put into (7); slope towards any other weights with the same sum."""
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
    compute=closed,
    covers="equal as rational functions for t = 1 to 5; for every t by the tridiagonal inverse of alpha^|a-b|, "
    "as bounds.cfl_weights derives",
)


# --------------------------------------------------------------------------------------------- the matrix Q


def forms(shape: Shape, values: Named) -> Values:
    """Quadratic forms of Q, M_F and M_R, and what M_R does to two vectors."""
    t, alpha, z = shape["t"], values["alpha"], values["z"]
    drift = values["D2"][:, None, None] * decays(alpha, t)
    u, loss = past_of(t, z) + 0 * z, loss_matrix(values["R2"], t)
    times = lambda x: (loss * x[:, None, :]).sum(axis=2)  # noqa: E731
    past = (u * z).sum(axis=1)
    tails = [sum(alpha ** (tau - s) * z[:, tau] for tau in range(s, t)) for s in range(t)]
    return {
        "z2": sq(z),
        "zQz": pair_sum(z, matrix_of(alpha, values["D2"], values["R2"], t)),
        "zMz": pair_sum(z, drift),
        "zMRz": pair_sum(z, loss),
        "u": u,
        "MRu": times(u),
        "MRv": times(z - u * past[:, None] / max(t - 1, 1)),
        "z_past": past,
        "z_first": tails[0],
        "z_tails": sum((tail**2 for tail in tails[1:]), 0 * alpha),
    }


FORMS = Scene(
    name="forms of Q",
    shapes=tuple({"t": t} for t in (1, 2, 3, 4, 5)),
    space=lambda shape: {"alpha": Box(0, 0.95), "D2": SQUARED, "R2": SQUARED, "z": Box(-2, 2, (shape["t"],))},
    compute=forms,
    covers="equal as polynomials for t = 1 to 5; the coefficient of a pair of entries of z does not depend on t, but on "
    "whether they are past (powers of alpha are geometric sums)",
)


def row_operations(shape: Shape, values: Named) -> Values:
    """One entry of M_F after elimination below the diagonal."""
    rest = values["D2"][:, None, None] * decays(values["alpha"], shape["t"])
    for _ in range(shape["i"] - 1):
        factor = rest[:, 1:, :1] / rest[:, :1, :1]
        rest = rest[:, 1:, 1:] - factor * rest[:, :1, 1:]
    return {"eliminated": rest[:, 0, shape["j"] - shape["i"]]}


ROWS = Scene(
    name="row operations on M_F",
    shapes=tuple(
        {"t": j + more, "i": i, "j": j}
        for i, j, more in ((2, 2, 0), (2, 3, 0), (3, 3, 0), (2, 4, 1), (4, 4, 0))
    ),
    space=lambda shape: {"alpha": Box(0.05, 0.95), "D2": Box(0.05, 4)},
    compute=row_operations,
    covers="equal as rational functions for i <= j <= 4; a row less alpha times the row above it is the row that is "
    "printed, for every i and j",
)

ENTRIES = Scene(
    name="whole D^2, R^2 and distance",
    shapes=tuple(
        {"apart": apart, "D2": D, "R2": R} for apart, D, R in ((0, 1, 1), (1, 1, 1), (1, 2, 1), (2, 1, 3))
    ),
    space=lambda shape: {"alpha": Box(0.05, 0.95)},
    compute=lambda shape, values: {},
)


# ------------------------------------------------------------------------------------------------ the tables


TABLE_2_ROW = Scene(
    name="a row of Table 2",
    shapes=({"t": 4},),
    space=lambda shape: {
        "alpha": Box(0, 0.99),
        "D": Box(0.01, 10),
        "R": Box(0, 10),
        "printed": Box(-1, 1, (shape["t"],)),
    },
    compute=lambda shape, values: {
        "solved": solved(matrix_of(values["alpha"], values["D"] ** 2, values["R"] ** 2, shape["t"])),
        "solved_squares": solved(matrix_of(values["alpha"], values["D"], values["R"], shape["t"])),
    },
)
_table_2 = table({f"row {n}": row({"t": 4}, entries) for n, entries in enumerate(TABLE_2, start=1)})

TABLE_9_ROWS = Scene(
    name="accuracies of Table 9",
    shapes=({"methods": 4},),
    space=lambda shape: {name: Box(0, 100, (shape["methods"],)) for name in ("less", "more")},
    compute=lambda shape, values: {"plain": values["less"][:, 0], "core_set": values["less"][:, 2]},
)
_ACCURACIES = {overlap: [n.value for n in printed.values()] for overlap, printed in TABLE_9.items()}
_growing_overlap = table(
    {
        f"{a} to {b}": row({"methods": 4}, {"less": _ACCURACIES[a], "more": _ACCURACIES[b]})
        for a, b in pairwise(_ACCURACIES)
    }
)
_every_overlap = table(
    {a: row({"methods": 4}, {"less": found, "more": found}) for a, found in _ACCURACIES.items()}
)

TABLE_1_CL = Scene(
    name="entries of Table 1 for CL",
    shapes=({},),
    space=lambda shape: {"general": Box(0, 1, levels=(0, 1))},
    compute=lambda shape, values: {},
)
_yin = table({"Yin et al.": row({}, {"general": "0"})})

# ------------------------------------------------------------------------------------------------- the claims


def _says(*ids: str) -> tuple[Condition, ...]:
    """What judged statements say: premises of a proof."""
    return tuple(statement(id).relation for id in ids)


def _claim(id: str, check: Any, scene: Scene | None = None, *premises: Any) -> Claim:
    return Claim(statement(id), (check,), scene, premises)


_PARTS = _says("cfl.opt-case2.drift/nonnegative", "cfl.opt-case2.loss/nonnegative")
# The square of the weighted time drift, term by term: for weights that are not negative, or correlations that are known
_DRIFT = D2 + A2 * g2
_BY_PAIRS = (
    sp.Le(mixed2, _DRIFT * p_square + sp.Min(_DRIFT, F2 + C2 * g2) * p_cross),
    sp.Ge(p_cross, 0),
)
_EVERY_PAIR = sp.Le(mixed2, _DRIFT * p_square + p_FD + p_AC * g2)
_DECAYING = sp.Le(mixed2, _DRIFT * p_decay)
CLAIMS = (
    _claim("cfl.tab2", _table_2, TABLE_2_ROW),
    _claim("cfl.tab2/squares", _table_2, TABLE_2_ROW),
    _claim("cfl.lemB.4/past", identity, ANY_WEIGHTS),
    _claim("cfl.lemB.4/spread", identity, ANY_WEIGHTS),
    _claim("cfl.lemB.4/least", inequality, ANY_WEIGHTS, *_says("cfl.lemB.4/past", "cfl.lemB.4/spread")),
    _claim("cfl.lemB.4", inequality, UNCORRELATED, *_says("cfl.min-value", "cfl.lemB.4/least")),
    _claim("cfl.lemB.4.c1", inequality, UNCORRELATED, *_says("cfl.lemB.4")),
    _claim("cfl.lemB.4.c2", inequality, UNCORRELATED, *_says("cfl.lemB.4")),
    _claim("cfl.lemB.4.convergence", inequality, UNCORRELATED),
    _claim("cfl.min-value", identity),
    _claim("cfl.min-value.split", identity),
    _claim("cfl.prop4.3", inequality),
    _claim("cfl.prop4.3.limit", identity),
    _claim("cfl.prop4.3.improvement", inequality, None, *_says("cfl.prop4.3")),
    _claim("cfl.rem4.2.strongly", agreement),
    _claim("cfl.rem4.2.strongly/one-client", agreement),
    _claim("cfl.rem4.2.convex", agreement),
    _claim("cfl.rem4.2.convex/one-client", agreement),
    _claim("cfl.rem4.2.yin", _yin, TABLE_1_CL),
    _claim("cfl.rem4.5.special", identity, ALONE),
    _claim("cfl.rem4.5.rate", inequality, LARGE_LOSS),
    _claim("cfl.rem4.5.weight", inequality, LARGE_LOSS),
    _claim("cfl.rem4.6.variance", inequality),
    _claim("cfl.rem4.6.convex", inequality),
    _claim("cfl.rem4.6.nonconvex", inequality),
    _claim("cfl.rem4.6.factor", agreement),
    _claim("cfl.rem4.6.accuracy", inequality),
    _claim("cfl.lemB.7", bound, OVERLAP),
    _claim("cfl.lemB.7.split", identity, POINT),
    _claim("cfl.lemB.7.time", bound, OVERLAP),
    _claim("cfl.lemB.7/nonnegative", bound, OVERLAP),
    _claim(
        "cfl.lemB.7/corrected",
        bound,
        OVERLAP,
        *_says("cfl.lemB.7.split", "cfl.lemB.7.time/corrected"),
    ),
    _claim("cfl.lemB.7.time/corrected", bound, OVERLAP, *_BY_PAIRS),
    _claim("cfl.lemB.7.c_pG", agreement),
    _claim("cfl.eq33/products", identity, ANY_WEIGHTS),
    _claim("cfl.eq33/reduced", identity, OVERLAPPING, *_says("cfl.eq33/products")),
    _claim("cfl.eq33/least", inequality, OVERLAPPING, *_says("cfl.lemB.4/past", "cfl.lemB.4/spread")),
    _claim(
        "cfl.eq33",
        inequality,
        OVERLAPPING,
        *_says("cfl.thm4.7.variance/corrected", "cfl.eq33/least", "cfl.eq33/reduced"),
    ),
    _claim("cfl.eq33.past", identity, OVERLAP_SOLVED),
    _claim("cfl.eq33.current", identity, OVERLAP_SOLVED),
    _claim("cfl.eq33.substitution", agreement),
    _claim("cfl.thm4.7.weights", identity),
    _claim("cfl.thm4.7.variance", identity, OVERLAPPING),
    _claim("cfl.thm4.7.variance/objective", identity, OVERLAPPING_SUMS),
    _claim("cfl.thm4.7.variance/products", identity, OVERLAPPING_SUMS),
    _claim("cfl.thm4.7.variance/lemma", identity, OVERLAPPING_SUMS),
    _claim(
        "cfl.thm4.7.variance/corrected",
        identity,
        OVERLAPPING,
        *_says(*(f"cfl.thm4.7.variance/{step}" for step in ("objective", "products", "lemma"))),
    ),
    _claim("cfl.thm4.7.c_O/products", identity, OVERLAPPING_SUMS),
    _claim("cfl.thm4.7.c_O", entailment, OVERLAPPING),
    _claim(
        "cfl.thm4.7.c_O/corrected",
        entailment,
        OVERLAPPING,
        *_says("cfl.thm4.7.variance/products", "cfl.thm4.7.c_O/products"),
    ),
    _claim("cfl.thm4.7.fedavg", agreement),
    *(
        _claim(f"cfl.thmB.8.{word}", agreement)
        for word in ("weights", "step", "strongly", "convex", "nonconvex")
    ),
    _claim("cfl.rem4.8.rate", agreement),
    _claim("cfl.rem4.8.rate/noise", agreement),
    _claim("cfl.rem4.8.impact", inequality, OVERLAPPING),
    _claim("cfl.rem4.8.impact/least", inequality, OVERLAPPING),
    _claim("cfl.rem4.8.weights", inequality),
    _claim("cfl.rem4.8.table9", _growing_overlap, TABLE_9_ROWS),
    _claim("cfl.rem4.8.coreset", _every_overlap, TABLE_9_ROWS),
    _claim("cfl.lemB.10", bound, OVERLAP),
    _claim("cfl.lemB.10/nonnegative", bound, OVERLAP),
    _claim("cfl.lemB.10/corrected", bound, OVERLAP, SPLIT.compared, _EVERY_PAIR),
    _claim("cfl.opt-case2", bound, CHAINED),
    _claim("cfl.opt-case2/nonnegative", bound, CHAINED, *_PARTS),
    _claim("cfl.opt-case2.drift", bound, CHAINED),
    _claim("cfl.opt-case2.drift/nonnegative", bound, CHAINED, SPLIT.compared, _DECAYING),
    _claim("cfl.opt-case2.drift/equality", bound, EQUAL, SPLIT.compared, _DECAYING),
    _claim("cfl.opt-case2.loss", bound, CHAINED),
    _claim("cfl.opt-case2.loss/nonnegative", bound, CHAINED),
    _claim(
        "cfl.thm4.9",
        inequality,
        GRADUAL,
        *_says("cfl.thm4.9.proof.expansion", "cfl.thm4.9.proof.stationary", "cfl.lemB.9/semidefinite"),
    ),
    _claim("cfl.thm4.9/nonnegative", inequality, NOT_NEGATIVE),
    _claim("cfl.thm4.9.bound", bound, CHAINED_OPTIMAL),
    _claim("cfl.thm4.9.bound/nonnegative", bound, CHAINED_OPTIMAL, *_PARTS),
    _claim("cfl.thm4.9.proof.case", identity, CASE_TWO),
    _claim("cfl.thm4.9.proof.form", identity, TWO_WEIGHTS),
    _claim("cfl.thm4.9.proof.entries", agreement, ENTRIES),
    _claim("cfl.thm4.9.proof.matrix", identity, TWO_WEIGHTS),
    _claim("cfl.thm4.9.proof.expansion", identity, TWO_WEIGHTS),
    _claim("cfl.thm4.9.proof.stationary", identity, CLOSED),
    _claim("cfl.lemB.9", inequality, FORMS),
    _claim("cfl.lemB.9/corrected", inequality, FORMS),
    _claim("cfl.lemB.9/squares", identity, FORMS),
    _claim("cfl.lemB.9/semidefinite", inequality, FORMS, *_says("cfl.lemB.9/squares")),
    _claim("cfl.lemB.9.decomposition", identity, FORMS),
    _claim("cfl.lemB.9.eigenvalue", identity, FORMS),
    _claim("cfl.lemB.9.kernel", identity, FORMS),
    _claim("cfl.lemB.9.rows", identity, ROWS),
    _claim("cfl.lemB.9.MF", inequality, FORMS),
    _claim("cfl.ex1.explicit/closed-form", identity, CLOSED),
    _claim("cfl.ex1.explicit/current", identity, CLOSED),
    _claim("cfl.ex1.current", inequality),
    _claim("cfl.ex1.current/every-round", inequality, GRADUAL),
    _claim("cfl.ex1.importance", inequality, None, *_says("cfl.ex1.current")),
    _claim("cfl.ex1.importance/each", inequality, GRADUAL),
    _claim("cfl.ex1.overlap", inequality),
    _claim("cfl.ex1.rate", inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_weights"))
