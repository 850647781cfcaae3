"""CFL, what is true in place of Theorems 4.1, 4.4, 4.7, B.5 and B.6 on convex losses: one round, and runs of any length.

Clients are new in every round (`NEW`): it is a condition of every statement on a run, as clients that come back break them
(`bounds/cfl/returning.py` has what is true of those). Drifts are asked for at the server's model alone, which they have not met;
local models are compared with it by smoothness.
What is summed over the rounds has the weights of Appendix B.4.4 up to a factor: 1 for the last round, 1 - mu eta/2 for the one
before it, and so on.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import ALL, LOST, NEW, SIZE, after2, c_max, c_pG, dist, dist2, gap
from bounds.cfl.rates import bias_mean, c1_mean, c2_mean, forgotten, gap_mean
from bounds.cfl.shared_drift import thm4_7_gc, thm4_7_sc
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
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le
from bounds.statement import Statement

_nonnegative = CFL.nonnegative


def summed(name: str, meaning: str) -> tuple[sp.Symbol, sp.Symbol]:
    """A sum over the rounds so far, and the same one round later."""
    now = _nonnegative(name, f"{meaning}, summed over the rounds so far")
    return now, _nonnegative(f"{name}_next", "the same one round later")


gaps, gaps_next = summed("gaps", "weighted excess loss")
levels, levels_next = summed("levels", "weighted c_pG + 2 c_R")
biases, biases_next = summed("biases", "weighted c_3 times the distance (root of its mean square)")
weight, weight_next = summed("weight", "weight")
kept, kept_next = summed("start_kept", "what the weight of the first round leaves of the start")
played, played_next = summed("played", "rounds")
level_mean = _nonnegative("level_mean", "weighted mean of c_pG + 2 c_R", r"\overline{c_{p_G}+2c_R}")
memory = _nonnegative(
    "memory",
    "1 if clients remember all rounds, with the weights of Lemma B.4, 0 if they work on their data alone",
    r"\mathbf 1_{\mathrm{memory}}",
)

keep = CFL.real("keep", "1 - mu eta/2, the weight of a round against that of the next one")
KEEPS = 1 - mu * eta / 2
SMALL = (le(K * eta_l, 1 / (4 * L * sp.sqrt(c_max))), le(SIZE, 1 / (16 * L * c_max)))
"""Steps that are short for the local models, and for the server's."""
FORGETFUL = eq(memory, 0)
_RUN = (*SMALL, le(mu, L), NEW)
_level = 2 * c_pG + 4 * LOST
_c_1 = _level + 2 * sigma2 / (N * K)
_c_2 = 3 * L * (_level + sigma2 / K) / eta_g**2
adds = _nonnegative("adds", "what a round adds for each unit of c_pG + 2 c_R")
stirs = _nonnegative("stirs", "what the noise of a round adds")
ADDS = 2 * eta**2 + 6 * L * eta**3 / eta_g**2
STIRS = (2 * eta**2 / (N * K) + 3 * L * eta**3 / (eta_g**2 * K)) * sigma2
_short = "steps with K eta_l <= 1/(4 L sqrt(c)) and eta <= 1/(16 L c), c = 1 + A^2 + B^2"
SERVER = onestep.variant(
    "server",
    le(after2, (1 - mu * eta / 2) * dist2 - eta * gap + _c_1 * eta**2 + _c_2 * eta**3 + c_3 * eta * dist),
    says="one round of any number of local steps",
    conditions=SMALL,
    assumes=ALL,
    hypotheses=(Hypothesis.NEW_CLIENTS,),
    uses=("eq10/corrected", "eq13/corrected"),
    changes="Lemma B.2 is used at the server's model, not at local models, which the drifts have moved, and noise may go with the "
    "information loss of later steps; steps with K eta_l <= 1/(4 L sqrt(c)) and eta <= 1/(16 L c); "
    "c_1 = 2 c_pG + 4 c_R + 2 sigma^2/(N K), c_2 = 3 L (2 c_pG + 4 c_R + sigma^2/K)/eta_g^2",
)
_NEW = (Hypothesis.NEW_CLIENTS,)
_run = at("Appendix B.4.4", "785-841", conditions=_RUN, assumes=ALL, hypotheses=_NEW)
ROUND = _run(
    "runs.round",
    "one round from a random model: the distance is the root of its mean square",
    SERVER.compared,
    conditions=(*SMALL, NEW),
    uses=("onestep/server",),
)
KEEPING = _run("runs.keep", "no weight is negative", ge(keep, 0))
STEP = _run(
    "runs.step",
    "one round, in sums over the rounds",
    le(
        eta * gaps_next + after2,
        keep * (eta * gaps + dist2)
        + adds * (levels_next - keep * levels)
        + stirs
        + eta * (biases_next - keep * biases),
    ),
    uses=("runs.round",),
)
INVARIANT = _run(
    "runs.invariant",
    "excess losses of any number of rounds, and the distance after them",
    le(eta * gaps + dist2, kept + adds * levels + stirs * weight + eta * biases),
    uses=("runs.step",),
)
FORGETS = _run(
    "runs.forgets",
    "the start counts no more than if all rounds counted alike",
    le(played * kept, H * weight),
    uses=("runs.kept",),
)
KEPT = _run("runs.kept", "and no more than it did", le(kept, H))
LEFT = _run(
    "runs.left",
    "what the rounds leave of the start, and what their weights add up to",
    eq(H - kept, mu * eta / 2 * H * weight),
)
_without = {"conditions": (*_RUN, FORGETFUL)}
FED_STEP = _run(
    "runs.fed.step",
    "one round without memory, in sums over the rounds",
    le(eta * gaps_next + after2, keep * (eta * gaps + dist2) + adds * (G2 + D2) + stirs),
    **_without,
    uses=("runs.step",),
)
FED_INVARIANT = _run(
    "runs.fed.invariant",
    "without memory: excess losses of any number of rounds, and the distance after them",
    le(eta * gaps + dist2, kept + (adds * (G2 + D2) + stirs) * weight),
    **_without,
    uses=("runs.fed.step",),
)

WEIGHTY = _run("runs.weight", "the last round has the weight 1", ge(weight_next, 1))
ALIKE = _run(
    "runs.alike", "the same after one round more", le(T * kept_next, H * weight_next), uses=("runs.forgets",)
)
LEFT_NEXT = _run(
    "runs.left.next",
    "the same after one round more",
    eq(H - kept_next, mu * eta / 2 * H * weight_next),
    uses=("runs.left",),
)
MEAN = _run(
    "runs.mean",
    "weighted mean of the excess losses of T rounds",
    le(eta * gap_mean * weight_next, kept_next + (adds * level_mean + stirs + eta * bias_mean) * weight_next),
    uses=("runs.invariant", "runs.step"),
)
FED_MEAN = _run(
    "runs.fed.mean",
    "the same without memory",
    le(eta * gap_mean * weight_next, kept_next + (adds * (G2 + D2) + stirs) * weight_next),
    **_without,
    uses=("runs.fed.invariant", "runs.fed.step"),
)
RUNS = (
    *(SERVER, ROUND, KEEPING, STEP, INVARIANT, KEPT, LEFT, FORGETS, FED_STEP, FED_INVARIANT),
    *(WEIGHTY, ALIKE, LEFT_NEXT, MEAN, FED_MEAN),
)

# ---------------------------------------------------------------------------------- the theorems


def _constants(level: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """c_1 and c_2 at a level of c_pG + 2 c_R."""
    return 2 * level + 2 * sigma2 / (N * K), 3 * L * (2 * level + sigma2 / K) / eta_g**2


c1_fed = _nonnegative("c1_fed", "2 (G^2 + D^2) + 2 sigma^2/(N K)", "c_1")
c2_fed = _nonnegative("c2_fed", "3 L (2 (G^2 + D^2) + sigma^2/K)/eta_g^2", "c_2")
C_MEAN = tuple(map(eq, (c1_mean, c2_mean), _constants(level_mean)))
C_FED = tuple(map(eq, (c1_fed, c2_fed), _constants(G2 + D2)))
_memory = {"c_1": c1_mean * eta, "c_2": c2_mean * eta**2}
_fed = {"c_1": c1_fed * eta, "c_2": c2_fed * eta**2}
_start, _alike, _phi = {"start": forgotten}, {"start": H / (eta * T)}, {"phi": bias_mean}
_eps = {"eps": eps}
TIME = (ge(T, 2 * sp.log(1 + 3 * mu * H / (2 * eps)) / (mu * eta)), gt(H, 0))
"""After so many rounds (1 - mu eta/2)^T is at most 1/(1 + 3 mu H/(2 eps))."""
ACCURATE = le(kept_next * (2 * eps + 3 * mu * H), 2 * eps * H)
VANISHES = _run(
    "runs.vanishes",
    "after so many rounds no more than eps/3 is left of the start",
    le(forgotten, eps / 3),
    conditions=(*_RUN, *TIME),
    uses=("runs.left.next",),
)
ALIKE_TIME = (ge(T, 3 * H / (eta * eps)),)
SOON = _run(
    "runs.soon",
    "the same for more rounds, whatever mu is",
    le(forgotten, eps / 3),
    conditions=(*_RUN, *ALIKE_TIME),
    uses=("runs.alike",),
)
_time = {"gc": ALIKE_TIME, "sc": TIME}


def _noise(noise: dict[str, sp.Expr]) -> tuple[sp.Rel, ...]:
    """Steps at which drifts and noise add no more than 2 eps/3."""
    return tuple(le(term, eps / 3) for term in noise.values())


def _repaired(
    printed: Statement, error: dict[str, sp.Expr], proof: str, says: str, changes: str, *more: sp.Rel
) -> Statement:
    return printed.variant(
        "repaired",
        le(gap_mean, sum(error.values())),
        terms=error,
        says=says,
        conditions=(*_RUN, *more),
        assumes=ALL,
        hypotheses=_NEW,
        uses=tuple(proof.split()),
        changes=f"{changes}; steps with K eta_l <= 1/(4 L sqrt(c)), eta <= 1/(16 L c), c = 1 + A^2 + B^2; the mean over the rounds; "
        "new clients in every round",
    )


_rate = "weighted mean of the excess loss over T rounds, at any step within its limits"
_enough = "after so many rounds, at steps that are as short as eps asks for, the weighted mean of the excess loss is small enough"
_c = "c_1 = 2 (c_pG + 2 c_R) + 2 sigma^2/(N K), c_2 = 3 L (2 (c_pG + 2 c_R) + sigma^2/K)/eta_g^2 in the mean, phi_t is c_3 times the distance in round t"
_c_fed = "c_1 = 2 (G^2 + D^2) + 2 sigma^2/(N K), c_2 = 3 L (2 (G^2 + D^2) + sigma^2/K)/eta_g^2"
_common = (
    "G^2 stands for G^2 + F^2 and D^2 for M^2: what the time drifts of a client share in all rounds, of variance F^2, no "
    "weights reduce, so it counts as client drift; weights of Lemma B.4 with M^2, c_pG = G^2 + F^2 + M^2 sum p^2"
)
_product = "a step that stays the same, so that the logarithm stands before all terms"
REPAIRED = {
    "B.5.sc": _repaired(thmB_5_sc, {**_start, **_memory, **_phi}, "runs.mean", _rate, _c),
    "B.5.gc": _repaired(thmB_5_gc, {**_alike, **_memory, **_phi}, "runs.mean runs.alike", _rate, _c),
    "B.6.sc": _repaired(thmB_6_sc, {**_start, **_fed}, "runs.fed.mean", _rate, _c_fed, FORGETFUL),
    "B.6.gc": _repaired(thmB_6_gc, {**_alike, **_fed}, "runs.fed.mean runs.alike", _rate, _c_fed, FORGETFUL),
    "4.1.sc": _repaired(
        *(thm4_1_sc, {**_eps, **_phi}, "thmB.5.sc/repaired runs.vanishes", _enough, f"{_c}; {_product}"),
        *_time["sc"],
        *_noise(_memory),
    ),
    "4.1.gc": _repaired(
        *(
            thm4_1_gc,
            {**_eps, **_phi},
            "thmB.5.sc/repaired runs.soon",
            _enough,
            f"{_c}; the first term has the factor L",
        ),
        *_time["gc"],
        *_noise(_memory),
    ),
    **{
        f"4.7.{part}": _repaired(
            *(
                printed,
                {**_eps, **_phi},
                f"thm4.1.{part}/repaired thm4.7.variance/corrected",
                _enough,
                f"{_common}; {_c}",
            ),
            *(*_time[part], *_noise(_memory)),
        )
        for part, printed in (("sc", thm4_7_sc), ("gc", thm4_7_gc))
    },
    "4.4.sc": _repaired(
        *(thm4_4_sc, _eps, "thmB.6.sc/repaired runs.vanishes", _enough, f"{_c_fed}; {_product}"),
        *(FORGETFUL, *_time["sc"], *_noise(_fed)),
    ),
    "4.4.gc": _repaired(
        *(
            thm4_4_gc,
            _eps,
            "thmB.6.sc/repaired runs.soon",
            _enough,
            f"{_c_fed}; the first term has the factor L",
        ),
        *(FORGETFUL, *_time["gc"], *_noise(_fed)),
    ),
}
"""What is true in place of each theorem, by its number and part."""
STATEMENTS = (*RUNS, VANISHES, SOON, *REPAIRED.values())
