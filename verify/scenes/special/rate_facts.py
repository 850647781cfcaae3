"""SPECIAL, Eq. (39) to (60): facts about one round that hold for arbitrary gradients.

They are expansions of squares, Young's and Jensen's inequality, and the assumptions on sums, for any number of tasks, clients,
sampled clients and local steps.
"""

from __future__ import annotations

from collections.abc import Mapping

from bounds.catalogue import statement
from bounds.relations import eq, le
from bounds.special import one_round as one
from bounds.special.one_round import t_Lam, t_pairs, tm2
from bounds.special.rate_sampling import eq53, eq54
from bounds.special.round_drift import own2
from bounds.special.symbols import B, E, K, M, gamma_G, gamma_L, lam
from verify.engine.model.scene import Condition, Fact, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.special.drift_facts import bound_of_every_round
from verify.scenes.special.round_bounds import BOUNDS
from verify.scenes.special.round_bounds import SAMPLED as OF_SAMPLED
from verify.scenes.special.round_sums import CHANGES, of_any_clients
from verify.scenes.summands import definition

_g = gamma_G * gamma_L

# ------------------------------------------------------------------------------------------------- the facts

_part = K / (_g * E)
SAMPLED: Mapping[str, Condition] = {
    "T62": eq(one.T62, eq53),
    "T63": eq(one.T63, _g**2 * E**2 * one.spread2),
    "T62 by indicators": statement("special.eq49/expectation").relation,
    "T7 by T8": eq(one.T7, one.T8),
    "T63 by chances": statement("special.eq50.probability").relation,
    "move of all": statement("special.sec4.4.B3").relation,
    "move": eq(one.move_j, (-_g / M * one.E_work_j + lam * one.away_j) / (1 + lam)),
}
EQUAL: Mapping[str, Condition] = {
    "T5": eq(one.T5, one.along + one.q * one.inner_AK),
    "T5 by A": eq(one.T5, one.inner_A / (1 + lam)),
    "T5 by A and T8": eq(
        one.T5, (one.gA2 / _part + _part * one.A2 - _g / (E * K) * one.T8) / (2 * (1 + lam))
    ),
    "T51": eq(one.T51, _part * one.A2),
    "T52": eq(one.T52, _part * one.A2 - 2 * one.inner_A + one.gA2 / _part),
    "T8": eq(one.T8, (K / _g) ** 2 * one.A2 - 2 * K * E / _g * one.inner_A + E**2 * one.gA2),
    "T8 by pairs": eq(one.T8, eq54),
    "t_pairs": eq(t_pairs, 2 * M * t_Lam - 2 * M**2 * one.T8),
    "tm2_K": eq(one.tm2_K, M * E**2 * K**2 * one.gK2),
    "inner_AK": eq(one.inner_AK, one.gK2 + one.T4),
    "gA2": eq(one.gA2, one.gP2 + 2 * one.T4 + one.gK2),
    "A2": eq(one.A2, one.mean_D2 + 2 * one.inner_D + lam**2 * one.away2),
    "E_D": eq(one.E_D_j, one.E_work_j - M * E * one.gK_j),
    "D": eq(one.D_j, one.work_j - M * E * one.gK_j),
    "tbar": eq(one.tbar_j, K * one.work_j / M - K * E * one.gK_j + E * one.gA_j),
    "A": eq(one.A_j, -_g / M * one.D_j + lam * one.away_j),
    "Lam": eq(one.Lam_j, lam * K / _g * one.away_j),
}
FORMS: Mapping[str, Condition] = {
    "inner_D": le(one.inner_D, (one.mean_D2 + lam**2 * one.away2) / 2),
    "inner_D_less": le(one.inner_D, lam**2 * one.away2 / 8 + 2 * one.mean_D2),
    "t_Lam": le(t_Lam, 2 * tm2 + 2 * M * one.anchor2),
    "tm2": le(tm2, 4 * (one.tm2_D + one.tm2_G + one.tm2_T + one.tm2_K)),
    "tm2_G": eq(one.tm2_G, K**2 * E**2 * own2),
    "pairs_D": le(t_pairs, 4 * M * (one.tm2_D + one.tm2_G)),
}
OF_CHANGES = dict(zip(("mean_D2", "tm2_D"), (fact.relation for fact in CHANGES), strict=True))
AT_MOST: Mapping[str, Condition] = {name: fact.relation for name, fact in {**BOUNDS, **OF_SAMPLED}.items()}
FROM_START, MOVED, T61 = (AT_MOST[name] for name in ("gP2", "moved2", "T61"))
LENGTHS = (eq(one.change1**2, one.change2), eq(one.away1**2, one.away2))
DRIFT = le(one.away2, one.FROM_START)
ANCHOR = le(one.anchor2, K**2 * E**2 * B**2)


def relations_named(names: str) -> tuple[Condition, ...]:
    """Relations of the facts with these names."""
    relations = {**SAMPLED, **EQUAL, **FORMS, **OF_CHANGES, **AT_MOST}
    return tuple(relations[name] for name in names.split(", "))


FACTS: tuple[Fact | Sums | Rounds, ...] = (
    *(of_any_clients(relation) for relation in (*EQUAL.values(), *SAMPLED.values(), *FORMS.values())),
    *CHANGES,
    *BOUNDS.values(),
    *OF_SAMPLED.values(),
    *map(definition, LENGTHS),
    bound_of_every_round(DRIFT),
    bound_of_every_round(ANCHOR, lam * K / _g),
)
"""Facts about one round."""
