"""CFL, what is true in place of Theorems 4.1, 4.4, B.5 and B.6 on convex losses: one round, and runs of any length.

Drifts are asked for at the server's model alone, which they have not met; local models are compared with it by smoothness.
What is summed over the rounds has the weights of Appendix B.4.4 up to a factor: 1 for the last round, 1 - mu eta/2 for the one
before it, and so on.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import ALL, LOST, SIZE, after2, c_max, c_pG, dist, dist2, gap
from bounds.cfl.rates import bias_mean, forgotten, gap_mean
from bounds.cfl.steps import c_3, onestep
from bounds.cfl.symbols import CFL, D2, G2, H, K, L, N, T, at, eps, eta, eta_g, eta_l, mu, sigma2
from bounds.cfl.theorems import (
    thm4_1_gc,
    thm4_1_sc,
    thm4_4_gc,
    thm4_4_sc,
    thmB_5_gc,
    thmB_5_sc,
    thmB_6_gc,
    thmB_6_sc,
)
from bounds.statement import Statement

_nonnegative = CFL.nonnegative
_so_far = "summed over the rounds so far"


def _pair(name: str, meaning: str) -> tuple[sp.Symbol, sp.Symbol]:
    """A sum over the rounds so far, and the same one round later."""
    return _nonnegative(name, f"{meaning}, {_so_far}"), _nonnegative(f"{name}_next", "the same one round later")


gaps, gaps_next = _pair("gaps", "weighted excess loss")
levels, levels_next = _pair("levels", "weighted c_pG + 2 c_R")
biases, biases_next = _pair("biases", "weighted c_3 times the distance (root of its mean square)")
weight, weight_next = _pair("weight", "weight")
kept, kept_next = _pair("start_kept", "what the weight of the first round leaves of the start")
played, played_next = _pair("played", "rounds")
level_mean = _nonnegative("level_mean", "weighted mean of c_pG + 2 c_R", r"\overline{c_{p_G}+2c_R}")
memory = _nonnegative("memory", "1 if clients remember all rounds, with the weights of Lemma B.4, 0 if they work on their data alone")

KEEPS = 1 - mu * eta / 2
SMALL = (sp.Le(K * eta_l, 1 / (4 * L * sp.sqrt(c_max))), sp.Le(SIZE, 1 / (16 * L * c_max)))
"""Steps that are short for the local models, and for the server's."""
FORGETFUL = sp.Eq(memory, 0)
_RUN = (*SMALL, sp.Le(mu, L))
_level = 2 * c_pG + 4 * LOST
_c_1 = _level + sigma2 / (N * K)
_c_2 = 3 * L * (_level + sigma2 / K) / eta_g**2
_adds = 2 * eta**2 + 6 * L * eta**3 / eta_g**2
"""What a round adds for each unit of c_pG + 2 c_R."""
_stirs = (eta**2 / (N * K) + 3 * L * eta**3 / (eta_g**2 * K)) * sigma2
_short = "steps with K eta_l <= 1/(4 L sqrt(c)) and eta <= 1/(16 L c), c = 1 + A^2 + B^2"
SERVER = onestep.reading(
    "server",
    sp.Le(after2, (1 - mu * eta / 2) * dist2 - eta * gap + _c_1 * eta**2 + _c_2 * eta**3 + c_3 * eta * dist),
    says="one round of any number of local steps",
    conditions=SMALL,
    assumes=ALL,
    uses=("eq10/corrected", "eq13/corrected", "eq14.noise"),
    changes="Lemma B.2 is used at the server's model, not at local models, which the drifts have moved; steps with K eta_l <= "
    "1/(4 L sqrt(c)) and eta <= 1/(16 L c); c_1 = 2 c_pG + 4 c_R + sigma^2/(N K), c_2 = 3 L (2 c_pG + 4 c_R + sigma^2/K)/eta_g^2",
)
_run = at("Appendix B.4.4", "785-841", conditions=_RUN, assumes=ALL)
ROUND = _run(
    "runs.round",
    "one round from a random model: the distance is the root of its mean square",
    SERVER.compared,
    conditions=SMALL,
    uses=("onestep/server",),
)
STEP = _run(
    "runs.step",
    "one round, in sums over the rounds",
    sp.Le(
        eta * gaps_next + after2,
        KEEPS * (eta * gaps + dist2)
        + _adds * (levels_next - KEEPS * levels)
        + _stirs
        + eta * (biases_next - KEEPS * biases),
    ),
    uses=("runs.round",),
)
INVARIANT = _run(
    "runs.invariant",
    "excess losses of any number of rounds, and the distance after them",
    sp.Le(eta * gaps + dist2, kept + _adds * levels + _stirs * weight + eta * biases),
    uses=("runs.step",),
)
FORGETS = _run(
    "runs.forgets",
    "the start counts no more than if all rounds counted alike",
    sp.Le(played * kept, H * weight),
    uses=("runs.kept",),
)
KEPT = _run("runs.kept", "and no more than it did", sp.Le(kept, H))
LEFT = _run(
    "runs.left",
    "what the rounds leave of the start, and what their weights add up to",
    sp.Eq(H - kept, mu * eta / 2 * H * weight),
)
_without = {"conditions": (*_RUN, FORGETFUL)}
_drifts = _adds * (G2 + D2) + _stirs
FED_STEP = _run(
    "runs.fed.step",
    "one round without memory, in sums over the rounds",
    sp.Le(eta * gaps_next + after2, KEEPS * (eta * gaps + dist2) + _drifts),
    **_without,
    uses=("runs.step",),
)
FED_INVARIANT = _run(
    "runs.fed.invariant",
    "without memory: excess losses of any number of rounds, and the distance after them",
    sp.Le(eta * gaps + dist2, kept + _drifts * weight),
    **_without,
    uses=("runs.fed.step",),
)

# ---------------------------------------------------------------------------------- the theorems

_per = lambda term: sp.expand(term / eta)  # noqa: E731
_memory = _per(_adds) * level_mean + _per(_stirs)
_fed = _per(_drifts)
_alike = H / (eta * T)
TIME = sp.Ge(T, 2 * sp.log(1 + 3 * mu * H / (2 * eps)) / (mu * eta))
"""After so many rounds (1 - mu eta/2)^T is at most 1/(1 + 3 mu H/(2 eps))."""
ACCURATE = sp.Le(kept_next, H / (1 + 3 * mu * H / (2 * eps)))
_time = {"gc": (sp.Ge(T, 3 * H / (eta * eps)),), "sc": (TIME,)}


def _noise(level: sp.Expr) -> tuple[sp.Rel, ...]:
    """Steps at which drifts and noise add no more than 2 eps/3."""
    server, local = (2 * level + sigma2 / (N * K)) * eta, 3 * L * (2 * level + sigma2 / K) * eta**2 / eta_g**2
    return sp.Le(server, eps / 3), sp.Le(local, eps / 3)


def _repaired(printed: Statement, error: sp.Expr, proof: str, says: str, changes: str, *more: sp.Rel) -> Statement:
    return printed.reading(
        "repaired",
        sp.Le(gap_mean, error),
        says=says,
        conditions=(*_RUN, *more),
        assumes=ALL,
        uses=tuple(f"runs.{word}" for word in proof.split()),
        changes=f"{changes}; steps with K eta_l <= 1/(4 L sqrt(c)), eta <= 1/(16 L c), c = 1 + A^2 + B^2; the mean over the rounds",
    )


_rate = "weighted mean of the excess loss over T rounds, at any step within its limits"
_enough = "after so many rounds, at steps that are as short as eps asks for, the weighted mean of the excess loss is small enough"
_c = "c_1 = 2 (c_pG + 2 c_R) + sigma^2/(N K), c_2 = 3 L (2 (c_pG + 2 c_R) + sigma^2/K)/eta_g^2 in the mean, phi_t is c_3 times the distance in round t"
_c_fed = "c_1 = 2 (G^2 + D^2) + sigma^2/(N K), c_2 = 3 L (2 (G^2 + D^2) + sigma^2/K)/eta_g^2"
_product = "a step that stays the same, so that the logarithm stands before all terms"
REPAIRED = {
    "B.5.sc": _repaired(thmB_5_sc, forgotten + _memory + bias_mean, "invariant step", _rate, _c),
    "B.5.gc": _repaired(thmB_5_gc, _alike + _memory + bias_mean, "invariant step forgets", _rate, _c),
    "B.6.sc": _repaired(thmB_6_sc, forgotten + _fed, "fed.invariant fed.step", _rate, _c_fed, FORGETFUL),
    "B.6.gc": _repaired(thmB_6_gc, _alike + _fed, "fed.invariant fed.step forgets", _rate, _c_fed, FORGETFUL),
    "4.1.sc": _repaired(
        *(thm4_1_sc, eps + bias_mean, "invariant step left", _enough, f"{_c}; {_product}"), *_time["sc"], *_noise(level_mean)
    ),
    "4.1.gc": _repaired(
        *(thm4_1_gc, eps + bias_mean, "invariant step forgets", _enough, f"{_c}; the first term has the factor L"),
        *_time["gc"],
        *_noise(level_mean),
    ),
    "4.4.sc": _repaired(
        *(thm4_4_sc, eps, "fed.invariant fed.step left", _enough, f"{_c_fed}; {_product}"),
        *(FORGETFUL, *_time["sc"], *_noise(G2 + D2)),
    ),
    "4.4.gc": _repaired(
        *(thm4_4_gc, eps, "fed.invariant fed.step forgets", _enough, f"{_c_fed}; the first term has the factor L"),
        *(FORGETFUL, *_time["gc"], *_noise(G2 + D2)),
    ),
}
"""What is true in place of each theorem, by its number and part."""
STATEMENTS = (SERVER, ROUND, STEP, INVARIANT, KEPT, LEFT, FORGETS, FED_STEP, FED_INVARIANT, *REPAIRED.values())
