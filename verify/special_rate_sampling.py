"""SPECIAL: sampled clients and the end of the proof of Theorem 4.10, Eq. (53) to (62)."""

from __future__ import annotations

import sympy as sp

from bounds.relations import ge, le
from bounds.special import one_round as one
from bounds.special.one_round import f_mean, f_now, t_pairs
from bounds.special.rate_sum import COSTS, EQ61
from bounds.special.rate_weighted import MUCH, PAIRED
from bounds.special.symbols import B, M, T, f0
from bounds.special.theorems import rho
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.special.rate import TASK
from verify.scenes.special.rate_facts import ANCHOR, relations_named
from verify.scenes.special.rate_round import ROUND, TASK_BY_ROUNDS
from verify.scenes.special.rate_sums import CLIMBED, MEANS, MEANT, PLAYED
from verify.scenes.special.round_drift import APART, SMOOTH

_claim = claims_about("special", inequality)
_alike = for_each(_claim)

_share = rho / (2 * M**2)
_drawn = ge(rho, 0)
_pairs = (_drawn, le(_share * t_pairs, _share * PAIRED.rhs))
_weighted = (
    *("eq60/weighted.drift", "eq60/spare.all", "eq60/spare.local", "eq60/spare.samples"),
    "c12.replaces",
)

_ROUNDS = Induction(
    "before",
    later={one.f_mean: one.f_after, one.climbed: one.climbed_next, one.played: one.played_next},
    first={one.f_mean: f0, one.climbed: sp.Integer(0), one.played: sp.Integer(0)},
)
_SUMMED = le(EQ61.lhs, f0 - one.f_T + T * one.costs)

CLAIMS = (
    _claim("eq53", ROUND, identity),
    _claim("eq53/expectation", ROUND, identity, *relations_named("T62")),
    _claim("eq54", ROUND, identity, *relations_named("T8 by pairs")),
    _claim("eq55", ROUND, inequality, *relations_named("t_pairs")),
    _claim("eq55.second", ROUND),
    _claim("c8", ROUND, inequality, *relations_named("tm2, tm2_D, tm2_G, tm2_T, tm2_K"), APART),
    _claim("c9", ROUND),
    _claim("c9/corrected", ROUND, inequality, SMOOTH),
    _claim("c10", ROUND, inequality, "c7/one"),
    _claim("c10/corrected", ROUND, inequality, "c7/all"),
    _claim("eq56", ROUND, inequality, "c8", SMOOTH, "c7/all"),
    _claim("eq57", ROUND, identity),
    _claim("eq57/expectation", ROUND, identity, "eq53/expectation", "eq54"),
    _claim("eq58.pairs", ROUND, inequality, "eq55"),
    _claim("eq58.collect", None, identity),
    _claim("eq58.norms", ROUND),
    _claim("eq58.norms/corrected", ROUND, inequality, *relations_named("t_Lam")),
    _claim("eq58.factor", ROUND, identity),
    _claim("eq58.factor/corrected", None, identity),
    _claim("c11", ROUND, inequality, "eq56", ANCHOR),
    _claim("eq58", ROUND, inequality, *relations_named("T7"), "eq58/expectation"),
    _claim(
        "eq58/expectation",
        ROUND,
        inequality,
        *("eq57/expectation", "eq58.pairs", "eq58.norms/corrected", "eq58.factor/corrected", "c11"),
    ),
    _claim("eq60.before", ROUND, bound, "eq52/expectation", "eq58/expectation", baseline=f_now),
    _claim("eq60.before/corrected", ROUND, bound, "eq52/corrected", "eq58/expectation", baseline=f_now),
    _claim("c12", ROUND, baseline=f_now),
    _claim("c12/conditioned", ROUND, inequality, "c12.drops", "c12.replaces", baseline=f_now),
    *_alike(
        "c12.drops c12.replaces c12.coefficient c12.condition c12.suffices c12.gamma_G", None, entailment
    ),
    _claim(
        "eq55/variance",
        ROUND,
        inequality,
        *relations_named("pairs_D, tm2_D, tm2_G"),
        SMOOTH,
        APART,
        "c7/fifth",
    ),
    _claim("eq58/variance.work", ROUND, inequality, "eq54/variance", "eq55/variance", through=_pairs),
    _claim("eq58/variance.drawn", ROUND, inequality, "eq58/variance.work"),
    _claim("eq58/variance.scales", ROUND),
    _claim("eq58/variance", ROUND, inequality, "eq58/variance.drawn", "eq58/variance.scales"),
    _claim("eq60/spare", ROUND, inequality, *relations_named("gK2")),
    _claim(
        "eq60/spare.sampled", ROUND, inequality, *relations_named("gK2"), through=(_drawn, le(MUCH, B**2))
    ),
    _claim("eq60/weighted", ROUND, bound, *("eq52/weighted", "eq58/variance", "eq48/spare"), baseline=f_now),
    _claim(
        "eq60/weighted.drift",
        ROUND,
        bound,
        *("eq60/weighted", "eq60/spare", "eq60/spare.sampled"),
        baseline=f_now,
    ),
    *_alike("eq60/spare.all eq60/spare.local", ROUND),
    _claim("eq60/spare.samples", ROUND, through=(_drawn,)),
    _claim("eq60", ROUND, bound, *_weighted, baseline=f_now),
    _claim(
        "eq60/corrected",
        ROUND,
        bound,
        *("eq60.before/corrected", "c12.drops", "c12.replaces"),
        baseline=f_now,
    ),
    _claim("eq61", TASK, bound),
    _claim("eq61/round", ROUND, bound, "eq60", means=MEANS, baseline=f_mean),
    _claim("eq61/step", ROUND, bound, "eq61/round", CLIMBED, COSTS),
    _claim("eq61/so-far", ROUND, bound, "eq61/step", PLAYED, induction=_ROUNDS),
    _claim("eq61/so-far.next", ROUND, bound, "eq61/so-far", "eq61/step", PLAYED),
    _claim("eq61/corrected", TASK_BY_ROUNDS, bound, "eq61/so-far.next", COSTS, *MEANT, through=(_SUMMED,)),
    _claim("eq62", None, agreement),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_rate_sampling"))
