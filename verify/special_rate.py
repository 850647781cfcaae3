"""SPECIAL: task-uniform convergence (Theorem 4.10, Eq. 39-62), Corollaries 4.12 and D.3, and what the text says.

Two scenes. In the first, one round is played from every model that a run can reach, and every quantity of the proof
is computed under its name, in exact expectation. In the second, whole tasks are played.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from algorithms.placebo import ascent, stand_still
from bounds.catalogue import statement
from bounds.special import one_round as one
from bounds.special import rate_sampling as two
from bounds.special.rate_text import away_max, grad1, grad1_0, reach
from bounds.special.symbols import (
    G0,
    B,
    E,
    K,
    L,
    M,
    T,
    f0,
    fstar,
    gamma_L,
    lam,
    min_grad2,
)
from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.order import order, outgrown
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, placebos
from verify.engine.claim import Claim
from verify.engine.scene import Condition, Scene
from verify.scenes.placebos import random_walk
from verify.scenes.special.rate import BOUNDED, NUMBERS, ROUND, TASK, g, placebo, settings
from verify.scenes.special.rate_facts import ANCHOR, DRIFT, MOVED, T61, given

PLACEBOS = (
    placebo("ascent", ascent),
    placebo("random walk", random_walk, directions=True),
    placebo("stand still", lambda algorithm: stand_still()),
)


# ---------------------------------------------------------------------------------------------- claims


def cited(*ids: str) -> tuple[Condition, ...]:
    """Relations of other statements."""
    return tuple(statement(f"special.{id}").relation for id in ids)


def claim(
    id: str, check: Any, *premises: Condition, scene: Scene | None = ROUND, baseline: Any = None
) -> Claim:
    """A claim with one check."""
    return Claim(statement(f"special.{id}"), (check,), scene, premises, baseline)


_drift_C5 = sp.Le(one.far2, M * E * one.LOCAL_DRIFT)

FIRST = (
    claim("eq39.smooth", bound, baseline=one.f_now),
    claim(
        "c1",
        identity,
        *given("T5, inner_AK"),
    ),
    claim("eq39", bound, *cited("eq39.smooth", "c1"), baseline=one.f_now),
    claim("c2", identity, *given("gA2")),
    claim("eq40.split", inequality, *given("gP2, change_G0")),
    claim("c3.reason", inequality),
    claim("c3.reason/corrected", inequality),
    claim("c3", inequality, *cited("c2", "eq40.split"), *given("change2")),
    claim("c4", inequality, DRIFT),
    claim("eq40", inequality, *cited("c3"), DRIFT),
    claim("eq41", identity, *given("move, E_D")),
    claim("eq42", identity, *given("T5 by A, T51, T52")),
    claim("eq43.split", inequality),
    claim("eq43.split/corrected", inequality, *given("A2, inner_D")),
    claim("c5", inequality, *given("mean_D2")),
    claim("c6", inequality, *given("D2"), DRIFT),
    claim("c7", inequality, _drift_C5),
    claim("eq43.last", identity, scene=None),
    claim("eq43", inequality),
    claim(
        "eq43/corrected",
        inequality,
        *cited("eq43.split/corrected"),
        *given("mean_D2, D2"),
        _drift_C5,
        DRIFT,
    ),
    claim("eq44.vector", identity, *given("D, tbar, A, Lam")),
    claim("eq44", identity, *given("T52, T8")),
    claim("eq45", inequality, *cited("eq42"), *given("T51"), *cited("eq43/corrected", "eq44")),
    claim("eq46.expanded", identity),
    claim("eq46", inequality, *cited("eq46.expanded"), MOVED),
    claim("eq48", inequality),
    claim("eq48/corrected", inequality, T61, *given("noise_mean")),
    claim("eq48.probability", identity),
    claim("eq49", identity),
    claim("eq49/expectation", identity),
    claim("eq50.probability", identity),
    claim("eq50", inequality, *given("T63, spread2")),
    claim("eq51", inequality),
    claim("eq51/expectation", inequality),
    claim("eq51/corrected", inequality, *cited("eq46", "eq48/corrected", "eq50")),
    claim("eq52", bound, baseline=one.f_now),
    claim("eq52/expectation", bound, baseline=one.f_now),
    claim("eq52/corrected", bound, *cited("eq39", "eq40", "eq45", "eq51/corrected"), baseline=one.f_now),
    claim("sec4.4", agreement, scene=None),
    claim("sec4.4.B3", identity),
    claim("sec4.4.B4", inequality),
)

_kept = sp.Ge(one.q * two.COEFFICIENT * one.gK2, 0)

SECOND = (
    claim("eq53", identity),
    claim("eq53/expectation", identity, *given("T62")),
    claim("eq54", identity, *given("T8 by pairs")),
    claim("eq55", inequality, *given("t_pairs")),
    claim("eq55.second", inequality),
    claim("c8", inequality, *given("tm2, tm2_D, tm2_G, tm2_T, tm2_K")),
    claim("c9", inequality),
    claim("c9/corrected", inequality, *given("D2")),
    claim("c10", inequality, sp.Le(two.far2_e, M * one.LOCAL_DRIFT)),
    claim("c10/corrected", inequality, _drift_C5),
    claim("eq56", inequality, *cited("c8"), *given("D2"), _drift_C5),
    claim("eq57", identity),
    claim("eq57/expectation", identity, *cited("eq53/expectation", "eq54")),
    claim("eq58.pairs", inequality, *cited("eq55")),
    claim("eq58.collect", identity, scene=None),
    claim("eq58.norms", inequality),
    claim("eq58.norms/corrected", inequality, *given("t_Lam")),
    claim("eq58.factor", identity),
    claim("eq58.factor/corrected", identity, scene=None),
    claim("c11", inequality, *cited("eq56"), ANCHOR),
    claim("eq58", inequality),
    claim(
        "eq58/expectation",
        inequality,
        *cited("eq57/expectation", "eq58.pairs", "eq58.norms/corrected", "eq58.factor/corrected", "c11"),
    ),
    claim("eq60.before", bound, baseline=one.f_now),
    claim(
        "eq60.before/corrected",
        bound,
        *cited("eq52/corrected", "eq58/expectation"),
        baseline=one.f_now,
    ),
    claim("c12", inequality, baseline=one.f_now),
    claim("c12/conditioned", inequality, _kept, baseline=one.f_now),
    claim("c12.coefficient", entailment, scene=None),
    claim("c12.condition", entailment, scene=None),
    claim("c12.suffices", entailment, scene=None),
    claim("c12.gamma_G", entailment, scene=None),
    claim("eq60", bound, baseline=one.f_now),
    claim("eq60/corrected", bound, sp.Le(one.f_next, two.DROPPED), baseline=one.f_now),
    claim("eq61", bound, scene=TASK),
    claim("eq61/corrected", bound, scene=TASK),
    claim("eq62", agreement, scene=None),
)

_lead = sp.Ge(f0, fstar)
_reach = sp.Eq(reach, gamma_L * E * L * B / lam)
_free_start, _free_drift = (statement(f"special.thm4.10/free.{word}") for word in ("start", "drift"))
_floor = statement("special.cor4.12/floor")

LAST = (
    Claim(
        statement("special.thm4.10"),
        (bound, free_lunch(_free_drift), placebos(PLACEBOS)),
        BOUNDED,
        (*cited("thm4.10/free.drift"), _lead),
    ),
    Claim(
        statement("special.thm4.10/from0"),
        (bound, free_lunch(_free_start)),
        BOUNDED,
        (*cited("thm4.10/free.start"), _lead),
    ),
    Claim(
        statement("special.thm4.10/corrected"),
        (bound, free_lunch(_free_drift)),
        BOUNDED,
        (*cited("thm4.10/free.drift"), _lead),
    ),
    claim("thm4.10/free.start", bound, scene=TASK),
    claim(
        "thm4.10/free.reach",
        bound,
        sp.Le(min_grad2, (G0 + (K - 1) * L * away_max + B) ** 2),
        sp.Le(away_max, g * E * B / lam),
        _reach,
        scene=TASK,
    ),
    claim(
        "thm4.10/free.drift",
        bound,
        *cited("thm4.10/free.reach"),
        sp.Eq(gamma_L, reach * lam / (E * L * B)),
        scene=TASK,
    ),
    claim("thm4.10/free.B", bound, scene=TASK),
    claim("thm4.10.applicability", applicability(settings), scene=None),
    claim("thm4.10.applicability/c12", applicability(settings), scene=None),
    Claim(
        statement("special.corD.3"),
        (bound, free_lunch(_free_drift)),
        BOUNDED,
        (*cited("thm4.10/free.drift"), _lead),
    ),
    claim("corD.3.agreement", agreement, scene=None),
    Claim(statement("special.cor4.12"), (order, outgrown(_floor, 2, T))),
    claim(
        "cor4.12/floor",
        bound,
        sp.Ge(grad1, grad1_0 - K * L * one.away1),
        sp.Le(one.away1, g * E * B / lam),
        scene=TASK,
    ),
    *(claim(f"cor4.12.{word}", entailment, scene=None) for word in ("conditions", "conditions.gamma_G")),
    *(claim(f"cor4.12.conditions.{word}", entailment, scene=None) for word in ("gamma_L", "product")),
)

_TEXT = {
    inequality: (
        "rem4.11.shift",
        "rem4.11.anchor",
        "rem4.13.rounds",
        "rem4.13.clients",
        "rem4.13.drift",
        "rem4.13.few",
        "rem4.13.few/theorem",
        "thm4.10.lead/held",
        "thm4.10.rounds",
        "thm4.10.local_work",
        "thm4.10.local_work/held",
        "thm4.10.tasks",
        "thm4.10.tasks/held",
        "thm4.10.initial",
    ),
    identity: (
        "thm4.10.lead",
        "thm4.10.prefactor",
        "thm4.10.drift",
        "thm4.10.drift/anchor",
        "thm4.10.sampling",
        "thm4.10.pool",
        "ass4.6.stationary",
        "ass4.6.stationary/terms",
    ),
    order: (
        "thm4.10.local_step",
        "thm4.10.local_step/sampling",
        "thm4.10.task_penalty",
        "thm4.10.global_step",
        "thm4.10.pool/order",
    ),
}
CLAIMS = (
    *LAST,
    *FIRST,
    *SECOND,
    claim("rem4.13.clients/theorem", inequality, scene=NUMBERS),
    *(claim(id, check, scene=None) for check, ids in _TEXT.items() for id in ids),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_rate"))
