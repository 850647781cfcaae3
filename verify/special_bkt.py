"""SPECIAL: backward knowledge transfer (Theorem 4.7, Corollary D.2, Eq. 28-36, Remark 4.8).

Every client works in every round, from the server's model and with noise of its own; the server averages the
sampled ones. So the sums over all M clients that the proof writes are defined, and the alignment that the
theorem asks of all of them is measured at every point that any of them visits, in every outcome.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from algorithms.placebo import ascent, stand_still
from bounds.catalogue import statement
from bounds.special.bkt import (
    CORRECTED,
    FREE,
    FREE_ALIGNED,
    PRINTED,
    SERIES,
    Sums,
    move,
)
from bounds.special.bkt_text import each_0
from bounds.special.experiments import at_last_task
from bounds.special.symbols import F_0, G0, B, E, M, drift1
from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, placebos
from verify.engine.claim import Claim
from verify.engine.scene import Condition, Scene
from verify.scenes.placebos import random_walk
from verify.scenes.special.bkt import TRAINING, placebo
from verify.scenes.special.bkt_facts import (
    BOUNDED,
    CROSSED,
    GEOMETRIC,
    ORDER,
    PAIRS,
    TOGETHER,
    aligned,
    defined,
    noisy,
    unbiased,
)

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
    id: str, check: Any, *premises: Condition, scene: Scene | None = TRAINING, baseline: Any = None
) -> Claim:
    """A claim with one check."""
    return Claim(statement(f"special.{id}"), (check,), scene, premises, baseline)


def second_order(q: Sums, reading: str, before: tuple[Condition, ...]) -> tuple[Claim, ...]:
    """Claims of Eq. (30), (31), (32), (34) and (35) for one choice of weights.

    Steps (a4) to the sixth line of Eq. (32) hold for given gradients; here they are taken in expectation.
    """
    parts = (defined(q.T2, q.g2), defined(q.T21, q.X), defined(q.T22, q.n2))
    rooted = sp.Le(q.X, B * sp.sqrt(M * E * SERIES) * q.Y)
    return (
        claim(f"eq30{reading}", bound, *before, defined(q.T2, q.g2), baseline=F_0),
        claim(f"a3{reading}", inequality, aligned(q), baseline=F_0),
        claim(f"eq31{reading}", inequality, *parts, unbiased(q)),
        claim(f"eq32{reading}", inequality, defined(q.T21, q.X), rooted),
        claim(f"a5{reading}", inequality, defined(q.T22, q.n2), noisy(q)),
        claim(f"eq34{reading}", inequality, *cited(f"a5{reading}", "a6", "a7")),
        claim(f"eq35{reading}", inequality, *cited(f"eq31{reading}", f"eq32{reading}", f"eq34{reading}")),
    )


_smooth = cited("eq28.smooth")

CLAIMS = (
    Claim(
        statement("special.thm4.7"),
        (bound, *(free_lunch(free, TRAINING) for free in (FREE, FREE_ALIGNED)), placebos(PLACEBOS)),
        TRAINING,
        cited("eq30/corrected", "a3/corrected", "eq35/corrected"),
        F_0,
    ),
    claim("thm4.7/free", bound, *_smooth, *cited("b1", "lem4.9"), sp.Le(move, G0 * drift1), baseline=F_0),
    claim("thm4.7/aligned-drift", bound, *_smooth, *cited("lem4.9"), sp.Le(move, 0), baseline=F_0),
    Claim(statement("special.corD.2"), (bound,), TRAINING, cited("thm4.7"), F_0),
    claim("eq28.smooth", bound, baseline=F_0),
    claim("eq28.unrolled", inequality, baseline=F_0),
    claim("eq28.unrolled/corrected", identity),
    claim("eq28.sampled", inequality, baseline=F_0),
    claim("eq28", bound, baseline=F_0),
    claim("eq28/expectation", bound, baseline=F_0),
    claim("eq28/corrected", bound, *_smooth, *cited("eq28.unrolled/corrected"), baseline=F_0),
    claim("eq29", identity),
    claim("eq29/expectation", identity),
    claim("eq29/one-round", identity),
    claim("eq29/corrected", inequality),
    claim("a1", identity, PAIRS),
    claim("a1.collected", identity, scene=None),
    claim("a2", inequality, TOGETHER),
    claim("a2.collected", identity, scene=None),
    claim("eq30.T1", inequality),
    *second_order(PRINTED, "", ()),
    claim("eq32.1", identity),
    claim("eq32.1/corrected", identity),
    claim("eq32.2", inequality),
    claim("eq32.2/corrected", inequality),
    claim("a4", inequality, BOUNDED, *cited("eq33")),
    claim("eq32.root", inequality, ORDER),
    claim("eq32.norms", inequality, CROSSED),
    claim("eq32.last", inequality),
    claim("eq33", inequality, GEOMETRIC),
    claim("eq33.series", identity, scene=None),
    claim("a6", inequality, *cited("eq33")),
    claim("a7", inequality, scene=None),
    claim("eq36", bound, *cited("eq30", "a3", "eq35"), baseline=F_0),
    claim("eq36.agreement", agreement, scene=None),
    *second_order(CORRECTED, "/corrected", cited("eq28/corrected", "eq29/corrected")),
    claim("corD.2.agreement", agreement, scene=None),
    claim("corD.2.steps", agreement, scene=None),
    claim("rem4.8.rounds", inequality, scene=None),
    claim("rem4.8.rounds/fixed-steps", inequality, scene=None),
    claim("rem4.8.epochs", inequality, scene=None),
    claim("rem4.8.epochs/fixed-steps", inequality, scene=None),
    claim("rem4.8.participation", inequality, scene=None),
    claim("rem4.8.alignment", inequality, scene=None),
    claim("rem4.8.alignment/slope", inequality, scene=None),
    claim("rem4.8.each-task", bound, baseline=each_0),
    claim("rem4.8.preserves", bound, baseline=each_0),
    claim("rem4.8.preserves/sum", bound, baseline=F_0),
    claim("rem4.8.variance", bound, *cited("thm4.7"), baseline=F_0),
    claim("thm4.7.variance", identity, scene=None),
    claim("thm4.7.gradient", identity, scene=None),
    claim("thm4.7.lambda", inequality, scene=None),
    claim("thm4.7.all-rounds", entailment, scene=None),
    claim("thm4.7.applicability", applicability(at_last_task()), scene=None),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_bkt"))
