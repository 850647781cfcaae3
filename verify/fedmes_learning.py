"""FedMeS: Theorem 1 for a correction that learns: its rate, its lower bound, and whether steps that learn nothing meet it."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.fedmes.descent import gap, gap_1, gap_next
from bounds.fedmes.learning import (
    LEARNS,
    SHARE,
    floor_gap,
    floor_next,
    moved2,
    moved2_next,
    shrunk_gap,
    shrunk_next,
)
from bounds.relations import le
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound, identity, inequality
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import claims_about
from verify.scenes.fedmes import learning as scenes

_claim = claims_about("fedmes", identity)

STEPS = Induction(
    "r",
    later={gap: gap_next, shrunk_gap: shrunk_next, floor_gap: floor_next, moved2: moved2_next},
    first={gap: gap_1, shrunk_gap: gap_1, floor_gap: sp.Integer(0), moved2: sp.Integer(0)},
    through=(le(SHARE, 1), le(gap_next, (1 - SHARE) * (shrunk_gap + floor_gap) + SHARE * floor_next)),
)
"""Induction over corrections: the name of each quantity one correction later."""

CLAIMS = (
    _claim(
        "thm1.learns.moves",
        scenes.AGAIN,
        bound,
        scenes.FALLS,
        scenes.STEEP,
        scenes.LARGEST,
        through=(LEARNS.compared,),
    ),
    _claim(
        "thm1.learns.invariant",
        scenes.AGAIN,
        bound,
        "thm1.learns.moves",
        scenes.ORDER,
        *("thm1.learns.rises", scenes.BALANCED, scenes.SHRINKS),
        induction=STEPS,
    ),
    _claim("thm1.learns.rises", scenes.AGAIN, bound, scenes.LONGER, *scenes.FLOORS),
    _claim(
        "thm1/repaired",
        scenes.AGAIN,
        bound,
        "thm1.learns.invariant",
        *scenes.MEANT,
        beside=(
            free_lunch(statement("fedmes.thm1.free"), scenes.AGAIN),
            placebos(scenes.AGAIN_PLACEBOS),
            needed,
        ),
    ),
    _claim(
        "thm1.learns",
        scenes.LEARNING,
        bound,
        "thm1.learns.falls",
        scenes.STEEP,
        beside=(
            free_lunch(statement("fedmes.thm1.learns.free"), scenes.LEARNING),
            placebos(scenes.PLACEBOS),
            needed,
        ),
    ),
    _claim("thm1.learns.falls", scenes.LEARNING, inequality),
    _claim("thm1.learns.expansion", scenes.LEARNING),
    _claim("thm1.learns.share", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_learning"))
