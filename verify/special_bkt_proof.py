"""SPECIAL: the steps of the proof of Theorem 4.7, Eq. (28) to (36).

In the scene, every client computes in every round, from the server's model and with its own noise, and the server averages
the sampled clients. The sums over all M clients in the proof are then defined. The alignment that the theorem requires of all
clients is measured at every point that a client visits, in every outcome.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import le
from bounds.special.bkt_limits import ENDLESS, ROOT, SQUARED, gentle
from bounds.special.bkt_sums import CORRECTED, PRINTED, Sums
from bounds.special.symbols import F_0, L, L_sup
from verify.commands.main import main
from verify.engine.checks.relation import agreement, bound, identity, inequality
from verify.engine.model.claim import Claim, claims_about, for_each
from verify.facts import descent
from verify.scenes.special import bkt_facts as scenes
from verify.scenes.special.bkt import TRAINING

_claim = claims_about("special", inequality)
_alike = for_each(_claim)


def _second_order(q: Sums, variant: str, *before: str) -> tuple[Claim, ...]:
    """Claims of Eq. (30), (31), (32), (34) and (35) for one choice of weights.

    Steps (a4) to the sixth line of Eq. (32) hold for given gradients. The statement in expectation has another proof.
    """
    T2, T21, T22 = scenes.defined(q.T2, q.g2), scenes.defined(q.T21, q.X), scenes.defined(q.T22, q.n2)
    parts = (f"{step}{variant}" for step in ("eq31", "eq32", "eq34"))
    return (
        _claim(f"eq30{variant}", TRAINING, bound, *before, T2, baseline=F_0),
        _claim(f"a3{variant}", TRAINING, inequality, scenes.aligned(q), baseline=F_0),
        _claim(f"eq31{variant}", TRAINING, inequality, T2, T21, T22, scenes.unbiased(q)),
        _claim(f"eq32{variant}", TRAINING, inequality, T21, gentle(q), "thm4.7.limit.both"),
        _claim(f"a5{variant}", TRAINING, inequality, T22, scenes.noisy(q)),
        _claim(f"eq34.endless{variant}", TRAINING, inequality, f"a5{variant}", "eq33", ENDLESS),
        _claim(f"eq34{variant}", TRAINING, inequality, f"eq34.endless{variant}", "a7.endless"),
        _claim(f"eq35{variant}", TRAINING, inequality, *parts),
    )


_descent = descent(statement("special.eq28.smooth").compared, le(L_sup, L))
_crossed_roots = le(sp.sqrt(scenes.CROSSED.lhs), sp.sqrt(scenes.CROSSED.rhs))
CLAIMS = (
    _claim("eq28.smooth", TRAINING.of_class("smooth losses", _descent), bound, baseline=F_0),
    *_alike("eq28.unrolled eq28.sampled", TRAINING, baseline=F_0),
    _claim("eq28.unrolled/corrected", TRAINING, identity, scenes.MOVED, scenes.STRAYED),
    *_alike("eq28 eq28/expectation", TRAINING, bound, baseline=F_0),
    _claim("eq28/corrected", TRAINING, bound, "eq28.smooth", "eq28.unrolled/corrected", baseline=F_0),
    *_alike("eq29 eq29/expectation eq29/one-round", TRAINING, identity),
    _claim("eq29/corrected", TRAINING),
    _claim("a1", TRAINING, identity, scenes.PAIRS),
    *_alike("a1.collected a2.collected", None, identity),
    _claim("a2", TRAINING, inequality, scenes.TOGETHER),
    _claim("eq30.T1", TRAINING),
    *_second_order(PRINTED, ""),
    *_alike("eq32.1 eq32.1/corrected", TRAINING, identity),
    _claim("eq32.2", TRAINING, inequality, "thm4.7.limit", "thm4.7.limit.server", ROOT),
    _claim("eq32.2/corrected", TRAINING),
    _claim("a4.squared", TRAINING, inequality, scenes.BOUNDED, "eq33", SQUARED),
    _claim("a4.root", TRAINING, inequality, "a4.squared"),
    _claim("a4", TRAINING, inequality, "a4.root", ROOT),
    _claim("eq32.root", TRAINING, inequality, scenes.ORDER),
    _claim("eq32.norms", TRAINING, inequality, scenes.CROSSED, through=(_crossed_roots,)),
    _claim("eq32.last", TRAINING),
    _claim("eq33", TRAINING, inequality, scenes.GEOMETRIC),
    _claim("eq33.series", None, identity),
    _claim("a6", TRAINING, inequality, "eq33"),
    _claim("thm4.7.limit", TRAINING, inequality, ROOT),
    _claim("thm4.7.limit.root", TRAINING, inequality, SQUARED),
    _claim("thm4.7.limit.plain", TRAINING, inequality, "thm4.7.limit", "thm4.7.limit.root"),
    _claim("thm4.7.limit.squared", TRAINING, inequality, "thm4.7.limit", SQUARED),
    _claim("thm4.7.limit.server.squared", TRAINING),
    _claim("thm4.7.limit.server", TRAINING, inequality, "thm4.7.limit.server.squared"),
    _claim("thm4.7.limit.both", TRAINING, inequality, "thm4.7.limit.server", "thm4.7.limit.plain"),
    _claim("a7", TRAINING, inequality, "thm4.7.limit.squared", "thm4.7.limit.server.squared"),
    _claim(
        "a7.endless", TRAINING, inequality, *("thm4.7.limit.squared", "thm4.7.limit.server.squared"), ENDLESS
    ),
    # Eq. (30) as printed is false, so it is no premise here
    _claim("eq36", TRAINING, bound, "eq30/corrected", "a3/corrected", "eq35/corrected", baseline=F_0),
    _claim("eq36.agreement", None, agreement),
    *_second_order(CORRECTED, "/corrected", "eq28/corrected", "eq29/corrected"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_bkt_proof"))
